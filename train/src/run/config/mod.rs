//! The settings of a run: read from files and the command line, and checked.
//!
//! Settings come from three layers: the defaults of the program (`configs/default.toml`), a
//! settings file, and the options `--set section.key=value`. A later layer overrides an earlier
//! layer. A [`Config`] is complete and valid. If the game is not built in, it also contains the
//! sheet. The crate `ashta_agents` declares the settings of training. This module does not load the
//! opponents.

mod raw;
mod read;

use std::{
    collections::BTreeMap,
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use Allowed::{Or, Text, Whole};
use ashta_agents::{
    learn::{
        config::{
            Allowed, LearningConfig, NONE, NetworkConfig, Section, SelfPlayConfig, TrainConfig,
        },
        net::LearnerDevice,
    },
    network::bot::{MAX_PROBES, without_folder},
    play::files::{open_regular, read_text},
    settings,
};
use ashta_env::{
    ruleset::{Ruleset, RulesetError, RulesetProblem},
    sheet::{Sheet, Sheets},
};
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::run::{
    embedded,
    history::{self, Shaping},
    output::in_line,
    sheet_file,
};
pub use raw::DEFAULTS;
use raw::{FLAGS, RawConfig};
use read::AUTO;

/// Every setting of a run. The names of the fields are the keys of the files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The run as a whole.
    pub run: RunConfig,
    /// The game to play.
    pub ruleset: RulesetConfig,
    /// Networks, self-play and learning.
    #[serde(flatten)]
    pub training: TrainConfig,
    /// Evaluation of strength.
    pub evaluation: EvaluationConfig,
    /// Distribution of a run over many machines.
    pub cluster: ClusterConfig,
    /// The contents of an exported bot.
    pub export: ExportConfig,
}

/// The sections in the order of their fields, with the allowed values of their keys. The game
/// checks the flags of the ruleset.
const SECTIONS: [(&str, &[(&str, Allowed)]); 8] = [
    ("run", RunConfig::ALLOWED),
    ("ruleset", RulesetConfig::ALLOWED),
    ("network", NetworkConfig::ALLOWED),
    ("selfplay", SelfPlayConfig::ALLOWED),
    ("learning", LearningConfig::ALLOWED),
    ("evaluation", EvaluationConfig::ALLOWED),
    ("cluster", ClusterConfig::ALLOWED),
    ("export", ExportConfig::ALLOWED),
];

settings! {
    /// The run as a whole.
    pub struct RunConfig {
        /// Part of the name of the run folder: letters, digits, `-`, `_`, `.`.
        pub name: String => Allowed::Name,
        /// Seed of all random numbers in training.
        pub seed: u64 => Whole(0, i64::MAX),
        /// Folder that contains all run folders.
        pub directory: PathBuf => Text("the path of a folder"),
        /// Number of threads for self-play, learning and evaluation.
        pub threads: usize => Whole(1, 256),
        /// Device of the learner.
        pub device: LearnerDevice => Allowed::Word(&["cpu", "cuda", "wgpu"]),
        /// Iterations between checkpoints.
        pub checkpoint_iterations: u64 => Whole(1, 1_000_000),
        /// Number of newest checkpoints to keep. The run also keeps the best checkpoint.
        pub keep_checkpoints: usize => Whole(1, 10_000),
        /// Time limit of training, in minutes.
        pub time_limit_minutes: Option<f64> => Or(NONE, &Allowed::Above(0.0, 1e6)),
    }
}

/// The game to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesetConfig {
    /// Name of a built-in game, or of the game in `sheet`.
    pub game: String,
    /// Number of seats.
    pub seats: usize,
    /// The text of the sheet, if the game is not built in.
    pub sheet: Option<String>,
    /// House rules: the value of each flag as text, such as `2` for `pieces` and `true` for
    /// `teams`.
    pub flags: BTreeMap<String, String>,
}

