//! `ashta eval`: an agent against others, in paired games.

use anyhow::Result;
use ashta_agents::arena::MatchConfig;
use ashta_env::game::Game;
use indicatif::{ProgressBar, ProgressStyle};

use super::judge::{Judged, against};
use crate::cli::EvalArgs;
use crate::games;
use crate::output;
use crate::progress::win_rate_table;

/// Runs the command.
///
/// # Errors
/// When an agent does not exist or plays another game.
pub fn run(args: &EvalArgs) -> Result<()> {
    let agent = games::agent(&args.agent)?;
    let opponents = args.against.iter().map(|spec| games::agent(spec)).collect::<Result<Vec<_>>>()?;
    let all: Vec<_> = std::iter::once(&agent).chain(&opponents).collect();
    let race = games::of(&args.game, &all)?;
    let config =
        MatchConfig { blocks: args.pairs, seed: args.seed, threads: args.threads.into(), ..MatchConfig::default() };
    let mut judged: Vec<Judged> = Vec::new();
    for opponent in &opponents {
        let spec = race.spec();
        let legs = if spec.teams[ashta_env::game::Seat::SOUTH].len() > 1 { 2 } else { spec.seats.len() as u64 };
        let bar = ProgressBar::new(args.pairs * legs);
        bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} games, {eta} left")?);
        bar.set_message(format!("{} against {}", agent.spec(), opponent.spec()));
        judged.push(against(&race, &|| agent.agent(), opponent, &config, &|games| bar.set_position(games)));
        bar.finish_and_clear();
    }
    if args.json {
        let json = serde_json::json!({
            "agent": agent.spec().to_string(),
            "game": race.spec().name,
            "seats": race.spec().seats.len(),
            "pairs": args.pairs,
            "seed": args.seed,
            "results": judged,
        });
        return output::print(serde_json::to_string_pretty(&json)?);
    }
    let rows: Vec<_> = judged.iter().map(Judged::row).collect();
    output::print(format_args!("{} in {}", agent.spec(), race.ruleset()))?;
    output::print(win_rate_table(&rows))?;
    let truncated: u64 = judged.iter().map(|judged| judged.report.truncated_games).sum();
    if truncated > 0 {
        output::print(format_args!(
            "{truncated} games came to the turn cap; they and the games paired with them are not counted"
        ))?;
    }
    Ok(())
}
