//! `States`: many positions of one game as an array of bytes.

use anyhow::Context;
use ashta_env::{
    chance,
    game::{Game as _, Node, Outcome, Seat},
    race::{
        Race,
        rows::{ROW, ROW_VERSION},
        state::State as Position,
    },
    turn::TurnResults,
};
use ndarray::Array2;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray2,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::{
    exceptions::{PyIndexError, PyRuntimeError},
    prelude::*,
    types::{PyList, PyTuple},
};
use rand::Rng;

use crate::{
    Reduced, Result, Whole,
    game::Game,
    interrupt::Interrupt,
    policy::legal,
    seed::Seed,
    state::{CHANCE, CHECK_INTERVAL, State, TERMINAL, find_ends},
    wrong_type,
};

/// The number in `actions` or `outcomes` that leaves a state unchanged.
const NONE: i64 = -1;

/// Many positions of one game in one array, like a list of `State`.
///
/// `States(states)` copies a list of `State`; an empty list needs `game`. An index selects one
/// `State`; a slice, a list of integers, `int[m]` or `bool[n]` selects `States`. `==` compares all
/// positions. States never change: methods return new `States`. A pickle contains the game.
///
/// `array` has one row of bytes for each position; docs/python.md lists the fields of the layout,
/// whose version is the first byte of each row.
#[pyclass(frozen, module = "ashta")]
pub struct States {
    /// The game.
    #[pyo3(get)]
    pub game: Game,
    array: Py<PyArray2<u8>>,
}

/// Copies an array of `count` integers of any type. `what` names the array in error messages.
pub fn numbers(found: &Bound<'_, PyAny>, what: &str, count: usize) -> Result<Vec<i64>> {
    let array = if let Ok(array) = found.cast::<PyArray1<i64>>() {
        array.clone()
    } else {
        let array = found
            .py()
            .import("numpy")?
            .call_method1("asarray", (found,))?;
        let array: Bound<'_, PyUntypedArray> = array.cast_into().map_err(PyErr::from)?;
        let (dtype, shape) = (array.dtype(), array.getattr("shape")?);
        if !(array.is_empty() || matches!(dtype.kind(), b'i' | b'u')) || array.ndim() != 1 {
            return Err(wrong_type(format!(
                "{what} must be integers, int64[{count}], not an array of {dtype} with the shape {shape}"
            )));
        }
        let numbers: Bound<'_, PyArray1<i64>> = array
            .call_method1("astype", ("int64",))?
            .cast_into()
            .map_err(PyErr::from)?;
        let is_too_large = dtype.kind() == b'u'
            && numbers
                .readonly()
                .as_array()
                .iter()
                .any(|&number| number < 0);
        ensure!(!is_too_large, "{what} has numbers of 2**63 or more");
        numbers
    };
    let array = array
        .try_readonly()
        .map_err(|_| PyRuntimeError::new_err("another thread is using an array"))?;
    let found: Vec<i64> = array.as_array().iter().copied().collect();
    ensure!(
        found.len() == count,
        "{what} must have {count} numbers, not {}",
        found.len()
    );
    Ok(found)
}

/// Whether observations have the type `uint8` instead of `float32`.
pub fn is_uint8(dtype: Option<&Bound<'_, PyAny>>) -> Result<bool> {
    let Some(dtype) = dtype else { return Ok(false) };
    let name: String = dtype
        .py()
        .import("numpy")?
        .call_method1("dtype", (dtype,))?
        .getattr("name")?
        .extract()?;
    match name.as_str() {
        "float32" => Ok(false),
        "uint8" => Ok(true),
        _ => Err(wrong_type(format!(
            "`dtype` must be float32 or uint8, not {name}"
        ))),
    }
}

/// The positions of an argument: `States` or a list of `State`; an error if they belong to another
/// game.
pub fn positions(game: &Game, states: &Bound<'_, PyAny>) -> Result<Vec<Position>> {
    if let Ok(states) = states.cast::<States>() {
        game.check(&states.get().game)?;
        return states.get().positions(states.py());
    }
    let states: Vec<PyRef<'_, State>> = states
        .extract()
        .map_err(|_| wrong_type("`states` must be `States` or a list of `State`"))?;
    states
        .iter()
        .map(|state| Ok(game.check(&state.game).map(|()| state.state)?))
        .collect()
}

