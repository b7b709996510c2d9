//! The merged settings before validation: the defaults, then a settings file, then `--set` options.
//!
//! Errors name the origin of a value. The known keys are the keys of `configs/default.toml`, and
//! all keys in the section `ruleset.flags`. The module `read` checks the values.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use ashta_env::sheet::syntax_problems;
use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Value};

use super::suggest;

/// Every key with its default value, and a comment that documents it.
pub const DEFAULTS: &str = include_str!("../../../../configs/default.toml");

/// The section with the flags of the ruleset. Each game has its own flags and checks them.
pub const FLAGS: &str = "ruleset.flags";

/// Keys of earlier versions and their new names.
const RENAMED: [(&str, &str); 1] = [("selfplay.sideline_turns", "selfplay.branch_turns")];

/// Keys of earlier versions that have no effect any more. The settings of a run can contain them.
const REMOVED: [&str; 3] = [
    "cluster.staleness",
    "cluster.learner_cores",
    "cluster.evaluator_cores",
];

/// The origin of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The defaults of the program.
    Default,
    /// A file and a line number.
    File(PathBuf, usize),
    /// The command line: the text after `--set`.
    Override(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => write!(f, "the defaults"),
            Origin::File(path, line) => write!(f, "{}:{line}", path.display()),
            Origin::Override(text) => write!(f, "--set {text}"),
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub struct RawEntry {
    /// The value, not checked yet.
    pub value: Value,
    pub origin: Origin,
}

/// The merged settings. A key includes its section, such as `run.seed`. Every key of the defaults
/// exists; later layers replace single values.
#[derive(Debug)]
pub struct RawConfig {
    entries: BTreeMap<String, RawEntry>,
    /// The text of the sheet, if the file is a sheet and not a settings file.
    pub sheet: Option<String>,
    /// Whether keys of earlier versions that have no effect any more are ignored.
    ignores_removed: bool,
    problems: Vec<String>,
    /// Number of further problems, whose texts are not stored.
    more: usize,
}

/// The largest number of problems whose texts are stored.
const MOST_PROBLEMS: usize = 100;

impl RawConfig {
    /// Creates the settings with only the defaults.
    pub fn defaults() -> RawConfig {
        let mut raw = RawConfig {
            entries: BTreeMap::new(),
            sheet: None,
            ignores_removed: false,
            problems: Vec::new(),
            more: 0,
        };
        let defaults: toml::Table = DEFAULTS.parse().expect("the defaults are well-formed TOML");
        for (section, table) in defaults {
            for (key, value) in table
                .as_table()
                .expect("the defaults consist of sections")
                .clone()
            {
                let key = format!("{section}.{key}");
                if key != FLAGS {
                    raw.entries.insert(
                        key,
                        RawEntry {
                            value,
                            origin: Origin::Default,
                        },
                    );
                }
            }
        }
        raw
    }

    /// Adds the settings of a file; errors name the file `path`.
    pub fn add_file(&mut self, path: &Path, text: &str) {
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let origin = |offset: usize| {
            Origin::File(
                path.to_path_buf(),
                1 + ends.partition_point(|&end| end < offset),
            )
        };
        match DeTable::parse(text) {
            Ok(table) => self.add_table("", table.into_inner(), &origin),
            Err(error) => {
                let said = syntax_problems(text, &[error]).into_iter();
                self.problems.extend(said.map(|(at, key, problem)| {
                    let key = if key.is_empty() {
                        key
                    } else {
                        format!("{key}: ")
                    };
                    format!("{}: {key}{problem}", origin(at))
                }));
            }
        }
    }

    /// Adds the settings of a run, which an earlier version of the program can have written.
    pub fn add_saved(&mut self, path: &Path, text: &str) {
        self.ignores_removed = true;
        self.add_file(path, text);
        self.ignores_removed = false;
    }

    /// Adds a sheet as the game.
    pub fn add_sheet(&mut self, path: &Path, text: &str) {
        // Keep the text: a pipe can be read only once.
        self.sheet = Some(text.to_owned());
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let entry = RawEntry {
            value: Value::String(name),
            origin: Origin::File(path.to_path_buf(), 1),
        };
        self.entries.insert("ruleset.game".to_owned(), entry);
    }

    /// Adds one setting of the command line, `section.key=value`. A value that is not TOML is a
    /// text, so that words need no quotation marks.
    pub fn add_override(&mut self, text: &str) {
        let Some((key, value)) = text.split_once('=') else {
            self.problems
                .push(format!("--set {text}: must be section.key=value"));
            return;
        };
        let value = value.trim();
        let value = DeValue::parse(value)
            .unwrap_or_else(|_| Spanned::new(0..value.len(), DeValue::String(value.into())));
        let origin = Origin::Override(text.to_string());
        self.add(key.trim().to_string(), value, origin.clone(), &|_| {
            origin.clone()
        });
    }

    /// The entry of `key`, which must be a key of the defaults.
    pub fn entry(&self, key: &str) -> &RawEntry {
        self.entries
            .get(key)
            .expect("the defaults hold every key that is read")
    }

    /// The keys that no file or option has set.
    pub fn unset_keys(&self) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .filter(|(_, entry)| entry.origin == Origin::Default)
            .map(|(key, _)| key.as_str())
    }

    /// The known keys in order, without the flags of the ruleset.
    fn known_keys(&self) -> impl Iterator<Item = &str> {
        self.entries
            .keys()
            .map(String::as_str)
            .filter(|key| suggest::split(key).0 != FLAGS)
    }

    /// The flags that are set, without the name of their section.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &RawEntry)> {
        self.entries
            .iter()
            .filter_map(|(key, entry)| Some((key.strip_prefix(FLAGS)?.strip_prefix('.')?, entry)))
    }

    /// The problems of the layers: invalid TOML and unknown keys. Lists at most 100 problems, then
    /// the number of further problems.
    pub fn problems(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("and {} more problems", self.more));
        self.problems.iter().cloned().chain(more).collect()
    }

    fn add_table(&mut self, section: &str, table: DeTable<'_>, origin: &dyn Fn(usize) -> Origin) {
        let mut entries: Vec<_> = table.into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = if section.is_empty() {
                key.get_ref().to_string()
            } else {
                format!("{section}.{}", key.get_ref())
            };
            let place = origin(key.span().start);
            self.add(name, value, place, origin);
        }
    }

    fn add(
        &mut self,
        key: String,
        value: Spanned<DeValue<'_>>,
        place: Origin,
        origin: &dyn Fn(usize) -> Origin,
    ) {
        let renamed = RENAMED.iter().find(|(old, _)| *old == key);
        let key = renamed.map_or(key, |(_, new)| (*new).to_owned());
        if REMOVED.contains(&key.as_str()) {
            let advice = match place {
                Origin::Override(_) => "omit this option",
                _ => "delete this line",
            };
            if !self.ignores_removed {
                self.refuse(|_| format!("{place}: `{key}` was removed: {advice}"));
            }
            return;
        }
        let is_key = suggest::split(&key).0 == FLAGS || self.entries.contains_key(&key);
        if is_key {
            match Value::deserialize(ValueDeserializer::from(value)) {
                Ok(value) => drop(self.entries.insert(
                    key,
                    RawEntry {
                        value,
                        origin: place,
                    },
                )),
                Err(error) => {
                    self.refuse(|_| format!("{place}: cannot read `{key}`: {}", error.message()))
                }
            }
            return;
        }
        let is_section = key == FLAGS
            || self
                .known_keys()
                .any(|known| suggest::split(known).0 == key);
        match value.into_inner() {
            DeValue::Table(table) if is_section || !table.is_empty() => {
                self.add_table(&key, table, origin)
            }
            _ if is_section => self.refuse(|_| {
                format!("{place}: `{key}` is a section, not a key: set the keys in it")
            }),
            _ => self.refuse(|raw| format!("{place}: unknown key `{key}`{}", raw.hint(&key))),
        }
    }

    /// Adds a problem. If there are already many problems, only counts the problem, because the
    /// search for a hint (similar keys) takes time.
    fn refuse(&mut self, problem: impl FnOnce(&RawConfig) -> String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem(self))
        } else {
            self.more += 1
        }
    }

    /// A hint for an unknown key: the nearest known keys, or all known keys of its section.
    fn hint(&self, unknown: &str) -> String {
        let quoted = |keys: Vec<&str>, between: &str| {
            keys.into_iter()
                .map(|key| format!("`{key}`"))
                .collect::<Vec<_>>()
                .join(between)
        };
        let (section, key) = suggest::split(unknown);
        let is_flag = section == suggest::split(FLAGS).0;
        let mut nearest = suggest::nearest(unknown, self.known_keys());
        nearest.retain(|near| !is_flag || suggest::split(near).0 == section);
        let flag = format!("flag of the game must be written `{FLAGS}.{key}`");
        match (is_flag, nearest.is_empty()) {
            (true, true) => return format!("; a {flag}"),
            (true, false) => {
                return format!("; did you mean {}? A {flag}", quoted(nearest, " or "));
            }
            (false, false) => return format!("; did you mean {}?", quoted(nearest, " or ")),
            (false, true) => {}
        }
        let siblings: Vec<&str> = self
            .known_keys()
            .filter(|known| suggest::split(known).0 == section)
            .collect();
        if !siblings.is_empty() {
            return format!("; the keys in this section are {}", quoted(siblings, ", "));
        }
        let mut sections: Vec<&str> = self
            .known_keys()
            .map(|known| suggest::split(known).0)
            .collect();
        sections.dedup();
        format!("; the sections are {}", quoted(sections, ", "))
    }
}
