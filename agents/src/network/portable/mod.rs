//! The forward pass in plain Rust, for self-play, search and exported bots.
//!
//! An observation is a list of the few entries that are 1, so the first layer is a sum of rows
//! instead of a product. Loops run over whole vector registers. So an evaluation takes well below a
//! microsecond. This module does not depend on burn, training or files. A call allocates no memory
//! once the [`Scratch`] is large enough for the network.
//!
//! A bot has two networks. The *value network* is for turn-start states, which are the afterstates
//! that agents compare. The *policy network* is for positions within a turn, with known throws and
//! actions to choose. These two kinds of positions have little in common, and one network would not
//! learn both kinds well.

mod lanes;
mod mlp;
mod shape;

use half::f16;

use crate::play::error::Error;

pub use mlp::{Mlp, Observations, Scratch};
pub use shape::{MAX_ACTIONS, MlpShape, NetShape, ValueHead};

/// The two networks of a bot. Share them with an `Arc`; every thread needs its own [`Scratch`].
#[derive(Clone, Debug)]
pub struct PortableNet {
    shape: NetShape,
    value: Mlp,
    policy: Mlp,
}

impl PortableNet {
    /// The two networks of one bot.
    ///
    /// # Errors
    /// When the networks do not fit each other.
    pub fn new(value: Mlp, policy: Mlp) -> Result<PortableNet, Error> {
        let shape = NetShape {
            value: value.shape().clone(),
            policy: policy.shape().clone(),
        };
        shape.validate()?;
        Ok(PortableNet {
            shape,
            value,
            policy,
        })
    }

    /// The networks with all parameters rounded to half precision, as in the file of a bot.
    ///
    /// # Errors
    /// When a parameter is above 65,504, the largest number of half precision.
    pub fn rounded(&self) -> Result<PortableNet, Error> {
        let rounded = |network: &Mlp| {
            let parameters: Vec<f32> = network
                .parameters()
                .iter()
                .map(|&x| f16::from_f32(x).to_f32())
                .collect();
            Mlp::new(network.shape().clone(), &parameters)
        };
        PortableNet::new(rounded(&self.value)?, rounded(&self.policy)?)
    }

    /// The sizes of the networks.
    pub fn shape(&self) -> &NetShape {
        &self.shape
    }

    /// The value network, for turn-start states; it has no policy.
    pub fn value(&self) -> &Mlp {
        &self.value
    }

    /// The policy network, for positions within a turn.
    pub fn policy(&self) -> &Mlp {
        &self.policy
    }

    /// Calls `take` with the values `[values]` of each observation in order, relative to the seat
    /// that observes (see [`crate::play::perspective`]). This is fastest if all positions are
    /// turn-start states.
    ///
    /// # Panics
    /// When an entry is not below the length of an observation.
    pub fn forward_values(
        &self,
        observations: &Observations,
        scratch: &mut Scratch,
        mut take: impl FnMut(&[f32]),
    ) {
        if self.shape.is_start(observations.active()) {
            return self
                .value
                .forward_values(observations.iter(), scratch, &mut take);
        }
        for active in observations.iter() {
            self.network(active)
                .forward_values(std::iter::once(active), scratch, &mut take);
        }
    }

    fn network(&self, active: &[u16]) -> &Mlp {
        if self.shape.is_start(active) {
            &self.value
        } else {
            &self.policy
        }
    }

    /// Returns the values `[values]`, relative to the seat that observes, and the policy logits:
    /// `[actions]` within a turn, none for turn-start states. `active` are the entries of the
    /// observation that are 1. The logits of illegal actions are arbitrary.
    ///
    /// # Panics
    /// When an entry is not below the length of an observation.
    #[inline]
    pub fn forward<'a>(&self, active: &[u16], scratch: &'a mut Scratch) -> (&'a [f32], &'a [f32]) {
        self.network(active).forward(active, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mlp(observation: usize, actions: usize, bias: f32) -> Mlp {
        let shape = MlpShape {
            observation,
            hidden: vec![1],
            values: 2,
            actions,
            value_head: ValueHead::Sigmoid,
        };
        let mut parameters = vec![0.0; shape.parameters()];
        let biases = parameters.len() - shape.logits();
        parameters[biases..].fill(bias);
        Mlp::new(shape, &parameters).expect("the shape is valid")
    }

    #[test]
    fn turn_starts_are_for_the_value_network_and_the_rest_for_the_policy_network() {
        let net = PortableNet::new(mlp(4, 0, 0.0), mlp(6, 3, 1.0)).expect("they fit");
        let mut scratch = Scratch::default();
        assert_eq!(
            net.forward(&[0, 3], &mut scratch),
            (&[0.5, 0.5][..], &[][..])
        );
        let (values, policy) = net.forward(&[0, 4], &mut scratch);
        assert!(
            values[0] > 0.7 && policy == [1.0; 3],
            "{values:?} {policy:?}"
        );
        assert!(net.forward(&[5], &mut scratch).0[0] > 0.7);
        assert_eq!(net.forward(&[], &mut scratch).0, [0.5, 0.5]);
        let mut observations = Observations::default();
        for entry in [3, 0, 4] {
            observations.push(|active| active.push(entry));
            let mut first = Vec::new();
            net.forward_values(&observations, &mut scratch, |values| first.push(values[0]));
            let each: Vec<f32> = observations
                .iter()
                .map(|active| net.forward(active, &mut scratch).0[0])
                .collect();
            assert_eq!(first, each);
        }
    }

    #[test]
    fn parameters_are_rounded_to_half_precision() {
        let rounded = PortableNet::new(mlp(4, 0, 0.1), mlp(6, 3, 2049.0))
            .expect("they fit")
            .rounded()
            .expect("they are not too large");
        assert_eq!(rounded.value().parameters().last(), Some(&0.099_975_586));
        assert_eq!(rounded.policy().parameters().last(), Some(&2048.0));
        let large = PortableNet::new(mlp(4, 0, 0.1), mlp(6, 3, 1e6)).expect("they fit");
        assert!(large.rounded().is_err());
    }

    #[test]
    fn networks_that_do_not_fit_each_other_are_refused() {
        let refusal = |value, policy| {
            PortableNet::new(value, policy)
                .expect_err("they do not fit")
                .to_string()
        };
        assert_eq!(
            refusal(mlp(7, 0, 0.0), mlp(6, 3, 0.0)),
            "length of the observation of the value network is 7, not 1 to 6"
        );
        assert_eq!(
            refusal(mlp(6, 1, 0.0), mlp(6, 3, 0.0)),
            "number of actions of the value network is 1, not 0 to 0"
        );
        let other = MlpShape {
            values: 1,
            ..mlp(6, 3, 0.0).shape().clone()
        };
        let other = Mlp::new(other.clone(), &vec![0.0; other.parameters()]).expect("it is valid");
        assert_eq!(
            refusal(mlp(6, 0, 0.0), other),
            "number of values of the policy network is 1, not 2 to 2"
        );
    }
}
