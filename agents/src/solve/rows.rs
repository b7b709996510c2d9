//! Two seats of a game in which a turn depends on the other seat only by what is captured: many positions at once.
//!
//! What a camp can do is then the same against all camps of the other seat, and what is known of the positions it leads
//! to stands side by side in a table by own camp. The best of thousands of results is found for sixteen positions at a
//! time.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::RwLock;
use std::sync::atomic::Ordering;

use ashta_env::starts::{Camp, Camps, LANES, RowVisitor, TurnStarts};

use super::duel::{Backup, Duel, ONE, PairOrder, UNIT, solve_pair};
use super::sweep::{Cells, Kernel, Order};

/// Some camps against some others, each range at most [`LANES`] long; or the same twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    own: Range<usize>,
    other: Range<usize>,
}

/// The order of the positions of two seats in tiles.
#[derive(Debug)]
pub(super) struct TileOrder(pub(super) PairOrder);

impl Order for TileOrder {
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

/// What is found for each position, as bits; and keys, which compare like the numbers that they stand for.
pub(super) trait Quantity: Sync {
    /// The key for the seat that throws in a position with these bits.
    fn key(bits: u32) -> i32;
    /// The key for the seat that has thrown before.
    fn key_after(bits: u32) -> i32;
    /// The key for the seat that throws, from that for the one that has thrown before.
    fn turned(key_after: i32) -> i32;
    /// The number of a key.
    fn number(key: i32) -> f64;
    /// The bits for who has won.
    const WON: u32;
    /// The bits of two positions that passing leads to from each other.
    fn pair(first: Backup, second: Backup) -> [u32; 2];
    /// How far apart bits are.
    fn distance(old: u32, new: u32) -> f64;
    /// What all throws together are worth, if those told of have this probability and these sums.
    fn whole(backup: Backup, told: f64) -> Backup;
}

/// The expected return of the seat that throws.
#[derive(Debug)]
pub(super) struct Value;

/// What makes unsigned numbers compare as signed ones.
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

    /// The throws not told of are like the others.
    #[inline]
    fn whole(backup: Backup, told: f64) -> Backup {
        backup.scaled(1.0 / told)
    }
}

/// Something found for each position, many positions at a time.
#[derive(Debug)]
pub(super) struct Rows<'a, T, Q> {
    duel: Duel<'a, T>,
    cells: &'a Cells,
    /// By the camp that has thrown before and then the one that throws: the keys for the former. There is room for more
    /// lanes.
    mirror: RwLock<Vec<i32>>,
    /// Throws are looked at, the likeliest first, until they have this probability together.
    told: f64,
    judge: Option<Judge>,
    quantity: PhantomData<Q>,
}

/// Lets only results count whose value is nearly the best.
#[derive(Debug)]
struct Judge {
    /// The values, as in [`Rows::mirror`].
    mirror: Vec<i32>,
    /// The largest difference from the best, in bits.
    gap: i32,
}

impl<'a, T: TurnStarts, Q: Quantity> Rows<'a, T, Q> {
    pub(super) fn new(duel: Duel<'a, T>, cells: &'a Cells, told: f64) -> Rows<'a, T, Q> {
        let mirror = RwLock::new(mirror(cells, duel.count, Q::key_after));
        Rows { duel, cells, mirror, told, judge: None, quantity: PhantomData }
    }

    /// The same where only results count whose value differs from the best by no more than `gap`.
    pub(super) fn judged_by(self, values: &Cells, gap: f64) -> Rows<'a, T, Q> {
        let mirror = mirror(values, self.duel.count, Value::key_after);
        Rows { judge: Some(Judge { mirror, gap: (gap / UNIT) as i32 }), ..self }
    }

    /// What the turns of `own` against each of `others` are worth, if passing is worth `passes`.
    #[inline]
    fn backups(&self, mirror: &[i32], own: Camp, others: &Range<usize>, passes: Keys) -> [Backup; LANES] {
        let mut best = BestOfRow::<Q> {
            mirror,
            count: self.duel.count,
            own,
            first: others.start,
            passes,
            results: Vec::with_capacity(512),
            judge: self.judge.as_ref(),
            judged: Vec::with_capacity(512),
            pass: None,
            wanted: self.told,
            told: 0.0,
            sums: [0.0; LANES],
            passing: 0.0,
            quantity: PhantomData,
        };
        self.duel.turns.visit_row(own, others.start as Camp..others.end as Camp, &mut best);
        let BestOfRow { sums, passing, told, .. } = best;
        sums.map(|sum| Q::whole(Backup { sum, passing, staying: 0.0 }, told))
    }

    /// What passing is worth to each of `others` against `own`.
    fn passes(&self, mirror: &[i32], own: usize, others: &Range<usize>) -> Keys {
        std::array::from_fn(|lane| mirror[own * self.duel.count + others.start + lane])
    }

    /// By how much looking one turn ahead changes the quantity of any of one camp's positions at most.
    pub(super) fn residual(&self, own: Camp) -> f64 {
        let Ok(mirror) = self.mirror.read() else { return f64::INFINITY };
        let mut largest = 0.0_f64;
        for others in pieces(0..self.duel.count) {
            let passes = self.passes(&mirror, usize::from(own), &others);
            let backups = self.backups(&mirror, own, &others, passes);
            for ((other, backup), pass) in others.zip(backups).zip(passes) {
                let here = self.cells[self.duel.cell([own, other as Camp])].load(Ordering::Relaxed);
                let ahead = backup.sum + backup.passing * Q::number(pass);
                largest = largest.max((ahead - Q::number(Q::key(here))).abs());
            }
        }
        largest
    }
}

