//! `ashta train`: from a configuration, or a run that was interrupted, to an evaluated and exported bot.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::config::{self, Config};
use crate::evaluation::{MatchResult, RunEvaluator};
use crate::games;
use crate::output::{print, remark};
use crate::progress::score_table;
use crate::run::{Run, RunEnding};
use crate::rundir::{RunDir, RunInfo};
use anyhow::{Result, bail};
use ashta_env::race::Race;

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
    let run = match &args.resume {
        Some(path) => resume(path, &args.set)?,
        None => begin(args.config.as_deref(), &args.set)?,
    };
    let (run, path) = run;
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
    match run.train(&|_| stops.load(Ordering::Relaxed))? {
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

fn begin(file: Option<&Path>, set: &[String]) -> Result<(Run, std::path::PathBuf)> {
    let config = Config::load(file, set)?;
    let (race, evaluator) = prepare(&config)?;
    let info = RunInfo::of(&race, config.run.seed);
    let rundir = RunDir::begin(&config.run.directory, &config.run.name, &config.to_toml(), &info)?;
    let path = rundir.path().to_owned();
    Ok((Run::begin(config, race, evaluator, rundir)?, path))
}

fn resume(path: &Path, set: &[String]) -> Result<(Run, std::path::PathBuf)> {
    let file = path.join("config.toml");
    if !file.is_file() {
        bail!("{} is not the folder of a run: it has no config.toml", path.display());
    }
    let config = Config::load(Some(&file), set)?;
    let (race, evaluator) = prepare(&config)?;
    let info = RunInfo::of(&race, config.run.seed);
    let (rundir, newest) = RunDir::resume(path, &info)?;
    if rundir.version() != info.version {
        let made = rundir.version();
        remark(format_args!("the run was begun by version {made}: it goes on, but not to the same bytes"));
    }
    let text = config.to_toml();
    let run = match newest {
        Some(iteration) => Run::resume(config, race, evaluator, rundir, iteration)?,
        None => Run::begin(config, race, evaluator, rundir)?,
    };
    // Only settings that fit the checkpoint are kept, and no games that others made.
    run.store_config(&text)?;
    if !set.is_empty() {
        run.forget_games()?;
    }
    Ok((run, path.to_owned()))
}

/// Sees that everything that the settings name is there, before anything is written.
fn prepare(config: &Config) -> Result<(Arc<Race>, RunEvaluator)> {
    let race = Arc::new(games::configured(&config.ruleset)?);
    let evaluator = RunEvaluator::here(&race, config)?;
    config.device()?;
    Ok((race, evaluator))
}
