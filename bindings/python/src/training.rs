//! What the program does that makes files: training, solving, exporting; and the program itself, as a function.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ashta_agents::perfect::solve::{SolveConfig, Solved, Stage, solve as solve_turns};
use ashta_agents::perfect::table::Table as Values;
use ashta_env::game::Game as _;
use ashta_env::turn_index::{RaceTurns, TurnIndex};
use ashta_train::config::Config;
use ashta_train::files::check_writable;
use ashta_train::run::{Run, RunEnding, prepare};
use ashta_train::runlog::RunLog;
use ashta_train::{export as files, games, program};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::agent::folders_or_default;
use crate::arena::threads_or_all;
use crate::game::Game;
use crate::interrupt::Interrupt;
use crate::{refused, to_python};

/// What went wrong, as an error of Python.
pub(crate) fn failed(error: impl Into<anyhow::Error>) -> PyErr {
    PyValueError::new_err(format!("{:#}", error.into()))
}

/// Runs the program `ashta` with these arguments, its name first; gives its exit code. Bots and tables are looked
/// for in `installed` after all other folders.
#[pyfunction]
pub fn run_program(py: Python<'_>, arguments: Vec<OsString>, installed: PathBuf) -> u8 {
    games::look_last_in(installed);
    py.detach(|| program::run(arguments))
}

/// Checks settings as a run does before it begins: that they are known, and that all that they name is there.
///
/// `ValueError` with every problem.
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

/// Trains, evaluates and exports a bot as `ashta train` does, and goes on with the run in the folder `resume` if one
/// is given, with `fallback` from the newest checkpoint that is whole: where the run is, its bot and its results,
/// `None` if it was stopped. `watch`, called with the metrics of each iteration, says whether to stop.
#[pyfunction]
#[pyo3(signature = (config = None, set = Vec::new(), resume = None, fallback = false, watch = None, progress = true, folders = None))]
#[expect(clippy::too_many_arguments, reason = "named by its callers in Python")]
pub fn train_run<'py>(
    py: Python<'py>,
    config: Option<PathBuf>,
    set: Vec<String>,
    resume: Option<PathBuf>,
    fallback: bool,
    watch: Option<Py<PyAny>>,
    progress: bool,
    folders: Option<Vec<PathBuf>>,
) -> PyResult<(PathBuf, Option<PathBuf>, Option<Bound<'py, PyAny>>)> {
    let folders = folders_or_default(py, folders)?;
    let interrupt = Interrupt::new();
    let begin = || match resume {
        Some(path) => Ok((Run::go_on(&path, &set, &folders, fallback)?, path)),
        None => Run::start(config.as_deref(), &set, &folders),
    };
    let train = || {
        let (mut run, path) = begin()?;
        if !progress {
            run.hide_progress();
        }
        let is_enough = |log: &RunLog| {
            let ask = |watch: &Py<PyAny>| {
                Python::attach(|py| {
                    let metrics = to_python(py, Ok(log.last_line().to_owned()))?;
                    metrics.set_item("run", &path)?;
                    watch.call1(py, (metrics,))?.is_truthy(py)
                })
            };
            let watch = watch.as_ref().filter(|_| !interrupt.was_set() && !log.last_line().is_empty());
            watch.is_some_and(|watch| {
                ask(watch).unwrap_or_else(|error| {
                    interrupt.set(error);
                    true
                })
            })
        };
        let is_stopped = |log: &RunLog| match is_enough(log) || interrupt.was_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let concluded = match run.train(&is_stopped)? {
            RunEnding::Trained(mut run) => run.conclude(&interrupt.stop())?,
            RunEnding::Interrupted => None,
        };
        anyhow::Ok(match concluded {
            Some((evaluation, bot)) => (path, Some(bot), Some(serde_json::to_string(&evaluation.results))),
            None => (path, None, None),
        })
    };
    let (path, bot, results) = interrupt.beside(py, train)?.map_err(failed)?;
    Ok((path, bot, results.map(|results| to_python(py, results)).transpose()?))
}

/// Solves a game and writes its table, as `ashta solve` does.
#[pyfunction]
#[pyo3(signature = (game, output, *, bits = 16, threads = None, tolerance = 2e-9, proof = true))]
pub fn solve(
    py: Python<'_>,
    game: &Game,
    output: PathBuf,
    bits: u8,
    threads: Option<usize>,
    tolerance: f64,
    proof: bool,
) -> PyResult<()> {
    if !matches!(bits, 16 | 32) {
        return Err(PyValueError::new_err(format!("`bits` is {bits}, but must be 16 or 32")));
    }
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(PyValueError::new_err(format!("`tolerance` is {tolerance}, but must be between 0 and 1")));
    }
    let threads = threads_or_all(threads)?;
    check_writable(&output).map_err(failed)?;
    let race = Arc::clone(&game.race);
    let starts = TurnIndex::new(&race).map_err(refused)?;
    let first = starts.movers()[0];
    let (_, start) = starts
        .locate(&race.initial_state(first))
        .ok_or_else(|| PyValueError::new_err("the game does not begin with a throw"))?;
    let interrupt = Interrupt::new();
    let config = SolveConfig { threads, tolerance, certify: proof };
    let work = || {
        let turns = RaceTurns::new(starts.clone());
        let watch = |_: &Stage| if interrupt.was_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        match solve_turns(&turns, start, None, &config, &watch).map_err(refused)? {
            Solved::Solution(solution) => Values::new(starts, solution, bits == 16).write(&output).map_err(refused),
            // The interrupt has the reason.
            Solved::Unfinished(_) => Ok(()),
        }
    };
    interrupt.beside(py, work)?
}

/// Writes the bot of a run, or a bot that is there already, as a bot file or an ONNX model, with its card beside it:
/// the file and the card.
#[pyfunction]
#[pyo3(signature = (source, output = None, *, format = "bot", checkpoint = None, folders = None))]
pub fn export(
    py: Python<'_>,
    source: PathBuf,
    output: Option<PathBuf>,
    format: &str,
    checkpoint: Option<&str>,
    folders: Option<Vec<PathBuf>>,
) -> PyResult<(PathBuf, PathBuf)> {
    let is_onnx = match format {
        "bot" => false,
        "onnx" => true,
        other => return Err(PyValueError::new_err(format!("`format` is {other:?}, but must be \"bot\" or \"onnx\""))),
    };
    let folders = folders_or_default(py, folders)?;
    let source = source.to_string_lossy().into_owned();
    let write = || files::write(&source, checkpoint, output.as_deref().map(Path::new), is_onnx, &folders);
    py.detach(write).map_err(failed)
}
