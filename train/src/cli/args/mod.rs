//! The command line: the commands of `ashta` and their options.

mod game;

use std::{ops::Range, path::PathBuf};

use ashta_agents::arena::MatchConfig;
use clap::{Args, Parser, Subcommand, ValueEnum, builder::RangedI64ValueParser as Whole};
use clap_complete::Shell;

use crate::run::threads;

pub use game::{GameArgs, ShowGameArgs};

const AGENTS: &str = "\
AGENTS
  random, runner, hunter, greedy, greedy+2ply   baselines, which play every game
  NAME or FILE.bot      a bot that compares the results of its turn (one ply); `ashta bots` lists the names
  BOT+2ply              also compares the throws and answers of the next seat (two plies)
  BOT+mcts:800          tree search with 800 simulations for each choice
  BOT+policy            the policy network alone, without look-ahead
  BOT+beginner          a level of difficulty: beginner, novice, intermediate, advanced, expert (the bot itself),
                        perfect (in solved games)
  perfect or FILE.table perfect play of a solved game";

const ARENA_AGENTS: &str = "\
AGENTS
  as for `ashta eval`, or engine:COMMAND, a program that speaks the engine protocol, such as 'engine:./mybot --flag'";

/// The help of the program. clap cannot group commands; a test compares this list with the
/// commands.
const HELP: &str = include_str!("help.txt");

/// Train bots for the old race games of India, measure them and export them.
#[derive(Parser)]
#[command(name = "ashta", version, help_template = HELP, after_help = AGENTS)]
pub struct Cli {
    /// Look for bots and tables in this folder first. The next folders are `ASHTA_CHECKPOINTS`,
    /// `ashta` in the data folder of the user, and `checkpoints` in the current folder. The program
    /// contains the small bots.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Choose a command; without one, `ashta` runs `new`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Choose a goal (play, train, compare, make a game, solve) and get the command for it.
    New,
    /// List the games, show one, or check the sheet of your own game.
    Game(ShowGameArgs),
    /// Train a bot by self-play, evaluate it and export it.
    Train(TrainArgs),
    /// Compute perfect play of a small game and write it to a table.
    Solve(SolveArgs),
    /// Evaluate an agent in paired games against other agents.
    #[command(after_help = AGENTS)]
    Eval(EvalArgs),
    /// Rank agents and engines in games with equal throws, with confidence intervals.
    #[command(after_help = ARENA_AGENTS)]
    Arena(ArenaArgs),
    /// Analyze a played game: the luck of each throw and the loss of each choice.
    Analyze(AnalyzeArgs),
    /// Compute the best response to an agent, and its exploitability.
    #[command(after_help = AGENTS)]
    Exploit(ExploitArgs),
    /// Estimate the value of a position, or of each choice in it, by games.
    #[command(after_help = AGENTS)]
    Rollout(RolloutArgs),
    /// Verify a result of the benchmark.
    Benchmark {
        /// Choose what to do.
        #[command(subcommand)]
        what: BenchmarkCommand,
    },
    /// List the bots and their measured strength.
    Bots {
        /// Print JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Print the model card of a bot: its game, strength and training.
    Card {
        /// Bot file or name of a bot.
        bot: String,
        /// Write the card to this file instead of standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Calibrate and measure the levels of difficulty of a bot.
    Levels(LevelsArgs),
    /// Play against an agent in the terminal.
    #[command(after_help = AGENTS)]
    Play(PlayArgs),
    /// Serve the page on this machine and open it in the browser; works offline.
    Serve {
        /// Listen on this port; 0 takes any free port. The default is 8000, or a free port if
        /// another program uses 8000.
        #[arg(long)]
        port: Option<u16>,
        /// Do not open the browser.
        #[arg(long)]
        no_browser: bool,
    },
    /// Write a bot or a checkpoint of a run to a bot file or an ONNX model, without scores.
    Export(ExportArgs),
    /// Answer JSON requests on standard input, one per line, for other programs.
    #[command(after_help = AGENTS)]
    Engine {
        /// Answer `bestmove` and `evaluate` with this agent; without it, the engine only knows the
        /// rules.
        #[arg(long, value_name = "SPEC")]
        agent: Option<String>,
        /// Instead of answering, check whether this program answers as an engine must, and name the
        /// rules that it breaks.
        #[arg(long, value_name = "COMMAND", conflicts_with = "agent")]
        check: Option<String>,
        /// Game of the check. The default is the game of the default settings.
        #[arg(long, requires = "check")]
        game: Option<String>,
        /// Seconds that the checked program has for a choice.
        #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds, requires = "check")]
        move_seconds: f64,
    },
    /// Print shell completions.
    Completions {
        /// Name of the shell.
        shell: Shell,
    },
    /// Write a manual page for each command.
    Man {
        /// Folder to write to; it is created if it does not exist.
        folder: PathBuf,
    },
}

/// Options of `ashta train`.
#[derive(Args)]
pub struct TrainArgs {
    /// Name of a configuration, with optional house rules (`ashte-kashte?pieces=2`); or a TOML file
    /// with settings; or the sheet of a game.
    #[arg(required_unless_present_any = ["resume", "defaults"])]
    pub config: Option<PathBuf>,
    /// Change one setting, for example `--set selfplay.games=50000`. May be repeated; overrides the
    /// file.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Resume the run in this folder from its newest checkpoint. With --set, everything may change
    /// except the game, the seed, the widths of the networks and `learning.replay_capacity`.
    #[arg(long, value_name = "RUNDIR", conflicts_with = "config")]
    pub resume: Option<PathBuf>,
    /// If the newest checkpoint is damaged, rename it and resume from an older checkpoint.
    #[arg(long, requires = "resume")]
    pub fallback: bool,
    /// Print every setting with its default and its meaning; do not train.
    #[arg(long, conflicts_with_all = ["config", "set", "resume"])]
    pub defaults: bool,
    /// Check the settings and print them, with the ruleset, the encoding and the recipe (the hash
    /// of the settings that shape the bot); do not train.
    #[arg(long, conflicts_with_all = ["resume", "defaults"])]
    pub dry_run: bool,
    /// Print JSON instead of TOML.
    #[arg(long, requires = "dry_run")]
    pub json: bool,
}

/// Parses a number above 0 and below 1.
fn tolerance(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|&number: &f64| number > 0.0 && number < 1.0);
    number.ok_or_else(|| format!("{text} is not a number above 0 and below 1"))
}

/// Parses a seed.
fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("{text} is not a whole number from 0 to {}", u64::MAX))
}

