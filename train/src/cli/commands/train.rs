//! `ashta train`: trains, evaluates and exports a bot, from a configuration or from an interrupted
//! run.

use anyhow::{Result, bail};
use ashta_agents::{play::stop::stop_if, roster::folders::Folders};
use serde_json::json;

use super::terminal;
use crate::{
    cli::TrainArgs,
    run::{
        Actors, Run,
        config::{self, Config},
        evaluation::score_table,
        games,
        output::{print, print_json, remark},
        prepare,
        rundir::RunInfo,
        runlog::RunLog,
    },
};

/// Runs the command; `actors` play the games if there are any.
///
/// # Errors
/// When the configuration or the run is not valid, actors do not start, or a file cannot be
/// written.
pub fn run(args: &TrainArgs, actors: Option<Actors<'_>>) -> Result<()> {
    if args.defaults {
        return print(config::DEFAULTS.trim_end());
    }
    let folders = games::folders();
    if args.dry_run {
        return dry_run(args, &folders);
    }
    let mut run = match &args.resume {
        Some(path) => Run::resume(path, &args.set, &folders, args.fallback, actors)?,
        None => Run::start(args.config.as_deref(), &args.set, &folders, actors)?,
    };
    let path = run.log().rundir().path().to_owned();
    let stop = terminal::on_interrupt(
        "stopping after this iteration (press Ctrl-C again to stop now and lose the unsaved part)",
    )?;
    remark(format_args!("training in {}", path.display()));
    let watch = |_: &RunLog| stop_if(stop.is_set());
    let concluded = if run.train(&watch)? {
        run.conclude(&stop)?
    } else {
        None
    };
    let Some((evaluation, bot)) = concluded else {
        remark(format_args!(
            "interrupted; resume with\n    ashta train --resume {}",
            path.display()
        ));
        bail!(terminal::Interrupted);
    };
    print(score_table(&evaluation.results))?;
    if let Some(exploitability) = evaluation.exploitability {
        print(format_args!("exploitability: {exploitability:.6}"))?;
    }
    print(format_args!("bot: {}", bot.display()))
}

/// Checks the settings as a run does, and prints all of them with the hashes that identify the bot.
fn dry_run(args: &TrainArgs, folders: &Folders) -> Result<()> {
    let config = Config::load(args.config.as_deref(), &args.set)?;
    let (race, _) = prepare(&config, folders)?;
    let RunInfo {
        ruleset,
        ruleset_hash,
        encoding,
        ..
    } = RunInfo::of(&race, config.run.seed);
    let (recipe, settings) = (config.recipe(), config.to_toml());
    if args.json {
        return print_json(&json!({
            "name": config.run.name,
            "ruleset": ruleset,
            "ruleset_hash": ruleset_hash,
            "encoding": encoding,
            "recipe": recipe,
            "config": settings,
        }));
    }
    print(format_args!(
        "# {ruleset}, hash {ruleset_hash}; encoding {encoding}; recipe {recipe}"
    ))?;
    print(settings.trim_end())
}
