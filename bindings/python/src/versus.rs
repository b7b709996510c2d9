//! `VersusGame`: many games of one player against an agent, in lock-step.

use std::sync::{Arc, Mutex, PoisonError};

use ashta_agents::play::agent::Agent as Acting;
use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Action, Game as _, Seat};
use ashta_env::gym::Env;
use ashta_env::race::Race;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::Rng;

use crate::agent::Agent;
use crate::game::{Game, State, check_count};
use crate::refused;

/// Many games of one player against an agent, who plays all other seats.
#[pyclass(module = "ashta")]
#[expect(missing_debug_implementations, reason = "it holds an agent")]
pub struct VersusGame {
    race: Arc<Race>,
    tables: Vec<Table>,
    opponent: Mutex<Box<dyn Acting<Race> + Send>>,
    /// The player that the caller is; `None`: drawn anew for each game.
    player: Option<Seat>,
    has_begun: bool,
    observations: Py<PyArray2<f32>>,
    legal_actions: Py<PyArray2<bool>>,
    rewards: Py<PyArray1<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
}

/// One of the games.
struct Table {
    env: Env<Race>,
    /// Draws the seeds of games, who the caller is, and what the opponent draws.
    rng: GameRng,
    own: Seat,
}

impl Table {
    fn is_over(&self) -> bool {
        self.env.is_terminated() || self.env.is_truncated()
    }

    fn begin(&mut self, player: Option<Seat>) {
        let seats = self.env.game().spec().seats;
        self.env.reset(self.rng.next_u64());
        let drawn = chance::below(seats.len(), &mut self.rng);
        self.own = player.or_else(|| seats.iter().nth(drawn)).unwrap_or(Seat::SOUTH);
    }
}

/// Lets the opponent play wherever it has to choose.
fn play_on(race: &Race, tables: &mut [Table], opponent: &mut (dyn Acting<Race> + Send)) {
    loop {
        let waits = |table: &Table| table.env.seat().is_some_and(|seat| seat != table.own);
        let waiting: Vec<usize> = (0..tables.len()).filter(|&place| waits(&tables[place])).collect();
        if waiting.is_empty() {
            return;
        }
        let states: Vec<_> = waiting.iter().map(|&place| *tables[place].env.state()).collect();
        let mut rngs: Vec<GameRng> = waiting.iter().map(|&place| tables[place].rng.clone()).collect();
        let actions = opponent.act(race, &states, &mut rngs);
        for ((place, action), rng) in waiting.into_iter().zip(actions).zip(rngs) {
            tables[place].rng = rng;
            // Agents choose what is legal.
            let _ = tables[place].env.step(action);
        }
    }
}

impl VersusGame {
    /// Writes what the caller sees of every game.
    fn write(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(refused)?;
        let mut legal_actions = self.legal_actions.bind(py).try_readwrite().map_err(refused)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(refused)?;
        let mut terminated = self.terminated.bind(py).try_readwrite().map_err(refused)?;
        let mut truncated = self.truncated.bind(py).try_readwrite().map_err(refused)?;
        let (mut observations, mut legal_actions) = (observations.as_array_mut(), legal_actions.as_array_mut());
        let mut rewards = rewards.as_array_mut();
        let (mut terminated, mut truncated) = (terminated.as_array_mut(), truncated.as_array_mut());
        let (race, tables) = (&self.race, &self.tables);
        py.detach(move || {
            let mut active = Vec::with_capacity(64);
            for (row, table) in tables.iter().enumerate() {
                let (mut seen, state) = (observations.row_mut(row), table.env.state());
                seen.fill(0.0);
                active.clear();
                race.observe_active(state, table.own, &mut active);
                active.iter().for_each(|&entry| seen[usize::from(entry)] = 1.0);
                let legal = table.env.legal_actions();
                let mask = legal_actions.row_mut(row).into_iter().enumerate();
                mask.for_each(|(action, is_legal)| *is_legal = legal.contains(Action(action as u8)));
                (terminated[row], truncated[row]) = (table.env.is_terminated(), table.env.is_truncated());
                let got = race.returns(state)[table.own];
                rewards[row] = if terminated[row] { 2.0 * got - 1.0 } else { 0.0 };
            }
        });
        Ok(())
    }
}

