//! Results of the benchmark: games of an agent against perfect play that anybody can verify.
//!
//! A result has all games. [`BenchmarkResult::verify`] replays them, computes the throws from the
//! seed again, computes the regret again, and checks that the opponent played perfectly. It cannot
//! check who played the agent's moves.

use std::{fmt, sync::Arc};

use ashta_env::{game::Game, race::Race};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    regret::{RegretReport, of_games},
    table::Table,
};
use crate::{
    arena::{
        Ending, MatchSetup,
        game_record::{GameLine, move_texts},
        tournament::{Entrant, Tournament},
    },
    play::error::Error,
};

/// The name of the opponent.
const PERFECT: &str = "perfect";
/// The version of the format of results.
pub const FORMAT: u32 = 1;
/// The largest allowed difference between stated and computed figures, and the largest regret of a
/// perfect decision. Tables of 16 and 32 bits differ by less.
const TOLERANCE: f64 = 2e-5;

/// How an agent may choose its actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Track {
    /// It evaluates only the position before the choice.
    Policy,
    /// It also evaluates the positions after its turn.
    OnePly,
    /// It searches as far as it likes.
    Search,
}

impl fmt::Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Track::Policy => "policy",
            Track::OnePly => "one-ply",
            Track::Search => "search",
        })
    }
}

/// The work that the author declares for the training of an agent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Actions that the agents chose in the games of the training.
    Steps(u64),
    /// CPU time in seconds.
    CpuSeconds(f64),
}

impl Budget {
    /// The class of the budget, as text: up to 10⁶ or 10⁷ steps, or up to 600 or 3,600 CPU seconds;
    /// `None` if the budget is larger or not a number.
    pub fn class(self) -> Option<&'static str> {
        match self {
            Budget::Steps(0..=1_000_000) => Some("1,000,000 steps"),
            Budget::Steps(1_000_001..=10_000_000) => Some("10,000,000 steps"),
            Budget::CpuSeconds(0.0..=600.0) => Some("600 CPU seconds"),
            Budget::CpuSeconds(0.0..=3600.0) => Some("3,600 CPU seconds"),
            _ => None,
        }
    }
}

/// A result of the benchmark.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkResult {
    /// [`FORMAT`].
    pub benchmark: u32,
    /// The name of the agent.
    pub name: String,
    /// How the agent chooses.
    pub track: Track,
    /// The work of its training.
    pub budget: Budget,
    /// Number of pairs of games.
    pub pairs: u64,
    /// The seed of the match.
    pub seed: u64,
    /// The games in order: the pairs, and in each pair the two games.
    pub games: Vec<GameLine>,
    /// The regret of the agent in these games: a [`RegretReport`] as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<Value>,
}

/// The number of pairs and the seed of a complete result.
pub const COMPLETE: (u64, u64) = (1000, 7919);

/// Whether the stated figures are the found figures, except texts.
fn is_close(stated: &Value, found: &Value) -> bool {
    match (stated, found) {
        (Value::Number(a), Value::Number(b)) => {
            (a.as_f64().unwrap_or(f64::NAN) - b.as_f64().unwrap_or(f64::NAN)).abs() <= TOLERANCE
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_close(a, b)))
        }
        (Value::String(_), Value::String(_)) => true,
        (a, b) => a == b,
    }
}

impl BenchmarkResult {
    /// Reads a result.
    ///
    /// # Errors
    /// When the text is not a result, or its format, budget or number of games is wrong.
    pub fn read(text: &str) -> Result<BenchmarkResult, Error> {
        let result: BenchmarkResult = serde_json::from_str(text)
            .map_err(Error::because("this is not a result of the benchmark"))?;
        let BenchmarkResult {
            benchmark,
            name,
            budget,
            pairs,
            games,
            ..
        } = &result;
        Error::unless(name != PERFECT, || {
            format!("`name` is `{PERFECT}`, which is the name of the opponent")
        })?;
        Error::unless(*benchmark == FORMAT, || {
            format!("`benchmark` is {benchmark}, but must be {FORMAT}")
        })?;
        Error::unless(budget.class().is_some(), || {
            format!(
                "`budget` is {budget:?}, but must be at most 10,000,000 steps or 3,600 CPU seconds"
            )
        })?;
        let is_whole = *pairs > 0 && pairs.checked_mul(2) == Some(games.len() as u64);
        Error::unless(is_whole, || {
            format!("`pairs` is {pairs}, but there are {} games", games.len())
        })?;
        Ok(result)
    }

