//! `Agent` and `Bot`.

use std::path::{self, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ashta_agents::network::portable::Scratch;
use ashta_agents::play::agent::Agent as Acting;
use ashta_agents::play::evaluator::Evaluator;
use ashta_agents::roster::folders::Folders;
use ashta_agents::roster::{BotSource, NamedAgent, Player};
use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Action, BySeat, Game as _, Node};
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ashta_train::{embedded, games};
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::game::{Game, check};
use crate::interrupt::Interrupt;
use crate::state::{State, positions};
use crate::{refused, restored};

/// An agent that plays `game`.
///
/// `random`, `runner`, `hunter`, `greedy`, `greedy+2ply`, `perfect`, or a bot by name or file, with how far it looks
/// ahead: `ashtapada+2ply`, `ashtapada+policy`, `ashtapada+mcts:800`, `ashtapada+novice`. Names are looked for in
/// `folders`, by default `ashta.folders()`. Several threads can ask an agent at once. What is pickled has the content
/// of a bot with it, but finds tables by their paths.
#[pyclass(frozen, module = "ashta")]
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct Agent {
    player: Player,
    race: Arc<Race>,
    /// Where it and its tables were looked for.
    folders: Folders,
    /// Those that do not think just now.
    idle: Mutex<Vec<Mind>>,
}

/// What an agent thinks with in one call at a time.
struct Mind {
    acting: Box<dyn Acting<Race> + Send>,
    evaluator: Box<dyn Evaluator<Race> + Send>,
    interrupt: Arc<Interrupt>,
}

/// States that are asked about at once; then it is seen whether to stop.
const SLICE: usize = 64;

/// The actions of an agent, some states at a time. When it is interrupted, some are missing.
pub(crate) fn act(
    agent: &mut (dyn Acting<Race> + Send),
    race: &Race,
    states: &[Position],
    rngs: &mut [GameRng],
    interrupt: &Interrupt,
) -> Vec<Action> {
    let mut actions = Vec::with_capacity(states.len());
    for (states, rngs) in states.chunks(SLICE).zip(rngs.chunks_mut(SLICE)) {
        if !actions.is_empty() && interrupt.is_set() {
            break;
        }
        actions.append(&mut agent.act(race, states, rngs));
    }
    actions
}

/// The values of an evaluator, some states at a time. When it is interrupted, some are missing.
pub(crate) fn values(
    evaluator: &mut dyn Evaluator<Race>,
    race: &Race,
    states: &[Position],
    interrupt: &Interrupt,
) -> Vec<BySeat<f32>> {
    let (mut values, mut slice) = (Vec::with_capacity(states.len()), Vec::new());
    for states in states.chunks(SLICE) {
        if !values.is_empty() && interrupt.is_set() {
            break;
        }
        evaluator.values(race, states, &mut slice);
        values.extend_from_slice(&slice);
    }
    values
}

impl Mind {
    fn of(player: &Player) -> Mind {
        let interrupt = Interrupt::new();
        let (mut acting, mut evaluator) = (player.agent(), player.evaluator());
        acting.stop_by(&interrupt.stop());
        evaluator.stop_by(&interrupt.stop());
        Mind { acting, evaluator, interrupt }
    }
}

impl Agent {
    fn of(agent: &NamedAgent, race: Arc<Race>, folders: Folders) -> PyResult<Agent> {
        let player = agent.player(&race).map_err(refused)?;
        let idle = Mutex::new(vec![Mind::of(&player)]);
        Ok(Agent { player, race, folders, idle })
    }

    /// Thinks without the interpreter lock, until it is interrupted. Each of several threads has a mind of its own.
    fn think<T: Send>(&self, py: Python<'_>, think: impl FnOnce(&mut Mind) -> T + Send) -> PyResult<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut mind = idle.unwrap_or_else(|| Mind::of(&self.player));
        let interrupt = Arc::clone(&mind.interrupt);
        let found = interrupt.watch(py, || think(&mut mind));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(mind);
        found
    }

    /// An action for each position; who draws draws by streams of `seed`.
    fn choose(&self, py: Python<'_>, positions: &[Position], seed: u64) -> PyResult<Vec<usize>> {
        if let Some(other) = positions.iter().find(|state| !matches!(self.race.node(state), Node::Decision(_))) {
            let message = format!("there is nothing to choose at `{}`", self.race.print(other));
            return Err(PyValueError::new_err(message));
        }
        self.think(py, |mind| {
            let mut rngs: Vec<GameRng> =
                (0..positions.len()).map(|stream| chance::stream(seed, stream as u64)).collect();
            let actions = act(&mut *mind.acting, &self.race, positions, &mut rngs, &mind.interrupt);
            actions.into_iter().map(|action| usize::from(action.0)).collect()
        })
    }

