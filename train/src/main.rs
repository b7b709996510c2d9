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

/// burn allocates for every operation; with mimalloc a training step on a small batch takes half the time.
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
