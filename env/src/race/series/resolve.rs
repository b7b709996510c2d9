//! Playing an allotted series: everything lands at once, then captures, declarations and the passing of the turn.

use super::SeriesTurns;
use super::allot::{Allotment, base};
use crate::flags::Twins;
use crate::game::Seat;
use crate::race::board::NOWHERE;
use crate::race::state::{MAX_PIECES, NO_PIECE, State, role, sort};

impl SeriesTurns {
    /// Plays the allotted turn: moves the pieces, captures, and passes the turn on.
    pub(super) fn resolve(&self, state: &mut State, allotment: &Allotment) {
        let mover = state.mover;
        let (own, declared) = (state.pieces[mover.index()], state.declared[mover.index()]);
        let mut places = [NO_PIECE; MAX_PIECES];
        let mut landings = [(0, 0); MAX_PIECES];
        let (mut placed, mut landed) = (0, 0);
        for slot in 0..self.seating.pieces {
            let role = allotment.roles.get(slot);
            let target = base(own[slot]) + allotment.steps.get(slot);
            let (place, size) = match role & role::TAKEN {
                role::SINGLE => (target, 1),
                role::LEAD => (target, 2),
                role::FOLLOWER => continue,
                role::BORNE => (self.keep + 1, 0),
                _ if role & role::ENTERED != 0 => (1, 0),
                _ => (own[slot], 0),
            };
            if size > 0 && target < self.keep {
                landings[landed] = (target, size);
                landed += 1;
            }
            for _ in 0..size.max(1) {
                places[placed] = place;
                placed += 1;
            }
        }
        if self.rules.twins == Twins::Bell {
            self.declare(state, allotment, &own, declared, &mut places);
        } else {
            sort(&mut places);
        }
        state.pieces[mover.index()] = places;
        let mut has_captured = false;
        for &(target, size) in &landings[..landed] {
            if self.marked >> target & 1 == 0 {
                has_captured |= self.capture(state, mover, target, size);
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

    /// Sends off what a unit of `size` pieces captures on a square; whether there was anything.
    fn capture(&self, state: &mut State, mover: Seat, target: u8, size: u8) -> bool {
        let mut has_captured = false;
        for &enemy in self.seating.others(mover) {
            let index = self.board.same_square(mover, target - 1, enemy);
            if index == NOWHERE {
                continue;
            }
            let place = index + 1;
            let pieces = state.pieces[enemy.index()];
            let declared = state.declared[enemy.index()];
            let count = pieces.iter().filter(|&&other| other == place).count();
            let is_shielded = |slot: usize| match self.rules.twins {
                Twins::Colocated => count >= 2,
                Twins::None => false,
                Twins::Bell => declared >> slot & 1 == 1,
            };
            let is_captured = |slot: usize| pieces[slot] == place && (size == 2 || !is_shielded(slot));
            if count == 0 || !(0..MAX_PIECES).any(is_captured) {
                continue;
            }
            has_captured = true;
            let mut left: [(u8, u8); MAX_PIECES] =
                std::array::from_fn(
                    |slot| {
                        if is_captured(slot) { (0, 0) } else { (pieces[slot], declared >> slot & 1) }
                    },
                );
            left.sort_unstable();
            state.pieces[enemy.index()] = left.map(|(place, _)| place);
            state.declared[enemy.index()] = bits(left.map(|(_, declared)| declared));
        }
        has_captured
    }

    /// Sorts the mover's places after a turn together with their declarations as twins.
    fn declare(
        &self,
        state: &mut State,
        allotment: &Allotment,
        own: &[u8; MAX_PIECES],
        declared: u8,
        places: &mut [u8; MAX_PIECES],
    ) {
        let mut pieces = [(NO_PIECE, 0); MAX_PIECES];
        let mut placed = 0;
        for slot in 0..self.seating.pieces {
            let count = match allotment.roles.get(slot) & role::TAKEN {
                role::FOLLOWER => 0,
                role::LEAD => 2,
                _ => 1,
            };
            for _ in 0..count {
                let place = places[placed];
                let stays = allotment.roles.get(slot) == role::FRESH && declared >> slot & 1 == 1;
                pieces[placed] = (place, u8::from((count == 2 || stays) && place < self.keep));
                placed += 1;
            }
        }
        // A twin whose partner has left alone is a twin no longer.
        for slot in 0..self.seating.pieces {
            let is_twin = |other: usize| own[other] == own[slot] && declared >> other & 1 == 1;
            let staying = |other: usize| is_twin(other) && allotment.roles.get(other) == role::FRESH;
            let count = (0..self.seating.pieces).filter(|&other| staying(other)).count();
            let is_first = !(0..slot).any(staying);
            if count % 2 == 1 && is_first && staying(slot) {
                let left = pieces.iter_mut().find(|piece| **piece == (own[slot], 1));
                *left.expect("a twin that stays is among the pieces") = (own[slot], 0);
            }
        }
        pieces.sort_unstable();
        *places = pieces.map(|(place, _)| place);
        state.declared[state.mover.index()] = bits(pieces.map(|(_, declared)| declared));
    }
}

fn bits(flags: [u8; MAX_PIECES]) -> u8 {
    flags.iter().enumerate().fold(0, |bits, (slot, &flag)| bits | flag << slot)
}
