//! Validation of a sheet that parses: values that contradict each other.

mod board;
mod idle;

use std::sync::Arc;

use super::values::MAX_KINDS;
use super::{
    Any, Area, Block, BonusOrder, Divide, End, EntryAt, FirstWhile, Flag, Hop, LastThrow, LostBefore, MarkRoom,
    MarkRule, Meeting, Must, Odds, Overshoot, Returns, Room, SentTo, Setup, Sheet, Speed, Teams, TurnKind, UnitKind,
    UnitMeeting, Values, WithPartner, Without,
};
use crate::game::SeatSet;
use crate::race::turns::{self, TurnKeys, text::joined};

/// The most pieces of a seat that can move together, or share throws.
const FEW_PIECES: u8 = 4;

/// What closes no square to a piece with a part of a total.
const DIVIDED: &str = "the parts of a divided total land on any square: marks are shared, by any number of own pieces";

/// A dotted key and its problem.
pub(super) type Problem = (String, String);

/// The most values of all house rules together: each is checked with the whole sheet.
pub(super) const MOST_VALUES: usize = 200;

/// The most problems that are looked for.
const MOST_PROBLEMS: usize = 100;

/// The problems of a sheet and of each of its house rules.
pub(super) fn all(sheet: &Sheet) -> Vec<Problem> {
    let bare = Sheet { flags: Default::default(), ..sheet.clone() };
    let mut problems = one(&bare);
    let has_problems = !problems.is_empty();
    let values: usize = sheet.flags.values().map(|flag| flag.values.len()).sum();
    let problem = format!("house rules have {MOST_VALUES} values at most together (got {values})");
    say(&mut problems, values > MOST_VALUES, "flags", problem);
    if values > MOST_VALUES {
        return problems;
    }
    for (name, flag) in &sheet.flags {
        let key = format!("flags.{name}");
        let is_word =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let is_pieces = "the number of pieces is asked for in every game; `pieces.allowed` says which";
        say(&mut problems, name == "pieces", &key, is_pieces);
        say(&mut problems, !is_word, &key, "a flag is written with small letters, digits and `_`");
        say(&mut problems, flag.values.len() < 2, &key, "a flag has two values or more");
        flag_values(&mut problems, &bare, &key, flag, has_problems);
    }
    problems
}

/// What has no effect in a valid sheet, and in its house rules.
pub(super) fn idle(sheet: &Sheet) -> Vec<Problem> {
    idle::all(&Sheet { flags: Default::default(), ..sheet.clone() }, &sheet.flags)
}

/// Adds a problem of a key, if it is one and was not said before.
fn say(problems: &mut Vec<Problem>, is_wrong: bool, key: &str, message: impl Into<String>) {
    if is_wrong && problems.len() < MOST_PROBLEMS {
        let problem = (key.to_owned(), message.into());
        problems.extend((!problems.contains(&problem)).then_some(problem));
    }
}

/// The problems of the values of a house rule; without those of the changed sheet where the sheet `has_problems`.
fn flag_values(problems: &mut Vec<Problem>, sheet: &Sheet, key: &str, flag: &Flag, has_problems: bool) {
    for (at, (name, value)) in flag.values.iter().enumerate() {
        let key = format!("{key}.{name}");
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        say(problems, !is_word, &key, "a value is written with letters, digits and `_`");
        let is_changed_default = at == 0 && !value.changes.is_empty();
        let problem = "the first value is the game as the sheet gives it and changes nothing";
        say(problems, is_changed_default, &key, problem);
        for part in ["name", "title", "flags"] {
            let is_changed = value.changes.contains_key(part);
            say(problems, is_changed, &format!("{key}.{part}"), "no flag changes this");
        }
        match sheet.changed(&[&value.changes]) {
            Err(error) => problems.push((key, error)),
            Ok(_) if has_problems => {}
            Ok(changed) => {
                let found = one(&changed).into_iter();
                problems.extend(found.map(|(at, problem)| (key.clone(), format!("then {at}: {problem}"))));
            }
        }
    }
}

