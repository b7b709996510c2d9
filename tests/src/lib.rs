//! What the tests of this package share: the oracle, the engine asked in the same words, the laws of race games, random
//! rulesets and positions, golden files and buffers.

pub mod buffers;
pub mod engine;
pub mod golden;
pub mod laws;
pub mod oracle;
pub mod random;
