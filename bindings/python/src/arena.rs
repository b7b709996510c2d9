//! `arena`: agents play games with the same throws, and statistics rank them.
//!
//! Threads play the games without the interpreter lock. Agents that are Python functions take the
//! lock for each decision. Meanwhile the calling thread handles Ctrl-C.

use std::{num::NonZero, ops::ControlFlow, path::PathBuf, sync::Arc, time::Instant};

use anyhow::{Context, anyhow};
use ashta_agents::{
    arena::{
        AgentSummary, Contestant, GameFacts, Interval, MatchConfig, Reference, Sprt, Summary,
        game_record::GameLine,
        tournament::{Entrant, Tournament, distinct_names},
    },
    roster::{Player, folders::Folders},
};
use ashta_env::{race::Race, sheet::Sheets};
use ashta_train::report::analysis::Analysis;
use pyo3::{prelude::*, types::PyDict};

use crate::{
    Result,
    agent::{Agent, Given, Mind, folders_or_default},
    game::Game,
    interrupt::Interrupt,
    packed::{Files, PackedAgent, pack, tables},
    seed::given,
    to_python, wrong_type,
};

/// The number of games that a thread plays at the same time.
pub const BATCH: usize = 64;
pub const MOST_PAIRS: u64 = 10_000_000;
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

/// The agents of an arena, its game and its settings.
struct Arena {
    game: Game,
    agents: Vec<(String, Mind)>,
    folders: Folders,
    reference: Option<Player>,
    anchor: Option<String>,
    sprt: Option<Sprt>,
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
        let arena = Arena {
            game,
            agents,
            folders,
            reference,
            anchor,
            sprt,
            stop: Interrupt::new(),
        };
        arena.tournament()?;
        Ok(arena)
    }
}

/// Checks games of earlier calls: whole blocks from `first`, in any order. Ignores games after the
/// decision of a sequential test.
fn verified(
    tournament: &Tournament<'_>,
    mut lines: Vec<GameLine>,
    (first, pairs): (u64, u64),
) -> Result<(Vec<GameFacts>, Vec<GameLine>)> {
    lines.sort_by_key(|line| (line.block, line.leg));
    let (mut facts, mut games) = (Vec::new(), Vec::new());
    for (block, next) in lines.chunk_by(|a, b| a.block == b.block).zip(first..) {
        let legs = block.iter().map(|line| line.leg);
        ensure!(
            block[0].block == next && legs.eq(0..tournament.legs(next)),
            "`games` must contain all games of block {next} before games of later blocks, each game once"
        );
        for line in block {
            facts.push(tournament.verified_facts(line)?);
        }
        games.extend_from_slice(block);
        if tournament.remaining_blocks(pairs, &facts).is_empty() {
            break;
        }
    }
    Ok((facts, games))
}

/// An arena as data: its agents with their names, the agent whose values measure luck, the files of
/// tables, the game, and the number of blocks.
type ArenaData = (
    Vec<(String, PackedAgent)>,
    Option<PackedAgent>,
    Files,
    Game,
    u64,
);

/// An arena as data for other machines. Raises `ValueError` for functions and models.
#[pyfunction]
pub fn arena_data(
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
) -> Result<ArenaData> {
    let arena = Arena::new(
        py, agents, game, pairs, luck, anchor, sprt, alpha, beta, folders,
    )?;
    let agent = |(name, mind): &(String, Mind)| match mind {
        Mind::Player(player) => Ok((name.clone(), pack(player.named_agent())?)),
        Mind::Policy(_) => Err(anyhow!(
            "{name} is a function or a model and cannot be sent to other machines: use agents by name or bot file"
        )),
    };
    let agents = arena.agents.iter().map(agent).collect::<Result<_, _>>()?;
    let luck = arena
        .reference
        .as_ref()
        .map(|player| pack(player.named_agent()));
    let tables = tables(&arena.folders, &arena.game.race)?;
    let blocks = arena.tournament()?.remaining_blocks(pairs, &[]).end;
    Ok((agents, luck.transpose()?, tables, arena.game, blocks))
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
/// `blocks` is a range `(first, end)` of the blocks, which have numbers from 0: the arena plays
/// only these blocks, so several machines can play parts of one arena. `games` are games of earlier
/// calls with the same arguments: the arena continues after them. So
/// `arena(…, games=[*one.games, *other.games])` has the result of one call that plays all blocks.
///
/// An exception in a function ends the arena and is raised again. An illegal action raises
/// `ValueError`, Ctrl-C raises `KeyboardInterrupt`.
#[pyfunction]
#[pyo3(signature = (
    agents, game = None, *, pairs = 1000, seed = 7919, threads = None, luck = None, anchor = None, sprt = None,
    alpha = 0.05, beta = 0.05, blocks = None, games = None, keep_games = true, folders = None,
), text_signature = "(agents, game=None, *, pairs=1000, seed=7919, threads=None, luck='auto', anchor=None, sprt=None, \
    alpha=0.05, beta=0.05, blocks=None, games=None, keep_games=True, folders=None)")]
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
    blocks: Option<(u64, u64)>,
    games: Option<&Bound<'py, PyAny>>,
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
    let all = tournament.remaining_blocks(pairs, &[]).end;
    let (first, end) = blocks.unwrap_or((0, all));
    ensure!(
        first < end && end <= all,
        "`blocks` is ({first}, {end}), but must be (first, end) with 0 <= first < end <= {all}"
    );
    ensure!(
        first == 0 || arena.sprt.is_none(),
        "a sequential test needs all games: `blocks` must begin with 0, not with {first}"
    );
    let lines = games.map_or(Ok(Vec::new()), |games| -> Result<_> {
        let text: String = py
            .import("json")?
            .call_method1("dumps", (games,))?
            .extract()?;
        Ok(serde_json::from_str(&text).context("`games` must be a list of games of an arena")?)
    })?;
    let (summary, games) = arena.stop.watch_thread(py, || -> Result<_> {
        let begun = Instant::now();
        let clock = || begun.elapsed().as_nanos() as u64;
        let (mut facts, mut games) = verified(&tournament, lines, (first, pairs))?;
        if !keep_games {
            games.clear();
        }
        let is_decided = tournament.remaining_blocks(pairs, &facts).is_empty();
        let next = facts.last().map_or(first, |game| game.block + 1);
        let left = next..if is_decided { next } else { end.max(next) };
        let config = MatchConfig {
            blocks: left.end,
            seed,
            threads,
            batch: BATCH,
        };
        let mut take = |_, lines: Vec<GameLine>, _: &[GameFacts]| {
            if keep_games {
                games.extend(lines);
            }
            ControlFlow::Continue(())
        };
        let is_stopped = || arena.stop.is_set();
        tournament.play(left, &config, &clock, &is_stopped, &mut facts, &mut take);
        Ok((tournament.summary(&facts), games))
    })??;
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
pub fn threads_or_all(threads: Option<usize>, asks_functions: bool) -> Result<usize> {
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
