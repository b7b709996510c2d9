//! Means over blocks with confidence intervals, and the luck-adjusted score: a score minus the luck
//! of the throws (control variate).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

pub const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A mean with its confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Its standard error; `None` for ratios and for fewer than two blocks. In JSON, only some
    /// fields of a summary contain the standard error.
    #[serde(skip)]
    pub standard_error: Option<f64>,
    /// The 95 % confidence interval, from the variation between blocks of games. With fewer than
    /// two blocks, it contains all possible values.
    pub interval: [f64; 2],
}

/// Serializes an interval, if there is one, with its standard error.
pub fn with_error<T: Copy + Into<Option<Interval>>, S: Serializer>(
    of: &T,
    out: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct WithError {
        mean: f64,
        standard_error: Option<f64>,
        interval: [f64; 2],
    }
    let of: Option<Interval> = (*of).into();
    of.map(
        |Interval {
             mean,
             standard_error,
             interval,
         }| WithError {
            mean,
            standard_error,
            interval,
        },
    )
    .serialize(out)
}

impl Interval {
    /// The mean of independent `blocks`.
    pub fn of(blocks: &[f64]) -> Interval {
        let (mean, count) = (mean(blocks), blocks.len() as f64);
        if blocks.len() < 2 {
            return Interval {
                mean,
                standard_error: None,
                interval: [f64::NEG_INFINITY, f64::INFINITY],
            };
        }
        let error = (variance_within(blocks, &[]).0 / count).sqrt();
        let half = student_95(count - 1.0) * error;
        Interval {
            mean,
            standard_error: Some(error),
            interval: [mean - half, mean + half],
        }
    }

    /// The mean of independent `blocks`, which are scores between 0 and 1. The interval is within 0
    /// and 1, and it is not a single point even if all blocks have equal scores.
    ///
    /// The blocks are in groups (strata) whose means can differ. `strata` has the index of the
    /// stratum of each block; if it is empty, all blocks are one stratum. Only differences within
    /// strata make the mean uncertain.
    pub fn of_scores(blocks: &[f64], strata: &[usize]) -> Interval {
        let (mean, count) = (mean(blocks), blocks.len() as f64);
        if blocks.len() < 2 {
            return Interval {
                mean,
                standard_error: None,
                interval: [0.0, 1.0],
            };
        }
        let (variance, _) = variance_within(blocks, strata);
        // Wilson's interval, with the variance of blocks instead of the variance of single games.
        // With many blocks, it is nearly the normal interval. With few blocks, it is not a single
        // point even if all blocks have equal scores.
        let squared = NORMAL_95 * NORMAL_95;
        let shrink = 1.0 + squared / count;
        let centre = (mean + squared / (2.0 * count)) / shrink;
        let half = NORMAL_95 / shrink
            * (variance / count + squared * MAX_GAME_VARIANCE / (count * count)).sqrt();
        let interval = [centre - half, centre + half];
        Interval {
            mean,
            standard_error: Some((variance / count).sqrt()),
            interval,
        }
        .within([0.0, 1.0])
    }

    /// The ratio of two sums over blocks; the interval comes from the deviations of the blocks from
    /// the ratio.
    pub(crate) fn ratio(sums: &[f64], counts: &[f64]) -> Interval {
        let (blocks, total): (f64, f64) = (sums.len() as f64, counts.iter().sum());
        let mean = if total > 0.0 {
            sums.iter().sum::<f64>() / total
        } else {
            0.0
        };
        let squares: f64 = sums
            .iter()
            .zip(counts)
            .map(|(sum, count)| (sum - mean * count).powi(2))
            .sum();
        let error = if blocks > 1.0 && total > 0.0 {
            (squares * blocks / (blocks - 1.0)).sqrt() / total
        } else {
            f64::INFINITY
        };
        let half = student_95((blocks - 1.0).max(1.0)) * error;
        Interval {
            mean,
            standard_error: None,
            interval: [mean - half, mean + half],
        }
    }

