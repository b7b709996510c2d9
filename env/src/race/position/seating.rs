//! The seats that take part, the order of turns, and partners and enemies.

use crate::{
    game::{BySeat, MAX_SEATS, Seat, SeatSet},
    sheet::values::{Order, Seats, Teams},
};

/// The seats that take part, the number of pieces, and the order of turns.
#[derive(Clone, Copy, Debug)]
pub struct Participants {
    pub seats: SeatSet,
    pub pieces: usize,
    next: BySeat<Seat>,
    /// For each seat, the other seats that take part: first its enemies, then its partner. The seat
    /// itself fills the remaining entries.
    others: BySeat<[Seat; MAX_SEATS - 1]>,
    enemies: usize,
    /// Whether opposite seats are partners.
    pub has_teams: bool,
}

impl Participants {
    /// Returns the participants with the order of turns and the teams of a sheet.
    pub fn new(sheet: &Seats, seats: SeatSet, pieces: usize) -> Participants {
        // Quarter turns counter-clockwise from one seat to the next.
        let quarters = if sheet.order == Order::Clockwise {
            3
        } else {
            1
        };
        let has_teams = sheet.teams == Teams::Opposite && seats == SeatSet::ALL;
        let turns = (1..=MAX_SEATS).map(|turns| turns * quarters);
        let next = |seat: Seat| {
            turns
                .clone()
                .map(|turn| seat.rotated(turn))
                .find(|&seat| seats.contains(seat))
        };
        let others = |seat: Seat| {
            let mut others = [seat; MAX_SEATS - 1];
            let is_partner = |other: Seat| has_teams && seat.rotated(2) == other;
            let taking_part = seats
                .iter()
                .filter(|&other| other != seat && !is_partner(other))
                .chain(seats.iter().filter(|&other| is_partner(other)));
            others
                .iter_mut()
                .zip(taking_part)
                .for_each(|(filler, other)| *filler = other);
            others
        };
        Participants {
            seats,
            pieces,
            next: BySeat(Seat::ALL.map(|seat| next(seat).unwrap_or(seat))),
            others: BySeat(Seat::ALL.map(others)),
            enemies: seats.len() - 1 - usize::from(has_teams),
            has_teams,
        }
    }

    #[inline]
    pub fn next(&self, seat: Seat) -> Seat {
        self.next[seat]
    }

    /// Returns the other seats. `seat` itself must take part.
    #[inline]
    pub fn others(&self, seat: Seat) -> &[Seat] {
        &self.others[seat][..self.seats.len() - 1]
    }

    /// Returns the partner of `seat` as a slice of one seat, or an empty slice.
    #[inline]
    pub fn partners(&self, seat: Seat) -> &[Seat] {
        &self.others(seat)[self.enemies..]
    }

    #[inline]
    pub fn enemies(&self, seat: Seat) -> &[Seat] {
        &self.others[seat][..self.enemies]
    }
}
