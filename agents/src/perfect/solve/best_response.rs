//! Best response by value iteration. With two seats: the scores of two players, at least one with a
//! fixed policy. With more seats: the score of one seat if all other seats have a fixed policy.

use std::ops::ControlFlow;

use ashta_env::{
    game::{Seat, SeatSet},
    turn_index::{Sides, TurnModel},
};
use serde_json::{Map, Value as Json, json};

use super::{
    SolveConfig, SolveError, UNIT,
    kernel::{PlayerPolicy, TabularPolicy, TwoSeats, transpose},
    many::Rounds,
    quantity::{ONE, Value},
    sweep::{Cursor, Kernel, SolveWatch, Swept},
};

/// The names of [`Response::by_order`].
pub const ORDER: [&str; 4] = ["first", "second", "third", "fourth"];

/// The expected score of a player.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// The expected score if the player throws first, second and so on.
    pub by_order: Vec<f64>,
    /// The expected score on each seat, in the order of the seats, if every seat throws first
    /// equally often.
    pub by_seat: Vec<f64>,
}

impl Response {
    /// The mean of all scores.
    pub fn mean(&self) -> f64 {
        self.by_order.iter().sum::<f64>() / self.by_order.len() as f64
    }

    /// The mean gain of a seat that plays the best response instead of the policy of the others, 0
    /// or more.
    pub fn exploitability(&self) -> f64 {
        self.mean() - 1.0 / self.by_order.len() as f64
    }

    /// The scores as JSON: `first`, `second` and so on, `mean`, and with more than two seats
    /// `seats`.
    pub fn to_json(&self, seats: SeatSet) -> Json {
        let mut shown: Map<String, Json> = ORDER
            .iter()
            .zip(&self.by_order)
            .map(|(order, score)| ((*order).to_owned(), json!(score)))
            .collect();
        shown.insert("mean".to_owned(), json!(self.mean()));
        if self.by_seat.len() > 2 {
            let seats = seats
                .iter()
                .zip(&self.by_seat)
                .map(|(seat, score)| (seat.to_string(), json!(score)));
            shown.insert("seats".to_owned(), seats.collect());
        }
        shown.into()
    }
}

/// The values from the last call of [`evaluate_policies`]. The next call starts from them (warm
/// start), because similar players have similar values.
#[derive(Debug, Default)]
pub struct Memory(Vec<u32>);

impl Memory {
    /// Sweeps until the values have converged. If there are not `count` values yet, they begin with
    /// an equal score of all `seats`. Breaks if the watch breaks.
    fn sweep<K: Kernel>(
        &mut self,
        kernel: &K,
        [count, seats]: [usize; 2],
        config: &SolveConfig,
        watch: SolveWatch<'_>,
    ) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        if self.0.len() != count {
            self.0 = vec![ONE / seats as u32; count];
        }
        config.sweeps().run(
            kernel,
            &mut Swept {
                values: &mut self.0,
                deltas: None,
            },
            Cursor::default(),
            watch,
        )
    }
}

/// Returns the expected score of the first player when two players follow `policies`; `None` if the
/// watch stopped the sweeps.
///
/// Each player has its own values, so there are twice as many values as in [`solve`](super::solve).
/// Before the call, `memory` is empty or has the values of an earlier call for the same game; after
/// the call, it has the values of this call. The values in `memory` change the result by no more
/// than the tolerance.
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
    let found = policies.map(|policy| match policy {
        PlayerPolicy::Best => expected,
        PlayerPolicy::GreedyBy(values) => values.len(),
        PlayerPolicy::Tabular(policy) => policy.positions(),
    });
    if let Some(found) = found.into_iter().find(|&found| found != expected) {
        return Err(SolveError::Values { expected, found });
    }
    let transposed = policies.map(|policy| {
        let mut values = if let PlayerPolicy::GreedyBy(values) = policy {
            values.to_vec()
        } else {
            Vec::new()
        };
        transpose(&mut values, count);
        values
    });
    let policies = std::array::from_fn(|player| match policies[player] {
        PlayerPolicy::GreedyBy(_) => PlayerPolicy::GreedyBy(&transposed[player]),
        other => other,
    });
    let kernel = TwoSeats::<T, Value>::new(turns, policies, false);
    if memory
        .sweep(&kernel, [2 * expected, 2], config, watch)?
        .is_break()
    {
        return Ok(None);
    }
    let value = |offset: usize| {
        f64::from(memory.0[offset + kernel.cell([start[0].into(), start[1].into()])]) * UNIT
    };
    let by_order = vec![value(0), 1.0 - value(expected)];
    let mean = f64::midpoint(by_order[0], by_order[1]);
    Ok(Some(Response {
        by_order,
        by_seat: vec![mean; 2],
    }))
}

/// Returns the expected score of one of three or four seats when it plays the best response to
/// `policy`, which plays all other seats; `None` if the watch stopped the sweeps. `starts` has the
/// first position for each seat that can throw first, in the order of the seats. `memory` is as in
/// [`evaluate_policies`].
///
/// # Errors
/// When the policy and the game have different numbers of positions, or the values do not converge.
pub fn best_responses<T: TurnModel>(
    turns: &T,
    starts: &[(Seat, Sides)],
    policy: &TabularPolicy,
    memory: &mut Memory,
    config: &SolveConfig,
    watch: SolveWatch<'_>,
) -> Result<Option<Response>, SolveError> {
    let (index, seats) = (turns.index(), turns.index().seats());
    let expected = index.numbers();
    if policy.positions() != expected {
        return Err(SolveError::Values {
            expected,
            found: policy.positions(),
        });
    }
    if memory
        .sweep(
            &Rounds {
                turns,
                others: Some(policy),
            },
            [expected * seats, seats],
            config,
            watch,
        )?
        .is_break()
    {
        return Ok(None);
    }
    let (mut by_order, mut by_seat) = (vec![0.0; seats], vec![0.0; seats]);
    for &(first, sides) in starts {
        let cells = index.number(first, sides) * seats;
        for (order, seat) in index.in_turn(first).enumerate() {
            let value = f64::from(memory.0[cells + order]) * UNIT / seats as f64;
            by_order[order] += value;
            starts
                .iter()
                .position(|&(own, _)| own == seat)
                .into_iter()
                .for_each(|at| by_seat[at] += value);
        }
    }
    Ok(Some(Response { by_order, by_seat }))
}
