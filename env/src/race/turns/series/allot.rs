//! Allotments of the throws of a series: the units that can take each throw, and the legal
//! allotments.

use super::SeriesTurns;
use crate::{
    game::{Action, ActionMask},
    race::{
        position::{
            slots::{Set, Slots},
            state::{SeriesKind, State, role},
        },
        turns::{
            actions::{PAIRS, PASS, SINGLES},
            series_throws::{AllottedThrow, Remaining, SKIPPED},
        },
    },
    sheet::values::{Must, Speed, UnitKind},
};

/// The allotment so far: the steps and the role of each piece of the mover.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Allotment {
    pub steps: Slots,
    pub roles: Slots,
    /// Kinds of throws that stay unused, as `SeriesThrows::bit`s; only with [`Must::Greedy`].
    pub skipped: u8,
}

/// Bits above the place in the byte of a piece: one marks declared twins (two pieces that move
/// together), the other marks pieces that already belong to a unit. Pieces with equal bytes are
/// interchangeable.
const DECLARED: u8 = 0x40;
const CHOSEN: u8 = 0x80;

/// The constants of a turn while its throws are allotted.
pub struct SeriesTurn {
    pub own: Slots,
    pub declared: Set,
    /// Marked places that an enemy closes, as bits.
    pub closed: u64,
}

/// The units that can take a throw, by the slot of their first piece. If pieces are
/// interchangeable, only the lowest slot is included.
pub struct Units {
    /// The place that each piece has reached.
    pub reached: Slots,
    pub alone: Set,
    /// Pieces that move together with another piece.
    pub together: Set,
    /// Waiting pieces that enter with a throw of 1.
    pub entering: Set,
    /// Pieces on the finish that leave the board with a throw of 1 (are borne off).
    pub bearing: Set,
}

impl SeriesTurns {
    /// Returns an upper bound on the number of `remaining` throws that fit between the pieces and
    /// the finish.
    pub fn most_by_room(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        remaining: Remaining,
    ) -> u32 {
        let room = |slot: usize| {
            let (place, role) = (turn.own.get(slot), allotment.roles.get(slot));
            match place {
                _ if role & (role::FOLLOWER | role::BORNE) != 0 || place > self.rules.home => 0,
                place if place == self.rules.home => 1,
                place => {
                    let entering = u32::from(place == 0 && role & role::ENTERED == 0);
                    u32::from(self.rules.home - base(place))
                        .saturating_sub(u32::from(allotment.steps.get(slot)))
                        + entering
                }
            }
        };
        let mut room: u32 = (0..self.seating.pieces).map(room).sum();
        let mut throws = remaining
            .kinds()
            .map(|(throw, count)| (self.series.pips(throw), count));
        throws.sort_unstable();
        // Uses throws from the smallest to the largest. Each throw takes the least possible room.
        throws
            .map(|(pips, count)| {
                let (steps, count) = (u32::from(self.joint_steps(pips)), u32::from(count));
                let used = room
                    .checked_div(steps)
                    .map_or(count, |most| most.min(count));
                room -= used * steps;
                used
            })
            .iter()
            .sum()
    }

    /// Returns whether some unit on the course certainly has room for `pips` more steps, for any
    /// division of these steps into throws.
    #[inline]
    pub fn moves_by(&self, turn: &SeriesTurn, allotment: &Allotment, pips: u32) -> bool {
        let roles = allotment.roles;
        let places = turn.own.or(roles.only(role::ENTERED));
        let together = if self.rules.unit.speed == Speed::Full {
            role::FOLLOWER
        } else {
            role::FOLLOWER | role::LEAD
        };
        let on_course =
            places.at_least(1) & !places.at_least(self.rules.home) & !roles.have(together);
        let untied = if self.rules.unit.split {
            on_course
        } else {
            roles.have(role::SINGLE | role::LEAD)
        };
        !(on_course & untied & self.within(places.plus(allotment.steps), pips)).is_empty()
    }

    /// Returns the units that can still take throws; `pips` is the sum of the remaining throws.
    /// Always inlined, so that the sets stay in registers.
    #[inline(always)]
    pub fn units(&self, turn: &SeriesTurn, allotment: &Allotment, pips: u32) -> Units {
        let roles = allotment.roles;
        // [`role::ENTERED`] is 1, which is also the place of a piece that has entered.
        let places = turn.own.or(roles.only(role::ENTERED));
        let waiting = !roles.have(role::TAKEN);
        // Pieces with equal bytes are interchangeable.
        let (repeated, followed) = places
            .or(turn.declared.each(DECLARED))
            .or((!waiting).each(CHOSEN))
            .repeated();
        let first = waiting & !repeated;
        let on_course = first & places.at_least(1) & !places.at_least(self.rules.home);
        let tied = if self.rules.unit.split {
            Set::NONE
        } else {
            Set::of(|slot| self.is_tied(turn, allotment, slot))
        };
        let may_join = match self.rules.unit.kind {
            UnitKind::Together => followed,
            UnitKind::None => Set::NONE,
            UnitKind::Declared => {
                let opposite = |slot| {
                    places.get(slot) < self.rules.home && self.opposite >> places.get(slot) & 1 == 1
                };
                followed & (turn.declared | Set::of(opposite))
            }
        };
        let reached = places.plus(allotment.steps);
        // Pieces can be borne off only when all pieces are on the finish. This is impossible if a
        // piece is too far from the finish.
        let is_far = !(self.within(reached, pips + 1) & !roles.have(role::FOLLOWER)).is_empty();
        Units {
            reached,
            alone: roles.have(role::SINGLE) | on_course & !tied,
            together: roles.have(role::LEAD) | on_course & may_join,
            entering: (first & places.are(0)).when(turn.closed >> 1 & 1 == 0),
            bearing: (first & places.are(self.rules.home)).when(self.bears & !is_far),
        }
    }

