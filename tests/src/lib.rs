//! What the tests of this package share: the oracle, the engine asked in the same words, the laws of race games, random
//! rulesets and positions, golden files, buffers, and small
//! games that are solved.

pub mod buffers;
pub mod engine;
pub mod golden;
pub mod laws;
pub mod oracle;
pub mod random;
pub mod solving;
