//! Validation of a sheet that parses: values that contradict each other.

use std::sync::Arc;

use super::values::MAX_PIECES;
use super::{
    Area, Divide, End, EntryAt, Flag, Hop, LostBefore, MarkRule, Meeting, Must, NamedOdds, Odds, OpenedBy, Room,
    SentTo, Setup, Sheet, Speed, Teams, TurnKind, UnitKind, Values, Without,
};
use crate::game::SeatSet;
use crate::race::compile::PLACES;
use crate::race::compile::board::{Courses, Square};
use crate::race::turns;

/// A dotted key and its problem.
pub(super) type Problem = (String, String);

/// The problems of a sheet and of each of its house rules.
pub(super) fn all(sheet: &Sheet) -> Vec<Problem> {
    let mut problems = one(sheet);
    let has_problems = !problems.is_empty();
    for (name, flag) in &sheet.flags {
        let key = format!("flags.{name}");
        if name == "pieces" {
            problems.push((
                key.clone(),
                "the number of pieces is asked for in every game; `pieces.allowed` says which".to_owned(),
            ));
        }
        if !is_word(name) {
            problems.push((key.clone(), "a flag is written with small letters, digits and `_`".to_owned()));
        }
        problems.extend(flag_values(sheet, &key, flag, has_problems));
    }
    problems
}

fn flag_values(sheet: &Sheet, key: &str, flag: &Flag, has_problems: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    if flag.values.len() < 2 {
        problems.push((key.to_owned(), "a flag has two values or more".to_owned()));
    }
    for (at, (name, value)) in flag.values.iter().enumerate() {
        let key = format!("{key}.{name}");
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            problems.push((key.clone(), "a value is written with letters, digits and `_`".to_owned()));
        }
        if at == 0 && !value.changes.is_empty() {
            problems.push((
                key.clone(),
                "the first value is the game as the sheet gives it and changes nothing".to_owned(),
            ));
        }
        for part in ["name", "title", "flags"] {
            if value.changes.contains_key(part) {
                problems.push((format!("{key}.{part}"), "no flag changes this".to_owned()));
            }
        }
        match sheet.changed([&value.changes]) {
            Err(error) => problems.push((key, error)),
            Ok(_) if has_problems => {}
            Ok(changed) => {
                problems.extend(
                    one(&changed).into_iter().map(|(at, problem)| (key.clone(), format!("then {at}: {problem}"))),
                );
            }
        }
    }
    problems
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The problems of a sheet without house rules.
pub(crate) fn one(sheet: &Sheet) -> Vec<Problem> {
    let mut check = Check { sheet, problems: Vec::new() };
    check.names();
    check.seats();
    check.throws();
    check.turn();
    check.entry();
    check.units();
    if check.board() {
        check.ends();
    }
    check.problems
}

