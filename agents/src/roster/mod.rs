//! Agents by name: the notation of agents on command lines and in settings.
//!
//! ```text
//! random | runner | hunter | greedy                   a baseline
//! greedy+2ply | greedy+3ply | …                       `greedy`, looking so many plies ahead
//! path/to/file.bot[+policy | +1ply | +2ply | … | +mcts[:simulations]]      a bot and its look-ahead
//! path/to/file.bot[+beginner | … | +expert | +perfect]                    a bot at a level of difficulty
//! perfect                                             perfect play, by the table of the game that is played
//! path/to/file.table                                  perfect play, by this table
//! ```
//!
//! A bot without a suffix looks one ply ahead: it plays the result of its turn that its network values highest. Each
//! ply more is the expectation over the next seat's throws and best responses (expectimax). `+policy` plays the
//! network's policy without looking ahead.

pub mod folders;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::num::IntErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use ashta_env::game::Game;
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;

use crate::arena::Reference;
use crate::network::bot::Bot;
use crate::network::evaluator::NetEvaluator;
use crate::perfect::table::{Perfect, Table, TableHeader};
use crate::play::agent::{Agent, OnePly, Pick, PolicyAgent};
use crate::play::baseline::{Baseline, PipEvaluator};
use crate::play::error::Error;
use crate::play::evaluator::Evaluator;
use crate::play::level::Level;
use crate::roster::folders::Folders;
use crate::search::{Expectimax, Mcts, MctsAgent, MctsConfig};

/// An agent by its name, with its files loaded.
#[derive(Clone, Debug)]
pub enum NamedAgent {
    /// A baseline.
    Baseline {
        /// Which one.
        baseline: Baseline,
        /// How many plies it looks ahead: 1, or more if it is `greedy`.
        plies: u8,
    },
    /// A bot, and its look-ahead.
    Bot {
        /// Where the bot is.
        source: BotSource,
        /// The bot.
        bot: Arc<Bot>,
        /// Its look-ahead.
        lookahead: Lookahead,
        /// Where the level `perfect` finds tables.
        tables: Arc<TableCache>,
    },
    /// Perfect play, by the table of whatever game is played.
    Perfect {
        /// Where it finds tables.
        tables: Arc<TableCache>,
    },
    /// Perfect play, by this table.
    Table {
        /// Where the file is.
        path: PathBuf,
        /// The table.
        table: Arc<Table>,
    },
}

/// Where a bot is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotSource {
    /// In a file.
    File(PathBuf),
    /// In the program itself.
    Embedded(EmbeddedBot),
}

/// A bot that the program brings in itself: the content of a bot file, and its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EmbeddedBot {
    /// The name.
    pub name: &'static str,
    /// The content.
    pub content: &'static [u8],
}

impl BotSource {
    /// The name of the bot: of a file without its folder and ending.
    pub fn name(&self) -> String {
        match self {
            BotSource::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            BotSource::Embedded(bot) => bot.name.to_owned(),
        }
    }

    /// The bytes of the bot's file.
    ///
    /// # Errors
    /// When the file cannot be read, or is too long for a bot.
    pub fn content(&self) -> Result<Cow<'static, [u8]>, Error> {
        match self {
            BotSource::File(path) => Ok(Bot::content(path)?.into()),
            BotSource::Embedded(bot) => Ok(bot.content.into()),
        }
    }

    /// The bot.
    ///
    /// # Errors
    /// When there is no bot.
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

/// The look-ahead that makes a player of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookahead {
    /// None: the action of the highest probability.
    Policy,
    /// This many plies, at least one.
    Plies(u8),
    /// Monte-Carlo tree search with this many simulations for each choice.
    Mcts(u32),
    /// One ply, at a level of difficulty.
    Level(Level),
}

