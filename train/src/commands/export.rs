//! `ashta export`: a bot as one file, with its card beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::checkpoint;
use crate::config::Config;
use crate::export::{bot, write_card};
use crate::files::write_whole;
use crate::games;
use crate::rundir::{RunDir, RunInfo};
use crate::trainer::load_net;
use anyhow::{Context, Result, bail};
use ashta_agents::network::bot::Bot;

use crate::cli::{ExportArgs, ExportFormat};

/// Runs the command.
///
/// # Errors
/// When the run, the checkpoint or the bot cannot be read, or the file not be written.
pub fn run(args: &ExportArgs) -> Result<()> {
    let (name, bot) = match Path::new(&args.source).is_dir() {
        true => of_run(Path::new(&args.source), args.checkpoint.as_deref().unwrap_or("latest"))?,
        false => {
            let found = games::bot(&args.source, "files are made");
            let (source, bot) = found.with_context(|| format!("{} is no folder of a run", args.source))?;
            if let Some(checkpoint) = &args.checkpoint {
                bail!("--checkpoint {checkpoint}: {} is a bot, and only runs have checkpoints", args.source);
            }
            (source.name(), bot)
        }
    };
    let ending = match args.format {
        ExportFormat::Bot => "bot",
        ExportFormat::Onnx => "onnx",
    };
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")));
    let name = output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match args.format {
        ExportFormat::Bot => bot.write(&output)?,
        ExportFormat::Onnx => {
            // A bot that was not read from a file does not know the checksum of its file.
            let onnx = Bot::from_bytes(&bot.to_bytes()?)?.to_onnx(&name)?;
            write_whole(&output, onnx)?;
        }
    }
    let card = write_card(&output, &bot.manifest, &name)?;
    crate::output::print(format_args!("{ending}: {}\ncard: {}", output.display(), card.display()))
}

/// The bot of a checkpoint, and the name of its run.
fn of_run(run: &Path, checkpoint: &str) -> Result<(String, Bot)> {
    let rundir = RunDir::open(run)?;
    let config = Config::load(Some(&rundir.config()), &[])?;
    let race = games::configured(&config.ruleset)?;
    let current = RunInfo::of(&race, config.run.seed);
    rundir.check(&current, "export")?;
    let iteration = match checkpoint {
        "latest" => rundir.latest()?.context("the run has no checkpoint yet")?,
        "best" => rundir.best()?.context("the run has not marked a best checkpoint yet")?,
        number => match number.parse() {
            Ok(number) if rundir.checkpoints()?.contains(&number) => number,
            _ => bail!("there is no checkpoint `{number}`; there are latest, best and {:?}", rundir.checkpoints()?),
        },
    };
    let dir = rundir.checkpoint(iteration);
    let net = Arc::new(load_net(&config, &race, &dir)?);
    let state = checkpoint::load_state(&dir)?;
    Ok((config.run.name.clone(), bot(&race, &net, &config, &state, &[])?))
}
