//! Value iteration for two seats, with sixteen positions side by side (SIMD).
//!
//! A zero-sum game needs one number a position. A value is the expected return of the seat that is about to throw, as a
//! fraction of 2³² − 1. That is finer than single precision, and the value of the other seat has the complement of its
//! bits.
//!
//! Most turns of a side position are the same against all side positions of the other seat, but for captures. So the
//! best results are found for sixteen of them at a time: the lanes. The values that a turn leads to should then lie
//! side by side: cells are in the order of [`TurnIndex::number`] with the side positions [exchanged](transpose).

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use ashta_env::game::Seat;
use ashta_env::turn_index::{
    Continuation, LANES, LaneVisitor, RowVisitor, Side, Sides, TurnEnd, TurnModel, TurnVisitor,
};

use super::order::Tile;
use super::quantity::{Backup, Quantity, Value};
use super::sweep::{Kernel, fold};

/// Exchanges the two side positions in the order of the cells, block by block, which the cache holds.
pub(super) fn transpose(cells: &mut [u32], count: usize) {
    let blocks = || (0..count).step_by(64).map(|start| start..count.min(start + 64));
    for cells in cells.chunks_mut(count * count) {
        for (owns, others) in blocks().flat_map(|owns| blocks().map(move |others| (owns.clone(), others))) {
            for own in owns {
                others.clone().take_while(|&other| other < own).for_each(|other| {
                    cells.swap(own * count + other, other * count + own);
                });
            }
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
    /// 2³² − 1 and in the order of [`TurnIndex::number`].
    GreedyBy(&'a [u32]),
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
    /// The policy of so many positions with these turns: the number of the position, as [`TurnIndex::number`], the
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
    /// The quantities of the positions in which the other player throws next, and of those in which the same one does.
    cells: [&'a [u32]; 2],
    policy: PlayerPolicy<'a>,
    /// With [`PlayerPolicy::GreedyBy`] results may be worse than the best by so many bits.
    gap: i32,
}

/// A quantity of each position when two players meet.
#[derive(Debug)]
pub(super) struct TwoSeats<'a, T, Q> {
    turns: &'a T,
    mover: Seat,
    /// Number of side positions.
    count: usize,
    policies: [PlayerPolicy<'a>; 2],
    /// With [`PlayerPolicy::GreedyBy`] results may be worse than the best by so many bits.
    gap: i32,
    /// Both players have the same policy and share their cells.
    are_alike: bool,
    /// The turns of whole rows are visited, see [`TurnModel::has_rows`].
    has_rows: bool,
    /// Of the throws of a turn the likeliest are covered, until they have this probability together.
    covered: f64,
    quantity: PhantomData<Q>,
}

/// Keys side by side.
type Keys = [i32; LANES];

impl<'a, T: TurnModel, Q: Quantity> TwoSeats<'a, T, Q> {
    /// The cells are those of all positions where players are alike, or twice as many: first those in which the first
    /// player throws. The values of [`PlayerPolicy::GreedyBy`] are in the order of the cells.
    pub(super) fn new(turns: &'a T, policies: [PlayerPolicy<'a>; 2], are_alike: bool) -> Self {
        let is_tabular = policies.iter().any(|policy| matches!(policy, PlayerPolicy::Tabular(_)));
        let has_rows = turns.has_rows() && !is_tabular;
        let covered = if has_rows { 1.0 } else { 1.0 - turns.cut_off() };
        let (mover, count) = (turns.index().movers()[0], turns.index().sides().len());
        TwoSeats { turns, mover, count, policies, gap: 0, are_alike, has_rows, covered, quantity: PhantomData }
    }

    /// The quantity when both players choose of the results whose value differs from the best by at most `gap`.
    pub(super) fn of_nearly_best(turns: &'a T, values: &'a [u32], gap: f64, covered: f64) -> Self {
        let gap = (gap / super::UNIT) as i32;
        TwoSeats { gap, covered, ..TwoSeats::new(turns, [PlayerPolicy::GreedyBy(values); 2], true) }
    }

    /// The game as each player sees it.
    fn views<'v>(&'v self, cells: &'v [u32]) -> [View<'v>; 2] {
        let half = if self.are_alike { 0 } else { self.count * self.count };
        let (first, second) = (cells, &cells[half..]);
        let view = |player: usize, cells| View { cells, policy: self.policies[player], gap: self.gap };
        [view(0, [second, first]), view(1, [first, second])]
    }

    /// The cell of the position in which a seat throws with the first of these side positions.
    #[inline]
    pub(super) fn cell(&self, [own, other]: [usize; 2]) -> usize {
        other * self.count + own
    }

    /// The keys of passing for each of up to [`LANES`] `others` against `own`.
    fn passes(&self, view: View<'_>, own: usize, others: &Range<usize>) -> Keys {
        row(view.cells[0], self.cell([others.start, own]), Q::key_after)
    }

    /// The backups of the turns of `own` against each of up to [`LANES`] `others`, if passing has the keys `passes`.
    /// Only those in the lanes `wanted` are sure to be found.
    fn backups(&self, view: View<'_>, own: usize, others: &Range<usize>, passes: Keys, wanted: u16) -> [Backup; LANES] {
        let mut best = BestOfLanes::<Q> {
            view,
            own: own as Side,
            others: others.clone(),
            count: self.count,
            passes,
            sums: [[0.0; LANES]; 3],
            lane: 0,
            probability: 0.0,
            best: None,
            leads_to: NextPosition::Elsewhere,
            ranked: Vec::new(),
            results: Vec::with_capacity(if self.has_rows { 512 } else { 8 }),
            ranks: Vec::new(),
            pass: None,
            wanted: self.covered,
            covered: 0.0,
            quantity: PhantomData,
        };
        let [first, end] = [others.start as Side, others.end as Side];
        if self.has_rows {
            self.turns.visit_row(own as Side, first..end, &mut best);
        } else if let PlayerPolicy::Tabular(policy) = view.policy {
            lanes_of(wanted).for_each(|lane| policy.visit(own * self.count + others.start + lane, best.lane(lane)));
        } else if !self.turns.visit_lanes(self.mover, own as Side, first, wanted, &mut best) {
            let sides = |lane: usize| [own as Side, first + lane as Side, 0, 0];
            lanes_of(wanted).for_each(|lane| self.turns.visit(self.mover, sides(lane), best.lane(lane)));
        }
        best.settle();
        let covered = if self.has_rows { best.covered } else { self.covered };
        let [sum, passing, staying] = best.sums;
        let backup = |lane: usize| Backup { sum: sum[lane], passing: passing[lane], staying: staying[lane] };
        std::array::from_fn(|lane| Q::whole(backup(lane), covered))
    }

    /// The lanes of `others` in which `own` is a position.
    fn positions(&self, own: usize, others: &Range<usize>) -> u16 {
        let is_position = |other| self.turns.is_position(self.mover, [own as Side, other as Side, 0, 0]);
        others.clone().rev().fold(0, |lanes, other| lanes << 1 | u16::from(is_position(other)))
    }

    /// Looks ahead from all positions of a tile of at most [`LANES`] by [`LANES`] side positions, in which the first
    /// player throws with one of its own side positions or the second with one of the others. Where the players are
    /// alike a tile of the same side positions twice is evaluated only once.
    fn meet(&self, [first, second]: [View<'_>; 2], Tile { own, other }: &Tile, set: &mut impl FnMut(usize, u32)) {
        let is_mirrored = self.are_alike && own == other;
        let mut firsts = [(0, [0; LANES], [Backup::default(); LANES]); LANES];
        for (at, (side, (wanted, passes, backups))) in own.clone().zip(&mut firsts).enumerate() {
            let once = match (is_mirrored, self.has_rows) {
                (false, _) => u16::MAX,
                (true, true) => u16::MAX << at,
                (true, false) => u16::MAX >> (LANES - 1 - at),
            };
            *wanted = self.positions(side, other) & once;
            *passes = self.passes(first, side, other);
            *backups = self.backups(first, side, other, *passes, *wanted);
        }
        let offset = if self.are_alike { 0 } else { self.count * self.count };
        for (lane, reply) in other.clone().enumerate() {
            let mut passes = self.passes(second, reply, own);
            let mut wanted = 0;
            for (at, (pass, (lanes, first_passes, backups))) in passes.iter_mut().zip(&firsts).enumerate() {
                let renewed = Q::key_of_pass(backups[lane], Q::number(first_passes[lane]), !self.has_rows);
                *pass = renewed.unwrap_or(*pass);
                wanted |= (lanes >> lane & 1) << at;
            }
            let other_wanted = if is_mirrored { wanted & !(1 << lane) } else { wanted };
            let mut replies = match is_mirrored && self.has_rows {
                true => std::array::from_fn(|at| firsts[lane].2[at]),
                false => self.backups(second, reply, own, passes, other_wanted),
            };
            if is_mirrored {
                replies[lane] = firsts[lane].2[lane];
            }
            for at in lanes_of(wanted) {
                let (side, [quantity, answer]) = (own.start + at, Q::pair(firsts[at].2[lane], replies[at]));
                set(self.cell([side, reply]), quantity);
                if !(self.are_alike && side == reply) {
                    set(offset + self.cell([reply, side]), answer);
                }
            }
        }
    }
}

impl<T: TurnModel, Q: Quantity> Kernel<Tile> for TwoSeats<'_, T, Q> {
    type Quantity = Q;

    fn update(&self, cells: &[u32], tile: &Tile, mut set: impl FnMut(usize, u32)) {
        let swapped = Tile { own: tile.other.clone(), other: tile.own.clone() };
        // Which player is the first one matters where both pass: the second then knows the new value of the first.
        let tiles =
            if self.has_rows || tile.own.start >= tile.other.start { [tile, &swapped] } else { [&swapped, tile] };
        for tile in &tiles[..if self.are_alike || *tile == swapped { 1 } else { 2 }] {
            self.meet(self.views(cells), tile, &mut set);
        }
    }

    fn check(&self, cells: &[u32], threads: usize) -> (u64, f64) {
        let [view, _] = self.views(cells);
        let visit = |(count, largest): &mut (u64, f64), own: usize| {
            for others in (0..self.count).step_by(LANES).map(|start| start..self.count.min(start + LANES)) {
                let wanted = self.positions(own, &others);
                *count += u64::from(wanted.count_ones());
                let passes = self.passes(view, own, &others);
                let backups = self.backups(view, own, &others, passes, wanted);
                for lane in lanes_of(wanted) {
                    let Backup { sum, passing, staying } = backups[lane];
                    let here = Q::number(Q::key(cells[self.cell([own, others.start + lane])]));
                    let ahead = sum + passing * Q::number(passes[lane]) + staying * here;
                    *largest = largest.max((ahead - here).abs());
                }
            }
        };
        let folds = fold(self.count, threads, || (0, 0.0_f64), visit);
        folds.into_iter().fold((0, 0.0), |sum, fold| (sum.0 + fold.0, sum.1.max(fold.1)))
    }
}

/// The lanes that are set.
fn lanes_of(lanes: u16) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| lanes >> lane & 1 == 1)
}