    /// The interval in percent.
    pub fn percent(self) -> Interval {
        let percent = |share: f64| 100.0 * share;
        Interval {
            mean: percent(self.mean),
            standard_error: self.standard_error.map(percent),
            interval: self.interval.map(percent),
        }
    }

    /// Limits the mean and the bounds to a range that is known to contain the mean.
    pub fn within(self, [least, most]: [f64; 2]) -> Interval {
        let mean = self.mean.clamp(least, most);
        let [low, high] = self.interval.map(|bound| bound.clamp(least, most));
        Interval {
            mean,
            interval: [low.min(mean), high.max(mean)],
            ..self
        }
    }

    /// The interval of the difference `whole` minus this mean.
    pub fn taken_from(self, whole: f64) -> Interval {
        let [low, high] = self.interval;
        Interval {
            mean: whole - self.mean,
            interval: [whole - high, whole - low],
            ..self
        }
    }
}

/// The largest variance of the score of a single game.
pub const MAX_GAME_VARIANCE: f64 = 0.25;

/// The quantile of `sorted` numbers (in ascending order) at `share`, 0 to 1; 0 if there are no
/// numbers.
pub fn quantile<N: Copy + Default>(sorted: &[N], share: f64) -> N {
    let at = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
    sorted
        .get(at.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

pub fn mean(blocks: &[f64]) -> f64 {
    blocks.iter().sum::<f64>() / blocks.len().max(1) as f64
}

/// The variance of `blocks` around the means of their strata, and its degrees of freedom. If every
/// stratum has a single block, the variance is around the mean of all blocks.
fn variance_within(blocks: &[f64], strata: &[usize]) -> (f64, f64) {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let of = |block: usize| strata.get(block).copied().unwrap_or(0);
    for (block, score) in blocks.iter().enumerate() {
        let (sum, count) = sums.entry(of(block)).or_default();
        *sum += score;
        *count += 1.0;
    }
    if sums.len() == blocks.len() && !strata.is_empty() {
        return variance_within(blocks, &[]);
    }
    let squared = |(block, score): (usize, &f64)| {
        let (sum, count) = sums[&of(block)];
        (score - sum / count).powi(2)
    };
    let degrees = (blocks.len() - sums.len()) as f64;
    (
        blocks.iter().enumerate().map(squared).sum::<f64>() / degrees,
        degrees,
    )
}

/// The quantile of Student's distribution for 95 % intervals, by its expansion around the normal
/// quantile; the error is below 0.001 from four degrees of freedom on.
pub fn student_95(degrees: f64) -> f64 {
    match degrees as u64 {
        1 => return 12.706_2,
        2 => return 4.302_7,
        _ => {}
    }
    let z = NORMAL_95;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92160.0,
    ];
    z + terms
        .iter()
        .zip(1..)
        .map(|(term, power)| term / degrees.powi(power))
        .sum::<f64>()
}

/// Scores of blocks of games, and the luck in them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Blocks {
    /// The score of each block.
    pub scores: Vec<f64>,
    /// The luck of each block; its expectation is 0.
    pub luck: Vec<f64>,
    /// The index of the stratum of each block; empty if all blocks are one stratum.
    pub strata: Vec<usize>,
    /// The variance of a block whose games are independent and have no luck. The deviation of a
    /// game is its score minus its luck minus the chance level; the variance is the mean of the
    /// squared deviations divided by the number of games of a block.
    pub independent_variance: f64,
}

/// Luck-adjusted scores of blocks.
#[derive(Clone, PartialEq, Debug)]
pub struct Adjusted {
    /// The scores of the blocks minus a multiple of their luck.
    pub blocks: Vec<f64>,
    /// The mean of `blocks`, limited to 0 to 1.
    pub estimate: Interval,
    /// The standard error of the plain scores divided by the standard error of the adjusted scores;
    /// 1 if one of them is unknown or 0.
    pub shrinkage: f64,
}

