//! Training by self-play for any game: the value network and the policy network with their replay
//! buffers.
//!
//! A run has one iteration for each of [`TrainConfig::plans`]. An iteration plays the games of the
//! plan with the latest weights and at the same time learns from the earlier games
//! ([`Trainer::play_and_learn`]). Then it adds the new games to the replay buffers
//! ([`Trainer::add_games`]). After the last iteration, [`Trainer::learn`] learns from the last
//! games, with the final learning rate. The number of a game determines its random numbers, and
//! each network has one generator for its batches. So the same games in the same order give the
//! same networks to the last bit, with any number of threads.

use std::{path::Path, sync::Arc, thread};

use ashta_env::{
    chance::{self, GameRng},
    game::{Game, Spec},
};
use serde::{Deserialize, Serialize};

use super::{
    config::{MOST_BATCH, MOST_REPLAYS, Plan, TrainConfig},
    net::{Batch, Learner, LearnerDevice, Losses},
    replay::{Part, Replay},
    selfplay::{GameCounts, GameRecord, TargetRule, fit_luck, play_games},
};
use crate::{
    network::{
        evaluator::NetEvaluator,
        portable::{Mlp, MlpShape, NetShape, PortableNet},
        tensor_file,
    },
    play::error::Error,
};

/// For each network, the number of the random stream that draws its batches. The stream of a game
/// has the number of the game.
const BATCHES: [u64; 2] = [u64::MAX, u64::MAX - 1];
/// For each network, the positions that it learns from.
const PARTS: [Part; 2] = [Part::Starts, Part::Turns];
/// For each network, its folder within the folder of a saved trainer.
const FOLDERS: [&str; 2] = ["value", "policy"];

/// The value network and the policy network under training, with their replay buffers and random
/// generators.
#[derive(Debug)]
pub struct Trainer<G> {
    config: TrainConfig,
    seed: u64,
    game: Arc<G>,
    /// The value network learns from turn-start states, the policy network from all other
    /// positions.
    networks: [NetTrainer; 2],
}

type Result<T, E = Error> = std::result::Result<T, E>;

/// The state of a trainer, without its networks and replay buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainerState {
    /// The state of the value network.
    pub value: DrawState,
    /// The state of the policy network.
    pub policy: DrawState,
}

/// The state that determines the next batches of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawState {
    /// Number of samples that must still be drawn from the replay buffer.
    pub due: f64,
    /// The generator that draws batches.
    pub rng: GameRng,
}

/// Mean losses over the steps of one iteration; `None` for a network that took no step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanLosses {
    /// The losses of the value network.
    pub value: Option<Losses>,
    /// The losses of the policy network.
    pub policy: Option<Losses>,
}

