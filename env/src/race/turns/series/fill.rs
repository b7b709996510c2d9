//! Finds the largest number of throws of a series that can be used, by dynamic programming. The time grows slowly with
//! the length of the series.
//!
//! The search tries every choice of pieces that enter, are borne off (leave the board from the finish), move alone and
//! move together. Then the moving units share the throws. Whether a unit can land depends only on the number of throws
//! of each kind that it takes. This is a knapsack problem, solved by dynamic programming over the units. A piece is
//! *waiting* until it belongs to a moving unit or is borne off. With few throws, [`super::search`] is faster.

use std::cell::RefCell;

use super::SeriesTurns;
use super::allot::{Allotment, SeriesTurn, base};
use crate::race::compile::reach::places_of;
use crate::race::position::state::{SeriesKind, role};
use crate::race::turns::series_throws::{AllottedThrow, Remaining};
use crate::sheet::values::{Must, UnitKind};

/// A moving piece, or two pieces that move together.
#[derive(Clone, Copy)]
struct FillUnit {
    reached: u8,
    /// Whether it already has steps. If so, it does not have to take another throw.
    has_moved: bool,
    is_pair: bool,
}

/// Interchangeable waiting pieces on one square of the course.
#[derive(Clone, Copy)]
struct FillGroup {
    place: u8,
    is_declared: bool,
    waiting: u8,
    /// The largest number of pieces that are allowed to move alone.
    alone: u8,
    may_join: bool,
}

/// Throws that a unit can take. The array has the count of throws of the second kind, of throws of the third kind, and
/// of last throws. The bits are the possible counts of throws of 1.
type Share = ([usize; 3], u128);

/// A search for the allotment that uses the largest number of throws.
struct Fill<'a> {
    turns: &'a SeriesTurns,
    turn: &'a SeriesTurn,
    allotment: &'a Allotment,
    remaining: Remaining,
    /// The search stops at this number of used throws.
    enough: u32,
    /// The best result so far.
    most: Option<u32>,
    /// Pieces that stay off the board.
    off: u8,
    lists: &'a mut Lists,
}

/// The buffers of a search. The next search reuses them and allocates no memory.
#[derive(Default)]
struct Lists {
    groups: Vec<FillGroup>,
    /// The units that move by the choices so far.
    units: Vec<FillUnit>,
    /// The waiting pieces that do not move.
    idle: Vec<FillGroup>,
    shares: Vec<Share>,
    /// For each combination of other throws taken: the possible counts of throws of 1, as bits.
    taken: Vec<u128>,
    /// [`Lists::taken`] after one more unit.
    next: Vec<u128>,
}

thread_local! {
    static LISTS: RefCell<Lists> = RefCell::default();
}

/// Returns the largest number of the `remaining` throws that a legal completion of `allotment` uses. A smaller result
/// is allowed if it is at least `enough`. Returns `None` if `allotment` cannot be completed legally.
pub(crate) fn most_used(
    turns: &SeriesTurns,
    turn: &SeriesTurn,
    allotment: &Allotment,
    remaining: Remaining,
    enough: u32,
) -> Option<u32> {
    let enough = enough.min(turns.most_by_room(turn, allotment, remaining));
    let mut lists = LISTS.take();
    lists.units.clear();
    lists.idle.clear();
    let mut fill = Fill { turns, turn, allotment, remaining, enough, most: None, off: 0, lists: &mut lists };
    fill.lists.units.extend((0..turns.seating.pieces).filter_map(|slot| {
        let steps = allotment.steps.get(slot);
        let role = allotment.roles.get(slot) & (role::SINGLE | role::LEAD);
        let reached = base(turn.own.get(slot)) + steps;
        (role != 0).then_some(FillUnit { reached, has_moved: steps > 0, is_pair: role == role::LEAD })
    }));
    let off = fill.waiting(|place| place == 0);
    let entering = if turn.closed >> 1 & 1 == 0 { off.min(remaining.counts[0]) } else { 0 };
    for entered in 0..=entering {
        fill.off = off - entered;
        fill.find_groups(entered);
        fill.try_moves(0, entered);
    }
    let most = fill.most;
    LISTS.set(lists);
    most
}

