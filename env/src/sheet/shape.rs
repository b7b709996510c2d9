//! Validation of the tables of a sheet against its JSON Schema: unknown keys, missing keys, and
//! values of a wrong type or range. The code reads all keys from the schema. The module `check`
//! compares values with each other.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::check::DEFAULTS;
use super::{SCHEMA, Sheet};

/// The largest number of entries of a list: the number of squares of the largest frame.
const MOST_ITEMS: usize = 26 * 26;

/// Keys of earlier versions, with the message for sheets that have them.
const REMOVED: [(&str, &str); 1] = [(
    "board.courses",
    "this version has no courses for single seats: all seats have copies of South's course, see board.copy",
)];

/// Checks the tables of a text one by one and collects their problems.
pub(super) struct ShapeCheck<'a> {
    text: &'a str,
    /// Problems: the offset in the text if known, the key, and the message.
    pub(super) problems: Vec<(Option<usize>, String, String)>,
    /// Whether every required key is there, and no value was removed because it is wrong.
    pub(super) is_complete: bool,
    offsets: BTreeMap<String, usize>,
}

impl<'a> ShapeCheck<'a> {
    pub(super) fn new(text: &'a str) -> ShapeCheck<'a> {
        ShapeCheck {
            text,
            problems: Vec::new(),
            is_complete: true,
            offsets: BTreeMap::new(),
        }
    }

    /// Checks the tables of a text. Returns them without the unknown keys and the wrong values.
    pub(super) fn sheet(&mut self, table: DeTable<'_>) -> toml::Table {
        self.table(table, &SCHEMA, "", None, false)
    }

    /// The offset of a key in the text. If the key is missing, the offset of the innermost table
    /// that would contain it.
    pub(super) fn offset(&self, key: &str) -> Option<usize> {
        self.offsets
            .get(key)
            .copied()
            .or_else(|| self.offset(key.rsplit_once('.')?.0))
    }

    /// Checks the table at this offset. Its `path` ends with a dot, or is empty for the whole
    /// sheet. A table of changes (`is_change`) has no required keys.
    fn table(
        &mut self,
        table: DeTable<'_>,
        schema: &Value,
        path: &str,
        at: Option<usize>,
        is_change: bool,
    ) -> toml::Table {
        // Only the changes of a house rule allow further keys: the keys of a sheet.
        let has_any = schema["additionalProperties"] == true;
        let is_change = is_change || has_any;
        let known = |name: &str| {
            let others = if has_any {
                SCHEMA["properties"].get(name)
            } else {
                schema.get("additionalProperties")
            };
            schema["properties"]
                .get(name)
                .or(others)
                .filter(|schema| schema.is_object())
        };
        for name in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !is_change && !table.contains_key(name) {
                let expected = expected(&schema["properties"][name], false);
                self.problems.push((
                    at,
                    format!("{path}{name}"),
                    format!("this key is missing; expected {expected}"),
                ));
                self.is_complete = false;
            }
        }
        let mut checked = toml::Table::new();
        for (name, value) in table {
            let (at, name) = (name.span().start, name.into_inner().into_owned());
            let key = format!("{path}{name}");
            self.offsets.insert(key.clone(), at);
            let Some(inner) = known(&name) else {
                let section = path
                    .trim_end_matches('.')
                    .rsplit('.')
                    .next()
                    .filter(|_| !has_any);
                if is_key(section.unwrap_or_default(), &name) {
                    checked.extend(
                        toml::Value::deserialize(ValueDeserializer::from(value))
                            .map(|value| (name, value)),
                    );
                    continue;
                }
                let keys = if has_any { &SCHEMA } else { schema };
                let keys = keys["properties"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| format!("`{name}`"));
                let removed = REMOVED.iter().find(|(removed, _)| key.ends_with(removed));
                let message = match removed {
                    Some((_, problem)) => (*problem).to_owned(),
                    None => format!(
                        "unknown key; known keys are {}",
                        keys.collect::<Vec<_>>().join(", ")
                    ),
                };
                self.problems.push((Some(at), key, message));
                continue;
            };
            let of_table = alternatives(inner)
                .into_iter()
                .find(|schema| schema["type"] == "object");
            let span = value.span();
            match (of_table, value.into_inner()) {
                (Some(schema), DeValue::Table(table)) => {
                    checked.insert(
                        name,
                        self.table(table, schema, &format!("{key}."), Some(at), is_change)
                            .into(),
                    );
                }
                (_, value) => {
                    let is_long =
                        matches!(&value, DeValue::Array(items) if items.len() > MOST_ITEMS);
                    let message = match is_long {
                        true => format!("a list can have at most {MOST_ITEMS} entries"),
                        false => {
                            let found = beginning(self.text.get(span.clone()).unwrap_or_default());
                            format!("expected {}, not {found}", expected(inner, false))
                        }
                    };
                    let value =
                        (!is_long && fits(&value, inner)).then(|| Spanned::new(span, value));
                    match value
                        .map(|value| toml::Value::deserialize(ValueDeserializer::from(value)))
                    {
                        Some(Ok(value)) => drop(checked.insert(name, value)),
                        _ => {
                            self.problems.push((Some(at), key, message));
                            self.is_complete = false;
                        }
                    }
                }
            }
        }
        checked
    }
}

