//! What can be typed: the commands of `ashta` and their options.

mod bench;
mod game;

use std::path::PathBuf;

use ashta_agents::arena::MatchConfig;
use clap::builder::RangedI64ValueParser as Whole;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::run::threads;

pub use bench::{BenchCommand, BenchGamesArgs};
pub use game::{GameArgs, ShowGameArgs};

const AGENTS: &str = "\
AGENTS
  random, runner, hunter, greedy, greedy+2ply   baselines that play every game
  FILE.bot              a bot, looking one ply ahead (the best result of its own turn); or the name of one that comes
                        with the program, as `ashta bots` lists them
  FILE.bot+2ply         … two plies: also the next seat's throws and best results
  FILE.bot+mcts:800     … tree search with 800 simulations a choice
  FILE.bot+policy       … the network's policy alone, without looking ahead
  FILE.bot+beginner     … at a level of difficulty: beginner, novice, intermediate, advanced, expert (the bot as it is),
                        perfect (where the game is solved)
  perfect               perfect play, where a folder of --data has a table of the game; or FILE.table";

const ARENA_AGENTS: &str = "\
AGENTS
  as for `ashta eval`; and engine:COMMAND, any program that speaks the engine protocol, such as 'engine:./mybot --flag'";

/// Train, evaluate, play and export bots for the old race games of India, and for games of your own.
#[derive(Debug, Parser)]
#[command(name = "ashta", version, about, after_help = AGENTS)]
pub struct Cli {
    /// A folder of bots and tables, looked through first. After it come those of the environment variable
    /// ASHTA_CHECKPOINTS, the folder `ashta` of the user's data, and `checkpoints` in the current folder. The small
    /// bots are in the program itself.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// What to do. Left out: as `new`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask what you want to do (play, train, compare, make a game, solve one), and print the command that does it.
    New,
    /// Show the games: list them, or check and draw one that comes with the program or is a sheet of your own.
    Game(ShowGameArgs),
    /// Train a bot by self-play, evaluate it against the baselines and export it.
    Train(TrainArgs),
    /// Find perfect play of a small enough game and write it to a table.
    Solve(SolveArgs),
    /// Evaluate an agent against others in paired games (same throws, seats exchanged).
    #[command(after_help = AGENTS)]
    Eval(EvalArgs),
    /// Rank agents in games with the same throws: differences in strength with their confidence intervals.
    #[command(after_help = ARENA_AGENTS)]
    Arena(ArenaArgs),
    /// Analyze a game: the luck of each throw, the loss of each choice, a verdict on each player.
    Analyze(AnalyzeArgs),
    /// Find the best response to an agent in a game that is small enough, and its exploitability.
    #[command(after_help = AGENTS)]
    Exploit(ExploitArgs),
    /// List the bots that come with the program, and how strong they were measured to be.
    Bots {
        /// Print JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Tell about a bot, as Markdown: its game, its strength, how it was trained.
    Card {
        /// The bot: a file, or the name of one that comes with the program.
        bot: String,
        /// Write the card to this file instead of printing it.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Calibrate the levels of difficulty of a bot, from `beginner` to `advanced`, and measure them.
    Levels(LevelsArgs),
    /// Play against an agent in the terminal.
    #[command(after_help = AGENTS)]
    Play(PlayArgs),
    /// Serve the page on this machine, and open it in the browser: all games, against bots of every level, offline.
    Serve {
        /// The port; 0 takes any that is free. Left out: 8000, or any that is free where it is taken.
        #[arg(long)]
        port: Option<u16>,
        /// Do not open the browser.
        #[arg(long)]
        no_browser: bool,
    },
    /// Write the bot of a training run to one file. It holds no scores: those are only in the bot that ends a run.
    Export(ExportArgs),
    /// Speak the engine protocol: JSON requests and answers, one a line, on standard input and output.
    #[command(after_help = AGENTS)]
    Engine {
        /// The agent that answers `bestmove` and `evaluate`; without one the engine knows only the rules.
        #[arg(long, value_name = "SPEC")]
        agent: Option<String>,
    },
    /// Measure speed on this machine.
    Bench {
        /// What to measure.
        #[command(subcommand)]
        what: BenchCommand,
    },
    /// Print shell completions, for instance `ashta completions bash >
    /// ~/.local/share/bash-completion/completions/ashta`.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual to a folder, a page for each command.
    Man {
        /// The folder; made where it is missing.
        folder: PathBuf,
    },
}

/// Options of `ashta train`.
#[derive(Debug, Args)]
pub struct TrainArgs {
    /// A configuration that comes with the program, by its name, behind which house rules may follow:
    /// `ashte-kashte?pieces=2`; or a TOML file with what differs from the defaults; or the sheet of a game.
    #[arg(required_unless_present_any = ["resume", "defaults"])]
    pub config: Option<PathBuf>,
    /// Change one setting, for instance `--set selfplay.games=50000`. Comes last and wins; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Go on with an interrupted run in this folder, from its newest checkpoint. With --set everything may change but
    /// the game, the seed, the widths of the networks and `learning.replay_capacity`.
    #[arg(long, value_name = "RUNDIR", conflicts_with = "config")]
    pub resume: Option<PathBuf>,
    /// Where the newest checkpoint is damaged, set it aside and go on from the newest one that is whole.
    #[arg(long, requires = "resume")]
    pub fallback: bool,
    /// Print every setting with its default value and what it does, and train nothing.
    #[arg(long, conflicts_with_all = ["config", "set", "resume"])]
    pub defaults: bool,
    /// Check everything as a run does and print all its settings, with the ruleset, the encoding and the recipe, which
    /// is the hash of the settings that shape the bot; train nothing and write nothing.
    #[arg(long, conflicts_with_all = ["resume", "defaults"])]
    pub dry_run: bool,
    /// Print JSON instead of TOML.
    #[arg(long, requires = "dry_run")]
    pub json: bool,
}

/// A number between 0 and 1, both left out.
fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number > 0.0 && number < 1.0);
    number.ok_or_else(|| format!("{text} is no number between 0 and 1"))
}

