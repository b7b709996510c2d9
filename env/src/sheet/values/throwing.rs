//! The values of a sheet for throws, turns and entry.

use serde::{Deserialize, Serialize};

use super::is_default;

sections! {
    /// The throws and their probabilities.
    pub struct Throws {
        /// The values of one die, 0 to 30. For cowries (shells): the values for 0, 1, 2, … shells
        /// that fall with the open side (the mouth) up. A throw of 0 moves nothing.
        #[cfg_attr(test, schemars(inner(range(max = 30))))]
        pub values: Vec<u8>,
        /// The probabilities of the values.
        #[serde(default)]
        pub odds: Odds,
        /// The number of dice that are thrown together: 2 for turns of the kinds `dice` and
        /// `divide`, otherwise 1. A `series` with `hop = "each"` can have 1 to 4 dice. In such a
        /// series of 2 or more dice, a die has at most four values.
        #[serde(default = "one")]
        #[cfg_attr(test, schemars(range(min = 1, max = 4)))]
        pub dice: u8,
        /// What a drawing of a throw shows. It does not change the rules.
        #[serde(default, skip_serializing_if = "is_default")]
        pub look: DiceLook,
    }
}

fn one() -> u8 {
    1
}

choices! {
    /// What a drawing of a throw shows.
    #[derive(Default)]
    pub enum DiceLook {
        /// Cowries for the odds `cowries`, cubes for the values 1 to 6, otherwise long dice.
        #[default]
        Usual,
        /// For the odds `cowries`: pyramids with four corners, of which two are marked.
        Tetrahedra,
        /// For the odds `cowries`: sticks with a flat side and a round side.
        Sticks,
    }
}

/// The probabilities of the values of a throw.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`cowries`, `equal`, or a list of weights")]
pub enum Odds {
    /// Given by a rule.
    Named(NamedOdds),
    /// Weights in the order of the values, each at least 1: `[1, 2, 1]` gives the probabilities ¼,
    /// ½ and ¼.
    Weights(Vec<u32>),
}

choices! {
    /// The probabilities of the values of a throw, by a rule.
    pub enum NamedOdds {
        /// Shells, sticks or coins with two sides. If `values` has n entries, n - 1 shells are
        /// thrown. Each shell falls on either side with equal probability: five values have the
        /// probabilities 1/16, 4/16, 6/16, 4/16 and 1/16.
        Cowries,
        /// All values have equal probabilities, as with a die.
        Equal,
    }
}

impl Default for Odds {
    fn default() -> Odds {
        Odds::Named(NamedOdds::Cowries)
    }
}

sections! {
    /// The rules of throwing and moving.
    pub struct Turn {
        /// The order of throwing and moving.
        pub kind: TurnKind,
        /// Which throws must be used.
        pub must: Must,
        /// `series` of one die: the values that end the series.
        #[serde(default)]
        pub stop: Vec<u8>,
        /// `series`: how one piece moves by several throws.
        #[serde(default)]
        pub hop: Hop,
        /// `throw`: the values that grant one more throw, even if no piece can use them (see
        /// `again_unused`).
        #[serde(default)]
        pub again: Vec<u8>,
        /// Whether a turn with captures grants one more throw, series or roll of the dice, whatever
        /// the number of captures.
        #[serde(default)]
        pub again_on_capture: bool,
        /// `divide`: whether a doublet (two equal dice) grants one more roll of the dice.
        #[serde(default)]
        pub again_on_doublet: bool,
        /// `throw`: whether a value of `again` that could not be used grants one more throw.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        pub again_unused: bool,
        /// `throw`: whether a piece that reaches the finish grants one more throw.
        #[serde(default, skip_serializing_if = "is_default")]
        pub again_on_finish: bool,
        /// `throw`: the largest number of throws in one turn; the last of them grants no further
        /// throw. Without the key, or with 0, the number is not limited.
        #[serde(default)]
        #[cfg_attr(test, schemars(range(max = 9)))]
        pub most_throws: Option<u8>,
        /// What happens to the last throw of `most_throws` if it is a value of `again`.
        #[serde(default, skip_serializing_if = "is_default")]
        pub last_throw: LastThrow,
        /// `throw`: the values that grant an extra step of 1.
        #[serde(default, skip_serializing_if = "is_default")]
        pub bonus: Vec<u8>,
        /// `throw`: when the extra step of `bonus` is played.
        #[serde(default, skip_serializing_if = "is_default")]
        pub bonus_order: BonusOrder,
        /// `throw`: whether one throw can be divided between two pieces.
        #[serde(default)]
        pub divide: Divide,
    }
}

