//! Finds games, agents and rulesets by the names that users write.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use ashta_agents::{
    arena::Reference,
    network::bot::Bot,
    play::level::bands,
    roster::{AgentError, BotSource, Lookahead, NamedAgent, Player, folders::Folders},
};
use ashta_env::{
    form::FormProblem,
    race::Race,
    ruleset::Ruleset,
    sheet::{Sheet, Sheets, builtin},
};
use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use crate::run::{
    config::RulesetConfig,
    embedded,
    files::BOTS_FOLDER,
    output::{remark, remark_once},
    sheet_file,
};

/// The game of a configuration.
pub fn configured(config: &RulesetConfig) -> Result<Race> {
    let ruleset = config.ruleset().context("section [ruleset]")?;
    if config.sheet.is_some() {
        warn_of_idle_keys("the run", ruleset.base());
    }
    Ok(Race::new(ruleset))
}

/// The ruleset that `game` names in the form `game?flag=value&flag=value`, for `count` seats or the
/// default number of seats. The game is one of the games `known`, or a sheet file.
///
/// # Errors
/// When the game or file does not exist, or does not allow the flags or the number of seats.
pub fn ruleset(known: &Sheets, game: &str, count: Option<usize>) -> Result<Ruleset> {
    if !sheet_file::is_file(game) {
        return Ok(known.seated(game, count)?);
    }
    let (path, flags) = Ruleset::split(game);
    let (sheet, _) = sheet_file::read(Path::new(path))?;
    Ruleset::seated_of(Arc::new(sheet), count, flags).with_context(|| path.to_owned())
}

/// The built-in games, and the games of the bots and tables among `agents`.
pub fn sheets_of(agents: &[&NamedAgent]) -> Sheets {
    let mut sheets = Sheets::default();
    for race in agents
        .iter()
        .filter_map(|agent| agent.race().ok().flatten())
    {
        // If the sheet cannot be added, the agent cannot play either.
        let _ = sheets.add(Arc::clone(race.ruleset().base()));
    }
    sheets
}

/// Loads an agent, by its name or its file.
pub fn agent(spec: &str) -> Result<NamedAgent> {
    let agent = folders()
        .agent(spec)
        .map_err(|error| not_loaded(spec, error))?;
    if let Ok(Some(race)) = agent.race()
        && !race.ruleset().is_builtin()
    {
        warn_of_idle_keys(&agent.to_string(), race.ruleset().base());
    }
    Ok(agent)
}

/// The error of an agent that cannot be loaded. If `spec` is the folder of a run, the error names
/// the bots of the run.
fn not_loaded(spec: &str, error: AgentError) -> Error {
    let path = match spec.rsplit_once('+') {
        Some((path, _)) if !Path::new(spec).is_dir() => path,
        _ => spec,
    };
    let lookahead = &spec[path.len()..];
    let bots: Vec<String> = Folders::from(vec![Path::new(path).join(BOTS_FOLDER)])
        .bots()
        .iter()
        .map(|(_, source)| format!("`{source}{lookahead}`"))
        .collect();
    match bots.is_empty() {
        true => error.into(),
        false => anyhow!(
            "`{path}` is the folder of a run, not an agent; write {}",
            bots.join(" or ")
        ),
    }
}

/// Warns of keys without effect in the sheet of a bot, a table or a run. Earlier versions accepted
/// such keys.
pub fn warn_of_idle_keys(owner: &str, sheet: &Sheet) {
    for FormProblem { key, message, .. } in sheet.idle() {
        remark(format_args!(
            "warning: {owner}: {key} in its sheet: {message}"
        ));
    }
}

/// Loads a bot by its name in these folders, or by the path of its file. Also returns the source of
/// the bot.
///
/// # Errors
/// When the bot does not exist, or a look-ahead follows its name. If the agent is not a bot, the
/// error contains `what`, the reason why it must be a bot.
pub fn bot(folders: &Folders, spec: &str, what: &str) -> Result<(BotSource, Bot)> {
    match folders
        .agent(spec)
        .map_err(|error| not_loaded(spec, error))?
    {
        NamedAgent::Bot {
            source,
            bot,
            lookahead: Lookahead::Plies(1),
            ..
        } => Ok((source, Arc::unwrap_or_clone(bot))),
        NamedAgent::Bot { lookahead, .. } => {
            bail!("`{spec}`: only the bot is needed here, so leave out `+{lookahead}`")
        }
        other => bail!("{other} is not a bot: {what}"),
    }
}

/// The environment variable with folders of bots and tables, separated as in `PATH`.
pub const CHECKPOINTS: &str = "ASHTA_CHECKPOINTS";

/// The folder of the option `--data`.
static DATA: OnceLock<PathBuf> = OnceLock::new();

