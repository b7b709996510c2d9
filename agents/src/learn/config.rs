//! The settings of training: each field with its default and its allowed values.

use ashta_env::game::Spec;
use serde::{Deserialize, Serialize};

use crate::{network::portable::NetShape, play::error::Error};

/// The allowed values of a setting.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Allowed {
    /// A whole number between these numbers, both included.
    Whole(i64, i64),
    /// A number between these numbers, both included.
    Number(f64, f64),
    /// A number above the first number, up to and including the second number.
    Above(f64, f64),
    /// Either this word, which means "no value", or a value that the other field allows.
    Or(&'static str, &'static Allowed),
    /// A boolean.
    Switch,
    /// A text that is not empty; the field describes its meaning.
    Text(&'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A part of the name of a folder; can be empty.
    Name,
    /// A list of texts without duplicates.
    Names,
    /// The widths of the hidden layers of a network.
    Widths,
}

/// A section of settings with the allowed values of each field.
pub trait Section {
    /// The name of each field and its allowed values, in the order of the fields.
    const ALLOWED: &'static [(&'static str, Allowed)];
}

/// Defines a [`Section`]. Each field has its allowed values after its type:
/// `field: Type => allowed`. If all fields have defaults, `field: Type = default => allowed`, the
/// structure also implements `Default`.
#[macro_export]
macro_rules! settings {
    ($(#[$of_type:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* pub $field:ident: $type:ty => $allowed:expr,)*
    }) => {
        $(#[$of_type])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$of_field])* pub $field: $type,)*
        }

        impl $crate::learn::config::Section for $name {
            const ALLOWED: &'static [(&'static str, $crate::learn::config::Allowed)] =
                &[$((stringify!($field), $allowed)),*];
        }
    };
    ($(#[$of_type:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* pub $field:ident: $type:ty = $default:expr => $allowed:expr,)*
    }) => {
        $crate::settings! {
            $(#[$of_type])* pub struct $name { $($(#[$of_field])* pub $field: $type => $allowed,)* }
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default),* }
            }
        }
    };
}

use Allowed::{Above, Number, Or, Switch, Whole, Widths};

/// The settings of training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// The shapes of the two networks.
    pub network: NetworkConfig,
    /// Self-play.
    pub selfplay: SelfPlayConfig,
    /// The learner: targets, losses, optimiser and replay buffer.
    pub learning: LearningConfig,
}

settings! {
    /// The shapes of the two networks.
    pub struct NetworkConfig {
        /// Widths of the hidden layers of the value network, from input to output.
        pub hidden: Vec<usize> = vec![128] => Widths,
        /// Widths of the hidden layers of the policy network, from input to output.
        pub policy_hidden: Vec<usize> = vec![64] => Widths,
    }
}

settings! {
    /// Self-play.
    pub struct SelfPlayConfig {
        /// Number of games in the whole run.
        pub games: u64 = 100_000 => Whole(1, 1_000_000_000_000),
        /// Number of games in an iteration.
        pub games_per_iteration: u64 = 64 => Whole(1, 1_000_000),
        /// Share of the games that begin with random turns.
        pub random_start_share: f64 = 0.05 => Number(0.0, 1.0),
        /// The largest number of random turns at the beginning of such a game. All numbers from 1
        /// to this number are equally likely.
        pub random_start_turns: u32 = 8 => Whole(0, 1000),
        /// The largest number of side branches that start at each turn, each from a random
        /// afterstate that was not chosen.
        pub alternatives: u32 = 1 => Whole(0, 100),
        /// The largest number of turns of a side branch.
        pub branch_turns: u32 = 1 => Whole(1, 1000),
        /// Exploration: share of the turns of a game that are played at random. Side branches have
        /// no exploration.
        pub exploration: f64 = 0.2 => Number(0.0, 1.0),
        /// Number of turns after which a game is truncated: its return is then the value estimate
        /// of its last position. The turn limit of the game also applies.
        pub turn_limit: u32 = 10_000 => Whole(1, 1_000_000),
        /// Throws, and series of throws, with a smaller probability are rare. In the expectation
        /// over the throws, one rare throw is sampled and gets the total probability of all rare
        /// throws, so the expectation is unbiased.
        pub series_probability: f64 = 0.03 => Number(1e-6, 1.0),
    }
}

/// The largest batch size.
pub const MOST_BATCH: i64 = 65_536;
/// The largest value of [`LearningConfig::replays`].
pub const MOST_REPLAYS: f64 = 100.0;

settings! {
    /// The learner: targets, losses, optimiser and replay buffer.
    pub struct LearningConfig {
        /// λ of the TD(λ) targets: the weight of later value estimates and of the result.
        pub lambda: f64 = 0.8 => Number(0.0, 1.0),
        /// Length of the first part of the run, in which `lambda` falls from 1 to its value, as a
        /// share of the run.
        pub lambda_fall: f64 = 0.0 => Number(0.0, 1.0),
        /// Initial learning rate of the first layer. The learning rates of deeper layers are
        /// inversely proportional to their fan-in.
        pub learning_rate: f64 = 6e-3 => Above(0.0, 1.0),
        /// The final learning rate, as a share of the initial one.
        pub final_learning_rate_share: f64 = 0.05 => Number(0.0, 1.0),
        /// Share of the run after which the learning rate begins to fall.
        pub decay_start: f64 = 0.3 => Number(0.0, 1.0),
        /// Batch size: number of samples in a step.
        pub batch: usize = 256 => Whole(1, MOST_BATCH),
        /// Capacity of the replay buffer of each network, in samples; at least `batch`.
        pub replay_capacity: usize = 20_000 => Whole(1, 100_000_000),
        /// The average number of times that a sample is used.
        pub replays: f64 = 1.0 => Above(0.0, MOST_REPLAYS),
        /// Weight of the policy loss; the value loss has weight 1.
        pub policy_weight: f64 = 1.0 => Number(0.0, 100.0),
        /// Policy temperature, in units of value: the policy target is the softmax of the values of
        /// the afterstates divided by this temperature.
        pub policy_temperature: f64 = 0.015 => Number(1e-6, 10.0),
        /// EMA decay of the weights per step, lower in the first steps; `None` means no averaging.
        pub ema: Option<f64> = Some(0.999) => Or(NONE, &Number(0.0, 0.999_999)),
        /// Gradient clipping by global norm: the largest norm; `None` means no clipping.
        pub gradient_clip: Option<f64> = None => Or(NONE, &Above(0.0, 1e6)),
        /// Decoupled weight decay, as in AdamW: a step shrinks the weights by this share times the
        /// learning rate.
        pub weight_decay: f64 = 0.0 => Number(0.0, 1.0),
        /// Whether targets are luck-corrected: each turn also gets a value before its throw, and
        /// the luck of the throw is a control variate.
        pub luck_correction: bool = true => Switch,
    }
}

