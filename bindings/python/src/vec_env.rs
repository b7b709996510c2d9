//! `VectorGame`: many games in lock-step, written into arrays of numpy that stay where they are.

use std::sync::{Arc, Mutex};

use ashta_env::game::{Action, Game as _, MAX_SEATS};
use ashta_env::gym::{StepError, VecBuffers, VecEnv};
use ashta_env::race::Race;
use ndarray::{Array1, Array2};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis, PyTuple};

use crate::arrays::{SnapshotText, actions_of, in_use, snapshot, snapshot_text};
use crate::game::{Game, check_count};
use crate::interrupt::alone;
use crate::refused;

/// Many games that are stepped together, in arrays that stay where they are. A game that ends begins anew at once:
/// `observations` are already those of the next game. Its last position is in `final_observations`, as Gymnasium's
/// `final_obs`. One thread at a time can use the games.
#[pyclass(frozen, module = "ashta")]
#[derive(Debug)]
pub struct VectorGame {
    race: Arc<Race>,
    num_games: usize,
    games: Mutex<Games>,
    observations: Py<PyArray2<f32>>,
    legal_actions: Py<PyArray2<bool>>,
    players: Py<PyArray1<i64>>,
    returns: Py<PyArray2<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    final_observations: Py<PyArray2<f32>>,
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
        let race = &self.race;
        let mut observations = self.observations.bind(py).try_readwrite().map_err(in_use)?;
        let mut legal_actions = self.legal_actions.bind(py).try_readwrite().map_err(in_use)?;
        let mut players = self.players.bind(py).try_readwrite().map_err(in_use)?;
        let mut returns = self.returns.bind(py).try_readwrite().map_err(in_use)?;
        let mut terminated = self.terminated.bind(py).try_readwrite().map_err(in_use)?;
        let mut truncated = self.truncated.bind(py).try_readwrite().map_err(in_use)?;
        let mut final_observations = self.final_observations.bind(py).try_readwrite().map_err(in_use)?;
        let mut final_players = self.final_players.bind(py).try_readwrite().map_err(in_use)?;
        let (mut players, mut returns) = (players.as_array_mut(), returns.as_array_mut());
        let mut final_players = final_players.as_array_mut();
        let mut out = VecBuffers {
            observations: observations.as_array_mut(),
            masks: legal_actions.as_array_mut(),
            seats: seats.view_mut(),
            returns: returns_by_seat.view_mut(),
            terminated: terminated.as_array_mut(),
            truncated: truncated.as_array_mut(),
            final_observations: final_observations.as_array_mut(),
            final_seats: final_seats.view_mut(),
        };
        Ok(py.detach(move || {
            let done = act(envs, &mut out);
            let all: Vec<_> = race.spec().seats.iter().collect();
            let mut number = [0; MAX_SEATS];
            all.iter().enumerate().for_each(|(player, seat)| number[seat.index()] = player as i64);
            for (player, &seat) in players.iter_mut().zip(out.seats.iter()) {
                *player = number[usize::from(seat) % MAX_SEATS];
            }
            let has_ended =
                out.terminated.iter().zip(&out.truncated).map(|(&terminated, &truncated)| terminated | truncated);
            for ((player, &seat), has_ended) in final_players.iter_mut().zip(out.final_seats.iter()).zip(has_ended) {
                *player = if has_ended { number[usize::from(seat) % MAX_SEATS] } else { NONE };
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
    fn new(py: Python<'_>, game: &Game, num_games: usize) -> PyResult<VectorGame> {
        let spec = game.race.spec();
        check_count(&game.race, num_games)?;
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
            legal_actions: PyArray2::from_array(py, &Array2::from_elem((num_games, spec.actions), false)).unbind(),
            players: PyArray1::zeros(py, [num_games], false).unbind(),
            returns: PyArray2::zeros(py, [num_games, spec.seats.len()], false).unbind(),
            terminated: PyArray1::from_array(py, &Array1::from_elem(num_games, false)).unbind(),
            truncated: PyArray1::from_array(py, &Array1::from_elem(num_games, false)).unbind(),
            final_observations: PyArray2::zeros(py, [num_games, spec.observation], false).unbind(),
            final_players: PyArray1::from_array(py, &Array1::from_elem(num_games, NONE)).unbind(),
            race: Arc::clone(&game.race),
        })
    }

    /// The game that is played.
    #[getter]
    fn game(&self) -> Game {
        Game { race: Arc::clone(&self.race) }
    }

    /// How many games there are.
    #[getter]
    fn num_games(&self) -> usize {
        self.num_games
    }

    /// Begins all games; game `i` throws by stream `i` of `seed`.
    #[pyo3(signature = (seed = 0))]
    fn reset(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        let mut games = alone(&self.games)?;
        self.write(py, &mut games, |envs, out| envs.reset(seed, out))?;
        games.has_begun = true;
        Ok(())
    }

    /// Takes one action in every game, `int[num_games]`. When one is not legal, it is a `ValueError` and no game has
    /// moved.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = actions_of(actions, "`actions`", self.num_games)?;
        let mut games = alone(&self.games)?;
        if !games.has_begun {
            return Err(PyValueError::new_err("the games have not begun: call `reset` first"));
        }
        // What is no number of an action is one that is never legal.
        let action = |&number: &i64| Action(u8::try_from(number).ok().filter(|&number| number < 32).unwrap_or(u8::MAX));
        let actions: Vec<Action> = actions.iter().map(action).collect();
        let stepped: Result<(), StepError> = self.write(py, &mut games, |envs, out| envs.step(&actions, out))?;
        stepped.map_err(refused)
    }

    /// What the players to act see, `float32[num_games, observation]`; the same array all the time.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.observations.bind(py).clone()
    }

