//! Proximal policy optimisation (Schulman et al. 2017): what a step of the learner makes of decisions that the network
//! took itself.
//!
//! The loss is the clipped surrogate of the advantages less an entropy bonus, over the legal actions alone, plus that
//! of the values, which is the same cross-entropy as everywhere.

use ashta_env::game::{Action, ActionMask};

use crate::portable::{MAX_ACTIONS, MlpShape, ValueHead, exp};

use super::loss::{sigmoid, softmax};
use super::{Batch, Learner, Losses, Sample};

/// A decision of a network and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Entries of the observation that are 1.
    pub active: Box<[u16]>,
    /// What the values should have been `[values]`, relative to the observer.
    pub values: Box<[f32]>,
    /// The legal actions; none where there was nothing to choose: then only the values are learned.
    pub legal: ActionMask,
    /// What was done.
    pub action: Action,
    /// The natural logarithm of the probability with which it was done.
    pub log_probability: f32,
    /// How much better it was than expected, in any unit.
    pub advantage: f32,
}

/// What is optimised.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PpoLoss {
    /// The probability of an action counts no further than by this share from where it was, above 0.
    pub clip: f32,
    /// Weight of the entropy beside the surrogate, 0 or more.
    pub entropy: f32,
    /// Weight of surrogate and entropy beside the value loss.
    pub policy_weight: f32,
}

impl PpoLoss {
    /// Replaces the logits `[decisions, values + actions]` by the gradient of the loss; [`Losses::policy`] is the
    /// surrogate, negative where advantages are expected.
    fn differentiate(&self, shape: &MlpShape, decisions: &[&Decision], logits: &mut [f32]) -> Losses {
        assert_eq!(logits.len(), decisions.len() * shape.logits(), "logits of the batch");
        let choices = decisions.iter().filter(|decision| !decision.legal.is_empty()).count();
        let (value_scale, policy_scale) = (1.0 / decisions.len().max(1) as f32, 1.0 / choices.max(1) as f32);
        let mut losses = Losses::default();
        for (row, decision) in logits.chunks_exact_mut(shape.logits()).zip(decisions) {
            let (values, policy) = row.split_at_mut(shape.values);
            losses.value += value_scale
                * match shape.value_head {
                    ValueHead::Softmax => softmax(values, &decision.values, u32::MAX, value_scale).0,
                    ValueHead::Sigmoid => sigmoid(values, &decision.values, value_scale),
                };
            let (surrogate, entropy) = self.differentiate_policy(decision, policy_scale, policy);
            losses.policy -= policy_scale * surrogate;
            losses.policy_entropy += policy_scale * entropy;
        }
        losses
    }

    /// The same for the policy logits of one decision; returns the surrogate and the entropy.
    fn differentiate_policy(&self, decision: &Decision, scale: f32, logits: &mut [f32]) -> (f32, f32) {
        if decision.legal.is_empty() {
            logits.fill(0.0);
            return (0.0, 0.0);
        }
        let (log, entropy) = log_probabilities(logits, decision.legal);
        let &Decision { action, log_probability, advantage, .. } = decision;
        let ratio = exp((log[usize::from(action.0)] - log_probability).clamp(-20.0, 20.0));
        let clipped = ratio.clamp(1.0 - self.clip, 1.0 + self.clip) * advantage;
        let surrogate = (ratio * advantage).min(clipped);
        // Beyond the clip the surrogate is constant.
        let pull = if ratio * advantage > clipped { 0.0 } else { ratio * advantage };
        for (index, logit) in logits.iter_mut().enumerate() {
            *logit = if decision.legal.contains(Action(index as u8)) {
                let (log, is_chosen) = (log[index], index == usize::from(action.0));
                let probability = exp(log);
                let towards = pull * (f32::from(is_chosen) - probability);
                let sharper = self.entropy * probability * (log + entropy);
                (sharper - towards) * scale * self.policy_weight
            } else {
                0.0
            };
        }
        (surrogate, entropy)
    }
}

