//! The merged settings before validation as a whole: the defaults, then a settings file, then
//! `--set` options. Each layer is checked by itself.
//!
//! Errors name the origin of a value. The known keys are the keys of [`SECTIONS`], and all keys in
//! the section `ruleset.flags`.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ashta_agents::learn::config::Allowed;
use ashta_env::form::{Form, FormProblem};
use serde_json::json;
use toml::{Value, de::DeValue};

use super::SECTIONS;

/// Every key with its default value, and a comment that documents it.
pub const DEFAULTS: &str = include_str!("../../../../configs/default.toml");

/// The section with the flags of the ruleset. Each game has its own flags and checks them.
pub const FLAGS: &str = "ruleset.flags";

/// The section and the name of a key of earlier versions, and its new name.
const RENAMED: (&str, &str, &str) = ("selfplay", "sideline_turns", "branch_turns");

/// Keys of earlier versions that have no effect any more. The settings of a run can contain them.
const REMOVED: [(&str, &str); 3] = [
    ("cluster.staleness", "was removed: delete this setting"),
    ("cluster.learner_cores", "was removed: delete this setting"),
    (
        "cluster.evaluator_cores",
        "was removed: delete this setting",
    ),
];

/// The keys and values of settings.
static FORM: LazyLock<Form> = LazyLock::new(|| {
    let mut sections = serde_json::Map::new();
    for (section, keys) in SECTIONS {
        let keys: serde_json::Map<_, _> = keys
            .iter()
            .map(|&(key, allowed)| (key.to_owned(), schema(allowed)))
            .collect();
        sections.insert(
            section.to_owned(),
            json!({"type": "object", "properties": keys}),
        );
    }
    sections["ruleset"]["properties"]["flags"] = json!({
        "type": "object",
        "additionalProperties": {"type": ["string", "integer", "boolean"]},
    });
    let (section, old, new) = RENAMED;
    let keys = &mut sections[section]["properties"];
    keys[old] = keys[new].clone();
    keys[old]["deprecated"] = true.into();
    Form {
        schema: Box::leak(Box::new(json!({"properties": sections}))),
        removed: &REMOVED,
        has_key: |_, _| false,
    }
});

/// The JSON Schema of these values.
fn schema(allowed: Allowed) -> serde_json::Value {
    match allowed {
        Allowed::Or(word, other) => json!({"anyOf": [schema(*other), {"const": word}]}),
        Allowed::Whole(least, most) => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Allowed::Number(least, most) => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        Allowed::Above(below, most) => {
            json!({"type": "number", "exclusiveMinimum": below, "maximum": most})
        }
        Allowed::Switch => json!({"type": "boolean"}),
        Allowed::Text(words) => json!({"type": "string", "minLength": 1, "description": words}),
        Allowed::Word(words) => json!({"enum": words}),
        Allowed::Name => json!({"type": "string"}),
        Allowed::Names => json!({
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": MOST_NAMES,
            "uniqueItems": true,
        }),
        Allowed::Widths => json!({
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": MOST_UNITS},
            "minItems": 1,
            "maxItems": MOST_LAYERS,
        }),
    }
}

/// The largest number of names in a list.
const MOST_NAMES: usize = 100;
/// The largest number of hidden layers of a network, and of units in a layer.
const MOST_LAYERS: usize = 8;
const MOST_UNITS: i64 = 4096;

/// The origin of a value.
#[derive(PartialEq)]
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
pub struct RawEntry {
    pub value: Value,
    pub origin: Origin,
}

/// The merged settings. A key includes its section, such as `run.seed`. Every key of the defaults
/// exists; later layers replace single values.
pub struct RawConfig {
    entries: BTreeMap<String, RawEntry>,
    /// The text of the sheet, if the file is a sheet and not a settings file.
    pub sheet: Option<String>,
    /// The problems of the layers.
    pub problems: Vec<String>,
}

impl RawConfig {
    /// Creates the settings with only the defaults.
    pub fn defaults() -> RawConfig {
        let mut raw = RawConfig {
            entries: BTreeMap::new(),
            sheet: None,
            problems: Vec::new(),
        };
        raw.add(DEFAULTS, false, &|_| Origin::Default);
        raw
    }

    /// Adds the settings of a file; errors name the file `path`.
    pub fn add_file(&mut self, path: &Path, text: &str) {
        self.add(text, false, &|line| Origin::File(path.to_path_buf(), line));
    }

    /// Adds the settings of a run, which an earlier version of the program can have written.
    pub fn add_saved(&mut self, path: &Path, text: &str) {
        self.add(text, true, &|line| Origin::File(path.to_path_buf(), line));
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
        let value = match DeValue::parse(value) {
            Ok(_) => value.to_owned(),
            Err(_) => Value::from(value).to_string(),
        };
        let setting = format!("{} = {value}", key.trim());
        self.add(&setting, false, &|_| Origin::Override(text.to_owned()));
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

    /// The flags that are set, without the name of their section.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &RawEntry)> {
        self.entries
            .iter()
            .filter_map(|(key, entry)| Some((key.strip_prefix(FLAGS)?.strip_prefix('.')?, entry)))
    }

    /// Adds the settings of a text. `is_saved` allows keys that have no effect any more.
    fn add(&mut self, text: &str, is_saved: bool, origin: &dyn Fn(usize) -> Origin) {
        let mut reading = FORM.read(text);
        for problem in &reading.problems {
            if is_saved && REMOVED.iter().any(|(key, _)| problem.key == *key) {
                continue;
            }
            let place = origin(problem.line.unwrap_or(1));
            let hint = match problem.key.split_once('.') {
                Some(("ruleset", flag)) if problem.message.starts_with("unknown key") => {
                    format!(" (a flag of the game must be written `{FLAGS}.{flag}`)")
                }
                _ => String::new(),
            };
            let problem = FormProblem {
                line: None,
                ..problem.clone()
            };
            self.problems.push(problem.text(&place.to_string()) + &hint);
        }
        if reading.more > 0 {
            self.problems
                .push(format!("and {} more problems", reading.more));
        }
        for (section, keys) in std::mem::take(&mut reading.table) {
            self.add_table(&section, keys, &|key| {
                origin(reading.line(key).unwrap_or(1))
            });
        }
    }

    fn add_table(&mut self, path: &str, value: Value, origin: &dyn Fn(&str) -> Origin) {
        match value {
            Value::Table(table) => {
                for (key, value) in table {
                    self.add_table(&format!("{path}.{key}"), value, origin);
                }
            }
            value => {
                let origin = origin(path);
                let (section, old, new) = RENAMED;
                let key = match path == format!("{section}.{old}") {
                    true => format!("{section}.{new}"),
                    false => path.to_owned(),
                };
                self.entries.insert(key, RawEntry { value, origin });
            }
        }
    }
}
