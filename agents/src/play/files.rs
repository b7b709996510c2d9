//! Atomic writes of files, and bounded reads that never block.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, BufRead, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

/// File extension of files and folders that are not completely written or not completely removed.
pub const TEMPORARY: &str = "tmp";

/// Replaces the file at `path` by the output of `write`. `path` has either the complete old content
/// or the complete new content, even after a power failure.
///
/// # Errors
/// The errors of `write`; the result of `failed` when the file cannot be written, or `path` is a
/// link or not a regular file. After an error, `path` has the old content; only if the folder
/// cannot be synced, it can have the new content.
pub fn write_whole<E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
) -> Result<(), E> {
    check_target(path).map_err(&failed)?;
    let (temporary, file) = open_temporary(path).map_err(&failed)?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file).and_then(|()| {
        file.flush()
            .and_then(|()| file.get_ref().sync_all())
            .and_then(|()| fs::rename(&temporary, path))
            .and_then(|()| sync_folder(path.parent().unwrap_or(path)))
            .map_err(&failed)
    });
    if written.is_err() {
        // Report the first error; a leftover file is harmless.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Writes the entries of `folder` to disk. Without this, a power failure can undo the creation,
/// renaming or removal of a file in this folder.
///
/// # Errors
/// When the system reports an error. On systems other than Unix this does nothing.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    match File::open(folder)?.sync_all() {
        // Some network file systems do not support this.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Checks that a file can be written at `path`, before a long computation of its content. A file at
/// `path` stays as it is.
///
/// # Errors
/// When the file cannot be written.
pub fn check_writable(path: &Path) -> io::Result<()> {
    check_target(path)?;
    let (temporary, _file) = open_temporary(path)?;
    fs::remove_file(temporary)
}

/// Checks that `path` is free or is a regular file, not a link, so that it can be replaced.
///
/// # Errors
/// When something else is at `path`.
pub fn check_target(path: &Path) -> io::Result<()> {
    fs::symlink_metadata(path).map_or(Ok(()), |facts| check_regular(&facts))
}

fn check_regular(facts: &Metadata) -> io::Result<()> {
    let what = match facts.is_symlink() {
        _ if facts.is_file() => return Ok(()),
        true => "it is a symbolic link; give the path of the file itself",
        false => "it is not a regular file",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// Opens the regular file at `path` for reading; follows a link.
///
/// # Errors
/// When `path` does not exist or is not a regular file: reading from a pipe, for example, could
/// block forever.
pub fn open_regular(path: &Path) -> io::Result<File> {
    check_regular(&fs::metadata(path)?)?;
    File::open(path)
}

/// Reads all bytes of a file, a pipe or a device. There can be at most `limit` bytes.
///
/// # Errors
/// When reading fails or there are more bytes.
pub fn read_within(limit: u64, input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= limit {
        return Ok(bytes);
    }
    Err(io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it is longer than {} KiB", limit >> 10),
    ))
}

/// Reads a text of at most `limit` bytes.
///
/// # Errors
/// As [`read_within`], and when the text is not UTF-8.
pub fn read_text(limit: u64, mut input: impl Read) -> io::Result<String> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    let start = read_within(LONGEST_LINE, input.by_ref().take(LONGEST_LINE))?;
    // A zero byte already shows that the input is a device or an archive.
    if start.contains(&0) {
        return Err(not_text());
    }
    String::from_utf8(read_within(limit, start.chain(input))?).map_err(|_| not_text())
}

/// The longest line that [`read_line`] accepts, in bytes: more than a person types.
const LONGEST_LINE: u64 = 1 << 16;

/// Reads a line with its line break; an empty string at the end of the input.
///
/// # Errors
/// When reading fails or the line is longer than 64 KiB.
pub fn read_line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    match line.len() as u64 {
        LONGEST_LINE => Err(io::Error::other(format!(
            "a line is longer than {} KiB",
            LONGEST_LINE >> 10
        ))),
        _ => Ok(String::from_utf8_lossy(&line).into_owned()),
    }
}

/// Creates and locks the temporary file that is renamed to `path` once it is complete. A second
/// writer waits for the lock of the first. A leftover file of a killed process is removed.
fn open_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    let path = path
        .with_added_extension("ashta")
        .with_added_extension(TEMPORARY);
    loop {
        let (file, is_new) = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) => {
                let message = format!("{} is not a regular file; remove it", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
            }
            Err(_) => match OpenOptions::new().write(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                left => (left?, false),
            },
        };
        // Some network file systems do not support locks; there, two writers of one file can
        // overwrite each other.
        file.lock().or_else(|error| {
            if error.kind() == io::ErrorKind::Unsupported {
                Ok(())
            } else {
                Err(error)
            }
        })?;
        match (is_at(&file, &path), is_new) {
            (true, true) => return Ok((path, file)),
            (true, false) => fs::remove_file(&path)?,
            (false, _) => {}
        }
    }
}

/// Whether `path` is still the path of `file`. If not, another process has renamed or removed the
/// file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity =
        |found: io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
    let named = identity(fs::symlink_metadata(path));
    named.is_some() && identity(file.metadata()) == named
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_of_one_file_wait_for_each_other_and_remove_what_was_left() {
        let folder = std::env::temp_dir().join(format!("ashta-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, temporary) = (folder.join("a.table"), folder.join("a.table.ashta.tmp"));
        fs::write(&temporary, "left by a killed process").unwrap();
        let write = |letter: u8| {
            let content = |file: &mut BufWriter<File>| {
                (0..100_000).try_for_each(|_| file.write_all(&[letter]))
            };
            (0..20).for_each(|_| write_whole(&path, |error| error, content).unwrap());
        };
        std::thread::scope(|scope| {
            [b'a', b'b', b'c']
                .into_iter()
                .for_each(|letter| drop(scope.spawn(move || write(letter))))
        });
        let found = fs::read(&path).unwrap();
        assert!(found.len() == 100_000 && found.iter().all(|letter| *letter == found[0]));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::create_dir(&temporary).unwrap();
        let refused = check_writable(&path).unwrap_err().to_string();
        assert!(refused.contains("a.table.ashta.tmp"), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), found);
        fs::remove_dir_all(&folder).unwrap();
    }
}
