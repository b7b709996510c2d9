//! `VersusGame`: many games of one player against an agent, in lock-step.

use std::sync::{Arc, Mutex};

use ashta_agents::play::agent::Agent as Acting;
use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Action, ActionMask, Game as _, Seat};
use ashta_env::gym::Env;
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rand::Rng;

use crate::agent::{Agent, act};
use crate::arrays::{self, SnapshotText, actions_of, generator, generator_text, snapshot, snapshot_text, write_row};
use crate::game::{Game, check_count};
use crate::interrupt::{Interrupt, alone};
use crate::state::State;

/// Many games of one player against an agent, who plays all other seats. Every step ends where the caller has to
/// choose, or where the game is over; a game that is over begins anew with the next step, whatever its action. So the
/// observation of the step that ends a game is its last position.
///
/// `opponent` is an `Agent`, or a function that gets `observations`, `float32[n, observation]`, as the seats to choose
/// see them, and `action_masks`, `int8[n, actions]`, and returns a legal action for each of the `n` games that wait for
/// it. `player` is who the caller is, by number; `None`: drawn anew for each game. One thread at a time can use the
/// games. A step or a reset that fails or is interrupted leaves all games as they were.
#[pyclass(frozen, module = "ashta")]
#[expect(missing_debug_implementations, reason = "it holds an agent")]
pub struct VersusGame {
    race: Arc<Race>,
    num_games: usize,
    /// The player that the caller is; `None`: drawn anew for each game.
    player: Option<usize>,
    opponent: Py<PyAny>,
    games: Mutex<Games>,
    observations: Py<PyArray2<f32>>,
    legal_actions: Py<PyArray2<bool>>,
    rewards: Py<PyArray1<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
}

/// The games, and who plays against the caller.
struct Games {
    tables: Vec<Table>,
    /// The tables before the call under way.
    before: Vec<Table>,
    has_begun: bool,
    /// The opponent, unless it is a function.
    agent: Option<Box<dyn Acting<Race> + Send>>,
    interrupt: Arc<Interrupt>,
}

/// One of the games.
#[derive(Clone)]
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

/// What a function chooses.
fn ask(function: &Bound<'_, PyAny>, race: &Race, states: &[Position]) -> PyResult<Vec<Action>> {
    let (py, spec) = (function.py(), race.spec());
    let observations = PyArray2::<f32>::zeros(py, [states.len(), spec.observation], false);
    let masks = PyArray2::<i8>::zeros(py, [states.len(), spec.actions], false);
    {
        let (mut observations, mut masks) = (observations.readwrite(), masks.readwrite());
        let (mut observations, mut masks) = (observations.as_array_mut(), masks.as_array_mut());
        let mut active = Vec::new();
        for (row, state) in states.iter().enumerate() {
            if let Some(seat) = arrays::seat_to_act(race, state) {
                write_row(race, state, seat, observations.row_mut(row), &mut active);
            }
            race.legal_actions(state).iter().for_each(|action| masks[[row, usize::from(action.0)]] = 1);
        }
    }
    let chosen = actions_of(&function.call1((observations, masks))?, "the actions of the opponent", states.len())?;
    let legal = |(state, &action): (&Position, &i64)| {
        arrays::legal(race.legal_actions(state), action).ok_or_else(|| {
            let (position, legal) = (race.print(state), race.legal_actions(state));
            PyValueError::new_err(format!(
                "the opponent chose {action}, which is not legal at `{position}`; legal are {legal:?}"
            ))
        })
    };
    states.iter().zip(&chosen).map(legal).collect()
}

impl Games {
    /// Lets the opponent play wherever it has to choose, until it is interrupted.
    fn play_on(&mut self, race: &Race, function: &Py<PyAny>) {
        let Games { tables, agent, interrupt, .. } = self;
        loop {
            let waits = |table: &Table| table.env.seat().is_some_and(|seat| seat != table.own);
            let waiting: Vec<usize> = (0..tables.len()).filter(|&place| waits(&tables[place])).collect();
            if waiting.is_empty() {
                return;
            }
            let states: Vec<_> = waiting.iter().map(|&place| *tables[place].env.state()).collect();
            let mut rngs: Vec<GameRng> = waiting.iter().map(|&place| tables[place].rng.clone()).collect();
            let actions = match agent {
                Some(agent) => act(&mut **agent, race, &states, &mut rngs, interrupt),
                None => Python::attach(|py| ask(function.bind(py), race, &states)).unwrap_or_else(|error| {
                    interrupt.set(error);
                    Vec::new()
                }),
            };
            if interrupt.was_set() {
                return;
            }
            for ((place, action), rng) in waiting.into_iter().zip(actions).zip(rngs) {
                tables[place].rng = rng;
                // It was checked, or an agent has chosen it.
                let _ = tables[place].env.step(action);
            }
        }
    }
}

