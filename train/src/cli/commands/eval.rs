//! `ashta eval`: an agent against others, in paired games.

use std::path::Path;

use crate::evaluation::{MatchResult, against, score_table};
use crate::files::check_writable;
use crate::games;
use crate::output;
use anyhow::{Result, bail};
use ashta_agents::arena::{MatchProgress, Mean};
use ashta_agents::network::bot::Bot;
use ashta_agents::perfect::regret::{Blunder, RegretReport};
use ashta_agents::roster::{AgentSpec, Lookahead, Roster};
use ashta_env::game::Game;

use super::terminal;
use crate::cli::EvalArgs;

/// Runs the command.
///
/// # Errors
/// When an agent does not exist or plays another game.
pub fn run(args: &EvalArgs) -> Result<()> {
    let agent = games::agent(&args.agent)?;
    let opponents = args.against.iter().map(|spec| games::agent(spec)).collect::<Result<Vec<_>>>()?;
    let all: Vec<_> = std::iter::once(&agent).chain(&opponents).collect();
    let race = games::of(args.game.game.as_deref(), args.game.seats, &all)?;
    let config = args.games.config();
    let recorded = args.record.as_deref().map(|output| recordable(&agent, output)).transpose()?;
    let player = games::player(&agent, &race)?;
    let mut results: Vec<MatchResult> = Vec::new();
    for opponent in &opponents {
        let opponent = games::player(opponent, &race)?;
        let spec = race.spec();
        let legs = if spec.teams[ashta_env::game::Seat::SOUTH].len() > 1 { 2 } else { spec.seats.len() as u64 };
        let bar = terminal::bar(config.blocks * legs, "games")?;
        bar.set_message(format!("{} against {}", agent.spec(), opponent.spec()));
        let show = |games: u64| bar.set_position(games);
        let progress = MatchProgress { finished: &show, ..MatchProgress::UNWATCHED };
        results.push(against(&race, &|| player.agent(), &opponent, &config, &progress));
        bar.finish_and_clear();
    }
    if let Some((mut bot, lookahead, output)) = recorded {
        results.iter().for_each(|result| bot.manifest.record(result.strength(lookahead)));
        bot.write(output)?;
    }
    if args.json {
        let json = serde_json::json!({
            "agent": agent.spec().to_string(),
            "game": race.spec().name,
            "seats": race.spec().seats.len(),
            "pairs": config.blocks,
            "seed": config.seed,
            "results": results,
        });
        return output::print(serde_json::to_string_pretty(&json)?);
    }
    output::print(format_args!("{} in {}", agent.spec(), race.ruleset()))?;
    output::print(score_table(&results))?;
    for result in &results {
        if let Some(regret) = &result.regret {
            print_regret(&result.opponent, regret)?;
        }
    }
    let truncated: u64 = results.iter().map(|result| result.report.truncated_games).sum();
    if truncated > 0 {
        output::print(format_args!(
            "{truncated} games came to the turn cap; they and the games paired with them are not counted"
        ))?;
    }
    Ok(())
}

/// The bot in whose manifest results are recorded, and how it looks ahead, once it is clear that it can be written.
fn recordable<'path>(agent: &Roster, output: &'path Path) -> Result<(Bot, Lookahead, &'path Path)> {
    let (AgentSpec::Bot { lookahead, .. }, Some(bot)) = (agent.spec(), agent.bot()) else {
        bail!("--record {}: {} is no bot, and results are recorded in bots", output.display(), agent.spec());
    };
    check_writable(output)?;
    Ok((bot.clone(), *lookahead, output))
}

/// Prints the regret of an agent.
fn print_regret(opponent: &str, regret: &RegretReport) -> Result<()> {
    let Mean { mean, interval: [low, high] } = regret.regret_per_decision;
    output::print(format_args!("\nagainst {opponent}, {} decisions with more than one result:", regret.decisions))?;
    output::print(format_args!("  regret per decision            {mean:.6}  [{low:.6}, {high:.6}]"))?;
    let [half, most, nearly_all, all] = regret.quantiles;
    output::print(format_args!(
        "  … by half of them at most {half:.6}, by 90 % {most:.6}, by 99 % {nearly_all:.6}, by any {all:.6}"
    ))?;
    let Mean { mean, interval: [low, high] } = regret.regret_per_game;
    output::print(format_args!("  regret per game                {mean:.5}  [{low:.5}, {high:.5}]"))?;
    let Mean { mean, interval: [low, high] } = regret.optimal_choices;
    output::print(format_args!(
        "  optimal decisions              {:.2} %  [{:.2}, {:.2}]",
        100.0 * mean,
        100.0 * low,
        100.0 * high
    ))?;
    let Mean { mean, interval: [low, high] } = regret.luck_adjusted_score;
    output::print(format_args!("  luck-adjusted score            {mean:.5}  [{low:.5}, {high:.5}]"))?;
    if !regret.worst.is_empty() {
        output::print("  the worst decisions:")?;
    }
    for Blunder { position, played, best, regret } in &regret.worst {
        output::print(format_args!("  {regret:.4}  {position}"))?;
        output::print(format_args!("          played  {played}\n          better  {best}"))?;
    }
    Ok(())
}
