//! Who enters the arena: agents of this program and programs of others.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use ashta_agents::agent::GameRng;
use ashta_agents::arena::{Contestant, Fault, MAX_AGENTS};
use ashta_agents::roster::{Player, Roster};
use ashta_env::game::{Action, Game};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde_json::Value;

use super::engine::{Limits, Program};
use crate::cli::GameArgs;
use crate::games;

/// How an engine is named where an agent is asked for.
const ENGINE: &str = "engine:";

/// An agent as it was written.
enum Written {
    Agent(Box<Roster>),
    Engine(Program),
}

/// An agent in the arena.
#[derive(Debug)]
pub struct Entrant {
    /// As it was written; the second of two with the same name has a number behind it.
    pub name: String,
    /// What tells one version of it from another: the checksum of a bot, what an engine says of itself.
    pub version: Option<String>,
    mind: Mind,
    thought: Thought,
}

#[derive(Debug)]
enum Mind {
    Inside(Player),
    Outside(Program),
}

impl Entrant {
    /// One that plays, for one thread.
    pub fn contestant(&self) -> Box<dyn Contestant<Race> + '_> {
        let mind: Box<dyn Contestant<Race>> = match &self.mind {
            Mind::Inside(player) => Box::new(player.agent()),
            Mind::Outside(program) => Box::new(program.player()),
        };
        Box::new(Timed { mind, thought: &self.thought })
    }

    /// Milliseconds that it took for each choice; `None` when it was not asked.
    pub fn milliseconds(&self) -> Option<f64> {
        let [choices, nanoseconds] =
            [&self.thought.choices, &self.thought.nanoseconds].map(|of| of.load(Relaxed) as f64);
        (choices > 0.0).then(|| nanoseconds / choices / 1e6)
    }
}

/// How long an entrant thought, in all threads.
#[derive(Debug, Default)]
struct Thought {
    choices: AtomicU64,
    nanoseconds: AtomicU64,
}

/// A contestant whose time is taken.
struct Timed<'a> {
    mind: Box<dyn Contestant<Race>>,
    thought: &'a Thought,
}

impl Contestant<Race> for Timed<'_> {
    fn choose(&mut self, race: &Race, states: &[State], rngs: &mut [GameRng]) -> Vec<Result<Action, Fault>> {
        let clock = Instant::now();
        let choices = self.mind.choose(race, states, rngs);
        self.thought.nanoseconds.fetch_add(clock.elapsed().as_nanos() as u64, Relaxed);
        self.thought.choices.fetch_add(states.len() as u64, Relaxed);
        choices
    }
}

/// Reads the names of agents, and finds the game that they play.
///
/// # Errors
/// When there is no such agent, an engine does not speak the protocol, or they play different games.
pub fn enter(specs: &[String], game: &GameArgs, limits: &Limits) -> Result<(Race, Vec<Entrant>)> {
    if specs.len() > MAX_AGENTS {
        bail!("{} agents are too many: an arena takes {MAX_AGENTS}", specs.len());
    }
    let read = |spec: &String| match spec.strip_prefix(ENGINE) {
        Some(command) => Program::new(command, limits.clone()).map(Written::Engine),
        None => games::agent(spec).map(|agent| Written::Agent(Box::new(agent))),
    };
    let written = specs.iter().map(read).collect::<Result<Vec<_>>>()?;
    let rosters: Vec<&Roster> = written
        .iter()
        .filter_map(|entrant| if let Written::Agent(agent) = entrant { Some(agent.as_ref()) } else { None })
        .collect();
    let race = games::of(game, &rosters)?;
    let mut entrants: Vec<Entrant> = Vec::new();
    for (spec, written) in specs.iter().zip(written) {
        let same =
            entrants.iter().filter(|other| other.name == *spec || other.name.starts_with(&format!("{spec} ("))).count();
        let name = if same == 0 { spec.clone() } else { format!("{spec} ({})", same + 1) };
        let (version, mind) = match written {
            Written::Agent(agent) => (games::version(&agent), Mind::Inside(games::player(&agent, &race)?)),
            Written::Engine(program) => {
                let hello = program.hello().with_context(|| format!("{spec}: no engine that can be asked"))?;
                check_game(&hello, &race).with_context(|| spec.clone())?;
                let text = |key: &str| hello.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                (Some(format!("{} {}", text("name"), text("version")).trim_end().to_owned()), Mind::Outside(program))
            }
        };
        entrants.push(Entrant { name, version, mind, thought: Thought::default() });
    }
    Ok((race, entrants))
}

/// Checks that an engine which names its games knows the one that is played.
fn check_game(hello: &Value, race: &Race) -> Result<()> {
    let Some(known) = hello.get("games").and_then(Value::as_array) else { return Ok(()) };
    let played = race.spec().name.split('?').next().unwrap_or_default();
    if !known.iter().any(|game| game.as_str() == Some(played)) {
        bail!("the engine does not play {played}; it plays {}", Value::from(known.clone()));
    }
    Ok(())
}
