//! What exactly is played: game, house rules, pieces and seats as one value.
//!
//! A ruleset is plain data with a text form (`pagade?teams=true`, the first word of the notation), a serde form, a
//! validation that names every problem at once, and a hash that stays the same across versions of the program. It
//! knows the names of the flags, not what they do: that is the engine's business.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::flags::{AshtapadaRules, AshteKashteRules, FlagInfo, PagadeRules};
use crate::game::{Outlook, Seat, SeatLettersError, SeatSet};

/// Game, house rules, pieces and seats.
///
/// Build one with [`Ruleset::new`] or [`Ruleset::parse`]; both validate, so a ruleset at hand can be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "RulesetText", into = "RulesetText")]
pub struct Ruleset {
    seats: SeatSet,
    pieces: u8,
    rules: Rules,
}

/// A game with its house rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rules {
    /// Ashtapada, 8×8 squares.
    Ashtapada(AshtapadaRules),
    /// Ashte Kashte, 7×7 squares.
    AshteKashte(AshteKashteRules),
    /// Pagade, the cross of four 3×8 arms.
    Pagade(PagadeRules),
}

/// Problems that are named at once; what comes after so many is not looked at.
const MAX_PROBLEMS: usize = 16;

/// The names of the games, as the notation writes them.
pub const GAMES: [&str; 3] = ["ashtapada", "ashte-kashte", "pagade"];

impl Rules {
    fn named(name: &str) -> Option<Rules> {
        Some(match name {
            "ashtapada" => Rules::Ashtapada(AshtapadaRules::default()),
            "ashte-kashte" => Rules::AshteKashte(AshteKashteRules::default()),
            "pagade" => Rules::Pagade(PagadeRules::default()),
            _ => return None,
        })
    }

    /// The name of the game, one of [`GAMES`].
    pub const fn name(&self) -> &'static str {
        match self {
            Rules::Ashtapada(_) => GAMES[0],
            Rules::AshteKashte(_) => GAMES[1],
            Rules::Pagade(_) => GAMES[2],
        }
    }

    const fn default_pieces(&self) -> u8 {
        match self {
            Rules::Ashtapada(_) => 2,
            Rules::AshteKashte(_) | Rules::Pagade(_) => 4,
        }
    }

    fn set(&mut self, flag: &str, value: &str) -> Option<bool> {
        match self {
            Rules::Ashtapada(rules) => rules.set(flag, value),
            Rules::AshteKashte(rules) => rules.set(flag, value),
            Rules::Pagade(rules) => rules.set(flag, value),
        }
    }

    fn flags(&self) -> Vec<FlagInfo> {
        match self {
            Rules::Ashtapada(rules) => rules.flags(),
            Rules::AshteKashte(rules) => rules.flags(),
            Rules::Pagade(rules) => rules.flags(),
        }
    }
}

impl Ruleset {
    /// The ruleset of `game` (a name of [`GAMES`]) for `seats`, with `flags` as (name, value) pairs; a flag left out
    /// has its default.
    ///
    /// # Errors
    /// Every problem found, until there are 16: an unknown game, unknown, repeated or empty flags, values that a flag
    /// does not take, seats that the game is not played on.
    pub fn new<'a>(
        game: &str,
        seats: SeatSet,
        flags: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Ruleset, RulesetError> {
        let Some(rules) = Rules::named(game) else {
            return Err(RulesetError { problems: vec![RulesetProblem::UnknownGame { game: game.to_owned() }] });
        };
        let mut problems = Vec::new();
        let mut ruleset = Ruleset { seats, pieces: rules.default_pieces(), rules };
        let mut seen: Vec<&str> = Vec::new();
        for (flag, value) in flags {
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
            if flag.is_empty() {
                problems.push(RulesetProblem::EmptyFlag);
                continue;
            }
            if seen.contains(&flag) {
                problems.push(RulesetProblem::RepeatedFlag { flag: flag.to_owned() });
            }
            seen.push(flag);
            problems.extend(ruleset.set(flag, value));
        }
        problems.extend(ruleset.seat_problem());
        if problems.is_empty() { Ok(ruleset) } else { Err(RulesetError { problems }) }
    }

    /// The same ruleset with another value of a flag, or another number of `pieces`.
    ///
    /// # Errors
    /// As [`Ruleset::new`].
    pub fn with(&self, flag: &str, value: &str) -> Result<Ruleset, RulesetError> {
        let mut ruleset = *self;
        let problems: Vec<_> = ruleset.set(flag, value).into_iter().chain(ruleset.seat_problem()).collect();
        if problems.is_empty() { Ok(ruleset) } else { Err(RulesetError { problems }) }
    }

    fn set(&mut self, flag: &str, value: &str) -> Option<RulesetProblem> {
        if flag == "pieces" {
            match value {
                "1" | "2" | "3" | "4" => self.pieces = value.as_bytes()[0] - b'0',
                _ => return Some(RulesetProblem::bad_value(flag, value, &["1", "2", "3", "4"])),
            }
            return None;
        }
        match self.rules.set(flag, value) {
            Some(true) => None,
            Some(false) => {
                let info = self.flags().into_iter().find(|info| info.name == flag);
                Some(RulesetProblem::bad_value(flag, value, info.map_or(&[], |info| info.values)))
            }
            None => Some(RulesetProblem::UnknownFlag {
                game: self.rules.name(),
                flag: flag.to_owned(),
                known: self.flags().iter().map(|info| info.name).collect(),
            }),
        }
    }

