//! Value iteration in lanes (SIMD) for two seats, in games whose turns depend on the other seat only by captures.
//!
//! The turns of a side position are then the same against all side positions of the other seat, and the values of the
//! positions they lead to lie side by side in a table by own side position. The best of thousands of results is found
//! for sixteen positions at a time.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::RwLock;
use std::sync::atomic::Ordering;

use ashta_env::turn_index::{LANES, RowVisitor, Side, Sides, TurnModel};

use super::duel::{Backup, Duel, ONE, PairOrder, UNIT, solve_pair};
use super::sweep::{Kernel, SharedValues, SweepOrder};

/// Some side positions against some others, each range at most [`LANES`] long; or the same twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    own: Range<usize>,
    other: Range<usize>,
}

impl Tile {
    /// The others against the side positions.
    pub(super) fn swapped(&self) -> Tile {
        Tile { own: self.other.clone(), other: self.own.clone() }
    }
}

/// The order of the positions of two seats in tiles.
#[derive(Debug)]
pub(super) struct TileOrder(pub(super) PairOrder);

impl SweepOrder for TileOrder {
    type Row = Tile;
    type Item = Tile;

    fn layers(&self) -> usize {
        self.0.layers()
    }

    fn share(&self, layer: usize) -> f64 {
        self.0.share(layer)
    }

    fn levels(&self, layer: usize) -> usize {
        self.0.levels(layer)
    }

    fn rows(&self, layer: usize, level: usize, out: &mut Vec<Tile>) {
        for (own, other) in self.0.blocks(layer, level) {
            for a in pieces(own.clone()) {
                let others = pieces(other.clone()).filter(|b| own != other || b.start >= a.start);
                out.extend(others.map(|b| Tile { own: a.clone(), other: b }));
            }
        }
    }

    fn items(&self, tile: &Tile) -> impl Iterator<Item = Tile> {
        std::iter::once(tile.clone())
    }
}

/// A range in pieces of [`LANES`].
fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(LANES).map(move |start| start..end.min(start + LANES))
}

/// A quantity of each position, as bits; and keys, which compare like the numbers that they stand for.
pub(super) trait Quantity: Sync {
    /// The key for the seat that throws in a position with these bits.
    fn key(bits: u32) -> i32;
    /// The key for the seat that has thrown before.
    fn key_after(bits: u32) -> i32;
    /// The key for the seat that throws, from that for the one that has thrown before.
    fn turned(key_after: i32) -> i32;
    /// The number of a key.
    fn number(key: i32) -> f64;
    /// The bits of the winner.
    const WON: u32;
    /// The bits of two positions that passing leads to from each other.
    fn pair(first: Backup, second: Backup) -> [u32; 2];
    /// How far apart bits are.
    fn distance(old: u32, new: u32) -> f64;
    /// The backup over all throws, from the probability and the sums of those covered.
    fn whole(backup: Backup, covered: f64) -> Backup;
    /// The one of two results that counts where the criterion holds them equal; and the key where there is none.
    fn of_equals(a: i32, b: i32) -> i32;
    /// See [`Quantity::of_equals`].
    const NO_RESULT: i32;
}

/// The expected return of the seat that throws.
#[derive(Debug)]
pub(super) struct Value;

/// The bias that makes unsigned numbers compare as signed ones.
const BIAS: u32 = 1 << 31;

impl Quantity for Value {
    const WON: u32 = ONE;

    #[inline]
    fn key(bits: u32) -> i32 {
        (bits ^ BIAS) as i32
    }

    #[inline]
    fn key_after(bits: u32) -> i32 {
        Value::key(!bits)
    }

    #[inline]
    fn turned(key_after: i32) -> i32 {
        !key_after
    }

    #[inline]
    fn number(key: i32) -> f64 {
        (f64::from(key) + f64::from(BIAS)) * UNIT
    }

    #[inline]
    fn pair(first: Backup, second: Backup) -> [u32; 2] {
        solve_pair(first, second)
    }

