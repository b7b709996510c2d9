//! The values of a sheet for stacking, units, captures, the gate, the finish and the words of the
//! texts.

use serde::{Deserialize, Serialize};

use super::is_default;

sections! {
    /// How many pieces of one seat a square can hold.
    #[derive(Default)]
    #[serde(default)]
    pub struct Stacking {
        /// The number for a plain square.
        pub plain: Room,
        /// The number for a plain square from the gate on, also for a private square if `private`
        /// is left out. The default is the value of `plain`.
        pub inner: Option<Room>,
        /// The number for a private square, which is on the course of one seat only. The default is
        /// the value for other plain squares.
        pub private: Option<Room>,
        /// The number for a marked square that is not `closed`.
        pub marked: MarkRoom,
        /// `throw`: whether two or more pieces of one seat block a square for its enemies.
        #[serde(skip_serializing_if = "is_default")]
        pub block: Block,
        /// Whether partners can share a plain square (`throw`, and `series` with `hop = "each"`).
        #[serde(skip_serializing_if = "is_default")]
        pub partner: WithPartner,
    }
}

choices! {
    /// Whether two or more pieces of one seat block a square for its enemies.
    #[derive(Default)]
    pub enum Block {
        /// The pieces do not block the square.
        #[default]
        None,
        /// Enemies cannot land on the square.
        Landing,
        /// Enemies can neither land on the square nor pass it.
        Passing,
    }

    /// Whether partners can share a plain square.
    #[derive(Default)]
    pub enum WithPartner {
        /// No: a plain square with a piece of the partner is closed.
        #[default]
        Closed,
        /// Yes. The pieces of the partner do not count for the room on the square.
        Shares,
    }

    /// A number of own pieces on a square.
    #[derive(PartialOrd, Ord, Default)]
    pub enum Room {
        /// One piece.
        One,
        /// Two pieces.
        Two,
        /// Any number of pieces.
        #[default]
        Any,
    }

    /// A number of own pieces on a marked square.
    #[derive(Default)]
    pub enum MarkRoom {
        /// One piece.
        One,
        /// Any number of pieces.
        #[default]
        Any,
    }
}

impl From<MarkRoom> for Room {
    fn from(room: MarkRoom) -> Room {
        if room == MarkRoom::One {
            Room::One
        } else {
            Room::Any
        }
    }
}

