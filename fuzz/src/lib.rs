//! The fuzz targets' functions, shared with a test of the workspace.

#[path = "../../tests/src/fuzz.rs"]
mod fuzz;

pub use fuzz::*;
