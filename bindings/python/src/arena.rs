//! `arena`: agents meet in games with the same throws, and who is better is summed up.
//!
//! The games are played without the interpreter lock, by threads of their own; agents that are functions take it for
//! their decisions. The calling thread sees to Ctrl-C meanwhile.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ashta_agents::arena::game_record::GameLine;
use ashta_agents::arena::tournament::{Entrant, Tournament, distinct_names};
use ashta_agents::arena::{Contestant, Fault, GameFacts, MatchConfig, Reference, Sprt, Summary};
use ashta_agents::play::agent::GameRng;
use ashta_agents::roster::folders::Folders;
use ashta_agents::roster::{NamedAgent, Player};
use ashta_env::game::{Action, Game as _};
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::agent::{Agent, folders_or_default};
use crate::game::Game;
use crate::interrupt::Interrupt;
use crate::state::State;
use crate::{refused, restored, to_python};

/// Games that a thread plays side by side.
const BATCH: usize = 64;
/// The most pairs of games.
const MOST_PAIRS: u64 = 10_000_000;
/// The most threads.
const MOST_THREADS: usize = 256;

/// An agent as it was named.
enum Named {
    Agent(NamedAgent),
    Function(Py<PyAny>),
}

/// The agents, once the game is known.
enum Mind {
    Inside(Player),
    Function(Py<PyAny>),
}

/// The agents by their names: of a mapping its keys, of a sequence what its items are called.
fn named(agents: &Bound<'_, PyAny>, folders: &Folders) -> PyResult<Vec<(String, Named)>> {
    let mut found = Vec::new();
    if let Ok(agents) = agents.cast::<PyDict>() {
        for (name, agent) in agents.iter() {
            found.push((name.extract()?, one(&agent, folders)?.1));
        }
        return Ok(found);
    }
    if agents.extract::<String>().is_ok() {
        return Err(PyTypeError::new_err("`agents` is a list of agents or a dict of agents by name, not one agent"));
    }
    for agent in agents.try_iter()? {
        found.push(one(&agent?, folders)?);
    }
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    Ok(distinct_names(&names).into_iter().zip(found).map(|(name, (_, agent))| (name, agent)).collect())
}

/// One agent with what it is called.
fn one(agent: &Bound<'_, PyAny>, folders: &Folders) -> PyResult<(String, Named)> {
    if let Ok(spec) = agent.extract::<String>() {
        let agent = folders.agent(&spec).map_err(refused)?;
        return Ok((spec, Named::Agent(agent)));
    }
    if let Ok(agent) = agent.cast::<Agent>() {
        let agent = agent.get().player().named();
        return Ok((agent.name(), Named::Agent(agent.clone())));
    }
    if agent.is_callable() {
        let name = agent.getattr("__name__").and_then(|name| name.extract());
        return Ok((name.unwrap_or_else(|_| "function".to_owned()), Named::Function(agent.clone().unbind())));
    }
    let kind = agent.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "an agent is a text, an `Agent` or a function from a state to an action, not {kind}"
    )))
}

/// The game that is meant: the one that is named, or that of the first bot or table.
fn race(game: Option<&Game>, agents: &[(String, Named)]) -> PyResult<Arc<Race>> {
    if let Some(game) = game {
        return Ok(Arc::clone(&game.race));
    }
    for (_, agent) in agents {
        if let Named::Agent(agent) = agent
            && let Some(race) = agent.race().map_err(refused)?
        {
            return Ok(Arc::new(race));
        }
    }
    Err(PyValueError::new_err(
        "no bot or table says what to play: name the game with game=ashta.Game(…); ashta.Game.names() lists the names",
    ))
}

/// By whose values luck is measured.
fn reference(luck: &Bound<'_, PyAny>, folders: &Folders, race: &Race) -> PyResult<Option<Reference<Race>>> {
    if let Ok(agent) = luck.cast::<Agent>() {
        return Ok(Some(agent.get().player().named().player(race).map_err(refused)?.reference()));
    }
    let spec: String = luck.extract().map_err(|_| PyTypeError::new_err("`luck` is \"auto\", \"none\" or an agent"))?;
    Ok(folders.reference(&spec, race).map_err(refused)?.map(|player| player.reference()))
}

/// A function that plays.
struct Function<'a> {
    name: &'a str,
    function: &'a Py<PyAny>,
    race: &'a Arc<Race>,
    stop: &'a Interrupt,
}

