//! What games of many kinds have in common at the border to Python: actions and observations in arrays of numpy, and
//! where a game stands, as text.

use std::fmt::Display;

use ashta_env::chance::GameRng;
use ashta_env::game::{Action, ActionMask, Game as _, Node, Seat};
use ashta_env::gym::Snapshot;
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ndarray::ArrayViewMut1;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::refused;

/// Actions by their numbers, as a copy: whole numbers of any kind, one for each game. `what` they are is for messages.
pub fn actions_of(actions: &Bound<'_, PyAny>, what: &str, num_games: usize) -> PyResult<Vec<i64>> {
    let found = match actions.cast::<PyArray1<i64>>() {
        Ok(found) => found.clone(),
        Err(_) => {
            let numpy = actions.py().import("numpy")?;
            let array = numpy.call_method1("asarray", (actions,))?;
            let (dtype, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
            let kind: String = dtype.getattr("kind")?.extract()?;
            if !matches!(kind.as_str(), "i" | "u") || shape.len()? != 1 {
                return Err(PyTypeError::new_err(format!(
                    "{what} are whole numbers, int64[{num_games}], not an array of {dtype} with the shape {shape}"
                )));
            }
            array.call_method1("astype", ("int64",))?.cast_into()?
        }
    };
    let found: Vec<i64> = found.try_readonly().map_err(in_use)?.as_array().iter().copied().collect();
    match found.len() == num_games {
        true => Ok(found),
        false => Err(PyValueError::new_err(format!("{} actions for {num_games} games", found.len()))),
    }
}

/// The action of this number, if it is legal.
pub fn legal(legal: ActionMask, action: i64) -> Option<Action> {
    u8::try_from(action).ok().filter(|&action| action < 32).map(Action).filter(|&action| legal.contains(action))
}

/// An array that another thread reads or writes just now.
pub fn in_use(_: impl Display) -> PyErr {
    PyRuntimeError::new_err("an array of these games is in use by another thread")
}

/// The seat to choose.
pub fn seat_to_act(race: &Race, state: &Position) -> Option<Seat> {
    match race.node(state) {
        Node::Decision(seat) => Some(seat),
        Node::Chance(_) | Node::Terminal => None,
    }
}

/// Writes what a seat sees into a row; `active` is reused from row to row.
pub fn write_row(race: &Race, state: &Position, seat: Seat, mut row: ArrayViewMut1<'_, f32>, active: &mut Vec<u16>) {
    row.fill(0.0);
    active.clear();
    race.observe_active(state, seat, active);
    active.iter().for_each(|&entry| row[usize::from(entry)] = 1.0);
}

/// Where a game stands: the position in the notation, the generator of its throws, turns and throws.
pub type SnapshotText = (String, String, u32, u64);

/// A generator as text.
pub fn generator_text(rng: &GameRng) -> PyResult<String> {
    serde_json::to_string(rng).map_err(refused)
}

/// The generator of a text.
pub fn generator(text: &str) -> PyResult<GameRng> {
    serde_json::from_str(text).map_err(refused)
}

/// Where a game stands, as text.
pub fn snapshot_text(race: &Race, snapshot: &Snapshot<Position>) -> PyResult<SnapshotText> {
    let Snapshot { state, rng, turns, throws } = snapshot;
    Ok((race.print(state), generator_text(rng)?, *turns, *throws))
}

/// Where a game stands, of a text.
pub fn snapshot(race: &Race, (state, rng, turns, throws): SnapshotText) -> PyResult<Snapshot<Position>> {
    Ok(Snapshot { state: race.parse_state(&state).map_err(refused)?, rng: generator(&rng)?, turns, throws })
}
