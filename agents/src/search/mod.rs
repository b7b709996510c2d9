//! Search: evaluators that look ahead with another evaluator at the leaves.
//!
//! Both searches take expectations over all likely throws. [`Expectimax`] looks equally far ahead
//! everywhere, [`Mcts`] looks further ahead where play is better. Both wrap any evaluator:
//! networks, tables, hand-written rules and each other. They only use the `Game` interface.

pub(crate) mod expectation;
mod expectimax;
mod mcts;
#[cfg(test)]
pub(crate) mod test_support;
mod throw_series;

pub use expectimax::Expectimax;
pub use mcts::Mcts;
