//! Rows of bytes as positions: checks rows from outside.

use super::NotationError;
use crate::race::{
    Race,
    position::{
        rows::{ROW, ROW_FIELDS, ROW_VERSION},
        state::State,
    },
};

/// The reason why a row of bytes is not a position of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// The row has another length.
    #[error("the row has {0} bytes, but must have {ROW}")]
    Length(usize),
    /// The row has another layout.
    #[error("the row has layout version {0}, but must have version {ROW_VERSION}")]
    Version(u8),
    /// A piece is on a place that the game does not have.
    #[error("the field `pieces` has the place {0}, but the last place is {1}")]
    Place(u8, u8),
    /// The fields together are not a position.
    #[error("the row is not a position: {0}")]
    Position(#[from] NotationError),
    /// A field does not fit the other fields.
    #[error(
        "the field `{field}` does not fit the other fields, which have the position `{position}`"
    )]
    Field {
        /// The name of the field.
        field: &'static str,
        /// The position that the other fields have, in the notation.
        position: String,
    },
}

impl Race {
    /// Reads a position of this game from a row with the fields [`ROW_FIELDS`], and checks every
    /// byte.
    ///
    /// # Errors
    /// If the row is not exactly the row of a position that [`Race::parse_state`] accepts.
    pub fn state_of_row(&self, row: &[u8]) -> Result<State, RowError> {
        let row: &[u8; ROW] = row.try_into().map_err(|_| RowError::Length(row.len()))?;
        if row[0] != ROW_VERSION {
            return Err(RowError::Version(row[0]));
        }
        let state = State::from_row(row);
        let places = self
            .ruleset()
            .seats()
            .iter()
            .flat_map(|seat| self.places(&state, seat).into_iter().take(self.pieces()));
        if let Some(place) = places.into_iter().find(|&place| place > self.last_place()) {
            return Err(RowError::Place(place, self.last_place()));
        }
        let position = self.print(&state);
        let parsed = self.parse_state(&position)?;
        let (expected, mut at) = (parsed.to_row(), 0);
        for (field, length) in ROW_FIELDS {
            if row[at..at + length] != expected[at..at + length] {
                return Err(RowError::Field { field, position });
            }
            at += length;
        }
        Ok(parsed)
    }
}
