//! The training loop on one screen: play, learn, look, save; then judge and export.
//!
//! In each iteration one set of weights plays games while the learner works on the samples of the iteration before, so
//! two cores are busy and nothing waits. Games are seeded by their number and batches drawn by one generator, so what
//! comes out depends on the settings alone: neither on the number of threads nor on interruptions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ashta_agents::exploit::BestReply;
use ashta_agents::net::{LearnerConfig, LearnerDevice, Losses};
use ashta_agents::net_evaluator::NetEvaluator;
use ashta_agents::portable::PortableNet;
use ashta_agents::roster::Player;
use ashta_agents::selfplay::{GameRecord, SelfPlayConfig, Tally, play_games};
use ashta_env::chance;
use ashta_env::race::Race;
use ashta_env::race::state::State;

use crate::checkpoint::{self, LoopState};
use crate::commands::export;
use crate::commands::judge::{self, Judged};
use crate::config::{Config, LearningConfig};
use crate::games;
use crate::metrics::{Metrics, Step};
use crate::progress::{Progress, Status};
use crate::rundir::RunDir;
use crate::trainee::{Due, Learned, Trainees};

/// A training run under way.
pub struct Run {
    config: Config,
    race: Arc<Race>,
    /// Where the game is solved: it tells more than any other opponent.
    perfect: Option<Player>,
    /// Where the settings ask for it.
    best_reply: Option<BestReply>,
    rundir: RunDir,
    metrics: Metrics,
    trainees: Trainees,
    state: LoopState,
}

/// How a run came to its end.
pub enum Ending {
    /// All games were played, or the time limit was reached; everything is saved. [`Run::judge`] goes on.
    Trained(Box<Run>),
    /// It was interrupted; everything is saved.
    Interrupted,
}

impl Run {
    /// A run from the start.
    ///
    /// # Errors
    /// When the network cannot be built or the run directory not be written.
    pub fn begin(config: Config, race: Race, rundir: RunDir) -> Result<Run> {
        let trainees = Trainees::new(&config, &race)?;
        let state = LoopState {
            iteration: 0,
            games: 0,
            due: Due::default(),
            rng: chance::stream(config.run.seed, BATCHES),
            seconds: 0.0,
            best_score: None,
        };
        let metrics = Metrics::open(rundir.path(), None)?;
        let (perfect, best_reply) = (games::perfect(&race)?, judge::best_reply(&race, &config)?);
        Ok(Run { race: Arc::new(race), perfect, best_reply, metrics, trainees, state, config, rundir })
    }

    /// A run taken up again at the checkpoint of `iteration`.
    ///
    /// # Errors
    /// When the checkpoint is damaged or does not fit the settings.
    pub fn resume(config: Config, race: Race, rundir: RunDir, iteration: u64) -> Result<Run> {
        let dir = rundir.checkpoint(iteration);
        let trainees = Trainees::load(&config, &race, &dir)?;
        let state = checkpoint::load_state(&dir)?;
        let metrics = Metrics::open(rundir.path(), Some(iteration))?;
        let (perfect, best_reply) = (games::perfect(&race)?, judge::best_reply(&race, &config)?);
        Ok(Run { race: Arc::new(race), perfect, best_reply, metrics, trainees, state, config, rundir })
    }

