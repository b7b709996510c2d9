//! From what people write to the game that is meant.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, bail, ensure};
use ashta_agents::arena::Reference;
use ashta_agents::network::bot::Bot;
use ashta_agents::play::level::bands;
use ashta_agents::roster::folders::Folders;
use ashta_agents::roster::{BotSource, Lookahead, NamedAgent, Player};
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::{Sheet, SheetProblem, Sheets, builtin};
use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use crate::run::config::RulesetConfig;
use crate::run::output::{remark, remark_once};
use crate::run::{embedded, sheet_file};

/// The game of a configuration.
///
/// # Errors
/// Everything that is wrong with it.
pub fn configured(config: &RulesetConfig) -> Result<Race> {
    let ruleset = config.ruleset().context("section [ruleset]")?;
    if config.sheet.is_some() {
        warn_of_idle_keys("the run", ruleset.base());
    }
    Ok(Race::new(ruleset))
}

/// The ruleset written as `game?flag=value&flag=value`, for `count` seats or as many as the game has by default. The
/// game is one of `known`, or the file of a sheet.
///
/// # Errors
/// When there is no such game or file, or it does not take the flags or the number of seats.
pub fn ruleset(known: &Sheets, game: &str, count: Option<usize>) -> Result<Ruleset> {
    if !sheet_file::is_file(game) {
        return Ok(known.seated(game, count)?);
    }
    let (path, flags) = Ruleset::split(game);
    let (sheet, _) = sheet_file::read(Path::new(path))?;
    Ruleset::seated_of(Arc::new(sheet), count, flags).with_context(|| path.to_owned())
}

/// The game written as `game?flag=value`, for each number of seats that it takes, the fewest first.
///
/// # Errors
/// As [`ruleset`].
pub fn forms(known: &Sheets, game: &str) -> Result<Vec<Ruleset>> {
    let base = ruleset(known, game, None)?;
    let takes = |&count: &usize| base.sheet().seats.allowed.iter().any(|letters| letters.len() == count);
    (2..=4).filter(takes).map(|count| ruleset(known, game, Some(count))).collect()
}

/// The built-in games, and those of bots and tables.
pub fn known(agents: &[&NamedAgent]) -> Sheets {
    let mut sheets = Sheets::default();
    for race in agents.iter().filter_map(|agent| agent.race().ok().flatten()) {
        // What keeps the name from being known keeps the agent from playing.
        let _ = sheets.add(Arc::clone(race.ruleset().base()));
    }
    sheets
}

/// Loads an agent. A bot that comes with the program goes by its name.
///
/// # Errors
/// When there is no such agent.
pub fn agent(spec: &str) -> Result<NamedAgent> {
    let agent = folders().agent(spec)?;
    if let Ok(Some(race)) = agent.race()
        && !race.ruleset().is_builtin()
    {
        warn_of_idle_keys(&agent.to_string(), race.ruleset().base());
    }
    Ok(agent)
}

/// Warns of keys without effect in the sheet of a bot, a table or a run, which an earlier program accepted.
pub fn warn_of_idle_keys(owner: &str, sheet: &Sheet) {
    for SheetProblem { key, message, .. } in sheet.idle() {
        remark(format_args!("warning: {owner}: the key {key} of its sheet has no effect: {message}"));
    }
}

/// Loads a bot, by its name in these folders or by its file. Also returns its source.
///
/// # Errors
/// When the bot does not exist, or a look-ahead follows its name. If the agent is not a bot, `what` is the reason why
/// it must be one.
pub fn bot(folders: &Folders, spec: &str, what: &str) -> Result<(BotSource, Bot)> {
    match folders.agent(spec)? {
        NamedAgent::Bot { source, bot, lookahead: Lookahead::Plies(1), .. } => Ok((source, Arc::unwrap_or_clone(bot))),
        NamedAgent::Bot { lookahead, .. } => {
            bail!("`{spec}` looks ahead or plays at a level: leave out `+{lookahead}`")
        }
        other => bail!("{other} is not a bot: {what}"),
    }
}

/// The environment variable with folders of bots and tables, separated as in `PATH`.
pub const CHECKPOINTS: &str = "ASHTA_CHECKPOINTS";

/// The folder of bots and tables that the command line names.
static DATA: OnceLock<PathBuf> = OnceLock::new();

