//! The learner's side of a run: from the records of games to better networks.
//!
//! It knows neither who plays the games nor where the run is kept. What it makes of the same games, taken in and
//! learned from in the same order, is the same to the last bit.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use ashta_agents::learn::net::Losses;
use ashta_agents::learn::selfplay::{GameRecord, Tally};
use ashta_agents::network::portable::PortableNet;
use ashta_env::chance::{self, GameRng};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::trainee::{Due, Learned, Trainees};

/// The stream of the generator that draws batches; games use the streams of their numbers.
const BATCHES: u64 = u64::MAX;

/// Networks in training, with all that decides what they learn next.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    race: Arc<Race>,
    trainees: Trainees,
    state: TrainerState,
}

/// What a trainer goes on from, besides its networks and their samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainerState {
    /// Samples that wait to be learned from.
    pub due: Due,
    /// The generator that draws batches.
    pub rng: GameRng,
}

/// Mean losses over the steps of one iteration; nothing of a network that took no step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanLosses {
    /// Of the values.
    pub value: Option<f64>,
    /// The length of the gradient of the value network.
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
    pub tally: Tally,
    /// Samples of these games.
    pub added: u64,
    /// Samples of all games so far.
    pub samples: u64,
    /// Turns of each game, where details were asked for.
    pub turns: Vec<f32>,
    /// What the seat that threw first should have been valued at, turn by turn, where details were asked for.
    pub targets: Vec<f32>,
}

impl Trainer {
    /// One that has learnt nothing.
    ///
    /// # Errors
    /// When a network cannot be built.
    pub fn new(config: &Config, race: &Arc<Race>) -> Result<Trainer> {
        let state = TrainerState { due: Due::default(), rng: chance::stream(config.run.seed, BATCHES) };
        Ok(Trainer { trainees: Trainees::new(config, race)?, config: config.clone(), race: Arc::clone(race), state })
    }

    /// The one of the checkpoint in the folder `dir`, which goes on from `state`.
    ///
    /// # Errors
    /// When the checkpoint is damaged or does not fit the settings.
    pub fn load(config: &Config, race: &Arc<Race>, dir: &Path, state: TrainerState) -> Result<Trainer> {
        let trainees = Trainees::load(config, race, dir)?;
        Ok(Trainer { trainees, config: config.clone(), race: Arc::clone(race), state })
    }

    /// Writes networks and samples into the folder `dir`; the rest is [`Trainer::state`].
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<()> {
        self.trainees.save(dir)
    }

    /// What it goes on from, besides what is saved in files.
    pub fn state(&self) -> &TrainerState {
        &self.state
    }

    /// The networks as they stand after the last step, for self-play.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn latest_net(&self) -> Result<PortableNet> {
        self.trainees.latest_net()
    }

    /// The networks to judge and to export, of half precision.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn net(&self) -> Result<PortableNet> {
        self.trainees.net()
    }

    /// Learns from as many batches as are due, with steps of this size.
    pub fn learn(&mut self, rate: f64) -> MeanLosses {
        let TrainerState { due, rng } = &mut self.state;
        MeanLosses::of(&self.trainees.learn(self.config.learning.batch, rate, rng, due))
    }

    /// Adds the samples of the games to those that are learned from.
    pub fn take_in(&mut self, records: &[GameRecord<State>], wants_details: bool) -> Report {
        let replays = self.config.learning.replays;
        let added = self.trainees.take_in(&self.race, records, replays, &mut self.state.due);
        let mut report = Report { added, samples: self.trainees.samples(), ..Report::default() };
        for record in records {
            report.tally.add(record);
            if wants_details {
                report.turns.push(record.main.turns.len() as f32);
                report.targets.extend(record.main.turns.iter().map(|turn| turn.before_throw[record.first]));
            }
        }
        report
    }
}

impl MeanLosses {
    fn of(learned: &Learned) -> MeanLosses {
        let mean = |losses: &[Losses], of: fn(&Losses) -> f32| {
            let sum = losses.iter().map(|losses| f64::from(of(losses))).sum::<f64>();
            (!losses.is_empty()).then(|| sum / losses.len() as f64)
        };
        MeanLosses {
            value: mean(&learned.value, |losses| losses.value),
            gradient_norm: mean(&learned.value, |losses| losses.gradient_norm),
            policy: mean(&learned.policy, |losses| losses.policy),
            policy_entropy: mean(&learned.policy, |losses| losses.policy_entropy),
        }
    }
}
