//! Training runs, and the program `ashta`.
//!
//! The program trains on one machine. A run on a cluster uses the same code, so both play the same games and train the
//! same networks.
//!
//! | folder | contents |
//! |---|---|
//! | [`run`] | training runs as a library, also for the Python package |
//! | [`report`] | analysis of games, contents of report pages |
//! | `cli` | command line, commands, play in the terminal, benchmarks; [`program`] is the program as a function |
//!
//! [`ashta_agents::learn`] contains the networks, self-play and learning.

mod cli;
pub mod report;
pub mod run;

pub use cli::program;
