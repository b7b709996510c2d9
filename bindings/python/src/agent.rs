//! `Agent` and `Bot`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ashta_agents::network::portable::Scratch;
use ashta_agents::play::agent::Agent as Acting;
use ashta_agents::play::evaluator::Evaluator;
use ashta_agents::roster::folders::Folders;
use ashta_agents::roster::{AgentError, AgentSpec, BotSource, Player, Roster};
use ashta_env::chance::{self, GameRng};
use ashta_env::game::{BySeat, Game as _, Node};
use ashta_env::race::Race;
use ashta_train::{embedded, games};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::{Game, State, check, positions};
use crate::refused;

/// An agent that plays a game: a baseline, a bot or perfect play.
#[pyclass(frozen, module = "ashta")]
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct Agent {
    roster: Roster,
    player: Player,
    race: Arc<Race>,
    minds: Mutex<Minds>,
}

/// What an agent thinks with; one call at a time.
struct Minds {
    acting: Box<dyn Acting<Race> + Send>,
    evaluator: Box<dyn Evaluator<Race> + Send>,
}

impl Agent {
    fn of(roster: Result<Roster, AgentError>, race: Arc<Race>) -> PyResult<Agent> {
        let roster = roster.map_err(refused)?;
        let player = roster.player(&race).map_err(refused)?;
        let minds = Mutex::new(Minds { acting: player.agent(), evaluator: player.evaluator() });
        Ok(Agent { roster, player, race, minds })
    }

    /// What was loaded.
    pub(crate) fn roster(&self) -> &Roster {
        &self.roster
    }

    /// One more of the same that acts.
    pub(crate) fn another(&self) -> Box<dyn Acting<Race> + Send> {
        self.player.agent()
    }

    /// Checks that it plays the game of `race`.
    pub(crate) fn check(&self, race: &Race) -> PyResult<()> {
        check(&self.race, race)
    }
}

/// Folders of bots and tables with names, unless an argument says otherwise: what `ashta.folders()` returns, and the
/// bots in the package itself.
pub(crate) fn folders_or_default(py: Python<'_>, folders: Option<Vec<PathBuf>>) -> PyResult<Folders> {
    match folders {
        Some(folders) => Ok(folders.into()),
        None => {
            let folders = py.import("ashta")?.call_method0("folders")?.extract()?;
            Ok(Folders { folders, embedded: embedded::bots() })
        }
    }
}

/// Where `ashta` looks for bots and tables with names: folders that exist.
#[pyfunction]
pub fn data_folders() -> Vec<PathBuf> {
    games::folders().folders
}

/// Values by seat as `float32[values, num_players]`.
pub(crate) fn by_player<'py>(
    py: Python<'py>,
    race: &Race,
    values: &[BySeat<f32>],
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let seats = race.spec().seats;
    let rows: Vec<Vec<f32>> = values.iter().map(|of| seats.iter().map(|seat| of[seat]).collect()).collect();
    match rows.is_empty() {
        true => Ok(PyArray2::zeros(py, [0, seats.len()], false)),
        false => PyArray2::from_vec2(py, &rows).map_err(refused),
    }
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (spec, game, folders = None))]
    fn new(py: Python<'_>, spec: &str, game: &Game, folders: Option<Vec<PathBuf>>) -> PyResult<Agent> {
        let folders = folders_or_default(py, folders)?;
        let race = Arc::clone(&game.race);
        py.detach(|| Agent::of(folders.agent(spec), race))
    }

    /// Who it is.
    #[getter]
    fn name(&self) -> String {
        self.player.spec().to_string()
    }

    /// A legal action for each of `states`, all at decision nodes. Who draws draws for state `i` by stream
    /// `i` of `seed`.
    #[pyo3(signature = (states, seed = 0))]
    fn act(&self, py: Python<'_>, states: Vec<PyRef<'_, State>>, seed: u64) -> PyResult<Vec<usize>> {
        let positions = positions(&self.race, &states)?;
        drop(states);
        if let Some(other) = positions.iter().find(|state| !matches!(self.race.node(state), Node::Decision(_))) {
            let message = format!("there is nothing to choose at `{}`", self.race.print(other));
            return Err(PyValueError::new_err(message));
        }
        Ok(py.detach(|| {
            let mut rngs: Vec<GameRng> =
                (0..positions.len()).map(|stream| chance::stream(seed, stream as u64)).collect();
            let mut minds = self.minds.lock().unwrap_or_else(PoisonError::into_inner);
            let actions = minds.acting.act(&self.race, &positions, &mut rngs);
            actions.into_iter().map(|action| usize::from(action.0)).collect()
        }))
    }

    /// A legal action for one state.
    #[pyo3(signature = (state, seed = 0))]
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>, seed: u64) -> PyResult<usize> {
        Ok(self.act(py, vec![state], seed)?[0])
    }

    /// Values of the states for each player, `float32[states, num_players]`, 0 to 1.
    fn values<'py>(&self, py: Python<'py>, states: Vec<PyRef<'py, State>>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let positions = positions(&self.race, &states)?;
        drop(states);
        let mut values = Vec::new();
        py.detach(|| {
            let mut minds = self.minds.lock().unwrap_or_else(PoisonError::into_inner);
            minds.evaluator.values(&self.race, &positions, &mut values);
        });
        by_player(py, &self.race, &values)
    }

    /// The probabilities of actions in a state, which sum to 1: of a bot those of its policy network, of others 1 for
    /// what they choose.
    #[pyo3(signature = (state, seed = 0))]
    fn policy(&self, py: Python<'_>, state: PyRef<'_, State>, seed: u64) -> PyResult<Vec<(usize, f32)>> {
        let positions = positions(&self.race, std::slice::from_ref(&state))?;
        let found: Vec<(usize, f32)> = py.detach(|| {
            let mut minds = self.minds.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = minds.evaluator.evaluate(&self.race, &positions).swap_remove(0);
            answer.policy.iter().map(|&(action, probability)| (usize::from(action.0), probability)).collect()
        });
        if found.is_empty() { Ok(vec![(self.step(py, state, seed)?, 1.0)]) } else { Ok(found) }
    }

    fn __repr__(&self) -> String {
        format!("Agent({:?})", self.name())
    }
}

