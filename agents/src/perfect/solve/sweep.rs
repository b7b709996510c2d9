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
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
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

/// The order in which positions are swept.
pub(super) trait SweepOrder: Sync {
    /// Some positions that one thread works on together.
    type Item;

    /// Number of layers.
    fn layers(&self) -> usize;
    /// The share of a layer in all positions.
    fn share(&self, layer: usize) -> f64;
    /// Number of levels of a layer.
    fn levels(&self, layer: usize) -> usize;
    /// The positions of a level.
    fn items(&self, layer: usize, level: usize, out: &mut Vec<Self::Item>);
}

/// The update of positions in a sweep.
pub(super) trait Kernel<I>: Sync {
    /// What it finds for each position.
    type Quantity: Quantity;

    /// Calls `set` with the cell and the new bits of every value of the positions.
    fn update(&self, cells: &[u32], item: &I, set: impl FnMut(usize, u32));

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

/// The state shared by the threads.
struct Shared<'a, K, O> {
    kernel: &'a K,
    cells: RwLock<Swept<'a>>,
    order: &'a O,
    sweeps: Sweeps,
    watch: SolveWatch<'a>,
    barrier: Barrier,
    next_item: AtomicUsize,
    /// The largest change of the sweep, as the bits of a positive number.
    change: AtomicU64,
    /// The sum of its changes.
    total: AtomicU64,
    is_stopped: AtomicBool,
}

impl Sweeps {
    /// Sweeps over `cells` from `place` on until all values have converged; breaks where the watch does. Their deltas
    /// belong to the place.
    ///
    /// # Errors
    /// When a layer has not converged within the limit.
    pub(super) fn run<O: SweepOrder, K: Kernel<O::Item>>(
        self,
        kernel: &K,
        cells: Swept<'_>,
        order: &O,
        place: Cursor,
        watch: SolveWatch<'_>,
    ) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        let threads = self.threads.max(1);
        let shared = Shared {
            kernel,
            cells: RwLock::new(cells),
            order,
            sweeps: self,
            watch,
            barrier: Barrier::new(threads),
            next_item: AtomicUsize::new(0),
            change: AtomicU64::new(place.change.to_bits()),
            total: AtomicU64::new(place.total),
            is_stopped: AtomicBool::new(false),
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| shared.work(place, false));
            }
            shared.work(place, true)
        })
    }
}

impl<'a, O: SweepOrder, K: Kernel<O::Item>> Shared<'a, K, O> {
    /// The work of each thread; all threads take the same way through layers, sweeps and levels.
    fn work(&self, mut place: Cursor, is_leader: bool) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        let (mut items, mut out) = (Vec::new(), Vec::new());
        let mut last_change = 1.0;
        let layers = self.order.layers();
        while place.layers < layers {
            let levels = self.order.levels(place.layers);
            let extrapolates = self.read().deltas.is_some();
            while place.levels < levels {
                items.clear();
                self.order.items(place.layers, place.levels, &mut items);
                self.update(&items, &mut out);
                self.barrier.wait();
                self.write().set(&out, place.has_deltas());
                out.clear();
                place.levels += 1;
                place.change = f64::from_bits(self.change.load(Ordering::Relaxed));
                place.total = self.total.load(Ordering::Relaxed);
                self.meet(is_leader, || {
                    self.next_item.store(0, Ordering::Relaxed);
                    let is_stopped = (self.watch)(&SweepProgress { place, layers, levels, last_change }).is_break();
                    self.is_stopped.store(is_stopped, Ordering::Relaxed);
                });
                if self.is_stopped.load(Ordering::Relaxed) {
                    return Ok(ControlFlow::Break(place));
                }
            }
            place.sweeps += 1;
            place.work += self.order.share(place.layers);
            last_change = place.change;
            let is_converged = place.change <= self.sweeps.tolerance;
            if extrapolates {
                let has_deltas = place.has_deltas();
                place.totals = [place.total, place.totals[0], place.totals[1]];
                if has_deltas && (is_converged || place.totals[2] > 0) {
                    let to_come = place.to_come().filter(|_| !is_converged);
                    self.meet(is_leader, || self.write().extrapolate::<K::Quantity>(to_come.unwrap_or(0.0)));
                    place.totals = if to_come.is_some() { [0; 3] } else { [place.total, 0, 0] };
                }
            }
            if is_converged {
                place = Cursor { layers: place.layers + 1, work: place.work, ..Cursor::default() };
                last_change = 1.0;
            } else if place.sweeps >= self.sweeps.limit {
                return Err(SolveError::NotConverged { sweeps: place.sweeps, change: place.change });
            }
            (place.levels, place.change, place.total) = (0, 0.0, 0);
            self.meet(is_leader, || {
                self.change.store(0, Ordering::Relaxed);
                self.total.store(0, Ordering::Relaxed);
            });
        }
        Ok(ControlFlow::Continue(place))
    }

    /// Waits for all threads, lets the leader do something alone, and waits for it.
    fn meet(&self, is_leader: bool, alone: impl FnOnce()) {
        self.barrier.wait();
        if is_leader {
            alone();
        }
        self.barrier.wait();
    }

    fn read(&self) -> RwLockReadGuard<'_, Swept<'a>> {
        self.cells.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Swept<'a>> {
        self.cells.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on items that no other thread has taken, and adds their changes to those of the sweep.
    fn update(&self, items: &[O::Item], out: &mut Vec<(usize, u32)>) {
        let (mut change, mut total) = (0.0_f64, 0);
        let cells = self.read();
        while let Some(item) = items.get(self.next_item.fetch_add(1, Ordering::Relaxed)) {
            self.kernel.update(cells.values, item, |cell, bits| {
                let distance = K::Quantity::distance(cells.values[cell], bits);
                change = change.max(distance);
                total += (distance.min(1.0) * f64::from(u32::MAX)).ceil() as u64;
                out.push((cell, bits));
            });
        }
        self.change.fetch_max(change.to_bits(), Ordering::Relaxed);
        self.total.fetch_add(total, Ordering::Relaxed);
    }
}

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
