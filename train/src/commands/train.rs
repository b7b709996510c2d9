//! `ashta train`: from a configuration, or a run that was interrupted, to a judged and exported bot.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use ashta_env::game::Game;

use crate::cli::TrainArgs;
use crate::config::Config;
use crate::games;
use crate::progress::win_rate_table;
use crate::run::{Ending, Run};
use crate::rundir::{RunDir, RunInfo};

/// Runs the command.
///
/// # Errors
/// What is wrong with the configuration or the run, or what could not be written.
pub fn run(args: &TrainArgs) -> Result<()> {
    let run = match &args.resume {
        Some(path) => resume(path, &args.set)?,
        None => begin(args.config.as_deref(), &args.set)?,
    };
    let (run, path) = run;
    eprintln!("training in {}", path.display());
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("stopping after this iteration (again: at once, losing what was not saved)");
    })
    .context("cannot listen for Ctrl-C")?;
    match run.train(&|_| stop.load(Ordering::Relaxed))? {
        Ending::Interrupted => {
            eprintln!("interrupted; go on with\n    ashta train --resume {}", path.display());
        }
        Ending::Finished { judged, bot } => {
            let rows: Vec<_> = judged.iter().map(super::judge::Judged::row).collect();
            println!("{}", win_rate_table(&rows));
            println!("bot: {}", bot.display());
        }
    }
    Ok(())
}

fn begin(file: Option<&Path>, set: &[String]) -> Result<(Run, std::path::PathBuf)> {
    let config = Config::load(file, set)?;
    let race = games::configured(&config.ruleset)?;
    super::judge::check_opponents(&race, &config)?;
    let spec = race.spec();
    let info = RunInfo::new(config.run.seed, &race.ruleset().to_string(), spec.ruleset_hash, spec.encoding);
    let rundir = RunDir::begin(&config.run.directory, &config.run.name, &config.to_toml(), &info)?;
    let path = rundir.path().to_owned();
    Ok((Run::begin(config, race, rundir)?, path))
}

fn resume(path: &Path, set: &[String]) -> Result<(Run, std::path::PathBuf)> {
    let file = path.join("config.toml");
    if !file.is_file() {
        bail!("{} is not the folder of a run: it has no config.toml", path.display());
    }
    let config = Config::load(Some(&file), set)?;
    let race = games::configured(&config.ruleset)?;
    super::judge::check_opponents(&race, &config)?;
    let spec = race.spec();
    let info = RunInfo::new(config.run.seed, &race.ruleset().to_string(), spec.ruleset_hash, spec.encoding);
    let (rundir, newest) = RunDir::resume(path, &config.to_toml(), &info)?;
    let run = match newest {
        Some(iteration) => Run::resume(config, race, rundir, iteration)?,
        None => Run::begin(config, race, rundir)?,
    };
    Ok((run, path.to_owned()))
}
