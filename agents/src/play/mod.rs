//! Evaluators, which estimate values of positions; agents, which choose actions; and seeded throws.
//!
//! [`evaluator::Evaluator`] estimates the value of a position for each seat, [`agent::Agent`]
//! chooses an action; both work on batches. [`agent::OnePly`] turns an evaluator into an agent: it
//! plays towards the afterstate with the highest value. [`baseline`] has agents without a network,
//! [`level`] the levels of difficulty, and [`throws`] the throws of a game as a function of its
//! seed. [`stop`] ends computations early, [`files`] writes files atomically, [`error`] has the
//! error type of this package, and [`perspective`] converts values between the observer and the
//! seats. This module depends only on the rules.

pub mod agent;
pub mod baseline;
pub mod error;
pub mod evaluator;
pub mod files;
pub mod level;
pub mod perspective;
pub mod processor;
pub mod stop;
pub mod throws;
