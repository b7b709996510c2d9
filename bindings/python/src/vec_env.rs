//! `VectorGame`: many games in lock-step, written into arrays of numpy that stay where they are.

use std::sync::{Arc, Mutex};

use ashta_env::game::{Action, Game as _, MAX_SEATS, Seat};
use ashta_env::gym::{VecBuffers, VecEnv};
use ashta_env::race::Race;
use ndarray::{Array1, Array2};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis, PyTuple};

use crate::Result;
use crate::arrays::{SnapshotText, actions_of, snapshot, snapshot_text, writable};
use crate::game::Game;
use crate::interrupt::alone;

/// Many games that are stepped together, in arrays that stay where they are. A game that ends begins anew at once:
/// `observations` are already those of the next game. Its last position is in `final_observations`, as Gymnasium's
/// `final_obs`. One thread at a time can use the games.
#[pyclass(frozen, module = "ashta")]
#[derive(Debug)]
pub struct VectorGame {
    /// The game that is played.
    #[pyo3(get)]
    game: Game,
    /// How many games there are.
    #[pyo3(get)]
    num_games: usize,
    games: Mutex<Games>,
    /// What the players to act see, `float32[num_games, observation]`; the same array all the time.
    #[pyo3(get)]
    observations: Py<PyArray2<f32>>,
    /// What they may do, `bool[num_games, actions]`.
    #[pyo3(get)]
    legal_actions: Py<PyArray2<bool>>,
    /// Who they are, `int64[num_games]`.
    #[pyo3(get)]
    players: Py<PyArray1<i64>>,
    /// What each player got from a game that the last step ended, else zeros, `float32[num_games, num_players]`.
    #[pyo3(get)]
    returns: Py<PyArray2<f32>>,
    /// Whether the last step ended the game by its rules, `bool[num_games]`.
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
    /// Whether the last step truncated the game at the turn limit, `bool[num_games]`.
    #[pyo3(get)]
    truncated: Py<PyArray1<bool>>,
    /// The last position of a game that the last step ended, as its player of `final_players` sees it, else zeros.
    ///
    /// `float32[num_games, observation]`. Of a truncated game it is the position before the next throw; at the end by
    /// the rules it shows the pieces of all seats, but no mover, phase or throws.
    #[pyo3(get)]
    final_observations: Py<PyArray2<f32>>,
    /// Who sees the final observation, `int64[num_games]`; -1 where the last step did not end the game.
    ///
    /// Where it truncated the game, the player to throw next; where the game is over, the player of the last move.
    #[pyo3(get)]
    final_players: Py<PyArray1<i64>>,
}

/// The games, and what is written of seats.
#[derive(Debug)]
struct Games {
    envs: VecEnv<Race>,
    has_begun: bool,
    /// Who is to act, who sees the final observation, by seat, and what each seat got: as the environment writes it.
    seats: Array1<u8>,
    final_seats: Array1<u8>,
    returns_by_seat: Array2<f32>,
}

/// No player.
const NONE: i64 = -1;

impl VectorGame {
    /// Lets `act` write into the arrays, without the interpreter lock.
    fn write<T: Send>(
        &self,
        py: Python<'_>,
        games: &mut Games,
        act: impl FnOnce(&mut VecEnv<Race>, &mut VecBuffers<'_>) -> T + Send,
    ) -> PyResult<T> {
        let Games { envs, seats, final_seats, returns_by_seat, .. } = games;
        writable!(py, self: observations, legal_actions, players, returns);
        writable!(py, self: terminated, truncated, final_observations, final_players);
        let mut out = VecBuffers {
            observations,
            masks: legal_actions,
            seats: seats.view_mut(),
            returns: returns_by_seat.view_mut(),
            terminated,
            truncated,
            final_observations,
            final_seats: final_seats.view_mut(),
        };
        Ok(py.detach(move || {
            let done = act(envs, &mut out);
            let all: Vec<Seat> = self.game.race.spec().seats.iter().collect();
            let number =
                |seat: u8| all.iter().position(|own| own.index() == usize::from(seat)).map_or(NONE, |of| of as i64);
            for game in 0..self.num_games {
                players[game] = number(out.seats[game]);
                let has_ended = out.terminated[game] | out.truncated[game];
                final_players[game] = if has_ended { number(out.final_seats[game]) } else { NONE };
            }
            for (mut own, by_seat) in returns.rows_mut().into_iter().zip(out.returns.rows()) {
                own.iter_mut().zip(&all).for_each(|(own, seat)| *own = by_seat[seat.index()]);
            }
            done
        }))
    }
}

#[pymethods]
impl VectorGame {
    #[new]
    fn new(py: Python<'_>, game: &Game, num_games: usize) -> Result<VectorGame> {
        let spec = game.race.spec();
        game.check_count(num_games)?;
        Ok(VectorGame {
            num_games,
            games: Mutex::new(Games {
                envs: VecEnv::new(Arc::clone(&game.race), num_games),
                has_begun: false,
                seats: Array1::zeros(num_games),
                final_seats: Array1::zeros(num_games),
                returns_by_seat: Array2::zeros((num_games, MAX_SEATS)),
            }),
            observations: PyArray2::zeros(py, [num_games, spec.observation], false).unbind(),
            legal_actions: PyArray2::zeros(py, [num_games, spec.actions], false).unbind(),
            players: PyArray1::zeros(py, [num_games], false).unbind(),
            returns: PyArray2::zeros(py, [num_games, spec.seats.len()], false).unbind(),
            terminated: PyArray1::zeros(py, [num_games], false).unbind(),
            truncated: PyArray1::zeros(py, [num_games], false).unbind(),
            final_observations: PyArray2::zeros(py, [num_games, spec.observation], false).unbind(),
            final_players: PyArray1::from_array(py, &Array1::from_elem(num_games, NONE)).unbind(),
            game: game.clone(),
        })
    }

