//! The report of a match: score, confidence interval, and the games behind them.

use std::cmp::Ordering;

use ashta_env::game::{Outlook, Seat, Spec};
use serde::{Deserialize, Serialize};

use super::estimate::Estimate;
use super::table::{Ending, Move, PlayedGame};

/// The score of one game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct GameScore {
    /// A's score, the mean return of its seats, and the best return of the others; `None` for a truncated game.
    scores: Option<[f64; 2]>,
    /// Actions of all seats.
    decisions: u64,
    /// Turns of all seats.
    turns: u64,
}

impl GameScore {
    /// Of a game in which agent 0 is A.
    pub(super) fn new<S>(spec: &Spec, game: &PlayedGame<S>) -> GameScore {
        let own = game.seating.seats_of(0);
        let of = |seat: Seat| f64::from(game.returns[seat]);
        let scores = (game.ending != Ending::Truncated).then(|| {
            let others = spec.seats.iter().filter(|&seat| !own.contains(seat));
            [own.iter().map(of).sum::<f64>() / own.len() as f64, others.map(of).fold(f64::NEG_INFINITY, f64::max)]
        });
        let decisions = game.moves.iter().filter(|made| matches!(made, Move::Choice(_))).count() as u64;
        GameScore { scores, decisions, turns: u64::from(game.turns_begun) }
    }
}

/// The outcome of a match between A and B. Scores are returns for each game: 0 to 1, the mean over the seats that A
/// takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchReport {
    /// Blocks that count.
    pub blocks: u64,
    /// Games of these blocks.
    pub games: u64,
    /// Games truncated at the turn limit. Their blocks are left out of everything else.
    pub truncated_games: u64,
    /// Blocks that were left out because of them.
    pub truncated_blocks: u64,
    /// A's score for each game; the chance level when no block counts.
    pub score: f64,
    /// Standard error of the score, from the scores of the blocks; `None` below two blocks.
    pub standard_error: Option<f64>,
    /// Interval of the score with 95 % confidence, within 0 to 1; all of it below two blocks.
    pub interval: [f64; 2],
    /// The expected score among equals: ½ for two sides and for placings, else 1 / seats.
    pub chance_level: f64,
    /// Won, drawn and lost games where there are two sides.
    pub sides: Option<SideResults>,
    /// Actions of all seats for each game.
    pub decisions_per_game: f64,
    /// Turns of all seats for each game.
    pub turns_per_game: f64,
}

/// Games of A in a match of two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SideResults {
    /// Games A won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games A lost.
    pub losses: u64,
}

impl MatchReport {
    /// Sums up the games of a match in the order of their `blocks`, with `legs` games a block.
    pub(super) fn new(spec: &Spec, legs: usize, blocks: &[Vec<GameScore>]) -> MatchReport {
        let is_whole = |block: &&Vec<GameScore>| block.iter().all(|game| game.scores.is_some());
        let counted: Vec<&Vec<GameScore>> = blocks.iter().filter(is_whole).collect();
        let truncated_games = blocks.iter().flatten().filter(|game| game.scores.is_none()).count() as u64;
        let truncated_blocks = (blocks.len() - counted.len()) as u64;
        let blocks = counted.len() as u64;
        let games = blocks * legs as u64;
        let chance_level = match spec.outlook {
            Outlook::Winner | Outlook::Teams => 1.0 / legs as f64,
            Outlook::Placings => 0.5,
        };
        let own = |game: &GameScore| game.scores.map_or(0.0, |[own, _]| own);
        let scores: Vec<f64> = counted.iter().map(|block| block.iter().map(own).sum::<f64>() / legs as f64).collect();
        let Estimate { mean, standard_error, interval } = Estimate::of_scores(&scores);
        let all = || counted.iter().copied().flatten();
        let per_game = |total: u64| if games > 0 { total as f64 / games as f64 } else { 0.0 };
        let compared = |order: Ordering| {
            let is_so = |game: &&GameScore| game.scores.is_some_and(|[own, best]| own.total_cmp(&best) == order);
            all().filter(is_so).count() as u64
        };
        let sides = (legs == 2).then(|| SideResults {
            wins: compared(Ordering::Greater),
            draws: compared(Ordering::Equal),
            losses: compared(Ordering::Less),
        });
        MatchReport {
            blocks,
            games,
            truncated_games,
            truncated_blocks,
            score: if blocks > 0 { mean } else { chance_level },
            standard_error,
            interval,
            chance_level,
            sides,
            decisions_per_game: per_game(all().map(|game| game.decisions).sum()),
            turns_per_game: per_game(all().map(|game| game.turns).sum()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::estimate::NORMAL_95;
    use ashta_env::game::Game;
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    fn block(scores: [f64; 2]) -> Vec<GameScore> {
        scores.map(|own| GameScore { scores: Some([own, 1.0 - own]), decisions: 10, turns: 5 }).to_vec()
    }

    fn report(blocks: &[Vec<GameScore>]) -> MatchReport {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        MatchReport::new(game.spec(), 2, blocks)
    }

    #[test]
    fn statistics_are_drawn_from_blocks() {
        let mut results = vec![block([1.0, 0.0]), block([1.0, 1.0]), block([0.5, 0.5]), block([1.0, 0.0])];
        let whole = report(&results);
        assert_eq!((whole.blocks, whole.games, whole.truncated_blocks), (4, 8, 0));
        assert_eq!(whole.score, 0.625);
        // Blocks 0.5, 1, 0.5, 0.5 have the variance 1/16.
        assert_eq!(whole.standard_error, Some(0.125));
        assert_eq!(whole.sides, Some(SideResults { wins: 4, draws: 2, losses: 2 }));
        assert_eq!((whole.decisions_per_game, whole.turns_per_game), (10.0, 5.0));

        results[1][1].scores = None;
        let cut = report(&results);
        assert_eq!((cut.blocks, cut.games, cut.truncated_games, cut.truncated_blocks), (3, 6, 1, 1));
        assert_eq!(cut.score, 0.5);
        assert_eq!(cut.sides, Some(SideResults { wins: 2, draws: 2, losses: 2 }));
    }

    #[test]
    fn agreement_of_few_blocks_proves_little() {
        let wins = |blocks| report(&vec![block([1.0, 1.0]); blocks]);
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
        let results: Vec<_> =
            (0..100_000).map(|number| block(if number % 2 == 0 { [1.0, 0.0] } else { [1.0, 1.0] })).collect();
        let report = report(&results);
        let error = report.standard_error.expect("many blocks");
        assert!((report.interval[0] - (report.score - NORMAL_95 * error)).abs() < 3e-5);
        assert!((report.interval[1] - (report.score + NORMAL_95 * error)).abs() < 3e-5);
    }
}