/// The largest number of plies; each costs hundreds of times the one before.
const MAX_PLIES: u8 = 4;
/// What is allowed, for errors.
const PLIES_RANGE: &str = "an agent looks 1 to 4 plies ahead";
/// Simulations of `+mcts` without a number.
const DEFAULT_SIMULATIONS: u32 = 800;
/// The largest number of simulations.
const MAX_SIMULATIONS: u32 = 1_000_000;
/// What is allowed, for errors.
const SIMULATIONS_RANGE: &str = "a tree search takes 1 to 1,000,000 simulations";

/// Why there is no such agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No agent has this name: a sentence that says what it is not.
    #[error("{0}")]
    Unknown(String),
    /// The text cannot be read, or its file is damaged or is of another game.
    #[error(transparent)]
    Other(#[from] Error),
    /// There is no table of the game.
    #[error("there is no table of {ruleset} in {folders}; `ashta solve` makes one")]
    NoTable {
        /// The game that is played.
        ruleset: String,
        /// Where tables were looked for.
        folders: String,
    },
}

/// The built-in agents that play every game, roughly from weak to strong.
pub const BUILT_IN: [&str; 5] = ["random", "runner", "hunter", "greedy", "greedy+2ply"];

fn no_lookahead(suffix: &str) -> AgentError {
    let levels = Level::ALL.map(Level::name).join(", +");
    let ways = format!("write +policy, +1ply to +{MAX_PLIES}ply, +mcts:SIMULATIONS, or a level: +{levels}");
    Error::new(format!("`+{suffix}` is no way to look ahead: {ways}")).into()
}

fn perfect_already(name: &str) -> AgentError {
    Error::new(format!("`{name}` plays perfectly as it is: leave out what follows the `+`")).into()
}

fn listed<'a>(folders: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let folders: Vec<String> = folders.into_iter().map(|folder| folder.display().to_string()).collect();
    if folders.is_empty() { "any folder, as none is named".to_owned() } else { folders.join(" or ") }
}

impl FromStr for NamedAgent {
    type Err = AgentError;

    /// Loads the agent. One that plays perfectly finds no tables before [`NamedAgent::with_tables_in`] says where.
    fn from_str(text: &str) -> Result<NamedAgent, AgentError> {
        if let Some(baseline) = Baseline::named(text) {
            return Ok(NamedAgent::Baseline { baseline, plies: 1 });
        }
        let path = Path::new(text);
        if let Some(suffix) = text.strip_prefix("greedy+")
            && !path.is_file()
        {
            return match suffix.parse()? {
                Lookahead::Plies(plies) => Ok(NamedAgent::Baseline { baseline: Baseline::Greedy, plies }),
                _ => Err(Error::new(format!("`{text}`: greedy only takes +1ply to +{MAX_PLIES}ply")).into()),
            };
        }
        if text == PERFECT {
            return Ok(NamedAgent::Perfect { tables: Arc::default() });
        }
        let is_table = |path: &Path| path.extension().is_some_and(|end| end == TABLE);
        // A file may have a plus in its name, so the whole text is tried first.
        if path.is_file() && is_table(path) {
            return Ok(NamedAgent::Table { path: path.to_owned(), table: Arc::new(Table::read(path)?) });
        }
        if path.is_file() {
            return NamedAgent::of_source(BotSource::File(path.to_owned()), Lookahead::Plies(1));
        }
        match text.rsplit_once('+') {
            Some((path, _)) if path == PERFECT || is_table(Path::new(path)) => Err(perfect_already(path)),
            Some((path, suffix)) if Path::new(path).is_file() => {
                NamedAgent::of_source(BotSource::File(path.into()), suffix.parse()?)
            }
            behind => {
                let mut names = std::iter::once(text).chain(behind.map(|(name, _)| name));
                Err(AgentError::Unknown(match names.find(|name| Path::new(name).exists()) {
                    Some(name) => format!("`{name}` is not a regular file"),
                    None => format!(
                        "`{text}` is no agent: there is no such file, and the built-in agents are {}, {PERFECT}",
                        BUILT_IN.join(", ")
                    ),
                }))
            }
        }
    }
}

impl FromStr for Lookahead {
    type Err = AgentError;

