//! Cross-entropy losses of values and policy, as tensors. burn differentiates the total loss.
//!
//! The value loss is the cross-entropy of the values (for sigmoid heads, the mean binary
//! cross-entropy). The policy loss is the cross-entropy over the legal actions, averaged over the
//! samples with a policy target. A new term of the loss is added in [`losses`].

use ashta_env::game::Action;
use burn::tensor::{
    Device, Tensor, TensorData,
    activation::{log_sigmoid, log_softmax},
};

use crate::network::portable::{MlpShape, ValueHead};

use super::Batch;

/// Mean losses of a batch, before the optimizer step.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// Cross-entropy of the values in nats; never below the entropy of the targets.
    pub value: f32,
    /// Cross-entropy of the policy in nats over the samples with a policy target; 0 without such
    /// samples.
    pub policy: f32,
    /// Entropy in nats of the policy of the network over the legal actions, for the samples with a
    /// policy target.
    pub policy_entropy: f32,
    /// Global gradient norm, before clipping.
    pub gradient_norm: f32,
}

/// The losses of a batch as tensors `[1]`.
pub struct BatchLosses {
    /// The loss that learning minimizes.
    pub total: Tensor<1>,
    /// The value loss, the policy loss and the entropy of the policy, without autodiff.
    pub reported: [Tensor<1>; 3],
}

/// Computes the losses of a batch that is not empty from the logits `[samples, values + actions]`
/// of the network. The total loss is the value loss plus `policy_weight` times the policy loss.
///
/// # Panics
/// When the batch and `shape` have different numbers of values or actions.
pub fn losses(
    shape: &MlpShape,
    batch: &Batch,
    policy_weight: f64,
    logits: Tensor<2>,
) -> BatchLosses {
    let device = logits.device().inner();
    assert_eq!(
        batch.values.len(),
        batch.len() * shape.values,
        "value targets of the batch"
    );
    // A slice of all logits would only take time.
    let values = logits.clone();
    let value = value_loss(
        shape,
        batch,
        if shape.actions == 0 {
            values
        } else {
            values.narrow(1, 0, shape.values)
        },
    );
    let samples_with_policy = batch.legal.iter().filter(|legal| !legal.is_empty()).count();
    assert_eq!(
        batch.policies.len(),
        samples_with_policy * shape.actions,
        "policy targets of the batch"
    );
    if samples_with_policy == 0 {
        let none = Tensor::zeros([1], &device);
        return BatchLosses {
            reported: [value.clone().inner(), none.clone(), none],
            total: value,
        };
    }
    let (policies, penalties) = policy_targets(shape, batch, &device);
    let log_policy = log_softmax(logits.narrow(1, shape.values, shape.actions) + penalties, 1);
    let policy = (log_policy.clone() * policies)
        .sum()
        .mul_scalar(-1.0 / samples_with_policy as f64);
    let entropy_now = entropy(log_policy.clone().inner(), samples_with_policy);
    let reported = [value.clone().inner(), policy.clone().inner(), entropy_now];
    let total = value + policy.mul_scalar(policy_weight);
    BatchLosses { total, reported }
}

/// Returns the mean entropy of policies, given the logarithms of their probabilities.
fn entropy(log_policy: Tensor<2>, samples_with_policy: usize) -> Tensor<1> {
    (log_policy.clone().exp() * log_policy)
        .sum()
        .mul_scalar(-1.0 / samples_with_policy as f64)
}

fn value_loss(shape: &MlpShape, batch: &Batch, logits: Tensor<2>) -> Tensor<1> {
    let targets = matrix(batch.values.clone(), shape.values, &logits.device().inner());
    match shape.value_head {
        ValueHead::Softmax => (log_softmax(logits, 1) * targets)
            .sum()
            .mul_scalar(-1.0 / batch.len() as f64),
        ValueHead::Sigmoid => {
            let losses = logits.clone() * (targets.neg() + 1.0) - log_sigmoid(logits);
            losses.sum().mul_scalar(1.0 / batch.values.len() as f64)
        }
    }
}

