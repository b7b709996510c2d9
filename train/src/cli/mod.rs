//! The program `ashta`: command line, commands and play in the terminal.

mod args;
pub mod commands;
pub mod help;
pub mod play;
pub mod program;

pub use args::*;