/// The row of an index, which counts from the end if it is negative.
pub fn row_of(index: isize, count: usize) -> PyResult<usize> {
    let row = if index < 0 {
        index + count as isize
    } else {
        index
    };
    let row = usize::try_from(row).ok().filter(|&row| row < count);
    row.ok_or_else(|| PyIndexError::new_err(format!("index {index} of {count} states")))
}

impl States {
    /// Makes an array of positions of `game`.
    pub fn of(py: Python<'_>, game: &Game, positions: &[Position]) -> Result<States> {
        let bytes = positions.iter().flat_map(Position::to_row).collect();
        States::of_bytes(py, game, bytes)
    }

    fn of_bytes(py: Python<'_>, game: &Game, bytes: Vec<u8>) -> Result<States> {
        let array = Array2::from_shape_vec((bytes.len() / ROW, ROW), bytes)?;
        States::of_array(game, PyArray2::from_owned_array(py, array))
    }

    /// Makes the array read-only and keeps it. Its rows are rows of positions of `game`.
    fn of_array(game: &Game, array: Bound<'_, PyArray2<u8>>) -> Result<States> {
        array.getattr("flags")?.setattr("writeable", false)?;
        Ok(States {
            game: game.clone(),
            array: array.unbind(),
        })
    }

    fn rows<'py>(&self, py: Python<'py>) -> PyReadonlyArray2<'py, u8> {
        self.array.bind(py).readonly()
    }

    pub fn positions(&self, py: Python<'_>) -> Result<Vec<Position>> {
        let rows = self.rows(py);
        let rows = rows.as_slice()?;
        Ok(py.detach(|| rows.as_chunks().0.iter().map(Position::from_row).collect()))
    }

    /// Applies `change` to each position, without the interpreter lock. `change` gets the index of
    /// the position.
    fn changed(
        &self,
        py: Python<'_>,
        change: impl Fn(&Race, usize, &mut Position) -> Result<(), String> + Send + Sync,
    ) -> Result<States> {
        let (rows, race) = (self.rows(py), &*self.game.race);
        let rows = rows.as_slice()?;
        let bytes = py.detach(|| {
            let mut bytes = Vec::with_capacity(rows.len());
            for (index, row) in rows.as_chunks().0.iter().enumerate() {
                let mut state = Position::from_row(row);
                change(race, index, &mut state).map_err(|problem| {
                    anyhow::anyhow!("row {index}: {problem} at `{}`", race.print(&state))
                })?;
                bytes.extend_from_slice(&state.to_row());
            }
            anyhow::Ok(bytes)
        })?;
        States::of_bytes(py, &self.game, bytes)
    }

    /// Draws an outcome for each position; [`NONE`] where no dice are thrown.
    fn drawn(&self, py: Python<'_>, seed: Option<Seed>) -> Result<Vec<i64>> {
        let (positions, race, seed) =
            (self.positions(py)?, &*self.game.race, Seed::or_random(seed));
        let draw = |(index, state): (u64, &Position)| {
            let chances = race.chance_outcomes(state);
            let outcome = || {
                chance::outcome(chances, chance::stream(seed, index).next_u64())
                    .0
                    .into()
            };
            if chances.is_empty() { NONE } else { outcome() }
        };
        let drawn: Vec<i64> = py.detach(|| (0..).zip(&positions).map(draw).collect());
        ensure!(
            drawn.is_empty() || drawn.iter().any(|&outcome| outcome != NONE),
            "no dice are thrown in these states"
        );
        Ok(drawn)
    }

    /// Writes one row of numbers for each position.
    fn table<'py, T: Element + Copy + Send>(
        &self,
        py: Python<'py>,
        width: usize,
        zero: T,
        write: impl Fn(usize, &Position, &mut [T]) + Send + Sync,
    ) -> Result<Bound<'py, PyArray2<T>>> {
        let rows = self.rows(py);
        let rows = rows.as_slice()?;
        let table = py.detach(|| {
            let mut table = vec![zero; rows.len() / ROW * width];
            for (index, (row, out)) in rows
                .as_chunks()
                .0
                .iter()
                .zip(table.chunks_exact_mut(width))
                .enumerate()
            {
                write(index, &Position::from_row(row), out);
            }
            table
        });
        Ok(PyArray2::from_owned_array(
            py,
            Array2::from_shape_vec((rows.len() / ROW, width), table)?,
        ))
    }

    /// The observations of the seats; `None` for a row of zeros.
    fn observed<'py, T: Element + Copy + Send + Sync + From<u8>>(
        &self,
        py: Python<'py>,
        seats: &[Option<Seat>],
    ) -> Result<Bound<'py, PyAny>> {
        let race = &*self.game.race;
        let write = |index: usize, state: &Position, out: &mut [T]| {
            let Some(seat) = seats[index] else { return };
            let mut active = Vec::with_capacity(64);
            race.observe_active(state, seat, &mut active);
            active
                .iter()
                .for_each(|&entry| out[usize::from(entry)] = T::from(1));
        };
        Ok(self
            .table(py, race.spec().observation, T::from(0), write)?
            .into_any())
    }

    /// The number that `player` returns for each state.
    fn numbered<'py>(
        &self,
        py: Python<'py>,
        player: impl Fn(&Game, Node) -> i64 + Send + Sync,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let positions = self.positions(py)?;
        let game = &self.game;
        Ok(PyArray1::from_iter(
            py,
            positions
                .iter()
                .map(|state| player(game, game.race.node(state))),
        ))
    }
}

