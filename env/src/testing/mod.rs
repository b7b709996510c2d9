//! What tests of games, search and learning share: a toy game small enough to be solved exactly, and its solver.
//!
//! Both speak of the seam alone. Nothing here is meant for play.

pub mod exact;
pub mod toy;
