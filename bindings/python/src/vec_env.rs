//! `VectorGame`: many games that advance together and write their results into the same numpy
//! arrays.

use std::{
    fmt::Display,
    sync::{Arc, Mutex},
};

use anyhow::anyhow;
use ashta_agents::play::throws::random_seed;
use ashta_env::{
    chance::{self, GameRng},
    game::{Action, Game as _},
    gym::{Caller, Env, Snapshot, VecBuffers, VecEnv, VecGame},
    race::{Race, state::State as Position},
};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::{PyTraverseError, exceptions::PyRuntimeError, gc::PyVisit, prelude::*, types::PyTuple};

use crate::{
    Result, Whole,
    agent::{AgentInstance, Mind, folders_or_default},
    game::Game,
    interrupt::alone,
    policy::legal,
    seed::Seed,
    state::State,
    states::{States, is_uint8, numbers, positions},
};

/// Many games that advance together. Each step overwrites the same arrays. After the step that ends
/// a game, the observation shows the last position of the game. The next step ignores the action
/// for this game and starts the game again.
///
/// Without an `opponent`, the caller chooses for all players. With an `opponent`, the caller plays
/// one player and the opponent plays all others; each step runs until the caller must choose again
/// or the game ends. `opponent` is any policy that `Agent.of` accepts. `player` is the number of
/// the caller's player; with `None`, it is random in each game. `dtype` is the type of the
/// observations: float32 or uint8.
///
/// Use the games from one thread at a time. If a step or a reset fails or is interrupted, no game
/// has changed.
#[pyclass(frozen, module = "ashta")]
pub struct VectorGame {
    /// The game.
    #[pyo3(get)]
    game: Game,
    /// The number of games.
    #[pyo3(get)]
    num_games: usize,
    caller: Caller,
    opponent: Option<Py<PyAny>>,
    games: Mutex<Games>,
    /// The observation of each game, as the player in `players` sees the game:
    /// `dtype[num_games, observation]`, always the same array.
    ///
    /// In a finished game, it shows the last position. After a truncation, this is the position
    /// before the next throw. After an end by the rules, the observation shows the pieces of all
    /// seats, but no mover, phase or throws.
    #[pyo3(get)]
    observations: Py<PyAny>,
    /// Whether each action of the caller is legal, `bool[num_games, actions]`; all `False` in a
    /// finished game.
    #[pyo3(get)]
    legal_actions: Py<PyArray2<bool>>,
    /// The player who chooses in each game, `int64[num_games]`; with an opponent, always the
    /// caller's player.
    ///
    /// In a finished game without an opponent, this is the player of the last move; after a
    /// truncation, the player who would throw next.
    #[pyo3(get)]
    players: Py<PyArray1<i64>>,
    /// The return of each player, 0 to 1, in the games that the last step ended; 0 in the other
    /// games. `float32[num_games, num_players]`.
    #[pyo3(get)]
    returns: Py<PyArray2<f32>>,
    /// The reward of the player in `players`, -1 to 1, in the games that the last step ended by the
    /// rules; 0 in the other games. `float32[num_games]`.
    #[pyo3(get)]
    rewards: Py<PyArray1<f32>>,
    /// Whether the last step ended the game by its rules, `bool[num_games]`.
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
    /// Whether the last step truncated the game at the turn limit, `bool[num_games]`.
    #[pyo3(get)]
    truncated: Py<PyArray1<bool>>,
}

struct Games {
    envs: VecEnv<Race>,
    has_begun: bool,
    opponent: Option<AgentInstance>,
}

/// The error for an array that another thread uses.
fn in_use(_: impl Display) -> PyErr {
    PyRuntimeError::new_err("another thread is using an array of these games")
}

/// Borrows numpy arrays for writing; the arrays are fields of `$of`.
macro_rules! writable {
    ($py:ident, $of:ident: $($array:ident),+) => {
        $(
            let mut $array = $of.$array.bind($py).try_readwrite().map_err(in_use)?;
            #[allow(unused_mut, reason = "some are moved")]
            let mut $array = $array.as_array_mut();
        )+
    };
}

impl Games {
    /// Lets the opponent play until no game waits for it, or until an interrupt.
    fn play_opponents(&mut self, race: &Race) {
        let Games {
            envs,
            opponent: Some(agent),
            ..
        } = self
        else {
            return;
        };
        loop {
            let (states, mut rngs): (Vec<Position>, Vec<GameRng>) = envs
                .opponents()
                .map(|game| (*game.env.state(), game.rng.clone()))
                .unzip();
            if states.is_empty() {
                return;
            }
            let actions = agent.act(race, &states, &mut rngs);
            if agent.interrupt.was_set() {
                return;
            }
            for ((game, action), rng) in envs.opponents().zip(actions).zip(rngs) {
                game.rng = rng;
                // The action is legal, because an agent has chosen it.
                let _ = game.env.play(action);
            }
        }
    }
}

