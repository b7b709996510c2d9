//! Searches: evaluators that look ahead with another evaluator at the leaves.
//!
//! [`Expectimax`] weighs every throw exactly, [`Mcts`] samples them; both wrap any evaluator, so they can be put around
//! networks, tables, hand-written rules and each other. [`Gumbel`] is no evaluator: it says what to choose and what to
//! learn. They walk the seam only.

mod expectimax;
mod gumbel;
mod mcts;
#[cfg(test)]
pub(crate) mod test_support;

pub use expectimax::Expectimax;
pub use gumbel::{Advice, Gumbel, GumbelConfig};
pub(crate) use gumbel::{forced, pass_forced};
pub use mcts::{Mcts, MctsAgent, MctsConfig};