    fn distance(old: u32, new: u32) -> f64 {
        f64::from(old.abs_diff(new)) * UNIT
    }

    /// The throws not covered are taken to be like the others.
    #[inline]
    fn whole(backup: Backup, covered: f64) -> Backup {
        backup.scaled(1.0 / covered)
    }

    const NO_RESULT: i32 = i32::MAX;

    /// The least, a lower bound for any way to break ties.
    #[inline]
    fn of_equals(a: i32, b: i32) -> i32 {
        a.min(b)
    }
}

/// The values after a turn as one player sees them, many positions at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    /// The values of the positions in which the other player throws next: a [`mirror`].
    pub(super) after: &'a [i32],
    /// And of those in which the same one throws again.
    pub(super) again: &'a [i32],
    /// Which results the player might choose; if `None`, those that are best by the quantity itself.
    pub(super) criterion: Option<&'a Criterion>,
}

/// Admits only results that are nearly the best by some values.
#[derive(Debug)]
pub(super) struct Criterion {
    /// The values, a [`mirror`].
    mirror: Vec<i32>,
    /// The largest difference from the best, in bits.
    gap: i32,
}

impl Criterion {
    /// A criterion by the values of `count`² positions.
    pub(super) fn new(values: &SharedValues, count: usize, gap: f64) -> Criterion {
        Criterion { mirror: mirror(values, count, Value::key_after), gap: (gap / UNIT) as i32 }
    }
}

/// Looks one turn ahead from many positions at a time.
#[derive(Debug)]
pub(super) struct Lookout<'a, T, Q> {
    pub(super) duel: Duel<'a, T>,
    /// Throws are covered, the likeliest first, until they have this probability together.
    covered: f64,
    quantity: PhantomData<Q>,
}

impl<'a, T: TurnModel, Q: Quantity> Lookout<'a, T, Q> {
    pub(super) fn new(duel: Duel<'a, T>, covered: f64) -> Lookout<'a, T, Q> {
        Lookout { duel, covered, quantity: PhantomData }
    }

    /// The backups of the turns of `own` against each of `others`, if passing has the values `passes`.
    #[inline]
    fn backups(&self, view: View<'_>, own: Side, others: &Range<usize>, passes: Keys) -> [Backup; LANES] {
        let mut best = BestOfRow::<Q> {
            view,
            count: self.duel.count,
            own,
            first: others.start,
            passes,
            results: Vec::with_capacity(512),
            ranked: Vec::with_capacity(512),
            pass: None,
            wanted: self.covered,
            covered: 0.0,
            sums: [0.0; LANES],
            passing: 0.0,
            quantity: PhantomData,
        };
        self.duel.turns.visit_row(own, others.start as Side..others.end as Side, &mut best);
        let BestOfRow { sums, passing, covered, .. } = best;
        sums.map(|sum| Q::whole(Backup { sum, passing, staying: 0.0 }, covered))
    }

    /// The value of passing for each of `others` against `own`.
    fn passes(&self, view: View<'_>, own: usize, others: &Range<usize>) -> Keys {
        std::array::from_fn(|lane| view.after[own * self.duel.count + others.start + lane])
    }

    /// Calls `set` with two side positions and the bits of the positions in which the first of two players throws with
    /// the one, and the second player with the other; for all side positions of a tile. Where the players are alike a
    /// tile of the same side positions twice is evaluated only once.
    pub(super) fn meet(
        &self,
        [first, second]: [View<'_>; 2],
        Tile { own, other }: &Tile,
        are_alike: bool,
        mut set: impl FnMut([Side; 2], [u32; 2]),
    ) {
        let is_mirrored = are_alike && own == other;
        let mut firsts = [[Backup::NOTHING; LANES]; LANES];
        for (side, backups) in own.clone().zip(&mut firsts) {
            *backups = self.backups(first, side as Side, other, self.passes(first, side, other));
        }
        for (lane, reply) in other.clone().enumerate() {
            // The second player uses the new values of the first; otherwise two players who prefer to pass would
            // oscillate.
            let mut passes = self.passes(second, reply, own);
            for (pass, first) in passes.iter_mut().zip(&firsts) {
                let Backup { sum, passing, .. } = first[lane];
                if passing == 0.0 {
                    *pass = Q::key_after(Q::pair(Backup { sum, passing, staying: 0.0 }, Backup::NOTHING)[0]);
                }
            }
            let replies = match is_mirrored {
                true => firsts[lane],
                false => self.backups(second, reply as Side, own, passes),
            };
            for (at, side) in own.clone().enumerate().filter(|&(_, side)| !is_mirrored || side <= reply) {
                set([side as Side, reply as Side], Q::pair(firsts[at][lane], replies[at]));
            }
        }
    }
}

/// A quantity of each position when both players are alike, many positions at a time.
#[derive(Debug)]
pub(super) struct Rows<'a, T, Q> {
    lookout: Lookout<'a, T, Q>,
    cells: &'a SharedValues,
    mirror: RwLock<Vec<i32>>,
    criterion: Option<Criterion>,
}

impl<'a, T: TurnModel, Q: Quantity> Rows<'a, T, Q> {
    pub(super) fn new(duel: Duel<'a, T>, cells: &'a SharedValues, covered: f64) -> Rows<'a, T, Q> {
        let mirror = RwLock::new(mirror(cells, duel.count, Q::key_after));
        Rows { lookout: Lookout::new(duel, covered), cells, mirror, criterion: None }
    }