/// Parses a number of minutes, at least 0.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text
        .parse()
        .ok()
        .filter(|minutes: &f64| (0.0..=1e9).contains(minutes));
    minutes.ok_or_else(|| format!("{text} is not a number of minutes from 0 to 1,000,000,000"))
}

/// Options of `ashta solve`.
#[derive(Args)]
pub struct SolveArgs {
    /// Name of a configuration, or a TOML file whose section [ruleset] is used, or the sheet of a
    /// game.
    pub config: PathBuf,
    /// Change one setting, for example `--set ruleset.flags.pieces=1`. May be repeated; overrides
    /// the file.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Table to write. FILE.unfinished keeps the progress; the same command resumes it.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Bits for each value in the table.
    #[arg(long, default_value = "16", value_parser = ["16", "32"])]
    pub bits: String,
    /// Threads to use; the table does not depend on the number.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
    /// Stop when a sweep changes no value by more than this.
    #[arg(long, default_value_t = 2e-9, value_parser = tolerance)]
    pub tolerance: f64,
    /// Skip the proof of the error bound. The proof needs as much memory as the values.
    #[arg(long)]
    pub no_proof: bool,
    /// Minutes between saves of FILE.unfinished; saving takes at most about 5 % of the time.
    #[arg(long, default_value_t = 15.0, value_parser = minutes)]
    pub save_minutes: f64,
    /// Print JSON instead of sentences.
    #[arg(long)]
    pub json: bool,
}

/// Number of games, seed and threads of matches.
#[derive(Clone, Copy, Args)]
pub struct MatchArgs {
    /// Pairs of games to play for each opponent or lineup. With three or four seats: games with
    /// each rotation of the seats.
    #[arg(long, default_value_t = 1000, value_parser = Whole::<u64>::new().range(1..=10_000_000))]
    pub pairs: u64,
    /// Seed of the throws.
    #[arg(long, default_value_t = 7919, value_parser = seed)]
    pub seed: u64,
    /// Threads to use; results do not depend on the number.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
}

impl MatchArgs {
    /// Returns the configuration of the matches.
    pub fn config(self) -> MatchConfig {
        let MatchArgs {
            pairs,
            seed,
            threads,
        } = self;
        MatchConfig {
            blocks: pairs,
            seed,
            threads: threads.into(),
            ..MatchConfig::default()
        }
    }
}

/// Options of `ashta eval`.
#[derive(Args)]
pub struct EvalArgs {
    /// Agent to evaluate.
    pub agent: String,
    /// Agents named without `--against`.
    #[arg(hide = true)]
    pub others: Vec<String>,
    /// Opponents, separated by commas.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "random,runner,hunter,greedy,greedy+2ply"
    )]
    pub against: Vec<String>,
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub games: MatchArgs,
    /// Write the evaluated bot with these results in its manifest to this file; it may be the file
    /// of the bot.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Parses a range of blocks.
