//! Atomic writes of files, and reads that are bounded and never block.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Ending of names that are not complete yet, or no longer.
pub const TEMPORARY: &str = "tmp";

/// Replaces the file at `path` by what `write` writes: under this name stands the old content or the new, never a part,
/// also after a loss of power.
///
/// # Errors
/// Those of `write`, and what `failed` makes of it when the file cannot be written or `path` is a link or anything else
/// than a regular file; what was there stays.
pub fn write_whole<E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
) -> Result<(), E> {
    check_target(path).map_err(&failed)?;
    let (temporary, file) = open_temporary(path).map_err(&failed)?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file).and_then(|()| {
        let finished = file.flush().and_then(|()| file.get_ref().sync_all());
        let named = finished.and_then(|()| fs::rename(&temporary, path));
        named.and_then(|()| sync_folder(path.parent().unwrap_or(path))).map_err(&failed)
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
    check_target(path)?;
    let (temporary, _file) = open_temporary(path)?;
    fs::remove_file(temporary)
}

/// Checks that what is at `path`, if anything, is a regular file and no link to one, so that it can be replaced.
///
/// # Errors
/// What is there instead.
pub fn check_target(path: &Path) -> io::Result<()> {
    fs::symlink_metadata(path).map_or(Ok(()), |facts| check_regular(&facts))
}

fn check_regular(facts: &Metadata) -> io::Result<()> {
    let what = match facts.is_symlink() {
        _ if facts.is_file() => return Ok(()),
        true => "it is a symbolic link, and files are not written through links",
        false => "it is not a regular file",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// Opens the regular file at `path`, or behind a link there, for reading.
///
/// # Errors
/// When there is none, or something else, such as a pipe, at which reading could wait for ever.
pub fn open_regular(path: &Path) -> io::Result<File> {
    check_regular(&fs::metadata(path)?)?;
    File::open(path)
}

/// Reads at most `limit` bytes, of a file, a pipe or a device.
///
/// # Errors
/// When reading fails, or there is more.
pub fn read_within(limit: u64, input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= limit {
        return Ok(bytes);
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {} KiB", limit >> 10)))
}

/// Reads a text of at most `limit` bytes.
///
/// # Errors
/// As [`read_within`], and when it is not UTF-8.
pub fn read_text(limit: u64, mut input: impl Read) -> io::Result<String> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidData, "it is not a text in UTF-8");
    let start = read_within(LONGEST_LINE, input.by_ref().take(LONGEST_LINE))?;
    // Devices and archives show it at once.
    if start.contains(&0) {
        return Err(not_text());
    }
    String::from_utf8(read_within(limit, start.chain(input))?).map_err(|_| not_text())
}

/// The longest line that a person types, in bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// Reads a line with its line break; nothing at the end of the input.
///
/// # Errors
/// When reading fails, or the line is longer than a person types.
pub fn read_line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    match line.len() as u64 {
        LONGEST_LINE => Err(io::Error::other(format!("a line is longer than {} KiB", LONGEST_LINE >> 10))),
        _ => Ok(String::from_utf8_lossy(&line).into_owned()),
    }
}

/// Makes the file that is renamed to `path` once it is written, and locks it while it is open: a second writer waits
/// for the first, and what a killed process has left is removed.
fn open_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    let path = path.with_added_extension("ashta").with_added_extension(TEMPORARY);
    loop {
        let (file, is_new) = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) => {
                let message = format!("{} is in the way and not a regular file", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
            }
            Err(_) => match OpenOptions::new().write(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                left => (left?, false),
            },
        };
        // Some network file systems know no locks; they lose this protection and nothing else.
        file.lock().or_else(|error| if error.kind() == io::ErrorKind::Unsupported { Ok(()) } else { Err(error) })?;
        match (is_at(&file, &path), is_new) {
            (true, true) => return Ok((path, file)),
            (true, false) => fs::remove_file(&path)?,
            (false, _) => {}
        }
    }
}

/// Whether `path` is the name of `file`, which another process may have renamed or removed.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
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
            let content = |file: &mut BufWriter<File>| (0..100_000).try_for_each(|_| file.write_all(&[letter]));
            (0..20).for_each(|_| write_whole(&path, |error| error, content).unwrap());
        };
        std::thread::scope(|scope| {
            [b'a', b'b', b'c'].into_iter().for_each(|letter| drop(scope.spawn(move || write(letter))))
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