    /// Who plays.
    pub(crate) fn player(&self) -> &Player {
        &self.player
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

/// The folders by their whole paths, for processes with another current folder.
pub(crate) fn absolute(folders: &Folders) -> PyResult<Vec<PathBuf>> {
    Ok(folders.folders.iter().map(path::absolute).collect::<Result<_, _>>()?)
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
        py.detach(|| Agent::of(&folders.agent(spec).map_err(refused)?, race, folders))
    }

    /// An agent as it was pickled: a bot by the content of its file.
    #[staticmethod]
    fn _restored(
        path: PathBuf,
        content: &[u8],
        lookahead: &str,
        game: &Game,
        folders: Vec<PathBuf>,
    ) -> PyResult<Agent> {
        let bot = ashta_agents::network::bot::Bot::from_bytes(content).map_err(refused)?;
        let agent = NamedAgent::of_bot(BotSource::File(path), bot, lookahead.parse().map_err(refused)?);
        Agent::of(&agent.with_tables_in(&folders), Arc::clone(&game.race), folders.into())
    }

    /// Who it is, as it was written.
    #[getter]
    fn name(&self) -> String {
        self.player.named().to_string()
    }

    /// A legal action for each state, all at decision nodes; who draws draws for state `i` by stream `i` of `seed`.
    #[pyo3(signature = (states, seed = 0))]
    fn act(&self, py: Python<'_>, states: Vec<PyRef<'_, State>>, seed: u64) -> PyResult<Vec<usize>> {
        let positions = positions(&self.race, &states)?;
        drop(states);
        self.choose(py, &positions, seed)
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
        let found = self.think(py, |mind| values(&mut mind.evaluator, &self.race, &positions, &mind.interrupt))?;
        by_player(py, &self.race, &found)
    }

    /// Actions and probabilities: of a bot those of its policy network, of others 1 for what they choose.
    #[pyo3(signature = (state, seed = 0))]
    fn policy(&self, py: Python<'_>, state: PyRef<'_, State>, seed: u64) -> PyResult<Vec<(usize, f32)>> {
        let positions = positions(&self.race, std::slice::from_ref(&state))?;
        drop(state);
        let found: Vec<(usize, f32)> = self.think(py, |mind| {
            let answer = mind.evaluator.evaluate(&self.race, &positions).swap_remove(0);
            answer.policy.iter().map(|&(action, probability)| (usize::from(action.0), probability)).collect()
        })?;
        if found.is_empty() { Ok(vec![(self.choose(py, &positions, seed)?[0], 1.0)]) } else { Ok(found) }
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// A bot goes along with its content. Tables, which are large, are found again by their paths.
    fn __reduce__<'py>(slf: &Bound<'py, Agent>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, agent) = (slf.py(), slf.get());
        let (game, folders) = (Game { race: Arc::clone(&agent.race) }, absolute(&agent.folders)?);
        match agent.player.named() {
            NamedAgent::Bot { source, bot, lookahead, .. } => {
                let content = PyBytes::new(py, &bot.to_bytes().map_err(refused)?);
                restored(
                    &slf.get_type(),
                    "_restored",
                    (source.to_string(), content, lookahead.to_string(), game, folders),
                )
            }
            NamedAgent::Table { path, .. } => {
                (slf.get_type(), (path::absolute(path)?.display().to_string(), game, folders).into_pyobject(py)?)
                    .into_pyobject(py)
            }
            other => (slf.get_type(), (other.to_string(), game, folders).into_pyobject(py)?).into_pyobject(py),
        }
    }

    fn __repr__(&self) -> String {
        format!("Agent({:?})", self.name())
    }
}

/// A bot file: networks, and everything that is known of them. What is pickled is its content.
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
    /// Reads a bot: a file, or the name of one in `folders`, by default `ashta.folders()`.
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
        let agent = NamedAgent::of_bot(self.source.clone(), self.bot.clone(), lookahead);
        Agent::of(&agent.with_tables_in(&self.folders.folders), Arc::clone(&self.race), self.folders.clone())
    }

    /// Values, relative to the observing seat, and policy logits of observations `float32[n, observation]`.
    ///
    /// Values are `float32[n, values]`; logits `float32[n, actions]`, zeros at the start of a turn.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyArray2<f32>>,
    ) -> PyResult<[Bound<'py, PyArray2<f32>>; 2]> {
        let shape = &self.bot.net.shape().policy;
        let observations = observations.try_readonly().map_err(|_| {
            PyRuntimeError::new_err("the observations are being written by another thread: copy them between its steps")
        })?;
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
            let interrupt = Interrupt::new();
            interrupt.watch(py, || {
                let mut scratch = Scratch::default();
                for (row, observation) in observations.rows().into_iter().enumerate() {
                    if row.is_multiple_of(SLICE) && interrupt.is_set() {
                        break;
                    }
                    let ones = observation.iter().enumerate().filter(|&(_, &entry)| entry != 0.0);
                    let active: Vec<u16> = ones.map(|(entry, _)| entry as u16).collect();
                    let (found, policy) = self.bot.net.forward(&active, &mut scratch);
                    values.row_mut(row).iter_mut().zip(found).for_each(|(out, value)| *out = *value);
                    logits.row_mut(row).iter_mut().zip(policy).for_each(|(out, logit)| *out = *logit);
                }
            })?;
        }
        Ok([values, logits])
    }

    /// A bot as it was pickled.
    #[staticmethod]
    fn _restored(path: PathBuf, content: &[u8], folders: Vec<PathBuf>) -> PyResult<Bot> {
        let bot = ashta_agents::network::bot::Bot::from_bytes(content).map_err(refused)?;
        let race = Arc::new(bot.race().map_err(refused)?);
        Ok(Bot { source: BotSource::File(path), folders: folders.into(), bot, race })
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// The content of its file goes along.
    fn __reduce__<'py>(slf: &Bound<'py, Bot>) -> PyResult<Bound<'py, PyTuple>> {
        let bot = slf.get();
        let content = PyBytes::new(slf.py(), &bot.bot.to_bytes().map_err(refused)?);
        restored(&slf.get_type(), "_restored", (bot.source.to_string(), content, absolute(&bot.folders)?))
    }

    fn __repr__(&self) -> String {
        format!("Bot({:?})", self.source.to_string())
    }
}
