//! `Agent` and `Bot`.

use std::{
    ops::Range,
    path::{self, PathBuf},
    sync::{Arc, Mutex},
};

use anyhow::anyhow;
use ashta_agents::{
    network::{bot::Bot as BotFile, portable::Scratch},
    play::{agent::Agent as Acting, evaluator::Evaluator},
    roster::{BotSource, NamedAgent, Player, folders::Folders},
};
use ashta_env::{
    chance::{self, GameRng},
    game::{Action, BySeat, Game as _, Node, Seat},
    race::{Race, state::State as Position},
};
use ashta_train::run::{embedded, games, output::remark_once};
use ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyTuple};

use crate::{
    Result,
    game::Game,
    interrupt::{Interrupt, lock},
    packed::{PackedAgent, pack, unpack},
    policy::{Policy, PolicyAgent, text_of},
    seed::Seed,
    state::State,
    states::{States, positions},
    table::Table,
    to_python, wrong_type,
};

/// An agent that plays `game`.
///
/// `spec` is `random`, `runner`, `hunter`, `greedy`, `greedy+2ply`, `perfect`, or the name or file
/// of a bot. A look-ahead or a level can follow the bot: `ashtapada+2ply`, `ashtapada+policy`,
/// `ashtapada+mcts:800`, `ashtapada+novice`. Bots and tables are looked up by name in `folders`, by
/// default `ashta.folders()`. Several threads can use one agent at the same time. A pickled agent
/// contains its bot file, but only the path of a table.
#[pyclass(frozen, module = "ashta")]
pub struct Agent {
    pub mind: Mind,
    pub game: Game,
    /// The folders that were searched for the agent and its tables.
    pub folders: Folders,
    /// Instances that no call uses now.
    idle: Mutex<Vec<AgentInstance>>,
}

/// How an agent chooses.
#[derive(Clone)]
pub enum Mind {
    Player(Player),
    Policy(Arc<Policy>),
}

impl Mind {
    pub fn name(&self) -> String {
        match self {
            Mind::Player(player) => player.named_agent().name(),
            Mind::Policy(policy) => policy.name.clone(),
        }
    }

    /// The mind of a policy, as `Agent.of` takes it. Error messages about a function or a model
    /// contain `name`.
    pub fn of(
        policy: &Bound<'_, PyAny>,
        name: Option<&str>,
        game: &Game,
        folders: &Folders,
    ) -> Result<Mind> {
        const EXPECTED: &str = "a policy must be the name or the file of an agent";
        let given = Given::of(policy, name, folders, EXPECTED)?;
        policy.py().detach(|| Ok(given.mind(game)?))
    }

    /// Whether its choices need the interpreter lock.
    pub fn asks_functions(&self) -> bool {
        matches!(self, Mind::Policy(_))
    }

    /// The player that has values; an error for a function or an ONNX model.
    pub fn player(&self) -> Result<&Player> {
        match self {
            Mind::Player(player) => Ok(player),
            Mind::Policy(policy) => Err(wrong_type(format!(
                "the policy {} has no values",
                policy.name
            ))),
        }
    }

    /// An evaluator that `interrupt` stops; an error for a function or an ONNX model.
    pub fn evaluator(&self, interrupt: &Arc<Interrupt>) -> Result<Box<dyn Evaluator<Race> + Send>> {
        Ok(evaluator_of(self.player()?, interrupt))
    }

    /// An agent that `interrupt` stops.
    pub fn agent(&self, game: &Game, interrupt: &Arc<Interrupt>) -> Box<dyn Acting<Race> + Send> {
        match self {
            Mind::Player(player) => {
                let mut agent = player.agent();
                agent.stop_by(&interrupt.stop());
                agent
            }
            Mind::Policy(policy) => Box::new(PolicyAgent {
                policy: Arc::clone(policy),
                game: game.clone(),
                interrupt: Arc::clone(interrupt),
            }),
        }
    }
}

/// A policy of the caller whose game may be unknown.
pub enum Given {
    Named(String, NamedAgent),
    /// An agent or a table, with its game.
    Agent(Mind, Game),
    Policy(Arc<Policy>),
}

