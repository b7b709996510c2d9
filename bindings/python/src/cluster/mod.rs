//! The parts of a run that `ashta.ray` spreads over many machines: what drives it, and its workers.
//!
//! What goes from one process to another are settings as TOML, messages of `ashta_train::wire` as `bytes`, weights as
//! `float32` arrays and files as `dict`s from their path in a checkpoint to their content.

mod arena;
mod attachments;
mod run;
mod workers;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};

pub use arena::{ArenaShare, SpreadArena};
pub use run::{Plan, TrainingRun};

pub use workers::{RunEvaluator, SelfPlay, Trainer};

/// Files by their paths in a folder, with `/` between the parts.
type Files = BTreeMap<String, Vec<u8>>;

/// A folder of its own, removed at its end.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("ashta-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch(path)),
                // Of an earlier process with the same number, which was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("cannot make the folder {}", path.display())),
            }
        }
    }

    /// A folder with these files.
    fn with(files: &Files) -> Result<Scratch> {
        let scratch = Scratch::new()?;
        write_files(&scratch.0, files)?;
        Ok(scratch)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What remains is in the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes files into a folder.
fn write_files(folder: &Path, files: &Files) -> Result<()> {
    for (name, content) in files {
        let is_inside = !name.is_empty() && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        ensure!(is_inside, "{name:?} is no path within a folder");
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Every file of a folder.
fn read_files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        let cannot_read = || format!("cannot read the folder {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(cannot_read)? {
            let path = entry.with_context(cannot_read)?.path();
            let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
            if path.is_dir() {
                open.push((path, name + "/"));
            } else {
                let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                files.insert(name, content);
            }
        }
    }
    Ok(files)
}
