//! Validation of the settings: the type and the allowed range of every key, in one place.
//!
//! Collects all problems instead of stopping at the first, so that one attempt is enough to correct a file. The
//! existence of opponents is checked at their look-up, not here.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use ashta_agents::network::bot::MAX_PROBES;
use ashta_env::ruleset::{Ruleset, RulesetProblem};
use ashta_env::sheet::builtin;
use toml::Value;

use super::raw::{FLAGS, Origin, RawConfig, RawEntry};
use super::{
    ClusterConfig, Config, EvaluationConfig, ExportConfig, LearningConfig, NetworkConfig, RulesetConfig, RunConfig,
    SelfplayConfig,
};
use crate::sheet_file;

/// The word that stands for the absence of an optional number.
pub const NONE: &str = "none";
/// The word for what is left open: the name of a run, or a number that follows from the machines.
pub const AUTO: &str = "auto";

/// The settings that `raw` means, named `name` where it leaves the name open.
///
/// # Errors
/// Every problem of `raw`, those of its layers first.
pub fn read(raw: &RawConfig, name: &str) -> Result<Config, Vec<String>> {
    let mut reader = Reader { raw, problems: raw.problems().to_vec() };
    let config = Config {
        run: RunConfig {
            name: reader.name("run.name", name),
            seed: reader.whole("run.seed", 0..=i64::MAX),
            directory: reader.text("run.directory", "the path of a folder").into(),
            threads: reader.whole("run.threads", 1..=256),
            device: reader.one_of("run.device", &["cpu", "cuda", "wgpu"]),
            checkpoint_iterations: reader.whole("run.checkpoint_iterations", 1..=1_000_000),
            keep_checkpoints: reader.whole("run.keep_checkpoints", 1..=10_000),
            time_limit_minutes: reader.optional("run.time_limit_minutes", Range::above(0.0, 1e6)),
        },
        ruleset: reader.ruleset(),
        network: NetworkConfig {
            hidden: reader.widths("network.hidden", 8, 4096),
            policy_hidden: reader.widths("network.policy_hidden", 8, 4096),
        },
        selfplay: SelfplayConfig {
            games: reader.whole("selfplay.games", 1..=1_000_000_000_000),
            games_per_iteration: reader.whole("selfplay.games_per_iteration", 1..=1_000_000),
            alternatives: reader.whole("selfplay.alternatives", 0..=100),
            branch_turns: reader.whole("selfplay.branch_turns", 1..=1000),
            exploration: reader.number("selfplay.exploration", Range::closed(0.0, 1.0)),
            random_start_share: reader.number("selfplay.random_start_share", Range::closed(0.0, 1.0)),
            random_start_turns: reader.whole("selfplay.random_start_turns", 0..=1000),
            turn_limit: reader.whole("selfplay.turn_limit", 1..=1_000_000),
            series_probability: reader.number("selfplay.series_probability", Range::closed(1e-6, 1.0)),
        },
        learning: LearningConfig {
            lambda: reader.number("learning.lambda", Range::closed(0.0, 1.0)),
            lambda_fall: reader.number("learning.lambda_fall", Range::closed(0.0, 1.0)),
            learning_rate: reader.number("learning.learning_rate", Range::above(0.0, 1.0)),
            final_learning_rate_share: reader.number("learning.final_learning_rate_share", Range::closed(0.0, 1.0)),
            decay_start: reader.number("learning.decay_start", Range::closed(0.0, 1.0)),
            batch: reader.whole("learning.batch", 1..=65_536),
            replay_capacity: reader.whole("learning.replay_capacity", 1..=100_000_000),
            replays: reader.number("learning.replays", Range::above(0.0, 100.0)),
            policy_weight: reader.number("learning.policy_weight", Range::closed(0.0, 100.0)),
            policy_temperature: reader.number("learning.policy_temperature", Range::above(0.0, 10.0)),
            ema: reader.optional("learning.ema", Range::closed(0.0, 0.999_999)),
            gradient_clip: reader.optional("learning.gradient_clip", Range::above(0.0, 1e6)),
            weight_decay: reader.number("learning.weight_decay", Range::closed(0.0, 1.0)),
            luck_correction: reader.switch("learning.luck_correction"),
        },
        evaluation: EvaluationConfig {
            every_iterations: reader.whole("evaluation.every_iterations", 1..=1_000_000),
            pairs: reader.whole("evaluation.pairs", 1..=10_000_000),
            final_pairs: reader.whole("evaluation.final_pairs", 1..=10_000_000),
            during: reader.names("evaluation.during"),
            opponents: reader.names("evaluation.opponents"),
            exploitability: reader.switch("evaluation.exploitability"),
            seed: reader.whole("evaluation.seed", 0..=i64::MAX),
        },
        cluster: ClusterConfig {
            actors: reader.count("cluster.actors", 1..=100_000),
            games_per_task: reader.count("cluster.games_per_task", 1..=1_000_000),
            staleness: reader.whole("cluster.staleness", 0..=100),
            learner_cores: reader.whole("cluster.learner_cores", 0..=1000),
            evaluator_cores: reader.whole("cluster.evaluator_cores", 0..=1000),
        },
        export: ExportConfig { probes: reader.whole("export.probes", 0..=MAX_PROBES as i64) },
    };
    // A capacity of zero was refused above.
    let (capacity, batch) = (config.learning.replay_capacity, config.learning.batch);
    if (1..batch).contains(&capacity) {
        let needed = format!("at least `learning.batch`, which is {batch}");
        reader.refuse("learning.replay_capacity", &capacity.to_string(), &needed);
    }
    if reader.problems.is_empty() { Ok(config) } else { Err(reader.problems) }
}