    /// Returns whether the piece must not move alone. Only called if twins must not be split.
    fn is_tied(&self, turn: &SeriesTurn, allotment: &Allotment, slot: usize) -> bool {
        match self.rules.unit.kind {
            UnitKind::None => false,
            UnitKind::Declared => turn.declared.contains(slot),
            UnitKind::Together => {
                // A piece that has entered is allowed to move alone. If an odd number of pieces was
                // there before, one more piece is allowed to move alone. These pieces are
                // interchangeable.
                let places = turn.own.or(allotment.roles.only(role::ENTERED));
                let here = places.are(places.get(slot));
                let entered = (here & allotment.roles.have(role::ENTERED)).len();
                (here & allotment.roles.have(role::SINGLE)).len()
                    >= entered + (here.len() - entered) % 2
            }
        }
    }

    /// Returns whether two pieces on one place of the course can move on as a unit.
    pub fn may_join(&self, place: u8, is_declared: bool) -> bool {
        match self.rules.unit.kind {
            UnitKind::None => false,
            UnitKind::Together => true,
            UnitKind::Declared => is_declared || self.opposite >> place & 1 == 1,
        }
    }

    /// Returns the pieces that do not pass the finish if they move `pips` steps from their
    /// `reached` places.
    #[inline]
    pub fn within(&self, reached: Slots, pips: u32) -> Set {
        let too_far = u32::from(self.rules.home + 1).saturating_sub(pips);
        !reached.at_least(too_far as u8)
    }

    /// Returns the slots that can take a throw of `pips`: pieces that move alone, and the first
    /// piece of each two that move together.
    #[inline]
    pub fn takers(&self, units: &Units, pips: u8) -> (Set, Set) {
        let moving = units.alone & self.within(units.reached, u32::from(pips));
        let joint = u32::from(self.joint_steps(pips));
        let together = units.together & self.within(units.reached, joint);
        (
            moving | (units.entering | units.bearing).when(pips == 1),
            together.when(self.can_join(joint as u8)),
        )
    }

    /// Returns the steps of two pieces that take a throw of `pips` together.
    #[inline]
    pub fn joint_steps(&self, pips: u8) -> u8 {
        self.rules.effects[pips].unit_steps
    }

    /// Returns whether a unit can take a throw of `joint` steps.
    #[inline]
    pub fn can_join(&self, joint: u8) -> bool {
        joint > 0 || self.rules.unit.speed == Speed::HalfSpent
    }

    /// Returns whether two pieces together can take each of the `remaining` throws, if there is
    /// room.
    #[inline]
    pub fn takes_all_together(&self, remaining: Remaining) -> bool {
        match self.rules.unit.speed {
            Speed::Full | Speed::Double | Speed::HalfSpent => true,
            Speed::Half => remaining.counts[0] == 0,
            Speed::HalfEven => false,
        }
    }

    /// Gives a throw to the unit of `action`, which must be able to take it; [`PASS`] leaves the
    /// throw unused.
    #[inline]
    pub fn give(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        throw: AllottedThrow,
        action: Action,
    ) -> Allotment {
        let mut next = *allotment;
        if action >= PASS {
            if self.must == Must::Greedy {
                next.skipped |= self.series.bit(throw);
            }
            return next;
        }
        let (pips, slot) = (self.series.pips(throw), usize::from(action.0 % PAIRS.0));
        next = self.moving(turn, allotment, action);
        let (steps, role) = if action >= PAIRS {
            (self.joint_steps(pips), role::LEAD)
        } else {
            (pips, role::SINGLE)
        };
        if next.roles.get(slot) & role != 0 {
            let left = self
                .rules
                .home
                .saturating_sub(base(turn.own.get(slot)) + next.steps.get(slot));
            next.steps = next.steps.plus(Slots::one(slot, steps.min(left)));
        }
        next
    }

    /// Returns the allotment with the role of the unit of `action`, without steps.
    #[inline]
    pub fn moving(&self, turn: &SeriesTurn, allotment: &Allotment, action: Action) -> Allotment {
        let (slot, mut roles) = (usize::from(action.0 % PAIRS.0), allotment.roles);
        let role = match turn.own.get(slot) {
            _ if action >= PAIRS && roles.get(slot) & role::LEAD == 0 => {
                let Some(follower) = self.follower(turn, allotment, slot) else {
                    return *allotment;
                };
                roles = roles.or(Slots::one(follower, role::FOLLOWER));
                role::LEAD
            }
            _ if action >= PAIRS => role::LEAD,
            0 if roles.get(slot) & role::ENTERED == 0 => role::ENTERED,
            place if place == self.rules.home => role::BORNE,
            _ => role::SINGLE,
        };
        Allotment {
            roles: roles.or(Slots::one(slot, role)),
            ..*allotment
        }
    }

