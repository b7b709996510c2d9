//! `ashta play`: a person against an agent in the terminal.
use crate::cli::PlayArgs;
use anyhow::Result;
/// Runs the command.
///
/// # Errors
/// None yet.
pub fn run(_args: &PlayArgs) -> Result<()> {
    Ok(())
}
