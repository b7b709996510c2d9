//! The values of a sheet for pieces that meet, gate and finish, and words.

use serde::{Deserialize, Serialize};

use super::is_default;

/// How many own pieces may stand on a square.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Stacking {
    /// On a plain square.
    pub plain: Room,
    /// On a plain square from the gate on; left out: as elsewhere.
    pub inner: Option<Room>,
    /// On a private square, which lies on one seat's course alone; left out: as elsewhere.
    pub private: Option<Room>,
    /// On a marked square that is not closed.
    pub marked: MarkRoom,
    /// `throw`: the effect of two or more pieces of one seat on a square on the pieces of its enemies.
    #[serde(skip_serializing_if = "is_default")]
    pub block: Block,
    /// A square with a partner's piece (`throw`, and a `series` of hops with a landing each).
    #[serde(skip_serializing_if = "is_default")]
    pub partner: WithPartner,
}

/// The effect of two or more pieces of one seat on a square on the pieces of its enemies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// None.
    #[default]
    None,
    /// Enemies may not land there.
    Landing,
    /// Enemies may neither land there nor pass.
    Passing,
}

/// A square with a partner's piece.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WithPartner {
    /// A plain one is closed.
    #[default]
    Closed,
    /// It is shared, as with own pieces; their number does not count.
    Shares,
}

/// A number of own pieces on a square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Room {
    /// One: another may not land.
    One,
    /// Two.
    Two,
    /// Any number.
    #[default]
    Any,
}

/// A number of own pieces on a marked square.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MarkRoom {
    /// One: another may not land.
    One,
    /// Any number.
    #[default]
    Any,
}

impl From<MarkRoom> for Room {
    fn from(room: MarkRoom) -> Room {
        if room == MarkRoom::One { Room::One } else { Room::Any }
    }
}

/// The rules for two own pieces on a square.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Unit {
    /// The own pieces that can move as one and count as a pair.
    pub kind: UnitKind,
    /// `declared`: the squares, by name as South sees its own course, where two pieces can become a unit when they
    /// leave.
    pub from: Vec<String>,
    /// `together`: where two pieces are a unit.
    pub area: Area,
    /// The distance of a unit by a throw.
    pub speed: Speed,
    /// A `series` of several dice: the values of three dice with which three pieces that stand together can move as
    /// one.
    #[serde(skip_serializing_if = "is_default")]
    pub three: Vec<u8>,
    /// Whether one of two may leave alone.
    pub split: bool,
    /// Whether a piece that moves alone may pass a unit.
    pub passable: bool,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit {
            kind: UnitKind::None,
            from: Vec::new(),
            area: Area::Any,
            speed: Speed::Full,
            three: Vec::new(),
            split: true,
            passable: true,
        }
    }
}

/// The own pieces that can move as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UnitKind {
    /// None.
    None,
    /// Two that stand together, but not on a first square that is private.
    Together,
    /// Two that have left a square of `from` together, until the finish. The notation marks each with a `t`.
    Declared,
}

/// Where two pieces are a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Area {
    /// Anywhere on the course.
    Any,
    /// On plain squares from the gate on.
    Inner,
}

/// The distance of a unit by a throw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Speed {
    /// The whole throw.
    Full,
    /// Half of each throw, rounded down; a throw of 1 cannot be given to it.
    Half,
    /// Half of each throw, rounded down; a throw of 1 can be spent on it together with others.
    HalfSpent,
    /// Half of an even throw; an odd one cannot be given to it.
    HalfEven,
    /// Twice the throw (`throw`, and a `series` of hops with a landing each).
    Double,
}

/// Captures on a plain square. A single piece always captures single ones.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Capture {
    /// A single piece that lands on an enemy's unit.
    pub single_on_unit: Meeting,
    /// A unit that lands on an enemy's single pieces.
    pub unit_on_single: UnitOnSingle,
    /// A unit that lands on an enemy's unit. Another value than the default goes with `throw`, and with a `series` of
    /// hops with a landing each.
    #[serde(skip_serializing_if = "is_default")]
    pub unit_on_unit: UnitMeeting,
    /// The single pieces of one seat that a capture removes.
    pub group: Group,
}

