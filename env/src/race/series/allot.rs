//! Allotting the throws of a series: which unit can take which throw, and how many throws a legal allotment can use.

use super::SeriesTurns;
use crate::flags::{MustUse, TwinSpeed, Twins};
use crate::game::Action;
use crate::race::actions::{PAIRS, PASS, SINGLES};
use crate::race::state::{Kind, MAX_PIECES, State, role};

/// Throws that are still to be allotted, counted by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Remaining {
    pub(super) ones: u8,
    pub(super) fours: u8,
    pub(super) zeros: u8,
    /// The 2 or 3 that ended the series, else 0.
    pub(super) last: u8,
}

/// A byte for each slot of the mover. It lives in a register: an array that is written bytewise and copied as a whole
/// would wait for its own stores at every copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slots(u32);

/// What each slot of the mover does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Allotment {
    pub(super) steps: Slots,
    pub(super) roles: Slots,
    /// Kinds of throws left unused, as bits of [`Throw::bit`]; only kept for [`MustUse::Greedy`].
    pub(super) skipped: u8,
}

/// One throw to allot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Throw {
    Of(Kind),
    Last(u8),
}

/// Of a byte of [`SeriesTurns::free`]: the place.
const PLACE: u8 = 0x7F;
/// The byte of [`SeriesTurns::free`] of a piece that is not free.
const TAKEN: u8 = 0xFF;

pub(super) const KINDS: [Kind; 3] = [Kind::One, Kind::Four, Kind::Zero];
pub(super) const THROWS: [Throw; 5] =
    [Throw::Of(Kind::One), Throw::Of(Kind::Four), Throw::Of(Kind::Zero), Throw::Last(2), Throw::Last(3)];

/// What stays the same while a turn is allotted.
pub(super) struct Turn {
    pub(super) own: Slots,
    pub(super) declared: u8,
    /// Marked places that an enemy holds, as bits; empty unless they are closed.
    pub(super) closed: u64,
}

impl SeriesTurns {
    pub(super) fn skip(&self, allotment: &Allotment, throw: Throw) -> Allotment {
        let mut next = *allotment;
        if self.rules.must_use == MustUse::Greedy {
            next.skipped |= throw.bit();
        }
        next
    }

    /// The largest number of the `remaining` throws that any legal allotment beginning with `allotment` uses; `None`
    /// when no legal allotment begins so.
    #[inline]
    pub(super) fn most_used(&self, turn: &Turn, allotment: &Allotment, remaining: Remaining) -> Option<u32> {
        let count = remaining.count();
        // Far from the keep one unit can take all that is left.
        let is_sure = self.completes(allotment) && (count == 0 || self.takes_all(turn, allotment, remaining));
        if is_sure { Some(count) } else { self.search(turn, allotment, remaining, Action(0)) }
    }

    /// Whether the turn can end after any further hop, whatever it is.
    #[inline]
    fn completes(&self, allotment: &Allotment) -> bool {
        self.always_completes && (0..MAX_PIECES).all(|slot| allotment.roles.get(slot) & role::BORNE == 0)
    }

    /// Whether one unit on the course can take all `remaining` throws.
    #[inline]
    fn takes_all(&self, turn: &Turn, allotment: &Allotment, remaining: Remaining) -> bool {
        let pips = u32::from(remaining.ones)
            + 4 * u32::from(remaining.fours)
            + u32::from(self.throws[4].0) * u32::from(remaining.zeros)
            + u32::from(remaining.last);
        (0..self.seating.pieces).any(|slot| {
            let role = allotment.roles.get(slot);
            let is_moving = role & (role::SINGLE | role::LEAD) != 0;
            let may_move = role & role::FOLLOWER == 0 && (is_moving || self.may_leave_alone(turn, allotment, slot));
            let is_on_course = turn.own.get(slot) > 0 || role & role::ENTERED != 0;
            is_on_course && may_move && u32::from(self.left(turn, allotment, slot)) >= pips
        })
    }

    /// [`SeriesTurns::most_used`] by trying every allotment; equal throws go to actions in ascending order from
    /// `least` on.
    fn search(&self, turn: &Turn, allotment: &Allotment, remaining: Remaining, least: Action) -> Option<u32> {
        let Some((throw, rest)) = remaining.split() else { return self.is_complete(turn, allotment).then_some(0) };
        let same_throw = rest.split().is_some_and(|(next, _)| next == throw);
        let free = self.free(turn, allotment);
        let mut most = None;
        for action in self.candidates().filter(|&action| action >= least) {
            let Some(next) = self.give(turn, allotment, free, throw, action) else { continue };
            let least = if same_throw { action } else { Action(0) };
            most = most.max(self.search(turn, &next, rest, least).map(|used| used + 1));
            if most == Some(remaining.count()) {
                return most;
            }
        }
        let least = if same_throw { PASS } else { Action(0) };
        most.max(self.search(turn, &self.skip(allotment, throw), rest, least))
    }