/// The number of a seed.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not in 0..={}", u64::MAX))
}

/// Minutes from 0 on.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes: &f64| (0.0..=1e9).contains(minutes));
    minutes.ok_or_else(|| format!("{text} is no number of minutes"))
}

/// Options of `ashta solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// What to solve: the section [ruleset] of a configuration, by name or in a file, as for `ashta train`; or the
    /// sheet of a game.
    pub config: PathBuf,
    /// Change one setting, for instance `--set ruleset.flags.pieces=1`. Comes last and wins; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The table to write. While the game is being solved, FILE.unfinished keeps what has been found; the same
    /// command goes on with it.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Bits of each value in the table.
    #[arg(long, default_value = "16", value_parser = ["16", "32"])]
    pub bits: String,
    /// Threads; the table does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
    /// A value has settled when looking ahead changes it by no more than this.
    #[arg(long, default_value_t = 2e-9, value_parser = tolerance)]
    pub tolerance: f64,
    /// Leave out the proof of how exact the values are; it takes as much memory again.
    #[arg(long)]
    pub no_proof: bool,
    /// Minutes between saves of FILE.unfinished; saving never takes more than about 5 % of the time.
    #[arg(long, default_value_t = 15.0, value_parser = minutes)]
    pub save_minutes: f64,
    /// Print JSON instead of sentences.
    #[arg(long)]
    pub json: bool,
}

/// How many games are played, and how.
#[derive(Clone, Copy, Debug, Args)]
pub struct MatchArgs {
    /// Pairs of games for each opponent or lineup (with more than two seats and no teams: one game for each seat
    /// instead of two).
    #[arg(long, default_value_t = 1000, value_parser = Whole::<u64>::new().range(1..=10_000_000))]
    pub pairs: u64,
    /// Seed of the throws.
    #[arg(long, default_value_t = 7919, value_parser = seed)]
    pub seed: u64,
    /// Threads; the result does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
}

impl MatchArgs {
    /// The match that is meant.
    pub fn config(self) -> MatchConfig {
        let MatchArgs { pairs, seed, threads } = self;
        MatchConfig { blocks: pairs, seed, threads: threads.into(), ..MatchConfig::default() }
    }
}

/// Options of `ashta eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The agent to evaluate.
    pub agent: String,
    /// Agents that were named without `--against`.
    #[arg(hide = true)]
    pub others: Vec<String>,
    /// Its opponents, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "random,runner,hunter,greedy,greedy+2ply")]
    pub against: Vec<String>,
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub games: MatchArgs,
    /// Write the bot that was evaluated, with these results among those of its manifest, to this file, which may be the
    /// one it was read from.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Two differences in Elo, the first smaller.
fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| text.trim().parse().ok().filter(|elo: &f64| elo.abs() <= 4000.0);
    let pair = text.split_once(',').and_then(|(first, second)| Some((number(first)?, number(second)?)));
    let pair = pair.ok_or_else(|| format!("{text} is no pair of differences in Elo, such as 0,10"))?;
    if pair.0 < pair.1 { Ok(pair) } else { Err(format!("{} is not less than {}", pair.0, pair.1)) }
}

