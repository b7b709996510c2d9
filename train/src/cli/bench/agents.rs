//! Benchmark of agents: strength and time for a decision, one position at a time on one thread, as in play.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::run::evaluation::against;
use crate::run::games;
use crate::run::output::with_interval;
use anyhow::Result;
use ashta_agents::arena::{Interval, MatchConfig, MatchProgress};
use ashta_agents::play::agent::{Agent, GameRng};
use ashta_env::game::{Action, Game};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::Serialize;

use super::BenchRow;
use crate::cli::BenchAgentsArgs;

/// One row of the benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct AgentSpeed {
    /// The agent.
    pub agent: String,
    /// Mean time for a decision with more than one legal action.
    pub milliseconds_per_decision: f64,
    /// Nine of ten such decisions take no longer.
    pub milliseconds_90_percent: f64,
    /// Games played.
    pub games: u64,
    /// Mean result of them, 0 to 1.
    pub score: f64,
    /// The 95 % interval of the score.
    pub interval: [f64; 2],
    /// Against perfect play: its regret per decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret_per_decision: Option<Interval>,
}

impl BenchRow for AgentSpeed {
    const HEADING: &'static str =
        "agent                              ms/decision        90 %                      won  regret per decision";

    fn line(&self) -> String {
        let won = with_interval(100.0 * self.score, self.interval.map(|share| 100.0 * share), 1, " %");
        let regret = self.regret_per_decision.map(|regret| with_interval(regret.mean, regret.interval, 5, ""));
        let regret = regret.unwrap_or_default();
        let (mean, most) = (self.milliseconds_per_decision, self.milliseconds_90_percent);
        format!("{:<34} {mean:>11.4} {most:>11.4} {won:>24}  {regret}", self.agent)
    }
}

/// An agent whose thinking is timed.
struct TimedAgent<'a> {
    agent: Box<dyn Agent<Race> + Send>,
    times: &'a Mutex<Vec<Duration>>,
}

impl Agent<Race> for TimedAgent<'_> {
    fn act(&mut self, game: &Race, states: &[State], rngs: &mut [GameRng]) -> Vec<Action> {
        let clock = Instant::now();
        let actions = self.agent.act(game, states, rngs);
        let time = clock.elapsed();
        if states.iter().any(|state| game.legal_actions(state).len() > 1) {
            self.times.lock().unwrap_or_else(PoisonError::into_inner).push(time);
        }
        actions
    }
}

/// Plays each agent against the opponent.
pub(super) fn run(args: &BenchAgentsArgs, show: &mut dyn FnMut(AgentSpeed) -> Result<()>) -> Result<()> {
    let agents = args.agents.iter().map(|spec| games::agent(spec)).collect::<Result<Vec<_>>>()?;
    let opponent = games::agent(&args.against)?;
    let all: Vec<_> = agents.iter().chain([&opponent]).collect();
    let race = games::of(args.game.game.as_deref(), args.game.seats, &all)?;
    let opponent = games::player(&opponent, &race)?;
    // One game at a time: batched evaluations take less time each.
    let config = MatchConfig { blocks: args.pairs, seed: args.seed, threads: 1, batch: 1 };
    for agent in &agents {
        let player = games::player(agent, &race)?;
        let times = Mutex::default();
        let timed =
            || Box::new(TimedAgent { agent: player.agent(), times: &times }) as Box<dyn Agent<Race> + Send + '_>;
        let result = against(&race, &timed, &opponent, &config, &MatchProgress::UNWATCHED);
        let mut times = times.into_inner().unwrap_or_else(PoisonError::into_inner);
        times.sort_unstable();
        let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
        let total: Duration = times.iter().sum();
        show(AgentSpeed {
            agent: player.named().to_string(),
            milliseconds_per_decision: milliseconds(total) / times.len().max(1) as f64,
            milliseconds_90_percent: times.get(times.len() * 9 / 10).copied().map_or(0.0, milliseconds),
            games: result.report.games,
            score: result.report.score,
            interval: result.report.interval,
            regret_per_decision: result.regret.map(|regret| regret.regret_per_decision),
        })?;
    }
    Ok(())
}
