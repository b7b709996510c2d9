//! Gauss-Seidel sweeps of value iteration on all threads, in an order that makes one sweep nearly backward induction.
//!
//! An order has layers, which the game never leaves backward, so that each is finished before the ones that lead to it;
//! and within a layer levels, which only captures lead back to, so that only for them further sweeps are needed.
//! Positions of one level are independent of each other but for a capture or a pass; they read the values from before
//! the level, in whatever order threads run. So the values do not depend on the number of threads.
//!
//! From sweep to sweep the changes become smaller at a rate that soon is the same, of either sign, since a value counts
//! for one seat what it does not for the other. Once two rates in a row are alike, the changes of the last two sweeps
//! are taken for the beginning of a geometric series, and all values move to where it ends.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use serde::{Deserialize, Serialize};

use super::SolveError;
use super::quantity::Quantity;

/// What is swept.
pub(super) struct Swept<'a> {
    /// The bits of values.
    pub(super) values: &'a mut [u32],
    /// By cell how much its bits have changed in sweeps that are to be extrapolated: for all or for none. Once all
    /// layers have converged all are 0. `None` where nothing is extrapolated, as there can be more than one solution.
    pub(super) deltas: Option<&'a mut Vec<u32>>,
}

/// Two rates in a row are alike where they differ by less than this share of what they are below 1.
const ALIKE: f64 = 0.2;

/// Positions that are swept until their values have converged, before those of the next layer.
pub(super) struct Layer<I> {
    /// Its share in all positions.
    pub(super) share: f64,
    /// Its levels; each item is some positions that one thread works on together.
    pub(super) levels: Vec<Vec<I>>,
}

/// The update of positions in a sweep.
pub(super) trait Kernel: Sync {
    /// Some positions.
    type Item: Sync;
    /// What it finds for each position.
    type Quantity: Quantity;

    /// Calls `set` with the cell and the new bits of every value of the positions.
    fn update(&self, cells: &[u32], item: &Self::Item, set: impl FnMut(usize, u32));

    /// Counts the positions and finds the largest change by looking one turn ahead.
    fn check(&self, cells: &[u32], threads: usize) -> (u64, f64);
}

/// Between which levels of which sweep a solver stands: all it must know to go on, besides the values.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Layers that are finished.
    pub layers: usize,
    /// Sweeps over the next layer that are finished.
    pub sweeps: usize,
    /// Levels of its next sweep that are finished.
    pub levels: usize,
    /// The largest change of a value in that sweep so far.
    pub change: f64,
    /// Sweeps that are finished in all, each counted by its share of the positions.
    pub work: f64,
    /// The sum of all changes in the sweep so far, in units of 2⁻³²; changes above 1 count as 1.
    #[serde(default)]
    pub total: u64,
    /// Those of the sweeps before, up to three since the last extrapolation, the latest first.
    #[serde(default)]
    pub totals: [u64; 3],
}

impl Cursor {
    /// Whether changes are kept, to be extrapolated.
    pub(crate) fn has_deltas(&self) -> bool {
        self.totals[0] > 0
    }

    /// The changes that are to be expected after the last two sweeps, in units of those that these made.
    fn to_come(self) -> Option<f64> {
        let [last, before, first] = self.totals.map(|total| total as f64);
        let (rate, rate_before, both) = (last / before, before / first, last / first);
        (rate < 1.0 && (rate - rate_before).abs() < ALIKE * (1.0 - rate)).then_some(both / (1.0 - both))
    }
}

/// The report to a watch after each level.
#[derive(Clone, Copy, Debug)]
pub struct SweepProgress {
    /// Where the solver stands.
    pub place: Cursor,
    /// Layers in all.
    pub layers: usize,
    /// Levels of the sweep under way.
    pub levels: usize,
    /// The largest change in the sweep before; 1 in the first one.
    pub last_change: f64,
}

/// Receives the progress of the solver after each level; stops it by breaking.
pub type SolveWatch<'a> = &'a (dyn Fn(&SweepProgress) -> ControlFlow<()> + Sync);

/// How long to sweep and with how many threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweeps {
    pub(super) threads: usize,
    /// A layer is finished when no value changes by more than this.
    pub(super) tolerance: f64,
    /// Sweeps after which a layer is given up.
    pub(super) limit: usize,
}

/// The new bits of some cells, with the largest change and the sum of all changes as in [`Cursor`].
#[derive(Default)]
struct Changes {
    new: Vec<(usize, u32)>,
    change: f64,
    total: u64,
}

