//! The program `ashta`: train, evaluate, play and export bots for the old race games of India.

mod analysis;
mod bench;
mod cli;
mod commands;
mod page;
mod play;
mod plot;

use std::process::ExitCode;

use ashta_train::output;
use clap::Parser;

/// Training allocates many short lists; with mimalloc it takes 4 % less time on a CPU, and burn allocates much more.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match commands::run(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !output::is_closed(&error) {
                output::remark(format_args!("error: {error:#}"));
            }
            ExitCode::FAILURE
        }
    }
}
