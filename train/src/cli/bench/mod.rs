//! `ashta bench`: speeds on this machine.

mod env;
mod net;

use std::sync::Arc;

use crate::run::games;
use crate::run::output::{print, print_json};
use anyhow::{Result, bail};
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::Sheets;
use serde::Serialize;

use crate::cli::{BenchCommand, BenchGamesArgs};

/// Measures what is asked for.
///
/// # Errors
/// When a game does not exist, times are wrong, or standard output is closed.
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

    /// The row under them.
    fn line(&self) -> String;
}

/// Prints the rows that `measure` shows, each as soon as it is measured, or at last all of them as JSON.
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

/// The games that are measured, each for the fewest `most` numbers of seats that it takes, or for the number asked for.
fn races(args: &BenchGamesArgs, most: usize) -> Result<Vec<Arc<Race>>> {
    let known = Sheets::default();
    let all: Vec<String> = known.all().map(|sheet| sheet.name.clone()).collect();
    let mut races = Vec::new();
    for game in if args.game.is_empty() { &all } else { &args.game } {
        let forms = games::forms(&known, game)?;
        let wanted = |form: &&Ruleset| args.seats.is_none_or(|seats| usize::from(seats) == form.seats().len());
        let before = races.len();
        races.extend(forms.iter().filter(wanted).take(most).map(|form| Arc::new(Race::new(form.clone()))));
        if races.len() == before && !args.game.is_empty() {
            let allowed = forms.first().map(|form| form.sheet().seats.allowed.join(", ")).unwrap_or_default();
            bail!("--seats: {game} is played on {allowed}");
        }
    }
    Ok(races)
}
