//! Judging policies by perfect play: regret, exploitability, and all positions of a game that can
//! be solved.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use ashta_agents::{
    arena::{MatchConfig, MatchProgress, sides},
    perfect::{
        benchmark::BenchmarkResult,
        exploit::{AgentPolicy, BestResponse},
        regret::{Judged, against_perfect},
        rollout::{Rollout, RolloutConfig, rollout as roll_out},
        solve::SolveConfig,
        table::Table as Values,
    },
    play::{evaluator::Evaluator, stop::stop_if},
    roster::folders::Folders,
};
use ashta_env::{
    game::{BySeat, Game as _, Seat},
    race::{Race, state::State as Position},
    turn_index::TurnIndex,
};
use ashta_train::run::evaluation::MatchResult;
use ndarray::Array2;
use numpy::{PyArray1, PyArray2};
use pyo3::{
    prelude::*,
    types::{PyDict, PyList, PySlice},
};
use serde_json::json;

use crate::{
    Result,
    agent::{Agent, Mind, evaluator_of, folders_or_default},
    arena::{BATCH, MOST_PAIRS, threads_or_all},
    game::Game,
    interrupt::Interrupt,
    policy::ValueFunction,
    seed::given,
    states::{States, row_of},
    table::Table,
    to_python, wrong_type,
};

/// The game of an argument; by default the game of the policy or of the table.
fn game_of(policy: &Bound<'_, PyAny>, game: Option<&Game>, table: Option<&Table>) -> Result<Game> {
    let of_agent = policy
        .cast::<Agent>()
        .ok()
        .map(|agent| agent.get().game.clone());
    let game = game
        .cloned()
        .or(of_agent)
        .or(table.map(|table| table.game.clone()));
    game.ok_or_else(|| wrong_type("`game` is missing: only an `Agent` knows its game"))
}

/// Plays a policy against perfect play in a game of two players and measures its regret: how much
/// less each of its decisions is worth than the best one.
///
/// `policy` is anything that `Agent.of` accepts. `table` is a `Table`; by default it is looked up
/// in `folders` (by default `ashta.folders()`). `pairs`, 1 to 10,000,000, is the number of pairs of
/// games with the same throws; `seed` determines the throws. `threads` defaults to the number of
/// processors, or to 1 for functions and models.
///
/// Returns the keys of `ashta eval --json`, with equal figures for equal agents and seeds. If a
/// function returns probabilities, regret and optimal choices are exact expectations over them.
///
/// Raises `ValueError` if there is no table of the game, or if it has more than two players.
#[pyfunction]
#[pyo3(signature = (policy, game = None, *, pairs = 1000, seed = 7919, threads = None, table = None, folders = None))]
pub fn regret<'py>(
    py: Python<'py>,
    policy: &Bound<'py, PyAny>,
    game: Option<&Game>,
    pairs: u64,
    #[pyo3(from_py_with = given)] seed: u64,
    threads: Option<usize>,
    table: Option<&Table>,
    folders: Option<Vec<PathBuf>>,
) -> Result<Bound<'py, PyAny>> {
    ensure!(
        (1..=MOST_PAIRS).contains(&pairs),
        "`pairs` is {pairs}, but must be 1 to {MOST_PAIRS}"
    );
    let (game, folders) = (
        game_of(policy, game, table)?,
        folders_or_default(py, folders)?,
    );
    let mind = Mind::of(policy, None, &game, &folders)?;
    let perfect = table_of(py, table, &game, &folders)?;
    let judged = match &mind {
        Mind::Policy(policy) if policy.returns_probabilities(py, &game)? => Judged::Expected,
        _ => Judged::Played,
    };
    let threads = threads_or_all(threads, mind.asks_functions())?;
    let (race, stop) = (&*game.race, Interrupt::new());
    let config = MatchConfig {
        blocks: pairs,
        seed,
        threads,
        batch: BATCH,
    };
    let watched = || stop.is_set();
    let progress = MatchProgress {
        is_stopped: &watched,
        ..MatchProgress::UNWATCHED
    };
    let make = || mind.agent(&game, &stop);
    let (report, regret) = stop
        .watch_thread(py, || {
            against_perfect(race, &make, judged, &perfect, &config, &progress)
        })?
        .context("regret exists only in games for two players")?;
    let result = MatchResult {
        opponent: "perfect".to_owned(),
        report,
        regret,
    };
    let shown = json!({
        "agent": mind.name(), "game": race.spec().name, "seats": sides(race.spec()).len(), "pairs": pairs, "seed": seed,
    });
    let shown = to_python(py, &shown)?;
    shown.call_method1("update", (to_python(py, &result)?,))?;
    Ok(shown)
}

