//! Reads TOML texts, such as sheets and settings: checks the tables against a JSON Schema, and
//! reports all problems together: syntax errors, unknown keys, missing keys, and values of a wrong
//! type or range. The schema is the only list of keys. This module does not compare values with
//! each other.

mod suggest;
mod syntax;

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde::Deserialize;
use serde_json::Value;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use suggest::nearest;
use syntax::syntax_problems;

/// The largest number of entries of a list: the number of squares of the largest frame.
const MOST_ITEMS: usize = 26 * 26;
/// The largest number of problems of a text.
const MOST_PROBLEMS: usize = 100;

/// A kind of text: its keys and values.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The JSON Schema of the whole text. A table with `"additionalProperties": true` also has the
    /// keys of the whole text; then no key in it is required.
    pub schema: &'static Value,
    /// Keys of earlier versions, each with the message for texts that have it.
    pub removed: &'static [(&'static str, &'static str)],
    /// Whether a section (empty above all sections) has this key although the schema lacks it.
    pub has_key: fn(section: &str, key: &str) -> bool,
}

/// A problem of a text.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct FormProblem {
    /// The line, from 1; `None` if unknown.
    pub line: Option<usize>,
    /// The key, with dots; empty if the problem belongs to no key.
    pub key: String,
    /// The problem: the value and the allowed values, without the key.
    pub message: String,
}

impl FormProblem {
    /// Returns one line: `FILE:LINE: KEY: MESSAGE`.
    pub fn text(&self, file: &str) -> String {
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        let key = if self.key.is_empty() {
            String::new()
        } else {
            format!("{}: ", self.key)
        };
        format!("{file}{line}: {key}{}", self.message)
    }
}

/// The tables of a text.
#[derive(Debug)]
pub struct Reading {
    /// The keys and values that the schema allows.
    pub table: toml::Table,
    /// Whether every required key is there, and no value was removed because it is wrong.
    pub is_complete: bool,
    /// The problems in the order of the text, at most 100.
    pub problems: Vec<FormProblem>,
    /// The number of further problems.
    pub more: usize,
    lines: BTreeMap<String, usize>,
}

impl Reading {
    /// Returns the line of a key. If the key is missing, returns the line of the innermost table
    /// that would contain it.
    pub fn line(&self, key: &str) -> Option<usize> {
        self.lines
            .get(key)
            .copied()
            .or_else(|| self.line(key.rsplit_once('.')?.0))
    }
}

impl Form {
    /// Reads a text.
    pub fn read(&self, text: &str) -> Reading {
        let (table, errors) = DeTable::parse_recoverable(text);
        let has_tables = errors
            .iter()
            .all(|error| error.message() == "duplicate key");
        let mut check = Check {
            form: self,
            text,
            problems: syntax_problems(text, &errors)
                .into_iter()
                .map(|(at, key, problem)| (Some(at), key, problem))
                .collect(),
            is_complete: has_tables,
            offsets: BTreeMap::new(),
        };
        let table = match has_tables {
            true => check.table(table.into_inner(), self.schema, "", None, false),
            false => toml::Table::new(),
        };
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line = |at: usize| 1 + ends.partition_point(|&end| end < at);
        check.problems.sort_by_key(|&(at, ..)| at);
        let more = check.problems.len().saturating_sub(MOST_PROBLEMS);
        check.problems.truncate(MOST_PROBLEMS);
        let problems = check.problems.into_iter();
        Reading {
            table,
            is_complete: check.is_complete,
            more,
            problems: problems
                .map(|(at, key, message)| FormProblem {
                    line: at.map(line),
                    key,
                    message,
                })
                .collect(),
            lines: check
                .offsets
                .into_iter()
                .map(|(key, at)| (key, line(at)))
                .collect(),
        }
    }