/// The keys of so many lanes; 0 in the others.
#[inline(always)]
fn lanes(count: usize, key: impl Fn(usize) -> i32) -> Keys {
    let mut keys = [0; LANES];
    keys.iter_mut().take(count).enumerate().for_each(|(lane, of)| *of = key(lane));
    keys
}

/// The keys of neighbouring cells; arbitrary ones beyond the last.
#[inline(always)]
fn row(cells: &[u32], at: usize, key: impl Fn(u32) -> i32) -> Keys {
    match cells[at..].first_chunk::<LANES>() {
        Some(row) => row.map(key),
        None => lanes(cells.len() - at, |lane| key(cells[at + lane])),
    }
}

/// Chooses the best result of each throw of several positions, in which a side position meets others.
struct BestOfLanes<'a, Q> {
    view: View<'a>,
    own: Side,
    others: Range<usize>,
    count: usize,
    passes: Keys,
    /// By [`NextPosition`] and lane what makes up backups.
    sums: [[f64; LANES]; 3],
    /// The lane that is visited alone.
    lane: usize,
    probability: f64,
    /// The largest key of the results of its current throws.
    best: Option<i32>,
    /// The position that all of them lead to.
    leads_to: NextPosition,
    /// Their keys by what the player chooses by, where that is something else, and by the quantity.
    ranked: Vec<(i32, i32)>,
    /// The keys of results in all lanes, and those by what the player chooses by, where that is something else.
    results: Vec<Keys>,
    ranks: Vec<Keys>,
    /// The result that is a pass.
    pass: Option<u16>,
    /// Of the throws of rows those with this probability are wanted, and so many have been covered.
    wanted: f64,
    covered: f64,
    quantity: PhantomData<Q>,
}

