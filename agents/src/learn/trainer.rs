//! Training by self-play, of any game: the value network and the policy network with their replay buffers.
//!
//! A run repeats one iteration for each of [`TrainConfig::plans`]: play the games of the plan with the latest weights
//! and meanwhile learn from the games before ([`Trainer::play_and_learn`]), then take the games in
//! ([`Trainer::take_in`]). After the last iteration the games that were taken in last are still to be learned from
//! ([`Trainer::learn`], with the learning rate at the end). Games are seeded by their number and batches drawn by one
//! generator for each network. So the same games, taken in and learned from in the same order, make the same networks
//! to the last bit, however many threads there are.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Game, Spec};
use serde::{Deserialize, Serialize};

use super::config::{MOST_BATCH, MOST_REPLAYS, Plan, TrainConfig};
use super::net::{Batch, Learner, LearnerDevice, Losses};
use super::replay::{Part, Replay};
use super::selfplay::{GameCounts, GameRecord, TargetRule, fit_luck, play_games};
use crate::network::evaluator::NetEvaluator;
use crate::network::portable::{Mlp, MlpShape, NetShape, PortableNet};
use crate::network::tensor_file;
use crate::play::error::Error;

/// The streams of the generators that draw the batches of each network; games use the streams of their numbers.
const BATCHES: [u64; 2] = [u64::MAX, u64::MAX - 1];
/// Which positions each network learns.
const PARTS: [Part; 2] = [Part::Starts, Part::Turns];
/// The folder of each network in that of a saved trainer.
const FOLDERS: [&str; 2] = ["value", "policy"];

/// Both networks under training, with all that decides what they learn next.
#[derive(Debug)]
pub struct Trainer<G> {
    config: TrainConfig,
    seed: u64,
    game: Arc<G>,
    /// The value network learns positions at the start of a turn, the policy network all others.
    networks: [NetTrainer; 2],
}

type Result<T, E = Error> = std::result::Result<T, E>;

/// What a trainer goes on from, besides its networks and their samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainerState {
    /// For the value network.
    pub value: DrawState,
    /// For the policy network.
    pub policy: DrawState,
}

/// What decides which batches a network learns next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawState {
    /// Samples that wait to be learned from, as a number of draws from the replay buffer.
    pub due: f64,
    /// The generator that draws batches.
    pub rng: GameRng,
}

/// Mean losses over the steps of one iteration; nothing of a network that took no step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanLosses {
    /// Of the value network.
    pub value: Option<Losses>,
    /// Of the policy network.
    pub policy: Option<Losses>,
}

