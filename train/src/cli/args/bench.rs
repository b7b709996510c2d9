//! What can be typed after `ashta bench`.

use clap::{Args, Subcommand};

use super::seconds;

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

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// The rules: uniformly random legal play on one thread, for each number of seats; the median of three thirds of
    /// the time is reported.
    Env(BenchGamesArgs),
    /// The network and the whole loop: evaluations, learner and self-play samples on one thread, three figures a row,
    /// for the fewest seats of each game.
    Net(BenchGamesArgs),
}