/// The position that results lead to.
#[derive(Clone, Copy, PartialEq)]
enum NextPosition {
    /// At least one to another position.
    Elsewhere,
    /// To the same position, with the other player to throw.
    Passing,
    /// To the same position.
    Staying,
}

impl NextPosition {
    /// Where a result leads.
    fn of(then: Continuation, is_here: bool) -> NextPosition {
        match then {
            Continuation::Next if is_here => NextPosition::Passing,
            Continuation::Again if is_here => NextPosition::Staying,
            _ => NextPosition::Elsewhere,
        }
    }

    /// Where this result and another lead. A pass that is not forced is a result like any other: its value is iterated.
    fn or(self, other: NextPosition) -> NextPosition {
        if self == other { self } else { NextPosition::Elsewhere }
    }
}

impl<Q: Quantity> BestOfLanes<'_, Q> {
    /// Adds the backup of the current throws.
    #[inline]
    fn settle(&mut self) {
        let Some(mut best) = self.best.take() else { return };
        if let Some(highest) = self.ranked.iter().map(|&(rank, _)| rank).max() {
            let limit = highest.saturating_sub(self.view.gap);
            let near = self.ranked.iter().filter(|&&(rank, _)| rank >= limit);
            best = near.fold(Q::NO_RESULT, |best, &(_, key)| Q::of_equals(key, best));
            self.ranked.clear();
        }
        let number = if self.leads_to == NextPosition::Elsewhere { Q::number(best) } else { 1.0 };
        self.sums[self.leads_to as usize][self.lane] += self.probability * number;
    }

    /// Adds throws whose best results in these lanes have these keys.
    #[inline(always)]
    fn add(&mut self, wanted: u16, probability: f64, leads_to: NextPosition, best: &Keys) {
        for (lane, (sum, &key)) in self.sums[leads_to as usize].iter_mut().zip(best).enumerate() {
            let number = if leads_to == NextPosition::Elsewhere { Q::number(key) } else { 1.0 };
            *sum += if wanted >> lane & 1 == 1 { probability * number } else { 0.0 };
        }
    }

    /// The largest keys of the results with these numbers; of nearly the best where the player chooses by ranks.
    fn chosen(&self, numbers: impl Iterator<Item = usize> + Clone) -> Keys {
        if self.ranks.is_empty() {
            return best(&self.results, numbers);
        }
        let limits = best(&self.ranks, numbers.clone()).map(|best| best.saturating_sub(self.view.gap));
        best_within::<Q>(&self.results, &self.ranks, &limits, numbers)
    }

    /// Adds a result in all lanes.
    #[inline(always)]
    fn push(&mut self, own: Side, then: Continuation) {
        self.results.push(match NextPosition::of(then, own == self.own) {
            NextPosition::Passing => self.passes,
            _ => self.keys::<Q>(own, then, self.view.cells),
        });
        if let PlayerPolicy::GreedyBy(values) = self.view.policy {
            self.ranks.push(self.keys::<Value>(own, then, [values; 2]));
        }
    }

    /// The keys of a result in all lanes.
    #[inline(always)]
    fn keys<K: Quantity>(&self, own: Side, then: Continuation, cells: [&[u32]; 2]) -> Keys {
        match then {
            Continuation::Next => row(cells[0], usize::from(own) * self.count + self.others.start, K::key_after),
            _ => lanes(self.others.len(), |lane| self.key::<K>([own, (self.others.start + lane) as Side], then, cells)),
        }
    }

    /// The key of a result, if the cells are those of the other player's throw and of the same one's.
    #[inline(always)]
    fn key<K: Quantity>(&self, [own, other]: [Side; 2], then: Continuation, [after, again]: [&[u32]; 2]) -> i32 {
        let at = |row: Side, column: Side| usize::from(row) * self.count + usize::from(column);
        match then {
            Continuation::Next => K::key_after(after[at(own, other)]),
            Continuation::Again => K::key(again[at(other, own)]),
            Continuation::Won => K::key(K::WON),
            Continuation::Drawn => K::key(K::DRAWN),
        }
    }
}

