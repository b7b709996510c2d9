//! Checks a sheet after parsing: reports values that contradict each other.

mod board;
mod ending;
mod idle;

use std::sync::LazyLock;

use serde::Deserialize;
use toml::{Table, Value};

pub(super) use idle::idle_keys;

use super::values::MAX_KINDS;
use super::{
    Any, Area, Block, BonusOrder, Divide, EntryAt, FirstWhile, Flag, Hop, LastThrow, LostBefore,
    MarkRoom, MarkRule, Meeting, Must, Odds, Overshoot, Room, SentTo, Setup, Sheet, Speed, Teams,
    TurnKind, UnitKind, Values, WithPartner, Without,
};
use crate::form::beginning;
use crate::game::SeatSet;
use crate::race::turns::{TurnKeys, text::joined};

/// The largest number of pieces of a seat if pieces move as units or share throws.
const FEW_PIECES: u8 = 4;

/// The condition of keys that work only for single pieces and whole throws.
const SINGLE: &str = "only works with unit.kind = \"none\" and turn.divide = \"none\"";

/// Why a divided total cannot have `stacking` and `board.mark_rule`.
const DIVIDED: &str = "must be left out with turn.kind = \"divide\": the parts of a total can land on any square of the course";

/// A dotted key and its problem.
pub(super) type Problem = (String, String);

/// The largest number of values of all house rules together. It is limited because each value is
/// checked with the whole sheet.
pub(super) const MOST_VALUES: usize = 200;

const MOST_PROBLEMS: usize = 100;

/// A sheet in which every optional key has its default.
pub(super) static DEFAULTS: LazyLock<Table> = LazyLock::new(|| {
    let text = "name = ''\ntitle = ''\nsummary = ''\nseats = { allowed = [], turn_limit = 1 }\n\
                board = { side = 1, course = '' }\npieces = { count = 1 }\nthrows = { values = [] }\n\
                turn = { kind = 'throw', must = 'one' }";
    let table = text.parse::<Table>().expect("a table");
    Sheet::deserialize(table)
        .expect("a sheet with every required key")
        .table()
});

fn value_of<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let (section, key) = key.split_once('.')?;
    table.get(section)?.get(key)
}

/// The problems of a sheet and of each of its house rules.
pub(super) fn all(sheet: &Sheet) -> Vec<Problem> {
    let bare = Sheet {
        flags: Default::default(),
        ..sheet.clone()
    };
    let mut problems = one(&bare);
    let has_problems = !problems.is_empty();
    let values: usize = sheet.flags.values().map(|flag| flag.values.len()).sum();
    let problem =
        format!("all house rules together can have at most {MOST_VALUES} values (got {values})");
    report(&mut problems, values > MOST_VALUES, "flags", problem);
    if values > MOST_VALUES {
        return problems;
    }
    for (name, flag) in &sheet.flags {
        let key = format!("flags.{name}");
        let is_word = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let is_pieces = "`pieces` cannot name a house rule: every game has it, and `pieces.allowed` lists its values";
        report(&mut problems, name == "pieces", &key, is_pieces);
        report(
            &mut problems,
            !is_word,
            &key,
            "the name must consist of small letters, digits and `_`",
        );
        let count = flag.values.len();
        report(
            &mut problems,
            count < 2,
            &key,
            format!("a house rule must have at least two values (got {count})"),
        );
        flag_values(&mut problems, &bare, &key, flag, has_problems);
    }
    problems
}

/// Adds a problem of a key if `is_wrong`, unless the list contains it.
fn report(problems: &mut Vec<Problem>, is_wrong: bool, key: &str, message: impl Into<String>) {
    if is_wrong && problems.len() < MOST_PROBLEMS {
        let problem = (key.to_owned(), message.into());
        problems.extend((!problems.contains(&problem)).then_some(problem));
    }
}

