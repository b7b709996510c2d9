//! Means of blocks and how sure they are; results without the luck of the throws.

use serde::Serialize;

/// The quantile of the normal distribution for intervals of 95 %.
pub(crate) const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A mean of blocks.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; `None` below two blocks.
    pub standard_error: Option<f64>,
    /// Interval with 95 % confidence; without bounds below two blocks.
    pub interval: [f64; 2],
}

impl Estimate {
    /// The mean of `blocks`, which do not depend on each other.
    pub fn of(blocks: &[f64]) -> Estimate {
        let count = blocks.len() as f64;
        let mean = if blocks.is_empty() { 0.0 } else { blocks.iter().sum::<f64>() / count };
        if blocks.len() < 2 {
            return Estimate { mean, standard_error: None, interval: [f64::NEG_INFINITY, f64::INFINITY] };
        }
        let error = (variance(blocks, mean) / count).sqrt();
        let half = student_95(count - 1.0) * error;
        Estimate { mean, standard_error: Some(error), interval: [mean - half, mean + half] }
    }

    /// The mean of `blocks` that are scores between 0 and 1. Its interval does not shrink to a point when few blocks
    /// happen to agree, and lies between 0 and 1.
    pub fn of_scores(blocks: &[f64]) -> Estimate {
        let plain = Estimate::of(blocks);
        let interval = match plain.standard_error {
            Some(_) => wilson(plain.mean, variance(blocks, plain.mean), blocks.len() as f64),
            None => [0.0, 1.0],
        };
        Estimate { interval, ..plain }
    }
}

/// Wilson's interval with the variance of the blocks in the place of that of single games. For many blocks it is the
/// normal interval; for few it does not shrink to a point when all blocks happen to agree.
fn wilson(score: f64, variance: f64, blocks: f64) -> [f64; 2] {
    let z_squared = NORMAL_95 * NORMAL_95;
    let shrink = 1.0 + z_squared / blocks;
    let centre = (score + z_squared / (2.0 * blocks)) / shrink;
    let half = NORMAL_95 / shrink * (variance / blocks + z_squared / (4.0 * blocks * blocks)).sqrt();
    [(centre - half).max(0.0), (centre + half).min(1.0)]
}

/// The variance of `blocks` around their `mean`.
pub(super) fn variance(blocks: &[f64], mean: f64) -> f64 {
    blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (blocks.len() as f64 - 1.0)
}

/// The quantile of Student's distribution for intervals of 95 %, by its expansion around the normal one; within a
/// thousandth from three degrees of freedom on.
fn student_95(degrees: f64) -> f64 {
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
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92160.0,
    ];
    z + terms.iter().zip(1..).map(|(term, power)| term / degrees.powi(power)).sum::<f64>()
}

/// Scores of blocks without the luck in them.
#[derive(Clone, PartialEq, Debug)]
pub struct Adjusted {
    /// The scores of the blocks less a multiple of their luck.
    pub blocks: Vec<f64>,
    /// Their mean.
    pub estimate: Estimate,
    /// The multiple, averaged over the blocks: 1 when the evaluator is right.
    pub coefficient: f64,
    /// By what factor the interval is shorter than that of the plain scores; 1 when nothing is known of either.
    pub shrinkage: f64,
}

/// Groups of blocks for which a coefficient is found from the other groups.
const FOLDS: usize = 10;

