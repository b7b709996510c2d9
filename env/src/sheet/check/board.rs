//! Validation of the board of a sheet: courses, marks, the gate, and the squares where pieces
//! begin, enter and return.

use std::collections::BTreeSet;

use super::{Check, keys::hops_by_sum};
use crate::{
    game::{Seat, SeatSet},
    race::{
        compile::{
            PLACES,
            board::{Courses, Square},
        },
        turns::text::joined,
    },
    sheet::{Area, EntryAt, MarkRule, Returns, Room, Setup, Sheet, Without},
};

/// The courses of a sheet, and the seats that can play.
struct Ways<'a> {
    sheet: &'a Sheet,
    courses: Courses,
    playing: Vec<Seat>,
}

impl Ways<'_> {
    fn south(&self) -> &[Square] {
        self.courses.course(Seat::SOUTH)
    }

    /// The index of the last square of a course.
    fn finish(&self) -> usize {
        self.south().len() - 1
    }

    /// The squares of a seat before its finish; all its squares if there is no finish.
    fn of(&self, seat: Seat) -> &[Square] {
        self.courses
            .course(seat)
            .get(..self.finish() + usize::from(self.sheet.finish.fill))
            .unwrap_or_default()
    }

    /// The index of the square with this number.
    fn index(&self, number: u8) -> usize {
        usize::from(number.saturating_sub(self.sheet.board.first_number))
    }

    /// The number of the last square before the finish.
    fn last(&self) -> u8 {
        self.finish() as u8 - 1 + self.sheet.board.first_number + u8::from(self.sheet.finish.fill)
    }

    /// Whether no square before the finish has this number.
    fn lacks(&self, number: u8) -> bool {
        number < self.sheet.board.first_number || number > self.last()
    }

    /// The message for a number that [`Ways::lacks`] rejects.
    fn allowed_numbers(&self) -> String {
        format!(
            "a number of a square must be between {} and {}",
            self.sheet.board.first_number,
            self.last()
        )
    }

    /// The index of the square where pieces enter.
    fn entry(&self) -> usize {
        if let EntryAt::Square(number) = self.sheet.entry.at {
            self.index(number)
        } else {
            0
        }
    }

    /// Whether a seat without a capture cannot go beyond the gate.
    fn is_shut(&self) -> bool {
        self.sheet.gate.at != 0 && self.sheet.gate.without != Without::Open
    }
}

