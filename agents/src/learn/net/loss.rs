//! Cross-entropy losses of values and policy, and their gradient with respect to the logits.
//!
//! The value loss is the cross-entropy of the values (for sigmoid heads, the mean binary cross-entropy). The policy
//! loss is the cross-entropy over the legal actions, averaged over the samples with a policy target. The gradient of
//! both losses with respect to the logits is probability minus target. [`differentiate`] computes it with this formula
//! on the CPU. [`losses`] computes the losses as tensors, which burn differentiates on any device.

use ashta_env::game::Action;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::network::portable::{MAX_ACTIONS, MlpShape, ValueHead, exp};

use super::Batch;

/// Mean losses of a batch, before the optimizer step.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Losses {
    /// Cross-entropy of the values in nats; never below the entropy of the targets.
    pub value: f32,
    /// Cross-entropy of the policy in nats over the samples with a policy target; 0 without such samples.
    pub policy: f32,
    /// Entropy in nats of the policy of the network over the legal actions, for the samples with a policy target.
    pub policy_entropy: f32,
    /// Global gradient norm, before clipping.
    pub gradient_norm: f32,
}

/// The value loss, the policy loss and the entropy of the policy, each `[1]`, of a batch that is not empty.
/// `logits` are `[samples, values + actions]` on `device`.
///
/// # Panics
/// When the batch and `shape` have different numbers of values or actions.
pub(super) fn losses(shape: &MlpShape, batch: &Batch, device: &Device, logits: Tensor<2>) -> [Tensor<1>; 3] {
    let (samples, samples_with_policy) = counts(shape, batch);
    let matrix =
        |numbers: Vec<f32>, columns| Tensor::<2>::from_data(TensorData::new(numbers, [samples, columns]), device);
    let targets = matrix(batch.values.to_vec(), shape.values);
    let value_logits = logits.clone().narrow(1, 0, shape.values);
    let scale = 1.0 / samples as f64;
    let value = match shape.value_head {
        ValueHead::Softmax => -(log_softmax(value_logits, 1) * targets).sum().mul_scalar(scale),
        ValueHead::Sigmoid => {
            let most = value_logits.clone().clamp_min(0.0) - value_logits.clone() * targets;
            (most + value_logits.abs().neg().exp().log1p()).sum().mul_scalar(scale / shape.values as f64)
        }
    };
    if samples_with_policy == 0 {
        let none = value.clone().detach().mul_scalar(0.0);
        return [value, none.clone(), none];
    }
    // Both are `[samples, actions]`. For each legal action of a sample with a policy target, `policies` has the target
    // and `legal` has 1; all other entries are 0.
    let (mut policies, mut legal) = (Vec::new(), Vec::new());
    let mut targets = batch.policies.chunks_exact(shape.actions.max(1));
    for mask in &batch.legal {
        let target = if mask.is_empty() { None } else { targets.next() };
        for action in 0..shape.actions {
            let is_legal = mask.contains(Action(action as u8));
            legal.push(f32::from(u8::from(is_legal)));
            policies.push(target.filter(|_| is_legal).map_or(0.0, |target| target[action]));
        }
    }
    let (policies, legal) = (matrix(policies, shape.actions), matrix(legal, shape.actions));
    let scale = 1.0 / samples_with_policy as f64;
    // The penalty must be finite, because infinity times 0 is not a number.
    let penalties = (legal.clone() - 1.0).mul_scalar(1e9);
    let log_policy = log_softmax(logits.narrow(1, shape.values, shape.actions) + penalties, 1);
    let policy = -(log_policy.clone() * policies).sum().mul_scalar(scale);
    let entropy = -(log_policy.clone().exp() * log_policy * legal).sum().mul_scalar(scale);
    [value, policy, entropy.detach()]
}

/// The number of samples of a batch, and the number of samples with a policy target.
///
/// # Panics
/// When the batch and `shape` have different numbers of values or actions.
fn counts(shape: &MlpShape, batch: &Batch) -> (usize, usize) {
    let policies = batch.legal.iter().filter(|legal| !legal.is_empty()).count();
    assert_eq!(batch.values.len(), batch.len() * shape.values, "value targets of the batch");
    assert_eq!(batch.policies.len(), policies * shape.actions, "policy targets of the batch");
    (batch.len(), policies)
}

/// Replaces the logits `[samples, values + actions]` with the gradient of the total loss: the value loss plus
/// `policy_weight` times the policy loss. Returns the value loss, the policy loss and the entropy of the policy.
///
/// # Panics
/// When the batch and `shape` have different numbers of values or actions.
pub(super) fn differentiate(shape: &MlpShape, batch: &Batch, policy_weight: f32, logits: &mut [f32]) -> [f32; 3] {
    let (samples, policies) = counts(shape, batch);
    assert_eq!(logits.len(), samples * shape.logits(), "logits of the batch");

    let value_scale = 1.0 / samples.max(1) as f32;
    let policy_scale = 1.0 / policies.max(1) as f32;
    let mut targets = batch.policies.chunks_exact(shape.actions.max(1));
    let (mut value, mut policy, mut entropy) = (0.0, 0.0, 0.0);
    let rows = logits.chunks_exact_mut(shape.logits()).zip(batch.values.chunks_exact(shape.values));
    for ((row, values), legal) in rows.zip(&batch.legal) {
        let (value_logits, policy_logits) = row.split_at_mut(shape.values);
        value += f64::from(match shape.value_head {
            ValueHead::Softmax => softmax(value_logits, values, u32::MAX, value_scale).0,
            ValueHead::Sigmoid => sigmoid(value_logits, values, value_scale),
        });
        if legal.is_empty() {
            policy_logits.fill(0.0);
        } else {
            let target = targets.next().expect("every sample with legal actions has a policy target");
            let (loss, own) = softmax(policy_logits, target, legal.bits(), policy_weight * policy_scale);
            policy += f64::from(loss);
            entropy += f64::from(own);
        }
    }
    [value as f32 * value_scale, policy as f32 * policy_scale, entropy as f32 * policy_scale]
}

