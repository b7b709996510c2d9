//! The end of a series: all pieces land together. Then captures, declarations and the next turn
//! follow.

use super::{
    SeriesTurns, TurnMachine,
    allot::{Allotment, base},
};
use crate::race::position::{
    slots::Slots,
    state::{MAX_PIECES, State, in_order, role, sort},
};

impl SeriesTurns {
    /// Plays the allotted turn: moves the pieces, captures, and ends the turn.
    #[inline]
    pub fn resolve(&self, state: &mut State, allotment: &Allotment) {
        let mover = state.mover;
        let own = Slots::of(state.pieces[mover]);
        let landed = self.landed(own, allotment);
        let (places, declared) = self.settled(own, state.declared[mover], allotment, landed);
        let mut has_captured = false;
        for (target, is_pair) in self.landings(allotment, landed) {
            has_captured |= self
                .rules
                .capture(state, mover, target, 1 + usize::from(is_pair));
        }
        (state.pieces[mover], state.declared[mover]) = (places, declared);
        self.end_turn(state, has_captured && self.rules.turn.again_on_capture);
    }

    /// Iterates over the landings and entries on unmarked squares of the course: the place, and
    /// whether two pieces land together.
    #[inline]
    pub fn landings(
        &self,
        allotment: &Allotment,
        landed: Slots,
    ) -> impl Iterator<Item = (u8, bool)> {
        let roles = allotment.roles;
        let hops = roles
            .have(role::SINGLE | role::LEAD)
            .iter()
            .map(move |slot| (landed.get(slot), roles.get(slot) & role::LEAD != 0));
        roles
            .have(role::ENTERED)
            .when(self.enters_among_enemies)
            .iter()
            .map(|_| (1, false))
            .chain(
                hops.filter(|&(target, _)| {
                    target < self.rules.home && self.marked >> target & 1 == 0
                }),
            )
    }

    /// Returns the places of the pieces by slot after all moves.
    #[inline]
    pub fn landed(&self, own: Slots, allotment: &Allotment) -> Slots {
        let roles = allotment.roles;
        // A piece that enters or is borne off moves one place.
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

    /// Returns the mover's places in ascending order after all moves, and the slots of its declared
    /// twins.
    #[inline]
    pub fn settled(
        &self,
        own: Slots,
        declared: u8,
        allotment: &Allotment,
        landed: Slots,
    ) -> ([u8; MAX_PIECES], u8) {
        let mut places = landed.bytes();
        if !self.rules.declares() {
            sort(&mut places);
            return (places, 0);
        }
        let is_staying =
            |slot: usize| allotment.roles.get(slot) == role::FRESH && declared >> slot & 1 == 1;
        let mut twins: [bool; MAX_PIECES] = std::array::from_fn(|slot| {
            let is_moving = allotment.roles.get(slot) & (role::LEAD | role::FOLLOWER) != 0;
            (is_moving || is_staying(slot)) && places[slot] < self.rules.home
        });
        // If one of two twins moves alone, the other piece is no longer a twin. If two of four
        // twins move, the other two stay twins.
        for (slot, is_twin) in twins.iter_mut().enumerate().take(self.seating.pieces) {
            let mut alike = (0..self.seating.pieces)
                .filter(|&other| own.get(other) == own.get(slot) && is_staying(other));
            if alike.next() == Some(slot) && alike.count() % 2 == 0 {
                *is_twin = false;
            }
        }
        in_order(std::array::from_fn(|slot| {
            (places[slot], u8::from(twins[slot]))
        }))
    }
}
