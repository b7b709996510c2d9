//! Sheet files: games that are not built in.

use std::{fs::File, io, path::Path};

use ashta_agents::play::files::read_text;
use ashta_env::{
    ruleset::Ruleset,
    sheet::{Sheet, SheetError, Sheets},
};

/// The ending of sheet files, in small or capital letters.
const ENDING: &str = "toml";
/// The longest sheet file, in bytes.
const LONGEST: u64 = 1 << 20;

/// Every problem of a sheet file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", listed(.problems, *.is_unreadable))]
pub struct SheetFileError {
    /// The problems, each as `FILE:LINE: key: message`; never empty.
    pub problems: Vec<String>,
    /// Whether the file could not be read.
    is_unreadable: bool,
}

/// Joins problems, one per line, after a line with their number.
fn listed(problems: &[String], is_unreadable: bool) -> String {
    match problems {
        [problem] if is_unreadable => problem.clone(),
        [problem] => format!("1 problem in the sheet\n{problem}"),
        _ => format!(
            "{} problems in the sheet\n{}",
            problems.len(),
            problems.join("\n")
        ),
    }
}

/// Whether `game`, with or without house rules after a `?`, is a path of a sheet and not a name: it
/// ends in `.toml` or contains a `/`, such as `/dev/stdin`.
pub fn is_file(game: &str) -> bool {
    let name = Ruleset::split(game).0;
    name.contains('/')
        || Path::new(name)
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

/// Reads a sheet file. Returns the sheet and its text.
///
/// # Errors
/// When the file cannot be read, or the sheet is not valid.
pub fn read(path: &Path) -> Result<(Sheet, String), SheetFileError> {
    let file = path.display().to_string();
    let one = |problem: String| SheetFileError {
        problems: vec![problem],
        is_unreadable: true,
    };
    let text = text(path).map_err(|error| one(format!("cannot read the sheet {file}: {error}")))?;
    let sheet = parse(&text, &file, Sheet::read)?;
    Ok((sheet, text))
}

/// Reads the text of a sheet file.
pub fn text(path: &Path) -> io::Result<String> {
    read_text(LONGEST, File::open(path)?)
}

/// Parses a sheet with `read`; errors name the sheet `file`.
pub fn parse(
    text: &str,
    file: &str,
    read: fn(&str, &str) -> Result<Sheet, SheetError>,
) -> Result<Sheet, SheetFileError> {
    let broken = |problems: &str| {
        let problems = problems.lines().map(str::to_owned).collect();
        SheetFileError {
            problems,
            is_unreadable: false,
        }
    };
    let sheet = read(text, file).map_err(|error| broken(&error.to_string()))?;
    Sheets::check_name(&sheet).map_err(|error| broken(&format!("{file}: name: {error}")))?;
    Ok(sheet)
}

/// Whether a text is a sheet, valid or not, and not a file of settings.
pub fn is_sheet(text: &str) -> bool {
    let table = text.parse::<toml::Table>();
    table.is_ok_and(|table| {
        ["board", "throws", "turn"]
            .iter()
            .any(|section| table.contains_key(*section))
    })
}
