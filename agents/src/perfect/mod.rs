//! Perfect play, and how far agents are from it.
//!
//! [`solve`] finds the value of every turn-start state of a game by value iteration and proves how exact it is;
//! [`table`] keeps the values as a file and evaluates by them; [`regret`] is what an agent loses a decision against
//! perfect play; [`exploit`] finds the best response to an agent; [`survey`] describes a solved game. This room may use
//! `play`, `search` and `arena`.

pub mod exploit;
pub mod regret;
pub mod solve;
pub mod survey;
pub mod table;
