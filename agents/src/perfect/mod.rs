//! Perfect play, and comparisons of agents with perfect play.
//!
//! [`solve`] finds the value of every turn-start state of a game by value iteration and proves an
//! error bound. [`table`] stores the values in a file and evaluates positions with them. [`regret`]
//! measures how much value an agent loses against perfect play. [`exploit`] finds the best response
//! to an agent. [`rollout`] estimates values by games. [`benchmark`] checks published results. This
//! module imports only `arena`, `network`, `play` and `search`.

pub mod any;
pub mod benchmark;
pub mod exploit;
pub mod regret;
pub mod rollout;
pub mod solve;
pub mod table;

use ashta_env::{
    game::Game,
    turn_index::{Sides, TurnIndex},
};

/// The side positions at the beginning of a game.
pub fn start(starts: &TurnIndex) -> Sides {
    starts
        .locate(&starts.race().initial_state(starts.movers()[0]))
        .map_or_else(Sides::default, |(_, start)| start)
}

/// The values of all seats at the beginning of a game, in turn order from the seat that throws
/// first.
pub fn start_values(starts: &TurnIndex, solution: &solve::Solution) -> Vec<f64> {
    let number = starts.number(starts.movers()[0], start(starts));
    let value = |at: usize| f64::from(solution.values[at]) * solve::UNIT;
    match starts.seats() {
        2 => vec![value(number), 1.0 - value(number)],
        seats => (number * seats..(number + 1) * seats).map(value).collect(),
    }
}
