//! The test oracle: a second, slow and obvious implementation of one turn of the game of any sheet, for differential
//! testing.
//!
//! It detects rules that the engine misunderstands, and shares no line with the engine. It compares squares of the
//! board and not converted indices, tries every allotment of the throws and every order of the steps, drops illegal
//! ones, and prints the rest. It has text and throws, but no actions, masks, observations or probabilities, and is not
//! fast.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

mod notation;
mod sheet;

/// The texts of the built-in sheets, by the names of their files.
static SHEETS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../env/games");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: &Path| {
        let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
        name.zip(std::fs::read_to_string(path).ok()).unwrap_or_else(|| panic!("{} cannot be read", path.display()))
    };
    entries.map(|entry| read(&entry.expect("an entry of a folder").path())).collect()
});

/// Every position in which a legal turn with `throws` can end that starts at `position` of a built-in game.
///
/// `position` is a text of the notation at the start of a turn (pending `*`). `throws` is a whole series, one throw, or
/// all dice of a throw, depending on the game. Each position of the answer names the next seat to act and pends `*`; if
/// the game is over, both fields are `-`.
///
/// # Errors
///
/// A sentence that names the problem: the text is not in canonical form; the game, its flags or seats do not exist; the
/// position breaks an invariant or is over; the dice cannot show the throws.
pub fn turns(position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let name = position.split([' ', '?']).next().unwrap_or_default();
    let sheet = SHEETS.get(name).ok_or_else(|| format!("unknown game {name:?}"))?;
    turns_of(sheet, position, throws)
}

/// [`turns`] of the game of a sheet (TOML).
///
/// # Errors
///
/// As [`turns`], and a sheet without a key that a turn needs.
pub fn turns_of(sheet: &str, position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    sheet::turns(sheet, position, throws)
}
