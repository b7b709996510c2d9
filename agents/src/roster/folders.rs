//! Finds bots and tables by name, in folders and in the program itself, and the reference for luck
//! and errors.
//!
//! The caller provides the folders and the embedded bots. [`crate::network::bot`] and
//! [`crate::perfect::table`] read the files.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use ashta_env::race::Race;

use super::{
    AgentError, BotSource, EmbeddedBot, Lookahead, NamedAgent, PERFECT, Player, TABLE, TableCache,
    listed,
};
use crate::play::{baseline::Baseline, error::Error, files::open_regular};

/// The file extension of bots.
pub const BOT: &str = "bot";

/// The folders of bots and tables, and the bots that are part of the program. If several files have
/// the same name, the file in the first folder is used. An embedded bot is used if no file has its
/// name.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// The folders; a missing folder counts as empty.
    pub folders: Vec<PathBuf>,
    /// The bots in the program.
    pub embedded: &'static [EmbeddedBot],
    /// Receives a message about each folder or file that is skipped because it cannot be read.
    /// Files that are loaded by name cause errors instead.
    pub warn: Option<fn(&str)>,
}

impl From<Vec<PathBuf>> for Folders {
    fn from(folders: Vec<PathBuf>) -> Folders {
        Folders {
            folders,
            ..Folders::default()
        }
    }
}

impl Folders {
    /// Loads an agent. Accepts the text of a [`NamedAgent`] or the name of a bot: `ashtapada+2ply`
    /// is `FOLDER/ashtapada.bot+2ply`.
    ///
    /// # Errors
    /// When there is no such agent, or its file is damaged.
    pub fn agent(&self, name: &str) -> Result<NamedAgent, AgentError> {
        let agent = match name.parse() {
            Err(AgentError::Unknown(unknown)) => self
                .load_bot(name)?
                .ok_or_else(|| self.with_bots(&unknown))?,
            parsed => parsed?,
        };
        Ok(agent.with_tables_in(self))
    }

    /// Loads a baseline, perfect play, or a bot by its name, never a file by its path.
    ///
    /// # Errors
    /// When there is no such agent, or its file is damaged. The error for an unknown name does not
    /// mention folders or files.
    pub fn agent_by_name(&self, name: &str) -> Result<NamedAgent, AgentError> {
        let is_greedy = name.split('+').next() == Some(Baseline::Greedy.name());
        let agent = match self.load_bot(name)? {
            Some(bot) => bot,
            None if is_greedy || Baseline::from_name(name).is_some() || name == PERFECT => {
                name.parse()?
            }
            None => {
                return Err(AgentError::Unknown(format!(
                    "no agent has the name `{name}`"
                )));
            }
        };
        Ok(agent.with_tables_in(self))
    }

    /// Loads the bot of `NAME[+LOOKAHEAD]`; `None` if no bot has this name.
    fn load_bot(&self, text: &str) -> Result<Option<NamedAgent>, AgentError> {
        let (name, suffix) = text
            .split_once('+')
            .map_or((text, None), |(name, suffix)| (name, Some(suffix)));
        let Some(source) = self.bot(name) else {
            return Ok(None);
        };
        NamedAgent::of_source(source, suffix.map_or(Ok(Lookahead::Plies(1)), str::parse)?).map(Some)
    }

    /// An error for an unknown agent, with a list of all bots.
    fn with_bots(&self, unknown: &str) -> AgentError {
        let names: Vec<String> = self.bots().into_iter().map(|(name, _)| name).collect();
        let program = Some(PathBuf::from("the program")).filter(|_| !self.embedded.is_empty());
        let places = listed(self.folders.iter().chain(&program));
        AgentError::Unknown(match names.join(", ").as_str() {
            "" => format!("{unknown}; no bots in {places}"),
            names => format!("{unknown}; bots in {places}: {names}"),
        })
    }

    /// The bot of this name.
    pub fn bot(&self, name: &str) -> Option<BotSource> {
        let embedded = || {
            self.embedded
                .iter()
                .find(|bot| bot.name == name)
                .copied()
                .map(BotSource::Embedded)
        };
        self.file(name, BOT).map(BotSource::File).or_else(embedded)
    }

