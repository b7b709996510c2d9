//! Search: evaluators that look ahead with another evaluator at the leaves, by expectimax or MCTS.
//!
//! [`Expectimax`] takes expectations over all likely throws, [`Mcts`] samples them; both wrap any evaluator, so they
//! can be put around networks, tables, hand-written rules and each other. They walk the `Game` interface only.

pub(crate) mod expectation;
mod expectimax;
mod mcts;
#[cfg(test)]
pub(crate) mod test_support;
mod throw_series;

pub use expectimax::Expectimax;
pub use mcts::{Mcts, MctsAgent, MctsConfig};