fn blocks(text: &str) -> Result<Range<u64>, String> {
    text.split_once("..")
        .and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?))
        .filter(|blocks: &Range<u64>| !blocks.is_empty())
        .ok_or_else(|| format!("{text} is not a range of blocks such as 0..500"))
}

/// Parses two differences in Elo; the first must be smaller.
fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|elo: &f64| elo.abs() <= 1000.0)
    };
    let pair = text
        .split_once(',')
        .and_then(|(first, second)| Some((number(first)?, number(second)?)));
    let pair = pair.ok_or_else(|| format!("{text} is not a pair of differences such as 0,10"))?;
    if pair.0 < pair.1 {
        Ok(pair)
    } else {
        Err(format!("{} is not less than {}", pair.0, pair.1))
    }
}

/// Options of `ashta arena`.
#[derive(Args)]
pub struct ArenaArgs {
    /// Agents to rank: names, bot files or engine:COMMAND.
    #[arg(required_unless_present = "merge", num_args = 2.., value_name = "AGENT")]
    pub agents: Vec<String>,
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub games: MatchArgs,
    /// Play only these blocks of games, FIRST to END - 1, so that several machines can play parts
    /// of one arena. A pair of games is a block; each lineup has --pairs blocks.
    #[arg(long, value_name = "FIRST..END", value_parser = blocks, conflicts_with = "sprt")]
    pub blocks: Option<Range<u64>>,
    /// Join these files of `--blocks` into the new file of `--games`, without playing.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        requires = "games_file",
        conflicts_with_all = [
            "agents", "game", "seats", "pairs", "seed", "threads", "blocks", "sprt", "alpha",
            "beta", "luck", "anchor", "move_seconds", "engine_errors", "report", "json",
        ]
    )]
    pub merge: Vec<PathBuf>,
    /// Stop as soon as the sequential probability ratio test decides for each other agent whether
    /// the first agent is at most ELO0 or at least ELO1 points of normalised Elo better.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    pub sprt: Option<(f64, f64)>,
    /// Probability that the test accepts ELO1 when ELO0 is true.
    #[arg(long, default_value_t = 0.05, value_parser = tolerance)]
    pub alpha: f64,
    /// Probability that the test accepts ELO0 when ELO1 is true.
    #[arg(long, default_value_t = 0.05, value_parser = tolerance)]
    pub beta: f64,
    /// Measure luck with the values of this agent; `auto` uses perfect play or the strongest bot,
    /// `none` measures no luck. The option also measures the luck of the games in --games again
    /// [default: auto].
    #[arg(long, value_name = "AGENT")]
    pub luck: Option<String>,
    /// Give this agent the rating 0; by default the mean of all ratings is 0.
    #[arg(long, value_name = "AGENT")]
    pub anchor: Option<String>,
    /// Seconds that an engine may take for a choice.
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    pub move_seconds: f64,
    /// Write the standard error of each engine to a file in this folder; by default in a temporary
    /// folder, which is named at the end.
    #[arg(long, value_name = "DIR")]
    pub engine_errors: Option<PathBuf>,
    /// Write every game to this file, one per line. If the file has games of this arena, continue
    /// after them.
    #[arg(long = "games", value_name = "FILE")]
    pub games_file: Option<PathBuf>,
    /// Write a report to this folder: index.html, a self-contained page, and report.json.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta analyze`.
#[derive(Args)]
pub struct AnalyzeArgs {
    /// File of positions from `ashta play --record`, or of games from `ashta arena --games`.
    pub game: PathBuf,
    /// Number of the game in the file, from 1.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub number: u32,
    /// Sheet of the game, if it is your own and neither the file nor the agent of --by contains it.
    #[arg(long = "game", value_name = "FILE.toml")]
    pub of: Option<String>,
    /// Take the values of this agent; `auto` uses perfect play or the strongest bot.
    #[arg(long, default_value = "auto", value_name = "AGENT")]
    pub by: String,
    /// Write a self-contained HTML page that replays the game.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// Parses a number of seconds above 0 and at most a day.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|&seconds: &f64| seconds > 0.0 && seconds <= 86_400.0);
    seconds.ok_or_else(|| format!("{text} is not a number of seconds above 0 and up to 86,400"))
}

/// Options of `ashta exploit`.
#[derive(Args)]
pub struct ExploitArgs {
    /// Bot with any look-ahead, or a table.
    pub agent: String,
    #[command(flatten)]
    pub game: GameArgs,
    /// Threads to use; results do not depend on the number.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
    /// Stop when a sweep changes no value by more than this.
    #[arg(long, default_value_t = 1e-7, value_parser = tolerance)]
    pub tolerance: f64,
    /// Print JSON instead of sentences.
    #[arg(long)]
    pub json: bool,
}