impl VersusGame {
    fn seat(&self) -> PyResult<Option<Seat>> {
        self.player.map(|player| Game::seat(&self.race, player)).transpose()
    }

    /// Changes the games, lets the opponent play on, and writes what the caller sees; or leaves all as it was.
    fn change(&self, py: Python<'_>, games: &mut Games, change: impl FnOnce(&mut [Table]) + Send) -> PyResult<()> {
        games.before.clone_from(&games.tables);
        let interrupt = Arc::clone(&games.interrupt);
        let changed = interrupt.watch(py, || {
            change(&mut games.tables);
            games.play_on(&self.race, &self.opponent);
        });
        if changed.is_err() {
            std::mem::swap(&mut games.before, &mut games.tables);
            return changed;
        }
        games.has_begun = true;
        self.write(py, &games.tables)
    }

    /// Writes what the caller sees of every game.
    fn write(&self, py: Python<'_>, tables: &[Table]) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(arrays::in_use)?;
        let mut legal_actions = self.legal_actions.bind(py).try_readwrite().map_err(arrays::in_use)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(arrays::in_use)?;
        let mut terminated = self.terminated.bind(py).try_readwrite().map_err(arrays::in_use)?;
        let mut truncated = self.truncated.bind(py).try_readwrite().map_err(arrays::in_use)?;
        let (mut observations, mut legal_actions) = (observations.as_array_mut(), legal_actions.as_array_mut());
        let mut rewards = rewards.as_array_mut();
        let (mut terminated, mut truncated) = (terminated.as_array_mut(), truncated.as_array_mut());
        let race = &self.race;
        py.detach(move || {
            let mut active = Vec::with_capacity(64);
            for (row, table) in tables.iter().enumerate() {
                let state = table.env.state();
                write_row(race, state, table.own, observations.row_mut(row), &mut active);
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

/// The seed of all games, or one for each.
enum Seeds {
    All(u64),
    Each(Vec<u64>),
}

impl Seeds {
    fn of(seed: Option<&Bound<'_, PyAny>>, num_games: usize) -> PyResult<Seeds> {
        let Some(seed) = seed else { return Ok(Seeds::All(0)) };
        if let Ok(seed) = seed.extract() {
            return Ok(Seeds::All(seed));
        }
        let wrong = |_| PyTypeError::new_err("`seed` is a number from 0 to 2**64 - 1, or a list of them for the games");
        let seeds: Vec<u64> = seed.extract().map_err(wrong)?;
        match seeds.len() == num_games {
            true => Ok(Seeds::Each(seeds)),
            false => Err(PyValueError::new_err(format!("{} seeds for {num_games} games", seeds.len()))),
        }
    }

    fn generator(&self, game: usize) -> GameRng {
        match self {
            Seeds::All(seed) => chance::stream(*seed, game as u64),
            Seeds::Each(seeds) => chance::stream(seeds[game], 0),
        }
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
        opponent: &Bound<'_, PyAny>,
        player: Option<usize>,
    ) -> PyResult<VersusGame> {
        let spec = game.race.spec();
        check_count(&game.race, num_games)?;
        player.map(|player| Game::seat(&game.race, player)).transpose()?;
        let interrupt = Interrupt::new();
        let agent = if let Ok(agent) = opponent.cast::<Agent>() {
            agent.get().check(&game.race)?;
            let mut acting = agent.get().player().agent();
            acting.stop_by(&interrupt.stop());
            Some(acting)
        } else if opponent.is_callable() {
            None
        } else {
            let kind = opponent.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "`opponent` is an `Agent`, or a function from observations and action masks to actions, not {kind}"
            )));
        };
        let table = |_| Table { env: Env::new(Arc::clone(&game.race)), rng: chance::stream(0, 0), own: Seat::SOUTH };
        let tables: Vec<Table> = (0..num_games).map(table).collect();
        Ok(VersusGame {
            race: Arc::clone(&game.race),
            num_games,
            player,
            opponent: opponent.clone().unbind(),
            games: Mutex::new(Games { tables, before: Vec::new(), has_begun: false, agent, interrupt }),
            observations: PyArray2::zeros(py, [num_games, spec.observation], false).unbind(),
            legal_actions: PyArray2::zeros(py, [num_games, spec.actions], false).unbind(),
            rewards: PyArray1::zeros(py, [num_games], false).unbind(),
            terminated: PyArray1::zeros(py, [num_games], false).unbind(),
            truncated: PyArray1::zeros(py, [num_games], false).unbind(),
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

    /// Begins the games anew: all, or those where `only`, `bool[num_games]`, says so. Game `i` throws by stream `i` of
    /// `seed`; where `seed` is a list, by stream 0 of its own one, as the only game of that seed would.
    #[pyo3(signature = (seed = None, only = None), text_signature = "(self, /, seed=0, only=None)")]
    fn reset(&self, py: Python<'_>, seed: Option<&Bound<'_, PyAny>>, only: Option<Vec<bool>>) -> PyResult<()> {
        let seeds = Seeds::of(seed, self.num_games)?;
        let mut games = alone(&self.games)?;
        if let Some(only) = &only {
            if only.len() != self.num_games {
                let message = format!("`only` has {} entries for {} games", only.len(), self.num_games);
                return Err(PyValueError::new_err(message));
            }
            if !games.has_begun && only.contains(&false) {
                return Err(PyValueError::new_err("the games have not begun: call `reset` for all of them first"));
            }
        }
        let player = self.seat()?;
        self.change(py, &mut games, |tables| {
            for (index, table) in tables.iter_mut().enumerate() {
                if only.as_ref().is_none_or(|only| only[index]) {
                    table.rng = seeds.generator(index);
                    table.begin(player);
                }
            }
        })
    }

    /// Takes one action in every game, `int[num_games]`, and plays on to where the caller has to choose again. A game
    /// that is over begins anew instead. When an action is not legal, it is a `ValueError` and no game has moved.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = actions_of(actions, "`actions`", self.num_games)?;
        let mut games = alone(&self.games)?;
        if !games.has_begun {
            return Err(PyValueError::new_err("the games have not begun: call `reset` first"));
        }
        let mut checked = Vec::with_capacity(actions.len());
        for (number, (&action, table)) in actions.iter().zip(&games.tables).enumerate() {
            let legal: ActionMask = table.env.legal_actions();
            match arrays::legal(legal, action) {
                Some(found) => checked.push(found),
                None if table.is_over() => checked.push(Action(0)),
                None => {
                    let message = format!("action {action} is not legal in game {number}; legal are {legal:?}");
                    return Err(PyValueError::new_err(message));
                }
            }
        }
        let player = self.seat()?;
        self.change(py, &mut games, |tables| {
            for (table, action) in tables.iter_mut().zip(checked) {
                if table.is_over() {
                    table.begin(player);
                } else {
                    // It was checked.
                    let _ = table.env.step(action);
                }
            }
        })
    }

    /// The states of the games, as copies.
    fn states(&self) -> PyResult<Vec<State>> {
        let state = |table: &Table| State { race: Arc::clone(&self.race), state: *table.env.state() };
        Ok(alone(&self.games)?.tables.iter().map(state).collect())
    }

    /// Who the caller is, `int64[num_games]`; a new array.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let games = alone(&self.games)?;
        Ok(PyArray1::from_iter(py, games.tables.iter().map(|table| Game::player(&self.race, table.own) as i64)))
    }

    /// What the caller sees, `float32[num_games, observation]`, where the game is over its last position; the same
    /// array all the time.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.observations.bind(py).clone()
    }

    /// What the caller may do, `bool[num_games, actions]`; nothing where the game is over.
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

    /// The games go on where they stand, throws and draws included.
    fn __reduce__<'py>(slf: &Bound<'py, VersusGame>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, many) = (slf.py(), slf.get());
        let games = alone(&many.games)?;
        let table = |table: &Table| -> PyResult<TableText> {
            let player = Game::player(&many.race, table.own);
            Ok((snapshot_text(&many.race, &table.env.snapshot())?, generator_text(&table.rng)?, player))
        };
        let tables = games.tables.iter().map(table).collect::<PyResult<Vec<_>>>()?;
        let arguments = (many.game(), many.num_games, &many.opponent, many.player).into_pyobject(py)?;
        let state = (games.has_begun, tables).into_pyobject(py)?;
        (slf.get_type(), arguments, state).into_pyobject(py)
    }

    fn __setstate__(&self, py: Python<'_>, state: (bool, Vec<TableText>)) -> PyResult<()> {
        let (has_begun, tables) = state;
        let table = |(env, rng, player): TableText| {
            let env = Env::resume(Arc::clone(&self.race), snapshot(&self.race, env)?);
            Ok(Table { env, rng: generator(&rng)?, own: Game::seat(&self.race, player)? })
        };
        let tables = tables.into_iter().map(table).collect::<PyResult<Vec<Table>>>()?;
        if tables.len() != self.num_games {
            return Err(PyValueError::new_err(format!("{} games, not {}", tables.len(), self.num_games)));
        }
        let mut games = alone(&self.games)?;
        (games.has_begun, games.tables) = (has_begun, tables);
        if has_begun { self.write(py, &games.tables) } else { Ok(()) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.opponent)
    }

    fn __repr__(&self) -> String {
        format!("VersusGame({:?}, {:?}, {} games)", self.race.spec().name, Game::letters(&self.race), self.num_games)
    }
}

/// A game as it is pickled: where it stands, the generator of its draws, and who the caller is.
type TableText = (SnapshotText, String, usize);
