//! Agents by name: the notation of agents on command lines and in settings.
//!
//! ```text
//! random | runner | hunter | greedy         a baseline
//! greedy+2ply | greedy+3ply | …             `greedy` with a look-ahead of this many plies
//! FILE.bot[+policy | +1ply | +2ply | … | +mcts[:simulations]]    a bot and its look-ahead
//! FILE.bot[+beginner | … | +expert | +perfect]                   a bot at a level of difficulty
//! perfect                                   perfect play, by a table of the game
//! FILE.table                                perfect play, by this table
//! ```
//!
//! A bot without a suffix looks one ply ahead: it plays the afterstate with the highest value. Each
//! further ply is an expectation over the throws of the next seat, which plays its best afterstate
//! (expectimax). `+policy` plays the action with the highest probability in the network's policy,
//! without look-ahead.

pub mod folders;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    num::IntErrorKind,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};

use ashta_env::{game::Game, race::Race, ruleset::Ruleset, turn_index::TurnIndex};

use crate::{
    arena::Reference,
    network::{bot::Bot, evaluator::NetEvaluator},
    perfect::table::{Perfect, Table, TableHeader},
    play::{
        agent::{Agent, OnePly, Pick, PolicyAgent},
        baseline::{Baseline, PipEvaluator},
        error::Error,
        evaluator::Evaluator,
        level::Level,
    },
    roster::folders::Folders,
    search::{Expectimax, Mcts},
};

/// An agent by its name, with its files loaded.
#[derive(Clone, Debug)]
pub enum NamedAgent {
    /// A baseline.
    Baseline {
        /// The baseline.
        baseline: Baseline,
        /// The look-ahead in plies: 1, or more for `greedy`.
        plies: u8,
    },
    /// A bot, and its look-ahead.
    Bot {
        /// The source of the bot.
        source: BotSource,
        /// The bot.
        bot: Arc<Bot>,
        /// Its look-ahead.
        lookahead: Lookahead,
        /// The tables for the level `perfect`.
        tables: Arc<TableCache>,
    },
    /// Perfect play, by a table of the game.
    Perfect {
        /// The tables of all games.
        tables: Arc<TableCache>,
    },
    /// Perfect play, by this table.
    Table {
        /// The path of the file.
        path: PathBuf,
        /// The table.
        table: Arc<Table>,
    },
}

/// The source of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotSource {
    /// A file.
    File(PathBuf),
    /// The program itself.
    Embedded(EmbeddedBot),
}

/// A bot that is part of the program: its name and the content of its file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EmbeddedBot {
    /// The name.
    pub name: &'static str,
    /// The content of the bot file.
    pub content: &'static [u8],
}

impl BotSource {
    /// The name of the bot; for a file, without folder and extension.
    pub fn name(&self) -> String {
        match self {
            BotSource::File(path) => path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            BotSource::Embedded(bot) => bot.name.to_owned(),
        }
    }

    /// The content of the bot file.
    ///
    /// # Errors
    /// When the file cannot be read, or is too long for a bot.
    pub fn content(&self) -> Result<Cow<'static, [u8]>, Error> {
        match self {
            BotSource::File(path) => Ok(Bot::content(path)?.into()),
            BotSource::Embedded(bot) => Ok(bot.content.into()),
        }
    }

    /// Loads the bot.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a bot.
    pub fn read(&self) -> Result<Bot, Error> {
        match self {
            BotSource::File(path) => Bot::load(path),
            BotSource::Embedded(bot) => Bot::from_bytes(bot.content),
        }
    }
}

impl fmt::Debug for EmbeddedBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmbeddedBot({:?})", self.name)
    }
}

impl fmt::Display for BotSource {
    /// The path of a file, or the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotSource::File(path) => path.display().fmt(f),
            BotSource::Embedded(bot) => f.write_str(bot.name),
        }
    }
}

/// The name of perfect play.
const PERFECT: &str = "perfect";
/// The file extension of tables.
pub const TABLE: &str = "table";