    /// The same where only results count whose value differs from the best by no more than `gap`.
    pub(super) fn with_criterion(self, values: &SharedValues, gap: f64) -> Rows<'a, T, Q> {
        Rows { criterion: Some(Criterion::new(values, self.lookout.duel.count, gap)), ..self }
    }

    fn view<'v>(&'v self, mirror: &'v [i32]) -> View<'v> {
        View { after: mirror, again: mirror, criterion: self.criterion.as_ref() }
    }

    /// The largest change of the quantity by looking one turn ahead, over the positions of one side position.
    pub(super) fn residual(&self, own: Side) -> f64 {
        let Ok(mirror) = self.mirror.read() else { return f64::INFINITY };
        let (lookout, view) = (&self.lookout, self.view(&mirror));
        let mut largest = 0.0_f64;
        for others in pieces(0..lookout.duel.count) {
            let passes = lookout.passes(view, usize::from(own), &others);
            let backups = lookout.backups(view, own, &others, passes);
            for ((other, backup), pass) in others.zip(backups).zip(passes) {
                let here = self.cells[lookout.duel.cell([own, other as Side])].load(Ordering::Relaxed);
                let ahead = backup.sum + backup.passing * Q::number(pass);
                largest = largest.max((ahead - Q::number(Q::key(here))).abs());
            }
        }
        largest
    }
}

impl<T: TurnModel, Q: Quantity> Kernel<Tile> for Rows<'_, T, Q> {
    fn update(&self, tile: Tile, mut set: impl FnMut(usize, u32)) {
        let Ok(mirror) = self.mirror.read() else { return };
        let view = self.view(&mirror);
        let duel = &self.lookout.duel;
        self.lookout.meet([view; 2], &tile, true, |sides, [quantity, answer]| {
            set(duel.cell(sides), quantity);
            if sides[0] != sides[1] {
                set(duel.cell([sides[1], sides[0]]), answer);
            }
        });
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        Q::distance(old, new)
    }

    fn committed(&self, new: &[(usize, u32)]) {
        let Ok(mut mirror) = self.mirror.write() else { return };
        let count = self.lookout.duel.count;
        for &(cell, bits) in new {
            mirror[place(cell, count)] = Q::key_after(bits);
        }
    }
}

/// Keys of all positions for the player who does not throw there: by its side position and then the thrower's, so that
/// the keys of one side position against many others lie side by side. There is room for more lanes at the end.
pub(super) fn mirror(cells: &SharedValues, count: usize, key: impl Fn(u32) -> i32) -> Vec<i32> {
    let mut mirror = vec![0; count * count + LANES];
    for (cell, bits) in cells.iter().enumerate() {
        mirror[place(cell, count)] = key(bits.load(Ordering::Relaxed));
    }
    mirror
}

