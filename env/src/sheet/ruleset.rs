//! A ruleset: a sheet with chosen house rules, number of pieces and seats.
//!
//! A ruleset is plain data. It has a text form (`pagade?teams=true`, the first word of a position
//! in notation), a serde form, a validation that reports all problems together, and a hash that is
//! stable across versions of the program.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    game::{Payoff, Seat, SeatLettersError, SeatSet},
    sheet::{End, Flag, Sheet, SheetError, Sheets, Teams, builtin, check},
};

/// Game, house rules, pieces and seats.
///
/// [`Ruleset::new`], [`Ruleset::of`] and [`Ruleset::parse`] build one and validate it, so every
/// ruleset can be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RulesetText", into = "RulesetText")]
pub struct Ruleset {
    /// The sheet without house rules.
    base: Arc<Sheet>,
    /// The sheet with the house rules applied.
    sheet: Arc<Sheet>,
    seats: SeatSet,
    pieces: u8,
    /// The index of the value of each flag.
    values: Vec<u8>,
}

/// A house rule (flag) as data: its name, its value and its allowed values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlagInfo {
    /// Name in the notation.
    pub name: String,
    /// Description for players; can be empty.
    pub about: String,
    /// The current value.
    pub value: String,
    /// The default value. The notation leaves out flags with their default value.
    pub default: String,
    /// The allowed values.
    pub values: Vec<String>,
}

const MAX_PROBLEMS: usize = 16;

impl PartialEq for Ruleset {
    fn eq(&self, other: &Ruleset) -> bool {
        (self.seats, self.pieces, &self.values) == (other.seats, other.pieces, &other.values)
            && (Arc::ptr_eq(&self.base, &other.base) || self.base == other.base)
    }
}

impl Eq for Ruleset {}

impl Ruleset {
    /// The ruleset of the built-in game of this name for `seats`. `flags` are (name, value) pairs;
    /// other flags have their default values.
    ///
    /// # Errors
    /// If the game is unknown; also see [`Ruleset::of`].
    pub fn new<'a>(
        game: &str,
        seats: SeatSet,
        flags: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Ruleset, RulesetError> {
        Ruleset::of(Arc::clone(Sheets::default().named(game)?), seats, flags)
    }

    /// The ruleset of the game of a sheet.
    ///
    /// # Errors
    /// All problems, up to 16: flags that are unknown, repeated or empty, values that a flag does
    /// not have, seats that the game does not allow, house rules that contradict each other.
    pub fn of<'a>(
        sheet: Arc<Sheet>,
        seats: SeatSet,
        flags: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Ruleset, RulesetError> {
        let mut problems = Vec::new();
        let values = vec![0; sheet.flags.len()];
        let mut ruleset = Ruleset {
            sheet: Arc::clone(&sheet),
            seats,
            pieces: sheet.pieces.count,
            values,
            base: sheet,
        };
        let mut given: Vec<&str> = Vec::new();
        for (flag, value) in flags {
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
            if flag.is_empty() {
                problems.push(RulesetProblem::EmptyFlag);
                continue;
            }
            if given.contains(&flag) {
                problems.push(RulesetProblem::RepeatedFlag {
                    flag: flag.to_owned(),
                });
            }
            given.push(flag);
            problems.extend(ruleset.set(flag, value).err());
        }
        ruleset.apply(problems)
    }

