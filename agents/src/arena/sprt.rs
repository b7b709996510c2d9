//! SPRT, the sequential probability ratio test: games are played until one of two hypotheses is
//! accepted.
//!
//! The hypotheses are two differences in normalised Elo: the expected score minus ½, in standard
//! deviations of the score of a game. So the number of games does not depend on how much luck the
//! game has. The standard deviation is measured in the games, and includes the effect of common
//! throws.
//!
//! The test is the generalised SPRT (GSPRT) for normally distributed block scores with unknown
//! variance: the likelihood of a hypothesis is the largest likelihood over all variances.

use serde::Serialize;

use super::estimate::{Blocks, mean};

/// Two hypotheses and the error rates of the test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// Difference of the first hypothesis, in points of normalised Elo.
    pub elo0: f64,
    /// Difference of the second hypothesis, which is larger, in points of normalised Elo.
    pub elo1: f64,
    /// Probability of accepting the second hypothesis when the first is true.
    pub alpha: f64,
    /// Probability of accepting the first hypothesis when the second is true.
    pub beta: f64,
}

/// The verdict of the test so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Undecided: more games are needed.
    Open,
    /// The difference is `elo0` or less.
    AcceptsElo0,
    /// The difference is `elo1` or more.
    AcceptsElo1,
}

/// The least number of blocks for a verdict: with fewer blocks, the variance of scores is unknown.
const LEAST_BLOCKS: usize = 8;

/// The points of normalised Elo for one standard deviation of a game: 800 / ln 10. If the games of
/// a pair are independent and have no draws, a small difference in normalised Elo equals the
/// difference in Elo.
const POINTS: f64 = 347.435_585_522_6;

impl Sprt {
    /// The log-likelihood ratios at which the test ends: at or below the first bound, it accepts
    /// `elo0`; at or above the second bound, it accepts `elo1`.
    pub fn bounds(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }

    /// The verdict for a log-likelihood ratio.
    pub fn verdict(&self, ratio: f64) -> Verdict {
        let [low, high] = self.bounds();
        if ratio >= high {
            Verdict::AcceptsElo1
        } else if ratio <= low {
            Verdict::AcceptsElo0
        } else {
            Verdict::Open
        }
    }

    /// The expected numbers of games without luck correction: if one of the hypotheses is true (the
    /// larger number of the two), and if the truth is halfway between them.
    pub fn expected_games(&self) -> [f64; 2] {
        let ([low, high], step) = (self.bounds(), (self.elo1 - self.elo0) / POINTS);
        let ends = [
            (1.0 - self.beta) * high + self.beta * low,
            -self.alpha * high - (1.0 - self.alpha) * low,
        ];
        [2.0 * ends[0].max(ends[1]), -low * high]
            .map(|games| (games / (step * step)).max(2.0 * LEAST_BLOCKS as f64))
    }

