//! Arguments that choose a game, and the arguments of `ashta game`.

use clap::{Args, builder::RangedI64ValueParser as Whole};

/// The game and the number of seats, for commands whose agents may not contain a game.
#[derive(Args)]
pub struct GameArgs {
    /// Game with optional house rules: `NAME`, `NAME?flag=value` or
    /// `FILE.toml?flag=value&flag=value`. `ashta game` lists the names. A bot contains its game.
    #[arg(long)]
    pub game: Option<String>,
    /// Number of seats, 2 to 4. A bot contains it.
    #[arg(long, value_parser = Whole::<usize>::new().range(2..=4))]
    pub seats: Option<usize>,
}

/// Options of `ashta game`.
#[derive(Args)]
pub struct ShowGameArgs {
    /// Name of a game, or a sheet (a file that ends in .toml), with optional house rules after a
    /// `?`. By default all games are listed.
    #[arg(value_name = "GAME-OR-FILE")]
    pub game: Option<String>,
    /// Print JSON instead of sentences.
    #[arg(long)]
    pub json: bool,
    /// Print the sheet, for example as the start of your own game.
    #[arg(long, requires = "game", conflicts_with_all = ["json", "schema"])]
    pub sheet: bool,
    /// Print the JSON Schema of sheets, for editors.
    #[arg(long, conflicts_with_all = ["game", "json"])]
    pub schema: bool,
}
