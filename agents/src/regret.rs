//! How far an agent is from perfect play: the winning chances that it gives away, choice by choice.
//!
//! No opponent can flatter an agent measured this way, and the dice hardly disturb it: against a perfect opponent an
//! agent wins with the chance of the position before the first throw less the sum of what its choices give away. So a
//! game says much more than who won it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ashta_env::game::{Game, Node, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::turn::{TurnResults, turn_results};
use serde::Serialize;

use crate::agent::{Agent, OnePly};
use crate::arena::{Choice, MatchConfig, MatchReport, NORMAL_95, play_watched_match};
use crate::table::{Perfect, Table};

/// A choice that gives away less than this is optimal: tables of 32 bits tell values in single precision.
const OPTIMAL: f64 = 1e-6;
/// Decisions that are told one by one.
const WORST: usize = 10;

/// A mean with its interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Interval with 95 % confidence, from the variation between blocks of games; not finite below two blocks.
    pub interval: [f64; 2],
}

/// A decision that gave much away.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Blunder {
    /// The position, all thrown.
    pub position: String,
    /// How the turn ended.
    pub played: String,
    /// How it should have ended.
    pub best: String,
    /// The winning chance given away.
    pub regret: f64,
}

/// An agent measured by perfect play. A decision is a whole turn with more than one distinct result; regret is the
/// expected return that the choice of a result gives away.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegretReport {
    /// Decisions of the agent.
    pub decisions: u64,
    /// Regret for each decision.
    pub regret_per_decision: Mean,
    /// Regret for each game.
    pub regret_per_game: Mean,
    /// Share of decisions whose regret is below one in a million.
    pub optimal_choices: Mean,
    /// The agent's expected score against perfect play, from its regret: the luck of the dice is taken out.
    pub share_luck_adjusted: Mean,
    /// Regrets that a half, nine tenths, 99 of 100 and all decisions do not exceed.
    pub quantiles: [f64; 4],
    /// The worst decisions, the worst first.
    pub worst: Vec<Blunder>,
}

/// What came of the games of a block.
#[derive(Clone, Default)]
struct Block {
    /// Regret of all choices.
    total: f64,
    regrets: Vec<f64>,
    /// The turns under way, by the seats of the agent: the position, and the regret so far.
    open: BTreeMap<u8, (State, f64)>,
    worst: Vec<(f64, State, State)>,
}

/// Plays the agents that `agent` makes against perfect play in a game of two seats, as [`play_watched_match`], and
/// measures them. `None` for more seats, where perfect play of one seat depends on what the others do.
pub fn against_perfect<'agents>(
    race: &Race,
    agent: &(dyn Fn() -> Box<dyn Agent<Race> + Send + 'agents> + Sync),
    table: &Arc<Table>,
    config: &MatchConfig,
    progress: &(dyn Fn(u64) + Sync),
) -> Option<(MatchReport, RegretReport)> {
    if race.spec().seats.len() != 2 {
        return None;
    }
    let blocks: Mutex<BTreeMap<u64, Block>> = Mutex::default();
    let watch = |choice: &Choice<'_, State>| {
        let regret = regret(race, table, choice);
        let mut blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.entry(choice.block).or_default().add(race, choice, regret);
    };
    let perfect = || Box::new(OnePly::new(Perfect::new(Arc::clone(table)))) as Box<dyn Agent<Race> + Send>;
    let report = play_watched_match(race, agent, &perfect, config, progress, &watch);
    let blocks = blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
    let blocks: Vec<Block> = blocks.into_values().collect();
    Some((report, summary(race, table, &blocks)))
}

/// What a choice gives away, and whether the seat had more than one result to choose from.
fn regret(race: &Race, table: &Table, choice: &Choice<'_, State>) -> (f64, bool) {
    let mut results = TurnResults::new();
    turn_results(race, choice.before, &mut results);
    let best = results.states().iter().map(|result| value(race, table, result, choice.seat)).fold(0.0, f64::max);
    (best - value(race, table, choice.after, choice.seat), results.len() > 1)
}

