//! Training runs, and the program `ashta`.
//!
//! Threads or other machines play the games of a training run; its result does not depend on them.
//!
//! | folder | contents |
//! |---|---|
//! | [`run`] | training runs as a library, also for the Python package |
//! | [`report`] | analysis of games, contents of report pages |
//! | `cli` | command line, commands, play in the terminal; [`program::run`] runs the program |
//!
//! [`ashta_agents::learn`] contains the networks, self-play and learning.

mod cli;
pub mod report;
pub mod run;

pub use cli::program;
