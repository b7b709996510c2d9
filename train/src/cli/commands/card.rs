//! `ashta card`: what a person wants to know of a bot.

use crate::files::write_whole;
use crate::games;
use crate::output::print;
use anyhow::Result;

use crate::cli::CardArgs;

/// Runs the command.
///
/// # Errors
/// When the agent is no bot, or the card cannot be written.
pub fn run(args: &CardArgs) -> Result<()> {
    let (source, bot) = games::bot(&args.bot, "cards tell")?;
    let card = bot.manifest.card(&source.name());
    match &args.output {
        Some(output) => write_whole(output, &card),
        None => print(card.trim_end()),
    }
}