/// Checks the values of a house rule. If the sheet `has_problems`, the changed sheets are not
/// checked.
fn flag_values(
    problems: &mut Vec<Problem>,
    sheet: &Sheet,
    key: &str,
    flag: &Flag,
    has_problems: bool,
) {
    for (at, (name, value)) in flag.values.iter().enumerate() {
        let key = format!("{key}.{name}");
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        report(
            problems,
            !is_word,
            &key,
            "the value must consist of letters, digits and `_`",
        );
        let is_changed_default = at == 0 && !value.changes.is_empty();
        let problem = "the first value of a house rule is the default: it must not change any key";
        report(problems, is_changed_default, &key, problem);
        for part in ["name", "title", "flags", "pieces.count", "pieces.allowed"] {
            let is_changed =
                value.changes.contains_key(part) || value_of(&value.changes, part).is_some();
            report(
                problems,
                is_changed,
                &format!("{key}.{part}"),
                format!("a house rule cannot change `{part}`"),
            );
        }
        match sheet.changed(&[&value.changes]) {
            Err(error) => problems.push((key, error)),
            Ok(_) if has_problems => {}
            Ok(changed) => {
                let found = one(&changed).into_iter();
                problems.extend(found.map(|(at, problem)| {
                    (key.clone(), format!("with this value, {at}: {problem}"))
                }));
            }
        }
    }
}

/// The problems of a sheet without house rules. Each message ends with the value of its key.
pub(crate) fn one(sheet: &Sheet) -> Vec<Problem> {
    let kind = sheet.turn.kind;
    let mut check = Check {
        sheet,
        table: sheet.table(),
        keys: TurnKeys::of(sheet),
        is_throw: kind == TurnKind::Throw,
        is_series: kind == TurnKind::Series,
        is_sum: kind == TurnKind::Series && sheet.turn.hop == Hop::Sum,
        is_dice: kind == TurnKind::Dice,
        is_divide: kind == TurnKind::Divide,
        has_dice: kind == TurnKind::Series && sheet.throws.dice > 1,
        problems: Vec::new(),
    };
    check.check_words();
    check.check_seats();
    check.check_throws();
    check.check_turn();
    check.check_support();
    check.check_entry();
    check.check_one_throw();
    check.check_units();
    check.check_board();
    check.check_end();
    for (key, message) in &mut check.problems {
        if let Some(value) = value_of(&check.table, key) {
            message.push_str(&format!(" (got {})", beginning(&value.to_string())));
        }
    }
    check.problems
}

