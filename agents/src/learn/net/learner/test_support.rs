//! A small network and samples for the tests of learners.

use ashta_env::game::{Action, ActionMask};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    learn::net::{Batch, Sample},
    network::portable::{MlpShape, ValueHead},
};

pub fn shape() -> MlpShape {
    MlpShape {
        observation: 40,
        hidden: vec![24, 16],
        values: 2,
        actions: 9,
        value_head: ValueHead::Softmax,
    }
}

/// Random samples in which the first entry determines the value and the best action.
pub fn random_batch(seed: u64) -> Batch {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut batch = Batch::default();
    for _ in 0..32 {
        let active: Vec<u16> = (0..40).filter(|_| rng.random_range(0..4) == 0).collect();
        let (value, best) = if active.first() == Some(&0) {
            (0.9, 3)
        } else {
            (0.2, 5)
        };
        let legal: ActionMask = [1, 3, 5].map(Action).into_iter().collect();
        let mut policy = [0.0; 9];
        policy[best] = 1.0;
        let policy = rng.random_bool(0.5).then_some((legal, &policy[..]));
        batch.push(Sample {
            active: &active,
            values: &[value, 1.0 - value],
            policy,
        });
    }
    batch
}
