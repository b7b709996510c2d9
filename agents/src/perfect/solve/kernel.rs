//! Value iteration for two seats, one position at a time or sixteen side by side (SIMD).
//!
//! A zero-sum game needs one number a position. A value is the expected return of the seat that is about to throw, as a
//! fraction of 2³² − 1. That is finer than single precision, and the value of the other seat has the complement of its
//! bits.
//!
//! In some games turns depend on the other seat only by captures. The turns of a side position are then the same
//! against all side positions of the other seat, and the best of thousands of results is found for sixteen of them at a
//! time. These are the lanes. The values of the positions that a turn leads to must then lie side by side. So cells are
//! in the order of [`TurnModel::number`] with one lane, and [`transposed`](transpose) with more.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

use ashta_env::game::Seat;
use ashta_env::turn_index::{Continuation, RowVisitor, Side, Sides, TurnEnd, TurnModel, TurnVisitor};

use super::order::Tile;
use super::quantity::{Backup, Quantity, Value};
use super::sweep::{Kernel, SharedValues, fold};

/// Exchanges the two side positions in the order of the cells.
pub(super) fn transpose(cells: &mut [AtomicU32], count: usize) {
    for cells in cells.chunks_mut(count * count) {
        for own in 0..count {
            (0..own).for_each(|other| cells.swap(own * count + other, other * count + own));
        }
    }
}