    fn from_str(suffix: &str) -> Result<Lookahead, AgentError> {
        let number = |text: &str, most: u32, range: &str| match text.parse::<i64>() {
            Ok(number) if (1..=i64::from(most)).contains(&number) => Ok(number as u32),
            Err(error) if matches!(error.kind(), IntErrorKind::Empty | IntErrorKind::InvalidDigit) => {
                Err(no_lookahead(suffix))
            }
            _ => Err(Error::new(format!("`+{suffix}`: {range}")).into()),
        };
        match (suffix.strip_suffix("ply"), suffix.strip_prefix("mcts:")) {
            _ if suffix == "policy" => Ok(Lookahead::Policy),
            _ if suffix == "mcts" => Ok(Lookahead::Mcts(DEFAULT_SIMULATIONS)),
            (Some(plies), _) => Ok(Lookahead::Plies(number(plies, MAX_PLIES.into(), PLIES_RANGE)? as u8)),
            (_, Some(count)) => Ok(Lookahead::Mcts(number(count, MAX_SIMULATIONS, SIMULATIONS_RANGE)?)),
            _ => Level::named(suffix).map(Lookahead::Level).ok_or_else(|| no_lookahead(suffix)),
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
            NamedAgent::Bot { source, lookahead: Lookahead::Plies(1), .. } => source.fmt(f),
            NamedAgent::Bot { source, lookahead, .. } => write!(f, "{source}+{lookahead}"),
            NamedAgent::Perfect { .. } => f.write_str(PERFECT),
            NamedAgent::Table { path, .. } => path.display().fmt(f),
        }
    }
}

/// The tables of a folder or several, read when they are needed.
#[derive(Debug, Default)]
pub struct TableCache {
    folders: Folders,
    tables: Mutex<BTreeMap<u64, Arc<Table>>>,
}

impl TableCache {
    fn new(folders: &Folders) -> Arc<TableCache> {
        Arc::new(TableCache { folders: folders.clone(), tables: Mutex::default() })
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
                Ok(header) if header.ruleset == *ruleset && header.facts.is_some() => match Table::read(&path) {
                    Ok(table) => return Ok(Arc::clone(tables.entry(hash).or_insert(Arc::new(table)))),
                    Err(error) => damaged = Some(error.into()),
                },
                Ok(_) => {}
                Err(error) => self.folders.leave_out(&error),
            }
        }
        let folders = listed(&self.folders.folders);
        Err(damaged.unwrap_or_else(|| AgentError::NoTable { ruleset: ruleset.to_string(), folders }))
    }
}

impl NamedAgent {
    /// The agent of a file at hand, called `name`, for programs without files: a bot, with what would follow the `+`
    /// behind its name or nothing, or a table of perfect play.
    ///
    /// # Errors
    /// When `content` is neither a bot nor a table, or there is no such look-ahead.
    pub fn of_file(name: &str, content: &[u8], lookahead: &str) -> Result<NamedAgent, AgentError> {
        let path = PathBuf::from(name);
        if Table::is_table(content) {
            if !lookahead.is_empty() {
                return Err(perfect_already(name));
            }
            return Ok(NamedAgent::Table { path, table: Arc::new(Table::from_bytes(content)?) });
        }
        let lookahead = if lookahead.is_empty() { Lookahead::Plies(1) } else { lookahead.parse()? };
        Ok(NamedAgent::of_bot(BotSource::File(path), Bot::from_bytes(content)?, lookahead))
    }

    /// The agent of a bot at hand, which has come from `source` once.
    pub fn of_bot(source: BotSource, bot: Bot, lookahead: Lookahead) -> NamedAgent {
        NamedAgent::Bot { source, bot: Arc::new(bot), lookahead, tables: Arc::default() }
    }

    fn of_source(source: BotSource, lookahead: Lookahead) -> Result<NamedAgent, AgentError> {
        let bot = source.read()?;
        Ok(NamedAgent::of_bot(source, bot, lookahead))
    }