/// The value of a position for a seat that has just acted: within its turn that of the best result.
fn value(race: &Race, table: &Table, state: &State, seat: Seat) -> f64 {
    if let Some(values) = table.known(state) {
        return f64::from(values[seat]);
    }
    let mut results = TurnResults::new();
    turn_results(race, state, &mut results);
    let known = results.states().iter().filter_map(|result| table.known(result));
    known.map(|values| f64::from(values[seat])).fold(0.0, f64::max)
}

fn key(side: SeatSet) -> u8 {
    side.iter().fold(0, |bits, seat| bits | 1 << seat.index())
}

impl Block {
    fn add(&mut self, race: &Race, choice: &Choice<'_, State>, (regret, is_choice): (f64, bool)) {
        let side = key(choice.side);
        self.total += regret;
        if choice.is_first {
            self.open.remove(&side);
            if is_choice {
                self.open.insert(side, (*choice.before, 0.0));
            }
        }
        let Some((start, sum)) = self.open.get_mut(&side) else { return };
        *sum += regret;
        if race.node(choice.after) == Node::Decision(choice.seat) {
            return;
        }
        let (start, sum) = (*start, *sum);
        self.open.remove(&side);
        self.regrets.push(sum);
        if sum > 0.0 {
            self.worst.push((sum, start, *choice.after));
            self.worst.sort_by(|a, b| b.0.total_cmp(&a.0));
            self.worst.truncate(WORST);
        }
    }
}

fn summary(race: &Race, table: &Table, blocks: &[Block]) -> RegretReport {
    let per_block = |of: fn(&Block) -> f64| blocks.iter().map(of).collect::<Vec<f64>>();
    let sums = per_block(|block| block.regrets.iter().sum());
    let counts = per_block(|block| block.regrets.len() as f64);
    let optimal = per_block(|block| block.regrets.iter().filter(|&&regret| regret < OPTIMAL).count() as f64);
    let totals = per_block(|block| block.total);
    // Each of a block's two games begins with the same seat, so the values before the first throw sum to 1.
    let games = vec![2.0; blocks.len()];
    let regret_per_game = ratio(&totals, &games);
    let mut regrets: Vec<f64> = blocks.iter().flat_map(|block| block.regrets.iter().copied()).collect();
    regrets.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        let at = ((regrets.len() as f64 * share).ceil() as usize).saturating_sub(1);
        regrets.get(at.min(regrets.len().saturating_sub(1))).copied().unwrap_or(0.0)
    };
    let mut worst: Vec<&(f64, State, State)> = blocks.iter().flat_map(|block| &block.worst).collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let blunder = |&(regret, position, played): &(f64, State, State)| {
        let mut results = TurnResults::new();
        turn_results(race, &position, &mut results);
        let Node::Decision(seat) = race.node(&position) else { unreachable!("a decision is one") };
        let worth = |state: &&State| value(race, table, state, seat);
        let best = results.states().iter().max_by(|a, b| worth(a).total_cmp(&worth(b)));
        Blunder {
            position: race.print(&position),
            played: race.print(&played),
            best: race.print(best.unwrap_or(&played)),
            regret,
        }
    };
    RegretReport {
        decisions: regrets.len() as u64,
        regret_per_decision: ratio(&sums, &counts),
        regret_per_game,
        optimal_choices: ratio(&optimal, &counts),
        share_luck_adjusted: Mean {
            mean: 0.5 - regret_per_game.mean,
            interval: [0.5 - regret_per_game.interval[1], 0.5 - regret_per_game.interval[0]],
        },
        quantiles: [0.5, 0.9, 0.99, 1.0].map(quantile),
        worst: worst.into_iter().take(WORST).map(blunder).collect(),
    }
}

/// The ratio of two sums over blocks, and its interval by how blocks deviate from it.
fn ratio(sums: &[f64], counts: &[f64]) -> Mean {
    let (blocks, total): (f64, f64) = (sums.len() as f64, counts.iter().sum());
    let mean = if total > 0.0 { sums.iter().sum::<f64>() / total } else { 0.0 };
    let squares: f64 = sums.iter().zip(counts).map(|(sum, count)| (sum - mean * count).powi(2)).sum();
    let error = if blocks > 1.0 { (squares * blocks / (blocks - 1.0)).sqrt() / total } else { f64::INFINITY };
    Mean { mean, interval: [mean - NORMAL_95 * error, mean + NORMAL_95 * error] }
}