    /// The log-likelihood ratio of blocks with this mean number of games. With `has_luck`, luck is
    /// subtracted from the scores.
    pub(super) fn ratio(&self, blocks: &Blocks, games: f64, has_luck: bool) -> f64 {
        let adjusted = has_luck.then(|| blocks.luck_adjusted().blocks);
        let scores = adjusted.as_ref().unwrap_or(&blocks.scores);
        if scores.len() < LEAST_BLOCKS {
            return 0.0;
        }
        let (count, lead) = (scores.len() as f64, mean(scores) - 0.5);
        let variance = |scores: &[f64]| {
            let middle = mean(scores);
            scores
                .iter()
                .map(|score| (score - middle).powi(2))
                .sum::<f64>()
                / count
                + blocks.doubt()
        };
        // Luck-adjusted scores vary less, so the same lead has more of their standard deviations.
        let (variance, shrinkage) = (
            variance(scores),
            (variance(&blocks.scores) / variance(scores)).sqrt(),
        );
        let squares = variance + lead * lead;
        // The log-likelihood of a block if the lead is `steps` standard deviations, for the best
        // standard deviation.
        let likelihood = |elo: f64| {
            let steps = elo / POINTS * games.sqrt() * shrinkage;
            let deviation =
                ((steps * steps * lead * lead + 4.0 * squares).sqrt() - steps * lead) / 2.0;
            steps * lead / deviation
                - deviation.ln()
                - squares / (2.0 * deviation * deviation)
                - steps * steps / 2.0
        };
        if squares > 0.0 {
            count * (likelihood(self.elo1) - likelihood(self.elo0))
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::chance;
    use rand::RngExt;

    const SPRT: Sprt = Sprt {
        elo0: 0.0,
        elo1: 20.0,
        alpha: 0.05,
        beta: 0.05,
    };

    fn ratio(sprt: Sprt, scores: Vec<f64>) -> f64 {
        sprt.ratio(
            &Blocks {
                scores,
                independent_variance: 0.1,
                ..Blocks::default()
            },
            2.0,
            false,
        )
    }

    #[test]
    fn the_ratio_grows_with_the_score() {
        let blocks = |halves: usize, wins: usize| {
            [vec![0.5; halves], vec![1.0; wins], vec![0.0; 100]].concat()
        };
        let ratios: Vec<f64> = [80, 100, 110, 130]
            .map(|wins| ratio(SPRT, blocks(200, wins)))
            .to_vec();
        assert!(
            ratios.windows(2).all(|pair| pair[0] < pair[1]),
            "{ratios:?}"
        );
        assert!(
            ratios[1] < 0.0,
            "an even score speaks for the first hypothesis"
        );
        assert_eq!(ratio(SPRT, vec![1.0; 7]), 0.0);
        // Blocks with equal scores reach a verdict, too.
        for (score, verdict) in [
            (1.0, Verdict::AcceptsElo1),
            (0.5, Verdict::AcceptsElo0),
            (0.4, Verdict::AcceptsElo0),
        ] {
            let wide = Sprt {
                elo1: 100.0,
                ..SPRT
            };
            assert_eq!(
                wide.verdict(ratio(wide, vec![score; 100])),
                verdict,
                "{score}"
            );
        }
    }

    /// The score of a pair, its luck, and the variance of its games without luck. Split pairs are
    /// as frequent as in pairs of games with common throws; luck explains most of the other pairs.
    fn pair(truth: f64, rng: &mut impl RngExt) -> (f64, f64, f64) {
        let drawn: f64 = rng.random();
        let win = truth - 0.25;
        let score = if drawn < win {
            1.0
        } else if drawn < win + 0.5 {
            0.5
        } else {
            0.0
        };
        // The expectation of luck is 0.
        let luck = match score {
            1.0 => 0.8 * (1.0 - truth),
            0.5 => 0.8 * (0.5 - truth),
            _ => -0.8 * truth,
        };
        (score, luck + 0.1 * (rng.random::<f64>() - 0.5), 0.02)
    }

    /// The expected score for a difference in normalised Elo.
    fn score_of(elo: f64) -> f64 {
        let deviation = |truth: f64| {
            let squares = (truth - 0.25) * (1.0 - truth).powi(2)
                + 0.5 * (0.5 - truth).powi(2)
                + (0.75 - truth) * truth * truth;
            (2.0 * squares).sqrt()
        };
        (0..50).fold(0.5, |truth, _| 0.5 + elo / POINTS * deviation(truth))
    }

    /// The share of runs that accept the second hypothesis if the true difference is `elo`, and the
    /// mean number of blocks.
    fn simulate(sprt: Sprt, elo: f64, with_luck: bool, runs: u64) -> (f64, f64) {
        let (mut taken, mut played) = (0, 0);
        for run in 0..runs {
            let mut rng = chance::stream(run, 1);
            let mut blocks = Blocks::default();
            let mut residuals = 0.0;
            loop {
                let (score, luck, residual) = pair(score_of(elo), &mut rng);
                blocks.scores.push(score);
                blocks.luck.push(luck);
                residuals += residual;
                blocks.independent_variance = residuals / blocks.scores.len() as f64;
                let count = blocks.scores.len();
                if !count.is_multiple_of((count / 25).next_power_of_two()) {
                    continue;
                }
                match sprt.verdict(sprt.ratio(&blocks, 2.0, with_luck)) {
                    Verdict::Open => continue,
                    Verdict::AcceptsElo1 => taken += 1,
                    Verdict::AcceptsElo0 => {}
                }
                played += count;
                break;
            }
        }
        (f64::from(taken) / runs as f64, played as f64 / runs as f64)
    }

    #[test]
    fn the_test_errs_as_seldom_as_it_promises() {
        for (elo0, elo1) in [(0.0, 20.0), (-10.0, 10.0), (60.0, 110.0)] {
            let sprt = Sprt { elo0, elo1, ..SPRT };
            let mut lengths = Vec::new();
            for with_luck in [true, false] {
                let runs = 400;
                let (wrong, blocks) = simulate(sprt, elo0, with_luck, runs);
                // 0.05 plus three standard errors of the share.
                assert!(
                    wrong < 0.083,
                    "{elo0} {with_luck}: takes elo1 though elo0 is true in {wrong} of the runs"
                );
                let (right, _) = simulate(sprt, elo1, with_luck, runs);
                assert!(
                    right > 0.917,
                    "{elo0} {with_luck}: takes elo1 when it is true in {right} of the runs"
                );
                lengths.push(blocks);
            }
            let expected = sprt.expected_games()[0] / 2.0;
            assert!(
                (0.9..1.3).contains(&(lengths[1] / expected)),
                "{lengths:?} for {expected}"
            );
            assert!(
                lengths[0] < 0.5 * lengths[1],
                "luck-adjusted scores need fewer blocks: {lengths:?}"
            );
        }
    }
}
