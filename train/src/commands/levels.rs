//! `ashta levels`: the levels of difficulty of a bot, calibrated and measured.

use anyhow::{Result, bail};
use ashta_agents::level::{Calibration, calibrate};
use ashta_env::game::Game;
use serde_json::json;

use crate::cli::{GameArgs, LevelsArgs};
use crate::games;
use crate::output::{aligned, print};

/// Runs the command.
///
/// # Errors
/// When the agent is no bot, or the bot with its levels cannot be written.
pub fn run(args: &LevelsArgs) -> Result<()> {
    let agent = games::agent(&args.bot)?;
    let Some(bot) = agent.bot() else { bail!("{} is no bot: levels are made of one", agent.spec()) };
    let race = games::of(&GameArgs { game: None, seats: None }, &[&agent])?;
    let config = args.games.config();
    let levels = calibrate(&race, &bot.net, &config);
    if let Some(output) = &args.output {
        let mut bot = bot.clone();
        bot.manifest.levels.clone_from(&levels);
        bot.write(output)?;
    }
    if args.json {
        let json = json!({
            "bot": agent.spec().to_string(),
            "game": race.spec().name,
            "seats": race.spec().seats.len(),
            "pairs": config.blocks,
            "seed": config.seed,
            "levels": levels,
        });
        return print(serde_json::to_string_pretty(&json)?);
    }
    let heads = ["level", "temperature", "given away a decision", "wins against the bot as it is"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heads).chain(levels.iter().map(row)).collect();
    print(aligned(&rows, [false, true, true, true]))
}

fn row(found: &Calibration) -> [String; 4] {
    let Calibration { level, temperature, regret, regret_interval, score, score_interval, .. } = found;
    let percent = |share: f64| 100.0 * share;
    [
        level.to_string(),
        format!("{temperature:.5}"),
        format!("{regret:.5} [{:.5}, {:.5}]", regret_interval[0], regret_interval[1]),
        format!("{:.1} % [{:.1}, {:.1}]", percent(*score), percent(score_interval[0]), percent(score_interval[1])),
    ]
}
