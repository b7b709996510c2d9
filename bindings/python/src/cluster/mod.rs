//! The parts of a training run that `ashta.ray` spreads over many machines: the training loop and
//! its workers.
//!
//! Processes exchange settings as TOML, messages of `ashta_train::run::wire` as `bytes`, weights as
//! `float32` arrays, and files as `dict`s. The keys of such a dict are paths in a checkpoint, the
//! values are the contents.

pub(crate) mod attachments;
mod run;
mod workers;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ashta_agents::play::files::{open_regular, read_within};
use tempfile::TempDir;

pub use run::TrainingRun;
pub use workers::{RunEvaluator, SelfPlay, Trainer, numerics};

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

fn read_files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?
    {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            files.extend(
                read_files(&path)?
                    .into_iter()
                    .map(|(inner, content)| (format!("{name}/{inner}"), content)),
            );
        } else {
            files.insert(name.into_owned(), read(&path)?);
        }
    }
    Ok(files)
}
