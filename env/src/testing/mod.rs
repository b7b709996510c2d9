//! Test support for games, search and learning: property tests of every game, a toy game small enough to be solved
//! exactly, and its solver.
//!
//! All use the `Game` interface alone. Nothing here is meant for play.

pub mod exact;
pub mod laws;
pub mod toy;