/// The player whose turn it is; [`TERMINAL`] at the end of a game.
fn turn_player(game: &Game, node: Node) -> i64 {
    match node {
        Node::Chance(seat) | Node::Decision(seat) => game.player(seat) as i64,
        Node::Terminal => TERMINAL.into(),
    }
}

#[pymethods]
impl States {
    #[new]
    #[pyo3(signature = (states, game = None))]
    pub fn new(py: Python<'_>, states: &Bound<'_, PyAny>, game: Option<&Game>) -> Result<States> {
        let game = match game {
            Some(game) => game.clone(),
            None => states
                .get_item(0)
                .and_then(|first| Ok(first.cast::<State>()?.borrow().get_game()))
                .map_err(|_| {
                    wrong_type("`states` must be a list of `State`; an empty list needs `game`")
                })?,
        };
        States::of(py, &game, &positions(&game, states)?)
    }

    /// Reads positions in the notation. Without `game`, the first text defines the game, which must
    /// be built in.
    ///
    /// Raises `ValueError` with the index of the first text that is not a position of the game.
    #[staticmethod]
    #[pyo3(signature = (texts, game = None))]
    fn parse(py: Python<'_>, texts: Vec<String>, game: Option<&Game>) -> Result<States> {
        let game = match (game, texts.first()) {
            (Some(game), _) => game.clone(),
            (None, Some(text)) => Race::parse_position(text)?.0.into(),
            (None, None) => return Err(wrong_type("an empty list needs `game`")),
        };
        let read = |(index, text): (usize, &String)| {
            game.race
                .parse_state(text)
                .map_err(|error| anyhow::anyhow!("text {index}: {error}"))
        };
        let positions = texts
            .iter()
            .enumerate()
            .map(read)
            .collect::<Result<Vec<_>, _>>()?;
        States::of(py, &game, &positions)
    }