impl Check<'_> {
    pub fn check_board(&mut self) {
        let (sheet, before) = (self.sheet, self.problems.len());
        let sets = sheet
            .seats
            .allowed
            .iter()
            .filter_map(|letters| SeatSet::from_letters(letters).ok());
        let playing = Seat::ALL
            .into_iter()
            .filter(|&seat| sets.clone().any(|set| set.contains(seat)));
        let courses = match Courses::new(&sheet.board) {
            Ok(courses) => courses,
            Err(error) => return self.report(true, "board.course", error),
        };
        let ways = Ways {
            sheet,
            courses,
            playing: playing.collect(),
        };
        self.check_lengths(&ways);
        if self.problems.len() > before {
            return;
        }
        self.check_crossings(&ways);
        self.check_marks(&ways);
        self.check_gate(&ways);
        self.check_entry_square(&ways);
        self.check_filled_squares(&ways);
        self.check_sent_to(&ways);
        self.check_pieces(&ways);
    }

    /// Checks that each seat that plays has a course, and the length of the courses.
    fn check_lengths(&mut self, ways: &Ways) {
        let course = ways.south();
        for &seat in &ways.playing {
            let name = seat.name();
            let problem = format!(
                "{name} has no course: \"rotate\" needs a square frame, and \"mirror\" only gives North a course"
            );
            self.report(ways.courses.course(seat).is_empty(), "board.copy", problem);
        }
        let most = PLACES - 40;
        let problem = format!(
            "the course must have 3 to {most} squares, not {}",
            course.len()
        );
        self.report(
            course.len() < 3 || course.len() > most,
            "board.course",
            problem,
        );
        let is_long = hops_by_sum(self.sheet) && course.len() > 61;
        self.report(
            is_long,
            "board.course",
            "the course must have at most 61 squares with turn.hop = \"sum\"",
        );
    }

    /// Checks how the courses cross themselves and each other.
    fn check_crossings(&mut self, ways: &Ways) {
        let (playing, finish) = (&ways.playing, ways.finish());
        let course = |seat: &Seat| ways.courses.course(*seat);
        let is_again = |seat: &Seat| course(seat)[..finish].contains(&course(seat)[finish]);
        let problem = "the last square is the finish: a course must not visit it before";
        self.report(playing.iter().any(is_again), "board.course", problem);
        let often = |seat: &Seat| {
            course(seat)
                .iter()
                .find(|&square| course(seat).iter().filter(|&other| other == square).count() > 2)
        };
        if let Some(square) = playing.iter().find_map(often) {
            self.report(
                true,
                "board.course",
                format!("a course visits {square} more than twice"),
            );
        }
        let all: BTreeSet<&Square> = Seat::ALL
            .into_iter()
            .flat_map(|seat| ways.of(seat))
            .collect();
        let is_crossed =
            |seat: &Seat| !self.sheet.finish.fill && all.contains(&course(seat)[finish]);
        let problem = "the finish of one seat must not be on the course of another seat";
        self.report(playing.iter().any(is_crossed), "board.course", problem);
        self.report(
            all.len() > 126,
            "board.course",
            format!(
                "all courses together can have at most 126 squares, not {}",
                all.len()
            ),
        );
    }

    /// Checks the names of squares, and that marks have the same numbers for all seats.
    fn check_marks(&mut self, ways: &Ways) {
        let (sheet, board) = (self.sheet, &self.sheet.board);
        let columns = board.columns.unwrap_or(board.side);
        let is_inside = |square: &Square| square.row < board.side && square.column < columns;
        let other_marks = board
            .other_marks
            .iter()
            .map(|marks| ("board.other_marks", &marks.squares));
        let marked = std::iter::once(("board.marks", &board.marks)).chain(other_marks);
        let named = [
            ("unit.from", &sheet.unit.from),
            ("board.middle", &board.middle),
        ];
        for (key, names) in marked.clone().chain(named) {
            for name in names {
                let is_there =
                    Square::named(name)
                        .filter(is_inside)
                        .is_some_and(|square| match key {
                            "board.middle" => true,
                            "unit.from" => ways.of(Seat::SOUTH).contains(&square),
                            _ => Seat::ALL
                                .into_iter()
                                .any(|seat| ways.of(seat).contains(&square)),
                        });
                let of = match key {
                    "board.middle" => "in the frame",
                    "unit.from" => "on South's course",
                    _ => "on a course",
                };
                self.report(!is_there, key, format!("`{name}` is not a square {of}"));
            }
        }
        let mut before: Vec<&String> = Vec::new();
        for (key, names) in marked {
            for name in names {
                self.report(
                    before.contains(&name),
                    key,
                    format!("{name} is marked twice"),
                );
                before.push(name);
            }
            let marks: BTreeSet<Square> = names
                .iter()
                .filter_map(|name| Square::named(name))
                .collect();
            let squares = ways
                .playing
                .iter()
                .flat_map(|&one| ways.playing.iter().map(move |&other| (one, other)))
                .flat_map(|(one, other)| ways.of(one).iter().zip(ways.of(other)));
            let unlike =
                squares.filter(|(mark, turned)| marks.contains(mark) && !marks.contains(turned));
            let missing: BTreeSet<Square> = unlike.map(|(_, turned)| *turned).collect();
            let problem = format!(
                "marked squares must have the same numbers on the courses of all seats: add {}",
                joined(&missing, ", ")
            );
            self.report(!missing.is_empty(), key, problem);
        }
    }

    /// Checks the gate, and the inner part of the board beyond the gate.
    fn check_gate(&mut self, ways: &Ways) {
        let (sheet, gate, first) = (self.sheet, &self.sheet.gate, self.sheet.board.first_number);
        let is_off = gate.at != 0 && (gate.at <= first || gate.at > ways.last());
        let problem = format!("must be between {} and {}", first + 1, ways.last());
        self.report(is_off, "gate.at", problem);
        let is_lap = gate.without == Without::Lap && gate.at != 0;
        let is_wrong = gate.lap == 0 || gate.lap > gate.at.saturating_sub(first);
        let problem = format!(
            "must be between 1 and {}, the squares before the gate",
            gate.at.saturating_sub(first)
        );
        self.report(is_lap && is_wrong, "gate.lap", problem);
        let is_plain = |square: &Square| {
            let mut kinds = sheet.board.mark_kinds();
            kinds.all(|marks| {
                marks.rule == MarkRule::Plain || !marks.squares.contains(&square.to_string())
            })
        };
        let parts = |&seat: &Seat| {
            ways.of(seat)
                .split_at(ways.index(gate.at).min(ways.finish()))
        };
        let outer: BTreeSet<&Square> = ways.playing.iter().flat_map(|seat| parts(seat).0).collect();
        let mut inner = ways.playing.iter().flat_map(|seat| parts(seat).1);
        if let Some(both) = inner.find(|square| outer.contains(square) && is_plain(square)) {
            let problem =
                format!("{both} is before the gate of one seat and beyond the gate of another");
            self.report(sheet.unit.area == Area::Inner, "unit.area", &*problem);
            self.report(sheet.stacking.inner.is_some(), "stacking.inner", problem);
        }
    }

    /// Checks the squares where pieces enter or begin.
    fn check_entry_square(&mut self, ways: &Ways) {
        let (sheet, gate, course) = (self.sheet, self.sheet.gate.at, ways.south());
        let again = course
            .iter()
            .filter(|&square| course.get(ways.entry()) == Some(square))
            .count()
            > 1;
        self.report(
            sheet.entry.clear && again,
            "entry.clear",
            "must be false: the course visits the square of entry twice",
        );
        let begins = match (&sheet.pieces.setup, sheet.entry.at) {
            (Setup::On(numbers), _) if numbers.last() >= Some(&gate) => Some("pieces.setup"),
            (_, EntryAt::Square(number)) if number >= gate => Some("entry.at"),
            (_, EntryAt::COUNT) if sheet.throws.values.iter().max() >= Some(&gate) => {
                Some("entry.at")
            }
            _ => None,
        };
        if let Some(key) = begins.filter(|_| ways.is_shut()) {
            self.report(
                true,
                key,
                format!(
                    "pieces must begin and enter before their gate, which has the number {gate}"
                ),
            );
        }
        if let EntryAt::Square(number) = sheet.entry.at {
            self.report(ways.lacks(number), "entry.at", ways.allowed_numbers());
        }
    }

    /// Checks the last squares of the course if they must be filled.
    fn check_filled_squares(&mut self, ways: &Ways) {
        if !self.sheet.finish.fill {
            return;
        }
        let first = (ways.finish() + 1).saturating_sub(usize::from(self.sheet.most_pieces()));
        let is_met = |&seat: &Seat| {
            let last = &ways.courses.course(seat)[first..];
            ways.playing.iter().any(|&other| {
                other != seat && ways.of(other).iter().any(|square| last.contains(square))
            })
        };
        self.report(
            ways.playing.iter().any(is_met),
            "finish.fill",
            "no other seat may come to the squares that must be filled",
        );
        let begins = match &self.sheet.pieces.setup {
            Setup::On(numbers) => numbers.last().map_or(0, |&number| ways.index(number)),
            Setup::All(_) => 0,
        };
        let is_short = first <= ways.entry().max(begins);
        self.report(
            is_short,
            "finish.fill",
            "pieces must begin and enter before the squares that must be filled",
        );
    }

    /// Checks the square to which captured pieces return.
    fn check_sent_to(&mut self, ways: &Ways) {
        let sheet = self.sheet;
        let Returns::Square(number) = sheet.pieces.sent_to else {
            return;
        };
        let at = usize::from(number.wrapping_sub(sheet.board.first_number));
        let is_marked = |square: &Square| {
            sheet
                .board
                .mark_kinds()
                .any(|marks| marks.squares.contains(&square.to_string()))
        };
        let room = sheet.stacking.private.unwrap_or(sheet.stacking.plain);
        let is_other =
            |&seat: &Seat| seat != Seat::SOUTH && ways.of(seat).contains(&ways.south()[at]);
        let problem = match () {
            () if ways.lacks(number) => {
                return self.report(true, "pieces.sent_to", ways.allowed_numbers());
            }
            () if ways.is_shut() && number >= sheet.gate.at => "must be a square before the gate",
            () if sheet.finish.fill => "must be \"off\" or \"start\" if finish.fill is true",
            () if ways.playing.iter().any(is_other) => {
                "must be a square to which no other seat comes"
            }
            () if is_marked(&ways.south()[at]) => "must be a square without a mark",
            () if room != Room::Any => {
                "must be a square with room for any number of pieces: see stacking.private"
            }
            () => return,
        };
        self.report(true, "pieces.sent_to", problem);
    }

    /// Checks the numbers of pieces, and the squares where they begin.
    fn check_pieces(&mut self, ways: &Ways) {
        let (sheet, pieces) = (self.sheet, &self.sheet.pieces);
        let (count, allowed) = (pieces.count, &pieces.allowed);
        let problem = format!("must contain pieces.count, which is {count}");
        self.report(!allowed.contains(&count), "pieces.allowed", problem);
        if let Setup::On(numbers) = &pieces.setup {
            let most = usize::from(sheet.most_pieces());
            let problem = format!("must have at least {most} numbers, one for each piece");
            self.report(numbers.len() < most, "pieces.setup", problem);
            self.report(
                !numbers.is_sorted(),
                "pieces.setup",
                "must be in ascending order",
            );
            let is_wrong = numbers.iter().any(|&number| ways.lacks(number));
            self.report(is_wrong, "pieces.setup", ways.allowed_numbers());
        }
    }
}