    /// The ruleset written as `game?flag=value&flag=value`, for `seats`.
    ///
    /// # Errors
    /// As [`Ruleset::new`]; a flag without `=` counts as one with an empty value, and nothing after `?` or `&` as an
    /// empty flag.
    pub fn parse(text: &str, seats: SeatSet) -> Result<Ruleset, RulesetError> {
        let (game, flags) = text.split_once('?').map_or((text, None), |(game, flags)| (game, Some(flags)));
        let flags = flags.into_iter().flat_map(|flags| flags.split('&'));
        Ruleset::new(game, seats, flags.map(|flag| flag.split_once('=').unwrap_or((flag, ""))))
    }

    /// The seats on which `count` players of any game sit by default: opposite sides, then South, East, North, then
    /// everybody. `None` for other counts.
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

    /// Pieces of each seat, 1 to 4.
    pub const fn pieces(&self) -> usize {
        self.pieces as usize
    }

    /// The game and its house rules.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What the returns mean under these rules.
    pub fn outlook(&self) -> Outlook {
        match &self.rules {
            Rules::Pagade(rules) if rules.is_partnership() => Outlook::Teams,
            Rules::Pagade(rules) if rules.play_on && self.seats.len() > 2 => Outlook::Placings,
            _ => Outlook::Winner,
        }
    }

    /// Every flag with its value, in the order of the notation; `pieces` is none of them.
    pub fn flags(&self) -> Vec<FlagInfo> {
        self.rules.flags()
    }

    /// The game with its flags as the notation writes it: only flags that differ from their default, in the order of
    /// the rules, section 8.
    pub fn game_text(&self) -> String {
        let mut flags = Vec::new();
        if self.pieces != self.rules.default_pieces() {
            flags.push(format!("pieces={}", self.pieces));
        }
        flags.extend(self.changed_flags().map(|info| format!("{}={}", info.name, info.value)));
        let name = self.rules.name();
        if flags.is_empty() { name.to_owned() } else { format!("{name}?{}", flags.join("&")) }
    }

    /// A 64-bit FNV-1a hash of game, flags and seats. It does not depend on the version of the program, and flags
    /// added later do not change it while they have their defaults.
    pub fn hash64(&self) -> u64 {
        self.to_string()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    fn changed_flags(&self) -> impl Iterator<Item = FlagInfo> {
        self.rules.flags().into_iter().filter(|info| info.value != info.default)
    }

    fn seat_problem(&self) -> Option<RulesetProblem> {
        let count = self.seats.len();
        let default = Ruleset::default_seats(count);
        let allowed = match &self.rules {
            Rules::Pagade(rules) if rules.is_partnership() => {
                if count == 4 {
                    return None;
                }
                "all four (a partnership)"
            }
            Rules::Pagade(_) => {
                if count != 3 && default == Some(self.seats) {
                    return None;
                }
                "S and N, or all four"
            }
            Rules::AshteKashte(_) => {
                if count == 3 || default == Some(self.seats) {
                    return None;
                }
                "S and N, any three, or all four"
            }
            Rules::Ashtapada(_) => {
                if default == Some(self.seats) {
                    return None;
                }
                "S and N; S, E and N; or all four"
            }
        };
        Some(RulesetProblem::Seats { game: self.game_text(), seats: format!("{:?}", self.seats), allowed })
    }
}

impl fmt::Display for Ruleset {
    /// Game, flags and seats: `pagade?teams=true SENW`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.game_text(), self.seats)
    }
}

/// Everything that is wrong with a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct RulesetError {
    /// The problems, in the order in which they were found; never empty.
    pub problems: Vec<RulesetProblem>,
}

/// One thing that is wrong with a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesetProblem {
    /// There is no such game.
    #[error("unknown game `{game}` (known: {})", GAMES.join(", "))]
    UnknownGame {
        /// The name given.
        game: String,
    },
    /// The game has no such flag.
    #[error("unknown flag `{flag}` of {game} (known: pieces, {})", known.join(", "))]
    UnknownFlag {
        /// The game.
        game: &'static str,
        /// The name given.
        flag: String,
        /// The flags that the game has besides `pieces`.
        known: Vec<&'static str>,
    },
    /// The flag does not take the value.
    #[error("flag `{flag}` does not take `{value}` (one of: {})", allowed.join(", "))]
    Value {
        /// The flag.
        flag: String,
        /// The value given.
        value: String,
        /// The values that the flag takes.
        allowed: Vec<&'static str>,
    },
    /// The flag was given twice.
    #[error("flag `{flag}` is given twice")]
    RepeatedFlag {
        /// The flag.
        flag: String,
    },
    /// A flag has no name.
    #[error("a flag is empty: after `?` and after each `&` comes `flag=value`")]
    EmptyFlag,
    /// The letters name no set of seats.
    #[error(transparent)]
    SeatLetters(#[from] SeatLettersError),
    /// The game is not played on these seats.
    #[error("{game} is not played on the seats `{seats}` (allowed: {allowed})")]
    Seats {
        /// The game with its flags.
        game: String,
        /// The seats given, as letters.
        seats: String,
        /// The seats on which it is played, in words.
        allowed: &'static str,
    },
}

