//! `VersusGame`: many games of one player against an agent, in lock-step.

use std::sync::{Arc, Mutex};

use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Action, Game as _, Node, Seat};
use ashta_env::gym::Env;
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rand::Rng;

use crate::agent::{Agent, AgentInstance};
use crate::arrays::{self, SnapshotText, actions_of, snapshot, snapshot_text, writable, write_row};
use crate::game::Game;
use crate::interrupt::{Interrupt, alone};
use crate::state::State;
use crate::{Result, Whole, wrong_type};

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
    /// The game that is played.
    #[pyo3(get)]
    game: Game,
    /// How many games there are.
    #[pyo3(get)]
    num_games: usize,
    /// Who the caller is; `None`: drawn anew for each game.
    own: Option<Seat>,
    opponent: Py<PyAny>,
    games: Mutex<Games>,
    /// What the caller sees, `float32[num_games, observation]`, where the game is over its last position; the same
    /// array all the time.
    #[pyo3(get)]
    observations: Py<PyArray2<f32>>,
    /// What the caller may do, `bool[num_games, actions]`; nothing where the game is over.
    #[pyo3(get)]
    legal_actions: Py<PyArray2<bool>>,
    /// At the end of a game what the caller got, -1 to 1, else 0, `float32[num_games]`.
    #[pyo3(get)]
    rewards: Py<PyArray1<f32>>,
    /// Whether the last step ended the game by its rules, `bool[num_games]`.
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
    /// Whether the last step truncated the game at the turn limit, `bool[num_games]`.
    #[pyo3(get)]
    truncated: Py<PyArray1<bool>>,
}

/// The games, and who plays against the caller.
struct Games {
    tables: Vec<Table>,
    /// The tables before the call under way.
    before: Vec<Table>,
    has_begun: bool,
    /// The opponent, unless it is a function.
    agent: Option<AgentInstance>,
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

    fn begin(&mut self, own: Option<Seat>, position: Option<Position>) {
        let seats = self.env.game().spec().seats;
        let seed = self.rng.next_u64();
        match position {
            Some(position) => self.env.reset_to(position, seed),
            None => drop(self.env.reset(seed)),
        }
        let drawn = chance::first_seat(seats, &mut self.rng);
        self.own = own.unwrap_or(drawn);
    }
}

/// What a function chooses.
fn ask(function: &Bound<'_, PyAny>, race: &Race, states: &[Position]) -> Result<Vec<Action>> {
    let (py, spec) = (function.py(), race.spec());
    let observations = PyArray2::<f32>::zeros(py, [states.len(), spec.observation], false);
    let masks = PyArray2::<i8>::zeros(py, [states.len(), spec.actions], false);
    {
        let (mut observations, mut masks) = (observations.readwrite(), masks.readwrite());
        let (mut observations, mut masks) = (observations.as_array_mut(), masks.as_array_mut());
        let mut active = Vec::new();
        for (row, state) in states.iter().enumerate() {
            if let Node::Decision(seat) = race.node(state) {
                write_row(race, state, seat, observations.row_mut(row), &mut active);
            }
            race.legal_actions(state).iter().for_each(|action| masks[[row, usize::from(action.0)]] = 1);
        }
    }
    let actions = actions_of(&function.call1((observations, masks))?, "the actions of the opponent", states.len())?;
    let chosen = |(state, action)| arrays::chosen("the opponent", race, state, action, Some(action));
    states.iter().zip(actions).map(chosen).collect()
}

impl Games {
    /// Lets the opponent play wherever it has to choose, until it is interrupted.
    fn play_on(&mut self, race: &Race, function: &Py<PyAny>) {
        let Games { tables, agent, interrupt, .. } = self;
        loop {
            let waits = |(_, table): &(usize, &Table)| table.env.seat().is_some_and(|seat| seat != table.own);
            let waiting: Vec<usize> = tables.iter().enumerate().filter(waits).map(|(place, _)| place).collect();
            if waiting.is_empty() {
                return;
            }
            let states: Vec<Position> = waiting.iter().map(|&place| *tables[place].env.state()).collect();
            let mut rngs: Vec<GameRng> = waiting.iter().map(|&place| tables[place].rng.clone()).collect();
            let actions = match agent {
                Some(agent) => agent.act(race, &states, &mut rngs),
                None => Python::attach(|py| ask(function.bind(py), race, &states)).unwrap_or_else(|error| {
                    interrupt.set(error.into());
                    Vec::new()
                }),
            };
            if interrupt.was_set() {
                return;
            }
            for ((place, action), rng) in waiting.into_iter().zip(actions).zip(rngs) {
                tables[place].rng = rng;
                // It was checked, or an agent has chosen it.
                let _ = tables[place].env.play(action);
            }
        }
    }
}

