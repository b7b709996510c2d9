//! `ashta bench`: measures the speed of this machine.

mod env;
mod net;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::run::games;
use crate::run::output::{print, print_json};
use anyhow::{Result, bail};
use ashta_env::race::Race;
use ashta_env::sheet::Sheets;
use serde::Serialize;

use crate::cli::{BenchCommand, BenchGamesArgs};

/// Runs a benchmark and prints its rows.
///
/// # Errors
/// When a game does not exist or does not allow the number of seats, or standard output is closed.
pub fn run(what: &BenchCommand) -> Result<()> {
    match what {
        BenchCommand::Env(args) => {
            let races = races(args, usize::MAX)?;
            print_rows(args.json, |show| env::run(&races, args.seconds, show))
        }
        BenchCommand::Net(args) => {
            let races = races(args, 1)?;
            print_rows(args.json, |show| net::run(&races, args.seconds, show))
        }
    }
}

/// One row of a benchmark.
trait BenchRow: Serialize {
    /// The names of the columns.
    const HEADING: &'static str;

    /// The cells of the row, aligned with the heading.
    fn line(&self) -> String;
}

/// Prints each row when it is measured; with `json`, prints all rows at the end.
fn print_rows<R: BenchRow>(
    json: bool,
    measure: impl FnOnce(&mut dyn FnMut(R) -> Result<()>) -> Result<()>,
) -> Result<()> {
    if json {
        let mut rows = Vec::new();
        measure(&mut |row| {
            rows.push(row);
            Ok(())
        })?;
        return print_json(&serde_json::json!({"results": rows}));
    }
    print(R::HEADING)?;
    measure(&mut |row| print(row.line()))
}

/// Repeats `work` for at least `time`; returns the measured time.
fn repeat(time: Duration, mut work: impl FnMut()) -> Duration {
    let clock = Instant::now();
    while clock.elapsed() < time {
        work();
    }
    clock.elapsed()
}

/// The games to measure, each with `--seats` seats, by default with the `most` smallest numbers of seats that the game
/// allows.
fn races(args: &BenchGamesArgs, most: usize) -> Result<Vec<Arc<Race>>> {
    let known = Sheets::default();
    let all: Vec<String> = known.all().map(|sheet| sheet.name.clone()).collect();
    let mut races = Vec::new();
    for game in if args.game.is_empty() { &all } else { &args.game } {
        let base = games::ruleset(&known, game, None)?;
        let allowed = &base.sheet().seats.allowed;
        let is_wanted = |&count: &usize| args.seats.is_none_or(|seats| usize::from(seats) == count);
        let counts = (2..=4).filter(|&count| allowed.iter().any(|letters| letters.len() == count)).filter(is_wanted);
        let rulesets = counts.take(most).map(|count| games::ruleset(&known, game, Some(count)));
        let rulesets = rulesets.collect::<Result<Vec<_>>>()?;
        if rulesets.is_empty() && !args.game.is_empty() {
            bail!("--seats: {game} can only be played by {}", allowed.join(", "));
        }
        races.extend(rulesets.into_iter().map(|ruleset| Arc::new(Race::new(ruleset))));
    }
    Ok(races)
}
