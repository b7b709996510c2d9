//! What training is made of: settings, the folder of a run, the learner's side and the loop around them.
//!
//! The program `ashta` runs it on one machine; a run on a cluster uses the same parts, so that both make
//! the same games and the same networks. From the ground up, each module using only those before it: output and files,
//! [`config`] (settings), [`plan`] (what an iteration does), [`evaluation`], the state on disk ([`rundir`],
//! [`checkpoint`]), [`trainer`] (learning), [`runlog`] (metrics and counters), [`export`], [`run`] (the loop).

pub mod checkpoint;
pub mod config;
pub mod evaluation;
pub mod export;
pub mod files;
pub mod games;
pub mod metrics;
pub mod output;
pub mod plan;
pub mod progress;
pub mod run;
pub mod rundir;
pub mod runlog;
pub mod sheet_file;
pub mod trainer;
pub mod wire;
