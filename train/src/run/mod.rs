//! The training loop plays, learns, evaluates and saves. At its end, a run has a long evaluation
//! and exports a bot.
//!
//! In each iteration, threads of this process or other machines ([`Play`]) play games with fixed
//! weights; at the same time, the learner uses the samples of earlier iterations. The seed of the
//! run and the number of a game determine its random numbers, and one random generator draws all
//! batches. So the result depends only on the settings, and not on threads, machines or
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

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use anyhow::{Context, Result};
use ashta_agents::{
    learn::{
        config::{NetworkConfig, Plan},
        trainer::{MeanLosses, Report, Trainer},
    },
    network::bot::Bot,
    play::stop::Stop,
    roster::folders::Folders,
};
use ashta_env::{game::Game, race::Race};

use crate::run::{
    config::Config,
    evaluation::{RunEvaluation, RunEvaluator},
    output::remark,
    rundir::{RunDir, RunInfo},
    runlog::RunLog,
};

/// Plays the games `first` to `end - 1` on other machines: takes weights ([`wire::weights`]),
/// `first` and `end`, and returns messages with the games in order ([`wire::encode_games`]).
pub type Play = Box<dyn Fn(Vec<f32>, u64, u64) -> Result<Vec<Vec<u8>>> + Send + Sync>;

/// Starts other machines for a run with these settings, as [`Config::to_toml`] writes them.
pub type Actors<'a> = &'a (dyn Fn(String) -> Result<Play> + Sync);

/// A training run.
#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Run {
    race: Arc<Race>,
    evaluator: RunEvaluator,
    trainer: Trainer<Race>,
    /// Plays the games on other machines; without it, threads play.
    play: Option<Play>,
    log: RunLog,
}

impl Run {
    /// Starts a run in a new folder, with the settings of `file` and the changes `set` (see
    /// [`Config::load`]). `folders` contain the bots and tables. `actors` play the games; without
    /// them, threads play.
    ///
    /// # Errors
    /// When the settings are not valid, actors do not start or a file cannot be written. Writes
    /// nothing before it has found all games, agents and files of the settings and started the
    /// actors.
    pub fn start(
        file: Option<&Path>,
        set: &[String],
        folders: &Folders,
        actors: Option<Actors<'_>>,
    ) -> Result<Run> {
        let config = Config::load(file, set)?;
        let (race, evaluator) = prepare(&config, folders)?;
        let play = start_actors(actors, &config)?;
        let info = RunInfo::of(&race, config.run.seed);
        let rundir = RunDir::begin(
            &config.run.directory,
            &config.run.name,
            &config.to_toml(),
            &info,
        )?;
        Run::open(config, evaluator, play, rundir, None)
    }

    /// Resumes an interrupted run from its newest checkpoint, with the changes `set` of the
    /// settings. With `falls_back`, renames damaged checkpoints and resumes from the newest intact
    /// checkpoint. `actors` play the games; without them, threads play.
    ///
    /// # Errors
    /// When the folder is not a run, a file in it is damaged, a change is not allowed, or actors do
    /// not start.
    pub fn resume(
        path: &Path,
        set: &[String],
        folders: &Folders,
        falls_back: bool,
        actors: Option<Actors<'_>>,
    ) -> Result<Run> {
        let config = Config::of_run(path, set)?;
        let (race, evaluator) = prepare(&config, folders)?;
        let play = start_actors(actors, &config)?;
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
        Run::open(config, evaluator, play, rundir, newest)
    }

    /// Opens a run at its checkpoint `newest`. If `newest` is `None`, opens the run at its
    /// beginning.
    fn open(
        config: Config,
        evaluator: RunEvaluator,
        play: Option<Play>,
        rundir: RunDir,
        newest: Option<u64>,
    ) -> Result<Run> {
        let dir = newest.map(|iteration| rundir.checkpoint(iteration));
        let state = dir.as_deref().map(checkpoint::load_state).transpose()?;
        let log = RunLog::open(config, rundir, state.as_ref())?;
        let race = Arc::clone(&evaluator.race);
        let Config { run, training, .. } = log.config();
        let trainer = match dir.zip(state) {
            None => Trainer::new(&race, training, run.device, run.seed)?,
            Some((dir, state)) => {
                Trainer::load(&race, training, run.device, run.seed, &dir, state.trainer)?
            }
        };
        Ok(Run {
            race,
            evaluator,
            trainer,
            play,
            log,
        })
    }

