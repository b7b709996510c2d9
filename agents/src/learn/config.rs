//! The settings of training: each field once, with its default and with what it may be.

use ashta_env::game::Spec;
use serde::{Deserialize, Serialize};

use crate::network::portable::NetShape;
use crate::play::error::Error;

/// What a setting may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Allowed {
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// A number above the first, up to the second.
    Above(f64, f64),
    /// A word for an absent value, or something else.
    Or(&'static str, &'static Allowed),
    /// True or false.
    Switch,
    /// A text that is not empty, and what it is.
    Text(&'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A part of the name of a folder, or left open.
    Name,
    /// Different texts.
    Names,
    /// The widths of the hidden layers of a network.
    Widths,
}

/// A section of settings that says what each of them may be.
pub trait Section {
    /// The name of each field, in order, with what it may be.
    const ALLOWED: &'static [(&'static str, Allowed)];
}

/// Defines a [`Section`]: behind the type of each field stands what it may be, `field: Type => allowed`.
/// Where all fields have defaults, `field: Type = default => allowed`, the structure implements `Default`, too.
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

/// All settings of training.
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
        /// Units of the hidden layers of the value network from input to output.
        pub hidden: Vec<usize> = vec![128] => Widths,
        /// The same of the policy network.
        pub policy_hidden: Vec<usize> = vec![64] => Widths,
    }
}

settings! {
    /// Self-play.
    pub struct SelfPlayConfig {
        /// Games in the whole run.
        pub games: u64 = 100_000 => Whole(1, 1_000_000_000_000),
        /// Games between two runs of the learner.
        pub games_per_iteration: u64 = 64 => Whole(1, 1_000_000),
        /// Share of the games that begin with random turns.
        pub random_start_share: f64 = 0.05 => Number(0.0, 1.0),
        /// The largest number of random turns at the beginning of such a game; each number from 1 on is equally likely.
        pub random_start_turns: u32 = 8 => Whole(0, 1000),
        /// Afterstates that were not chosen, drawn from those of each turn, from which side branches start.
        pub alternatives: u32 = 1 => Whole(0, 100),
        /// Turns of a side branch.
        pub branch_turns: u32 = 1 => Whole(1, 1000),
        /// Exploration: share of the turns of a game, its side branches aside, that are played at random.
        pub exploration: f64 = 0.2 => Number(0.0, 1.0),
        /// Turns after which a game is truncated; its return is then the value estimate of its last position. The turn
        /// limit of the game holds too.
        pub turn_limit: u32 = 10_000 => Whole(1, 1_000_000),
        /// Throws and series that are less likely than this are pooled in the mean over the throws: one is sampled and
        /// stands for the total probability of the pool, so the mean stays unbiased.
        pub series_probability: f64 = 0.03 => Number(1e-6, 1.0),
    }
}

/// The largest batch.
pub const MOST_BATCH: i64 = 65_536;
/// The most average uses of a sample.
pub const MOST_REPLAYS: f64 = 100.0;

settings! {
    /// The learner: targets, losses, optimiser and replay buffer.
    pub struct LearningConfig {
        /// λ of the TD(λ) targets: the weight of later results.
        pub lambda: f64 = 0.8 => Number(0.0, 1.0),
        /// Share of the run over which `lambda` falls from 1 to its value.
        pub lambda_fall: f64 = 0.0 => Number(0.0, 1.0),
        /// Initial learning rate, that of the first layer; deeper layers have one in inverse proportion to their
        /// fan-in.
        pub learning_rate: f64 = 6e-3 => Above(0.0, 1.0),
        /// Share of the learning rate left at the end.
        pub final_learning_rate_share: f64 = 0.05 => Number(0.0, 1.0),
        /// Share of the run after which the learning rate falls.
        pub decay_start: f64 = 0.3 => Number(0.0, 1.0),
        /// Batch size: samples in a step.
        pub batch: usize = 256 => Whole(1, MOST_BATCH),
        /// Capacity of the replay buffer of either network in samples, at least `batch`.
        pub replay_capacity: usize = 20_000 => Whole(1, 100_000_000),
        /// Average uses of a sample.
        pub replays: f64 = 1.0 => Above(0.0, MOST_REPLAYS),
        /// Weight of the policy loss; the value loss has weight 1.
        pub policy_weight: f64 = 1.0 => Number(0.0, 100.0),
        /// Policy temperature, in units of value: the policy target is the softmax of the afterstates' values over it.
        pub policy_temperature: f64 = 0.015 => Number(1e-6, 10.0),
        /// EMA decay of the weights at each step, lower in the first steps; `None`: no averaging.
        pub ema: Option<f64> = Some(0.999) => Or(NONE, &Number(0.0, 0.999_999)),
        /// Gradient clipping by global norm: the largest norm; `None`: no clipping.
        pub gradient_clip: Option<f64> = None => Or(NONE, &Above(0.0, 1e6)),
        /// Weight decay, decoupled as in AdamW: the share of the weights lost in a step of learning rate 1.
        pub weight_decay: f64 = 0.0 => Number(0.0, 1.0),
        /// Whether every turn is valued before its throw, too, so that targets are luck-corrected, with the luck of the
        /// throws as a control variate.
        pub luck_correction: bool = true => Switch,
    }
}

