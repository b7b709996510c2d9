//! The values of a sheet for throws, turns and entry.

use serde::{Deserialize, Serialize};

use super::is_default;

/// The throws and their probabilities.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Throws {
    /// What the throws of one die count; of cowries by the number of mouths up, from none. 0 moves nothing.
    #[cfg_attr(test, schemars(inner(range(max = 30))))]
    pub values: Vec<u8>,
    /// Their probabilities.
    #[serde(default)]
    pub odds: Odds,
    /// Dice that are thrown at once: 1, or 2 where the turn is `dice` or `divide`. A `series` of hops with a landing
    /// each can be that of 2 to 4 dice, which have at most four values.
    #[serde(default = "one")]
    #[cfg_attr(test, schemars(range(min = 1, max = 4)))]
    pub dice: u8,
}

fn one() -> u8 {
    1
}

/// The probabilities of the values of a throw.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`cowries`, `equal`, or a list of weights")]
pub enum Odds {
    /// By a rule.
    Named(NamedOdds),
    /// In so many of equally likely cases each, at least 1, in the order of the values.
    Weights(Vec<u32>),
}

/// The probabilities of the values of a throw, by a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NamedOdds {
    /// One shell, stick or coin fewer than values, each falling on either side alike: 1, 4, 6, 4, 1 of 16.
    Cowries,
    /// All alike, as a die.
    Equal,
}

impl Default for Odds {
    fn default() -> Odds {
        Odds::Named(NamedOdds::Cowries)
    }
}

/// The rules of making and using throws.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The order of throwing and moving.
    pub kind: TurnKind,
    /// The throws that must be used.
    pub must: Must,
    /// `series` of one die: the values that end it.
    #[serde(default)]
    pub stop: Vec<u8>,
    /// `series`: the moves of one piece by several throws.
    #[serde(default)]
    pub hop: Hop,
    /// `throw`: the values that grant one more throw, also where they cannot be used.
    #[serde(default)]
    pub again: Vec<u8>,
    /// Whether a capture grants one more throw, series or roll; one, however much is captured.
    #[serde(default)]
    pub again_on_capture: bool,
    /// `dice`, `divide`: whether a doublet grants one more roll.
    #[serde(default)]
    pub again_on_doublet: bool,
    /// `throw`: whether a value of `again` grants one more throw also where it could not be used.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub again_unused: bool,
    /// `throw`: whether a piece that gets to the finish grants one more throw.
    #[serde(default, skip_serializing_if = "is_default")]
    pub again_on_finish: bool,
    /// `throw`: the most throws of one turn; the last of them grants no more. Left out or 0: any
    /// number.
    #[serde(default)]
    #[cfg_attr(test, schemars(range(max = 9)))]
    pub most_throws: Option<u8>,
    /// What becomes of the last throw of `most_throws`, where it is one of `again`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub last_throw: LastThrow,
    /// `throw`: the values after which one more step of 1 is to be played.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bonus: Vec<u8>,
    /// `throw`: when the step of `bonus` is played.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bonus_order: BonusOrder,
    /// `throw`: whether one throw may serve two pieces.
    #[serde(default)]
    pub divide: Divide,
}

impl Turn {
    /// The most throws of one turn, where they are limited.
    pub(crate) fn throw_limit(&self) -> Option<u8> {
        self.most_throws.filter(|&most| most > 0)
    }
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

/// What becomes of the last throw of a turn with a most number of throws, where it is one of `again`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LastThrow {
    /// It is played, and no throw follows.
    #[default]
    Played,
    /// It is lost, and the turn ends: three sixes in a row. Throws that are granted for another reason begin the count
    /// anew.
    Lost,
}

/// The order of throwing and moving.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TurnKind {
    /// One throw is made and used; some grant another.
    Throw,
    /// Throws are made until one of `stop`; then they are allotted to pieces.
    Series,
    /// Two dice are thrown for one piece (their sum, one hop), two pieces, or with a doublet a unit, which each take
    /// one die. Where pieces wait, they come first.
    Dice,
    /// Two dice are thrown, and their total is divided between the pieces on the board, in at most one hop each.
    Divide,
}

