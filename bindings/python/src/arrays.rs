//! Conversions for vectorized games: actions and observations as numpy arrays, and the state of a game as text.

use std::fmt::Display;

use ashta_env::game::{Action, ActionMask, Game as _, Seat};
use ashta_env::gym::Snapshot;
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ndarray::ArrayViewMut1;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::{Result, Whole, wrong_type};

/// Copies an array of action numbers. It must have integers of any type, one for each game. `what` names the array in
/// error messages.
pub fn actions_of(actions: &Bound<'_, PyAny>, what: &str, num_games: usize) -> Result<Vec<i64>> {
    let found = if let Ok(found) = actions.cast::<PyArray1<i64>>() {
        found.clone()
    } else {
        let array = actions.py().import("numpy")?.call_method1("asarray", (actions,))?;
        let (dtype, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
        if !matches!(dtype.getattr("kind")?.extract()?, 'i' | 'u') || shape.len()? != 1 {
            return Err(wrong_type(format!(
                "{what} must be integers, int64[{num_games}], not an array of {dtype} with the shape {shape}"
            )));
        }
        array.call_method1("astype", ("int64",))?.cast_into().map_err(PyErr::from)?
    };
    let found: Vec<i64> = found.try_readonly().map_err(in_use)?.as_array().iter().copied().collect();
    ensure!(found.len() == num_games, "{what} must have one action for each of {num_games} games, not {}", found.len());
    Ok(found)
}

/// The action with this number if it is legal.
pub fn legal(legal: ActionMask, action: i64) -> Option<Action> {
    u8::try_from(action).ok().filter(|&action| action < 32).map(Action).filter(|&action| legal.contains(action))
}

/// The action with this number, chosen by `who`; an error if it is not legal.
pub fn chosen(who: &str, race: &Race, state: &Position, action: impl Display, number: Option<i64>) -> Result<Action> {
    let legal_actions = race.legal_actions(state);
    let found = number.and_then(|number| legal(legal_actions, number));
    found.ok_or_else(|| {
        let position = race.print(state);
        anyhow::anyhow!("{who} chose {action}, which is not legal at `{position}`; legal actions: {legal_actions:?}")
            .into()
    })
}

/// The error for an array that another thread uses.
pub fn in_use(_: impl Display) -> PyErr {
    PyRuntimeError::new_err("another thread is using an array of these games")
}

/// Borrows numpy arrays, which are fields of `$of`, for writing.
macro_rules! writable {
    ($py:ident, $of:ident: $($array:ident),+) => {
        $(
            let mut $array = $of.$array.bind($py).try_readwrite().map_err($crate::arrays::in_use)?;
            #[allow(unused_mut, reason = "some are moved")]
            let mut $array = $array.as_array_mut();
        )+
    };
}
pub(crate) use writable;

/// Writes the observation of a seat into a row. `active` is a buffer that all rows share.
pub fn write_row(race: &Race, state: &Position, seat: Seat, mut row: ArrayViewMut1<'_, f32>, active: &mut Vec<u16>) {
    row.fill(0.0);
    active.clear();
    race.observe_active(state, seat, active);
    active.iter().for_each(|&entry| row[usize::from(entry)] = 1.0);
}

/// A snapshot of a game as text: the position in the notation, the observing player, the random generator of the
/// throws, and the numbers of turns and of throws.
pub type SnapshotText = (String, usize, String, u32, u64);

/// Converts a snapshot to text.
pub fn snapshot_text(game: &Game, snapshot: &Snapshot<Position>) -> Result<SnapshotText> {
    let Snapshot { state, observer, rng, turns, throws } = snapshot;
    Ok((game.race.print(state), game.player(*observer), serde_json::to_string(rng)?, *turns, *throws))
}

/// Reads a snapshot from text.
pub fn snapshot(game: &Game, (state, player, rng, turns, throws): SnapshotText) -> Result<Snapshot<Position>> {
    let (state, observer) = (game.race.parse_state(&state)?, game.seat(Whole(player as i64))?);
    Ok(Snapshot { state, observer, rng: serde_json::from_str(&rng)?, turns, throws })
}
