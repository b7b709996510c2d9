//! Perfect play by value iteration over all turn-start states.
//!
//! The solver sees a game only through [`TurnModel`], which numbers the positions and enumerates their turns. A game of
//! two seats needs one value per position and gets a proven error bound. In a game of three or four seats, each seat
//! maximizes its own result, and a position has one value per seat.

mod best_response;
mod certificate;
mod kernel;
mod many;
pub(crate) mod memory;
mod order;
mod quantity;
mod sweep;

use std::ops::ControlFlow;

use ashta_env::turn_index::{Sides, TurnIndex, TurnModel};
use serde::{Deserialize, Serialize};

use kernel::TwoSeats;
use many::{Rounds, round_order};
use order::pair_order;
use quantity::{ONE, Value};
use sweep::{Kernel, Layer, Sweeps, Swept};

pub(crate) use best_response::best_responses;
pub use best_response::{Memory, ORDER, Response, evaluate_policies};
pub use certificate::Certificate;
pub use kernel::{PlayerPolicy, TabularPolicy};
pub use memory::check_memory;
pub(crate) use sweep::fold;
pub use sweep::{Cursor, SweepProgress};

/// The value of one unit of the bits: values are stored as fractions of 2³² − 1.
pub const UNIT: f64 = 1.0 / ONE as f64;

/// The settings of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolveConfig {
    /// Number of threads; the values do not depend on it.
    pub threads: usize,
    /// A value has converged if a sweep changes it by at most this number. Useful tolerances are at least about 2e-9.
    pub tolerance: f64,
    /// Whether to prove an error bound for the values of two seats, which needs more memory.
    pub certify: bool,
}

impl SolveConfig {
    fn sweeps(&self) -> Sweeps {
        Sweeps { threads: self.threads, tolerance: self.tolerance, limit: LIMIT }
    }
}

/// The stage of a solver.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// Sweeping until the values converge.
    Values(SweepProgress),
    /// Computing the Bellman residual: looking one turn ahead from every position.
    Check,
    /// Proving an error bound.
    Proof(SweepProgress),
}

/// Receives the stage of a solver regularly. If it breaks, the solver stops.
pub type StageWatch<'a> = &'a (dyn Fn(&Stage) -> ControlFlow<()> + Sync);

/// Perfect play of one game.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The values of all positions as fractions of 2³² − 1, in the order of [`TurnIndex::number`]. With two seats, the
    /// value is the expected return of the seat that throws. With more seats, there is a value for each seat, in turn
    /// order from the seat that throws. The values of unused numbers are arbitrary.
    pub values: Vec<u32>,
    /// Accuracy and cost of the values.
    pub facts: Facts,
}

/// Accuracy and cost of a solution.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Number of turn-start states.
    pub positions: u64,
    /// Number of sweeps over all positions. A sweep over one layer counts as the share of the positions in this layer.
    pub sweeps: f64,
    /// The largest total probability of throws that were left out of a turn.
    pub cut_off: f64,
    /// The Bellman residual: the largest change of a value by looking one turn ahead.
    pub residual: f64,
    /// Proven error bounds; `None` without a proof.
    pub certificate: Option<Certificate>,
}

/// The state of a solver that was stopped.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unfinished {
    /// The values, as in [`Solution::values`].
    pub values: Vec<u32>,
    /// The point at which the solver resumes.
    pub place: Cursor,
    /// The changes of the bits of each value in the sweeps that will be extrapolated, in an internal order of the
    /// solver; empty if there are no such sweeps.
    pub deltas: Vec<u32>,
}

/// The outcome of solving.
#[derive(Clone, PartialEq, Debug)]
pub enum Solved {
    /// The game is solved.
    Solution(Solution),
    /// The watch stopped the solver.
    Unfinished(Unfinished),
}

/// The reason why a game cannot be solved.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The given values are for another game.
    #[error("there are {found} values, but this game has {expected}")]
    Values {
        /// Number of values of the game.
        expected: usize,
        /// Number of given values.
        found: usize,
    },
    /// There is too little memory.
    #[error("this needs about {gigabytes:.2} GB of memory: free more memory, or raise the limit (`ulimit -v`)")]
    Memory {
        /// The memory that is needed, approximately.
        gigabytes: f64,
    },
    /// The values do not converge.
    #[error("the values still change by {change:e} after {sweeps} sweeps: perhaps perfect play needs random choices")]
    NotConverged {
        /// Number of sweeps over the layer that does not converge.
        sweeps: usize,
        /// The largest change in the last sweep.
        change: f64,
    },
}

/// The largest number of sweeps over a layer.
const LIMIT: usize = 2_000;

