//! Search: evaluators that look ahead with another evaluator at the leaves, by expectimax or MCTS.
//!
//! [`Expectimax`] takes expectations over all likely throws, [`Mcts`] samples throws. Both wrap any
//! evaluator: networks, tables, hand-written rules and each other. They only use the `Game`
//! interface.

pub(crate) mod expectation;
mod expectimax;
mod mcts;
#[cfg(test)]
pub(crate) mod test_support;
mod throw_series;

pub use expectimax::Expectimax;
pub use mcts::{Mcts, MctsAgent};
