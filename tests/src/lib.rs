//! Support of the integration tests: the oracle, the engine with the same interface, the laws of race games, random
//! rulesets and positions, golden files, buffers, small games that are solved, and fuzz targets.

pub mod buffers;
pub mod changes;
pub mod engine;
pub mod fuzz;
pub mod golden;
pub mod laws;
pub mod oracle;
pub mod random;
pub mod solving;

/// How much a test of random cases does: `quick` in `./test`, `deep` in `./test deep`, which sets `ASHTA_DEEP`.
pub fn amount(quick: usize, deep: usize) -> usize {
    if std::env::var_os("ASHTA_DEEP").is_some() { deep } else { quick }
}

/// The number that a variable of the environment sets, otherwise `default`.
///
/// # Panics
/// If the variable is not a number.
pub fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable)
        .map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{variable}={value}: not a number")))
}

/// The examples of the page about Rust, compiled as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
pub struct RustPage;
