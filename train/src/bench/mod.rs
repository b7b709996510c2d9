//! `ashta bench`: speeds on this machine.

mod agents;
mod env;
mod net;

use anyhow::{Result, bail};
use ashta_agents::regret::Mean;
use ashta_train::output::print;
use serde::Serialize;

use crate::cli::BenchAgentsArgs;

/// The rules.
///
/// # Errors
/// When the time is not positive, or nobody reads the results.
pub fn env(json: bool, seconds: f64) -> Result<()> {
    check(seconds)?;
    if !json {
        print(format_args!(
            "{:<20} {:>5} {:>10} {:>14} {:>14} {:>10}",
            "game", "seats", "vectorised", "decisions/s", "throws/s", "games/s"
        ))?;
    }
    let rows = env::run(seconds, |row| {
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
/// When the time is not positive, or nobody reads the results.
pub fn net(json: bool, seconds: f64) -> Result<()> {
    check(seconds)?;
    if !json {
        print(format_args!(
            "{:<20} {:>5} {:>12} {:>14} {:>14} {:>14}",
            "game", "seats", "hidden", "evaluations/s", "learned/s", "self-play/s"
        ))?;
    }
    let rows = net::run(seconds, |row| {
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
/// When an agent does not exist or plays another game, or nobody reads the results.
pub fn agents(args: &BenchAgentsArgs) -> Result<()> {
    if !args.json {
        print(format_args!(
            "{:<34} {:>11} {:>11} {:>24}  given away a decision",
            "agent", "ms/decision", "90 %", "won"
        ))?;
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

fn check(seconds: f64) -> Result<()> {
    if !(seconds > 0.0 && seconds < 3600.0) {
        bail!("--seconds is above 0 and below 3600, not {seconds}");
    }
    Ok(())
}

fn print_json(json: bool, rows: &[impl Serialize]) -> Result<()> {
    if json {
        print(serde_json::to_string_pretty(&serde_json::json!({"results": rows}))?)?;
    }
    Ok(())
}
