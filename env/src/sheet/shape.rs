//! Validation of the tables of a sheet against its schema: unknown and missing keys, and values of another type or
//! range. It walks the schema and knows no key. Whether values go together is not its matter.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

/// The most entries of a list: as many as the largest frame has squares.
const MOST_ITEMS: usize = 26 * 26;

static SCHEMA: LazyLock<Value> = LazyLock::new(super::schema);

/// What a walk through the tables of a text has found.
pub(super) struct ShapeCheck<'a> {
    text: &'a str,
    /// Whether tables that say nothing are problems.
    is_new: bool,
    /// Problems with their key and, if known, the offset in the text.
    pub(super) problems: Vec<(Option<usize>, String, String)>,
    /// The keys that are missing, or whose values were taken out.
    pub(super) gaps: Vec<String>,
}

impl<'a> ShapeCheck<'a> {
    /// Checks a text that was read as `table`, from which unknown keys and wrong values are taken out.
    pub(super) fn of(table: &mut DeTable<'_>, text: &'a str, is_new: bool) -> ShapeCheck<'a> {
        let mut shape = ShapeCheck { text, is_new, problems: Vec::new(), gaps: Vec::new() };
        shape.table(table, &SCHEMA, "", None, false);
        shape
    }

    /// Checks the table at this offset, whose path ends with a dot. A table that changes others needs no key.
    fn table(&mut self, table: &mut DeTable<'_>, schema: &Value, path: &str, at: Option<usize>, is_change: bool) {
        // Tables with any further keys hold those of a sheet that they change.
        let is_change = is_change || schema["additionalProperties"] == true;
        let known = |name: &str| {
            let named = schema["properties"].get(name);
            named.or_else(|| match &schema["additionalProperties"] {
                Value::Bool(true) => SCHEMA["properties"].get(name),
                others => Some(others).filter(|others| others.is_object()),
            })
        };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !is_change && !table.contains_key(name) {
                let expected = expected(&schema["properties"][name], false);
                self.problems.push((at, format!("{path}{name}"), format!("this key is missing; expected {expected}")));
                self.gaps.push(format!("{path}{name}"));
            }
        }
        let mut wrong = HashSet::new();
        for (name, value) in table.iter_mut() {
            let (at, key) = (name.span().start, format!("{path}{}", name.get_ref()));
            let Some(inner) = known(&key[path.len()..]) else {
                let keys = if schema["additionalProperties"] == true { &*SCHEMA } else { schema };
                let keys = keys["properties"].as_object().into_iter().flatten().map(|(name, _)| format!("`{name}`"));
                let message = format!("unknown key, expected one of {}", keys.collect::<Vec<_>>().join(", "));
                self.problems.push((Some(at), key, message));
                wrong.insert(name.get_ref().clone());
                continue;
            };
            let span = value.span();
            let of_table = alternatives(inner).into_iter().find(|schema| schema["type"] == "object");
            let is_long = matches!(value.get_ref(), DeValue::Array(items) if items.len() > MOST_ITEMS);
            if let (Some(schema), DeValue::Table(table)) = (of_table, value.get_mut()) {
                if self.is_new && table.is_empty() && schema["minProperties"] == 1 {
                    self.problems.push((Some(at), key.clone(), "this table is empty: leave it out".to_owned()));
                }
                self.table(table, schema, &format!("{key}."), Some(at), is_change);
            } else if is_long || !fits(value.get_ref(), inner) {
                let message = match is_long {
                    true => format!("a list has at most {MOST_ITEMS} entries"),
                    false => format!("expected {}, not {}", expected(inner, false), self.written(span)),
                };
                self.problems.push((Some(at), key.clone(), message));
                self.gaps.push(key);
                wrong.insert(name.get_ref().clone());
            }
        }
        // Removing keys one by one would take quadratic time.
        *table = std::mem::take(table).into_iter().filter(|(name, _)| !wrong.contains(name.get_ref())).collect();
    }

    /// The beginning of what is written there.
    fn written(&self, span: Range<usize>) -> String {
        let line = self.text.get(span).unwrap_or_default();
        let short: String = line.chars().take_while(|&c| c != '\n').take(40).collect();
        if short.len() < line.len() { format!("{short}…") } else { short }
    }
}

