//! Finds the largest number of throws of a series that can be used, by dynamic programming. The
//! time grows slowly with the length of the series.
//!
//! The search tries every choice of pieces that enter, are borne off (leave the board from the
//! finish), move alone and move together. Then the moving units share the throws. Whether a unit
//! can land depends only on the number of throws of each kind that it takes. This is a knapsack
//! problem, solved by dynamic programming over the units. With few throws, [`super::search`] is
//! faster.

use std::cell::RefCell;

use super::SeriesTurns;
use super::allot::{Allotment, SeriesTurn, Units, base};
use crate::game::Action;
use crate::race::compile::reach::places_of;
use crate::race::position::state::{MAX_PIECES, SeriesKind, role};
use crate::race::turns::actions::PAIRS;
use crate::race::turns::series_throws::{AllottedThrow, Remaining};
use crate::sheet::values::Must;

/// Throws that a unit can take. The array has the count of throws of the second kind, of throws of
/// the third kind, and of last throws. The bits are the possible counts of throws of 1.
type Share = ([usize; 3], u128);

/// A search for the allotment that uses the largest number of throws.
struct Fill<'a> {
    turns: &'a SeriesTurns,
    turn: &'a SeriesTurn,
    remaining: Remaining,
    /// The search stops at this number of used throws.
    enough: u32,
    /// The best result so far.
    most: Option<u32>,
    lists: &'a mut Lists,
}

/// The buffers of a search. The next search reuses them and allocates no memory.
#[derive(Default)]
struct Lists {
    shares: Vec<Share>,
    /// For each combination of other throws taken: the possible counts of throws of 1, as bits.
    taken: Vec<u128>,
    /// [`Lists::taken`] after one more unit.
    next: Vec<u128>,
}

thread_local! {
    static LISTS: RefCell<Lists> = RefCell::default();
}

/// Returns the largest number of the `remaining` throws that a legal completion of `allotment`
/// uses. A smaller result is allowed if it is at least `enough`. Returns `None` if `allotment`
/// cannot be completed legally.
pub(crate) fn most_used(
    turns: &SeriesTurns,
    turn: &SeriesTurn,
    allotment: &Allotment,
    remaining: Remaining,
    enough: u32,
) -> Option<u32> {
    let enough = enough.min(turns.most_by_room(turn, allotment, remaining));
    let mut lists = LISTS.take();
    let mut fill = Fill {
        turns,
        turn,
        remaining,
        enough,
        most: None,
        lists: &mut lists,
    };
    fill.try_moves(allotment, 0, 0);
    let most = fill.most;
    LISTS.set(lists);
    most
}

