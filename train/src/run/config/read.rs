//! Validation of the settings: checks each value against the allowed values of its field.
//!
//! Collects all problems, so that a user can correct all of them together. Opponents are checked
//! later, when they are loaded.

use std::collections::BTreeMap;
use std::path::Path;

use ashta_agents::learn::config::Allowed::{
    self, Above, Name, Names, Number, Or, Switch, Text, Whole, Widths, Word,
};
use ashta_agents::learn::config::NONE;
use ashta_env::ruleset::{Ruleset, RulesetProblem};
use ashta_env::sheet::{Sheet, builtin};
use serde::Deserialize;
use toml::{Table, Value};

use super::raw::{FLAGS, Origin, RawConfig, RawEntry};
use super::{Config, RulesetConfig, SECTIONS};
use crate::run::sheet_file;

/// If a setting has this value, the program chooses the value: the name of a run, or a number that
/// depends on the machines.
pub const AUTO: &str = "auto";

/// The largest number of hidden layers of a network, and of units in a layer.
const MOST_LAYERS: usize = 8;
const MOST_UNITS: i64 = 4096;

/// The largest number of names in a list.
const MOST_NAMES: usize = 100;

/// The largest number of characters of a value that an error shows.
const QUOTED: usize = 200;

/// The allowed names of runs, and the allowed lists of names, in words.
const NAME: &str = "a name in quotation marks: letters, digits, \"-\", \"_\" and \".\", without \".\" at the beginning";
const NAMES: &str = "a list of at most 100 different names such as [\"random\", \"greedy\"]";

/// If `value` is not allowed, returns the allowed values in words.
fn refusal(allowed: Allowed, value: &Value) -> Option<String> {
    let number = value
        .as_float()
        .or_else(|| value.as_integer().map(|number| number as f64))
        .unwrap_or(f64::NAN);
    let text = value.as_str();
    let (is_allowed, expected) = match allowed {
        Or(word, _) if text == Some(word) => return None,
        Or(word, allowed) => return Some(format!("{} or \"{word}\"", refusal(*allowed, value)?)),
        Whole(low, high) => (
            is_whole(value, low, high),
            format!("a whole number from {low} to {high}"),
        ),
        Number(low, high) => (
            (low..=high).contains(&number),
            format!("a number from {low} to {high}"),
        ),
        Above(low, high) => (
            number > low && number <= high,
            format!("a number above {low} and at most {high}"),
        ),
        Switch => (value.is_bool(), "true or false".to_owned()),
        Text(what) => (
            text.is_some_and(|text| !text.is_empty()),
            format!("{what}, in quotation marks"),
        ),
        Word(words) => (
            text.is_some_and(|word| words.contains(&word)),
            format!("one of {}", words.join(", ")),
        ),
        Name => (text.is_some_and(is_folder_name), NAME.to_owned()),
        Names => (
            value.as_array().is_some_and(|names| are_names(names)),
            NAMES.to_owned(),
        ),
        Widths => {
            let expected = format!(
                "a list of 1 to {MOST_LAYERS} whole numbers from 1 to {MOST_UNITS} such as [128] or [128, 32]"
            );
            (
                value.as_array().is_some_and(|widths| are_widths(widths)),
                expected,
            )
        }
    };
    (!is_allowed).then_some(expected)
}

fn is_whole(value: &Value, low: i64, high: i64) -> bool {
    value
        .as_integer()
        .is_some_and(|number| (low..=high).contains(&number))
}

