//! Gauss-Seidel sweeps of value iteration on several threads. The order of the positions makes a
//! sweep similar to backward induction.
//!
//! The order has layers, and a layer has levels. The game never returns to a layer that it has
//! left. So the sweeps over a layer end before the solver begins with the layers that lead to this
//! layer. Within a layer, only captures lead to positions with fewer steps, so only captures make
//! more than one sweep necessary. The positions of a level depend on each other only through
//! captures and passes, and every update in a level uses the values from before the level. So the
//! values do not depend on the number of threads.
//!
//! From sweep to sweep, the changes soon shrink at a constant rate. Their signs can alternate,
//! because a gain for one seat is a loss for the other. If two consecutive rates are similar, the
//! solver regards the changes of the last two sweeps as the start of a geometric series, and moves
//! all values to its limit.

use std::{
    ops::ControlFlow,
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread::ScopedJoinHandle,
};

use serde::{Deserialize, Serialize};

use super::{SolveError, quantity::Quantity};

/// The cells that sweeps update.
pub struct Swept<'a> {
    /// The bits of the values.
    pub values: &'a mut [u32],
    /// The change of the bits of each cell in the sweeps that will be extrapolated; empty before
    /// the first such sweep, and all 0 after all layers have converged. `None` if nothing is
    /// extrapolated, because there can be several solutions.
    pub deltas: Option<&'a mut Vec<u32>>,
}

/// Two consecutive rates are similar if their difference is less than this number times (1 − the
/// last rate).
const SIMILAR: f64 = 0.2;

/// A group of positions. Sweeps over a layer repeat until its values have converged; then the next
/// layer begins.
pub struct Layer<I> {
    /// Its share of all positions.
    pub share: f64,
    /// Its levels. An item is a group of positions that one thread updates together.
    pub levels: Vec<Vec<I>>,
}

/// Updates positions in a sweep.
pub trait Kernel: Sync {
    /// A group of positions.
    type Item: Sync;
    /// The quantity that the kernel computes for each position.
    type Quantity: Quantity;

    /// Returns the positions in the order of a sweep.
    fn order(&self) -> Vec<Layer<Self::Item>>;

    /// Calls `set` with the cell and the new bits of every value of the positions in `item`.
    fn update(&self, cells: &[u32], item: &Self::Item, set: impl FnMut(usize, u32));

    /// Returns the number of positions, and the largest change of a value by looking one turn
    /// ahead.
    fn check(&self, cells: &[u32], threads: usize) -> (u64, f64);
}

/// The progress of a solver, between two levels of a sweep: its whole state except the values and
/// their changes.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Finished layers.
    pub layers: usize,
    /// Finished sweeps over the current layer.
    pub sweeps: usize,
    /// Finished levels of the current sweep.
    pub levels: usize,
    /// The largest change of a value in the current sweep so far.
    pub change: f64,
    /// All finished sweeps, each counted by the share of its layer.
    pub work: f64,
    /// The sum of all changes in the current sweep so far, in units of 2⁻³²; changes above 1 count
    /// as 1.
    #[serde(default)]
    pub total: u64,
    /// The `total` of each previous sweep since the last extrapolation, at most three, the latest
    /// first.
    #[serde(default)]
    pub totals: [u64; 3],
}

impl Cursor {
    /// Whether the solver records the changes of the values for an extrapolation.
    pub(crate) fn has_deltas(&self) -> bool {
        self.totals[0] > 0
    }

    /// The expected sum of all future changes, divided by the sum of the changes in the last two
    /// sweeps; `None` if the last rates are not similar.
    fn extrapolation_factor(self) -> Option<f64> {
        let [last, before, first] = self.totals.map(|total| total as f64);
        let (rate, rate_before, both) = (last / before, before / first, last / first);
        (rate < 1.0 && (rate - rate_before).abs() < SIMILAR * (1.0 - rate))
            .then_some(both / (1.0 - both))
    }
}

/// The report to a watch after each level.
#[derive(Clone, Copy, Debug)]
pub struct SweepProgress {
    /// The progress of the solver.
    pub place: Cursor,
    /// Number of all layers.
    pub layers: usize,
    /// Number of levels of the current layer.
    pub levels: usize,
    /// The largest change in the previous sweep over the layer; 1 in the first sweep.
    pub last_change: f64,
}

/// Receives the progress of the solver after each level. If it breaks, the solver stops.
pub type SolveWatch<'a> = &'a (dyn Fn(&SweepProgress) -> ControlFlow<()> + Sync);

