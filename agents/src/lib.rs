//! Agents for race games. [`Agent::act`] chooses moves in many games together. [`NamedAgent`]
//! parses the name of an agent: a bot, a baseline or perfect play, with a look-ahead.
//! [`NamedAgent::player`] makes a [`Player`] for one game.
//!
//! [`learn::trainer`] trains a bot for any game that implements [`Game`](ashta_env::Game). The
//! examples `train.rs` and `own_game.rs` of this package are complete training runs.
//!
//! Each module is a folder. A module imports only modules above it in this table;
//! `tests/architecture.rs` checks this.
//!
//! | module | contents |
//! |---|---|
//! | [`play`] | the traits `Evaluator` and `Agent`, one-ply play, baselines, throws from a seed |
//! | [`search`] | expectimax, tree search, the one-ply expectation over throws |
//! | [`arena`] | paired matches, tournaments, ratings, SPRT, control variates, game records |
//! | [`network`] | the forward pass without burn, tensor files, bots, ONNX |
//! | [`perfect`] | value iteration, tables, regret, best responses |
//! | [`learn`] | self-play, the replay buffer, the learner, the trainer for any game |
//! | [`roster`] | agents found by their names, folders of bots and tables |
//! | [`protocol`] | the engine protocol: requests and answers in JSON |
//!
//! [`learn::net`], [`learn::replay`] and [`learn::trainer`] require the feature `learning`, which
//! is on by default. Without this feature, this package does not depend on burn.
//!
#![doc = include_str!("../README.md")]

pub mod arena;
pub mod learn;
pub mod network;
pub mod perfect;
pub mod play;
pub mod protocol;
pub mod roster;
pub mod search;

pub use network::bot::Bot;
pub use play::{agent::Agent, error::Error, evaluator::Evaluator};
pub use roster::{NamedAgent, Player, folders::Folders};