impl Function<'_> {
    fn choose_one(&self, py: Python<'_>, state: &Position) -> PyResult<Action> {
        let answer = self.function.bind(py).call1((State { race: Arc::clone(self.race), state: *state },))?;
        let legal = self.race.legal_actions(state);
        let number = answer.extract::<i64>().ok().and_then(|number| u8::try_from(number).ok());
        let action = number.filter(|&number| number < 32).map(Action).filter(|&action| legal.contains(action));
        action.ok_or_else(|| {
            let (name, position) = (self.name, self.race.print(state));
            PyValueError::new_err(format!(
                "{name} chose {answer}, which is not legal at `{position}`; legal are {legal:?}"
            ))
        })
    }
}

impl Contestant<Race> for Function<'_> {
    fn try_act(&mut self, _: &Race, states: &[Position], _: &mut [GameRng]) -> Vec<Result<Action, Fault>> {
        // Its games count for nothing: the stop reports why.
        let stopped = || Err(Fault("the arena has stopped".to_owned()));
        Python::attach(|py| {
            let one = |state| match self.stop.is_set() {
                true => stopped(),
                false => self.choose_one(py, state).or_else(|error| {
                    self.stop.set(error);
                    stopped()
                }),
            };
            states.iter().map(one).collect()
        })
    }
}

/// What an arena found.
#[pyclass(frozen, module = "ashta")]
#[derive(Debug)]
pub struct ArenaResult {
    /// The report and the games as JSON.
    report: String,
    games: String,
    shown: String,
}

impl ArenaResult {
    /// Of these games, as they were summed up.
    pub(crate) fn new(summary: &Summary, games: &[GameLine]) -> PyResult<ArenaResult> {
        let score = |agent: &ashta_agents::arena::AgentSummary| {
            let [low, high] = agent.score.interval;
            format!("{}: {:.3} [{low:.3}, {high:.3}]", agent.name, agent.score.mean)
        };
        let scores: Vec<String> = summary.agents.iter().map(score).collect();
        let shown = format!("ArenaResult({} games of {}; {})", summary.games, summary.game, scores.join(", "));
        let (report, games) = (serde_json::to_string(summary), serde_json::to_string(games));
        Ok(ArenaResult { report: report.map_err(refused)?, games: games.map_err(refused)?, shown })
    }
}

#[pymethods]
impl ArenaResult {
    /// What `ashta arena --json` prints, with the same keys; bounds that are not known are `None`.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, Ok(&self.report))
    }

    /// The games, each as a line of a file of games has it; none with `keep_games=False`. Made anew each time.
    #[getter]
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, Ok(&self.games))
    }

    #[staticmethod]
    fn _restored(report: String, games: String, shown: String) -> ArenaResult {
        ArenaResult { report, games, shown }
    }

    fn __reduce__<'py>(slf: &Bound<'py, ArenaResult>) -> PyResult<Bound<'py, PyTuple>> {
        let ArenaResult { report, games, shown } = slf.get();
        restored(&slf.get_type(), "_restored", (report, games, shown))
    }

    fn __repr__(&self) -> String {
        self.shown.clone()
    }
}

/// Lets 2 to 256 agents meet in games with the same throws, as `ashta arena` does.
///
/// An agent is a text as `Agent` takes it, an `Agent`, or a function from a state to a legal action. `game` is that of
/// the first bot or table if nothing is said. `pairs`, 1 to 10,000,000, are blocks of games for each lineup; `seed` is
/// that of the throws; `threads`, 1 to 256, are by default as many as there are processors, and one where a function
/// plays. Without functions the result depends neither on threads nor on the time. `luck` says by whose values luck is
/// measured: `"auto"`, `"none"` or an agent. `anchor` is the name of who is rated 0; `sprt` are differences in Elo
/// between which a sequential test decides, wrongly with the probabilities `alpha` and `beta`.
///
/// What a function raises ends the arena; so does what is no legal action, as a `ValueError`. Ctrl-C ends it, too.
#[pyfunction]
#[pyo3(signature = (
    agents, game = None, *, pairs = 1000, seed = 7919, threads = None, luck = None, anchor = None, sprt = None,
    alpha = 0.05, beta = 0.05, keep_games = true, folders = None,
), text_signature = "(agents, game=None, *, pairs=1000, seed=7919, threads=None, luck='auto', anchor=None, sprt=None, \
    alpha=0.05, beta=0.05, keep_games=True, folders=None)")]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of a Python function")]
