//! `arena`: agents play games with the same throws, and statistics rank them.
//!
//! Threads play the games without the interpreter lock. Agents that are Python functions take the
//! lock for each decision. Meanwhile the calling thread handles Ctrl-C.

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, anyhow};
use ashta_agents::arena::game_record::GameLine;
use ashta_agents::arena::tournament::{Clock, Entrant, Tournament, distinct_names};
use ashta_agents::arena::{
    AgentSummary, Contestant, GameFacts, Interval, MatchConfig, Reference, Sprt, Summary,
};
use ashta_agents::roster::Player;
use ashta_agents::roster::folders::Folders;
use ashta_env::race::Race;
use ashta_env::sheet::Sheets;
use ashta_train::report::analysis::Analysis;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::agent::{Agent, Given, Mind, folders_or_default};
use crate::cluster::attachments::{PackedAgent, pack, tables, unpack};
use crate::cluster::{Files, scratch};
use crate::game::Game;
use crate::interrupt::{Interrupt, lock};
use crate::seed::given;
use crate::{Result, to_python, wrong_type};

/// The number of games that a thread plays at the same time.
pub(crate) const BATCH: usize = 64;
pub(crate) const MOST_PAIRS: u64 = 10_000_000;
const MOST_THREADS: usize = 256;

/// Reads agents with their names. The keys of a dict are the names; in a list, each agent has its
/// own name.
fn read_agents(agents: &Bound<'_, PyAny>, folders: &Folders) -> Result<Vec<(String, Given)>> {
    let one = |agent: &Bound<'_, PyAny>, name: Option<&str>| {
        Given::of(agent, name, folders, "an agent must be a str")
    };
    if let Ok(agents) = agents.cast::<PyDict>() {
        let named = |(name, agent): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let name: String = name.extract()?;
            Ok((name.clone(), one(&agent, Some(&name))?))
        };
        return agents.iter().map(named).collect();
    }
    if agents.extract::<String>().is_ok() {
        return Err(wrong_type(
            "`agents` must be a list of agents or a dict from names to agents, not one agent",
        ));
    }
    let found = agents
        .try_iter()?
        .map(|agent| one(&agent?, None))
        .collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = found.iter().map(Given::name).collect();
    Ok(distinct_names(&names).into_iter().zip(found).collect())
}

/// The game of the first `Agent` or `Table`, otherwise of the first bot or table file.
fn game_of(agents: &[(String, Given)]) -> Result<Game> {
    let own = |agent: &Given| {
        if let Given::Agent(_, game) = agent {
            Some(game.clone())
        } else {
            None
        }
    };
    if let Some(game) = agents.iter().find_map(|(_, agent)| own(agent)) {
        return Ok(game);
    }
    let named = |agent: &Given| {
        if let Given::Named(_, agent) = agent {
            agent.race().transpose()
        } else {
            None
        }
    };
    let known = agents
        .iter()
        .find_map(|(_, agent)| named(agent))
        .transpose()?;
    let unknown = "no bot or table says which game to play: pass game=ashta.Game(…); ashta.Game.names() lists the names";
    Ok(known.context(unknown)?.into())
}

fn reference(
    luck: Option<&Bound<'_, PyAny>>,
    folders: &Folders,
    race: &Race,
) -> Result<Option<Player>> {
    let Some(luck) = luck else {
        return Ok(folders.reference("auto", race)?);
    };
    if let Ok(agent) = luck.cast::<Agent>() {
        return Ok(Some(agent.get().mind.player()?.named_agent().player(race)?));
    }
    let spec: String = luck
        .extract()
        .map_err(|_| wrong_type("`luck` must be \"auto\", \"none\" or an agent"))?;
    Ok(folders.reference(&spec, race)?)
}

fn result_of<'py>(
    py: Python<'py>,
    summary: &Summary,
    games: &[GameLine],
) -> Result<Bound<'py, PyAny>> {
    let score = |agent: &AgentSummary| {
        let Some(Interval {
            mean,
            interval: [low, high],
            ..
        }) = agent.score
        else {
            return format!("{}: no finished game", agent.name);
        };
        format!("{}: {mean:.3} [{low:.3}, {high:.3}]", agent.name)
    };
    let scores: Vec<String> = summary.agents.iter().map(score).collect();
    let ends = [
        (summary.drawn_games, "drawn"),
        (summary.truncated_games, "truncated"),
    ];
    let ends = ends
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("; {count} {what}"));
    let (ends, scores) = (ends.collect::<String>(), scores.join(", "));
    let shown = format!(
        "ArenaResult({} games of {}; {scores}{ends})",
        summary.games, summary.game
    );
    let (report, games) = (
        serde_json::to_string(summary)?,
        serde_json::to_string(games)?,
    );
    Ok(py
        .import("ashta._results")?
        .call_method1("ArenaResult", (report, games, shown))?)
}

