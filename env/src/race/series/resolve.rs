//! Playing an allotted series: everything lands at once, then captures, declarations and the passing of the turn.

use super::SeriesTurns;
use super::allot::{Allotment, base};
use crate::flags::Twins;
use crate::game::Seat;
use crate::race::board::NOWHERE;
use crate::race::slots::{Set, Slots};
use crate::race::state::{MAX_PIECES, State, role, sort};

impl SeriesTurns {
    /// Plays the allotted turn: moves the pieces, captures, and passes the turn on.
    pub(super) fn resolve(&self, state: &mut State, allotment: &Allotment) {
        let mover = state.mover;
        let own = Slots::of(state.pieces[mover.index()]);
        let landed = self.landed(own, allotment);
        let mut places = landed.bytes();
        if self.declares() {
            self.declare(state, allotment, own, &mut places);
        } else {
            sort(&mut places);
        }
        state.pieces[mover.index()] = places;
        let mut has_captured = false;
        for slot in allotment.roles.have(role::SINGLE | role::LEAD).iter() {
            let target = landed.get(slot);
            if target < self.keep && self.marked >> target & 1 == 0 {
                let is_pair = allotment.roles.get(slot) & role::LEAD != 0;
                has_captured |= self.capture(state, mover, target, is_pair);
            }
        }
        if places[0] == self.keep + 1 {
            state.finished[mover.index()] = 1;
            state.end();
        } else if has_captured {
            state.begin_turn(mover);
        } else {
            state.begin_turn(self.seating.next(mover));
        }
    }

    /// The places of the pieces by slot once all have moved.
    #[inline]
    fn landed(&self, own: Slots, allotment: &Allotment) -> Slots {
        let roles = allotment.roles;
        // Who enters and who is borne off goes on by one place.
        let one_on = roles.have(role::ENTERED | role::BORNE).each(1);
        let mut landed = own.plus(one_on).plus(allotment.steps);
        let mut followers = roles.have(role::FOLLOWER);
        for lead in roles.have(role::LEAD).iter() {
            let is_follower = |slot: &usize| base(own.get(*slot)) == base(own.get(lead));
            if let Some(follower) = followers.iter().find(is_follower) {
                landed = landed.with(follower, landed.get(lead));
                followers = followers.without(follower);
            }
        }
        landed
    }

    /// Sends off what one piece or a pair captures on a square; whether there was anything.
    fn capture(&self, state: &mut State, mover: Seat, target: u8, is_pair: bool) -> bool {
        let mut has_captured = false;
        for &enemy in self.seating.others(mover) {
            let index = self.board.same_square(mover, target - 1, enemy);
            let pieces = Slots::of(state.pieces[enemy.index()]);
            let there = pieces.are(index.wrapping_add(1));
            if index == NOWHERE || there.is_empty() {
                continue;
            }
            let declared = state.declared[enemy.index()];
            let shielded = match self.rules.twins {
                _ if is_pair => Set::NONE,
                Twins::Colocated => there.beside(),
                Twins::None => Set::NONE,
                Twins::Bell => Set::of(|slot| declared >> slot & 1 == 1),
            };
            let captured = there & !shielded;
            if captured.is_empty() {
                continue;
            }
            has_captured = true;
            let mut left: [(u8, u8); MAX_PIECES] = std::array::from_fn(|slot| {
                if captured.contains(slot) { (0, 0) } else { (pieces.get(slot), declared >> slot & 1) }
            });
            left.sort_unstable();
            state.pieces[enemy.index()] = left.map(|(place, _)| place);
            state.declared[enemy.index()] = bits(left.map(|(_, declared)| declared));
        }
        has_captured
    }

    /// Sorts the mover's places after a turn together with their declarations as twins.
    fn declare(&self, state: &mut State, allotment: &Allotment, own: Slots, places: &mut [u8; MAX_PIECES]) {
        let declared = state.declared[state.mover.index()];
        let is_staying = |slot: usize| allotment.roles.get(slot) == role::FRESH && declared >> slot & 1 == 1;
        let mut twins: [bool; MAX_PIECES] = std::array::from_fn(|slot| {
            let is_moving = allotment.roles.get(slot) & (role::LEAD | role::FOLLOWER) != 0;
            (is_moving || is_staying(slot)) && places[slot] < self.keep
        });
        // A twin whose partner has left alone is a twin no longer.
        for (slot, is_twin) in twins.iter_mut().enumerate().take(self.seating.pieces) {
            let mut alike =
                (0..self.seating.pieces).filter(|&other| own.get(other) == own.get(slot) && is_staying(other));
            if alike.next() == Some(slot) && alike.count() % 2 == 0 {
                *is_twin = false;
            }
        }
        let mut pieces: [(u8, bool); MAX_PIECES] = std::array::from_fn(|slot| (places[slot], twins[slot]));
        pieces.sort_unstable();
        *places = pieces.map(|(place, _)| place);
        state.declared[state.mover.index()] = bits(pieces.map(|(_, is_twin)| u8::from(is_twin)));
    }
}

fn bits(flags: [u8; MAX_PIECES]) -> u8 {
    flags.iter().enumerate().fold(0, |bits, (slot, &flag)| bits | flag << slot)
}
