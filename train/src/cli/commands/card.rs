//! `ashta card`: prints the model card of a bot.

use std::path::Path;

use crate::run::{files::write_whole, games, output::print};
use anyhow::Result;

/// Runs the command.
///
/// # Errors
/// When the agent is not a bot, or the card cannot be written.
pub fn run(bot: &str, output: Option<&Path>) -> Result<()> {
    let (source, bot) = games::bot(&games::folders(), bot, "only bots have cards")?;
    let card = bot.manifest.card(&source.name());
    match output {
        Some(output) => write_whole(output, &card),
        None => print(card.trim_end()),
    }
}
