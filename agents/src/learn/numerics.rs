//! A fingerprint of the rounding errors of a machine. Machines with equal fingerprints compute the
//! same run to the last bit.
//!
//! The forward pass gives the same bits on all x86-64 processors that the program supports.
//! Differences can come from other processors, from the functions of the C library, and from burn,
//! which splits large matrix products by the size of the caches.

use ashta_env::game::{Action, ActionMask};
use flate2::Crc;

use super::{
    config::LearningConfig,
    net::{Batch, Learner, LearnerDevice, Sample},
};
use crate::network::portable::{MlpShape, ValueHead};

/// Returns a checksum over results of elementary functions and of a few learning steps, all with
/// fixed inputs.
pub fn fingerprint() -> u32 {
    let mut sum = Crc::new();
    for step in 1..2000 {
        let (single, double) = (step as f32 * 0.0137, f64::from(step) * 0.0137);
        for number in [(-single).exp(), single.ln(), (-single).exp().ln_1p()] {
            sum.update(&number.to_bits().to_le_bytes());
        }
        for number in [(-double).exp(), double.ln(), double.powf(0.37)] {
            sum.update(&number.to_bits().to_le_bytes());
        }
    }
    for weight in learned() {
        sum.update(&weight.to_bits().to_le_bytes());
    }
    sum.sum()
}

/// The weights of a small network after a few steps; empty if learning fails.
fn learned() -> Vec<f32> {
    let shape = MlpShape {
        observation: 40,
        hidden: vec![24, 16],
        values: 2,
        actions: 4,
        value_head: ValueHead::Softmax,
    };
    let Ok(mut learner) = Learner::new(shape, &LearningConfig::default(), LearnerDevice::Cpu, 1)
    else {
        return Vec::new();
    };
    let mut batch = Batch::default();
    let legal: ActionMask = [0, 1, 3].map(Action).into_iter().collect();
    for step in 0..4 {
        batch.clear();
        for sample in 0..32_u16 {
            let active: Vec<u16> = (0..40)
                .filter(|entry| (entry * 7 + sample * 5 + step * 3) % 9 < 3)
                .collect();
            let share = f32::from(sample % 5) / 7.0;
            let policy = [share, 1.0 - share, 0.0, 0.0];
            let policy = (sample % 2 == 0).then_some((legal, &policy[..]));
            batch.push(Sample {
                active: &active,
                values: &[share, 1.0 - share],
                policy,
            });
        }
        learner.step(&batch, 1e-2);
    }
    learner
        .net()
        .map(|net| net.parameters().to_vec())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_each_time_and_has_learned() {
        assert_eq!(fingerprint(), fingerprint());
        assert!(learned().iter().any(|weight| *weight != 0.0));
    }
}
