//! Regret of an agent against perfect play: the winning chances that its choices lose, one by one.
//!
//! Regret depends neither on the opponent's mistakes nor, by much, on the dice: against a perfect opponent an agent's
//! expected score is the value of the start less the sum of its regrets. So a game holds much more information than its
//! result.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ashta_env::game::{Game, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::{Deserialize, Serialize};

use crate::arena::{
    Interval, MakeAgent, MatchConfig, MatchProgress, MatchReport, PlayedGame, PlayedTurn, TurnAnalysis,
    play_watched_match, quantile,
};
use crate::perfect::table::{Perfect, Table};

/// A choice with less regret than this is optimal: tables of 32 bits give values in single precision.
const OPTIMAL: f64 = 1e-6;
/// Worst decisions that a report lists.
const WORST: usize = 10;

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

/// The regret of A in a game.
#[derive(Clone, Debug, Default)]
struct GameRegret {
    /// Of each decision, in order.
    regrets: Vec<f64>,
    /// The worst decisions: regret, position, chosen and best afterstate.
    worst: Vec<(f64, [State; 3])>,
}

/// A's regrets in the games of a match of two seats against perfect play, by block and A's seat.
#[derive(Default)]
struct Regrets(BTreeMap<(u64, Seat), GameRegret>);

impl Regrets {
    /// Notes a turn of A in a game of this block.
    fn note(&mut self, block: u64, turn: &PlayedTurn<State>, analysis: &TurnAnalysis<State>) {
        let game = self.0.entry((block, turn.seat)).or_default();
        if !analysis.is_choice() {
            return;
        }
        let regret = analysis.regret();
        game.regrets.push(regret);
        if regret > 0.0 {
            let own = |at: usize| analysis.values[at][turn.seat];
            let best = (0..analysis.values.len()).max_by(|&a, &b| own(a).total_cmp(&own(b)));
            let best = best.map_or(turn.end, |best| *analysis.results.state(best));
            game.worst.push((regret, [turn.thrown, turn.end, best]));
            game.worst.sort_by(|a, b| b.0.total_cmp(&a.0));
            game.worst.truncate(WORST);
        }
    }

    /// The sum over the games of each block.
    fn per_block(&self, of: impl Fn(&GameRegret) -> f64) -> Vec<f64> {
        let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
        self.0.iter().for_each(|(&(block, _), game)| *sums.entry(block).or_default() += of(game));
        sums.into_values().collect()
    }

    /// Sums up.
    fn report(&self, race: &Race) -> RegretReport {
        let sums = self.per_block(|game| game.regrets.iter().sum());
        let counts = self.per_block(|game| game.regrets.len() as f64);
        let optimal = self.per_block(|game| game.regrets.iter().filter(|&&regret| regret < OPTIMAL).count() as f64);
        let regret_per_game = Interval::ratio(&sums, &self.per_block(|_| 1.0));
        let mut regrets: Vec<f64> = self.0.values().flat_map(|game| game.regrets.iter().copied()).collect();
        regrets.sort_by(f64::total_cmp);
        let mut worst: Vec<_> = self.0.values().flat_map(|game| &game.worst).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        let blunder = |(regret, states): &(f64, [State; 3])| {
            let [position, played, best] = states.each_ref().map(|state| race.print(state));
            Blunder { position, played, best, regret: *regret }
        };
        RegretReport {
            decisions: regrets.len() as u64,
            regret_per_decision: Interval::ratio(&sums, &counts),
            regret_per_game,
            optimal_choices: Interval::ratio(&optimal, &counts).within([0.0, 1.0]),
            // Each of a block's two games begins with the same seat, so the values before the first throw sum to 1.
            luck_adjusted_score: regret_per_game.taken_from(0.5).within([0.0, 0.5]),
            quantiles: [0.5, 0.9, 0.99, 1.0].map(|share| quantile(&regrets, share)),
            worst: worst.into_iter().take(WORST).map(blunder).collect(),
        }
    }
}

/// Plays the agents that `agent` makes against perfect play in a game of two seats, as
/// [`play_match`](crate::arena::play_match), and measures them. `None` for more seats, where perfect play of one seat
/// depends on what the others do.
pub fn against_perfect(
    race: &Race,
    agent: MakeAgent<'_, '_, Race>,
    table: &Arc<Table>,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
) -> Option<(MatchReport, RegretReport)> {
    if race.spec().seats.len() != 2 {
        return None;
    }
    let regrets = Mutex::new(Regrets::default());
    let watch = |game: &PlayedGame<State>| {
        let (side, mut perfect) = (game.seating.seats_of(0), Perfect::new(Arc::clone(table)));
        for turn in game.turns.iter().filter(|turn| side.contains(turn.seat)) {
            let analysis = TurnAnalysis::new(race, &mut perfect, turn);
            regrets.lock().unwrap_or_else(PoisonError::into_inner).note(game.block, turn, &analysis);
        }
    };
    let report = play_watched_match(race, agent, &|| Perfect::agent(table), config, progress, &watch);
    let regrets = regrets.into_inner().unwrap_or_else(PoisonError::into_inner);
    Some((report, regrets.report(race)))
}
