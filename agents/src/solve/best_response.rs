//! Two players of whom at least one plays by a fixed taste: what they win against each other, exactly.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use ashta_env::starts::{Camp, Camps, TurnStarts};

use super::duel::{Duel, PairOrder, Role, UNIT, cells};
use super::sweep::{Cells, Kernel, Place, Sight, Sweeps, Swept};
use super::{SolveConfig, SolveError};

/// What a player wins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Response {
    /// When it throws first.
    pub first: f64,
    /// When the other one throws first.
    pub second: f64,
}

impl Response {
    /// What it wins when either begins as often as the other.
    pub fn mean(self) -> f64 {
        f64::midpoint(self.first, self.second)
    }
}

/// What the best reply to a player wins who plays by `taste`: its value for each position at the start of a turn, of the
/// seat that throws, as a fraction of 2³² − 1 and in the order of [`TurnStarts::number`]. Such a player chooses the result
/// that it values highest for itself, the first among equals. `None` when the watch stopped it.
///
/// # Errors
/// When there are not as many values as positions of two seats, or the values of the reply do not settle.
pub fn best_response<T: TurnStarts>(
    turns: &T,
    start: Camps,
    taste: &[AtomicU32],
    config: &SolveConfig,
    watch: &(dyn Fn(&Sight) -> ControlFlow<()> + Sync),
) -> Result<Option<Response>, SolveError> {
    meet(turns, start, [None, Some(taste)], config, watch)
}

/// What the first of two players wins, each of whom plays by its taste as in [`best_response`], or best against the
/// other.
///
/// # Errors
/// As [`best_response`].
pub fn meet<T: TurnStarts>(
    turns: &T,
    start: Camps,
    tastes: [Option<&[AtomicU32]>; 2],
    config: &SolveConfig,
    watch: &(dyn Fn(&Sight) -> ControlFlow<()> + Sync),
) -> Result<Option<Response>, SolveError> {
    let duel = Duel::new(turns);
    let positions = duel.count * duel.count;
    if let Some(taste) = tastes.into_iter().flatten().find(|taste| taste.len() != positions) {
        return Err(SolveError::Values { expected: positions, found: taste.len() });
    }
    let cells = cells(2 * positions);
    let kernel = Meeting { duel, cells: &cells, tastes };
    let sweeps = Sweeps { threads: config.threads.max(1), tolerance: config.tolerance, limit: super::LIMIT };
    match sweeps.run(&kernel, &cells, &PairOrder::new(turns.camps()), Place::default(), watch) {
        Swept::Settled(_) => {
            let number = turns.number(turns.movers()[0], start);
            let value = |cell: usize| f64::from(cells[cell].load(Ordering::Relaxed)) * UNIT;
            Ok(Some(Response { first: value(number), second: 1.0 - value(positions + number) }))
        }
        Swept::Stopped(_) => Ok(None),
        Swept::Restless(place) => Err(SolveError::Restless { sweeps: place.sweeps, change: place.change }),
    }
}

/// Two different players. The first half of the cells are the positions in which the first one throws.
struct Meeting<'a, T> {
    duel: Duel<'a, T>,
    cells: &'a Cells,
    tastes: [Option<&'a Cells>; 2],
}

impl<T: TurnStarts> Kernel<[Camp; 2]> for Meeting<'_, T> {
    fn update(&self, camps: [Camp; 2], mut set: impl FnMut(usize, u32)) {
        if !self.duel.is_position(camps) {
            return;
        }
        let (mine, theirs) = self.cells.split_at(self.cells.len() / 2);
        let [taste, other_taste] = self.tastes;
        let roles = [Role { mine, theirs, taste }, Role { mine: theirs, theirs: mine, taste: other_taste }];
        let swapped = [camps[1], camps[0]];
        for camps in [camps, swapped].into_iter().take(if camps == swapped { 1 } else { 2 }) {
            let [value, reply] = self.duel.pair(camps, roles);
            set(self.duel.cell(camps), value);
            set(mine.len() + self.duel.cell([camps[1], camps[0]]), reply);
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        f64::from(old.abs_diff(new)) * UNIT
    }
}