    /// Returns the sections of the schema, and their keys with dots.
    fn keys(&self) -> Vec<String> {
        let keys_of = |section: &str, schema: &Value| {
            schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(_, schema)| schema["deprecated"] != true)
                .map(|(key, _)| format!("{section}{key}"))
                .collect::<Vec<_>>()
        };
        let sections = keys_of("", self.schema);
        sections
            .iter()
            .flat_map(|section| {
                let table = self.of_table(&self.schema["properties"][section]);
                table.map_or(Vec::new(), |table| keys_of(&format!("{section}."), table))
            })
            .chain(sections.iter().cloned())
            .collect()
    }

    /// Returns the alternatives that a schema allows, or the schema itself, with references
    /// resolved.
    fn alternatives<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        if let Some(name) = schema["$ref"].as_str() {
            return self
                .schema
                .pointer(name.trim_start_matches('#'))
                .map_or(Vec::new(), |schema| self.alternatives(schema));
        }
        let any = schema["anyOf"]
            .as_array()
            .or_else(|| schema["oneOf"].as_array());
        match any {
            Some(any) => any
                .iter()
                .flat_map(|schema| self.alternatives(schema))
                .collect(),
            None => vec![schema],
        }
    }

    /// Returns the schema of the tables that a schema allows.
    fn of_table<'s>(&'s self, schema: &'s Value) -> Option<&'s Value> {
        self.alternatives(schema)
            .into_iter()
            .find(|schema| has_type(schema, "object"))
    }

    fn fits(&self, value: &toml::Value, schema: &Value) -> bool {
        use toml::Value::{Array, Boolean, Datetime, Float, Integer, String, Table};
        let fits_one = |schema: &&Value| match value {
            String(text) => match words(schema) {
                Some(words) => words.contains(&text.as_str()),
                None => has_type(schema, "string") && text.len() >= least(schema, "minLength"),
            },
            Integer(number) => {
                has_type(schema, "integer") && range(schema).contains(number)
                    || has_type(schema, "number") && is_between(*number as f64, schema)
            }
            Float(number) => has_type(schema, "number") && is_between(*number, schema),
            Boolean(_) => has_type(schema, "boolean"),
            Datetime(_) => false,
            Array(items) => {
                let is_new = |(at, item)| !items[..at].contains(item);
                has_type(schema, "array")
                    && (least(schema, "minItems")..=most_items(schema)).contains(&items.len())
                    && items.iter().all(|item| self.fits(item, &schema["items"]))
                    && (schema["uniqueItems"] != true || items.iter().enumerate().all(is_new))
            }
            Table(table) => {
                let fits = |(name, value): (&std::string::String, &toml::Value)| {
                    let inner = schema["properties"].get(name);
                    inner.is_some_and(|inner| self.fits(value, inner))
                };
                has_type(schema, "object")
                    && required(schema).all(|name| table.contains_key(name))
                    && table.iter().all(fits)
            }
        };
        self.alternatives(schema).iter().any(fits_one)
    }

    /// Returns the values that a schema allows, in words: in the plural if `many`, otherwise in the
    /// singular.
    fn expected(&self, schema: &Value, many: bool) -> String {
        let alternatives = self.alternatives(schema);
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
        let choose = |one: &str, several: &str| (if many { several } else { one }).to_owned();
        let mut add = |name: &str, words: &dyn Fn(&Value) -> String| {
            let of_type = alternatives
                .iter()
                .filter(|schema| has_type(schema, name) && self::words(schema).is_none());
            found.extend(of_type.map(|schema| words(schema)));
        };
        add("integer", &|schema| {
            let (numbers, range) = (choose("a whole number", "whole numbers"), range(schema));
            format!("{numbers} from {} to {}", range.start(), range.end())
        });
        add("number", &|schema| {
            let numbers = choose("a number", "numbers");
            let bound = |name: &str| schema[name].as_f64().unwrap_or_default();
            let most = bound("maximum");
            match schema["exclusiveMinimum"].as_f64() {
                Some(below) => format!("{numbers} above {below} and at most {most}"),
                None => format!("{numbers} from {} to {most}", bound("minimum")),
            }
        });
        add("array", &|schema| {
            let lists = choose("a list", "lists");
            let length = match (least(schema, "minItems"), most_items(schema)) {
                (0, MOST_ITEMS) => String::new(),
                (0, most) => format!("at most {most} "),
                (least, most) => format!("{least} to {most} "),
            };
            let different = match schema["uniqueItems"] == true {
                true => "different ",
                false => "",
            };
            let items = self.expected(&schema["items"], true);
            format!("{lists} of {length}{different}{items}")
        });
        add("object", &|schema| {
            let keys: Vec<String> = required(schema).map(|key| format!("`{key}`")).collect();
            let with = match keys.is_empty() {
                true => String::new(),
                false => format!(" with {}", keys.join(" and ")),
            };
            choose("a table", "tables") + &with
        });
        add("string", &|schema| match schema["description"].as_str() {
            Some(text) if schema["minLength"].is_number() => format!("{text}, in quotes"),
            _ => choose("text in quotes", "texts in quotes"),
        });
        add("boolean", &|_| "true or false".to_owned());
        found.join(", or ")
    }
}

/// Checks the tables of a text one by one and collects their problems.
struct Check<'a> {
    form: &'a Form,
    text: &'a str,
    /// The offset in the text if known, the key, and the message.
    problems: Vec<(Option<usize>, String, String)>,
    is_complete: bool,
    offsets: BTreeMap<String, usize>,
}

