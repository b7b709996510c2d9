//! Statistics of a solved game of two seats: length, luck, skill, and the stakes of its choices.
//!
//! All is measured by the values of perfect play, turn by turn: the luck of a turn is the value of the best result
//! after the throws less that of the position before them; the regret of a choice is its loss against the best. So the
//! result of a game is the value of its start, plus the luck, less the seat's own regrets, plus those of the other
//! seat.

mod facts;
mod positions;
mod truths;

use std::sync::{Arc, Mutex, PoisonError};

use ashta_env::game::{Game, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::Serialize;

use crate::arena::{
    Interval, MakeAgent, MatchConfig, MatchProgress, MatchReport, TurnAnalysis, WatchedTurn, play_watched_match,
    quantile,
};
use crate::perfect::regret::{BySide, RegretReport, Regrets, per_block};
use crate::perfect::table::{Perfect, Table};

pub use facts::TurnEffect;
pub use positions::{Shortlist, SurveyedPosition, Way};
pub use truths::Truth;

/// Quantiles of the lengths of games.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
/// Width of the classes in which luck and stakes are counted.
const CLASS: f64 = 0.001;
/// Stakes that a smaller share of turns have are left out.
const RARE: f64 = 0.002;
/// Classes from one step of [`AtLeast`] to the next.
const CLASSES_A_STEP: usize = 10;

/// Whose turns count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// Those of both seats, and only the first game of each pair: perfect play against itself, where both are the same.
    Both,
    /// Those of A: an agent against perfect play.
    Agent,
}

/// Turns of all seats in a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Lengths {
    /// The mean.
    pub mean: Interval,
    /// Turns that 5, 25, 50, 75 and 95 % of the games do not exceed.
    pub quantiles: [f64; 5],
    /// The shortest game.
    pub shortest: u32,
    /// Games of each length, from the shortest on.
    pub games: Vec<u64>,
}

/// Shares of turns by how much is at stake in them. Number `n` of each list is the share of all turns that count with
/// `n · step` or more; the lists end where that is true of fewer than one in 500.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtLeast {
    /// Value from one entry to the next.
    pub step: f64,
    /// Turns by their luck, good or bad.
    pub luck: Vec<f64>,
    /// Turns by the regret of the second best result.
    pub best_to_second: Vec<f64>,
    /// Turns by the regret of the worst result.
    pub best_to_worst: Vec<f64>,
}

/// Where the variance of the result of a game comes from: its covariance with each part, as shares that sum to 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct VarianceShares {
    /// The luck of the throws.
    pub dice: f64,
    /// The regrets of both seats.
    pub choices: f64,
    /// The seat that threw first.
    pub first_throw: f64,
}

/// Statistics of the games of a match.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Nature {
    /// Games.
    pub games: u64,
    /// Turns that count in them.
    pub turns: u64,
    /// Turns of all seats in a game.
    pub lengths: Lengths,
    /// Share of the turns that have more than one distinct result.
    pub choices: Interval,
    /// Standard deviation of the luck of a turn.
    pub luck_of_a_turn: f64,
    /// Standard deviation of the luck of a game, for one seat.
    pub luck_of_a_game: f64,
    /// Variance of the result of a game.
    pub variance: f64,
    /// Where it comes from; `None` where all games end alike.
    pub variance_shares: Option<VarianceShares>,
    /// Regret of the second best of two or more results.
    pub best_to_second: Interval,
    /// Regret of the worst of two or more results.
    pub best_to_worst: Interval,
    /// Turns by what is at stake.
    pub at_least: AtLeast,
}

/// One game. Values are those of A's seat, unless it says otherwise.
#[derive(Clone, Copy, Debug, Default)]
struct GameNature {
    /// Turns of all seats.
    length: u32,
    /// Turns that count, and the sums over them.
    turns: u32,
    choices: u32,
    luck_squared: f64,
    best_to_second: f64,
    best_to_worst: f64,
    /// The value of the start; nothing before the first turn.
    start: Option<f64>,
    /// The luck of all turns, and the regrets of the other seat less those of A.
    luck: f64,
    given: f64,
}

/// Turns in classes of [`CLASS`] by what is at stake in them: luck, best to second, best to worst.
type Classes = [Vec<u64>; 3];

/// Collects statistics of games, turn by turn; they do not depend on the order of games.
#[derive(Debug)]
pub struct Natures {
    whose: Whose,
    first_seat: Seat,
    found: Mutex<(BySide<GameNature>, Classes)>,
}

