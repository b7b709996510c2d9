//! `ashta eval`: evaluates an agent in paired games against other agents.

use std::path::Path;

use anyhow::{Result, bail};
use ashta_agents::{
    arena::{Interval, MatchProgress, sides},
    network::bot::Bot,
    perfect::regret::{Blunder, RegretReport},
    roster::{Lookahead, NamedAgent},
};
use ashta_env::game::Game;
use serde_json::json;

use super::terminal;
use crate::{
    cli::EvalArgs,
    run::{
        evaluation::{MatchResult, against, score_table},
        files::check_writable,
        games,
        output::{in_line, print, print_json, remark},
    },
};

/// Runs the command.
///
/// # Errors
/// When an agent does not exist or plays another game.
pub fn run(args: &EvalArgs) -> Result<()> {
    if !args.others.is_empty() {
        bail!(
            "`ashta eval` evaluates one agent: name the opponents with --against {}",
            args.others.join(",")
        );
    }
    let agent = games::agent(&args.agent)?;
    let opponents = args
        .against
        .iter()
        .map(|spec| games::agent(spec))
        .collect::<Result<Vec<_>>>()?;
    let all: Vec<_> = std::iter::once(&agent).chain(&opponents).collect();
    let race = games::race_of(args.game.game.as_deref(), args.game.seats, &all)?;
    let config = args.games.config();
    let recorded = args
        .record
        .as_deref()
        .map(|output| recordable(&agent, output))
        .transpose()?;
    let player = games::player(&agent, &race)?;
    let mut results: Vec<MatchResult> = Vec::new();
    for opponent in &opponents {
        let opponent = games::player(opponent, &race)?;
        let bar = terminal::bar(config.blocks * sides(race.spec()).len() as u64, "games")?;
        bar.set_message(in_line(&format!(
            "{agent} against {}",
            opponent.named_agent()
        )));
        let show = |games: u64| bar.set_position(games);
        let progress = MatchProgress {
            finished: &show,
            ..MatchProgress::UNWATCHED
        };
        results.push(against(
            &race,
            &|| player.agent(),
            &opponent,
            &config,
            &progress,
            None,
        ));
        bar.finish_and_clear();
    }
    if let Some((mut bot, lookahead, output)) = recorded {
        for result in &results {
            match result.strength(lookahead) {
                Some(strength) => bot.manifest.record(strength),
                None => remark(format_args!(
                    "--record leaves out {}: no game was finished",
                    result.opponent
                )),
            }
        }
        bot.write(output)?;
    }
    if args.json {
        return print_json(&json!({
            "agent": agent.to_string(),
            "game": race.spec().name,
            "seats": race.spec().seats.len(),
            "pairs": config.blocks,
            "seed": config.seed,
            "results": results,
        }));
    }
    print(format_args!("{agent} in {}", race.ruleset()))?;
    print(score_table(&results))?;
    for result in &results {
        if let Some(regret) = &result.regret {
            print_regret(&result.opponent, regret)?;
        }
    }
    terminal::print_few_blocks(config.blocks)?;
    terminal::print_truncated(
        results
            .iter()
            .map(|result| result.report.truncated_games)
            .sum(),
    )
}

/// Returns the bot that `--record` writes, its look-ahead and the new file. Checks that the file
/// can be written.
fn recordable<'path>(
    agent: &NamedAgent,
    output: &'path Path,
) -> Result<(Bot, Lookahead, &'path Path)> {
    let NamedAgent::Bot { bot, lookahead, .. } = agent else {
        bail!(
            "--record {}: {agent} is not a bot, and only bots store results",
            output.display()
        );
    };
    check_writable(output)?;
    Ok((Bot::clone(bot), *lookahead, output))
}

/// Prints the regret of an agent in games against `opponent`.
pub(super) fn print_regret(opponent: &str, regret: &RegretReport) -> Result<()> {
    let figure = |what: &str, of: Interval, digits: usize, unit: &str| {
        let Interval {
            mean,
            interval: [low, high],
            ..
        } = of;
        print(format_args!(
            "  {what:<31}{mean:.digits$}{unit}  [{low:.digits$}, {high:.digits$}]"
        ))
    };
    if regret.decisions == 0 {
        let what = "every decision had only one possible result, so choices had no effect";
        return print(format_args!("\nagainst {opponent}, {what}"));
    }
    print(format_args!(
        "\nagainst {opponent}, {} decisions with more than one possible result:",
        regret.decisions
    ))?;
    figure("regret per decision", regret.regret_per_decision, 6, "")?;
    let [half, most, nearly_all, all] = regret.quantiles;
    let rest = format!("{most:.6} in 90 %, {nearly_all:.6} in 99 %, {all:.6} in all");
    print(format_args!(
        "  … at most {half:.6} in half of them, {rest}"
    ))?;
    figure("regret per game", regret.regret_per_game, 5, "")?;
    figure(
        "optimal decisions",
        regret.optimal_choices.percent(),
        2,
        " %",
    )?;
    figure("luck-adjusted score", regret.luck_adjusted_score, 5, "")?;
    if !regret.worst.is_empty() {
        print("  the worst decisions:")?;
    }
    for Blunder {
        position,
        played,
        best,
        regret,
    } in &regret.worst
    {
        print(format_args!(
            "  {regret:.4}  {position}\n          played  {played}\n          better  {best}"
        ))?;
    }
    Ok(())
}
