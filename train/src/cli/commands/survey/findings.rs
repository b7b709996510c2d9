//! `survey.json`: what a survey has found, on disk.
//!
//! It is written whole or not at all, after every part that is finished. Read back are only the house rules that have
//! been solved: all else is found again in minutes.

use std::path::Path;

use crate::run::files::{check_writable, read_if_there, write_whole};
use anyhow::{Context, Result, bail};
use ashta_agents::arena::Interval;
use ashta_agents::perfect::solve::Facts;
use ashta_agents::perfect::survey::{Nature, SurveyedPosition};
use ashta_env::ruleset::Ruleset;
use serde::{Deserialize, Serialize};

/// Version of the file.
pub const FORMAT: u32 = 1;
/// Its name in the folder.
const NAME: &str = "survey.json";

/// All that is known of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Version of the file: [`FORMAT`].
    pub format: u32,
    /// The game.
    pub ruleset: Ruleset,
    /// Pairs of games against each opponent.
    pub pairs: u64,
    /// Seed of their throws.
    pub seed: u64,
    /// The table of perfect play.
    pub table: TableFacts,
    /// The value of the start.
    pub start: Start,
    /// Perfect play against itself.
    pub perfect: Nature,
    /// Perfect play against baselines.
    pub opponents: Vec<Opponent>,
    /// Positions in which the natural move is wrong.
    pub positions: Vec<SurveyedPosition>,
    /// Values of the start under house rules.
    pub house_rules: Vec<HouseRule>,
}

/// What is known of a table.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TableFacts {
    /// Bits of each value.
    pub bits: u8,
    /// As in its header.
    pub facts: Facts,
}

/// The value of the start.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Start {
    /// Chance of the seat that throws first.
    pub first: f64,
    /// Chance of the other.
    pub second: f64,
    /// The first less ½.
    pub advantage: f64,
    /// How far these may be off: by the proof and the rounding of the table. `None` where nothing was proved.
    pub error: Option<f64>,
}

/// A baseline against perfect play.
#[derive(Clone, Debug, Serialize)]
pub struct Opponent {
    /// Its name.
    pub opponent: String,
    /// What perfect play wins.
    pub score: Interval,
    /// The same with the luck of the dice taken out.
    pub luck_adjusted_score: Interval,
    /// Games that ended with the same return for all.
    pub drawn_games: u64,
    /// Games that came to the cap of turns.
    pub truncated_games: u64,
    /// The baseline's regret per decision.
    pub regret_per_decision: Interval,
    /// The same for each game.
    pub regret_per_game: Interval,
    /// Share of its choices that give nothing away.
    pub optimal_choices: Interval,
    /// What the games are like; of turns those of the baseline.
    pub nature: Nature,
}

/// The value of the start under a house rule.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct HouseRule {
    /// The whole ruleset as text.
    pub ruleset: String,
    /// The flag that differs from the game of the survey; `None` for that game itself.
    pub flag: Option<String>,
    /// The value that it has.
    pub value: Option<String>,
    /// With what tolerance it was solved.
    pub tolerance: f64,
    /// Chance of the seat that throws first; `None` where the game was not solved.
    pub start: Option<f64>,
    /// By how much looking one turn ahead changes any value at most.
    pub residual: Option<f64>,
    /// Positions at the start of a turn.
    pub positions: Option<u64>,
    /// Why the game was not solved.
    pub skipped: Option<String>,
}

impl Record {
    /// Writes `survey.json` in `folder`.
    ///
    /// # Errors
    /// When it cannot be written; then the file is as it was.
    pub fn write(&self, folder: &Path) -> Result<()> {
        write_whole(&folder.join(NAME), format!("{}\n", serde_json::to_string_pretty(self)?))
    }
}

/// What is read back.
#[derive(Deserialize)]
struct Earlier {
    format: u32,
    ruleset: Ruleset,
    house_rules: Vec<HouseRule>,
}

/// Makes `folder` ready for a survey of `ruleset`; returns the house rules that an earlier one has solved.
///
/// # Errors
/// When it holds a survey of another game or what is none, or cannot be written.
pub fn prepare(folder: &Path, ruleset: &Ruleset) -> Result<Vec<HouseRule>> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(NAME);
    check_writable(&path)?;
    let Some(content) = read_if_there(&path)? else { return Ok(Vec::new()) };
    let earlier: Earlier =
        serde_json::from_slice(&content).with_context(|| format!("{} is no survey: move it away", path.display()))?;
    if earlier.format != FORMAT {
        bail!("{} has format {}, this program writes format {FORMAT}: move it away", path.display(), earlier.format);
    }
    if earlier.ruleset != *ruleset {
        bail!("{} is of {}, not of {ruleset}: choose another folder", path.display(), earlier.ruleset);
    }
    Ok(earlier.house_rules)
}
