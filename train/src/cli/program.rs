//! The program `ashta` as a function, for the binary and for the Python package.

use std::ffi::OsString;

use ashta_agents::play::error::shortened;
use clap::{Command, CommandFactory, FromArgMatches};

use crate::{
    cli::{
        self,
        commands::{self, terminal},
        help,
    },
    run::{Actors, output},
};

/// Runs the program with these arguments and returns the exit code. The first argument is the name
/// of the program. `ashta train` plays its games on `actors`, if there are any. A wrong argument,
/// or a second request to stop, ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>, actors: Option<Actors<'_>>) -> u8 {
    #[cfg(unix)]
    block_signals();
    let typed = with_negative_numbers(cli::Cli::command()).get_matches_from(arguments);
    let cli = cli::Cli::from_arg_matches(&typed).unwrap_or_else(|error| error.exit());
    match commands::run(cli, actors) {
        Ok(()) => 0,
        // The Python package shuts down after the program, so this does not end the process.
        Err(error) if error.is::<terminal::Interrupted>() => terminal::INTERRUPTED,
        Err(error) => {
            if !output::is_closed(&error) {
                output::remark(format_args!("error: {}", shortened(&format!("{error:#}"))));
                let (command, options) = typed.subcommand().unwrap_or(("new", &typed));
                let game = options
                    .try_get_one::<String>("game")
                    .ok()
                    .flatten()
                    .map(String::as_str);
                output::remark(format_args!("help: {}", help::after(&error, command, game)));
            }
            1
        }
    }
}

/// Lets options read `-1` as a number, not as another option. Then the error for `-1` states the
/// allowed numbers.
fn with_negative_numbers(command: Command) -> Command {
    let reads = |arg: &clap::Arg| arg.get_action().takes_values() && !arg.is_positional();
    command
        .mut_args(|arg| {
            if reads(&arg) {
                arg.allow_negative_numbers(true)
            } else {
                arg
            }
        })
        .mut_subcommands(with_negative_numbers)
}

/// Blocks the signals that must not end the program. New threads and processes inherit the blocks.
#[cfg(unix)]
fn block_signals() {
    use nix::sys::signal::{SigSet, Signal};
    // `nohup` and shells can start the program with ignored signals. The Ctrl-C handler would
    // receive these signals if they were not blocked.
    let ignored = std::fs::read_to_string("/proc/self/status")
        .unwrap_or_default()
        .lines()
        .find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let is_ignored = |&signal: &Signal| ignored.unwrap_or(0) >> (signal as i32 - 1) & 1 == 1;
    let ignored = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM]
        .into_iter()
        .filter(is_ignored);
    // If SIGXFSZ is blocked, a file that exceeds the size limit of the shell is an error, which
    // names the file.
    let _ = ignored
        .chain([Signal::SIGXFSZ])
        .collect::<SigSet>()
        .thread_block();
}
