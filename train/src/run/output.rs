//! Output for people and programs: results on standard output, remarks on standard error.
//!
//! Texts can come from untrusted files and engines, so these functions escape control characters.
//!
//! The program that reads standard output can close it, as `head` does in
//! `ashta eval siga | head -1`. Then the command ends without a message, but a training run
//! continues.

use std::{
    collections::BTreeSet,
    fmt::Display,
    io::{ErrorKind, Write},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Error, Result};
use console::measure_text_width;
use serde::Serialize;

/// The longest line of prose, in columns.
const COLUMNS: usize = 79;

/// Escapes characters that control a terminal, in the form of JSON: control characters except line
/// breaks and tabs, and characters that change the direction of writing.
pub fn escaped(text: &str) -> String {
    let is_obeyed = |c: char| c.is_control() && !"\n\t".contains(c) || DIRECTIONS.contains(c);
    text.chars()
        .map(|c| {
            if is_obeyed(c) {
                format!("\\u{:04x}", u32::from(c))
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// Characters that change the direction of writing, or break lines.
const DIRECTIONS: &str = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
                          \u{2066}\u{2067}\u{2068}\u{2069}";

/// Escapes a text that is a part of a line; line breaks become `\n`.
pub fn in_line(text: &str) -> String {
    escaped(text).replace('\n', "\\n")
}

/// Prints a line of results.
pub fn print(text: impl Display) -> Result<()> {
    writeln!(std::io::stdout(), "{}", escaped(&text.to_string()))
        .context("cannot write to standard output")
}

/// Prints results as JSON.
pub fn print_json(results: &impl Serialize) -> Result<()> {
    print(serde_json::to_string_pretty(results)?)
}

/// Prints a question; the answer follows on the same line.
pub fn prompt(question: &str) -> Result<()> {
    let mut output = std::io::stdout();
    write!(output, "{question} ")
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// Aligns rows as columns, two spaces apart. Columns of numbers are aligned to the right. Each line
/// ends with a line break.
pub fn columns<R: AsRef<[String]>>(rows: &[R], is_number: impl Fn(usize) -> bool) -> String {
    let cells = |row: &R| row.as_ref().iter().map(|cell| in_line(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let count = rows.first().map_or(0, Vec::len);
    let length =
        |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let width = |column: usize| {
        rows.iter()
            .map(|row| length(row, column))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| {
                if is_number(column) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A number with its unit and its interval: `50.2 % [49.1, 51.3]`.
pub fn with_interval(figure: f64, [low, high]: [f64; 2], digits: usize, unit: &str) -> String {
    format!("{figure:.digits$}{unit} [{low:.digits$}, {high:.digits$}]")
}

/// Breaks a text into lines of at most 79 characters, each with `indent` spaces before it.
pub fn wrapped(text: &str, indent: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    broken(
        &format!("{}{}", " ".repeat(indent), words.join(" ")),
        indent,
    )
}

/// The paragraphs of a text, which empty lines separate, in lines of at most 79 characters.
pub fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .split(|line| line.is_empty())
        .filter(|lines| !lines.is_empty())
        .map(|lines| wrapped(&lines.join(" "), 0))
        .collect()
}

/// Breaks `line` between words if it is longer than 79 columns; lines after the first are indented
/// by `indent` columns.
pub fn broken(line: &str, indent: usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for word in line.split_inclusive(' ') {
        let width = measure_text_width(word.trim_end());
        if column + width > COLUMNS && column > indent {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        }
        out.push_str(word);
        column += measure_text_width(word);
    }
    out
}

/// Prints a remark. The remark is lost if standard error is closed.
pub fn remark(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", escaped(&text.to_string()));
}

/// Prints a remark unless the same text was printed before.
pub fn remark_once(text: &str) {
    static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if WRITTEN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(text.to_owned())
    {
        remark(text);
    }
}

/// Whether the error occurred because the reader has closed standard output. The program does not
/// print such an error.
pub fn is_closed(error: &Error) -> bool {
    let io = error.root_cause().downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let line = "word ".repeat(30);
        let text = broken(line.trim_end(), 4);
        assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [79, 73]);
        assert!(
            text.lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("    word word"))
        );
        let coloured = format!("\x1b[1m{}\x1b[0m", "x".repeat(79));
        assert_eq!(broken(&coloured, 4), coloured);
        assert_eq!(broken("  1  a", 5), "  1  a");
    }
}