/// How a bot chooses with its networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookahead {
    /// No look-ahead: the action with the highest probability.
    Policy,
    /// Look-ahead of this many plies, at least one.
    Plies(u8),
    /// Tree search with this many simulations for each choice.
    Mcts(u32),
    /// One ply, at a level of difficulty.
    Level(Level),
}

/// The largest look-ahead in plies; each ply takes hundreds of times as long as the previous one.
const MAX_PLIES: u8 = 4;
/// Simulations of `+mcts` without a number.
const DEFAULT_SIMULATIONS: u32 = 800;
/// The largest number of simulations.
const MAX_SIMULATIONS: u32 = 1_000_000;

/// Why an agent cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No agent has this name; the message lists the known names.
    #[error("{0}")]
    Unknown(String),
    /// The name is invalid, or its file is damaged or made for another game.
    #[error(transparent)]
    Other(#[from] Error),
    /// There is no table of the game.
    #[error("found no table of {ruleset} in {folders}; {}", solving(ruleset))]
    NoTable {
        /// The game.
        ruleset: Box<Ruleset>,
        /// The folders that were searched.
        folders: String,
    },
}

/// The built-in agents that play every game, roughly from weak to strong.
pub const BUILT_IN: [&str; 5] = ["random", "runner", "hunter", "greedy", "greedy+2ply"];

fn no_lookahead(suffix: &str) -> AgentError {
    let levels = Level::ALL.map(Level::name).join(", +");
    let ways = format!(
        "write +policy, +1ply to +{MAX_PLIES}ply, +mcts:SIMULATIONS, or a level: +{levels}"
    );
    Error::new(format!("`+{suffix}` is not a look-ahead: {ways}")).into()
}

/// The command that solves a game and its duration in words, or the reason why the game cannot be
/// solved.
fn solving(ruleset: &Ruleset) -> String {
    let duration = match TurnIndex::new(&Race::new(ruleset.clone())).map(|index| index.numbers()) {
        Ok(0..2_000_000) => "seconds",
        Ok(2_000_000..50_000_000) => "minutes",
        Ok(_) => "hours",
        Err(error) => return error.to_string(),
    };
    format!("`ashta solve` makes one, which takes {duration}")
}

fn perfect_already(name: &str) -> AgentError {
    Error::new(format!(
        "`{name}` plays perfectly and takes no look-ahead; remove the `+` and the text after it"
    ))
    .into()
}

fn listed<'a>(folders: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let folders: Vec<String> = folders
        .into_iter()
        .map(|folder| folder.display().to_string())
        .collect();
    if folders.is_empty() {
        "any folder (no folder is given)".to_owned()
    } else {
        folders.join(" or ")
    }
}

impl FromStr for NamedAgent {
    type Err = AgentError;

    /// Loads the agent. Perfect play finds tables only after [`NamedAgent::with_tables_in`].
    fn from_str(text: &str) -> Result<NamedAgent, AgentError> {
        if let Some(baseline) = Baseline::from_name(text) {
            return Ok(NamedAgent::Baseline { baseline, plies: 1 });
        }
        let path = Path::new(text);
        if let Some(suffix) = text.strip_prefix("greedy+")
            && !path.is_file()
        {
            return match suffix.parse()? {
                Lookahead::Plies(plies) => Ok(NamedAgent::Baseline {
                    baseline: Baseline::Greedy,
                    plies,
                }),
                _ => Err(Error::new(format!(
                    "`{text}`: `greedy` only takes +1ply to +{MAX_PLIES}ply"
                ))
                .into()),
            };
        }
        if text == PERFECT {
            return Ok(NamedAgent::Perfect {
                tables: Arc::default(),
            });
        }
        let is_table = |path: &Path| path.extension().is_some_and(|end| end == TABLE);
        // The name of a file can contain a plus, so try the whole text first.
        match text.rsplit_once('+') {
            _ if path.is_file() && is_table(path) => Ok(NamedAgent::Table {
                path: path.into(),
                table: Arc::new(Table::read(path)?),
            }),
            _ if path.is_file() => {
                NamedAgent::of_source(BotSource::File(path.into()), Lookahead::Plies(1))
            }
            Some((path, _)) if path == PERFECT || is_table(Path::new(path)) => {
                Err(perfect_already(path))
            }
            Some((path, suffix)) if Path::new(path).is_file() => {
                NamedAgent::of_source(BotSource::File(path.into()), suffix.parse()?)
            }
            parts => {
                let mut names = std::iter::once(text).chain(parts.map(|(name, _)| name));
                let known = BUILT_IN.join(", ");
                Err(AgentError::Unknown(
                    match names.find(|name| Path::new(name).exists()) {
                        Some(name) => format!("`{name}` is not a regular file"),
                        None => {
                            format!(
                                "`{text}` is not an agent: no file has this name; built-in agents: {known}, {PERFECT}"
                            )
                        }
                    },
                ))
            }
        }
    }
}

