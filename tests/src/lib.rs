//! Support of the integration tests: small games that are solved, and fuzz targets.

pub mod fuzz;
pub mod solving;

/// The examples of the page about Rust, compiled as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
pub struct RustPage;
