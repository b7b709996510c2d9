//! SPRT, the sequential probability ratio test: games are played until one of two hypotheses is accepted.
//!
//! The hypotheses are two expected scores. The test is the generalised one (GSPRT): where a block has few possible
//! scores (pairs of games without draws have 0, ½ and 1, with draws five), the likelihood of a hypothesis is that of
//! the distribution of block scores which fits what was seen best among those with this mean; luck-adjusted scores,
//! which can be anything, are compared as if normal.

use serde::Serialize;

/// Two hypotheses and the error rates of the test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// Difference in Elo of the first hypothesis.
    pub elo0: f64,
    /// Difference in Elo of the second, larger.
    pub elo1: f64,
    /// Probability of accepting the second when the first is true.
    pub alpha: f64,
    /// Probability of accepting the first when the second is true.
    pub beta: f64,
}

/// The verdict of the test so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Undecided: play on.
    Open,
    /// The difference is `elo0` or less.
    AcceptsElo0,
    /// The difference is `elo1` or more.
    AcceptsElo1,
}

/// Blocks before which nothing is decided: until then the variance of scores is unknown.
const LEAST_BLOCKS: usize = 8;

/// The expected score for a difference in Elo: ½ for 0.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The difference in Elo for an expected `score`; infinite at 0 and 1.
pub fn elo_of(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

impl Sprt {
    /// The log-likelihood ratios at which the test ends: below the first `elo0` is accepted, above the second `elo1`.
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
        // Scores not seen yet are not impossible.
        counts.iter_mut().for_each(|count: &mut f64| *count = count.max(1e-3));
        let total: f64 = counts.iter().sum();
        let seen: Vec<(f64, f64)> =
            counts.iter().enumerate().map(|(at, count)| (0.25 * at as f64, count / total)).collect();
        let [score0, score1] = [self.elo0, self.elo1].map(score_of);
        let [tilt0, tilt1] = [score0, score1].map(|score| tilt(&seen, score));
        let likelihood = |&(score, share): &(f64, f64)| {
            share * ((1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1))).ln()
        };
        total * seen.iter().map(likelihood).sum::<f64>()
    }

    /// The log-likelihood ratio of block scores of any size, whose variance may be larger by `doubt` than it seems
    /// (see [`Blocks::doubt`](super::Blocks::doubt)). Of the normal distributions with either mean the one that fits
    /// best counts, whatever its variance.
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

/// The distribution with the given `mean` that fits the shares `seen` best gives each score its share over 1 + t
/// (score − mean); this is its t.
fn tilt(seen: &[(f64, f64)], mean: f64) -> f64 {
    let (least, most) = (seen[0].0, seen[seen.len() - 1].0);
    let (mut low, mut high) = (-1.0 / (most - mean), 1.0 / (mean - least));
    // The sum falls from +∞ to −∞ between the two.
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        let sum: f64 =
            seen.iter().map(|&(score, share)| share * (score - mean) / (1.0 + middle * (score - mean))).sum();
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
    fn elo_and_score_are_inverse() {
        assert!((score_of(0.0) - 0.5).abs() < 1e-12);
        assert!((score_of(400.0) - 10.0 / 11.0).abs() < 1e-12);
        for elo in [-700.0, -3.0, 0.0, 6.95, 120.0] {
            assert!((elo_of(score_of(elo)) - elo).abs() < 1e-9);
        }
        assert!((elo_of(0.51) - 6.95).abs() < 0.01);
    }

    #[test]
    fn the_ratio_grows_with_the_score() {
        let blocks = |halves: usize, wins: usize| [vec![0.5; halves], vec![1.0; wins], vec![0.0; 100]].concat();
        let ratios: Vec<f64> = [80, 100, 110, 130].map(|wins| SPRT.ratio_of_quarters(&blocks(200, wins))).to_vec();
        assert!(ratios.windows(2).all(|pair| pair[0] < pair[1]), "{ratios:?}");
        assert!(ratios[1] < 0.0, "an even score speaks for the first hypothesis");
        // Both ways to count agree where scores vary little.
        for (wins, ratio) in [80, 100, 110, 130].into_iter().zip(&ratios) {
            assert!(
                (SPRT.ratio_of_numbers(&blocks(200, wins), 0.0) - ratio).abs() < 0.02 + 0.02 * ratio.abs(),
                "{ratio}"
            );
        }
        assert_eq!((SPRT.ratio_of_quarters(&[1.0; 7]), SPRT.ratio_of_numbers(&[0.5; 7], 0.1)), (0.0, 0.0));
        // Blocks that all agree decide, too.
        for (score, verdict) in [(1.0, Verdict::AcceptsElo1), (0.5, Verdict::AcceptsElo0)] {
            let wide = Sprt { elo1: 50.0, ..SPRT };
            let blocks = Blocks { scores: vec![score; 40], game_variance: 0.1, ..Blocks::default() };
            assert_eq!(wide.verdict(wide.ratio_of_numbers(&blocks.scores, blocks.doubt())), verdict);
        }
        let one_sided = SPRT.ratio_of_quarters(&[1.0; 50]);
        assert!(one_sided.is_finite() && one_sided > 1.0);
    }

    /// The score of a pair, its luck, and how far its games were from even without it. Halves are as frequent as in
    /// pairs of games with the same throws; where a pair is not split, luck explains most of it.
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
        // The luck of those who won, and of those who lost, is such that its expectation is 0.
        let luck = match score {
            1.0 => 0.8 * (1.0 - truth),
            0.5 => 0.8 * (0.5 - truth),
            _ => -0.8 * truth,
        };
        (score, luck + 0.1 * (rng.random::<f64>() - 0.5), 0.02)
    }

    /// How often the second hypothesis is accepted when the expected score is that of `elo`, and the blocks it takes.
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
                // 0.05 and three standard errors of the count.
                assert!(wrong < 0.083, "{elo0} {with_luck}: takes elo1 though elo0 is true in {wrong} of the runs");
                let (right, _) = simulate(sprt, elo1, with_luck, runs);
                assert!(right > 0.917, "{elo0} {with_luck}: takes elo1 when it is true in {right} of the runs");
                lengths.push(blocks);
            }
            assert!(lengths[0] < 0.5 * lengths[1], "without luck it is quicker: {lengths:?}");
        }
    }
}
