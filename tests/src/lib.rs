//! What the tests of this package share: the oracle, and the engine asked in the same words.

pub mod engine;
pub mod oracle;
pub mod random;