/// Number of values of a solution.
pub(crate) fn value_count(starts: &TurnIndex) -> usize {
    if starts.seats() == 2 { starts.numbers() } else { starts.numbers() * starts.seats() }
}

/// Solves a game that starts with the side positions `start`, or resumes from `unfinished`.
///
/// The values do not depend on the number of threads, nor on whether the solver was stopped and resumed.
///
/// # Errors
/// When `unfinished` is for another game, there is too little memory, or the values do not converge.
pub fn solve<T: TurnModel>(
    turns: &T,
    start: Sides,
    unfinished: Option<Unfinished>,
    config: &SolveConfig,
    watch: StageWatch<'_>,
) -> Result<Solved, SolveError> {
    let expected = value_count(turns.index());
    if unfinished.is_none() {
        check_memory(turns.index(), config.certify, config.threads)?;
    }
    let fresh = || Unfinished { values: vec![ONE / 2; expected], ..Unfinished::default() };
    let Unfinished { mut values, place, mut deltas } = unfinished.unwrap_or_else(fresh);
    let due = if place.has_deltas() { expected } else { 0 };
    let wrong = [(values.len(), expected), (deltas.len(), due)].into_iter().find(|(found, due)| found != due);
    if let Some((found, expected)) = wrong {
        return Err(SolveError::Values { expected, found });
    }
    let work = Work { turns, start, place, config, watch };
    let found = if turns.index().seats() == 2 {
        kernel::transpose(&mut values, turns.index().sides().len());
        // If seats can wait for each other forever, there can be several solutions. Then the solver does not
        // extrapolate.
        let deltas = (!turns.index().may_wait()).then_some(&mut deltas);
        let found = work.two_seats(Swept { values: &mut values, deltas });
        kernel::transpose(&mut values, turns.index().sides().len());
        found
    } else {
        let cells = Swept { values: &mut values, deltas: None };
        work.solve(&Rounds { turns, others: None }, cells, &round_order(turns), |_, _| ControlFlow::Continue(None))
    };
    Ok(match found? {
        ControlFlow::Continue(facts) => Solved::Solution(Solution { values, facts }),
        ControlFlow::Break(place) => {
            deltas.truncate(if place.has_deltas() { expected } else { 0 });
            Solved::Unfinished(Unfinished { values, place, deltas })
        }
    })
}

/// The game to solve, the point at which the solver starts, and the settings.
struct Work<'a, T> {
    turns: &'a T,
    start: Sides,
    place: Cursor,
    config: &'a SolveConfig,
    watch: StageWatch<'a>,
}

impl<T: TurnModel> Work<'_, T> {
    /// Solves a game of two seats.
    fn two_seats(&self, cells: Swept<'_>) -> Result<ControlFlow<Cursor, Facts>, SolveError> {
        let Work { turns, start, config, .. } = *self;
        let kernel = TwoSeats::<T, Value>::new(turns, [PlayerPolicy::Best; 2], true);
        self.solve(&kernel, cells, &pair_order(turns.index().sides()), |cells, residual| {
            if !config.certify {
                return ControlFlow::Continue(None);
            }
            let watch = |progress: &SweepProgress| (self.watch)(&Stage::Proof(*progress));
            certificate::certify(turns, cells.values, start, residual, config.threads, cells.deltas, &watch)
        })
    }

    /// Sweeps until the values have converged, then measures their accuracy. If the watch stops the solver, breaks with
    /// the current cursor.
    fn solve<K: Kernel>(
        &self,
        kernel: &K,
        mut cells: Swept<'_>,
        order: &[Layer<K::Item>],
        certify: impl FnOnce(Swept<'_>, f64) -> ControlFlow<(), Option<Certificate>>,
    ) -> Result<ControlFlow<Cursor, Facts>, SolveError> {
        let on_progress = |progress: &SweepProgress| (self.watch)(&Stage::Values(*progress));
        let swept = Swept { values: cells.values, deltas: cells.deltas.as_deref_mut() };
        let place = match self.config.sweeps().run(kernel, swept, order, self.place, &on_progress)? {
            ControlFlow::Continue(place) => place,
            ControlFlow::Break(place) => return Ok(ControlFlow::Break(place)),
        };
        if (self.watch)(&Stage::Check).is_break() {
            return Ok(ControlFlow::Break(place));
        }
        let (positions, residual) = kernel.check(cells.values, self.config.threads);
        let certificate = match certify(cells, residual) {
            ControlFlow::Continue(certificate) => certificate,
            ControlFlow::Break(()) => return Ok(ControlFlow::Break(place)),
        };
        let (sweeps, cut_off) = (place.work, self.turns.cut_off());
        Ok(ControlFlow::Continue(Facts { positions, sweeps, cut_off, residual, certificate }))
    }
}
