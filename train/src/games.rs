//! From what people write to the game that is meant.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use ashta_agents::bot::Bot;
use ashta_agents::roster::{AgentError, AgentSpec, Lookahead, Player, Roster};
use ashta_env::game::{Game, SeatSet};
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;

use crate::cli::GameArgs;
use crate::config::RulesetConfig;

/// The game of a configuration.
///
/// # Errors
/// Everything that is wrong with it.
pub fn configured(config: &RulesetConfig) -> Result<Race> {
    let flags = config.flags.iter().map(|(flag, value)| (flag.as_str(), value.as_str()));
    let ruleset = Ruleset::new(&config.game, seats(config.seats)?, flags).context("section [ruleset]")?;
    Ok(Race::new(ruleset))
}

fn seats(count: usize) -> Result<SeatSet> {
    Ruleset::default_seats(count).with_context(|| format!("a game has 2 to 4 seats, not {count}"))
}

/// Loads an agent. A bot that comes with the program goes by its name.
///
/// # Errors
/// When there is no such agent.
pub fn agent(spec: &str) -> Result<Roster> {
    let parsed = match spec.parse() {
        Err(AgentError::Unknown { .. }) => of_shipped_bot(spec)?,
        parsed => parsed?,
    };
    Ok(parsed.load(&folders())?)
}

/// Loads a bot and says in which file it is.
///
/// # Errors
/// When there is no such bot, or something follows its name: `what` is about the bot itself, however it plays.
pub fn bot(spec: &str, what: &str) -> Result<(PathBuf, Bot)> {
    let agent = agent(spec)?;
    match (agent.spec(), agent.bot()) {
        (AgentSpec::Bot { path, lookahead: Lookahead::Plies(1) }, Some(bot)) => Ok((path.clone(), bot.clone())),
        (AgentSpec::Bot { lookahead, .. }, Some(_)) => bail!("{what} of a bot: leave out `+{lookahead}`"),
        (spec, _) => bail!("{spec} is no bot: {what} of bots"),
    }
}

/// `ashtapada+2ply` as the agent that `checkpoints/ashtapada.bot+2ply` is.
fn of_shipped_bot(spec: &str) -> Result<AgentSpec> {
    let bots = shipped_bots();
    let (name, lookahead) = spec.split_at(spec.find('+').unwrap_or(spec.len()));
    if let Some((_, path)) = bots.iter().find(|(shipped, _)| shipped == name) {
        return Ok(format!("{}{lookahead}", path.display()).parse()?);
    }
    let names: Vec<&str> = bots.iter().map(|(name, _)| name.as_str()).collect();
    let folders: Vec<String> = folders().iter().map(|folder| folder.display().to_string()).collect();
    let folders = folders.join(" or ");
    let unknown = AgentError::Unknown { name: spec.to_owned() };
    match names.is_empty() {
        true => bail!("{unknown}; there are no bots with names in {folders}"),
        false => bail!("{unknown}; the bots with names, in {folders}, are {}", names.join(", ")),
    }
}

/// The bots that come with the program, by name.
pub fn shipped_bots() -> Vec<(String, PathBuf)> {
    let mut bots: Vec<(String, PathBuf)> = Vec::new();
    for file in folders().iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten() {
        let path = file.path();
        let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
        if let Some(name) = name.filter(|_| path.extension().is_some_and(|end| end == "bot"))
            && bots.iter().all(|(other, _)| *other != name)
        {
            bots.push((name, path));
        }
    }
    bots.sort();
    bots
}

/// Where shipped bots and tables of perfect play are looked for: beside the configurations, and where the program was
/// built.
fn folders() -> Vec<PathBuf> {
    let here = PathBuf::from("checkpoints");
    let built = std::env::current_exe().ok().and_then(|program| {
        let checkpoints = program.ancestors().nth(3)?.join("checkpoints");
        (checkpoints.is_dir() && std::path::absolute(&here).ok().as_ref() != Some(&checkpoints)).then_some(checkpoints)
    });
    std::iter::once(here).chain(built).collect()
}

/// The game that a bot plays.
///
/// # Errors
/// When this program does not know it, or knows another version of it.
pub fn of_bot(bot: &Bot) -> Result<Race> {
    let seats = SeatSet::from_letters(&bot.manifest.seats).context("the seats of the bot")?;
    let race = Race::new(Ruleset::parse(&bot.manifest.ruleset, seats).context("the ruleset of the bot")?);
    bot.check_ruleset(race.spec())?;
    Ok(race)
}