/// The policy of a player.
#[derive(Clone, Copy, Debug)]
pub enum PlayerPolicy<'a> {
    /// The best response to the other player.
    Best,
    /// The afterstate whose value here is highest for it; among equals the worst for it, so that the score found is a
    /// lower bound. Values are for each position at the start of a turn those of the seat that throws, as fractions of
    /// 2³² − 1 and in the order of [`TurnModel::number`].
    GreedyBy(&'a [AtomicU32]),
    /// A fixed policy, whatever the values.
    Tabular(&'a TabularPolicy),
}

/// The tabulated policy of a player that does not choose by values: the ends of its turns.
#[derive(Debug)]
pub struct TabularPolicy {
    /// For each position the place of its first turn, by number; and one more.
    first: Vec<usize>,
    /// Throws by probability, and the end of the turn.
    turns: Vec<(f32, TurnEnd)>,
}

impl TabularPolicy {
    /// The policy of so many positions with these turns: the number of the position, as [`TurnModel::number`], the
    /// probability of throws and where they lead. A number that no position has leads nowhere.
    pub fn new(positions: usize, mut turns: Vec<(usize, f32, TurnEnd)>) -> TabularPolicy {
        turns.sort_by_key(|&(number, ..)| number);
        let first = (0..=positions).map(|number| turns.partition_point(|&(found, ..)| found < number)).collect();
        TabularPolicy { first, turns: turns.into_iter().map(|(_, probability, end)| (probability, end)).collect() }
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    fn visit(&self, position: usize, visitor: &mut impl TurnVisitor) {
        for &(probability, end) in &self.turns[self.first[position]..self.first[position + 1]] {
            visitor.throws(probability.into());
            visitor.end(end);
        }
    }
}

/// The game as one player sees it.
#[derive(Clone, Copy, Debug)]
struct View<'a> {
    /// The quantities of the positions in which the other player throws next.
    after: &'a SharedValues,
    /// And of those in which the same one throws again.
    again: &'a SharedValues,
    policy: PlayerPolicy<'a>,
    /// With more than one lane, the keys of `after` and of the values that the player chooses by: many are read at
    /// once.
    keys_after: &'a [i32],
    ranks_after: &'a [i32],
    /// With [`PlayerPolicy::GreedyBy`] results may be worse than the best by so many bits.
    gap: i32,
}

/// A quantity of each position when two players meet, looked ahead with `N` lanes.
#[derive(Debug)]
pub(super) struct TwoSeats<'a, T, Q, const N: usize> {
    turns: &'a T,
    mover: Seat,
    /// Number of side positions.
    count: usize,
    cells: &'a SharedValues,
    views: [View<'a>; 2],
    /// Both players have the same policy and share their cells.
    are_alike: bool,
    /// With more than one lane, the keys of the cells and of the values that each player chooses by.
    keys: RwLock<Vec<i32>>,
    ranks: [Vec<i32>; 2],
    /// Of the throws of a turn the likeliest are covered, until they have this probability together.
    covered: f64,
    quantity: PhantomData<Q>,
}

/// Keys side by side.
type Keys<const N: usize> = [i32; N];

impl<'a, T: TurnModel, Q: Quantity, const N: usize> TwoSeats<'a, T, Q, N> {
    /// The cells are those of all positions, or twice as many: first those in which the first player throws. The values
    /// of [`PlayerPolicy::GreedyBy`] are in the order of the cells.
    pub(super) fn new(turns: &'a T, cells: &'a SharedValues, policies: [PlayerPolicy<'a>; 2]) -> Self {
        let count = turns.sides().len();
        let are_alike = cells.len() == count * count;
        let (first, second) = if are_alike { (cells, cells) } else { cells.split_at(count * count) };
        let view = |after, again, policy| View { after, again, policy, keys_after: &[], ranks_after: &[], gap: 0 };
        let views = [view(second, first, policies[0]), view(first, second, policies[1])];
        let keys = |cells: &SharedValues, key: fn(u32) -> i32| match N {
            1 => Vec::new(),
            // There is room for more lanes at the end.
            _ => cells.iter().map(|cell| key(cell.load(Ordering::Relaxed))).chain([0; N]).collect(),
        };
        let ranks = policies.map(|policy| match policy {
            PlayerPolicy::GreedyBy(values) => keys(values, Value::key_after),
            _ => Vec::new(),
        });
        let (mover, keys) = (turns.movers()[0], RwLock::new(keys(cells, Q::key_after)));
        let covered = if N == 1 { 1.0 - turns.cut_off() } else { 1.0 };
        TwoSeats { turns, mover, count, cells, views, are_alike, keys, ranks, covered, quantity: PhantomData }
    }

    /// The quantity when both players choose of the results whose value differs from the best by at most `gap`.
    pub(super) fn of_nearly_best(
        turns: &'a T,
        cells: &'a SharedValues,
        values: &'a SharedValues,
        gap: f64,
        covered: f64,
    ) -> Self {
        let mut kernel = TwoSeats::new(turns, cells, [PlayerPolicy::GreedyBy(values); 2]);
        kernel.views.iter_mut().for_each(|view| view.gap = (gap / super::UNIT) as i32);
        kernel.covered = covered;
        kernel
    }

    /// The cell of the position in which a seat throws with the first of these side positions.
    #[inline]
    pub(super) fn cell(&self, [own, other]: [usize; 2]) -> usize {
        if N == 1 { own * self.count + other } else { other * self.count + own }
    }

    fn is_position(&self, [own, other]: [usize; 2]) -> bool {
        self.turns.is_position(self.mover, [own as Side, other as Side, 0, 0])
    }

    /// The game as each player sees it, with the keys of the cells.
    fn views<'v>(&'v self, keys: &'v [i32]) -> [View<'v>; 2] {
        let mut views = self.views;
        if N > 1 {
            let half = if self.are_alike { 0 } else { self.count * self.count };
            for ((view, ranks), after) in views.iter_mut().zip(&self.ranks).zip([&keys[half..], keys]) {
                (view.keys_after, view.ranks_after) = (after, ranks);
            }
        }
        views
    }

    /// The value of passing for each of `others` against `own`.
    #[inline]
    fn passes(&self, view: View<'_>, own: usize, others: &Range<usize>) -> Keys<N> {
        row(view.after, self.cell([others.start, own]), Q::key_after)
    }

    /// The backups of the turns of `own` against each of `others`, if passing has the values `passes`.
    #[inline]
    fn backups(&self, view: View<'_>, own: usize, others: &Range<usize>, passes: Keys<N>) -> [Backup; N] {
        if N == 1 {
            let sides = [own as Side, others.start as Side];
            let mut best = BestOfTurn::<Q> {
                view,
                sides,
                count: self.count,
                pass: passes[0],
                found: Backup::default(),
                probability: 0.0,
                best: None,
                leads_to: NextPosition::Elsewhere,
                ranked: Vec::with_capacity(if matches!(view.policy, PlayerPolicy::GreedyBy(_)) { 64 } else { 0 }),
                quantity: PhantomData,
            };
            match view.policy {
                PlayerPolicy::Tabular(policy) => policy.visit(self.cell([own, others.start]), &mut best),
                _ => self.turns.visit(self.mover, [sides[0], sides[1], 0, 0], &mut best),
            }
            best.settle();
            return [Q::whole(best.found, self.covered); N];
        }
        let mut best = BestOfRow::<Q, N> {
            view,
            count: self.count,
            own: own as Side,
            first: others.start,
            passes,
            results: Vec::with_capacity(512),
            ranked: Vec::with_capacity(512),
            pass: None,
            wanted: self.covered,
            covered: 0.0,
            sums: [0.0; N],
            passing: 0.0,
            quantity: PhantomData,
        };
        self.turns.visit_row(own as Side, others.start as Side..others.end as Side, &mut best);
        let BestOfRow { sums, passing, covered, .. } = best;
        sums.map(|sum| Q::whole(Backup { sum, passing, staying: 0.0 }, covered))
    }

    /// Looks ahead from all positions of a tile of at most `N` by `N` side positions, in which the first player throws
    /// with one of its own side positions or the second with one of the others. Where the players are alike a tile of
    /// the same side positions twice is evaluated only once.
    #[inline]
    fn meet(&self, [first, second]: [View<'_>; 2], Tile { own, other }: &Tile, set: &mut impl FnMut(usize, u32)) {
        let is_mirrored = self.are_alike && own == other;
        let mut firsts = [([0; N], [Backup::default(); N]); N];
        for (side, (passes, backups)) in own.clone().zip(&mut firsts) {
            *passes = self.passes(first, side, other);
            *backups = self.backups(first, side, other, *passes);
        }
        let offset = self.cells.len() - self.count * self.count;
        for (lane, reply) in other.clone().enumerate() {
            let mut passes = self.passes(second, reply, own);
            for (pass, (first_passes, backups)) in passes.iter_mut().zip(&firsts) {
                let renewed = Q::key_of_pass(backups[lane], Q::number(first_passes[lane]), N == 1);
                *pass = renewed.unwrap_or(*pass);
            }
            let replies = if is_mirrored { firsts[lane].1 } else { self.backups(second, reply, own, passes) };
            for (at, side) in own.clone().enumerate().filter(|&(_, side)| !is_mirrored || side <= reply) {
                let [quantity, answer] = Q::pair(firsts[at].1[lane], replies[at]);
                set(self.cell([side, reply]), quantity);
                if !(self.are_alike && side == reply) {
                    set(offset + self.cell([reply, side]), answer);
                }
            }
        }
    }
}

impl<T: TurnModel, Q: Quantity, const N: usize> Kernel<Tile> for TwoSeats<'_, T, Q, N> {
    fn update(&self, tile: &Tile, mut set: impl FnMut(usize, u32)) {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let views = self.views(&keys);
        let is_same = tile.own == tile.other;
        let tiles = [tile.clone(), Tile { own: tile.other.clone(), other: tile.own.clone() }];
        for tile in tiles.iter().take(if self.are_alike || is_same { 1 } else { 2 }) {
            if N > 1 {
                self.meet(views, tile, &mut set);
                continue;
            }
            for other in tile.other.clone() {
                for own in tile.own.clone().filter(|&own| !(self.are_alike && is_same) || own >= other) {
                    let [own, other] = if self.are_alike { [own.max(other), own.min(other)] } else { [own, other] };
                    if self.is_position([own, other]) {
                        self.meet(views, &Tile { own: own..own + 1, other: other..other + 1 }, &mut set);
                    }
                }
            }
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        Q::distance(old, new)
    }

    const EXTRAPOLATED: fn(u32, u32, f64) -> u32 = Q::extrapolated;

    fn committed(&self, new: &[(usize, u32)]) {
        if N > 1 {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            new.iter().for_each(|&(cell, bits)| keys[cell] = Q::key_after(bits));
        }
    }

    fn check(&self, threads: usize) -> (u64, f64) {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let [view, _] = self.views(&keys);
        let visit = |(count, largest): &mut (u64, f64), own: usize| {
            for others in (0..self.count).step_by(N).map(|start| start..self.count.min(start + N)) {
                let others_here = others.clone().filter(|&other| self.is_position([own, other])).count();
                if others_here == 0 {
                    continue;
                }
                *count += others_here as u64;
                let passes = self.passes(view, own, &others);
                let backups = self.backups(view, own, &others, passes);
                for ((other, Backup { sum, passing, staying }), pass) in others.zip(backups).zip(passes) {
                    let here = Q::number(Q::key(self.cells[self.cell([own, other])].load(Ordering::Relaxed)));
                    *largest = largest.max((sum + passing * Q::number(pass) + staying * here - here).abs());
                }
            }
        };
        let folds = fold(self.count, threads, || (0, 0.0_f64), visit);
        folds.into_iter().fold((0, 0.0), |sum, fold| (sum.0 + fold.0, sum.1.max(fold.1)))
    }
}

/// The keys of neighbouring cells; arbitrary ones beyond the last.
#[inline]
fn row<const N: usize>(cells: &SharedValues, at: usize, key: impl Fn(u32) -> i32) -> Keys<N> {
    match cells[at..].first_chunk::<N>() {
        Some(row) => std::array::from_fn(|lane| key(row[lane].load(Ordering::Relaxed))),
        None => std::array::from_fn(|lane| cells.get(at + lane).map_or(0, |cell| key(cell.load(Ordering::Relaxed)))),
    }
}

/// Adds neighbouring keys to a list.
#[inline(always)]
fn push_row<const N: usize>(rows: &mut Vec<Keys<N>>, keys: &[i32], at: usize) {
    rows.extend(keys[at..].first_chunk::<N>());
}

/// Chooses the best result of each throw of a position.
struct BestOfTurn<'a, Q> {
    view: View<'a>,
    sides: [Side; 2],
    count: usize,
    pass: i32,
    found: Backup,
    probability: f64,
    /// The largest key of the results of the current throws.
    best: Option<i32>,
    /// The position that all of them lead to.
    leads_to: NextPosition,
    /// Their keys by what the player chooses by, where that is something else, and by the quantity.
    ranked: Vec<(i32, i32)>,
    quantity: PhantomData<Q>,
}

/// The position that results lead to.
#[derive(Clone, Copy, PartialEq)]
enum NextPosition {
    /// To the same position, with the other player to throw.
    Passing,
    /// To the same position.
    Staying,
    /// At least one to another position.
    Elsewhere,
}

impl<Q: Quantity> BestOfTurn<'_, Q> {
    #[inline]
    fn at(&self, cells: &SharedValues, own: Side, other: Side) -> u32 {
        cells[usize::from(own) * self.count + usize::from(other)].load(Ordering::Relaxed)
    }

    /// Adds the backup of the current throws.
    #[inline]
    fn settle(&mut self) {
        let Some(mut best) = self.best else { return };
        match self.leads_to {
            NextPosition::Passing => self.found.passing += self.probability,
            NextPosition::Staying => self.found.staying += self.probability,
            NextPosition::Elsewhere => {
                if let Some(highest) = self.ranked.iter().map(|&(rank, _)| rank).max() {
                    let limit = highest.saturating_sub(self.view.gap);
                    let near = self.ranked.iter().filter(|&&(rank, _)| rank >= limit);
                    best = near.fold(Q::NO_RESULT, |best, &(_, key)| Q::of_equals(key, best));
                }
                self.found.sum += self.probability * Q::number(best);
            }
        }
        self.ranked.clear();
    }
}