impl LearningConfig {
    /// Returns λ after this share of the run.
    pub fn lambda_at(&self, share: f64) -> f64 {
        let rest = if self.lambda_fall > 0.0 {
            (1.0 - share / self.lambda_fall).max(0.0)
        } else {
            0.0
        };
        self.lambda + (1.0 - self.lambda) * rest
    }

    /// Returns the learning rate after this share of the run.
    pub fn learning_rate_at(&self, share: f64) -> f64 {
        let fall =
            ((share - self.decay_start) / (1.0 - self.decay_start).max(1e-9)).clamp(0.0, 1.0);
        self.learning_rate * (1.0 - fall * (1.0 - self.final_learning_rate_share))
    }
}

/// The word for a setting without a value.
pub const NONE: &str = "none";

/// The plan of one iteration: its games, λ and the learning rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The number of the iteration, from 1.
    pub iteration: u64,
    /// The number of its first game.
    pub first: u64,
    /// The number of its last game plus 1.
    pub end: u64,
    /// λ of the TD(λ) targets of these games.
    pub lambda: f64,
    /// The learning rate of the steps in this iteration.
    pub learning_rate: f64,
}

impl TrainConfig {
    /// Checks the settings that could make a run endless.
    ///
    /// # Errors
    /// When an iteration has no games, a batch has no samples, or the replay buffer is smaller than
    /// a batch.
    pub fn check(&self) -> Result<(), Error> {
        let SelfPlayConfig {
            games_per_iteration,
            ..
        } = self.selfplay;
        let LearningConfig {
            batch,
            replay_capacity,
            ..
        } = self.learning;
        Error::unless(
            games_per_iteration > 0 && batch > 0 && replay_capacity >= batch,
            || {
                format!(
                    "`selfplay.games_per_iteration` ({games_per_iteration}) and `learning.batch` ({batch}) must be at \
                 least 1, and `learning.replay_capacity` ({replay_capacity}) must be at least `learning.batch`"
                )
            },
        )
    }

    /// The shape of the networks for the game of `spec`.
    pub fn shape(&self, spec: &Spec) -> NetShape {
        NetShape::for_spec(spec, &self.network.hidden, &self.network.policy_hidden)
    }

    /// The plans of a whole run without a time limit.
    pub fn plans(&self) -> impl Iterator<Item = Plan> {
        std::iter::successors(self.plan(0, 0, 0.0), |plan| {
            self.plan(plan.iteration, plan.end, 0.0)
        })
    }

    /// Returns the plan of the iteration after `iteration` iterations with `games` games in total;
    /// `None` if the run is over. `time` is the elapsed share of the time limit, or 0 without a
    /// limit.
    pub fn plan(&self, iteration: u64, games: u64, time: f64) -> Option<Plan> {
        let share = self.share_done(games, time);
        (games < self.selfplay.games && time < 1.0).then(|| Plan {
            iteration: iteration + 1,
            first: games,
            end: (games + self.selfplay.games_per_iteration).min(self.selfplay.games),
            lambda: self.learning.lambda_at(share),
            learning_rate: self.learning.learning_rate_at(share),
        })
    }

    /// Returns the completed share of the run, 0 to 1: the share of the games or of the time,
    /// whichever is larger.
    pub fn share_done(&self, games: u64, time: f64) -> f64 {
        (games as f64 / self.selfplay.games as f64)
            .max(time)
            .min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_an_end_is_refused() {
        assert!(TrainConfig::default().check().is_ok());
        let refused = |change: fn(&mut TrainConfig)| {
            let mut config = TrainConfig::default();
            change(&mut config);
            config.check().is_err()
        };
        assert!(refused(|config| config.selfplay.games_per_iteration = 0));
        assert!(refused(|config| config.learning.batch = 0));
        assert!(refused(
            |config| config.learning.replay_capacity = config.learning.batch - 1
        ));
    }

    #[test]
    fn the_learning_rate_falls_at_the_end() {
        let learning = LearningConfig {
            learning_rate: 0.01,
            decay_start: 0.5,
            ..LearningConfig::default()
        };
        let share = learning.final_learning_rate_share;
        assert_eq!(learning.learning_rate_at(0.0), 0.01);
        assert_eq!(learning.learning_rate_at(0.5), 0.01);
        assert!((learning.learning_rate_at(0.75) - 0.01 * (1.0 + share) / 2.0).abs() < 1e-12);
        assert!((learning.learning_rate_at(1.0) - 0.01 * share).abs() < 1e-12);
    }
}
