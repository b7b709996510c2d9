//! An arena whose games are played elsewhere: the actor of a share, and the collector of all.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Error, Result, ensure};
use ashta_agents::arena::game_record::GameLine;
use ashta_agents::arena::tournament::{Entrant, Tournament, distinct_names};
use ashta_agents::arena::{GameFacts, MatchConfig, Reference, Sprt};
use ashta_agents::roster::{NamedAgent, Player};
use ashta_env::race::Race;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Files;
use super::attachments::{self, Attachments};
use crate::agent::folders_or_default;
use crate::arena::ArenaResult;
use crate::game::Game;
use crate::training::failed;

/// Games that a thread plays side by side.
const BATCH: usize = 64;

fn entrants(players: &[(String, Player)]) -> Vec<Entrant<'_>> {
    players.iter().map(|(name, player)| Entrant::new(name.clone(), move || Box::new(player.agent()))).collect()
}

/// Plays blocks of an arena.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct ArenaShare {
    race: Arc<Race>,
    players: Vec<(String, Player)>,
    reference: Option<Reference<Race>>,
}

/// What [`ArenaShare`] is made of: the agents by name and as they are written, the ruleset as JSON, by whose values
/// luck is measured, files and tables.
type Share = (Vec<(String, String)>, String, Option<String>, Files, Files);

#[pymethods]
impl ArenaShare {
    #[new]
    fn new(py: Python<'_>, share: Share) -> PyResult<ArenaShare> {
        let make = || -> Result<ArenaShare> {
            let (agents, ruleset, luck, files, tables) = share;
            let race = Arc::new(Race::new(serde_json::from_str(&ruleset)?));
            let attachments = Attachments::new(&files, &tables)?;
            let player = |(name, spec): (String, String)| Ok((name, attachments.agent(&spec)?.player(&race)?));
            let players = agents.into_iter().map(player).collect::<Result<_>>()?;
            let reference = |spec: String| Ok::<_, Error>(attachments.agent(&spec)?.player(&race)?.reference());
            let reference = luck.map(reference).transpose()?;
            Ok(ArenaShare { race, players, reference })
        };
        py.detach(make).map_err(failed)
    }

    /// Plays the blocks from `first` up to `end`; the lines of their games, as JSON.
    fn play<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        end: u64,
        seed: u64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let play = || -> Result<Vec<u8>> {
            let tournament = Tournament::new(&self.race, entrants(&self.players), self.reference.clone())?;
            let config = MatchConfig { blocks: end, seed, threads: threads.max(1), batch: BATCH };
            let (mut facts, mut games) = (Vec::new(), Vec::new());
            let mut take = |_, lines: Vec<GameLine>, _: &[GameFacts]| {
                games.extend(lines);
                ControlFlow::Continue(())
            };
            tournament.play(first..end.max(first), &config, &|| 0, &|| false, &mut facts, &mut take);
            Ok(serde_json::to_vec(&games)?)
        };
        Ok(PyBytes::new(py, &py.detach(play).map_err(failed)?))
    }
}

/// An arena of which others play the games.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct SpreadArena {
    race: Arc<Race>,
    players: Vec<(String, Player)>,
    reference: Option<Reference<Race>>,
    anchor: Option<String>,
    sprt: Option<Sprt>,
    pairs: u64,
    share: Share,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    facts: Vec<GameFacts>,
    games: Vec<GameLine>,
}

impl SpreadArena {
    fn tournament(&self) -> Result<Tournament<'_>> {
        let mut tournament = Tournament::new(&self.race, entrants(&self.players), self.reference.clone())?;
        if let Some(name) = &self.anchor {
            tournament = tournament.with_anchor(name)?;
        }
        if let Some(sprt) = self.sprt {
            tournament = tournament.with_sprt(sprt)?;
        }
        Ok(tournament)
    }
}

