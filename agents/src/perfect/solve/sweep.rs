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
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread::ScopedJoinHandle;

use serde::{Deserialize, Serialize};

use super::SolveError;

/// Values of positions as bits that threads can share.
pub(super) type SharedValues = [AtomicU32];

/// By cell how much its bits have changed in sweeps that are to be extrapolated. Once all layers have converged all are
/// 0.
pub(super) type Deltas = OnceLock<Vec<AtomicU32>>;

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
    /// Calls `set` with the cell and the new bits of every value of the positions.
    fn update(&self, item: &I, set: impl FnMut(usize, u32));

    /// The distance of two values.
    fn distance(&self, old: u32, new: u32) -> f64;

    /// The bits beyond new ones, by a factor times their distance from old ones.
    const EXTRAPOLATED: fn(old: u32, new: u32, factor: f64) -> u32 = |_, new, _| new;

    /// Receives values that have been set, before anything else is updated.
    fn committed(&self, _new: &[(usize, u32)]) {}

    /// Counts the positions and finds the largest change by looking one turn ahead.
    fn check(&self, threads: usize) -> (u64, f64);
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

/// The state shared by the threads.
struct Shared<'a, K, O> {
    kernel: &'a K,
    cells: &'a SharedValues,
    order: &'a O,
    sweeps: Sweeps,
    watch: SolveWatch<'a>,
    barrier: Barrier,
    next_item: AtomicUsize,
    /// The largest change of the sweep, as the bits of a positive number.
    change: AtomicU64,
    /// The sum of its changes.
    total: AtomicU64,
    deltas: Option<&'a Deltas>,
    is_stopped: AtomicBool,
}

impl Sweeps {
    /// Sweeps over `cells` from `place` on until all values have converged; breaks where the watch does. With `deltas`,
    /// which belong to the place, values are extrapolated. With more than one solution another one could be found.
    ///
    /// # Errors
    /// When a layer has not converged within the limit.
    pub(super) fn run<O: SweepOrder, K: Kernel<O::Item>>(
        self,
        kernel: &K,
        cells: &SharedValues,
        order: &O,
        place: Cursor,
        deltas: Option<&Deltas>,
        watch: SolveWatch<'_>,
    ) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        let threads = self.threads.max(1);
        let shared = Shared {
            kernel,
            cells,
            order,
            sweeps: self,
            watch,
            barrier: Barrier::new(threads),
            next_item: AtomicUsize::new(0),
            change: AtomicU64::new(place.change.to_bits()),
            total: AtomicU64::new(place.total),
            deltas,
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

impl<O: SweepOrder, K: Kernel<O::Item>> Shared<'_, K, O> {
    /// The work of each thread; all threads take the same way through layers, sweeps and levels.
    fn work(&self, mut place: Cursor, is_leader: bool) -> Result<ControlFlow<Cursor, Cursor>, SolveError> {
        let (mut items, mut out) = (Vec::new(), Vec::new());
        let mut last_change = 1.0;
        let layers = self.order.layers();
        while place.layers < layers {
            let levels = self.order.levels(place.layers);
            let zeros = || std::iter::repeat_with(AtomicU32::default).take(self.cells.len()).collect();
            let deltas = self.deltas.filter(|_| place.has_deltas()).map(|deltas| deltas.get_or_init(zeros));
            while place.levels < levels {
                items.clear();
                self.order.items(place.layers, place.levels, &mut items);
                self.update(&items, &mut out);
                self.barrier.wait();
                for &(cell, bits) in &out {
                    if let Some(deltas) = deltas {
                        let by = bits.wrapping_sub(self.cells[cell].load(Ordering::Relaxed));
                        let before = deltas[cell].load(Ordering::Relaxed);
                        deltas[cell].store(before.wrapping_add(by), Ordering::Relaxed);
                    }
                    self.cells[cell].store(bits, Ordering::Relaxed);
                }
                self.kernel.committed(&out);
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
            if self.deltas.is_some() {
                place.totals = [place.total, place.totals[0], place.totals[1]];
                if let Some(deltas) = deltas.filter(|_| is_converged || place.totals[2] > 0) {
                    let to_come = place.to_come().filter(|_| !is_converged);
                    self.meet(is_leader, || self.extrapolate(deltas, to_come.unwrap_or(0.0)));
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

    /// Moves every value that has changed by so many times its change.
    fn extrapolate(&self, deltas: &[AtomicU32], factor: f64) {
        let mut out = Vec::new();
        for (cell, delta) in deltas.iter().enumerate() {
            // Most cells belong to other layers. They are only read, which takes a small part of the time.
            let by = delta.load(Ordering::Relaxed);
            if by == 0 {
                continue;
            }
            delta.store(0, Ordering::Relaxed);
            let new = self.cells[cell].load(Ordering::Relaxed);
            let bits = K::EXTRAPOLATED(new.wrapping_sub(by), new, factor);
            if bits != new {
                self.cells[cell].store(bits, Ordering::Relaxed);
                out.push((cell, bits));
            }
            if out.len() == 1 << 16 {
                self.kernel.committed(&out);
                out.clear();
            }
        }
        self.kernel.committed(&out);
    }

    /// Works on items that no other thread has taken, and adds their changes to those of the sweep.
    fn update(&self, items: &[O::Item], out: &mut Vec<(usize, u32)>) {
        let (mut change, mut total) = (0.0_f64, 0);
        while let Some(item) = items.get(self.next_item.fetch_add(1, Ordering::Relaxed)) {
            self.kernel.update(item, |cell, bits| {
                let distance = self.kernel.distance(self.cells[cell].load(Ordering::Relaxed), bits);
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
