//! An arena as tables for a terminal.

use anyhow::Result;
use ashta_agents::arena::{Estimate, Verdict, elo_of};

use super::summary::{AgentSummary, Pairing, SprtSummary, Summary};
use crate::output::{columns, print};

/// Prints everything.
///
/// # Errors
/// When standard output is closed.
pub fn summary(summary: &Summary) -> Result<()> {
    let Summary { game, seats, games, blocks, .. } = summary;
    print(format_args!("{game} for {seats}: {games} games in {blocks} blocks of the same throws"))?;
    if summary.truncated_games > 0 {
        print(format_args!(
            "{} games came to the turn cap; they and the games paired with them are not counted",
            summary.truncated_games
        ))?;
    }
    let mut ranked: Vec<&AgentSummary> = summary.agents.iter().collect();
    ranked.sort_by(|a, b| b.rating.elo.total_cmp(&a.rating.elo));
    let has_luck = summary.luck_by.is_some();
    let mut head = vec!["agent", "rating", "95 % interval", "score %", "95 % interval"];
    if has_luck {
        head.extend(["without luck %", "95 % interval", "luck %"]);
    }
    head.extend(["ms/choice", "forfeits"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for agent in &ranked {
        let [low, high] = agent.rating.interval;
        let mut row = vec![agent.name.clone(), format!("{:+.0}", agent.rating.elo), format!("{low:+.0} to {high:+.0}")];
        row.extend(percent(&agent.score));
        if let (Some(adjusted), Some(luck)) = (&agent.without_luck, &agent.luck) {
            row.extend(percent(adjusted));
            row.push(format!("{:+.2}", 100.0 * luck.mean));
        }
        row.push(agent.milliseconds.map_or_else(|| "-".to_owned(), |time| format!("{time:.3}")));
        row.push(agent.forfeits.to_string());
        rows.push(row);
    }
    print("")?;
    table(&rows)?;
    print(format_args!("\nEach against each: how often the one came out ahead, in percent.\n"))?;
    table(&cross(summary, &ranked))?;
    if let [pairing, _] = summary.pairings.as_slice() {
        difference(summary, pairing)?;
    }
    if let Some(by) = &summary.luck_by {
        let share = summary.luck_share.unwrap_or(0.0);
        print(format_args!("\nBy the values of {by}, the throws explain {:.0} % of how results vary.", 100.0 * share))?;
    }
    if let Some(sprt) = &summary.sprt {
        print_sprt(sprt)?;
    }
    Ok(())
}

fn table(rows: &[Vec<String>]) -> Result<()> {
    print(columns(rows, |column| column > 0).trim_end())
}

/// A share with its interval, as two columns.
fn percent(estimate: &Estimate) -> [String; 2] {
    let [low, high] = estimate.interval.map(|bound| 100.0 * bound);
    let interval = if low.is_finite() { format!("{low:.2} to {high:.2}") } else { "unknown".to_owned() };
    [format!("{:.2}", 100.0 * estimate.mean), interval]
}

fn cross(summary: &Summary, ranked: &[&AgentSummary]) -> Vec<Vec<String>> {
    let place = |agent: &AgentSummary| summary.agents.iter().position(|other| std::ptr::eq(agent, other));
    let mut rows = vec![vec![String::new()]];
    rows[0].extend((1..=ranked.len()).map(|number| number.to_string()));
    for (number, agent) in (1..).zip(ranked) {
        let mut row = vec![format!("{number} {}", agent.name)];
        for other in ranked {
            let is_it = |pairing: &&Pairing| Some(pairing.agent) == place(agent) && Some(pairing.other) == place(other);
            let found = summary.pairings.iter().find(is_it);
            row.push(found.map_or_else(String::new, |pairing| format!("{:.1}", 100.0 * pairing.ahead.mean)));
        }
        rows.push(row);
    }
    rows
}

/// What can be said of two agents.
fn difference(summary: &Summary, pairing: &Pairing) -> Result<()> {
    let [first, second] = [pairing.agent, pairing.other].map(|agent| &summary.agents[agent].name);
    let best = pairing.without_luck.as_ref().unwrap_or(&pairing.ahead);
    let [low, high] = best.interval;
    let verdict = if low > 0.5 {
        format!("{first} is better than {second}")
    } else if high < 0.5 {
        format!("{second} is better than {first}")
    } else {
        format!("which of {first} and {second} is better is not decided")
    };
    let elo = |score: f64| elo_of(score.clamp(1e-6, 1.0 - 1e-6));
    print(format_args!(
        "\n{verdict}: {:.2} % [{:.2}, {:.2}], {:+.1} Elo [{:+.1}, {:+.1}]",
        100.0 * best.mean,
        100.0 * low,
        100.0 * high,
        elo(best.mean),
        elo(low),
        elo(high)
    ))?;
    if let Some(factor) = pairing.shrinkage {
        let games = factor * factor;
        print(format_args!(
            "Taking out luck makes the interval {factor:.1} times shorter, as {games:.0} times the games would."
        ))?;
    }
    Ok(())
}

fn print_sprt(summary: &SprtSummary) -> Result<()> {
    let SprtSummary { sprt, ratio, bounds: [low, high], verdict } = summary;
    let said = match verdict {
        Verdict::Open => "nothing is decided yet".to_owned(),
        Verdict::AcceptsElo0 => format!("the difference is {:+} Elo or less", sprt.elo0),
        Verdict::AcceptsElo1 => format!("the difference is {:+} Elo or more", sprt.elo1),
    };
    print(format_args!("\nSequential test: log-likelihood ratio {ratio:.2} between {low:.2} and {high:.2}: {said}."))
}