/// The settings of sweeps.
#[derive(Clone, Copy)]
pub struct Sweeps {
    pub threads: usize,
    /// A layer has converged if a sweep changes no value by more than this number.
    pub tolerance: f64,
    /// The largest number of sweeps over a layer.
    pub limit: usize,
}

/// The new bits of some cells, with the largest change and the sum of all changes as in [`Cursor`].
#[derive(Default)]
struct Changes {
    new: Vec<(usize, u32)>,
    change: f64,
    total: u64,
}

impl Swept<'_> {
    /// Sets values. With `has_deltas`, also adds their changes to the deltas.
    fn set(&mut self, new: &[(usize, u32)], has_deltas: bool) {
        if let Some(deltas) = self.deltas.as_mut().filter(|_| has_deltas) {
            deltas.resize(self.values.len(), 0);
            for &(cell, bits) in new {
                deltas[cell] = deltas[cell].wrapping_add(bits.wrapping_sub(self.values[cell]));
            }
        }
        new.iter()
            .for_each(|&(cell, bits)| self.values[cell] = bits);
    }

    /// Moves every value by `factor` times its delta, and sets all deltas to 0.
    fn extrapolate<Q: Quantity>(&mut self, factor: f64) {
        // Most cells belong to other layers. This loop only reads them, which takes little time.
        for (value, by) in self
            .values
            .iter_mut()
            .zip(self.deltas.iter_mut().flat_map(|deltas| deltas.iter_mut()))
        {
            if *by != 0 {
                *value = Q::extrapolated(value.wrapping_sub(*by), *value, factor);
                *by = 0;
            }
        }
    }
}

impl Sweeps {
    /// Sweeps over `cells` from `place` on until all values have converged. The deltas of `cells`
    /// belong to `place`. If `watch` breaks, breaks with the current cursor.
    ///
    /// # Errors
    /// When a layer has not converged after `limit` sweeps.
    pub fn run<K: Kernel>(
        self,
        kernel: &K,
        cells: &mut Swept<'_>,
        mut place: Cursor,
        watch: SolveWatch<'_>,
    ) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        let (order, mut last_change) = (kernel.order(), 1.0);
        while let Some(Layer { share, levels }) = order.get(place.layers) {
            while let Some(items) = levels.get(place.levels) {
                for Changes { new, change, total } in self.update(kernel, cells.values, items) {
                    cells.set(&new, place.has_deltas());
                    place.change = place.change.max(change);
                    place.total += total;
                }
                place.levels += 1;
                let progress = SweepProgress {
                    place,
                    layers: order.len(),
                    levels: levels.len(),
                    last_change,
                };
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
                    let factor = place.extrapolation_factor().filter(|_| !is_converged);
                    cells.extrapolate::<K::Quantity>(factor.unwrap_or(0.0));
                    place.totals = if factor.is_some() {
                        [0; 3]
                    } else {
                        [place.total, 0, 0]
                    };
                }
            }
            if is_converged {
                place = Cursor {
                    layers: place.layers + 1,
                    work: place.work,
                    ..Cursor::default()
                };
                last_change = 1.0;
            } else if place.sweeps >= self.limit {
                return Err(SolveError::NotConverged {
                    sweeps: place.sweeps,
                    change: place.change,
                });
            }
            (place.levels, place.change, place.total) = (0, 0.0, 0);
        }
        Ok(ControlFlow::Continue(place))
    }

    /// Computes the new values of the items of a level.
    fn update<K: Kernel>(self, kernel: &K, cells: &[u32], items: &[K::Item]) -> Vec<Changes> {
        let visit = |Changes { new, change, total }: &mut Changes, item: usize| {
            kernel.update(cells, &items[item], |cell, bits| {
                let distance = K::Quantity::distance(cells[cell], bits);
                *change = change.max(distance);
                *total += (distance.min(1.0) * f64::from(u32::MAX)).ceil() as u64;
                new.push((cell, bits));
            });
        };
        // Starting a thread takes longer than updating a few items.
        let threads = self.threads.min(items.len() / ITEMS_PER_THREAD);
        fold(items.len(), threads, Changes::default, visit)
    }
}

/// The smallest number of items of a level for each thread.
const ITEMS_PER_THREAD: usize = 4;

/// Calls `visit` once with each number below `count`, on `threads` threads. Each thread has its own
/// accumulator, which `start` creates. Returns all accumulators.
///
/// # Panics
/// When `visit` panics.
pub fn fold<A: Send>(
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
        let join = |other: ScopedJoinHandle<'_, A>| {
            other.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        folds.extend(others.into_iter().map(join));
        folds
    })
}