/// The game that `agents` play: that of the first bot among them, or the one that `args` name.
///
/// # Errors
/// When nothing says what to play, the options contradict a bot, or a bot plays another game.
pub fn of(args: &GameArgs, agents: &[&Roster]) -> Result<Race> {
    let bot = agents.iter().find_map(|agent| Some((agent, agent.bot()?)));
    let race = match (bot, &args.game) {
        (Some((agent, bot)), _) => {
            let race = of_bot(bot).with_context(|| agent.spec().to_string())?;
            if let Some(game) = &args.game {
                let count = args.seats.unwrap_or(race.ruleset().seats().len());
                let asked = Ruleset::parse(game, self::seats(count)?)?;
                let (spec, plays) = (agent.spec(), race.ruleset());
                if asked != *plays {
                    bail!("{spec} plays `{plays}`, not `{asked}`: leave out --game, or take another bot");
                }
            }
            race
        }
        (None, None) if agents.iter().any(|agent| agent.table().is_some()) => {
            let table = agents.iter().find_map(|agent| agent.table());
            Race::new(*table.context("there is a table")?.ruleset())
        }
        (None, Some(game)) => {
            let partnership = game.contains("teams=true") || game.contains("two_sets");
            let count = args.seats.unwrap_or(if partnership { 4 } else { 2 });
            Race::new(Ruleset::parse(game, seats(count)?)?)
        }
        (None, None) => bail!("no bot or table says what to play: add --game, for instance --game ashtapada"),
    };
    if args.seats.is_some_and(|count| count != race.ruleset().seats().len()) {
        bail!("the game has {} seats, not {}", race.ruleset().seats().len(), args.seats.unwrap_or(0));
    }
    agents.iter().try_for_each(|agent| player(agent, &race).map(drop))?;
    Ok(race)
}

/// Perfect play of a game, where there is a table of it.
///
/// # Errors
/// When a table is damaged.
pub fn perfect(race: &Race) -> Result<Option<Player>> {
    match AgentSpec::Perfect.load(&folders())?.player(race) {
        Ok(player) => Ok(Some(player)),
        Err(AgentError::NoTable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Who says what positions are worth.
#[derive(Debug)]
pub struct Judge {
    /// Whose values count.
    pub player: Player,
    /// What it is called, wherever its file lies.
    pub name: String,
    /// What tells one version of it from another; see [`version`].
    pub version: Option<String>,
}

impl Judge {
    fn new(agent: &Roster, race: &Race) -> Result<Judge> {
        let name = match agent.spec() {
            AgentSpec::Bot { path, lookahead } => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                if *lookahead == Lookahead::Plies(1) { name.into_owned() } else { format!("{name}+{lookahead}") }
            }
            spec => spec.to_string(),
        };
        Ok(Judge { player: player(agent, race)?, name, version: version(agent) })
    }
}

/// The checksum of a bot, which tells one version of it from another; other agents have none.
pub fn version(agent: &Roster) -> Option<String> {
    agent.bot().map(|bot| format!("{:08x}", bot.manifest.checksum))
}

/// Finds a judge: `auto` is perfect play where the game is solved, otherwise the bot that comes with the program and
/// plays the game with the largest value network; `none` is nobody; anything else an agent.
///
/// # Errors
/// When there is no such agent, or it plays another game.
pub fn judge(spec: &str, race: &Race) -> Result<Option<Judge>> {
    match spec {
        "none" => Ok(None),
        "auto" => match perfect(race)? {
            Some(player) => Ok(Some(Judge { name: player.spec().to_string(), player, version: None })),
            None => strongest_bot(race),
        },
        spec => Ok(Some(Judge::new(&agent(spec)?, race)?)),
    }
}

fn strongest_bot(race: &Race) -> Result<Option<Judge>> {
    let mut strongest: Option<(usize, Roster)> = None;
    for (name, _) in shipped_bots() {
        let agent = agent(&name)?;
        let size = agent.bot().map_or(0, |bot| bot.manifest.shape.value.parameters());
        if agent.player(race).is_ok() && strongest.as_ref().is_none_or(|(most, _)| size > *most) {
            strongest = Some((size, agent));
        }
    }
    strongest.map(|(_, agent)| Judge::new(&agent, race)).transpose()
}

/// Sits an agent down to a game.
///
/// # Errors
/// When it plays another game.
pub fn player(agent: &Roster, race: &Race) -> Result<Player> {
    agent.player(race).with_context(|| agent.spec().to_string())
}
