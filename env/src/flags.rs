//! The house rules of each game (the rules, section 8), as closed enums with names.
//!
//! The first value of each flag is what the texts say; the others are readings that a careful reader could hold. Each
//! struct lists its flags in the order of the notation. What a value does is told where the engine reads it.

use std::fmt;

/// A flag as data: its name, its value, what it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlagInfo {
    /// Name in the notation.
    pub name: &'static str,
    /// The value it has.
    pub value: &'static str,
    /// The value it has when it is not written.
    pub default: &'static str,
    /// Every value it takes.
    pub values: &'static [&'static str],
}

/// The type of a flag: a closed set of named values.
trait Flag: Copy + Sized {
    const VALUES: &'static [&'static str];
    fn from_text(text: &str) -> Option<Self>;
    fn text(self) -> &'static str;
}

impl Flag for bool {
    const VALUES: &'static [&'static str] = &["true", "false"];

    fn from_text(text: &str) -> Option<bool> {
        match text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    fn text(self) -> &'static str {
        if self { "true" } else { "false" }
    }
}

macro_rules! flag {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl Flag for $name {
            const VALUES: &'static [&'static str] = &[$($text,)+];

            fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }

            fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

macro_rules! rules {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident $text:literal: $type:ty = $default:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)+ }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default,)+ }
            }
        }

        impl $name {
            /// Sets a flag by name: `None` when there is no such flag, `Some(false)` when it does not take the value.
            pub(crate) fn set(&mut self, flag: &str, value: &str) -> Option<bool> {
                match flag {
                    $($text => Some(match <$type as Flag>::from_text(value) {
                        Some(value) => { self.$field = value; true }
                        None => false,
                    }),)+
                    _ => None,
                }
            }

            /// Every flag in notation order.
            pub fn flags(&self) -> Vec<FlagInfo> {
                let default = $name::default();
                vec![$(FlagInfo {
                    name: $text,
                    value: self.$field.text(),
                    default: default.$field.text(),
                    values: <$type as Flag>::VALUES,
                },)+]
            }
        }
    };
}

flag! {
    /// What a throw counts when no mouth is up.
    ZeroValue {
        /// Eight (rule 2 of the texts).
        Eight = "8",
        /// Five (the strategy note and the printed spinner).
        Five = "5",
    }
}

flag! {
    /// The dice of Ashtapada.
    Dice {
        /// Four two-sided sticks or cowries.
        Sticks = "sticks",
        /// A spinner with five equal sectors.
        Uniform5 = "uniform5",
    }
}

flag! {
    /// The course of Ashtapada.
    AshtapadaPath {
        /// Outer ring counter-clockwise, middle ring clockwise, inner ring counter-clockwise: 60 squares.
        Zigzag = "zigzag",
        /// Kile's and Ludii's course: once around, then a clockwise spiral: 58 squares.
        SpiralKile = "spiral_kile",
    }
}

flag! {
    /// Which throws of a series must be used.
    MustUse {
        /// As many throws as any allotment can use.
        Max = "max",
        /// Any allotment to which no unused throw can be added.
        Greedy = "greedy",
        /// Any allotment, also none.
        Optional = "optional",
    }
}

flag! {
    /// Marked squares of Ashtapada that hold an enemy piece.
    Marked {
        /// Shared without capture.
        Share = "share",
        /// Closed to landing and entering.
        Block = "block",
    }
}

flag! {
    /// What twins are.
    Twins {
        /// Two own pieces on one square.
        Colocated = "colocated",
        /// There are none: any landing captures everything on an unmarked square.
        None = "none",
        /// Declared by moving together from a marked square of the opposite side (Bell, of Thaayam).
        Bell = "bell",
    }
}

flag! {
    /// How far twins move.
    TwinSpeed {
        /// By the full throw.
        Full = "full",
        /// By half of each throw, rounded down.
        HalfFloor = "half_floor",
    }
}