/// A bot file: networks, and everything that is known of them.
#[pyclass(frozen, module = "ashta")]
#[derive(Debug)]
pub struct Bot {
    source: BotSource,
    folders: Folders,
    bot: ashta_agents::network::bot::Bot,
    race: Arc<Race>,
}

#[pymethods]
impl Bot {
    /// Reads a bot: a file, or the name of one in `folders`.
    #[staticmethod]
    #[pyo3(signature = (bot, folders = None))]
    fn load(py: Python<'_>, bot: PathBuf, folders: Option<Vec<PathBuf>>) -> PyResult<Bot> {
        let folders = folders_or_default(py, folders)?;
        let named = folders.bot(&bot.to_string_lossy()).filter(|_| !bot.is_file());
        let source = named.unwrap_or(BotSource::File(bot));
        let bot = py.detach(|| source.read()).map_err(refused)?;
        let race = Arc::new(bot.race().map_err(refused)?);
        Ok(Bot { source, folders, bot, race })
    }

    /// The game that it plays.
    #[getter]
    fn game(&self) -> Game {
        Game { race: Arc::clone(&self.race) }
    }

    /// Everything that is known of it, as JSON.
    #[getter]
    fn manifest_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.bot.manifest).map_err(refused)
    }

    /// The bot as a player: `"policy"`, `"1ply"`, `"2ply"`, `"mcts:800"` or a level of difficulty.
    #[pyo3(signature = (lookahead = "1ply"))]
    fn agent(&self, lookahead: &str) -> PyResult<Agent> {
        let lookahead = lookahead.parse().map_err(refused)?;
        let spec = AgentSpec::Bot { source: self.source.clone(), lookahead };
        Agent::of(spec.load(&self.folders.folders), Arc::clone(&self.race))
    }

    /// What its networks say of observations `float32[n, observation]`: values `float32[n, values]`, relative to the
    /// observing seat, and policy logits `float32[n, actions]`, which are zeros at the start of a turn.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        observations: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<[Bound<'py, PyArray2<f32>>; 2]> {
        let shape = &self.bot.net.shape().policy;
        let observations = observations.as_array();
        if observations.ncols() != shape.observation {
            let message = format!("observations of length {}, not {}", observations.ncols(), shape.observation);
            return Err(PyValueError::new_err(message));
        }
        let values = PyArray2::zeros(py, [observations.nrows(), shape.values], false);
        let logits = PyArray2::zeros(py, [observations.nrows(), shape.actions], false);
        {
            let (mut values, mut logits) = (values.readwrite(), logits.readwrite());
            let (mut values, mut logits) = (values.as_array_mut(), logits.as_array_mut());
            py.detach(|| {
                let mut scratch = Scratch::default();
                for (row, observation) in observations.rows().into_iter().enumerate() {
                    let ones = observation.iter().enumerate().filter(|&(_, &entry)| entry != 0.0);
                    let active: Vec<u16> = ones.map(|(entry, _)| entry as u16).collect();
                    let (found, policy) = self.bot.net.forward(&active, &mut scratch);
                    values.row_mut(row).iter_mut().zip(found).for_each(|(out, value)| *out = *value);
                    logits.row_mut(row).iter_mut().zip(policy).for_each(|(out, logit)| *out = *logit);
                }
            });
        }
        Ok([values, logits])
    }

    fn __repr__(&self) -> String {
        format!("Bot({:?})", self.source.to_string())
    }
}
