//! Perfect play by value iteration over all turn-start states.
//!
//! A solver needs the positions numbered ([`TurnModel`]) and knows nothing else of the game. Two seats are solved with
//! one number a position and a proven error bound; three and four seats each for itself with one number a seat.

mod best_response;
mod certificate;
mod compare;
mod duel;
mod many;
mod rows;
mod sweep;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use ashta_env::turn_index::{Sides, TurnModel};
use serde::{Deserialize, Serialize};

use duel::{Duel, PairOrder, PerfectKernel};
use rows::{Rows, TileOrder, Value};
use sweep::{Sweeps, Swept};

pub use best_response::{Memory, Response, evaluate_policies};
pub use certificate::Certificate;
pub use compare::{Differences, differences};
pub(crate) use duel::fold;
pub use duel::{PlayerPolicy, TabularPolicy};
pub use sweep::{Cursor, SweepProgress};

/// The unit of the bits of a value: values are fractions of 2³² − 1.
pub const UNIT: f64 = duel::UNIT;

/// The settings of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolveConfig {
    /// Threads; the values do not depend on it.
    pub threads: usize,
    /// A value has converged when a sweep changes it by no more than this; about 2e-9 is the finest that makes sense.
    pub tolerance: f64,
    /// Whether to prove an error bound for the values of two seats, which doubles the memory.
    pub certify: bool,
}

/// The stage of a solver.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// It finds the values.
    Values(SweepProgress),
    /// It looks one turn ahead from every position.
    Check,
    /// It proves an error bound.
    Proof(SweepProgress),
}

/// Receives the stage of a solver at intervals; stops it by breaking.
pub type StageWatch<'a> = &'a (dyn Fn(&Stage) -> ControlFlow<()> + Sync);

/// Perfect play of one game.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The values of all positions as fractions of 2³² − 1: with two seats the expected return of the seat that throws,
    /// with more those of all seats in turn order from it. Positions are in the order of [`TurnModel::number`]; places
    /// that no position has hold arbitrary values.
    pub values: Vec<u32>,
    /// Their accuracy and cost.
    pub facts: Facts,
}

/// Accuracy and cost of a solution.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Number of positions at the start of a turn.
    pub positions: u64,
    /// Sweeps over all positions; parts count as such.
    pub sweeps: f64,
    /// Probability of throws that were left out of a turn at most.
    pub cut_off: f64,
    /// The Bellman residual: the largest change of a value by looking one turn ahead.
    pub residual: f64,
    /// Proven bounds of the error, where there is a proof.
    pub certificate: Option<Certificate>,
}

/// Values on the way to perfect play.
#[derive(Clone, PartialEq, Debug)]
pub struct Unfinished {
    /// As in [`Solution::values`].
    pub values: Vec<u32>,
    /// Where to go on.
    pub place: Cursor,
}

/// The outcome of solving.
#[derive(Clone, PartialEq, Debug)]
pub enum Solved {
    /// The game is solved.
    Solution(Solution),
    /// The watch stopped it.
    Unfinished(Unfinished),
}

/// Why a game cannot be solved.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The values to go on with are those of another game.
    #[error("there are {found} values to go on with, not {expected}")]
    Values {
        /// How many the game has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The values do not converge.
    #[error("after {sweeps} sweeps values still change by {change:e}: there may be no pure perfect play")]
    NotConverged {
        /// Sweeps over the part that does not converge.
        sweeps: usize,
        /// The largest change in the last of them.
        change: f64,
    },
}

/// Sweeps after which values are taken not to converge.
const LIMIT: usize = 2_000;

/// Number of values of a solution.
pub fn value_count(numbers: usize, seats: usize) -> usize {
    if seats == 2 { numbers } else { numbers * seats }
}