/// The logarithms of the probabilities of the legal actions, and their entropy.
///
/// # Panics
/// When an action has no logit.
pub(crate) fn log_probabilities(logits: &[f32], legal: ActionMask) -> ([f32; MAX_ACTIONS], f32) {
    let own = legal.iter().map(|action| logits[usize::from(action.0)]);
    let most = own.clone().fold(f32::MIN, f32::max);
    let log_total = most + own.map(|logit| exp(logit - most)).sum::<f32>().ln();
    let (mut log, mut entropy) = ([0.0; MAX_ACTIONS], 0.0);
    for action in legal.iter().map(|action| usize::from(action.0)) {
        log[action] = logits[action] - log_total;
        entropy -= exp(log[action]) * log[action];
    }
    (log, entropy)
}

impl Learner {
    /// Takes one step of Adam down the gradient of the loss of these decisions.
    ///
    /// # Panics
    /// When there is no decision or one does not fit the shape of the network.
    pub fn step_ppo(&mut self, decisions: &[&Decision], loss: &PpoLoss, learning_rate: f64) -> Losses {
        let mut batch = Batch::default();
        for Decision { active, values, .. } in decisions {
            batch.push(Sample { active, values, policy: None });
        }
        let shape = self.shape().clone();
        self.step_by(&batch, learning_rate, &|logits| loss.differentiate(&shape, decisions, logits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn the_gradient_is_the_slope_of_the_loss_and_ends_at_the_clip() {
        let shape = MlpShape { observation: 4, hidden: vec![4], values: 2, actions: 5, value_head: ValueHead::Softmax };
        let loss = PpoLoss { clip: 0.2, entropy: 0.3, policy_weight: 0.7 };
        let legal: ActionMask = [0, 2, 3].map(Action).into_iter().collect();
        let decision = |legal, log_probability, advantage| Decision {
            active: [0, 1].into(),
            values: [0.3, 0.7].into(),
            legal,
            action: Action(2),
            log_probability,
            advantage,
        };
        // Near the old probability, far above and far below it, for good and for bad actions; and a forced one.
        let mut decisions: Vec<Decision> = Vec::new();
        for advantage in [2.0, -1.0] {
            decisions.extend([-1.1, -4.0, -0.1].map(|log| decision(legal, log, advantage)));
        }
        decisions.push(decision(ActionMask::EMPTY, 0.0, 1.0));
        let decisions: Vec<&Decision> = decisions.iter().collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let logits: Vec<f32> = (0..49).map(|_| rng.random_range(-0.02..0.02)).collect();
        let mut gradient = logits.clone();
        loss.differentiate(&shape, &decisions, &mut gradient);
        for index in 0..logits.len() {
            let total = |change: f32| {
                let mut logits = logits.clone();
                logits[index] += change;
                let losses = loss.differentiate(&shape, &decisions, &mut logits);
                losses.value + 0.7 * (losses.policy - 0.3 * losses.policy_entropy)
            };
            let slope = (total(0.02) - total(-0.02)) / 0.04;
            assert!((slope - gradient[index]).abs() < 1e-3, "{index}: {slope}, {}", gradient[index]);
        }
        let chosen: Vec<f32> = gradient.chunks(7).map(|row| row[4]).collect();
        // Nearly uniform, so the entropy hardly pulls: what is clipped does not move.
        assert!(chosen[0] < -0.05 && chosen[1].abs() < 0.01 && chosen[2] < -0.05, "{chosen:?}");
        assert!(chosen[3] > 0.02 && chosen[4] > 0.02 && chosen[5].abs() < 0.01, "{chosen:?}");
        assert!(gradient.chunks(7).all(|row| row[3] == 0.0 && row[6] == 0.0), "actions that are not legal");
        assert!(gradient[44..].iter().all(|&x| x == 0.0), "nothing to choose");
    }
}