/// Returns the targets of the policy and the numbers that are added to its logits, both
/// `[samples, actions]`. A sample without a policy target has targets of 0 and one legal action, so
/// its loss and its entropy are 0.
fn policy_targets(shape: &MlpShape, batch: &Batch, device: &Device) -> (Tensor<2>, Tensor<2>) {
    let size = batch.len() * shape.actions;
    // The penalty must be finite, because infinity times 0 is not a number.
    let (mut policies, mut penalties) = (vec![0.0; size], vec![-1e9; size]);
    let mut targets = batch.policies.chunks_exact(shape.actions);
    let rows = policies
        .chunks_exact_mut(shape.actions)
        .zip(penalties.chunks_exact_mut(shape.actions));
    for (legal, (policies, penalties)) in batch.legal.iter().zip(rows) {
        if legal.is_empty() {
            penalties[0] = 0.0;
            continue;
        }
        let target = targets
            .next()
            .expect("every sample with legal actions has a policy target");
        for Action(action) in legal.iter() {
            policies[usize::from(action)] = target[usize::from(action)];
            penalties[usize::from(action)] = 0.0;
        }
    }
    (
        matrix(policies, shape.actions, device),
        matrix(penalties, shape.actions, device),
    )
}

fn matrix(numbers: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = numbers.len() / columns;
    Tensor::from_data(TensorData::new(numbers, [rows, columns]), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::net::{Sample, model::numbers};
    use ashta_env::game::{Action, ActionMask};

    fn shape(value_head: ValueHead) -> MlpShape {
        MlpShape {
            observation: 4,
            hidden: vec![4],
            values: 3,
            actions: 5,
            value_head,
        }
    }

    /// Samples with and without a policy target.
    fn batch() -> Batch {
        let mut batch = Batch::default();
        let legal: ActionMask = [0, 2, 3].map(Action).into_iter().collect();
        let policy = Some((legal, &[0.5, 9.0, 0.2, 0.3, 9.0][..]));
        batch.push(Sample {
            active: &[0, 1],
            values: &[0.2, 0.7, 0.1],
            policy,
        });
        batch.push(Sample {
            active: &[],
            values: &[1.0, 0.0, 0.0],
            policy: None,
        });
        batch.push(Sample {
            active: &[2],
            values: &[0.0, 0.5, 0.5],
            policy,
        });
        batch
    }

    /// The total loss, its gradient with respect to the logits, and the reported losses.
    fn differentiated(
        value_head: ValueHead,
        batch: &Batch,
        logits: &[f32],
    ) -> (f32, Vec<f32>, [f32; 3]) {
        let data = TensorData::new(logits.to_vec(), [batch.len(), 8]);
        let logits = Tensor::<2>::from_data(data, &Device::flex().autodiff()).require_grad();
        let BatchLosses { total, reported } =
            losses(&shape(value_head), batch, 0.5, logits.clone());
        let gradient = logits
            .grad(&total.backward())
            .expect("the loss depends on the logits");
        (
            total.into_scalar(),
            numbers(gradient),
            reported.map(|loss| loss.into_scalar()),
        )
    }

    #[test]
    fn illegal_actions_and_samples_without_a_policy_have_no_gradient() {
        let mean_of_sigmoids = (1.0 + 0.3f32.exp()).ln() - 0.1;
        for (head, expected) in [
            (ValueHead::Softmax, 3f32.ln()),
            (ValueHead::Sigmoid, mean_of_sigmoids),
        ] {
            let (total, gradient, [value, policy, entropy]) =
                differentiated(head, &batch(), &[0.3; 24]);
            for index in [4, 7, 11, 12, 13, 14, 15, 20, 23] {
                assert_eq!(gradient[index], 0.0, "logit {index}");
            }
            assert!(
                (policy - 3f32.ln()).abs() < 1e-6,
                "equal logits over three legal actions"
            );
            assert!((entropy - 3f32.ln()).abs() < 1e-6);
            assert!((value - expected).abs() < 1e-6, "{value} for {expected}");
            assert!((total - value - 0.5 * policy).abs() < 1e-6);
        }
    }

    #[test]
    fn the_gradient_is_probability_minus_target() {
        for (head, probability, scale) in [
            (ValueHead::Softmax, 1.0 / 3.0, 1.0),
            (ValueHead::Sigmoid, 0.5, 3.0),
        ] {
            // At a logit of 0, some formulas for the sigmoid have no derivative.
            let (_, gradient, _) = differentiated(head, &batch(), &[0.0; 24]);
            for (row, targets) in [
                (0, [0.2, 0.7, 0.1]),
                (1, [1.0, 0.0, 0.0]),
                (2, [0.0, 0.5, 0.5]),
            ] {
                for (at, target) in targets.into_iter().enumerate() {
                    let (found, expected) =
                        (gradient[8 * row + at], (probability - target) / scale / 3.0);
                    assert!(
                        (found - expected).abs() < 1e-6,
                        "{head:?}: {found} for {expected}"
                    );
                }
            }
            for (at, target) in [(3, 0.5), (5, 0.2), (6, 0.3)] {
                let expected = 0.5 * (1.0 / 3.0 - target) / 2.0;
                assert!(
                    (gradient[at] - expected).abs() < 1e-6,
                    "{} for {expected}",
                    gradient[at]
                );
            }
        }
    }

    #[test]
    fn huge_logits_stay_finite() {
        for head in [ValueHead::Softmax, ValueHead::Sigmoid] {
            for huge in [1e6, -1e6] {
                let logits: Vec<f32> = (0..24)
                    .map(|index| if index % 2 == 0 { huge } else { -huge })
                    .collect();
                let (total, gradient, losses) = differentiated(head, &batch(), &logits);
                assert!(
                    total.is_finite() && losses.iter().all(|loss| loss.is_finite()),
                    "{losses:?}"
                );
                assert!(gradient.iter().all(|x| x.is_finite()), "{gradient:?}");
            }
        }
    }

    #[test]
    fn a_batch_without_policies_has_no_policy_loss() {
        let mut batch = Batch::default();
        batch.push(Sample {
            active: &[1],
            values: &[0.2, 0.7, 0.1],
            policy: None,
        });
        let (_, gradient, losses) = differentiated(ValueHead::Softmax, &batch, &[0.1; 8]);
        assert_eq!(
            (&gradient[3..], &losses[1..]),
            (&[0.0; 5][..], &[0.0, 0.0][..])
        );
    }

    /// Runs code, and checks that `docs/learning.md` shows it.
    macro_rules! of_the_book {
        ($($code:tt)*) => {
            let plain = |text: &str| text.split_whitespace().collect::<String>();
            let page = plain(include_str!("../../../../docs/learning.md"));
            assert!(page.contains(&plain(stringify!($($code)*))), "docs/learning.md has other code");
            $($code)*
        };
    }

    #[test]
    fn an_entropy_bonus_makes_policies_more_even() {
        let logits =
            Tensor::<2>::from_data([[1.0, 0.0, -1.0]], &Device::flex().autodiff()).require_grad();
        let (log_policy, samples_with_policy) = (log_softmax(logits.clone(), 1), 1);
        let total = log_policy.clone().sum() * 0.0;
        of_the_book! {
            let bonus = entropy(log_policy.clone(), samples_with_policy);
            let total = total - bonus * 0.01;
        }
        let gradient = numbers(
            logits
                .grad(&total.backward())
                .expect("the bonus depends on the logits"),
        );
        let probabilities = numbers(log_policy.inner().exp());
        let entropy: f32 = probabilities.iter().map(|p| -p * p.ln()).sum();
        for (slope, p) in gradient.iter().zip(probabilities) {
            assert!(
                (slope - 0.01 * p * (p.ln() + entropy)).abs() < 1e-6,
                "{gradient:?}"
            );
        }
    }
}
