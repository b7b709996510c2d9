//! Training runs, and the program `ashta`.
//!
//! The program trains on one machine. A run on a cluster uses the same code. With
//! `cluster.staleness` 0 (the default), it plays the same games and trains the same networks.
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