    /// This ruleset with another value of a flag, or another number of `pieces`.
    ///
    /// # Errors
    /// See [`Ruleset::of`].
    pub fn with(&self, flag: &str, value: &str) -> Result<Ruleset, RulesetError> {
        let mut ruleset = self.clone();
        let problems = ruleset.set(flag, value).err().into_iter().collect();
        ruleset.apply(problems)
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<(), RulesetProblem> {
        let problem = |allowed: Vec<String>| RulesetProblem::Value {
            flag: flag.to_owned(),
            value: value.to_owned(),
            allowed,
        };
        if flag == "pieces" {
            let allowed = &self.base.pieces.allowed;
            let count = allowed.iter().find(|count| count.to_string() == value);
            self.pieces =
                *count.ok_or_else(|| problem(allowed.iter().map(ToString::to_string).collect()))?;
            return Ok(());
        }
        let at = self
            .base
            .flags
            .get_index_of(flag)
            .ok_or_else(|| RulesetProblem::UnknownFlag {
                game: self.base.name.clone(),
                flag: flag.to_owned(),
                known: self.base.flags.keys().cloned().collect(),
            })?;
        let values = &self.base.flags[at].values;
        let chosen = values
            .get_index_of(value)
            .ok_or_else(|| problem(values.keys().cloned().collect()))?;
        self.values[at] = chosen as u8;
        Ok(())
    }

    /// Applies the house rules to the sheet, and fails if there are `problems` or the rules
    /// contradict each other.
    fn apply(mut self, mut problems: Vec<RulesetProblem>) -> Result<Ruleset, RulesetError> {
        let changes: Vec<_> = self
            .base
            .flags
            .values()
            .zip(&self.values)
            .filter(|&(_, &value)| value > 0)
            .map(|(flag, &value)| &flag.values[usize::from(value)].changes)
            .collect();
        problems.extend(self.conflicts());
        if !changes.is_empty() {
            match self.base.changed(&changes) {
                // `Sheet::read` has checked each single house rule.
                Ok(sheet) if changes.len() < 2 => self.sheet = Arc::new(sheet),
                Ok(sheet) => {
                    let found = check::one(&sheet)
                        .into_iter()
                        .map(|(key, problem)| format!("{key}: {problem}"));
                    problems.extend(found.map(RulesetProblem::Contradiction));
                    self.sheet = Arc::new(sheet);
                }
                Err(problem) => problems.push(RulesetProblem::Contradiction(problem)),
            }
        } else {
            self.sheet = Arc::clone(&self.base);
        }
        let written = format!("{:?}", self.seats);
        if !self.sheet.seats.allowed.contains(&written) {
            let allowed = self.sheet.seats.allowed.join(", ");
            problems.push(RulesetProblem::Seats {
                game: self.game_text(),
                seats: written,
                allowed,
            });
        }
        if problems.is_empty() {
            Ok(self)
        } else {
            Err(RulesetError { problems })
        }
    }

    /// Pairs of house rules that set one key of the sheet to different values.
    fn conflicts(&self) -> Vec<RulesetProblem> {
        let mut set: BTreeMap<String, (String, toml::Value)> = BTreeMap::new();
        let mut problems = Vec::new();
        for ((name, flag), &value) in self.base.flags.iter().zip(&self.values) {
            let Some((chosen, value)) = flag.values.get_index(value.into()) else {
                continue;
            };
            let written = format!("{name}={chosen}");
            for (key, value) in leaves(&value.changes, "") {
                match set.get(&key) {
                    Some((other, old)) if *old != value => {
                        let problem = format!("{other} and {written} both set `{key}`");
                        problems.push(RulesetProblem::Contradiction(problem));
                    }
                    _ => drop(set.insert(key, (written.clone(), value))),
                }
            }
        }
        problems
    }

    /// Parses `game?flag=value&flag=value` as a ruleset of a built-in game, for `seats`.
    ///
    /// # Errors
    /// See [`Ruleset::new`]. A flag without `=` has an empty value. An empty flag (nothing after
    /// `?` or `&`) is an error.
    pub fn parse(text: &str, seats: SeatSet) -> Result<Ruleset, RulesetError> {
        Sheets::default().ruleset(text, seats)
    }

    /// Parses `game?flag=value&flag=value` as a ruleset of a built-in game. The seats are the first
    /// set of `count` seats that the sheet allows. Without a `count`, they are the first set that
    /// the sheet allows.
    ///
    /// # Errors
    /// See [`Ruleset::parse`].
    pub fn seated(text: &str, count: Option<usize>) -> Result<Ruleset, RulesetError> {
        Sheets::default().seated(text, count)
    }

    /// The ruleset of the game of a sheet, with the seats that [`Ruleset::seated`] chooses.
    ///
    /// # Errors
    /// See [`Ruleset::of`].
    pub fn seated_of<'a>(
        sheet: Arc<Sheet>,
        count: Option<usize>,
        flags: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Ruleset, RulesetError> {
        let flags: Vec<(&str, &str)> = flags.into_iter().collect();
        let chosen = flags
            .iter()
            .filter_map(|(flag, value)| Some(&sheet.flags.get(*flag)?.values.get(*value)?.changes));
        let changed = sheet
            .changed(&chosen.collect::<Vec<_>>())
            .unwrap_or_else(|_| Sheet::clone(&sheet));
        let sets = || {
            changed
                .seats
                .allowed
                .iter()
                .filter_map(|letters| SeatSet::from_letters(letters).ok())
        };
        let has_size = |set: &SeatSet| count.is_none_or(|count| set.len() == count);
        let other = count
            .and_then(Ruleset::default_seats)
            .unwrap_or(SeatSet::EMPTY);
        Ruleset::of(sheet, sets().find(has_size).unwrap_or(other), flags)
    }

    /// The name of the game in `game?flag=value&flag=value`, and its flags with their values.
    pub fn split(text: &str) -> (&str, impl Iterator<Item = (&str, &str)>) {
        let (game, flags) = text
            .split_once('?')
            .map_or((text, None), |(game, flags)| (game, Some(flags)));
        let flags = flags.into_iter().flat_map(|flags| flags.split('&'));
        (
            game,
            flags.map(|flag| flag.split_once('=').unwrap_or((flag, ""))),
        )
    }

    /// The default seats of 2 to 4 players: South and North; South, East and North; all four.
    /// `None` for other counts.
    pub fn default_seats(count: usize) -> Option<SeatSet> {
        Some(match count {
            2 => SeatSet::of(&[Seat::SOUTH, Seat::NORTH]),
            3 => SeatSet::of(&[Seat::SOUTH, Seat::EAST, Seat::NORTH]),
            4 => SeatSet::ALL,
            _ => return None,
        })
    }

    /// The seats that take part.
    pub const fn seats(&self) -> SeatSet {
        self.seats
    }

    /// Pieces of each seat, 1 to 8.
    pub const fn pieces(&self) -> usize {
        self.pieces as usize
    }

    /// The sheet of the game with the house rules.
    pub fn sheet(&self) -> &Arc<Sheet> {
        &self.sheet
    }

    /// The sheet of the game without house rules.
    pub fn base(&self) -> &Arc<Sheet> {
        &self.base
    }

    /// Whether the game is built in.
    pub fn is_builtin(&self) -> bool {
        builtin::named(&self.base.name)
            .is_some_and(|sheet| Arc::ptr_eq(sheet, &self.base) || *sheet == self.base)
    }

    /// The scale of the returns under these rules.
    pub fn payoff(&self) -> Payoff {
        match (self.sheet.seats.teams, self.sheet.seats.end) {
            (Teams::Opposite, _) if self.seats == SeatSet::ALL => Payoff::Teams,
            (Teams::None, End::Placings) if self.seats.len() > 2 => Payoff::Placings,
            (Teams::None | Teams::Opposite, _) => Payoff::Winner,
        }
    }

    /// All flags with their values, in the order of the notation, without `pieces`.
    pub fn flags(&self) -> Vec<FlagInfo> {
        let name = |flag: &Flag, at: usize| flag.values.keys().nth(at).cloned().unwrap_or_default();
        let info = |((key, flag), &value): ((&String, &Flag), &u8)| FlagInfo {
            name: key.clone(),
            about: flag.about.clone(),
            value: name(flag, value.into()),
            default: name(flag, 0),
            values: flag.values.keys().cloned().collect(),
        };
        self.base.flags.iter().zip(&self.values).map(info).collect()
    }

    /// The game with its flags in the notation, `pagade?teams=true`. Flags with their default value
    /// are left out.
    pub fn game_text(&self) -> String {
        let flags: Vec<String> = self
            .changed()
            .map(|(flag, value)| format!("{flag}={value}"))
            .collect();
        let name = &self.base.name;
        if flags.is_empty() {
            name.clone()
        } else {
            format!("{name}?{}", flags.join("&"))
        }
    }

    /// A 64-bit FNV-1a hash of game, flags and seats, and of the sheet unless it is built in. The
    /// hash is the same in every version of the program. A new flag with its default value does not
    /// change the hash.
    pub fn hash64(&self) -> u64 {
        let sheet = if self.is_builtin() {
            String::new()
        } else {
            self.base.text()
        };
        fnv1a(self.to_string().bytes().chain(sheet.bytes()))
    }

    /// The flags that differ from their default, with their values.
    fn changed(&self) -> impl Iterator<Item = (String, String)> {
        let pieces = (self.pieces != self.base.pieces.count)
            .then(|| ("pieces".to_owned(), self.pieces.to_string()));
        let flags = self
            .flags()
            .into_iter()
            .filter(|info| info.value != info.default);
        pieces
            .into_iter()
            .chain(flags.map(|info| (info.name, info.value)))
    }
}

/// The 64-bit FNV-1a hash of these bytes.
pub fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, fold)
}

