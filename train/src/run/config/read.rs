//! Validation of the settings as a whole: the game with its sheet, seats and flags, and values that
//! depend on other values.
//!
//! Collects all problems, so that a user can correct all of them together. Opponents are checked
//! later, when they are loaded.

use std::{collections::BTreeMap, path::Path};

use ashta_agents::learn::config::{Allowed::Or, NONE};
use ashta_env::{
    form::beginning,
    ruleset::{Ruleset, RulesetProblem},
    sheet::{Sheet, builtin},
};
use serde::Deserialize;
use toml::{Table, Value};

use super::{
    Config, RulesetConfig, SECTIONS,
    raw::{Origin, RawConfig},
};
use crate::run::sheet_file;

/// If a setting has this value, the program chooses the value: the name of a run, or a number that
/// depends on the machines.
pub const AUTO: &str = "auto";

/// The largest number of flags in the name of a game whose repetition is reported.
const MOST_FLAGS: usize = 100;

/// The allowed names of runs, in words.
const NAME: &str =
    "a name of letters, digits, \"-\", \"_\" and \".\", without \".\" at the beginning";

/// Reads the settings of `raw`. If `raw` does not name the run, its name is `run_name`.
///
/// # Errors
/// When a value is not valid. Returns all problems.
pub fn read(raw: &RawConfig, run_name: &str) -> Result<Config, Vec<String>> {
    let mut reader = Reader {
        raw,
        problems: raw.problems.clone(),
    };
    let mut table = Table::new();
    for (section, keys) in SECTIONS {
        let mut values = Table::new();
        for &(name, allowed) in keys {
            let key = format!("{section}.{name}");
            let value = &raw.entry(&key).value;
            if key == "run.name" && value.as_str() == Some(AUTO) {
                values.insert(name.to_owned(), run_name.into());
            } else if !matches!(allowed, Or(word, _) if value.as_str() == Some(word)) {
                values.insert(name.to_owned(), value.clone());
            }
        }
        table.insert(section.to_owned(), values.into());
    }
    let invalid = |error: &dyn std::error::Error| vec![error.to_string()];
    let ruleset = reader.ruleset();
    let name = &raw.entry("run.name").value;
    if !name.as_str().is_some_and(is_folder_name) {
        reader.refuse("run.name", &name.to_string(), NAME);
    }
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
        let found = beginning(written);
        self.problems
            .push(format!("{origin}: {key}: expected {expected}, not {found}"));
    }

    /// The text of a key; empty if its value is not a text.
    fn text(&self, key: &str) -> &'a str {
        self.raw.entry(key).value.as_str().unwrap_or_default()
    }

    /// The game with its sheet, seats and flags. Refuses values that the game does not allow.
    fn ruleset(&mut self) -> RulesetConfig {
        let written = self.text("ruleset.game");
        let seats = self
            .raw
            .entry("ruleset.seats")
            .value
            .as_integer()
            .unwrap_or_default();
        let found = self.sheet(written);
        // The problems of a wrong sheet are already in the list.
        let is_refused = found.is_none();
        let (game, sheet) = found.unwrap_or_default();
        let seats = usize::try_from(seats).unwrap_or_default();
        let own = self.flags();
        let mut flags = BTreeMap::new();
        for (flag, value) in Ruleset::split(written).1 {
            if flags.insert(flag.to_owned(), value.to_owned()).is_some()
                && self.problems.len() < MOST_FLAGS
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
                sheet_file::parse(
                    written,
                    &format!("{origin}: ruleset.sheet"),
                    Sheet::read_saved,
                )
                .map(|sheet| (sheet, written.to_owned()))
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

    fn flags(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
        self.raw
            .flags()
            .map(|(flag, entry)| (flag.to_owned(), text(&entry.value)))
            .collect()
    }
}

/// Whether `name` can be part of a folder name on every system.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_name_character)
}

/// Whether names of runs are allowed to contain this character.
pub fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}