/// Number of groups of blocks; the coefficient of a group is fitted to the other groups
/// (cross-fitting).
const FOLDS: usize = 10;
/// Weight of the prior that the coefficient is 1, in blocks.
const BELIEF: f64 = 4.0;

impl Blocks {
    /// Subtracts luck from the scores.
    ///
    /// The luck is multiplied by the coefficient that leaves the least variance. If the values of
    /// the evaluator are useless, the coefficient is near 0, so the interval never gets much
    /// longer. The coefficient of a block is fitted only to the blocks of other groups. So it does
    /// not depend on the luck of the block, and the mean stays unbiased. With few blocks, the
    /// coefficient stays near 1, the right value for an exact evaluator.
    ///
    /// If there are few blocks, or if most blocks have equal scores, their variance is not
    /// reliable. As in Wilson's interval, a term is added to the variance: [`Blocks::doubt`],
    /// computed from the variance of independent games.
    pub fn luck_adjusted(&self) -> Adjusted {
        let Blocks {
            scores,
            luck,
            strata,
            ..
        } = self;
        // For each group: the number of blocks and the sums of scores, luck, luck times score and
        // luck squared.
        let mut sums = [[0.0; 5]; FOLDS];
        for (block, (score, luck)) in scores.iter().zip(luck).enumerate() {
            let group = &mut sums[block % FOLDS];
            for (sum, part) in group
                .iter_mut()
                .zip([1.0, *score, *luck, luck * score, luck * luck])
            {
                *sum += part;
            }
        }
        let totals =
            [0, 1, 2, 3, 4].map(|part: usize| sums.iter().map(|group| group[part]).sum::<f64>());
        let coefficients = sums.map(|group| {
            let [count, score, luck, both, squared] =
                [0, 1, 2, 3, 4].map(|part| totals[part] - group[part]);
            let belief = if count > 0.0 {
                BELIEF * squared / count
            } else {
                0.0
            };
            let covariance = if count > 0.0 {
                both - luck * score / count
            } else {
                0.0
            };
            // If there was no luck, the coefficient does not matter.
            if squared > 0.0 {
                (covariance + belief) / (squared + belief)
            } else {
                1.0
            }
        });
        let adjust = |(block, (score, luck)): (usize, (&f64, &f64))| {
            score - coefficients[block % FOLDS] * luck
        };
        let blocks: Vec<f64> = scores.iter().zip(luck).enumerate().map(adjust).collect();
        let count = blocks.len() as f64;
        // Limiting the mean to possible scores can only improve the coverage of the interval.
        let (mean, plain) = (
            mean(&blocks).clamp(0.0, 1.0),
            Interval::of_scores(scores, strata),
        );
        let estimate = match blocks.len() {
            0 | 1 => Interval { mean, ..plain },
            _ => {
                let (variance, degrees) = variance_within(&blocks, strata);
                let half = student_95(degrees) * (variance / count + self.doubt() / count).sqrt();
                let interval = [mean - half, mean + half];
                Interval {
                    mean,
                    standard_error: Some((variance / count).sqrt()),
                    interval,
                }
                .within([0.0, 1.0])
            }
        };
        let shrinkage = match (plain.standard_error, estimate.standard_error) {
            (Some(plain), Some(adjusted)) if plain > 0.0 && adjusted > 0.0 => plain / adjusted,
            _ => 1.0,
        };
        Adjusted {
            blocks,
            estimate,
            shrinkage,
        }
    }

