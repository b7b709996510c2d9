//! The commands: one file or folder for each command.

mod analyze;
mod arena;
mod benchmark;
mod bots;
mod card;
mod engine;
mod eval;
mod exploit;
mod export;
mod game;
mod levels;
mod new;
mod play;
mod rollout;
mod serve;
mod solve;
pub mod terminal;
mod train;

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, Result, bail};
use ashta_agents::play::files::check_target;
use clap::CommandFactory;

use crate::{
    cli::{BenchmarkCommand, Cli, Command},
    run::{Actors, config::usual_game, games, output},
};

/// Runs a command; without one, `ashta new`. `ashta train` plays its games on `actors`.
///
/// # Errors
/// The first error, with the file or key that caused it.
pub fn run(cli: Cli, actors: Option<Actors<'_>>) -> Result<()> {
    if let Some(folder) = cli.data {
        if !folder.is_dir() {
            bail!("--data {}: this folder does not exist", folder.display());
        }
        games::add_first_folder(folder);
    }
    match cli.command.unwrap_or(Command::New) {
        Command::New => new::run(),
        Command::Game(args) => game::run(&args),
        Command::Train(args) => train::run(&args, actors),
        Command::Solve(args) => solve::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Benchmark {
            what: BenchmarkCommand::Verify { file, table, json },
        } => benchmark::verify(&file, &table, json),
        Command::Bots { json } => bots::run(json),
        Command::Card { bot, output } => card::run(&bot, output.as_deref()),
        Command::Levels(args) => levels::run(&args),
        Command::Exploit(args) => exploit::run(&args),
        Command::Rollout(args) => rollout::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Serve { port, no_browser } => serve::run(port, no_browser),
        Command::Export(args) => export::run(&args),
        Command::Engine {
            check: Some(command),
            game,
            move_seconds,
            ..
        } => arena::check::run(
            &command,
            &game.unwrap_or_else(usual_game),
            Duration::from_secs_f64(move_seconds),
        ),
        Command::Engine { agent, .. } => engine::run(agent.as_deref()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ashta", &mut script);
            output::print(String::from_utf8_lossy(&script).trim_end())
        }
        Command::Man { folder } => {
            let check = |path: PathBuf| {
                if path.extension() == Some("1".as_ref()) {
                    check_target(&path)
                } else {
                    Ok(())
                }
            };
            std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::read_dir(&folder)?.try_for_each(|page| check(page?.path())))
                .and_then(|()| clap_mangen::generate_to(Cli::command(), &folder))
                .with_context(|| format!("cannot write the manual to {}", folder.display()))
        }
    }
}