/// Where a [`mirror`] has the key of a cell.
#[inline]
pub(super) fn place(cell: usize, count: usize) -> usize {
    cell % count * count + cell / count
}

/// Keys side by side.
type Keys = [i32; LANES];

/// Chooses the best result of each throw for each position of a row.
struct BestOfRow<'a, Q> {
    view: View<'a>,
    count: usize,
    own: Side,
    first: usize,
    passes: Keys,
    results: Vec<Keys>,
    /// The keys of the results by the criterion, where there is one.
    ranked: Vec<Keys>,
    /// The result that is a pass.
    pass: Option<u16>,
    wanted: f64,
    covered: f64,
    sums: [f64; LANES],
    passing: f64,
    quantity: PhantomData<Q>,
}

impl<Q: Quantity> RowVisitor for BestOfRow<'_, Q> {
    #[inline]
    fn quiet(&mut self, side: Side) {
        if side == self.own {
            self.pass = Some(self.results.len() as u16);
            self.results.push(self.passes);
        } else {
            let after = usize::from(side) * self.count + self.first;
            self.results.extend(self.view.after[after..].first_chunk());
        }
        if let Some(criterion) = self.view.criterion {
            let after = usize::from(side) * self.count + self.first;
            self.ranked.extend(criterion.mirror[after..].first_chunk());
        }
    }

    #[inline]
    fn again(&mut self, lane: usize, [own, other, ..]: Sides) {
        // Few side positions follow captures, so that their rows of the mirror are at hand.
        let at = usize::from(other) * self.count + usize::from(own);
        let key = Q::turned(self.view.again[at]);
        if let Some(result) = self.results.last_mut() {
            result[lane] = key;
        }
        if let (Some(criterion), Some(ranked)) = (self.view.criterion, self.ranked.last_mut()) {
            ranked[lane] = Value::turned(criterion.mirror[at]);
        }
    }

    fn won(&mut self) {
        self.results.push([Q::key(Q::WON); LANES]);
        self.ranked.push([Value::key(Value::WON); LANES]);
    }

    #[inline]
    fn throws(&mut self, probability: f64, results: &[u16]) -> ControlFlow<()> {
        self.covered += probability;
        if results.iter().all(|&result| Some(result) == self.pass) {
            self.passing += probability;
        } else {
            let best = match self.view.criterion {
                None => best(&self.results, results),
                Some(criterion) => {
                    let limits = best(&self.ranked, results).map(|best| best.saturating_sub(criterion.gap));
                    best_within::<Q>(&self.results, &self.ranked, &limits, results)
                }
            };
            for (sum, best) in self.sums.iter_mut().zip(best) {
                *sum += probability * Q::number(best);
            }
        }
        if self.covered >= self.wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The largest keys of the results with these numbers. A function of its own, so that all lanes are compared together.
#[inline(never)]
fn best(results: &[Keys], numbers: &[u16]) -> Keys {
    let mut best = [i32::MIN; LANES];
    for &number in numbers {
        for (best, &key) in best.iter_mut().zip(&results[usize::from(number)]) {
            *best = key.max(*best);
        }
    }
    best
}

/// The keys of the results with these numbers whose values reach the limits, reduced by [`Quantity::of_equals`].
#[inline(never)]
fn best_within<Q: Quantity>(results: &[Keys], values: &[Keys], limits: &Keys, numbers: &[u16]) -> Keys {
    let mut best = [Q::NO_RESULT; LANES];
    for number in numbers.iter().map(|&number| usize::from(number)) {
        let (result, value) = (&results[number], &values[number]);
        for lane in 0..LANES {
            let key = if value[lane] >= limits[lane] { result[lane] } else { Q::NO_RESULT };
            best[lane] = Q::of_equals(key, best[lane]);
        }
    }
    best
}
