//! What a checkpoint holds: learners, replays and the counters and generators of the loop, enough to go on bit for bit.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ashta_agents::learn::trainer::TrainerState;
use serde::{Deserialize, Serialize};

use crate::run::files::{read, write_whole};
use crate::run::history::History;

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
    /// The settings at this iteration, as a file; empty in checkpoints of earlier versions, as is `history`.
    #[serde(default)]
    pub config: String,
    /// The settings that shaped the networks so far.
    #[serde(default)]
    pub history: History,
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
    parse_state(&read(&path)?).with_context(|| format!("cannot use {}", path.display()))
}

fn parse_state(json: &[u8]) -> Result<LoopState> {
    let state: LoopState = serde_json::from_slice(json).context("not the state of a training loop")?;
    let (iteration, games) = (state.iteration as f64, state.games as f64);
    let numbers = [
        ("games", Some(games), MOST_GAMES),
        ("iteration", Some(iteration), games),
        ("seconds", Some(state.seconds), MOST_SECONDS),
        ("best_score", state.best_score, 1.0),
        ("best", state.best.map(|best| best as f64), iteration),
    ];
    for (name, number, most) in numbers {
        let number = number.unwrap_or_default();
        ensure!((0.0..=most).contains(&number), "`{name}` is {number}, but must be from 0 to {most}");
    }
    Ok(state)
}

/// The most games of a run, as in its settings.
const MOST_GAMES: f64 = 1e12;
/// The most seconds of training, a thousand times the largest time limit.
const MOST_SECONDS: f64 = 6e10;
