//! What can be typed after `ashta bench`.

use std::path::PathBuf;

use clap::builder::RangedI64ValueParser as Whole;
use clap::{Args, Subcommand};

use super::{AGENTS, GameArgs, seconds, seed};

/// Which games are measured.
#[derive(Debug, Args)]
pub struct BenchGamesArgs {
    /// Measure this game, as for `ashta play`; may be repeated. Left out: every game that comes with the program.
    #[arg(long)]
    pub game: Vec<String>,
    /// Measure games of this number of seats alone, 2 to 4.
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=4))]
    pub seats: Option<u8>,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Seconds for each figure.
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    pub seconds: f64,
}

/// Options of `ashta bench agents`.
#[derive(Debug, Args)]
pub struct BenchAgentsArgs {
    /// The agents to measure.
    #[arg(required = true)]
    pub agents: Vec<String>,
    /// Whom they play against.
    #[arg(long, default_value = "greedy+2ply")]
    pub against: String,
    #[command(flatten)]
    pub game: GameArgs,
    /// Pairs of games for each agent (with more than two seats and no teams: one game for each seat instead of two).
    #[arg(long, default_value_t = 200, value_parser = Whole::<u64>::new().range(1..=10_000_000))]
    pub pairs: u64,
    /// Seed of the throws.
    #[arg(long, default_value_t = 7919, value_parser = seed)]
    pub seed: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta bench capacity`.
#[derive(Debug, Args)]
pub struct BenchCapacityArgs {
    /// The game, the network and how it learns: a configuration, by name or in a file, as for `ashta train`. There must
    /// be a table of the game.
    pub config: PathBuf,
    /// Change one setting, for instance `--set network.hidden=[256,32]`. Comes last and wins; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Turns of perfect play, a fifth of them at random, of which all afterstates are taught.
    #[arg(long, default_value_t = 800_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub turns: u32,
    /// Times that each position is taught.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub passes: u32,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// The rules: uniformly random legal play on one thread, for each number of seats; the median of three thirds of
    /// the time is reported.
    Env(BenchGamesArgs),
    /// Agents: how strong they are and how long they think, one position at a time on one thread.
    #[command(after_help = AGENTS)]
    Agents(BenchAgentsArgs),
    /// What a network can represent: its regret when it is taught the exact values of a solved game.
    Capacity(BenchCapacityArgs),
    /// The network and the whole loop: evaluations, learner and self-play samples on one thread, three figures a row,
    /// for the fewest seats of each game.
    Net(BenchGamesArgs),
}
