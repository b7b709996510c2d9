//! Parser of sheets, which reports every problem, and application of house rules.

use std::fmt;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Sheet, builtin, check};

/// All problems of a sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SheetError {
    /// The file, or another name for the text.
    pub file: String,
    /// The problems in the order of the text; never empty.
    pub problems: Vec<SheetProblem>,
}

/// A problem of a sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SheetProblem {
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// The key, with dots; empty where the whole text is meant.
    pub key: String,
    /// The problem.
    pub message: String,
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, SheetProblem { line, key, message }) in self.problems.iter().enumerate() {
            let line = line.map_or(String::new(), |line| format!(":{line}"));
            let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
            write!(f, "{}{}{line}: {key}{message}", if at == 0 { "" } else { "\n" }, self.file)?;
        }
        Ok(())
    }
}

impl std::error::Error for SheetError {}

/// Most problems in one report; validation stops after so many.
const MAX_PROBLEMS: usize = 32;

impl Sheet {
    /// Reads a sheet; `file` names it in errors.
    ///
    /// # Errors
    /// Every problem: syntax, unknown keys and values, and contradictions, without house rules and under each single
    /// one.
    pub fn read(text: &str, file: &str) -> Result<Sheet, SheetError> {
        let error = |problems| SheetError { file: file.to_owned(), problems };
        let line = |at: usize| text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count() + 1;
        let (table, syntax) = DeTable::parse_recoverable(text);
        if !syntax.is_empty() {
            let problem = |error: toml::de::Error| SheetProblem {
                line: error.span().map(|span| line(span.start)),
                key: String::new(),
                message: error.message().to_owned(),
            };
            return Err(error(syntax.into_iter().take(MAX_PROBLEMS).map(problem).collect()));
        }
        let lines = table.clone();
        let line_of = |key: &str| offset(&lines, key).map(line);
        let (sheet, mut problems) = values(table, line);
        if let Some(sheet) = sheet.filter(|_| problems.is_empty()) {
            problems = check::all(&sheet)
                .into_iter()
                .map(|(key, message)| SheetProblem { line: line_of(&key), key, message })
                .collect();
            if problems.is_empty() {
                return Ok(sheet);
            }
        }
        problems.sort_by_key(|problem| problem.line);
        problems.truncate(MAX_PROBLEMS);
        Err(error(problems))
    }

    /// The sheet as TOML.
    pub fn text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// The sheet with the changes of house rules, one after the other; contradictions are not checked.
    pub(crate) fn changed<'a>(&self, changes: impl IntoIterator<Item = &'a toml::Table>) -> Result<Sheet, String> {
        let mut table = toml::Table::try_from(self).map_err(|error| error.to_string())?;
        for change in changes {
            merge(&mut table, change);
        }
        Sheet::deserialize(table).map_err(|error| error.to_string())
    }
}

/// Changes a table key by key, and replaces any other value.
fn merge(table: &mut toml::Table, change: &toml::Table) {
    for (key, value) in change {
        match (table.get_mut(key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            _ => drop(table.insert(key.clone(), value.clone())),
        }
    }
}

/// The values of a sheet, and the problems of those that cannot be read: each of these is left out to find the next,
/// and the value of another sheet stands in for a required one.
fn values(mut table: Spanned<DeTable<'_>>, line: impl Fn(usize) -> usize) -> (Option<Sheet>, Vec<SheetProblem>) {
    let (other, _) = DeTable::parse_recoverable(builtin::TEXTS[0]);
    let mut problems: Vec<SheetProblem> = Vec::new();
    let mut stand_ins = Vec::new();
    loop {
        let error = match Sheet::deserialize(table.clone().into_deserializer()) {
            Ok(sheet) => return (Some(sheet), problems),
            Err(error) => error,
        };
        let span = error.span().filter(|span| !span.is_empty());
        let missing = error.message().strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        // A value that was left out is no further problem.
        let is_left_out =
            |key: &&String| key.rsplit('.').next() == missing && !stand_ins.iter().any(|other| other == *key);
        let left_out = problems.iter().map(|problem| &problem.key).find(is_left_out).cloned();
        let is_known = left_out.is_some();
        let key = match (missing, left_out, &span) {
            (Some(_), Some(key), _) => Some(key),
            (Some(name), None, Some(span)) => path_of(table.get_ref(), span).map(|path| format!("{path}{name}")),
            (None, _, Some(span)) => remove(table.get_mut(), span),
            _ => None,
        };
        if !is_known {
            problems.push(SheetProblem {
                line: span.map(|span| line(span.start)),
                key: key.clone().unwrap_or_default(),
                message: error.message().to_owned(),
            });
        }
        let goes_on = key.is_some_and(|key| {
            let is_new =
                missing.is_none() || !stand_ins.contains(&key) && stand_in(table.get_mut(), other.get_ref(), &key);
            stand_ins.extend(missing.map(|_| key));
            is_new
        });
        if !goes_on || problems.len() >= MAX_PROBLEMS {
            return (None, problems);
        }
    }
}

/// The path of the table with this span, with a dot behind it; empty for the whole text.
fn path_of(table: &DeTable<'_>, span: &std::ops::Range<usize>) -> Option<String> {
    let inner = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let inner = value.get_ref().as_table()?;
        let path = if value.span() == *span { Some(String::new()) } else { path_of(inner, span) };
        path.map(|path| format!("{}.{path}", AsRef::<str>::as_ref(name.get_ref())))
    };
    table.iter().find_map(inner)
}