impl<T: TurnStarts, Q: Quantity> Kernel<Tile> for Rows<'_, T, Q> {
    fn update(&self, tile: Tile, mut set: impl FnMut(usize, u32)) {
        let Ok(mirror) = self.mirror.read() else { return };
        let Tile { own, other } = tile;
        let is_mirrored = own == other;
        let mut firsts = [[Backup::NOTHING; LANES]; LANES];
        for (camp, backups) in own.clone().zip(&mut firsts) {
            *backups = self.backups(&mirror, camp as Camp, &other, self.passes(&mirror, camp, &other));
        }
        for (lane, reply) in other.clone().enumerate() {
            // Who replies knows the new values of the first, or two who would rather pass would never agree.
            let mut passes = self.passes(&mirror, reply, &own);
            for (pass, first) in passes.iter_mut().zip(&firsts) {
                let Backup { sum, passing, .. } = first[lane];
                if passing == 0.0 {
                    *pass = Q::key_after(Q::pair(Backup { sum, passing, staying: 0.0 }, Backup::NOTHING)[0]);
                }
            }
            let replies = match is_mirrored {
                true => firsts[lane],
                false => self.backups(&mirror, reply as Camp, &own, passes),
            };
            for (at, camp) in own.clone().enumerate().filter(|&(_, camp)| !is_mirrored || camp <= reply) {
                let [quantity, answer] = Q::pair(firsts[at][lane], replies[at]);
                set(self.duel.cell([camp as Camp, reply as Camp]), quantity);
                if camp != reply {
                    set(self.duel.cell([reply as Camp, camp as Camp]), answer);
                }
            }
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        Q::distance(old, new)
    }

    fn committed(&self, new: &[(usize, u32)]) {
        let Ok(mut mirror) = self.mirror.write() else { return };
        let count = self.duel.count;
        for &(cell, bits) in new {
            mirror[cell % count * count + cell / count] = Q::key_after(bits);
        }
    }
}

/// Keys side by side.
type Keys = [i32; LANES];

/// Chooses the best result of each throw for each position of a row.
struct BestOfRow<'a, Q> {
    mirror: &'a [i32],
    count: usize,
    own: Camp,
    first: usize,
    passes: Keys,
    results: Vec<Keys>,
    judge: Option<&'a Judge>,
    /// The values of the results, where there is a judge.
    judged: Vec<Keys>,
    /// The result that is a pass.
    pass: Option<u16>,
    wanted: f64,
    told: f64,
    sums: [f64; LANES],
    passing: f64,
    quantity: PhantomData<Q>,
}

impl<Q: Quantity> RowVisitor for BestOfRow<'_, Q> {
    #[inline]
    fn quiet(&mut self, camp: Camp) {
        if camp == self.own {
            self.pass = Some(self.results.len() as u16);
            self.results.push(self.passes);
        } else {
            let after = usize::from(camp) * self.count + self.first;
            self.results.extend(self.mirror[after..].first_chunk());
        }
        if let Some(judge) = self.judge {
            let after = usize::from(camp) * self.count + self.first;
            self.judged.extend(judge.mirror[after..].first_chunk());
        }
    }

    #[inline]
    fn again(&mut self, lane: usize, [own, other, ..]: Camps) {
        // Few camps follow captures, so that their rows of the mirror are at hand.
        let at = usize::from(other) * self.count + usize::from(own);
        let key = Q::turned(self.mirror[at]);
        if let Some(result) = self.results.last_mut() {
            result[lane] = key;
        }
        if let (Some(judge), Some(judged)) = (self.judge, self.judged.last_mut()) {
            judged[lane] = Value::turned(judge.mirror[at]);
        }
    }

    fn won(&mut self) {
        self.results.push([Q::key(Q::WON); LANES]);
        self.judged.push([Value::key(Value::WON); LANES]);
    }

    #[inline]
    fn throws(&mut self, probability: f64, results: &[u16]) -> ControlFlow<()> {
        self.told += probability;
        if results.iter().all(|&result| Some(result) == self.pass) {
            self.passing += probability;
        } else {
            let best = match self.judge {
                None => best(&self.results, results),
                Some(judge) => {
                    let limits = best(&self.judged, results).map(|best| best.saturating_sub(judge.gap));
                    best_within(&self.results, &self.judged, &limits, results)
                }
            };
            for (sum, best) in self.sums.iter_mut().zip(best) {
                *sum += probability * Q::number(best);
            }
        }
        if self.told >= self.wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The largest keys of the results with these numbers. By itself, so that all lanes are compared together.
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

/// The largest keys of the results with these numbers whose values reach the limits; 0 or more.
#[inline(never)]
fn best_within(results: &[Keys], values: &[Keys], limits: &Keys, numbers: &[u16]) -> Keys {
    let mut best = [0; LANES];
    for number in numbers.iter().map(|&number| usize::from(number)) {
        let (result, value) = (&results[number], &values[number]);
        for lane in 0..LANES {
            let key = if value[lane] >= limits[lane] { result[lane] } else { 0 };
            best[lane] = key.max(best[lane]);
        }
    }
    best
}

/// The keys of all cells, with room for more lanes.
fn mirror(cells: &Cells, count: usize, key: impl Fn(u32) -> i32) -> Vec<i32> {
    let mut mirror = vec![0; count * count + LANES];
    for (cell, bits) in cells.iter().enumerate() {
        mirror[cell % count * count + cell / count] = key(bits.load(Ordering::Relaxed));
    }
    mirror
}
