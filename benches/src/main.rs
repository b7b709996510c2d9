//! Measures the speed of the rules, the network, the learner and self-play on this machine.
//!
//! ```sh
//! cargo run --release -p ashta-benches -- env --game ashtapada
//! ```

mod env;
mod net;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use ashta_env::{game::Game, race::Race, sheet::Sheets};
use ashta_train::run::{
    games,
    output::{print, print_json},
};
use clap::{Args, Parser};
use serde_json::{Value, json};

// The program `ashta` has this allocator, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure the speed of this machine.
#[derive(Debug, Parser)]
#[command(name = "ashta-benches")]
enum Command {
    /// Measure the rules: random legal play on one thread, for each number of seats. Reports the
    /// median of three measurements.
    Env(GamesArgs),
    /// Measure the network, the learner and self-play on one thread, for the fewest seats of each
    /// game.
    Net(GamesArgs),
}

/// The games to measure and the output.
#[derive(Debug, Args)]
struct GamesArgs {
    /// Measure this game, named as for `ashta play`; may be repeated. By default all games.
    #[arg(long)]
    game: Vec<String>,
    /// Measure only this number of seats, 2 to 4.
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=4))]
    seats: Option<u8>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Seconds for each figure, above 0 and up to 86,400.
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|&seconds: &f64| seconds > 0.0 && seconds <= 86_400.0);
    seconds.ok_or_else(|| format!("{text} is not a number of seconds above 0 and up to 86,400"))
}

/// Runs a benchmark and prints its rows. Fails when a game does not exist or does not allow the
/// number of seats, or standard output is closed.
fn main() -> Result<()> {
    match Command::parse() {
        Command::Env(args) => {
            let races = races(&args, usize::MAX)?;
            print_rows(args.json, env::COLUMNS, |show| {
                env::run(&races, args.seconds, show)
            })
        }
        Command::Net(args) => {
            let races = races(&args, 1)?;
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
fn races(args: &GamesArgs, most: usize) -> Result<Vec<Arc<Race>>> {
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
            .map(|count| games::ruleset(&known, game, Some(count)))
            .collect::<Result<Vec<_>>>()?;
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
