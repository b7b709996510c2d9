//! The keys of a sheet with their values: each is documented here, and nothing else is known of them.

mod meeting;
mod throwing;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::game::MAX_PIECES;
pub use meeting::*;
pub use throwing::*;

/// Values after which a series can go on.
pub(crate) const MAX_KINDS: usize = 3;

/// Whether a value is the default, so that it is left out: sheets of before keep their text and their hash.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A game of the family.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Name in the notation, files and configurations: small letters, digits and single hyphens.
    pub name: String,
    /// Name for display.
    pub title: String,
    /// Summary of the game in one line.
    pub summary: String,
    /// The region that the game comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The usual length of a game at a table, in minutes, for the first of the allowed sets of seats. The built-in
    /// sheets count eight seconds for each throw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u16>,
    /// The sources of the rules.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The rules in prose for players: paragraphs separated by empty lines.
    #[serde(default)]
    pub rules: String,
    /// Seats, order of turns, teams and the end of the game.
    pub seats: Seats,
    /// The squares and the way over them.
    pub board: Board,
    /// The number of pieces of a seat, and their first places.
    pub pieces: Pieces,
    /// The throws and their probabilities.
    pub throws: Throws,
    /// The rules of making and using throws.
    pub turn: Turn,
    /// The entry of pieces onto the board; left out where all begin on it and return to it.
    #[serde(default)]
    pub entry: Entry,
    /// The most own pieces on a square.
    #[serde(default)]
    pub stacking: Stacking,
    /// The rules for two own pieces on a square.
    #[serde(default)]
    pub unit: Unit,
    /// The rules of captures.
    #[serde(default)]
    pub capture: Capture,
    /// The part of the course that opens with a capture.
    #[serde(default)]
    pub gate: Gate,
    /// The end of the course.
    #[serde(default)]
    pub finish: Finish,
    /// The words of the notation and of the texts for players.
    #[serde(default)]
    pub words: Words,
    /// The house rules by name, in the order of the notation.
    #[serde(default)]
    pub flags: Flags,
}

/// The seats and their teams.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Seats {
    /// The sets of seats that can play, as letters in the order S, E, N, W: `["SN", "SENW"]`. Of several sets of one
    /// size the first one is the default for so many players.
    pub allowed: Vec<String>,
    /// The direction of turns.
    #[serde(default)]
    pub order: Order,
    /// Teams.
    #[serde(default)]
    pub teams: Teams,
    /// Whether one player has all seats of a team.
    #[serde(default)]
    pub one_mind: bool,
    /// The turns of a seat of a team once its own pieces have finished.
    #[serde(default)]
    pub finished_partner: FinishedPartner,
    /// The end of the game.
    #[serde(default)]
    pub end: End,
    /// Turns after which a game is truncated; a further throw after a move counts as a turn.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub turn_limit: u32,
}

/// The direction of turns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// S, E, N, W: to the right.
    #[default]
    CounterClockwise,
    /// S, W, N, E: to the left.
    Clockwise,
}

/// Teams.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Teams {
    /// Each seat for itself.
    #[default]
    None,
    /// Opposite seats are partners where four seats play. They never capture each other, and the first team whose
    /// pieces have all finished wins.
    Opposite,
}

/// The turns of a seat of a team once its own pieces have finished.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FinishedPartner {
    /// It throws for its partner's pieces.
    #[default]
    Donates,
    /// Its turns are skipped.
    Skips,
}

/// The end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// With the first seat, or team, whose pieces have all finished.
    #[default]
    First,
    /// With more than two seats, each for itself, the others play on for the places.
    Placings,
}

/// The squares and the way over them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Rows of the frame around the board, 1 to 26.
    #[cfg_attr(test, schemars(range(min = 1, max = 26)))]
    pub side: u8,
    /// Columns of the frame, 1 to 26. Left out: as many as rows.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(test, schemars(range(min = 1, max = 26)))]
    pub columns: Option<u8>,
    /// South's course: its first square, and runs of a direction with a number of steps: `"D1 E3 N6 NW1"`, or a
    /// jump to a square: `">F1"`. The last square is the finish. A square can come twice, at a distance.
    pub course: String,
    /// How the other seats' courses follow from South's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub copy: CourseCopy,
    /// Courses of other seats by letter, where they are no copies of South's. They are as long as South's.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(test, schemars(extend("minProperties" = 1)))]
    pub courses: BTreeMap<String, String>,
    /// The number of the first square in the notation: 0 or 1.
    #[serde(default)]
    #[cfg_attr(test, schemars(range(max = 1)))]
    pub first_number: u8,
    /// Marked squares by name. They have the same numbers on the course of every seat.
    #[serde(default)]
    pub marks: Vec<String>,
    /// The effect of marks.
    #[serde(default)]
    pub mark_rule: MarkRule,
    /// Whether a piece that lands on a mark gets one more throw.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mark_again: bool,
    /// Further marked squares, with effects of their own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub other_marks: Vec<Marks>,
    /// Squares that are drawn as one middle where pieces finish; the finish of each seat is among them.
    #[serde(default)]
    pub middle: Vec<String>,
    /// The look of the board where it is drawn in colours. It is no rule.
    #[serde(default, skip_serializing_if = "is_default")]
    pub look: Look,
}