/// An arena: its agents, its game, and the results of games that other processes have played.
#[pyclass(frozen, module = "ashta._ashta")]
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct Arena {
    game: Game,
    agents: Vec<(String, Mind)>,
    folders: Folders,
    reference: Option<Player>,
    anchor: Option<String>,
    sprt: Option<Sprt>,
    pairs: u64,
    found: Mutex<(Vec<GameFacts>, Vec<GameLine>)>,
    stop: Arc<Interrupt>,
}

impl Arena {
    fn tournament(&self) -> Result<Tournament<'_>> {
        let mut entrants = Vec::new();
        for (name, mind) in &self.agents {
            let make =
                move || Box::new(mind.agent(&self.game, &self.stop)) as Box<dyn Contestant<Race>>;
            entrants.push(Entrant::new(name.clone(), make));
        }
        let reference = self.reference.as_ref().map(|player| Reference {
            stop: self.stop.stop(),
            ..player.reference()
        });
        let mut tournament = Tournament::new(&self.game.race, entrants, reference)?;
        if let Some(name) = &self.anchor {
            tournament = tournament.with_anchor(name)?;
        }
        if let Some(sprt) = self.sprt {
            tournament = tournament.with_sprt(sprt)?;
        }
        Ok(tournament)
    }

    fn games(
        &self,
        tournament: &Tournament<'_>,
        blocks: Range<u64>,
        (seed, threads): (u64, usize),
        clock: Clock<'_>,
        keep_games: bool,
    ) -> (Vec<GameFacts>, Vec<GameLine>) {
        let config = MatchConfig {
            blocks: blocks.end,
            seed,
            threads,
            batch: BATCH,
        };
        let (mut facts, mut games) = (Vec::new(), Vec::new());
        let mut keep = |_, lines: Vec<GameLine>, _: &[GameFacts]| {
            if keep_games {
                games.extend(lines);
            }
            ControlFlow::Continue(())
        };
        tournament.play(
            blocks,
            &config,
            clock,
            &|| self.stop.is_set(),
            &mut facts,
            &mut keep,
        );
        (facts, games)
    }
}