    /// Replaces the settings in the folder of the run by `text`.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn store_config(&self, text: &str) -> Result<()> {
        self.rundir.store_config(text)
    }

    /// Trains to the end, or until `stops`, asked with the number of iterations finished, says so.
    ///
    /// # Errors
    /// When learning diverges or something cannot be written.
    pub fn train(mut self, stops: &dyn Fn(u64) -> bool) -> Result<Ending> {
        let limit = self.config.run.time_limit_minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
        let mut progress = Progress::new(self.config.selfplay.games, self.state.games);
        let mut status = Status::default();
        let mut saved = self.state.iteration;
        let is_time_up = |state: &LoopState| limit.is_some_and(|limit| state.seconds >= limit.as_secs_f64());
        while self.state.games < self.config.selfplay.games && !is_time_up(&self.state) {
            if stops(self.state.iteration) {
                self.save(&mut saved)?;
                progress.finish();
                return Ok(Ending::Interrupted);
            }
            let clock = Instant::now();
            let net = Arc::new(self.trainees.latest_net()?);
            let (records, learned) = self.play_and_learn(&net);
            let added = self.take_in(&records);
            let seconds = clock.elapsed().as_secs_f64();
            self.state.seconds += seconds;
            self.state.iteration += 1;
            if self.state.games >= self.config.selfplay.games || is_time_up(&self.state) {
                self.learn(learning_rate(&self.config, 1.0));
            }
            self.measure(&records, &learned, added, seconds, &mut status);
            if self.state.iteration.is_multiple_of(self.config.evaluation.every_iterations) {
                self.look(&mut status, &mut saved)?;
            }
            status.time_left = limit.map(|limit| limit.as_secs_f64() - self.state.seconds);
            progress.update(&status);
            self.metrics.write(self.step())?;
            if self.state.iteration.is_multiple_of(self.config.run.checkpoint_iterations) {
                self.save(&mut saved)?;
            }
        }
        progress.finish();
        self.trainees.net()?;
        self.save(&mut saved)?;
        Ok(Ending::Trained(Box::new(self)))
    }

    /// Plays the games of the next iteration by `net` while the learner works on what is due.
    fn play_and_learn(&mut self, net: &Arc<PortableNet>) -> (Vec<GameRecord<State>>, Learned) {
        let first = self.state.games;
        let last = (first + self.config.selfplay.games_per_iteration).min(self.config.selfplay.games);
        let config = SelfPlayConfig { lambda: self.lambda() as f32, ..selfplay_config(&self.config) };
        let (race, seed) = (Arc::clone(&self.race), self.config.run.seed);
        let play = move |games: std::ops::Range<u64>| {
            play_games(&*race, &mut NetEvaluator::new(Arc::clone(net)), &config, seed, games)
        };
        let rate = learning_rate(&self.config, self.share_done());
        if self.config.run.threads < 2 {
            let learned = self.learn(rate);
            return (play(first..last), learned);
        }
        // All threads share the games; learning takes less time than playing, so it gets no thread of its own to idle.
        let players = self.config.run.threads as u64;
        let bound = |player: u64| first + (last - first) * player / players;
        std::thread::scope(|scope| {
            let play = &play;
            let workers: Vec<_> =
                (0..players).map(|player| scope.spawn(move || play(bound(player)..bound(player + 1)))).collect();
            let learned = self.learn(rate);
            let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<GameRecord<State>>>| match worker.join() {
                Ok(records) => records,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            (workers.into_iter().flat_map(join).collect(), learned)
        })
    }

    /// The share of the run that is done, 0 to 1: of the games, or of the time where that ends sooner.
    fn share_done(&self) -> f64 {
        let games = self.state.games as f64 / self.config.selfplay.games as f64;
        let minutes = self.config.run.time_limit_minutes;
        minutes.map_or(games, |minutes| games.max(self.state.seconds / (60.0 * minutes))).min(1.0)
    }

    /// How far results reach back now.
    fn lambda(&self) -> f64 {
        let LearningConfig { lambda, lambda_fall, .. } = self.config.learning;
        let rest = if lambda_fall > 0.0 { (1.0 - self.share_done() / lambda_fall).max(0.0) } else { 0.0 };
        lambda + (1.0 - lambda) * rest
    }

    /// Learns from as many batches as are due.
    fn learn(&mut self, rate: f64) -> Learned {
        self.trainees.learn(self.config.learning.batch, rate, &mut self.state.rng, &mut self.state.due)
    }

    /// Adds the samples of the games to those that are learned from; how many there are.
    fn take_in(&mut self, records: &[GameRecord<State>]) -> u64 {
        self.state.games += records.len() as u64;
        self.trainees.take_in(&self.race, records, self.config.learning.replays, &mut self.state.due)
    }

    fn measure(
        &mut self,
        records: &[GameRecord<State>],
        learned: &Learned,
        added: u64,
        seconds: f64,
        status: &mut Status,
    ) {
        let mut tally = Tally::default();
        records.iter().for_each(|record| tally.add(record));
        let games = tally.games as f64;
        let per_second = |count: f64| count / seconds.max(1e-9);
        let rate = learning_rate(&self.config, self.share_done());
        let mean = |losses: &[Losses], of: fn(&Losses) -> f32| {
            losses.iter().map(|x| f64::from(of(x))).sum::<f64>() / losses.len() as f64
        };
        if !learned.value.is_empty() {
            status.value_loss = mean(&learned.value, |losses| losses.value);
            self.metrics.scalar("train/value_loss", status.value_loss);
            self.metrics.scalar("train/gradient_norm", mean(&learned.value, |losses| losses.gradient_norm));
        }
        if !learned.policy.is_empty() {
            status.policy_loss = mean(&learned.policy, |losses| losses.policy);
            self.metrics.scalar("train/policy_loss", status.policy_loss);
            self.metrics.scalar("train/policy_entropy", mean(&learned.policy, |losses| losses.policy_entropy));
        }
        self.metrics.scalar("train/learning_rate", rate);
        self.metrics.scalar("train/lambda", self.lambda());
        self.metrics.scalar("selfplay/turns_per_game", tally.turns as f64 / games);
        self.metrics.scalar("selfplay/games_per_second", per_second(games));
        self.metrics.scalar("selfplay/samples_per_second", per_second(added as f64));
        self.metrics.scalar("selfplay/first_seat_score", tally.first_seat_returns / games);
        self.metrics.scalar("selfplay/truncated_share", tally.truncated as f64 / games);
        status.games = self.state.games;
        status.games_per_second = per_second(games);
        status.samples_per_second = per_second(added as f64);
        if self.state.iteration.is_multiple_of(self.config.evaluation.every_iterations) {
            let turns: Vec<f32> = records.iter().map(|record| record.main.turns.len() as f32).collect();
            let first = |record: &GameRecord<State>| {
                record.main.turns.iter().map(|turn| turn.before_throw[record.first]).collect()
            };
            let targets: Vec<f32> = records.iter().flat_map(|record| -> Vec<f32> { first(record) }).collect();
            self.metrics.histogram("selfplay/turns", &turns);
            self.metrics.histogram("selfplay/value_targets", &targets);
        }
    }

    /// A short evaluation, and the weights as histograms; keeps the best checkpoint.
    fn look(&mut self, status: &mut Status, saved: &mut u64) -> Result<()> {
        let net = Arc::new(self.trainees.net()?);
        for (layer, weights) in judge::layers(&net) {
            self.metrics.histogram(&format!("weights/{layer}"), &weights);
        }
        let judged = self.judge_net(&net, &self.config.evaluation.during, self.config.evaluation.pairs)?;
        status.scores.clear();
        for Judged { opponent, report, regret } in &judged {
            self.metrics.scalar(&format!("eval/vs_{opponent}/score"), report.score);
            if let Some(regret) = regret {
                self.metrics.scalar("eval/regret_per_decision", regret.regret_per_decision.mean);
                self.metrics.scalar("eval/optimal_choices", regret.optimal_choices.mean);
                self.metrics.scalar("eval/luck_adjusted_score", regret.luck_adjusted_score.mean);
            }
            status.scores.push((opponent.clone(), report.score));
        }
        if let Some(exploitability) = self.exploitability(&net)? {
            self.metrics.scalar("eval/exploitability", exploitability);
        }
        // The opponents that were asked for, whether or not perfect play is at hand.
        let asked = judged.len().min(self.config.evaluation.during.len());
        let mean = judged[..asked].iter().map(|judged| judged.report.score).sum::<f64>() / asked as f64;
        if asked > 0 && self.state.best_score.is_none_or(|best| mean > best) {
            self.state.best_score = Some(mean);
            self.save(saved)?;
            self.rundir.mark_best(self.state.iteration)?;
        }
        Ok(())
    }

    fn step(&self) -> Step {
        let LoopState { iteration, games, seconds, .. } = self.state;
        Step { iteration, games, samples: self.trainees.samples(), seconds }
    }

    fn save(&self, saved: &mut u64) -> Result<()> {
        if *saved < self.state.iteration {
            let write = |dir: &std::path::Path| checkpoint::save(dir, &self.trainees, &self.state);
            self.rundir.save_checkpoint(self.state.iteration, write)?;
            self.rundir.prune(self.config.run.keep_checkpoints)?;
            *saved = self.state.iteration;
        }
        Ok(())
    }

    fn judge_net(&self, net: &Arc<PortableNet>, opponents: &[String], pairs: u64) -> Result<Vec<Judged>> {
        judge::net(&self.race, net, opponents, self.perfect.as_ref(), &self.config, pairs)
    }

    fn exploitability(&mut self, net: &Arc<PortableNet>) -> Result<Option<f64>> {
        let threads = self.config.run.threads;
        self.best_reply.as_mut().map(|reply| judge::exploitability(reply, net, threads)).transpose()
    }

    /// Judges the network as it is now and exports the bot. Returns the results, how far the bot can be exploited if
    /// the settings ask for it, and where it is.
    ///
    /// # Errors
    /// When learning has diverged or the bot cannot be written.
    pub fn judge(&mut self) -> Result<(Vec<Judged>, Option<f64>, std::path::PathBuf)> {
        let net = Arc::new(self.trainees.net()?);
        let evaluation = &self.config.evaluation;
        let judged = self.judge_net(&net, &evaluation.opponents, evaluation.final_pairs)?;
        let bot = export::bot(&self.race, &net, &self.config, &self.state, &judged)?;
        let path = self.rundir.bots().join(format!("{}.bot", self.config.run.name));
        bot.write(&path)?;
        export::write_card(&path, &bot.manifest, &self.config.run.name)?;
        Ok((judged, self.exploitability(&net)?, path))
    }
}

