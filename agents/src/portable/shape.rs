//! The shape of a network: the five numbers and the one choice from which every size in it follows.

use ashta_env::game::{MAX_SEATS, Outlook, Spec};
use serde::{Deserialize, Serialize};

use crate::perspective;

/// The largest number of actions of a game, and so of policy logits.
pub const MAX_ACTIONS: usize = 32;

/// What the value logits mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueHead {
    /// The values are probabilities that sum to 1: the softmax of the logits.
    Softmax,
    /// Each value lies between 0 and 1 for itself: the sigmoid of its logit.
    Sigmoid,
}

/// The sizes of a network.
///
/// Its parameters, wherever they stand in one row, are ordered layer by layer, each layer's weights `[inputs, outputs]`
/// (row-major) followed by its bias `[outputs]`. The last layer is the head: its first [`values`](Self::values) outputs
/// are the value logits, the others the policy logits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetShape {
    /// Length of an observation, 1 to 65536.
    pub observation: usize,
    /// Width of each hidden layer, 1 to 4096; one to eight of them.
    pub hidden: Vec<usize>,
    /// Number of values, 1 to 4.
    pub values: usize,
    /// Number of policy logits, 1 to 32.
    pub actions: usize,
    /// What the value logits mean.
    pub value_head: ValueHead,
}

impl std::fmt::Display for NetShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let NetShape { observation, hidden, values, actions, value_head } = self;
        write!(f, "{observation} inputs, hidden {hidden:?}, {values} values ({value_head:?}), {actions} actions")
    }
}

/// Why there is no network of some shape or with some parameters.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NetError {
    /// A size is out of its range.
    #[error("{size} of the network is {found}, not {least} to {most}")]
    Size {
        /// What is measured.
        size: &'static str,
        /// What it is.
        found: usize,
        /// The least it may be.
        least: usize,
        /// The most it may be.
        most: usize,
    },
    /// The number of parameters does not fit the shape.
    #[error("a network of this shape has {expected} parameters, not {found}")]
    ParameterCount {
        /// Parameters that the shape asks for.
        expected: usize,
        /// Parameters given.
        found: usize,
    },
    /// A parameter is infinite or not a number.
    #[error("parameter {index} of the network is {value}")]
    NotFinite {
        /// Its place among the parameters.
        index: usize,
        /// What it is.
        value: f32,
    },
}

impl NetShape {
    /// The shape of a network with these hidden layers for the game of `spec`.
    pub fn for_spec(spec: &Spec, hidden: &[usize]) -> NetShape {
        NetShape {
            observation: spec.observation,
            hidden: hidden.to_vec(),
            values: perspective::value_count(spec),
            actions: spec.actions,
            value_head: match spec.outlook {
                Outlook::Winner | Outlook::Teams => ValueHead::Softmax,
                Outlook::Placings => ValueHead::Sigmoid,
            },
        }
    }

    /// Checks every size against its range.
    ///
    /// # Errors
    /// [`NetError::Size`] for the first size that is out of range.
    pub fn validate(&self) -> Result<(), NetError> {
        let sizes = [
            ("length of the observation", self.observation, 65_536),
            ("number of hidden layers", self.hidden.len(), 8),
            ("number of values", self.values, MAX_SEATS),
            ("number of actions", self.actions, MAX_ACTIONS),
        ];
        let widths = self.hidden.iter().map(|&width| ("width of a hidden layer", width, 4_096));
        for (size, found, most) in sizes.into_iter().chain(widths) {
            if !(1..=most).contains(&found) {
                return Err(NetError::Size { size, found, least: 1, most });
            }
        }
        Ok(())
    }

    /// Inputs and outputs of each layer from the observation to the head.
    pub fn layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let inputs = std::iter::once(self.observation).chain(self.hidden.iter().copied());
        inputs.zip(self.hidden.iter().copied().chain([self.logits()]))
    }

    /// Outputs of the head: value logits and policy logits.
    pub fn logits(&self) -> usize {
        self.values + self.actions
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.layers().map(|(inputs, outputs)| (inputs + 1) * outputs).sum()
    }
}