/// Solves a game whose first throw is made with the side positions `start`, or goes on where it was stopped.
///
/// The values do not depend on the number of threads, nor on whether the work was stopped in between.
///
/// # Errors
/// When `unfinished` is of another game, or the values do not converge.
pub fn solve<T: TurnModel>(
    turns: &T,
    start: Sides,
    unfinished: Option<Unfinished>,
    config: &SolveConfig,
    watch: StageWatch<'_>,
) -> Result<Solved, SolveError> {
    let expected = value_count(turns.numbers(), turns.seats());
    let (cells, place) = match unfinished {
        Some(Unfinished { values, place }) if values.len() == expected => {
            (values.into_iter().map(AtomicU32::new).collect(), place)
        }
        Some(Unfinished { values, .. }) => return Err(SolveError::Values { expected, found: values.len() }),
        None => (duel::cells(expected), Cursor::default()),
    };
    let sweeps = Sweeps { threads: config.threads.max(1), tolerance: config.tolerance, limit: LIMIT };
    let on_progress = |progress: &SweepProgress| watch(&Stage::Values(*progress));
    let swept = if turns.has_rows() {
        let kernel = Rows::<T, Value>::new(Duel::new(turns), &cells, 1.0);
        sweeps.run(&kernel, &cells, &TileOrder(PairOrder::new(turns.sides())), place, &on_progress)
    } else if turns.seats() == 2 {
        let kernel = PerfectKernel { duel: Duel::new(turns), cells: &cells };
        sweeps.run(&kernel, &cells, &PairOrder::new(turns.sides()), place, &on_progress)
    } else {
        many::sweep(turns, &cells, sweeps, place, &on_progress)
    };
    let place = match swept {
        Swept::Converged(place) => place,
        Swept::Stopped(place) => return Ok(Solved::Unfinished(Unfinished { values: plain(cells), place })),
        Swept::NotConverged(place) => {
            return Err(SolveError::NotConverged { sweeps: place.sweeps, change: place.change });
        }
    };
    if watch(&Stage::Check).is_break() {
        return Ok(Solved::Unfinished(Unfinished { values: plain(cells), place }));
    }
    let (positions, residual) =
        if turns.seats() == 2 { check(turns, &cells, sweeps.threads) } else { many::check(turns, &cells) };
    let mut certificate = None;
    if config.certify && turns.seats() == 2 {
        let on_progress = |progress: &SweepProgress| watch(&Stage::Proof(*progress));
        match certificate::certify(turns, &cells, start, residual, sweeps.threads, &on_progress) {
            Ok(found) => certificate = found,
            Err(certificate::Stopped) => {
                return Ok(Solved::Unfinished(Unfinished { values: plain(cells), place }));
            }
        }
    }
    let facts = Facts { positions, sweeps: place.work, cut_off: turns.cut_off(), residual, certificate };
    Ok(Solved::Solution(Solution { values: plain(cells), facts }))
}

/// Counts the positions of two seats and finds the largest change by looking one turn ahead.
fn check<T: TurnModel>(turns: &T, cells: &[AtomicU32], threads: usize) -> (u64, f64) {
    let kernel = PerfectKernel { duel: Duel::new(turns), cells };
    let rows = turns.has_rows().then(|| Rows::<T, Value>::new(Duel::new(turns), cells, 1.0));
    let visit = |(count, largest): &mut (u64, f64), own| {
        let positions = kernel.duel.positions(own);
        *largest = match &rows {
            Some(rows) => largest.max(rows.residual(own)),
            None => positions.clone().map(|sides| kernel.residual(sides)).fold(*largest, f64::max),
        };
        *count += positions.count() as u64;
    };
    let folds = kernel.duel.fold(threads, || (0, 0.0_f64), visit);
    folds.into_iter().fold((0, 0.0_f64), |sum, fold| (sum.0 + fold.0, sum.1.max(fold.1)))
}

fn plain(cells: Vec<AtomicU32>) -> Vec<u32> {
    cells.into_iter().map(|cell| cell.load(Ordering::Relaxed)).collect()
}
