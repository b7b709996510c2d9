//! The training loop plays, learns, evaluates and saves. At its end, a run has a long evaluation
//! and exports a bot.
//!
//! [`Workers`] do the work. On one machine, they are [`LocalWorkers`] in threads of this process;
//! on a cluster, they are the workers of `ashta.ray`. In each iteration, games are played with
//! fixed weights; at the same time, the learner uses the samples of earlier iterations
//! (`Trainer::play_and_learn`). The seed of the run and the number of a game determine its random
//! numbers, and one random generator draws all batches. So the result depends only on the settings,
//! and not on workers or interruptions.

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
pub mod workers;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use ashta_agents::learn::config::NetworkConfig;
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
use crate::run::workers::{Iteration, LocalWorkers, Workers};

/// A training run.
#[derive(Debug)]
pub struct Run<W = LocalWorkers> {
    race: Arc<Race>,
    workers: W,
    log: RunLog,
}

impl<W: Workers> Run<W> {
    /// Starts a run in a new folder, with the settings of `file` and the changes `set` (see
    /// [`Config::load`]). `folders` contain the bots and tables.
    ///
    /// # Errors
    /// When the settings are not valid or a file cannot be written. Writes nothing before it has
    /// found all games, agents and files of the settings.
    pub fn start(file: Option<&Path>, set: &[String], folders: &Folders) -> Result<Run<W>> {
        let config = Config::load(file, set)?;
        let (race, evaluator) = prepare(&config, folders)?;
        let info = RunInfo::of(&race, config.run.seed);
        let rundir = RunDir::begin(
            &config.run.directory,
            &config.run.name,
            &config.to_toml(),
            &info,
        )?;
        Run::open(config, evaluator, rundir, None)
    }

    /// Resumes an interrupted run from its newest checkpoint, with the changes `set` of the
    /// settings. With `falls_back`, renames damaged checkpoints and resumes from the newest intact
    /// checkpoint.
    ///
    /// # Errors
    /// When the folder is not a run, a file in it is damaged, or a change is not allowed.
    pub fn resume(
        path: &Path,
        set: &[String],
        folders: &Folders,
        falls_back: bool,
    ) -> Result<Run<W>> {
        let config = Config::of_run(path, set)?;
        let (race, evaluator) = prepare(&config, folders)?;
        let info = RunInfo::of(&race, config.run.seed);
        let (rundir, newest) = RunDir::resume(path, &info, falls_back)?;
        let RunInfo {
            version, numerics, ..
        } = rundir.info();
        if *version != info.version {
            remark(format_args!(
                "this run began with version {version}; it continues, but its files will differ from a run with one \
                 version"
            ));
        }
        if !numerics.is_empty() && *numerics != info.numerics {
            let now = &info.numerics;
            remark(format_args!(
                "this machine ({now}) rounds differently from the machine of the run ({numerics}): the run's \
                 files will differ from a run on one machine"
            ));
        }
        Run::open(config, evaluator, rundir, newest)
    }

    /// Opens a run at its checkpoint `newest`. If `newest` is `None`, opens the run at its
    /// beginning.
    fn open(
        config: Config,
        evaluator: RunEvaluator,
        rundir: RunDir,
        newest: Option<u64>,
    ) -> Result<Run<W>> {
        let dir = newest.map(|iteration| rundir.checkpoint(iteration));
        let state = dir.as_deref().map(checkpoint::load_state).transpose()?;
        let log = RunLog::open(config, rundir, state.as_ref(), W::ARE_ON_CLUSTER)?;
        let race = Arc::clone(&evaluator.race);
        let checkpoint = dir.zip(state.map(|state| state.trainer));
        Ok(Run {
            race,
            workers: W::new(log.config(), evaluator, checkpoint)?,
            log,
        })
    }

    /// The log of the run, with its settings and its folder.
    pub fn log(&self) -> &RunLog {
        &self.log
    }

    /// The workers of the run.
    pub fn workers(&mut self) -> &mut W {
        &mut self.workers
    }

    /// Hides the progress of the run.
    pub fn hide_progress(&mut self) {
        self.log.end_progress();
    }

    /// Lets other processes resume the run. This process must not write to the run any more.
    pub fn close(&mut self) {
        self.log.end_progress();
        self.log.unlock();
    }