impl VectorGame {
    /// Changes the games, lets the opponent play, and fills the arrays. After an error, no game has
    /// changed.
    fn change(
        &self,
        py: Python<'_>,
        games: &mut Games,
        change: impl FnOnce(&mut VecEnv<Race>) + Send,
    ) -> PyResult<()> {
        if let Some(opponent) = &games.opponent {
            let (before, interrupt) = (games.envs.clone(), Arc::clone(&opponent.interrupt));
            let changed = interrupt.watch(py, || {
                change(&mut games.envs);
                games.play_opponents(&self.game.race);
            });
            if let Err(error) = changed.and_then(|()| self.write(py, &mut games.envs, |_| ())) {
                games.envs = before;
                return Err(error);
            }
        } else {
            self.write(py, &mut games.envs, change)?;
        }
        games.has_begun = true;
        Ok(())
    }

    /// Changes the games and fills the arrays, without the interpreter lock.
    fn write(
        &self,
        py: Python<'_>,
        envs: &mut VecEnv<Race>,
        change: impl FnOnce(&mut VecEnv<Race>) + Send,
    ) -> PyResult<()> {
        let observations = self.observations.bind(py);
        match observations.cast::<PyArray2<f32>>() {
            Ok(observations) => self.write_into(py, observations, envs, change),
            Err(_) => self.write_into(py, observations.cast::<PyArray2<u8>>()?, envs, change),
        }
    }

    fn write_into<T: Element + Copy + Send + From<u8>>(
        &self,
        py: Python<'_>,
        observations: &Bound<'_, PyArray2<T>>,
        envs: &mut VecEnv<Race>,
        change: impl FnOnce(&mut VecEnv<Race>) + Send,
    ) -> PyResult<()> {
        let mut observations = observations.try_readwrite().map_err(in_use)?;
        let observations = observations.as_array_mut();
        writable!(py, self: legal_actions, players, returns, rewards, terminated, truncated);
        let masks = legal_actions;
        let mut out = VecBuffers {
            observations,
            masks,
            players,
            returns,
            terminated,
            truncated,
        };
        py.detach(move || {
            change(envs);
            envs.write(&mut out);
            for (row, reward) in rewards.iter_mut().enumerate() {
                let got = out.returns[[row, out.players[row] as usize]];
                *reward = if out.terminated[row] {
                    2.0 * got - 1.0
                } else {
                    0.0
                };
            }
        });
        Ok(())
    }
}

/// Random generators for the games: different streams of one seed, or stream 0 of a different seed
/// for each game.
fn generators(seed: &Bound<'_, PyAny>, num_games: usize) -> Result<Vec<GameRng>> {
    let Ok(seeds) = seed.extract::<Vec<Bound<'_, PyAny>>>() else {
        let Seed(seed) = seed.extract()?;
        return Ok((0..num_games as u64)
            .map(|game| chance::stream(seed, game))
            .collect());
    };
    ensure!(
        seeds.len() == num_games,
        "`seed` has {} numbers for {num_games} games",
        seeds.len()
    );
    let generator = |(game, seed): (usize, &Bound<'_, PyAny>)| {
        seed.extract()
            .map_err(|error: PyErr| anyhow!("`seed` [{game}]: {}", error.value(seed.py())))
            .map(|Seed(seed)| chance::stream(seed, 0))
    };
    Ok(seeds
        .iter()
        .enumerate()
        .map(generator)
        .collect::<anyhow::Result<_>>()?)
}