impl Board {
    /// The place of the square with this number: the first square of a course is place 1.
    pub(crate) fn place_of(&self, number: u8) -> u8 {
        number + 1 - self.first_number
    }

    /// The kinds of marked squares, the usual ones first.
    pub fn mark_kinds(&self) -> impl Iterator<Item = Marks> {
        let usual = Marks { squares: self.marks.clone(), rule: self.mark_rule, again: self.mark_again };
        std::iter::once(usual).chain(self.other_marks.iter().cloned())
    }
}

/// How the other seats' courses follow from South's.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CourseCopy {
    /// Rotated by quarter turns; the frame is a square.
    #[default]
    Rotate,
    /// North's is South's, mirrored: the first row is the last. Seats are South and North.
    Mirror,
}

/// Marked squares of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// Squares by name. They have the same numbers on the course of every seat.
    pub squares: Vec<String>,
    /// Their effect.
    #[serde(default)]
    pub rule: MarkRule,
    /// Whether a piece that lands there gets one more throw.
    #[serde(default)]
    pub again: bool,
}

/// The look of a drawn board.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Look {
    /// Squares inlaid in wood.
    #[default]
    Wood,
    /// Embroidered cloth.
    Cloth,
    /// Lines of chalk on a floor.
    Chalk,
    /// Lines scratched into palm leaf.
    PalmLeaf,
}

/// The effect of a marked square.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MarkRule {
    /// Pieces of any seats stand there together; nothing is captured.
    #[default]
    Share,
    /// Nothing is captured, and a seat may not land where an enemy stands.
    Block,
    /// One piece in all may stand there, and no two pieces land together; nothing is captured.
    Closed,
    /// As on a plain square: it is marked only because it gives one more throw, or for the eye.
    Plain,
}

/// The pieces of a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pieces {
    /// Pieces of each seat.
    #[cfg_attr(test, schemars(range(min = 1, max = 8)))]
    pub count: u8,
    /// The numbers of pieces that `pieces=…` accepts.
    #[serde(default = "one_to_four")]
    #[cfg_attr(test, schemars(inner(range(min = 1, max = 8))))]
    pub allowed: Vec<u8>,
    /// Where the pieces begin.
    #[serde(default)]
    pub setup: Setup,
    /// Where captured pieces go.
    #[serde(default)]
    pub sent_to: Returns,
}

fn one_to_four() -> Vec<u8> {
    (1..=4).collect()
}

/// Where the pieces begin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`off`, `start`, or a list of numbers of squares")]
pub enum Setup {
    /// All together.
    All(SentTo),
    /// On the squares of these numbers, ascending, one for each piece; with fewer pieces on the last of them.
    On(Vec<u8>),
}

impl Default for Setup {
    fn default() -> Setup {
        Setup::All(SentTo::Off)
    }
}

/// Where pieces wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SentTo {
    /// Off the board; they enter.
    Off,
    /// On the first square of their course. It is then private to its owner: any number of its pieces stand there, and
    /// none of them meets a piece of another seat.
    Start,
}

/// Where captured pieces go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`off`, `start`, or the number of a square")]
pub enum Returns {
    /// To where pieces wait.
    Wait(SentTo),
    /// Onto the square with this number, which is not marked, and to which no other seat comes (`throw`, and a `series`
    /// of hops with a landing each).
    Square(u8),
}

impl Returns {
    pub(crate) const OFF: Returns = Returns::Wait(SentTo::Off);
    pub(crate) const START: Returns = Returns::Wait(SentTo::Start);
}

impl Default for Returns {
    fn default() -> Returns {
        Returns::OFF
    }
}

/// House rules by name.
pub type Flags = indexmap::IndexMap<String, Flag>;

/// A house rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Flag {
    /// Description for players.
    #[serde(default)]
    pub about: String,
    /// Its values by name; the first one, the default, is the game as the sheet gives it.
    #[serde(flatten)]
    pub values: indexmap::IndexMap<String, FlagValue>,
}

/// One value of a house rule: its description, and the keys of the sheet that it changes. A table is merged key by key,
/// any other value is replaced.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FlagValue {
    /// Description for players.
    #[serde(default)]
    pub about: String,
    /// Keys of the sheet with their values.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub changes: toml::Table,
}