/// Reads the settings of `raw`. If `raw` does not name the run, its name is `run_name`.
///
/// # Errors
/// When a value is not valid. Returns all problems.
pub fn read(raw: &RawConfig, run_name: &str) -> Result<Config, Vec<String>> {
    let mut reader = Reader {
        raw,
        problems: raw.problems(),
    };
    let (mut table, mut is_game_refused) = (Table::new(), false);
    for (section, keys) in SECTIONS {
        let mut values = Table::new();
        for &(name, allowed) in keys {
            let key = format!("{section}.{name}");
            let value = &raw.entry(&key).value;
            if let Some(expected) = refusal(allowed, value) {
                reader.refuse(&key, &value.to_string(), &expected);
                is_game_refused |= section == "ruleset";
            } else if key == "run.name" && value.as_str() == Some(AUTO) {
                values.insert(name.to_owned(), run_name.into());
            } else if !matches!(allowed, Or(word, _) if value.as_str() == Some(word)) {
                values.insert(name.to_owned(), value.clone());
            }
        }
        table.insert(section.to_owned(), values.into());
    }
    let invalid = |error: &dyn std::error::Error| vec![error.to_string()];
    let ruleset = reader.ruleset(is_game_refused);
    table.insert(
        "ruleset".to_owned(),
        Value::try_from(ruleset).map_err(|error| invalid(&error))?,
    );
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    let config = Config::deserialize(table).map_err(|error| invalid(&error))?;
    let (capacity, batch) = (
        config.training.learning.replay_capacity,
        config.training.learning.batch,
    );
    if capacity < batch {
        let needed = format!("at least `learning.batch`, which is {batch}");
        reader.refuse("learning.replay_capacity", &capacity.to_string(), &needed);
        return Err(reader.problems);
    }
    Ok(config)
}