    /// The actions other than passing, ascending.
    #[inline]
    pub(super) fn candidates(&self) -> impl Iterator<Item = Action> + use<> {
        let pieces = self.seating.pieces as u8;
        (SINGLES.0..SINGLES.0 + pieces).chain(PAIRS.0..PAIRS.0 + pieces).map(Action)
    }

    /// For each slot the place where its piece waits to be chosen, and whether as a declared twin: equal bytes are
    /// pieces that can stand for each other. Pieces that are [`TAKEN`] are no longer chosen.
    #[inline]
    pub(super) fn free(&self, turn: &Turn, allotment: &Allotment) -> Slots {
        let mut free = Slots(0);
        for slot in 0..self.seating.pieces {
            let role = allotment.roles.get(slot);
            let place = turn.own.get(slot) | (role & role::ENTERED);
            let declared = (turn.declared >> slot & 1) << 7;
            free = free.or(slot, if role & role::TAKEN == 0 { place | declared } else { TAKEN });
        }
        free
    }

    /// Steps from where the piece of a slot gets to until the keep.
    #[inline]
    fn left(&self, turn: &Turn, allotment: &Allotment, slot: usize) -> u8 {
        self.keep.saturating_sub(base(turn.own.get(slot)) + allotment.steps.get(slot))
    }

    /// The largest throw that the unit of `action` can take; 0 when it can take none.
    #[inline]
    fn room(&self, turn: &Turn, allotment: &Allotment, free: Slots, action: Action) -> u8 {
        let is_single = action < PAIRS;
        let slot = usize::from(action.0 % PAIRS.0);
        let left = self.left(turn, allotment, slot);
        let room = if is_single || self.rules.twin_speed == TwinSpeed::Full { left } else { 2 * left + 1 };
        if allotment.roles.get(slot) & (if is_single { role::SINGLE } else { role::LEAD }) != 0 {
            return room;
        }
        let waiting = free.get(slot);
        let place = waiting & PLACE;
        if waiting == TAKEN || (0..slot).any(|lower| free.get(lower) == waiting) {
            return 0;
        }
        let is_on_course = 0 < place && place < self.keep;
        if !is_single {
            let may_join = match self.rules.twins {
                Twins::Colocated => true,
                Twins::None => false,
                Twins::Bell => waiting != place || self.opposite >> place & 1 == 1,
            };
            return if is_on_course && may_join && self.follower(free, slot).is_some() { room } else { 0 };
        }
        if is_on_course {
            return if self.may_leave_alone(turn, allotment, slot) { room } else { 0 };
        }
        // A 1 brings a piece onto the board, and off it from the keep.
        u8::from(place == 0 && turn.closed >> 1 & 1 == 0 || place == self.keep)
    }

    /// The slot that moves along when `slot` leads twins.
    #[inline]
    fn follower(&self, free: Slots, slot: usize) -> Option<usize> {
        (slot + 1..self.seating.pieces).find(|&other| free.get(other) == free.get(slot))
    }

    /// Gives a throw to the unit that `action` names, or `None` when it cannot take it. `free` is that of `allotment`.
    #[inline]
    pub(super) fn give(
        &self,
        turn: &Turn,
        allotment: &Allotment,
        free: Slots,
        throw: Throw,
        action: Action,
    ) -> Option<Allotment> {
        let pips = self.pips(throw);
        if pips > self.room(turn, allotment, free, action) {
            return None;
        }
        let slot = usize::from(action.0 % PAIRS.0);
        let mut next = *allotment;
        if action >= PAIRS {
            if allotment.roles.get(slot) & role::LEAD == 0 {
                next.roles = next.roles.or(slot, role::LEAD).or(self.follower(free, slot)?, role::FOLLOWER);
            }
            let steps = match self.rules.twin_speed {
                TwinSpeed::Full => pips,
                TwinSpeed::HalfFloor => pips / 2,
            };
            next.steps = next.steps.plus(slot, steps);
            return Some(next);
        }
        if free.get(slot) == 0 {
            next.roles = next.roles.or(slot, role::ENTERED);
        } else if free.get(slot) == self.keep {
            next.roles = next.roles.or(slot, role::BORNE);
        } else {
            next.roles = next.roles.or(slot, role::SINGLE);
            next.steps = next.steps.plus(slot, pips);
        }
        Some(next)
    }