    /// Copies rows with the layout of `array`, `uint8[n, 85]`, and checks every row.
    ///
    /// Raises `ValueError` with the index of the first row that is not a position of `game`.
    #[staticmethod]
    fn from_numpy(py: Python<'_>, array: &Bound<'_, PyAny>, game: &Game) -> Result<States> {
        let wrong = || wrong_type(format!("`array` must be uint8[n, {ROW}]"));
        let array: &Bound<'_, PyArray2<u8>> = array.cast().map_err(|_| wrong())?;
        if array.shape()[1] != ROW {
            return Err(wrong());
        }
        let rows = array
            .try_readonly()
            .map_err(|_| wrong_type("another thread is using `array`"))?;
        let read = |(index, row): (usize, ndarray::ArrayView1<'_, u8>)| {
            game.race
                .state_of_row(&row.to_vec())
                .map_err(|error| anyhow::anyhow!("row {index}: {error}"))
        };
        let positions = rows
            .as_array()
            .rows()
            .into_iter()
            .enumerate()
            .map(read)
            .collect::<Result<Vec<_>, _>>()?;
        States::of(py, game, &positions)
    }

    /// Joins `States` of one game; the list must not be empty.
    #[staticmethod]
    fn concatenate(py: Python<'_>, parts: Vec<PyRef<'_, States>>) -> Result<States> {
        let Some(first) = parts.first() else {
            return Err(wrong_type("there is nothing to concatenate"));
        };
        parts
            .iter()
            .try_for_each(|part| first.game.check(&part.game))?;
        let arrays = PyList::new(py, parts.iter().map(|part| &part.array))?;
        let joined = py.import("numpy")?.call_method1("concatenate", (arrays,))?;
        States::of_array(&first.game, joined.cast_into().map_err(PyErr::from)?)
    }

