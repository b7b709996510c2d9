//! Sheets in files: games of a player's own, beside those that come with the program.

use std::fs::File;
use std::io;
use std::path::Path;

use ashta_agents::play::files::read_text;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::{Sheet, SheetError, Sheets};

/// How the names of sheets end, in small or capital letters.
const ENDING: &str = "toml";
/// The longest sheet that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Why a file is no sheet: everything that is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", listed(.problems, *.is_unreadable))]
pub struct SheetFileError {
    /// One line a problem: `FILE:LINE: key: message`; never empty.
    pub problems: Vec<String>,
    /// Whether there is no text in which they could stand.
    is_unreadable: bool,
}

/// Problems of a text stand on lines of their own, behind a line with their number.
fn listed(problems: &[String], is_unreadable: bool) -> String {
    match problems {
        [problem] if is_unreadable => problem.clone(),
        [problem] => format!("1 problem in the sheet\n{problem}"),
        _ => format!("{} problems in the sheet\n{}", problems.len(), problems.join("\n")),
    }
}

/// Whether `game`, which may have house rules behind a `?`, is meant as the file of a sheet, and not as a name: by its
/// ending, or as it names a folder, such as `/dev/stdin`.
pub fn is_file(game: &str) -> bool {
    let name = Ruleset::split(game).0;
    name.contains('/') || Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

/// Reads the sheet in a file, and its text.
///
/// # Errors
/// When the file cannot be read, or with everything that is wrong with the sheet.
pub fn read(path: &Path) -> Result<(Sheet, String), SheetFileError> {
    let file = path.display().to_string();
    let one = |problem: String| SheetFileError { problems: vec![problem], is_unreadable: true };
    let text = text(path).map_err(|error| one(format!("cannot read the sheet {file}: {error}")))?;
    let sheet = parse(&text, &file, Sheet::read)?;
    Ok((sheet, text))
}

/// The text of a sheet.
///
/// # Errors
/// When the file cannot be read, or is too long.
pub fn text(path: &Path) -> io::Result<String> {
    read_text(LONGEST, File::open(path)?)
}

/// The sheet with this text, as `read` reads it; `file` names it in errors.
///
/// # Errors
/// With everything that is wrong with it.
pub fn parse(
    text: &str,
    file: &str,
    read: fn(&str, &str) -> Result<Sheet, SheetError>,
) -> Result<Sheet, SheetFileError> {
    let broken = |problems: &str| {
        let problems = problems.lines().map(str::to_owned).collect();
        SheetFileError { problems, is_unreadable: false }
    };
    let sheet = read(text, file).map_err(|error| broken(&error.to_string()))?;
    Sheets::check_name(&sheet).map_err(|error| broken(&format!("{file}: name: {error}")))?;
    Ok(sheet)
}

/// Whether a text is a sheet and not a file of settings; what is wrong with it does not matter.
pub fn is_sheet(text: &str) -> bool {
    let table = text.parse::<toml::Table>();
    table.is_ok_and(|table| ["board", "throws", "turn"].iter().any(|section| table.contains_key(*section)))
}