impl Natures {
    /// A collection for matches of a game.
    pub fn new(race: &Race, whose: Whose) -> Natures {
        let first_seat = race.spec().seats.iter().next().unwrap_or(Seat::SOUTH);
        let classes = std::array::from_fn(|_| vec![0; (1.0 / CLASS) as usize + 1]);
        Natures { whose, first_seat, found: Mutex::new((BySide::new(), classes)) }
    }

    /// Notes a turn.
    pub fn note(&self, turn: &WatchedTurn<'_, State>, analysis: &TurnAnalysis<State>) {
        let Some(own) = turn.side.iter().next() else { return };
        if self.whose == Whose::Both && own != self.first_seat {
            return;
        }
        let sign = if turn.seat == own { 1.0 } else { -1.0 };
        let counts = self.whose == Whose::Both || turn.seat == own;
        let (luck, [best_to_second, best_to_worst]) = (analysis.luck(turn.seat), gaps(&analysis.own_values()));
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (games, classes) = &mut *found;
        let game = games.entry((turn.block, own)).or_default();
        game.length += 1;
        let start = f64::from(analysis.before[turn.seat]);
        game.start.get_or_insert(if turn.seat == own { start } else { 1.0 - start });
        game.luck += sign * luck;
        game.given -= sign * analysis.regret();
        if !counts {
            return;
        }
        game.turns += 1;
        game.luck_squared += luck * luck;
        classes[0][class(luck.abs())] += 1;
        if analysis.is_choice() {
            game.choices += 1;
            game.best_to_second += best_to_second;
            game.best_to_worst += best_to_worst;
            classes[1][class(best_to_second)] += 1;
            classes[2][class(best_to_worst)] += 1;
        }
    }

    /// Sums up.
    pub fn report(self) -> Nature {
        let (games, classes) = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let per_block = |of: fn(&GameNature) -> f64| per_block(&games, of);
        let total = |of: fn(&GameNature) -> f64| games.values().map(of).sum::<f64>();
        let (turns, counts) = (per_block(|game| f64::from(game.turns)), per_block(|game| f64::from(game.choices)));
        let of_games = |of: fn(&GameNature) -> f64| games.values().map(of).collect::<Vec<f64>>();
        let results = of_games(|game| game.start.unwrap_or(0.0) + game.luck + game.given);
        let variance = covariance(&results, &results);
        let share = |of: fn(&GameNature) -> f64| covariance(&results, &of_games(of)) / variance;
        let lucks = of_games(|game| game.luck);
        let all_turns = total(|game| f64::from(game.turns)).max(1.0);
        let [luck, best_to_second, best_to_worst] = at_least(&classes, all_turns);
        Nature {
            games: games.len() as u64,
            turns: games.values().map(|game| u64::from(game.turns)).sum(),
            lengths: Lengths::new(
                Interval::ratio(&per_block(|game| f64::from(game.length)), &per_block(|_| 1.0)),
                games.values().map(|game| game.length).collect(),
            ),
            choices: Interval::ratio(&counts, &turns),
            luck_of_a_turn: (total(|game| game.luck_squared) / all_turns).sqrt(),
            luck_of_a_game: covariance(&lucks, &lucks).sqrt(),
            variance,
            variance_shares: (variance > 0.0).then(|| VarianceShares {
                dice: share(|game| game.luck),
                choices: share(|game| game.given),
                first_throw: share(|game| game.start.unwrap_or(0.0)),
            }),
            best_to_second: Interval::ratio(&per_block(|game| game.best_to_second), &counts),
            best_to_worst: Interval::ratio(&per_block(|game| game.best_to_worst), &counts),
            at_least: AtLeast { step: CLASS * CLASSES_A_STEP as f64, luck, best_to_second, best_to_worst },
        }
    }
}

/// The regrets of the second best and the worst of `values`; 0 where there is nothing to choose.
fn gaps(values: &[f64]) -> [f64; 2] {
    let mut best = [f64::NEG_INFINITY; 2];
    let mut worst = f64::INFINITY;
    for &value in values {
        if value > best[0] {
            best = [value, best[0]];
        } else {
            best[1] = best[1].max(value);
        }
        worst = worst.min(value);
    }
    if values.len() > 1 { [best[0] - best[1], best[0] - worst] } else { [0.0; 2] }
}

fn class(stake: f64) -> usize {
    // Values are sums of fractions, so that a value on the border of a class may be a little less.
    ((stake / CLASS + 1e-6) as usize).min((1.0 / CLASS) as usize)
}

