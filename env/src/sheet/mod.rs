//! Game sheets: a game as data, with board, course, pieces, throws and rules as the values of closed enums, and house
//! rules as named changes of those values.
//!
//! A sheet is TOML. [`Sheet::read`] reports every problem of one, with lines; [`builtin`] has the built-in sheets.
//! Numbers of squares are those of the notation: the first square of the course has the number [`Board::first_number`],
//! the last one is the finish. The effect of each value is documented here; the engine compiles it into tables once.

use std::sync::LazyLock;

use serde_json::Value;

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
pub static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| include_str!("schema.json").parse().expect("a test compares it with the types"));

#[cfg(test)]
mod tests {
    /// `UPDATE_GOLDEN=1` writes the schema.
    #[test]
    fn the_schema_is_that_of_the_types() {
        let schema = schemars::schema_for!(super::Sheet).to_value();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sheet/schema.json");
            std::fs::write(path, format!("{schema:#}\n")).expect("a writable source file");
        } else {
            assert_eq!(*super::SCHEMA, schema, "run the test with UPDATE_GOLDEN=1");
        }
    }
}
