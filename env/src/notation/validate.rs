//! The invariants of a position: of one seat's pieces, and between the seats.

use super::NotationError;
use crate::game::{Game, Outlook, Seat};
use crate::race::Race;
use crate::race::compile::{Cells, PLACES};
use crate::race::position::state::{NO_PIECE, State};
use crate::sheet::{Group, MarkRule, Meeting};

impl Race {
    /// The invariants of one seat's pieces.
    pub(crate) fn check_seat(&self, state: &State, seat: Seat) -> Result<(), String> {
        let rules = &*self.rules;
        let pieces = &state.pieces[seat.index()][..self.spec().pieces];
        let cell = |place: u8| rules.cells[seat.index()][usize::from(place) % PLACES];
        for &place in pieces {
            let is_here = |&&other: &&u8| other == place || cell(place) != 0 && cell(other) == cell(place);
            let (here, most) = (pieces.iter().filter(is_here).count(), rules.room[usize::from(place) % PLACES]);
            if here > usize::from(most) {
                return Err(format!("{here} pieces stand on {}, where {most} may", self.place_text(place)));
            }
        }
        if pieces.contains(&rules.goal) && rules.goal > rules.home && pieces[0] < rules.home {
            return Err("pieces are borne off only when all others are at the finish".to_owned());
        }
        for (slot, &place) in pieces.iter().enumerate() {
            let is_declared = |slot: usize| state.declared[seat.index()] >> slot & 1 == 1;
            let twins = (0..pieces.len()).filter(|&other| pieces[other] == place && is_declared(other)).count();
            let is_before = u32::from(place) <= rules.declaring.trailing_zeros();
            if is_declared(slot) && (twins % 2 != 0 || is_before || place >= rules.home) {
                return Err("declared units stand two by two beyond the squares where they are declared".to_owned());
            }
        }
        Ok(())
    }

    /// The cells that two seats cannot both hold, as bits.
    pub(crate) fn exclusive_cells(&self) -> Cells {
        let (rules, capture) = (&*self.rules, &self.rules.sheet.capture);
        let shares =
            capture.group == Group::One || [capture.single_on_unit, capture.unit_on_single].contains(&Meeting::Shares);
        let plain = if shares { 0 } else { rules.captured };
        let is_closed = rules.sheet.board.mark_rule == MarkRule::Closed;
        if is_closed { plain | rules.closed_marks() } else { plain }
    }

    /// The invariants between the seats.
    pub(crate) fn check_pieces(&self, state: &State) -> Result<(), NotationError> {
        let (seats, rules) = (self.spec().seats, &*self.rules);
        for seat in seats.iter().filter(|&seat| rules.has_gate() && !rules.gate_rule.is_open(state, seat)) {
            let inside = state.pieces[seat.index()].iter().find(|&&place| place >= rules.gate && place != NO_PIECE);
            if let Some(&place) = inside {
                let place = self.place_text(place);
                let problem = format!("a piece of {seat} is on {place}, beyond its gate, but {seat} has not captured");
                return Err(NotationError::Pieces(problem));
            }
        }
        let exclusive = self.exclusive_cells();
        for seat in seats.iter() {
            for other in seats.iter().filter(|&other| other > seat) {
                let bit = |seat: Seat, place: u8| rules.bits[seat.index()][usize::from(place) % PLACES];
                let held = state.pieces[other.index()].iter().fold(0, |held, &place| held | bit(other, place));
                let is_shared = |&&place: &&u8| bit(seat, place) & held & exclusive != 0;
                if let Some(&place) = state.pieces[seat.index()].iter().find(is_shared) {
                    let place = self.place_text(place);
                    let problem = format!("{other} stands on the square of {seat}'s {place}");
                    return Err(NotationError::Pieces(problem));
                }
            }
        }
        self.check_finished(state)
    }

    /// The seats that have finished, and their places.
    fn check_finished(&self, state: &State) -> Result<(), NotationError> {
        let spec = self.spec();
        let has_finished = |seat: &Seat| state.finished[seat.index()] > 0;
        let mut places: Vec<u8> =
            spec.seats.iter().filter(has_finished).map(|seat| state.finished[seat.index()]).collect();
        places.sort_unstable();
        let problem = match spec.outlook {
            Outlook::Winner if places.len() > 1 => "two seats have won".to_owned(),
            Outlook::Teams if places.len() == spec.seats.len() => "two teams have won".to_owned(),
            // The last one is left over when all others have finished.
            Outlook::Placings if places.len() == spec.seats.len() => "all seats have finished".to_owned(),
            Outlook::Placings if !places.iter().copied().eq(1..=places.len() as u8) => {
                format!("the places of the seats that have finished are {places:?}, which cannot come about")
            }
            Outlook::Winner | Outlook::Teams | Outlook::Placings => return Ok(()),
        };
        Err(NotationError::Pieces(problem))
    }
}
