//! Test support for games, search and learning: property tests for every game, a small toy game,
//! and an exact solver.
//!
//! All of it uses only the `Game` interface.

pub mod exact;
pub mod laws;
pub mod toy;
