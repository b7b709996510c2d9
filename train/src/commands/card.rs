//! `ashta card`: what a person wants to know of a bot.

use anyhow::{Result, bail};
use ashta_agents::roster::AgentSpec;

use crate::cli::CardArgs;
use crate::games;
use crate::output::print;
use crate::rundir::write_whole;

/// Runs the command.
///
/// # Errors
/// When the agent is no bot, or the card cannot be written.
pub fn run(args: &CardArgs) -> Result<()> {
    let agent = games::agent(&args.bot)?;
    let (AgentSpec::Bot { path, .. }, Some(bot)) = (agent.spec(), agent.bot()) else {
        bail!("{} is no bot: cards tell of bots", agent.spec());
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let card = bot.manifest.card(&name);
    match &args.output {
        Some(output) => write_whole(output, &card),
        None => print(card.trim_end()),
    }
}
