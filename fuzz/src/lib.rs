//! The functions of the fuzz targets; a test of the workspace uses the same functions.

#[path = "../../tests/src/fuzz.rs"]
mod fuzz;

pub use fuzz::*;