pub fn arena(
    py: Python<'_>,
    agents: &Bound<'_, PyAny>,
    game: Option<&Game>,
    pairs: u64,
    seed: u64,
    threads: Option<usize>,
    luck: Option<&Bound<'_, PyAny>>,
    anchor: Option<&str>,
    sprt: Option<(f64, f64)>,
    alpha: f64,
    beta: f64,
    keep_games: bool,
    folders: Option<Vec<PathBuf>>,
) -> PyResult<ArenaResult> {
    if !(1..=MOST_PAIRS).contains(&pairs) {
        return Err(PyValueError::new_err(format!("`pairs` is {pairs}, but must be 1 to {MOST_PAIRS}")));
    }
    let folders = folders_or_default(py, folders)?;
    let agents = named(agents, &folders)?;
    let race = race(game, &agents)?;
    let reference = match luck {
        Some(luck) => reference(luck, &folders, &race)?,
        None => folders.reference("auto", &race).map_err(refused)?.map(|player| player.reference()),
    };
    let seated = |(name, agent)| {
        let mind = match agent {
            Named::Agent(agent) => {
                let in_agent = |error| PyValueError::new_err(format!("{name}: {}", refused(error).value(py)));
                Mind::Inside(agent.player(&race).map_err(in_agent)?)
            }
            Named::Function(function) => Mind::Function(function),
        };
        Ok((name, mind))
    };
    let minds = agents.into_iter().map(seated).collect::<PyResult<Vec<(String, Mind)>>>()?;
    // Functions think one at a time, and in the same order with one thread.
    let thinks_alone = minds.iter().any(|(_, mind)| matches!(mind, Mind::Function(_)));
    let threads = threads_or_all(threads.or(thinks_alone.then_some(1)))?;
    let stop = Interrupt::new();
    let reference = reference.map(|reference| reference.stopped_by(stop.stop()));
    let entrants = minds.iter().map(|(name, mind)| entrant(name, mind, &race, &stop)).collect();
    let mut tournament = Tournament::new(&race, entrants, reference).map_err(refused)?;
    if let Some(name) = anchor {
        tournament = tournament.with_anchor(name).map_err(refused)?;
    }
    if let Some((elo0, elo1)) = sprt {
        tournament = tournament.with_sprt(Sprt { elo0, elo1, alpha, beta }).map_err(refused)?;
    }
    let config = MatchConfig { blocks: pairs, seed, threads, batch: BATCH };
    stop.beside(py, || play(&tournament, &config, keep_games, &stop))?
}

/// The number of threads that the caller wants, or one for each processor.
pub(crate) fn threads_or_all(threads: Option<usize>) -> PyResult<usize> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    match threads.unwrap_or_else(processors) {
        threads @ 1..=MOST_THREADS => Ok(threads),
        threads => Err(PyValueError::new_err(format!("`threads` is {threads}, but must be 1 to {MOST_THREADS}"))),
    }
}

fn entrant<'a>(name: &'a str, mind: &'a Mind, race: &'a Arc<Race>, stop: &'a Arc<Interrupt>) -> Entrant<'a> {
    Entrant::new(name.to_owned(), move || match mind {
        Mind::Inside(player) => {
            let mut agent = player.agent();
            agent.stop_by(&stop.stop());
            Box::new(agent)
        }
        Mind::Function(function) => Box::new(Function { name, function, race, stop }),
    })
}

/// Plays the games, until it is interrupted.
fn play(
    tournament: &Tournament<'_>,
    config: &MatchConfig,
    keep_games: bool,
    stop: &Interrupt,
) -> PyResult<ArenaResult> {
    let (mut facts, mut games) = (Vec::new(), Vec::new());
    let mut take = |_, lines: Vec<GameLine>, _: &[GameFacts]| {
        if keep_games {
            games.extend(lines);
        }
        ControlFlow::Continue(())
    };
    let begun = Instant::now();
    let clock = || begun.elapsed().as_nanos() as u64;
    let left = tournament.left(config.blocks, &facts);
    tournament.play(left, config, &clock, &|| stop.is_set(), &mut facts, &mut take);
    ArenaResult::new(&tournament.summary(&facts), &games)
}