/// The folder of bots and tables that was installed with the program.
static INSTALLED: OnceLock<PathBuf> = OnceLock::new();

/// Looks for bots and tables in this folder before all others, from now on; the first call counts.
pub fn look_first_in(folder: PathBuf) {
    // A program has one command line.
    let _ = DATA.set(folder);
}

/// Looks for bots and tables in this folder after all others, from now on; the first call counts.
pub fn look_last_in(folder: PathBuf) {
    // A program is installed once.
    let _ = INSTALLED.set(folder);
}

/// Where bots and tables of perfect play go by their names: the folder of `--data`, those of [`CHECKPOINTS`], that of
/// the user's data, `checkpoints` in the current folder, that of [`look_last_in`], and the program itself.
pub fn folders() -> Folders {
    let named = std::env::var_os(CHECKPOINTS).unwrap_or_default();
    let listed: Vec<PathBuf> = std::env::split_paths(&named).filter(|folder| *folder != Path::new("")).collect();
    let usual = [user_folder(), Some(PathBuf::from("checkpoints")), INSTALLED.get().cloned()];
    let folders = DATA.get().cloned().into_iter().chain(listed).chain(usual.into_iter().flatten());
    // One that cannot be looked into is not left out silently.
    let is_there = |folder: &PathBuf| !folder.is_file() && folder.try_exists().unwrap_or(true);
    Folders { folders: folders.filter(is_there).collect(), embedded: embedded::BOTS, warn: Some(remark_once) }
}

/// Where a user keeps bots and tables: `~/.local/share/ashta` on Linux, or what `XDG_DATA_HOME` says.
pub fn user_folder() -> Option<PathBuf> {
    choose_native_strategy().ok().map(|native| native.data_dir().join("ashta"))
}

/// The game that `agents` play: that of the first bot among them, or `game` for so many `seats`.
///
/// # Errors
/// When nothing says what to play, the options contradict a bot, or a bot plays another game.
pub fn of(game: Option<&str>, seats: Option<usize>, agents: &[&NamedAgent]) -> Result<Race> {
    let bot = agents.iter().find_map(|agent| Some((agent, agent.bot()?)));
    let table = agents.iter().find_map(|agent| agent.table());
    let race = match (bot, game, table) {
        (Some((agent, bot)), ..) => {
            let race = bot.race().with_context(|| agent.to_string())?;
            if let Some(game) = game {
                let asked = ruleset(&known(agents), game, Some(seats.unwrap_or(race.ruleset().seats().len())))?;
                let plays = race.ruleset();
                ensure!(
                    asked == *plays,
                    "{agent} plays `{plays}`, not `{asked}`: leave out --game, or take another bot"
                );
            }
            race
        }
        (None, Some(game), _) => Race::new(ruleset(&known(agents), game, seats)?),
        (None, None, Some(table)) => Race::new(table.ruleset().clone()),
        (None, None, None) => {
            let names: Vec<&str> = builtin::names().collect();
            bail!("no bot or table says what to play: add --game with one of {}, or a sheet", names.join(", "))
        }
    };
    let count = race.ruleset().seats().len();
    let asked = seats.unwrap_or(count);
    ensure!(asked == count, "the game has {count} seats, not {asked}");
    agents.iter().try_for_each(|agent| player(agent, &race).map(drop))?;
    Ok(race)
}

/// Finds the reference by whose values luck and errors are measured; see [`Folders::reference`].
///
/// # Errors
/// When there is no such agent, or it plays another game.
pub fn reference(spec: &str, race: &Race) -> Result<Option<Reference<Race>>> {
    let folders = folders();
    let Some(player) = folders.reference(spec, race)? else { return Ok(None) };
    // The levels of a bot were measured by its own values, which are close to those of perfect play.
    let by_perfect = player.table().is_some();
    let measured = if by_perfect { folders.largest_bot(race) } else { None };
    let bot = measured.as_ref().unwrap_or(&player).named().bot();
    let bands = bot.map(|bot| bands(&bot.manifest.levels, by_perfect)).unwrap_or_default();
    Ok(Some(player.reference().with_bands(bands)))
}

/// Sits an agent down to a game.
///
/// # Errors
/// When it plays another game.
pub fn player(agent: &NamedAgent, race: &Race) -> Result<Player> {
    agent.player(race).with_context(|| agent.to_string())
}