impl LearningConfig {
    /// λ when this share of the run is done.
    pub fn lambda_at(&self, share: f64) -> f64 {
        let rest = if self.lambda_fall > 0.0 { (1.0 - share / self.lambda_fall).max(0.0) } else { 0.0 };
        self.lambda + (1.0 - self.lambda) * rest
    }

    /// The learning rate when this share of the run is done.
    pub fn learning_rate_at(&self, share: f64) -> f64 {
        let fall = ((share - self.decay_start) / (1.0 - self.decay_start).max(1e-9)).clamp(0.0, 1.0);
        self.learning_rate * (1.0 - fall * (1.0 - self.final_learning_rate_share))
    }
}

/// The word that stands for the absence of a value.
pub const NONE: &str = "none";

/// What one iteration does: which games, with which λ, at which learning rate.
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

impl TrainConfig {
    /// Checks the numbers without which a run would not end.
    ///
    /// # Errors
    /// No games in an iteration, no samples in a batch, or a replay buffer that is smaller than a batch.
    pub fn check(&self) -> Result<(), Error> {
        let SelfPlayConfig { games_per_iteration, .. } = self.selfplay;
        let LearningConfig { batch, replay_capacity, .. } = self.learning;
        Error::unless(games_per_iteration > 0 && batch > 0 && replay_capacity >= batch, || {
            format!(
                "selfplay.games_per_iteration is {games_per_iteration}, learning.batch {batch} and \
                 learning.replay_capacity {replay_capacity}: the first two must be 1 or more, the last at least the batch"
            )
        })
    }

    /// The shape of the networks for the game of `spec`.
    pub fn shape(&self, spec: &Spec) -> NetShape {
        NetShape::for_spec(spec, &self.network.hidden, &self.network.policy_hidden)
    }

    /// The plans of a whole run that no time limits.
    pub fn plans(&self) -> impl Iterator<Item = Plan> {
        std::iter::successors(self.plan(0, 0, 0.0), |plan| self.plan(plan.iteration, plan.end, 0.0))
    }

    /// The plan of what follows `iteration` iterations with `games` games; `None` when the run is over. Where the time
    /// of the run is limited, `time` is the share of it that has passed, and 0 otherwise.
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

    /// The share of the run that is done after so many games, 0 to 1: of the games, or of the time where that ends
    /// sooner.
    pub fn share_done(&self, games: u64, time: f64) -> f64 {
        (games as f64 / self.selfplay.games as f64).max(time).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for config in [
            TrainConfig::default(),
            TrainConfig { learning: LearningConfig { ema: None, ..Default::default() }, ..Default::default() },
        ] {
            let text = serde_json::to_string(&config).expect("settings can be written");
            assert_eq!(serde_json::from_str::<TrainConfig>(&text).expect("they were written"), config);
        }
    }

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
        assert!(refused(|config| config.learning.replay_capacity = config.learning.batch - 1));
    }

    #[test]
    fn the_learning_rate_falls_at_the_end() {
        let learning = LearningConfig { learning_rate: 0.01, decay_start: 0.5, ..LearningConfig::default() };
        let share = learning.final_learning_rate_share;
        assert_eq!(learning.learning_rate_at(0.0), 0.01);
        assert_eq!(learning.learning_rate_at(0.5), 0.01);
        assert!((learning.learning_rate_at(0.75) - 0.01 * (1.0 + share) / 2.0).abs() < 1e-12);
        assert!((learning.learning_rate_at(1.0) - 0.01 * share).abs() < 1e-12);
    }
}
