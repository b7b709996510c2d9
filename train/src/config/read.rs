//! Validation of the settings: the kind of value and the allowed range of every key, in one table.
//!
//! Collects all problems instead of stopping at the first, so that one attempt is enough to correct a file. The
//! existence of opponents is checked at their look-up, not here.

use std::collections::BTreeMap;
use std::path::Path;

use ashta_agents::network::bot::MAX_PROBES;
use ashta_env::ruleset::{Ruleset, RulesetProblem};
use ashta_env::sheet::builtin;
use serde::Deserialize;
use toml::{Table, Value};

use super::raw::{FLAGS, Origin, RawConfig, RawEntry};
use super::{Config, RulesetConfig, suggest};
use crate::sheet_file;

/// The word that stands for the absence of an optional value.
pub const NONE: &str = "none";
/// The word for what is left open: the name of a run, or a number that follows from the machines.
pub const AUTO: &str = "auto";

/// What a key takes.
#[derive(Clone, Copy)]
enum ValueKind {
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// The same, or `"auto"`.
    Count(i64, i64),
    /// A number.
    Number(Range),
    /// A number, or `"none"`.
    Optional(Range),
    /// True or false.
    Switch,
    /// A text that is not empty, and what it is.
    Text(&'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A part of the name of a folder, or `"auto"`.
    Name,
    /// Different texts.
    Names,
    /// The widths of the hidden layers of a network.
    Widths,
}

use ValueKind::{Count, Name, Names, Number, Optional, Switch, Text, Whole, Widths, Word};

/// Most hidden layers of a network, and most units of one.
const MOST_LAYERS: usize = 8;
const MOST_UNITS: usize = 4096;

/// Every key with what it takes; the flags of the ruleset are checked by the game.
const KEYS: [(&str, ValueKind); 49] = [
    ("run.name", Name),
    ("run.seed", Whole(0, i64::MAX)),
    ("run.directory", Text("the path of a folder")),
    ("run.threads", Whole(1, 256)),
    ("run.device", Word(&["cpu", "cuda", "wgpu"])),
    ("run.checkpoint_iterations", Whole(1, 1_000_000)),
    ("run.keep_checkpoints", Whole(1, 10_000)),
    ("run.time_limit_minutes", Optional(above(0.0, 1e6))),
    ("ruleset.game", Text("the name of a game, or a sheet that ends in .toml")),
    ("ruleset.seats", Whole(2, 4)),
    ("ruleset.sheet", Text("a sheet or \"none\"")),
    ("network.hidden", Widths),
    ("network.policy_hidden", Widths),
    ("selfplay.games", Whole(1, 1_000_000_000_000)),
    ("selfplay.games_per_iteration", Whole(1, 1_000_000)),
    ("selfplay.alternatives", Whole(0, 100)),
    ("selfplay.branch_turns", Whole(1, 1000)),
    ("selfplay.exploration", Number(closed(0.0, 1.0))),
    ("selfplay.random_start_share", Number(closed(0.0, 1.0))),
    ("selfplay.random_start_turns", Whole(0, 1000)),
    ("selfplay.turn_limit", Whole(1, 1_000_000)),
    ("selfplay.series_probability", Number(closed(1e-6, 1.0))),
    ("learning.lambda", Number(closed(0.0, 1.0))),
    ("learning.lambda_fall", Number(closed(0.0, 1.0))),
    ("learning.learning_rate", Number(above(0.0, 1.0))),
    ("learning.final_learning_rate_share", Number(closed(0.0, 1.0))),
    ("learning.decay_start", Number(closed(0.0, 1.0))),
    ("learning.batch", Whole(1, 65_536)),
    ("learning.replay_capacity", Whole(1, 100_000_000)),
    ("learning.replays", Number(above(0.0, 100.0))),
    ("learning.policy_weight", Number(closed(0.0, 100.0))),
    ("learning.policy_temperature", Number(closed(1e-6, 10.0))),
    ("learning.ema", Optional(closed(0.0, 0.999_999))),
    ("learning.gradient_clip", Optional(above(0.0, 1e6))),
    ("learning.weight_decay", Number(closed(0.0, 1.0))),
    ("learning.luck_correction", Switch),
    ("evaluation.every_iterations", Whole(1, 1_000_000)),
    ("evaluation.pairs", Whole(1, 10_000_000)),
    ("evaluation.final_pairs", Whole(1, 10_000_000)),
    ("evaluation.during", Names),
    ("evaluation.opponents", Names),
    ("evaluation.exploitability", Switch),
    ("evaluation.seed", Whole(0, i64::MAX)),
    ("cluster.actors", Count(1, 100_000)),
    ("cluster.games_per_task", Count(1, 1_000_000)),
    ("cluster.staleness", Whole(0, 100)),
    ("cluster.learner_cores", Whole(0, 1000)),
    ("cluster.evaluator_cores", Whole(0, 1000)),
    ("export.probes", Whole(0, MAX_PROBES as i64)),
];

impl ValueKind {
    /// What was expected instead of `value`; `None` where it is allowed.
    fn refusal(self, value: &Value) -> Option<String> {
        let is_whole = |low: i64, high: i64| value.as_integer().is_some_and(|number| (low..=high).contains(&number));
        let is_within = |range: Range| as_number(value).is_some_and(|number| range.contains(number));
        let is_word = |word: &str| value.as_str() == Some(word);
        let (is_allowed, expected) = match self {
            Whole(low, high) => (is_whole(low, high), format!("a whole number from {low} to {high}")),
            Count(low, high) => {
                let expected = format!("a whole number from {low} to {high} or \"{AUTO}\"");
                (is_word(AUTO) || is_whole(low, high), expected)
            }
            Number(range) => (is_within(range), range.describe()),
            Optional(range) => (is_word(NONE) || is_within(range), format!("{} or \"{NONE}\"", range.describe())),
            Switch => (value.is_bool(), "true or false".to_owned()),
            Text(what) => (value.as_str().is_some_and(|text| !text.is_empty()), format!("{what}, in quotation marks")),
            Word(words) => (words.iter().any(|word| is_word(word)), format!("one of {}", words.join(", "))),
            Name => {
                let expected =
                    "a name in quotation marks, of letters, digits, \"-\", \"_\" and \".\", not beginning with \".\"";
                (value.as_str().is_some_and(is_folder_name), expected.to_owned())
            }
            Names => {
                let expected = "a list of different names such as [\"random\", \"greedy\"]";
                (value.as_array().is_some_and(|names| are_names(names)), expected.to_owned())
            }
            Widths => {
                let expected = format!(
                    "a list of 1 to {MOST_LAYERS} whole numbers from 1 to {MOST_UNITS} such as [128] or [128, 32]"
                );
                (value.as_array().is_some_and(|widths| are_widths(widths)), expected)
            }
        };
        (!is_allowed).then_some(expected)
    }