/// The given table of a game, or the table of the game in `folders`.
fn table_of(
    py: Python<'_>,
    table: Option<&Table>,
    game: &Game,
    folders: &Folders,
) -> Result<Arc<Values>> {
    if let Some(table) = table {
        table.game.check(game)?;
        return Ok(Arc::clone(&table.table));
    }
    let found = py.detach(|| folders.agent("perfect")?.player(&game.race))?;
    Ok(Arc::clone(
        found.table().context("the agent `perfect` has no table")?,
    ))
}

/// Verifies a result of `ashta.benchmark`, given as JSON, by `table` or by a table in `folders`.
/// Returns the regret.
///
/// Raises `ValueError` if the text is not a result, if a game or the stated regret is wrong, or
/// without a table.
#[pyfunction]
#[pyo3(signature = (text, table = None, folders = None))]
pub fn verify_result<'py>(
    py: Python<'py>,
    text: &str,
    table: Option<&Table>,
    folders: Option<Vec<PathBuf>>,
) -> Result<Bound<'py, PyAny>> {
    let result = BenchmarkResult::read(text)?;
    let game = Game::from(result.race()?);
    let table = table_of(py, table, &game, &folders_or_default(py, folders)?)?;
    let regret = py.detach(|| result.verify(&game.race, &table))?;
    to_python(py, &regret)
}

/// Finds the exact best response to a policy in a game that can be solved: how much the best
/// opponent wins against it.
///
/// `policy` is anything that `Agent.of` accepts. With three and four players, one player plays the
/// best response and the policy plays all others. In games of two players, agents that choose by
/// values are evaluated once in each position; all other policies are asked at every decision of
/// every turn, with their probabilities. `tolerance` is the largest change of a value in the last
/// sweep. Returns the keys of `ashta exploit --json`; `exploitability` is the mean score of the
/// best response minus the share of one player, such as 0.5.
///
/// `threads` defaults to the number of processors, or to 1 for functions and models.
///
/// Raises `ValueError` if the game cannot be solved or has too many positions.
#[pyfunction]
#[pyo3(signature = (policy, game = None, *, threads = None, tolerance = 1e-7, folders = None))]
pub fn exploitability<'py>(
    py: Python<'py>,
    policy: &Bound<'py, PyAny>,
    game: Option<&Game>,
    threads: Option<usize>,
    tolerance: f64,
    folders: Option<Vec<PathBuf>>,
) -> Result<Bound<'py, PyAny>> {
    ensure!(
        tolerance > 0.0 && tolerance < 1.0,
        "`tolerance` is {tolerance}, but must be between 0 and 1"
    );
    let (game, folders) = (
        game_of(policy, game, None)?,
        folders_or_default(py, folders)?,
    );
    let mind = Mind::of(policy, None, &game, &folders)?;
    let threads = threads_or_all(threads, mind.asks_functions())?;
    let config = SolveConfig {
        threads,
        tolerance,
        certify: false,
    };
    let stop = Interrupt::new();
    let evaluator = || {
        mind.evaluator(&stop)
            .expect("only players are asked for values")
    };
    let choices = || mind.agent(&game, &stop);
    let is_by_values = mind.player().is_ok_and(|player| player.plays_by_values());
    let policy = if is_by_values {
        AgentPolicy::Values(&evaluator)
    } else {
        AgentPolicy::Choices(&choices)
    };
    let watch = |_| stop_if(stop.was_set());
    let found = stop.watch_thread(py, || {
        BestResponse::new(&game.race)?.find(policy, &config, &watch)
    })?;
    let found = found?.context("the search stopped without a result")?;
    let shown = json!({
        "agent": mind.name(),
        "game": game.race.spec().name,
        "best_response": found.to_json(game.race.spec().seats),
        "exploitability": found.exploitability(),
    });
    to_python(py, &shown)
}

/// Makes an evaluator for a thread.
type MakeEvaluator = dyn Fn() -> Box<dyn Evaluator<Race> + Send> + Send + Sync;

