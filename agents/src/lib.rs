//! Search, baselines, networks and self-play learning for the games of `ashta-env`.
//!
//! In reading order: [`evaluator`] says what a position is worth and [`agent`] chooses by it; [`search`] are evaluators
//! around evaluators; [`baseline`] are opponents without a network, [`level`] weakened bots; [`arena`] judges agents
//! against each other. [`portable`] is the network in plain Rust, [`net`] the same network learning in burn,
//! [`selfplay`] and [`replay`] make its samples. [`solve`] finds perfect play where a game is small enough, [`table`]
//! keeps it, [`regret`] measures agents against it, [`exploit`] finds the best reply to them, and [`survey`] tells what
//! a solved game is like. [`roster`] and [`folders`] know agents by their names, [`record`] writes games, and
//! [`tournament`] lets many agents meet and says what that proves.
//!
//! What learns, [`net`] and [`replay`], belongs to the feature `learning`, which is on unless it is turned off; without
//! it nothing here needs burn.

pub mod agent;
pub mod arena;
pub mod baseline;
pub mod bot;
pub mod evaluator;
pub mod exploit;
pub mod folders;
pub mod level;
#[cfg(feature = "learning")]
pub mod net;
pub mod net_evaluator;
pub mod perspective;
pub mod portable;
mod prospect;
pub mod protocol;
pub mod record;
pub mod regret;
#[cfg(feature = "learning")]
pub mod replay;
pub mod roster;
pub mod search;
pub mod selfplay;
pub mod solve;
pub mod survey;
pub mod table;
pub mod tensor_file;
pub mod throws;
pub mod tournament;
