//! A run in this process alone, as `ashta train` runs it: what a sweep runs many of.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use ashta_agents::roster::folders::Folders;
use ashta_env::race::Race;
use ashta_train::config::Config;
use ashta_train::evaluation::RunEvaluator;
use ashta_train::games;
use ashta_train::run::{Run, RunEnding};
use ashta_train::rundir::{RunDir, RunInfo};
use pyo3::prelude::*;

use super::failed;
use crate::agent::folders_or_default;

/// Checks settings as a run does before it begins: that they are known, and that all that they name is there.
#[pyfunction]
#[pyo3(signature = (config = None, set = Vec::new(), folders = None))]
pub fn check_settings(
    py: Python<'_>,
    config: Option<PathBuf>,
    set: Vec<String>,
    folders: Option<Vec<PathBuf>>,
) -> PyResult<()> {
    let folders = folders_or_default(py, folders)?;
    let check = || prepare(&Config::load(config.as_deref(), &set)?, &folders).map(drop);
    check().map_err(failed)
}

/// The game of the settings and its evaluator, once everything that they name was found.
pub(super) fn prepare(config: &Config, folders: &Folders) -> Result<(Arc<Race>, RunEvaluator)> {
    let race = Arc::new(games::configured(&config.ruleset)?);
    let agent = |spec: &str| Ok(folders.agent(spec)?);
    let evaluator = RunEvaluator::new(&race, config, &agent, folders.perfect(&race)?)?;
    config.device()?;
    Ok((race, evaluator))
}

/// Trains, evaluates and exports a bot as `ashta train` does: where the run is, and its bot, `None` if it was stopped.
/// `watch`, called with the folder of the run and the number of iterations after each short evaluation, says whether to
/// stop.
#[pyfunction]
#[pyo3(signature = (config = None, set = Vec::new(), watch = None, folders = None))]
pub fn train_here(
    py: Python<'_>,
    config: Option<PathBuf>,
    set: Vec<String>,
    watch: Option<Py<PyAny>>,
    folders: Option<Vec<PathBuf>>,
) -> PyResult<(PathBuf, Option<PathBuf>)> {
    let folders = folders_or_default(py, folders)?;
    let raised: Mutex<Option<PyErr>> = Mutex::default();
    let train = || -> Result<(PathBuf, Option<PathBuf>)> {
        let config = Config::load(config.as_deref(), &set)?;
        let (race, evaluator) = prepare(&config, &folders)?;
        let info = RunInfo::of(&race, config.run.seed);
        let rundir = RunDir::begin(&config.run.directory, &config.run.name, &config.to_toml(), &info)?;
        let (path, every) = (rundir.path().to_owned(), config.evaluation.every_iterations);
        let stops = |iteration: u64| {
            let is_due = iteration > 0 && iteration.is_multiple_of(every);
            let ask = |watch: &Py<PyAny>| {
                Python::attach(|py| {
                    py.check_signals()?;
                    watch.call1(py, (&path, iteration))?.is_truthy(py)
                })
            };
            watch.as_ref().filter(|_| is_due).is_some_and(|watch| {
                ask(watch).unwrap_or_else(|error| {
                    raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    true
                })
            })
        };
        match Run::begin(config, race, evaluator, rundir)?.train(&stops)? {
            RunEnding::Interrupted => Ok((path, None)),
            RunEnding::Trained(mut run) => {
                let (_, _, bot) = run.conclude()?;
                Ok((path, Some(bot)))
            }
        }
    };
    let trained = py.detach(train).map_err(failed);
    match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => trained,
    }
}
