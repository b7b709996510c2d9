//! Captures: the pieces that a landing piece or unit takes.

use crate::{
    game::{MAX_SEATS, Seat},
    race::{
        compile::Rules,
        position::{
            slots::{Set, Slots},
            state::{MAX_PIECES, State, in_order, sort},
        },
    },
    sheet::values::{Group, Meeting, UnitKind, UnitMeeting, UnitOnSingle},
};

impl Rules {
    /// Captures enemies after `by` own pieces have landed together on place `to`. Returns whether a
    /// piece was captured. In hot code, call this before the mover's own pieces are written:
    /// reading a word right after writing its parts is slow.
    #[inline(always)]
    pub fn capture(&self, state: &mut State, mover: Seat, to: u8, by: usize) -> bool {
        let [first, second] = &self.meeting[mover][to];
        let pieces = state.pieces.0.as_flattened();
        let is_there = |slot: usize| (pieces[slot] == first[slot]) | (pieces[slot] == second[slot]);
        (0..MAX_SEATS * MAX_PIECES).fold(false, |any, slot| any | is_there(slot))
            && self.capture_there(state, mover, to, by)
    }

    /// Does the work of [`Rules::capture`] if an enemy is on the square.
    #[inline(never)]
    fn capture_there(&self, state: &mut State, mover: Seat, to: u8, by: usize) -> bool {
        let cell = self.cells[mover][to];
        let mut has_captured = false;
        for &enemy in self.seating.enemies(mover) {
            let (pieces, declared) = (state.pieces[enemy], state.declared[enemy]);
            if let Some(left) = self.captured(enemy, pieces, declared, cell, by) {
                has_captured = true;
                (state.pieces[enemy], state.declared[enemy]) = left;
            }
        }
        state.seat_marks |= u8::from(has_captured && self.has_gate()) << mover.index();
        has_captured
    }

    /// Returns the places and declared slots of `seat` after `by` enemy pieces have landed together
    /// on `cell`, or `None` if no piece is captured. Captures must be possible on `cell`.
    #[inline(always)]
    pub fn captured(
        &self,
        seat: Seat,
        places: [u8; MAX_PIECES],
        declared: u8,
        cell: u8,
        by: usize,
    ) -> Option<([u8; MAX_PIECES], u8)> {
        let [first, second] = self.places[seat][cell];
        let own = Slots::of(places);
        let there = own.are(first) | own.are(second);
        if there.is_empty() {
            return None;
        }
        let units = match self.unit.kind {
            UnitKind::None => Set::NONE,
            UnitKind::Together => there
                .beside()
                .when(self.closing.unit_cells >> cell & 1 == 1),
            UnitKind::Declared => there & Set::of(|slot| declared >> slot & 1 == 1),
        };
        let capture = &self.capture_rule;
        let takes_units = match capture.unit_on_unit {
            UnitMeeting::Takes => true,
            UnitMeeting::TakesEqual => there.bits().count_ones() as usize <= by,
            UnitMeeting::Shares | UnitMeeting::Barred => false,
        };
        let taken = if by > 1 {
            (there & units).when(takes_units)
                | (there & !units).when(capture.unit_on_single == UnitOnSingle::Takes)
        } else {
            let singles = there & !units;
            let group = if capture.group == Group::One {
                singles.lowest()
            } else {
                singles
            };
            group | (there & units).when(capture.single_on_unit == Meeting::Takes)
        };
        if taken.is_empty() {
            return None;
        }
        if declared == 0 {
            let mut left = own.without(taken).or(taken.each(self.sent_to)).bytes();
            sort(&mut left);
            return Some((left, 0));
        }
        Some(in_order(std::array::from_fn(|slot| {
            if taken.contains(slot) {
                (self.sent_to, 0)
            } else {
                (places[slot], declared >> slot & 1)
            }
        })))
    }
}
