//! What a checkpoint holds: learners, replays and the counters and generators of the loop, enough to go on bit for bit.

use std::path::Path;

use anyhow::{Context, Result};
use ashta_agents::learn::trainer::TrainerState;
use serde::{Deserialize, Serialize};

use crate::run::files::write_whole;

/// The counters and generators of the loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopState {
    /// Iterations finished.
    pub iteration: u64,
    /// Games finished.
    pub games: u64,
    /// What the trainer goes on from.
    pub trainer: TrainerState,
    /// Seconds of training.
    pub seconds: f64,
    /// The best mean score of the short evaluations.
    pub best_score: Option<f64>,
    /// The iteration of that score, whose checkpoint is the best one.
    pub best: Option<u64>,
}

const FILE: &str = "loop.json";

/// Writes the counters and generators into the folder of a checkpoint.
///
/// # Errors
/// When the file cannot be written.
pub fn save_state(dir: &Path, state: &LoopState) -> Result<()> {
    write_whole(&dir.join(FILE), &serde_json::to_string_pretty(state)?)
}

/// Reads the counters and generators of a checkpoint.
///
/// # Errors
/// When the file is missing or not what it should be.
pub fn load_state(dir: &Path) -> Result<LoopState> {
    let path = dir.join(FILE);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    parse_state(&text).with_context(|| format!("cannot use {}", path.display()))
}

/// The counters and generators in a text of JSON.
///
/// # Errors
/// When it is not what it should be.
pub fn parse_state(text: &str) -> Result<LoopState> {
    serde_json::from_str(text).context("not the state of a training loop")
}