impl Given {
    /// Reads a policy, as `Agent.of` takes it. Error messages about a function or a model contain
    /// `name`. The error for other objects begins with `expected`.
    pub fn of(
        policy: &Bound<'_, PyAny>,
        name: Option<&str>,
        folders: &Folders,
        expected: &str,
    ) -> Result<Given> {
        let agent = policy.cast::<Table>().map(|table| &table.get().agent);
        if let Ok(Agent { mind, game, .. }) =
            agent.or_else(|_| policy.cast::<Agent>().map(|agent| agent.get()))
        {
            return Ok(Given::Agent(mind.clone(), game.clone()));
        }
        if let Some(policy) = Policy::of(policy, name, "states")? {
            return Ok(Given::Policy(Arc::new(policy)));
        }
        let Some(spec) = text_of(policy) else {
            let kind = policy.get_type().name()?;
            return Err(wrong_type(format!(
                "{expected}, an `Agent`, a `Table`, a function or an ONNX file, not {kind}"
            )));
        };
        let agent = policy.py().detach(|| folders.agent(&spec))?;
        Ok(Given::Named(spec, agent))
    }

    pub fn name(&self) -> String {
        match self {
            Given::Named(spec, _) => spec.clone(),
            Given::Agent(mind, _) => mind.name(),
            Given::Policy(policy) => policy.name.clone(),
        }
    }

    /// The mind for this game; an error if an agent plays another game.
    pub fn mind(self, game: &Game) -> anyhow::Result<Mind> {
        Ok(match self {
            Given::Named(_, agent) => Mind::Player(agent.player(&game.race)?),
            Given::Agent(mind, own) => own.check(game).map(|()| mind)?,
            Given::Policy(policy) => Mind::Policy(policy),
        })
    }
}

/// An evaluator that `interrupt` stops.
pub fn evaluator_of(
    player: &Player,
    interrupt: &Arc<Interrupt>,
) -> Box<dyn Evaluator<Race> + Send> {
    let mut evaluator = player.evaluator();
    evaluator.stop_by(&interrupt.stop());
    evaluator
}

/// One instance of an agent; one call at a time uses it.
pub struct AgentInstance {
    acting: Box<dyn Acting<Race> + Send>,
    /// The values; `None` for a policy.
    evaluator: Option<Box<dyn Evaluator<Race> + Send>>,
    pub interrupt: Arc<Interrupt>,
}

/// The number of states between two checks for an interrupt.
const SLICE: usize = 64;

/// Calls `compute` for slices of `0..count` and returns all results. After an interrupt, some
/// results are missing.
fn in_slices<T>(
    count: usize,
    interrupt: &Interrupt,
    mut compute: impl FnMut(Range<usize>, &mut Vec<T>),
) -> Vec<T> {
    let mut found = Vec::with_capacity(count);
    for begin in (0..count).step_by(SLICE) {
        if begin > 0 && interrupt.is_set() {
            break;
        }
        compute(begin..count.min(begin + SLICE), &mut found);
    }
    found
}

impl AgentInstance {
    pub fn of(mind: &Mind, game: &Game) -> AgentInstance {
        let interrupt = Interrupt::new();
        AgentInstance {
            acting: mind.agent(game, &interrupt),
            evaluator: mind.evaluator(&interrupt).ok(),
            interrupt,
        }
    }

    pub fn act(&mut self, race: &Race, states: &[Position], rngs: &mut [GameRng]) -> Vec<Action> {
        if self.evaluator.is_none() {
            // A function gets all states in one call.
            return self.acting.act(race, states, rngs);
        }
        in_slices(states.len(), &self.interrupt, |slice, actions| {
            actions.append(
                &mut self
                    .acting
                    .act(race, &states[slice.clone()], &mut rngs[slice]),
            );
        })
    }

    fn values(&mut self, race: &Race, states: &[Position]) -> Vec<BySeat<f32>> {
        let (mut found, Some(evaluator)) = (Vec::new(), &mut self.evaluator) else {
            return Vec::new();
        };
        in_slices(states.len(), &self.interrupt, |slice, values| {
            evaluator.values(race, &states[slice], &mut found);
            values.append(&mut found);
        })
    }
}

impl Agent {
    pub fn of(agent: &NamedAgent, game: &Game, folders: Folders) -> Result<Agent> {
        Ok(Agent::with(
            Mind::Player(agent.player(&game.race)?),
            game,
            folders,
        ))
    }

    fn with(mind: Mind, game: &Game, folders: Folders) -> Agent {
        let idle = Mutex::new(vec![AgentInstance::of(&mind, game)]);
        Agent {
            mind,
            game: game.clone(),
            folders,
            idle,
        }
    }