impl VersusGame {
    /// Changes the games, lets the opponent play on, and writes what the caller sees; or leaves all as it was.
    fn change(&self, py: Python<'_>, games: &mut Games, change: impl FnOnce(&mut [Table]) + Send) -> PyResult<()> {
        games.before.clone_from(&games.tables);
        let interrupt = Arc::clone(&games.interrupt);
        let changed = interrupt.watch(py, || {
            change(&mut games.tables);
            games.play_on(&self.game.race, &self.opponent);
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
        writable!(py, self: observations, legal_actions, rewards, terminated, truncated);
        let race = &self.game.race;
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

/// The generators of games by the seed of all, or by one for each.
fn generators(seed: Option<&Bound<'_, PyAny>>, num_games: usize) -> Result<Vec<GameRng>> {
    if let Ok(seed) = seed.map_or(Ok(0), |seed| seed.extract()) {
        return Ok((0..num_games as u64).map(|game| chance::stream(seed, game)).collect());
    }
    let seeds: Option<Vec<u64>> = seed.and_then(|seed| seed.extract().ok());
    let wrong = || wrong_type("`seed` is a number from 0 to 2**64 - 1, or a list of them for the games");
    let seeds = seeds.ok_or_else(wrong)?;
    ensure!(seeds.len() == num_games, "{} seeds for {num_games} games", seeds.len());
    Ok(seeds.into_iter().map(|seed| chance::stream(seed, 0)).collect())
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
        player: Option<Whole>,
    ) -> Result<VersusGame> {
        let spec = game.race.spec();
        game.check_count(num_games)?;
        let own = player.map(|player| game.seat(player)).transpose()?;
        let agent = if let Ok(agent) = opponent.cast::<Agent>() {
            agent.get().game.check(game)?;
            Some(AgentInstance::of(&agent.get().player))
        } else if opponent.is_callable() {
            None
        } else {
            let kind = opponent.get_type().name()?;
            return Err(wrong_type(format!(
                "`opponent` is an `Agent`, or a function from observations and action masks to actions, not {kind}"
            )));
        };
        let interrupt = agent.as_ref().map_or_else(Interrupt::new, |agent| Arc::clone(&agent.interrupt));
        let table = |_| Table { env: Env::new(Arc::clone(&game.race)), rng: chance::stream(0, 0), own: Seat::SOUTH };
        let tables: Vec<Table> = (0..num_games).map(table).collect();
        Ok(VersusGame {
            game: game.clone(),
            num_games,
            own,
            opponent: opponent.clone().unbind(),
            games: Mutex::new(Games { tables, before: Vec::new(), has_begun: false, agent, interrupt }),
            observations: PyArray2::zeros(py, [num_games, spec.observation], false).unbind(),
            legal_actions: PyArray2::zeros(py, [num_games, spec.actions], false).unbind(),
            rewards: PyArray1::zeros(py, [num_games], false).unbind(),
            terminated: PyArray1::zeros(py, [num_games], false).unbind(),
            truncated: PyArray1::zeros(py, [num_games], false).unbind(),
        })
    }

    /// Begins the games anew: all, or those where `only`, `bool[num_games]`, says so. Game `i` throws by stream `i` of
    /// `seed`; where `seed` is a list, by stream 0 of its own one, as the only game of that seed would. `positions` has
    /// the state in which each game begins, or `None`.
    #[pyo3(signature = (seed = None, only = None, positions = None))]
    #[pyo3(text_signature = "(self, /, seed=0, only=None, positions=None)")]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        only: Option<Vec<bool>>,
        positions: Option<Vec<Option<PyRef<'_, State>>>>,
    ) -> Result<()> {
        let generators = generators(seed, self.num_games)?;
        let mut games = alone(&self.games)?;
        let only = only.unwrap_or_else(|| vec![true; self.num_games]);
        ensure!(only.len() == self.num_games, "`only` has {} entries for {} games", only.len(), self.num_games);
        let is_all = !only.contains(&false);
        ensure!(games.has_begun || is_all, "the games have not begun: call `reset` for all of them first");
        let position = |state: &Option<PyRef<'_, State>>| {
            state.as_ref().map(|state| self.game.check(&state.game).map(|()| state.state)).transpose()
        };
        let positions = match positions {
            Some(states) => states.iter().map(position).collect::<Result<_>>()?,
            None => vec![None; self.num_games],
        };
        ensure!(positions.len() == self.num_games, "{} positions for {} games", positions.len(), self.num_games);
        Ok(self.change(py, &mut games, |tables| {
            for (((table, rng), begins), position) in tables.iter_mut().zip(generators).zip(only).zip(positions) {
                if begins {
                    table.rng = rng;
                    table.begin(self.own, position);
                }
            }
        })?)
    }

    /// Takes one action in every game, `int[num_games]`, and plays on to where the caller has to choose again. A game
    /// that is over begins anew instead. When an action is not legal, it is a `ValueError` and no game has moved.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> Result<()> {
        let actions = actions_of(actions, "`actions`", self.num_games)?;
        let mut games = alone(&self.games)?;
        ensure!(games.has_begun, "the games have not begun: call `reset` first");
        let mut checked = Vec::with_capacity(actions.len());
        for (number, (&action, table)) in actions.iter().zip(&games.tables).enumerate() {
            let legal = table.env.legal_actions();
            let found = arrays::legal(legal, action).or(table.is_over().then_some(Action(0)));
            ensure!(found.is_some(), "action {action} is not legal in game {number}; legal are {legal:?}");
            checked.extend(found);
        }
        Ok(self.change(py, &mut games, |tables| {
            for (table, action) in tables.iter_mut().zip(checked) {
                if table.is_over() {
                    table.begin(self.own, None);
                } else {
                    // It was checked.
                    let _ = table.env.play(action);
                }
            }
        })?)
    }

