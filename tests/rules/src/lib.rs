//! Support of the tests of the rules: the oracle, the engine with the same interface, the laws of
//! race games, random rulesets and positions, golden files, and buffers.

pub mod buffers;
pub mod changes;
pub mod engine;
pub mod golden;
pub mod laws;
pub mod oracle;
pub mod random;

use ashta_env::chance::{self, GameRng};

/// A random generator for each case of a test, so that one more draw in a case does not change the
/// other cases.
pub fn cases(test: u64) -> impl Iterator<Item = GameRng> {
    (0..).map(move |case| chance::stream(test, case))
}

/// How much a test of random cases does: `quick` in `./test`, `deep` in `./test deep`, which sets
/// `ASHTA_DEEP`.
pub fn amount(quick: usize, deep: usize) -> usize {
    if std::env::var_os("ASHTA_DEEP").is_some() {
        deep
    } else {
        quick
    }
}

/// The number that a variable of the environment sets, otherwise `default`.
///
/// # Panics
/// If the variable is not a number.
pub fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{variable}={value}: not a number"))
    })
}