/// Estimates the values of positions by games that a policy plays from there on all seats. Game `i`
/// has the same throws in all positions, so that differences between positions are more precise
/// than their values.
///
/// `states` are `States` or a list of `State`; `policy` is anything that `Agent.of` accepts.
/// `values` corrects the luck of the throws and can be an agent with values, a `Table`, or a
/// function from `States` to `float[n, num_players]`; without `values` there is no correction.
/// `games`, 2 or more, is the largest number of games from each position; the games from a position
/// stop sooner when its largest standard error is at most `error`. With `turns`, games end after
/// this number of turns and have the value of their last position; this needs `values`. `threads`
/// defaults to the number of processors, or to 1 for functions and models.
///
/// Returns a dict of arrays: `mean` and `standard_error`, `float64[n, num_players]`, and `games`
/// and `truncated`, `int64[n]`. `truncated` counts the games that reached the turn limit. With
/// `values`, they have the value of their last position. Without `values`, they are not in `games`
/// and `mean`, and without any other game `mean` is NaN. A standard error is at least 0.00001,
/// which is about the precision of tables.
#[pyfunction]
#[pyo3(signature = (
    states, policy, values = None, *, games = 1000, error = 0.0, turns = None, seed = 7919, threads = None, folders = None
))]
pub fn rollout<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    policy: &Bound<'py, PyAny>,
    values: Option<&Bound<'py, PyAny>>,
    games: u64,
    error: f64,
    turns: Option<u32>,
    #[pyo3(from_py_with = given)] seed: u64,
    threads: Option<usize>,
    folders: Option<Vec<PathBuf>>,
) -> Result<Bound<'py, PyDict>> {
    ensure!(
        (2..=MOST_PAIRS).contains(&games),
        "`games` is {games}, but must be 2 to {MOST_PAIRS}"
    );
    ensure!(
        (0.0..).contains(&error),
        "`error` is {error}, but must be 0 or more"
    );
    ensure!(
        turns.is_none() || values.is_some(),
        "`turns` needs `values` for the last positions of the games"
    );
    let states = match states.cast::<States>() {
        Ok(states) => states.clone(),
        Err(_) => Bound::new(py, States::new(py, states, None)?)?,
    };
    let (game, positions) = (states.get().game.clone(), states.get().positions(py)?);
    let (stop, folders) = (Interrupt::new(), folders_or_default(py, folders)?);
    let mind = Mind::of(policy, None, &game, &folders)?;
    let asks_functions = mind.asks_functions() || values.is_some_and(|values| values.is_callable());
    let values: Option<Box<MakeEvaluator>> = match values {
        None => None,
        Some(values) if values.is_callable() => {
            let function = Arc::new(values.clone().unbind());
            let function = ValueFunction {
                function,
                game: game.clone(),
                interrupt: Arc::clone(&stop),
            };
            Some(Box::new(move || Box::new(function.clone())))
        }
        Some(values) => {
            let player = Mind::of(values, None, &game, &folders)?.player()?.clone();
            let stop = Arc::clone(&stop);
            Some(Box::new(move || evaluator_of(&player, &stop)))
        }
    };
    let threads = threads_or_all(threads, asks_functions)?;
    let config = RolloutConfig {
        games,
        turns,
        error,
        seed,
        threads,
    };
    let (make, is_stopped) = (|| mind.agent(&game, &stop), || stop.is_set());
    let found = stop.watch_thread(py, || {
        roll_out(
            &*game.race,
            &positions,
            &make,
            values.as_deref().map(|make| make as _),
            &config,
            &is_stopped,
        )
    })?;
    let seats: Vec<Seat> = game.race.spec().seats.iter().collect();
    let array = |of: fn(&Rollout) -> &BySeat<f64>| {
        let value = |(row, player): (usize, usize)| of(&found[row])[seats[player]];
        PyArray2::from_owned_array(py, Array2::from_shape_fn((found.len(), seats.len()), value))
    };
    let result = PyDict::new(py);
    result.set_item("mean", array(|rollout| &rollout.mean))?;
    result.set_item("standard_error", array(|rollout| &rollout.error))?;
    let counts = |of: fn(&Rollout) -> u64| {
        PyArray1::from_iter(py, found.iter().map(|rollout| of(rollout) as i64))
    };
    result.set_item("games", counts(|rollout| rollout.games))?;
    result.set_item("truncated", counts(|rollout| rollout.truncated))?;
    Ok(result)
}

/// The number of table entries between two stored counts.
const CHUNK: usize = 4096;

/// The states of `ashta.positions`, as a sequence of `State` with the indices of `States`. All
/// states together can need gigabytes: use slices or `blocks`.
#[pyclass(frozen, module = "ashta")]
pub struct Positions {
    /// The game.
    #[pyo3(get)]
    game: Game,
    index: TurnIndex,
    /// For each chunk of numbers of the table: the number of states before it. Then the number of
    /// all states.
    before: Vec<usize>,
}