impl Section for RulesetConfig {
    const ALLOWED: &'static [(&'static str, Allowed)] = &[
        (
            "game",
            Text("the name of a game, or a sheet that ends in .toml"),
        ),
        ("seats", Whole(2, 4)),
        ("sheet", Text("a sheet or \"none\"")),
    ];
}

settings! {
    /// Evaluation of strength.
    pub struct EvaluationConfig {
        /// Iterations between short evaluations.
        pub every_iterations: u64 => Whole(1, 1_000_000),
        /// Pairs of games against each opponent of a short evaluation.
        pub pairs: u64 => Whole(1, 10_000_000),
        /// Pairs of games against each opponent of the evaluation at the end.
        pub final_pairs: u64 => Whole(1, 10_000_000),
        /// Names of the opponents in short evaluations.
        pub during: Vec<String> => Allowed::Names,
        /// Names of the opponents in the evaluation at the end.
        pub opponents: Vec<String> => Allowed::Names,
        /// Whether each evaluation computes the best response to the bot.
        pub exploitability: bool => Allowed::Switch,
        /// Seed of the evaluation games.
        pub seed: u64 => Whole(0, i64::MAX),
    }
}

settings! {
    /// Distribution of a run over many machines.
    pub struct ClusterConfig {
        /// Number of actors, which play the games. `None` means one actor on each core.
        pub actors: Option<u64> => Or(AUTO, &Whole(1, 100_000)),
        /// Games in one call of an actor; `None` divides the games of an iteration among all
        /// actors.
        pub games_per_task: Option<u64> => Or(AUTO, &Whole(1, 1_000_000)),
    }
}

settings! {
    /// The contents of an exported bot.
    pub struct ExportConfig {
        /// Number of positions with their evaluations in the bot file, as tests for other programs
        /// that read the file.
        pub probes: usize => Whole(0, MAX_PROBES as i64),
    }
}

impl RulesetConfig {
    /// Returns the ruleset of these settings.
    ///
    /// # Errors
    /// When the ruleset is not valid. [`Config::load`] returns only valid rulesets.
    pub fn ruleset(&self) -> Result<Ruleset, RulesetError> {
        self.seated(Some(self.seats))
    }

    /// Returns the ruleset for `count` seats; without `count`, for the first number of seats that
    /// the game allows.
    fn seated(&self, count: Option<usize>) -> Result<Ruleset, RulesetError> {
        let flags = self
            .flags
            .iter()
            .map(|(flag, value)| (flag.as_str(), value.as_str()));
        let sheet = match &self.sheet {
            Some(text) => {
                Arc::new(Sheet::read_saved(text, "ruleset.sheet").map_err(RulesetProblem::from)?)
            }
            None => Arc::clone(Sheets::default().named(&self.game)?),
        };
        Ruleset::seated_of(sheet, count, flags)
    }
}

/// The longest settings file, in bytes; it can contain a sheet.
const LONGEST: u64 = 8 << 20;

impl Config {
    /// `seconds` of training as a share of the time limit; 0 without a limit.
    pub fn time_share(&self, seconds: f64) -> f64 {
        self.run
            .time_limit_minutes
            .map_or(0.0, |minutes| seconds / (60.0 * minutes))
    }

    /// Loads the settings of `file`, which override the defaults, and `overrides` (each
    /// `section.key=value`), which override the file. `file` can be a settings file, a sheet (the
    /// game of the run), or the name of a built-in configuration. House rules can follow it:
    /// `my.toml?pieces=2`. If the settings do not name the run, it gets the name of the file;
    /// without a file, it gets the name of the game.
    ///
    /// # Errors
    /// When the file cannot be read, a key is unknown or a value is not allowed. The error lists
    /// every such key and value, with file and line.
    pub fn load(file: Option<&Path>, overrides: &[String]) -> Result<Config, ConfigError> {
        let Some(path) = file else {
            return Config::parse(None, overrides);
        };
        let written = path.to_string_lossy();
        let (name, flags) = Ruleset::split(&written);
        // The name of a file can contain a `?`.
        let (path, flags) = if path.is_file() {
            (path, None)
        } else {
            (Path::new(name), Some(flags))
        };
        let overrides: Vec<String> = flags
            .into_iter()
            .flatten()
            .map(|(flag, value)| format!("{FLAGS}.{flag}={value}"))
            .chain(overrides.iter().cloned())
            .collect();
        let embedded = embedded::CONFIGS
            .iter()
            .find(|(known, _)| path == Path::new(known));
        match (
            File::open(path).and_then(|file| read_text(LONGEST, file)),
            embedded,
        ) {
            (Ok(text), _) => Config::parse(Some((path, &text)), &overrides),
            (Err(_), Some((_, text))) if !path.is_file() => {
                Config::parse(Some((path, text)), &overrides)
            }
            (Err(error), _) => Err(ConfigError::unreadable(path, &error)),
        }
    }