    /// Restores pickled states.
    #[staticmethod]
    fn _restored(game: &Game, array: Bound<'_, PyArray2<u8>>) -> Result<States> {
        ensure!(
            array.shape()[1] == ROW,
            "the pickle has rows of {} bytes, not {ROW}",
            array.shape()[1]
        );
        let is_known = array
            .readonly()
            .as_array()
            .column(0)
            .iter()
            .all(|&version| version == ROW_VERSION);
        ensure!(
            is_known,
            "the pickle has another layout than version {ROW_VERSION}"
        );
        let array = array
            .py()
            .import("numpy")?
            .call_method1("ascontiguousarray", (array,))?;
        States::of_array(game, array.cast_into().map_err(PyErr::from)?)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, States>,
    ) -> PyResult<Reduced<'py, (Game, Py<PyArray2<u8>>)>> {
        Ok((
            slf.getattr("_restored")?,
            (slf.get().game.clone(), slf.get().array.clone_ref(slf.py())),
        ))
    }

    /// The positions as read-only bytes, `uint8[n, 85]`; not a copy.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array.bind(py).call_method0("view")
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.array.bind(py).shape()[0]
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let array = self.array.bind(py);
        if let Ok(number) = index.extract::<isize>() {
            let row = row_of(number, array.shape()[0])?;
            let rows = self.rows(py);
            let state = Position::from_row(&rows.as_slice()?.as_chunks().0[row]);
            return Ok(self.game.state(state).into_pyobject(py)?.into_any());
        }
        let wrong = || {
            PyIndexError::new_err("states have one index: an integer, a slice, int[m] or bool[n]")
        };
        if index.is_instance_of::<PyTuple>() {
            return Err(wrong().into());
        }
        let found = py
            .import("numpy")?
            .call_method1("ascontiguousarray", (array.get_item(index)?,))?;
        let found = found
            .cast_into::<PyArray2<u8>>()
            .ok()
            .filter(|found| found.shape()[1] == ROW);
        Ok(States::of_array(&self.game, found.ok_or_else(wrong)?)?
            .into_pyobject(py)?
            .into_any())
    }

    fn __iter__<'py>(slf: &Bound<'py, States>) -> PyResult<Bound<'py, PyAny>> {
        let builtins = slf.py().import("builtins")?;
        let range = builtins.call_method1("range", (slf.len()?,))?;
        builtins.call_method1("map", (slf.getattr("__getitem__")?, range))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> Result<bool> {
        let Ok(other) = other.cast::<States>() else {
            return Ok(false);
        };
        let other = other.get();
        Ok(self.game == other.game && self.positions(py)? == other.positions(py)?)
    }

    /// The observation of each state, `dtype[n, observation]` of zeros and ones; `dtype` is float32
    /// or uint8.
    ///
    /// `players`, a number or `int[n]`, are the players who observe. By default it is the player
    /// whose turn it is, and a finished game has zeros.
    #[pyo3(signature = (players = None, *, dtype = None))]
    #[pyo3(text_signature = "($self, /, players=None, *, dtype='float32')")]
    fn observations<'py>(
        &self,
        py: Python<'py>,
        players: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let count = self.__len__(py);
        let seat = |player: i64| self.game.seat(Whole(player)).map(Some);
        let seats: Vec<Option<Seat>> = match players {
            None => {
                let seat = |state: &Position| match self.game.race.node(state) {
                    Node::Chance(seat) | Node::Decision(seat) => Some(seat),
                    Node::Terminal => None,
                };
                self.positions(py)?.iter().map(seat).collect()
            }
            Some(players) => match players.extract::<i64>() {
                Ok(player) => vec![seat(player)?; count],
                Err(_) => numbers(players, "`players`", count)?
                    .into_iter()
                    .map(seat)
                    .collect::<Result<_>>()?,
            },
        };
        if is_uint8(dtype)? {
            self.observed::<u8>(py, &seats)
        } else {
            self.observed::<f32>(py, &seats)
        }
    }

    /// Whether each action is legal, `bool[n, actions]`; all `False` where no player chooses.
    fn masks<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<bool>>> {
        let race = &*self.game.race;
        let write = |_: usize, state: &Position, out: &mut [bool]| {
            race.legal_actions(state)
                .iter()
                .for_each(|action| out[usize::from(action.0)] = true);
        };
        self.table(py, race.spec().actions, false, write)
    }

    /// The player who chooses in each state, `int64[n]`; -1 at chance nodes, -4 at the end.
    fn players<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<i64>>> {
        let player = |game: &Game, node| match node {
            Node::Chance(_) => CHANCE.into(),
            other => turn_player(game, other),
        };
        self.numbered(py, player)
    }

    /// The player whose turn it is in each state, `int64[n]`, also at chance nodes; -4 at the end.
    fn turn_players<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<i64>>> {
        self.numbered(py, turn_player)
    }

    /// The return of each player in each state, `float32[n, num_players]`, 0 to 1; zeros before the
    /// end.
    fn returns<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f32>>> {
        let race = &*self.game.race;
        let write = |_: usize, state: &Position, out: &mut [f32]| {
            let returns = race.returns(state);
            out.iter_mut()
                .zip(race.spec().seats.iter())
                .for_each(|(out, seat)| *out = returns[seat]);
        };
        self.table(py, race.spec().seats.len(), 0.0, write)
    }

    /// The probability of each outcome in each state, `float64[n, max_chance_outcomes]`; zeros
    /// where no dice are thrown.
    fn chance_outcomes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        let race = &*self.game.race;
        let write = |_: usize, state: &Position, out: &mut [f64]| {
            out.iter_mut()
                .zip(race.chance_outcomes(state).iter())
                .for_each(|(out, &chance)| *out = chance);
        };
        self.table(py, self.game.max_chance_outcomes(), 0.0, write)
    }

    /// The positions in the notation.
    fn text(&self, py: Python<'_>) -> Result<Vec<String>> {
        Ok(self
            .positions(py)?
            .iter()
            .map(|state| self.game.race.print(state))
            .collect())
    }

    /// Applies one action to each state, `int[n]`; -1 leaves a state unchanged. Raises `ValueError`
    /// with the first action that is not legal.
    fn apply(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> Result<States> {
        let actions = numbers(actions, "`actions`", self.__len__(py))?;
        self.changed(py, |race, index, state| {
            let (number, legal_actions) = (actions[index], race.legal_actions(state));
            match legal(legal_actions, number) {
                Some(action) => race.apply_action(state, action),
                None if number == NONE => {}
                None => {
                    return Err(format!(
                        "action {number} is not legal; legal actions: {legal_actions:?};"
                    ));
                }
            }
            Ok(())
        })
    }

    /// Draws an outcome for `throw` in each state, `int64[n]`; -1 where no dice are thrown. State
    /// `i` uses stream `i` of `seed`; without `seed`, the seed is random.
    ///
    /// Raises `ValueError` if no dice are thrown in any state.
    #[pyo3(signature = (seed = None))]
    fn draw_outcomes<'py>(
        &self,
        py: Python<'py>,
        seed: Option<Seed>,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.drawn(py, seed)?))
    }

    /// Throws the dice once in each state: with chosen `outcomes`, `int[n]`, where -1 leaves a
    /// state unchanged; or at random, with `draw_outcomes(seed)`.
    ///
    /// Raises `ValueError` with the first outcome that is not possible.
    #[pyo3(signature = (outcomes = None, *, seed = None))]
    fn throw(
        &self,
        py: Python<'_>,
        outcomes: Option<&Bound<'_, PyAny>>,
        seed: Option<Seed>,
    ) -> Result<States> {
        let outcomes = match (outcomes, seed) {
            (Some(outcomes), None) => numbers(outcomes, "`outcomes`", self.__len__(py))?,
            (None, Some(_)) => self.drawn(py, seed)?,
            _ => return Err(wrong_type("give either `outcomes` or `seed`")),
        };
        self.changed(py, |race, index, state| {
            let (number, chances) = (outcomes[index], race.chance_outcomes(state));
            if number == NONE {
                return Ok(());
            }
            let is_possible =
                |outcome: &usize| chances.get(*outcome).is_some_and(|&chance| chance > 0.0);
            let Some(outcome) = usize::try_from(number).ok().filter(is_possible) else {
                return Err(format!("outcome {number} is not possible"));
            };
            race.apply_chance(state, Outcome(outcome as u8));
            Ok(())
        })
    }

    /// All afterstates of these states: `(afterstates, owner)`. For each afterstate, `owner` has
    /// the index of its state: `int64[m]`, in ascending order. States where no player chooses have
    /// no afterstates.
    ///
    /// Raises `ValueError` if a turn passes through more positions than `limit`, as
    /// `State.turn_results` does.
    #[pyo3(signature = (limit = None))]
    fn afterstates<'py>(
        &self,
        py: Python<'py>,
        limit: Option<usize>,
    ) -> Result<(States, Bound<'py, PyArray1<i64>>)> {
        let (states, owners, _) = self.turns(py, limit)?;
        Ok((states, owners))
    }

    /// Like `afterstates`, with the first action towards each afterstate:
    /// `(afterstates, owner, actions)`, with `actions` `int64[m]`.
    #[pyo3(signature = (limit = None))]
    #[expect(clippy::type_complexity, reason = "it is a tuple in Python")]
    fn turns<'py>(
        &self,
        py: Python<'py>,
        limit: Option<usize>,
    ) -> Result<(States, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
        let (positions, race, interrupt) =
            (self.positions(py)?, &*self.game.race, Interrupt::new());
        let found = interrupt.watch(py, || {
            let mut results = TurnResults::new();
            let (mut bytes, mut owners, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
            for (owner, state) in positions.iter().enumerate() {
                if owner.is_multiple_of(CHECK_INTERVAL) && interrupt.is_set() {
                    break;
                }
                find_ends(race, state, limit, &interrupt, &mut results)
                    .with_context(|| format!("row {owner}"))?;
                for (index, end) in results.states().iter().enumerate() {
                    bytes.extend_from_slice(&end.to_row());
                    owners.push(owner as i64);
                    firsts.push(i64::from(results.actions(index)[0].0));
                }
            }
            anyhow::Ok((bytes, owners, firsts))
        })?;
        let (bytes, owners, firsts) = found?;
        let states = States::of_bytes(py, &self.game, bytes)?;
        Ok((
            states,
            PyArray1::from_vec(py, owners),
            PyArray1::from_vec(py, firsts),
        ))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "States({:?}, {:?}, {} states)",
            self.game.name(),
            self.game.seats(),
            self.__len__(py)
        )
    }
}
