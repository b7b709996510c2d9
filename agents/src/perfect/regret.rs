//! Regret of an agent against perfect play: the winning probability that each of its decisions loses.
//!
//! Against a perfect opponent, the expected score of an agent is the value of the initial position minus the sum of its
//! regrets. Regret does not depend on mistakes of the opponent, and only little on the dice. So a game gives much more
//! information through its regrets than through its result.

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

/// A decision with less regret than this counts as optimal, because evaluators return values in single precision.
const OPTIMAL: f64 = 1e-6;
/// The number of worst decisions in a report.
const WORST: usize = 10;

/// A decision with a large regret.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Blunder {
    /// The position after all throws of the turn, in the text notation.
    pub position: String,
    /// The afterstate that the agent chose.
    pub played: String,
    /// The best afterstate.
    pub best: String,
    /// The value of `best` minus the value of `played`.
    pub regret: f64,
}

/// The regret of an agent against perfect play. A decision is a whole turn with more than one distinct afterstate. Its
/// regret is the value of the best afterstate minus the value of the chosen afterstate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RegretReport {
    /// Number of decisions of the agent.
    pub decisions: u64,
    /// Mean regret per decision.
    pub regret_per_decision: Interval,
    /// Mean regret per game.
    pub regret_per_game: Interval,
    /// Share of decisions whose regret is below 0.000001.
    pub optimal_choices: Interval,
    /// The luck-adjusted score of the agent against perfect play, computed from its regret.
    pub luck_adjusted_score: Interval,
    /// Quantiles of the regret per decision: 50 %, 90 %, 99 % and the maximum.
    pub quantiles: [f64; 4],
    /// The decisions with the largest regret, in descending order.
    pub worst: Vec<Blunder>,
}

/// The regret of agent A in one game.
#[derive(Clone, Debug, Default)]
struct GameRegret {
    /// The regret of each decision, in order.
    regrets: Vec<f64>,
    /// The decisions with the largest regret, in descending order: regret, position, chosen and best afterstate.
    worst: Vec<(f64, [State; 3])>,
}

/// The regrets of agent A in a match of two seats against perfect play, by block and A's seat.
#[derive(Default)]
struct Regrets(BTreeMap<(u64, Seat), GameRegret>);

impl Regrets {
    /// Records a turn of A in a game of this block.
    fn add_turn(&mut self, block: u64, turn: &PlayedTurn<State>, analysis: &TurnAnalysis<State>) {
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

    /// For each block, the sum of `of` over its games.
    fn per_block(&self, of: impl Fn(&GameRegret) -> f64) -> Vec<f64> {
        let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
        self.0.iter().for_each(|(&(block, _), game)| *sums.entry(block).or_default() += of(game));
        sums.into_values().collect()
    }

    /// Summarizes all games.
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
            // The same seat throws first in both games of a block, and A changes seats. So the values of the two
            // initial positions for A sum to 1, and their mean is 0.5.
            luck_adjusted_score: regret_per_game.taken_from(0.5).within([0.0, 0.5]),
            quantiles: [0.5, 0.9, 0.99, 1.0].map(|share| quantile(&regrets, share)),
            worst: worst.into_iter().take(WORST).map(blunder).collect(),
        }
    }
}

/// Plays a match of an agent against perfect play in a game of two seats, as [`play_match`](crate::arena::play_match)
/// does, and measures the regret of the agent. `agent` makes an agent for each thread.
///
/// Returns `None` for three or four seats: there, perfect play of a seat depends on the play of the others.
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
            regrets.lock().unwrap_or_else(PoisonError::into_inner).add_turn(game.block, turn, &analysis);
        }
    };
    let report = play_watched_match(race, agent, &|| Perfect::agent(table), config, progress, &watch);
    let regrets = regrets.into_inner().unwrap_or_else(PoisonError::into_inner);
    Some((report, regrets.report(race)))
}
