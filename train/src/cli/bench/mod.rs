//! `ashta bench`: speeds on this machine.

mod agents;
mod capacity;
mod env;
mod net;

use std::sync::Arc;

use crate::games;
use crate::output::print;
use anyhow::{Result, bail};
use ashta_agents::arena::Mean;
use ashta_env::race::Race;
use ashta_env::sheet::Sheets;
use serde::Serialize;

use crate::cli::{BenchAgentsArgs, BenchCapacityArgs, BenchGamesArgs};
use capacity::CapacityRow;

/// The rules.
///
/// # Errors
/// When there is no such game, the time is not positive, or standard output is closed.
pub fn env(args: &BenchGamesArgs) -> Result<()> {
    let (races, seconds, json) = (races(args, usize::MAX)?, args.seconds, args.json);
    if !json {
        print(format_args!(
            "{:<20} {:>5} {:>10} {:>14} {:>14} {:>10}",
            "game", "seats", "vectorised", "decisions/s", "throws/s", "games/s"
        ))?;
    }
    let rows = env::run(&races, seconds, |row| {
        if !json {
            print(format_args!(
                "{:<20} {:>5} {:>10} {:>14.0} {:>14.0} {:>10.0}",
                row.game,
                row.seats,
                row.vectorised,
                row.decisions_per_second,
                row.chance_nodes_per_second,
                row.games_per_second
            ))?;
        }
        Ok(())
    })?;
    print_json(json, &rows)
}

/// The network and the loop.
///
/// # Errors
/// When there is no such game, the time is not positive, or standard output is closed.
pub fn net(args: &BenchGamesArgs) -> Result<()> {
    let (races, seconds, json) = (races(args, 1)?, args.seconds, args.json);
    if !json {
        print(format_args!(
            "{:<20} {:>5} {:>12} {:>14} {:>14} {:>14}",
            "game", "seats", "hidden", "evaluations/s", "learned/s", "self-play/s"
        ))?;
    }
    let rows = net::run(&races, seconds, |row| {
        if !json {
            print(format_args!(
                "{:<20} {:>5} {:>12} {:>14.0} {:>14.0} {:>14.0}",
                row.game,
                row.seats,
                format!("{:?}", row.hidden),
                row.evaluations_per_second,
                row.learned_samples_per_second,
                row.selfplay_samples_per_second
            ))?;
        }
        Ok(())
    })?;
    print_json(json, &rows)
}

/// Agents: strength against time.
///
/// # Errors
/// When an agent does not exist or plays another game, or standard output is closed.
pub fn agents(args: &BenchAgentsArgs) -> Result<()> {
    if !args.json {
        print(format_args!("{:<34} {:>11} {:>11} {:>24}  regret per decision", "agent", "ms/decision", "90 %", "won"))?;
    }
    let rows = agents::run(args, |row| {
        if args.json {
            return Ok(());
        }
        let [low, high] = row.interval.map(|share| 100.0 * share);
        let won = format!("{:.1} % [{low:.1}, {high:.1}]", 100.0 * row.score);
        let regret = row
            .regret_per_decision
            .map_or(String::new(), |Mean { mean, interval: [low, high] }| format!("{mean:.5} [{low:.5}, {high:.5}]"));
        let (mean, most) = (row.milliseconds_per_decision, row.milliseconds_90_percent);
        print(format_args!("{:<34} {mean:>11.4} {most:>11.4} {won:>24}  {regret}", row.agent))
    })?;
    print_json(args.json, &rows)
}

/// What a network can represent.
///
/// # Errors
/// When the settings are wrong, the game is not solved, or standard output is closed.
pub fn capacity(args: &BenchCapacityArgs) -> Result<()> {
    if !args.json {
        print(format_args!(
            "{:>4} {:>10} {:>8} {:>7} {:>20} {:>8} {:>8}",
            "pass", "positions", "columns", "active", "regret per decision", "error", "seconds"
        ))?;
    }
    let rows = capacity::run(args, |row| {
        if args.json {
            return Ok(());
        }
        let CapacityRow { pass, positions, columns, active, regret_per_decision, error, seconds } = row;
        print(format_args!(
            "{pass:>4} {positions:>10} {columns:>8} {active:>7.1} {regret_per_decision:>20.6} {error:>8.5} {seconds:>8.1}"
        ))
    })?;
    print_json(args.json, &rows)
}

/// The games that are measured, each for the fewest `most` numbers of seats that it takes, or for the number asked for.
fn races(args: &BenchGamesArgs, most: usize) -> Result<Vec<Arc<Race>>> {
    let seconds = args.seconds;
    if !(seconds > 0.0 && seconds < 3600.0) {
        bail!("--seconds is above 0 and below 3600, not {seconds}");
    }
    let known = Sheets::default();
    let all: Vec<String> = known.all().map(|sheet| sheet.name.clone()).collect();
    let mut races = Vec::new();
    for game in if args.game.is_empty() { &all } else { &args.game } {
        let base = games::ruleset(&known, game, None)?;
        let takes = |&count: &usize| base.sheet().seats.allowed.iter().any(|letters| letters.len() == count);
        let wanted = |count: &usize| args.seats.is_none_or(|seats| usize::from(seats) == *count);
        let counts: Vec<usize> = (2..=4).filter(takes).filter(wanted).take(most).collect();
        if counts.is_empty() && !args.game.is_empty() {
            bail!("--seats: {game} is played on {}", base.sheet().seats.allowed.join(", "));
        }
        for count in counts {
            races.push(Arc::new(Race::new(games::ruleset(&known, game, Some(count))?)));
        }
    }
    Ok(races)
}

fn print_json(json: bool, rows: &[impl Serialize]) -> Result<()> {
    if json {
        print(serde_json::to_string_pretty(&serde_json::json!({"results": rows}))?)?;
    }
    Ok(())
}
