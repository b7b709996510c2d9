//! Agents for the games of `ashta-env`: search, networks, self-play learning, perfect play, and the arena that compares
//! agents.
//!
//! A bot is one file. This example loads a bot and chooses a move; [`Agent::act`] chooses moves in many games together.
//!
//! ```
//! use ashta_agents::{Agent, Bot};
//! use ashta_env::{Game, Race, chance};
//!
//! let bot = Bot::load("../checkpoints/ashtapada.bot")?;
//! let (race, state) = Race::parse_position("ashtapada S:5,30/N:off,23 S 4,2")?;
//! let action = bot.agent().choose(&race, &state, &mut chance::stream(7, 0));
//! assert!(race.legal_actions(&state).contains(action));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`NamedAgent`] parses the name of an agent, as the command line takes it: a bot, a baseline or perfect play. A name
//! can end with a look-ahead. [`NamedAgent::player`] makes a [`Player`] for one game:
//!
//! ```
//! use ashta_agents::{Agent, Evaluator, NamedAgent};
//! use ashta_env::{Race, Seat, chance};
//!
//! let (race, state) = Race::parse_position("ashtapada S:5,30/N:off,23 S 4,2")?;
//! let player = "greedy+2ply".parse::<NamedAgent>()?.player(&race)?;
//! let action = player.agent().choose(&race, &state, &mut chance::stream(7, 0));
//! let south = player.evaluator().evaluate(&race, &[state])[0].values[Seat::SOUTH];
//! assert!((0.0..=1.0).contains(&south));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`learn::trainer`] trains a bot for any game that implements [`Game`](ashta_env::Game). The examples `train.rs` and
//! `own_game.rs` of this package are complete training runs.
//!
//! Each module is a folder. A module imports only modules above it in this table; `tests/architecture.rs` checks this.
//!
//! | module | contents |
//! |---|---|
//! | [`play`] | the traits `Evaluator` and `Agent`, one-ply play, baselines, throws derived from a seed |
//! | [`search`] | expectimax, MCTS, the one-ply expectation over throws |
//! | [`arena`] | paired matches, tournaments, ratings, SPRT, control variates for luck, game records |
//! | [`network`] | the forward pass without burn, tensor files, bots, ONNX |
//! | [`perfect`] | value iteration, tables, regret, best responses |
//! | [`learn`] | self-play, the replay buffer, the learner, the trainer for any game |
//! | [`roster`] | agents found by their names, folders of bots and tables |
//! | [`protocol`] | the engine protocol: requests and answers in JSON |
//!
//! [`learn::net`], [`learn::replay`] and [`learn::trainer`] require the feature `learning`, which is on by default.
//! Without this feature, this package does not depend on burn.

pub mod arena;
pub mod learn;
pub mod network;
pub mod perfect;
pub mod play;
pub mod protocol;
pub mod roster;
pub mod search;

pub use network::bot::Bot;
pub use play::agent::Agent;
pub use play::error::Error;
pub use play::evaluator::Evaluator;
pub use roster::folders::Folders;
pub use roster::{NamedAgent, Player};

/// The examples of the page about Rust, compiled as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
pub struct Examples;
