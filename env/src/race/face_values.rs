//! Throws by their face values, which people, protocols and records use instead of outcome numbers.

use crate::game::{Game, Node, Outcome};
use crate::race::Race;
use crate::race::position::state::State;

/// Why values could not be thrown; the position is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThrowError {
    /// The position does not wait for a throw.
    #[error("the position waits for no throw")]
    NotThrowing,
    /// No outcome has these values.
    #[error("{values:?} cannot be thrown here; possible are {possible:?}")]
    Impossible {
        /// The values given.
        values: Vec<u8>,
        /// The throws on offer.
        possible: Vec<Vec<u8>>,
    },
    /// The series had ended before the last value.
    #[error("the series ends before the throw of {value}")]
    SeriesOver {
        /// The first value too many.
        value: u8,
    },
}

impl Race {
    /// Throws the given values: one throw, one or more throws of a series, or two dice (in any order, kept as given).
    ///
    /// # Errors
    /// When the position waits for no throw, or the values cannot be thrown; `state` is then unchanged.
    pub fn throw(&self, state: &mut State, values: &[u8]) -> Result<(), ThrowError> {
        if !matches!(self.node(state), Node::Chance(_)) {
            return Err(ThrowError::NotThrowing);
        }
        let mut next = *state;
        if self.series().is_some() {
            if values.is_empty() {
                return Err(self.impossible(state, values));
            }
            for &value in values {
                if !matches!(self.node(&next), Node::Chance(_)) {
                    return Err(ThrowError::SeriesOver { value });
                }
                let outcome = self.outcome_of(&next, &[value]).ok_or_else(|| self.impossible(&next, &[value]))?;
                self.apply_chance(&mut next, outcome);
            }
        } else {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            let outcome = self.outcome_of(&next, &sorted).ok_or_else(|| self.impossible(&next, values))?;
            self.apply_chance(&mut next, outcome);
            next.dice[..values.len()].copy_from_slice(values);
        }
        *state = next;
        Ok(())
    }

    fn outcome_of(&self, state: &State, values: &[u8]) -> Option<Outcome> {
        self.possible(state).find(|&outcome| self.throw_values(outcome) == values)
    }

    fn possible(&self, state: &State) -> impl Iterator<Item = Outcome> {
        let chances = self.chance_outcomes(state).iter().enumerate();
        chances.filter(|&(_, &probability)| probability > 0.0).map(|(outcome, _)| Outcome(outcome as u8))
    }

    fn impossible(&self, state: &State, values: &[u8]) -> ThrowError {
        let possible = self.possible(state).map(|outcome| self.throw_values(outcome)).collect();
        ThrowError::Impossible { values: values.to_vec(), possible }
    }
}