#[pymethods]
impl Arena {
    #[new]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are those of a Python function"
    )]
    fn new(
        py: Python<'_>,
        agents: &Bound<'_, PyAny>,
        game: Option<&Game>,
        pairs: u64,
        luck: Option<&Bound<'_, PyAny>>,
        anchor: Option<String>,
        sprt: Option<(f64, f64)>,
        alpha: f64,
        beta: f64,
        folders: Option<Vec<PathBuf>>,
    ) -> Result<Arena> {
        ensure!(
            (1..=MOST_PAIRS).contains(&pairs),
            "`pairs` is {pairs}, but must be 1 to {MOST_PAIRS}"
        );
        let folders = folders_or_default(py, folders)?;
        let agents = read_agents(agents, &folders)?;
        let game = game.map_or_else(|| game_of(&agents), |game| Ok(game.clone()))?;
        let mind = |(name, agent): (String, Given)| {
            if let Given::Agent(_, own) = &agent {
                game.check(own)?;
            }
            let mind = agent.mind(&game).with_context(|| name.clone())?;
            Ok((name, mind))
        };
        let agents = agents.into_iter().map(mind).collect::<Result<_>>()?;
        let reference = reference(luck, &folders, &game.race)?;
        let sprt = sprt.map(|(elo0, elo1)| Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        });
        let found = Mutex::default();
        let arena = Arena {
            game,
            agents,
            folders,
            reference,
            anchor,
            sprt,
            pairs,
            found,
            stop: Interrupt::new(),
        };
        arena.tournament()?;
        Ok(arena)
    }

    /// Restores the arena on another machine, which plays blocks of games.
    #[staticmethod]
    fn _restored(
        agents: Vec<(String, PackedAgent)>,
        game: &Game,
        reference: Option<PackedAgent>,
        tables: Files,
    ) -> Result<Arena> {
        let game = game.clone();
        let folder = scratch(&tables)?;
        let folders = Folders::from(vec![folder.path().to_owned()]);
        // The players read the tables before their temporary folder is removed.
        let player = |packed| -> Result<_> { Ok(unpack(&packed, &folders)?.player(&game.race)?) };
        let agent = |(name, packed)| Ok((name, Mind::Player(player(packed)?)));
        let agents = agents.into_iter().map(agent).collect::<Result<_>>()?;
        let reference = reference.map(player).transpose()?;
        let (found, stop) = (Mutex::default(), Interrupt::new());
        Ok(Arena {
            game,
            agents,
            folders,
            reference,
            anchor: None,
            sprt: None,
            pairs: 0,
            found,
            stop,
        })
    }

    /// Pickles the arena with its bots and tables. Functions cannot be pickled.
    fn __reduce__<'py>(slf: &Bound<'py, Arena>) -> Result<Bound<'py, PyTuple>> {
        let arena = slf.get();
        let agent = |(name, mind): &(String, Mind)| match mind {
            Mind::Player(player) => Ok((name.clone(), pack(player.named_agent())?)),
            Mind::Policy(_) => Err(anyhow!(
                "{name} is a function or a model and cannot be sent to other machines: use agents by name or bot file"
            )),
        };
        let agents = arena
            .agents
            .iter()
            .map(agent)
            .collect::<Result<Vec<_>, _>>()?;
        let packed = |player: &Player| pack(player.named_agent());
        let reference = arena.reference.as_ref().map(packed).transpose()?;
        let arguments = (
            agents,
            arena.game.clone(),
            reference,
            tables(&arena.folders, &arena.game.race)?,
        );
        Ok((slf.getattr("_restored")?, arguments).into_pyobject(slf.py())?)
    }

    /// The number of blocks.
    #[getter]
    fn blocks(&self) -> Result<u64> {
        Ok(self.tournament()?.remaining_blocks(self.pairs, &[]).end)
    }

    /// Plays the blocks `first` to `end - 1`; returns their games as JSON.
    fn play(&self, py: Python<'_>, first: u64, end: u64, seed: u64) -> Result<Vec<u8>> {
        let tournament = self.tournament()?;
        let (_, games) = self.stop.watch(py, || {
            self.games(&tournament, first..end, (seed, 1), &|| 0, true)
        })?;
        Ok(serde_json::to_vec(&games)?)
    }

    /// Adds the games of the next blocks, as `play` returns them; returns whether the arena needs
    /// no more games. Ignores games after the decision of a sequential test.
    fn add(&self, py: Python<'_>, lines: &[u8]) -> Result<bool> {
        py.detach(|| {
            let tournament = self.tournament()?;
            let lines: Vec<GameLine> =
                serde_json::from_slice(lines).context("cannot read the lines of games")?;
            let (facts, games) = &mut *lock(&self.found);
            for block in lines.chunk_by(|a, b| a.block == b.block) {
                let next = facts.last().map_or(0, |facts| facts.block + 1);
                let number = block[0].block;
                let is_whole = number == next && block.len() == tournament.legs(number);
                ensure!(
                    is_whole,
                    "block {number} is incomplete, or is not the expected block {next}"
                );
                for line in block {
                    facts.push(tournament.verified_facts(line)?);
                }
                games.extend_from_slice(block);
                if tournament.remaining_blocks(self.pairs, facts).is_empty() {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// The result of all added games.
    fn result<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let (facts, games) = &*lock(&self.found);
        result_of(py, &self.tournament()?.summary(facts), games)
    }
}

/// Lets 2 to 256 agents play against each other in games with the same throws, like `ashta arena`.
///
/// An agent is any policy that `Agent.of` accepts. `game` defaults to the game of the first
/// `Agent`, bot or table. `pairs`, 1 to 10,000,000, is the number of blocks for each lineup. A
/// lineup assigns an agent to each seat; in the games of a block, the agents exchange their seats.
/// `seed` determines the throws. `threads`, 1 to 256, defaults to the number of processors, or to 1
/// if an agent is a function. If no agent is a function, the result does not depend on `threads` or
/// on timing. `luck` is the agent whose values measure luck: `"auto"`, `"none"` or an agent.
/// `anchor` is the name of the agent with rating 0. `sprt` contains two differences in normalised
/// Elo for sequential tests of the first agent against each of the others, with the error
/// probabilities `alpha` and `beta`.
///
/// An exception in a function ends the arena and is raised again. An illegal action raises
/// `ValueError`, Ctrl-C raises `KeyboardInterrupt`.
#[pyfunction]
#[pyo3(signature = (
    agents, game = None, *, pairs = 1000, seed = 7919, threads = None, luck = None, anchor = None, sprt = None,
    alpha = 0.05, beta = 0.05, keep_games = true, folders = None,
), text_signature = "(agents, game=None, *, pairs=1000, seed=7919, threads=None, luck='auto', anchor=None, sprt=None, \
    alpha=0.05, beta=0.05, keep_games=True, folders=None)")]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the keywords of a Python function"
)]
pub fn arena<'py>(
    py: Python<'py>,
    agents: &Bound<'_, PyAny>,
    game: Option<&Game>,
    pairs: u64,
    #[pyo3(from_py_with = given)] seed: u64,
    threads: Option<usize>,
    luck: Option<&Bound<'_, PyAny>>,
    anchor: Option<String>,
    sprt: Option<(f64, f64)>,
    alpha: f64,
    beta: f64,
    keep_games: bool,
    folders: Option<Vec<PathBuf>>,
) -> Result<Bound<'py, PyAny>> {
    let arena = Arena::new(
        py, agents, game, pairs, luck, anchor, sprt, alpha, beta, folders,
    )?;
    // Python functions never run at the same time. With one thread, their order is fixed, too.
    let threads = threads_or_all(
        threads,
        arena.agents.iter().any(|(_, mind)| mind.asks_functions()),
    )?;
    let tournament = arena.tournament()?;
    let (summary, games) = arena.stop.watch_thread(py, || {
        let begun = Instant::now();
        let clock = || begun.elapsed().as_nanos() as u64;
        let blocks = tournament.remaining_blocks(pairs, &[]);
        let (facts, games) = arena.games(&tournament, blocks, (seed, threads), &clock, keep_games);
        (tournament.summary(&facts), games)
    })?;
    result_of(py, &summary, &games)
}