    /// Begins all games; game `i` throws by stream `i` of `seed`.
    #[pyo3(signature = (seed = 0))]
    fn reset(&self, py: Python<'_>, seed: u64) -> Result<()> {
        let mut games = alone(&self.games)?;
        self.write(py, &mut games, |envs, out| envs.reset(seed, out))?;
        games.has_begun = true;
        Ok(())
    }

    /// Takes one action in every game, `int[num_games]`. When one is not legal, it is a `ValueError` and no game has
    /// moved.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> Result<()> {
        let actions = actions_of(actions, "`actions`", self.num_games)?;
        let mut games = alone(&self.games)?;
        ensure!(games.has_begun, "the games have not begun: call `reset` first");
        // What is no number of an action is one that is never legal.
        let action = |&number: &i64| Action(u8::try_from(number).ok().filter(|&number| number < 32).unwrap_or(u8::MAX));
        let actions: Vec<Action> = actions.iter().map(action).collect();
        Ok(self.write(py, &mut games, |envs, out| envs.step(&actions, out))??)
    }

    /// The games go on where they stand, throws included.
    fn __reduce__<'py>(slf: &Bound<'py, VectorGame>) -> Result<Bound<'py, PyTuple>> {
        let (py, many) = (slf.py(), slf.get());
        let games = alone(&many.games)?;
        let stands = games.envs.envs().iter().map(|env| snapshot_text(&many.game.race, &env.snapshot()));
        let stands = stands.collect::<Result<Vec<SnapshotText>>>()?;
        let arrays = PyDict::new(py);
        for name in ARRAYS {
            arrays.set_item(name, slf.getattr(name)?)?;
        }
        let arguments = (many.game.clone(), many.num_games);
        Ok((slf.get_type(), arguments, (games.has_begun, stands, arrays)).into_pyobject(py)?)
    }

    fn __setstate__(slf: &Bound<'_, VectorGame>, state: (bool, Vec<SnapshotText>, Bound<'_, PyDict>)) -> Result<()> {
        let (many, (has_begun, stands, arrays)) = (slf.get(), state);
        ensure!(stands.len() == many.num_games, "{} games, not {}", stands.len(), many.num_games);
        for name in ARRAYS {
            slf.getattr(name)?.set_item(PyEllipsis::get(slf.py()), arrays.as_any().get_item(name)?)?;
        }
        let final_players = many.final_players.bind(slf.py()).readonly();
        let ended = final_players.as_array().iter().map(|&player| player != NONE).collect::<Vec<bool>>();
        let stands = stands.into_iter().map(|stands| snapshot(&many.game.race, stands)).collect::<Result<Vec<_>>>()?;
        let mut games = alone(&many.games)?;
        games.envs = VecEnv::resume(&many.game.race, stands.into_iter().zip(ended));
        games.has_begun = has_begun;
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("VectorGame({:?}, {:?}, {} games)", self.game.name(), self.game.seats(), self.num_games)
    }
}

/// The arrays by their names.
const ARRAYS: [&str; 8] = [
    "observations",
    "legal_actions",
    "players",
    "returns",
    "terminated",
    "truncated",
    "final_observations",
    "final_players",
];
