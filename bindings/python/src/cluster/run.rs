//! What drives a run: the folder, the plans, and what is written of what came of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ashta_agents::learn::config as plan;
use ashta_agents::network::bot::Bot;
use ashta_agents::roster::folders::Folders;
use ashta_env::race::Race;
use ashta_train::run::checkpoint::load_state;
use ashta_train::run::config::Config;
use ashta_train::run::prepare;
use ashta_train::run::rundir::{RunDir, RunInfo};
use ashta_train::run::runlog::{KeptGames, RunLog};
use ashta_train::run::{export, wire};
use pyo3::prelude::*;

use super::attachments::{self, PackedAgent};
use super::workers::{Weights, network};
use super::{Files, read_files, write_files};
use crate::Result;
use crate::agent::folders_or_default;
use crate::interrupt::lock;

/// What one iteration does.
#[pyclass(frozen, get_all, module = "ashta._ashta")]
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its number, from 1.
    iteration: u64,
    /// The number of its first game.
    first: u64,
    /// The number after its last game.
    end: u64,
    /// How far results reach back in these games.
    lambda_: f64,
    /// The learning rate of what is learned meanwhile.
    learning_rate: f64,
}

impl From<plan::Plan> for Plan {
    fn from(plan::Plan { iteration, first, end, lambda, learning_rate }: plan::Plan) -> Plan {
        Plan { iteration, first, end, lambda_: lambda, learning_rate }
    }
}

impl Plan {
    fn inner(&self) -> plan::Plan {
        let Plan { iteration, first, end, lambda_: lambda, learning_rate } = *self;
        plan::Plan { iteration, first, end, lambda, learning_rate }
    }
}

/// The folder of a run under way, its settings and its counters.
///
/// It begins in a folder of its own, with settings as for `ashta train`; or goes on in the folder `resume`, from its
/// newest checkpoint, and from the games that were kept since, unless settings change. With `fallback` damaged
/// checkpoints are set aside.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct TrainingRun {
    race: Arc<Race>,
    folders: Folders,
    log: Mutex<RunLog>,
}

/// The plan, the messages and the seconds of an iteration.
type KeptTuple = (Plan, Vec<Vec<u8>>, f64);

#[pymethods]
impl TrainingRun {
    #[new]
    #[pyo3(signature = (config = None, set = Vec::new(), folders = None, resume = None, fallback = false))]
    fn new(
        py: Python<'_>,
        config: Option<PathBuf>,
        set: Vec<String>,
        folders: Option<Vec<PathBuf>>,
        resume: Option<PathBuf>,
        fallback: bool,
    ) -> Result<TrainingRun> {
        let folders = folders_or_default(py, folders)?;
        let config = match &resume {
            Some(path) => Config::of_run(path, &set)?,
            None => Config::load(config.as_deref(), &set)?,
        };
        let (race, _) = prepare(&config, &folders)?;
        let (info, run) = (RunInfo::of(&race, config.run.seed), &config.run);
        let (rundir, newest) = match &resume {
            Some(path) => RunDir::resume(path, &info, fallback)?,
            None => (RunDir::begin(&run.directory, &run.name, &config.to_toml(), &info)?, None),
        };
        let state = newest.map(|iteration| load_state(&rundir.checkpoint(iteration))).transpose()?;
        let log = RunLog::open(config, rundir, state.as_ref(), true)?;
        Ok(TrainingRun { race, folders, log: Mutex::new(log) })
    }

    /// Writes the settings into the folder of the run, once they are known to fit the checkpoint; games that were kept
    /// are forgotten where settings have changed.
    fn accept(&self) -> Result<()> {
        Ok(lock(&self.log).accept()?)
    }

    /// How the machine rounds that began the run.
    #[getter]
    fn numerics(&self) -> String {
        lock(&self.log).rundir().info().numerics.clone()
    }

    /// The folder of the run.
    #[getter]
    fn path(&self) -> PathBuf {
        lock(&self.log).rundir().path().to_owned()
    }

    /// Every setting, as TOML.
    #[getter]
    fn config(&self) -> String {
        lock(&self.log).config().to_toml()
    }

    /// Iterations finished.
    #[getter]
    fn iteration(&self) -> u64 {
        lock(&self.log).iteration()
    }

    /// Whether all games are played, or the time is up.
    #[getter]
    fn is_over(&self) -> bool {
        lock(&self.log).is_over()
    }

    /// The learning rate of what is left to learn when the run is over.
    #[getter]
    fn last_learning_rate(&self) -> f64 {
        lock(&self.log).last_learning_rate()
    }

