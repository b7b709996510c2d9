//! Training, solving, exporting, and the whole program as a function.

use anyhow::Context;
use std::{ffi::OsString, path::PathBuf, sync::Arc};

use ashta_agents::{
    perfect::{
        solve::{SolveConfig, Solved, Stage, solve as solve_turns},
        table::Table as Values,
    },
    play::stop::stop_if,
};
use ashta_env::{
    game::Game as _,
    turn_index::{RaceTurns, TurnIndex},
};
use ashta_train::{
    program,
    run::{Actors, Run, export as files, files::check_writable, games, runlog::RunLog},
};
use pyo3::prelude::*;

use crate::{
    Result, actors,
    agent::folders_or_default,
    arena::threads_or_all,
    game::{Game, GameOrName},
    interrupt::Interrupt,
    table::Table,
    to_python, wrong_type,
};

/// Runs the program `ashta` and returns its exit code. The first of the `arguments` is the name of
/// the program. The folder `installed` is the last folder in which the program looks for bots and
/// tables. `ashta train` plays its games on `actors` (see `train`).
#[pyfunction]
#[pyo3(signature = (arguments, installed, actors = None))]
pub fn run_program(
    py: Python<'_>,
    arguments: Vec<OsString>,
    installed: PathBuf,
    actors: Option<Py<PyAny>>,
) -> u8 {
    games::add_last_folder(installed);
    let actors = actors.map(actors::starting);
    let actors = actors.as_ref().map(|start| start as Actors<'_>);
    py.detach(|| program::run(arguments, actors))
}

/// Converts settings to texts `KEY=VALUE`, with the values of a dict as TOML.
fn changes(settings: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    if let Ok(texts) = settings.extract() {
        return Ok(texts);
    }
    let one = |item: PyResult<Bound<'_, PyAny>>| -> Result<String> {
        let (key, value): (String, Bound<'_, PyAny>) = item?.extract()?;
        // TOML has no null; settings use "none".
        let value = if value.is_none() {
            "none".into_pyobject(value.py())?.into_any()
        } else {
            value
        };
        Ok(format!(
            "{key}={}",
            value.py().import("json")?.call_method1("dumps", (value,))?
        ))
    };
    let wrong = |_| {
        wrong_type("`settings` must be a dict from keys to values, or a list of texts KEY=VALUE")
    };
    settings
        .call_method0("items")
        .map_err(wrong)?
        .try_iter()?
        .map(one)
        .collect()
}

/// Trains, evaluates and exports a bot, like `ashta train`.
///
/// `config` is the name of a built-in configuration (`"pagade"`, `"ashte-kashte?pieces=2"`), a file
/// with settings, or a sheet; without `config`, all settings have their defaults. `settings`
/// changes single keys: a dict such as `{"selfplay.games": 20_000}`, or a list of texts such as
/// `"selfplay.games=20000"`. `resume` is the folder of an interrupted run to resume. With
/// `fallback`, damaged checkpoints are renamed, and the run resumes from the newest undamaged
/// checkpoint.
///
/// After each iteration, the run calls `callback` with a dict of the metrics (see docs/metrics.md)
/// and `run`, the folder of the run as a `Path`. If `callback` returns a true value, the run stops;
/// you can resume it. Ctrl-C also stops the run: `KeyboardInterrupt` is raised after the progress
/// is saved. With `progress`, standard error shows the progress. `folders` are the folders of bots
/// and tables, by default `ashta.folders()`.
///
/// If other processes play the games, `actors` starts them (`ashta.ray` does this for Ray). The run
/// calls `actors` with its settings as TOML, and then the returned function in each iteration, with
/// the weights, the first game and the last game plus one. This function returns a list with the
/// results of `ashta._ashta.SelfPlay.play`, in the order of the games.
///
/// If settings are wrong, raises one `ValueError` that lists every problem. Also raises
/// `ValueError` if the run cannot be read or written.
#[pyfunction]
#[pyo3(signature = (
    config = None, settings = None, *, resume = None, fallback = false, callback = None, progress = true, folders = None,
    actors = None,
))]
pub fn train<'py>(
    py: Python<'py>,
    config: Option<PathBuf>,
    settings: Option<Bound<'py, PyAny>>,
    resume: Option<PathBuf>,
    fallback: bool,
    callback: Option<Py<PyAny>>,
    progress: bool,
    folders: Option<Vec<PathBuf>>,
    actors: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let is_one = config.is_none() || resume.is_none();
    ensure!(
        is_one,
        "`config` starts a run and `resume` continues one: give only one of them"
    );
    let set = settings.as_ref().map_or(Ok(Vec::new()), changes)?;
    let folders = folders_or_default(py, folders)?;
    let actors = actors.map(actors::starting);
    let actors = actors.as_ref().map(|start| start as Actors<'_>);
    let interrupt = Interrupt::new();
    let work = || -> Result<_> {
        let mut run = match &resume {
            Some(path) => Run::resume(path, &set, &folders, fallback, actors)?,
            None => Run::start(config.as_deref(), &set, &folders, actors)?,
        };
        let path = run.log().rundir().path().to_owned();
        if !progress {
            run.hide_progress();
        }
        let is_enough = |log: &RunLog| -> Result<bool> {
            let Some(callback) = callback.as_ref().filter(|_| !log.last_line().is_empty()) else {
                return Ok(false);
            };
            Python::attach(|py| {
                let metrics = py
                    .import("json")?
                    .call_method1("loads", (log.last_line(),))?;
                metrics.set_item("run", &path)?;
                Ok(callback.call1(py, (metrics,))?.is_truthy(py)?)
            })
        };
        let is_stopped = |log: &RunLog| {
            let is_stopped = interrupt.was_set()
                || is_enough(log).unwrap_or_else(|error| {
                    interrupt.set(error.into());
                    true
                });
            stop_if(is_stopped)
        };
        let concluded = if run.train(&is_stopped)? {
            run.conclude(&interrupt.stop())?
        } else {
            None
        };
        let Some((evaluation, bot)) = concluded else {
            return Ok((path, None, None));
        };
        let results = serde_json::to_value(&evaluation.results)?;
        Ok((path, Some(bot), Some(results)))
    };
    let (path, bot, results) = interrupt.watch_thread(py, work)??;
    Ok(py
        .import("ashta._results")?
        .call_method1("TrainedRun", (path, bot, to_python(py, &results)?))?)
}

