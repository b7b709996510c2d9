//! Exact expected scores of two players, at least one with a fixed policy; best response by value iteration.

use ashta_env::turn_index::{Sides, TurnModel};

use super::kernel::{PlayerPolicy, TwoSeats, transpose};
use super::order::pair_order;
use super::quantity::{ONE, Value};
use super::sweep::{Cursor, SolveWatch, Swept};
use super::{SolveConfig, SolveError, UNIT};

/// The expected score of a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Response {
    /// When it throws first.
    pub first: f64,
    /// When the other one throws first.
    pub second: f64,
}

impl Response {
    /// The mean when either begins as often as the other.
    pub fn mean(self) -> f64 {
        f64::midpoint(self.first, self.second)
    }
}

/// The values of the last meeting, as a warm start of the next: players that changed little have similar values.
#[derive(Debug, Default)]
pub struct Memory(Vec<u32>);

/// The expected score of the first of two players, each with its own policy. `None` when the watch stopped it.
///
/// The values of both players together are twice as many as those of [`solve`](super::solve). `memory` holds the values
/// of an earlier meeting in the same game, and afterwards those of this one; the result depends on it by no more than
/// the tolerance.
///
/// # Errors
/// When a policy is not of as many positions as two seats have, or the values do not converge.
pub fn evaluate_policies<T: TurnModel>(
    turns: &T,
    start: Sides,
    styles: [PlayerPolicy<'_>; 2],
    memory: &mut Memory,
    config: &SolveConfig,
    watch: SolveWatch<'_>,
) -> Result<Option<Response>, SolveError> {
    let count = turns.index().sides().len();
    let expected = count * count;
    for style in styles {
        let found = match style {
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
    let transposed = styles.map(|style| match style {
        PlayerPolicy::GreedyBy(values) => {
            let mut values = values.to_vec();
            transpose(&mut values, count);
            values
        }
        _ => Vec::new(),
    });
    let styles = std::array::from_fn(|player| match styles[player] {
        PlayerPolicy::GreedyBy(_) => PlayerPolicy::GreedyBy(&transposed[player]),
        other => other,
    });
    let kernel = TwoSeats::<T, Value>::new(turns, styles, false);
    let (order, cells) = (pair_order(turns.index().sides()), Swept { values: &mut memory.0, deltas: None });
    let swept = config.sweeps().run(&kernel, cells, &order, Cursor::default(), watch);
    if swept?.is_break() {
        return Ok(None);
    }
    let value = |offset: usize| f64::from(memory.0[offset + kernel.cell([start[0].into(), start[1].into()])]) * UNIT;
    Ok(Some(Response { first: value(0), second: 1.0 - value(expected) }))
}
