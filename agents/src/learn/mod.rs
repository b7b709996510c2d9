//! Reinforcement learning by self-play: games with TD(λ) targets, the replay buffer, and the
//! learner.
//!
//! [`selfplay`] plays games and computes their targets. [`replay`] is the replay buffer of samples.
//! [`net`] trains the networks of [`network::portable`](crate::network::portable) with burn.
//! [`trainer`] combines the three for any [`Game`](ashta_env::game::Game), with the settings of
//! [`config`]. [`numerics`] computes a fingerprint of the rounding errors of a machine. This module
//! is allowed to use `play`, `search` and `network`.

pub mod config;
#[cfg(feature = "learning")]
pub mod net;
#[cfg(feature = "learning")]
pub mod numerics;
#[cfg(feature = "learning")]
pub mod replay;
pub mod selfplay;
#[cfg(feature = "learning")]
pub mod trainer;
