//! Value iteration for two seats, which computes sixteen positions at the same time (SIMD).
//!
//! A zero-sum game needs one number per position: the expected return of the seat that throws, as a
//! fraction of 2³² −
//! 1. This number is more precise than single precision. The complement of its bits is the value
//!    for the other seat.
//!
//! Most turns without a capture do not depend on the side position of the other seat. So the kernel
//! finds the best afterstates (positions after a whole turn) against sixteen side positions of the
//! other seat (the lanes) at the same time. The values after a turn must therefore be neighbours in
//! memory: the cells have the order of [`TurnIndex::number`] with the two side positions
//! [exchanged](transpose).

use std::{marker::PhantomData, ops::Range};

use ashta_env::{
    game::Seat,
    turn_index::{Continuation, LANES, Side, TurnEnd, TurnModel, TurnVisitor, lanes_of},
};

use super::{
    order::{Tile, pair_order},
    quantity::{Backup, Quantity, Value},
    sweep::{Kernel, Layer, fold},
};

/// Exchanges the two side positions in the order of the cells, in blocks that fit into the cache.
pub fn transpose(cells: &mut [u32], count: usize) {
    let blocks = || {
        (0..count)
            .step_by(64)
            .map(|start| start..count.min(start + 64))
    };
    for cells in cells.chunks_mut(count * count) {
        for (owns, others) in
            blocks().flat_map(|owns| blocks().map(move |others| (owns.clone(), others)))
        {
            for own in owns {
                others
                    .clone()
                    .take_while(|&other| other < own)
                    .for_each(|other| {
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
    /// The afterstate with the highest of these values. If several afterstates have this value, the
    /// player gets the afterstate with the lowest computed score, so that its score is a lower
    /// bound. There is a value for each turn-start state: the value for the seat that throws, as a
    /// fraction of 2³² − 1, in the order of `TurnIndex::number`.
    GreedyBy(&'a [u32]),
    /// A fixed policy that does not depend on values.
    Tabular(&'a TabularPolicy),
}

/// A policy as a table: the ends of the turns in each position.
#[derive(Debug)]
pub struct TabularPolicy {
    /// For each position, by number, the index of its first turn in `turns`. The last entry is the
    /// number of all turns.
    first: Vec<usize>,
    /// The probability of the throws of each turn, and its end.
    turns: Vec<(f32, TurnEnd)>,
}

impl TabularPolicy {
    /// The policy in a game with this number of positions. Each turn has the number of its position
    /// (see `TurnIndex::number`), the probability of its throws, and its end. Unused numbers have
    /// no turns.
    pub fn new(positions: usize, mut turns: Vec<(usize, f32, TurnEnd)>) -> TabularPolicy {
        turns.sort_by_key(|&(number, ..)| number);
        let first = (0..=positions)
            .map(|number| turns.partition_point(|&(found, ..)| found < number))
            .collect();
        TabularPolicy {
            first,
            turns: turns
                .into_iter()
                .map(|(_, probability, end)| (probability, end))
                .collect(),
        }
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.first.len() - 1
    }

    /// The turns of a position: the probability of the throws of each turn, and its end.
    pub(super) fn turns(&self, number: usize) -> &[(f32, TurnEnd)] {
        &self.turns[self.first[number]..self.first[number + 1]]
    }

    /// Visits the turns of each lane; `first` is the number of the position of lane 0.
    fn visit(&self, first: usize, lanes: u16, visitor: &mut impl TurnVisitor) {
        let mut count = 0;
        for lane in lanes_of(lanes) {
            for &(probability, end) in self.turns(first + lane) {
                visitor.end(0, end.sides[0], end.then);
                visitor.replace_end(lane, end);
                visitor.throws(1 << lane, probability.into(), count..count + 1);
                count += 1;
            }
        }
    }
}

/// The game from the point of view of one player.
#[derive(Clone, Copy)]
struct View<'a> {
    /// `[0]`: the cells of the positions where the other player throws; `[1]`: the cells of the
    /// positions where this player throws.
    cells: [&'a [u32]; 2],
    policy: PlayerPolicy<'a>,
}

/// The kernel for two players: computes a quantity of each position.
pub struct TwoSeats<'a, T, Q> {
    turns: &'a T,
    mover: Seat,
    /// Number of side positions.
    count: usize,
    policies: [PlayerPolicy<'a>; 2],
    /// With [`PlayerPolicy::GreedyBy`], a player can choose afterstates whose value is lower than
    /// the best by at most this number of [units](super::UNIT).
    gap: i32,
    /// Whether both players have the same policy and share their cells.
    are_alike: bool,
    /// Whether all lanes are visited together, see [`TurnModel::has_rows`].
    has_rows: bool,
    /// The total probability of the throws that a backup (the new quantity of a position, from its
    /// afterstates) uses. If `has_rows`, a visit ends when its throws have this probability.
    covered: f64,
    quantity: PhantomData<Q>,
}

/// The keys of all lanes, see [`Quantity::key`].
type Keys = [i32; LANES];

impl<'a, T: TurnModel, Q: Quantity> TwoSeats<'a, T, Q> {
    /// A kernel for players with these policies. If the players are alike, there is one cell for
    /// each position. Otherwise the cells have two halves: in the first half the first player
    /// throws, in the second half the second player. The values of [`PlayerPolicy::GreedyBy`] have
    /// the same order as the cells.
    pub fn new(turns: &'a T, policies: [PlayerPolicy<'a>; 2], are_alike: bool) -> Self {
        let is_tabular = policies
            .iter()
            .any(|policy| matches!(policy, PlayerPolicy::Tabular(_)));
        let has_rows = turns.has_rows() && !is_tabular;
        let covered = if has_rows { 1.0 } else { 1.0 - turns.cut_off() };
        let (mover, count) = (turns.index().movers()[0], turns.index().sides().len());
        TwoSeats {
            turns,
            mover,
            count,
            policies,
            gap: 0,
            are_alike,
            has_rows,
            covered,
            quantity: PhantomData,
        }
    }

    /// A kernel for two players who can choose every afterstate whose value differs from the
    /// largest value by at most `gap`.
    pub fn of_nearly_best(turns: &'a T, values: &'a [u32], gap: f64, covered: f64) -> Self {
        let gap = (gap / super::UNIT) as i32;
        TwoSeats {
            gap,
            covered,
            ..TwoSeats::new(turns, [PlayerPolicy::GreedyBy(values); 2], true)
        }
    }

    fn views<'v>(&'v self, cells: &'v [u32]) -> [View<'v>; 2] {
        let half = if self.are_alike {
            0
        } else {
            self.count * self.count
        };
        let (first, second) = (cells, &cells[half..]);
        let view = |player: usize, cells| View {
            cells,
            policy: self.policies[player],
        };
        [view(0, [second, first]), view(1, [first, second])]
    }

    /// The cell of a position, from the side positions of the seat that throws and of the other
    /// seat.
    #[inline]
    pub fn cell(&self, [own, other]: [usize; 2]) -> usize {
        other * self.count + own
    }

    /// The keys of the afterstates if a seat with the side position `own` passes. There is a key
    /// for each side position of the other seat in `others`, which has up to [`LANES`] numbers.
    fn passes(&self, view: View<'_>, own: usize, others: &Range<usize>) -> Keys {
        row(view.cells[0], self.cell([others.start, own]), Q::key_after)
    }

    /// The backups of the turns of a seat with the side position `own`, one for each side position
    /// of the other seat in `others`; `passes` are the keys of a pass. The backups of lanes that
    /// are not in `wanted` are arbitrary.
    fn backups(
        &self,
        view: View<'_>,
        own: usize,
        others: &Range<usize>,
        passes: Keys,
        wanted: u16,
    ) -> [Backup; LANES] {
        let mut best = BestOfLanes {
            kernel: self,
            view,
            own: own as Side,
            others: others.clone(),
            passes,
            sums: [[0.0; LANES]; 3],
            results: Vec::with_capacity(RESULTS),
            ranks: Vec::new(),
            next: Vec::with_capacity(RESULTS),
            covered: 0.0,
        };
        let first = others.start as Side;
        match view.policy {
            PlayerPolicy::Tabular(policy) => {
                policy.visit(own * self.count + others.start, wanted, &mut best)
            }
            // All lanes are needed: a mirrored tile uses the backups for both seats.
            _ if self.has_rows => self.turns.visit(
                self.mover,
                [own as Side, first, 0, 0],
                all(others),
                &mut best,
            ),
            _ => self
                .turns
                .visit(self.mover, [own as Side, first, 0, 0], wanted, &mut best),
        }
        let covered = if self.has_rows {
            best.covered
        } else {
            self.covered
        };
        let [sum, passing, staying] = best.sums;
        let backup = |lane: usize| Backup {
            sum: sum[lane],
            passing: passing[lane],
            staying: staying[lane],
        };
        std::array::from_fn(|lane| Q::complete(backup(lane), covered))
    }

    /// The lanes whose two side positions, `own` and the number in `others`, can occur together.
    fn positions(&self, own: usize, others: &Range<usize>) -> u16 {
        let is_position = |other| {
            self.turns
                .is_position(self.mover, [own as Side, other as Side, 0, 0])
        };
        others
            .clone()
            .rev()
            .fold(0, |lanes, other| lanes << 1 | u16::from(is_position(other)))
    }

    /// Updates all positions of a tile of at most [`LANES`] by [`LANES`] side positions. Either the
    /// first player throws with a side position of `tile.own`, or the second player throws with a
    /// side position of `tile.other`. If the players are alike and the two ranges are equal, each
    /// pair of positions is updated only once.
    fn update_tile(
        &self,
        [first, second]: [View<'_>; 2],
        tile: &Tile,
        set: &mut impl FnMut(usize, u32),
    ) {
        let [own, other] =
            &[&tile.own, &tile.other].map(|sides| usize::from(sides.start)..usize::from(sides.end));
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
        let offset = if self.are_alike {
            0
        } else {
            self.count * self.count
        };
        for (lane, reply) in other.clone().enumerate() {
            let mut passes = self.passes(second, reply, own);
            let mut wanted = 0;
            for (at, (pass, (lanes, first_passes, backups))) in
                passes.iter_mut().zip(&firsts).enumerate()
            {
                let renewed =
                    Q::key_of_pass(backups[lane], Q::number(first_passes[lane]), !self.has_rows);
                *pass = renewed.unwrap_or(*pass);
                wanted |= (lanes >> lane & 1) << at;
            }
            let other_wanted = if is_mirrored {
                wanted & !(1 << lane)
            } else {
                wanted
            };
            let mut replies = match is_mirrored && self.has_rows {
                true => std::array::from_fn(|at| firsts[lane].2[at]),
                false => self.backups(second, reply, own, passes, other_wanted),
            };
            if is_mirrored {
                replies[lane] = firsts[lane].2[lane];
            }
            for at in lanes_of(wanted) {
                let (side, [quantity, answer]) =
                    (own.start + at, Q::pair(firsts[at].2[lane], replies[at]));
                set(self.cell([side, reply]), quantity);
                if !(self.are_alike && side == reply) {
                    set(offset + self.cell([reply, side]), answer);
                }
            }
        }
    }
}

impl<T: TurnModel, Q: Quantity> Kernel for TwoSeats<'_, T, Q> {
    type Item = Tile;
    type Quantity = Q;

    fn order(&self) -> Vec<Layer<Tile>> {
        pair_order(self.turns.index().sides())
    }

    fn update(&self, cells: &[u32], tile: &Tile, mut set: impl FnMut(usize, u32)) {
        let swapped = Tile {
            own: tile.other.clone(),
            other: tile.own.clone(),
        };
        // The order of the players matters if both pass: the second player uses the new value of
        // the first player.
        let tiles = if self.has_rows || tile.own.start >= tile.other.start {
            [tile, &swapped]
        } else {
            [&swapped, tile]
        };
        for tile in &tiles[..if self.are_alike || *tile == swapped {
            1
        } else {
            2
        }] {
            self.update_tile(self.views(cells), tile, &mut set);
        }
    }

    fn check(&self, cells: &[u32], threads: usize) -> (u64, f64) {
        let [view, _] = self.views(cells);
        let visit = |(count, largest): &mut (u64, f64), own: usize| {
            for others in (0..self.count)
                .step_by(LANES)
                .map(|start| start..self.count.min(start + LANES))
            {
                let wanted = self.positions(own, &others);
                *count += u64::from(wanted.count_ones());
                let passes = self.passes(view, own, &others);
                let backups = self.backups(view, own, &others, passes, wanted);
                for lane in lanes_of(wanted) {
                    let Backup {
                        sum,
                        passing,
                        staying,
                    } = backups[lane];
                    let here = Q::number(Q::key(cells[self.cell([own, others.start + lane])]));
                    let ahead = sum + passing * Q::number(passes[lane]) + staying * here;
                    *largest = largest.max((ahead - here).abs());
                }
            }
        };
        fold(self.count, threads, || (0, 0.0_f64), visit)
            .into_iter()
            .fold((0, 0.0), |sum, fold| (sum.0 + fold.0, sum.1.max(fold.1)))
    }
}

/// The lanes of these side positions.
fn all(others: &Range<usize>) -> u16 {
    u16::MAX >> (LANES - others.len())
}

/// The keys of neighbouring cells from `at` on; 0 after the last cell.
#[inline(always)]
fn row(cells: &[u32], at: usize, key: impl Fn(u32) -> i32) -> Keys {
    match cells[at..].first_chunk::<LANES>() {
        Some(row) => row.map(key),
        None => std::array::from_fn(|lane| cells.get(at + lane).map_or(0, |&bits| key(bits))),
    }
}

/// The initial capacity for the afterstates of a side position.
const RESULTS: usize = 512;

/// Computes the backups of a side position against others: chooses the best afterstate of each
/// throw in each lane.
struct BestOfLanes<'a, T, Q> {
    kernel: &'a TwoSeats<'a, T, Q>,
    view: View<'a>,
    own: Side,
    others: Range<usize>,
    passes: Keys,
    /// The fields of the backups, by [`NextPosition`] and lane.
    sums: [[f64; LANES]; 3],
    /// The keys of each afterstate.
    results: Vec<Keys>,
    /// With [`PlayerPolicy::GreedyBy`], the keys of the values that the player compares; otherwise
    /// empty.
    ranks: Vec<Keys>,
    /// The position after each afterstate.
    next: Vec<NextPosition>,
    /// The total probability of the throws so far.
    covered: f64,
}

/// The position that follows one or several afterstates, compared with the position before the
/// turn.
#[derive(Clone, Copy, PartialEq)]
enum NextPosition {
    /// At least one afterstate leads to another position.
    Elsewhere,
    /// The same position; the other player throws.
    Passing,
    /// The same position; the same player throws.
    Staying,
}

impl NextPosition {
    /// The position after an afterstate; `is_here` if the side positions are unchanged.
    fn of(then: Continuation, is_here: bool) -> NextPosition {
        match then {
            Continuation::Next if is_here => NextPosition::Passing,
            Continuation::Again if is_here => NextPosition::Staying,
            _ => NextPosition::Elsewhere,
        }
    }
}

impl<T, Q: Quantity> BestOfLanes<'_, T, Q> {
    /// Adds throws after which the player chooses among the afterstates `ends`, in `N` lanes from
    /// `first` on.
    #[inline(always)]
    fn add<const N: usize>(
        &mut self,
        (first, lanes): (usize, u16),
        probability: f64,
        next: NextPosition,
        ends: impl Iterator<Item = usize> + Clone,
    ) {
        let mut numbers = [1.0; N];
        if next == NextPosition::Elsewhere {
            let best = if self.ranks.is_empty() {
                best::<N>(&self.results, first, ends)
            } else {
                let limits = best::<N>(&self.ranks, first, ends.clone())
                    .map(|best| best.saturating_sub(self.kernel.gap));
                best_within::<Q, N>(&self.results, &self.ranks, &limits, first, ends)
            };
            numbers = best.map(Q::number);
        }
        let sums: &mut [f64; N] = self.sums[next as usize][first..]
            .first_chunk_mut()
            .expect("either all lanes or one");
        for (lane, (sum, number)) in sums.iter_mut().zip(numbers).enumerate() {
            *sum += if lanes >> (first + lane) & 1 == 1 {
                probability * number
            } else {
                0.0
            };
        }
    }

    /// The keys, in these lanes, of an afterstate that does not change the side position of the
    /// other seat.
    #[inline(always)]
    fn keys<K: Quantity>(
        &self,
        lanes: u16,
        own: Side,
        then: Continuation,
        cells: [&[u32]; 2],
    ) -> Keys {
        // Reading a row takes as long as reading one key.
        if then == Continuation::Next && !lanes.is_power_of_two() {
            return row(
                cells[0],
                usize::from(own) * self.kernel.count + self.others.start,
                K::key_after,
            );
        }
        let mut keys = [0; LANES];
        for lane in lanes_of(lanes) {
            keys[lane] = self.key::<K>([own, (self.others.start + lane) as Side], then, cells);
        }
        keys
    }

    /// The key of an afterstate. `after` and `again` are the fields of [`View::cells`].
    #[inline(always)]
    fn key<K: Quantity>(
        &self,
        [own, other]: [Side; 2],
        then: Continuation,
        [after, again]: [&[u32]; 2],
    ) -> i32 {
        let at =
            |row: Side, column: Side| usize::from(row) * self.kernel.count + usize::from(column);
        match then {
            Continuation::Next => K::key_after(after[at(own, other)]),
            Continuation::Again => K::key(again[at(other, own)]),
            Continuation::Won => K::key(K::WON),
            Continuation::Drawn => K::key(K::DRAWN),
        }
    }
}

impl<T, Q: Quantity> TurnVisitor for BestOfLanes<'_, T, Q> {
    #[inline(always)]
    fn end(&mut self, lanes: u16, own: Side, then: Continuation) {
        let next = NextPosition::of(then, own == self.own);
        self.results.push(match next {
            NextPosition::Passing => self.passes,
            _ => self.keys::<Q>(lanes, own, then, self.view.cells),
        });
        self.next.push(next);
        if let PlayerPolicy::GreedyBy(values) = self.view.policy {
            self.ranks
                .push(self.keys::<Value>(lanes, own, then, [values; 2]));
        }
    }

    // Inlined, because passing a `TurnEnd` through memory is slow.
    #[inline(always)]
    fn replace_end(
        &mut self,
        lane: usize,
        TurnEnd {
            sides: [own, other, ..],
            then,
        }: TurnEnd,
    ) {
        let next = NextPosition::of(
            then,
            own == self.own && usize::from(other) == self.others.start + lane,
        );
        let key = match next {
            NextPosition::Passing => self.passes[lane],
            _ => self.key::<Q>([own, other], then, self.view.cells),
        };
        self.results
            .last_mut()
            .into_iter()
            .for_each(|result| result[lane] = key);
        self.next
            .last_mut()
            .into_iter()
            .for_each(|last| *last = next);
        if let PlayerPolicy::GreedyBy(values) = self.view.policy {
            let rank = self.key::<Value>([own, other], then, [values; 2]);
            self.ranks
                .last_mut()
                .into_iter()
                .for_each(|ranks| ranks[lane] = rank);
        }
    }

    #[inline]
    fn throws(
        &mut self,
        lanes: u16,
        probability: f64,
        mut ends: impl Iterator<Item = usize> + Clone,
    ) {
        self.covered += probability;
        let all = ends.clone();
        let Some(next) = ends.next().map(|first| self.next[first]) else {
            return;
        };
        // A pass that is not forced is like any other afterstate: the sweeps find its value.
        let is_same = next == NextPosition::Elsewhere || ends.all(|end| self.next[end] == next);
        let next = if is_same {
            next
        } else {
            NextPosition::Elsewhere
        };
        match lanes.count_ones() {
            1 => self.add::<1>(
                (lanes.trailing_zeros() as usize, lanes),
                probability,
                next,
                all,
            ),
            _ => self.add::<LANES>((0, lanes), probability, next, all),
        }
    }

    fn is_done(&self) -> bool {
        self.kernel.has_rows && self.covered >= self.kernel.covered
    }
}

/// The keys of `N` lanes from `first` on.
#[inline(always)]
fn chunk<const N: usize>(keys: &Keys, first: usize) -> &[i32; N] {
    keys[first..]
        .first_chunk()
        .expect("either all lanes or one")
}

/// The largest keys, in `N` lanes from `first` on, of the afterstates at these indices. Not
/// inlined, so that the compiler compares all lanes with one instruction.
#[inline(never)]
fn best<const N: usize>(
    results: &[Keys],
    first: usize,
    numbers: impl Iterator<Item = usize>,
) -> [i32; N] {
    let mut best = [i32::MIN; N];
    for number in numbers {
        for (best, &key) in best.iter_mut().zip(chunk::<N>(&results[number], first)) {
            *best = key.max(*best);
        }
    }
    best
}

/// For each lane, the key that [`Quantity::break_tie`] selects among the afterstates at these
/// indices whose values reach the limit.
#[inline(never)]
fn best_within<Q: Quantity, const N: usize>(
    results: &[Keys],
    values: &[Keys],
    limits: &[i32; N],
    first: usize,
    numbers: impl Iterator<Item = usize>,
) -> [i32; N] {
    let mut best = [Q::NO_RESULT; N];
    for number in numbers {
        let (result, value) = (
            chunk::<N>(&results[number], first),
            chunk::<N>(&values[number], first),
        );
        for lane in 0..N {
            let key = if value[lane] >= limits[lane] {
                result[lane]
            } else {
                Q::NO_RESULT
            };
            best[lane] = Q::break_tie(key, best[lane]);
        }
    }
    best
}
