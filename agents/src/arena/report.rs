//! The report of a match: the score, its confidence interval, and counts of games.

use std::{cmp::Ordering, collections::BTreeSet};

use ashta_env::game::Spec;
use serde::{Deserialize, Serialize};

use super::{
    estimate::Interval,
    summary::{GameFacts, Sums, chance_level, of_whole_blocks},
};

/// The result of a match between A and B. A score is a mean return of A in a game, 0 to 1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchReport {
    /// Blocks that count: blocks without a truncated game.
    pub blocks: u64,
    /// Games of the blocks that count.
    pub games: u64,
    /// Drawn games: games with equal returns for all sides.
    pub drawn_games: u64,
    /// Games truncated at the turn limit. Their blocks do not count in any other number.
    pub truncated_games: u64,
    /// Blocks with a truncated game.
    pub truncated_blocks: u64,
    /// The score of A; `None` if no block counts.
    pub score: Option<f64>,
    /// Standard error of the score, from the scores of the blocks; `None` with fewer than two
    /// blocks.
    pub standard_error: Option<f64>,
    /// The 95 % confidence interval of the score, within 0 to 1; 0 to 1 with fewer than two blocks.
    pub interval: [f64; 2],
    /// The luck-adjusted score of A, if luck was measured and a block counts.
    #[serde(skip)]
    pub luck_adjusted_score: Option<Interval>,
    /// The expected score of an agent among equally strong agents: ½ for two sides and for games
    /// with placings (where all ranks count), otherwise 1 / sides.
    pub chance_level: f64,
    /// Numbers of won, drawn and lost games of A; `None` in a game of more than two sides.
    pub sides: Option<SideResults>,
    /// Mean number of actions of all seats in a game.
    pub decisions_per_game: f64,
    /// Mean number of turns of all seats in a game.
    pub turns_per_game: f64,
}

/// Games of A in a match of two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SideResults {
    /// Games that A won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
}

impl MatchReport {
    /// The share of drawn games, 0 without games.
    pub fn drawn_share(&self) -> f64 {
        self.drawn_games as f64 / self.games.max(1) as f64
    }

    /// Sums up the games of agent 0 (A) and agent 1 (B), which has all other sides. Blocks are in
    /// ascending order.
    pub(super) fn new(spec: &Spec, sides: usize, all: &[GameFacts]) -> MatchReport {
        let (games, chance_level) = (of_whole_blocks(all), chance_level(spec, sides));
        let (mut sums, mut results) = (
            Sums::default(),
            SideResults {
                wins: 0,
                draws: 0,
                losses: 0,
            },
        );
        for game in &games {
            let best = game
                .results()
                .filter(|result| result.0 != 0)
                .map(|result| result.1)
                .fold(f64::NEG_INFINITY, f64::max);
            for (_, own, luck) in game.results().filter(|result| result.0 == 0) {
                sums.add(game.block, own, luck, chance_level);
                match own.total_cmp(&best) {
                    Ordering::Greater => results.wins += 1,
                    Ordering::Equal => results.draws += 1,
                    Ordering::Less => results.losses += 1,
                }
            }
        }
        let blocks = sums.blocks(1);
        let scores = &blocks.scores;
        let Interval {
            mean,
            standard_error,
            interval,
        } = Interval::of_scores(scores, &[]);
        let has_luck = !games.is_empty() && games.iter().all(|game| game.luck.is_some());
        let truncated = || {
            all.iter()
                .filter(|game| game.returns.is_none())
                .map(|game| game.block)
        };
        let per_game = |of: fn(&GameFacts) -> u32| {
            let total: u64 = games.iter().map(|game| u64::from(of(game))).sum();
            total as f64 / games.len().max(1) as f64
        };
        MatchReport {
            blocks: scores.len() as u64,
            games: games.len() as u64,
            drawn_games: games.iter().filter(|game| game.is_drawn()).count() as u64,
            truncated_games: truncated().count() as u64,
            truncated_blocks: truncated().collect::<BTreeSet<u64>>().len() as u64,
            score: (!scores.is_empty()).then_some(mean),
            standard_error,
            interval,
            luck_adjusted_score: has_luck.then(|| blocks.luck_adjusted().estimate),
            chance_level,
            sides: (sides == 2).then_some(results),
            decisions_per_game: per_game(|game| game.decisions),
            turns_per_game: per_game(|game| game.turns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::{
        game::Game,
        testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows},
    };

    fn block(number: u64, scores: [f64; 2]) -> Vec<GameFacts> {
        let game = |(leg, own): (usize, f64)| GameFacts {
            block: number,
            agents: vec![leg, 1 - leg],
            returns: Some(if leg == 0 {
                vec![own, 1.0 - own]
            } else {
                vec![1.0 - own, own]
            }),
            luck: None,
            turns: 5,
            decisions: 10,
            forfeited: None,
        };
        scores.into_iter().enumerate().map(game).collect()
    }

    fn blocks(scores: impl IntoIterator<Item = [f64; 2]>) -> Vec<GameFacts> {
        scores
            .into_iter()
            .zip(0..)
            .flat_map(|(scores, number)| block(number, scores))
            .collect()
    }

    fn report(games: &[GameFacts]) -> MatchReport {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        MatchReport::new(game.spec(), 2, games)
    }

    #[test]
    fn statistics_are_drawn_from_blocks() {
        let mut results = blocks([[1.0, 0.0], [1.0, 1.0], [0.5, 0.5], [1.0, 0.0]]);
        let whole = report(&results);
        assert_eq!(
            (whole.blocks, whole.games, whole.truncated_blocks),
            (4, 8, 0)
        );
        assert_eq!((whole.score, whole.drawn_games), (Some(0.625), 2));
        // The block scores 0.5, 1, 0.5, 0.5 have the variance 1/16.
        assert_eq!(whole.standard_error, Some(0.125));
        assert_eq!(
            whole.sides,
            Some(SideResults {
                wins: 4,
                draws: 2,
                losses: 2
            })
        );
        assert_eq!(
            (whole.decisions_per_game, whole.turns_per_game),
            (10.0, 5.0)
        );

        results[3].returns = None;
        let cut = report(&results);
        assert_eq!(
            (
                cut.blocks,
                cut.games,
                cut.truncated_games,
                cut.truncated_blocks
            ),
            (3, 6, 1, 1)
        );
        assert_eq!(cut.score, Some(0.5));
        assert_eq!(
            cut.sides,
            Some(SideResults {
                wins: 2,
                draws: 2,
                losses: 2
            })
        );
    }

    #[test]
    fn agreement_of_few_blocks_proves_little() {
        let wins = |count| report(&blocks(vec![[1.0, 1.0]; count]));
        for (blocks, is_clear) in [(0, false), (1, false), (3, false), (20, true)] {
            let report = wins(blocks);
            assert_eq!(
                report.interval[0] > report.chance_level,
                is_clear,
                "{blocks}: {:?}",
                report.interval
            );
        }
        assert_eq!(wins(0).score, None);
        // Wilson's interval for 10 successes of 10.
        assert!(
            (wins(10).interval[0] - 0.722_467).abs() < 1e-5,
            "{:?}",
            wins(10).interval
        );
        assert!((wins(10).interval[1] - 1.0).abs() < 1e-12);
    }
}