#[pymethods]
impl SpreadArena {
    /// One of agents as they are written; see `ashta.arena`.
    #[new]
    #[pyo3(signature = (agents, game, pairs, luck, anchor, sprt, alpha, beta, folders))]
    #[expect(clippy::too_many_arguments, reason = "they are those of a Python function")]
    fn new(
        py: Python<'_>,
        agents: Vec<String>,
        game: Option<&Game>,
        pairs: u64,
        luck: &str,
        anchor: Option<String>,
        sprt: Option<(f64, f64)>,
        alpha: f64,
        beta: f64,
        folders: Option<Vec<PathBuf>>,
    ) -> PyResult<SpreadArena> {
        let folders = folders_or_default(py, folders)?;
        let asked = game.map(|game| Arc::clone(&game.race));
        let make = || -> Result<SpreadArena> {
            ensure!((1..=10_000_000).contains(&pairs), "`pairs` is {pairs}, but must be 1 to 10000000");
            let loaded = agents.iter().map(|spec| Ok(folders.agent(spec)?)).collect::<Result<Vec<_>>>()?;
            let race = match asked {
                Some(race) => race,
                None => {
                    let found = loaded.iter().find_map(|agent| agent.race().transpose());
                    Arc::new(found.context("no bot or table says what to play: name the game")??)
                }
            };
            let names = distinct_names(&agents);
            let mut files = Files::new();
            let mut players = Vec::new();
            for ((name, spec), agent) in names.iter().zip(&agents).zip(&loaded) {
                players.push((name.clone(), agent.player(&race).with_context(|| spec.clone())?));
                attachments::pack(spec, agent, &mut files)?;
            }
            let measuring = folders.reference(luck, &race)?;
            let luck = measuring.as_ref().map(|player| player.named().to_string());
            if let (Some(player), Some(spec)) = (&measuring, &luck)
                && !matches!(player.named(), NamedAgent::Perfect { .. })
            {
                attachments::pack(spec, player.named(), &mut files)?;
            }
            let reference = measuring.map(|player| player.reference());
            let ruleset = serde_json::to_string(race.ruleset())?;
            let share =
                (names.into_iter().zip(agents).collect(), ruleset, luck, files, attachments::tables(&folders, &race)?);
            let sprt = sprt.map(|(elo0, elo1)| Sprt { elo0, elo1, alpha, beta });
            let found = Mutex::default();
            let arena = SpreadArena { race, players, reference, anchor, sprt, pairs, share, found };
            arena.tournament()?;
            Ok(arena)
        };
        py.detach(make).map_err(failed)
    }

    /// What `ArenaShare` is made of.
    #[getter]
    fn share(&self) -> Share {
        self.share.clone()
    }

    /// How many blocks there are.
    #[getter]
    fn blocks(&self) -> PyResult<u64> {
        Ok(self.tournament().map_err(failed)?.left(self.pairs, &[]).end)
    }

    /// Adds the games of the blocks that follow those before; whether no more are needed. Those after the decision of a
    /// sequential test do not count.
    fn add(&self, py: Python<'_>, lines: &[u8]) -> PyResult<bool> {
        let add = || -> Result<bool> {
            let tournament = self.tournament()?;
            let lines: Vec<GameLine> = serde_json::from_slice(lines).context("these are no lines of games")?;
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            for block in lines.chunk_by(|a, b| a.block == b.block) {
                let next = found.facts.last().map_or(0, |facts| facts.block + 1);
                let number = block[0].block;
                let is_whole = number == next && block.len() == tournament.legs(number);
                ensure!(is_whole, "block {number} is not whole, or does not follow block {next}");
                for line in block {
                    found.facts.push(tournament.facts(line)?);
                }
                found.games.extend_from_slice(block);
                if tournament.left(self.pairs, &found.facts).is_empty() {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        py.detach(add).map_err(failed)
    }

    /// What the games say together.
    fn result(&self) -> PyResult<ArenaResult> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let summary = self.tournament().map_err(failed)?.summary(&found.facts);
        ArenaResult::new(&summary, &found.games)
    }
}
