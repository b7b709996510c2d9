//! Perfect play by value iteration over all turn-start states.
//!
//! The solver sees a game only through [`TurnModel`], which numbers the positions and enumerates
//! their turns. A game of two seats needs one value per position and gets a proven error bound. In
//! a game of three or four seats, each seat maximizes its own result, and a position has one value
//! per seat.

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
use many::Rounds;
use quantity::{ONE, Value};
use sweep::{Kernel, Sweeps, Swept};

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
    /// A value has converged if a sweep changes it by at most this number. Useful tolerances are at
    /// least about 2e-9.
    pub tolerance: f64,
    /// Whether to prove an error bound for the values of two seats, which needs more memory.
    pub certify: bool,
}

impl SolveConfig {
    fn sweeps(&self) -> Sweeps {
        Sweeps {
            threads: self.threads,
            tolerance: self.tolerance,
            limit: LIMIT,
        }
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
    /// The values of all positions as fractions of 2³² − 1, in the order of [`TurnIndex::number`].
    /// With two seats, the value is the expected return of the seat that throws. With more seats,
    /// there is a value for each seat, in turn order from the seat that throws. The values of
    /// unused numbers are arbitrary.
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
    /// Number of sweeps over all positions. A sweep over one layer counts as the share of the
    /// positions in this layer.
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
    /// The changes of the bits of each value in the sweeps that will be extrapolated, in an
    /// internal order of the solver; empty if there are no such sweeps.
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
    #[error(
        "this needs about {gigabytes:.2} GB of memory: free more memory, or raise the limit (`ulimit -v`)"
    )]
    Memory {
        /// The memory that is needed, approximately.
        gigabytes: f64,
    },
    /// The values do not converge.
    #[error(
        "the values still change by {change:e} after {sweeps} sweeps: perhaps perfect play needs random choices"
    )]
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
    if starts.seats() == 2 {
        starts.numbers()
    } else {
        starts.numbers() * starts.seats()
    }
}

/// Solves a game that starts with the side positions `start`, or resumes from `unfinished`.
///
/// The values do not depend on the number of threads, nor on whether the solver was stopped and
/// resumed.
///
/// # Errors
/// When `unfinished` is for another game, there is too little memory, or the values do not
/// converge.
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
    let fresh = || Unfinished {
        values: vec![ONE / 2; expected],
        ..Unfinished::default()
    };
    let Unfinished {
        mut values,
        place,
        mut deltas,
    } = unfinished.unwrap_or_else(fresh);
    let due = if place.has_deltas() { expected } else { 0 };
    let wrong = [(values.len(), expected), (deltas.len(), due)]
        .into_iter()
        .find(|(found, due)| found != due);
    if let Some((found, expected)) = wrong {
        return Err(SolveError::Values { expected, found });
    }
    let (index, is_pair) = (turns.index(), turns.index().seats() == 2);
    // If seats can wait for each other forever, there can be several solutions. Then the solver
    // does not extrapolate.
    let extrapolates = is_pair && !index.may_wait();
    let mut cells = Swept {
        values: &mut values,
        deltas: extrapolates.then_some(&mut deltas),
    };
    let found = if is_pair {
        let kernel = TwoSeats::<T, Value>::new(turns, [PlayerPolicy::Best; 2], true);
        let prove = |cells: &mut Swept<'_>, residual| {
            let watch = |progress: &SweepProgress| watch(&Stage::Proof(*progress));
            certificate::certify(turns, cells, start, residual, config.threads, &watch)
        };
        kernel::transpose(cells.values, index.sides().len());
        let found = settle(&kernel, &mut cells, place, config, watch, prove);
        kernel::transpose(cells.values, index.sides().len());
        found
    } else {
        let kernel = Rounds {
            turns,
            others: None,
        };
        settle(&kernel, &mut cells, place, config, watch, |_, _| {
            ControlFlow::Continue(None)
        })
    };
    Ok(match found? {
        ControlFlow::Continue((place, positions, residual, certificate)) => {
            let facts = Facts {
                positions,
                sweeps: place.work,
                cut_off: turns.cut_off(),
                residual,
                certificate,
            };
            Solved::Solution(Solution { values, facts })
        }
        ControlFlow::Break(place) => {
            deltas.truncate(if place.has_deltas() { expected } else { 0 });
            Solved::Unfinished(Unfinished {
                values,
                place,
                deltas,
            })
        }
    })
}

/// The last cursor of a solver, the number of positions, the Bellman residual, and the proof.
type Settled = (Cursor, u64, f64, Option<Certificate>);

/// Sweeps until the values have converged, then measures their accuracy. If the watch stops the
/// solver, breaks with the current cursor.
fn settle<K: Kernel>(
    kernel: &K,
    cells: &mut Swept<'_>,
    place: Cursor,
    config: &SolveConfig,
    watch: StageWatch<'_>,
    prove: impl FnOnce(&mut Swept<'_>, f64) -> ControlFlow<(), Option<Certificate>>,
) -> Result<ControlFlow<Cursor, Settled>, SolveError> {
    let on_progress = |progress: &SweepProgress| watch(&Stage::Values(*progress));
    let place = match config.sweeps().run(kernel, cells, place, &on_progress)? {
        ControlFlow::Continue(place) => place,
        ControlFlow::Break(place) => return Ok(ControlFlow::Break(place)),
    };
    if watch(&Stage::Check).is_break() {
        return Ok(ControlFlow::Break(place));
    }
    let (positions, residual) = kernel.check(cells.values, config.threads);
    let certificate = if config.certify {
        prove(cells, residual)
    } else {
        ControlFlow::Continue(None)
    };
    Ok(certificate
        .map_continue(|certificate| (place, positions, residual, certificate))
        .map_break(|()| place))
}