#[pymethods]
impl VersusGame {
    #[new]
    #[pyo3(signature = (game, num_games, opponent, player = None))]
    fn new(
        py: Python<'_>,
        game: &Game,
        num_games: usize,
        opponent: &Agent,
        player: Option<usize>,
    ) -> PyResult<VersusGame> {
        let spec = game.race.spec();
        check_count(&game.race, num_games)?;
        opponent.check(&game.race)?;
        let table = |_| Table { env: Env::new(Arc::clone(&game.race)), rng: chance::stream(0, 0), own: Seat::SOUTH };
        Ok(VersusGame {
            tables: (0..num_games).map(table).collect(),
            opponent: Mutex::new(opponent.another()),
            player: player.map(|player| Game::seat(&game.race, player)).transpose()?,
            has_begun: false,
            observations: PyArray2::zeros(py, [num_games, spec.observation], false).unbind(),
            legal_actions: PyArray2::zeros(py, [num_games, spec.actions], false).unbind(),
            rewards: PyArray1::zeros(py, [num_games], false).unbind(),
            terminated: PyArray1::zeros(py, [num_games], false).unbind(),
            truncated: PyArray1::zeros(py, [num_games], false).unbind(),
            race: Arc::clone(&game.race),
        })
    }

    /// The game that is played.
    #[getter]
    fn game(&self) -> Game {
        Game { race: Arc::clone(&self.race) }
    }

    #[getter]
    fn num_games(&self) -> usize {
        self.tables.len()
    }

    /// Begins all games; game `i` throws by stream `i` of `seed`.
    #[pyo3(signature = (seed = 0))]
    fn reset(&mut self, py: Python<'_>, seed: u64) -> PyResult<()> {
        self.has_begun = true;
        let (race, tables, player) = (&self.race, &mut self.tables, self.player);
        let opponent = self.opponent.get_mut().unwrap_or_else(PoisonError::into_inner);
        py.detach(|| {
            for (index, table) in tables.iter_mut().enumerate() {
                table.rng = chance::stream(seed, index as u64);
                table.begin(player);
            }
            play_on(race, tables, &mut **opponent);
        });
        self.write(py)
    }

    /// Takes one action in every game, and plays on to where the caller has to choose again. A game that is over begins
    /// anew instead. When an action is not legal, no game has moved.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        if !self.has_begun {
            return Err(PyValueError::new_err("the games have not begun: call `reset` first"));
        }
        let actions = actions.as_array();
        if actions.len() != self.tables.len() {
            let message = format!("{} actions for {} games", actions.len(), self.tables.len());
            return Err(PyValueError::new_err(message));
        }
        let mut checked = Vec::with_capacity(actions.len());
        for (number, (&action, table)) in actions.iter().zip(&self.tables).enumerate() {
            let legal = table.env.legal_actions();
            let found = u8::try_from(action).ok().filter(|&action| action < 32).map(Action);
            match found.filter(|&found| legal.contains(found)) {
                Some(found) => checked.push(found),
                None if table.is_over() => checked.push(Action(0)),
                None => {
                    let message = format!("action {action} is not legal in game {number}; legal are {legal:?}");
                    return Err(PyValueError::new_err(message));
                }
            }
        }
        let (race, tables, player) = (&self.race, &mut self.tables, self.player);
        let opponent = self.opponent.get_mut().unwrap_or_else(PoisonError::into_inner);
        py.detach(|| {
            for (table, action) in tables.iter_mut().zip(checked) {
                if table.is_over() {
                    table.begin(player);
                } else {
                    // It was checked.
                    let _ = table.env.step(action);
                }
            }
            play_on(race, tables, &mut **opponent);
        });
        self.write(py)
    }

    /// The states of the games.
    fn states(&self) -> Vec<State> {
        let state = |table: &Table| State { race: Arc::clone(&self.race), state: *table.env.state() };
        self.tables.iter().map(state).collect()
    }

    /// Who the caller is, `int64[num_games]`; a new array.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.tables.iter().map(|table| Game::player(&self.race, table.own) as i64))
    }

    /// What the caller sees, `float32[num_games, observation]`, at the end of a game its last position; the same array
    /// all the time.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.observations.bind(py).clone()
    }

    /// What the caller may do, `bool[num_games, actions]`.
    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        self.legal_actions.bind(py).clone()
    }

    /// At the end of a game what the caller got, -1 to 1, else 0, `float32[num_games]`.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.rewards.bind(py).clone()
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
}
