//! A position: its bytes, a byte for each piece, and the seats at the board.

pub(crate) mod seating;
pub(crate) mod slots;
pub mod state;
