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

/// Every position in which `throws` can legally leave the built-in game that stands at `position`.
///
/// `position` is a text of the notation at the start of a turn (pending `*`). `throws` is a whole series, one throw or
/// the dice that are thrown at once, as the game has them. Each position of the answer names the next seat to act and
/// pends `*`; where the game is over, both fields are `-`.
///
/// # Errors
///
/// A sentence that names the problem: a text that is not in the canonical form that printing gives, a game, flags or
/// seats that there are not, a position that breaks an invariant or is already over, throws that the dice cannot show.
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
