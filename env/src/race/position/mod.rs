//! Positions: the state of a game as bytes, SIMD operations on the pieces of a seat, and the seats
//! that take part.

pub mod rows;
pub(crate) mod seating;
pub(crate) mod slots;
pub mod state;
