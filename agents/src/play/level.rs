//! Levels of difficulty: a softmax temperature weakens a bot until the bot has a given regret
//! (value that it loses per decision).
//!
//! A weakened bot draws among the afterstates of its turn, by the softmax of their values: an
//! afterstate whose value is lower by `temperature` is less probable by a factor of e. Adding
//! independent Gumbel noise of this scale to every value and playing the best gives the same
//! distribution. Temperatures are calibrated for each bot, so that the regret of a level is a fixed
//! share of the regret of random play.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A level of difficulty, the weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Half the regret of random play.
    Beginner,
    /// A quarter of the regret of random play.
    Novice,
    /// About an eighth of the regret of random play.
    Intermediate,
    /// A twentieth of the regret of random play.
    Advanced,
    /// The bot without noise, one ply ahead.
    Expert,
    /// Perfect play, if the game is solved.
    Perfect,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 6] = [
        Level::Beginner,
        Level::Novice,
        Level::Intermediate,
        Level::Advanced,
        Level::Expert,
        Level::Perfect,
    ];

    /// The name of the level.
    pub fn name(self) -> &'static str {
        match self {
            Level::Beginner => "beginner",
            Level::Novice => "novice",
            Level::Intermediate => "intermediate",
            Level::Advanced => "advanced",
            Level::Expert => "expert",
            Level::Perfect => "perfect",
        }
    }

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The regret per decision as a share of the regret of random play; `None` for levels without
    /// noise.
    pub(crate) fn share(self) -> Option<f64> {
        match self {
            Level::Beginner => Some(0.5),
            Level::Novice => Some(0.25),
            Level::Intermediate => Some(0.12),
            Level::Advanced => Some(0.05),
            Level::Expert | Level::Perfect => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The calibration of a level of a bot: its temperature, and its measured regret and score.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The level.
    pub level: Level,
    /// The softmax temperature, in units of value, above 0.
    pub temperature: f32,
    /// The regret per decision by the bot's own values, in units of value.
    pub regret: f64,
    /// The 95 % interval of the regret.
    pub regret_interval: [f64; 2],
    /// Number of games against the bot without noise.
    pub games: u64,
    /// Mean score of the level in these games, 0 to 1.
    pub score: f64,
    /// The 95 % interval of the score.
    pub score_interval: [f64; 2],
}

/// Verdicts on players, the best verdict first, each with the largest regret per decision that it
/// covers. `levels` are the measured levels of a bot, the weakest first; the limits are between
/// their regrets. If perfect play measures the regret (`by_perfect`), the best verdict is
/// `perfect`.
pub fn bands(levels: &[Calibration], by_perfect: bool) -> Vec<(&'static str, f64)> {
    let Some((weakest, strongest)) = levels.first().zip(levels.last()) else {
        return Vec::new();
    };
    // A bot without noise has no regret by its own values, but a little by the values of perfect
    // play.
    let perfect = by_perfect.then_some((Level::Perfect.name(), strongest.regret / 12.0));
    let expert = (Level::Expert.name(), strongest.regret / 2.0);
    let weaker = levels.iter().rev().skip(1).map(|level| level.regret);
    let random = weakest.level.share().map(|share| weakest.regret / share);
    let pairs = levels.iter().rev().zip(weaker.chain(random));
    let measured =
        pairs.map(|(level, weaker)| (level.level.name(), (level.regret * weaker).sqrt()));
    let random = ("like random play", f64::INFINITY);
    perfect
        .into_iter()
        .chain([expert])
        .chain(measured)
        .chain([random])
        .collect()
}