    /// The log of the run, with its settings and its folder.
    pub fn log(&self) -> &RunLog {
        &self.log
    }

    /// Hides the progress of the run.
    pub fn hide_progress(&mut self) {
        self.log.end_progress();
    }

    /// Trains until the run is over, or `watch` returns `Break`. Calls `watch` before the first
    /// iteration and after each iteration. Then saves a checkpoint. Returns whether the run is
    /// over: all games were played, or the time limit was reached.
    ///
    /// # Errors
    /// When learning diverges, a file cannot be written, or games cannot be played on other
    /// machines.
    pub fn train(&mut self, watch: &dyn Fn(&RunLog) -> ControlFlow<()>) -> Result<bool> {
        // The trainer has accepted the settings.
        self.log.accept()?;
        let mut is_stopped = watch(&self.log).is_break();
        while let Some(plan) = self.log.plan().filter(|_| !is_stopped) {
            let clock = Instant::now();
            let (report, losses) = self.iterate(&plan)?;
            self.log
                .finish(&plan, &report, &losses, clock.elapsed().as_secs_f64());
            let Config { run, training, .. } = self.log.config();
            if self.log.is_over() {
                let rate = training.learning.learning_rate_at(1.0);
                self.trainer.learn(rate, run.threads);
            }
            let is_due = plan.iteration.is_multiple_of(run.checkpoint_iterations);
            let is_best = self.log.evaluates_after(plan.iteration) && self.evaluate()?;
            self.log.write()?;
            if is_best || is_due {
                self.save()?;
            }
            is_stopped = watch(&self.log).is_break();
        }
        self.log.end_progress();
        if self.log.is_over() {
            self.trainer.net()?;
        }
        self.save()?;
        Ok(self.log.is_over())
    }

    /// Plays the games of `plan`, learns from the games of the last iteration at the same time, and
    /// adds the new games to the replay buffers.
    fn iterate(&mut self, plan: &Plan) -> Result<(Report, MeanLosses)> {
        let (race, threads) = (&self.race, self.log.config().run.threads);
        let (records, losses) = match &self.play {
            None => self.trainer.play_and_learn(plan, threads)?,
            Some(play) => {
                let (first, end) = (plan.first, plan.end);
                let (messages, losses) =
                    self.trainer
                        .learn_during(plan.learning_rate, threads, |net| {
                            play(wire::weights(&net), first, end)
                        })?;
                (wire::decode_all(race, &messages?, first..end)?, losses)
            }
        };
        let wants_details = self.log.evaluates_after(plan.iteration);
        let report = self.trainer.add_games(&records, plan.lambda, wants_details);
        Ok((report, losses))
    }

    /// Evaluates the networks, and adds their weights as histograms to the metrics. Returns whether
    /// these networks are the best so far.
    fn evaluate(&mut self) -> Result<bool> {
        let net = Arc::new(self.trainer.net()?);
        self.log.weights(&net);
        let found = self.evaluator.evaluate(&net)?;
        Ok(self.log.evaluated(&found))
    }

    fn save(&mut self) -> Result<()> {
        self.log.save(|dir| {
            self.trainer.save(dir)?;
            Ok(self.trainer.state())
        })
    }

    /// Runs the long evaluation of a run that is over, and exports the bot. Returns the evaluation
    /// and the path of the bot. If `stop` is set, ends immediately and returns `None`; after a
    /// resumption, this can be called again.
    ///
    /// # Errors
    /// When learning has diverged or the bot cannot be written.
    pub fn conclude(&mut self, stop: &Stop) -> Result<Option<(RunEvaluation, PathBuf)>> {
        let net = Arc::new(self.trainer.net()?);
        let Some(evaluation) = self.evaluator.conclude(&net, stop)? else {
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

fn start_actors(actors: Option<Actors<'_>>, config: &Config) -> Result<Option<Play>> {
    actors.map(|start| start(config.to_toml())).transpose()
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