#[pymethods]
impl VectorGame {
    #[new]
    #[pyo3(signature = (game, num_games, opponent = None, player = None, dtype = None))]
    #[pyo3(text_signature = "(game, num_games, opponent=None, player=None, dtype='float32')")]
    fn new(
        py: Python<'_>,
        game: &Game,
        num_games: usize,
        opponent: Option<Bound<'_, PyAny>>,
        player: Option<Whole>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> Result<VectorGame> {
        let spec = game.race.spec();
        game.check_count(num_games)?;
        let caller = match (&opponent, player) {
            (None, None) => Caller::All,
            (None, Some(_)) => return Err(anyhow::anyhow!("`player` needs an `opponent`").into()),
            (Some(_), None) => Caller::Drawn,
            (Some(_), Some(player)) => Caller::One(game.seat(player)?),
        };
        let agent = |opponent: &Bound<'_, PyAny>| -> Result<AgentInstance> {
            let mind = Mind::of(
                opponent,
                Some("the opponent"),
                game,
                &folders_or_default(py, None)?,
            )?;
            Ok(AgentInstance::of(&mind, game))
        };
        let agent = opponent.as_ref().map(agent).transpose()?;
        let shape = [num_games, spec.observation];
        let observations = match is_uint8(dtype)? {
            false => PyArray2::<f32>::zeros(py, shape, false).into_any(),
            true => PyArray2::<u8>::zeros(py, shape, false).into_any(),
        };
        let envs = VecEnv::new(&game.race, num_games, caller);
        Ok(VectorGame {
            game: game.clone(),
            num_games,
            caller,
            opponent: opponent.map(Bound::unbind),
            games: Mutex::new(Games {
                envs,
                has_begun: false,
                opponent: agent,
            }),
            observations: observations.unbind(),
            legal_actions: PyArray2::zeros(py, [num_games, spec.actions], false).unbind(),
            players: PyArray1::zeros(py, [num_games], false).unbind(),
            returns: PyArray2::zeros(py, [num_games, spec.seats.len()], false).unbind(),
            rewards: PyArray1::zeros(py, [num_games], false).unbind(),
            terminated: PyArray1::zeros(py, [num_games], false).unbind(),
            truncated: PyArray1::zeros(py, [num_games], false).unbind(),
        })
    }

