//! Atomic writes of files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Ending of names that are not complete yet, or no longer.
pub const TEMPORARY: &str = "tmp";

/// Replaces the file at `path` by what `write` writes: under this name stands the old content or the new, never a part,
/// also after a loss of power. Behind a link the file is replaced that it leads to.
///
/// # Errors
/// Those of `write`, and what `failed` makes of it when the file cannot be written or `path` is something else than a
/// file; what was there stays.
pub fn write_whole<E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
) -> Result<(), E> {
    let target = target(path).map_err(&failed)?;
    let temporary = temporary(&target);
    let written = File::create(&temporary).map_err(&failed).and_then(|file| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        let finished = file.flush().and_then(|()| file.get_ref().sync_all());
        let named = finished.and_then(|()| fs::rename(&temporary, &target));
        named.and_then(|()| sync_folder(target.parent().unwrap_or(&target))).map_err(&failed)
    });
    if written.is_err() {
        // The first error is the one to report; a leftover is harmless.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Makes the names in `folder` last: without this a loss of power may undo what was created, renamed or removed there.
///
/// # Errors
/// When the system cannot; where folders cannot be opened, nothing is done.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match File::open(folder)?.sync_all() {
        // Some file systems of networks do not know it.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Checks that a file can be written at `path`, before much time is spent on its content. What is there stays.
///
/// # Errors
/// When it cannot.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let temporary = temporary(&target(path)?);
    File::create(&temporary).and_then(|_| fs::remove_file(&temporary))
}

/// The file that is replaced.
fn target(path: &Path) -> io::Result<PathBuf> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if target.exists() && !target.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(target)
}

/// Where the file at `path` is written before it gets its name; not the same for two processes.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.{TEMPORARY}", std::process::id()));
    name.into()
}
