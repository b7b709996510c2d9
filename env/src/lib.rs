//! Exact environments for race games. The public names, in reading order: [`game`] is the `Game`
//! interface; [`form`] reads TOML texts; [`sheet`] defines games as data; [`ruleset`] is a sheet
//! with house rules and seats; [`race`] is the engine, which compiles a sheet into tables;
//! [`notation`] reads and prints positions; [`turn`] lists the afterstates of whole turns;
//! [`turn_index`] numbers the turn-start states for solvers; [`gym`] steps games and throws their
//! dice; [`chance`] draws throws.
//!
#![doc = include_str!("../README.md")]

pub mod chance;
pub mod form;
pub mod game;
pub mod gym;
pub mod notation;
pub mod race;
pub mod sheet;
/// Laws that every game must obey, and a small game. Only for tests, so it may change in any
/// version.
#[doc(hidden)]
pub mod testing;
pub mod turn;
pub mod turn_index;

pub use game::{
    Action, ActionMask, BySeat, Game, Node, Outcome, Payoff, RaceGame, Seat, SeatSet, Spec,
};
pub use gym::{Env, Observation, Step, VecEnv};
pub use race::Race;
pub use sheet::ruleset::{self, Ruleset, RulesetError};

/// An environment with seed 0 for a built-in game with this number of seats. `text` is
/// `game?flag=value&flag=value`, such as `pagade?teams=true`.
///
/// # Errors
/// If the game or a house rule is unknown, or the game does not allow this number of seats.
pub fn make(text: &str, seats: usize) -> Result<Env<Race>, RulesetError> {
    Ok(Env::new(std::sync::Arc::new(Race::named(text, seats)?)))
}
