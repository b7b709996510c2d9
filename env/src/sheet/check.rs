//! Checks a sheet after parsing: reports values that contradict each other.

mod board;
mod ending;
mod idle;
mod keys;

use std::sync::LazyLock;

use serde::Deserialize;
use toml::{Table, Value};

pub(super) use idle::idle_keys;

use super::{Flag, Sheet, Teams};
use crate::{form::beginning, game::SeatSet, race::turns::KindOfTurn};

/// A dotted key and its problem.
pub type Problem = (String, String);

/// The largest number of values of all house rules together. It is limited because each value is
/// checked with the whole sheet.
pub const MOST_VALUES: usize = 200;

const MOST_PROBLEMS: usize = 100;

/// A sheet in which every optional key has its default.
pub static DEFAULTS: LazyLock<Table> = LazyLock::new(|| {
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
pub fn all(sheet: &Sheet) -> Vec<Problem> {
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
pub fn one(sheet: &Sheet) -> Vec<Problem> {
    let mut check = Check {
        sheet,
        table: sheet.table(),
        kind: KindOfTurn::of(sheet),
        problems: Vec::new(),
    };
    check.check_words();
    check.check_seats();
    check.check_keys();
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
    kind: &'static KindOfTurn,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn report(&mut self, is_wrong: bool, key: &str, message: impl Into<String>) {
        report(&mut self.problems, is_wrong, key, message);
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
}
