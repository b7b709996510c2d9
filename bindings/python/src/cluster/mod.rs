//! Agents with their files, as data for other machines.

pub(crate) mod attachments;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ashta_agents::play::files::{open_regular, read_within};
use tempfile::TempDir;

/// The contents of files by their relative paths, with `/` as separator.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Makes a temporary folder with these files; dropping the result removes the folder.
pub(crate) fn scratch(files: &Files) -> Result<TempDir> {
    let folder = TempDir::with_prefix("ashta-").context("cannot make a temporary folder")?;
    write_files(folder.path(), files)?;
    Ok(folder)
}

fn write_files(folder: &Path, files: &Files) -> Result<()> {
    for (name, content) in files {
        let is_inside =
            !name.is_empty() && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        ensure!(is_inside, "{name:?} is not a relative path inside a folder");
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot make the folder {}", parent.display()))?;
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let read = open_regular(path).and_then(|file| read_within(u64::MAX, file));
    read.with_context(|| format!("cannot read {}", path.display()))
}
