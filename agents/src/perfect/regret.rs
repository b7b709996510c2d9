//! Regret of an agent against perfect play: the winning chances that its choices lose, one by one.
//!
//! Regret depends neither on the opponent's mistakes nor, by much, on the dice: against a perfect opponent an agent's
//! expected score is the value of the start less the sum of its regrets. So a game holds much more information than its
//! result.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ashta_env::game::{Game, Node, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::turn::{TurnResults, turn_results};
use serde::{Deserialize, Serialize};

use crate::arena::{Interval, MatchConfig, MatchProgress, MatchReport, TurnAnalysis, WatchedTurn, play_watched_match};
use crate::perfect::table::{Perfect, Table};
use crate::play::agent::{Agent, OnePly};

/// A choice with less regret than this is optimal: tables of 32 bits give values in single precision.
const OPTIMAL: f64 = 1e-6;
/// Worst decisions that a report lists.
const WORST: usize = 10;

/// The smallest of `sorted` that a share of them does not exceed; 0 of nothing.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// A decision with a large regret.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Blunder {
    /// The position, all thrown.
    pub position: String,
    /// The afterstate that was chosen.
    pub played: String,
    /// The best afterstate.
    pub best: String,
    /// The winning chance lost.
    pub regret: f64,
}

/// The regret of an agent against perfect play. A decision is a whole turn with more than one distinct afterstate; its
/// regret is the value of the best afterstate less that of the chosen one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RegretReport {
    /// Decisions of the agent.
    pub decisions: u64,
    /// Regret for each decision.
    pub regret_per_decision: Interval,
    /// Regret for each game.
    pub regret_per_game: Interval,
    /// Share of decisions whose regret is below one in a million.
    pub optimal_choices: Interval,
    /// The agent's luck-corrected score against perfect play, from its regret.
    pub luck_adjusted_score: Interval,
    /// Regrets that a half, nine tenths, 99 of 100 and all decisions do not exceed.
    pub quantiles: [f64; 4],
    /// The worst decisions, the worst first.
    pub worst: Vec<Blunder>,
}

/// The value of a position at the start or end of a turn for a seat.
fn value(table: &Table, state: &State, seat: Seat) -> f64 {
    table.known(state).map_or(0.0, |values| f64::from(values[seat]))
}

/// The regret of A in a game.
#[derive(Clone, Debug, Default)]
struct GameRegret {
    /// Of each decision, in order.
    regrets: Vec<f64>,
    /// The worst decisions: regret, position, and chosen afterstate.
    worst: Vec<(f64, State, State)>,
}

/// Collects A's regret in a match of two seats against perfect play, turn by turn.
#[derive(Debug, Default)]
pub struct Regrets {
    /// By block and A's seat.
    games: Mutex<BTreeMap<(u64, Seat), GameRegret>>,
}

impl Regrets {
    /// Notes a turn; turns of B are ignored.
    pub fn note(&self, turn: &WatchedTurn<'_, State>, analysis: &TurnAnalysis<State>) {
        if !turn.side.contains(turn.seat) {
            return;
        }
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let game = games.entry((turn.block, turn.seat)).or_default();
        if !analysis.is_choice() {
            return;
        }
        let regret = analysis.regret();
        game.regrets.push(regret);
        if regret > 0.0 {
            game.worst.push((regret, *turn.thrown, *turn.end));
            game.worst.sort_by(|a, b| b.0.total_cmp(&a.0));
            game.worst.truncate(WORST);
        }
    }

    /// Sums up.
    pub fn report(self, race: &Race, table: &Table) -> RegretReport {
        let games = self.games.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut blocks: BTreeMap<u64, Vec<&GameRegret>> = BTreeMap::new();
        games.iter().for_each(|(&(block, _), game)| blocks.entry(block).or_default().push(game));
        let per_block = |of: fn(&GameRegret) -> f64| -> Vec<f64> {
            blocks.values().map(|games| games.iter().map(|game| of(game)).sum()).collect()
        };
        let sums = per_block(|game| game.regrets.iter().sum());
        let counts = per_block(|game| game.regrets.len() as f64);
        let optimal = per_block(|game| game.regrets.iter().filter(|&&regret| regret < OPTIMAL).count() as f64);
        let regret_per_game = Interval::ratio(&sums, &per_block(|_| 1.0));
        let mut regrets: Vec<f64> = games.values().flat_map(|game| game.regrets.iter().copied()).collect();
        regrets.sort_by(f64::total_cmp);
        let mut worst: Vec<&(f64, State, State)> = games.values().flat_map(|game| &game.worst).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        RegretReport {
            decisions: regrets.len() as u64,
            regret_per_decision: Interval::ratio(&sums, &counts),
            regret_per_game,
            optimal_choices: Interval::ratio(&optimal, &counts),
            // Each of a block's two games begins with the same seat, so the values before the first throw sum to 1.
            luck_adjusted_score: regret_per_game.taken_from(0.5),
            quantiles: [0.5, 0.9, 0.99, 1.0].map(|share| quantile(&regrets, share)),
            worst: worst.into_iter().take(WORST).map(|worst| blunder(race, table, worst)).collect(),
        }
    }
}

fn blunder(race: &Race, table: &Table, &(regret, position, played): &(f64, State, State)) -> Blunder {
    let mut results = TurnResults::new();
    turn_results(race, &position, &mut results);
    let Node::Decision(seat) = race.node(&position) else { unreachable!("a decision is one") };
    let best = results.states().iter().max_by(|a, b| value(table, a, seat).total_cmp(&value(table, b, seat)));
    Blunder {
        position: race.print(&position),
        played: race.print(&played),
        best: race.print(best.unwrap_or(&played)),
        regret,
    }
}

/// Plays the agents that `agent` makes against perfect play in a game of two seats, as
/// [`play_match`](crate::arena::play_match), and measures them. `None` for more seats, where perfect play of one seat
/// depends on what the others do.
pub fn against_perfect<'agents>(
    race: &Race,
    agent: &(dyn Fn() -> Box<dyn Agent<Race> + Send + 'agents> + Sync),
    table: &Arc<Table>,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
) -> Option<(MatchReport, RegretReport)> {
    if race.spec().seats.len() != 2 {
        return None;
    }
    let regrets = Regrets::default();
    let watch = |turn: &WatchedTurn<'_, State>| {
        if turn.side.contains(turn.seat) {
            regrets.note(turn, &TurnAnalysis::new(race, &mut Perfect::new(Arc::clone(table)), turn));
        }
    };
    let perfect = || Box::new(OnePly::new(Perfect::new(Arc::clone(table)))) as Box<dyn Agent<Race> + Send>;
    let report = play_watched_match(race, agent, &perfect, config, progress, &watch);
    Some((report, regrets.report(race, table)))
}