struct Check<'a> {
    sheet: &'a Sheet,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn say(&mut self, is_wrong: bool, key: &str, message: impl Into<String>) {
        if is_wrong {
            self.problems.push((key.to_owned(), message.into()));
        }
    }

    fn names(&mut self) {
        let sheet = self.sheet;
        let is_name = |name: &str| {
            let is_part =
                |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            name.split('-').all(is_part) && name.starts_with(|c: char| c.is_ascii_lowercase())
        };
        self.say(!is_name(&sheet.name), "name", "a name is small letters and digits, with single hyphens between");
        self.say(sheet.title.trim().is_empty(), "title", "a game has a title");
        let words = &sheet.words;
        let written = [("words.off", &words.off), ("words.home", &words.home), ("words.borne", &words.borne)];
        for (at, (key, word)) in written.iter().enumerate() {
            let is_letters = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
            self.say(!is_letters, key, "a word of the notation is small letters");
            let is_twice = written[..at].iter().any(|(_, other)| other == word);
            self.say(is_twice, key, "this word has two meanings");
        }
    }

    fn seats(&mut self) {
        let seats = &self.sheet.seats;
        self.say(seats.allowed.is_empty(), "seats.allowed", "no seats can play");
        self.say(seats.turn_limit == 0, "seats.turn_limit", "a game has turns");
        for letters in &seats.allowed {
            match SeatSet::from_letters(letters) {
                Err(error) => self.say(true, "seats.allowed", error.to_string()),
                Ok(set) => {
                    let written = format!("{set:?}");
                    self.say(written != *letters, "seats.allowed", format!("`{letters}` is written `{written}`"));
                    self.say(set.len() < 2, "seats.allowed", format!("`{letters}` is not two to four seats"));
                    let has_four = set.len() == 4;
                    self.say(
                        !has_four && seats.teams == Teams::Opposite,
                        "seats.allowed",
                        "teams are four seats: `SENW`",
                    );
                }
            }
        }
        let has_teams = seats.teams == Teams::Opposite;
        let is_dice = self.sheet.turn.kind == TurnKind::Dice;
        self.say(has_teams && !is_dice, "seats.teams", "teams play with turn.kind = \"dice\" only");
        self.say(
            seats.end == End::Placings && !is_dice,
            "seats.end",
            "placings are played with turn.kind = \"dice\" only",
        );
    }

    fn throws(&mut self) {
        let throws = &self.sheet.throws;
        let mut values = throws.values.clone();
        values.sort_unstable();
        self.say(values.len() < 2 || values.len() > 16, "throws.values", "a throw has 2 to 16 values");
        self.say(values.windows(2).any(|pair| pair[0] == pair[1]), "throws.values", "a value comes twice");
        self.say(values.last().is_some_and(|&value| value > 30), "throws.values", "a value is at most 30");
        match &throws.odds {
            Odds::Weights(weights) => {
                let has_all = weights.len() == values.len();
                self.say(!has_all, "throws.odds", format!("{} weights for {} values", weights.len(), values.len()));
                let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
                self.say(sum == 0 || sum > 60_000, "throws.odds", "the weights sum to 1 to 60000");
            }
            Odds::Named(NamedOdds::Cowries | NamedOdds::Equal) => {}
        }
        let two = matches!(self.sheet.turn.kind, TurnKind::Dice | TurnKind::Divide);
        let expected = if two { 2 } else { 1 };
        self.say(throws.dice != expected, "throws.dice", format!("a turn of this kind has {expected}"));
        let is_divided = self.sheet.turn.kind == TurnKind::Divide;
        self.say(
            is_divided && values.last().is_some_and(|&value| value > 15),
            "throws.values",
            "a die of a divided total shows at most 15",
        );
        self.say(two && values.first() == Some(&0), "throws.values", "a die of two has no 0");
    }

    fn turn(&mut self) {
        let (sheet, turn) = (self.sheet, &self.sheet.turn);
        let kind = turn.kind;
        let thrown = |value: &u8| sheet.throws.values.contains(value);
        for (key, values) in [
            ("turn.stop", &turn.stop),
            ("turn.again", &turn.again),
            ("finish.bear_off", &sheet.finish.bear_off),
            ("finish.doublets", &sheet.finish.doublets),
        ] {
            for value in values.iter().filter(|value| !thrown(value)) {
                self.say(true, key, format!("{value} is never thrown"));
            }
        }
        let only = |kinds: &[TurnKind]| !kinds.contains(&kind);
        let (throw, series) = (TurnKind::Throw, TurnKind::Series);
        let pairs = [TurnKind::Dice, TurnKind::Divide];
        self.say(only(&[series]) && !turn.stop.is_empty(), "turn.stop", "only a series stops");
        self.say(kind == series && turn.stop.is_empty(), "turn.stop", "a series ends with some value");
        let going_on = sheet.throws.values.iter().filter(|value| !turn.stop.contains(value)).count();
        let most = super::values::MAX_KINDS;
        self.say(
            kind == series && going_on > most,
            "turn.stop",
            format!("a series goes on after {most} values at most, here after {going_on}"),
        );
        self.say(only(&[series]) && turn.hop == Hop::Each, "turn.hop", "only a series has several throws");
        self.say(only(&[throw]) && !turn.again.is_empty(), "turn.again", "this goes with turn.kind = \"throw\"");
        self.say(only(&pairs) && turn.again_on_doublet, "turn.again_on_doublet", "one die has no doublets");
        self.say(
            kind == TurnKind::Dice && (turn.again_on_doublet || turn.again_on_capture),
            "turn.kind",
            "two dice grant no further roll",
        );
        self.say(
            only(&[throw]) && turn.most_throws.is_some(),
            "turn.most_throws",
            "this goes with turn.kind = \"throw\"",
        );
        self.say(turn.most_throws.is_some_and(|most| most == 0 || most > 9), "turn.most_throws", "1 to 9");
        self.say(only(&[throw]) && turn.divide != Divide::None, "turn.divide", "this goes with turn.kind = \"throw\"");
        let musts: &[Must] = match kind {
            TurnKind::Throw => &[Must::One, Must::NoMerge, Must::Optional],
            TurnKind::Series if turn.hop == Hop::Each => &[Must::Most, Must::Optional],
            TurnKind::Series => &[Must::Most, Must::Greedy, Must::Optional],
            TurnKind::Dice => &[Must::Most, Must::Optional],
            TurnKind::Divide => &[Must::Most],
        };
        self.say(!musts.contains(&turn.must), "turn.must", format!("a turn of this kind has one of {musts:?}"));
        let bears = !sheet.finish.bear_off.is_empty();
        self.say(only(&[series]) && bears, "finish.bear_off", "this goes with turn.kind = \"series\"");
        self.say(
            kind != TurnKind::Divide && !sheet.finish.doublets.is_empty(),
            "finish.doublets",
            "this goes with turn.kind = \"divide\"",
        );
    }

    fn entry(&mut self) {
        let (sheet, entry) = (self.sheet, &self.sheet.entry);
        let kind = sheet.turn.kind;
        for (key, values) in [("entry.first", &entry.first), ("entry.next", &entry.next)] {
            if let Values::These(values) = values {
                self.say(values.is_empty(), key, "no throw enters");
                for value in values.iter().filter(|value| !sheet.throws.values.contains(value)) {
                    self.say(true, key, format!("{value} is never thrown"));
                }
            }
        }
        let has_two_dice = kind == TurnKind::Dice;
        self.say(
            has_two_dice != entry.compulsory,
            "entry.compulsory",
            "pieces that wait come first with two dice, and only there",
        );
        self.say(has_two_dice && entry.at != EntryAt::Count, "entry.at", "with two dice a piece enters by count");
        self.say(!entry.spends && kind != TurnKind::Throw, "entry.spends", "this goes with turn.kind = \"throw\"");
        self.say(
            !entry.spends && entry.at == EntryAt::Count,
            "entry.spends",
            "a piece that enters by count uses the throw",
        );
        self.say(
            !entry.spends && sheet.turn.must != Must::Optional,
            "entry.spends",
            "each part may be left: turn.must is \"optional\"",
        );
        let is_sum = kind == TurnKind::Series && sheet.turn.hop == Hop::Sum;
        self.say(is_sum && entry.at == EntryAt::Count, "entry.at", "a series with one hop enters on the first square");
        self.say(is_sum && entry.first != entry.next, "entry.next", "a series enters by the same throws at any time");
        self.say(
            kind != TurnKind::Series && entry.lost_before != LostBefore::Never,
            "entry.lost_before",
            "only a series has throws before",
        );
    }

    fn units(&mut self) {
        let (sheet, unit) = (self.sheet, &self.sheet.unit);
        let kind = sheet.turn.kind;
        let is_declared = unit.kind == UnitKind::Declared;
        self.say(is_declared && unit.from.is_empty(), "unit.from", "declared units leave some square together");
        self.say(
            is_declared && kind != TurnKind::Series,
            "unit.kind",
            "units are declared with turn.kind = \"series\" only",
        );
        let is_none = unit.kind == UnitKind::None;
        self.say(is_declared && unit.area != Area::Any, "unit.area", "declared units stay units wherever they are");
        self.say(unit.area == Area::Inner && sheet.gate.at == 0, "unit.area", "without a gate there is no inner part");
        self.say(
            sheet.stacking.inner.is_some() && sheet.gate.at == 0,
            "stacking.inner",
            "without a gate there is no inner part",
        );
        self.say(sheet.capture.unit_on_single == Meeting::Barred, "capture.unit_on_single", "`takes` or `shares`");
        self.say(
            !unit.passable && kind != TurnKind::Throw,
            "unit.passable",
            "units are passed but where turn.kind = \"throw\"",
        );
        self.say(
            !unit.passable && sheet.board.mark_rule != MarkRule::Closed,
            "unit.passable",
            "units that cannot be passed go with board.mark_rule = \"closed\"",
        );
        self.say(sheet.stacking.marked == Room::Two, "stacking.marked", "`one` or `any`");
        self.say(kind == TurnKind::Divide && !is_none, "unit.kind", "a total is divided between single pieces");
        let is_sum = kind == TurnKind::Series && sheet.turn.hop == Hop::Sum;
        let is_crowded = sheet.stacking != super::Stacking::default() || sheet.board.mark_rule == MarkRule::Closed;
        let is_one = |values: &Values| *values == Values::These(vec![1]);
        self.say(is_sum && !is_one(&sheet.entry.first), "entry.first", "a series with one hop enters with [1]");
        let smallest = sheet.throws.values.iter().filter(|value| !sheet.turn.stop.contains(value)).min();
        self.say(
            is_sum && smallest != Some(&1),
            "turn.stop",
            "a series with one hop goes on after 1, and after no smaller value",
        );
        self.say(
            is_sum && sheet.finish.bear_off.iter().any(|&value| value != 1),
            "finish.bear_off",
            "a series bears off with 1",
        );
        self.say(
            kind == TurnKind::Series && sheet.turn.stop.len() > 3,
            "turn.stop",
            "a series ends with three values at most",
        );
        let is_dice = kind == TurnKind::Dice;
        let is_usual =
            unit.kind == UnitKind::Together && unit.area == Area::Any && unit.speed == Speed::Full && unit.split;
        self.say(is_dice && !is_usual, "unit", "with two dice two pieces are units anywhere, which can split");
        let is_roomy = sheet.stacking.plain == Room::Two
            && sheet.stacking.private.unwrap_or(Room::Two) == Room::Any
            && sheet.stacking.inner.is_none();
        self.say(
            is_dice && !is_roomy,
            "stacking",
            "with two dice plain squares have room for two, private ones for any number",
        );
        self.say(
            is_dice && sheet.capture != super::Capture { single_on_unit: Meeting::Barred, ..Default::default() },
            "capture",
            "with two dice only units take units, and squares are never shared",
        );
        self.say(
            is_dice
                && !sheet.board.marks.is_empty()
                && (sheet.board.mark_rule != MarkRule::Share || sheet.stacking.marked != Room::Any),
            "board.mark_rule",
            "with two dice marked squares are shared by any number",
        );
        self.say(
            is_sum && is_crowded,
            "stacking",
            "a series with one hop lands on any square: any number of own pieces, no closed marks",
        );
        self.say(
            is_sum && sheet.capture.single_on_unit == Meeting::Barred,
            "capture.single_on_unit",
            "a series with one hop lands on any square: `takes` or `shares`",
        );
        self.say(is_sum && sheet.gate.at != 0, "gate.at", "a series with one hop has no gate");
        self.say(kind == TurnKind::Divide && sheet.gate.at != 0, "gate.at", "a divided total has no gate");
    }

    /// Whether the board can be laid out.
    fn board(&mut self) -> bool {
        let (sheet, board) = (self.sheet, &self.sheet.board);
        let before = self.problems.len();
        self.say(board.side == 0 || board.side > 26, "board.side", "1 to 26 rows");
        self.say(board.first_number > 1, "board.first_number", "0 or 1");
        if self.problems.len() > before {
            return false;
        }
        let course = match Courses::new(board) {
            Ok(laid_out) => laid_out.course(crate::game::Seat::SOUTH).to_vec(),
            Err(error) => {
                self.say(true, "board.course", error);
                return false;
            }
        };
        let most = PLACES - 40;
        self.say(
            course.len() < 3 || course.len() > most,
            "board.course",
            format!("a course has 3 to {most} squares, this has {}", course.len()),
        );
        let is_sum = sheet.turn.kind == TurnKind::Series && sheet.turn.hop == Hop::Sum;
        self.say(
            is_sum && course.len() > 61,
            "board.course",
            "a series with one hop has courses of at most 61 squares",
        );
        let (finish, way) = (course[course.len() - 1], &course[..course.len() - 1]);
        self.say(way.contains(&finish), "board.course", "the finish, which is the last square, comes before, too");
        let mut all: Vec<Square> =
            (0..4).flat_map(|quarters| way.iter().map(move |square| square.rotated(board.side, quarters))).collect();
        all.sort_unstable();
        all.dedup();
        self.say(all.contains(&finish), "board.course", "the finish of one seat is a square of another's way");
        self.say(all.len() > 126, "board.course", format!("the courses have {} squares, 126 are the most", all.len()));
        for (key, names) in
            [("board.marks", &board.marks), ("unit.from", &sheet.unit.from), ("board.middle", &board.middle)]
        {
            for name in names {
                let square = Square::named(name).filter(|square| square.row < board.side && square.column < board.side);
                let is_there = square.is_some_and(|square| key == "board.middle" || all.contains(&square));
                self.say(!is_there, key, format!("`{name}` is no square of the courses"));
            }
        }
        let is_inside = |square: &Square| square.row < board.side && square.column < board.side;
        let marks = board.marks.iter().filter_map(|name| Square::named(name));
        let marks: Vec<Square> = marks.filter(is_inside).collect();
        for mark in &marks {
            let turned = mark.rotated(board.side, 1);
            self.say(
                !marks.contains(&turned),
                "board.marks",
                format!("{mark} is marked, but {turned} is not, where another seat has it"),
            );
        }
        let last = course.len() as u8 - 2 + board.first_number;
        let gate = &sheet.gate;
        self.say(
            gate.at != 0 && (gate.at <= board.first_number || gate.at > last),
            "gate.at",
            format!("the gate lies on the course, within {} to {last}", board.first_number + 1),
        );
        let is_lap = gate.without == Without::Lap && gate.at != 0;
        self.say(
            is_lap && (gate.lap == 0 || gate.lap + board.first_number > gate.at),
            "gate.lap",
            "a round is 1 square or more, and no longer than the way to the gate",
        );
        self.say(gate.opened_by == OpenedBy::Team && gate.at == 0, "gate.opened_by", "there is no gate");
        self.pieces(last);
        self.problems.len() == before
    }

    fn pieces(&mut self, last: u8) {
        let (sheet, pieces) = (self.sheet, &self.sheet.pieces);
        let range = 1..=MAX_PIECES as u8;
        self.say(!range.contains(&pieces.count), "pieces.count", format!("1 to {MAX_PIECES} pieces"));
        self.say(
            !pieces.allowed.contains(&pieces.count),
            "pieces.allowed",
            format!("{} pieces are not among them", pieces.count),
        );
        self.say(
            pieces.allowed.iter().any(|count| !range.contains(count)),
            "pieces.allowed",
            format!("1 to {MAX_PIECES} pieces"),
        );
        if let Setup::On(numbers) = &pieces.setup {
            let most = usize::from(pieces.allowed.iter().copied().max().unwrap_or(0).max(pieces.count));
            self.say(
                numbers.len() < most,
                "pieces.setup",
                format!("{} squares for up to {most} pieces", numbers.len()),
            );
            self.say(!numbers.is_sorted(), "pieces.setup", "the squares ascend");
            for number in numbers.iter().filter(|&&number| number < sheet.board.first_number || number > last) {
                self.say(true, "pieces.setup", format!("{number} is no square of the course"));
            }
        }
        let begins = pieces.setup == Setup::All(SentTo::Start);
        let is_start_twice = sheet.entry.at == EntryAt::Count && (begins || pieces.sent_to == SentTo::Start);
        self.say(is_start_twice, "entry.at", "pieces that wait on the first square do not enter by count");
        let waits = matches!(sheet.turn.kind, TurnKind::Series)
            && sheet.turn.hop == Hop::Sum
            && (begins || pieces.sent_to == SentTo::Start);
        self.say(waits, "pieces", "in a series with one hop pieces begin and wait off the board");
    }

    /// Games that cannot end: squares from which nothing leads to the finish.
    fn ends(&mut self) {
        if !self.problems.is_empty() {
            return;
        }
        let pieces = usize::from(self.sheet.pieces.count);
        match turns::compile(Arc::new(self.sheet.clone()), pieces) {
            Err(error) => self.say(true, "board.course", error),
            Ok(rules) => {
                let stranded = rules.stranded();
                if stranded != 0 {
                    let numbers = (1..rules.home).filter(|place| stranded >> place & 1 == 1);
                    let numbers: Vec<String> =
                        numbers.map(|place| (place - 1 + self.sheet.board.first_number).to_string()).collect();
                    self.say(
                        true,
                        "throws.values",
                        format!("no throws lead from {} to the finish", numbers.join(", ")),
                    );
                }
                let reaches = rules.reachable() >> rules.home & 1 == 1;
                self.say(!reaches, "board.course", "no piece can ever reach the finish");
            }
        }
    }
}
