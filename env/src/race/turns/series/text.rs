//! The values of a series, for the notation.

use super::SeriesTurns;
use crate::race::position::state::{Series, SeriesKind, State};

impl SeriesTurns {
    /// Sets the throws of the series that do not end it: those that are left of it, or all in the order thrown.
    pub(crate) fn load(&self, state: &mut State, values: &[u8], are_left: bool) -> Result<(), String> {
        if values.len() > Series::LIMIT {
            return Err(format!("a series holds at most {} throws before the one that ends it", Series::LIMIT));
        }
        for &value in values {
            let kind = SeriesKind::ALL.into_iter().find(|&kind| self.face(kind) == value && value > 0);
            let kind = kind.ok_or_else(|| format!("{value} is no throw that a series goes on after"))?;
            if are_left { state.series.push(kind, true) } else { self.keep_throw(state, kind) }
        }
        Ok(())
    }

    /// The values of the kinds of throws in a set of skipped ones.
    pub(crate) fn skipped_values(&self, skipped: u8) -> impl Iterator<Item = u8> {
        let throws = self.throws().filter(move |&throw| skipped & self.bit(throw) != 0);
        throws.map(|throw| self.pips(throw))
    }

    /// The bit of the kind of throw with this value in a set of skipped ones.
    pub(crate) fn skipped_bit(&self, value: u8) -> Option<u8> {
        self.throws().find(|&throw| self.pips(throw) == value).map(|throw| self.bit(throw))
    }

    /// The value of the throw that the next action allots; `None` when nothing is kept.
    pub(crate) fn next_value(&self, state: &State) -> Option<u8> {
        self.remaining(state).split().map(|(throw, _)| self.pips(throw))
    }
}