    /// Trains until the run is over, or `watch` returns `Break`, or the workers must stop. Calls
    /// `watch` before the first iteration and after each iteration. Then saves a checkpoint.
    /// Returns whether the run is over: all games were played, or the time limit was reached.
    ///
    /// # Errors
    /// When learning diverges or a file cannot be written.
    pub fn train(&mut self, watch: &dyn Fn(&RunLog) -> ControlFlow<()>) -> Result<bool> {
        self.workers.begin(self.log.iteration())?;
        // The workers have accepted the settings.
        self.log.accept()?;
        let mut is_stopped =
            watch(&self.log).is_break() || !self.log.is_over() && self.workers.is_stopped()?;
        if self.log.lacks_evaluation() && !self.log.is_over() && !is_stopped {
            let iteration = self.log.iteration();
            if let Some(found) = self.evaluate()? {
                self.log.evaluated_late(iteration, &found)?;
            }
        }
        while let Some(plan) = self.log.plan(None).filter(|_| !is_stopped) {
            let Iteration {
                plan,
                report,
                losses,
                seconds,
                numbers,
            } = self.workers.iterate(&self.log, plan)?;
            self.log.finish(&plan, &report, &losses, seconds);
            numbers
                .iter()
                .for_each(|(tag, &number)| self.log.scalar(tag, number));
            if self.log.is_over() {
                self.workers
                    .learn(self.log.config().training.learning.learning_rate_at(1.0))?;
            }
            let evaluates = self.log.evaluates_after(plan.iteration);
            self.take_late_evaluation(evaluates)?;
            let saves = evaluates
                && self
                    .evaluate()?
                    .is_none_or(|found| self.log.evaluated(plan.iteration, &found));
            is_stopped = !self.log.is_over() && self.workers.is_stopped()?;
            // A line of metrics has room for one evaluation only.
            let is_due =
                self.log.is_over() || is_stopped || self.log.evaluates_after(plan.iteration + 1);
            self.take_late_evaluation(is_due)?;
            self.log.write()?;
            if saves
                || plan
                    .iteration
                    .is_multiple_of(self.log.config().run.checkpoint_iterations)
            {
                self.save()?;
            }
            is_stopped |= watch(&self.log).is_break();
        }
        self.log.end_progress();
        if self.log.is_over() {
            self.workers.net()?;
        }
        self.save()?;
        Ok(self.log.is_over())
    }

    /// Evaluates the networks, and adds the weights as histograms to the metrics. Returns `None` if
    /// the result comes later; the caller then saves a checkpoint, because these networks are
    /// perhaps the best.
    fn evaluate(&mut self) -> Result<Option<RunEvaluation>> {
        let net = self.workers.net()?;
        self.log.weights(&net);
        self.workers.evaluate(self.log.iteration(), &net)
    }

    fn take_late_evaluation(&mut self, waits: bool) -> Result<()> {
        let late = self.workers.late_evaluation(waits)?;
        late.map_or(Ok(()), |(iteration, found)| {
            self.log.evaluated_late(iteration, &found)
        })
    }

    fn save(&mut self) -> Result<()> {
        self.log.save(|dir| self.workers.save(dir))
    }

    /// Runs the long evaluation of a run that is over, and exports the bot. Returns the evaluation
    /// and the path of the bot. If `stop` is set, ends immediately and returns `None`; after a
    /// resumption, this can be called again.
    ///
    /// # Errors
    /// When learning has diverged or the bot cannot be written.
    pub fn conclude(&mut self, stop: &Stop) -> Result<Option<(RunEvaluation, PathBuf)>> {
        let net = self.workers.net()?;
        let Some(evaluation) = self.workers.conclude(&net, stop)? else {
            return Ok(None);
        };
        let (config, rundir) = (self.log.config(), self.log.rundir());
        let state = checkpoint::load_state(&rundir.checkpoint(self.log.iteration()))?;
        let bot = export::bot(&self.race, &net, config, &state, &evaluation.results);
        let path = rundir
            .path()
            .join(files::BOTS_FOLDER)
            .join(format!("{}.bot", config.run.name));
        bot.write(&path)?;
        files::write_whole(
            &path.with_file_name("README.md"),
            bot.manifest.card(&config.run.name),
        )?;
        Ok(Some((evaluation, path)))
    }
}

/// Finds all games, agents and files of the settings. Returns the game and the evaluator of the
/// run.
///
/// # Errors
/// When something is missing or does not match the game.
pub fn prepare(config: &Config, folders: &Folders) -> Result<(Arc<Race>, RunEvaluator)> {
    let race = Arc::new(games::configured(&config.ruleset)?);
    let evaluator = RunEvaluator::new(
        &race,
        config,
        &|spec| Ok(folders.agent(spec)?),
        folders.perfect(&race),
    )?;
    config.run.device.check().context("run.device")?;
    threads::check(config.run.threads).context("`run.threads`")?;
    Bot::check_size(&config.training.shape(race.spec())).with_context(|| {
        let NetworkConfig { hidden, policy_hidden } = &config.training.network;
        format!("`network.hidden` {hidden:?} and `network.policy_hidden` {policy_hidden:?} make the bot too large")
    })?;
    Ok((race, evaluator))
}

#[cfg(test)]
mod tests;
