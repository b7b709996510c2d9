//! What drives a run: the folder, the plans, and what is written of what came of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use ashta_agents::learn::config as plan;
use ashta_agents::learn::net::LearnerDevice;
use ashta_agents::learn::trainer::{MeanLosses, Report, TrainerState};
use ashta_agents::network::bot::Bot;
use ashta_agents::roster::folders::Folders;
use ashta_env::game::Game as _;
use ashta_env::race::Race;
use ashta_train::checkpoint::load_state;
use ashta_train::config::Config;
use ashta_train::evaluation::RunEvaluation;
use ashta_train::rundir::{RunDir, RunInfo};
use ashta_train::runlog::{KeptGames, RunLog};
use ashta_train::{export, wire};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use super::attachments;
use super::{Files, read_files, write_files};
use crate::agent::folders_or_default;
use crate::training::failed;
use ashta_train::run::prepare;

/// What one iteration does.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Clone, Debug)]
pub struct Plan(plan::Plan);

#[pymethods]
impl Plan {
    /// Its number, from 1.
    #[getter]
    fn iteration(&self) -> u64 {
        self.0.iteration
    }

    /// The number of its first game.
    #[getter]
    fn first(&self) -> u64 {
        self.0.first
    }

    /// The number after its last game.
    #[getter]
    fn end(&self) -> u64 {
        self.0.end
    }

    /// How far results reach back in these games.
    #[getter]
    fn lambda_(&self) -> f64 {
        self.0.lambda
    }

    /// The learning rate of what is learned meanwhile.
    #[getter]
    fn learning_rate(&self) -> f64 {
        self.0.learning_rate
    }

    fn __repr__(&self) -> String {
        let plan::Plan { iteration, first, end, .. } = self.0;
        format!("Plan(iteration={iteration}, games={first}..{end})")
    }
}

/// The folder of a run under way, its settings and its counters.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct TrainingRun {
    race: Arc<Race>,
    folders: Folders,
    log: Mutex<RunLog>,
    /// Whether it goes on with other settings, so that games that were kept are none of it.
    changes: bool,
}

impl TrainingRun {
    fn log(&self) -> MutexGuard<'_, RunLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The plan, the messages and the seconds of an iteration.
type KeptTuple = (Plan, Vec<Vec<u8>>, f64);

#[pymethods]
impl TrainingRun {
    /// A run that begins, in a folder of its own. Settings as for `ashta train`.
    #[staticmethod]
    #[pyo3(signature = (config = None, set = Vec::new(), folders = None))]
    fn begin(
        py: Python<'_>,
        config: Option<PathBuf>,
        set: Vec<String>,
        folders: Option<Vec<PathBuf>>,
    ) -> PyResult<TrainingRun> {
        let folders = folders_or_default(py, folders)?;
        let begin = || -> Result<TrainingRun> {
            let config = Config::load(config.as_deref(), &set)?;
            let (race, _) = prepare(&config, &folders)?;
            let info = RunInfo::of(&race, config.run.seed);
            let rundir = RunDir::begin(&config.run.directory, &config.run.name, &config.to_toml(), &info)?;
            Ok(TrainingRun { race, folders, log: Mutex::new(RunLog::open(config, rundir, None)?), changes: false })
        };
        begin().map_err(failed)
    }

    /// A run that goes on from its newest checkpoint, and from the games that were kept since, unless settings change.
    /// With `fallback` damaged checkpoints are set aside.
    #[staticmethod]
    #[pyo3(signature = (path, set = Vec::new(), folders = None, fallback = false))]
    fn resume(
        py: Python<'_>,
        path: PathBuf,
        set: Vec<String>,
        folders: Option<Vec<PathBuf>>,
        fallback: bool,
    ) -> PyResult<TrainingRun> {
        let folders = folders_or_default(py, folders)?;
        let resume = || -> Result<TrainingRun> {
            let file = path.join("config.toml");
            if !file.is_file() {
                bail!("{} is not the folder of a run: it has no config.toml", path.display());
            }
            let config = Config::of_run(&file, &set)?;
            let (race, _) = prepare(&config, &folders)?;
            let (rundir, newest) = RunDir::resume(&path, &RunInfo::of(&race, config.run.seed), fallback)?;
            let state = newest.map(|iteration| load_state(&rundir.checkpoint(iteration))).transpose()?;
            let log = RunLog::open(config, rundir, state.as_ref())?;
            Ok(TrainingRun { race, folders, log: Mutex::new(log), changes: !set.is_empty() })
        };
        resume().map_err(failed)
    }