/// Analyzes a played game, turn by turn, like `ashta analyze --json`.
///
/// `record` is a game of `ArenaResult.games`, or the text of a game that `ashta analyze` can read.
/// If the record needs a sheet that it does not contain, pass `game`. The analysis uses the values
/// of the agent `by`; `"auto"` is perfect play if there is a table, otherwise the largest bot.
#[pyfunction]
#[pyo3(signature = (record, game = None, *, by = None, folders = None),
    text_signature = "(record, game=None, *, by='auto', folders=None)")]
pub fn analyze<'py>(
    py: Python<'py>,
    record: &Bound<'_, PyAny>,
    game: Option<&Game>,
    by: Option<&Bound<'_, PyAny>>,
    folders: Option<Vec<PathBuf>>,
) -> Result<Bound<'py, PyAny>> {
    let folders = folders_or_default(py, folders)?;
    let text: String = match record.extract() {
        Ok(text) => text,
        Err(_) => py
            .import("json")?
            .call_method1("dumps", (record,))?
            .extract()?,
    };
    let sheets = game.map_or_else(Sheets::default, |game| {
        Sheets::with(game.race.ruleset().base())
    });
    let line = GameLine::read(&sheets, &text, 1)?;
    let (race, _) = line.read_start_in(&sheets).or_else(|_| line.read_start())?;
    let player = reference(by, &folders, &race)?
        .context("no agent can evaluate this game: name one with `by`")?;
    let analysis = py.detach(|| Analysis::new(&race, &line, &player.reference()))?;
    to_python(py, &analysis)
}

/// The requested number of threads; without a request, one thread for each processor, or one thread
/// for functions.
pub(crate) fn threads_or_all(threads: Option<usize>, asks_functions: bool) -> Result<usize> {
    let processors = || {
        std::thread::available_parallelism()
            .map_or(1, NonZero::get)
            .min(MOST_THREADS)
    };
    let threads = threads.unwrap_or_else(|| if asks_functions { 1 } else { processors() });
    ensure!(
        (1..=MOST_THREADS).contains(&threads),
        "`threads` is {threads}, but must be 1 to {MOST_THREADS}"
    );
    Ok(threads)
}
