//! What tests of games, search and learning share: the laws that every game owes, a toy game small enough to be solved
//! exactly, and its solver.
//!
//! All speak of the `Game` interface alone. Nothing here is meant for play.

pub mod exact;
pub mod laws;
pub mod toy;
