//! Files that are written whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Ending of names that are not complete yet, or no longer.
pub const TEMPORARY: &str = "tmp";

/// Replaces the file at `path` by `content`: a reader sees the old content or the new one, never a part.
///
/// # Errors
/// When it cannot be written, with the path.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let temporary = temporary(path);
    let written = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
        anyhow::Error::new(error).context(cannot_write(path))
    })
}

/// Checks that a file can be written at `path`, before much time is spent on what it is to hold. What is there stays.
///
/// # Errors
/// When it cannot, with the path.
pub fn check_writable(path: &Path) -> Result<()> {
    ensure!(!path.is_dir(), "{}: it is a folder", cannot_write(path));
    let temporary = temporary(path);
    let written = fs::write(&temporary, "").and_then(|()| fs::remove_file(&temporary));
    written.with_context(|| cannot_write(path))
}

/// Where the file at `path` is written before it gets its name.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(TEMPORARY);
    name.into()
}

/// What is told of a path that cannot be written.
pub fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
