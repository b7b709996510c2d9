//! `ashta benchmark verify`: replays the games of a result of the benchmark and computes its regret
//! again.

use std::path::Path;

use anyhow::{Context, Result};
use ashta_agents::perfect::benchmark::{BenchmarkResult, COMPLETE};
use serde_json::json;

use super::eval::print_regret;
use crate::run::{
    games,
    output::{print, print_json},
};

/// Runs the command.
///
/// # Errors
/// When the file is not a result, a game or the stated regret is wrong, or there is no table of the
/// game.
pub fn verify(file: &Path, table: &str, as_json: bool) -> Result<()> {
    let place = || file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(place)?;
    let result = BenchmarkResult::read(&text).with_context(place)?;
    let race = result.race().with_context(place)?;
    let player = games::player(&games::agent(table)?, &race)?;
    let table = player
        .table()
        .with_context(|| format!("{table} is not a table of perfect play"))?;
    let regret = result.verify(&race, table).with_context(place)?;
    let BenchmarkResult {
        name,
        track,
        budget,
        pairs,
        seed,
        ..
    } = &result;
    let (game, class) = (
        race.ruleset().to_string(),
        budget.class().unwrap_or_default(),
    );
    let is_complete = (*pairs, *seed) == COMPLETE;
    if as_json {
        return print_json(&json!({
            "name": name, "game": game, "track": track, "budget": budget, "class": class, "pairs": pairs, "seed": seed,
            "is_complete": is_complete, "regret": regret,
        }));
    }
    print(format_args!(
        "{name} in {game}: track {}, up to {class}",
        track
    ))?;
    print(format_args!(
        "all {} games are legal and have the throws of the seed {seed}",
        result.games.len()
    ))?;
    if !is_complete {
        let (pairs, seed) = COMPLETE;
        print(format_args!(
            "this is not a complete result, which has {pairs} pairs and the seed {seed}"
        ))?;
    }
    print_regret("perfect", &regret)
}