    /// Writes the settings into the folder of the run, once they are known to fit the checkpoint; games that were kept
    /// are forgotten where settings have changed.
    fn accept(&self) -> PyResult<()> {
        let accept = || -> Result<()> {
            let log = self.log();
            if self.changes {
                log.rundir().forget_games(None)?;
            }
            log.rundir().store_config(&log.config().to_toml())
        };
        accept().map_err(failed)
    }

    /// How the machine rounds that began the run.
    #[getter]
    fn numerics(&self) -> String {
        self.log().rundir().numerics().to_owned()
    }

    /// The folder of the run.
    #[getter]
    fn path(&self) -> PathBuf {
        self.log().rundir().path().to_owned()
    }

    /// Every setting, as TOML.
    #[getter]
    fn config(&self) -> String {
        self.log().config().to_toml()
    }

    /// The settings of `[cluster]`, and the others that say who is where: `None` is "auto".
    #[getter]
    fn cluster(&self) -> BTreeMap<&'static str, Option<u64>> {
        let log = self.log();
        let (cluster, run) = (&log.config().cluster, &log.config().run);
        BTreeMap::from([
            ("actors", cluster.actors),
            ("games_per_task", cluster.games_per_task),
            ("staleness", Some(cluster.staleness)),
            ("learner_cores", Some(cluster.learner_cores)),
            ("evaluator_cores", Some(cluster.evaluator_cores)),
            ("learner_gpus", Some(u64::from(run.device != LearnerDevice::Cpu))),
            ("games_per_iteration", Some(log.config().training.selfplay.games_per_iteration)),
        ])
    }

    /// Iterations finished.
    #[getter]
    fn iteration(&self) -> u64 {
        self.log().iteration()
    }

    /// Games finished.
    #[getter]
    fn games(&self) -> u64 {
        self.log().games()
    }

    /// Whether all games are played, or the time is up.
    #[getter]
    fn is_over(&self) -> bool {
        self.log().is_over()
    }

    /// The learning rate of what is left to learn when the run is over.
    #[getter]
    fn last_learning_rate(&self) -> f64 {
        self.log().last_learning_rate()
    }

    /// The files of the newest checkpoint, if there is one.
    fn checkpoint(&self) -> PyResult<Option<Files>> {
        let log = self.log();
        let read = |saved| read_files(&log.rundir().checkpoint(saved));
        Some(log.saved()).filter(|&saved| saved > 0).map(read).transpose().map_err(failed)
    }

    /// The iteration of the newest checkpoint, 0 before the first.
    #[getter]
    fn saved(&self) -> u64 {
        self.log().saved()
    }

    /// The files of the opponents of the settings, by how the settings name them, and the table of perfect play, for
    /// `RunEvaluator`.
    fn opponents(&self) -> PyResult<(Files, Files)> {
        let find = || -> Result<(Files, Files)> {
            let log = self.log();
            let evaluation = &log.config().evaluation;
            let mut files = Files::new();
            for spec in evaluation.during.iter().chain(&evaluation.opponents) {
                attachments::pack(spec, &self.folders.agent(spec)?, &mut files)?;
            }
            Ok((files, attachments::tables(&self.folders, &self.race)?))
        };
        find().map_err(failed)
    }

    /// The plan that follows `before`, or what is finished; `None` when the run is over.
    #[pyo3(signature = (before = None))]
    fn plan(&self, before: Option<&Plan>) -> Option<Plan> {
        self.log().plan(before.map(|plan| &plan.0)).map(Plan)
    }

    /// Keeps the messages with the games of a plan, until a checkpoint has learned from them.
    fn keep(&self, plan: &Plan, messages: Vec<Vec<u8>>, seconds: f64) -> PyResult<()> {
        let kept = KeptGames { plan: plan.0.clone(), seconds, messages };
        self.log().keep(&kept).map_err(failed)
    }

