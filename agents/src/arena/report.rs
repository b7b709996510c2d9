//! What a match says: a score, how sure it is, and what it was drawn from.

use ashta_env::game::{Outlook, Spec};
use serde::Serialize;

use super::block::BlockResult;

/// The quantile of the normal distribution for intervals of 95 %.
pub(crate) const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The outcome of a match between A and B. Scores are returns for each game: 0 to 1, the mean over the seats that A
/// takes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchReport {
    /// Blocks that count.
    pub blocks: u64,
    /// Games of these blocks.
    pub games: u64,
    /// Games that came to the cap of turns. Their blocks are left out of everything else.
    pub truncated_games: u64,
    /// Blocks that were left out because of them.
    pub truncated_blocks: u64,
    /// A's score for each game; the chance level when no block counts.
    pub score: f64,
    /// Standard error of the score, from the scores of the blocks; `None` below two blocks.
    pub standard_error: Option<f64>,
    /// Interval of the score with 95 % confidence, within 0 to 1; all of it below two blocks.
    pub interval: [f64; 2],
    /// What A would score among equals: ½ for two sides and for placings, else 1 / seats.
    pub chance_level: f64,
    /// Won, drawn and lost games where there are two sides.
    pub sides: Option<SideResults>,
    /// Actions of all seats for each game.
    pub decisions_per_game: f64,
    /// Turns of all seats for each game.
    pub turns_per_game: f64,
}

/// Games of A in a match of two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SideResults {
    /// Games A won.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games A lost.
    pub losses: u64,
}

impl MatchReport {
    /// Sums up `results`, which are in the order of their blocks, of a match with `legs` games a block.
    pub(super) fn new(spec: &Spec, legs: usize, results: &[BlockResult]) -> MatchReport {
        let counted: Vec<&BlockResult> = results.iter().filter(|result| result.truncated == 0).collect();
        let blocks = counted.len() as u64;
        let games = blocks * legs as u64;
        let chance_level = match spec.outlook {
            Outlook::Winner | Outlook::Teams => 1.0 / legs as f64,
            Outlook::Placings => 0.5,
        };
        let scores: Vec<f64> = counted.iter().map(|result| result.scores.iter().sum::<f64>() / legs as f64).collect();
        let score = if blocks > 0 { scores.iter().sum::<f64>() / blocks as f64 } else { chance_level };
        let variance = (blocks > 1).then(|| {
            let squares: f64 = scores.iter().map(|block| (block - score).powi(2)).sum();
            squares / (blocks - 1) as f64
        });
        let total = |count: fn(&BlockResult) -> u64| counted.iter().map(|result| count(result)).sum::<u64>();
        let per_game = |total: u64| if games > 0 { total as f64 / games as f64 } else { 0.0 };
        let sides = (legs == 2).then(|| SideResults {
            wins: total(|result| result.wins_draws_losses[0]),
            draws: total(|result| result.wins_draws_losses[1]),
            losses: total(|result| result.wins_draws_losses[2]),
        });
        MatchReport {
            blocks,
            games,
            truncated_games: results.iter().map(|result| result.truncated).sum(),
            truncated_blocks: results.len() as u64 - blocks,
            score,
            standard_error: variance.map(|variance| (variance / blocks as f64).sqrt()),
            interval: variance.map_or([0.0, 1.0], |variance| interval(score, variance, blocks as f64)),
            chance_level,
            sides,
            decisions_per_game: per_game(total(|result| result.decisions)),
            turns_per_game: per_game(total(|result| result.turns)),
        }
    }
}

/// Wilson's interval with the variance of the blocks in the place of that of single games. For many blocks it is the
/// normal interval; for few it does not shrink to a point when all blocks happen to agree.
fn interval(score: f64, variance: f64, blocks: f64) -> [f64; 2] {
    let z_squared = NORMAL_95 * NORMAL_95;
    let shrink = 1.0 + z_squared / blocks;
    let centre = (score + z_squared / (2.0 * blocks)) / shrink;
    let half = NORMAL_95 / shrink * (variance / blocks + z_squared / (4.0 * blocks * blocks)).sqrt();
    [(centre - half).max(0.0), (centre + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::game::Game;
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    fn block(block: u64, scores: [f64; 2]) -> BlockResult {
        let column = |score: f64| if score > 0.5 { 0 } else { usize::from(score < 0.5) + 1 };
        let mut wins_draws_losses = [0; 3];
        scores.iter().for_each(|&score| wins_draws_losses[column(score)] += 1);
        BlockResult { block, scores: scores.to_vec(), wins_draws_losses, truncated: 0, decisions: 20, turns: 10 }
    }

    fn report(results: &[BlockResult]) -> MatchReport {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        MatchReport::new(game.spec(), 2, results)
    }

    #[test]
    fn statistics_are_drawn_from_blocks() {
        let mut results = vec![block(0, [1.0, 0.0]), block(1, [1.0, 1.0]), block(2, [0.5, 0.5]), block(3, [1.0, 0.0])];
        let whole = report(&results);
        assert_eq!((whole.blocks, whole.games, whole.truncated_blocks), (4, 8, 0));
        assert_eq!(whole.score, 0.625);
        // Blocks 0.5, 1, 0.5, 0.5 have the variance 1/16.
        assert_eq!(whole.standard_error, Some(0.125));
        assert_eq!(whole.sides, Some(SideResults { wins: 4, draws: 2, losses: 2 }));
        assert_eq!((whole.decisions_per_game, whole.turns_per_game), (10.0, 5.0));

        results[1] = BlockResult { scores: vec![1.0], truncated: 1, ..block(1, [1.0, 1.0]) };
        let cut = report(&results);
        assert_eq!((cut.blocks, cut.games, cut.truncated_games, cut.truncated_blocks), (3, 6, 1, 1));
        assert_eq!(cut.score, 0.5);
        assert_eq!(cut.sides, Some(SideResults { wins: 2, draws: 2, losses: 2 }));
    }

    #[test]
    fn agreement_of_few_blocks_proves_little() {
        let wins = |blocks| report(&(0..blocks).map(|number| block(number, [1.0, 1.0])).collect::<Vec<_>>());
        for (blocks, is_clear) in [(0, false), (1, false), (3, false), (20, true)] {
            let report = wins(blocks);
            assert_eq!(report.interval[0] > report.chance_level, is_clear, "{blocks}: {:?}", report.interval);
        }
        assert_eq!(wins(0).score, 0.5);
        // Wilson's interval for 10 successes of 10.
        assert!((wins(10).interval[0] - 0.722_467).abs() < 1e-5, "{:?}", wins(10).interval);
        assert!((wins(10).interval[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn many_blocks_have_the_normal_interval() {
        let results: Vec<BlockResult> =
            (0..100_000).map(|number| block(number, if number % 2 == 0 { [1.0, 0.0] } else { [1.0, 1.0] })).collect();
        let report = report(&results);
        let error = report.standard_error.expect("many blocks");
        assert!((report.interval[0] - (report.score - NORMAL_95 * error)).abs() < 3e-5);
        assert!((report.interval[1] - (report.score + NORMAL_95 * error)).abs() < 3e-5);
    }
}