    /// The game of the result.
    ///
    /// # Errors
    /// When the first record has no game, or the game is not for two seats.
    pub fn race(&self) -> Result<Race, Error> {
        let first = self
            .games
            .first()
            .ok_or_else(|| Error::new("`games` is empty"))?;
        let (race, _) = first
            .read_start()
            .map_err(Error::because("the first of the `games`"))?;
        let seats = race.spec().seats.len();
        Error::unless(seats == 2, || {
            format!("regret exists only in games for two players, not for {seats}")
        })?;
        Ok(race)
    }

    /// Replays all games of `race`, and returns the regret of the agent by `table`, which must be a
    /// table of `race`.
    ///
    /// # Errors
    /// When a game is not legal, has other throws than those of the seed, or is out of order; when
    /// the stated regret is wrong. The error names the first game that is wrong.
    pub fn verify(&self, race: &Race, table: &Arc<Table>) -> Result<RegretReport, Error> {
        let names = [self.name.as_str(), PERFECT];
        let never = || unreachable!("games are replayed without agents");
        let entrants = names
            .map(|name| Entrant::new(name.to_owned(), never))
            .into();
        let tournament = Tournament::new(race, entrants, None)?;
        let setup = MatchSetup {
            game: race,
            contestants: &Vec::new,
            seatings: &|_| Vec::new(),
            is_stopped: &|| false,
        };
        let replay = |(number, line): (usize, &GameLine)| {
            let (block, leg) = (number / 2, number % 2);
            let place = || format!("game {leg} of block {block}");
            Error::unless((line.block, line.leg) == (block as u64, leg), || {
                format!(
                    "{} is missing: game {} of block {} is in its place",
                    place(),
                    line.leg,
                    line.block
                )
            })?;
            let record = tournament.verified_game(line)?;
            let is_whole = matches!(record.ending, Ending::Finished | Ending::Truncated);
            Error::unless(is_whole, || {
                format!("{}: it was not played to its end", place())
            })?;
            let replayed = setup.replay(self.seed, &record);
            let seed = self.seed;
            Error::unless(replayed.first == record.first, || {
                format!(
                    "{}: with the seed {seed}, {} throws first",
                    place(),
                    replayed.first.name()
                )
            })?;
            // The choices are legal, so only throws can differ.
            let wrong = replayed
                .moves
                .iter()
                .zip(&record.moves)
                .position(|(own, stated)| own != stated);
            match wrong {
                Some(at) => {
                    let number = move_texts(race, record.first, &record.moves[..=at]).len();
                    let wrong =
                        format!("`moves`, number {number}, is not the throw of the seed {seed}");
                    return Err(Error::new(format!("{}: {wrong}", place())));
                }
                None => {
                    let regret = of_games(race, table, 1, std::iter::once(&replayed)).quantiles[3];
                    Error::unless(regret <= TOLERANCE, || {
                        format!(
                            "{}: the opponent is not perfect, a decision lost {regret:.6}",
                            place()
                        )
                    })?;
                }
            }
            Ok(replayed)
        };
        let games = self
            .games
            .iter()
            .enumerate()
            .map(replay)
            .collect::<Result<Vec<_>, Error>>()?;
        let found = of_games(race, table, 0, games.iter());
        Error::unless(
            found.decisions > 0,
            || "the agent had no decision in these games",
        )?;
        if let Some(stated) = &self.regret {
            let figures = serde_json::to_value(&found).map_err(Error::new)?;
            Error::unless(is_close(stated, &figures), || {
                let RegretReport {
                    decisions,
                    regret_per_decision,
                    ..
                } = &found;
                let mean = regret_per_decision.mean;
                format!(
                    "`regret` is wrong: the games give {mean:.6} in {decisions} decisions; compare all its figures"
                )
            })?;
        }
        Ok(found)
    }
}
