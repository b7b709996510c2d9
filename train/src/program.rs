//! The program `ashta` as a function, for the binary and for the command of the Python package.

use std::ffi::OsString;

use clap::Parser;

use crate::{cli, commands, output};

/// Runs the program with these arguments, its name first; gives its exit code. What is typed wrongly, and a second
/// request to stop, ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match commands::run(cli::Cli::parse_from(arguments)) {
        Ok(()) => 0,
        Err(error) => {
            if !output::is_closed(&error) {
                output::remark(format_args!("error: {error:#}"));
            }
            1
        }
    }
}
