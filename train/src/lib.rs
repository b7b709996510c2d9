//! What a training run is made of, and the program `ashta`.
//!
//! The program trains on one machine; a run on a cluster uses the same parts, so that both make the same games and the
//! same networks.
//!
//! | folder | contents |
//! |---|---|
//! | [`run`] | a run as a library, for the Python package, too |
//! | [`report`] | reports as one page, the analysis of a game |
//! | `cli` | what can be typed, the commands, play in the terminal, speeds; [`program`] is the program as a function |
//!
//! Networks, self-play and learning are of [`ashta_agents::learn`].

mod cli;
pub mod report;
pub mod run;

pub use cli::program;
