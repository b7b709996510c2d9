//! Functions for several commands: Ctrl-C, progress bars, and the note about truncated games.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use ashta_agents::play::stop::Stop;
use indicatif::{ProgressBar, ProgressStyle};

use crate::run::output::{print, remark};

/// Exit code of an interrupted process.
pub const INTERRUPTED: u8 = 130;

/// The user has stopped the command, which has said so.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Whether the user has asked to stop.
static STOPS: AtomicBool = AtomicBool::new(false);

/// A stop that [`on_interrupt`] sets.
pub fn stop() -> Stop {
    Stop::when(|| STOPS.load(Ordering::Relaxed))
}

/// On the first request to stop (Ctrl-C, SIGTERM), prints `message` and sets the returned [`stop`].
/// The second request ends the process immediately.
///
/// # Errors
/// When signals cannot be received.
pub fn on_interrupt(message: &'static str) -> Result<Stop> {
    let mut begun: Option<Instant> = None;
    let handler = move || {
        // Some terminals send several signals for one request.
        if begun.is_some_and(|begun| begun.elapsed() < Duration::from_secs(1)) {
            return;
        }
        if begun.replace(Instant::now()).is_some() {
            std::process::exit(INTERRUPTED.into());
        }
        remark(message);
        STOPS.store(true, Ordering::Relaxed);
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")?;
    Ok(stop())
}

/// Creates a progress bar of `length` steps, called `unit`.
///
/// # Errors
/// Never: the template is valid.
pub fn bar(length: u64, unit: &str) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!(
        "{{msg}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left"
    ))?;
    Ok(ProgressBar::new(length).with_style(style))
}

/// With this number of blocks or more, the variance between blocks is reliable.
pub const ENOUGH_BLOCKS: u64 = 30;

/// Prints that intervals are not usable yet, if there are too few blocks.
///
/// # Errors
/// When the text cannot be printed.
pub fn print_few_blocks(blocks: u64) -> Result<()> {
    if blocks >= ENOUGH_BLOCKS {
        return Ok(());
    }
    print(format_args!(
        "\nThe intervals are not usable yet: they need at least {ENOUGH_BLOCKS} blocks of games."
    ))
}

/// Prints the number of games that were truncated at the turn limit, if there are any.
///
/// # Errors
/// When standard output is closed.
pub fn print_truncated(games: u64) -> Result<()> {
    match games {
        0 => Ok(()),
        1 => {
            print("1 game reached the turn limit; it and the games paired with it are not counted")
        }
        _ => print(format_args!(
            "{games} games reached the turn limit; they and the games paired with them are not counted"
        )),
    }
}

/// Creates a spinner for work of unknown length.
///
/// # Errors
/// Never: the template is valid.
pub fn spinner(message: &'static str) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{elapsed_precise} {spinner} {prefix} {wide_msg}")?;
    let bar = ProgressBar::new_spinner()
        .with_style(style)
        .with_message(message);
    bar.enable_steady_tick(Duration::from_millis(200));
    Ok(bar)
}