    /// The plan, the messages and the seconds that were kept of an iteration, if they were.
    fn kept(&self, iteration: u64) -> PyResult<Option<KeptTuple>> {
        let kept = self.log().kept(iteration).map_err(failed)?;
        Ok(kept.map(|KeptGames { plan, seconds, messages }| (Plan(plan), messages, seconds)))
    }

    /// Whether there is a short evaluation after an iteration.
    fn evaluates_after(&self, iteration: u64) -> bool {
        self.log().evaluates_after(iteration)
    }

    /// Whether there is a checkpoint after an iteration.
    fn saves_after(&self, iteration: u64) -> bool {
        self.log().saves_after(iteration)
    }

    /// Counts the games of a plan: with the messages of the trainer, the seconds that they took, and more numbers to be
    /// written by name.
    fn finish(
        &self,
        plan: &Plan,
        report: &[u8],
        losses: &[u8],
        seconds: f64,
        numbers: BTreeMap<String, f64>,
    ) -> PyResult<()> {
        let finish = || -> Result<()> {
            let (report, losses): (Report, MeanLosses) = (wire::decode(report)?, wire::decode(losses)?);
            let mut log = self.log();
            log.finish(&plan.0, &report, &losses, seconds);
            numbers.iter().for_each(|(tag, &number)| log.scalar(tag, number));
            Ok(())
        };
        finish().map_err(failed)
    }

    /// Adds what a short evaluation found, of the weights after `iteration`; whether no earlier one was as good.
    fn evaluated(&self, iteration: u64, evaluation: &[u8]) -> PyResult<bool> {
        let evaluation: RunEvaluation = wire::decode(evaluation).map_err(crate::refused)?;
        let mut log = self.log();
        log.scalar("eval/iteration", iteration as f64);
        Ok(log.evaluated(iteration, &evaluation))
    }

    /// Adds the weights of each layer, as histograms.
    fn weights(&self, weights: PyReadonlyArray1<'_, f32>) -> PyResult<()> {
        let mut log = self.log();
        let shape = log.config().training.shape(self.race.spec());
        let weights = weights.as_array().iter().copied().collect::<Vec<f32>>();
        log.weights(&wire::net(&shape, &weights).map_err(crate::refused)?);
        Ok(())
    }

    /// Writes the metrics of the iteration that was finished last, and shows how the run stands.
    fn write(&self) -> PyResult<()> {
        self.log().write().map_err(failed)
    }

    /// Saves a checkpoint of the iteration that was finished last, from what the trainer's `save` returned.
    fn save(&self, files: Files, state: &[u8]) -> PyResult<()> {
        let save = || -> Result<()> {
            let state: TrainerState = wire::decode(state)?;
            self.log().save(state, |dir| write_files(dir, &files))
        };
        save().map_err(failed)
    }

    /// Marks the best checkpoint, if it is saved.
    fn mark_best(&self) -> PyResult<()> {
        self.log().mark_best().map_err(failed)
    }

    /// The counters of the run as text, from what the trainer's `save` returned.
    fn state(&self, state: &[u8]) -> PyResult<String> {
        let text = || -> Result<String> {
            let state: TrainerState = wire::decode(state)?;
            Ok(serde_json::to_string(&self.log().state(state))?)
        };
        text().map_err(failed)
    }

    /// Ends what is shown of the run while it goes on, and lets others go on with it.
    fn close(&self) {
        let mut log = self.log();
        log.end_progress();
        log.unlock();
    }

    /// Writes the bot of the run with its card; where it is.
    fn write_bot(&self, bot: &[u8]) -> PyResult<PathBuf> {
        let write = || -> Result<PathBuf> {
            let (log, bot) = (self.log(), Bot::from_bytes(bot)?);
            let name = &log.config().run.name;
            let path = log.rundir().bots().join(format!("{name}.bot"));
            bot.write(&path)?;
            export::write_card(&path, &bot.manifest, name)?;
            Ok(path)
        };
        write().map_err(failed)
    }
}