/// The folder of bots and tables that was installed with the program.
static INSTALLED: OnceLock<PathBuf> = OnceLock::new();

/// Makes this the first folder in which the program looks for bots and tables; only the first call
/// has an effect.
pub fn add_first_folder(folder: PathBuf) {
    let _ = DATA.set(folder);
}

/// Makes this the last folder in which the program looks for bots and tables; only the first call
/// has an effect.
pub fn add_last_folder(folder: PathBuf) {
    let _ = INSTALLED.set(folder);
}

/// The folders of bots and tables, in this order: the folder of `--data`, the folders of
/// [`CHECKPOINTS`], the data folder of the user, `checkpoints` in the current folder, the folder of
/// [`add_last_folder`]. The small bots in the program come last.
pub fn folders() -> Folders {
    let named = std::env::var_os(CHECKPOINTS).unwrap_or_default();
    let listed: Vec<PathBuf> = std::env::split_paths(&named)
        .filter(|folder| *folder != Path::new(""))
        .collect();
    let usual = [
        user_folder(),
        Some(PathBuf::from("checkpoints")),
        INSTALLED.get().cloned(),
    ];
    let folders = DATA
        .get()
        .cloned()
        .into_iter()
        .chain(listed)
        .chain(usual.into_iter().flatten());
    // Keep a folder that cannot be read, so that a warning names it.
    let is_there = |folder: &PathBuf| !folder.is_file() && folder.try_exists().unwrap_or(true);
    Folders {
        folders: folders.filter(is_there).collect(),
        embedded: embedded::BOTS,
        warn: Some(remark_once),
    }
}

/// The folder of the user for bots and tables: `~/.local/share/ashta` on Linux, or `ashta` in
/// `XDG_DATA_HOME`.
pub fn user_folder() -> Option<PathBuf> {
    choose_native_strategy()
        .ok()
        .map(|native| native.data_dir().join("ashta"))
}

/// Returns the game of the first bot among `agents`. Without bots, returns `game` for `seats`
/// seats. Without bots and without `game`, returns the game of the first table.
///
/// # Errors
/// When no option or agent gives a game, the options contradict a bot, or an agent plays another
/// game.
pub fn race_of(game: Option<&str>, seats: Option<usize>, agents: &[&NamedAgent]) -> Result<Race> {
    let bot = agents.iter().find_map(|agent| Some((agent, agent.bot()?)));
    let table = agents.iter().find_map(|agent| agent.table());
    let race = match (bot, game, table) {
        (Some((agent, bot)), ..) => {
            let race = bot.race().with_context(|| agent.to_string())?;
            let (plays, count) = (
                race.ruleset(),
                seats.unwrap_or(race.ruleset().seats().len()),
            );
            let asked = game
                .map(|game| ruleset(&sheets_of(agents), game, Some(count)))
                .transpose()?;
            if let Some(asked) = asked.filter(|asked| asked != plays) {
                bail!(
                    "{agent} plays `{plays}`, not `{asked}`: leave out --game, or choose another bot"
                );
            }
            race
        }
        (None, Some(game), _) => Race::new(ruleset(&sheets_of(agents), game, seats)?),
        (None, None, Some(table)) => Race::new(table.ruleset().clone()),
        (None, None, None) => {
            let names: Vec<&str> = builtin::names().collect();
            bail!(
                "no bot or table gives the game: add --game with one of {}, or a sheet file",
                names.join(", ")
            )
        }
    };
    let count = race.ruleset().seats().len();
    let asked = seats.unwrap_or(count);
    ensure!(asked == count, "the game has {count} seats, not {asked}");
    agents
        .iter()
        .try_for_each(|agent| player(agent, &race).map(drop))?;
    Ok(race)
}

/// Finds the agent whose values measure luck and regret; see [`Folders::reference`].
pub fn reference(spec: &str, race: &Race) -> Result<Option<Reference<Race>>> {
    let folders = folders();
    let Some(player) = folders.reference(spec, race)? else {
        return Ok(None);
    };
    // A table has no levels, so the levels of the largest bot are used. They were measured with the
    // values of the bot, which are close to perfect play.
    let by_perfect = player.table().is_some();
    let measured = if by_perfect {
        folders.largest_bot(race)
    } else {
        None
    };
    let bot = measured.as_ref().unwrap_or(&player).named_agent().bot();
    let bands = bot
        .map(|bot| bands(&bot.manifest.levels, by_perfect))
        .unwrap_or_default();
    Ok(Some(Reference {
        bands,
        ..player.reference()
    }))
}

/// Creates the player of an agent for a game.
pub fn player(agent: &NamedAgent, race: &Race) -> Result<Player> {
    agent.player(race).with_context(|| agent.to_string())
}
