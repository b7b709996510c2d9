//! What the tests of this package share: the oracle, the engine asked in the same words, the laws of race games, random
//! rulesets and positions, golden files, buffers, small games that are solved, and what holds of arbitrary bytes.

pub mod buffers;
pub mod engine;
pub mod fuzz;
pub mod golden;
pub mod laws;
pub mod oracle;
pub mod random;
pub mod solving;
