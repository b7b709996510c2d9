//! SPRT, the sequential probability ratio test: games are played until one of two hypotheses is accepted.
//!
//! The hypotheses are two expected scores. The test is the generalised SPRT (GSPRT). Plain block scores have few
//! possible values: 0, ½ and 1 for pairs of games without draws, five values with draws. For these scores, the test
//! fits a distribution of block scores for each hypothesis; its mean is the score of the hypothesis. The likelihood of
//! the hypothesis is the likelihood of this distribution. Luck-adjusted scores can be any number; the test treats them
//! as normally distributed.

use serde::Serialize;

/// Two hypotheses and the error rates of the test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// Difference in Elo of the first hypothesis.
    pub elo0: f64,
    /// Difference in Elo of the second hypothesis, which is larger.
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

/// The expected score for a difference in Elo: ½ for 0.
pub(super) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

impl Sprt {
    /// The log-likelihood ratios at which the test ends: at or below the first bound, it accepts `elo0`; at or above
    /// the second bound, it accepts `elo1`.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
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

    /// The log-likelihood ratio of block scores that are multiples of a quarter.
    pub fn ratio_of_quarters(&self, scores: &[f64]) -> f64 {
        let mut counts = [0.0; 5];
        scores.iter().for_each(|score| counts[((4.0 * score).round() as usize).min(4)] += 1.0);
        if scores.len() < LEAST_BLOCKS {
            return 0.0;
        }
        // Scores that have not occurred yet are still possible.
        counts.iter_mut().for_each(|count: &mut f64| *count = count.max(1e-3));
        let total: f64 = counts.iter().sum();
        let shares: Vec<(f64, f64)> =
            counts.iter().enumerate().map(|(at, count)| (0.25 * at as f64, count / total)).collect();
        let [score0, score1] = [self.elo0, self.elo1].map(score_of);
        let [tilt0, tilt1] = [score0, score1].map(|score| tilt(&shares, score));
        let likelihood = |&(score, share): &(f64, f64)| {
            share * ((1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1))).ln()
        };
        total * shares.iter().map(likelihood).sum::<f64>()
    }

    /// The log-likelihood ratio of block scores that can be any number. The ratio compares two normal distributions.
    /// Each has the mean of one hypothesis and the variance that fits the scores best. `doubt` is added to the variance
    /// (see [`Blocks::doubt`](super::Blocks::doubt)).
    pub fn ratio_of_numbers(&self, scores: &[f64], doubt: f64) -> f64 {
        if scores.len() < LEAST_BLOCKS {
            return 0.0;
        }
        let count = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / count;
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count + doubt;
        let around = |elo: f64| variance + (mean - score_of(elo)).powi(2);
        if variance > 0.0 { count / 2.0 * (around(self.elo0) / around(self.elo1)).ln() } else { 0.0 }
    }
}

/// Fits a distribution with the given `mean` to `shares`, pairs of a score and its observed share. The best fit gives
/// each score the probability share / (1 + t (score − mean)); returns t.
fn tilt(shares: &[(f64, f64)], mean: f64) -> f64 {
    let (least, most) = (shares[0].0, shares[shares.len() - 1].0);
    let (mut low, mut high) = (-1.0 / (most - mean), 1.0 / (mean - least));
    // The sum falls from +∞ to −∞ between the two bounds.
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        let sum: f64 =
            shares.iter().map(|&(score, share)| share * (score - mean) / (1.0 + middle * (score - mean))).sum();
        if sum > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Blocks;
    use ashta_env::chance;
    use rand::RngExt;

    const SPRT: Sprt = Sprt { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };

    #[test]
    fn scores_follow_elo() {
        assert!((score_of(0.0) - 0.5).abs() < 1e-12);
        assert!((score_of(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((score_of(6.95) - 0.51).abs() < 1e-4);
    }

    #[test]
    fn the_ratio_grows_with_the_score() {
        let blocks = |halves: usize, wins: usize| [vec![0.5; halves], vec![1.0; wins], vec![0.0; 100]].concat();
        let ratios: Vec<f64> = [80, 100, 110, 130].map(|wins| SPRT.ratio_of_quarters(&blocks(200, wins))).to_vec();
        assert!(ratios.windows(2).all(|pair| pair[0] < pair[1]), "{ratios:?}");
        assert!(ratios[1] < 0.0, "an even score speaks for the first hypothesis");
        assert_eq!((SPRT.ratio_of_quarters(&[1.0; 7]), SPRT.ratio_of_numbers(&[0.5; 7], 0.1)), (0.0, 0.0));
        // Blocks with equal scores reach a verdict, too.
        for (score, verdict) in [(1.0, Verdict::AcceptsElo1), (0.5, Verdict::AcceptsElo0)] {
            let wide = Sprt { elo1: 50.0, ..SPRT };
            let blocks = Blocks { scores: vec![score; 40], game_variance: 0.1, ..Blocks::default() };
            assert_eq!(wide.verdict(wide.ratio_of_numbers(&blocks.scores, blocks.doubt())), verdict);
        }
        let one_sided = SPRT.ratio_of_quarters(&[1.0; 50]);
        assert!(one_sided.is_finite() && one_sided > 1.0);
    }

    /// The score of a pair, its luck, and the variance of its games without luck. Split pairs are as frequent as in
    /// pairs of games with common throws; luck explains most of the other pairs.
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

    /// The share of runs that accept the second hypothesis if the true difference is `elo`, and the mean number of
    /// blocks.
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
                blocks.game_variance = residuals / blocks.scores.len() as f64;
                let count = blocks.scores.len();
                if !count.is_multiple_of((count / 25).next_power_of_two()) {
                    continue;
                }
                let ratio = match with_luck {
                    true => sprt.ratio_of_numbers(&blocks.luck_adjusted().blocks, blocks.doubt()),
                    false => sprt.ratio_of_quarters(&blocks.scores),
                };
                match sprt.verdict(ratio) {
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
                assert!(wrong < 0.083, "{elo0} {with_luck}: takes elo1 though elo0 is true in {wrong} of the runs");
                let (right, _) = simulate(sprt, elo1, with_luck, runs);
                assert!(right > 0.917, "{elo0} {with_luck}: takes elo1 when it is true in {right} of the runs");
                lengths.push(blocks);
            }
            assert!(lengths[0] < 0.5 * lengths[1], "luck-adjusted scores need fewer blocks: {lengths:?}");
        }
    }
}
