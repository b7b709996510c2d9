//! The state of the training loop in a checkpoint. A run that resumes from this state, the learners
//! and the replay buffers has exactly the same result as a run without an interruption.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ashta_agents::learn::trainer::TrainerState;
use serde::{Deserialize, Serialize};

use crate::run::{
    evaluation::Measure,
    files::{read, write_whole},
    history::History,
};

/// The counters, random generators and settings of the training loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopState {
    /// Finished iterations.
    pub iteration: u64,
    /// Finished games.
    pub games: u64,
    /// The state of the trainer.
    pub trainer: TrainerState,
    /// Seconds of training.
    pub seconds: f64,
    /// The iteration of the best checkpoint.
    pub best: Option<u64>,
    /// The highest measure of the short evaluations; absent in checkpoints of earlier versions.
    #[serde(default)]
    pub highest: Option<Measure>,
    /// The best score in checkpoints of earlier versions; it is not used.
    #[serde(default, skip_serializing)]
    pub best_score: Option<f64>,
    /// The settings at this iteration, as TOML. In checkpoints of earlier versions, `config` and
    /// `history` are empty.
    #[serde(default)]
    pub config: String,
    /// The settings that shaped the networks so far.
    #[serde(default)]
    pub history: History,
}

const FILE: &str = "loop.json";

/// Writes the state into the folder of a checkpoint.
pub fn save_state(dir: &Path, state: &LoopState) -> Result<()> {
    write_whole(&dir.join(FILE), &serde_json::to_string_pretty(state)?)
}

/// Reads the state from the folder of a checkpoint.
pub fn load_state(dir: &Path) -> Result<LoopState> {
    let path = dir.join(FILE);
    parse_state(&read(&path)?).with_context(|| format!("cannot use {}", path.display()))
}

fn parse_state(json: &[u8]) -> Result<LoopState> {
    let state: LoopState =
        serde_json::from_slice(json).context("this is not the state of a training loop")?;
    let (iteration, games) = (state.iteration as f64, state.games as f64);
    let numbers = [
        ("games", Some(games), MOST_GAMES),
        ("iteration", Some(iteration), games),
        ("seconds", Some(state.seconds), MOST_SECONDS),
        ("best", state.best.map(|best| best as f64), iteration),
    ];
    for (name, number, most) in numbers {
        let number = number.unwrap_or_default();
        ensure!(
            (0.0..=most).contains(&number),
            "`{name}` is {number}, but must be from 0 to {most}"
        );
    }
    for number in state
        .highest
        .iter()
        .flat_map(|highest| [highest.value, highest.low])
    {
        ensure!(
            (-1.0..=1.0).contains(&number),
            "`highest` contains {number}, but only numbers from -1 to 1 are possible"
        );
    }
    Ok(state)
}

/// The largest number of games that the settings allow.
const MOST_GAMES: f64 = 1e12;
/// The largest number of seconds of training, a thousand times the largest time limit.
const MOST_SECONDS: f64 = 6e10;
