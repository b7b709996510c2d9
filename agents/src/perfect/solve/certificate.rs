//! A proven error bound for the values of value iteration.
//!
//! Let `h` be a number for each position with `h ≥ c + E[max h]` (`c > 0`), where the maximum is over the results that
//! a player might choose: all whose value is within a gap of the best. Let looking one turn ahead change no value by
//! more than `r`, and let `d` be the largest probability of throws that were left out. Then with `e = (r + d) / c` the
//! values plus `e·h` are at least what perfect play gets from looking one turn ahead at them, as long as `2·e·h` stays
//! below the gap, because then no result beyond the gap can become the best; in the same way the values less `e·h` are
//! at most that. Bounds that a turn of perfect play only tightens hold perfect play between them. `docs/solving.md` has
//! the argument in full.
//!
//! `h` is found by sweeping like the values themselves: it is about the expected number of turns when both players drag
//! the game out as long as that costs them next to nothing. When the last sweep changes no `h` by more than `t`, then
//! `c = 1 − t` will do.

use std::ops::ControlFlow;

use ashta_env::turn_index::{Sides, TurnModel};
use serde::{Deserialize, Serialize};

use super::kernel::TwoSeats;
use super::order::pair_order;
use super::quantity::{Length, Quantity};
use super::sweep::{Cursor, SolveWatch, Sweeps, Swept};

/// Results whose values differ by less than this from the best might be the best.
const GAP: f64 = 1e-3;
/// `h` is swept until it changes by no more than this.
const TOLERANCE: f64 = 0.25;
/// The most that rounding to single precision takes from `c` besides.
const ROUNDING: f64 = 0.01;
/// Sweeps after which `h` is taken to have no bound.
const LIMIT: usize = 200;
/// The probability of the throws that are covered where many positions are swept at once.
const COVERED: f64 = 0.999;

/// Bounds of the error of the values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// In any position.
    pub error: f64,
    /// In the position before the first throw.
    pub start_error: f64,
    /// The largest `h`: about the expected number of turns when both players drag the game out.
    pub longest: f64,
}

/// Bounds for values that look-ahead changes by at most `residual`; `None` where there is no proof. `values` are in the
/// order of the kernel, and `deltas` is room for changes, all 0. Breaks when the watch does.
pub(super) fn certify<T: TurnModel>(
    turns: &T,
    values: &[u32],
    start: Sides,
    residual: f64,
    threads: usize,
    deltas: Option<&mut Vec<u32>>,
    watch: SolveWatch<'_>,
) -> ControlFlow<(), Option<Certificate>> {
    let mut lengths = vec![0; values.len()];
    let sweeps = Sweeps { threads, tolerance: TOLERANCE, limit: LIMIT };
    let (covered, bound) = if turns.has_rows() { (COVERED, Length::BOUND) } else { (1.0, f64::INFINITY) };
    let kernel = TwoSeats::<T, Length>::of_nearly_best(turns, values, GAP, covered);
    let cells = Swept { values: &mut lengths, deltas };
    match sweeps.run(&kernel, cells, &pair_order(turns.index().sides()), Cursor::default(), watch) {
        Ok(ControlFlow::Continue(_)) => {}
        Ok(ControlFlow::Break(_)) => return ControlFlow::Break(()),
        Err(_) => return ControlFlow::Continue(None),
    }
    let length = |&bits: &u32| Length::number(Length::key(bits));
    let longest = lengths.iter().map(length).fold(0.0, f64::max);
    let unit_error = (residual + turns.cut_off()) / (1.0 - TOLERANCE - ROUNDING);
    let start_length = length(&lengths[kernel.cell([start[0].into(), start[1].into()])]);
    let found = Certificate { error: unit_error * longest, start_error: unit_error * start_length, longest };
    ControlFlow::Continue((2.0 * found.error < GAP && longest <= bound).then_some(found))
}