impl<Q: Quantity> TurnVisitor for BestOfTurn<'_, Q> {
    #[inline]
    fn throws(&mut self, probability: f64) {
        self.settle();
        (self.probability, self.best) = (probability, None);
    }

    // A `TurnEnd` that goes through memory is waited for: not inlined, a quarter of the time more.
    #[inline(always)]
    fn end(&mut self, end: TurnEnd) {
        let TurnEnd { sides: [own, other, ..], then } = end;
        let is_here = [own, other] == self.sides;
        let key = match then {
            Continuation::Next if is_here => self.pass,
            Continuation::Next => Q::key_after(self.at(self.view.after, other, own)),
            Continuation::Again => Q::key(self.at(self.view.again, own, other)),
            Continuation::Won => Q::key(Q::WON),
            Continuation::Drawn => Q::key(Q::DRAWN),
        };
        if let PlayerPolicy::GreedyBy(values) = self.view.policy {
            let rank = match then {
                Continuation::Next => Value::key_after(self.at(values, other, own)),
                Continuation::Again => Value::key(self.at(values, own, other)),
                Continuation::Won => Value::key(Value::WON),
                Continuation::Drawn => Value::key(Value::DRAWN),
            };
            self.ranked.push((rank, key));
        }
        let leads_to = match then {
            Continuation::Next if is_here => NextPosition::Passing,
            Continuation::Again if is_here => NextPosition::Staying,
            _ => NextPosition::Elsewhere,
        };
        match self.best {
            None => (self.best, self.leads_to) = (Some(key), leads_to),
            Some(best) => {
                self.best = Some(best.max(key));
                // A pass that is not forced is a result like any other: its value is iterated.
                if leads_to != self.leads_to {
                    self.leads_to = NextPosition::Elsewhere;
                }
            }
        }
    }
}