    /// Runs a computation without the interpreter lock, until an interrupt. Each thread gets its
    /// own instance.
    fn compute<T: Send>(
        &self,
        py: Python<'_>,
        compute: impl FnOnce(&mut AgentInstance) -> T + Send,
    ) -> PyResult<T> {
        let idle = lock(&self.idle).pop();
        let mut instance = idle.unwrap_or_else(|| AgentInstance::of(&self.mind, &self.game));
        let found = Arc::clone(&instance.interrupt).watch(py, || compute(&mut instance));
        lock(&self.idle).push(instance);
        found
    }

    /// Chooses an action for each position. Random choices in position `i` use random stream `i` of
    /// `seed`.
    fn choose(
        &self,
        py: Python<'_>,
        positions: &[Position],
        seed: Option<Seed>,
    ) -> Result<Vec<i64>> {
        let (race, seed) = (&*self.game.race, Seed::or_random(seed));
        if let Some(other) = positions
            .iter()
            .find(|state| !matches!(race.node(state), Node::Decision(_)))
        {
            return Err(anyhow!("`{}` is not a decision node", race.print(other)).into());
        }
        Ok(self.compute(py, |instance| {
            let streams = 0..positions.len() as u64;
            let mut rngs: Vec<GameRng> =
                streams.map(|stream| chance::stream(seed, stream)).collect();
            instance
                .act(race, positions, &mut rngs)
                .into_iter()
                .map(|action| action.0.into())
                .collect()
        })?)
    }
}

/// The folders of an argument. Without the argument, the folders of `ashta.folders()` and the bots
/// inside the package.
pub fn folders_or_default(py: Python<'_>, folders: Option<Vec<PathBuf>>) -> PyResult<Folders> {
    match folders {
        Some(folders) => Ok(folders.into()),
        None => {
            let folders = py.import("ashta")?.call_method0("folders")?.extract()?;
            Ok(Folders {
                folders,
                embedded: embedded::BOTS,
                warn: Some(remark_once),
            })
        }
    }
}

/// The existing folders in which `ashta` looks up bots and tables by name.
#[pyfunction]
pub fn data_folders() -> Vec<PathBuf> {
    games::folders().folders
}

/// An agent as data, without the content of a table.
fn packed(agent: &NamedAgent) -> Result<PackedAgent> {
    Ok(match agent {
        NamedAgent::Table { path, .. } => (
            path::absolute(path)?.display().to_string(),
            String::new(),
            Vec::new(),
        ),
        other => pack(other)?,
    })
}

