//! Exact expected scores of two players, at least one with a fixed policy; best response by value iteration.

use std::ops::ControlFlow;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ashta_env::turn_index::{Side, Sides, TurnModel};

use super::duel::{Duel, PairOrder, PlayerPolicy, Role, UNIT, cells};
use super::rows::{Criterion, Lookout, Quantity, Tile, TileOrder, Value, View, mirror, place};
use super::sweep::{Cursor, Kernel, SharedValues, SweepProgress, Sweeps, Swept};
use super::{SolveConfig, SolveError};

/// The expected score of a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Response {
    /// When it throws first.
    pub first: f64,
    /// When the other one throws first.
    pub second: f64,
}

impl Response {
    /// The mean when either begins as often as the other.
    pub fn mean(self) -> f64 {
        f64::midpoint(self.first, self.second)
    }
}

/// The values of the last meeting, as a warm start of the next: players that changed little have similar values.
#[derive(Debug, Default)]
pub struct Memory(Vec<AtomicU32>);

/// The expected score of the first of two players, each with its own policy. `None` when the watch stopped it.
///
/// The values of both players together are twice as many as those of [`solve`](super::solve). `memory` holds the values
/// of an earlier meeting in the same game, and afterwards those of this one; the result depends on it by no more than
/// the tolerance.
///
/// # Errors
/// When a style is not of as many positions as two seats have, or the values do not converge.
pub fn evaluate_policies<T: TurnModel>(
    turns: &T,
    start: Sides,
    styles: [PlayerPolicy<'_>; 2],
    memory: &mut Memory,
    config: &SolveConfig,
    watch: &(dyn Fn(&SweepProgress) -> ControlFlow<()> + Sync),
) -> Result<Option<Response>, SolveError> {
    let duel = Duel::new(turns);
    let positions = duel.count * duel.count;
    for style in styles {
        let found = match style {
            PlayerPolicy::Best => positions,
            PlayerPolicy::GreedyBy(values) => values.len(),
            PlayerPolicy::Tabular(policy) => policy.positions(),
        };
        if found != positions {
            return Err(SolveError::Values { expected: positions, found });
        }
    }
    if memory.0.len() != 2 * positions {
        memory.0 = cells(2 * positions);
    }
    let cells = &memory.0;
    let sweeps = Sweeps { threads: config.threads.max(1), tolerance: config.tolerance, limit: super::LIMIT };
    let order = PairOrder::new(turns.sides());
    let is_tabulated = styles.iter().any(|style| matches!(style, PlayerPolicy::Tabular(_)));
    let swept = if turns.has_rows() && !is_tabulated {
        let kernel = MeetingRows::new(duel, cells, styles);
        sweeps.run(&kernel, cells, &TileOrder(order), Cursor::default(), watch)
    } else {
        sweeps.run(&TwoPlayers { duel, cells, styles }, cells, &order, Cursor::default(), watch)
    };
    match swept {
        Swept::Converged(_) => {
            let number = turns.number(turns.movers()[0], start);
            let value = |cell: usize| f64::from(cells[cell].load(Ordering::Relaxed)) * UNIT;
            Ok(Some(Response { first: value(number), second: 1.0 - value(positions + number) }))
        }
        Swept::Stopped(_) => Ok(None),
        Swept::NotConverged(place) => Err(SolveError::NotConverged { sweeps: place.sweeps, change: place.change }),
    }
}

/// Two different players. The first half of the cells are the positions in which the first one throws.
struct TwoPlayers<'a, T> {
    duel: Duel<'a, T>,
    cells: &'a SharedValues,
    styles: [PlayerPolicy<'a>; 2],
}

impl<T: TurnModel> Kernel<[Side; 2]> for TwoPlayers<'_, T> {
    fn update(&self, sides: [Side; 2], mut set: impl FnMut(usize, u32)) {
        if !self.duel.is_position(sides) {
            return;
        }
        let (mine, theirs) = self.cells.split_at(self.cells.len() / 2);
        let [style, other_style] = self.styles;
        let roles = [Role { mine, theirs, style }, Role { mine: theirs, theirs: mine, style: other_style }];
        let swapped = [sides[1], sides[0]];
        for sides in [sides, swapped].into_iter().take(if sides == swapped { 1 } else { 2 }) {
            let [value, reply] = self.duel.pair(sides, roles);
            set(self.duel.cell(sides), value);
            set(mine.len() + self.duel.cell([sides[1], sides[0]]), reply);
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        f64::from(old.abs_diff(new)) * UNIT
    }
}

/// [`TwoPlayers`] for many positions at a time.
struct MeetingRows<'a, T> {
    lookout: Lookout<'a, T, Value>,
    /// Of the positions in which the first player throws, and of those in which the second does.
    mirrors: RwLock<[Vec<i32>; 2]>,
    criteria: [Option<Criterion>; 2],
}

impl<'a, T: TurnModel> MeetingRows<'a, T> {
    fn new(duel: Duel<'a, T>, cells: &SharedValues, styles: [PlayerPolicy<'_>; 2]) -> MeetingRows<'a, T> {
        let count = duel.count;
        let (first, second) = cells.split_at(count * count);
        let criterion = |style| match style {
            PlayerPolicy::GreedyBy(values) => Some(Criterion::new(values, count, 0.0)),
            PlayerPolicy::Best | PlayerPolicy::Tabular(_) => None,
        };
        MeetingRows {
            mirrors: RwLock::new([first, second].map(|cells| mirror(cells, count, Value::key_after))),
            criteria: styles.map(criterion),
            lookout: Lookout::new(duel, 1.0),
        }
    }
}

impl<T: TurnModel> Kernel<Tile> for MeetingRows<'_, T> {
    fn update(&self, tile: Tile, mut set: impl FnMut(usize, u32)) {
        let Ok(mirrors) = self.mirrors.read() else { return };
        let [first, second] = &*mirrors;
        let [criterion, other_criterion] = self.criteria.each_ref().map(Option::as_ref);
        let views = [
            View { after: second, again: first, criterion },
            View { after: first, again: second, criterion: other_criterion },
        ];
        let duel = &self.lookout.duel;
        let half = duel.count * duel.count;
        let swapped = tile.swapped();
        let is_same = swapped == tile;
        for tile in [tile, swapped].into_iter().take(if is_same { 1 } else { 2 }) {
            self.lookout.meet(views, &tile, false, |sides, [value, reply]| {
                set(duel.cell(sides), value);
                set(half + duel.cell([sides[1], sides[0]]), reply);
            });
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        Value::distance(old, new)
    }

    fn committed(&self, new: &[(usize, u32)]) {
        let Ok(mut mirrors) = self.mirrors.write() else { return };
        let count = self.lookout.duel.count;
        let half = count * count;
        for &(cell, bits) in new {
            mirrors[cell / half][place(cell % half, count)] = Value::key_after(bits);
        }
    }
}
