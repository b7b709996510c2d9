//! Registry of sheets by name: the built-in sheets, and sheets that were added.

use std::sync::Arc;

use super::{Sheet, builtin};
use crate::{
    game::SeatSet,
    sheet::ruleset::{Ruleset, RulesetError, RulesetProblem},
};

/// The built-in sheets and any number of added sheets. Names are unique.
#[derive(Clone, Debug, Default)]
pub struct Sheets {
    own: Vec<Arc<Sheet>>,
}

/// The name of a sheet belongs to a built-in game with other rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{name}` is the name of a built-in game with other rules: give this sheet another `name`")]
pub struct NameTaken {
    /// The name.
    pub name: String,
}

impl Sheets {
    /// Checks the name of a sheet.
    ///
    /// # Errors
    /// If a built-in game with other rules has the name.
    pub fn check_name(sheet: &Sheet) -> Result<(), NameTaken> {
        match builtin::named(&sheet.name) {
            Some(other) if **other != *sheet => Err(NameTaken {
                name: sheet.name.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The built-in sheets and this sheet. The sheet is ignored if a built-in sheet has its name.
    pub fn with(sheet: &Arc<Sheet>) -> Sheets {
        let is_other = builtin::named(&sheet.name).is_none();
        Sheets {
            own: is_other.then(|| Arc::clone(sheet)).into_iter().collect(),
        }
    }

    /// Adds a sheet. It replaces an added sheet of the same name.
    ///
    /// # Errors
    /// If a built-in game with other rules has its name.
    pub fn add(&mut self, sheet: Arc<Sheet>) -> Result<(), NameTaken> {
        Sheets::check_name(&sheet)?;
        if builtin::named(&sheet.name).is_none() {
            self.own.retain(|other| other.name != sheet.name);
            self.own.push(sheet);
        }
        Ok(())
    }

    /// The sheet of this name.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn named(&self, name: &str) -> Result<&Arc<Sheet>, RulesetError> {
        self.own
            .iter()
            .find(|sheet| sheet.name == name)
            .or_else(|| builtin::named(name))
            .ok_or_else(|| {
                RulesetProblem::UnknownGame {
                    game: name.to_owned(),
                }
                .into()
            })
    }

    /// All sheets: the built-in sheets by name, then the added sheets in the order of their
    /// addition.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Sheet>> {
        builtin::all().iter().chain(&self.own)
    }

    /// Parses `game?flag=value&flag=value` as a ruleset for `seats`.
    ///
    /// # Errors
    /// See [`Ruleset::new`].
    pub fn ruleset(&self, text: &str, seats: SeatSet) -> Result<Ruleset, RulesetError> {
        let (name, flags) = Ruleset::split(text);
        Ruleset::of(Arc::clone(self.named(name)?), seats, flags)
    }

    /// Parses `game?flag=value&flag=value` as a ruleset with the seats that [`Ruleset::seated`]
    /// chooses.
    ///
    /// # Errors
    /// See [`Ruleset::seated`].
    pub fn seated(&self, text: &str, count: Option<usize>) -> Result<Ruleset, RulesetError> {
        let (name, flags) = Ruleset::split(text);
        Ruleset::seated_of(Arc::clone(self.named(name)?), count, flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::Race;

    fn own(name: &str, turn_limit: u32) -> Arc<Sheet> {
        let mut sheet = Sheet::clone(&builtin::all()[0]);
        sheet.name = name.to_owned();
        sheet.seats.turn_limit = turn_limit;
        Arc::new(sheet)
    }

    #[test]
    fn added_sheets_are_found_by_name_and_replaced() {
        let mut sheets = Sheets::default();
        let builtin = builtin::all().len();
        assert!(sheets.ruleset("my-race", SeatSet::ALL).is_err());
        sheets.add(own("my-race", 17)).expect("a name of its own");
        sheets.add(own("my-race", 18)).expect("a name of its own");
        assert_eq!(sheets.all().count(), builtin + 1);
        let race = Race::new(
            sheets
                .seated("my-race?pieces=1", Some(2))
                .expect("a ruleset"),
        );
        assert_eq!(race.ruleset().sheet().seats.turn_limit, 18);
        let text = race.print(&crate::game::Game::initial_state(
            &race,
            crate::game::Seat::SOUTH,
        ));
        assert!(
            Race::parse_position(&text).is_err(),
            "the built-in games do not have it"
        );
        let (parsed, _) = Race::parse_in(&sheets, &text).expect("a position");
        assert_eq!(parsed.ruleset(), race.ruleset());
    }
}