/// The absolute paths of folders, for processes with another current folder.
pub fn absolute(folders: &Folders) -> PyResult<Vec<PathBuf>> {
    Ok(folders
        .folders
        .iter()
        .map(path::absolute)
        .collect::<Result<_, _>>()?)
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (spec, game, folders = None))]
    fn new(
        py: Python<'_>,
        spec: &str,
        game: &Game,
        folders: Option<Vec<PathBuf>>,
    ) -> Result<Agent> {
        let folders = folders_or_default(py, folders)?;
        py.detach(|| Agent::of(&folders.agent(spec)?, game, folders))
    }

    #[staticmethod]
    fn _restored(packed: PackedAgent, game: &Game, folders: Vec<PathBuf>) -> Result<Agent> {
        let folders = folders.into();
        Agent::of(&unpack(&packed, &folders)?, game, folders)
    }

    /// Makes an agent of any policy; it works wherever an agent works. `policy` is one of these:
    ///
    /// * a string for `Agent`, a file, an `Agent`, or a `Table`;
    /// * a function that returns actions, `int[n]`, or probabilities, `float[n, actions]`; the
    ///   agent draws actions with these probabilities;
    /// * the path of an ONNX model, which ends in `.onnx`: the legal action with the highest
    ///   probability.
    ///
    /// A function takes `States`. With `takes="state"`, it takes one `State`, and returns one
    /// action or one row of probabilities. With `takes="observations"`, it takes two arguments:
    /// `observations`, `float32[n, observation]`, and `action_masks`, `int8[n, actions]`. Functions
    /// and models have no values.
    #[staticmethod]
    #[pyo3(name = "of", signature = (policy, game, folders = None, takes = "states"))]
    fn py_of(
        py: Python<'_>,
        policy: &Bound<'_, PyAny>,
        game: &Game,
        folders: Option<Vec<PathBuf>>,
        takes: &str,
    ) -> Result<Agent> {
        let folders = match policy.cast::<Agent>() {
            Ok(agent) => agent.get().folders.clone(),
            Err(_) => folders_or_default(py, folders)?,
        };
        if takes != "states" && !policy.is_callable() {
            return Err(anyhow!("`takes=\"{takes}\"` only works with a function").into());
        }
        let mind = match Policy::of(policy, None, takes)? {
            Some(policy) => Mind::Policy(Arc::new(policy)),
            None => Mind::of(policy, None, game, &folders)?,
        };
        Ok(Agent::with(mind, game, folders))
    }

    /// The name, as in `spec`.
    #[getter]
    fn name(&self) -> String {
        match &self.mind {
            Mind::Player(player) => player.named_agent().to_string(),
            Mind::Policy(policy) => policy.name.clone(),
        }
    }

    /// Chooses a legal action for each state: a list for a list of `State`, `int64[n]` for
    /// `States`. All states must be decision nodes. Random choices for state `i` use stream `i` of
    /// `seed`; without `seed`, each call draws a new seed.
    #[pyo3(signature = (states, seed = None))]
    fn act<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        seed: Option<Seed>,
    ) -> Result<Bound<'py, PyAny>> {
        let chosen = self.choose(py, &positions(&self.game, states)?, seed)?;
        Ok(match states.cast::<States>() {
            Ok(_) => PyArray1::from_vec(py, chosen).into_any(),
            Err(_) => chosen.into_pyobject(py)?.into_any(),
        })
    }

    /// Chooses a legal action for one state.
    #[pyo3(signature = (state, seed = None))]
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>, seed: Option<Seed>) -> Result<i64> {
        self.game.check(&state.game)?;
        let position = state.state;
        drop(state);
        Ok(self.choose(py, &[position], seed)?[0])
    }

    /// The value of each state for each player, `float32[states, num_players]`, 0 to 1.
    pub fn values<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyArray2<f32>>> {
        self.mind.player()?;
        let positions = positions(&self.game, states)?;
        let values = self.compute(py, |instance| instance.values(&self.game.race, &positions))?;
        let seats: Vec<Seat> = self.game.race.spec().seats.iter().collect();
        let value = |(state, player): (usize, usize)| values[state][seats[player]];
        Ok(PyArray2::from_owned_array(
            py,
            Array2::from_shape_fn((values.len(), seats.len()), value),
        ))
    }

    /// Legal actions and their probabilities. A bot uses its policy network; other agents give
    /// probability 1 to the action that they choose.
    #[pyo3(signature = (state, seed = None))]
    fn policy(
        &self,
        py: Python<'_>,
        state: PyRef<'_, State>,
        seed: Option<Seed>,
    ) -> Result<Vec<(i64, f32)>> {
        self.game.check(&state.game)?;
        let positions = [state.state];
        drop(state);
        let found: Vec<(i64, f32)> = self.compute(py, |instance| {
            let policy = match &mut instance.evaluator {
                Some(evaluator) => {
                    evaluator
                        .evaluate(&self.game.race, &positions)
                        .swap_remove(0)
                        .policy
                }
                None => {
                    let mut rng = [chance::stream(Seed::or_random(seed), 0)];
                    instance
                        .acting
                        .policy(&self.game.race, &positions, &mut rng)
                        .remove(0)
                }
            };
            policy
                .into_iter()
                .map(|(action, probability)| (action.0.into(), probability))
                .collect()
        })?;
        if found.is_empty() {
            Ok(vec![(self.choose(py, &positions, seed)?[0], 1.0)])
        } else {
            Ok(found)
        }
    }

    /// Pickles a bot with the content of its file. A table is large, so only its path is pickled.
    fn __reduce__<'py>(slf: &Bound<'py, Agent>) -> Result<Bound<'py, PyTuple>> {
        let (
            py,
            Agent {
                mind,
                game,
                folders,
                ..
            },
        ) = (slf.py(), slf.get());
        let (game, folders) = (game.clone(), absolute(folders)?);
        Ok(match mind {
            Mind::Policy(policy) => (
                slf.getattr("of")?,
                (&policy.given, game, folders, &policy.takes),
            )
                .into_pyobject(py)?,
            Mind::Player(player) => (
                slf.getattr("_restored")?,
                (packed(player.named_agent())?, game, folders),
            )
                .into_pyobject(py)?,
        })
    }

    fn __repr__(&self) -> String {
        format!("Agent({:?})", self.name())
    }
}

/// A bot file: two networks and a manifest. A pickled bot contains the file.
#[pyclass(frozen, module = "ashta")]
pub struct Bot {
    source: BotSource,
    folders: Folders,
    bot: BotFile,
    /// The game of the bot.
    #[pyo3(get)]
    game: Game,
}

