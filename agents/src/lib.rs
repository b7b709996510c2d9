//! Agents for the games of `ashta-env`: search, networks, self-play learning, perfect play, and the arena in which all
//! of them meet.
//!
//! One folder a room, from the ground up; a room imports only rooms that stand before it, and `tests/architecture.rs`
//! holds that:
//!
//! | room | contents |
//! |---|---|
//! | [`play`] | the traits `Evaluator` and `Agent`, one-ply play, baselines, throws by seed |
//! | [`search`] | expectimax, MCTS, the one-ply expectation over throws |
//! | [`arena`] | paired matches, tournaments, ratings, SPRT, control variates for luck, game records |
//! | [`network`] | the forward pass without burn, tensor files, bots, ONNX |
//! | [`perfect`] | value iteration, tables, regret, best responses, surveys of solved games |
//! | [`learn`] | self-play, the replay buffer, the learner in burn, the trainer of any game |
//! | [`roster`] | agents by name, folders of bots and tables |
//! | [`protocol`] | the engine protocol: requests and answers in JSON |
//!
//! [`learn::net`], [`learn::replay`] and [`learn::trainer`] belong to the feature `learning`, which is on by default;
//! without it nothing here needs burn.

pub mod arena;
pub mod learn;
pub mod network;
pub mod perfect;
pub mod play;
pub mod protocol;
pub mod roster;
pub mod search;
