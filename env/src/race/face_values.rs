//! Throws by face value. People, protocols and records use face values instead of outcome numbers.

use crate::{
    game::{Game, Node, Outcome},
    race::{Race, position::state::State},
};

/// The reason why the given values cannot be thrown. The position does not change.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThrowError {
    /// The node is not a chance node.
    #[error("this position does not wait for a throw")]
    NotThrowing,
    /// The dice cannot show these values.
    #[error("{values:?} cannot be thrown here; possible throws: {possible:?}")]
    Impossible {
        /// The given values.
        values: Vec<u8>,
        /// The possible throws.
        possible: Vec<Vec<u8>>,
    },
    /// The throws end before the last value.
    #[error("the throws end before the throw of {value}")]
    SeriesOver {
        /// The first value after the end of the throws.
        value: u8,
    },
}

impl Race {
    /// Throws the given values: one throw, one or more throws of a series, or two dice. Two dice
    /// can have any order; the position keeps this order.
    ///
    /// # Errors
    /// Fails if the node is not a chance node or the dice cannot show the values. `state` is then
    /// unchanged.
    pub fn throw(&self, state: &mut State, values: &[u8]) -> Result<(), ThrowError> {
        if !matches!(self.node(state), Node::Chance(_)) {
            return Err(ThrowError::NotThrowing);
        }
        let (mut next, mut rest) = (*state, values);
        loop {
            let possible = self
                .chance_outcomes(&next)
                .iter()
                .zip(0..)
                .filter(|&(&chance, _)| chance > 0.0)
                .map(|(_, outcome)| Outcome(outcome));
            let (thrown, more) = rest.split_at(self.rules.values_of_throw().min(rest.len()));
            let mut sorted = thrown.to_vec();
            sorted.sort_unstable();
            let Some(outcome) = possible
                .clone()
                .find(|&outcome| self.throw_values(outcome) == sorted)
            else {
                let possible = possible.map(|outcome| self.throw_values(outcome)).collect();
                return Err(ThrowError::Impossible {
                    values: thrown.to_vec(),
                    possible,
                });
            };
            self.apply_chance(&mut next, outcome);
            if let &[a, b] = thrown {
                next.dice = [a, b];
            }
            rest = more;
            match rest {
                [] => break,
                _ if matches!(self.node(&next), Node::Chance(_)) => {}
                &[value, ..] => return Err(ThrowError::SeriesOver { value }),
            }
        }
        *state = next;
        Ok(())
    }
}