/// Statistics of the games of an iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Counts of the games.
    pub tally: GameCounts,
    /// Number of samples from these games, for both networks.
    pub added: u64,
    /// Number of samples from all games so far, for both networks.
    pub samples: u64,
    /// The coefficient of the luck in the targets.
    pub luck_coefficient: f64,
    /// Number of turns of each game; empty without details.
    pub turns: Vec<f32>,
    /// The value targets, 0 to 1, of all turns for the seat that threw first; empty without
    /// details.
    pub targets: Vec<f32>,
}

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

    /// Takes a learning step for each batch of `size` samples that is due.
    fn learn(&mut self, size: usize, rate: f64) -> Option<Losses> {
        let NetTrainer {
            learner,
            replay,
            draws: DrawState { due, rng },
        } = self;
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
    /// A new trainer. `seed` determines the initial weights, the games and the batches.
    ///
    /// # Errors
    /// When the settings could make a run endless ([`TrainConfig::check`]), the shape of a network
    /// is invalid, or the device is not available.
    pub fn new(
        game: &Arc<G>,
        config: &TrainConfig,
        device: LearnerDevice,
        seed: u64,
    ) -> Result<Trainer<G>> {
        Trainer::of(game, config, seed, |network, shape| {
            let replay = Replay::new(
                PARTS[network],
                config.learning.replay_capacity,
                shape.actions,
            );
            let learner = Learner::new(shape, &config.learning, device, seed)?;
            let draws = DrawState {
                due: 0.0,
                rng: chance::stream(seed, BATCHES[network]),
            };
            Ok(NetTrainer {
                learner,
                replay,
                draws,
            })
        })
    }

    /// Loads a trainer from the folder `dir`, with the state `state`.
    ///
    /// # Errors
    /// When a file is damaged or does not fit the settings.
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
            let replay = Replay::load(&folder, PARTS[network], capacity, &shape);
            let replay = replay.map_err(saved("replay buffer", network, dir))?;
            let (learner, draws) = (
                load_learner(config, network, shape, device, dir)?,
                draws[network].clone(),
            );
            // The settings can have changed since the state was saved, so the check uses the
            // largest allowed settings.
            let (due, most) = (
                draws.due,
                MOST_REPLAYS * replay.added() as f64 + MOST_BATCH as f64,
            );
            let wrong = || format!("`due` is {due}, but must be from 0 to {most}");
            Error::unless((0.0..=most).contains(&due), wrong)
                .map_err(saved("state", network, dir))?;
            Ok(NetTrainer {
                learner,
                replay,
                draws,
            })
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
        Ok(Trainer {
            config: config.clone(),
            seed,
            game: Arc::clone(game),
            networks,
        })
    }

    /// Saves the networks and replay buffers in the folder `dir`, which must exist and be empty.
    /// The rest of the trainer is [`Trainer::state`].
    ///
    /// # Errors
    /// When a file cannot be written, or `dir` already has a trainer.
    pub fn save(&self, dir: &Path) -> Result<()> {
        self.networks
            .iter()
            .zip(FOLDERS)
            .try_for_each(|(network, folder)| network.save(&dir.join(folder)))
    }

    /// The state that [`Trainer::save`] does not write.
    pub fn state(&self) -> TrainerState {
        let [value, policy] = self
            .networks
            .each_ref()
            .map(|network| network.draws.clone());
        TrainerState { value, policy }
    }

    /// The networks with the latest weights, for self-play.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn latest_net(&self) -> Result<PortableNet> {
        both(
            self.networks
                .each_ref()
                .map(|network| network.learner.latest_net()),
        )
    }

    /// The networks to evaluate and to export, in half precision.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn net(&self) -> Result<PortableNet> {
        rounded(
            self.networks
                .each_ref()
                .map(|network| network.learner.net()),
        )
    }

    /// Plays the games of `plan` with the latest weights, on `threads` threads, and at the same
    /// time learns from all batches that are due.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn play_and_learn(
        &mut self,
        plan: &Plan,
        threads: usize,
    ) -> Result<(Vec<GameRecord<G::State>>, MeanLosses)> {
        let (game, config) = (Arc::clone(&self.game), self.config.clone());
        let (seed, players) = (self.seed, threads as u64);
        let play = |net: &Arc<PortableNet>, first, end| {
            play_games(
                &*game,
                &mut NetEvaluator::new(Arc::clone(net)),
                &config,
                seed,
                first..end,
            )
        };
        if players < 2 {
            let net = Arc::new(self.latest_net()?);
            let losses = self.learn(plan.learning_rate, 1);
            return Ok((play(&net, plan.first, plan.end), losses));
        }
        // Learning takes less time than playing, so `threads` threads play while this thread
        // learns.
        let bound = |player: u64| plan.first + (plan.end - plan.first) * player / players;
        self.learn_during(plan.learning_rate, threads, |net| {
            thread::scope(|scope| {
                let (net, play) = (&net, &play);
                let workers: Vec<_> = (0..players)
                    .map(|player| scope.spawn(move || play(net, bound(player), bound(player + 1))))
                    .collect();
                workers.into_iter().flat_map(joined).collect()
            })
        })
    }

    /// Calls `play` with the latest weights in another thread, and at the same time learns from all
    /// batches that are due. Returns the result of `play` and the losses.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn learn_during<T: Send>(
        &mut self,
        rate: f64,
        threads: usize,
        play: impl FnOnce(Arc<PortableNet>) -> T + Send,
    ) -> Result<(T, MeanLosses)> {
        let net = Arc::new(self.latest_net()?);
        thread::scope(|scope| {
            let playing = scope.spawn(move || play(net));
            let losses = self.learn(rate, threads);
            Ok((joined(playing), losses))
        })
    }

    /// Learns from all batches that are due, with the learning rate `rate`. With two or more
    /// `threads`, both networks learn at the same time; the result is the same.
    pub fn learn(&mut self, rate: f64, threads: usize) -> MeanLosses {
        let (batch, networks) = (self.config.learning.batch, self.networks.each_mut());
        let [value, policy] = match threads {
            0 | 1 => networks.map(|network| network.learn(batch, rate)),
            _ => thread::scope(|scope| {
                networks
                    .map(|network| scope.spawn(move || network.learn(batch, rate)))
                    .map(joined)
            }),
        };
        MeanLosses { value, policy }
    }

    /// Adds the samples of the games of an iteration to the replay buffers, with TD(λ) targets for
    /// this λ. Each added sample makes [`replays`](super::config::LearningConfig::replays) more
    /// draws due. With `wants_details`, the report has the lengths and targets of the games.
    pub fn add_games(
        &mut self,
        records: &[GameRecord<G::State>],
        lambda: f64,
        wants_details: bool,
    ) -> Report {
        let (game, networks) = (&*self.game, &mut self.networks);
        let before = networks.each_ref().map(|network| network.replay.added());
        let (seats, lambda) = (game.spec().seats, lambda as f32);
        let (coefficients, luck_coefficient) = fit_luck(records, lambda, seats);
        let mut report = Report {
            luck_coefficient: luck_coefficient.into(),
            ..Report::default()
        };
        for (record, luck_coefficient) in records.iter().zip(coefficients) {
            let rule = TargetRule {
                lambda,
                luck_coefficient,
            };
            record.visit(game, rule, |position| {
                networks
                    .iter_mut()
                    .for_each(|network| network.replay.add_position(game, &position));
            });
            report.tally.add(record, seats);
            if wants_details {
                report.turns.push(record.main.turns.len() as f32);
                let targets = record.main.targets(rule, seats);
                report
                    .targets
                    .extend(targets.iter().map(|turn| turn.before_throw[record.first]));
            }
        }
        for (network, before) in networks.iter_mut().zip(before) {
            let added = network.replay.added() - before;
            network.draws.due += added as f64 * self.config.learning.replays;
            report.added += added;
            report.samples += network.replay.added();
        }
        report
    }
}

/// Loads the networks to export from the folder `dir` of a saved trainer, in half precision. This
/// does not need the device of the training.
///
/// # Errors
/// When a file is damaged or does not fit the settings, or learning has diverged.
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
    Learner::load(&dir.join(FOLDERS[network]), shape, &config.learning, device)
        .map_err(saved("learner", network, dir))
}

/// Adds the name of a part of a saved trainer to an error.
fn saved(part: &str, network: usize, folder: &Path) -> impl FnOnce(Error) -> Error {
    let network = FOLDERS[network];
    Error::because(format!(
        "the {part} of the {network} network of checkpoint {}",
        folder.display()
    ))
}

/// The error about weights that are not finite, or too large for half precision.
fn diverged(cause: Error) -> Error {
    Error::caused(
        "learning has diverged; a smaller learning_rate may help",
        cause,
    )
}

fn both([value, policy]: [Result<Mlp>; 2]) -> Result<PortableNet> {
    value
        .and_then(|value| PortableNet::new(value, policy?))
        .map_err(diverged)
}

fn rounded(networks: [Result<Mlp>; 2]) -> Result<PortableNet> {
    both(networks)?.rounded().map_err(diverged)
}

/// The result of a thread. If the thread panicked, resumes its panic.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
