//! Files that are written whole or not at all, with errors that name them.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Error, Result};
use ashta_agents::play::files;

pub use ashta_agents::play::files::TEMPORARY;

/// Replaces the file at `path` by `content`: a reader sees the old content or the new one, never a part.
///
/// # Errors
/// When it cannot be written, with the path.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let written = files::write_whole(path, Error::new, |file| Ok(file.write_all(content.as_ref())?));
    written.with_context(|| cannot_write(path))
}

/// Makes the names in `folder` last.
///
/// # Errors
/// When that fails, with the path.
pub fn sync_folder(folder: &Path) -> Result<()> {
    files::sync_folder(folder).with_context(|| format!("cannot write the folder {}", folder.display()))
}

/// Checks that a file can be written at `path`, before much time is spent on what it is to hold. What is there stays.
///
/// # Errors
/// When it cannot, with the path.
pub fn check_writable(path: &Path) -> Result<()> {
    files::check_writable(path).with_context(|| cannot_write(path))
}

/// The error of a path that cannot be written.
pub fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