    /// The states of the games, as copies.
    fn states(&self) -> PyResult<Vec<State>> {
        Ok(alone(&self.games)?.tables.iter().map(|table| self.game.state(*table.env.state())).collect())
    }

    /// Who the caller is, `int64[num_games]`; a new array.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let games = alone(&self.games)?;
        Ok(PyArray1::from_iter(py, games.tables.iter().map(|table| self.game.player(table.own) as i64)))
    }

    /// The games go on where they stand, throws and draws included.
    fn __reduce__<'py>(slf: &Bound<'py, VersusGame>) -> Result<Bound<'py, PyTuple>> {
        let (py, many) = (slf.py(), slf.get());
        let games = alone(&many.games)?;
        let table = |table: &Table| -> Result<TableText> {
            let stands = snapshot_text(&many.game.race, &table.env.snapshot())?;
            Ok((stands, serde_json::to_string(&table.rng)?, many.game.player(table.own)))
        };
        let tables = games.tables.iter().map(table).collect::<Result<Vec<_>>>()?;
        let player = many.own.map(|seat| many.game.player(seat));
        let arguments = (many.game.clone(), many.num_games, &many.opponent, player);
        Ok((slf.get_type(), arguments, (games.has_begun, tables)).into_pyobject(py)?)
    }

    fn __setstate__(&self, py: Python<'_>, state: (bool, Vec<TableText>)) -> Result<()> {
        let (has_begun, tables) = state;
        let table = |(env, rng, player): TableText| -> Result<Table> {
            let env = Env::resume(Arc::clone(&self.game.race), snapshot(&self.game.race, env)?);
            Ok(Table { env, rng: serde_json::from_str(&rng)?, own: self.game.seat(Whole(player as i64))? })
        };
        let tables = tables.into_iter().map(table).collect::<Result<Vec<Table>>>()?;
        ensure!(tables.len() == self.num_games, "{} games, not {}", tables.len(), self.num_games);
        let mut games = alone(&self.games)?;
        (games.has_begun, games.tables) = (has_begun, tables);
        Ok(if has_begun { self.write(py, &games.tables) } else { Ok(()) }?)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.opponent)
    }

    fn __repr__(&self) -> String {
        format!("VersusGame({:?}, {:?}, {} games)", self.game.name(), self.game.seats(), self.num_games)
    }
}

/// A game as it is pickled: where it stands, the generator of its draws, and who the caller is.
type TableText = (SnapshotText, String, usize);
