//! The training loop on one screen: play, learn, evaluate, save; then evaluate at length and export.
//!
//! In each iteration one set of weights plays games while the learner works on the samples of the iteration before, so
//! two cores are busy and nothing waits ([`Trainer::play_and_learn`]). Games are seeded by their number and batches
//! drawn by one generator, so what comes out depends on the settings alone: neither on the number of threads nor on
//! interruptions.

pub mod checkpoint;
pub mod config;
pub mod embedded;
pub mod evaluation;
pub mod export;
pub mod files;
pub mod games;
pub mod history;
pub mod metrics;
pub mod output;
pub mod page;
pub mod progress;
pub mod rundir;
pub mod runlog;
pub mod sheet_file;
pub mod threads;
pub mod wire;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use ashta_agents::learn::config::NetworkConfig;
use ashta_agents::learn::trainer::Trainer;
use ashta_agents::network::bot::Bot;
use ashta_agents::play::stop::Stop;
use ashta_agents::roster::folders::Folders;
use ashta_env::game::Game;
use ashta_env::race::Race;

use crate::run::config::Config;
use crate::run::evaluation::{RunEvaluation, RunEvaluator};
use crate::run::output::remark;
use crate::run::rundir::{RunDir, RunInfo};
use crate::run::runlog::RunLog;

/// A training run under way.
#[derive(Debug)]
pub struct Run {
    evaluator: RunEvaluator,
    trainer: Trainer<Race>,
    log: RunLog,
}

/// How a run came to its end.
#[derive(Debug)]
pub enum RunEnding {
    /// All games were played, or the time limit was reached; everything is saved. [`Run::conclude`] goes on.
    Trained(Box<Run>),
    /// It was interrupted; everything is saved.
    Interrupted,
}

impl Run {
    /// A run from the start, by the settings of a configuration (as [`Config::load`] finds it) and these changes, in a
    /// new folder; and where that is. Bots and tables are looked for in `folders`.
    ///
    /// # Errors
    /// What is wrong with the settings, or what could not be written. Before everything that the settings name is found
    /// nothing is written.
    pub fn start(file: Option<&Path>, set: &[String], folders: &Folders) -> Result<(Run, PathBuf)> {
        let config = Config::load(file, set)?;
        let (race, evaluator) = prepare(&config, folders)?;
        let info = RunInfo::of(&race, config.run.seed);
        let rundir = RunDir::begin(&config.run.directory, &config.run.name, &config.to_toml(), &info)?;
        let path = rundir.path().to_owned();
        Ok((Run::open(config, evaluator, rundir, None)?, path))
    }

    /// A run that was interrupted, from its newest checkpoint, with these changes of its settings. With `falls_back`
    /// damaged checkpoints are set aside, and it goes on from the newest one that is whole.
    ///
    /// # Errors
    /// When the folder is none of a run, something in it is damaged, or a change does not fit.
    pub fn go_on(path: &Path, set: &[String], folders: &Folders, falls_back: bool) -> Result<Run> {
        let config = Config::of_run(path, set)?;
        let (race, evaluator) = prepare(&config, folders)?;
        let info = RunInfo::of(&race, config.run.seed);
        let (rundir, newest) = RunDir::resume(path, &info, falls_back)?;
        let RunInfo { version, numerics, .. } = rundir.info();
        if *version != info.version {
            remark(format_args!("the run was begun by version {version}: it goes on, but not to the same bytes"));
        }
        if !numerics.is_empty() && *numerics != info.numerics {
            let now = &info.numerics;
            remark(format_args!(
                "this machine rounds otherwise ({now}) than the one of the run ({numerics}): not to the same bits"
            ));
        }
        let run = Run::open(config, evaluator, rundir, newest)?;
        run.log.accept()?;
        Ok(run)
    }

    /// A run from the start, or taken up again at the `newest` of its checkpoints.
    ///
    /// # Errors
    /// When the network cannot be built, the checkpoint is damaged or does not fit the settings, or the folder of the
    /// run cannot be written.
    fn open(config: Config, evaluator: RunEvaluator, rundir: RunDir, newest: Option<u64>) -> Result<Run> {
        let dir = newest.map(|iteration| rundir.checkpoint(iteration));
        let state = dir.as_deref().map(checkpoint::load_state).transpose()?;
        let log = RunLog::open(config, rundir, state.as_ref(), false)?;
        let (race, Config { run, training, .. }) = (&evaluator.race, log.config());
        let trainer = match dir.zip(state) {
            None => Trainer::new(race, training, run.device, run.seed)?,
            Some((dir, state)) => Trainer::load(race, training, run.device, run.seed, &dir, state.trainer)?,
        };
        Ok(Run { evaluator, trainer, log })
    }