/// The stream of the generator that draws batches; games use the streams of their numbers.
const BATCHES: u64 = u64::MAX;

/// The learning rate when this share of the run is done.
fn learning_rate(config: &Config, share: f64) -> f64 {
    let learning = &config.learning;
    let fall = ((share - learning.decay_start) / (1.0 - learning.decay_start).max(1e-9)).clamp(0.0, 1.0);
    learning.learning_rate * (1.0 - fall * (1.0 - learning.final_learning_rate_share))
}

/// Where the learner computes.
///
/// # Errors
/// When there is no such device or this program was built without it.
pub fn device(config: &Config) -> Result<LearnerDevice> {
    let device = match config.run.device.as_str() {
        "cpu" => LearnerDevice::Cpu,
        "cuda" => LearnerDevice::Cuda,
        "wgpu" => LearnerDevice::Wgpu,
        other => bail!("`run.device` is {other:?}, but must be cpu, cuda or wgpu"),
    };
    device.check().context("run.device")?;
    Ok(device)
}

/// What the learner needs of the settings.
pub fn learner_config(config: &Config) -> LearnerConfig {
    LearnerConfig {
        learning_rate: config.learning.learning_rate,
        average_decay: config.learning.ema,
        policy_weight: config.learning.policy_weight as f32,
        gradient_limit: config.learning.gradient_clip.map(|limit| limit as f32),
        weight_decay: config.learning.weight_decay,
        ..LearnerConfig::default()
    }
}

/// How self-play is to go by the settings.
pub fn selfplay_config(config: &Config) -> SelfPlayConfig {
    SelfPlayConfig {
        lambda: config.learning.lambda as f32,
        luck_correction: config.learning.luck_correction,
        series_probability: config.selfplay.series_probability as f32,
        alternatives: config.selfplay.alternatives,
        sideline_turns: config.selfplay.sideline_turns,
        exploration: config.selfplay.exploration,
        random_start_share: config.selfplay.random_start_share,
        random_start_turns: config.selfplay.random_start_turns,
        turn_limit: config.selfplay.turn_limit,
        policy_temperature: config.learning.policy_temperature as f32,
    }
}

#[cfg(test)]
mod tests;