/// Takes `luck`, whose expectation is 0, out of the `scores` of the same blocks.
///
/// A multiple of the luck is taken out, the one that leaves the least variance: with an evaluator that knows nothing
/// this is next to nothing, so the interval never gets much longer. The multiple for a block is found from the blocks
/// of other groups, so it does not depend on the luck it stands with, and the mean stays without bias.
pub fn luck_adjusted(scores: &[f64], luck: &[f64]) -> Adjusted {
    let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
    let mut products = [[0.0; 2]; FOLDS];
    for (block, (score, luck)) in scores.iter().zip(luck).enumerate() {
        let [covariance, square] = &mut products[block % FOLDS];
        *covariance += (score - mean) * luck;
        *square += luck * luck;
    }
    let total = |part: usize| products.iter().map(|sums| sums[part]).sum::<f64>();
    let coefficients = products.map(|[covariance, square]| {
        let [covariance, square] = [total(0) - covariance, total(1) - square];
        if square > 0.0 { covariance / square } else { 0.0 }
    });
    let of = |block: usize| coefficients[block % FOLDS];
    let adjust = |(block, (score, luck)): (usize, (&f64, &f64))| score - of(block) * luck;
    let blocks: Vec<f64> = scores.iter().zip(luck).enumerate().map(adjust).collect();
    let (plain, estimate) = (Estimate::of(scores), Estimate::of(&blocks));
    let shrinkage = match (plain.standard_error, estimate.standard_error) {
        (Some(plain), Some(adjusted)) if adjusted > 0.0 => plain / adjusted,
        _ => 1.0,
    };
    let coefficient = (0..blocks.len()).map(of).sum::<f64>() / blocks.len().max(1) as f64;
    Adjusted { blocks, estimate, coefficient, shrinkage }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::chance;
    use rand::RngExt;

    #[test]
    fn quantiles_of_student_are_those_of_the_tables() {
        for (degrees, quantile) in
            [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042)]
        {
            assert!((student_95(degrees) - quantile).abs() < 6e-3, "{degrees}: {}", student_95(degrees));
        }
        assert!((student_95(1e9) - NORMAL_95).abs() < 1e-8);
    }

    #[test]
    fn a_mean_of_few_blocks_is_not_trusted() {
        assert_eq!(Estimate::of(&[]).interval, [f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!(Estimate::of(&[0.5]).standard_error, None);
        let two = Estimate::of(&[0.4, 0.6]);
        assert!((two.mean - 0.5).abs() < 1e-12 && two.interval[0] < -0.7, "{two:?}");
    }

    /// Scores of 0 and 1 with luck that tells a part of them.
    fn drawn(seed: u64, blocks: usize, truth: f64) -> (Vec<f64>, Vec<f64>) {
        let mut rng = chance::stream(seed, 0);
        let mut unit = || rng.random::<f64>() - 0.5;
        let one = |_| {
            let luck = unit();
            (truth + luck + 0.2 * unit(), luck)
        };
        (0..blocks).map(one).unzip()
    }

    #[test]
    fn luck_that_tells_the_result_shrinks_the_interval() {
        let (scores, luck) = drawn(1, 2000, 0.5);
        let adjusted = luck_adjusted(&scores, &luck);
        assert!((adjusted.coefficient - 1.0).abs() < 0.02, "{}", adjusted.coefficient);
        assert!((adjusted.shrinkage - 26.0_f64.sqrt()).abs() < 0.3, "{}", adjusted.shrinkage);
        assert!((adjusted.estimate.mean - 0.5).abs() < 4.0 * 0.0013);
        // An evaluator of twice the scale is put right, and one that knows nothing does no harm.
        let doubled: Vec<f64> = luck.iter().map(|luck| 2.0 * luck).collect();
        assert!((luck_adjusted(&scores, &doubled).coefficient - 0.5).abs() < 0.01);
        let (_, foreign) = drawn(2, 2000, 0.5);
        assert!((luck_adjusted(&scores, &foreign).shrinkage - 1.0).abs() < 0.01);
        let none = luck_adjusted(&scores, &vec![0.0; 2000]);
        assert_eq!((none.coefficient, none.shrinkage), (0.0, 1.0));
        assert_eq!(luck_adjusted(&[], &[]).shrinkage, 1.0);
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for blocks in [12, 40, 200] {
            let holds = |seed: &u64| {
                let (scores, luck) = drawn(*seed, blocks, 0.3);
                let [low, high] = luck_adjusted(&scores, &luck).estimate.interval;
                low <= 0.3 && 0.3 <= high
            };
            let share = (0..2000).filter(holds).count() as f64 / 2000.0;
            // 0.95 ± three standard errors of the count, and a little more for few blocks.
            assert!((0.925..=0.97).contains(&share), "{blocks} blocks: {share}");
        }
    }
}