/// Commands for the benchmark.
#[derive(Subcommand)]
pub enum BenchmarkCommand {
    /// Replay all games of a result, and compute the throws and the regret again.
    Verify {
        /// File that `ashta.benchmark.play` has written in Python.
        file: PathBuf,
        /// Table of perfect play.
        #[arg(long, default_value = "perfect")]
        table: String,
        /// Print JSON instead of sentences.
        #[arg(long)]
        json: bool,
    },
}

/// Options of `ashta rollout`.
#[derive(Args)]
pub struct RolloutArgs {
    /// Position in the notation. If a seat must choose, each choice is estimated.
    pub position: String,
    /// Agent that plays all seats.
    #[arg(long, default_value = "greedy")]
    pub agent: String,
    /// Sheet of the game (a file that ends in .toml), if the game is not built in.
    #[arg(long)]
    pub game: Option<String>,
    /// Agent whose values correct the luck of throws, or `none`. `auto` takes perfect play if there
    /// is a table, otherwise the largest bot of the game.
    #[arg(long, default_value = "auto")]
    pub values: String,
    /// Largest number of games from each position.
    #[arg(long, default_value_t = 1000, value_parser = Whole::<u64>::new().range(2..=10_000_000))]
    pub games: u64,
    /// Stop the games from a position when its standard error is at most this.
    #[arg(long, default_value_t = 0.0)]
    pub error: f64,
    /// End games after this number of turns, and use the value of their last position.
    #[arg(long)]
    pub turns: Option<u32>,
    /// Seed of the throws. Game `i` has the same throws in each position.
    #[arg(long, default_value_t = 7919, value_parser = seed)]
    pub seed: u64,
    /// Threads to use; results do not depend on the number.
    #[arg(long, default_value_t = 2, value_parser = threads::option)]
    pub threads: u16,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta levels`.
#[derive(Args)]
pub struct LevelsArgs {
    /// Bot file or name of a bot.
    pub bot: String,
    /// Write the bot with its levels to this file; it may be the file of the bot. By default no
    /// file is written.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub games: MatchArgs,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ashta play`.
#[derive(Args)]
pub struct PlayArgs {
    /// Opponent on all other seats. A baseline plays the default game unless --game names another.
    #[arg(default_value = "greedy+2ply")]
    pub agent: String,
    #[command(flatten)]
    pub game: GameArgs,
    /// Your seat: S, E, N or W.
    #[arg(long, default_value = "S")]
    pub seat: String,
    /// Seed of the throws; by default a new seed for each game.
    #[arg(long, value_parser = seed)]
    pub seed: Option<u64>,
    /// Always show winning chances (typing `?` shows them once).
    #[arg(long)]
    pub show: bool,
    /// Start from this position, in the notation that `p` prints. For a game of your own, --game
    /// names the sheet.
    #[arg(long, conflicts_with = "seats")]
    pub position: Option<String>,
    /// Write the positions of the game to this new file, one per line.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// Options of `ashta export`.
#[derive(Args)]
pub struct ExportArgs {
    /// Folder of a training run, or file or name of a bot.
    pub source: String,
    /// File to write; by default NAME.bot or NAME.onnx in the current folder, unless the name is
    /// taken by another file.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Write the model card of the bot to this file, as Markdown.
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// Format of the file.
    #[arg(long, value_enum, default_value_t)]
    pub format: ExportFormat,
    /// Checkpoint to export: `latest`, `best` (highest mean score in the short evaluations), or the
    /// number of an iteration [default: latest].
    #[arg(long, value_name = "WHICH")]
    pub checkpoint: Option<String>,
}

/// File formats of `ashta export`.
#[derive(Clone, Default, PartialEq, ValueEnum)]
pub enum ExportFormat {
    /// Bot file for the program, Python, Rust, C and the browser.
    #[default]
    Bot,
    /// ONNX model with the inputs `observation` and `legal_actions` and the outputs `policy` and
    /// `values`.
    Onnx,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, HELP};

    #[test]
    fn the_help_lists_every_command() {
        let listed = |line: &str| {
            line.strip_prefix("  ")?
                .split_once("  ")
                .map(|(name, _)| name.trim().to_owned())
        };
        let mut names: Vec<String> = HELP
            .lines()
            .filter_map(listed)
            .filter(|name| name != "help")
            .collect();
        let mut commands: Vec<String> = Cli::command()
            .get_subcommands()
            .map(|it| it.get_name().to_owned())
            .collect();
        names.sort();
        commands.sort();
        assert_eq!(names, commands);
    }
}
