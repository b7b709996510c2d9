//! What training is made of, and the program `ashta`.
//!
//! The program trains on one machine; a run on a cluster uses the same parts, so that both make the same games and the
//! same networks. From the ground up, each module using only those before it: output and files,
//! [`embedded`] (what the program brings in itself), [`config`] (settings),
//! [`evaluation`], the state on disk ([`rundir`], [`checkpoint`]), [`runlog`] (metrics and counters), [`export`],
//! [`run`] (the loop). Networks, self-play and learning are of [`ashta_agents::learn`]. [`program`] is the program as a
//! function; the modules that are not public belong to it.

mod analysis;
mod bench;
pub mod checkpoint;
mod cli;
mod commands;
pub mod config;
pub mod embedded;
pub mod evaluation;
pub mod export;
pub mod files;
pub mod games;
mod help;
pub mod metrics;
pub mod output;
mod page;
mod play;
mod plot;
pub mod program;
pub mod progress;
pub mod run;
pub mod rundir;
pub mod runlog;
pub mod sheet_file;
mod threads;
pub mod wire;