/// Computes the softmax over the entries whose bit in `mask` is set. Replaces `logits` with `scale` times the gradient
/// of the cross-entropy with `targets`; the gradient of the other entries is 0. Returns the cross-entropy and the
/// entropy of the softmax.
fn softmax(logits: &mut [f32], targets: &[f32], mask: u32, scale: f32) -> (f32, f32) {
    let is_set = |index: usize| mask >> index & 1 == 1;
    let most =
        logits.iter().enumerate().filter(|&(index, _)| is_set(index)).fold(f32::MIN, |most, (_, &x)| most.max(x));
    let mut powers = [0.0; MAX_ACTIONS];
    let mut total = 0.0;
    let mut target_total = 0.0;
    for (index, (&logit, power)) in logits.iter().zip(&mut powers).enumerate() {
        if is_set(index) {
            *power = exp(logit - most);
            total += *power;
            target_total += targets[index];
        }
    }
    let log_total = total.ln();
    let (mut loss, mut entropy) = (0.0, 0.0);
    for (index, (logit, power)) in logits.iter_mut().zip(powers).enumerate() {
        if is_set(index) {
            let probability = power / total;
            let log_probability = *logit - most - log_total;
            loss -= targets[index] * log_probability;
            entropy -= probability * log_probability;
            *logit = (probability * target_total - targets[index]) * scale;
        } else {
            *logit = 0.0;
        }
    }
    (loss, entropy)
}

/// Replaces `logits` with `scale` times the gradient of the mean binary cross-entropy between `targets` and the
/// sigmoids of the logits. Returns the mean binary cross-entropy.
fn sigmoid(logits: &mut [f32], targets: &[f32], scale: f32) -> f32 {
    let share = 1.0 / logits.len() as f32;
    let mut loss = 0.0;
    for (logit, &target) in logits.iter_mut().zip(targets) {
        loss += logit.max(0.0) - target * *logit + exp(-logit.abs()).ln_1p();
        *logit = (1.0 / (1.0 + exp(-*logit)) - target) * share * scale;
    }
    loss * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::net::Sample;
    use ashta_env::game::{Action, ActionMask};

    fn shape(value_head: ValueHead) -> MlpShape {
        MlpShape { observation: 4, hidden: vec![4], values: 3, actions: 5, value_head }
    }

    /// Samples with and without a policy target.
    fn batch() -> Batch {
        let mut batch = Batch::default();
        let legal: ActionMask = [0, 2, 3].map(Action).into_iter().collect();
        let policy = Some((legal, &[0.5, 9.0, 0.2, 0.3, 9.0][..]));
        batch.push(Sample { active: &[0, 1], values: &[0.2, 0.7, 0.1], policy });
        batch.push(Sample { active: &[], values: &[1.0, 0.0, 0.0], policy: None });
        batch.push(Sample { active: &[2], values: &[0.0, 0.5, 0.5], policy });
        batch
    }

    #[test]
    fn illegal_actions_and_samples_without_a_policy_have_no_gradient() {
        let mut logits = vec![0.3; 24];
        let [value, policy, entropy] = differentiate(&shape(ValueHead::Softmax), &batch(), 1.0, &mut logits);
        for index in [4, 7, 11, 12, 13, 14, 15, 20, 23] {
            assert_eq!(logits[index], 0.0, "logit {index}");
        }
        assert!((policy - 3f32.ln()).abs() < 1e-6, "equal logits over three legal actions");
        assert!((entropy - 3f32.ln()).abs() < 1e-6);
        assert!((value - 3f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn huge_logits_stay_finite() {
        for head in [ValueHead::Softmax, ValueHead::Sigmoid] {
            for huge in [1e6, -1e6] {
                let mut logits: Vec<f32> = (0..24).map(|index| if index % 2 == 0 { huge } else { -huge }).collect();
                let losses = differentiate(&shape(head), &batch(), 1.0, &mut logits);
                assert!(losses.iter().all(|loss| loss.is_finite()), "{losses:?}");
                assert!(logits.iter().all(|x| x.is_finite()), "{logits:?}");
            }
        }
    }

    #[test]
    fn a_batch_without_policies_has_no_policy_loss() {
        let mut batch = Batch::default();
        batch.push(Sample { active: &[1], values: &[0.2, 0.7, 0.1], policy: None });
        let losses = differentiate(&shape(ValueHead::Softmax), &batch, 1.0, &mut [0.1; 8]);
        assert_eq!(losses[1..], [0.0, 0.0]);
    }
}
