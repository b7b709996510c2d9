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

/// What each slot of the mover does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Allotment {
    pub(super) steps: [u8; MAX_PIECES],
    pub(super) roles: [u8; MAX_PIECES],
    /// Kinds of throws left unused, as bits of [`Throw::bit`]; only kept for [`MustUse::Greedy`].
    pub(super) skipped: u8,
}

/// One throw to allot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Throw {
    Of(Kind),
    Last(u8),
}

pub(super) const KINDS: [Kind; 3] = [Kind::One, Kind::Four, Kind::Zero];
pub(super) const THROWS: [Throw; 5] =
    [Throw::Of(Kind::One), Throw::Of(Kind::Four), Throw::Of(Kind::Zero), Throw::Last(2), Throw::Last(3)];

/// What stays the same while a turn is allotted.
pub(super) struct Turn<'a> {
    pub(super) own: &'a [u8; MAX_PIECES],
    pub(super) declared: u8,
    /// Marked places that an enemy holds, as bits; empty unless they are closed.
    pub(super) closed: u128,
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
    pub(super) fn most_used(&self, turn: &Turn<'_>, allotment: &Allotment, remaining: Remaining) -> Option<u32> {
        let count = remaining.count();
        if count == 0 {
            return self.is_complete(turn, allotment).then_some(0);
        }
        // Far from the keep one piece can take all that is left; twins add nothing to the number of throws.
        let pips = remaining.ones as u32
            + 4 * remaining.fours as u32
            + u32::from(self.throws[4].0) * remaining.zeros as u32
            + remaining.last as u32;
        for slot in 0..self.seating.pieces {
            let all = self.give_steps(turn, allotment, slot, pips, remaining.ones > 0);
            if all.is_some_and(|all| self.is_complete(turn, &all)) {
                return Some(count);
            }
        }
        self.search(turn, allotment, remaining, Action(0))
    }

    /// [`SeriesTurns::most_used`] by trying every allotment; equal throws go to actions in ascending order from
    /// `least` on.
    fn search(&self, turn: &Turn<'_>, allotment: &Allotment, remaining: Remaining, least: Action) -> Option<u32> {
        let Some((throw, rest)) = remaining.split() else { return self.is_complete(turn, allotment).then_some(0) };
        let same_throw = rest.split().is_some_and(|(next, _)| next == throw);
        let mut most = None;
        for action in candidates().filter(|&action| action >= least) {
            let Some(next) = self.give(turn, allotment, throw, action) else { continue };
            let least = if same_throw { action } else { Action(0) };
            most = most.max(self.search(turn, &next, rest, least).map(|used| used + 1));
            if most == Some(remaining.count()) {
                return most;
            }
        }
        let least = if same_throw { PASS } else { Action(0) };
        most.max(self.search(turn, &self.skip(allotment, throw), rest, least))
    }

    /// Gives a throw to the unit that `action` names, or `None` when it cannot take it.
    #[inline]
    pub(super) fn give(
        &self,
        turn: &Turn<'_>,
        allotment: &Allotment,
        throw: Throw,
        action: Action,
    ) -> Option<Allotment> {
        let pips = self.pips(throw);
        if action < PAIRS {
            let slot = usize::from(action.0 - SINGLES.0);
            let place = turn.own[slot];
            let entered = allotment.roles[slot] & role::ENTERED != 0;
            if (place == 0 && !entered || place == self.keep) && allotment.roles[slot] & role::TAKEN == 0 {
                return self.enter_or_bear(turn, allotment, pips, slot);
            }
            return self.give_steps(turn, allotment, slot, u32::from(pips), false);
        }
        let slot = usize::from(action.0 - PAIRS.0);
        let steps = match self.rules.twin_speed {
            TwinSpeed::Full => pips,
            TwinSpeed::HalfFloor => pips / 2,
        };
        let mut next = *allotment;
        if allotment.roles[slot] & role::LEAD == 0 {
            let place = self.square(turn, allotment, slot)?;
            let follower = self.follower(turn, allotment, slot)?;
            let may_join = match self.rules.twins {
                Twins::Colocated => true,
                Twins::None => false,
                Twins::Bell => turn.declared >> slot & 1 == 1 || self.opposite >> place & 1 == 1,
            };
            if !may_join {
                return None;
            }
            next.roles[slot] |= role::LEAD;
            next.roles[follower] |= role::FOLLOWER;
        }
        next.steps[slot] += steps;
        (base(turn.own[slot]) + next.steps[slot] <= self.keep).then_some(next)
    }

    fn enter_or_bear(&self, turn: &Turn<'_>, allotment: &Allotment, pips: u8, slot: usize) -> Option<Allotment> {
        let place = turn.own[slot];
        let is_lowest = (0..slot).all(|lower| turn.own[lower] != place || allotment.roles[lower] != role::FRESH);
        if pips != 1 || !is_lowest || place == 0 && turn.closed >> 1 & 1 == 1 {
            return None;
        }
        let mut next = *allotment;
        next.roles[slot] = if place == 0 { role::ENTERED } else { role::BORNE };
        Some(next)
    }

    /// Moves one piece on alone by `steps`; with `may_enter` a piece off the board enters with one of them first.
    #[inline]
    fn give_steps(
        &self,
        turn: &Turn<'_>,
        allotment: &Allotment,
        slot: usize,
        steps: u32,
        may_enter: bool,
    ) -> Option<Allotment> {
        let place = turn.own[slot];
        let role = allotment.roles[slot];
        if role & (role::LEAD | role::FOLLOWER | role::BORNE) != 0 || place >= self.keep {
            return None;
        }
        let mut next = *allotment;
        let mut steps = steps;
        if role & role::SINGLE == 0 {
            if place == 0 && role & role::ENTERED == 0 {
                if !may_enter || turn.closed >> 1 & 1 == 1 {
                    return None;
                }
                next.roles[slot] |= role::ENTERED;
                steps -= 1;
                if steps == 0 {
                    return Some(next);
                }
            } else if !self.is_lowest_free(turn, allotment, slot) || !self.may_leave_alone(turn, allotment, slot) {
                return None;
            }
            next.roles[slot] |= role::SINGLE;
        }
        let target = u32::from(base(place)) + u32::from(next.steps[slot]) + steps;
        if target > u32::from(self.keep) {
            return None;
        }
        next.steps[slot] += steps as u8;
        Some(next)
    }

    /// The square on which a piece of `slot` waits to be chosen, or `None` when it is taken or not on the course.
    #[inline]
    fn square(&self, turn: &Turn<'_>, allotment: &Allotment, slot: usize) -> Option<u8> {
        let place = turn.own[slot];
        let waits = allotment.roles[slot] & role::TAKEN == 0
            && place < self.keep
            && (place > 0 || allotment.roles[slot] & role::ENTERED != 0);
        waits.then_some(base(place))
    }

    /// Whether the pieces of two slots wait on one square and are both declared twins or both not.
    #[inline]
    fn are_alike(&self, turn: &Turn<'_>, allotment: &Allotment, slot: usize, other: usize) -> bool {
        let square = self.square(turn, allotment, slot);
        square.is_some()
            && square == self.square(turn, allotment, other)
            && (turn.declared >> slot & 1) == (turn.declared >> other & 1)
    }

    #[inline]
    fn is_lowest_free(&self, turn: &Turn<'_>, allotment: &Allotment, slot: usize) -> bool {
        (0..slot).all(|lower| !self.are_alike(turn, allotment, lower, slot))
    }

    /// The slot that moves along when `slot` leads twins.
    fn follower(&self, turn: &Turn<'_>, allotment: &Allotment, slot: usize) -> Option<usize> {
        if !self.is_lowest_free(turn, allotment, slot) {
            return None;
        }
        (slot + 1..self.seating.pieces).find(|&other| self.are_alike(turn, allotment, slot, other))
    }

    /// Whether the piece may leave its square by itself: always, unless twins may not be split.
    fn may_leave_alone(&self, turn: &Turn<'_>, allotment: &Allotment, slot: usize) -> bool {
        if self.rules.twin_split || allotment.roles[slot] & role::ENTERED != 0 {
            return true;
        }
        match self.rules.twins {
            Twins::None => true,
            Twins::Bell => turn.declared >> slot & 1 == 0,
            Twins::Colocated => {
                let stood = turn.own.iter().filter(|&&place| place == turn.own[slot]).count();
                let left = (0..self.seating.pieces)
                    .filter(|&other| turn.own[other] == turn.own[slot] && allotment.roles[other] & role::SINGLE != 0)
                    .count();
                left < stood % 2
            }
        }
    }

    /// Whether the allotment can stand as it is: every hop lands on an open square, pieces are borne off only when all
    /// others are in the keep, and no throw was left that must be used.
    #[inline]
    fn is_complete(&self, turn: &Turn<'_>, allotment: &Allotment) -> bool {
        let mut is_bearing = false;
        let mut are_all_home = true;
        for slot in 0..self.seating.pieces {
            let (place, role) = (turn.own[slot], allotment.roles[slot]);
            if role & (role::SINGLE | role::LEAD) != 0 {
                let target = base(place) + allotment.steps[slot];
                if allotment.steps[slot] == 0 || turn.closed >> target & 1 == 1 {
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
                let extended = candidates().filter_map(|action| self.give(turn, allotment, throw, action));
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
        Allotment { steps: state.steps, roles: state.roles, skipped: state.skipped }
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

/// The actions other than passing.
#[inline]
pub(super) fn candidates() -> impl Iterator<Item = Action> {
    (SINGLES.0..PASS.0).map(Action)
}

/// The place of a piece that is on the board or enters it.
#[inline]
pub(super) fn base(place: u8) -> u8 {
    place.max(1)
}
