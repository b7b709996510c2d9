//! Game sheets: a game as data, with board, course, pieces, throws and rules as the values of closed enums, and house
//! rules as named changes of those values.
//!
//! A sheet is TOML. [`Sheet::read`] reports every problem of one, with lines; [`builtin`] has the built-in sheets.
//! Numbers of squares are those of the notation: the first square of the course has the number [`Board::first_number`],
//! the last one is the finish. The effect of each value is documented here; the engine compiles it into tables once.

pub mod builtin;
mod check;
#[cfg(test)]
mod mutation_tests;
mod read;
pub mod ruleset;
mod shape;
mod sheets;
mod syntax;
pub(crate) mod values;

pub use read::{SheetError, SheetProblem};
pub use sheets::{NameTaken, Sheets};
pub use syntax::syntax_problems;
pub use values::*;

/// The JSON Schema of a sheet, with which editors complete and check one.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Sheet).to_value()
}