    /// The same agent, which looks for tables of perfect play in `folders` once a game is known.
    #[must_use]
    pub fn with_tables_in(mut self, folders: &Folders) -> NamedAgent {
        if let NamedAgent::Bot { tables, .. } | NamedAgent::Perfect { tables } = &mut self {
            *tables = TableCache::new(folders);
        }
        self
    }

    /// The bot behind the agent, if it is one.
    pub fn bot(&self) -> Option<&Bot> {
        if let NamedAgent::Bot { bot, .. } = self { Some(bot) } else { None }
    }

    /// The table file behind the agent, if it is one.
    pub fn table(&self) -> Option<&Table> {
        if let NamedAgent::Table { table, .. } = self { Some(table) } else { None }
    }

    /// The game that its bot or its table is made for; `None` where it plays any.
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

    /// The memory of its networks and tables, about, in bytes.
    pub fn bytes(&self) -> usize {
        let cached = |tables: &TableCache| -> usize {
            tables.tables.lock().unwrap_or_else(PoisonError::into_inner).values().map(|table| table.bytes()).sum()
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

    /// Its name, without the folder of its file.
    pub fn name(&self) -> String {
        match self {
            NamedAgent::Bot { source, lookahead: Lookahead::Plies(1), .. } => source.name(),
            NamedAgent::Bot { source, lookahead, .. } => format!("{}+{lookahead}", source.name()),
            other => other.to_string(),
        }
    }

    /// The checksum of a bot, which identifies its version; other agents have none.
    pub fn version(&self) -> Option<String> {
        self.bot().map(|bot| format!("{:08x}", bot.manifest.checksum))
    }

    /// The agent as a player of a game.
    ///
    /// # Errors
    /// When it is a bot or a table made for another game, or there is no table of this one.
    pub fn player(&self, race: &Race) -> Result<Player, AgentError> {
        const ONE_PLY: Lookahead = Lookahead::Plies(1);
        let perfect = |table| (ValueSource::Table(table), ONE_PLY, Pick::First);
        let (values, lookahead, pick) = match self {
            NamedAgent::Baseline { plies, .. } => (ValueSource::Pips, Lookahead::Plies(*plies), Pick::Drawn),
            NamedAgent::Perfect { tables } => perfect(tables.table(race.ruleset())?),
            NamedAgent::Bot { bot, lookahead, tables, .. } => {
                bot.check_ruleset(race.spec())?;
                let net = ValueSource::Net(Box::new(bot.evaluator()));
                match *lookahead {
                    Lookahead::Level(Level::Perfect) => perfect(tables.table(race.ruleset())?),
                    Lookahead::Level(Level::Expert) => (net, ONE_PLY, Pick::First),
                    Lookahead::Level(level) => {
                        let found = bot.manifest.levels.iter().find(|found| found.level == level).ok_or_else(|| {
                            let why = "it was not calibrated; `ashta levels` does that";
                            Error::new(format!("the bot has no level `{level}`: {why}"))
                        })?;
                        (net, ONE_PLY, Pick::Softmax(found.temperature))
                    }
                    lookahead => (net, lookahead, Pick::First),
                }
            }
            NamedAgent::Table { table, .. } => {
                let (expected, found) = (race.ruleset(), table.ruleset());
                Error::unless(found == expected, || format!("the table is of {found}, not of {expected}"))?;
                perfect(Arc::clone(table))
            }
        };
        Ok(Player { agent: self.clone(), values, lookahead, pick })
    }
}

/// An agent for one game; makes any number of instances that act.
#[derive(Clone, Debug)]
pub struct Player {
    agent: NamedAgent,
    values: ValueSource,
    lookahead: Lookahead,
    /// How it chooses one ply ahead.
    pick: Pick,
}

/// By whose values a player plays.
#[derive(Clone, Debug)]
enum ValueSource {
    Pips,
    Net(Box<NetEvaluator>),
    Table(Arc<Table>),
}

type BoxedEvaluator = Box<dyn Evaluator<Race> + Send>;

impl Player {
    /// The agent that plays.
    pub fn named(&self) -> &NamedAgent {
        &self.agent
    }

    /// Its values as the reference that measures luck and errors of others.
    pub fn reference(&self) -> Reference<Race> {
        let player = self.clone();
        Reference::new(self.agent.name(), self.agent.version(), move || player.evaluator())
    }

    /// The table of a perfect player.
    pub fn table(&self) -> Option<&Arc<Table>> {
        if let ValueSource::Table(table) = &self.values { Some(table) } else { None }
    }

    /// A new instance that acts.
    pub fn agent(&self) -> Box<dyn Agent<Race> + Send> {
        match (&self.agent, self.lookahead) {
            (NamedAgent::Baseline { baseline, plies: 1 }, _) => baseline.agent(),
            (_, Lookahead::Policy) => Box::new(PolicyAgent { evaluator: self.evaluator() }),
            (_, Lookahead::Mcts(simulations)) => Box::new(MctsAgent { mcts: mcts(self.leaves(), simulations) }),
            _ => Box::new(OnePly::picking(self.evaluator(), self.pick)),
        }
    }

    /// Whether it always plays the afterstate that [`Player::evaluator`] values highest.
    pub fn plays_by_values(&self) -> bool {
        !self.draws() && matches!(self.lookahead, Lookahead::Plies(_))
    }

    /// Whether it draws among afterstates: baselines among equals, weakened bots among all.
    pub fn draws(&self) -> bool {
        self.pick != Pick::First
    }

    /// Its value estimates of positions. Baselines without an evaluator have that of `greedy`.
    pub fn evaluator(&self) -> BoxedEvaluator {
        match self.lookahead {
            Lookahead::Plies(plies @ 2..) => {
                Box::new(Expectimax::<Race, _>::new(self.leaves(), usize::from(plies) - 1))
            }
            Lookahead::Mcts(simulations) => Box::new(mcts(self.leaves(), simulations)),
            _ => self.leaves(),
        }
    }

    /// What a search asks at its leaves.
    fn leaves(&self) -> BoxedEvaluator {
        match &self.values {
            ValueSource::Pips => Box::new(PipEvaluator),
            ValueSource::Net(net) => net.clone(),
            ValueSource::Table(table) => Box::new(Perfect::new(Arc::clone(table))),
        }
    }
}

fn mcts(leaves: BoxedEvaluator, simulations: u32) -> Mcts<BoxedEvaluator> {
    Mcts::new(leaves, MctsConfig { simulations, ..MctsConfig::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_baselines_and_lookaheads_are_read() {
        assert!(matches!(
            "greedy+2ply".parse::<NamedAgent>(),
            Ok(NamedAgent::Baseline { baseline: Baseline::Greedy, plies: 2 })
        ));
        for text in ["policy", "1ply", "3ply", "mcts:25", "novice", "perfect"] {
            assert_eq!(text.parse::<Lookahead>().expect("known").to_string(), text);
        }
        assert_eq!("mcts".parse::<Lookahead>().ok(), Some(Lookahead::Mcts(DEFAULT_SIMULATIONS)));
        for (why, texts) in [
            ("+mcts:SIMULATIONS", ["", "ply", "mcts:", "mcts:x", "deep"]),
            ("1 to 4 plies", ["0ply", "9ply", "-1ply", "300ply", "99999999999999999999ply"]),
            ("1 to 1,000,000 ", ["mcts:0", "mcts:1000001", "mcts:1000000000", "mcts:-5", "mcts:99999999999999999999"]),
        ] {
            for text in texts {
                let error = text.parse::<Lookahead>().expect_err(text).to_string();
                assert!(error.contains(&format!("`+{text}`")) && error.contains(why), "{error}");
            }
        }
    }

    #[test]
    fn what_is_no_agent_is_named() {
        let error = "greddy".parse::<NamedAgent>().expect_err("no such agent").to_string();
        assert!(error.contains("`greddy`") && error.contains("greedy+2ply"), "{error}");
    }
}