impl FromStr for Lookahead {
    type Err = AgentError;

    fn from_str(suffix: &str) -> Result<Lookahead, AgentError> {
        let number = |text: &str, most: u32| match text.parse::<i64>() {
            Ok(number) if (1..=i64::from(most)).contains(&number) => Ok(number as u32),
            Err(error)
                if matches!(
                    error.kind(),
                    IntErrorKind::Empty | IntErrorKind::InvalidDigit
                ) =>
            {
                Err(no_lookahead(suffix))
            }
            _ => Err(Error::new(format!(
                "`+{suffix}`: the number must be between 1 and {most}"
            ))
            .into()),
        };
        match (suffix.strip_suffix("ply"), suffix.strip_prefix("mcts:")) {
            _ if suffix == "policy" => Ok(Lookahead::Policy),
            _ if suffix == "mcts" => Ok(Lookahead::Mcts(DEFAULT_SIMULATIONS)),
            (Some(plies), _) => Ok(Lookahead::Plies(number(plies, MAX_PLIES.into())? as u8)),
            (_, Some(count)) => Ok(Lookahead::Mcts(number(count, MAX_SIMULATIONS)?)),
            _ => Level::from_name(suffix)
                .map(Lookahead::Level)
                .ok_or_else(|| no_lookahead(suffix)),
        }
    }
}

impl fmt::Display for Lookahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lookahead::Policy => f.write_str("policy"),
            Lookahead::Plies(plies) => write!(f, "{plies}ply"),
            Lookahead::Mcts(simulations) => write!(f, "mcts:{simulations}"),
            Lookahead::Level(level) => level.fmt(f),
        }
    }
}

impl fmt::Display for NamedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamedAgent::Baseline { baseline, plies: 1 } => baseline.fmt(f),
            NamedAgent::Baseline { baseline, plies } => write!(f, "{baseline}+{plies}ply"),
            NamedAgent::Bot {
                source,
                lookahead: Lookahead::Plies(1),
                ..
            } => source.fmt(f),
            NamedAgent::Bot {
                source, lookahead, ..
            } => write!(f, "{source}+{lookahead}"),
            NamedAgent::Perfect { .. } => f.write_str(PERFECT),
            NamedAgent::Table { path, .. } => path.display().fmt(f),
        }
    }
}

/// The tables in some folders, loaded when they are first needed.
#[derive(Debug, Default)]
pub struct TableCache {
    folders: Folders,
    tables: Mutex<BTreeMap<u64, Arc<Table>>>,
}

impl TableCache {
    fn new(folders: &Folders) -> Arc<TableCache> {
        Arc::new(TableCache {
            folders: folders.clone(),
            tables: Mutex::default(),
        })
    }

