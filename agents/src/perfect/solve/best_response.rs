//! Best response by value iteration: the expected scores of two players. At least one of the players has a fixed
//! policy.

use ashta_env::turn_index::{Sides, TurnModel};

use super::kernel::{PlayerPolicy, TwoSeats, transpose};
use super::order::pair_order;
use super::quantity::{ONE, Value};
use super::sweep::{Cursor, SolveWatch, Swept};
use super::{SolveConfig, SolveError, UNIT};

/// The expected score of a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Response {
    /// The expected score if the player throws first.
    pub first: f64,
    /// The expected score if the opponent throws first.
    pub second: f64,
}

impl Response {
    /// The mean of both scores, because each player throws first in half of the games.
    pub fn mean(self) -> f64 {
        f64::midpoint(self.first, self.second)
    }
}

/// The values from the last call of [`evaluate_policies`]. The next call starts from them (warm start), because similar
/// players have similar values.
#[derive(Debug, Default)]
pub struct Memory(Vec<u32>);

/// Returns the expected score of the first player when two players follow `policies`; `None` if the watch stopped the
/// sweeps.
///
/// Each player has its own values, so there are twice as many values as in [`solve`](super::solve). Before the call,
/// `memory` is empty or has the values of an earlier call for the same game; after the call, it has the values of this
/// call. The values in `memory` change the result by no more than the tolerance.
///
/// # Errors
/// When a policy and the game have different numbers of positions, or the values do not converge.
pub fn evaluate_policies<T: TurnModel>(
    turns: &T,
    start: Sides,
    policies: [PlayerPolicy<'_>; 2],
    memory: &mut Memory,
    config: &SolveConfig,
    watch: SolveWatch<'_>,
) -> Result<Option<Response>, SolveError> {
    let count = turns.index().sides().len();
    let expected = count * count;
    for policy in policies {
        let found = match policy {
            PlayerPolicy::Best => expected,
            PlayerPolicy::GreedyBy(values) => values.len(),
            PlayerPolicy::Tabular(policy) => policy.positions(),
        };
        if found != expected {
            return Err(SolveError::Values { expected, found });
        }
    }
    if memory.0.len() != 2 * expected {
        memory.0 = vec![ONE / 2; 2 * expected];
    }
    let transposed = policies.map(|policy| match policy {
        PlayerPolicy::GreedyBy(values) => {
            let mut values = values.to_vec();
            transpose(&mut values, count);
            values
        }
        _ => Vec::new(),
    });
    let policies = std::array::from_fn(|player| match policies[player] {
        PlayerPolicy::GreedyBy(_) => PlayerPolicy::GreedyBy(&transposed[player]),
        other => other,
    });
    let kernel = TwoSeats::<T, Value>::new(turns, policies, false);
    let (order, cells) = (pair_order(turns.index().sides()), Swept { values: &mut memory.0, deltas: None });
    let swept = config.sweeps().run(&kernel, cells, &order, Cursor::default(), watch);
    if swept?.is_break() {
        return Ok(None);
    }
    let value = |offset: usize| f64::from(memory.0[offset + kernel.cell([start[0].into(), start[1].into()])]) * UNIT;
    Ok(Some(Response { first: value(0), second: 1.0 - value(expected) }))
}
