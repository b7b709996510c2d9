//! The program `ashta` as a function, for the binary and for the command of the Python package.

use std::ffi::OsString;

use clap::Parser;

use crate::{cli, commands, help, output};

/// Runs the program with these arguments, its name first; gives its exit code. What is typed wrongly, and a second
/// request to stop, ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = cli::Cli::parse_from(&arguments);
    // `--data` may stand before it.
    let command = cli::names().into_iter().find(|name| arguments.iter().any(|argument| argument == name.as_str()));
    match commands::run(cli) {
        Ok(()) => 0,
        Err(error) => {
            if !output::is_closed(&error) {
                output::remark(format_args!("error: {error:#}"));
                output::remark(format_args!("help: {}", help::after(&error, &command.unwrap_or_default())));
            }
            1
        }
    }
}