/// Chooses the best result of each throw for each position of a row.
struct BestOfRow<'a, Q, const N: usize> {
    view: View<'a>,
    count: usize,
    own: Side,
    first: usize,
    passes: Keys<N>,
    results: Vec<Keys<N>>,
    /// The keys of the results by what the player chooses by, where that is something else.
    ranked: Vec<Keys<N>>,
    /// The result that is a pass.
    pass: Option<u16>,
    wanted: f64,
    covered: f64,
    sums: [f64; N],
    passing: f64,
    quantity: PhantomData<Q>,
}

impl<Q: Quantity, const N: usize> RowVisitor for BestOfRow<'_, Q, N> {
    #[inline]
    fn quiet(&mut self, side: Side) {
        let after = usize::from(side) * self.count + self.first;
        if side == self.own {
            self.pass = Some(self.results.len() as u16);
            self.results.push(self.passes);
        } else {
            push_row(&mut self.results, self.view.keys_after, after);
        }
        if let PlayerPolicy::GreedyBy(_) = self.view.policy {
            push_row(&mut self.ranked, self.view.ranks_after, after);
        }
    }

    #[inline]
    fn again(&mut self, lane: usize, [own, other, ..]: Sides) {
        // Few side positions follow captures, so that their rows are at hand.
        let at = usize::from(other) * self.count + usize::from(own);
        if let Some(result) = self.results.last_mut() {
            result[lane] = Q::key(self.view.again[at].load(Ordering::Relaxed));
        }
        if let (PlayerPolicy::GreedyBy(values), Some(ranked)) = (self.view.policy, self.ranked.last_mut()) {
            ranked[lane] = Value::key(values[at].load(Ordering::Relaxed));
        }
    }

    fn won(&mut self) {
        self.results.push([Q::key(Q::WON); N]);
        self.ranked.push([Value::key(Value::WON); N]);
    }

    #[inline]
    fn throws(&mut self, probability: f64, results: &[u16]) -> ControlFlow<()> {
        self.covered += probability;
        if results.iter().all(|&result| Some(result) == self.pass) {
            self.passing += probability;
        } else {
            let best = match self.view.policy {
                PlayerPolicy::GreedyBy(_) => {
                    let limits = best(&self.ranked, results).map(|best| best.saturating_sub(self.view.gap));
                    best_within::<Q, N>(&self.results, &self.ranked, &limits, results)
                }
                _ => best(&self.results, results),
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
fn best<const N: usize>(results: &[Keys<N>], numbers: &[u16]) -> Keys<N> {
    let mut best = [i32::MIN; N];
    for &number in numbers {
        for (best, &key) in best.iter_mut().zip(&results[usize::from(number)]) {
            *best = key.max(*best);
        }
    }
    best
}

/// The keys of the results with these numbers whose values reach the limits, reduced by [`Quantity::of_equals`].
#[inline(never)]
fn best_within<Q: Quantity, const N: usize>(
    results: &[Keys<N>],
    values: &[Keys<N>],
    limits: &Keys<N>,
    numbers: &[u16],
) -> Keys<N> {
    let mut best = [Q::NO_RESULT; N];
    for number in numbers.iter().map(|&number| usize::from(number)) {
        let (result, value) = (&results[number], &values[number]);
        for lane in 0..N {
            let key = if value[lane] >= limits[lane] { result[lane] } else { Q::NO_RESULT };
            best[lane] = Q::of_equals(key, best[lane]);
        }
    }
    best
}