    /// Starts all games again, or only the games with `True` in `only`, `bool[num_games]`. Game `i`
    /// takes its throws from random stream `i` of `seed`. If `seed` is a list, game `i` takes
    /// stream 0 of seed `i`, like a single game with this seed. Without `seed`, the games have a
    /// random seed. `positions` lists the first state of each game; `None` means the usual start.
    /// Returns the seed, which repeats the games.
    #[pyo3(signature = (seed = None, only = None, positions = None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<Bound<'py, PyAny>>,
        only: Option<Vec<bool>>,
        positions: Option<Vec<Option<PyRef<'_, State>>>>,
    ) -> Result<Bound<'py, PyAny>> {
        let seed = match seed {
            Some(seed) => seed,
            None => random_seed().into_pyobject(py)?.into_any(),
        };
        let generators = generators(&seed, self.num_games)?;
        let mut games = alone(&self.games)?;
        let only = only.unwrap_or_else(|| vec![true; self.num_games]);
        ensure!(
            only.len() == self.num_games,
            "`only` has {} entries for {} games",
            only.len(),
            self.num_games
        );
        let is_all = !only.contains(&false);
        ensure!(
            games.has_begun || is_all,
            "the games have not started: call `reset` without `only` first"
        );
        let position = |state: &Option<PyRef<'_, State>>| {
            state
                .as_ref()
                .map(|state| self.game.check(&state.game).map(|()| state.state))
                .transpose()
        };
        let positions = match positions {
            Some(states) => states.iter().map(position).collect::<anyhow::Result<_>>()?,
            None => vec![None; self.num_games],
        };
        ensure!(
            positions.len() == self.num_games,
            "{} positions for {} games",
            positions.len(),
            self.num_games
        );
        self.change(py, &mut games, |envs| {
            for (index, ((rng, begins), position)) in
                generators.into_iter().zip(only).zip(positions).enumerate()
            {
                if begins {
                    envs.start(index, rng, position);
                }
            }
        })?;
        Ok(seed)
    }

    /// Applies one action in every game, `int[num_games]`, and runs each game until the caller must
    /// choose again. If an action is not legal, raises `ValueError` and changes no game.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> Result<()> {
        let actions = numbers(actions, "`actions`", self.num_games)?;
        let mut games = alone(&self.games)?;
        ensure!(
            games.has_begun,
            "the games have not started: call `reset` first"
        );
        let mut checked = Vec::with_capacity(actions.len());
        for (number, (&action, VecGame { env, .. })) in
            actions.iter().zip(games.envs.games()).enumerate()
        {
            let legal_actions = env.legal_actions();
            let found =
                legal(legal_actions, action).or(legal_actions.is_empty().then_some(Action(0)));
            ensure!(
                found.is_some(),
                "action {action} is not legal in game {number}; legal actions: {legal_actions:?}"
            );
            checked.extend(found);
        }
        // The actions were checked.
        Ok(self.change(py, &mut games, |envs| _ = envs.play(&checked))?)
    }

    /// Puts games into other positions: game `rows[i]` into `states[i]`. `rows` are different
    /// indices, `int[m]`; `states` are `States` or a list of `State`. The games continue with their
    /// own throws, and count their turns from
    /// 0. Raises `ValueError` if a row or a state does not fit; then no game has changed.
    fn set_states(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        states: &Bound<'_, PyAny>,
    ) -> Result<()> {
        let positions = positions(&self.game, states)?;
        let rows = numbers(rows, "`rows`", positions.len())?;
        let mut games = alone(&self.games)?;
        ensure!(
            games.has_begun,
            "the games have not started: call `reset` first"
        );
        let mut is_set = vec![false; self.num_games];
        for &row in &rows {
            let set = usize::try_from(row)
                .ok()
                .and_then(|row| is_set.get_mut(row))
                .ok_or_else(|| {
                    anyhow::anyhow!("there is no game {row}, only 0 to {}", self.num_games - 1)
                })?;
            ensure!(!*set, "`rows` has {row} twice");
            *set = true;
        }
        Ok(self.change(py, &mut games, |envs| {
            rows.iter()
                .zip(positions)
                .for_each(|(&row, position)| envs.place(row as usize, position));
        })?)
    }

    /// The states of the games, as a copy.
    #[getter]
    fn states(&self, py: Python<'_>) -> Result<States> {
        let games = alone(&self.games)?;
        let positions: Vec<Position> = games
            .envs
            .games()
            .iter()
            .map(|game| *game.env.state())
            .collect();
        States::of(py, &self.game, &positions)
    }

    /// For each game, the outcomes of the throws since its last step, reset or `set_states`, in
    /// their order. With an opponent, these are the throws of all players.
    #[getter]
    fn outcomes(&self) -> Result<Vec<Vec<usize>>> {
        let numbers = |game: &VecGame<Race>| {
            game.env
                .outcomes()
                .iter()
                .map(|outcome| outcome.0.into())
                .collect()
        };
        Ok(alone(&self.games)?
            .envs
            .games()
            .iter()
            .map(numbers)
            .collect())
    }

    /// Pickles the games with their random generators, so that an unpickled copy continues exactly
    /// like the original.
    fn __reduce__<'py>(slf: &Bound<'py, VectorGame>) -> Result<Bound<'py, PyTuple>> {
        let (py, many) = (slf.py(), slf.get());
        let games = alone(&many.games)?;
        let text = |game: &VecGame<Race>| -> Result<GameText> {
            let Snapshot {
                state,
                observer,
                rng,
                turns,
                throws,
            } = game.env.snapshot();
            let (state, observer) = (many.game.race.print(&state), many.game.player(observer));
            let (rng, draws) = (
                serde_json::to_string(&rng)?,
                serde_json::to_string(&game.rng)?,
            );
            Ok((
                state,
                observer,
                rng,
                turns,
                throws,
                draws,
                game.own.map(|seat| many.game.player(seat)),
            ))
        };
        let texts = games
            .envs
            .games()
            .iter()
            .map(text)
            .collect::<Result<Vec<_>>>()?;
        let player = if let Caller::One(seat) = many.caller {
            Some(many.game.player(seat))
        } else {
            None
        };
        let dtype = many.observations.bind(py).getattr("dtype")?;
        let arguments = (
            many.game.clone(),
            many.num_games,
            &many.opponent,
            player,
            dtype,
        );
        Ok((slf.get_type(), arguments, (games.has_begun, texts)).into_pyobject(py)?)
    }

    fn __setstate__(&self, py: Python<'_>, state: (bool, Vec<GameText>)) -> Result<()> {
        let (has_begun, texts) = state;
        ensure!(
            texts.len() == self.num_games,
            "the pickle has {} games, not {}",
            texts.len(),
            self.num_games
        );
        let seat = |player: usize| self.game.seat(Whole(player as i64));
        let game =
            |(state, observer, rng, turns, throws, draws, own): GameText| -> Result<VecGame<Race>> {
                let (state, observer, rng) = (
                    self.game.race.parse_state(&state)?,
                    seat(observer)?,
                    serde_json::from_str(&rng)?,
                );
                let snapshot = Snapshot {
                    state,
                    observer,
                    rng,
                    turns,
                    throws,
                };
                let env = Env::resume(Arc::clone(&self.game.race), snapshot);
                Ok(VecGame {
                    env,
                    rng: serde_json::from_str(&draws)?,
                    own: own.map(seat).transpose()?,
                })
            };
        let restored = texts.into_iter().map(game).collect::<Result<_>>()?;
        let mut games = alone(&self.games)?;
        (games.has_begun, games.envs) = (has_begun, VecEnv::resume(restored, self.caller));
        Ok(if has_begun {
            self.write(py, &mut games.envs, |_| ())
        } else {
            Ok(())
        }?)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.opponent)
    }

    fn __repr__(&self) -> String {
        format!(
            "VectorGame({:?}, {:?}, {} games)",
            self.game.name(),
            self.game.seats(),
            self.num_games
        )
    }
}

/// A pickled game: position, observing player, generator of the throws, numbers of turns and of
/// throws, generator of the draws, and the caller's player.
type GameText = (String, usize, String, u32, u64, String, Option<usize>);