/// Options of `ashta arena`.
#[derive(Debug, Args)]
pub struct ArenaArgs {
    /// Those who meet: agents by name, or engine:COMMAND.
    #[arg(required = true, num_args = 2.., value_name = "AGENT")]
    pub agents: Vec<String>,
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub games: MatchArgs,
    /// Stop as soon as it is clear, by the sequential probability ratio test, whether the first agent is better than
    /// the second by ELO0 or less, or by ELO1 or more.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    pub sprt: Option<(f64, f64)>,
    /// Probability that the test takes ELO1 when ELO0 is true.
    #[arg(long, default_value_t = 0.05, value_parser = tolerance)]
    pub alpha: f64,
    /// Probability that the test takes ELO0 when ELO1 is true.
    #[arg(long, default_value_t = 0.05, value_parser = tolerance)]
    pub beta: f64,
    /// By whose values the luck of the throws is measured: an agent; `auto`, perfect play or the strongest bot that
    /// comes with the program; or `none`. If the option is given, the luck of games from a file is measured again
    /// [default: auto].
    #[arg(long, value_name = "AGENT")]
    pub luck: Option<String>,
    /// The agent whose rating is 0; otherwise the mean of all ratings is.
    #[arg(long, value_name = "AGENT")]
    pub anchor: Option<String>,
    /// Seconds that an engine may take for a choice.
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    pub move_seconds: f64,
    /// The folder for what engines write to standard error, a file each; without it a temporary one, which is named at
    /// the end if there is something in it.
    #[arg(long, value_name = "DIR")]
    pub engine_errors: Option<PathBuf>,
    /// Write every game to this file, one a line; if it holds games of the same arena, go on behind them.
    #[arg(long = "games", value_name = "FILE")]
    pub games_file: Option<PathBuf>,
    /// Write a report to this folder: index.html, one page that needs no network, and report.json.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// The game: a file of positions as `ashta play --record` writes it, or of games as `ashta arena --games` does.
    pub game: PathBuf,
    /// Which game of the file, from 1.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub number: u32,
    /// The sheet of the game, where it does not come with the program, and neither the file nor the agent of --by
    /// brings it.
    #[arg(long = "game", value_name = "FILE.toml")]
    pub of: Option<String>,
    /// By whose values: an agent; or `auto`, perfect play or the strongest bot that comes with the program.
    #[arg(long, default_value = "auto", value_name = "AGENT")]
    pub by: String,
    /// Also write a page on which the game can be played through; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// Seconds above 0, at most a day.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds <= 86_400.0);
    seconds.ok_or_else(|| format!("{text} is no number of seconds"))
}

/// Options of `ashta exploit`.
#[derive(Debug, Args)]
pub struct ExploitArgs {
    /// The agent: a bot with any way to look ahead, or a table.
    pub agent: String,
    #[command(flatten)]
    pub game: GameArgs,
    /// Threads; the result does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
    /// A value has settled when a sweep changes it by no more than this.
    #[arg(long, default_value_t = 1e-7, value_parser = tolerance)]
    pub tolerance: f64,
    /// Print JSON instead of sentences.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta levels`.
#[derive(Debug, Args)]
pub struct LevelsArgs {
    /// The bot: a file, or the name of one that comes with the program.
    pub bot: String,
    /// Write the bot with its levels to this file, which may be the one it was read from. Without it nothing is
    /// written.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub games: MatchArgs,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta play`.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The opponent on all other seats. A baseline plays the game of configs/default.toml unless --game says otherwise.
    #[arg(default_value = "greedy+2ply")]
    pub agent: String,
    #[command(flatten)]
    pub game: GameArgs,
    /// Your seat: S, E, N or W.
    #[arg(long, default_value = "S")]
    pub seat: String,
    /// Seed of the throws; a new one each time when left out.
    #[arg(long, value_parser = seed)]
    pub seed: Option<u64>,
    /// Show winning chances all the time (typing `?` shows them once).
    #[arg(long)]
    pub show: bool,
    /// Go on from this position, as `p` prints it, instead of beginning a game. Of a game of your own --game names the
    /// sheet.
    #[arg(long, conflicts_with = "seats")]
    pub position: Option<String>,
    /// Write the positions of the game to this new file, one a line, turn by turn.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// Options of `ashta export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The folder of a training run, or a bot by its file or name.
    pub source: String,
    /// The file to write; by default NAME.bot or NAME.onnx in the current folder, if there is no other file of this
    /// name.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Also write the model card of the bot, as Markdown.
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// What to write.
    #[arg(long, value_enum, default_value_t)]
    pub format: ExportFormat,
    /// The checkpoint of a run to export: `latest`, `best` (with the highest mean score in the short evaluations), or
    /// the number of an iteration. Left out: the latest.
    #[arg(long, value_name = "WHICH")]
    pub checkpoint: Option<String>,
}

/// What `ashta export` writes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExportFormat {
    /// A bot file, with everything: what commands, Python, the browser and C load.
    #[default]
    Bot,
    /// An ONNX model, for whatever runs such models.
    Onnx,
}
