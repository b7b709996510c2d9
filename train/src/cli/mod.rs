//! The program `ashta`: command line, commands, play in the terminal and benchmarks.

mod args;
pub mod bench;
pub mod commands;
pub mod help;
pub mod play;
pub mod program;

pub use args::*;