/// The throws that must be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Must {
    /// As many throws (`divide`: pips) as can be used in any way.
    Most,
    /// Throws in any way, until no more can be used (`series`).
    Greedy,
    /// A move where there is one (`throw`).
    One,
    /// A move where there is one other than onto an own piece (`throw`).
    NoMerge,
    /// None.
    Optional,
}

/// The moves of one piece by several throws.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hop {
    /// In one hop by their sum, with one landing. A piece moves at most once; one that enters may still move.
    #[default]
    Sum,
    /// Throw by throw, in any order, with a landing each. A piece moves any number of times.
    Each,
}

/// When the step of `bonus` is played.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BonusOrder {
    /// After the throw, also where this cannot be used.
    #[default]
    After,
    /// Before the throw or after it. Both are played if they can be, and else either, unless `must` is `optional`.
    Any,
}

/// Whether one throw may serve two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Divide {
    /// No.
    #[default]
    None,
    /// Between two pieces on the board, if one of them gets to the finish with its part, which is at least 1.
    Finish,
}

/// The entry of pieces onto the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Entry {
    /// The values that let a piece enter while no own piece stands on the course; `dice`: of one die, or of both
    /// together for one piece; `divide`: with a doublet of it, which is then spent.
    pub first: Values,
    /// The same while an own piece stands on the course.
    pub next: Values,
    /// `throw`: when `first` holds.
    #[serde(skip_serializing_if = "is_default")]
    pub first_while: FirstWhile,
    /// Where a piece enters.
    pub at: EntryAt,
    /// Whether a piece that waits must enter, if it can, before others move. With `dice` pieces that wait always come
    /// first.
    pub compulsory: bool,
    /// `throw`: whether, while pieces wait, an own piece on the square where they enter must move on, if it can, before
    /// anything else.
    #[serde(skip_serializing_if = "is_default")]
    pub clear: bool,
    /// `throw`: whether pieces enter by the step of `turn.bonus` alone, and must.
    #[serde(skip_serializing_if = "is_default")]
    pub by_bonus: bool,
    /// Whether entering uses up the throw. If not, its number may be played as well, and each part may be left
    /// (`throw`).
    pub spends: bool,
    /// `series`: when the throws before the first that enters are lost.
    pub lost_before: LostBefore,
}

impl Default for Entry {
    fn default() -> Entry {
        Entry {
            first: Values::Named(Any::Any),
            next: Values::Named(Any::Any),
            first_while: FirstWhile::Empty,
            at: EntryAt::START,
            compulsory: false,
            clear: false,
            by_bonus: false,
            spends: true,
            lost_before: LostBefore::Never,
        }
    }
}

/// Values of throws.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`any`, or a list of values")]
pub enum Values {
    /// `any`.
    Named(Any),
    /// These.
    These(Vec<u8>),
}

/// The word `any`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Any {
    /// All of them but 0.
    Any,
}

impl Values {
    /// Whether a throw of `value` is among them.
    pub fn contains(&self, value: u8) -> bool {
        match self {
            Values::Named(Any::Any) => value > 0,
            Values::These(values) => values.contains(&value),
        }
    }
}

/// When the values of `first` let a piece enter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FirstWhile {
    /// While no own piece stands on the course.
    #[default]
    Empty,
    /// Until the seat has entered its first piece, once in the game. It then carries a `+` in the notation.
    Never,
}

/// Where a piece enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`start`, `count`, or the number of a square")]
pub enum EntryAt {
    /// By a word.
    Named(NamedEntry),
    /// On the square with this number.
    Square(u8),
}

impl EntryAt {
    pub(crate) const START: EntryAt = EntryAt::Named(NamedEntry::Start);
    pub(crate) const COUNT: EntryAt = EntryAt::Named(NamedEntry::Count);
}

/// Where a piece enters, by a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NamedEntry {
    /// On the first square of the course.
    Start,
    /// A throw of n on the square with number n.
    Count,
}

/// When the throws of a series before the first that enters are lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LostBefore {
    /// Never.
    Never,
    /// While no own piece is on the course or at its finish; one that was borne off is not.
    OffBoard,
    /// While no own piece is on the course.
    OffCourse,
}