sections! {
    /// Two or more pieces of one seat that move together.
    #[serde(default)]
    pub struct Unit {
        /// Which own pieces are a unit: they can move together, and captures can treat them
        /// together.
        pub kind: UnitKind,
        /// `declared`: the squares that two pieces must leave together to become a unit, by their
        /// names on South's course.
        pub from: Vec<String>,
        /// `together`: on which squares two pieces are a unit.
        pub area: Area,
        /// How far a throw moves a unit.
        pub speed: Speed,
        /// A `series` of several dice: the values of three equal dice that let three pieces on one
        /// square move together.
        #[serde(skip_serializing_if = "is_default")]
        pub three: Vec<u8>,
        /// Whether one piece of a unit can leave alone.
        pub split: bool,
        /// Whether a piece that moves alone can pass a unit.
        pub passable: bool,
    }
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

choices! {
    /// Which own pieces are a unit.
    pub enum UnitKind {
        /// No pieces.
        None,
        /// Two pieces on one square. If the first square of the course belongs to the seat, two
        /// pieces there are not a unit.
        Together,
        /// Two pieces that have left a square of `from` together. They are a unit until the finish.
        /// In the notation, `t` marks each of the two pieces.
        Declared,
    }

    /// On which squares two pieces are a unit.
    pub enum Area {
        /// Anywhere on the course.
        Any,
        /// On plain squares from the gate on.
        Inner,
    }

    /// How far a throw moves a unit.
    pub enum Speed {
        /// The whole throw.
        Full,
        /// Half of each throw, rounded down. A throw of 1 cannot move a unit.
        Half,
        /// Half of each throw, rounded down. A throw of 1 can be used for a unit together with
        /// other throws.
        HalfSpent,
        /// Half of an even throw. An odd throw cannot move a unit.
        HalfEven,
        /// Twice the throw (`throw`, and `series` with `hop = "each"`).
        Double,
    }
}

sections! {
    /// Captures on plain squares. A single piece always captures single pieces.
    #[derive(Default)]
    #[serde(default)]
    pub struct Capture {
        /// The effect of a single piece that lands on a unit of an enemy.
        pub single_on_unit: Meeting,
        /// The effect of a unit that lands on single pieces of an enemy.
        pub unit_on_single: UnitOnSingle,
        /// The effect of a unit that lands on a unit of an enemy. Only `throw`, and `series` with
        /// `hop = "each"`, allow other values than the default.
        #[serde(skip_serializing_if = "is_default")]
        pub unit_on_unit: UnitMeeting,
        /// How many single pieces of one seat a single piece captures.
        pub group: Group,
    }
}

choices! {
    /// The effect of a piece that lands on enemies on a plain square.
    #[derive(Default)]
    pub enum Meeting {
        /// The enemies are captured.
        #[default]
        Takes,
        /// The enemies stay, and the square is shared.
        Shares,
        /// The piece cannot land there.
        Barred,
    }

    /// The effect of a unit that lands on single pieces of an enemy on a plain square.
    #[derive(Default)]
    pub enum UnitOnSingle {
        /// The single pieces are captured.
        #[default]
        Takes,
        /// The single pieces stay, and the square is shared.
        Shares,
    }
}

impl From<UnitOnSingle> for Meeting {
    fn from(meeting: UnitOnSingle) -> Meeting {
        if meeting == UnitOnSingle::Takes {
            Meeting::Takes
        } else {
            Meeting::Shares
        }
    }
}

choices! {
    /// The effect of a unit that lands on a unit of an enemy on a plain square.
    #[derive(Default)]
    pub enum UnitMeeting {
        /// The unit of the enemy is captured.
        #[default]
        Takes,
        /// If the unit of the enemy has more pieces, it stays, and the square is shared. Otherwise
        /// it is captured.
        TakesEqual,
        /// The unit of the enemy stays, and the square is shared.
        Shares,
        /// The unit cannot land there.
        Barred,
    }

    /// How many single pieces of one seat a single piece captures.
    #[derive(Default)]
    pub enum Group {
        /// All single pieces on the square.
        #[default]
        All,
        /// One piece. The others stay, and the square is shared.
        One,
    }
}

sections! {
    /// The gate: it closes the last part of the course to a seat until a capture.
    #[derive(Default)]
    #[serde(default)]
    pub struct Gate {
        /// The number of the first square beyond the gate. If the key is left out or 0, the game
        /// has no gate. In the notation, `+` marks a seat that has captured.
        pub at: u8,
        /// What happens to a move beyond the gate by a seat without a capture.
        pub without: Without,
        /// `lap`: the number of squares of one round.
        pub lap: u8,
        /// Whose capture opens the gate.
        pub opened_by: OpenedBy,
    }
}

choices! {
    /// What happens to a move beyond the gate by a seat without a capture.
    #[derive(Default)]
    pub enum Without {
        /// The move is illegal. If no unfinished seat can ever move again, the game ends.
        #[default]
        Wait,
        /// The piece goes round again: its number is reduced by `lap` until it is before the gate.
        Lap,
        /// The move is allowed. In the notation, `+` still marks a seat that has captured.
        Open,
    }

    /// Whose capture opens the gate.
    #[derive(Default)]
    pub enum OpenedBy {
        /// A capture of the seat.
        #[default]
        Own,
        /// A capture of the seat or of its partner.
        Team,
    }
}

sections! {
    /// The end of the course. No piece is captured at the finish.
    #[derive(Default)]
    #[serde(default)]
    pub struct Finish {
        /// `series`: the values that bear a piece off (take it off the board) from the finish, once
        /// all remaining pieces of the seat are there. The first seat that has borne off all its
        /// pieces wins. If the key is left out, pieces at the finish have finished.
        pub bear_off: Vec<u8>,
        /// `divide`: distances to the finish. At such a distance n, a piece finishes only by a
        /// doublet (two equal dice) of n. The piece uses one of the two dice.
        pub doublets: Vec<u8>,
        /// `throw`: what happens if a throw is larger than the distance to the finish.
        #[serde(skip_serializing_if = "is_default")]
        pub overshoot: Overshoot,
        /// `throw`: the values, besides 1, that move a piece from the last square before the finish
        /// to the finish.
        #[serde(skip_serializing_if = "is_default")]
        pub from_last: Vec<u8>,
        /// `throw`: whether the pieces must fill the last squares of the course, one piece on each,
        /// instead of reaching a finish. With fewer pieces the course is shorter.
        #[serde(skip_serializing_if = "is_default")]
        pub fill: bool,
    }
}

choices! {
    /// What happens if a throw is larger than the distance to the finish.
    #[derive(Default)]
    pub enum Overshoot {
        /// The throw cannot be used.
        #[default]
        Illegal,
        /// The piece reaches the finish, and the rest of the throw is lost.
        Wasted,
        /// The piece goes back from the finish by the rest of the throw. It cannot return to the
        /// square where it began.
        Bounces,
    }
}

sections! {
    /// The words of the notation and of the texts for players.
    #[serde(default)]
    pub struct Words {
        /// A piece that waits to enter.
        pub off: String,
        /// A piece at the finish.
        pub home: String,
        /// A piece that was borne off (taken off the board).
        pub borne: String,
        /// A unit.
        pub unit: String,
        /// The verb for a capture: `captures`.
        pub captures: String,
        /// The participle of this verb, for a seat that has captured: `captured`.
        pub captured: String,
        /// A marked square.
        pub mark: String,
        /// The finish.
        pub finish: String,
        /// Private squares: squares on the course of one seat only.
        pub private: String,
    }
}

impl Default for Words {
    fn default() -> Words {
        let [
            off,
            home,
            borne,
            unit,
            captures,
            captured,
            mark,
            finish,
            private,
        ] = [
            "off", "home", "borne", "pair", "captures", "captured", "marked", "goal", "private",
        ]
        .map(str::to_owned);
        Words {
            off,
            home,
            borne,
            unit,
            captures,
            captured,
            mark,
            finish,
            private,
        }
    }
}
