//! Bots and tables that go along to other machines.

use std::path::PathBuf;

use anyhow::{Context, Result};
use ashta_agents::perfect::table::TableHeader;
use ashta_agents::roster::NamedAgent;
use ashta_agents::roster::folders::Folders;
use ashta_env::race::Race;

use super::{Files, read};

/// An agent with the content of its file: its name, of a bot its look-ahead, and the content, empty where it has none.
pub(crate) type PackedAgent = (String, String, Vec<u8>);

/// An agent with the content of its file.
pub(crate) fn pack(agent: &NamedAgent) -> Result<PackedAgent> {
    Ok(match agent {
        NamedAgent::Bot { source, bot, lookahead, .. } => (source.to_string(), lookahead.to_string(), bot.to_bytes()?),
        NamedAgent::Table { path, .. } => (path.display().to_string(), String::new(), read(path)?),
        other => (other.to_string(), String::new(), Vec::new()),
    })
}

/// The agent that was packed; the table of perfect play is in `folders`, where it came along.
pub(crate) fn unpack((name, lookahead, content): &PackedAgent, folders: &Folders) -> Result<NamedAgent> {
    if content.is_empty() {
        return Ok(folders.agent(name)?);
    }
    Ok(NamedAgent::of_file(name, content, lookahead)?.with_tables_in(folders))
}

/// The table of a game, where it is solved.
pub(crate) fn tables(folders: &Folders, race: &Race) -> Result<Files> {
    if folders.perfect(race).is_none() {
        return Ok(Files::new());
    }
    let is_ours = |path: &PathBuf| {
        TableHeader::read(path).is_ok_and(|header| header.ruleset == *race.ruleset() && header.facts.is_some())
    };
    let path = folders.tables().into_iter().find(is_ours).context("the table was there a moment ago")?;
    Ok(Files::from([("perfect.table".to_owned(), read(&path)?)]))
}