/// The leaves of a table: dotted keys and their values.
fn leaves(table: &toml::Table, above: &str) -> Vec<(String, toml::Value)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let path = format!("{above}{key}");
        match value {
            toml::Value::Table(inner) => found.extend(leaves(inner, &format!("{path}."))),
            value => found.push((path, value.clone())),
        }
    }
    found
}

impl fmt::Display for Ruleset {
    /// Game, flags and seats: `pagade?teams=true SENW`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.game_text(), self.seats)
    }
}

/// All problems of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct RulesetError {
    /// The problems, in the order in which they were found; never empty.
    pub problems: Vec<RulesetProblem>,
}

impl From<RulesetProblem> for RulesetError {
    fn from(problem: RulesetProblem) -> RulesetError {
        RulesetError {
            problems: vec![problem],
        }
    }
}

/// A problem of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesetProblem {
    /// The game is unknown.
    #[error("unknown game `{game}` (known: {})", builtin::names().collect::<Vec<_>>().join(", "))]
    UnknownGame {
        /// The name given.
        game: String,
    },
    /// The flag is unknown in this game.
    #[error("unknown flag `{flag}` of {game} (known: pieces{})", known.iter().map(|known| format!(", {known}")).collect::<String>())]
    UnknownFlag {
        /// The game.
        game: String,
        /// The name given.
        flag: String,
        /// The flags of the game, without `pieces`.
        known: Vec<String>,
    },
    /// The flag does not have this value.
    #[error("flag `{flag}` does not take `{value}` (one of: {})", allowed.join(", "))]
    Value {
        /// The flag.
        flag: String,
        /// The value given.
        value: String,
        /// The allowed values.
        allowed: Vec<String>,
    },
    /// The flag was given twice.
    #[error("flag `{flag}` is given twice")]
    RepeatedFlag {
        /// The flag.
        flag: String,
    },
    /// A flag has no name.
    #[error("a flag is empty: write `flag=value` after `?` and after each `&`")]
    EmptyFlag,
    /// The letters are not a set of seats.
    #[error(transparent)]
    SeatLetters(#[from] SeatLettersError),
    /// The game does not allow these seats.
    #[error("{game} is not played on the seats `{seats}` (allowed: {allowed})")]
    Seats {
        /// The game with its flags.
        game: String,
        /// The seats given, as letters.
        seats: String,
        /// The allowed sets of seats.
        allowed: String,
    },
    /// House rules that contradict each other.
    #[error("these house rules contradict each other: {0}")]
    Contradiction(String),
    /// The sheet of the ruleset is invalid.
    #[error(transparent)]
    Sheet(#[from] SheetError),
}

/// The serde form: `{"game": "pagade", "seats": "SENW", "flags": {"teams": "true"}}`, with the
/// `sheet` unless the game is built in.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesetText {
    game: String,
    seats: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    flags: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sheet: Option<String>,
}

impl From<Ruleset> for RulesetText {
    fn from(ruleset: Ruleset) -> RulesetText {
        RulesetText {
            game: ruleset.base.name.clone(),
            seats: format!("{:?}", ruleset.seats),
            flags: ruleset.changed().collect(),
            sheet: (!ruleset.is_builtin()).then(|| ruleset.base.text()),
        }
    }
}

impl TryFrom<RulesetText> for Ruleset {
    type Error = RulesetError;

    fn try_from(text: RulesetText) -> Result<Ruleset, RulesetError> {
        let seats = SeatSet::from_letters(&text.seats).map_err(RulesetProblem::from)?;
        let flags = text
            .flags
            .iter()
            .map(|(flag, value)| (flag.as_str(), value.as_str()));
        match &text.sheet {
            None => Ruleset::new(&text.game, seats, flags),
            Some(sheet) => {
                let sheet = Sheet::read_saved(sheet, "sheet").map_err(RulesetProblem::from)?;
                Ruleset::of(Arc::new(sheet), seats, flags)
            }
        }
    }
}

#[cfg(test)]
mod tests;
