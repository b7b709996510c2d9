//! Files that are written whole or not at all, with errors that name them.

use std::fmt::Display;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
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

/// Opens the file at `path` itself for writing: not what a link there leads to, and no pipe or device.
///
/// # Errors
/// When it cannot be opened, with the path.
pub fn open_to_write(path: &Path, options: &mut OpenOptions) -> Result<File> {
    // Should there be one by now.
    #[cfg(unix)]
    options.custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    files::check_target(path).and_then(|()| options.write(true).open(path)).with_context(|| cannot_write(path))
}

/// The longest file of a run that is read at once, in bytes.
const LONGEST: u64 = 1 << 30;

/// What is in the regular file at `path`.
///
/// # Errors
/// When it cannot be read or is longer than can be meant, with the path.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let read = files::open_regular(path).and_then(|file| files::read_within(LONGEST, file));
    read.with_context(|| format!("cannot read {}", path.display()))
}

/// What is in the regular file at `path`, if there is one.
///
/// # Errors
/// As [`read`].
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    if matches!(path.try_exists(), Ok(false)) { Ok(None) } else { read(path).map(Some) }
}

/// Removes the file or folder at `path`; it need not exist.
///
/// # Errors
/// When it cannot be removed, with the path.
pub fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("cannot remove {}", path.display())),
    }
}

/// The paths of what is in `folder`.
///
/// # Errors
/// When it cannot be read, with the path.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>();
    list().with_context(|| format!("cannot read the folder {}", folder.display()))
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

/// Locks a file until it is closed, which the system does if the process dies. Where another process has locked it,
/// that is the error `taken`.
///
/// # Errors
/// When it is locked already or cannot be locked.
pub fn lock(file: &File, path: &Path, taken: impl Display) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("{taken}"),
        // Some network file systems know no locks; they lose this protection and nothing else.
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The error of a path that cannot be written.
pub fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
