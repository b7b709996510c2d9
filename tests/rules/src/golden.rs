//! Golden files: recorded output of the program, as readable text.

use std::path::PathBuf;

/// Compares `found` with the file `golden/<name>`; with `UPDATE_GOLDEN=1` in the environment the
/// file is rewritten instead.
///
/// # Panics
/// At the first line that differs, or if the file cannot be read or written.
#[track_caller]
pub fn compare(name: &str, found: &str) {
    let path = path(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        return std::fs::write(&path, found)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let expected = read(name);
    for (at, (line, expected)) in found
        .lines()
        .chain([""])
        .zip(expected.lines().chain([""]))
        .enumerate()
    {
        let place = format!("{}:{}", path.display(), at + 1);
        assert_eq!(
            line, expected,
            "{place} is on the right; UPDATE_GOLDEN=1 writes the file anew"
        );
    }
    assert!(
        expected == found,
        "{} has more or fewer lines; UPDATE_GOLDEN=1 writes the file anew",
        path.display()
    );
}

/// The text of the file `golden/<name>`.
///
/// # Panics
/// If it cannot be read.
#[track_caller]
pub fn read(name: &str) -> String {
    let path = path(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../golden")
        .join(name)
}