/// Whether the types of a sheet have this key in this section, or above all sections if the section
/// is empty. The file of the schema lacks a new key until a test writes the file again.
fn is_key(section: &str, name: &str) -> bool {
    let mut table = DEFAULTS.clone();
    let keys = if section.is_empty() {
        Some(&mut table)
    } else {
        table.get_mut(section).and_then(|keys| keys.as_table_mut())
    };
    let is_added = keys
        .map(|keys| keys.insert(name.to_owned(), true.into()))
        .is_some();
    is_added
        && !Sheet::deserialize(table)
            .is_err_and(|error| error.message().starts_with("unknown field"))
}

/// The first line of a text, cut to at most 60 characters.
pub(super) fn beginning(text: &str) -> String {
    let short: String = text.chars().take_while(|&c| c != '\n').take(60).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// The alternatives that a schema allows, or the schema itself, with references resolved.
fn alternatives(schema: &Value) -> Vec<&Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return SCHEMA
            .pointer(name.trim_start_matches('#'))
            .map(alternatives)
            .unwrap_or_default();
    }
    match schema["anyOf"]
        .as_array()
        .or_else(|| schema["oneOf"].as_array())
    {
        Some(any) => any.iter().flat_map(alternatives).collect(),
        None => vec![schema],
    }
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema["type"] == name
        || schema["type"]
            .as_array()
            .is_some_and(|types| types.iter().any(|other| other == name))
}

/// The words that a schema allows; `None` if it allows any text.
fn words(schema: &Value) -> Option<Vec<&str>> {
    let word = schema["const"].as_str().map(|word| vec![word]);
    word.or_else(|| {
        Some(
            schema["enum"]
                .as_array()?
                .iter()
                .filter_map(Value::as_str)
                .collect(),
        )
    })
}

/// The whole numbers that a schema allows. Schemas have no bounds for numbers of 32 bits.
fn range(schema: &Value) -> RangeInclusive<i64> {
    schema["minimum"].as_i64().unwrap_or(0)..=schema["maximum"].as_i64().unwrap_or(u32::MAX.into())
}

fn fits(value: &DeValue<'_>, schema: &Value) -> bool {
    let fits_one = |schema: &&Value| match value {
        DeValue::String(text) => match words(schema) {
            Some(words) => words.contains(&text.as_ref()),
            None => has_type(schema, "string"),
        },
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            has_type(schema, "integer")
                && number.is_ok_and(|number| range(schema).contains(&number))
        }
        DeValue::Boolean(_) => has_type(schema, "boolean"),
        DeValue::Float(_) | DeValue::Datetime(_) => false,
        DeValue::Array(items) => {
            has_type(schema, "array")
                && items
                    .iter()
                    .all(|item| fits(item.get_ref(), &schema["items"]))
        }
        DeValue::Table(table) => {
            let mut inner = ShapeCheck::new("");
            inner.table(table.clone(), schema, "[].", None, false);
            has_type(schema, "object") && inner.problems.is_empty()
        }
    };
    alternatives(schema).iter().any(fits_one)
}

/// The values that a schema allows, in words: in the plural if `many`, otherwise in the singular.
fn expected(schema: &Value, many: bool) -> String {
    let alternatives = alternatives(schema);
    let is_any = |name: &str| {
        alternatives
            .iter()
            .any(|schema| has_type(schema, name) && words(schema).is_none())
    };
    let named: Vec<String> = alternatives
        .iter()
        .filter_map(|schema| words(schema))
        .flatten()
        .map(|word| format!("\"{word}\""))
        .collect();
    let mut found: Vec<String> = match named.as_slice() {
        [] => Vec::new(),
        [word] => vec![word.clone()],
        words => vec![format!("one of {}", words.join(", "))],
    };
    for schema in &alternatives {
        if has_type(schema, "integer") {
            let number = if many {
                "whole numbers"
            } else {
                "a whole number"
            };
            found.push(format!(
                "{number} from {} to {}",
                range(schema).start(),
                range(schema).end()
            ));
        }
        if has_type(schema, "array") {
            found.push(format!(
                "{} of {}",
                if many { "lists" } else { "a list" },
                expected(&schema["items"], true)
            ));
        }
        if has_type(schema, "object") {
            let keys = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
            let with = if keys.is_empty() {
                String::new()
            } else {
                format!(" with {}", keys.join(" and "))
            };
            found.push(format!("{}{with}", if many { "tables" } else { "a table" }));
        }
    }
    let text = if many {
        "texts in quotes"
    } else {
        "text in quotes"
    };
    let plain = [("string", text), ("boolean", "true or false")]
        .into_iter()
        .filter(|(name, _)| is_any(name));
    found.extend(plain.map(|(_, text)| text.to_owned()));
    found.join(", or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_have_the_keys_of_the_schema_and_no_others() {
        for (section, name) in [
            ("", "title"),
            ("", "seats"),
            ("board", "columns"),
            ("turn", "bonus"),
        ] {
            assert!(is_key(section, name), "{section}.{name}");
        }
        for (section, name) in [
            ("", "titel"),
            ("board", "curse"),
            ("bored", "side"),
            ("board", "title"),
        ] {
            assert!(!is_key(section, name), "{section}.{name}");
        }
    }
}