    /// Shows nothing of the run while it goes on.
    pub fn hide_progress(&mut self) {
        self.log.end_progress();
    }

    /// Trains to the end, or until `watch`, which sees the run before the first iteration and after each, breaks.
    ///
    /// # Errors
    /// When learning diverges or something cannot be written.
    pub fn train(mut self, watch: &dyn Fn(&RunLog) -> ControlFlow<()>) -> Result<RunEnding> {
        let mut is_stopped = watch(&self.log).is_break();
        if self.log.lacks_evaluation() && !self.log.is_over() && !is_stopped {
            self.evaluate()?;
            self.log.scalar("eval/iteration", self.log.iteration() as f64);
            self.log.mark_best()?;
        }
        while let Some(plan) = self.log.plan(None) {
            if is_stopped {
                self.save()?;
                self.log.end_progress();
                return Ok(RunEnding::Interrupted);
            }
            let clock = Instant::now();
            let (records, losses) = self.trainer.play_and_learn(&plan, self.log.config().run.threads)?;
            let evaluates = self.log.evaluates_after(plan.iteration);
            let report = self.trainer.take_in(&records, plan.lambda, evaluates);
            self.log.finish(&plan, &report, &losses, clock.elapsed().as_secs_f64());
            if self.log.is_over() {
                self.trainer.learn(self.log.last_learning_rate(), self.log.config().run.threads);
            }
            let is_best = evaluates && self.evaluate()?;
            self.log.write()?;
            if is_best || self.log.saves_after(plan.iteration) {
                self.save()?;
            }
            is_stopped = watch(&self.log).is_break();
        }
        self.log.end_progress();
        self.trainer.net()?;
        self.save()?;
        Ok(RunEnding::Trained(Box::new(self)))
    }

    /// A short evaluation, and the weights as histograms; whether the networks are the best so far.
    fn evaluate(&mut self) -> Result<bool> {
        let net = Arc::new(self.trainer.net()?);
        self.log.weights(&net);
        let evaluation = self.evaluator.evaluate(&net)?;
        Ok(self.log.evaluated(self.log.iteration(), &evaluation))
    }

    fn save(&mut self) -> Result<()> {
        self.log.save(self.trainer.state(), |dir| Ok(self.trainer.save(dir)?))
    }

    /// Evaluates the network as it is now at length and exports the bot. Returns the evaluation and where the bot is;
    /// `None`, and no bot, once `stop` is set, which ends the evaluation at once. [`Run::go_on`] does it again.
    ///
    /// # Errors
    /// When learning has diverged or the bot cannot be written.
    pub fn conclude(&mut self, stop: &Stop) -> Result<Option<(RunEvaluation, PathBuf)>> {
        let net = Arc::new(self.trainer.net()?);
        let Some(evaluation) = self.evaluator.conclude(&net, stop)? else { return Ok(None) };
        let (config, state) = (self.log.config(), self.log.state(self.trainer.state()));
        let bot = export::bot(&self.evaluator.race, &net, config, &state, &evaluation.results);
        let path = self.log.rundir().bots().join(format!("{}.bot", config.run.name));
        bot.write(&path)?;
        export::write_card(&path, &bot.manifest, &config.run.name)?;
        Ok(Some((evaluation, path)))
    }
}

/// The game of the settings and its evaluator, once everything that they name was found.
///
/// # Errors
/// What is missing, or does not fit the game.
pub fn prepare(config: &Config, folders: &Folders) -> Result<(Arc<Race>, RunEvaluator)> {
    let race = Arc::new(games::configured(&config.ruleset)?);
    let evaluator = RunEvaluator::new(&race, config, &|spec| Ok(folders.agent(spec)?), folders.perfect(&race))?;
    config.run.device.check().context("run.device")?;
    threads::check(config.run.threads).context("`run.threads`")?;
    Bot::check_size(&config.training.shape(race.spec())).with_context(|| {
        let NetworkConfig { hidden, policy_hidden } = &config.training.network;
        format!("`network.hidden` {hidden:?} and `network.policy_hidden` {policy_hidden:?} make too large a bot")
    })?;
    Ok((race, evaluator))
}

#[cfg(test)]
mod tests;
