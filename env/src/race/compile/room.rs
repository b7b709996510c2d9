//! Tests whether the squares have room for the pieces of a position.

use super::Rules;
use crate::{game::Seat, race::position::state::State};

impl Rules {
    /// Returns the position at the start of a game.
    pub fn initial_state(&self, first: Seat) -> State {
        let mut state = State::empty(first);
        let (setup, pieces) = (&self.setup, self.seating.pieces);
        for seat in self.seating.seats.iter() {
            state.pieces[seat][..pieces].copy_from_slice(&setup[setup.len() - pieces..]);
        }
        state
    }

    /// Returns the first place of `seat` whose square has too many pieces of the seat, and their
    /// number.
    pub fn crowded(&self, state: &State, seat: Seat) -> Option<(u8, usize)> {
        let pieces = &state.pieces[seat][..self.seating.pieces];
        let cell = |place: u8| self.cells[seat][place];
        pieces.iter().find_map(|&place| {
            let is_here =
                |&&other: &&u8| other == place || cell(place) != 0 && cell(other) == cell(place);
            let here = pieces.iter().filter(is_here).count();
            (here > usize::from(self.room[place])).then_some((place, here))
        })
    }

    /// Returns two seats with pieces on one square that cannot hold both, and the place of the
    /// first seat's piece.
    pub fn collision(&self, state: &State) -> Option<(Seat, Seat, u8)> {
        let seats = self.seating.seats;
        let bit = |seat: Seat, place: u8| self.bits[seat][place];
        seats
            .iter()
            .flat_map(|seat| seats.iter().map(move |other| (seat, other)))
            .filter(|&(seat, other)| {
                other > seat
                    && (!self.partners_share || self.seating.enemies(seat).contains(&other))
            })
            .find_map(|(seat, other)| {
                let held = state.pieces[other]
                    .iter()
                    .fold(0, |held, &place| held | bit(other, place));
                let is_shared =
                    |&&place: &&u8| bit(seat, place) & held & self.closing.exclusive != 0;
                state.pieces[seat]
                    .iter()
                    .find(is_shared)
                    .map(|&place| (seat, other, place))
            })
    }
}
