//! The program `ashta` as a function, for the binary and for the command of the Python package.

use std::ffi::OsString;

use ashta_agents::play::error::shortened;
use clap::{CommandFactory, FromArgMatches};

use crate::cli::{self, commands, help};
use crate::run::output;

/// Runs the program with these arguments, its name first; gives its exit code. What is typed wrongly, and a second
/// request to stop, ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    // A file that would grow beyond the limit of the shell is then an error that names it, and no signal.
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let _ = SigSet::from_iter([Signal::SIGXFSZ]).thread_block();
    }
    let typed = cli::Cli::command().get_matches_from(arguments);
    let cli = cli::Cli::from_arg_matches(&typed).unwrap_or_else(|error| error.exit());
    match commands::run(cli) {
        Ok(()) => 0,
        Err(error) => {
            if !output::is_closed(&error) {
                output::remark(format_args!("error: {}", shortened(&format!("{error:#}"))));
                output::remark(format_args!("help: {}", help::after(&error, typed.subcommand_name().unwrap_or("new"))));
            }
            1
        }
    }
}
