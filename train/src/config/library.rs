//! The settings as configurations of the libraries: learner and self-play.

use anyhow::{Context, Result, bail};
use ashta_agents::learn::net::{LearnerConfig, LearnerDevice};
use ashta_agents::learn::selfplay::SelfPlayConfig;

use super::Config;

impl Config {
    /// The device on which the learner computes.
    ///
    /// # Errors
    /// When there is no such device or this program was built without it.
    pub fn device(&self) -> Result<LearnerDevice> {
        let device = match self.run.device.as_str() {
            "cpu" => LearnerDevice::Cpu,
            "cuda" => LearnerDevice::Cuda,
            "wgpu" => LearnerDevice::Wgpu,
            other => bail!("`run.device` is {other:?}, but must be cpu, cuda or wgpu"),
        };
        device.check().context("run.device")?;
        Ok(device)
    }

    /// The hyperparameters of the learner.
    pub fn learner(&self) -> LearnerConfig {
        LearnerConfig {
            learning_rate: self.learning.learning_rate,
            average_decay: self.learning.ema,
            policy_weight: self.learning.policy_weight as f32,
            gradient_limit: self.learning.gradient_clip.map(|limit| limit as f32),
            weight_decay: self.learning.weight_decay,
            ..LearnerConfig::default()
        }
    }

    /// The settings of self-play.
    pub fn selfplay(&self) -> SelfPlayConfig {
        SelfPlayConfig {
            luck_correction: self.learning.luck_correction,
            series_probability: self.selfplay.series_probability as f32,
            alternatives: self.selfplay.alternatives,
            branch_turns: self.selfplay.branch_turns,
            exploration: self.selfplay.exploration,
            random_start_share: self.selfplay.random_start_share,
            random_start_turns: self.selfplay.random_start_turns,
            turn_limit: self.selfplay.turn_limit,
            policy_temperature: self.learning.policy_temperature as f32,
        }
    }
}
