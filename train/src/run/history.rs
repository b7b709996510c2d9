//! History of the settings that shape a bot: the first settings of its run, and every change.
//!
//! A run that is resumed with other settings trains other weights than a run with these settings
//! from the start. So if settings have changed, the recipe of the run is a hash of its history.

use std::collections::BTreeMap;

use ashta_agents::network::bot::without_folder;
use ashta_env::ruleset::fnv1a;
use serde::{Deserialize, Serialize};
use toml::Value;

/// The settings that shape a bot, by key.
pub type Shaping = BTreeMap<String, Value>;

/// The settings that shape the bot of a run, with the iterations after which they took effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History(Vec<(u64, Shaping)>);

impl History {
    /// Records the settings that are used after `iteration`, if they have changed.
    pub fn record(&mut self, iteration: u64, settings: Shaping) {
        if self.0.last().is_none_or(|(_, last)| *last != settings) {
            self.0.push((iteration, settings));
        }
    }

    /// The changes, with the oldest first: the last iteration before the change, the key, the old
    /// value and the new value.
    pub fn changes(&self) -> impl Iterator<Item = (u64, &String, Option<&Value>, &Value)> {
        self.0
            .iter()
            .zip(self.0.iter().skip(1))
            .flat_map(|((_, old), (iteration, new))| {
                new.iter()
                    .map(|(key, value)| (*iteration, key, old.get(key), value))
                    .filter(|(.., old, new)| *old != Some(*new))
            })
    }

    /// The recipe of a run with this history. `None` if the history is empty, as in checkpoints of
    /// earlier versions.
    pub fn recipe(&self) -> Option<String> {
        let first = recipe(&self.0.first()?.1);
        let line = |(after, key, _, new)| format!("\n{after} {key} = {new}");
        let changes: String = self.changes().map(line).collect();
        Some(if changes.is_empty() {
            first
        } else {
            hash(&(first + &changes))
        })
    }

    /// The changes in words, with file names instead of paths. Empty if nothing has changed.
    pub fn text(&self) -> String {
        let text = |value: &Value| without_folders(value).to_string();
        let change = |(after, key, old, new): (_, _, Option<_>, _)| {
            format!(
                "after iteration {after}: {key} = {} → {}",
                old.map_or_else(String::new, text),
                text(new)
            )
        };
        self.changes().map(change).collect::<Vec<_>>().join("; ")
    }
}

/// The value, with file names instead of paths.
fn without_folders(value: &Value) -> Value {
    match value {
        Value::Array(values) => Value::Array(values.iter().map(without_folders).collect()),
        Value::String(name) => Value::from(without_folder(name)),
        other => other.clone(),
    }
}

/// The recipe of a run with these settings from the start.
pub fn recipe(settings: &Shaping) -> String {
    hash(
        &settings
            .iter()
            .map(|(key, value)| format!("{key} = {value}\n"))
            .collect::<String>(),
    )
}

fn hash(text: &str) -> String {
    format!("{:016x}", fnv1a(text.bytes()))
}
