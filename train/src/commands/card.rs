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
    let (path, bot) = games::bot(&args.bot, "cards tell")?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let card = bot.manifest.card(&name);
    match &args.output {
        Some(output) => write_whole(output, &card),
        None => print(card.trim_end()),
    }
}