/// Collects problems, and reads the ruleset.
struct Reader<'a> {
    raw: &'a RawConfig,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, key: &str, written: &str, expected: &str) {
        let origin = &self.raw.entry(key).origin;
        let start: String = written.chars().take(QUOTED).collect();
        let more = if start.len() < written.len() {
            " …"
        } else {
            ""
        };
        self.problems.push(format!(
            "{origin}: `{key}` is {start}{more}, but must be {expected}"
        ));
    }

    /// The text of a key; empty if its value is not a text.
    fn text(&self, key: &str) -> &'a str {
        self.raw.entry(key).value.as_str().unwrap_or_default()
    }

    /// The game with its sheet, seats and flags. Refuses values that the game does not allow.
    fn ruleset(&mut self, is_refused: bool) -> RulesetConfig {
        let written = self.text("ruleset.game");
        let seats = self
            .raw
            .entry("ruleset.seats")
            .value
            .as_integer()
            .unwrap_or_default();
        let found = self.sheet(written);
        // The problems of a wrong game, sheet or number of seats are already in the list.
        let is_refused = is_refused || found.is_none();
        let (game, sheet) = found.unwrap_or_default();
        let seats = usize::try_from(seats).unwrap_or_default();
        let own = self.flags();
        let mut flags = BTreeMap::new();
        for (flag, value) in Ruleset::split(written).1 {
            if flags.insert(flag.to_owned(), value.to_owned()).is_some()
                && self.problems.len() < MOST_NAMES
            {
                self.refuse_ruleset(&RulesetProblem::RepeatedFlag {
                    flag: flag.to_owned(),
                });
            }
        }
        flags.extend(own);
        let mut config = RulesetConfig {
            game,
            seats,
            sheet,
            flags,
        };
        // If the game does not allow the default number of seats, take the first number that it
        // allows.
        if self.raw.entry("ruleset.seats").origin == Origin::Default
            && config.ruleset().is_err()
            && let Ok(ruleset) = config.seated(None)
        {
            config.seats = ruleset.seats().len();
        }
        if !is_refused && let Err(error) = config.ruleset() {
            error
                .problems
                .iter()
                .for_each(|problem| self.refuse_ruleset(problem));
        }
        config
    }

    /// The name of a game, and the text of its sheet if the game is not built in. The sheet is in
    /// the file that `game` names, or in the settings. `None` if the sheet cannot be read or is not
    /// valid.
    fn sheet(&mut self, game: &str) -> Option<(String, Option<String>)> {
        let raw = self.raw;
        let name = Ruleset::split(game).0;
        let written = self.text("ruleset.sheet");
        let (of_game, of_sheet) = (
            &raw.entry("ruleset.game").origin,
            &raw.entry("ruleset.sheet").origin,
        );
        let file_sheet = raw
            .sheet
            .as_ref()
            .filter(|_| matches!(of_game, Origin::File(..)));
        let is_file = sheet_file::is_file(game) || file_sheet.is_some();
        // A game from the command line overrides the sheet in the settings of a run.
        let is_overridden = matches!((of_game, of_sheet), (Origin::Override(_), Origin::File(..)));
        let is_written = !written.is_empty() && written != NONE;
        if is_written && !is_overridden && (is_file || builtin::named(name).is_some()) {
            self.refuse(
                "ruleset.sheet",
                "a sheet",
                &format!("\"none\", because `ruleset.game` is {game}"),
            );
        }
        let found = match (of_game, file_sheet) {
            (Origin::File(file, _), Some(text)) => {
                sheet_file::parse(text, &file.display().to_string(), Sheet::read)
                    .map(|sheet| (sheet, text.clone()))
            }
            (Origin::File(file, _), None) if is_file => {
                sheet_file::read(&file.with_file_name("").join(name))
            }
            _ if is_file => sheet_file::read(Path::new(name)),
            _ if !is_written || builtin::named(name).is_some() => {
                return Some((name.to_owned(), None));
            }
            _ => {
                let origin = &raw.entry("ruleset.sheet").origin;
                // Perhaps an earlier version of the program has saved this sheet.
                let parsed = sheet_file::parse(
                    written,
                    &format!("{origin}: ruleset.sheet"),
                    Sheet::read_saved,
                );
                parsed.map(|sheet| (sheet, written.to_owned()))
            }
        };
        match found {
            Ok((sheet, text)) if sheet.name == name || is_file => {
                let is_own = builtin::named(&sheet.name).is_none();
                Some((sheet.name, is_own.then_some(text)))
            }
            Ok(_) => Some((name.to_owned(), None)),
            Err(error) => {
                self.problems.extend(error.problems);
                None
            }
        }
    }

    /// Adds a problem of the ruleset, with the origin of the wrong value.
    fn refuse_ruleset(&mut self, problem: &RulesetProblem) {
        use RulesetProblem::{RepeatedFlag, Seats, UnknownFlag, Value};
        let written = match problem {
            UnknownFlag { flag, .. } | Value { flag, .. } | RepeatedFlag { flag } => self
                .raw
                .flags()
                .find(|(name, _)| name == flag)
                .map(|(_, entry)| entry),
            Seats { .. } => Some(self.raw.entry("ruleset.seats")),
            _ => None,
        };
        let origin = &written
            .unwrap_or_else(|| self.raw.entry("ruleset.game"))
            .origin;
        self.problems.push(format!("{origin}: {problem}"));
    }

    fn flags(&mut self) -> BTreeMap<String, String> {
        let mut flags = BTreeMap::new();
        for (flag, RawEntry { value, origin }) in self.raw.flags() {
            match value {
                Value::String(text) => drop(flags.insert(flag.to_string(), text.clone())),
                Value::Integer(_) | Value::Boolean(_) => {
                    drop(flags.insert(flag.to_string(), value.to_string()))
                }
                _ => {
                    let expected = "a word in quotation marks, a whole number, true or false";
                    self.problems.push(format!(
                        "{origin}: `{FLAGS}.{flag}` is {value}, but must be {expected}"
                    ));
                }
            }
        }
        flags
    }
}

fn are_names(values: &[Value]) -> bool {
    let is_new =
        |place: usize, name: &Value| name.as_str() != Some("") && !values[..place].contains(name);
    values.len() <= MOST_NAMES
        && values
            .iter()
            .enumerate()
            .all(|(place, name)| name.is_str() && is_new(place, name))
}

fn are_widths(values: &[Value]) -> bool {
    (1..=MOST_LAYERS).contains(&values.len())
        && values.iter().all(|width| is_whole(width, 1, MOST_UNITS))
}

/// Whether `name` can be part of a folder name on every system.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_name_character)
}

/// Whether names of runs are allowed to contain this character.
pub fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}