/// What the games of an iteration were like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Counts of the games.
    pub tally: GameCounts,
    /// Samples of these games, of both networks together.
    pub added: u64,
    /// Samples of all games so far, of both networks together.
    pub samples: u64,
    /// The coefficient, 0 or more, with which the luck of the throws was taken out of the targets.
    pub luck_coefficient: f64,
    /// Turns of each game, where details were asked for.
    pub turns: Vec<f32>,
    /// What the seat that threw first should have been valued at, 0 to 1, turn by turn, where details were asked for.
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
    fn save(&self, dir: &Path) -> Result<()> {
        tensor_file::create_folder(dir)?;
        self.learner.save(dir)?;
        self.replay.save(dir)
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

impl<G: Game> Trainer<G> {
    /// One that has learned nothing; the weights that it begins with, the games and the batches follow from `seed`.
    ///
    /// # Errors
    /// When the settings make a run without end ([`TrainConfig::check`]), a network cannot be built, or the device is
    /// not there.
    pub fn new(game: &Arc<G>, config: &TrainConfig, device: LearnerDevice, seed: u64) -> Result<Trainer<G>> {
        Trainer::of(game, config, seed, |network, shape| {
            let replay = Replay::new(PARTS[network], config.learning.replay_capacity, shape.actions);
            let learner = Learner::new(shape, &config.learning, device, seed)?;
            let draws = DrawState { due: 0.0, rng: chance::stream(seed, BATCHES[network]) };
            Ok(NetTrainer { learner, replay, draws })
        })
    }

    /// The one that was saved in the folder `dir`, which goes on from `state`.
    ///
    /// # Errors
    /// When what was saved is damaged or does not fit the settings.
    pub fn load(
        game: &Arc<G>,
        config: &TrainConfig,
        device: LearnerDevice,
        seed: u64,
        dir: &Path,
        state: TrainerState,
    ) -> Result<Trainer<G>> {
        let draws = [state.value, state.policy];
        Trainer::of(game, config, seed, |network, shape| {
            let (folder, capacity) = (dir.join(FOLDERS[network]), config.learning.replay_capacity);
            let replay =
                Replay::load(&folder, PARTS[network], capacity, &shape).map_err(saved("replay", network, dir))?;
            let (learner, draws) = (load_learner(config, network, shape, device, dir)?, draws[network].clone());
            // Other settings may have been those of the run until now.
            let (due, most) = (draws.due, MOST_REPLAYS * replay.added() as f64 + MOST_BATCH as f64);
            let wrong = || format!("`due` is {due}, but must be from 0 to {most}");
            Error::unless((0.0..=most).contains(&due), wrong).map_err(saved("state", network, dir))?;
            Ok(NetTrainer { learner, replay, draws })
        })
    }

    fn of(
        game: &Arc<G>,
        config: &TrainConfig,
        seed: u64,
        make: impl Fn(usize, MlpShape) -> Result<NetTrainer>,
    ) -> Result<Trainer<G>> {
        config.check()?;
        let NetShape { value, policy } = config.shape(game.spec());
        let networks = [make(0, value)?, make(1, policy)?];
        Ok(Trainer { config: config.clone(), seed, game: Arc::clone(game), networks })
    }

    /// Writes networks and samples into the folder `dir`, which is there and empty; the rest is [`Trainer::state`].
    ///
    /// # Errors
    /// When a file cannot be written, or something was saved there before.
    pub fn save(&self, dir: &Path) -> Result<()> {
        self.networks.iter().zip(FOLDERS).try_for_each(|(network, folder)| network.save(&dir.join(folder)))
    }

    /// What it goes on from, besides what is saved in files.
    pub fn state(&self) -> TrainerState {
        let [value, policy] = self.networks.each_ref().map(|network| network.draws.clone());
        TrainerState { value, policy }
    }

    /// The networks as they stand after the last step, for self-play.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn latest_net(&self) -> Result<PortableNet> {
        both(self.networks.each_ref().map(|network| network.learner.latest_net()))
    }

    /// The networks to evaluate and to export, of half precision.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn net(&self) -> Result<PortableNet> {
        rounded(self.networks.each_ref().map(|network| network.learner.net()))
    }

    /// Plays the games of `plan` with the latest weights, on so many threads, and meanwhile learns from as many batches
    /// as are due.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn play_and_learn(&mut self, plan: &Plan, threads: usize) -> Result<(Vec<GameRecord<G::State>>, MeanLosses)> {
        let (net, game, config) = (Arc::new(self.latest_net()?), Arc::clone(&self.game), self.config.clone());
        let (seed, players) = (self.seed, threads as u64);
        let play = |first, end| play_games(&*game, &mut NetEvaluator::new(Arc::clone(&net)), &config, seed, first..end);
        if players < 2 {
            let losses = self.learn(plan.learning_rate, 1);
            return Ok((play(plan.first, plan.end), losses));
        }
        // All threads share the games; learning takes less time than playing, so it gets no thread of its own to idle.
        let bound = |player: u64| plan.first + (plan.end - plan.first) * player / players;
        thread::scope(|scope| {
            let play = &play;
            let workers: Vec<_> =
                (0..players).map(|player| scope.spawn(move || play(bound(player), bound(player + 1)))).collect();
            let losses = self.learn(plan.learning_rate, threads);
            Ok((workers.into_iter().flat_map(joined).collect(), losses))
        })
    }

    /// Learns from as many batches as are due, with this learning rate; with two `threads` or more both networks at
    /// once, and always with the same result.
    pub fn learn(&mut self, rate: f64, threads: usize) -> MeanLosses {
        let (batch, networks) = (self.config.learning.batch, self.networks.each_mut());
        let [value, policy] = match threads {
            0 | 1 => networks.map(|network| network.learn(batch, rate)),
            _ => thread::scope(|scope| {
                networks.map(|network| scope.spawn(move || network.learn(batch, rate))).map(joined)
            }),
        };
        MeanLosses { value, policy }
    }

    /// Adds the samples of the games of an iteration, with TD(λ) targets of this λ, to those that are learned from,
    /// each as often as the settings say. With `wants_details` the report has the lengths and targets of the games.
    pub fn take_in(&mut self, records: &[GameRecord<G::State>], lambda: f64, wants_details: bool) -> Report {
        let (game, networks) = (&*self.game, &mut self.networks);
        let before = networks.each_ref().map(|network| network.replay.added());
        let (seats, lambda) = (game.spec().seats, lambda as f32);
        let (coefficients, luck_coefficient) = fit_luck(records, lambda, seats);
        let rules = coefficients.into_iter().map(|luck_coefficient| TargetRule { lambda, luck_coefficient });
        let ruled = || records.iter().zip(rules.clone());
        for (record, rule) in ruled() {
            record.visit(game, rule, |position| {
                networks.iter_mut().for_each(|network| network.replay.add_position(game, &position));
            });
        }
        let mut report = Report { luck_coefficient: luck_coefficient.into(), ..Report::default() };
        for (network, before) in networks.iter_mut().zip(before) {
            let added = network.replay.added() - before;
            network.draws.due += added as f64 * self.config.learning.replays;
            report.added += added;
            report.samples += network.replay.added();
        }
        for (record, rule) in ruled() {
            report.tally.add(record, seats);
            if wants_details {
                report.turns.push(record.main.turns.len() as f32);
                let targets = record.main.targets(rule, seats);
                report.targets.extend(targets.iter().map(|turn| turn.before_throw[record.first]));
            }
        }
        report
    }
}

