//! Checks that a game can begin and end: the positions at the start, and the way of the last piece of a seat.

use std::collections::HashSet;
use std::sync::Arc;

use super::Check;
use crate::game::{Seat, SeatSet};
use crate::race::compile::Rules;
use crate::race::compile::reach::places_of;
use crate::race::position::state::{MAX_PIECES, Phase, State, sort};
use crate::race::turns::text::joined;
use crate::race::turns::{self, Turns, by_kind};
use crate::sheet::Setup;

/// The largest number of throws of one turn that are tried. Longer series move the last piece no further than several
/// turns.
const MOST_THROWS: usize = 4;

/// The places of the pieces of a seat.
type Places = [u8; MAX_PIECES];

impl Check<'_> {
    /// Reports games that begin in an invalid position, and games that cannot end.
    pub(super) fn check_end(&mut self) {
        if !self.problems.is_empty() {
            return;
        }
        let (sheet, most) = (Arc::new(self.sheet.clone()), self.most_pieces());
        let sets = sheet.seats.allowed.iter().filter_map(|letters| SeatSet::from_letters(letters).ok());
        // The number of pieces changes the start and the squares that must be filled.
        let is_listed = matches!(sheet.pieces.setup, Setup::On(_));
        let (all, counts) = (is_listed || sheet.finish.fill, &sheet.pieces.allowed);
        let cases = sets.clone().flat_map(|seats| counts.iter().map(move |&count| (seats, count)));
        let cases: Vec<_> = if all { cases.collect() } else { sets.clone().map(|set| (set, most)).take(1).collect() };
        for (seats, count) in cases {
            let rules = match turns::compile(Arc::clone(&sheet), seats, count.into()) {
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
        let Ok(rules) = turns::compile(Arc::clone(&sheet), SeatSet::ALL, most.into()) else { return };
        for seats in sets {
            let problem = format!("no seat can win: no seat of {seats:?} can capture before its gate");
            self.report(!rules.opens(seats), "gate.at", problem);
        }
    }

    fn check_start(&mut self, rules: &Rules) {
        let start = rules.initial_state(Seat::SOUTH);
        if let Some((place, _)) = rules.seating.seats.iter().find_map(|seat| rules.crowded(&start, seat)) {
            let place = rules.place_text(place);
            let problem = format!("square {place} does not have room for all pieces that begin on it");
            self.report(true, "pieces.setup", problem);
        }
        let problem = "pieces of two seats begin on one square, and the square cannot hold both";
        self.report(rules.collision(&start).is_some(), "pieces.setup", problem);
    }

    /// Reports places from which the last piece of a seat never finishes.
    fn check_last_piece(&mut self, rules: &Arc<Rules>) {
        let places = LastPiece {
            rules,
            turns: Turns::new(Arc::clone(rules)),
            seat: rules.seating.seats.iter().next().unwrap_or(Seat::SOUTH),
            finishing: HashSet::new(),
        };
        let places = places.stuck();
        for (key, range) in
            [("entry.first", 0..1), ("throws.values", 1..rules.home), ("finish.bear_off", rules.home..u8::MAX)]
        {
            let places = places.iter().filter(|place| range.contains(place));
            let names = joined(places.map(|&place| rules.place_text(place)), ", ");
            let problem = format!("no throws lead the last piece of a seat from {names} to the end of its course");
            self.report(!names.is_empty(), key, problem);
        }
        let unreached = (rules.finished_from..rules.home).filter(|place| rules.reachable() >> place & 1 == 0);
        let names = joined(unreached.map(|place| rules.place_text(place)), ", ");
        let is_missed = self.sheet.finish.fill && !names.is_empty();
        self.report(is_missed, "finish.fill", format!("no throws lead to {names}, which must be filled"));
    }
}

/// The turns of a seat whose pieces have finished, except the last one. The pieces of other seats wait.
struct LastPiece<'a> {
    rules: &'a Rules,
    turns: Turns,
    seat: Seat,
    /// The places of the seat's pieces from which the last piece finishes.
    finishing: HashSet<Places>,
}

impl LastPiece<'_> {
    /// The places from which the last piece cannot finish.
    fn stuck(mut self) -> Vec<u8> {
        let rules = self.rules;
        let places = places_of(rules.reachable()).filter(|&place| place < rules.finished_from);
        let mut open: Vec<(u8, Vec<State>)> =
            places.flat_map(|place| self.positions(place).into_iter().map(move |states| (place, states))).collect();
        // A piece can also move back, so the loop needs several passes.
        loop {
            let before = open.len();
            for at in (0..before).rev() {
                let can_finish = |state: &&State| (1..=MOST_THROWS).any(|throws| self.can_finish(state, throws));
                if let Some(state) = open[at].1.iter().find(can_finish) {
                    self.finishing.insert(self.key(state));
                    open.remove(at);
                }
            }
            if open.len() == before {
                return open.into_iter().map(|(place, _)| place).collect();
            }
        }
    }

    /// The positions with the last piece on `place`, in groups. The piece must finish from one position of each group.
    fn positions(&self, place: u8) -> Vec<Vec<State>> {
        let (rules, at) = (self.rules, self.seat.index());
        let (home, pieces) = (rules.home, rules.seating.pieces);
        let mut state = State::empty(self.seat);
        rules.seating.seats.iter().for_each(|seat| state.pieces[seat.index()][..pieces].fill(rules.sent_to()));
        let end = if place < home { home } else { rules.goal };
        // If squares must be filled, the last piece fills any one of them.
        let fills = rules.sheet.finish.fill;
        let gaps = if fills { rules.finished_from..home } else { home..home + 1 };
        let mut positions = Vec::new();
        for (gap, marks) in gaps.flat_map(|gap| [(gap, 0), (gap, u8::MAX)]) {
            let filled = (rules.finished_from..home).filter(|&other| fills && other != gap);
            let others = filled.chain(std::iter::repeat(end)).take(pieces - 1);
            let mut next = state;
            next.seat_marks = marks;
            std::iter::once(place).chain(others).zip(&mut next.pieces[at]).for_each(|(place, own)| *own = place);
            sort(&mut next.pieces[at]);
            positions.push(next);
        }
        // The values for the first entry of the game, and the values for later entries.
        let is_split = rules.remembers_entry && place == 0;
        if is_split { positions.into_iter().map(|state| vec![state]).collect() } else { vec![positions] }
    }

    /// Whether one turn from this position can lead to a position of `finishing`, with at most `throws` more throws.
    fn can_finish(&self, state: &State, throws: usize) -> bool {
        if state.phase == Phase::Throw {
            let follows = |outcome: usize| {
                let mut next = *state;
                by_kind!(&self.turns, turns => turns.apply_chance(&mut next, outcome));
                self.can_finish(&next, throws - 1)
            };
            return throws > 0 && (0..self.rules.outcomes.len()).any(follows);
        }
        by_kind!(&self.turns, turns => turns.legal_actions(state)).iter().any(|action| {
            let mut next = *state;
            by_kind!(&self.turns, turns => turns.apply_action(&mut next, action));
            match next.phase {
                Phase::Choose | Phase::Allot => self.can_finish(&next, throws),
                Phase::Throw | Phase::Over => {
                    let own = &next.pieces[self.seat.index()];
                    self.rules.has_finished(own) || self.finishing.contains(&self.key(&next))
                }
            }
        })
    }

    /// The places of the last piece and, if squares must be filled, of all pieces.
    fn key(&self, state: &State) -> Places {
        let own = state.pieces[self.seat.index()];
        if self.rules.sheet.finish.fill { own } else { [own[0]; MAX_PIECES] }
    }
}