/// For each of `classes` the share of `turns` with at least so much, step by step until that is [`RARE`] for all.
fn at_least(classes: &Classes, turns: f64) -> [Vec<f64>; 3] {
    let share = |counts: &[u64]| counts.iter().sum::<u64>() as f64 / turns;
    let list =
        |counts: &Vec<u64>| (0..counts.len()).step_by(CLASSES_A_STEP).map(|from| share(&counts[from..])).collect();
    let mut lists: [Vec<f64>; 3] = classes.each_ref().map(list);
    let used = lists.iter().flat_map(|list| list.iter().rposition(|&share| share >= RARE)).max().map_or(1, |at| at + 1);
    lists.iter_mut().for_each(|list| list.truncate(used));
    lists
}

impl Lengths {
    /// Of games with this mean.
    fn new(mean: Interval, mut lengths: Vec<u32>) -> Lengths {
        lengths.sort_unstable();
        let shortest = lengths.first().copied().unwrap_or(0);
        let mut games = vec![0; lengths.last().map_or(0, |longest| (longest - shortest + 1) as usize)];
        lengths.iter().for_each(|length| games[(length - shortest) as usize] += 1);
        let quantiles = QUANTILES.map(|share| quantile(&lengths, share).into());
        Lengths { mean, quantiles, shortest, games }
    }
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len().max(1) as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / count, b.iter().sum::<f64>() / count);
    a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / count
}

/// The survey of a match against perfect play.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// The match, as A sees it.
    pub report: MatchReport,
    /// The regret of A.
    pub regret: RegretReport,
    /// Statistics of the games.
    pub nature: Nature,
}

/// Plays the agents that `agent` makes against perfect play by `table` in a game of two seats. `shortlist` is shown
/// every turn that counts; of both seats, if it is given.
pub fn survey(
    race: &Race,
    agent: MakeAgent<'_, '_, Race>,
    whose: Whose,
    table: &Arc<Table>,
    shortlist: Option<&Shortlist>,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
) -> Surveyed {
    let (regrets, natures) = (Regrets::default(), Natures::new(race, whose));
    let watch = |turn: &WatchedTurn<'_, State>| {
        let analysis = TurnAnalysis::new(race, &mut Perfect::new(Arc::clone(table)), turn);
        regrets.note(turn, &analysis);
        natures.note(turn, &analysis);
        if let Some(shortlist) = shortlist {
            shortlist.note(race, turn, &analysis);
        }
    };
    let report = play_watched_match(race, agent, &|| Perfect::agent(table), config, progress, &watch);
    Surveyed { report, regret: regrets.report(race), nature: natures.report() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_from_the_best() {
        assert_eq!(gaps(&[]), [0.0; 2]);
        assert_eq!(gaps(&[0.5]), [0.0; 2]);
        assert_eq!(gaps(&[0.25, 0.75, 0.5]), [0.25, 0.5]);
        assert_eq!(gaps(&[0.75, 0.25, 0.75]), [0.0, 0.5]);
    }

    #[test]
    fn lengths_are_counted_from_the_shortest() {
        let of = |lengths| Lengths::new(Interval::ratio(&[], &[]), lengths);
        let found = of((1..=20).chain([4, 4, 30]).collect());
        assert_eq!((found.shortest, found.games.len(), found.games[3]), (1, 30, 3));
        assert_eq!(found.games.iter().sum::<u64>(), 23);
        assert_eq!(found.quantiles, [2.0, 4.0, 10.0, 16.0, 20.0]);
        let none = of(Vec::new());
        assert_eq!((none.quantiles, none.games.len()), ([0.0; 5], 0));
    }

    #[test]
    fn shares_of_turns_end_where_turns_are_rare() {
        let mut classes: Classes = [vec![0; 1001], vec![0; 1001], vec![0; 1001]];
        [0.0, 0.009, 0.01, 0.0249].iter().for_each(|&luck| classes[0][class(luck)] += 1);
        classes[1][class(0.02)] += 1;
        let [luck, second, worst] = at_least(&classes, 4.0);
        assert_eq!(luck, [1.0, 0.5, 0.25]);
        assert_eq!(second, [0.25, 0.25, 0.25]);
        assert_eq!(worst, [0.0, 0.0, 0.0]);
    }

    #[test]
    fn shares_of_variance_add_up() {
        let (a, b) = ([1.0, 2.0, 4.0], [3.0, -1.0, 0.5]);
        let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let whole = covariance(&sum, &sum);
        assert!((covariance(&sum, &a) + covariance(&sum, &b) - whole).abs() < 1e-12);
        assert_eq!(covariance(&[], &[]), 0.0);
    }
}
