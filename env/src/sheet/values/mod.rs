//! The keys of a sheet and their values. `docs/sheet-keys.md` and the JSON Schema are generated
//! from these types.

/// Values that are words, such as `clockwise`.
macro_rules! choices {
    ($($choice:item)*) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        $choice
    )*};
}

/// Sections of a sheet.
macro_rules! sections {
    ($($section:item)*) => {$(
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        $section
    )*};
}

mod meeting;
mod throwing;

use serde::{Deserialize, Serialize};

pub use crate::game::MAX_PIECES;
pub use meeting::*;
pub use throwing::*;

/// The largest number of different values of a throw that can continue a series.
pub(crate) const MAX_KINDS: usize = 3;

/// Whether a value is the default. Such a value is not written, so that older sheets keep their
/// text and their hash.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// The name in the notation, in files and in configurations: small letters, digits and single
    /// hyphens.
    pub name: String,
    /// The name for display.
    pub title: String,
    /// A summary of the game in one line.
    pub summary: String,
    /// The region that the game comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The usual length of a game at a table, in minutes, for the first set of `seats.allowed`. The
    /// built-in sheets assume eight seconds for each throw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u16>,
    /// The sources of the rules.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The rules for players, in paragraphs separated by empty lines. The program does not read
    /// them.
    #[serde(default)]
    pub rules: String,
    /// The seats, the order of turns, the teams and the end of the game.
    pub seats: Seats,
    /// The squares and the courses of the pieces.
    pub board: Board,
    /// The number of pieces of a seat, and the squares where they begin.
    pub pieces: Pieces,
    /// The throws and their probabilities.
    pub throws: Throws,
    /// The rules of throwing and moving.
    pub turn: Turn,
    /// How pieces enter the board. Not needed if all pieces begin on the board and return to it.
    #[serde(default)]
    pub entry: Entry,
    /// How many pieces of one seat a square can hold.
    #[serde(default)]
    pub stacking: Stacking,
    /// Two or more pieces of one seat that move together.
    #[serde(default)]
    pub unit: Unit,
    /// Captures.
    #[serde(default)]
    pub capture: Capture,
    /// The gate: it closes the last part of the course to a seat until a capture.
    #[serde(default)]
    pub gate: Gate,
    /// The end of the course.
    #[serde(default)]
    pub finish: Finish,
    /// The words of the notation and of texts for players.
    #[serde(default)]
    pub words: Words,
    /// The house rules by name. The notation writes them in this order.
    #[serde(default)]
    pub flags: Flags,
}

impl Sheet {
    /// The largest number of pieces of a seat.
    pub(crate) fn most_pieces(&self) -> u8 {
        self.pieces
            .allowed
            .iter()
            .copied()
            .fold(self.pieces.count, u8::max)
    }
}

sections! {
    /// The seats and their teams. A seat is the side of the board of one player.
    pub struct Seats {
        /// The sets of seats that can play, as letters in the order S, E, N, W: `["SN", "SENW"]`.
        /// If several sets have the same size, the first of them is the default for this number of
        /// players.
        pub allowed: Vec<String>,
        /// The direction of turns.
        #[serde(default)]
        pub order: Order,
        /// Whether seats play in teams.
        #[serde(default)]
        pub teams: Teams,
        /// Whether one player plays all seats of a team.
        #[serde(default)]
        pub one_mind: bool,
        /// How a seat uses its turns when all its pieces have finished and its partner still plays.
        #[serde(default)]
        pub finished_partner: FinishedPartner,
        /// When the game ends.
        #[serde(default)]
        pub end: End,
        /// The turn limit: a game that reaches this number of turns is stopped (truncated). A
        /// further throw after a move counts as a turn.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub turn_limit: u32,
    }
}

choices! {
    /// The direction of turns.
    #[derive(Default)]
    pub enum Order {
        /// S, E, N, W: the turn passes to the right.
        #[default]
        CounterClockwise,
        /// S, W, N, E: the turn passes to the left.
        Clockwise,
    }

    /// Whether seats play in teams.
    #[derive(Default)]
    pub enum Teams {
        /// Each seat plays alone.
        #[default]
        None,
        /// If four seats play, opposite seats are partners. Partners never capture each other. The
        /// first team with all its pieces at the finish wins.
        Opposite,
    }

    /// How a seat uses its turns when all its pieces have finished and its partner still plays.
    #[derive(Default)]
    pub enum FinishedPartner {
        /// The seat throws for the pieces of its partner.
        #[default]
        Donates,
        /// Its turns are skipped.
        Skips,
    }

    /// When the game ends.
    #[derive(Default)]
    pub enum End {
        /// When all pieces of a seat or a team have finished.
        #[default]
        First,
        /// When only one seat has not finished: with more than two seats, the other seats play on
        /// for the next ranks.
        Placings,
    }
}