impl Fill<'_> {
    /// Returns the place of a piece; 1 for a piece that has entered.
    fn place(&self, slot: usize) -> u8 {
        self.turn.own.get(slot) | self.allotment.roles.get(slot) & role::ENTERED
    }

    fn has_role(&self, slot: usize, roles: u8) -> bool {
        self.allotment.roles.get(slot) & roles != 0
    }

    fn waiting(&self, is_there: impl Fn(u8) -> bool) -> u8 {
        let waits = |&slot: &usize| !self.has_role(slot, role::TAKEN) && is_there(self.place(slot));
        (0..self.turns.seating.pieces).filter(waits).count() as u8
    }

    /// Finds the groups of waiting pieces on the course after `entered` more pieces have entered.
    fn find_groups(&mut self, entered: u8) {
        self.lists.groups.clear();
        for slot in 0..self.turns.seating.pieces {
            let place = self.place(slot);
            if !self.has_role(slot, role::TAKEN) && (1..self.turns.rules.home).contains(&place) {
                self.add(place, self.turn.declared.contains(slot), 1, entered);
            }
        }
        if entered > 0 {
            self.add(1, false, entered, entered);
        }
    }

    /// Adds waiting pieces to the group on `place`.
    fn add(&mut self, place: u8, is_declared: bool, count: u8, entered: u8) {
        let mut groups = self.lists.groups.iter_mut();
        if let Some(group) = groups.find(|group| (group.place, group.is_declared) == (place, is_declared)) {
            group.waiting += count;
            return;
        }
        let unit = &self.turns.unit;
        let alone = match unit.kind {
            UnitKind::Declared if is_declared && !unit.split => 0,
            UnitKind::Together if !unit.split => self.untied(place, if place == 1 { entered } else { 0 }),
            _ => u8::MAX,
        };
        let may_join = self.turns.may_join(place, is_declared);
        self.lists.groups.push(FillGroup { place, is_declared, waiting: count, alone, may_join });
    }

    /// Returns the number of pieces on `place` that are still allowed to move alone, if twins must not be split and
    /// `entered` more pieces have entered.
    fn untied(&self, place: u8, entered: u8) -> u8 {
        let here = |roles: u8| {
            let is_here = |&slot: &usize| self.place(slot) == place && (roles == 0 || self.has_role(slot, roles));
            (0..self.turns.seating.pieces).filter(is_here).count() as u8
        };
        let (all, entered) = (here(0) + entered, here(role::ENTERED) + entered);
        (entered + (all - entered) % 2).saturating_sub(here(role::SINGLE))
    }

    /// Tries all choices for the groups from `index` on: pieces move alone, move together or stay.
    fn try_moves(&mut self, index: usize, entered: u8) {
        if self.most >= Some(self.enough) {
            return;
        }
        let Some(&group) = self.lists.groups.get(index) else { return self.try_bearing(entered) };
        let (units, idle) = (self.lists.units.len(), self.lists.idle.len());
        let unit = FillUnit { reached: group.place, has_moved: false, is_pair: false };
        for pairs in 0..=if group.may_join { group.waiting / 2 } else { 0 } {
            for singles in (0..=group.alone.min(group.waiting - 2 * pairs)).rev() {
                self.lists.units.extend((0..pairs).map(|_| FillUnit { is_pair: true, ..unit }));
                self.lists.units.extend((0..singles).map(|_| unit));
                let (waiting, alone) = (group.waiting - 2 * pairs - singles, group.alone - singles);
                self.lists.idle.extend((waiting > 0).then_some(FillGroup { waiting, alone, ..group }));
                self.try_moves(index + 1, entered);
                self.lists.units.truncate(units);
                self.lists.idle.truncate(idle);
            }
        }
    }

    /// Tries every number of pieces that are borne off, after pieces have entered with `ones` throws of 1.
    fn try_bearing(&mut self, ones: u8) {
        let in_keep = self.waiting(|place| self.turns.bears && place == self.turns.rules.home);
        let were_borne = (0..self.turns.seating.pieces).any(|slot| self.has_role(slot, role::BORNE));
        let all_can_be_home = self.off == 0 && self.lists.idle.is_empty();
        for borne in 0..=in_keep.min(self.remaining.counts[0] - ones) {
            let is_bearing = were_borne || borne > 0;
            if is_bearing && !all_can_be_home {
                break;
            }
            let used = ones + borne;
            let are_all_home = |_: usize| is_bearing.then_some(true);
            if self.turns.must != Must::Greedy {
                self.find_most(used, None, are_all_home);
                continue;
            }
            for left in self.leftovers() {
                if self.is_extended_by_idle(left) {
                    continue;
                }
                // An unused throw of 1 must not be able to bear off a piece.
                let could_bear = borne < in_keep
                    && all_can_be_home
                    && left & self.turns.series.bit(AllottedThrow::Of(SeriesKind::First)) != 0;
                if !could_bear {
                    self.find_most(used, Some(left), are_all_home);
                } else if !is_bearing {
                    // If one unit is not in the keep, no piece can be borne off.
                    for other in 0..self.lists.units.len() {
                        self.find_most(used, Some(left), |unit| (unit == other).then_some(false));
                    }
                }
            }
        }
    }

    /// Iterates over the sets of kinds of throws that are allowed to stay unused, as `SeriesThrows::bit`s. Each set
    /// contains the kinds that the allotment already leaves unused.
    fn leftovers(&self) -> impl Iterator<Item = u8> + use<> {
        let skipped = self.allotment.skipped;
        let remaining = self.remaining.kinds().into_iter().filter(|&(_, count)| count > 0);
        let free = remaining.fold(0, |bits, (throw, _)| bits | self.turns.series.bit(throw));
        (0..=u8::MAX).filter(move |bits| bits & !free == 0).map(move |bits| bits | skipped)
    }

    /// Returns whether a piece that does not move could take a throw of one of these kinds.
    fn is_extended_by_idle(&self, left: u8) -> bool {
        let open = self.open();
        let can_enter = self.off > 0
            && open >> 1 & 1 == 1
            && left & self.turns.series.bit(AllottedThrow::Of(SeriesKind::First)) != 0;
        can_enter
            || self.pips_of(left).any(|pips| {
                let joint = self.turns.joint_steps(pips);
                self.lists.idle.iter().any(|group| {
                    let beyond = open >> group.place;
                    group.alone > 0 && beyond >> pips & 1 == 1
                        || group.waiting > 1 && group.may_join && joint > 0 && beyond >> joint & 1 == 1
                })
            })
    }

    fn pips_of(&self, kinds: u8) -> impl Iterator<Item = u8> {
        let series = &self.turns.series;
        series.all().filter(move |&throw| kinds & series.bit(throw) != 0).map(|throw| series.pips(throw))
    }

    /// Returns the places where a piece can land, as bits.
    fn open(&self) -> u64 {
        ((2 << self.turns.rules.home) - 2) & !self.turn.closed
    }

    /// Finds the largest number of throws that the units can take. With `left`, only throws of these kinds are allowed
    /// to stay unused. `is_home` returns whether a unit must end in the keep or must not end there; `None` allows both.
    fn find_most(&mut self, ones: u8, left: Option<u8>, is_home: impl Fn(usize) -> Option<bool>) {
        if self.most >= Some(self.enough) {
            return;
        }
        let [(one, all_ones), others @ ..] = self.remaining.kinds();
        let all = others.map(|(_, count)| usize::from(count));
        let index = |[fours, zeros, last]: [usize; 3]| (fours * (all[1] + 1) + zeros) * (all[2] + 1) + last;
        let ones_fit = u128::MAX >> (127 - all_ones);
        self.lists.taken.clear();
        self.lists.taken.resize(index(all) + 1, 0);
        self.lists.taken[0] = 1 << ones;
        for unit in 0..self.lists.units.len() {
            self.find_shares(self.lists.units[unit], left.unwrap_or(0), is_home(unit));
            let Lists { shares, taken, next, .. } = &mut *self.lists;
            next.clear();
            next.resize(taken.len(), 0);
            for before in counts(all).filter(|&before| taken[index(before)] != 0) {
                for &(share, ones) in shares.iter() {
                    let after = [before[0] + share[0], before[1] + share[1], before[2] + share[2]];
                    if after.iter().zip(all).all(|(&after, all)| after <= all) {
                        next[index(after)] |= sums(taken[index(before)], ones) & ones_fit;
                    }
                }
            }
            std::mem::swap(taken, next);
            if shares.is_empty() {
                return;
            }
        }
        let must = |throw: AllottedThrow| left.is_some_and(|left| left & self.turns.series.bit(throw) == 0);
        let must_others = others.map(|(throw, _)| must(throw));
        let ones_end = if must(one) { 1 << all_ones } else { ones_fit };
        for others in counts(all).filter(|others| (0..3).all(|kind| !must_others[kind] || others[kind] == all[kind])) {
            let ones = self.lists.taken[index(others)] & ones_end;
            if ones != 0 {
                self.most = self.most.max(Some(ones.ilog2() + others.iter().sum::<usize>() as u32));
            }
        }
    }

    /// Finds the shares of a unit. After taking a share, the unit must be unable to take more throws of the kinds
    /// `left`. It must be in the keep or not, as `is_home` demands.
    fn find_shares(&mut self, unit: FillUnit, left: u8, is_home: Option<bool>) {
        let [(_, ones), others @ ..] = self.remaining.kinds();
        let steps = |pips: u8| usize::from(if unit.is_pair { self.turns.joint_steps(pips) } else { pips });
        let home = 1 << self.turns.rules.home;
        let ends = self.open() & u64::MAX << (unit.reached + u8::from(!unit.has_moved));
        let ends = ends & is_home.map_or(u64::MAX, |is_home| if is_home { home } else { !home });
        let is_takeable = |pips: &u8| !unit.is_pair || self.turns.can_join(self.turns.joint_steps(*pips));
        let takeable = self.pips_of(left).filter(is_takeable);
        let ends = takeable.fold(ends, |ends, pips| ends & !(self.open() >> steps(pips)));
        let ones_fit = u128::MAX >> (127 - ones);
        let by_kind = others.map(|(throw, _)| steps(self.turns.series.pips(throw)));
        let all = others.map(|(_, count)| usize::from(count));
        let with_ones = |share: [usize; 3]| {
            let place = usize::from(unit.reached) + (0..3).map(|kind| share[kind] * by_kind[kind]).sum::<usize>();
            let here = if place < 64 { u128::from(ends >> place) } else { 0 };
            let ones = match steps(1) {
                0 if self.turns.can_join(0) => (here & 1).wrapping_neg(),
                0 => here & 1,
                _ => here,
            };
            (share, ones & ones_fit)
        };
        let can_take = |share: &[usize; 3]| {
            !unit.is_pair || self.turns.can_join(0) || (0..3).all(|kind| share[kind] == 0 || by_kind[kind] > 0)
        };
        let shares = counts(all).filter(can_take).map(with_ones).filter(|&(_, ones)| ones != 0);
        self.lists.shares.clear();
        self.lists.shares.extend(shares);
    }
}

/// Iterates over all counts of three kinds of throws, each up to its count in `all`.
fn counts(all: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..=all[0]).flat_map(move |first| {
        (0..=all[1]).flat_map(move |second| (0..=all[2]).map(move |third| [first, second, third]))
    })
}

/// Returns all sums of a number of one set and a number of the other set. Sets are bits.
fn sums(one: u128, other: u128) -> u128 {
    let (few, many) = if one.count_ones() < other.count_ones() { (one, other) } else { (other, one) };
    places_of(few).fold(0, |sums, number| sums | many << number)
}