impl Fill<'_> {
    /// Tries all choices of more pieces that enter, move alone, move together, and are borne off,
    /// in this order. `ones` throws of 1 are used for entering and bearing off. `least` is the
    /// number of the first choice to try.
    fn try_moves(&mut self, allotment: &Allotment, ones: u8, least: usize) {
        if self.most >= Some(self.enough) {
            return;
        }
        let (roles, has_one) = (allotment.roles, ones < self.remaining.counts[0]);
        // Units that already move are not chosen again.
        let mut units = self.turns.units(self.turn, allotment, 0);
        units.alone = units.alone & !roles.have(role::SINGLE);
        units.together = units.together & !roles.have(role::LEAD);
        let in_keep = self.turn.own.are(self.turns.rules.home) & !roles.have(role::BORNE);
        units.bearing = in_keep.lowest().when(self.turns.bears);
        // The slots, the throws of 1 that a piece uses, and the first action.
        let choices = [
            (units.entering.when(has_one), 1, 0),
            (units.alone, 0, 0),
            (units.together, 0, PAIRS.0),
            (units.bearing.when(has_one), 1, 0),
        ];
        for (phase, (slots, used, first)) in choices.into_iter().enumerate() {
            for (slot, choice) in slots.iter().map(|slot| (slot, MAX_PIECES * phase + slot)) {
                // In ascending order, so that each set of choices is tried once.
                if choice >= least {
                    let moved = self
                        .turns
                        .moving(self.turn, allotment, Action(first + slot as u8));
                    self.try_moves(&moved, ones + used, choice);
                }
            }
        }
        self.try_shares(allotment, &units, ones);
    }

    /// Shares the throws among the units that move. `idle` are the units that do not move.
    fn try_shares(&mut self, allotment: &Allotment, idle: &Units, ones: u8) {
        let is_bearing = !allotment.roles.have(role::BORNE).is_empty();
        let home_or_moving =
            self.turn.own.at_least(self.turns.rules.home) | allotment.roles.have(role::TAKEN);
        let can_bear = (!home_or_moving).is_empty();
        if is_bearing && !can_bear {
            return;
        }
        let are_all_home = |_: usize| is_bearing.then_some(true);
        if self.turns.must != Must::Greedy {
            return self.find_most(allotment, ones, None, are_all_home);
        }
        for left in self.leftovers(allotment.skipped) {
            let has_one = left & self.turns.series.bit(AllottedThrow::Of(SeriesKind::First)) != 0;
            if has_one && !idle.entering.is_empty() || self.is_extended_by(idle, left) {
                continue;
            }
            // An unused throw of 1 must not be able to bear off a piece.
            if !(has_one && can_bear && !idle.bearing.is_empty()) {
                self.find_most(allotment, ones, Some(left), are_all_home);
            } else if !is_bearing {
                // If one unit is not in the keep, no piece can be borne off.
                for other in allotment.roles.have(role::SINGLE | role::LEAD).iter() {
                    self.find_most(allotment, ones, Some(left), |slot| {
                        (slot == other).then_some(false)
                    });
                }
            }
        }
    }

    /// Iterates over the sets of kinds of throws that are allowed to stay unused, as
    /// `SeriesThrows::bit`s. Each set contains the kinds that the allotment already leaves unused.
    fn leftovers(&self, skipped: u8) -> impl Iterator<Item = u8> + use<> {
        let remaining = self
            .remaining
            .kinds()
            .into_iter()
            .filter(|&(_, count)| count > 0);
        let free = remaining.fold(0, |bits, (throw, _)| bits | self.turns.series.bit(throw));
        (0..=u8::MAX)
            .filter(move |bits| bits & !free == 0)
            .map(move |bits| bits | skipped)
    }

    /// Returns whether a unit on the course that does not move could take a throw of one of the
    /// kinds `left`.
    fn is_extended_by(&self, idle: &Units, left: u8) -> bool {
        self.pips_of(left).any(|pips| {
            let joint = self.turns.joint_steps(pips);
            let is_open =
                |slot: usize, steps: u8| self.open() >> idle.reached.get(slot) >> steps & 1 == 1;
            idle.alone.iter().any(|slot| is_open(slot, pips))
                || joint > 0 && idle.together.iter().any(|slot| is_open(slot, joint))
        })
    }

    fn pips_of(&self, kinds: u8) -> impl Iterator<Item = u8> {
        let series = &self.turns.series;
        series
            .all()
            .filter(move |&throw| kinds & series.bit(throw) != 0)
            .map(|throw| series.pips(throw))
    }

    /// Returns the places where a piece can land, as bits.
    fn open(&self) -> u64 {
        ((2 << self.turns.rules.home) - 2) & !self.turn.closed
    }

    /// Finds the largest number of throws that the units can take. With `left`, only throws of
    /// these kinds are allowed to stay unused. `is_home` returns whether a unit must end in the
    /// keep or must not end there; `None` allows both.
    fn find_most(
        &mut self,
        allotment: &Allotment,
        ones: u8,
        left: Option<u8>,
        is_home: impl Fn(usize) -> Option<bool>,
    ) {
        if self.most >= Some(self.enough) {
            return;
        }
        let [(one, all_ones), others @ ..] = self.remaining.kinds();
        let all = others.map(|(_, count)| usize::from(count));
        let index =
            |[fours, zeros, last]: [usize; 3]| (fours * (all[1] + 1) + zeros) * (all[2] + 1) + last;
        let ones_fit = u128::MAX >> (127 - all_ones);
        self.lists.taken.clear();
        self.lists.taken.resize(index(all) + 1, 0);
        self.lists.taken[0] = 1 << ones;
        for slot in allotment.roles.have(role::SINGLE | role::LEAD).iter() {
            self.find_shares(allotment, slot, left.unwrap_or(0), is_home(slot));
            let Lists {
                shares,
                taken,
                next,
                ..
            } = &mut *self.lists;
            next.clear();
            next.resize(taken.len(), 0);
            for before in counts(all).filter(|&before| taken[index(before)] != 0) {
                for &(share, ones) in shares.iter() {
                    let after = [
                        before[0] + share[0],
                        before[1] + share[1],
                        before[2] + share[2],
                    ];
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
        let must = |throw: AllottedThrow| {
            left.is_some_and(|left| left & self.turns.series.bit(throw) == 0)
        };
        let must_others = others.map(|(throw, _)| must(throw));
        let ones_end = if must(one) { 1 << all_ones } else { ones_fit };
        for others in counts(all)
            .filter(|others| (0..3).all(|kind| !must_others[kind] || others[kind] == all[kind]))
        {
            let ones = self.lists.taken[index(others)] & ones_end;
            if ones != 0 {
                self.most = self
                    .most
                    .max(Some(ones.ilog2() + others.iter().sum::<usize>() as u32));
            }
        }
    }

    /// Finds the shares of the unit of `slot`. After taking a share, the unit must be unable to
    /// take more throws of the kinds `left`. It must be in the keep or not, as `is_home` demands.
    fn find_shares(&mut self, allotment: &Allotment, slot: usize, left: u8, is_home: Option<bool>) {
        let (moved, is_pair) = (
            allotment.steps.get(slot),
            allotment.roles.get(slot) & role::LEAD != 0,
        );
        let reached = base(self.turn.own.get(slot)) + moved;
        let [(_, ones), others @ ..] = self.remaining.kinds();
        let steps = |pips: u8| {
            usize::from(if is_pair {
                self.turns.joint_steps(pips)
            } else {
                pips
            })
        };
        let home = 1 << self.turns.rules.home;
        let ends = self.open() & u64::MAX << (reached + u8::from(moved == 0));
        let ends = ends & is_home.map_or(u64::MAX, |is_home| if is_home { home } else { !home });
        let is_takeable =
            |pips: &u8| !is_pair || self.turns.can_join(self.turns.joint_steps(*pips));
        let takeable = self.pips_of(left).filter(is_takeable);
        let ends = takeable.fold(ends, |ends, pips| ends & !(self.open() >> steps(pips)));
        let ones_fit = u128::MAX >> (127 - ones);
        let by_kind = others.map(|(throw, _)| steps(self.turns.series.pips(throw)));
        let all = others.map(|(_, count)| usize::from(count));
        let with_ones = |share: [usize; 3]| {
            let place = usize::from(reached)
                + (0..3)
                    .map(|kind| share[kind] * by_kind[kind])
                    .sum::<usize>();
            let here = if place < 64 {
                u128::from(ends >> place)
            } else {
                0
            };
            let ones = match steps(1) {
                0 if self.turns.can_join(0) => (here & 1).wrapping_neg(),
                0 => here & 1,
                _ => here,
            };
            (share, ones & ones_fit)
        };
        let can_take = |share: &[usize; 3]| {
            !is_pair
                || self.turns.can_join(0)
                || (0..3).all(|kind| share[kind] == 0 || by_kind[kind] > 0)
        };
        let shares = counts(all)
            .filter(can_take)
            .map(with_ones)
            .filter(|&(_, ones)| ones != 0);
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
    let (few, many) = if one.count_ones() < other.count_ones() {
        (one, other)
    } else {
        (other, one)
    };
    places_of(few).fold(0, |sums, number| sums | many << number)
}
