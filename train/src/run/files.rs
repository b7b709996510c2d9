//! Reads and writes files. Every error names the path of the file. A file is written completely or
//! not at all.

#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::{
    fmt::Display,
    fs::{File, OpenOptions, TryLockError},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Error, Result, bail};
use ashta_agents::play::files;

/// The folder of exported bots in the folder of a run.
pub(super) const BOTS_FOLDER: &str = "bots";
pub use ashta_agents::play::files::TEMPORARY;

/// Replaces the file at `path` by `content`. A reader sees the old or the new content, never a
/// part.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    files::write_whole(path, Error::new, |file| {
        Ok(file.write_all(content.as_ref())?)
    })
    .with_context(|| cannot_write(path))
}

/// Opens a regular file for writing; refuses links, pipes and devices.
pub fn open_to_write(path: &Path, options: &mut OpenOptions) -> Result<File> {
    // After the check and before the opening, another process can put a link or a pipe at this
    // path.
    #[cfg(unix)]
    options.custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    files::check_target(path)
        .and_then(|()| options.write(true).open(path))
        .with_context(|| cannot_write(path))
}

/// The longest file that [`read`] accepts, in bytes.
const LONGEST: u64 = 1 << 30;

/// Reads the regular file at `path`.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let read = files::open_regular(path).and_then(|file| files::read_within(LONGEST, file));
    read.with_context(|| format!("cannot read {}", path.display()))
}

/// Reads the regular file at `path`; `None` if it does not exist.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    if matches!(path.try_exists(), Ok(false)) {
        Ok(None)
    } else {
        read(path).map(Some)
    }
}

/// Removes the file or folder at `path`, if it exists.
pub fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("cannot remove {}", path.display())),
    }
}

/// The paths of all files and folders in `folder`.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || {
        std::fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<Vec<PathBuf>>>()
    };
    list().with_context(|| format!("cannot read the folder {}", folder.display()))
}

/// Makes sure that the names of the files in `folder` are on disk.
pub fn sync_folder(folder: &Path) -> Result<()> {
    files::sync_folder(folder)
        .with_context(|| format!("cannot write the folder {}", folder.display()))
}

/// Checks that the file at `path` can be written. Callers check this before long work, so that its
/// result is not lost. An existing file does not change.
pub fn check_writable(path: &Path) -> Result<()> {
    files::check_writable(path).with_context(|| cannot_write(path))
}

/// Locks a file until it is closed. The system closes the file when the process ends. If another
/// process has locked the file, the text of the error is `taken`.
///
/// # Errors
/// When the file is locked or cannot be locked.
pub fn lock(file: &File, path: &Path, taken: impl Display) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("{taken}"),
        // Some network file systems have no locks. There, two processes can use the file at the
        // same time.
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The text of an error for a path that cannot be written.
pub fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
