//! The built-in sheets, from the folder `env/games/`.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use toml::Table;

use super::Sheet;

/// The texts of the sheets, ordered by name.
pub(super) const TEXTS: &[&str] = &include!(concat!(env!("OUT_DIR"), "/sheets.rs"));

/// The sheets, without the checks of [`Sheet::read`]: a test reads each of them again.
static SHEETS: LazyLock<Vec<Arc<Sheet>>> = LazyLock::new(|| {
    let table = |text: &&str| text.parse::<Table>().expect("the built-in sheets are TOML");
    let sheet = |table| Sheet::deserialize(table).expect("the built-in sheets have valid values");
    TEXTS.iter().map(table).map(sheet).map(Arc::new).collect()
});

/// All built-in sheets, ordered by name.
pub fn all() -> &'static [Arc<Sheet>] {
    &SHEETS
}

/// The built-in sheet of this name, if it exists.
pub fn named(name: &str) -> Option<&'static Arc<Sheet>> {
    all().iter().find(|sheet| sheet.name == name)
}

/// The text of the built-in sheet of this name, if it exists.
pub fn text(name: &str) -> Option<&'static str> {
    all()
        .iter()
        .zip(TEXTS)
        .find(|(sheet, _)| sheet.name == name)
        .map(|(_, text)| *text)
}

/// The names of the built-in games, ascending.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().iter().map(|sheet| sheet.name.as_str())
}