    /// Whether the piece may leave its square by itself: always, unless twins may not be split.
    #[inline]
    fn may_leave_alone(&self, turn: &Turn, allotment: &Allotment, slot: usize) -> bool {
        self.rules.twin_split || allotment.roles.get(slot) & role::ENTERED != 0 || self.may_leave_twins(turn, allotment, slot)
    }

    fn may_leave_twins(&self, turn: &Turn, allotment: &Allotment, slot: usize) -> bool {
        match self.rules.twins {
            Twins::None => true,
            Twins::Bell => turn.declared >> slot & 1 == 0,
            Twins::Colocated => {
                let stood = (0..self.seating.pieces).filter(|&other| turn.own.get(other) == turn.own.get(slot));
                let is_gone = |other: &usize| allotment.roles.get(*other) & role::SINGLE != 0;
                stood.clone().filter(is_gone).count() < stood.count() % 2
            }
        }
    }

    /// Whether the allotment can stand as it is: every hop lands on an open square, pieces are borne off only when all
    /// others are in the keep, and no throw was left that must be used.
    #[inline]
    fn is_complete(&self, turn: &Turn, allotment: &Allotment) -> bool {
        let mut is_bearing = false;
        let mut are_all_home = true;
        for slot in 0..self.seating.pieces {
            let (place, role) = (turn.own.get(slot), allotment.roles.get(slot));
            if role & (role::SINGLE | role::LEAD) != 0 {
                let target = base(place) + allotment.steps.get(slot);
                if allotment.steps.get(slot) == 0 || turn.closed >> target & 1 == 1 {
                    return false;
                }
                are_all_home &= target == self.keep;
            } else if role & role::FOLLOWER == 0 {
                is_bearing |= role == role::BORNE;
                are_all_home &= place >= self.keep;
            }
        }
        let is_unextended = || {
            let mut left = THROWS.into_iter().filter(|throw| allotment.skipped & throw.bit() != 0);
            !left.any(|throw| {
                let free = self.free(turn, allotment);
                let extended = self.candidates().filter_map(|action| self.give(turn, allotment, free, throw, action));
                extended.map(|next| Allotment { skipped: 0, ..next }).any(|next| self.is_complete(turn, &next))
            })
        };
        (!is_bearing || are_all_home) && (allotment.skipped == 0 || is_unextended())
    }

    pub(super) fn pips(&self, throw: Throw) -> u8 {
        match throw {
            Throw::Of(kind) => self.face(kind),
            Throw::Last(value) => value,
        }
    }
}

impl Allotment {
    pub(super) fn of(state: &State) -> Allotment {
        Allotment { steps: Slots::of(state.steps), roles: Slots::of(state.roles), skipped: state.skipped }
    }
}

impl Slots {
    #[inline]
    pub(super) fn of(bytes: [u8; MAX_PIECES]) -> Slots {
        Slots(u32::from_le_bytes(bytes))
    }

    #[inline]
    pub(super) fn bytes(self) -> [u8; MAX_PIECES] {
        self.0.to_le_bytes()
    }

    #[inline]
    pub(super) fn get(self, slot: usize) -> u8 {
        (self.0 >> (8 * slot)) as u8
    }

    /// These bytes, with `bits` set in that of `slot`.
    #[inline]
    fn or(self, slot: usize, bits: u8) -> Slots {
        Slots(self.0 | u32::from(bits) << (8 * slot))
    }

    /// These bytes, with `steps` added to that of `slot`; the sum is a byte.
    #[inline]
    fn plus(self, slot: usize, steps: u8) -> Slots {
        Slots(self.0 + (u32::from(steps) << (8 * slot)))
    }
}

impl Remaining {
    #[inline]
    pub(super) fn count(self) -> u32 {
        u32::from(self.ones) + u32::from(self.fours) + u32::from(self.zeros) + u32::from(self.last != 0)
    }

    /// The next throw to allot and what remains after it.
    #[inline]
    pub(super) fn split(mut self) -> Option<(Throw, Remaining)> {
        let throw = if self.ones > 0 {
            self.ones -= 1;
            Throw::Of(Kind::One)
        } else if self.fours > 0 {
            self.fours -= 1;
            Throw::Of(Kind::Four)
        } else if self.zeros > 0 {
            self.zeros -= 1;
            Throw::Of(Kind::Zero)
        } else if self.last > 0 {
            Throw::Last(std::mem::take(&mut self.last))
        } else {
            return None;
        };
        Some((throw, self))
    }
}

impl Throw {
    pub(super) fn bit(self) -> u8 {
        match self {
            Throw::Of(kind) => 1 << kind as u8,
            Throw::Last(value) => 8 << value,
        }
    }
}

/// The place of a piece that is on the board or enters it.
#[inline]
pub(super) fn base(place: u8) -> u8 {
    place.max(1)
}