    /// What they may do, `bool[num_games, actions]`.
    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        self.legal_actions.bind(py).clone()
    }

    /// Who they are, `int64[num_games]`.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.players.bind(py).clone()
    }

    /// What each player got from a game that the last step ended, else zeros, `float32[num_games, num_players]`.
    #[getter]
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.returns.bind(py).clone()
    }

    /// Whether the last step ended the game by its rules, `bool[num_games]`.
    #[getter]
    fn terminated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.terminated.bind(py).clone()
    }

    /// Whether the last step truncated the game at the turn limit, `bool[num_games]`.
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.truncated.bind(py).clone()
    }

    /// The last position of a game that the last step ended, as its player of `final_players` sees it, else zeros.
    ///
    /// `float32[num_games, observation]`. Of a truncated game it is the position before the next throw; at the end by
    /// the rules it shows the pieces of all seats, but no mover, phase or throws.
    #[getter]
    fn final_observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.final_observations.bind(py).clone()
    }

    /// Who sees the final observation, `int64[num_games]`; -1 where the last step did not end the game.
    ///
    /// Where it truncated the game, the player to throw next; where the game is over, the player of the last move.
    #[getter]
    fn final_players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.final_players.bind(py).clone()
    }

    /// The games go on where they stand, throws included.
    fn __reduce__<'py>(slf: &Bound<'py, VectorGame>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, many) = (slf.py(), slf.get());
        let games = alone(&many.games)?;
        let stands = games.envs.envs().iter().map(|env| snapshot_text(&many.race, &env.snapshot()));
        let stands = stands.collect::<PyResult<Vec<SnapshotText>>>()?;
        let arrays = PyDict::new(py);
        for name in ARRAYS {
            arrays.set_item(name, slf.getattr(name)?)?;
        }
        let arguments = (many.game(), many.num_games).into_pyobject(py)?;
        (slf.get_type(), arguments, (games.has_begun, stands, arrays).into_pyobject(py)?).into_pyobject(py)
    }

    fn __setstate__(slf: &Bound<'_, VectorGame>, state: (bool, Vec<SnapshotText>, Bound<'_, PyDict>)) -> PyResult<()> {
        let (many, (has_begun, stands, arrays)) = (slf.get(), state);
        if stands.len() != many.num_games {
            return Err(PyValueError::new_err(format!("{} games, not {}", stands.len(), many.num_games)));
        }
        for name in ARRAYS {
            slf.getattr(name)?.set_item(PyEllipsis::get(slf.py()), arrays.as_any().get_item(name)?)?;
        }
        let final_players = many.final_players.bind(slf.py()).readonly();
        let ended = final_players.as_array().iter().map(|&player| player != NONE).collect::<Vec<bool>>();
        let stands = stands.into_iter().map(|stands| snapshot(&many.race, stands)).collect::<PyResult<Vec<_>>>()?;
        let mut games = alone(&many.games)?;
        games.envs = VecEnv::resume(&many.race, stands.into_iter().zip(ended));
        games.has_begun = has_begun;
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("VectorGame({:?}, {:?}, {} games)", self.race.spec().name, Game::letters(&self.race), self.num_games)
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
