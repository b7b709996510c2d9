//! The two networks of a bot in training: their learners, the samples that these learn from, and how many are due.

use std::path::Path;

use anyhow::{Context, Result};
use ashta_agents::learn::net::{Batch, Learner, LearnerDevice, Losses};
use ashta_agents::network::portable::{Mlp, MlpShape, NetError, NetShape, PortableNet};
use ashta_agents::learn::replay::{Part, Replay};
use ashta_agents::learn::selfplay::GameRecord;
use ashta_env::chance::GameRng;
use ashta_env::game::Game;
use ashta_env::race::Race;
use ashta_env::race::state::State;

use crate::checkpoint;
use crate::config::Config;
use crate::run::{device, learner_config};

/// One network in training.
#[derive(Debug)]
struct Trainee {
    learner: Learner,
    replay: Replay,
}

/// Both networks in training.
#[derive(Debug)]
pub struct Trainees {
    /// Learns what positions at the start of a turn are worth.
    value: Trainee,
    /// Learns what to choose within a turn.
    policy: Trainee,
}

/// Samples that wait to be learned from, as numbers of draws from the replays.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Due {
    /// For the value network.
    pub value: f64,
    /// For the policy network.
    pub policy: f64,
}

/// The losses of the steps of both learners.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Of the value network.
    pub value: Vec<Losses>,
    /// Of the policy network.
    pub policy: Vec<Losses>,
}

impl Trainee {
    fn new(config: &Config, part: Part, shape: MlpShape) -> Result<Trainee> {
        let replay = Replay::new(part, config.learning.replay_capacity, shape.actions);
        let learner = Learner::new(shape, learner_config(config), device(config)?, config.run.seed)?;
        Ok(Trainee { learner, replay })
    }

    fn load(config: &Config, part: Part, shape: MlpShape, dir: &Path) -> Result<Trainee> {
        let replay = checkpoint::load_replay(dir, part, config.learning.replay_capacity, shape.actions)?;
        let learner = checkpoint::load_learner(dir, shape, learner_config(config), device(config)?)?;
        Ok(Trainee { learner, replay })
    }

    fn save(&self, dir: &Path) -> Result<()> {
        std::fs::create_dir(dir).with_context(|| format!("cannot create the folder {}", dir.display()))?;
        self.learner.save(dir)?;
        Ok(self.replay.save(dir)?)
    }

    /// Learns from as many batches as are `due`.
    fn learn(&mut self, size: usize, rate: f64, rng: &mut GameRng, due: &mut f64) -> Vec<Losses> {
        let mut batch = Batch::default();
        let mut losses = Vec::new();
        while *due >= size as f64 && !self.replay.is_empty() {
            self.replay.draw(size, rng, &mut batch);
            losses.push(self.learner.step(&batch, rate));
            *due -= size as f64;
        }
        losses
    }
}

impl Trainees {
    /// Networks that have learnt nothing.
    ///
    /// # Errors
    /// When a network cannot be built.
    pub fn new(config: &Config, race: &Race) -> Result<Trainees> {
        let NetShape { value, policy } = shape(config, race);
        Ok(Trainees {
            value: Trainee::new(config, Part::Starts, value)?,
            policy: Trainee::new(config, Part::Turns, policy)?,
        })
    }

    /// The networks of the checkpoint in the folder `dir`.
    ///
    /// # Errors
    /// When the checkpoint is damaged or does not fit the settings.
    pub fn load(config: &Config, race: &Race, dir: &Path) -> Result<Trainees> {
        let NetShape { value, policy } = shape(config, race);
        Ok(Trainees {
            value: Trainee::load(config, Part::Starts, value, &dir.join(checkpoint::VALUE))?,
            policy: Trainee::load(config, Part::Turns, policy, &dir.join(checkpoint::POLICY))?,
        })
    }

    /// Writes everything into the folder `dir`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<()> {
        self.value.save(&dir.join(checkpoint::VALUE))?;
        self.policy.save(&dir.join(checkpoint::POLICY))
    }

    /// Samples that were ever added.
    pub fn samples(&self) -> u64 {
        self.value.replay.added() + self.policy.replay.added()
    }

    /// Adds the samples of the games, each to be learned from `replays` times; how many there are.
    pub fn take_in(&mut self, race: &Race, records: &[GameRecord<State>], replays: f64, due: &mut Due) -> u64 {
        let (value, policy) = (&mut self.value.replay, &mut self.policy.replay);
        let before = (value.added(), policy.added());
        for record in records {
            record.visit(race, |position| {
                value.add_position(race, &position);
                policy.add_position(race, &position);
            });
        }
        let (value, policy) = (value.added() - before.0, policy.added() - before.1);
        due.value += value as f64 * replays;
        due.policy += policy as f64 * replays;
        value + policy
    }

    /// Learns from as many batches of `size` samples as are due.
    pub fn learn(&mut self, size: usize, rate: f64, rng: &mut GameRng, due: &mut Due) -> Learned {
        Learned {
            value: self.value.learn(size, rate, rng, &mut due.value),
            policy: self.policy.learn(size, rate, rng, &mut due.policy),
        }
    }

    /// The networks as they stand after the last step, for self-play.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn latest_net(&self) -> Result<PortableNet> {
        self.of(Learner::latest_net)
    }

    /// The networks to judge and to export, of half precision.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn net(&self) -> Result<PortableNet> {
        rounded(self.of(Learner::net)?)
    }

    fn of(&self, net: fn(&Learner) -> Result<Mlp, NetError>) -> Result<PortableNet> {
        joined(net(&self.value.learner), net(&self.policy.learner))
    }
}

/// The networks to export of the checkpoint in the folder `dir`, of half precision, whatever device they were learned
/// on.
///
/// # Errors
/// When the checkpoint is damaged or does not fit the settings, or learning has diverged.
pub fn load_net(config: &Config, race: &Race, dir: &Path) -> Result<PortableNet> {
    let NetShape { value, policy } = shape(config, race);
    let learner =
        |shape, part| checkpoint::load_learner(&dir.join(part), shape, learner_config(config), LearnerDevice::Cpu);
    rounded(joined(learner(value, checkpoint::VALUE)?.net(), learner(policy, checkpoint::POLICY)?.net())?)
}

fn rounded(net: PortableNet) -> Result<PortableNet> {
    net.rounded().context(DIVERGED)
}

const DIVERGED: &str = "learning has diverged; a smaller learning_rate may help";

fn joined(value: Result<Mlp, NetError>, policy: Result<Mlp, NetError>) -> Result<PortableNet> {
    let net = value.and_then(|value| PortableNet::new(value, policy?));
    net.context(DIVERGED)
}

/// The shape of the networks that the settings ask for.
pub fn shape(config: &Config, race: &Race) -> NetShape {
    NetShape::for_spec(race.spec(), &config.network.hidden, &config.network.policy_hidden)
}