struct Check<'a> {
    sheet: &'a Sheet,
    table: Table,
    keys: &'static TurnKeys,
    is_throw: bool,
    is_series: bool,
    /// A series in which a piece moves by the sum of its throws in one hop.
    is_sum: bool,
    is_dice: bool,
    is_divide: bool,
    /// A series of several dice.
    has_dice: bool,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn report(&mut self, is_wrong: bool, key: &str, message: impl Into<String>) {
        report(&mut self.problems, is_wrong, key, message);
    }

    fn report_all<const ROWS: usize>(&mut self, rows: [(bool, &str, &str); ROWS]) {
        rows.into_iter()
            .for_each(|(is_wrong, key, message)| self.report(is_wrong, key, message));
    }

    /// Reports values that no throw has. If `has_sums`, the sum of two dice is allowed, too.
    fn report_unthrown(&mut self, key: &str, values: &[u8], has_sums: bool) {
        let faces = &self.sheet.throws.values;
        let is_sum = |value: u8| {
            faces
                .iter()
                .any(|&face| value > face && faces.contains(&(value - face)))
        };
        for &value in values
            .iter()
            .filter(|&value| !(faces.contains(value) || has_sums && is_sum(*value)))
        {
            self.report(
                true,
                key,
                format!("{value} is never thrown: throws.values is {faces:?}"),
            );
        }
    }

    fn check_words(&mut self) {
        let sheet = self.sheet;
        let is_part = |part: &str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let is_name = sheet.name.split('-').all(is_part)
            && sheet.name.starts_with(|c: char| c.is_ascii_lowercase());
        let problem = "must begin with a small letter and consist of small letters, digits and single hyphens";
        self.report(
            !is_name,
            "name",
            format!("{problem} (got \"{}\")", sheet.name),
        );
        self.report(sheet.title.trim().is_empty(), "title", "must not be empty");
        let words = &sheet.words;
        let written = [
            ("words.off", &words.off),
            ("words.home", &words.home),
            ("words.borne", &words.borne),
        ];
        for (at, (key, word)) in written.iter().enumerate() {
            let is_letters = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
            self.report(
                !is_letters,
                key,
                "must consist of small letters, since positions contain this word",
            );
            for (other, _) in written[..at].iter().filter(|(_, other)| other == word) {
                self.report(
                    true,
                    key,
                    format!("{other} and {key} must be different words"),
                );
            }
        }
    }

    fn check_seats(&mut self) {
        let seats = &self.sheet.seats;
        self.report(
            seats.allowed.is_empty(),
            "seats.allowed",
            "must have at least one set of seats, such as \"SN\"",
        );
        for letters in &seats.allowed {
            match SeatSet::from_letters(letters) {
                Err(error) => self.report(true, "seats.allowed", error.to_string()),
                Ok(set) => {
                    let problem =
                        format!("write `{set:?}` for `{letters}`: seats have the order S, E, N, W");
                    self.report(format!("{set:?}") != *letters, "seats.allowed", problem);
                    self.report(
                        set.len() < 2,
                        "seats.allowed",
                        format!("`{letters}` must have two to four seats"),
                    );
                }
            }
        }
        let are_four = seats.allowed.iter().any(|letters| letters == "SENW");
        let problem = "must contain \"SENW\" if seats.teams is \"opposite\"";
        self.report(
            seats.teams == Teams::Opposite && !are_four,
            "seats.allowed",
            problem,
        );
    }

    fn check_throws(&mut self) {
        let throws = &self.sheet.throws;
        let mut values = throws.values.clone();
        values.sort_unstable();
        self.report(
            values.len() < 2 || values.len() > 16,
            "throws.values",
            "must have 2 to 16 values",
        );
        let is_repeated = values.windows(2).any(|pair| pair[0] == pair[1]);
        self.report(
            is_repeated,
            "throws.values",
            "must not contain a value twice",
        );
        if let Odds::Weights(weights) = &throws.odds {
            let problem = format!(
                "must have one weight for each of the {} values",
                values.len()
            );
            self.report(weights.len() != values.len(), "throws.odds", problem);
            let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
            let problem =
                format!("the sum of the weights must be between 1 and 60000, and is {sum}");
            self.report(sum == 0 || sum > 60_000, "throws.odds", problem);
        }
        let [least, most] = self.keys.dice;
        let count = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        let is_other = !(least..=most).contains(&throws.dice);
        self.report(
            is_other,
            "throws.dice",
            format!("must be {count} with {}", self.keys.name),
        );
        let is_many = self.has_dice && values.len() > MAX_KINDS + 1;
        let problem = format!(
            "must have at most {} values if throws.dice is more than 1",
            MAX_KINDS + 1
        );
        self.report(is_many, "throws.values", problem);
        let (least, most) = (values.first().copied(), values.last().copied());
        let is_large = self.is_divide && most > Some(15);
        self.report(
            is_large,
            "throws.values",
            "must not exceed 15 with turn.kind = \"divide\"",
        );
        let is_zero = throws.dice > 1 && least == Some(0);
        self.report(
            is_zero,
            "throws.values",
            "must not contain 0 if throws.dice is more than 1",
        );
    }

    fn check_turn(&mut self) {
        let Sheet {
            turn,
            throws,
            entry,
            unit,
            finish,
            ..
        } = self.sheet;
        let &mut Check {
            is_series,
            has_dice,
            ..
        } = self;
        for (key, values) in [
            ("turn.stop", &turn.stop),
            ("turn.again", &turn.again),
            ("turn.bonus", &turn.bonus),
            ("finish.from_last", &finish.from_last),
            ("finish.bear_off", &finish.bear_off),
            ("finish.doublets", &finish.doublets),
        ] {
            self.report_unthrown(key, values, false);
        }
        let has_stop = is_series && !has_dice;
        let problem = "only works with turn.kind = \"series\" and throws.dice = 1";
        self.report(!has_stop && !turn.stop.is_empty(), "turn.stop", problem);
        let problem = "must contain at least one value: a series ends with it";
        self.report(has_stop && turn.stop.is_empty(), "turn.stop", problem);
        let others = throws
            .values
            .iter()
            .filter(|value| !turn.stop.contains(value))
            .count();
        let problem = format!(
            "{others} of throws.values are missing here, but at most {MAX_KINDS} values can continue a series"
        );
        self.report(has_stop && others > MAX_KINDS, "turn.stop", problem);
        let (divides, has_units) = (turn.divide != Divide::None, unit.kind != UnitKind::None);
        self.report_all([
            (
                finish.bear_off.contains(&0),
                "finish.bear_off",
                "must not contain 0",
            ),
            (
                divides && has_units,
                "turn.divide",
                "only works with unit.kind = \"none\"",
            ),
            (
                divides && !entry.spends,
                "turn.divide",
                "only works with entry.spends = true",
            ),
            (
                divides && turn.must == Must::NoMerge,
                "turn.must",
                "\"no-merge\" does not work with turn.divide = \"finish\"",
            ),
        ]);
        let allowed = joined(
            self.keys
                .must
                .iter()
                .filter_map(|must| Value::try_from(must).ok()),
            ", ",
        );
        let problem = format!("must be one of {allowed} with {}", self.keys.name);
        self.report(!self.keys.must.contains(&turn.must), "turn.must", problem);
    }

    /// Reports keys and values that only other kinds of turn support.
    fn check_support(&mut self) {
        for (key, only, letters) in TurnKeys::SUPPORTED {
            let value = value_of(&self.table, key);
            let is_used = match only {
                "" => value != value_of(&DEFAULTS, key),
                "a number" => value.is_some_and(Value::is_integer),
                word => value == Some(&word.into()),
            };
            let kinds = TurnKeys::ALL
                .into_iter()
                .filter(|keys| letters.contains(keys.letter))
                .map(|keys| keys.name);
            let problem = format!("this value only works with {}", joined(kinds, " or "));
            self.report(is_used && !letters.contains(self.keys.letter), key, problem);
        }
    }

    fn check_entry(&mut self) {
        let (sheet, entry) = (self.sheet, &self.sheet.entry);
        for (key, values) in [("entry.first", &entry.first), ("entry.next", &entry.next)] {
            if let Values::These(values) = values {
                self.report(values.is_empty(), key, "must contain at least one value");
                self.report(
                    values.contains(&0),
                    key,
                    "must not contain 0: a throw of 0 moves nothing",
                );
                self.report_unthrown(key, values, self.is_dice);
            }
        }
        let &mut Check {
            is_dice,
            is_divide,
            is_sum,
            ..
        } = self;
        let (by_count, is_free) = (entry.at == EntryAt::COUNT, !entry.spends);
        let is_forced = sheet.turn.must != Must::Optional;
        let loses = entry.lost_before != LostBefore::Never;
        let has_others = self.has_dice || sheet.seats.teams == Teams::Opposite;
        self.report_all([
            (
                is_dice && !entry.compulsory,
                "entry.compulsory",
                "must be true with turn.kind = \"dice\"",
            ),
            (
                is_dice && !by_count,
                "entry.at",
                "must be \"count\" with turn.kind = \"dice\"",
            ),
            (
                is_divide && by_count,
                "entry.at",
                "must be \"start\" with turn.kind = \"divide\"",
            ),
            (
                is_free && by_count,
                "entry.spends",
                "must be true if entry.at is \"count\"",
            ),
            (
                is_free && is_forced,
                "entry.spends",
                "must be true unless turn.must is \"optional\"",
            ),
            (
                is_sum && by_count,
                "entry.at",
                "must be \"start\" with turn.hop = \"sum\"",
            ),
            (
                is_sum && entry.first != entry.next,
                "entry.next",
                "must be equal to entry.first with turn.hop = \"sum\"",
            ),
            (
                is_sum && entry.first != Values::These(vec![1]),
                "entry.first",
                "must be [1] with turn.hop = \"sum\"",
            ),
            (
                has_others && loses,
                "entry.lost_before",
                "only works without teams and with throws.dice = 1",
            ),
        ]);
    }

    /// Keys of a turn of one throw that exclude or need each other.
    fn check_one_throw(&mut self) {
        let Sheet {
            seats,
            board,
            pieces,
            turn,
            entry,
            finish,
            stacking,
            unit,
            gate,
            ..
        } = self.sheet;
        let (by_count, has_bonus) = (entry.at == EntryAt::COUNT, !turn.bonus.is_empty());
        let is_any = [&entry.first, &entry.next]
            .into_iter()
            .all(|values| *values == Values::Named(Any::Any));
        let is_any_order = turn.bonus_order == BonusOrder::Any;
        let (has_teams, has_units) = (seats.teams == Teams::Opposite, unit.kind != UnitKind::None);
        let (has_parts, fills) = (turn.divide != Divide::None, finish.fill);
        let (is_inexact, has_last) = (
            finish.overshoot != Overshoot::Illegal,
            !finish.from_last.is_empty(),
        );
        let (remembers, comes_first) = (
            entry.first_while == FirstWhile::Never,
            entry.compulsory || entry.clear,
        );
        let again_on_marks = board.mark_kinds().any(|marks| marks.again);
        let is_single = stacking.private.unwrap_or(stacking.plain) == Room::One;
        self.report_all([
            (!turn.again_unused && turn.again.is_empty(), "turn.again_unused", "false only works with turn.again"),
            (!turn.again_unused && has_bonus, "turn.again_unused", "false does not work with turn.bonus"),
            (
                turn.last_throw == LastThrow::Lost && (turn.throw_limit().is_none() || turn.again.is_empty()),
                "turn.last_throw",
                "\"lost\" only works with turn.most_throws and turn.again",
            ),
            (
                has_bonus && (has_parts || !entry.spends),
                "turn.bonus",
                "does not work with turn.divide = \"finish\" or entry.spends = false",
            ),
            (has_bonus && has_units, "turn.bonus", "only works with unit.kind = \"none\""),
            (turn.bonus.contains(&0), "turn.bonus", "must not contain 0"),
            (is_any_order && !has_bonus, "turn.bonus_order", "\"any\" only works with turn.bonus"),
            (
                is_any_order && turn.bonus.contains(&1),
                "turn.bonus_order",
                "must be \"after\" if turn.bonus contains 1: the throw and the step would look alike",
            ),
            (
                has_bonus && gate.at != 0 && gate.without == Without::Wait,
                "turn.bonus",
                "does not work with a gate unless gate.without is \"lap\" or \"open\"",
            ),
            (
                turn.must == Must::NoMerge && (has_bonus || comes_first),
                "turn.must",
                "must be \"one\" or \"optional\" with turn.bonus, entry.compulsory or entry.clear",
            ),
            (
                (has_parts || !entry.spends) && (turn.again_on_finish || again_on_marks || comes_first),
                if has_parts { "turn.divide" } else { "entry.spends" },
                "does not work with turn.again_on_finish, throws for marks, entry.compulsory or entry.clear",
            ),
            (
                remembers && pieces.setup != Setup::All(SentTo::Off),
                "entry.first_while",
                "\"never\" only works with pieces.setup = \"off\"",
            ),
            (finish.from_last.contains(&0), "finish.from_last", "must not contain 0"),
            (
                stacking.block == Block::Passing && finish.overshoot == Overshoot::Bounces,
                "finish.overshoot",
                "\"bounces\" does not work with stacking.block = \"passing\"",
            ),
            (!unit.passable && has_teams, "unit.passable", "must be true if seats.teams is \"opposite\""),
            (entry.by_bonus && !has_bonus, "entry.by_bonus", "only works with turn.bonus"),
            (entry.by_bonus && by_count, "entry.by_bonus", "does not work with entry.at = \"count\""),
            (entry.by_bonus && !is_any, "entry.first", "entry.first and entry.next must be \"any\" with by_bonus"),
            (entry.clear && by_count, "entry.clear", "does not work with entry.at = \"count\""),
            (
                remembers && entry.first == entry.next,
                "entry.first_while",
                "\"never\" only works if entry.first and entry.next differ",
            ),
            (
                remembers && gate.at != 0,
                "entry.first_while",
                "\"never\" does not work with gate.at: both are written `+`",
            ),
            (stacking.block != Block::None && has_units, "stacking.block", "only works with unit.kind = \"none\""),
            (
                stacking.block != Block::None
                    && [stacking.plain, stacking.marked.into(), stacking.inner.unwrap_or(stacking.plain)]
                        == [Room::One; 3],
                "stacking.block",
                "only works if some squares have room for two pieces: stacking is \"one\" everywhere",
            ),
            (
                stacking.partner == WithPartner::Shares && !has_teams,
                "stacking.partner",
                "\"shares\" only works with seats.teams = \"opposite\"",
            ),
            (has_parts && is_inexact, "finish.overshoot", "must be \"illegal\" if turn.divide is \"finish\""),
            ((has_units || has_parts) && has_last, "finish.from_last", SINGLE),
            (fills && (has_units || has_parts), "finish.fill", SINGLE),
            (fills && !is_single, "stacking.private", "must be \"one\" if finish.fill is true"),
            (fills && turn.again_on_finish, "turn.again_on_finish", "must be false if finish.fill is true"),
            (fills && is_inexact, "finish.overshoot", "must be \"illegal\" if finish.fill is true"),
            (fills && has_last, "finish.from_last", "must be empty if finish.fill is true"),
        ]);
        let most = self.most_pieces();
        let problem = format!(
            "a seat can have more than {FEW_PIECES} pieces only with turn.kind = \"throw\", unit.kind = \"none\", \
             turn.divide = \"none\" and turn.bonus_order = \"after\""
        );
        let is_wide = !self.is_throw || has_units || has_parts || is_any_order;
        self.report(most > FEW_PIECES && is_wide, "pieces.count", problem);
    }

    fn check_units(&mut self) {
        let Sheet {
            board,
            throws,
            turn,
            stacking,
            unit,
            capture,
            gate,
            finish,
            ..
        } = self.sheet;
        let &mut Check {
            is_series,
            is_sum,
            is_dice,
            is_divide,
            ..
        } = self;
        let (has_units, is_declared) =
            (unit.kind != UnitKind::None, unit.kind == UnitKind::Declared);
        let (has_gate, is_closed) = (gate.at != 0, board.mark_rule == MarkRule::Closed);
        self.report_unthrown("unit.three", &unit.three, false);
        self.report_all([
            (
                !unit.three.is_empty() && throws.dice < 3,
                "unit.three",
                "only works with throws.dice = 3 or 4",
            ),
            (
                self.has_dice && is_declared,
                "unit.kind",
                "must be \"none\" or \"together\" for a series of several dice",
            ),
            (
                is_declared && unit.from.is_empty(),
                "unit.from",
                "must name a square if unit.kind is \"declared\"",
            ),
            (
                is_declared && unit.area != Area::Any,
                "unit.area",
                "must be \"any\" if unit.kind is \"declared\"",
            ),
            (
                unit.area == Area::Inner && !has_gate,
                "unit.area",
                "\"inner\" only works with gate.at",
            ),
            (
                stacking.inner.is_some() && !has_gate,
                "stacking.inner",
                "only works with gate.at",
            ),
            (
                !unit.passable && !is_closed,
                "unit.passable",
                "false only works with board.mark_rule = \"closed\"",
            ),
            (
                is_divide && has_units,
                "unit.kind",
                "must be \"none\" with turn.kind = \"divide\"",
            ),
            (
                is_divide && *stacking != super::Stacking::default(),
                "stacking",
                DIVIDED,
            ),
            (
                is_divide && board.mark_rule != MarkRule::Share,
                "board.mark_rule",
                DIVIDED,
            ),
        ]);
        let smallest = throws
            .values
            .iter()
            .filter(|value| !turn.stop.contains(value))
            .min();
        let bears_by_other = finish.bear_off.iter().any(|&value| value != 1);
        let is_crowded = *stacking != super::Stacking::default() || is_closed;
        let is_barred = capture.single_on_unit == Meeting::Barred;
        self.report_all([
            (
                is_sum && smallest != Some(&1),
                "turn.stop",
                "the smallest of throws.values that is missing here must be 1 with turn.hop = \"sum\"",
            ),
            (is_sum && bears_by_other, "finish.bear_off", "must be [1] with turn.hop = \"sum\""),
            (is_series && turn.stop.len() > 3, "turn.stop", "must have at most three values"),
            (
                is_sum && is_crowded,
                "stacking",
                "must be left out with turn.hop = \"sum\", and board.mark_rule must not be \"closed\"",
            ),
            (is_sum && is_barred, "capture.single_on_unit", "must be \"takes\" or \"shares\" with turn.hop = \"sum\""),
        ]);
        if !is_dice {
            return;
        }
        let is_usual = unit.kind == UnitKind::Together
            && unit.area == Area::Any
            && unit.speed == Speed::Full
            && unit.split;
        let is_roomy = stacking.plain == Room::Two
            && stacking.private.unwrap_or(Room::Two) == Room::Any
            && stacking.inner.is_none();
        let takes = *capture
            == super::Capture {
                single_on_unit: Meeting::Barred,
                ..Default::default()
            };
        let is_shared = board.marks.is_empty()
            || board.mark_rule == MarkRule::Share && stacking.marked == MarkRoom::Any;
        self.report_all([
            (
                !is_usual,
                "unit",
                "turn.kind = \"dice\" needs unit.kind = \"together\" and the defaults of unit.area, unit.speed and \
                 unit.split",
            ),
            (
                !is_roomy,
                "stacking",
                "turn.kind = \"dice\" needs stacking.plain = \"two\", stacking.private = \"any\" and no stacking.inner",
            ),
            (
                !takes,
                "capture",
                "turn.kind = \"dice\" needs capture.single_on_unit = \"barred\" and the defaults of its other keys",
            ),
            (
                !is_shared,
                "board.mark_rule",
                "marks with turn.kind = \"dice\" need board.mark_rule = \"share\" and stacking.marked = \"any\"",
            ),
        ]);
    }

    fn most_pieces(&self) -> u8 {
        let pieces = &self.sheet.pieces;
        pieces.allowed.iter().copied().fold(pieces.count, u8::max)
    }
}
