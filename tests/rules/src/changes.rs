//! Sheets as tables of TOML with other values of some keys.

/// A sheet with some `key = value` set.
///
/// # Panics
/// When a change is not TOML.
pub fn changed(table: &toml::Table, changes: &[String]) -> toml::Table {
    let mut table = table.clone();
    for change in changes {
        let one: toml::Table = change
            .parse()
            .unwrap_or_else(|error| panic!("{change}: {error}"));
        for (key, value) in one {
            match (table.get_mut(&key), value) {
                (Some(toml::Value::Table(old)), toml::Value::Table(new)) => old.extend(new),
                (_, value) => drop(table.insert(key, value)),
            }
        }
    }
    table
}

/// The changes of a text, between semicolons.
pub fn split(changes: &str) -> Vec<String> {
    changes
        .split("; ")
        .filter(|change| !change.is_empty())
        .map(str::to_owned)
        .collect()
}
