//! Bots and tables by name: in folders and in the program itself; and the reference for luck and errors.
//!
//! The caller chooses the folders and what the program brings. Files are read by [`crate::network::bot`] and
//! [`crate::perfect::table`].

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ashta_env::race::Race;

use super::{AgentError, BotSource, EmbeddedBot, Lookahead, NamedAgent, PERFECT, Player, TABLE, TableCache, listed};
use crate::play::baseline::Baseline;
use crate::play::error::Error;
use crate::play::files::open_regular;

/// The file extension of bots.
pub const BOT: &str = "bot";

/// Where bots and tables go by their names: in folders, and bots also in the program itself. Of two with the same name
/// that in the first folder counts, and last what the program brings.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// The folders; those that do not exist hold nothing.
    pub folders: Vec<PathBuf>,
    /// The bots in the program.
    pub embedded: &'static [EmbeddedBot],
    /// Receives a sentence about each folder or file that is left out: it cannot be read, and no name asked for it.
    pub warn: Option<fn(&str)>,
}

impl From<Vec<PathBuf>> for Folders {
    fn from(folders: Vec<PathBuf>) -> Folders {
        Folders { folders, ..Folders::default() }
    }
}

impl Folders {
    /// Loads an agent as [`NamedAgent`] reads it; a bot also by its name: `ashtapada+2ply` is
    /// `FOLDER/ashtapada.bot+2ply`.
    ///
    /// # Errors
    /// When there is no such agent, or its file is damaged.
    pub fn agent(&self, name: &str) -> Result<NamedAgent, AgentError> {
        let agent = match name.parse() {
            Err(AgentError::Unknown(unknown)) => self.named(name, &unknown)?,
            parsed => parsed?,
        };
        Ok(agent.with_tables_in(self))
    }

    /// Loads a baseline, perfect play, or a bot by its name, never a file by its path.
    ///
    /// # Errors
    /// When there is no such agent, or its file is damaged. An unknown name says nothing of folders and files.
    pub fn agent_by_name(&self, name: &str) -> Result<NamedAgent, AgentError> {
        let unknown = || AgentError::Unknown(format!("there is no agent and no bot with the name `{name}`"));
        let (base, suffix) = name.split_at(name.find('+').unwrap_or(name.len()));
        suffix.strip_prefix('+').map(str::parse::<Lookahead>).transpose()?;
        if self.bot(base).is_some() {
            return Ok(self.named(name, name)?.with_tables_in(self));
        }
        let is_built_in = Baseline::named(name).is_some() || base == Baseline::Greedy.name() || name == PERFECT;
        if is_built_in { Ok(name.parse::<NamedAgent>()?.with_tables_in(self)) } else { Err(unknown()) }
    }

    fn named(&self, name: &str, unknown: &str) -> Result<NamedAgent, AgentError> {
        let (name, lookahead) = name.split_at(name.find('+').unwrap_or(name.len()));
        if let Some(source) = self.bot(name) {
            let lookahead = lookahead.strip_prefix('+').map_or(Ok(Lookahead::Plies(1)), str::parse)?;
            return NamedAgent::of_source(source, lookahead);
        }
        let names: Vec<String> = self.bots().into_iter().map(|(name, _)| name).collect();
        let program = Some(PathBuf::from("the program")).filter(|_| !self.embedded.is_empty());
        let places = listed(self.folders.iter().chain(&program));
        let bots = match names.join(", ").as_str() {
            "" => format!("there are no bots with names in {places}"),
            names => format!("the bots with names, in {places}, are {names}"),
        };
        Err(AgentError::Unknown(format!("{unknown}; {bots}")))
    }

    /// The bot of this name.
    pub fn bot(&self, name: &str) -> Option<BotSource> {
        let embedded = || self.embedded.iter().find(|bot| bot.name == name).copied().map(BotSource::Embedded);
        self.file(name, BOT).map(BotSource::File).or_else(embedded)
    }

    /// The file of the table of this name.
    pub fn table(&self, name: &str) -> Option<PathBuf> {
        self.file(name, TABLE)
    }

    fn file(&self, name: &str, ending: &str) -> Option<PathBuf> {
        let is_name = Path::new(name).file_name().is_some_and(|file| file == name);
        let mut files = self.folders.iter().map(|folder| folder.join(format!("{name}.{ending}")));
        files.find(|file| is_name && file.is_file())
    }

    /// The bots, by name.
    pub fn bots(&self) -> Vec<(String, BotSource)> {
        let mut bots = BTreeMap::new();
        for source in self.files(BOT).into_iter().map(BotSource::File) {
            bots.entry(source.name()).or_insert(source);
        }
        for bot in self.embedded {
            bots.entry(bot.name.to_owned()).or_insert(BotSource::Embedded(*bot));
        }
        bots.into_iter().collect()
    }

    /// The files of tables.
    pub fn tables(&self) -> Vec<PathBuf> {
        let mut files = self.files(TABLE);
        files.sort_unstable();
        files
    }

    /// The regular files with this ending, folder by folder.
    fn files(&self, ending: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in &self.folders {
            let list = || folder.read_dir()?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
            match list() {
                Ok(paths) => files.extend(paths.into_iter().filter(|path| path.extension() == Some(ending.as_ref()))),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => self.leave_out(&Error::caused(format!("cannot read {}", folder.display()), error)),
            }
        }
        files.retain(|path| {
            let opened = open_regular(path).map_err(Error::because(format!("cannot read {}", path.display())));
            opened.map_err(|error| self.leave_out(&error)).is_ok()
        });
        files
    }

    /// Warns of what cannot be read, with the causes.
    pub(super) fn leave_out(&self, error: &dyn std::error::Error) {
        let causes = std::iter::successors(error.source(), |error| error.source());
        let text = causes.fold(format!("left out: {error}"), |text, cause| format!("{text}: {cause}"));
        self.warn.iter().for_each(|warn| warn(&text));
    }

    /// Perfect play of a game, where there is a table of it that can be read.
    pub fn perfect(&self, race: &Race) -> Option<Player> {
        let player = NamedAgent::Perfect { tables: TableCache::new(self) }.player(race);
        if let Err(error @ AgentError::Other(_)) = &player {
            self.leave_out(error);
        }
        player.ok()
    }

    /// Finds the reference evaluator that measures luck and errors: `auto` is perfect play where the game is solved,
    /// otherwise the bot that plays the game with the largest value network, if there is one; `none` is none; anything
    /// else an agent.
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

    /// The bot that plays a game with the largest value network, one ply ahead, if there is one.
    pub fn largest_bot(&self, race: &Race) -> Option<Player> {
        let mut largest: Option<(usize, Player)> = None;
        for (_, source) in self.bots() {
            let read = NamedAgent::of_source(source, Lookahead::Plies(1));
            let Ok(agent) = read.map_err(|error| self.leave_out(&error)) else { continue };
            let size = agent.bot().map_or(0, |bot| bot.manifest.shape.value.parameters());
            if let Ok(player) = agent.player(race)
                && largest.as_ref().is_none_or(|(most, _)| size > *most)
            {
                largest = Some((size, player));
            }
        }
        largest.map(|(_, player)| player)
    }
}
