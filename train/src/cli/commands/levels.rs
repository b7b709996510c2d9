//! `ashta levels`: calibrates and measures the levels of difficulty of a bot.

use anyhow::{Context, Result, bail};
use ashta_agents::{arena::levels::calibrate, play::level::Calibration};
use ashta_env::game::Game;
use serde_json::json;

use crate::{
    cli::LevelsArgs,
    run::{
        files::check_writable,
        games,
        output::{columns, print, print_json, with_interval},
    },
};

/// Runs the command.
///
/// # Errors
/// When the agent is not a bot, or the file cannot be written.
pub fn run(args: &LevelsArgs) -> Result<()> {
    let (source, mut bot) = games::bot(&games::folders(), &args.bot, "only bots have levels")?;
    let race = bot.race().with_context(|| source.to_string())?;
    let config = args.games.config();
    if config.blocks < 2 {
        bail!(
            "--pairs must be at least 2 for intervals (got {})",
            config.blocks
        );
    }
    args.output.as_deref().map(check_writable).transpose()?;
    let levels = calibrate(&race, &bot.evaluator(), &config);
    let levels =
        levels.context("all games reached the turn limit, so the levels have no scores")?;
    if let Some(output) = &args.output {
        bot.manifest.levels.clone_from(&levels);
        bot.write(output)?;
    }
    if args.json {
        return print_json(&json!({
            "bot": source.to_string(),
            "game": race.spec().name,
            "seats": race.spec().seats.len(),
            "pairs": config.blocks,
            "seed": config.seed,
            "levels": levels,
        }));
    }
    let heads = [
        "level",
        "temperature",
        "regret per decision",
        "score against the bot without a level",
    ]
    .map(str::to_owned);
    let row = |found: &Calibration| {
        let regret = with_interval(found.regret, found.regret_interval, 5, "");
        let score = with_interval(
            100.0 * found.score,
            found.score_interval.map(|share| 100.0 * share),
            1,
            " %",
        );
        [
            found.level.to_string(),
            format!("{:.5}", found.temperature),
            regret,
            score,
        ]
    };
    let rows: Vec<_> = std::iter::once(heads)
        .chain(levels.iter().map(row))
        .collect();
    print(columns(&rows, |column| column > 0))
}