impl Bot {
    fn of(source: BotSource, folders: Folders, bot: BotFile) -> Result<Bot> {
        Ok(Bot {
            game: bot.race()?.into(),
            source,
            folders,
            bot,
        })
    }
}

#[pymethods]
impl Bot {
    /// Reads a bot from a file, or by name from `folders`, by default `ashta.folders()`.
    #[staticmethod]
    #[pyo3(signature = (bot, folders = None))]
    fn load(py: Python<'_>, bot: PathBuf, folders: Option<Vec<PathBuf>>) -> Result<Bot> {
        let folders = folders_or_default(py, folders)?;
        let source = folders
            .bot(&bot.to_string_lossy())
            .filter(|_| !bot.is_file())
            .unwrap_or(BotSource::File(bot));
        let bot = py.detach(|| source.read())?;
        Bot::of(source, folders, bot)
    }

    /// The manifest as a dict: game, training, measured strength, levels of difficulty.
    #[getter]
    fn manifest<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        to_python(py, &self.bot.manifest)
    }

    /// The manifest as JSON.
    #[getter]
    fn manifest_json(&self) -> Result<String> {
        Ok(serde_json::to_string(&self.bot.manifest)?)
    }

    /// Makes an agent that uses this look-ahead: `"policy"`, `"1ply"`, `"2ply"`, `"mcts:800"` or a
    /// level of difficulty.
    #[pyo3(signature = (lookahead = "1ply"))]
    fn agent(&self, lookahead: &str) -> Result<Agent> {
        let folders = &self.folders;
        let agent = NamedAgent::of_bot(self.source.clone(), self.bot.clone(), lookahead.parse()?);
        Agent::of(
            &agent.with_tables_in(folders),
            &self.game,
            self.folders.clone(),
        )
    }

    /// Runs both networks on observations, `float32[n, observation]`; returns the values and the
    /// policy logits.
    ///
    /// Values are `float32[n, values]`; the observing seat, or its team, comes first. Logits are
    /// `float32[n, actions]`; for an observation at the start of a turn, all logits are 0.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyArray2<f32>>,
    ) -> Result<[Bound<'py, PyArray2<f32>>; 2]> {
        let shape = &self.bot.net.shape().policy;
        let observations = observations.try_readonly().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is writing the observations: copy them between its steps",
            )
        })?;
        let observations = observations.as_array();
        let length = observations.ncols();
        ensure!(
            length == shape.observation,
            "the observations have length {length}, but the bot takes {}",
            shape.observation
        );
        let (mut values, mut logits) = (Vec::new(), Vec::new());
        let (interrupt, mut scratch) = (Interrupt::new(), Scratch::default());
        let forward = |rows: Range<usize>, _: &mut Vec<()>| {
            for row in rows {
                let active: Vec<u16> = observations
                    .row(row)
                    .into_iter()
                    .enumerate()
                    .filter(|&(_, &entry)| entry != 0.0)
                    .map(|(entry, _)| entry as u16)
                    .collect();
                let (found, policy) = self.bot.net.forward(&active, &mut scratch);
                values.extend_from_slice(found);
                logits.extend_from_slice(policy);
                logits.resize(values.len() / shape.values * shape.actions, 0.0);
            }
        };
        interrupt.watch(py, || in_slices(observations.nrows(), &interrupt, forward))?;
        let array = |flat: Vec<f32>, width: usize| -> Result<_> {
            Ok(PyArray2::from_owned_array(
                py,
                Array2::from_shape_vec((observations.nrows(), width), flat)?,
            ))
        };
        Ok([array(values, shape.values)?, array(logits, shape.actions)?])
    }

    #[staticmethod]
    fn _restored(path: PathBuf, content: &[u8], folders: Vec<PathBuf>) -> Result<Bot> {
        Bot::of(
            BotSource::File(path),
            folders.into(),
            BotFile::from_bytes(content)?,
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Bot>) -> Result<Bound<'py, PyTuple>> {
        let Bot {
            source,
            bot,
            folders,
            ..
        } = slf.get();
        let arguments = (source.to_string(), bot.to_bytes()?, absolute(folders)?);
        Ok((slf.getattr("_restored")?, arguments).into_pyobject(slf.py())?)
    }

    fn __repr__(&self) -> String {
        format!("Bot({:?})", self.source.to_string())
    }
}