impl<Q: Quantity> TurnVisitor for BestOfLanes<'_, Q> {
    #[inline]
    fn throws(&mut self, probability: f64) {
        self.settle();
        self.probability = probability;
    }

    // A `TurnEnd` that goes through memory is waited for: not inlined, a quarter of the time more.
    #[inline(always)]
    fn end(&mut self, end: TurnEnd) {
        let TurnEnd { sides: [own, other, ..], then } = end;
        let is_here = own == self.own && usize::from(other) == self.others.start + self.lane;
        let leads_to = NextPosition::of(then, is_here);
        let key = match leads_to {
            NextPosition::Passing => self.passes[self.lane],
            _ => self.key::<Q>([own, other], then, self.view.cells),
        };
        if let PlayerPolicy::GreedyBy(values) = self.view.policy {
            self.ranked.push((self.key::<Value>([own, other], then, [values; 2]), key));
        }
        (self.best, self.leads_to) = match self.best {
            None => (Some(key), leads_to),
            Some(best) => (Some(best.max(key)), self.leads_to.or(leads_to)),
        };
    }
}

impl<Q: Quantity> LaneVisitor for BestOfLanes<'_, Q> {
    type Lane = Self;

    fn lane(&mut self, lane: usize) -> &mut Self {
        self.settle();
        self.lane = lane;
        self
    }

    fn throw(&mut self, wanted: u16, probability: f64, ends: impl Iterator<Item = (Side, Continuation)>) {
        self.settle();
        self.results.clear();
        self.ranks.clear();
        let mut leads_to = None;
        for (own, then) in ends {
            self.push(own, then);
            let leads = NextPosition::of(then, own == self.own);
            leads_to = Some(leads_to.map_or(leads, |other| leads.or(other)));
        }
        if let Some(leads_to) = leads_to {
            let best = self.chosen(0..self.results.len());
            self.add(wanted, probability, leads_to, &best);
        }
    }
}

