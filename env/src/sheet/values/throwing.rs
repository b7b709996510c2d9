//! The values of a sheet for throws, turns and entry.

use serde::{Deserialize, Serialize};

/// The throws and their probabilities.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Throws {
    /// What the throws of one die count; of cowries by the number of mouths up, from none. 0 moves nothing.
    pub values: Vec<u8>,
    /// Their probabilities.
    #[serde(default)]
    pub odds: Odds,
    /// Dice that are thrown at once: 1, or 2 where the turn is `dice` or `divide`.
    #[serde(default = "one")]
    pub dice: u8,
}

fn one() -> u8 {
    1
}

/// The probabilities of the values of a throw.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged, expecting = "`cowries`, `equal`, or a list of weights")]
pub enum Odds {
    /// By a rule.
    Named(NamedOdds),
    /// In so many of equally likely cases each, in the order of the values.
    Weights(Vec<u32>),
}

/// The probabilities of the values of a throw, by a rule.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NamedOdds {
    /// One shell, stick or coin fewer than values, each falling on either side alike: 1, 4, 6, 4, 1 of 16.
    #[default]
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The order of throwing and moving.
    pub kind: TurnKind,
    /// The throws that must be used.
    pub must: Must,
    /// `series`: the values that end it.
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
    /// `throw`: the most throws of one turn; the last of them grants no more. Left out: any number.
    #[serde(default)]
    pub most_throws: Option<u8>,
    /// `throw`: whether one throw may serve two pieces.
    #[serde(default)]
    pub divide: Divide,
}

/// The order of throwing and moving.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
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
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hop {
    /// In one hop by their sum, with one landing. A piece moves at most once; one that enters may still move.
    #[default]
    Sum,
    /// Throw by throw, in any order, with a landing each. A piece moves any number of times.
    Each,
}

/// Whether one throw may serve two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Divide {
    /// No.
    #[default]
    None,
    /// Between two pieces on the board, if one of them gets to the finish with its part, which is at least 1.
    Finish,
}

/// The entry of pieces onto the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Entry {
    /// The values that let a piece enter while no own piece stands on the course; `dice`: of one die, or of both
    /// together for one piece; `divide`: with a doublet of it, which is then spent.
    pub first: Values,
    /// The same while an own piece stands on the course.
    pub next: Values,
    /// Where a piece enters.
    pub at: EntryAt,
    /// Whether pieces that wait must enter before others move (`dice`).
    pub compulsory: bool,
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
            at: EntryAt::Start,
            compulsory: false,
            spends: true,
            lost_before: LostBefore::Never,
        }
    }
}

/// Values of throws.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged, expecting = "`any`, or a list of values")]
pub enum Values {
    /// `any`.
    Named(Any),
    /// These.
    These(Vec<u8>),
}

/// The word `any`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
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

/// Where a piece enters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryAt {
    /// On the first square of the course.
    #[default]
    Start,
    /// A throw of n on the square with number n.
    Count,
}

/// When the throws of a series before the first that enters are lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LostBefore {
    /// Never.
    #[default]
    Never,
    /// While no own piece is on the course or at its finish; one that was borne off is not.
    OffBoard,
    /// While no own piece is on the course.
    OffCourse,
}