/// The effect on enemies on a plain square.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Meeting {
    /// They are captured.
    #[default]
    Takes,
    /// They stay, and the square is shared.
    Shares,
    /// The square is closed.
    Barred,
}

/// The effect of a unit on an enemy's single pieces on a plain square.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UnitOnSingle {
    /// They are captured.
    #[default]
    Takes,
    /// They stay, and the square is shared.
    Shares,
}

impl From<UnitOnSingle> for Meeting {
    fn from(meeting: UnitOnSingle) -> Meeting {
        if meeting == UnitOnSingle::Takes { Meeting::Takes } else { Meeting::Shares }
    }
}

/// The effect of a unit on an enemy's unit on a plain square.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UnitMeeting {
    /// It is captured.
    #[default]
    Takes,
    /// It is captured if it has no more pieces. A larger one stays, and the square is shared.
    TakesEqual,
    /// It stays, and the square is shared.
    Shares,
    /// The square is closed.
    Barred,
}

/// The single pieces of one seat that a capture removes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// All of them.
    #[default]
    All,
    /// One; the others stay, and the square is shared.
    One,
}

/// The part of the course that opens with a capture.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// The number of its first square; a seat that has captured carries a `+` in the notation. Left out or 0: there is
    /// none.
    pub at: u8,
    /// A move beyond without a capture.
    pub without: Without,
    /// `lap`: the squares of one round.
    pub lap: u8,
    /// The seats whose capture opens it.
    pub opened_by: OpenedBy,
}

/// A move beyond the gate without a capture.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Without {
    /// Is illegal. When no seat that has not finished can ever move again, the game ends.
    #[default]
    Wait,
    /// Goes round again: to the number less `lap`, as often as it takes.
    Lap,
    /// Is allowed; the capture is remembered all the same.
    Open,
}

/// The seats whose capture opens the gate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OpenedBy {
    /// The seat's own.
    #[default]
    Own,
    /// Its own or its partner's.
    Team,
}

/// The end of the course. The finish is never contested.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Finish {
    /// `series`: the values with which a piece is borne off from the finish, once all pieces that are not yet borne off
    /// are there; the first to bear off all wins. Left out: a piece at the finish is home, and all home win.
    pub bear_off: Vec<u8>,
    /// `divide`: from so many squares away the finish is reached only by a doublet of this number; one die brings the
    /// piece in.
    pub doublets: Vec<u8>,
    /// `throw`: a throw of more than the steps to the finish.
    #[serde(skip_serializing_if = "is_default")]
    pub overshoot: Overshoot,
    /// `throw`: the values that, beside a 1, bring a piece from the square before the finish to it.
    #[serde(skip_serializing_if = "is_default")]
    pub from_last: Vec<u8>,
    /// `throw`: whether there is no finish: the last squares of the course, one for each piece, must be filled, the
    /// course ending at the last of them. With fewer pieces it ends earlier.
    #[serde(skip_serializing_if = "is_default")]
    pub fill: bool,
}

/// A throw of more than the steps to the finish.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Overshoot {
    /// It cannot be used.
    #[default]
    Illegal,
    /// The piece gets to the finish, and the rest is wasted.
    Wasted,
    /// The piece goes back from the finish by the rest; it may not come to its own square.
    Bounces,
}

/// The words of the notation and of the texts for players.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    /// A piece that waits to enter.
    pub off: String,
    /// A piece at the finish.
    pub home: String,
    /// A piece that was borne off.
    pub borne: String,
    /// Two pieces that move together.
    pub unit: String,
    /// The verb for a capture: `captures`.
    pub captures: String,
    /// Its participle, for a seat that has captured: `captured`.
    pub captured: String,
    /// A marked square.
    pub mark: String,
    /// The finish: of one seat, or of all.
    pub finish: String,
    /// Private squares.
    pub private: String,
}

impl Default for Words {
    fn default() -> Words {
        let [off, home, borne, unit, captures, captured, mark, finish, private] =
            ["off", "home", "borne", "pair", "captures", "captured", "marked", "goal", "private"].map(str::to_owned);
        Words { off, home, borne, unit, captures, captured, mark, finish, private }
    }
}