/// The numbers that a key allows.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
    includes_low: bool,
}

impl Range {
    /// From `low` to `high`, both allowed.
    fn closed(low: f64, high: f64) -> Range {
        Range { low, high, includes_low: true }
    }

    /// More than `low`, up to `high`.
    fn above(low: f64, high: f64) -> Range {
        Range { low, high, includes_low: false }
    }

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

/// Reads values of known keys. After a problem it returns some value of the type, and the whole result is discarded.
struct Reader<'a> {
    raw: &'a RawConfig,
    problems: Vec<String>,
}

impl Reader<'_> {
    fn refuse(&mut self, key: &str, written: &str, expected: &str) {
        let origin = &self.raw.entry(key).origin;
        self.problems.push(format!("{origin}: `{key}` is {written}, but must be {expected}"));
    }

    fn refuse_value(&mut self, key: &str, expected: &str) {
        let raw = self.raw;
        self.refuse(key, &raw.entry(key).value.to_string(), expected);
    }

    /// The game with its sheet, its seats and its flags; refuses what the game does not take.
    fn ruleset(&mut self) -> RulesetConfig {
        let written = self.text("ruleset.game", "the name of a game, or a sheet that ends in .toml");
        let seats = self.whole("ruleset.seats", 2..=4);
        let found = self.sheet(&written);
        let flags = self.flags();
        // What is no number of seats, no game or no sheet was refused above.
        let is_refused = written.is_empty() || found.is_none() || seats == 0;
        let (game, sheet) = found.unwrap_or_default();
        let mut config = RulesetConfig { game, seats, sheet, flags };
        let behind: Vec<(&str, &str)> = Ruleset::split(&written).1.collect();
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
        let written = self.text("ruleset.sheet", "a sheet or \"none\"");
        let found = match &raw.entry("ruleset.game").origin {
            Origin::File(file, _) if sheet_file::is_file(game) => sheet_file::read(&file.with_file_name("").join(name)),
            _ if sheet_file::is_file(game) => sheet_file::read(Path::new(name)),
            _ if written.is_empty() || written == NONE || builtin::named(name).is_some() => {
                return Some((name.to_owned(), None));
            }
            _ => {
                let origin = &raw.entry("ruleset.sheet").origin;
                sheet_file::parse(&written, &format!("{origin}: ruleset.sheet")).map(|sheet| (sheet, written))
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

    fn whole<T: TryFrom<i64> + Default>(&mut self, key: &str, range: RangeInclusive<i64>) -> T {
        let written = self.raw.entry(key).value.as_integer().filter(|number| range.contains(number));
        written.and_then(|number| T::try_from(number).ok()).unwrap_or_else(|| {
            self.refuse_value(key, &format!("a whole number from {} to {}", range.start(), range.end()));
            T::default()
        })
    }

    /// A whole number, or nothing where it is left open.
    fn count(&mut self, key: &str, range: RangeInclusive<i64>) -> Option<u64> {
        let value = &self.raw.entry(key).value;
        if value.as_str() == Some(AUTO) {
            return None;
        }
        let number = value.as_integer().filter(|number| range.contains(number));
        if number.is_none() {
            let (start, end) = (range.start(), range.end());
            self.refuse_value(key, &format!("a whole number from {start} to {end} or \"{AUTO}\""));
        }
        number.and_then(|number| u64::try_from(number).ok())
    }

    fn number(&mut self, key: &str, range: Range) -> f64 {
        as_number(&self.raw.entry(key).value).filter(|&number| range.contains(number)).unwrap_or_else(|| {
            self.refuse_value(key, &range.describe());
            0.0
        })
    }

    fn optional(&mut self, key: &str, range: Range) -> Option<f64> {
        let value = &self.raw.entry(key).value;
        if value.as_str() == Some(NONE) {
            return None;
        }
        let number = as_number(value).filter(|&number| range.contains(number));
        if number.is_none() {
            self.refuse_value(key, &format!("{} or \"{NONE}\"", range.describe()));
        }
        number
    }

    fn switch(&mut self, key: &str) -> bool {
        self.raw.entry(key).value.as_bool().unwrap_or_else(|| {
            self.refuse_value(key, "true or false");
            false
        })
    }

    fn text(&mut self, key: &str, what: &str) -> String {
        match self.raw.entry(key).value.as_str() {
            Some(text) if !text.is_empty() => text.to_string(),
            _ => {
                self.refuse_value(key, &format!("{what}, in quotation marks"));
                String::new()
            }
        }
    }

    fn one_of(&mut self, key: &str, choices: &[&str]) -> String {
        let written = self.raw.entry(key).value.as_str();
        written.filter(|text| choices.contains(text)).map_or_else(
            || {
                self.refuse_value(key, &format!("one of {}", choices.join(", ")));
                String::new()
            },
            str::to_owned,
        )
    }

    fn name(&mut self, key: &str, automatic: &str) -> String {
        match self.raw.entry(key).value.as_str() {
            Some(AUTO) => automatic.to_string(),
            Some(name) if is_folder_name(name) => name.to_string(),
            _ => {
                let expected =
                    "a name in quotation marks, of letters, digits, \"-\", \"_\" and \".\", not beginning with \".\"";
                self.refuse_value(key, expected);
                String::new()
            }
        }
    }

    fn names(&mut self, key: &str) -> Vec<String> {
        let as_name = |value: &Value| value.as_str().filter(|name| !name.is_empty()).map(str::to_string);
        let names: Option<Vec<String>> =
            self.raw.entry(key).value.as_array().and_then(|values| values.iter().map(as_name).collect());
        let is_set = |names: &Vec<String>| names.iter().enumerate().all(|(place, name)| !names[..place].contains(name));
        names.filter(is_set).unwrap_or_else(|| {
            self.refuse_value(key, "a list of different names such as [\"random\", \"greedy\"]");
            Vec::new()
        })
    }

    fn widths(&mut self, key: &str, most_layers: usize, most_units: usize) -> Vec<usize> {
        let as_width =
            |value: &Value| usize::try_from(value.as_integer()?).ok().filter(|n| (1..=most_units).contains(n));
        let widths: Option<Vec<usize>> =
            self.raw.entry(key).value.as_array().and_then(|values| values.iter().map(as_width).collect());
        widths.filter(|widths| (1..=most_layers).contains(&widths.len())).unwrap_or_else(|| {
            let expected =
                format!("a list of 1 to {most_layers} whole numbers from 1 to {most_units} such as [128] or [128, 32]");
            self.refuse_value(key, &expected);
            Vec::new()
        })
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

/// Whether `name` can be part of the name of a folder on every system.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_name_character)
}

/// Letters, digits, `-`, `_` and `.`, as in the names of runs.
pub fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}
