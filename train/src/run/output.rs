//! What the program says: results on standard output, remarks on standard error.
//!
//! Much of it comes from files and engines of others, so control characters are escaped here.
//!
//! The reader may be gone: `ashta bench env | head -1` closes its end after a line. That ends a command whose results
//! are not read, and is no reason to panic or to stop a training run.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Error, Result};
use serde::Serialize;

/// Columns of a line of prose.
const COLUMNS: usize = 79;

/// A text without characters that a terminal obeys: control characters but line breaks and tabs, and those that change
/// the direction of writing, are escaped as JSON does it.
pub fn escaped(text: &str) -> String {
    let is_obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let shown = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if is_obeyed(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// The same of a text that is part of a line.
pub fn in_line(text: &str) -> String {
    escaped(text).replace('\n', "\\n")
}

/// Writes a line of results.
///
/// # Errors
/// When standard output is closed or full.
pub fn print(text: impl Display) -> Result<()> {
    writeln!(std::io::stdout(), "{}", escaped(&text.to_string())).context("cannot write to standard output")
}

/// Writes results as JSON.
///
/// # Errors
/// When standard output is closed or full.
pub fn print_json(results: &impl Serialize) -> Result<()> {
    print(serde_json::to_string_pretty(results)?)
}

/// Writes a question, behind which the answer is typed.
///
/// # Errors
/// When standard output is closed or full.
pub fn prompt(question: &str) -> Result<()> {
    let mut output = std::io::stdout();
    write!(output, "{question} ").and_then(|()| output.flush()).context("cannot write to standard output")
}

/// Rows as aligned columns, two spaces apart and each row with a line break; columns of numbers stand to the right. All
/// have the length of the first.
pub fn columns<R: AsRef<[String]>>(rows: &[R], is_number: impl Fn(usize) -> bool) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.as_ref().iter().map(|cell| in_line(cell)).collect()).collect();
    let count = rows.first().map_or(0, Vec::len);
    let length = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> =
        (0..count).map(|column| rows.iter().map(|row| length(row, column)).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if is_number(column) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// A figure and its interval, with the unit behind the figure: `50.2 % [49.1, 51.3]`.
pub fn with_interval(figure: f64, [low, high]: [f64; 2], digits: usize, unit: &str) -> String {
    format!("{figure:.digits$}{unit} [{low:.digits$}, {high:.digits$}]")
}

/// Words in lines of at most 79 characters, each behind `indent` spaces.
pub fn wrapped(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut words = text.split_whitespace();
    let mut lines = vec![format!("{margin}{}", words.next().unwrap_or_default())];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS => *line += &format!(" {word}"),
            _ => lines.push(format!("{margin}{word}")),
        }
    }
    lines.join("\n")
}

/// Writes a line about how things go. It is lost when standard error is closed.
pub fn remark(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", escaped(&text.to_string()));
}

/// Writes a line about how things go, the first time that it is to be written.
pub fn remark_once(text: &str) {
    static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()) {
        remark(text);
    }
}

/// Whether the reader of the results has closed its end, so that the error has no reader.
pub fn is_closed(error: &Error) -> bool {
    let io = error.root_cause().downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
}