    /// The table of a ruleset.
    fn table(&self, ruleset: &Ruleset) -> Result<Arc<Table>, AgentError> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = ruleset.hash64();
        if let Some(table) = tables.get(&hash) {
            return Ok(Arc::clone(table));
        }
        let mut damaged = None;
        for path in self.folders.tables() {
            match TableHeader::read(&path) {
                Ok(header) if header.ruleset == *ruleset && header.facts.is_some() => {
                    match Table::read(&path) {
                        Ok(table) => {
                            return Ok(Arc::clone(tables.entry(hash).or_insert(Arc::new(table))));
                        }
                        Err(error) => damaged = Some(error.into()),
                    }
                }
                Ok(_) => {}
                Err(error) => self.folders.warn_skipped(&error),
            }
        }
        let folders = listed(&self.folders.folders);
        Err(damaged.unwrap_or_else(|| AgentError::NoTable {
            ruleset: Box::new(ruleset.clone()),
            folders,
        }))
    }
}

impl NamedAgent {
    /// Makes an agent from the content of a bot file or a table file, for programs without a file
    /// system. `name` is the name of the agent, `lookahead` is the text after the `+`, or empty.
    ///
    /// # Errors
    /// When `content` is neither a bot nor a table, or `lookahead` is not a look-ahead.
    pub fn of_file(name: &str, content: &[u8], lookahead: &str) -> Result<NamedAgent, AgentError> {
        let path = PathBuf::from(name);
        if Table::is_table(content) {
            if !lookahead.is_empty() {
                return Err(perfect_already(name));
            }
            return Ok(NamedAgent::Table {
                path,
                table: Arc::new(Table::from_bytes(content)?),
            });
        }
        let lookahead = if lookahead.is_empty() {
            Lookahead::Plies(1)
        } else {
            lookahead.parse()?
        };
        Ok(NamedAgent::of_bot(
            BotSource::File(path),
            Bot::from_bytes(content)?,
            lookahead,
        ))
    }

    /// Makes an agent from a bot that was loaded from `source`.
    pub fn of_bot(source: BotSource, bot: Bot, lookahead: Lookahead) -> NamedAgent {
        NamedAgent::Bot {
            source,
            bot: Arc::new(bot),
            lookahead,
            tables: Arc::default(),
        }
    }

    fn of_source(source: BotSource, lookahead: Lookahead) -> Result<NamedAgent, AgentError> {
        let bot = source.read()?;
        Ok(NamedAgent::of_bot(source, bot, lookahead))
    }

    /// Sets the folders in which perfect play looks for the table of a game.
    #[must_use]
    pub fn with_tables_in(mut self, folders: &Folders) -> NamedAgent {
        if let NamedAgent::Bot { tables, .. } | NamedAgent::Perfect { tables } = &mut self {
            *tables = TableCache::new(folders);
        }
        self
    }

    /// The bot, if the agent is a bot.
    pub fn bot(&self) -> Option<&Bot> {
        if let NamedAgent::Bot { bot, .. } = self {
            Some(bot)
        } else {
            None
        }
    }

    /// The table, if the agent is a table file.
    pub fn table(&self) -> Option<&Table> {
        if let NamedAgent::Table { table, .. } = self {
            Some(table)
        } else {
            None
        }
    }

    /// The game of the bot or the table; `None` if the agent is not made for one game.
    ///
    /// # Errors
    /// When this program does not know the game of a bot, or knows another version of it.
    pub fn race(&self) -> Result<Option<Race>, AgentError> {
        match self {
            NamedAgent::Bot { bot, .. } => Ok(Some(bot.race()?)),
            NamedAgent::Table { table, .. } => Ok(Some(Race::new(table.ruleset().clone()))),
            _ => Ok(None),
        }
    }

    /// Approximate memory of its networks and tables, in bytes.
    pub fn bytes(&self) -> usize {
        let cached = |tables: &TableCache| -> usize {
            tables
                .tables
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .values()
                .map(|table| table.bytes())
                .sum()
        };
        match self {
            NamedAgent::Bot { bot, tables, .. } => {
                let shape = &bot.manifest.shape;
                4 * (shape.value.parameters() + shape.policy.parameters()) + cached(tables)
            }
            NamedAgent::Perfect { tables } => cached(tables),
            NamedAgent::Table { table, .. } => table.bytes(),
            NamedAgent::Baseline { .. } => 0,
        }
    }

