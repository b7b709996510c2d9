//! Bots and tables as bytes, to send them to other machines.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use ashta_agents::{
    perfect::table::TableHeader,
    play::files::{open_regular, read_within},
    roster::{NamedAgent, folders::Folders},
};
use ashta_env::race::Race;

/// An agent as data: its name, its look-ahead (for a bot), and the content of its file (empty if
/// there is no file).
pub type PackedAgent = (String, String, Vec<u8>);

/// The contents of files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

fn read(path: &Path) -> Result<Vec<u8>> {
    let read = open_regular(path).and_then(|file| read_within(u64::MAX, file));
    read.with_context(|| format!("cannot read {}", path.display()))
}

pub fn pack(agent: &NamedAgent) -> Result<PackedAgent> {
    Ok(match agent {
        NamedAgent::Bot {
            source,
            bot,
            lookahead,
            ..
        } => (source.to_string(), lookahead.to_string(), bot.to_bytes()?),
        NamedAgent::Table { path, .. } => (path.display().to_string(), String::new(), read(path)?),
        other => (other.to_string(), String::new(), Vec::new()),
    })
}

/// Unpacks an agent. If a table of perfect play was sent, it is in `folders`.
pub fn unpack((name, lookahead, content): &PackedAgent, folders: &Folders) -> Result<NamedAgent> {
    if content.is_empty() {
        return Ok(folders.agent(name)?);
    }
    Ok(NamedAgent::of_file(name, content, lookahead)?.with_tables_in(folders))
}

/// The table of a game as a file; empty if there is no table.
pub fn tables(folders: &Folders, race: &Race) -> Result<Files> {
    if folders.perfect(race).is_none() {
        return Ok(Files::new());
    }
    let is_ours = |path: &PathBuf| {
        TableHeader::read(path)
            .is_ok_and(|header| header.ruleset == *race.ruleset() && header.facts.is_some())
    };
    let path = folders
        .tables()
        .into_iter()
        .find(is_ours)
        .context("the table of perfect play has been removed in the meantime: start again")?;
    Ok(Files::from([("perfect.table".to_owned(), read(&path)?)]))
}
