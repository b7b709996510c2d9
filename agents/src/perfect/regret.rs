//! Regret of an agent against perfect play: the winning probability that each of its decisions
//! loses.
//!
//! Against a perfect opponent, the expected score of an agent is the value of the initial position
//! minus the sum of its regrets. Regret does not depend on mistakes of the opponent, and only a
//! little on the dice. So the regrets of a game give much more information than its result.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use ashta_env::{
    chance,
    game::{Game, Node, Seat},
    race::{Race, state::State},
};
use serde::{Deserialize, Serialize};

use crate::{
    arena::{
        Ending, Interval, MakeAgent, MatchConfig, MatchProgress, MatchReport, PlayedGame,
        TurnAnalysis, analyze_turns, play_watched_match, quantile,
    },
    perfect::table::{Perfect, Table},
    play::agent::{Agent, GameRng},
};

/// A decision with less regret than this counts as optimal, because evaluators return values in
/// single precision.
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
    /// The value of `best` minus the value of `played`. If probabilities are judged, the expected
    /// regret of the decision; `played` is then the afterstate with the largest share of this
    /// regret.
    pub regret: f64,
}

/// The regret of an agent against perfect play. A decision is a whole turn with more than one
/// distinct afterstate. Its regret is the value of the best afterstate minus the value of the
/// chosen afterstate.
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

/// The decisions that a match judges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// The turns that the agent plays.
    Played,
    /// In the same positions, all turns that [`Agent::policy`] can play, by their probabilities.
    /// The regret of a decision is then an expectation.
    Expected,
}

/// The regret of agent A in one game.
#[derive(Default)]
struct GameRegret {
    /// The regret of each decision, in order.
    regrets: Vec<f64>,
    /// The sum over the decisions of the probability of an optimal choice.
    optimal: f64,
    /// The decisions with the largest regret, in descending order. The states are the position, the
    /// chosen afterstate and the best afterstate.
    worst: Vec<(f64, [State; 3])>,
    /// Whether the game was truncated.
    is_truncated: bool,
}

/// The regrets of agent A in a match of two seats against perfect play, by block and A's seat.
#[derive(Default)]
struct Regrets(BTreeMap<(u64, Seat), GameRegret>);

impl Regrets {
    /// Records a decision of A in a game of this block: `shares` has the probability of each
    /// afterstate.
    fn add_decision(&mut self, block: u64, turn: &TurnAnalysis<State>, shares: &[f64]) {
        let game = self.0.entry((block, turn.seat)).or_default();
        let own = |at: usize| f64::from(turn.values[at][turn.seat]);
        let Some(best) = (0..turn.values.len()).max_by(|&a, &b| own(a).total_cmp(&own(b))) else {
            return;
        };
        let loss = |at: usize| shares[at] * (own(best) - own(at));
        let regret: f64 = (0..shares.len()).map(loss).sum();
        game.regrets.push(regret);
        game.optimal += (0..shares.len())
            .filter(|&at| own(best) - own(at) < OPTIMAL)
            .map(|at| shares[at])
            .sum::<f64>();
        if let Some(played) = (0..shares.len())
            .max_by(|&a, &b| loss(a).total_cmp(&loss(b)))
            .filter(|_| regret > 0.0)
        {
            let [played, best] = [played, best].map(|at| *turn.results.state(at));
            game.worst.push((regret, [turn.thrown, played, best]));
            game.worst.sort_by(|a, b| b.0.total_cmp(&a.0));
            game.worst.truncate(WORST);
        }
    }

    /// For each block, the sum of `of` over its games.
    fn per_block(&self, of: impl Fn(&GameRegret) -> f64) -> Vec<f64> {
        let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
        self.0
            .iter()
            .for_each(|(&(block, _), game)| *sums.entry(block).or_default() += of(game));
        sums.into_values().collect()
    }

    /// Summarizes the games of blocks without a truncated game.
    fn report(mut self, race: &Race) -> RegretReport {
        let truncated: BTreeSet<u64> = self
            .0
            .iter()
            .filter(|(_, game)| game.is_truncated)
            .map(|(&(block, _), _)| block)
            .collect();
        self.0.retain(|(block, _), _| !truncated.contains(block));
        let sums = self.per_block(|game| game.regrets.iter().sum());
        let counts = self.per_block(|game| game.regrets.len() as f64);
        let optimal = self.per_block(|game| game.optimal);
        let regret_per_game = Interval::ratio(&sums, &self.per_block(|_| 1.0));
        let mut regrets: Vec<f64> = self
            .0
            .values()
            .flat_map(|game| game.regrets.iter().copied())
            .collect();
        regrets.sort_by(f64::total_cmp);
        let mut worst: Vec<_> = self.0.values().flat_map(|game| &game.worst).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        let blunder = |(regret, states): &(f64, [State; 3])| {
            let [position, played, best] = states.each_ref().map(|state| race.print(state));
            Blunder {
                position,
                played,
                best,
                regret: *regret,
            }
        };
        RegretReport {
            decisions: regrets.len() as u64,
            regret_per_decision: Interval::ratio(&sums, &counts),
            regret_per_game,
            optimal_choices: Interval::ratio(&optimal, &counts).within([0.0, 1.0]),
            // The same seat throws first in both games of a block, and A changes seats. So the
            // values of the two initial positions for A sum to 1, and their mean is 0.5.
            luck_adjusted_score: regret_per_game.taken_from(0.5).within([0.0, 0.5]),
            quantiles: [0.5, 0.9, 0.99, 1.0].map(|share| quantile(&regrets, share)),
            worst: worst.into_iter().take(WORST).map(blunder).collect(),
        }
    }
}

