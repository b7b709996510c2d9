//! What the targets share: the same functions that a test of the workspace calls.

#[path = "../../tests/src/fuzz.rs"]
mod fuzz;

pub use fuzz::*;
