//! The shapes of a bot's networks: layer widths, value head and number of actions.

use std::ops::Range;

use ashta_env::game::{MAX_SEATS, Payoff, Spec};
use serde::{Deserialize, Serialize};

use crate::play::{error::Error, perspective};

/// The largest number of actions of a game, and also of policy logits.
pub const MAX_ACTIONS: usize = 32;

/// The meaning of the value logits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueHead {
    /// The values are the softmax of the logits: probabilities that sum to 1.
    Softmax,
    /// Each value is the sigmoid of its logit, 0 to 1.
    Sigmoid,
}

/// The sizes of a network.
///
/// Its parameters are one row, layer by layer: the weights `[inputs, outputs]` of the layer,
/// row-major, and then its bias `[outputs]`. The last layer is the head. Its first
/// [`values`](Self::values) outputs are the value logits; the other outputs are the policy logits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MlpShape {
    /// Number of inputs, 1 to 65536. The inputs are the first entries of an observation, or all of
    /// them.
    pub observation: usize,
    /// Width of each hidden layer, 1 to 4096. There are 1 to 8 hidden layers.
    pub hidden: Vec<usize>,
    /// Number of values, 1 to 4.
    pub values: usize,
    /// Number of policy logits, 0 to 32.
    pub actions: usize,
    /// The meaning of the value logits.
    pub value_head: ValueHead,
}

impl std::fmt::Display for MlpShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MlpShape {
            observation,
            hidden,
            values,
            actions,
            value_head,
        } = self;
        write!(
            f,
            "{observation} inputs, hidden {hidden:?}, {values} values ({value_head:?}), {actions} actions"
        )
    }
}

/// The sizes of a bot's two networks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetShape {
    /// The value network, for turn-start states. Its inputs are the first entries of an
    /// observation, because the other entries are always 0 in turn-start states. It has no policy.
    pub value: MlpShape,
    /// The policy network, for positions within a turn.
    pub policy: MlpShape,
}

impl std::fmt::Display for NetShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "values by {}; policy by {}", self.value, self.policy)
    }
}

impl NetShape {
    /// The shape of networks for the game of `spec`. The hidden layers of the value network have
    /// the widths `hidden`, the hidden layers of the policy network have the widths
    /// `policy_hidden`.
    pub fn for_spec(spec: &Spec, hidden: &[usize], policy_hidden: &[usize]) -> NetShape {
        let policy = MlpShape {
            observation: spec.observation,
            hidden: policy_hidden.to_vec(),
            values: perspective::value_count(spec),
            actions: spec.actions,
            value_head: match spec.payoff {
                Payoff::Winner | Payoff::Teams => ValueHead::Softmax,
                Payoff::Placings => ValueHead::Sigmoid,
            },
        };
        let (observation, hidden) = (spec.start_observation, hidden.to_vec());
        NetShape {
            value: MlpShape {
                observation,
                hidden,
                actions: 0,
                ..policy.clone()
            },
            policy,
        }
    }

    /// Whether an observation with the entries `active` belongs to a turn-start state.
    #[inline]
    pub fn is_start(&self, active: &[u16]) -> bool {
        // Computing the maximum is faster than comparing each entry, because it is vectorized.
        active.is_empty()
            || usize::from(active.iter().fold(0, |most, &entry| most.max(entry)))
                < self.value.observation
    }

    /// Checks every size against its range.
    ///
    /// # Errors
    /// When a size is out of range; the error names the first such size.
    pub fn validate(&self) -> Result<(), Error> {
        let NetShape { value, policy } = self;
        value.validate()?;
        policy.validate()?;
        in_range(
            "length of the observation of the value network",
            value.observation,
            1,
            policy.observation,
        )?;
        in_range(
            "number of actions of the value network",
            value.actions,
            0,
            0,
        )?;
        in_range(
            "number of actions of the policy network",
            policy.actions,
            1,
            MAX_ACTIONS,
        )?;
        in_range(
            "number of values of the policy network",
            policy.values,
            value.values,
            value.values,
        )?;
        let has_one_head = value.value_head == policy.value_head;
        Error::unless(
            has_one_head,
            || "the value network and the policy network have different value heads",
        )
    }
}

impl MlpShape {
    /// Checks every size against its range.
    ///
    /// # Errors
    /// When a size is out of range; the error names the first such size.
    pub fn validate(&self) -> Result<(), Error> {
        in_range(
            "length of the observation of the network",
            self.observation,
            1,
            65_536,
        )?;
        in_range(
            "number of hidden layers of the network",
            self.hidden.len(),
            1,
            8,
        )?;
        in_range("number of values of the network", self.values, 1, MAX_SEATS)?;
        for &width in &self.hidden {
            in_range("width of a hidden layer of the network", width, 1, 4_096)?;
        }
        in_range(
            "number of actions of the network",
            self.actions,
            0,
            MAX_ACTIONS,
        )
    }

    /// Numbers of inputs and outputs of each layer from the observation to the head.
    pub fn layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        std::iter::once(self.observation)
            .chain(self.hidden.iter().copied())
            .zip(self.hidden.iter().copied().chain([self.logits()]))
    }

    /// The names of the layers in files and metrics: `torso.0`, `torso.1` and so on, then `head`.
    pub fn layer_names(&self) -> impl Iterator<Item = String> {
        (0..self.hidden.len())
            .map(|index| format!("torso.{index}"))
            .chain(["head".to_owned()])
    }

    /// The range of each layer within all parameters.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        self.layers().scan(0, |end, (inputs, outputs)| {
            let start = *end;
            *end += (inputs + 1) * outputs;
            Some(start..*end)
        })
    }

    /// Splits a row of parameters into the weights `[inputs, outputs]` and the bias `[outputs]` of
    /// each layer.
    pub fn split<'a>(
        &'a self,
        parameters: &'a [f32],
    ) -> impl Iterator<Item = (&'a [f32], &'a [f32])> {
        self.layers()
            .zip(self.spans())
            .map(move |((inputs, outputs), span)| parameters[span].split_at(inputs * outputs))
    }

    /// Number of outputs of the head: value logits and policy logits.
    pub fn logits(&self) -> usize {
        self.values + self.actions
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.layers()
            .map(|(inputs, outputs)| (inputs + 1) * outputs)
            .sum()
    }
}

fn in_range(size: &str, found: usize, least: usize, most: usize) -> Result<(), Error> {
    Error::unless((least..=most).contains(&found), || {
        format!("{size} is {found}, not {least} to {most}")
    })
}
