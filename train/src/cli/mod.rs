//! The program `ashta`: what can be typed, and the commands.

mod args;
pub mod bench;
pub mod commands;
pub mod help;
pub mod play;
pub mod program;

pub use args::*;
