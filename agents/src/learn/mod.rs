//! Reinforcement learning by self-play: games with TD(λ) targets, the replay buffer, and the learner.
//!
//! [`selfplay`] plays games and computes the targets; [`replay`] is the replay buffer of their samples; [`net`] is the
//! same network as [`network::portable`](crate::network::portable) in burn, with its losses and Adam; [`trainer`] turns
//! the three for any [`Game`](ashta_env::game::Game), by the settings of [`config`]. [`numerics`] says how a machine
//! rounds. This module may use `play`, `search` and `network`.

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
