//! Bots and tables that go along to other machines, and are found there by the names that they had.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ashta_agents::perfect::table::TableHeader;
use ashta_agents::roster::folders::{BOT, Folders};
use ashta_agents::roster::{NamedAgent, Player, TABLE};
use ashta_env::race::Race;

use super::{Files, Scratch};

/// The name of an agent as it was written, without what follows its last `+`; a file may have one in its name.
fn stem(spec: &str) -> &str {
    let end = if Path::new(spec).is_file() { None } else { spec.rfind('+') };
    &spec[..end.unwrap_or(spec.len())]
}

/// Adds the file of an agent that is written `spec`, if it is one.
pub(super) fn pack(spec: &str, agent: &NamedAgent, files: &mut Files) -> Result<()> {
    let (content, ending) = match agent {
        NamedAgent::Bot { source, .. } => (source.content()?.into_owned(), BOT),
        NamedAgent::Table { path, .. } => {
            (fs::read(path).with_context(|| format!("cannot read {}", path.display()))?, TABLE)
        }
        _ => return Ok(()),
    };
    files.insert(format!("{}|{ending}", stem(spec)), content);
    Ok(())
}

/// The table of a game, where it is solved.
pub(super) fn tables(folders: &Folders, race: &Race) -> Result<Files> {
    if folders.perfect(race)?.is_none() {
        return Ok(Files::new());
    }
    let is_ours = |path: &PathBuf| {
        TableHeader::read(path).is_ok_and(|header| header.ruleset == *race.ruleset() && header.facts.is_some())
    };
    let path = folders.tables()?.into_iter().find(is_ours).context("the table was there a moment ago")?;
    let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Files::from([("perfect.table".to_owned(), content)]))
}

/// Files that came along.
#[derive(Debug)]
pub(super) struct Attachments {
    folder: Scratch,
    /// What the agents were called, and where they are now.
    moved: Vec<(String, PathBuf)>,
}

impl Attachments {
    /// Unpacks what [`pack`] and [`tables`] have packed.
    pub(super) fn new(files: &Files, tables: &Files) -> Result<Attachments> {
        let folder = Scratch::with(tables)?;
        let mut moved = Vec::new();
        for (number, (name, content)) in files.iter().enumerate() {
            let (stem, ending) = name.rsplit_once('|').context("the name of a file has its ending behind a `|`")?;
            let path = folder.0.join(format!("agent-{number}.{ending}"));
            fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
            moved.push((stem.to_owned(), path));
        }
        Ok(Attachments { folder, moved })
    }

    fn folders(&self) -> Folders {
        vec![self.folder.0.clone()].into()
    }

    /// The agent that was written `spec`.
    pub(super) fn agent(&self, spec: &str) -> Result<NamedAgent> {
        let here = self.moved.iter().find_map(|(name, path)| {
            let rest = spec.strip_prefix(name.as_str())?;
            (rest.is_empty() || rest.starts_with('+')).then(|| format!("{}{rest}", path.display()))
        });
        Ok(self.folders().agent(here.as_deref().unwrap_or(spec))?)
    }

    /// Perfect play of a game, where it came along.
    pub(super) fn perfect(&self, race: &Race) -> Result<Option<Player>> {
        Ok(self.folders().perfect(race)?)
    }
}