sections! {
    /// The squares and the courses of the pieces.
    pub struct Board {
        /// The rows of the frame around the board, 1 to 26.
        #[cfg_attr(test, schemars(range(min = 1, max = 26)))]
        pub side: u8,
        /// The columns of the frame, 1 to 26. The default is the number of rows.
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(test, schemars(range(min = 1, max = 26)))]
        pub columns: Option<u8>,
        /// South's course: the first square, then runs. A run is a direction and a number of steps
        /// (`"D1 E3 N6 NW1"`), or a jump to a square (`">F1"`). The last square is the finish. A
        /// course can visit a square twice.
        pub course: String,
        /// How the courses of the other seats are made from South's course.
        #[serde(default, skip_serializing_if = "is_default")]
        pub copy: CourseCopy,
        /// The number of the first square of the course in the notation: 0 or 1.
        #[serde(default)]
        #[cfg_attr(test, schemars(range(max = 1)))]
        pub first_number: u8,
        /// The marked squares by name. They must have the same numbers on the course of every seat.
        #[serde(default)]
        pub marks: Vec<String>,
        /// The effect of the squares of `marks`.
        #[serde(default)]
        pub mark_rule: MarkRule,
        /// Whether a piece that lands on a square of `marks` grants one more throw.
        #[serde(default, skip_serializing_if = "is_default")]
        pub mark_again: bool,
        /// More marked squares with other effects: a list of tables with `squares`, `rule` and
        /// `again`.
        #[serde(default, skip_serializing_if = "is_default")]
        pub other_marks: Vec<Marks>,
        /// The squares that are drawn as one area in the middle, with the finish of every seat.
        /// Only for drawings.
        #[serde(default)]
        pub middle: Vec<String>,
        /// The look of the board in coloured drawings. It does not change the rules.
        #[serde(default, skip_serializing_if = "is_default")]
        pub look: Look,
    }
}

impl Board {
    /// The place of the square with this number. The first square of a course is place 1.
    pub(crate) fn place_of(&self, number: u8) -> u8 {
        number + 1 - self.first_number
    }

    /// The kinds of marked squares: `marks`, then `other_marks`.
    pub fn mark_kinds(&self) -> impl Iterator<Item = Marks> {
        let usual = Marks {
            squares: self.marks.clone(),
            rule: self.mark_rule,
            again: self.mark_again,
        };
        std::iter::once(usual).chain(self.other_marks.iter().cloned())
    }
}

choices! {
    /// How the courses of the other seats are made from South's course.
    #[derive(Default)]
    pub enum CourseCopy {
        /// South's course, rotated by quarter turns. The frame must be a square.
        #[default]
        Rotate,
        /// North has South's course, mirrored: the first row becomes the last. Only South and North
        /// can play.
        Mirror,
    }
}

sections! {
    /// Marked squares of one kind.
    pub struct Marks {
        /// The squares by name. They must have the same numbers on the course of every seat.
        pub squares: Vec<String>,
        /// The effect of the squares.
        #[serde(default)]
        pub rule: MarkRule,
        /// Whether a piece that lands there grants one more throw.
        #[serde(default)]
        pub again: bool,
    }
}

choices! {
    /// The look of a drawn board.
    #[derive(Default)]
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
        /// Plates of shell and lapis lazuli.
        Inlay,
    }

    /// The effect of a marked square.
    #[derive(Default)]
    pub enum MarkRule {
        /// Pieces of all seats can be there together. No piece is captured there.
        #[default]
        Share,
        /// A piece cannot land there while an enemy is there. No piece is captured there.
        Block,
        /// Only one piece of any seat can be there, and a unit cannot land there. No piece is
        /// captured there.
        Closed,
        /// The rules of plain squares. The mark only grants one more throw, or only changes the
        /// drawing.
        Plain,
    }
}

sections! {
    /// The pieces of a seat.
    pub struct Pieces {
        /// The number of pieces of each seat.
        #[cfg_attr(test, schemars(range(min = 1, max = 8)))]
        pub count: u8,
        /// The numbers of pieces that players can choose with `pieces=…`.
        #[serde(default = "one_to_four")]
        #[cfg_attr(test, schemars(inner(range(min = 1, max = 8))))]
        pub allowed: Vec<u8>,
        /// Where pieces begin.
        #[serde(default)]
        pub setup: Setup,
        /// Where captured pieces go.
        #[serde(default)]
        pub sent_to: Returns,
    }
}

fn one_to_four() -> Vec<u8> {
    (1..=4).collect()
}

/// Where pieces begin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "`off`, `start`, or a list of numbers of squares"
)]
pub enum Setup {
    /// All pieces begin together.
    All(SentTo),
    /// The pieces begin on the squares with these numbers, in ascending order. If there are fewer
    /// pieces than numbers, only the last numbers are used.
    On(Vec<u8>),
}

impl Default for Setup {
    fn default() -> Setup {
        Setup::All(SentTo::Off)
    }
}

choices! {
    /// Where pieces wait.
    pub enum SentTo {
        /// Off the board. Pieces must enter.
        Off,
        /// On the first square of their course. This square then belongs to its seat: it has room
        /// for any number of pieces of this seat. There, pieces of different seats do not affect
        /// each other.
        Start,
    }
}

/// Where captured pieces go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`off`, `start`, or the number of a square")]
pub enum Returns {
    /// To the place where pieces wait.
    Wait(SentTo),
    /// To the square with this number. The square must not be marked, and must not be on the course
    /// of another seat. Such a number only works with turns of the kind `throw`, and of the kind
    /// `series` with `hop = "each"`.
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

/// The house rules by name.
pub type Flags = indexmap::IndexMap<String, Flag>;

/// A house rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Flag {
    /// The description for players.
    #[serde(default)]
    pub about: String,
    /// The values by name. The first value is the default and does not change the sheet.
    #[serde(flatten)]
    pub values: indexmap::IndexMap<String, FlagValue>,
}

/// One value of a house rule: its description, and the keys of the sheet that it changes. Tables
/// are merged key by key; other values are replaced.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FlagValue {
    /// The description for players.
    #[serde(default)]
    pub about: String,
    /// The changed keys of the sheet with their values.
    #[serde(flatten)]
    #[cfg_attr(
        test,
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub changes: toml::Table,
}