/// The networks to export of the trainer that was saved in the folder `dir`, of half precision, whatever device they
/// were learned on.
///
/// # Errors
/// When what was saved is damaged or does not fit the settings, or learning has diverged.
pub fn load_net(spec: &Spec, config: &TrainConfig, dir: &Path) -> Result<PortableNet> {
    let NetShape { value, policy } = config.shape(spec);
    let learner = |network, shape| load_learner(config, network, shape, LearnerDevice::Cpu, dir);
    rounded([learner(0, value)?.net(), learner(1, policy)?.net()])
}

fn load_learner(
    config: &TrainConfig,
    network: usize,
    shape: MlpShape,
    device: LearnerDevice,
    dir: &Path,
) -> Result<Learner> {
    Learner::load(&dir.join(FOLDERS[network]), shape, &config.learning, device).map_err(saved("learner", network, dir))
}

/// Says which part of a saved trainer an error is about.
fn saved(part: &str, network: usize, folder: &Path) -> impl FnOnce(Error) -> Error {
    let network = FOLDERS[network];
    Error::because(format!("the {part} of the {network} network of checkpoint {}", folder.display()))
}

/// Says that some weights are no numbers any more, or too large.
fn diverged(cause: Error) -> Error {
    Error::caused("learning has diverged; a smaller learning_rate may help", cause)
}

fn both([value, policy]: [Result<Mlp>; 2]) -> Result<PortableNet> {
    value.and_then(|value| PortableNet::new(value, policy?)).map_err(diverged)
}

fn rounded(networks: [Result<Mlp>; 2]) -> Result<PortableNet> {
    both(networks)?.rounded().map_err(diverged)
}

/// What a thread found; its panic goes on here.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