/// The probability of each afterstate of each turn, if `agent` plays the turns:
/// `[turn][afterstate]`.
fn shares(
    race: &Race,
    agent: &mut dyn Agent<Race>,
    turns: &[TurnAnalysis<State>],
) -> Vec<Vec<f64>> {
    let mut shares: Vec<Vec<f64>> = turns
        .iter()
        .map(|turn| vec![0.0; turn.values.len()])
        .collect();
    let mut open: Vec<(usize, State, f64)> = (0..turns.len())
        .map(|turn| (turn, turns[turn].thrown, 1.0))
        .collect();
    while !open.is_empty() {
        let states: Vec<State> = open.iter().map(|&(_, state, _)| state).collect();
        let mut rngs: Vec<GameRng> = open
            .iter()
            .map(|&(turn, ..)| chance::stream(turn as u64, 0))
            .collect();
        let policies = agent.policy(race, &states, &mut rngs);
        for ((turn, state, share), (action, chance)) in std::mem::take(&mut open)
            .into_iter()
            .zip(policies)
            .flat_map(|(position, policy)| policy.into_iter().map(move |choice| (position, choice)))
            .filter(|&(_, (_, chance))| chance > 0.0)
        {
            let (mut after, share) = (state, share * f64::from(chance));
            race.apply_action(&mut after, action);
            if race.node(&after) == Node::Decision(turns[turn].seat) {
                match open
                    .iter_mut()
                    .find(|(other, state, _)| *other == turn && *state == after)
                {
                    Some((.., sum)) => *sum += share,
                    None => open.push((turn, after, share)),
                }
            } else if let Some(end) = turns[turn]
                .results
                .states()
                .iter()
                .position(|&end| end == after)
            {
                shares[turn][end] += share;
            }
        }
    }
    shares
}

/// Plays a match of an agent against perfect play in a game of two seats, as
/// [`play_match`](crate::arena::play_match) does, and measures the regret of the agent. `agent`
/// makes an agent for each thread.
///
/// Returns `None` for three or four seats, because perfect play of one seat then depends on the
/// play of the other seats. There is no regret if no block counts.
pub fn against_perfect(
    race: &Race,
    agent: MakeAgent<'_, '_, Race>,
    judged: Judged,
    table: &Arc<Table>,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
) -> Option<(MatchReport, Option<RegretReport>)> {
    if race.spec().seats.len() != 2 {
        return None;
    }
    let regrets = Mutex::new(Regrets::default());
    let watch = |game: &PlayedGame| {
        let shares = |turns: &[TurnAnalysis<State>]| shares(race, &mut *agent(), turns);
        add_game(
            &regrets,
            race,
            table,
            (game, 0),
            (judged == Judged::Expected).then_some(&shares),
        );
        None
    };
    let report = play_watched_match(
        race,
        agent,
        &|| Perfect::agent(table),
        config,
        progress,
        &watch,
    );
    let regrets = regrets.into_inner().unwrap_or_else(PoisonError::into_inner);
    let has_games = report.games > 0;
    Some((report, has_games.then(|| regrets.report(race))))
}

/// The regret of an agent, by its number, in games of two seats that were played, including
/// truncated games.
pub(super) fn of_games<'a>(
    race: &Race,
    table: &Arc<Table>,
    agent: usize,
    games: impl Iterator<Item = &'a PlayedGame>,
) -> RegretReport {
    let regrets = Mutex::new(Regrets::default());
    games.for_each(|game| add_game(&regrets, race, table, (game, agent), None));
    let mut regrets = regrets.into_inner().unwrap_or_else(PoisonError::into_inner);
    regrets
        .0
        .values_mut()
        .for_each(|game| game.is_truncated = false);
    regrets.report(race)
}

/// Returns the probability of each afterstate of each turn.
type Shares<'a> = &'a dyn Fn(&[TurnAnalysis<State>]) -> Vec<Vec<f64>>;

/// Adds the decisions of an agent in a game: by the probabilities of `shares`, or without them, as
/// they were played.
fn add_game(
    regrets: &Mutex<Regrets>,
    race: &Race,
    table: &Arc<Table>,
    (game, agent): (&PlayedGame, usize),
    shares: Option<Shares<'_>>,
) {
    let (turns, forced): (Vec<_>, Vec<_>) =
        analyze_turns(race, &mut Perfect::new(Arc::clone(table)), game, agent)
            .into_iter()
            .partition(TurnAnalysis::is_choice);
    let is_chosen = |turn: &TurnAnalysis<State>| {
        (0..turn.values.len())
            .map(|end| f64::from(u8::from(turn.chosen == Some(end))))
            .collect()
    };
    let shares = match shares {
        Some(shares) => shares(&turns),
        None => turns.iter().map(is_chosen).collect(),
    };
    let mut regrets = regrets.lock().unwrap_or_else(PoisonError::into_inner);
    turns
        .iter()
        .zip(&shares)
        .for_each(|(turn, shares)| regrets.add_decision(game.block, turn, shares));
    for turn in turns.iter().chain(&forced) {
        regrets
            .0
            .entry((game.block, turn.seat))
            .or_default()
            .is_truncated = game.ending == Ending::Truncated;
    }
}
