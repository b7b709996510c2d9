//! What the program says: results on standard output, remarks on standard error.
//!
//! Whoever listens may be gone: `ashta bench env | head -1` closes its end after a line. That ends a command whose
//! results nobody reads, and is no reason to panic or to stop a training run.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use anyhow::{Context, Error, Result};

/// Writes a line of results.
///
/// # Errors
/// When standard output is closed or full.
pub fn print(text: impl Display) -> Result<()> {
    writeln!(std::io::stdout(), "{text}").context("cannot write to standard output")
}

/// Rows as aligned columns, two spaces apart and each row with a line break; columns of numbers stand to the right.
pub fn aligned<const N: usize>(rows: &[[String; N]], is_number: [bool; N]) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).zip(is_number).map(|((cell, width), is_number)| {
            if is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Writes a line about how things go. It is lost when nobody reads standard error.
pub fn remark(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Whether the reader of the results has closed its end, so that there is nobody to be told of it.
pub fn is_closed(error: &Error) -> bool {
    let io = error.root_cause().downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
}
