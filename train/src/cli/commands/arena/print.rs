//! Prints the summary of an arena as tables.

use crate::{
    cli::commands::terminal::{ENOUGH_BLOCKS, print_few_blocks, print_truncated},
    run::output::{columns, print, with_interval},
};
use anyhow::Result;
use ashta_agents::arena::{AgentSummary, Interval, Pairing, Rating, SprtSummary, Summary, Verdict};

/// Prints the summary.
///
/// # Errors
/// When standard output is closed.
pub fn summary(summary: &Summary) -> Result<()> {
    let Summary {
        game,
        seats,
        games,
        blocks,
        ..
    } = summary;
    let (played, grouped) = (counted(*games, "game"), counted(*blocks, "block"));
    print(format_args!(
        "{game} for {seats}: {played} in {grouped}; all games of a block have the same throws"
    ))?;
    if summary.drawn_games > 0 {
        let (drawn, were) = (
            counted(summary.drawn_games, "game"),
            if summary.drawn_games == 1 {
                "was"
            } else {
                "were"
            },
        );
        print(format_args!(
            "{drawn} {were} drawn ({:.1} %)",
            100.0 * summary.drawn_games as f64 / *games as f64
        ))?;
    }
    print_truncated(summary.truncated_games)?;
    if summary.games == 0 {
        return print("No block of games was finished, so there are no scores and no ratings.");
    }
    let elo = |agent: &AgentSummary| agent.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
    let mut ranked: Vec<(usize, &AgentSummary)> = summary.agents.iter().enumerate().collect();
    ranked.sort_by(|(_, a), (_, b)| elo(b).total_cmp(&elo(a)));
    let has_luck = summary.luck_by.is_some();
    let mut head = vec![
        "agent",
        "rating",
        "95 % interval",
        "score %",
        "95 % interval",
    ];
    if has_luck {
        // `÷`: the luck adjustment divides the standard error by this number.
        head.extend(["luck-adjusted %", "95 % interval", "÷", "luck %"]);
    }
    head.extend(["ms/choice", "forfeits"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for (_, agent) in &ranked {
        let rating = agent.rating.map_or_else(unknown, |rating| {
            let [low, high] = rating.interval.map(|bound| elo_text(bound, 0));
            [elo_text(rating.elo, 0), format!("{low} to {high}")]
        });
        let mut row = [vec![agent.name.clone()], rating.to_vec()].concat();
        row.extend(agent.score.as_ref().map_or_else(unknown, percent));
        if let (Some(adjusted), Some(luck)) = (&agent.luck_adjusted_score, &agent.luck) {
            row.extend(percent(adjusted));
            let shrinkage = agent.shrinkage.filter(|_| summary.blocks >= ENOUGH_BLOCKS);
            row.push(
                shrinkage.map_or_else(|| "-".to_owned(), |shrinkage| format!("{shrinkage:.1}")),
            );
            row.push(format!("{:+.2}", 100.0 * luck.mean));
        } else if has_luck {
            row.extend(unknown().into_iter().chain(["-", "-"].map(str::to_owned)));
        }
        row.push(
            agent
                .milliseconds
                .map_or_else(|| "-".to_owned(), |time| format!("{time:.3}")),
        );
        row.push(agent.forfeits.to_string());
        rows.push(row);
    }
    print("")?;
    table(&rows)?;
    for agent in &summary.agents {
        if let Some(reason) = agent.forfeit_reasons.first() {
            let (games, first) = (
                counted(agent.forfeits, "game"),
                if agent.forfeits == 1 {
                    ""
                } else {
                    ", the first"
                },
            );
            print(format_args!(
                "{} forfeited {games}{first} because {reason}",
                agent.name
            ))?;
        }
    }
    let is_adjusted = has_luck
        && summary
            .pairings
            .iter()
            .all(|pairing| pairing.luck_adjusted_score.is_some());
    let adjusted = if is_adjusted { ", luck-adjusted" } else { "" };
    print(format_args!(
        "\nEach against each: how often the agent of the row finishes ahead of the agent of the column, in \
         percent{adjusted}.\n"
    ))?;
    table(&cross(summary, &ranked))?;
    let verdicts = verdicts(summary);
    if !verdicts.is_empty() {
        print(format_args!("\n{}", verdicts.join("\n")))?;
    }
    print_few_blocks(summary.blocks)?;
    if let Some(by) = &summary.luck_by {
        let share = 100.0 * summary.luck_share.unwrap_or(0.0);
        let version = summary
            .luck_version
            .as_ref()
            .map_or(String::new(), |version| format!(" ({version})"));
        print(format_args!(
            "\nBy the values of {by}{version}, the throws explain {share:.0} % of the variance."
        ))?;
    }
    Ok(())
}

/// A number of things: `1 game`, `2 games`.
fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn table(rows: &[Vec<String>]) -> Result<()> {
    print(columns(rows, |column| column > 0).trim_end())
}

/// The cells of an estimate that does not exist.
fn unknown() -> [String; 2] {
    ["-", "unknown"].map(str::to_owned)
}

/// A rating or a bound of its interval.
fn elo_text(elo: f64, digits: usize) -> String {
    if elo.is_finite() {
        format!("{elo:+.digits$}")
    } else {
        "unknown".to_owned()
    }
}

/// Writes `-0.0` as `0.0`.
fn positive(number: String) -> String {
    match number.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| "0.".contains(digit)) => digits.to_owned(),
        _ => number,
    }
}

