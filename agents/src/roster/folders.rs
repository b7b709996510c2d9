//! Folders of bots and tables: agents by the names of files in them, and the reference for luck and errors.
//!
//! The caller chooses the folders. Files are read by [`crate::network::bot`] and [`crate::perfect::table`].

use std::path::{Path, PathBuf};

use ashta_env::race::Race;

use super::{AgentError, AgentSpec, Lookahead, Player, Roster, table_files};

pub use super::TABLE;

/// The file extension of bots.
pub const BOT: &str = "bot";

/// The folders of named bots and tables; of two with the same name that in the first folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Folders(pub Vec<PathBuf>);

impl Folders {
    /// Loads an agent as [`AgentSpec`] reads it; a bot also by its name: `ashtapada+2ply` is
    /// `FOLDER/ashtapada.bot+2ply`.
    ///
    /// # Errors
    /// When there is no such agent, or its file is damaged.
    pub fn agent(&self, spec: &str) -> Result<Roster, AgentError> {
        let parsed = match spec.parse() {
            Err(unknown @ AgentError::Unknown { .. }) => self.named(spec, unknown)?,
            parsed => parsed?,
        };
        parsed.load(&self.0)
    }

    fn named(&self, spec: &str, unknown: AgentError) -> Result<AgentSpec, AgentError> {
        let bots = self.bots();
        let (name, lookahead) = spec.split_at(spec.find('+').unwrap_or(spec.len()));
        if let Some((_, path)) = bots.iter().find(|(known, _)| known == name) {
            return format!("{}{lookahead}", path.display()).parse();
        }
        let folders: Vec<String> = self.0.iter().map(|folder| folder.display().to_string()).collect();
        let names: Vec<String> = bots.into_iter().map(|(name, _)| name).collect();
        Err(AgentError::NoBot { unknown: Box::new(unknown), names: names.join(", "), folders: folders.join(" or ") })
    }

    /// The file of a bot or a table by its name, without its `ending`, [`BOT`] or [`TABLE`].
    pub fn file(&self, name: &str, ending: &str) -> Option<PathBuf> {
        let is_name = Path::new(name).file_name().is_some_and(|file| file == name);
        let mut files = self.0.iter().map(|folder| folder.join(format!("{name}.{ending}")));
        files.find(|file| is_name && file.is_file())
    }

    /// The bots, by name.
    pub fn bots(&self) -> Vec<(String, PathBuf)> {
        let mut bots: Vec<(String, PathBuf)> = Vec::new();
        for file in self.0.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten() {
            let path = file.path();
            let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
            if let Some(name) = name.filter(|_| path.extension().is_some_and(|end| end == BOT))
                && bots.iter().all(|(other, _)| *other != name)
            {
                bots.push((name, path));
            }
        }
        bots.sort();
        bots
    }

    /// The files of tables.
    pub fn tables(&self) -> Vec<PathBuf> {
        table_files(&self.0)
    }

    /// Perfect play of a game, where there is a table of it.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn perfect(&self, race: &Race) -> Result<Option<Player>, AgentError> {
        match AgentSpec::Perfect.load(&self.0)?.player(race) {
            Ok(player) => Ok(Some(player)),
            Err(AgentError::NoTable { .. }) => Ok(None),
            Err(error) => Err(error),
        }
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
            "auto" => match self.perfect(race)? {
                Some(player) => Ok(Some(player)),
                None => self.largest_bot(race),
            },
            spec => Ok(Some(self.agent(spec)?.player(race)?)),
        }
    }

    fn largest_bot(&self, race: &Race) -> Result<Option<Player>, AgentError> {
        let mut largest: Option<(usize, Player)> = None;
        for (_, path) in self.bots() {
            let agent = AgentSpec::Bot { path, lookahead: Lookahead::Plies(1) }.load(&self.0)?;
            let size = agent.bot().map_or(0, |bot| bot.manifest.shape.value.parameters());
            if let Ok(player) = agent.player(race)
                && largest.as_ref().is_none_or(|(most, _)| size > *most)
            {
                largest = Some((size, player));
            }
        }
        Ok(largest.map(|(_, player)| player))
    }
}