    /// The true variance of luck-adjusted blocks is at most the measured variance plus this number.
    pub fn doubt(&self) -> f64 {
        NORMAL_95 * NORMAL_95 * self.independent_variance.min(MAX_GAME_VARIANCE)
            / self.scores.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::chance;
    use rand::RngExt;

    #[test]
    fn quantiles_of_student_are_those_of_the_tables() {
        for (degrees, quantile) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (5.0, 2.571),
            (10.0, 2.228),
            (30.0, 2.042),
        ] {
            assert!(
                (student_95(degrees) - quantile).abs() < 6e-3,
                "{degrees}: {}",
                student_95(degrees)
            );
        }
        assert!((student_95(1e9) - NORMAL_95).abs() < 1e-8);
    }

    #[test]
    fn a_mean_of_few_blocks_is_not_trusted() {
        let ratio = Interval::ratio(&[0.4, 0.6], &[1.0, 1.0]);
        assert!(
            (ratio.mean - 0.5).abs() < 1e-12 && ratio.interval[0] < -0.7,
            "{ratio:?}"
        );
        assert!(Interval::ratio(&[0.4], &[1.0]).interval[1].is_infinite());
        assert_eq!(
            Interval::of(&[]).interval,
            [f64::NEG_INFINITY, f64::INFINITY]
        );
        assert_eq!(Interval::of(&[0.5]).standard_error, None);
        let two = Interval::of(&[0.4, 0.6]);
        assert!(
            (two.mean - 0.5).abs() < 1e-12 && two.interval[0] < -0.7,
            "{two:?}"
        );
    }

    /// Scores that luck explains partly.
    fn drawn(seed: u64, blocks: usize, truth: f64) -> Blocks {
        let mut rng = chance::stream(seed, 0);
        let mut unit = || rng.random::<f64>() - 0.5;
        let one = |_| {
            let luck = unit();
            (truth + luck + 0.2 * unit(), luck)
        };
        let (scores, luck) = (0..blocks).map(one).unzip();
        Blocks {
            scores,
            luck,
            strata: Vec::new(),
            independent_variance: 0.02,
        }
    }

    /// Pairs of games between two nearly equal agents. Most pairs are split; in the other pairs,
    /// luck explains most of the difference.
    fn alike(seed: u64, pairs: usize, truth: f64) -> Blocks {
        let mut rng = chance::stream(seed, 1);
        let mut found = Blocks::default();
        let mut residual = 0.0;
        for _ in 0..pairs {
            // The result of a pair differs from an even result by luck and by a small error.
            let luck = if rng.random::<f64>() < 0.15 {
                [0.5, -0.5][usize::from(rng.random::<bool>())]
            } else {
                0.0
            };
            let fault = if rng.random::<f64>() < 0.1 {
                0.3 * (rng.random::<f64>() - 0.5)
            } else {
                0.0
            };
            let luck = 0.9 * luck;
            found.scores.push(truth + luck / 0.9 + fault);
            found.luck.push(luck);
            residual += (0.2 * (rng.random::<f64>() - 0.5)).powi(2);
        }
        Blocks {
            independent_variance: residual / pairs as f64,
            ..found
        }
    }