rules! {
    /// House rules of Ashtapada.
    AshtapadaRules {
        /// What a throw counts when no mouth is up.
        zero_value "zero_value": ZeroValue = ZeroValue::Eight,
        /// The dice.
        dice "dice": Dice = Dice::Sticks,
        /// The course.
        path "path": AshtapadaPath = AshtapadaPath::Zigzag,
        /// Which throws must be used.
        must_use "must_use": MustUse = MustUse::Max,
        /// Marked squares that hold an enemy.
        x "x": Marked = Marked::Share,
        /// What twins are.
        twins "twins": Twins = Twins::Colocated,
        /// How far twins move.
        twin_speed "twin_speed": TwinSpeed = TwinSpeed::Full,
        /// Whether one of twins may move alone.
        twin_split "twin_split": bool = true,
        /// Whether a piece in the keep counts as on the board when throws before the first 1 would be discarded.
        rule7_keep_counts "rule7_keep_counts": bool = true,
    }
}

flag! {
    /// The course of Ashte Kashte between the rings.
    AshteKashtePath {
        /// C1–C2 and B2–C3.
        A = "A",
        /// C1–B2, then B3–C3.
        B = "B",
        /// Without the corners of the second ring: 48 squares.
        C = "C",
    }
}

flag! {
    /// Where the first move of a piece is counted from.
    Entry {
        /// The start square counts 0.
        StartIsZero = "start_is_zero",
        /// The start square counts 1.
        StartIsOne = "start_is_one",
    }
}

flag! {
    /// Whether a move must be made.
    Compulsion {
        /// Yes, but never a merge.
        ForcedExceptMerge = "forced_except_merge",
        /// Yes, merges too.
        Forced = "forced",
        /// No.
        Optional = "optional",
    }
}

rules! {
    /// House rules of Ashte Kashte.
    AshteKashteRules {
        /// The course between the rings.
        path "path": AshteKashtePath = AshteKashtePath::A,
        /// Where the first move is counted from.
        entry "entry": Entry = Entry::StartIsZero,
        /// Whether a move must be made (the flag `move`).
        compulsion "move": Compulsion = Compulsion::ForcedExceptMerge,
        /// Whether a capture grants another throw.
        capture_bonus "capture_bonus": bool = false,
    }
}

flag! {
    /// A pawn at the door of its belly whose colour has not cut.
    NoCut {
        /// Waits: the step is illegal.
        Wait = "wait",
        /// Goes around again.
        Lap = "lap",
        /// Goes in.
        Off = "off",
    }
}

flag! {
    /// Which dice must be used.
    DiceUse {
        /// Both where any choice uses both, else one, else none.
        Max = "max",
        /// Any, also none.
        Optional = "optional",
    }
}

flag! {
    /// The direction of turns.
    TurnOrder {
        /// Counter-clockwise: S, E, N, W.
        Ccw = "ccw",
        /// Clockwise: S, W, N, E.
        Cw = "cw",
    }
}

flag! {
    /// What two players of Pagade play with.
    Sets {
        /// One set each.
        OneSet = "one_set",
        /// Two sets each, as a partnership with one mind.
        TwoSets = "two_sets",
    }
}

flag! {
    /// What a seat does in a partnership when its own pawns are home.
    FinishedPartner {
        /// It throws for its partner's pawns.
        Donate = "donate",
        /// Its turns are skipped.
        Skip = "skip",
    }
}

flag! {
    /// Whose cut opens the belly in a partnership.
    TeamCut {
        /// The colour's own.
        Own = "own",
        /// Either partner's.
        Shared = "shared",
    }
}

rules! {
    /// House rules of Pagade.
    PagadeRules {
        /// Whether seats {S, N} play against {E, W}.
        teams "teams": bool = false,
        /// A pawn at the door of its belly without a cut.
        no_cut "no_cut": NoCut = NoCut::Wait,
        /// Which dice must be used.
        must_use "must_use": DiceUse = DiceUse::Max,
        /// The direction of turns.
        turn_order "turn_order": TurnOrder = TurnOrder::Ccw,
        /// What two players play with.
        two "two": Sets = Sets::OneSet,
        /// What a finished partner does.
        finished_partner "finished_partner": FinishedPartner = FinishedPartner::Donate,
        /// Whose cut opens the belly.
        team_cut "team_cut": TeamCut = TeamCut::Own,
        /// Whether four players for themselves go on after the first has finished.
        play_on "play_on": bool = true,
    }
}

impl PagadeRules {
    /// Whether the seats play as {S, N} against {E, W}: `teams`, or `two_sets`, which is a partnership with one mind.
    pub fn is_partnership(&self) -> bool {
        self.teams || self.two == Sets::TwoSets
    }
}