/// Copies the value of a key of another table into a table; returns whether it could.
fn stand_in<'a>(table: &mut DeTable<'a>, other: &DeTable<'a>, key: &str) -> bool {
    let (name, rest) = key.split_once('.').map_or((key, None), |(name, rest)| (name, Some(rest)));
    let Some((found, value)) = other.iter().find(|(found, _)| found.get_ref() == name) else { return false };
    match (rest, table.get_mut(name).map(Spanned::get_mut), value.get_ref()) {
        (Some(rest), Some(DeValue::Table(inner)), DeValue::Table(other)) => stand_in(inner, other, rest),
        (None, None, _) => table.insert(found.clone(), value.clone()).is_none(),
        _ => false,
    }
}

/// Removes the innermost key that holds `span`, or is it, and returns its path; a whole table is not removed.
fn remove(table: &mut DeTable<'_>, span: &std::ops::Range<usize>) -> Option<String> {
    let holds = |outer: std::ops::Range<usize>| outer.start <= span.start && span.end <= outer.end;
    let mut found = None;
    for (key, value) in table.iter_mut() {
        let name = key.get_ref().to_string();
        if key.span() == *span {
            found = Some(name);
            break;
        }
        if let DeValue::Table(inner) = value.get_mut()
            && let Some(path) = remove(inner, span)
        {
            return Some(format!("{name}.{path}"));
        }
        if holds(value.span()) && !value.get_ref().is_table() {
            found = Some(name);
            break;
        }
    }
    let name = found?;
    table.remove(name.as_str())?;
    Some(name)
}

/// The offset of a key in the text; of a missing one that of the innermost table that would hold it.
fn offset(table: &Spanned<DeTable<'_>>, key: &str) -> Option<usize> {
    let mut at = None;
    let mut inner = table.get_ref();
    for part in key.split('.') {
        let Some((name, value)) = inner.iter().find(|(name, _)| name.get_ref() == part) else { break };
        at = Some(name.span().start);
        let Some(next) = value.get_ref().as_table() else { break };
        inner = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::builtin;

    fn problems(change: impl Fn(&str) -> String) -> Vec<String> {
        let text = change(&builtin::named("siga").expect("a built-in game").text());
        let error = Sheet::read(&text, "siga.toml").expect_err("a broken sheet");
        assert!(error.to_string().starts_with("siga.toml:"), "{error}");
        error.problems.iter().map(|problem| format!("{}: {}", problem.key, problem.message)).collect()
    }

    #[test]
    fn a_printed_sheet_reads_as_itself() {
        for sheet in builtin::all() {
            assert_eq!(Sheet::read(&sheet.text(), "printed").as_ref(), Ok(&**sheet), "{}", sheet.name);
        }
    }

    #[test]
    fn unknown_keys_and_values_are_named_with_their_lines() {
        let found =
            problems(|text| text.replace("turn_limit", "turn_limits").replace("kind = \"throw\"", "kind = \"thrown\""));
        assert!(found.iter().any(|problem| problem.contains("unknown field `turn_limits`")), "{found:?}");
        let error = Sheet::read("name = 3\ntitle = [\n", "x.toml").expect_err("no sheet");
        assert!(error.problems.iter().all(|problem| problem.line.is_some()), "{error}");
    }

    #[test]
    fn a_missing_required_value_hides_no_other_problem() {
        let broken = |text: &str| {
            let text = text.replace("kind = \"throw\"", "kind = 7").replace("side = 5", "side = \"five\"");
            text.replace("turn_limit = 500", "turn_limit = \"long\"").replace("title = ", "titel = ")
        };
        let found = problems(broken);
        for key in ["turn.kind: ", "board.side: ", "seats.turn_limit: ", "titel: "] {
            assert!(found.iter().any(|problem| problem.starts_with(key)), "{key} in {found:?}");
        }
        let found = problems(|text| text.replace("course = ", "curse = ").replace("again = [", "again = [true, "));
        for words in ["curse: unknown field", "board.course: missing field", "turn.again: "] {
            assert!(found.iter().any(|problem| problem.contains(words)), "{words} in {found:?}");
        }
    }

    #[test]
    fn all_contradictions_are_named_at_once() {
        let found = problems(|text| text.replace("side = 5", "side = 4").replace("count = 2", "count = 7"));
        assert!(found.iter().any(|problem| problem.contains("leaves the frame")), "{found:?}");
        let found =
            problems(|text| text.replace("again = [", "again = [9, ").replace("turn_limit = 500", "turn_limit = 0"));
        for words in ["turn.again: 9 is never thrown", "seats.turn_limit"] {
            assert!(found.iter().any(|problem| problem.contains(words)), "{words} in {found:?}");
        }
    }

    #[test]
    fn games_that_cannot_end_are_refused() {
        let text = builtin::named("main-pacheh").expect("a built-in game").text();
        let fives = text.replace("values = [8, 1, 2, 3, 4]", "values = [8, 5, 10, 15, 20]").replace("[4, 8]", "[8]");
        let error = Sheet::read(&fives, "fives.toml").expect_err("19 squares are left from the sixth").to_string();
        assert!(error.contains("no throws lead from") && error.contains("throws.values"), "{error}");
    }
}