impl Check<'_> {
    /// Checks the table at this offset. Returns it without the unknown keys and the wrong values.
    /// Its `path` ends with a dot, or is empty for the whole text. No keys are required in a table
    /// of changes (`is_change`).
    fn table(
        &mut self,
        table: DeTable<'_>,
        schema: &Value,
        path: &str,
        at: Option<usize>,
        is_change: bool,
    ) -> toml::Table {
        let (form, has_any) = (self.form, schema["additionalProperties"] == true);
        let is_change = is_change || has_any;
        for name in required(schema).filter(|&name| !is_change && !table.contains_key(name)) {
            let expected = form.expected(&schema["properties"][name], false);
            let message = format!("this key is missing; expected {expected}");
            self.problems.push((at, format!("{path}{name}"), message));
            self.is_complete = false;
        }
        let mut checked = toml::Table::new();
        for (name, value) in table {
            let (at, name) = (name.span().start, name.into_inner().into_owned());
            let key = format!("{path}{name}");
            self.offsets.insert(key.clone(), at);
            let others = match has_any {
                true => form.schema["properties"].get(&name),
                false => schema.get("additionalProperties"),
            };
            let inner = schema["properties"].get(&name).or(others);
            let table_schema = inner.and_then(|inner| form.of_table(inner));
            let span = value.span();
            let value = match (table_schema, value.into_inner()) {
                (Some(schema), DeValue::Table(table)) => {
                    let table = self.table(table, schema, &format!("{key}."), Some(at), is_change);
                    checked.insert(name, table.into());
                    continue;
                }
                (_, value) => toml::Value::deserialize(ValueDeserializer::from(
                    toml::Spanned::new(span.clone(), value),
                )),
            };
            let Some(inner) = inner.filter(|schema| schema.is_object()) else {
                let section = path.trim_end_matches('.').rsplit('.').next();
                match value {
                    Ok(value) if !has_any && (form.has_key)(section.unwrap_or_default(), &name) => {
                        drop(checked.insert(name, value))
                    }
                    _ => {
                        let known = if has_any { form.schema } else { schema };
                        let message = self.unknown(&key, known);
                        self.problems.push((Some(at), key, message));
                    }
                }
                continue;
            };
            let is_long =
                matches!(&value, Ok(toml::Value::Array(items)) if items.len() > MOST_ITEMS);
            match value {
                Ok(value) if !is_long && form.fits(&value, inner) => {
                    drop(checked.insert(name, value))
                }
                _ => {
                    let message = match is_long {
                        true => format!("a list can have at most {MOST_ITEMS} entries"),
                        false => {
                            let found = beginning(self.text.get(span).unwrap_or_default());
                            format!("expected {}, not {found}", form.expected(inner, false))
                        }
                    };
                    self.problems.push((Some(at), key, message));
                    self.is_complete = false;
                }
            }
        }
        checked
    }

    /// Returns the message for an unknown key: the nearest known keys, or the keys of its table.
    fn unknown(&self, key: &str, schema: &Value) -> String {
        let mut removed = self.form.removed.iter();
        if let Some((_, message)) = removed.find(|(removed, _)| key.ends_with(removed)) {
            return (*message).to_owned();
        }
        // The search for similar keys takes time, so only the first problems get suggestions.
        let keys = match self.problems.len() < MOST_PROBLEMS {
            true => self.form.keys(),
            false => Vec::new(),
        };
        let near = nearest(key, keys.iter().map(String::as_str));
        let known: Vec<&str> = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, schema)| schema["deprecated"] != true)
            .map(|(name, _)| name.as_str())
            .collect();
        let quoted = |names: &[&str], between| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(between)
        };
        match near.as_slice() {
            [] => format!("unknown key; known keys are {}", quoted(&known, ", ")),
            near => format!("unknown key; did you mean {}?", quoted(near, " or ")),
        }
    }
}

/// Returns the first line of a text, cut to at most 60 characters.
pub fn beginning(text: &str) -> String {
    let short: String = text.chars().take_while(|&c| c != '\n').take(60).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema["type"] == name
        || schema["type"]
            .as_array()
            .is_some_and(|types| types.iter().any(|other| other == name))
}

/// Returns the words that a schema allows; `None` if it allows any text.
fn words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(word) = schema["const"].as_str() {
        return Some(vec![word]);
    }
    Some(
        schema["enum"]
            .as_array()?
            .iter()
            .filter_map(Value::as_str)
            .collect(),
    )
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Returns the whole numbers that a schema allows. Schemas have no bounds for numbers of 32 bits.
fn range(schema: &Value) -> RangeInclusive<i64> {
    let most = schema["maximum"].as_i64().unwrap_or(u32::MAX.into());
    schema["minimum"].as_i64().unwrap_or(0)..=most
}

fn is_between(number: f64, schema: &Value) -> bool {
    let bound = |name: &str| schema[name].as_f64();
    bound("minimum").is_none_or(|least| number >= least)
        && bound("exclusiveMinimum").is_none_or(|below| number > below)
        && bound("maximum").is_none_or(|most| number <= most)
}

fn least(schema: &Value, name: &str) -> usize {
    schema[name].as_u64().unwrap_or(0) as usize
}

fn most_items(schema: &Value) -> usize {
    schema["maxItems"]
        .as_u64()
        .map_or(MOST_ITEMS, |most| most as usize)
}