/// A share with its interval, as two columns.
fn percent(estimate: &Interval) -> [String; 2] {
    let Interval {
        mean,
        interval: [low, high],
        ..
    } = estimate.percent();
    let interval = if low.is_finite() {
        format!("{low:.2} to {high:.2}")
    } else {
        "unknown".to_owned()
    };
    [positive(format!("{mean:.2}")), interval]
}

/// The table of pairings: a row and a column for each agent, in the order of the ranking. `ranked`
/// has the indices of the agents in the summary.
fn cross(summary: &Summary, ranked: &[(usize, &AgentSummary)]) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    rows[0].extend((1..=ranked.len()).map(|number| number.to_string()));
    for (number, (own, agent)) in (1..).zip(ranked) {
        let mut row = vec![format!("{number} {}", agent.name)];
        for (other, _) in ranked {
            let is_it = |pairing: &&Pairing| pairing.agent == *own && pairing.other == *other;
            let found = summary.pairings.iter().find(is_it);
            row.push(found.map_or_else(String::new, |pairing| {
                let Interval {
                    mean,
                    interval: [low, high],
                    ..
                } = best(pairing);
                format!(
                    "{} ±{:.1}",
                    positive(format!("{:.1}", 100.0 * mean)),
                    50.0 * (high - low)
                )
            }));
        }
        rows.push(row);
    }
    rows
}

/// The conclusions about two agents, and the result of the test, one sentence each.
pub fn verdicts(summary: &Summary) -> Vec<String> {
    let mut verdicts = Vec::new();
    if let [pairing, _] = summary.pairings.as_slice() {
        verdicts.extend(difference(summary, pairing));
        if let Some(games) = plain_games(summary, pairing) {
            verdicts.push(format!(
                "With shared throws and luck removed, one game is as precise as {games:.0} independent games."
            ));
        }
    }
    verdicts.extend(
        summary
            .sprt
            .iter()
            .map(|state| test(state, &summary.agents[state.other].name)),
    );
    verdicts
}

/// The luck-adjusted score of a pairing, or its plain score.
fn best(pairing: &Pairing) -> &Interval {
    pairing
        .luck_adjusted_score
        .as_ref()
        .unwrap_or(&pairing.ahead)
}

/// A sentence that says which of two agents is better. Its numbers belong to the first agent in the
/// sentence.
fn difference(summary: &Summary, pairing: &Pairing) -> Option<String> {
    // The reversed pairing has the opposite numbers.
    let pairing = summary
        .pairings
        .iter()
        .find(|seen| best(pairing).interval[1] < 0.5 && seen.agent == pairing.other)
        .unwrap_or(pairing);
    let [first, second] = [pairing.agent, pairing.other].map(|agent| &summary.agents[agent].name);
    let Interval {
        mean,
        interval: [low, high],
        ..
    } = *best(pairing);
    let Rating {
        elo,
        interval: [least, most],
    } = pairing.difference?;
    let verdict = if low > 0.5 {
        format!("{first} is better than {second}")
    } else {
        format!("it is not decided which of {first} and {second} is better")
    };
    let score = with_interval(100.0 * mean, [100.0 * low, 100.0 * high], 2, " %");
    let [elo, least, most] = [elo, least, most].map(|elo| elo_text(elo, 1));
    Some(format!("{verdict}: {score}, {elo} Elo [{least}, {most}]"))
}

/// The number of independent games whose score is as precise as the score of one game of this
/// pairing.
fn plain_games(summary: &Summary, pairing: &Pairing) -> Option<f64> {
    if summary.blocks < ENOUGH_BLOCKS {
        return None;
    }
    let error = pairing
        .luck_adjusted_score
        .as_ref()?
        .standard_error
        .filter(|&error| error > 0.0)?;
    let ahead = pairing.ahead.mean;
    Some(ahead * (1.0 - ahead) / (error * error) / summary.games as f64)
        .filter(|&games| games >= 1.5)
}

fn test(summary: &SprtSummary, other: &str) -> String {
    let SprtSummary {
        sprt,
        ratio,
        bounds: [low, high],
        verdict,
        ..
    } = summary;
    let said = match verdict {
        Verdict::Open => "there is no decision yet".to_owned(),
        Verdict::AcceptsElo0 => format!(
            "the difference is {:+} points of normalised Elo or less",
            sprt.elo0
        ),
        Verdict::AcceptsElo1 => format!(
            "the difference is {:+} points of normalised Elo or more",
            sprt.elo1
        ),
    };
    format!(
        "Sequential test against {other}: log-likelihood ratio {ratio:.2}, bounds {low:.2} and {high:.2}: {said}."
    )
}
