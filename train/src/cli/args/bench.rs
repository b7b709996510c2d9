//! Arguments of `ashta bench`.

use clap::{Args, Subcommand};

use super::seconds;

/// Options of the benchmarks.
#[derive(Debug, Args)]
pub struct BenchGamesArgs {
    /// Measure this game, named as for `ashta play`; may be repeated. By default all games.
    #[arg(long)]
    pub game: Vec<String>,
    /// Measure only this number of seats, 2 to 4.
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=4))]
    pub seats: Option<u8>,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Seconds for each figure.
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    pub seconds: f64,
}

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Measure the rules: random legal play on one thread, for each number of seats. Reports the
    /// median of three measurements.
    Env(BenchGamesArgs),
    /// Measure the network, the learner and self-play on one thread, for the fewest seats of each
    /// game.
    Net(BenchGamesArgs),
}