    /// Whether `value` is the word for an absent value.
    fn is_absent(self, value: &Value) -> bool {
        match self {
            Optional(_) => value.as_str() == Some(NONE),
            Count(..) => value.as_str() == Some(AUTO),
            _ => false,
        }
    }
}

/// The settings that `raw` means, named `name` where it leaves the name open.
///
/// # Errors
/// Every problem of `raw`, those of its layers first.
pub fn read(raw: &RawConfig, name: &str) -> Result<Config, Vec<String>> {
    let mut reader = Reader { raw, problems: raw.problems() };
    let mut table = Table::new();
    let mut is_game_refused = false;
    for (key, kind) in KEYS {
        let (section, last) = suggest::split(key);
        let value = &raw.entry(key).value;
        if let Some(expected) = kind.refusal(value) {
            reader.refuse(key, &value.to_string(), &expected);
            is_game_refused |= section == "ruleset";
        } else if !kind.is_absent(value) {
            let value = if key == "run.name" && value.as_str() == Some(AUTO) { name.into() } else { value.clone() };
            let section = table.entry(section).or_insert_with(|| Table::new().into());
            section.as_table_mut().expect("sections are tables").insert(last.to_owned(), value);
        }
    }
    let ruleset = reader.ruleset(is_game_refused);
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    table.insert("ruleset".to_owned(), ruleset.to_value());
    let config = Config::deserialize(table).map_err(|error| vec![error.to_string()])?;
    let (capacity, batch) = (config.learning.replay_capacity, config.learning.batch);
    if capacity < batch {
        let needed = format!("at least `learning.batch`, which is {batch}");
        reader.refuse("learning.replay_capacity", &capacity.to_string(), &needed);
        return Err(reader.problems);
    }
    Ok(config)
}

/// The numbers that a key allows.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
    includes_low: bool,
}

/// From `low` to `high`, both allowed.
const fn closed(low: f64, high: f64) -> Range {
    Range { low, high, includes_low: true }
}

/// More than `low`, up to `high`.
const fn above(low: f64, high: f64) -> Range {
    Range { low, high, includes_low: false }
}

impl Range {
    fn contains(self, number: f64) -> bool {
        (number > self.low || self.includes_low && number == self.low) && number <= self.high
    }

    fn describe(self) -> String {
        if self.includes_low {
            format!("a number from {} to {}", self.low, self.high)
        } else {
            format!("a number above {} and at most {}", self.low, self.high)
        }
    }
}

