//! What a checkpoint holds: learners, replays and the counters and generators of the loop, enough to go on bit for bit.

use std::path::Path;

use anyhow::{Context, Error, Result};
use ashta_agents::learn::net::{Learner, LearnerConfig, LearnerDevice, LearnerError};
use ashta_agents::learn::replay::{Part, Replay, ReplayError};
use ashta_agents::network::portable::MlpShape;
use ashta_env::chance::GameRng;
use serde::{Deserialize, Serialize};

use crate::files::write_whole;

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
}

/// What a trainer goes on from, besides its networks and their samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainerState {
    /// For the value network.
    pub value: DrawState,
    /// For the policy network.
    pub policy: DrawState,
}

/// What decides which batches a network learns next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawState {
    /// Samples that wait to be learned from, as a number of draws from the replay buffer.
    pub due: f64,
    /// The generator that draws batches.
    pub rng: GameRng,
}

const FILE: &str = "loop.json";
/// The folder of the one network; the other is in [`POLICY`].
pub const VALUE: &str = "value";
/// The folder of the other network.
pub const POLICY: &str = "policy";

/// Writes the counters and generators into the folder of a checkpoint.
///
/// # Errors
/// When the file cannot be written.
pub fn save_state(dir: &Path, state: &LoopState) -> Result<()> {
    write_whole(&dir.join(FILE), &serde_json::to_string_pretty(state)?)
}

/// Reads the learner of one network of a checkpoint.
///
/// # Errors
/// When it is damaged or of another shape.
pub fn load_learner(dir: &Path, shape: MlpShape, config: LearnerConfig, device: LearnerDevice) -> Result<Learner> {
    Learner::load(dir, shape, config, device).map_err(|error| {
        let is_whole = matches!(error, LearnerError::Mismatch { .. });
        Error::new(error).context(named(dir, "learner", is_whole))
    })
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

/// Reads the replay of one network of a checkpoint.
///
/// # Errors
/// When it is damaged or of other sizes.
pub fn load_replay(dir: &Path, part: Part, capacity: usize, actions: usize) -> Result<Replay> {
    Replay::load(dir, part, capacity, actions).map_err(|error| {
        let is_whole = matches!(error, ReplayError::Mismatch { .. });
        Error::new(error).context(named(dir, "replay", is_whole))
    })
}

/// A part of a checkpoint, and, unless that `is_whole`, what can be done without it.
fn named(dir: &Path, part: &str, is_whole: bool) -> String {
    let network = dir.file_name().unwrap_or_default().display();
    let dir = dir.parent().unwrap_or(dir);
    let others = dir.parent().and_then(|parent| std::fs::read_dir(parent).ok()).map_or(0, |entries| entries.count());
    let way_out =
        if !is_whole && others > 1 { " (without this folder the run goes on from the one before)" } else { "" };
    format!("the {part} of the {network} network of checkpoint {}{way_out}", dir.display())
}