    /// The name, without the folder of the file.
    pub fn name(&self) -> String {
        match self {
            NamedAgent::Bot {
                source,
                lookahead: Lookahead::Plies(1),
                ..
            } => source.name(),
            NamedAgent::Bot {
                source, lookahead, ..
            } => format!("{}+{lookahead}", source.name()),
            other => other.to_string(),
        }
    }

    /// The checksum of a bot, which identifies its version; `None` for other agents.
    pub fn version(&self) -> Option<String> {
        self.bot()
            .map(|bot| format!("{:08x}", bot.manifest.checksum))
    }

    /// Makes a player for a game.
    ///
    /// # Errors
    /// When the bot or table is made for another game, the bot lacks the level, or there is no
    /// table for perfect play.
    pub fn player(&self, race: &Race) -> Result<Player, AgentError> {
        const ONE_PLY: Lookahead = Lookahead::Plies(1);
        let perfect = |table| (ValueSource::Table(table), ONE_PLY, Pick::First);
        let (values, lookahead, pick) = match self {
            NamedAgent::Baseline { plies, .. } => {
                (ValueSource::Pips, Lookahead::Plies(*plies), Pick::Drawn)
            }
            NamedAgent::Perfect { tables } => perfect(tables.table(race.ruleset())?),
            NamedAgent::Bot {
                source,
                bot,
                lookahead,
                tables,
            } => {
                bot.check_ruleset(race.spec())?;
                let net = ValueSource::Net(Box::new(bot.evaluator()));
                match *lookahead {
                    Lookahead::Level(Level::Perfect) => perfect(tables.table(race.ruleset())?),
                    Lookahead::Level(Level::Expert) => (net, ONE_PLY, Pick::First),
                    Lookahead::Level(level) => {
                        let found = bot.manifest.levels.iter().find(|found| found.level == level).ok_or_else(|| {
                            let source = source.name();
                            Error::new(format!("{source} has no level `{level}`; calibrate it with `ashta levels`"))
                        })?;
                        (net, ONE_PLY, Pick::Softmax(found.temperature))
                    }
                    lookahead => (net, lookahead, Pick::First),
                }
            }
            NamedAgent::Table { path, table } => {
                let (expected, found) = (race.ruleset(), table.ruleset());
                Error::unless(found == expected, || {
                    format!(
                        "{} is a table of {found}, but the game is {expected}",
                        path.display()
                    )
                })?;
                perfect(Arc::clone(table))
            }
        };
        Ok(Player {
            agent: self.clone(),
            values,
            lookahead,
            pick,
        })
    }
}

/// An agent for one game; makes any number of instances, such as one for each thread.
#[derive(Clone, Debug)]
pub struct Player {
    agent: NamedAgent,
    values: ValueSource,
    lookahead: Lookahead,
    /// The rule of choice of one-ply play.
    pick: Pick,
}

/// The source of a player's values.
#[derive(Clone, Debug)]
enum ValueSource {
    Pips,
    Net(Box<NetEvaluator>),
    Table(Arc<Table>),
}

type BoxedEvaluator = Box<dyn Evaluator<Race> + Send>;

impl Player {
    /// The agent of this player.
    pub fn named_agent(&self) -> &NamedAgent {
        &self.agent
    }

    /// The reference that measures luck and errors of other agents by the values of this player.
    pub fn reference(&self) -> Reference<Race> {
        let player = self.clone();
        let version = self
            .agent
            .version()
            .or_else(|| Some(format!("{:08x}", self.table()?.checksum())));
        Reference::new(self.agent.name(), version, move || player.evaluator())
    }

