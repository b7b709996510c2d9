//! Golden files: recorded output of the program, as readable text.

use std::path::PathBuf;

/// Compares `found` with the file `golden/<name>`; with `UPDATE_GOLDEN=1` in the environment the file is rewritten
/// instead.
///
/// # Errors
/// The first line that differs, or why the file cannot be read or written.
pub fn compare(name: &str, found: &str) -> Result<(), String> {
    let path = path(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        return std::fs::write(&path, found).map_err(|error| format!("{}: {error}", path.display()));
    }
    let expected = read(name)?;
    if expected == found {
        return Ok(());
    }
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let at = (0..).find(|&at| expected.get(at) != found.get(at) || at == expected.len()).unwrap_or(0);
    let line = |lines: &[&str]| lines.get(at).map_or("the end of the file".to_owned(), |line| format!("`{line}`"));
    Err(format!(
        "{}:{}: expected {}, found {}; UPDATE_GOLDEN=1 writes the file anew",
        path.display(),
        at + 1,
        line(&expected),
        line(&found)
    ))
}

/// The text of the file `golden/<name>`.
///
/// # Errors
/// Why it cannot be read.
pub fn read(name: &str) -> Result<String, String> {
    let path = path(name);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}
