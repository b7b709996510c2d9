//! What a checkpoint holds: learners, replays and the counters and generators of the loop, enough to go on bit for bit.

use std::path::Path;

use anyhow::{Context, Result};
use ashta_agents::learn::net::{Learner, LearnerConfig, LearnerDevice};
use ashta_agents::learn::replay::{Part, Replay};
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
    /// The iteration of that score, whose checkpoint is the best one.
    pub best: Option<u64>,
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
    Learner::load(dir, shape, config, device).with_context(|| named(dir, "learner"))
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
pub fn load_replay(dir: &Path, part: Part, capacity: usize, shape: &MlpShape) -> Result<Replay> {
    Replay::load(dir, part, capacity, shape).with_context(|| named(dir, "replay"))
}

/// A part of a checkpoint.
fn named(dir: &Path, part: &str) -> String {
    let network = dir.file_name().unwrap_or_default().display();
    format!("the {part} of the {network} network of checkpoint {}", dir.parent().unwrap_or(dir).display())
}
