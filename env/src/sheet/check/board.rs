//! Contradictions of a sheet that its board shows: courses, marks, gate, and where pieces begin, enter and return.

use std::collections::BTreeSet;

use super::Check;
use crate::game::{Seat, SeatSet};
use crate::race::compile::PLACES;
use crate::race::compile::board::{Courses, Square};
use crate::race::turns::text::joined;
use crate::sheet::{Area, CourseCopy, EntryAt, MarkRule, OpenedBy, Returns, Room, SentTo, Setup, Sheet, Without};

/// The courses of a sheet, of the seats that can play.
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

    /// The squares of a seat before its finish.
    fn of(&self, seat: Seat) -> &[Square] {
        self.courses.course(seat).get(..self.finish() + usize::from(self.sheet.finish.fill)).unwrap_or_default()
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

    /// The index of the square where pieces enter.
    fn entry(&self) -> usize {
        if let EntryAt::Square(number) = self.sheet.entry.at { self.index(number) } else { 0 }
    }

    /// Whether places beyond a gate are closed.
    fn is_shut(&self) -> bool {
        self.sheet.gate.at != 0 && self.sheet.gate.without != Without::Open
    }
}

impl Check<'_> {
    pub(super) fn board(&mut self) {
        let (sheet, before) = (self.sheet, self.problems.len());
        for letter in sheet.board.courses.keys() {
            let is_other = ["E", "N", "W"].contains(&letter.as_str());
            self.say(!is_other, &format!("board.courses.{letter}"), "`E`, `N` or `W`; South's is `board.course`");
        }
        if self.problems.len() > before {
            return;
        }
        let courses = match Courses::new(&sheet.board) {
            Ok(courses) => courses,
            Err((key, error)) => return self.say(true, &key, error),
        };
        let sets = sheet.seats.allowed.iter().filter_map(|letters| SeatSet::from_letters(letters).ok());
        let playing = Seat::ALL.into_iter().filter(|&seat| sets.clone().any(|set| set.contains(seat))).collect();
        let ways = Ways { sheet, courses, playing };
        self.lengths(&ways);
        if self.problems.len() > before {
            return;
        }
        self.crossings(&ways);
        self.marks(&ways);
        self.gate(&ways);
        self.entry_square(&ways);
        self.filled_squares(&ways);
        self.square_of_return(&ways);
        self.pieces(&ways);
    }

    /// Whether each seat that plays has a course, as long as South's.
    fn lengths(&mut self, ways: &Ways) {
        let (board, course) = (&self.sheet.board, ways.south());
        for letter in board.courses.keys() {
            let plays = ways.playing.iter().any(|seat| seat.letter().to_string() == *letter);
            self.say(!plays, &format!("board.courses.{letter}"), "no set of seats has this seat");
        }
        for &seat in &ways.playing {
            let (name, length) = (seat.name(), ways.courses.course(seat).len());
            let problem = match length {
                0 => format!(
                    "{name} has no course: a frame is rotated if it is square, and mirrored for South and North"
                ),
                _ => format!("{name} has {length} squares, South {}", course.len()),
            };
            let has_own = board.courses.contains_key(&seat.letter().to_string());
            self.say(length != course.len(), if has_own { "board.courses" } else { "board.copy" }, problem);
        }
        let most = PLACES - 40;
        let problem = format!("a course has 3 to {most} squares, this has {}", course.len());
        self.say(course.len() < 3 || course.len() > most, "board.course", problem);
        let is_long = self.is_sum && course.len() > 61;
        self.say(is_long, "board.course", "a series with one hop has courses of at most 61 squares");
    }

    /// How the courses cross themselves and each other.
    fn crossings(&mut self, ways: &Ways) {
        let (board, playing, finish) = (&self.sheet.board, &ways.playing, ways.finish());
        let course = |seat: &Seat| ways.courses.course(*seat);
        let is_again = |seat: &Seat| course(seat)[..finish].contains(&course(seat)[finish]);
        let problem = "the finish, which is the last square, comes before, too";
        self.say(playing.iter().any(is_again), "board.course", problem);
        let often = |seat: &Seat| {
            course(seat).iter().find(|&square| course(seat).iter().filter(|&other| other == square).count() > 2)
        };
        if let Some(square) = playing.iter().find_map(often) {
            self.say(true, "board.course", format!("{square} comes more than twice"));
        }
        let all: BTreeSet<&Square> = Seat::ALL.into_iter().flat_map(|seat| ways.of(seat)).collect();
        let is_crossed = |seat: &Seat| !self.sheet.finish.fill && all.contains(&course(seat)[finish]);
        let problem = "the finish of one seat is a square of another's way";
        self.say(playing.iter().any(is_crossed), "board.course", problem);
        let is_copied = board.courses.is_empty() && board.copy == CourseCopy::Rotate;
        if let Some((one, other)) = (!is_copied).then(|| ways.courses.uneven(playing)).flatten() {
            let problem = format!("{one} and {other} do not meet as the other seats do that are as far apart");
            self.say(true, if board.courses.is_empty() { "board.copy" } else { "board.courses" }, problem);
        }
        self.say(all.len() > 126, "board.course", format!("the courses have {} squares, 126 are the most", all.len()));
    }

    /// Squares that are named, and marks, which must be alike for all seats.
    fn marks(&mut self, ways: &Ways) {
        let (sheet, board) = (self.sheet, &self.sheet.board);
        let columns = board.columns.unwrap_or(board.side);
        let is_inside = |square: &Square| square.row < board.side && square.column < columns;
        let other_marks = board.other_marks.iter().map(|marks| ("board.other_marks", &marks.squares));
        let marked = std::iter::once(("board.marks", &board.marks)).chain(other_marks);
        let named = [("unit.from", &sheet.unit.from), ("board.middle", &board.middle)];
        for (key, names) in marked.clone().chain(named) {
            for name in names {
                let is_there = Square::named(name).filter(is_inside).is_some_and(|square| match key {
                    "board.middle" => true,
                    "unit.from" => ways.of(Seat::SOUTH).contains(&square),
                    _ => Seat::ALL.into_iter().any(|seat| ways.of(seat).contains(&square)),
                });
                let of = if key == "unit.from" { "South's course" } else { "the courses" };
                self.say(!is_there, key, format!("`{name}` is no square of {of}"));
            }
        }
        let mut seen: Vec<&String> = Vec::new();
        for (key, names) in marked {
            for name in names {
                self.say(seen.contains(&name), key, format!("{name} is marked twice"));
                seen.push(name);
            }
            let marks: BTreeSet<Square> = names.iter().filter_map(|name| Square::named(name)).collect();
            let pairs = ways.playing.iter().flat_map(|&one| ways.playing.iter().map(move |&other| (one, other)));
            let squares = pairs.flat_map(|(one, other)| ways.of(one).iter().zip(ways.of(other)));
            let unlike = squares.filter(|(mark, turned)| marks.contains(mark) && !marks.contains(turned));
            let missing: BTreeSet<Square> = unlike.map(|(_, turned)| *turned).collect();
            let (are, squares) = (if missing.len() == 1 { "is" } else { "are" }, joined(&missing, ", "));
            let problem = format!("{squares} {are} missing in {key}: marks must be the same for all seats");
            self.say(!missing.is_empty(), key, problem);
        }
    }

    /// The gate, and the inner part of the board beyond it.
    fn gate(&mut self, ways: &Ways) {
        let (sheet, gate, first) = (self.sheet, &self.sheet.gate, self.sheet.board.first_number);
        let is_off = gate.at != 0 && (gate.at <= first || gate.at > ways.last());
        let problem = format!("the gate lies on the course, within {} to {}", first + 1, ways.last());
        self.say(is_off, "gate.at", problem);
        let is_lap = gate.without == Without::Lap && gate.at != 0;
        let is_wrong = gate.lap == 0 || gate.lap > gate.at.saturating_sub(first);
        self.say(is_lap && is_wrong, "gate.lap", "a round is 1 square or more, and no longer than the way to the gate");
        self.say(gate.opened_by == OpenedBy::Team && gate.at == 0, "gate.opened_by", "there is no gate");
        let is_plain = |square: &Square| {
            let mut kinds = sheet.board.mark_kinds();
            kinds.all(|marks| marks.rule == MarkRule::Plain || !marks.squares.contains(&square.to_string()))
        };
        let parts = |&seat: &Seat| ways.of(seat).split_at(ways.index(gate.at).min(ways.finish()));
        let outer: BTreeSet<&Square> = ways.playing.iter().flat_map(|seat| parts(seat).0).collect();
        let mut inner = ways.playing.iter().flat_map(|seat| parts(seat).1);
        if let Some(both) = inner.find(|square| outer.contains(square) && is_plain(square)) {
            let problem = format!("{both} lies before a gate and beyond one");
            self.say(sheet.unit.area == Area::Inner, "unit.area", &*problem);
            self.say(sheet.stacking.inner.is_some(), "stacking.inner", problem);
        }
    }

    /// Where pieces enter or begin.
    fn entry_square(&mut self, ways: &Ways) {
        let (sheet, gate, course) = (self.sheet, self.sheet.gate.at, ways.south());
        let again = course.iter().filter(|&square| course.get(ways.entry()) == Some(square)).count() > 1;
        self.say(sheet.entry.clear && again, "entry.clear", "the course comes to the square of entry again");
        let begins = match (&sheet.pieces.setup, sheet.entry.at) {
            (Setup::On(numbers), _) if numbers.last() >= Some(&gate) => Some("pieces.setup"),
            (_, EntryAt::Square(number)) if number >= gate => Some("entry.at"),
            (_, EntryAt::COUNT) if sheet.throws.values.iter().max() >= Some(&gate) => Some("entry.at"),
            _ => None,
        };
        if let Some(key) = begins.filter(|_| ways.is_shut()) {
            self.say(true, key, "pieces begin or enter beyond their gate");
        }
        if let EntryAt::Square(number) = sheet.entry.at {
            self.say(ways.lacks(number), "entry.at", format!("{number} is no square of the course"));
        }
    }

    /// The last squares of the course, where they are to be filled.
    fn filled_squares(&mut self, ways: &Ways) {
        if !self.sheet.finish.fill {
            return;
        }
        let first = (ways.finish() + 1).saturating_sub(usize::from(self.most_pieces()));
        let is_met = |&seat: &Seat| {
            let last = &ways.courses.course(seat)[first..];
            ways.playing.iter().any(|&other| other != seat && ways.of(other).iter().any(|square| last.contains(square)))
        };
        self.say(ways.playing.iter().any(is_met), "finish.fill", "another seat comes to the squares that are filled");
        let begins = match &self.sheet.pieces.setup {
            Setup::On(numbers) => numbers.last().map_or(0, |&number| ways.index(number)),
            Setup::All(_) => 0,
        };
        let is_short = first <= ways.entry().max(begins);
        self.say(is_short, "finish.fill", "pieces begin or enter on the squares that are filled");
    }

    /// The square to which captured pieces return.
    fn square_of_return(&mut self, ways: &Ways) {
        let sheet = self.sheet;
        let Returns::Square(number) = sheet.pieces.sent_to else { return };
        let at = usize::from(number.wrapping_sub(sheet.board.first_number));
        let is_marked =
            |square: &Square| sheet.board.mark_kinds().any(|marks| marks.squares.contains(&square.to_string()));
        let room = sheet.stacking.private.unwrap_or(sheet.stacking.plain);
        let is_other = |&seat: &Seat| seat != Seat::SOUTH && ways.of(seat).contains(&ways.south()[at]);
        let problem = match () {
            () if ways.lacks(number) => "this is no square of the course",
            () if ways.is_shut() && number >= sheet.gate.at => "captured pieces return beyond their gate",
            () if sheet.finish.fill => "this goes with a finish",
            () if ways.playing.iter().any(is_other) => "another seat comes to this square",
            () if is_marked(&ways.south()[at]) => "captured pieces return to a square without a mark",
            () if room != Room::Any => "this square has no room for all pieces",
            () => return,
        };
        self.say(true, "pieces.sent_to", problem);
    }

    /// The numbers of pieces, and where they begin.
    fn pieces(&mut self, ways: &Ways) {
        let (sheet, pieces, last) = (self.sheet, &self.sheet.pieces, ways.last());
        let (count, allowed) = (pieces.count, &pieces.allowed);
        let those = if *allowed == [1, 2, 3, 4] { "by default 1 to 4".to_owned() } else { joined(allowed, ", ") };
        let problem = format!("pieces.count is {count}, but pieces.allowed ({those}) does not contain {count}");
        self.say(!allowed.contains(&count), "pieces.allowed", problem);
        if let Setup::On(numbers) = &pieces.setup {
            let most = usize::from(self.most_pieces());
            let problem = format!("{} squares for up to {most} pieces", numbers.len());
            self.say(numbers.len() < most, "pieces.setup", problem);
            self.say(!numbers.is_sorted(), "pieces.setup", "the squares ascend");
            for number in numbers.iter().filter(|&&number| number < sheet.board.first_number || number > last) {
                self.say(true, "pieces.setup", format!("{number} is no square of the course"));
            }
        }
        let begins = pieces.setup == Setup::All(SentTo::Start);
        let is_on_start = begins || pieces.sent_to == Returns::START;
        self.say_all([
            (
                sheet.entry.at == EntryAt::COUNT && (pieces.sent_to == Returns::START || begins && !self.is_throw),
                "entry.at",
                "pieces that wait on the first square do not enter by count",
            ),
            (self.is_sum && is_on_start, "pieces", "in a series with one hop pieces begin and wait off the board"),
        ]);
    }
}