impl Swept<'_> {
    /// Sets values, and adds to their changes where these are kept.
    fn set(&mut self, new: &[(usize, u32)], has_deltas: bool) {
        if let Some(deltas) = self.deltas.as_mut().filter(|_| has_deltas) {
            deltas.resize(self.values.len(), 0);
            for &(cell, bits) in new {
                deltas[cell] = deltas[cell].wrapping_add(bits.wrapping_sub(self.values[cell]));
            }
        }
        new.iter().for_each(|&(cell, bits)| self.values[cell] = bits);
    }

    /// Moves every value that has changed by so many times its change.
    fn extrapolate<Q: Quantity>(&mut self, factor: f64) {
        // Most cells belong to other layers. They are only read, which takes a small part of the time.
        for (value, by) in self.values.iter_mut().zip(self.deltas.iter_mut().flat_map(|deltas| deltas.iter_mut())) {
            if *by != 0 {
                *value = Q::extrapolated(value.wrapping_sub(*by), *value, factor);
                *by = 0;
            }
        }
    }
}

impl Sweeps {
    /// Sweeps over `cells` from `place` on until all values have converged; breaks where the watch does. Their deltas
    /// belong to the place.
    ///
    /// # Errors
    /// When a layer has not converged within the limit.
    pub(super) fn run<K: Kernel>(
        self,
        kernel: &K,
        mut cells: Swept<'_>,
        order: &[Layer<K::Item>],
        mut place: Cursor,
        watch: SolveWatch<'_>,
    ) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        let mut last_change = 1.0;
        while let Some(Layer { share, levels }) = order.get(place.layers) {
            while let Some(items) = levels.get(place.levels) {
                for Changes { new, change, total } in self.update(kernel, cells.values, items) {
                    cells.set(&new, place.has_deltas());
                    place.change = place.change.max(change);
                    place.total += total;
                }
                place.levels += 1;
                let progress = SweepProgress { place, layers: order.len(), levels: levels.len(), last_change };
                if watch(&progress).is_break() {
                    return Ok(ControlFlow::Break(place));
                }
            }
            place.sweeps += 1;
            place.work += share;
            last_change = place.change;
            let is_converged = place.change <= self.tolerance;
            if cells.deltas.is_some() {
                let has_deltas = place.has_deltas();
                place.totals = [place.total, place.totals[0], place.totals[1]];
                if has_deltas && (is_converged || place.totals[2] > 0) {
                    let to_come = place.to_come().filter(|_| !is_converged);
                    cells.extrapolate::<K::Quantity>(to_come.unwrap_or(0.0));
                    place.totals = if to_come.is_some() { [0; 3] } else { [place.total, 0, 0] };
                }
            }
            if is_converged {
                place = Cursor { layers: place.layers + 1, work: place.work, ..Cursor::default() };
                last_change = 1.0;
            } else if place.sweeps >= self.limit {
                return Err(SolveError::NotConverged { sweeps: place.sweeps, change: place.change });
            }
            (place.levels, place.change, place.total) = (0, 0.0, 0);
        }
        Ok(ControlFlow::Continue(place))
    }

    /// Works on the items of a level.
    fn update<K: Kernel>(self, kernel: &K, cells: &[u32], items: &[K::Item]) -> Vec<Changes> {
        let visit = |Changes { new, change, total }: &mut Changes, item: usize| {
            kernel.update(cells, &items[item], |cell, bits| {
                let distance = K::Quantity::distance(cells[cell], bits);
                *change = change.max(distance);
                *total += (distance.min(1.0) * f64::from(u32::MAX)).ceil() as u64;
                new.push((cell, bits));
            });
        };
        // To start a thread for a few items takes longer than to work on them.
        let threads = self.threads.min(items.len() / LEAST);
        fold(items.len(), threads, Changes::default, visit)
    }
}

/// Items of a level for each thread at least.
const LEAST: usize = 4;

/// Calls `visit` once with each number below `count`, on so many threads with a fold of its own each; returns the
/// folds.
///
/// # Panics
/// When `visit` does.
pub(crate) fn fold<A: Send>(
    count: usize,
    threads: usize,
    start: impl Fn() -> A + Sync,
    visit: impl Fn(&mut A, usize) + Sync,
) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut folded = start();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return folded;
            }
            visit(&mut folded, number);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut folds = vec![work()];
        let join = |other: ScopedJoinHandle<'_, A>| other.join().unwrap_or_else(|panic| resume_unwind(panic));
        folds.extend(others.into_iter().map(join));
        folds
    })
}