impl Turn {
    /// The largest number of throws in one turn; `None` if there is no limit.
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

fn is_one(value: &u8) -> bool {
    *value == 1
}

choices! {
    /// What happens to the last throw of `most_throws` if it is a value of `again`.
    #[derive(Default)]
    pub enum LastThrow {
        /// The throw is played, and no further throw follows.
        #[default]
        Played,
        /// The throw is lost, and the turn ends, as in Ludo with the third six in a row. If a move
        /// with another value grants one more throw (for example by a capture), the count of throws
        /// starts again.
        Lost,
    }

    /// The order of throwing and moving.
    pub enum TurnKind {
        /// A throw is made and used. Some throws grant another throw.
        Throw,
        /// Throws are made until a value of `stop` comes. Then all throws are divided among the
        /// pieces.
        Series,
        /// Two dice are thrown. One piece moves by their sum in one hop, or two pieces move by one
        /// die each, or with a doublet (two equal dice) a unit moves by one die. A waiting piece
        /// that can enter must enter before other pieces move. If two waiting pieces can enter with
        /// one die each, no piece enters with the sum.
        Dice,
        /// Two dice are thrown. Their total is divided among the pieces on the board; each piece
        /// moves at most once.
        Divide,
    }

    /// Which throws must be used.
    pub enum Must {
        /// As many throws as possible (`divide`: the largest possible part of the total).
        Most,
        /// Throws in any order, until no more throws can be used (`series`).
        Greedy,
        /// A move must be made if there is one (`throw`).
        One,
        /// A move must be made if there is one that does not lead onto an own piece (`throw`).
        NoMerge,
        /// No throw has to be used.
        Optional,
    }

    /// How one piece moves by several throws.
    #[derive(Default)]
    pub enum Hop {
        /// By the sum of the throws, in one hop with one landing. A piece moves at most once. A
        /// piece that enters may move, too.
        #[default]
        Sum,
        /// Throw by throw, in any order, with one landing for each throw. A piece moves any number
        /// of times.
        Each,
    }

    /// When the extra step of `bonus` is played.
    #[derive(Default)]
    pub enum BonusOrder {
        /// After the throw, also if the throw cannot be used.
        #[default]
        After,
        /// Before or after the throw. If possible, both must be played, otherwise one of the two.
        /// If `must` is `optional`, no part has to be played.
        Any,
    }

    /// Whether one throw can be divided between two pieces.
    #[derive(Default)]
    pub enum Divide {
        /// No.
        #[default]
        None,
        /// Yes, between two pieces on the board, if one of them reaches the finish with its part.
        /// Each part is at least 1.
        Finish,
    }
}

sections! {
    /// The entry of pieces onto the board.
    #[serde(default)]
    pub struct Entry {
        /// The values that let a piece enter while no own piece is on the course. `dice`: a piece
        /// enters if one die or the sum of both dice is one of these values. `divide`: a piece
        /// enters by a doublet (two equal dice) of one of these values; no other piece can then use
        /// the doublet.
        pub first: Values,
        /// The values that let a piece enter while an own piece is on the course.
        pub next: Values,
        /// `throw`: when `first` applies instead of `next`.
        #[serde(skip_serializing_if = "is_default")]
        pub first_while: FirstWhile,
        /// Where a piece enters.
        pub at: EntryAt,
        /// Whether a waiting piece must enter, if it can, before other pieces move. For `dice`,
        /// this key must be true.
        pub compulsory: bool,
        /// `throw`: whether an own piece on the square of entry must move first, alone or in a
        /// unit, if it can, while other pieces wait.
        #[serde(skip_serializing_if = "is_default")]
        pub clear: bool,
        /// `throw`: whether pieces enter only by the extra step of `turn.bonus`. While a piece
        /// waits, only a waiting piece can then use this step.
        #[serde(skip_serializing_if = "is_default")]
        pub by_bonus: bool,
        /// Whether entering uses up the throw. If false, a piece on the board can also move by the
        /// number of this throw after the entry. In turns of the kind `throw`, the entry or the
        /// move can be left out.
        pub spends: bool,
        /// `throw`: the number of tries that a seat without a piece on the course has to enter a
        /// piece; without the key, 1. A throw that no piece can use is a failed try, and the seat
        /// throws again until it has no tries left. The squares that `finish.fill` fills do not
        /// belong to the course here. `turn.most_throws` does not count failed tries.
        #[serde(skip_serializing_if = "is_one")]
        #[cfg_attr(test, schemars(range(min = 1, max = 9)))]
        pub tries: u8,
        /// `series`: when a seat loses the throws that come before the first throw that lets a
        /// piece enter.
        pub lost_before: LostBefore,
    }
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
            tries: 1,
            lost_before: LostBefore::Never,
        }
    }
}

/// Values of throws.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`any`, or a list of values")]
pub enum Values {
    /// Any value.
    Named(Any),
    /// The values of the list.
    These(Vec<u8>),
}

choices! {
    /// The word `any`.
    pub enum Any {
        /// All values except 0.
        Any,
    }
}

impl Values {
    /// Whether the values contain `value`.
    pub fn contains(&self, value: u8) -> bool {
        match self {
            Values::Named(Any::Any) => value > 0,
            Values::These(values) => values.contains(&value),
        }
    }
}

choices! {
    /// When the values of `first` let a piece enter.
    #[derive(Default)]
    pub enum FirstWhile {
        /// While no own piece is on the course.
        #[default]
        Empty,
        /// Until the seat has entered its first piece of the game. In the notation, `+` marks a
        /// seat that has entered a piece.
        Never,
    }
}

/// Where a piece enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`start`, `count`, or the number of a square")]
pub enum EntryAt {
    /// Given by a word.
    Named(NamedEntry),
    /// On the square with this number.
    Square(u8),
}

impl EntryAt {
    pub(crate) const START: EntryAt = EntryAt::Named(NamedEntry::Start);
    pub(crate) const COUNT: EntryAt = EntryAt::Named(NamedEntry::Count);
}

choices! {
    /// Where a piece enters, by a word.
    pub enum NamedEntry {
        /// On the first square of the course.
        Start,
        /// With a throw of n, on the square with the number n. The piece passes the squares with
        /// lower numbers, so pieces there can block it. It can enter at the finish;
        /// `finish.overshoot` applies to larger throws.
        Count,
    }

    /// When a seat loses the throws of a series that come before the first throw that lets a piece
    /// enter.
    pub enum LostBefore {
        /// Never.
        Never,
        /// While no own piece is on the course or at the finish. Pieces that were borne off do not
        /// count.
        OffBoard,
        /// While no own piece is on the course, even if no piece waits because all pieces are at
        /// the finish.
        OffCourse,
    }
}
