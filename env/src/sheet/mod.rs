//! Game sheets: a game as data. A sheet has the board, course, pieces, throws and rules as values
//! of closed enums, and house rules as named changes of these values.
//!
//! A sheet is TOML. [`Sheet::read`] reads one and reports problems with their lines;
//! [`builtin`] has the built-in sheets. The types of this module document the effect of each value.
//! Squares have the numbers of the notation: the first square of the course has the number
//! [`Board::first_number`], and the last square is the finish.

use std::sync::LazyLock;

use serde_json::Value;

pub mod builtin;
mod check;
mod read;
pub mod ruleset;
mod sheets;
pub(crate) mod values;

pub use read::SheetError;
pub use sheets::{NameTaken, Sheets};
pub use values::*;

/// The JSON Schema of sheets. Editors use it to complete and check a sheet.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    include_str!("schema.json")
        .parse()
        .expect("a test checks that the file is JSON")
});

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_types() {
        let schema = schemars::schema_for!(super::Sheet).to_value();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sheet/schema.json");
            std::fs::write(path, format!("{schema:#}\n")).expect("a writable source file");
        } else {
            let command = "UPDATE_GOLDEN=1 cargo nextest run --release -p ashta-env -p ashta-rule-tests -E 'test(the_schema_is) + \
                           test(sheet_reference::)'";
            assert!(
                *super::SCHEMA == schema,
                "env/src/sheet/schema.json is not up to date. This command writes it: {command}"
            );
        }
    }
}