/// Solves a small game, writes the values of perfect play to the table `output`, and returns this
/// table.
///
/// `game` is a name or a `Game`. `bits`, 16 or 32, is the number of bits of each value in the file.
/// Solving stops when a sweep over all positions changes no value by more than `tolerance`. `proof`
/// also computes a bound for the errors of the values, which doubles the memory use. `threads`
/// defaults to the number of processors and does not change the table. Ctrl-C stops solving after
/// the current sweep. Raises `ValueError` if the game is too large or the table cannot be written.
#[pyfunction]
#[pyo3(signature = (game, output, *, bits = 16, threads = None, tolerance = 2e-9, proof = true))]
pub fn solve(
    py: Python<'_>,
    game: GameOrName<'_>,
    output: PathBuf,
    bits: u8,
    threads: Option<usize>,
    tolerance: f64,
    proof: bool,
) -> Result<Table> {
    ensure!(
        matches!(bits, 16 | 32),
        "`bits` is {bits}, but must be 16 or 32"
    );
    ensure!(
        tolerance > 0.0 && tolerance < 1.0,
        "`tolerance` is {tolerance}, but must be between 0 and 1"
    );
    let threads = threads_or_all(threads, false)?;
    check_writable(&output)?;
    let race = match game {
        GameOrName::Game(game) => Arc::clone(&game.race),
        GameOrName::Name(name) => Game::new(Some(&name), None, None, None, None)?.race,
    };
    let starts = TurnIndex::new(&race)?;
    let (_, start) = starts
        .locate(&race.initial_state(starts.movers()[0]))
        .context("cannot solve a game that does not start with a throw")?;
    let interrupt = Interrupt::new();
    let config = SolveConfig {
        threads,
        tolerance,
        certify: proof,
    };
    let work = || -> Result<()> {
        let turns = RaceTurns::new(starts.clone());
        let watch = |_: &Stage| stop_if(interrupt.was_set());
        // After an interrupt, the solver returns no solution, and the interrupt has the error.
        if let Solved::Solution(solution) = solve_turns(&turns, start, None, &config, &watch)? {
            Values::new(starts, solution, bits == 16).write(&output)?;
        }
        Ok(())
    };
    interrupt.watch_thread(py, work)??;
    Table::load(py, output.into_pyobject(py)?.as_any(), None)
}

/// Exports a bot to one file; returns the path of this file. `source` is the folder of a run, or
/// the file or name of a bot.
///
/// `format` is `"bot"` or `"onnx"`. For a run, `checkpoint` is `"latest"` (the default), `"best"`
/// or the number of an iteration. Without `output`, the file is in the current folder and has the
/// name of the bot. `card` is a path for the model card. Raises `ValueError` if there is no such
/// run, checkpoint or bot, or if the file cannot be written.
#[pyfunction]
#[pyo3(signature = (source, output = None, *, card = None, format = "bot", checkpoint = None, folders = None))]
pub fn export(
    py: Python<'_>,
    source: PathBuf,
    output: Option<PathBuf>,
    card: Option<PathBuf>,
    format: &str,
    checkpoint: Option<Bound<'_, PyAny>>,
    folders: Option<Vec<PathBuf>>,
) -> Result<PathBuf> {
    ensure!(
        matches!(format, "bot" | "onnx"),
        "`format` is {format:?}, but must be \"bot\" or \"onnx\""
    );
    let folders = folders_or_default(py, folders)?;
    let (source, checkpoint) = (
        source.to_string_lossy(),
        checkpoint.map(|which| which.to_string()),
    );
    let (checkpoint, is_onnx) = (checkpoint.as_deref(), format == "onnx");
    let (output, card) = (output.as_deref(), card.as_deref());
    Ok(py.detach(|| files::write(&source, checkpoint, output, card, is_onnx, &folders))?)
}
