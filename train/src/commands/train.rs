//! `ashta train`: from a configuration, or a run that was interrupted, to an evaluated and exported bot.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::config;
use crate::evaluation::MatchResult;
use crate::games;
use crate::output::{print, remark};
use crate::progress::score_table;
use crate::run::{Run, RunEnding};
use crate::runlog::RunLog;
use anyhow::Result;

use super::terminal;
use crate::cli::TrainArgs;

/// Runs the command.
///
/// # Errors
/// What is wrong with the configuration or the run, or what could not be written.
pub fn run(args: &TrainArgs) -> Result<()> {
    if args.defaults {
        return print(config::DEFAULTS.trim_end());
    }
    let folders = games::folders();
    let (run, path) = match &args.resume {
        Some(path) => (Run::go_on(path, &args.set, &folders)?, path.clone()),
        None => Run::start(args.config.as_deref(), &args.set, &folders)?,
    };
    remark(format_args!("training in {}", path.display()));
    let go_on = format!("interrupted; go on with\n    ashta train --resume {}", path.display());
    // Training stops after this iteration.
    let stops = Arc::new(AtomicBool::new(false));
    // Everything is saved: what is left, evaluating and exporting, is done again by `--resume`.
    let is_saved = Arc::new(AtomicBool::new(false));
    let (seen, advice) = (Arc::clone(&is_saved), go_on.clone());
    terminal::on_interrupt(Arc::clone(&stops), move || {
        if seen.load(Ordering::Relaxed) {
            remark(&advice);
            return ControlFlow::Break(());
        }
        remark("stopping after this iteration (again: at once, losing what was not saved)");
        ControlFlow::Continue(())
    })?;
    let watch = |_: &RunLog| match stops.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    match run.train(&watch)? {
        RunEnding::Interrupted => {
            remark(go_on);
            std::process::exit(terminal::INTERRUPTED);
        }
        RunEnding::Trained(mut run) => {
            is_saved.store(true, Ordering::Relaxed);
            let (results, exploitability, bot) = run.conclude()?;
            let rows: Vec<_> = results.iter().map(MatchResult::row).collect();
            print(score_table(&rows))?;
            if let Some(exploitability) = exploitability {
                print(format_args!("exploitability: {exploitability:.6}"))?;
            }
            print(format_args!("bot: {}", bot.display()))
        }
    }
}
