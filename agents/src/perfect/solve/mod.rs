//! Perfect play by value iteration over all turn-start states.
//!
//! A solver needs the positions numbered ([`TurnModel`]) and knows nothing else of the game. Two seats are solved with
//! one number a position and a proven error bound; three and four seats each for itself with one number a seat.

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

pub use best_response::{Memory, Response, evaluate_policies};
pub use certificate::Certificate;
pub use kernel::{PlayerPolicy, TabularPolicy};
pub use memory::check_memory;
pub(crate) use sweep::fold;
pub use sweep::{Cursor, SweepProgress};

/// The unit of the bits of a value: values are fractions of 2³² − 1.
pub const UNIT: f64 = 1.0 / ONE as f64;

/// The settings of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolveConfig {
    /// Threads; the values do not depend on it.
    pub threads: usize,
    /// A value has converged when a sweep changes it by no more than this; about 2e-9 is the finest that makes sense.
    pub tolerance: f64,
    /// Whether to prove an error bound for the values of two seats, which takes more memory.
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
    /// with more those of all seats in turn order from it. Positions are in the order of [`TurnIndex::number`]; places
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
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unfinished {
    /// As in [`Solution::values`].
    pub values: Vec<u32>,
    /// Where to go on.
    pub place: Cursor,
    /// How much the bits of each value have changed in sweeps that are to be extrapolated, in an order that only the
    /// solver knows; empty where none are.
    pub deltas: Vec<u32>,
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
    /// There is too little memory.
    #[error("that needs about {gigabytes:.2} GB of memory; less is free, or a limit allows less (`ulimit -v`)")]
    Memory {
        /// How much is needed, about.
        gigabytes: f64,
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
pub(crate) fn value_count(starts: &TurnIndex) -> usize {
    if starts.seats() == 2 { starts.numbers() } else { starts.numbers() * starts.seats() }
}

/// Solves a game whose first throw is made with the side positions `start`, or goes on where it was stopped.
///
/// The values do not depend on the number of threads, nor on whether the work was stopped in between.
///
/// # Errors
/// When `unfinished` is of another game, there is too little memory, or the values do not converge.
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
    let kept = if place.has_deltas() { expected } else { 0 };
    let wrong = [(values.len(), expected), (deltas.len(), kept)].into_iter().find(|(found, due)| found != due);
    if let Some((found, expected)) = wrong {
        return Err(SolveError::Values { expected, found });
    }
    let work = Work { turns, start, place, config, watch };
    let found = if turns.index().seats() == 2 {
        kernel::transpose(&mut values, turns.index().sides().len());
        // Where seats can wait for ever, there are many solutions.
        let deltas = (!turns.index().may_wait()).then_some(&mut deltas);
        let found = work.two_seats(Swept { values: &mut values, deltas });
        kernel::transpose(&mut values, turns.index().sides().len());
        found
    } else {
        let cells = Swept { values: &mut values, deltas: None };
        work.solve(&Rounds(turns), cells, &round_order(turns), |_, _| ControlFlow::Continue(None))
    };
    Ok(match found? {
        ControlFlow::Continue(facts) => Solved::Solution(Solution { values, facts }),
        ControlFlow::Break(place) => {
            deltas.truncate(if place.has_deltas() { expected } else { 0 });
            Solved::Unfinished(Unfinished { values, place, deltas })
        }
    })
}

/// What is to be solved, and where to go on.
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

    /// Sweeps until the values have converged, and says how exact they are; or where the watch stopped it.
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