    /// Loads the settings of the run in the folder `run`, and `overrides`, which override them. The
    /// settings file must contain every key.
    ///
    /// # Errors
    /// As for [`Config::load`]. The error also lists every missing key.
    pub fn of_run(run: &Path, overrides: &[String]) -> Result<Config, ConfigError> {
        let file = &run.join("config.toml");
        if !file.is_file() {
            let problem = format!(
                "{} is not the folder of a run: it has no config.toml",
                run.display()
            );
            return Err(ConfigError {
                problems: vec![problem],
            });
        }
        let text = open_regular(file)
            .and_then(|file| read_text(LONGEST, file))
            .map_err(|error| ConfigError::unreadable(file, &error))?;
        let mut raw = RawConfig::defaults();
        raw.add_saved(file, &text);
        let mut problems: Vec<_> = raw
            .unset_keys()
            .map(|key| format!("{}: `{key}` is missing", file.display()))
            .collect();
        if raw.problems.is_empty() && !problems.is_empty() {
            problems.push(
                "the file is damaged: the settings of a run must contain every key".to_owned(),
            );
            return Err(ConfigError { problems });
        }
        Config::over(raw, Some(file), overrides)
    }

    /// Parses settings that [`Config::to_toml`] has written.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        let (mut raw, file) = (RawConfig::defaults(), Path::new("config.toml"));
        raw.add_saved(file, text);
        Config::over(raw, Some(file), &[])
    }

    fn parse(file: Option<(&Path, &str)>, overrides: &[String]) -> Result<Config, ConfigError> {
        let mut raw = RawConfig::defaults();
        match file {
            Some((path, text)) if sheet_file::is_sheet(text) => raw.add_sheet(path, text),
            Some((path, text)) => raw.add_file(path, text),
            None => {}
        }
        Config::over(raw, file.map(|(path, _)| path), overrides)
    }

    /// Adds the layer `overrides` and checks the settings. If the settings do not name the run, it
    /// gets the name of `file`.
    fn over(
        mut raw: RawConfig,
        file: Option<&Path>,
        overrides: &[String],
    ) -> Result<Config, ConfigError> {
        for text in overrides {
            raw.add_override(text);
        }
        let automatic = file.and_then(|path| path.file_stem()?.to_str());
        let game =
            raw.entry("ruleset.game")
                .value
                .as_str()
                .map(|game| match sheet_file::is_file(game) {
                    true => Path::new(Ruleset::split(game).0)
                        .file_stem()
                        .and_then(|name| name.to_str())
                        .unwrap_or(game),
                    false => game,
                });
        read::read(&raw, &folder_name(automatic.or(game).unwrap_or("run")))
            .map_err(|problems| ConfigError { problems })
    }

    /// Returns all sections as TOML. Every key has a value.
    fn table(&self) -> Table {
        let mut written = Table::try_from(self).expect("every setting can be written as TOML");
        let mut table = Table::new();
        for (name, keys) in SECTIONS {
            let mut section = Table::new();
            for &(key, allowed) in keys {
                let absent = if let Or(word, _) = allowed {
                    word
                } else {
                    NONE
                };
                let value = written[name]
                    .as_table_mut()
                    .and_then(|values| values.remove(key));
                section.insert(key.to_owned(), value.unwrap_or_else(|| absent.into()));
            }
            section.extend(written[name].as_table().cloned().unwrap_or_default());
            table.insert(name.to_owned(), section.into());
        }
        table
    }

    /// Returns the text of a settings file with every key. From this file, [`Config::load`] reads
    /// the same settings.
    pub fn to_toml(&self) -> String {
        let table = self.table();
        format!(
            "# Every setting of this run as it was used. `ashta train --defaults` explains the keys.\n\n{table}"
        )
    }

    /// Returns the same text as [`Config::to_toml`], but without folders: a bot file is written by
    /// its file name.
    pub fn without_paths(&self) -> String {
        let mut config = self.clone();
        config.run.directory = PathBuf::new();
        for agent in config
            .evaluation
            .during
            .iter_mut()
            .chain(&mut config.evaluation.opponents)
        {
            *agent = without_folder(agent).to_owned();
        }
        config.to_toml().replacen("directory = \"\"\n", "", 1)
    }

    /// The settings that shape the bot of a run, except its game.
    pub fn shaping(&self) -> Shaping {
        // Earlier versions had this setting. It stays in the hash, so that recipes do not change.
        let mut shaping = Shaping::from([("cluster.staleness".to_owned(), 0.into())]);
        for (section, values) in &self.table() {
            for (key, value) in values.as_table().into_iter().flatten() {
                let key = format!("{section}.{key}");
                if !NO_PART_OF_RECIPE
                    .iter()
                    .any(|left| *left == section || *left == key)
                {
                    shaping.insert(key, value.clone());
                }
            }
        }
        shaping
    }

    /// Returns the recipe (16 hexadecimal digits): a hash of all settings that shape the bot of a
    /// run, except its game. The recipe changes when a new version of the program adds a setting.
    pub fn recipe(&self) -> String {
        history::recipe(&self.shaping())
    }
}

