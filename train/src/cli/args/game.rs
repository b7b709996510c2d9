//! What can be typed about games: which one is played, and what one is.

use clap::Args;
use clap::builder::RangedI64ValueParser as Whole;

/// Which game is played, where no bot says so.
#[derive(Debug, Args)]
pub struct GameArgs {
    /// The game with its house rules, as `NAME`, `NAME?flag=value` or `FILE.toml?flag=value&flag=value`: a name that
    /// `ashta game` lists, or a sheet of your own. A bot brings its own.
    #[arg(long)]
    pub game: Option<String>,
    /// Number of seats, 2 to 4. A bot brings its own.
    #[arg(long, value_parser = Whole::<usize>::new().range(2..=4))]
    pub seats: Option<usize>,
}

/// Options of `ashta game`.
#[derive(Debug, Args)]
pub struct ShowGameArgs {
    /// A game that comes with the program, or a sheet, a file that ends in .toml; house rules may follow behind a `?`.
    /// Left out: all games that come with the program are listed.
    #[arg(value_name = "GAME-OR-FILE")]
    pub game: Option<String>,
    /// Print JSON instead of sentences.
    #[arg(long)]
    pub json: bool,
    /// Print the sheet itself, for a game of your own to begin with.
    #[arg(long, requires = "game", conflicts_with_all = ["json", "schema"])]
    pub sheet: bool,
    /// Print the JSON Schema of sheets, by which editors complete and check them.
    #[arg(long, conflicts_with_all = ["game", "json"])]
    pub schema: bool,
}
