//! The legal actions of a series. After each legal action, the turn can still use the number of
//! throws that the rules demand.

use super::{
    SeriesTurns,
    allot::{Allotment, SeriesTurn, actions, base},
};
use crate::{
    game::ActionMask,
    race::{
        position::state::{State, role},
        turns::{
            actions::{PASS, with_pass},
            series_throws::{AllottedThrow, Remaining},
        },
    },
    sheet::values::Must,
};

impl SeriesTurns {
    /// Returns the legal actions for the next throw, `throw`, if the throws `rest` remain after it.
    #[inline]
    pub fn offers(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        throw: AllottedThrow,
        rest: Remaining,
    ) -> ActionMask {
        let pips = self.series.pips(throw);
        let remaining = self.sum(rest);
        let units = self.units(turn, allotment, u32::from(pips) + remaining);
        let (alone, together) = self.takers(&units, pips);
        if (alone | together).is_empty() {
            return with_pass(ActionMask::EMPTY, false);
        }
        if self.must == Must::Most
            && self.completes(allotment)
            && (alone & units.bearing).is_empty()
        {
            // Far from the finish, no throw stays unused: each unit can take all remaining throws,
            // or can leave them to another piece.
            let can_go_on = self.within(units.reached, u32::from(pips) + remaining);
            let can_leave = (units.alone & self.within(units.reached, remaining)).beside();
            let can_go_on_together = can_go_on.when(self.takes_all_together(rest));
            if ((alone & !can_go_on | together & !can_go_on_together) & !can_leave).is_empty() {
                return actions(alone, together);
            }
        }
        self.offers_by_search(turn, allotment, throw, rest, actions(alone, together))
    }

    /// [`SeriesTurns::offers`] by search: finds the number of throws that can be used after each
    /// action of `takers`.
    fn offers_by_search(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        throw: AllottedThrow,
        rest: Remaining,
        takers: ActionMask,
    ) -> ActionMask {
        let is_max = self.must == Must::Most;
        // If the rules let throws stay unused, it is enough that the turn can end.
        let enough = if is_max { rest.count() } else { 0 };
        let mut mask = ActionMask::EMPTY;
        let mut most = None;
        for action in takers.iter().chain([PASS]) {
            // If all throws can be used, no throw is allowed to stay unused.
            if action == PASS && is_max && most > Some(rest.count()) {
                continue;
            }
            let next = self.give(turn, allotment, throw, action);
            let Some(used) = self.most_used(turn, &next, rest, enough) else {
                continue;
            };
            let used = used + u32::from(action != PASS);
            if is_max && Some(used) > most {
                mask = ActionMask::EMPTY;
            }
            if !is_max || Some(used) >= most {
                mask.insert(action);
                most = most.max(Some(used));
            }
        }
        with_pass(mask, false)
    }

    /// Returns whether any of the `remaining` throws can still be used.
    #[inline]
    pub fn can_use_more(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        remaining: Remaining,
    ) -> bool {
        let smallest = u32::from(self.smallest(remaining));
        self.completes(allotment) && self.moves_by(turn, allotment, smallest)
            || self.most_used(turn, allotment, remaining, 1) != Some(0)
    }

    /// Returns whether the pieces can move by the throws that they have so far, and the turn can be
    /// completed legally.
    pub fn can_complete(&self, state: &State) -> bool {
        let turn = self.turn(state);
        let (own, declared) = (&state.pieces[state.mover], state.declared[state.mover]);
        let kind = |slot: usize| (base(own[slot]), declared >> slot & 1);
        let moves = |slot: usize| {
            let ((from, declared), role) = (kind(slot), state.roles[slot]);
            let count = |roles: u8| {
                let slots = 0..self.seating.pieces;
                slots
                    .filter(|&other| kind(other) == kind(slot) && state.roles[other] & roles != 0)
                    .count()
            };
            role & role::BORNE == 0
                && own[slot] < self.rules.home
                && from.saturating_add(state.steps[slot]) <= self.rules.home
                && (role & role::ENTERED == 0 || turn.closed >> 1 & 1 == 0)
                && (role & (role::LEAD | role::FOLLOWER) == 0
                    || self.may_join(from, declared == 1)
                        && count(role::LEAD) == count(role::FOLLOWER))
        };
        let is_valid = |slot: usize| match state.roles[slot] {
            role::FRESH => true,
            role::BORNE => own[slot] == self.rules.home,
            _ => moves(slot),
        };
        (0..self.seating.pieces).all(is_valid)
            && self
                .most_used(
                    &turn,
                    &Allotment::of(state),
                    self.series.remaining(state),
                    0,
                )
                .is_some()
    }
}