/// The problems of a sheet without house rules.
pub(crate) fn one(sheet: &Sheet) -> Vec<Problem> {
    let kind = sheet.turn.kind;
    let mut check = Check {
        sheet,
        keys: TurnKeys::of(sheet),
        is_throw: kind == TurnKind::Throw,
        is_series: kind == TurnKind::Series,
        is_sum: kind == TurnKind::Series && sheet.turn.hop == Hop::Sum,
        is_each: kind == TurnKind::Series && sheet.turn.hop == Hop::Each,
        is_dice: kind == TurnKind::Dice,
        is_divide: kind == TurnKind::Divide,
        has_dice: kind == TurnKind::Series && sheet.throws.dice > 1,
        problems: Vec::new(),
    };
    check.names();
    check.seats();
    check.throws();
    check.turn();
    check.unsupported();
    check.entry();
    check.one_throw();
    check.units();
    check.board();
    check.ends();
    check.problems
}

struct Check<'a> {
    sheet: &'a Sheet,
    keys: &'static TurnKeys,
    is_throw: bool,
    is_series: bool,
    /// A series in one hop for each piece.
    is_sum: bool,
    /// A series of hops with a landing each.
    is_each: bool,
    is_dice: bool,
    is_divide: bool,
    /// Several dice that are used one by one.
    has_dice: bool,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn say(&mut self, is_wrong: bool, key: &str, message: impl Into<String>) {
        say(&mut self.problems, is_wrong, key, message);
    }

    fn say_all<const ROWS: usize>(&mut self, rows: [(bool, &str, &str); ROWS]) {
        rows.into_iter().for_each(|(is_wrong, key, message)| self.say(is_wrong, key, message));
    }

    /// Names the values that no throw has; `has_sums` where the sum of two dice may stand.
    fn say_unthrown(&mut self, key: &str, values: &[u8], has_sums: bool) {
        let faces = &self.sheet.throws.values;
        let is_sum = |value: u8| faces.iter().any(|&face| value > face && faces.contains(&(value - face)));
        for &value in values.iter().filter(|&value| !(faces.contains(value) || has_sums && is_sum(*value))) {
            self.say(true, key, format!("{value} is never thrown"));
        }
    }

    fn names(&mut self) {
        let sheet = self.sheet;
        let is_part =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let is_name = sheet.name.split('-').all(is_part) && sheet.name.starts_with(|c: char| c.is_ascii_lowercase());
        self.say(!is_name, "name", "a name is small letters and digits, with single hyphens between");
        self.say(sheet.title.trim().is_empty(), "title", "a game has a title");
        let words = &sheet.words;
        let written = [("words.off", &words.off), ("words.home", &words.home), ("words.borne", &words.borne)];
        for (at, (key, word)) in written.iter().enumerate() {
            let is_letters = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
            self.say(!is_letters, key, "a word of the notation is small letters");
            for (other, _) in written[..at].iter().filter(|(_, other)| other == word) {
                self.say(true, key, format!("{other} and {key} are both \"{word}\""));
            }
        }
    }

    fn seats(&mut self) {
        let seats = &self.sheet.seats;
        self.say(seats.allowed.is_empty(), "seats.allowed", "no seats can play");
        let (has_teams, has_placings) = (seats.teams == Teams::Opposite, seats.end == End::Placings);
        for letters in &seats.allowed {
            match SeatSet::from_letters(letters) {
                Err(error) => self.say(true, "seats.allowed", error.to_string()),
                Ok(set) => {
                    let written = format!("{set:?}");
                    self.say(written != *letters, "seats.allowed", format!("`{letters}` is written `{written}`"));
                    self.say(set.len() < 2, "seats.allowed", format!("`{letters}` is not two to four seats"));
                }
            }
        }
        let is_for_many = self.is_dice || self.is_throw || self.is_each;
        let are_four = seats.allowed.iter().any(|letters| letters == "SENW");
        self.say_all([
            (has_teams && !are_four, "seats.allowed", "teams are four seats: `SENW`"),
            (has_teams && !is_for_many, "seats.teams", "no teams play with one hop for a series, and divided totals"),
            (
                has_placings && !is_for_many,
                "seats.end",
                "no placings are played with one hop for a series, and divided totals",
            ),
        ]);
    }

    fn throws(&mut self) {
        let throws = &self.sheet.throws;
        let mut values = throws.values.clone();
        values.sort_unstable();
        self.say(values.len() < 2 || values.len() > 16, "throws.values", "a throw has 2 to 16 values");
        self.say(values.windows(2).any(|pair| pair[0] == pair[1]), "throws.values", "a value comes twice");
        if let Odds::Weights(weights) = &throws.odds {
            let has_all = weights.len() == values.len();
            self.say(!has_all, "throws.odds", format!("{} weights for {} values", weights.len(), values.len()));
            let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
            self.say(sum == 0 || sum > 60_000, "throws.odds", "the weights sum to 1 to 60000");
        }
        let count = match self.keys.dice {
            [1, 1] => "1 die".to_owned(),
            [least, most] if least == most => format!("{least} dice"),
            [least, most] => format!("{least} to {most} dice"),
        };
        let [least, most] = self.keys.dice;
        let is_other = !(least..=most).contains(&throws.dice);
        self.say(is_other, "throws.dice", format!("a turn of this kind has {count}"));
        let is_many = self.has_dice && values.len() > MAX_KINDS + 1;
        self.say(is_many, "throws.values", format!("several dice have {} values at most", MAX_KINDS + 1));
        let (least, most) = (values.first().copied(), values.last().copied());
        let is_large = self.is_divide && most > Some(15);
        self.say(is_large, "throws.values", "a die of a divided total shows at most 15");
        self.say(throws.dice > 1 && least == Some(0), "throws.values", "one of several dice has no 0");
    }

    fn turn(&mut self) {
        let Sheet { turn, throws, entry, unit, finish, .. } = self.sheet;
        let &mut Check { is_series, is_dice, is_divide, has_dice, .. } = self;
        for (key, values) in [
            ("turn.stop", &turn.stop),
            ("turn.again", &turn.again),
            ("turn.bonus", &turn.bonus),
            ("finish.from_last", &finish.from_last),
            ("finish.bear_off", &finish.bear_off),
            ("finish.doublets", &finish.doublets),
        ] {
            self.say_unthrown(key, values, false);
        }
        self.say((!is_series || has_dice) && !turn.stop.is_empty(), "turn.stop", "only a series of one die stops");
        self.say(is_series && !has_dice && turn.stop.is_empty(), "turn.stop", "a series ends with some value");
        let going_on = throws.values.iter().filter(|value| !turn.stop.contains(value)).count();
        let problem = format!("a series goes on after {MAX_KINDS} values at most, here after {going_on}");
        self.say(is_series && !has_dice && going_on > MAX_KINDS, "turn.stop", problem);
        let has_doublets = is_dice || is_divide;
        let grants = turn.again_on_doublet || turn.again_on_capture;
        let (divides, has_units) = (turn.divide != Divide::None, unit.kind != UnitKind::None);
        self.say_all([
            (!is_series && turn.hop == Hop::Each, "turn.hop", "only a series has several throws"),
            (!has_doublets && turn.again_on_doublet, "turn.again_on_doublet", "one die has no doublets"),
            (is_dice && grants, "turn.kind", "two dice grant no further roll"),
            (finish.bear_off.contains(&0), "finish.bear_off", "a throw of 0 bears nothing off"),
            (divides && has_units, "turn.divide", "a throw is divided between single pieces: unit.kind is \"none\""),
            (divides && !entry.spends, "turn.divide", "a throw that enters is divided no more: entry.spends is true"),
            (divides && turn.must == Must::NoMerge, "turn.must", "a throw that can be divided must be used, or none"),
        ]);
        self.say(
            !self.keys.must.contains(&turn.must),
            "turn.must",
            format!(
                "a turn of this kind has one of {}",
                joined(self.keys.must.iter().filter_map(|must| toml::Value::try_from(must).ok()), ", ")
            ),
        );
    }

    /// Keys, or values of them, that this kind of turn does not support.
    fn unsupported(&mut self) {
        let Sheet { pieces, turn, board, entry, stacking, unit, capture, finish, .. } = self.sheet;
        for (is_used, key) in [
            (!turn.again.is_empty(), "turn.again"),
            (turn.throw_limit().is_some(), "turn.most_throws"),
            (turn.divide != Divide::None, "turn.divide"),
            (!turn.again_unused, "turn.again_unused"),
            (turn.again_on_finish, "turn.again_on_finish"),
            (turn.last_throw != LastThrow::Played, "turn.last_throw"),
            (!turn.bonus.is_empty(), "turn.bonus"),
            (turn.bonus_order != BonusOrder::After, "turn.bonus_order"),
            (board.mark_rule == MarkRule::Plain, "board.mark_rule"),
            (board.mark_again, "board.mark_again"),
            (!board.other_marks.is_empty(), "board.other_marks"),
            (!entry.spends, "entry.spends"),
            (entry.first_while != FirstWhile::Empty, "entry.first_while"),
            (matches!(entry.at, EntryAt::Square(_)), "entry.at"),
            (entry.clear, "entry.clear"),
            (entry.by_bonus, "entry.by_bonus"),
            (stacking.block != Block::None, "stacking.block"),
            (stacking.partner != WithPartner::Closed, "stacking.partner"),
            (capture.unit_on_unit != UnitMeeting::Takes, "capture.unit_on_unit"),
            (matches!(pieces.sent_to, Returns::Square(_)), "pieces.sent_to"),
            (unit.speed == Speed::Double, "unit.speed"),
            (finish.overshoot != Overshoot::Illegal, "finish.overshoot"),
            (!finish.from_last.is_empty(), "finish.from_last"),
            (finish.fill, "finish.fill"),
            (!finish.bear_off.is_empty(), "finish.bear_off"),
            (!finish.doublets.is_empty(), "finish.doublets"),
        ] {
            let kinds = TurnKeys::ALL.into_iter().filter(|keys| keys.supports.contains(&key)).map(|keys| keys.name);
            let problem = format!("this goes with {}", joined(kinds, ", and with "));
            self.say(is_used && !self.keys.supports.contains(&key), key, problem);
        }
    }

    fn entry(&mut self) {
        let (sheet, entry) = (self.sheet, &self.sheet.entry);
        for (key, values) in [("entry.first", &entry.first), ("entry.next", &entry.next)] {
            if let Values::These(values) = values {
                self.say(values.is_empty(), key, "no throw enters");
                self.say(values.contains(&0), key, "a throw of 0 enters nothing");
                self.say_unthrown(key, values, self.is_dice);
            }
        }
        let &mut Check { is_dice, is_divide, is_series, is_sum, .. } = self;
        let (by_count, is_free) = (entry.at == EntryAt::COUNT, !entry.spends);
        let is_forced = sheet.turn.must != Must::Optional;
        let loses = entry.lost_before != LostBefore::Never;
        let is_face = |value: &u8| sheet.throws.values.contains(value);
        let by_sum = matches!(&entry.first, Values::These(values) if !values.iter().any(is_face));
        let all_wait = sheet.pieces.setup == Setup::All(SentTo::Off) && self.most_pieces() > 1;
        let has_others = self.has_dice || sheet.seats.teams == Teams::Opposite;
        self.say_all([
            (is_dice && !entry.compulsory, "entry.compulsory", "with two dice pieces that wait come first"),
            (
                entry.compulsory && !is_dice && !self.is_throw,
                "entry.compulsory",
                "pieces that wait come first with turn.kind = \"dice\" or \"throw\" only",
            ),
            (is_dice && by_sum && all_wait, "entry.first", "pieces that wait together enter by one die each"),
            (is_dice && !by_count, "entry.at", "with two dice a piece enters by count"),
            (is_divide && by_count, "entry.at", "with a divided total a piece enters on the first square"),
            (is_free && by_count, "entry.spends", "a piece that enters by count uses the throw"),
            (is_free && is_forced, "entry.spends", "each part may be left: turn.must is \"optional\""),
            (is_sum && by_count, "entry.at", "a series with one hop enters on the first square"),
            (is_sum && entry.first != entry.next, "entry.next", "a series enters by the same throws at any time"),
            (is_sum && entry.first != Values::These(vec![1]), "entry.first", "a series with one hop enters with [1]"),
            (!is_series && loses, "entry.lost_before", "only a series has throws before"),
            (has_others && loses, "entry.lost_before", "this goes without teams, and with one die"),
        ]);
    }

    /// Keys of a turn of one throw that go together, or that have an effect only with others.
    fn one_throw(&mut self) {
        let Sheet { seats, board, pieces, turn, entry, finish, stacking, unit, gate, .. } = self.sheet;
        let (by_count, has_bonus) = (entry.at == EntryAt::COUNT, !turn.bonus.is_empty());
        let is_any = [&entry.first, &entry.next].into_iter().all(|values| *values == Values::Named(Any::Any));
        let is_any_order = turn.bonus_order == BonusOrder::Any;
        let (has_teams, has_units) = (seats.teams == Teams::Opposite, unit.kind != UnitKind::None);
        let (has_parts, fills) = (turn.divide != Divide::None, finish.fill);
        let (goes_beyond, has_last) = (finish.overshoot != Overshoot::Illegal, !finish.from_last.is_empty());
        let (remembers, comes_first) = (entry.first_while == FirstWhile::Never, entry.compulsory || entry.clear);
        let again_on_marks = board.mark_kinds().any(|marks| marks.again);
        let is_single = stacking.private.unwrap_or(stacking.plain) == Room::One;
        self.say_all([
            (!turn.again_unused && turn.again.is_empty(), "turn.again_unused", "no value grants another throw"),
            (!turn.again_unused && has_bonus, "turn.again_unused", "a step that follows is a use of its throw"),
            (
                turn.last_throw == LastThrow::Lost && (turn.throw_limit().is_none() || turn.again.is_empty()),
                "turn.last_throw",
                "this goes with turn.most_throws and turn.again",
            ),
            (has_bonus && (has_parts || !entry.spends), "turn.bonus", "a throw has one second part"),
            (has_bonus && has_units, "turn.bonus", "the step is for single pieces: unit.kind is \"none\""),
            (turn.bonus.contains(&0), "turn.bonus", "nothing follows a throw of 0"),
            (is_any_order && !has_bonus, "turn.bonus_order", "this goes with turn.bonus"),
            (is_any_order && turn.bonus.contains(&1), "turn.bonus_order", "a throw of 1 and its step look alike"),
            (
                has_bonus && gate.at != 0 && gate.without == Without::Wait,
                "turn.bonus",
                "a seat that waits at its gate can have a step left: gate.without is \"lap\" or \"open\"",
            ),
            (
                turn.must == Must::NoMerge && (has_bonus || comes_first),
                "turn.must",
                "with moves that come first, or a step that follows, \"one\" or \"optional\"",
            ),
            (
                (has_parts || !entry.spends) && (turn.again_on_finish || again_on_marks || comes_first),
                if has_parts { "turn.divide" } else { "entry.spends" },
                "a throw in two parts goes without moves that come first, and without throws for marks or the finish",
            ),
            (remembers && pieces.setup != Setup::All(SentTo::Off), "entry.first_while", "pieces begin on the board"),
            (finish.from_last.contains(&0), "finish.from_last", "a throw of 0 moves nothing"),
            (
                stacking.block == Block::Passing && finish.overshoot == Overshoot::Bounces,
                "finish.overshoot",
                "a piece that bounces passes squares twice: stacking.block is not \"passing\"",
            ),
            (!unit.passable && has_teams, "unit.passable", "with teams units are passed"),
            (entry.by_bonus && !has_bonus, "entry.by_bonus", "this goes with turn.bonus"),
            (entry.by_bonus && by_count, "entry.by_bonus", "a piece that enters by count uses the throw"),
            (entry.by_bonus && !is_any, "entry.first", "with entry.by_bonus no value of a throw enters"),
            (entry.clear && by_count, "entry.clear", "pieces that enter by count have no square of their own"),
            (remembers && entry.first == entry.next, "entry.first_while", "entry.first and entry.next are equal"),
            (remembers && gate.at != 0, "entry.first_while", "the `+` of a seat says that it has opened the gate"),
            (stacking.block != Block::None && has_units, "stacking.block", "two pieces together are a unit"),
            (
                stacking.block != Block::None
                    && [stacking.plain, stacking.marked.into(), stacking.inner.unwrap_or(stacking.plain)]
                        == [Room::One; 3],
                "stacking.block",
                "a square has room for one piece",
            ),
            (stacking.partner == WithPartner::Shares && !has_teams, "stacking.partner", "there are no teams"),
            (has_parts && goes_beyond, "finish.overshoot", "a throw is divided at the finish"),
            ((has_units || has_parts) && has_last, "finish.from_last", "this goes without units and divided throws"),
            (fills && (has_units || has_parts), "finish.fill", "this goes with single pieces and whole throws"),
            (fills && !is_single, "stacking.private", "squares that are filled have room for one piece"),
            (fills && turn.again_on_finish, "turn.again_on_finish", "there is no finish"),
            (fills && goes_beyond, "finish.overshoot", "there is no finish"),
            (fills && has_last, "finish.from_last", "there is no finish"),
        ]);
        let most = self.most_pieces();
        let problem = format!(
            "more than {FEW_PIECES} pieces play with turn.kind = \"throw\", without units, divided throws and steps first"
        );
        let is_wide = !self.is_throw || has_units || has_parts || is_any_order;
        self.say(most > FEW_PIECES && is_wide, "pieces.count", problem);
    }

    fn units(&mut self) {
        let Sheet { board, throws, turn, stacking, unit, capture, gate, finish, .. } = self.sheet;
        let &mut Check { is_throw, is_series, is_sum, is_dice, is_divide, .. } = self;
        let (has_units, is_declared) = (unit.kind != UnitKind::None, unit.kind == UnitKind::Declared);
        let (has_gate, is_closed) = (gate.at != 0, board.mark_rule == MarkRule::Closed);
        let (blocks, has_dice) = (!unit.passable, self.has_dice);
        self.say_unthrown("unit.three", &unit.three, false);
        self.say_all([
            (!unit.three.is_empty() && throws.dice < 3, "unit.three", "three pieces move with three dice"),
            (has_dice && is_declared, "unit.kind", "with several dice pieces that stand together are units"),
            (is_declared && unit.from.is_empty(), "unit.from", "declared units leave some square together"),
            (is_declared && !is_series, "unit.kind", "units are declared with turn.kind = \"series\" only"),
            (is_declared && unit.area != Area::Any, "unit.area", "declared units stay units wherever they are"),
            (unit.area == Area::Inner && !has_gate, "unit.area", "without a gate there is no inner part"),
            (stacking.inner.is_some() && !has_gate, "stacking.inner", "without a gate there is no inner part"),
            (blocks && !is_throw, "unit.passable", "units are passed but where turn.kind = \"throw\""),
            (blocks && !is_closed, "unit.passable", "units that cannot be passed go with board.mark_rule = \"closed\""),
            (is_divide && has_units, "unit.kind", "a total is divided between single pieces"),
            (is_divide && has_gate, "gate.at", "a divided total has no gate"),
            (is_divide && *stacking != super::Stacking::default(), "stacking", DIVIDED),
            (is_divide && board.mark_rule != MarkRule::Share, "board.mark_rule", DIVIDED),
        ]);
        let smallest = throws.values.iter().filter(|value| !turn.stop.contains(value)).min();
        let bears_by_other = finish.bear_off.iter().any(|&value| value != 1);
        let is_crowded = *stacking != super::Stacking::default() || is_closed;
        let is_barred = capture.single_on_unit == Meeting::Barred;
        self.say_all([
            (
                is_sum && smallest != Some(&1),
                "turn.stop",
                "a series with one hop goes on after 1, and after no smaller value",
            ),
            (is_sum && bears_by_other, "finish.bear_off", "a series bears off with 1"),
            (is_series && turn.stop.len() > 3, "turn.stop", "a series ends with three values at most"),
            (
                is_sum && is_crowded,
                "stacking",
                "a series with one hop lands on any square: any number of own pieces, no closed marks",
            ),
            (
                is_sum && is_barred,
                "capture.single_on_unit",
                "a series with one hop lands on any square: `takes` or `shares`",
            ),
            (is_sum && has_gate, "gate.at", "a series with one hop has no gate"),
        ]);
        if !is_dice {
            return;
        }
        let is_usual =
            unit.kind == UnitKind::Together && unit.area == Area::Any && unit.speed == Speed::Full && unit.split;
        let is_roomy = stacking.plain == Room::Two
            && stacking.private.unwrap_or(Room::Two) == Room::Any
            && stacking.inner.is_none();
        let takes = *capture == super::Capture { single_on_unit: Meeting::Barred, ..Default::default() };
        let is_shared =
            board.marks.is_empty() || board.mark_rule == MarkRule::Share && stacking.marked == MarkRoom::Any;
        self.say_all([
            (!is_usual, "unit", "with two dice two pieces are units anywhere, which can split"),
            (!is_roomy, "stacking", "with two dice plain squares have room for two, private ones for any number"),
            (!takes, "capture", "with two dice only units take units, and squares are never shared"),
            (!is_shared, "board.mark_rule", "with two dice marked squares are shared by any number"),
        ]);
    }

    /// The most pieces of a seat.
    fn most_pieces(&self) -> u8 {
        let pieces = &self.sheet.pieces;
        pieces.allowed.iter().copied().fold(pieces.count, u8::max)
    }

    /// Games that cannot end: squares from which nothing leads to the finish.
    fn ends(&mut self) {
        if !self.problems.is_empty() {
            return;
        }
        let sheet = self.sheet;
        let rules = match turns::compile(Arc::new(sheet.clone()), SeatSet::ALL, sheet.pieces.count.into()) {
            Ok(rules) => rules,
            Err(error) => return self.say(true, "board.course", error),
        };
        let stranded = rules.stranded();
        let numbers = (1..rules.home).filter(|place| stranded >> place & 1 == 1);
        let numbers = joined(numbers.map(|place| rules.place_text(place)), ", ");
        self.say(stranded != 0, "throws.values", format!("no throws lead from {numbers} to the finish"));
        let reaches = rules.reachable() >> rules.finished_from.min(rules.home) != 0;
        self.say(!reaches, "board.course", "no piece can ever reach the finish");
        let setup = rules.setup();
        let is_crowded = |&&place: &&u8| {
            let room = usize::from(rules.room[usize::from(place)]);
            room > 0 && setup.iter().filter(|&&other| other == place).count() > room && place > 1
        };
        if let (Setup::On(_), Some(&place)) = (&sheet.pieces.setup, setup.iter().find(is_crowded)) {
            let problem = format!("more pieces begin on {} than it has room for", rules.place_text(place));
            self.say(true, "pieces.setup", problem);
        }
        let begun = setup.iter().fold(0, |begun, &place| begun | 1 << place);
        let meet = idle::shared(&rules, begun) & rules.exclusive != 0;
        self.say(meet, "pieces.setup", "pieces of two seats begin on one square, where they cannot both stand");
        for letters in &sheet.seats.allowed {
            let opens = SeatSet::from_letters(letters).is_ok_and(|seats| rules.opens(seats));
            let problem = format!("no seat can win: of {letters} none can ever capture before its gate");
            self.say(!opens, "gate.at", problem);
        }
    }
}
