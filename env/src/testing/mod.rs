//! Test support for games, search and learning: property tests for every game, a small toy game,
//! an exact solver, and a recorder of turns.
//!
//! All of it uses only the interfaces `Game` and `TurnModel`.

pub mod exact;
pub mod laws;
pub mod recorder;
pub mod toy;
