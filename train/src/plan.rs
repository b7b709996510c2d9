//! What the iterations of a run do: which games, with which λ, at which learning rate.
//!
//! A plan follows from the settings, the games that are done and, with a time limit, the seconds that they took.

use serde::{Deserialize, Serialize};

use crate::config::{Config, LearningConfig};

/// What one iteration does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its number, from 1.
    pub iteration: u64,
    /// The number of its first game.
    pub first: u64,
    /// The number after its last game.
    pub end: u64,
    /// λ of the TD(λ) targets of these games.
    pub lambda: f64,
    /// The learning rate of what is learned meanwhile.
    pub learning_rate: f64,
}

impl Plan {
    /// The plan of what follows `iteration` iterations with `games` games that took so many `seconds`; `None` when the
    /// run is over.
    pub fn next(config: &Config, iteration: u64, games: u64, seconds: f64) -> Option<Plan> {
        let is_time_up = config.run.time_limit_minutes.is_some_and(|minutes| seconds >= 60.0 * minutes);
        if games >= config.selfplay.games || is_time_up {
            return None;
        }
        let share = share_done(config, games, seconds);
        Some(Plan {
            iteration: iteration + 1,
            first: games,
            end: (games + config.selfplay.games_per_iteration).min(config.selfplay.games),
            lambda: lambda(&config.learning, share),
            learning_rate: learning_rate(&config.learning, share),
        })
    }
}

/// The share of the run that is done after so many games, 0 to 1: of the games, or of the time where that ends sooner.
pub fn share_done(config: &Config, games: u64, seconds: f64) -> f64 {
    let games = games as f64 / config.selfplay.games as f64;
    let minutes = config.run.time_limit_minutes;
    minutes.map_or(games, |minutes| games.max(seconds / (60.0 * minutes))).min(1.0)
}

/// λ when this share of the run is done.
pub fn lambda(learning: &LearningConfig, share: f64) -> f64 {
    let LearningConfig { lambda, lambda_fall, .. } = *learning;
    let rest = if lambda_fall > 0.0 { (1.0 - share / lambda_fall).max(0.0) } else { 0.0 };
    lambda + (1.0 - lambda) * rest
}

/// The learning rate when this share of the run is done.
pub fn learning_rate(learning: &LearningConfig, share: f64) -> f64 {
    let fall = ((share - learning.decay_start) / (1.0 - learning.decay_start).max(1e-9)).clamp(0.0, 1.0);
    learning.learning_rate * (1.0 - fall * (1.0 - learning.final_learning_rate_share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_falls_at_the_end() {
        let sets = ["learning.learning_rate=0.01", "learning.decay_start=0.5"].map(str::to_owned);
        let learning = Config::load(None, &sets).expect("a valid configuration").learning;
        let share = learning.final_learning_rate_share;
        assert_eq!(learning_rate(&learning, 0.0), 0.01);
        assert_eq!(learning_rate(&learning, 0.5), 0.01);
        assert!((learning_rate(&learning, 0.75) - 0.01 * (1.0 + share) / 2.0).abs() < 1e-12);
        assert!((learning_rate(&learning, 1.0) - 0.01 * share).abs() < 1e-12);
    }
}
