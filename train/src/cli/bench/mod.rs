//! `ashta bench`: measures the speed of this machine.

mod env;
mod net;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::run::games;
use crate::run::output::{print, print_json};
use anyhow::{Result, bail};
use ashta_env::game::Game;
use ashta_env::race::Race;
use ashta_env::sheet::Sheets;
use serde_json::{Value, json};

use crate::cli::{BenchCommand, BenchGamesArgs};

/// Runs a benchmark and prints its rows.
///
/// # Errors
/// When a game does not exist or does not allow the number of seats, or standard output is closed.
pub fn run(what: &BenchCommand) -> Result<()> {
    match what {
        BenchCommand::Env(args) => {
            let races = races(args, usize::MAX)?;
            print_rows(args.json, env::COLUMNS, |show| {
                env::run(&races, args.seconds, show)
            })
        }
        BenchCommand::Net(args) => {
            let races = races(args, 1)?;
            print_rows(args.json, net::COLUMNS, |show| {
                net::run(&races, args.seconds, show)
            })
        }
    }
}

/// The columns of a benchmark after the game and its seats: a setting, and three figures. Each has
/// a heading, a width, and a name in JSON.
type Columns = [(&'static str, usize, &'static str); 4];

/// Takes a row: the game, the setting and the figures.
type Show<'a> = &'a mut dyn FnMut(&Race, Value, [f64; 3]) -> Result<()>;

/// Prints each row when it is measured; with `as_json`, prints all rows at the end.
fn print_rows(
    as_json: bool,
    columns: Columns,
    measure: impl FnOnce(Show<'_>) -> Result<()>,
) -> Result<()> {
    let line = |game: &str, seats: &str, cells: [String; 4]| {
        let cells = columns
            .iter()
            .zip(cells)
            .map(|((_, width, _), cell)| format!(" {cell:>width$}"));
        print(format_args!(
            "{game:<20} {seats:>5}{}",
            cells.collect::<String>()
        ))
    };
    if !as_json {
        line(
            "game",
            "seats",
            columns.map(|(heading, ..)| heading.to_owned()),
        )?;
    }
    let mut rows = Vec::new();
    measure(&mut |race, setting, figures| {
        let (game, seats) = (&race.spec().name, race.spec().seats.len());
        if as_json {
            let mut row = json!({"game": game, "seats": seats});
            let cells = [setting].into_iter().chain(figures.map(Value::from));
            columns
                .iter()
                .zip(cells)
                .for_each(|((.., name), cell)| row[*name] = cell);
            rows.push(row);
            return Ok(());
        }
        let [first, second, third] = figures.map(|figure| format!("{figure:.0}"));
        line(
            game,
            &seats.to_string(),
            [setting.to_string(), first, second, third],
        )
    })?;
    if as_json {
        print_json(&json!({"results": rows}))
    } else {
        Ok(())
    }
}

/// Repeats `work` for at least `time`; returns the measured time.
fn repeat(time: Duration, mut work: impl FnMut()) -> Duration {
    let clock = Instant::now();
    while clock.elapsed() < time {
        work();
    }
    clock.elapsed()
}

/// The games to measure, each with `--seats` seats, by default with the `most` smallest numbers of
/// seats that the game allows.
fn races(args: &BenchGamesArgs, most: usize) -> Result<Vec<Arc<Race>>> {
    let known = Sheets::default();
    let all: Vec<String> = known.all().map(|sheet| sheet.name.clone()).collect();
    let mut races = Vec::new();
    for game in if args.game.is_empty() {
        &all
    } else {
        &args.game
    } {
        let base = games::ruleset(&known, game, None)?;
        let allowed = &base.sheet().seats.allowed;
        let is_wanted = |&count: &usize| args.seats.is_none_or(|seats| usize::from(seats) == count);
        let counts = (2..=4)
            .filter(|&count| allowed.iter().any(|letters| letters.len() == count))
            .filter(is_wanted);
        let rulesets = counts
            .take(most)
            .map(|count| games::ruleset(&known, game, Some(count)));
        let rulesets = rulesets.collect::<Result<Vec<_>>>()?;
        if rulesets.is_empty() && !args.game.is_empty() {
            bail!(
                "--seats: {game} can only be played by {}",
                allowed.join(", ")
            );
        }
        races.extend(
            rulesets
                .into_iter()
                .map(|ruleset| Arc::new(Race::new(ruleset))),
        );
    }
    Ok(races)
}