/// Collects problems, and reads the ruleset.
struct Reader<'a> {
    raw: &'a RawConfig,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, key: &str, written: &str, expected: &str) {
        let origin = &self.raw.entry(key).origin;
        self.problems.push(format!("{origin}: `{key}` is {written}, but must be {expected}"));
    }

    /// The text of a key, empty where it is none.
    fn text(&self, key: &str) -> &'a str {
        self.raw.entry(key).value.as_str().unwrap_or_default()
    }

    /// The game with its sheet, its seats and its flags; refuses what the game does not take.
    fn ruleset(&mut self, is_refused: bool) -> RulesetConfig {
        let written = self.text("ruleset.game");
        let seats = self.raw.entry("ruleset.seats").value.as_integer().and_then(|seats| usize::try_from(seats).ok());
        let found = self.sheet(written);
        let flags = self.flags();
        // What is no number of seats, no game or no sheet has been refused.
        let is_refused = is_refused || found.is_none();
        let (game, sheet) = found.unwrap_or_default();
        let seats = seats.unwrap_or_default();
        let mut config = RulesetConfig { game, seats, sheet, flags };
        let behind: Vec<(&str, &str)> = Ruleset::split(written).1.collect();
        for (at, &(flag, value)) in behind.iter().enumerate() {
            if behind[..at].iter().any(|(other, _)| *other == flag) {
                self.refuse_ruleset(&RulesetProblem::RepeatedFlag { flag: flag.to_owned() });
            }
            config.flags.entry(flag.to_owned()).or_insert_with(|| value.to_owned());
        }
        if let Err(error) = config.ruleset()
            && !is_refused
        {
            error.problems.iter().for_each(|problem| self.refuse_ruleset(problem));
        }
        config
    }

    /// The name of a game, and of one that is not built in the text of its sheet: in the file that `game` names, or
    /// written in the settings. `None` where there is no such file or it is no sheet.
    fn sheet(&mut self, game: &str) -> Option<(String, Option<String>)> {
        let raw = self.raw;
        let name = Ruleset::split(game).0;
        let written = self.text("ruleset.sheet");
        let found = match &raw.entry("ruleset.game").origin {
            Origin::File(file, _) if sheet_file::is_file(game) => sheet_file::read(&file.with_file_name("").join(name)),
            _ if sheet_file::is_file(game) => sheet_file::read(Path::new(name)),
            _ if written.is_empty() || written == NONE || builtin::named(name).is_some() => {
                return Some((name.to_owned(), None));
            }
            _ => {
                let origin = &raw.entry("ruleset.sheet").origin;
                sheet_file::parse(written, &format!("{origin}: ruleset.sheet")).map(|sheet| (sheet, written.to_owned()))
            }
        };
        match found {
            Ok((sheet, text)) if sheet.name == name || sheet_file::is_file(game) => {
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

    /// Says where something that the game does not take was written.
    fn refuse_ruleset(&mut self, problem: &RulesetProblem) {
        use RulesetProblem::{RepeatedFlag, Seats, UnknownFlag, Value};
        let written = match problem {
            UnknownFlag { flag, .. } | Value { flag, .. } | RepeatedFlag { flag } => {
                self.raw.flags().find(|(name, _)| name == flag).map(|(_, entry)| entry)
            }
            Seats { .. } => Some(self.raw.entry("ruleset.seats")),
            _ => None,
        };
        let origin = &written.unwrap_or_else(|| self.raw.entry("ruleset.game")).origin;
        self.problems.push(format!("{origin}: {problem}"));
    }

    fn flags(&mut self) -> BTreeMap<String, String> {
        let mut flags = BTreeMap::new();
        for (flag, RawEntry { value, origin }) in self.raw.flags() {
            match value {
                Value::String(text) => drop(flags.insert(flag.to_string(), text.clone())),
                Value::Integer(_) | Value::Boolean(_) => drop(flags.insert(flag.to_string(), value.to_string())),
                _ => {
                    let expected = "a word in quotation marks, a whole number, true or false";
                    self.problems.push(format!("{origin}: `{FLAGS}.{flag}` is {value}, but must be {expected}"));
                }
            }
        }
        flags
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

fn are_names(values: &[Value]) -> bool {
    let is_new = |place: usize, name: &Value| name.as_str() != Some("") && !values[..place].contains(name);
    values.iter().enumerate().all(|(place, name)| name.is_str() && is_new(place, name))
}

fn are_widths(values: &[Value]) -> bool {
    let width = |value: &Value| usize::try_from(value.as_integer()?).ok();
    let is_width = |value: &Value| width(value).is_some_and(|width| (1..=MOST_UNITS).contains(&width));
    (1..=MOST_LAYERS).contains(&values.len()) && values.iter().all(is_width)
}

/// Whether `name` can be part of the name of a folder on every system.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_name_character)
}

/// Letters, digits, `-`, `_` and `.`, as in the names of runs.
pub fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}