/// A schema, or the schemas of which it allows any, without references.
fn alternatives(schema: &Value) -> Vec<&Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return SCHEMA.pointer(name.trim_start_matches('#')).map(alternatives).unwrap_or_default();
    }
    match schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        Some(any) => any.iter().flat_map(alternatives).collect(),
        None => vec![schema],
    }
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema["type"] == name || schema["type"].as_array().is_some_and(|types| types.iter().any(|other| other == name))
}

/// The words that a schema allows, if it allows only some.
fn words(schema: &Value) -> Option<Vec<&str>> {
    let word = schema["const"].as_str().map(|word| vec![word]);
    word.or_else(|| Some(schema["enum"].as_array()?.iter().filter_map(Value::as_str).collect()))
}

/// The least and the largest whole number.
fn range(schema: &Value) -> [i128; 2] {
    let bits = || schema["format"].as_str()?.strip_prefix("uint")?.parse::<u32>().ok();
    let most = schema["maximum"].as_i64().map(i128::from);
    let most = most.or_else(|| Some((1_i128 << bits()?.min(126)) - 1)).unwrap_or(i64::MAX.into());
    [schema["minimum"].as_i64().unwrap_or(i64::MIN).into(), most]
}

fn fits(value: &DeValue<'_>, schema: &Value) -> bool {
    let fits_one = |schema: &&Value| match value {
        DeValue::String(text) => match words(schema) {
            Some(words) => words.contains(&text.as_ref()),
            None => has_type(schema, "string"),
        },
        DeValue::Integer(number) => {
            let [least, most] = range(schema);
            let number = i128::from_str_radix(number.as_str(), number.radix());
            has_type(schema, "integer") && number.is_ok_and(|number| (least..=most).contains(&number))
                || has_type(schema, "number")
        }
        DeValue::Float(_) => has_type(schema, "number"),
        DeValue::Boolean(_) => has_type(schema, "boolean"),
        DeValue::Datetime(_) => false,
        DeValue::Array(items) => {
            has_type(schema, "array") && items.iter().all(|item| fits(item.get_ref(), &schema["items"]))
        }
        DeValue::Table(table) => {
            let mut inner = ShapeCheck { text: "", is_new: true, problems: Vec::new(), gaps: Vec::new() };
            inner.table(&mut table.clone(), schema, "", None, false);
            has_type(schema, "object") && inner.problems.is_empty()
        }
    };
    alternatives(schema).iter().any(fits_one)
}

/// What a schema allows, in words: one such value, or `many`.
fn expected(schema: &Value, many: bool) -> String {
    let alternatives = alternatives(schema);
    let is_any = |name: &str| alternatives.iter().any(|schema| has_type(schema, name) && words(schema).is_none());
    let named: Vec<String> =
        alternatives.iter().filter_map(|schema| words(schema)).flatten().map(|word| format!("\"{word}\"")).collect();
    let mut found: Vec<String> = match named.as_slice() {
        [] => Vec::new(),
        [word] => vec![word.clone()],
        words => vec![format!("one of {}", words.join(", "))],
    };
    for schema in &alternatives {
        if has_type(schema, "integer") {
            let [least, most] = range(schema);
            let number = if many { "whole numbers" } else { "a whole number" };
            found.push(format!("{number} from {least} to {most}"));
        }
        if has_type(schema, "array") {
            found.push(format!("{} of {}", if many { "lists" } else { "a list" }, expected(&schema["items"], true)));
        }
        if has_type(schema, "object") {
            let keys = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
            let with = if keys.is_empty() { String::new() } else { format!(" with {}", keys.join(" and ")) };
            found.push(format!("{}{with}", if many { "tables" } else { "a table" }));
        }
    }
    let plain = [
        ("string", "text in quotes", "texts in quotes"),
        ("boolean", "true or false", "true or false"),
        ("number", "a number", "numbers"),
    ];
    let plain = plain.into_iter().filter(|(name, ..)| is_any(name));
    found.extend(plain.map(|(_, one, several)| if many { several } else { one }.to_owned()));
    found.join(", or ")
}
