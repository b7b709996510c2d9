//! Evaluators and agents: values of positions, agents that choose by them, and seeded throws.
//!
//! [`evaluator::Evaluator`] gives a position its value for each seat, [`agent::Agent`] chooses an action; both work on
//! batches. [`agent::OnePly`] makes an agent of an evaluator: it plays towards the afterstate of the highest value.
//! [`baseline`] has agents without a network, [`level`] the levels of difficulty, [`throws`] the throws of a game as a
//! function of its seed. [`stop`] ends computations early, [`files`] writes files atomically, [`error`] has the error
//! of this crate, and [`perspective`] the order of seats as one of them sees it. This module uses the rules alone.

pub mod agent;
pub mod baseline;
pub mod error;
pub mod evaluator;
pub mod files;
pub mod level;
pub mod perspective;
pub mod stop;
pub mod throws;
