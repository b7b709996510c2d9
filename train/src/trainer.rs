//! The learner's side of a run: the value network and the policy network under training, and their replay buffers.
//!
//! It knows neither the actors that play the games nor where the run is kept. What it makes of the same games, taken in
//! and learned from in the same order, is the same to the last bit.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use ashta_agents::learn::net::{Batch, Learner, LearnerDevice, Losses};
use ashta_agents::learn::replay::{Part, Replay};
use ashta_agents::learn::selfplay::{GameCounts, GameRecord, TargetRule, fit_luck};
use ashta_agents::network::portable::{Mlp, MlpShape, NetError, NetShape, PortableNet};
use ashta_env::chance;
use ashta_env::game::Game;
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{self, DrawState, TrainerState};
use crate::config::Config;

/// The streams of the generators that draw the batches of each network; games use the streams of their numbers.
const BATCHES: [u64; 2] = [u64::MAX, u64::MAX - 1];

/// Both networks under training, with all that decides what they learn next.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    race: Arc<Race>,
    /// Learns the values of positions at the start of a turn.
    value: NetTrainer,
    /// Learns what to choose within a turn.
    policy: NetTrainer,
}

/// Mean losses over the steps of one iteration; nothing of a network that took no step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanLosses {
    /// Of the values.
    pub value: Option<f64>,
    /// The norm of the gradient of the value network.
    pub gradient_norm: Option<f64>,
    /// Of the policy.
    pub policy: Option<f64>,
    /// The entropy of the policy.
    pub policy_entropy: Option<f64>,
}

/// What the games of an iteration were like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Counts of the games.
    pub tally: GameCounts,
    /// Samples of these games.
    pub added: u64,
    /// Samples of all games so far.
    pub samples: u64,
    /// The coefficient with which the luck of the throws was taken out of the targets.
    pub luck_coefficient: f64,
    /// Turns of each game, where details were asked for.
    pub turns: Vec<f32>,
    /// What the seat that threw first should have been valued at, turn by turn, where details were asked for.
    pub targets: Vec<f32>,
}

/// One network under training.
#[derive(Debug)]
struct NetTrainer {
    learner: Learner,
    replay: Replay,
    draws: DrawState,
}

impl NetTrainer {
    fn new(config: &Config, part: Part, shape: MlpShape, stream: u64) -> Result<NetTrainer> {
        let replay = Replay::new(part, config.learning.replay_capacity, shape.actions);
        let learner = Learner::new(shape, config.learner(), config.device()?, config.run.seed)?;
        Ok(NetTrainer { learner, replay, draws: DrawState { due: 0.0, rng: chance::stream(config.run.seed, stream) } })
    }

    fn load(config: &Config, part: Part, shape: MlpShape, dir: &Path, draws: DrawState) -> Result<NetTrainer> {
        let replay = checkpoint::load_replay(dir, part, config.learning.replay_capacity, &shape)?;
        let learner = checkpoint::load_learner(dir, shape, config.learner(), config.device()?)?;
        Ok(NetTrainer { learner, replay, draws })
    }

    fn save(&self, dir: &Path) -> Result<()> {
        std::fs::create_dir(dir).with_context(|| format!("cannot create the folder {}", dir.display()))?;
        self.learner.save(dir)?;
        Ok(self.replay.save(dir)?)
    }

    /// Learns from as many batches as are due.
    fn learn(&mut self, size: usize, rate: f64) -> Option<Losses> {
        let NetTrainer { learner, replay, draws: DrawState { due, rng } } = self;
        let mut batch = Batch::default();
        while *due >= size as f64 && !replay.is_empty() {
            replay.draw(size, rng, &mut batch);
            learner.step(&batch, rate);
            *due -= size as f64;
        }
        learner.take_losses()
    }
}

impl Trainer {
    /// One that has learnt nothing.
    ///
    /// # Errors
    /// When a network cannot be built.
    pub fn new(config: &Config, race: &Arc<Race>) -> Result<Trainer> {
        let NetShape { value, policy } = shape(config, race);
        Ok(Trainer {
            value: NetTrainer::new(config, Part::Starts, value, BATCHES[0])?,
            policy: NetTrainer::new(config, Part::Turns, policy, BATCHES[1])?,
            config: config.clone(),
            race: Arc::clone(race),
        })
    }