    /// Returns the slot of the follower when `slot` becomes a lead.
    fn follower(&self, turn: &SeriesTurn, allotment: &Allotment, slot: usize) -> Option<usize> {
        let places = turn.own.or(allotment.roles.only(role::ENTERED));
        let declared = if turn.declared.contains(slot) {
            turn.declared
        } else {
            !turn.declared
        };
        let alike = places.are(places.get(slot)) & declared & !allotment.roles.have(role::TAKEN);
        alike.iter().find(|&other| other > slot)
    }

    /// Returns whether the turn can certainly end with this allotment and after any further hop.
    #[inline]
    pub fn completes(&self, allotment: &Allotment) -> bool {
        self.always_completes && allotment.roles.have(role::BORNE).is_empty()
    }

    /// Returns whether the turn can end with this allotment: the pieces can land, and no unit could
    /// take a skipped throw and then land.
    pub fn is_complete(&self, turn: &SeriesTurn, allotment: &Allotment) -> bool {
        let extends = |throw| {
            allotment.skipped & self.series.bit(throw) != 0 && self.extends(turn, allotment, throw)
        };
        self.can_land(turn, allotment)
            && (allotment.skipped == 0 || !self.series.all().any(extends))
    }

    /// Returns whether some unit can take one more `throw` so that the allotment can land.
    pub fn extends(&self, turn: &SeriesTurn, allotment: &Allotment, throw: AllottedThrow) -> bool {
        self.extensions(turn, allotment, throw)
            .any(|next| self.can_land(turn, &next))
    }

    /// Iterates over the allotments with one more `throw`, one for each unit that can take it.
    #[inline]
    pub fn extensions(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        throw: AllottedThrow,
    ) -> impl Iterator<Item = Allotment> {
        // This does not check whether the remaining throws can move all pieces to the finish.
        let (alone, together) = self.takers(
            &self.units(turn, allotment, u32::from(self.rules.home)),
            self.series.pips(throw),
        );
        actions(alone, together)
            .iter()
            .map(move |action| self.give(turn, allotment, throw, action))
    }

    /// Returns whether the allotment can land: every hop ends on an open square, and pieces are
    /// borne off only if all other pieces are on the finish.
    #[inline]
    pub fn can_land(&self, turn: &SeriesTurn, allotment: &Allotment) -> bool {
        let mut is_bearing = false;
        let mut are_all_home = true;
        for slot in 0..self.seating.pieces {
            let (place, role) = (turn.own.get(slot), allotment.roles.get(slot));
            if role & (role::SINGLE | role::LEAD) != 0 {
                let steps = allotment.steps.get(slot);
                let target = base(place) + steps;
                if steps == 0 || turn.closed >> target & 1 == 1 {
                    return false;
                }
                are_all_home &= target == self.rules.home;
            } else if role & role::FOLLOWER == 0 {
                is_bearing |= role == role::BORNE;
                are_all_home &= place >= self.rules.home;
            }
        }
        !is_bearing || are_all_home
    }

    /// Returns the value of the smallest `remaining` throw, or 0.
    #[inline]
    pub fn smallest(&self, remaining: Remaining) -> u8 {
        let [first, second, third] = SeriesKind::ALL
            .map(|kind| (remaining.counts[kind as usize - 1], self.series.face(kind)));
        [first, second, third, (remaining.last, remaining.last)]
            .into_iter()
            .filter(|&(count, _)| count > 0)
            .map(|(_, pips)| pips)
            .min()
            .unwrap_or(0)
    }

    /// Returns the sum of the values of all `remaining` throws.
    #[inline]
    pub fn sum(&self, remaining: Remaining) -> u32 {
        let pips = |kind: SeriesKind| {
            u32::from(self.series.face(kind)) * u32::from(remaining.counts[kind as usize - 1])
        };
        SeriesKind::ALL.map(pips).iter().sum::<u32>() + u32::from(remaining.last)
    }
}

impl Allotment {
    pub const NONE: Allotment = Allotment {
        steps: Slots::ZERO,
        roles: Slots::ZERO,
        skipped: 0,
    };

    #[inline]
    pub fn of(state: &State) -> Allotment {
        Allotment {
            steps: Slots::of(state.steps),
            roles: Slots::of(state.roles),
            skipped: state.registers[SKIPPED],
        }
    }
}

#[inline]
pub fn actions(alone: Set, together: Set) -> ActionMask {
    ActionMask::of_bits(alone.bits() << SINGLES.0 | together.bits() << PAIRS.0)
}

/// Returns the place of a piece on the board, or the place where it enters.
#[inline]
pub fn base(place: u8) -> u8 {
    place.max(1)
}