    /// The table, if the player plays perfectly.
    pub fn table(&self) -> Option<&Arc<Table>> {
        if let ValueSource::Table(table) = &self.values {
            Some(table)
        } else {
            None
        }
    }

    /// Makes an instance that chooses actions.
    pub fn agent(&self) -> Box<dyn Agent<Race> + Send> {
        match (&self.agent, self.lookahead) {
            (NamedAgent::Baseline { baseline, plies: 1 }, _) => baseline.agent(),
            (_, Lookahead::Policy | Lookahead::Mcts(_)) => Box::new(PolicyAgent {
                evaluator: self.evaluator(),
            }),
            _ => Box::new(OnePly::picking(self.evaluator(), self.pick)),
        }
    }

    /// Whether it always plays the afterstate with the highest value by [`Player::evaluator`].
    /// Baselines and weakened bots do not: they can choose among afterstates at random.
    pub fn plays_by_values(&self) -> bool {
        self.pick == Pick::First && matches!(self.lookahead, Lookahead::Plies(_))
    }

    /// The name of the agent whose values [`Player::evaluator`] returns. Players that choose by a
    /// policy or at random have the values of another agent.
    pub fn evaluator_name(&self) -> String {
        match &self.agent {
            NamedAgent::Baseline { plies, .. } => NamedAgent::Baseline {
                baseline: Baseline::Greedy,
                plies: *plies,
            }
            .name(),
            NamedAgent::Bot { source, .. }
                if self.lookahead == Lookahead::Policy || self.pick != Pick::First =>
            {
                source.name()
            }
            agent => agent.name(),
        }
    }

    /// Makes an evaluator with the values of this player. All baselines have the values of
    /// `greedy`.
    pub fn evaluator(&self) -> BoxedEvaluator {
        match self.lookahead {
            Lookahead::Plies(plies @ 2..) => Box::new(Expectimax::<Race, _>::new(
                self.leaves(),
                usize::from(plies) - 1,
            )),
            Lookahead::Mcts(simulations) => Box::new(Mcts::new(self.leaves(), simulations)),
            _ => self.leaves(),
        }
    }

    /// Makes the evaluator for the leaves of a search.
    fn leaves(&self) -> BoxedEvaluator {
        match &self.values {
            ValueSource::Pips => Box::new(PipEvaluator),
            ValueSource::Net(net) => net.clone(),
            ValueSource::Table(table) => Box::new(Perfect::new(Arc::clone(table))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_baselines_and_lookaheads_are_read() {
        assert!(matches!(
            "greedy+2ply".parse::<NamedAgent>(),
            Ok(NamedAgent::Baseline {
                baseline: Baseline::Greedy,
                plies: 2
            })
        ));
        for text in ["policy", "1ply", "3ply", "mcts:25", "novice", "perfect"] {
            assert_eq!(text.parse::<Lookahead>().expect("known").to_string(), text);
        }
        assert_eq!(
            "mcts".parse::<Lookahead>().ok(),
            Some(Lookahead::Mcts(DEFAULT_SIMULATIONS))
        );
        for (why, texts) in [
            ("+mcts:SIMULATIONS", ["", "ply", "mcts:", "mcts:x", "deep"]),
            (
                "between 1 and 4",
                ["0ply", "9ply", "-1ply", "300ply", "99999999999999999999ply"],
            ),
            (
                "between 1 and 1000000",
                [
                    "mcts:0",
                    "mcts:1000001",
                    "mcts:1000000000",
                    "mcts:-5",
                    "mcts:99999999999999999999",
                ],
            ),
        ] {
            for text in texts {
                let error = text.parse::<Lookahead>().expect_err(text).to_string();
                assert!(
                    error.contains(&format!("`+{text}`")) && error.contains(why),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn an_unknown_agent_is_refused_with_the_known_names() {
        let error = "greddy"
            .parse::<NamedAgent>()
            .expect_err("no such agent")
            .to_string();
        assert!(
            error.contains("`greddy`") && error.contains("greedy+2ply"),
            "{error}"
        );
    }
}