impl Positions {
    /// The states with these indices. Indices of one chunk are next to each other in most lists,
    /// and the chunk is read only once for them.
    fn states(&self, rows: &[usize]) -> Vec<Position> {
        let mut read = (0..0, Vec::new());
        let state = |&row: &usize| {
            if !read.0.contains(&row) {
                let chunk = self.before.partition_point(|&before| before <= row) - 1;
                let end = ((chunk + 1) * CHUNK).min(self.index.numbers());
                read = (
                    self.before[chunk]..self.before[chunk + 1],
                    (chunk * CHUNK..end)
                        .filter_map(|number| self.index.state_of_number(number))
                        .collect(),
                );
            }
            read.1[row - read.0.start]
        };
        rows.iter().map(state).collect()
    }
}

/// The turn-start states of a game that can be solved, in the order of its table. In games for two
/// and four players, they are only the states in which the first player throws, because the other
/// states are their mirror images.
///
/// Raises `ValueError` if the game cannot be solved.
#[pyfunction]
pub fn positions(py: Python<'_>, game: &Game) -> Result<Positions> {
    let index = TurnIndex::new(&game.race)?;
    let interrupt = Interrupt::new();
    let before = interrupt.watch(py, || {
        let (mut before, mut count) = (Vec::new(), 0);
        for number in 0..index.numbers() {
            if number.is_multiple_of(CHUNK) {
                if interrupt.is_set() {
                    break;
                }
                before.push(count);
            }
            count += usize::from(index.state_of_number(number).is_some());
        }
        before.push(count);
        before
    })?;
    Ok(Positions {
        game: game.clone(),
        index,
        before,
    })
}

#[pymethods]
impl Positions {
    fn __len__(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let count = self.__len__();
        if let Ok(number) = index.extract() {
            let row = row_of(number, count)?;
            return Ok(self
                .game
                .state(self.states(&[row])[0])
                .into_pyobject(py)?
                .into_any());
        }
        let rows: Vec<usize> = if let Ok(slice) = index.cast::<PySlice>() {
            let found = slice.indices(count as isize)?;
            (0..found.slicelength as isize)
                .map(|at| (found.start + at * found.step) as usize)
                .collect()
        } else if let Ok(mask) = index.cast::<PyArray1<bool>>() {
            ensure!(
                mask.len()? == count,
                "the index must be bool[{count}], not bool[{}]",
                mask.len()?
            );
            py.import("numpy")?
                .call_method1("flatnonzero", (mask,))?
                .extract()?
        } else {
            index
                .try_iter()?
                .map(|row| row_of(row?.extract()?, count))
                .collect::<PyResult<_>>()?
        };
        let states = py.detach(|| self.states(&rows));
        Ok(States::of(py, &self.game, &states)?
            .into_pyobject(py)?
            .into_any())
    }

    fn __iter__<'py>(slf: &Bound<'py, Positions>) -> PyResult<Bound<'py, PyAny>> {
        // Each block is found much faster than its states one by one.
        let blocks = Positions::blocks(slf, CHUNK)?;
        slf.py()
            .import("itertools")?
            .getattr("chain")?
            .call_method1("from_iterable", (blocks,))
    }

    /// Pickles the game.
    fn __reduce__<'py>(slf: &Bound<'py, Positions>) -> PyResult<(Bound<'py, PyAny>, (Game,))> {
        Ok((
            slf.py().import("ashta")?.getattr("positions")?,
            (slf.get().game.clone(),),
        ))
    }

    /// Iterates over all states in `States` of `size` states; the last one can be shorter.
    #[pyo3(signature = (size = 65536))]
    fn blocks<'py>(slf: &Bound<'py, Positions>, size: usize) -> Result<Bound<'py, PyAny>> {
        ensure!(size > 0, "`size` is 0, but must be at least 1");
        let (py, count) = (slf.py(), slf.get().__len__());
        let slice =
            |begin: usize| PySlice::new(py, begin as isize, count.min(begin + size) as isize, 1);
        let slices = PyList::new(py, (0..count).step_by(size).map(slice))?;
        Ok(py
            .import("builtins")?
            .call_method1("map", (slf.getattr("__getitem__")?, slices))?)
    }

    fn __repr__(&self) -> String {
        format!(
            "Positions({:?}, {:?}, {} states)",
            self.game.name(),
            self.game.seats(),
            self.__len__()
        )
    }
}