    #[test]
    fn luck_that_explains_the_result_shrinks_the_interval() {
        let blocks = drawn(1, 2000, 0.5);
        let adjusted = blocks.luck_adjusted();
        // The coefficient of the first block.
        let coefficient = |of: &Blocks| (of.scores[0] - of.luck_adjusted().blocks[0]) / of.luck[0];
        assert!(
            (coefficient(&blocks) - 1.0).abs() < 0.02,
            "{}",
            coefficient(&blocks)
        );
        assert!(
            (adjusted.shrinkage - 26.0_f64.sqrt()).abs() < 0.3,
            "{}",
            adjusted.shrinkage
        );
        assert!((adjusted.estimate.mean - 0.5).abs() < 4.0 * 0.0013);
        let with_luck = |luck: Vec<f64>| Blocks {
            luck,
            ..blocks.clone()
        };
        let with = |luck: Vec<f64>| with_luck(luck).luck_adjusted();
        // Luck that was measured twice too large is corrected, and luck from a useless evaluator
        // does no harm.
        let doubled = with_luck(blocks.luck.iter().map(|luck| 2.0 * luck).collect());
        assert!((coefficient(&doubled) - 0.5).abs() < 0.01);
        assert!((with(drawn(2, 2000, 0.5).luck).shrinkage - 1.0).abs() < 0.01);
        let none = with(vec![0.0; 2000]);
        assert_eq!(
            (none.estimate.mean, none.shrinkage),
            (mean(&blocks.scores), 1.0)
        );
        let nothing = Blocks::default().luck_adjusted();
        assert_eq!(
            (nothing.shrinkage, nothing.estimate.interval),
            (1.0, [0.0, 1.0])
        );
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for (blocks, most) in [(2, 1.0), (5, 1.0), (12, 1.0), (40, 0.99), (200, 0.975)] {
            let holds = |seed: &u64| {
                let [low, high] = drawn(*seed, blocks, 0.3).luck_adjusted().estimate.interval;
                low <= 0.3 && 0.3 <= high
            };
            let share = (0..2000).filter(holds).count() as f64 / 2000.0;
            // At least 0.95 minus three standard errors. The share is larger for few blocks,
            // because their variance is increased.
            assert!((0.935..=most).contains(&share), "{blocks} blocks: {share}");
        }
        for pairs in [2, 10, 20, 50, 400] {
            let (mut held, mut total) = (0, 0.0);
            for seed in 0..2000 {
                let estimate = alike(seed, pairs, 0.51).luck_adjusted().estimate;
                held += u32::from(estimate.interval[0] <= 0.51 && 0.51 <= estimate.interval[1]);
                total += estimate.mean / 2000.0;
                assert!(
                    estimate.interval[0] < estimate.interval[1],
                    "no interval is a point"
                );
            }
            assert!(
                f64::from(held) >= 0.935 * 2000.0,
                "{pairs} pairs: {held} of 2000"
            );
            // The standard error of a mean is at most 0.04 for ten pairs. The standard error of the
            // mean of 2,000 means is 1/45 of it.
            let bias = total - 0.51;
            assert!(
                bias.abs() < 4.0 * 0.12 / (pairs as f64 * 2000.0).sqrt() + 1e-4,
                "{pairs} pairs: {bias}"
            );
        }
    }

    #[test]
    fn estimates_without_luck_stay_between_0_and_1() {
        for (own, bad_luck) in [(1.0, -0.04), (0.0, 0.04), (1.0, -0.0)] {
            for count in [1, 3, 200] {
                let (scores, luck) = (vec![own; count], vec![bad_luck; count]);
                let blocks = Blocks {
                    scores,
                    luck,
                    independent_variance: 0.01,
                    ..Blocks::default()
                };
                let Interval {
                    mean,
                    interval: [low, high],
                    ..
                } = blocks.luck_adjusted().estimate;
                assert!(
                    mean == own && 0.0 <= low && low < high && high <= 1.0,
                    "{mean} {low} {high}"
                );
                assert!(low <= mean && mean <= high, "{mean} {low} {high}");
            }
        }
    }

    #[test]
    fn only_differences_within_strata_count() {
        let scores: Vec<f64> = (0..60)
            .map(|block| [0.2, 0.9][block % 2] + 0.01 * (block % 3) as f64)
            .collect();
        let strata: Vec<usize> = (0..60).map(|block| block % 2).collect();
        let (pooled, within) = (
            Interval::of_scores(&scores, &[]),
            Interval::of_scores(&scores, &strata),
        );
        assert_eq!(pooled.mean, within.mean);
        let [pooled, within] =
            [pooled, within].map(|estimate| estimate.standard_error.expect("many blocks"));
        assert!(within < 0.05 * pooled, "{within} {pooled}");
        let alone = Interval::of_scores(&scores[..2], &strata[..2]);
        assert_eq!(
            alone,
            Interval::of_scores(&scores[..2], &[]),
            "strata of one block are ignored"
        );
    }
}
