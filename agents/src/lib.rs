//! Agents for the games of `ashta-env`: search, networks, self-play learning, perfect play, and the arena in which all
//! of them meet.
//!
//! A bot is one file. It chooses a move of its game like this; [`Agent::act`] does the same for many games at once.
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
//! [`NamedAgent`] is any agent as it is written on the command line: a bot that looks further ahead, a baseline, or
//! perfect play. It finds out which game it plays, and makes a [`Player`] of that game:
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
//! A bot is trained, for any game that implements [`Game`](ashta_env::Game), by [`learn::trainer`]: the examples
//! `train.rs` and `own_game.rs` of this package are a whole run each.
//!
//! Each module is a folder. They are listed from the ground up: a module imports only modules that stand before it, and
//! `tests/architecture.rs` holds that.
//!
//! | module | contents |
//! |---|---|
//! | [`play`] | the traits `Evaluator` and `Agent`, one-ply play, baselines, throws by seed |
//! | [`search`] | expectimax, MCTS, the one-ply expectation over throws |
//! | [`arena`] | paired matches, tournaments, ratings, SPRT, control variates for luck, game records |
//! | [`network`] | the forward pass without burn, tensor files, bots, ONNX |
//! | [`perfect`] | value iteration, tables, regret, best responses |
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
