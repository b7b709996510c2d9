//! Games as data: descriptions of games, and the sheets in requests.

use std::sync::Arc;

use ashta_env::{
    form::FormProblem,
    race::Race,
    ruleset::{Ruleset, RulesetError},
    sheet::{Sheet, Sheets},
};
use serde_json::{Map, Value, json};

use super::{Engine, Refusal, code, refuse, text};

/// Describes a game for programs in which people choose a game: names, seats, throws, house rules,
/// words, rules in prose, and sentences about the rules under the house rules of `race`.
pub fn describe(race: &Race) -> Value {
    let sheet = race.ruleset().base();
    let flags = sheet.flags.iter().map(|(name, flag)| {
        let values = flag
            .values
            .iter()
            .map(|(name, value)| json!({"name": name, "about": value.about}));
        json!({
            "name": name,
            "about": flag.about,
            "default": flag.values.keys().next(),
            "values": values.collect::<Vec<_>>(),
        })
    });
    json!({
        "name": sheet.name,
        "title": sheet.title,
        "summary": sheet.summary,
        "place": sheet.place,
        "minutes": sheet.minutes,
        "rules": sheet.rules,
        "sources": sheet.sources,
        "seats": sheet.seats.allowed,
        "pieces": {"count": sheet.pieces.count, "allowed": sheet.pieces.allowed},
        "throws": sheet.throws,
        "flags": flags.collect::<Vec<_>>(),
        "words": sheet.words,
        "understood": race.understood(),
    })
}

/// Describes the game of a sheet without house rules.
///
/// # Errors
/// When the sheet allows no seats, which [`Sheet::read`] refuses.
pub fn describe_sheet(sheet: &Arc<Sheet>) -> Result<Value, RulesetError> {
    Ok(describe(&Race::new(Ruleset::seated_of(
        Arc::clone(sheet),
        None,
        [],
    )?)))
}

impl Engine {
    /// Reads the sheet of a request, if there is one. Later requests can name its game.
    pub(super) fn read_sheet(
        &mut self,
        request: &Map<String, Value>,
    ) -> Result<Option<Arc<Sheet>>, Refusal> {
        if request.get("sheet").is_none_or(Value::is_null) {
            return Ok(None);
        }
        let text = text(request, "sheet")?;
        let sheet = match &self.last_sheet {
            Some((known, sheet)) if known == text => Arc::clone(sheet),
            _ => Arc::new(read(text)?),
        };
        self.sheets
            .add(Arc::clone(&sheet))
            .map_err(|error| refuse(code::GAME, error))?;
        self.last_race
            .get_mut()
            .take_if(|race| race.ruleset().base() != &sheet);
        self.last_sheet = Some((text.to_owned(), Arc::clone(&sheet)));
        Ok(Some(sheet))
    }
}

/// Reads a sheet. A changed sheet with the name of a built-in game is an error.
fn read(text: &str) -> Result<Sheet, Refusal> {
    let sheet = Sheet::read(text, "sheet").map_err(|error| Refusal {
        code: code::GAME,
        message: error.to_string(),
        problems: error.problems,
    })?;
    Sheets::check_name(&sheet).map_err(|error| {
        let line = text
            .lines()
            .position(|line| line.trim_start().starts_with("name"))
            .map(|at| at + 1);
        let problem = FormProblem {
            line,
            key: "name".to_owned(),
            message: error.to_string(),
        };
        Refusal {
            code: code::GAME,
            message: error.to_string(),
            problems: vec![problem],
        }
    })?;
    Ok(sheet)
}