    /// The files of the newest checkpoint, if there is one.
    fn checkpoint(&self) -> Result<Option<Files>> {
        let log = lock(&self.log);
        Ok(match log.saved() {
            0 => None,
            saved => Some(read_files(&log.rundir().checkpoint(saved))?),
        })
    }

    /// The iteration of the newest checkpoint, 0 before the first.
    #[getter]
    fn saved(&self) -> u64 {
        lock(&self.log).saved()
    }

    /// The opponents of the settings with their files, by how the settings name them, and the table of perfect play,
    /// for `RunEvaluator`.
    fn opponents(&self) -> Result<(BTreeMap<String, PackedAgent>, Files)> {
        let log = lock(&self.log);
        let evaluation = &log.config().evaluation;
        let packed = |spec: &String| Ok((spec.clone(), attachments::pack(&self.folders.agent(spec)?)?));
        let opponents = evaluation.during.iter().chain(&evaluation.opponents).map(packed).collect::<Result<_>>()?;
        Ok((opponents, attachments::tables(&self.folders, &self.race)?))
    }

    /// The plan that follows `before`, or what is finished; `None` when the run is over.
    #[pyo3(signature = (before = None))]
    fn plan(&self, before: Option<&Plan>) -> Option<Plan> {
        lock(&self.log).plan(before.map(Plan::inner).as_ref()).map(Plan::from)
    }

    /// Keeps the messages with the games of a plan, until a checkpoint has learned from them.
    fn keep(&self, plan: &Plan, messages: Vec<Vec<u8>>, seconds: f64) -> Result<()> {
        Ok(lock(&self.log).keep(&KeptGames { plan: plan.inner(), seconds, messages })?)
    }

    /// The plan, the messages and the seconds that were kept of an iteration, if they were.
    fn kept(&self, iteration: u64) -> Result<Option<KeptTuple>> {
        let kept = lock(&self.log).kept(iteration)?;
        Ok(kept.map(|KeptGames { plan, seconds, messages }| (plan.into(), messages, seconds)))
    }

    /// Whether there is a short evaluation after an iteration.
    fn evaluates_after(&self, iteration: u64) -> bool {
        lock(&self.log).evaluates_after(iteration)
    }

    /// Whether there is a checkpoint after an iteration.
    fn saves_after(&self, iteration: u64) -> bool {
        lock(&self.log).saves_after(iteration)
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
    ) -> Result<()> {
        let mut log = lock(&self.log);
        log.finish(&plan.inner(), &wire::decode(report)?, &wire::decode(losses)?, seconds);
        numbers.iter().for_each(|(tag, &number)| log.scalar(tag, number));
        Ok(())
    }

    /// Adds what a short evaluation found, of the weights after `iteration`, and marks the best checkpoint, if it is
    /// saved.
    fn evaluated(&self, iteration: u64, evaluation: &[u8]) -> Result<()> {
        let mut log = lock(&self.log);
        log.scalar("eval/iteration", iteration as f64);
        log.evaluated(iteration, &wire::decode(evaluation)?);
        Ok(log.mark_best()?)
    }

    /// Adds the weights of each layer, as histograms.
    fn weights(&self, weights: Weights<'_>) -> Result<()> {
        let mut log = lock(&self.log);
        let net = network(log.config(), &self.race, &weights)?;
        log.weights(&net);
        Ok(())
    }

    /// Writes the metrics of the iteration that was finished last, and shows how the run stands.
    fn write(&self) -> Result<()> {
        Ok(lock(&self.log).write()?)
    }

    /// Saves a checkpoint of the iteration that was finished last, from what the trainer's `save` returned.
    fn save(&self, files: Files, state: &[u8]) -> Result<()> {
        Ok(lock(&self.log).save(wire::decode(state)?, |dir| write_files(dir, &files))?)
    }

    /// The counters of the run as text, from what the trainer's `save` returned.
    fn state(&self, state: &[u8]) -> Result<String> {
        Ok(serde_json::to_string(&lock(&self.log).state(wire::decode(state)?))?)
    }

    /// Ends what is shown of the run while it goes on, and lets others go on with it.
    fn close(&self) {
        let mut log = lock(&self.log);
        log.end_progress();
        log.unlock();
    }

    /// Writes the bot of the run with its card; where it is.
    fn write_bot(&self, bot: &[u8]) -> Result<PathBuf> {
        let (log, bot) = (lock(&self.log), Bot::from_bytes(bot)?);
        let name = &log.config().run.name;
        let path = log.rundir().bots().join(format!("{name}.bot"));
        bot.write(&path)?;
        export::write_card(&path, &bot.manifest, name)?;
        Ok(path)
    }
}
