//! Checks that a game can begin and end: the positions at the start, and the way of the last piece
//! of a seat.

use std::sync::Arc;

use super::Check;
use crate::{
    game::{Seat, SeatSet},
    race::{
        compile::{Rules, reach::places_of},
        position::{
            seating::Participants,
            state::{Phase, State, sort},
        },
        turns::{self, Turns, by_kind, text::joined},
    },
    sheet::Setup,
};

/// The largest number of throws of one turn that are tried. Longer series move the last piece no
/// further than several turns.
const MOST_THROWS: usize = 4;

impl Check<'_> {
    /// Reports games that begin in an invalid position, and games that cannot end.
    pub fn check_end(&mut self) {
        if !self.problems.is_empty() {
            return;
        }
        let (sheet, most) = (self.sheet, self.sheet.most_pieces());
        let sets = sheet
            .seats
            .allowed
            .iter()
            .filter_map(|letters| SeatSet::from_letters(letters).ok());
        // The number of pieces changes the start and the squares that must be filled.
        let is_listed = matches!(sheet.pieces.setup, Setup::On(_));
        let (all, counts) = (is_listed || sheet.finish.fill, &sheet.pieces.allowed);
        let cases = sets
            .clone()
            .flat_map(|seats| counts.iter().map(move |&count| (seats, count)));
        let cases: Vec<_> = if all {
            cases.collect()
        } else {
            sets.clone().map(|set| (set, most)).take(1).collect()
        };
        for (seats, count) in cases {
            let rules = match turns::compile(sheet, seats, count.into()) {
                Ok(rules) => Arc::new(rules),
                Err(error) => return self.report(true, "board.course", error),
            };
            if is_listed {
                self.check_start(&rules);
            }
            if count == most || sheet.finish.fill {
                self.check_last_piece(&rules);
            }
        }
        let Ok(rules) = turns::compile(sheet, SeatSet::ALL, most.into()) else {
            return;
        };
        for seats in sets {
            let problem =
                format!("no seat can win: no seat of {seats:?} can capture before its gate");
            let seating = Participants::new(&sheet.seats, seats, most.into());
            self.report(!rules.opens(&seating), "gate.at", problem);
        }
    }

    fn check_start(&mut self, rules: &Rules) {
        let start = rules.initial_state(Seat::SOUTH);
        if let Some((place, _)) = rules
            .seating
            .seats
            .iter()
            .find_map(|seat| rules.crowded(&start, seat))
        {
            let place = rules.place_text(place);
            let problem =
                format!("square {place} does not have room for all pieces that begin on it");
            self.report(true, "pieces.setup", problem);
        }
        let problem = "pieces of two seats begin on one square, and the square cannot hold both";
        self.report(rules.collision(&start).is_some(), "pieces.setup", problem);
    }

    /// Reports places where the last piece of a seat is stuck.
    fn check_last_piece(&mut self, rules: &Arc<Rules>) {
        let seat = rules.seating.seats.iter().next().unwrap_or(Seat::SOUTH);
        let places = LastPiece {
            rules,
            turns: Turns::new(Arc::clone(rules)),
            seat,
            finishing: 0,
        }
        .stuck_places();
        let names = |holds: &dyn Fn(u8) -> bool, places: &[u8]| {
            joined(
                places
                    .iter()
                    .filter(|&&place| holds(place))
                    .map(|&place| rules.place_text(place)),
                ", ",
            )
        };
        for (key, range) in [
            ("entry.first", 0..1),
            ("throws.values", 1..rules.home),
            ("finish.bear_off", rules.home..u8::MAX),
        ] {
            let names = names(&|place| range.contains(&place), &places);
            let problem = format!(
                "no throws lead the last piece of a seat from {names} to the end of its course"
            );
            self.report(!names.is_empty(), key, problem);
        }
        let filled: Vec<u8> = (rules.finished_from..rules.home).collect();
        let names = names(&|place| rules.reachable() >> place & 1 == 0, &filled);
        let problem = format!("no throws lead to {names}, which must be filled");
        self.report(!names.is_empty(), "finish.fill", problem);
    }
}

/// The turns of a seat whose pieces have finished, except the last one. The pieces of other seats
/// wait.
struct LastPiece<'a> {
    rules: &'a Rules,
    turns: Turns,
    seat: Seat,
    /// The places where the last piece can finish, as bits.
    finishing: u128,
}

impl LastPiece<'_> {
    /// Returns the places where the last piece is stuck.
    fn stuck_places(mut self) -> Vec<u8> {
        let rules = self.rules;
        let mut open = Vec::new();
        for place in places_of(rules.reachable()).filter(|&place| place < rules.finished_from) {
            let positions = self.positions(place);
            // The values for the first entry of the game and the values for later entries must let
            // the piece enter.
            let is_first =
                |state: &State| rules.remembers_entry && place == 0 && state.seat_marks == 0;
            let (first, later): (Vec<State>, Vec<State>) =
                positions.into_iter().partition(is_first);
            open.extend(
                [first, later]
                    .into_iter()
                    .filter(|states| !states.is_empty())
                    .map(|states| (place, states)),
            );
        }
        // A piece can also move back, so the loop needs several passes.
        loop {
            let before = open.len();
            for at in (0..before).rev() {
                if open[at]
                    .1
                    .iter()
                    .any(|state| self.can_finish(state, MOST_THROWS))
                {
                    self.finishing |= 1 << open.remove(at).0;
                }
            }
            if open.len() == before {
                return open.into_iter().map(|(place, _)| place).collect();
            }
        }
    }

    /// The positions with the last piece on `place`: with no mark and with all marks. If squares
    /// must be filled, any one of them can be empty.
    fn positions(&self, place: u8) -> Vec<State> {
        let (rules, pieces) = (self.rules, self.rules.pieces());
        let end = if place < rules.home {
            rules.home
        } else {
            rules.goal
        };
        let mut positions = Vec::new();
        for last in if rules.fills { 0..pieces } else { 0..1 } {
            let mut state = State::empty(self.seat);
            for seat in rules.seating.seats.iter() {
                state.pieces[seat][..pieces].fill(rules.sent_to);
            }
            let own = &mut state.pieces[self.seat];
            for (place, at) in own[..pieces].iter_mut().zip(0..) {
                *place = if rules.fills {
                    rules.finished_from + at
                } else {
                    end
                };
            }
            own[last] = place;
            sort(own);
            positions.extend([
                state,
                State {
                    seat_marks: u8::MAX,
                    ..state
                },
            ]);
        }
        positions
    }

    /// Whether the turn that goes on in this position can take the last piece to a place of
    /// `finishing` or to the end, with at most `throws` more throws.
    fn can_finish(&self, state: &State, throws: usize) -> bool {
        if state.phase == Phase::Throw {
            let follows = |outcome: usize| {
                let mut next = *state;
                by_kind!(&self.turns, turns => turns.apply_chance(&mut next, outcome));
                self.can_finish(&next, throws - 1)
            };
            return throws > 0 && (0..self.rules.outcomes.len()).any(follows);
        }
        by_kind!(&self.turns, turns => turns.legal_actions(state))
            .iter()
            .any(|action| {
                let mut next = *state;
                by_kind!(&self.turns, turns => turns.apply_action(&mut next, action));
                let own = &next.pieces[self.seat];
                match next.phase {
                    Phase::Choose | Phase::Allot => self.can_finish(&next, throws),
                    Phase::Throw | Phase::Over => {
                        self.rules.has_finished(own) || self.finishing >> own[0] & 1 == 1
                    }
                }
            })
    }
}
