//! A training batch in sparse form: observations with their value and policy targets.
//!
//! A batch does not depend on a game. Its values are relative to the observing seat.

use ashta_env::game::ActionMask;

use crate::network::portable::Observations;

/// A list of samples, stored by columns. To avoid allocations, clear a batch and fill it again.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// The entries of the observations that are 1.
    pub(in crate::learn) observations: Observations,
    /// `[samples, values]`, relative to the observer.
    pub(super) values: Vec<f32>,
    /// `[samples]`: the legal actions; empty for a sample without a policy target.
    pub(super) legal: Vec<ActionMask>,
    /// `[samples with a policy target, actions]`.
    pub(super) policies: Vec<f32>,
}

/// One sample of a [`Batch`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample<'a> {
    /// The entries of the observation that are 1.
    pub active: &'a [u16],
    /// `[values]`: the value targets, relative to the observer, each 0 to 1.
    pub values: &'a [f32],
    /// The legal actions, and the policy target `[actions]`. The target probabilities of the legal
    /// actions sum to 1; the other entries are ignored. `None` without a policy target, as at
    /// chance nodes.
    pub policy: Option<(ActionMask, &'a [f32])>,
}

impl Batch {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.legal.len()
    }

    /// Whether the batch has no samples.
    pub fn is_empty(&self) -> bool {
        self.legal.is_empty()
    }

    /// Removes all samples and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.observations.clear();
        self.values.clear();
        self.legal.clear();
        self.policies.clear();
    }

    /// Appends a sample. All samples of a batch must have the same numbers of values and actions.
    ///
    /// # Panics
    /// When there is a policy target but no legal action.
    pub fn push(&mut self, sample: Sample<'_>) {
        self.observations
            .push(|active| active.extend_from_slice(sample.active));
        self.values.extend_from_slice(sample.values);
        let (legal, policy) = sample.policy.unwrap_or_default();
        assert!(
            sample.policy.is_none() || !legal.is_empty(),
            "a policy target needs a legal action"
        );
        self.legal.push(legal);
        self.policies.extend_from_slice(policy);
    }
}