impl<Q: Quantity> RowVisitor for BestOfLanes<'_, Q> {
    fn quiet(&mut self, side: Side) {
        if side == self.own {
            self.pass = Some(self.results.len() as u16);
        }
        self.push(side, Continuation::Next);
    }

    fn again(&mut self, lane: usize, [own, other, ..]: Sides) {
        let key = self.key::<Q>([own, other], Continuation::Again, self.view.cells);
        self.results.last_mut().into_iter().for_each(|result| result[lane] = key);
        if let PlayerPolicy::GreedyBy(values) = self.view.policy {
            let rank = self.key::<Value>([own, other], Continuation::Again, [values; 2]);
            self.ranks.last_mut().into_iter().for_each(|ranks| ranks[lane] = rank);
        }
    }

    fn won(&mut self) {
        self.push(self.own, Continuation::Won);
    }

    fn throws(&mut self, probability: f64, results: &[u16]) -> ControlFlow<()> {
        self.covered += probability;
        if results.iter().all(|&result| Some(result) == self.pass) {
            self.add(u16::MAX, probability, NextPosition::Passing, &[0; LANES]);
        } else {
            let best = self.chosen(results.iter().map(|&result| result.into()));
            self.add(u16::MAX, probability, NextPosition::Elsewhere, &best);
        }
        if self.covered >= self.wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The largest keys of the results with these numbers. A function of its own, so that all lanes are compared together.
#[inline(never)]
fn best(results: &[Keys], numbers: impl Iterator<Item = usize>) -> Keys {
    let mut best = [i32::MIN; LANES];
    for number in numbers {
        for (best, &key) in best.iter_mut().zip(&results[number]) {
            *best = key.max(*best);
        }
    }
    best
}

/// The keys of the results with these numbers whose values reach the limits, reduced by [`Quantity::of_equals`].
#[inline(never)]
fn best_within<Q: Quantity>(
    results: &[Keys],
    values: &[Keys],
    limits: &Keys,
    numbers: impl Iterator<Item = usize>,
) -> Keys {
    let mut best = [Q::NO_RESULT; LANES];
    for number in numbers {
        let (result, value) = (&results[number], &values[number]);
        for lane in 0..LANES {
            let key = if value[lane] >= limits[lane] { result[lane] } else { Q::NO_RESULT };
            best[lane] = Q::of_equals(key, best[lane]);
        }
    }
    best
}