    /// The file of the table of this name.
    pub fn table(&self, name: &str) -> Option<PathBuf> {
        self.file(name, TABLE)
    }

    fn file(&self, name: &str, ending: &str) -> Option<PathBuf> {
        let is_name = Path::new(name).file_name().is_some_and(|file| file == name);
        let mut files = self
            .folders
            .iter()
            .map(|folder| folder.join(format!("{name}.{ending}")));
        files.find(|file| is_name && file.is_file())
    }

    /// The bots, by name.
    pub fn bots(&self) -> Vec<(String, BotSource)> {
        let mut bots = BTreeMap::new();
        for source in self.files(BOT).into_iter().map(BotSource::File) {
            bots.entry(source.name()).or_insert(source);
        }
        for bot in self.embedded {
            bots.entry(bot.name.to_owned())
                .or_insert(BotSource::Embedded(*bot));
        }
        bots.into_iter().collect()
    }

    /// The table files.
    pub fn tables(&self) -> Vec<PathBuf> {
        let mut files = self.files(TABLE);
        files.sort_unstable();
        files
    }

    /// The regular files with this extension, folder by folder.
    fn files(&self, ending: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in &self.folders {
            let list = || {
                folder
                    .read_dir()?
                    .map(|entry| Ok(entry?.path()))
                    .collect::<io::Result<Vec<PathBuf>>>()
            };
            match list() {
                Ok(paths) => files.extend(
                    paths
                        .into_iter()
                        .filter(|path| path.extension() == Some(ending.as_ref())),
                ),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => self.warn_skipped(&Error::caused(
                    format!("cannot read {}", folder.display()),
                    error,
                )),
            }
        }
        files.retain(|path| {
            open_regular(path)
                .map_err(Error::because(format!("cannot read {}", path.display())))
                .map_err(|error| self.warn_skipped(&error))
                .is_ok()
        });
        files
    }

    /// Warns that a file or folder is skipped, with all causes.
    pub(super) fn warn_skipped(&self, error: &dyn std::error::Error) {
        let text = std::iter::successors(error.source(), |error| error.source())
            .fold(format!("skipped: {error}"), |text, cause| {
                format!("{text}: {cause}")
            });
        self.warn.iter().for_each(|warn| warn(&text));
    }

    /// Perfect play of a game, if there is a table of the game that can be read.
    pub fn perfect(&self, race: &Race) -> Option<Player> {
        let player = NamedAgent::Perfect {
            tables: TableCache::new(self),
        }
        .player(race);
        if let Err(error @ AgentError::Other(_)) = &player {
            self.warn_skipped(error);
        }
        player.ok()
    }

    /// Finds the reference evaluator that measures luck and errors. `auto` is perfect play if the
    /// game is solved, otherwise the bot of this game with the largest value network, if there is
    /// one. `none` disables the reference. Any other text names an agent.
    ///
    /// # Errors
    /// When there is no such agent, or it plays another game.
    pub fn reference(&self, spec: &str, race: &Race) -> Result<Option<Player>, AgentError> {
        match spec {
            "none" => Ok(None),
            "auto" => Ok(self.perfect(race).or_else(|| self.largest_bot(race))),
            spec => Ok(Some(self.agent(spec)?.player(race)?)),
        }
    }

    /// The bot of this game with the largest value network, one ply ahead, if there is a bot.
    pub fn largest_bot(&self, race: &Race) -> Option<Player> {
        let mut largest: Option<(usize, Player)> = None;
        for (_, source) in self.bots() {
            let Ok(agent) = NamedAgent::of_source(source, Lookahead::Plies(1))
                .map_err(|error| self.warn_skipped(&error))
            else {
                continue;
            };
            let size = agent
                .bot()
                .map_or(0, |bot| bot.manifest.shape.value.parameters());
            if let Ok(player) = agent.player(race)
                && largest.as_ref().is_none_or(|(most, _)| size > *most)
            {
                largest = Some((size, player));
            }
        }
        largest.map(|(_, player)| player)
    }
}