    /// The one of the checkpoint in the folder `dir`, which goes on from `state`.
    ///
    /// # Errors
    /// When the checkpoint is damaged or does not fit the settings.
    pub fn load(config: &Config, race: &Arc<Race>, dir: &Path, state: TrainerState) -> Result<Trainer> {
        let NetShape { value, policy } = shape(config, race);
        Ok(Trainer {
            value: NetTrainer::load(config, Part::Starts, value, &dir.join(checkpoint::VALUE), state.value)?,
            policy: NetTrainer::load(config, Part::Turns, policy, &dir.join(checkpoint::POLICY), state.policy)?,
            config: config.clone(),
            race: Arc::clone(race),
        })
    }

    /// Writes networks and samples into the folder `dir`; the rest is [`Trainer::state`].
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<()> {
        self.value.save(&dir.join(checkpoint::VALUE))?;
        self.policy.save(&dir.join(checkpoint::POLICY))
    }

    /// What it goes on from, besides what is saved in files.
    pub fn state(&self) -> TrainerState {
        TrainerState { value: self.value.draws.clone(), policy: self.policy.draws.clone() }
    }

    /// The networks as they stand after the last step, for self-play.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn latest_net(&self) -> Result<PortableNet> {
        joined(self.value.learner.latest_net(), self.policy.learner.latest_net())
    }

    /// The networks to evaluate and to export, of half precision.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn net(&self) -> Result<PortableNet> {
        rounded(joined(self.value.learner.net(), self.policy.learner.net())?)
    }

    /// Learns from as many batches as are due, with this learning rate; with two `threads` or more both networks at
    /// once, and always with the same result.
    pub fn learn(&mut self, rate: f64, threads: usize) -> MeanLosses {
        let (batch, value, policy) = (self.config.learning.batch, &mut self.value, &mut self.policy);
        if threads < 2 {
            return MeanLosses::of(value.learn(batch, rate), policy.learn(batch, rate));
        }
        std::thread::scope(|scope| {
            let policy = scope.spawn(|| policy.learn(batch, rate));
            let value = value.learn(batch, rate);
            let policy = policy.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            MeanLosses::of(value, policy)
        })
    }

    /// Adds the samples of the games of an iteration, with TD(λ) targets of this λ, to those that are learned from,
    /// each as often as the settings say.
    pub fn take_in(&mut self, records: &[GameRecord<State>], lambda: f64, wants_details: bool) -> Report {
        let (race, value, policy) = (&*self.race, &mut self.value.replay, &mut self.policy.replay);
        let before = (value.added(), policy.added());
        let (seats, lambda) = (race.spec().seats, lambda as f32);
        let (coefficients, luck_coefficient) = fit_luck(records, lambda, seats);
        let rules = coefficients.into_iter().map(|luck_coefficient| TargetRule { lambda, luck_coefficient });
        let ruled = || records.iter().zip(rules.clone());
        for (record, rule) in ruled() {
            record.visit(race, rule, |position| {
                value.add_position(race, &position);
                policy.add_position(race, &position);
            });
        }
        let samples = value.added() + policy.added();
        let (value, policy) = (value.added() - before.0, policy.added() - before.1);
        self.value.draws.due += value as f64 * self.config.learning.replays;
        self.policy.draws.due += policy as f64 * self.config.learning.replays;
        let luck_coefficient = luck_coefficient.into();
        let mut report = Report { added: value + policy, samples, luck_coefficient, ..Report::default() };
        for (record, rule) in ruled() {
            report.tally.add(record);
            if wants_details {
                report.turns.push(record.main.turns.len() as f32);
                let targets = record.main.targets(rule, seats);
                report.targets.extend(targets.iter().map(|turn| turn.before_throw[record.first]));
            }
        }
        report
    }
}

impl MeanLosses {
    fn of(value: Option<Losses>, policy: Option<Losses>) -> MeanLosses {
        MeanLosses {
            value: value.map(|losses| f64::from(losses.value)),
            gradient_norm: value.map(|losses| f64::from(losses.gradient_norm)),
            policy: policy.map(|losses| f64::from(losses.policy)),
            policy_entropy: policy.map(|losses| f64::from(losses.policy_entropy)),
        }
    }
}

/// The networks to export of the checkpoint in the folder `dir`, of half precision, whatever device they were learned
/// on.
///
/// # Errors
/// When the checkpoint is damaged or does not fit the settings, or learning has diverged.
pub fn load_net(config: &Config, race: &Race, dir: &Path) -> Result<PortableNet> {
    let NetShape { value, policy } = shape(config, race);
    let learner = |shape, part| checkpoint::load_learner(&dir.join(part), shape, config.learner(), LearnerDevice::Cpu);
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