impl RulesetProblem {
    fn bad_value(flag: &str, value: &str, allowed: &[&'static str]) -> RulesetProblem {
        RulesetProblem::Value { flag: flag.to_owned(), value: value.to_owned(), allowed: allowed.to_vec() }
    }
}

/// The serde form: `{"game": "pagade", "seats": "SENW", "flags": {"teams": "true"}}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesetText {
    game: String,
    seats: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    flags: BTreeMap<String, String>,
}

impl From<Ruleset> for RulesetText {
    fn from(ruleset: Ruleset) -> RulesetText {
        let mut flags: BTreeMap<String, String> =
            ruleset.changed_flags().map(|info| (info.name.to_owned(), info.value.to_owned())).collect();
        if ruleset.pieces != ruleset.rules.default_pieces() {
            flags.insert("pieces".to_owned(), ruleset.pieces.to_string());
        }
        RulesetText { game: ruleset.rules.name().to_owned(), seats: format!("{:?}", ruleset.seats), flags }
    }
}

impl TryFrom<RulesetText> for Ruleset {
    type Error = RulesetError;

    fn try_from(text: RulesetText) -> Result<Ruleset, RulesetError> {
        let seats =
            SeatSet::from_letters(&text.seats).map_err(|error| RulesetError { problems: vec![error.into()] })?;
        let flags = text.flags.iter().map(|(flag, value)| (flag.as_str(), value.as_str()));
        Ruleset::new(&text.game, seats, flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(text: &str) -> Result<Ruleset, RulesetError> {
        Ruleset::parse(text, Ruleset::default_seats(2).expect("two seats"))
    }

    #[test]
    fn text_is_canonical() {
        let ruleset = two("ashtapada?must_use=greedy&pieces=3&x=share").expect("valid");
        assert_eq!(ruleset.game_text(), "ashtapada?pieces=3&must_use=greedy");
        assert_eq!(two(&ruleset.game_text()), Ok(ruleset));
        assert_eq!(ruleset.with("must_use", "max"), two("ashtapada?pieces=3"));
        assert_eq!(two("ashtapada").expect("valid").with("pieces", "3"), two("ashtapada?pieces=3"));
        for (flag, value) in [("pieces", "0"), ("must_use", "never"), ("no_cut", "lap")] {
            assert_eq!(ruleset.with(flag, value).expect_err("no such thing").problems.len(), 1, "{flag}={value}");
        }
    }

    #[test]
    fn all_problems_are_named_at_once() {
        let error = two("pagade?pieces=5&lap=true&no_cut=never&teams=true").expect_err("four problems");
        assert_eq!(error.problems.len(), 4, "{error}");
        let text = error.to_string();
        for part in ["`pieces` does not take `5`", "unknown flag `lap`", "wait, lap, off", "partnership"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn empty_flags_are_refused() {
        for text in ["ashtapada?", "ashtapada?pieces=3&", "ashtapada?&pieces=3", "ashtapada?x=block&&pieces=3"] {
            let error = two(text).expect_err("an empty flag");
            assert_eq!(error.problems, [RulesetProblem::EmptyFlag], "{text}");
        }
        assert_eq!(two("ashtapada?=3").expect_err("no name").problems, [RulesetProblem::EmptyFlag]);
    }

    #[test]
    fn hash_is_stable() {
        assert_eq!(two("ashtapada").expect("valid").to_string(), "ashtapada SN");
        assert_eq!(two("ashtapada").expect("valid").hash64(), 0x0263_6499_D833_3471);
        assert_ne!(two("ashtapada").expect("valid").hash64(), two("ashtapada?pieces=1").expect("valid").hash64());
    }

    #[test]
    fn seats_are_checked() {
        let three = |text| Ruleset::parse(text, Ruleset::default_seats(3).expect("three seats"));
        assert!(three("ashtapada").is_ok());
        assert!(three("pagade").is_err());
        let sew = SeatSet::of(&[Seat::SOUTH, Seat::EAST, Seat::WEST]);
        assert!(Ruleset::parse("ashte-kashte", sew).is_ok());
        assert!(Ruleset::parse("ashtapada", sew).is_err());
        assert_eq!(SeatSet::from_letters("WES"), Ok(sew));
        for (letters, words) in [("SSN", "seat `S` is given twice"), ("SENWSENW", "seat `S` is given"), ("SX", "`X`")] {
            let text = RulesetText { game: "pagade".to_owned(), seats: letters.to_owned(), flags: BTreeMap::new() };
            let error = Ruleset::try_from(text).expect_err("no set of seats").to_string();
            assert!(error.contains(words), "{letters}: {error}");
        }
    }
}
