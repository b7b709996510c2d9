//! What training is made of: settings, the folder of a run, the learner's side and the loop around them.
//!
//! The program `ashta` runs it on one machine; whoever spreads a run over many uses the same parts, so that both make
//! the same games and the same networks.

pub mod checkpoint;
pub mod config;
pub mod export;
pub mod files;
pub mod games;
pub mod judge;
pub mod metrics;
pub mod output;
pub mod progress;
pub mod run;
pub mod rundir;
pub mod runlog;
pub mod sheet_file;
pub mod trainee;
pub mod trainer;
pub mod wire;
