//! Reinforcement-learning environments for the race games of India and related games, with explicit chance nodes.
//!
//! In reading order: [`game`] is the `Game` interface; [`sheet`] defines games as data; [`ruleset`] is a sheet with
//! house rules and seats; [`race`] is the engine, which compiles a sheet into tables; [`notation`] reads and prints
//! positions; [`turn`] lists the afterstates of whole turns; [`turn_index`] numbers the turn-start states for solvers;
//! [`gym`] steps games and throws their dice; [`testing`] has property tests for all games and a small game for tests.
//!
//! ```
//! let mut env = ashta_env::make("pagade?teams=true", 4)?;
//! let mut observation = env.reset(7);
//! let end = loop {
//!     let action = observation.mask.nth(0).expect("a decision has a legal action");
//!     let step = env.step(action)?;
//!     if step.terminated || step.truncated {
//!         break step;
//!     }
//!     observation = step.observation;
//! };
//! println!("{:?} after {} turns", end.returns, env.turns());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod chance;
pub mod game;
pub mod gym;
pub mod notation;
pub mod race;
pub mod sheet;
pub mod testing;
pub mod turn;
pub mod turn_index;

pub use game::{Action, ActionMask, BySeat, Game, Node, Outcome, Payoff, RaceGame, Seat, SeatSet, Spec};
pub use gym::{Env, Observation, Step, VecEnv};
pub use race::Race;
pub use sheet::ruleset::{self, Ruleset, RulesetError};

/// An environment with seed 0 for a built-in game with this number of seats. `text` is `game?flag=value&flag=value`,
/// such as `pagade?teams=true`.
///
/// # Errors
/// If the game or a house rule is unknown, or the game does not allow this number of seats.
pub fn make(text: &str, seats: usize) -> Result<Env<Race>, RulesetError> {
    Ok(Env::new(std::sync::Arc::new(Race::named(text, seats)?)))
}