/// Sections and settings that change neither the weights of the bot nor its final evaluation. The
/// hash of the ruleset identifies the game. Threads and device belong to the machine: they change
/// the number of games within a time limit, and the device also changes the rounding.
const NO_PART_OF_RECIPE: [&str; 12] = [
    "run.name",
    "run.directory",
    "run.threads",
    "run.device",
    "run.checkpoint_iterations",
    "run.keep_checkpoints",
    "ruleset",
    "evaluation.every_iterations",
    "evaluation.pairs",
    "evaluation.during",
    "evaluation.exploitability",
    "cluster",
];

/// The default game of `configs/default.toml`, for commands without a game.
pub fn usual_game() -> String {
    RawConfig::defaults()
        .entry("ruleset.game")
        .value
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// All problems of the settings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", listed(.problems))]
pub struct ConfigError {
    /// The problems, one sentence each, with the file and line or the `--set` option.
    pub problems: Vec<String>,
}

impl ConfigError {
    fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
        let mut problem = format!("cannot read {}: {error}", path.display());
        if error.kind() == ErrorKind::NotFound {
            let names: Vec<&str> = embedded::CONFIGS.iter().map(|(name, _)| *name).collect();
            problem += &format!("; the built-in configurations are {}", names.join(", "));
        }
        ConfigError {
            problems: vec![problem],
        }
    }
}

/// Joins problems. If there are several, the first line states their number.
fn listed(problems: &[String]) -> String {
    let problems: Vec<String> = problems.iter().map(|problem| in_line(problem)).collect();
    match problems.as_slice() {
        [problem] => problem.clone(),
        _ => format!(
            "{} problems in the settings\n  {}",
            problems.len(),
            problems.join("\n  ")
        ),
    }
}

/// Replaces all characters of `text` that a folder name must not contain.
fn folder_name(text: &str) -> String {
    let name: String = text
        .chars()
        .map(|c| if read::is_name_character(c) { c } else { '-' })
        .collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() {
        "run".to_string()
    } else {
        name.to_string()
    }
}

#[cfg(test)]
mod tests;
