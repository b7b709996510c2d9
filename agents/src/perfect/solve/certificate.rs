//! A proven error bound for the values of value iteration.
//!
//! Choose `c > 0`, and a number `h` for each position with `h ≥ c + E[max h]`. The expectation is
//! over the throws. The maximum is over the afterstates (possible positions after the turn) that a
//! player might choose: their values differ from the largest value by at most a gap. Let `r` be the
//! largest change of a value by looking one turn ahead. Let `d` be the largest probability of
//! throws that were left out, and let `e = (r + d) / c`. Assume that `2·e·h` is below the gap in
//! every position; then only the afterstates within the gap can become the best. Upper bounds are
//! the values plus `e·h`, lower bounds the values minus `e·h`. Then looking one turn ahead
//! increases no upper bound and decreases no lower bound. So the values of perfect play are between
//! these bounds. `docs/solving.md` has the full argument.
//!
//! Sweeps find `h` in the same way as the values. `h` is approximately the expected number of
//! remaining turns if both players prolong the game by moves that cost almost nothing. If the last
//! sweep changes no `h` by more than `t`, then `c = 1 − t` is valid.

use std::ops::ControlFlow;

use ashta_env::turn_index::{Sides, TurnModel};
use serde::{Deserialize, Serialize};

use super::{
    kernel::TwoSeats,
    quantity::{Length, Quantity},
    sweep::{Cursor, SolveWatch, Sweeps, Swept},
};

/// An afterstate might be the best if its value differs from the largest value by at most this
/// number.
const GAP: f64 = 1e-3;
/// Sweeps end when they change no `h` by more than this.
const TOLERANCE: f64 = 0.25;
/// The largest reduction of `c` by rounding to single precision.
const ROUNDING: f64 = 0.01;
/// The largest number of sweeps. If `h` has not converged by then, the proof fails.
const LIMIT: usize = 200;
/// With [`TurnModel::has_rows`], a visit ends when its throws have this total probability.
const COVERED: f64 = 0.999;

/// Proven bounds of the error of the values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The largest error in any position.
    pub error: f64,
    /// The largest error in the initial position.
    pub start_error: f64,
    /// The largest `h`: approximately the expected number of turns if both players prolong the
    /// game.
    pub longest: f64,
}

/// Returns error bounds for values with the Bellman residual `residual`; `None` if there is no
/// proof. The sweeps use the deltas of `cells` as memory; all these deltas are 0. Breaks if the
/// watch breaks.
pub fn certify<T: TurnModel>(
    turns: &T,
    cells: &mut Swept<'_>,
    start: Sides,
    residual: f64,
    threads: usize,
    watch: SolveWatch<'_>,
) -> ControlFlow<(), Option<Certificate>> {
    let mut lengths = vec![0; cells.values.len()];
    let sweeps = Sweeps {
        threads,
        tolerance: TOLERANCE,
        limit: LIMIT,
    };
    let (covered, bound) = if turns.has_rows() {
        (COVERED, Length::BOUND)
    } else {
        (1.0, f64::INFINITY)
    };
    let kernel = TwoSeats::<T, Length>::of_nearly_best(turns, cells.values, GAP, covered);
    let mut swept = Swept {
        values: &mut lengths,
        deltas: cells.deltas.as_deref_mut(),
    };
    match sweeps.run(&kernel, &mut swept, Cursor::default(), watch) {
        Ok(ControlFlow::Continue(_)) => {}
        Ok(ControlFlow::Break(_)) => return ControlFlow::Break(()),
        Err(_) => return ControlFlow::Continue(None),
    }
    let length = |&bits: &u32| Length::number(Length::key(bits));
    let longest = lengths.iter().map(length).fold(0.0, f64::max);
    let unit_error = (residual + turns.cut_off()) / (1.0 - TOLERANCE - ROUNDING);
    let start_length = length(&lengths[kernel.cell([start[0].into(), start[1].into()])]);
    let found = Certificate {
        error: unit_error * longest,
        start_error: unit_error * start_length,
        longest,
    };
    ControlFlow::Continue((2.0 * found.error < GAP && longest <= bound).then_some(found))
}
