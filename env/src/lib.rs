//! Reinforcement-learning environments for the race games of India and their family, with explicit chance nodes.
//!
//! In reading order: [`game`] is the `Game` interface that everything else uses; [`sheet`] is a game as data;
//! [`ruleset`] is a sheet with its house rules and seats; [`race`] is the engine, which compiles a sheet into tables;
//! [`notation`] reads and prints positions; [`turn`] lists the afterstates of whole turns; [`starts`] numbers the
//! turn-start states for solvers; [`gym`] steps games and throws their dice; [`testing`] has the property tests of
//! every game and a small game that can be solved by hand.

pub mod chance;
pub mod game;
pub mod gym;
pub mod notation;
pub mod race;
pub mod ruleset;
pub mod sheet;
pub mod starts;
pub mod testing;
pub mod turn;

pub use game::{Action, ActionMask, BySeat, Game, Node, Outcome, Outlook, Seat, SeatSet, Spec};
pub use race::Race;
pub use ruleset::Ruleset;
