//! Ashtapada, the race on eight by eight squares.
//!
//! ```text
//!  8 17x  16  15 14x 13x  12  11 10x
//!  7  18  35  36  37  38  39  40   9
//!  6  19  34  55  54  53  52  41   8
//!  5 20x  33  56   #   #  51  42  7x
//!  4 21x  32  57   K   #  50  43  6x
//!  3  22  31  58  59  48  49  44   5
//!  2  23  30  29  28  47  46  45   4
//!  1 24x  25  26 27x  0x   1   2  3x
//!      A   B   C   D   E   F   G   H      x = crosscut, K = South's keep, # = the other keeps
//! ```
//!
//! Sources: the game as told by Kile and, in the same 27 rules, by two printed leaflets, which are Walker's rules of
//! Thaayam on a larger board; the rules, section 2, weigh them. A position is a place for each piece: 0 off the board,
//! 1 + index on the course, then the keep, then borne off.

use crate::flags::{AshtapadaPath, AshtapadaRules, Dice, ZeroValue};
use crate::race::board::Course;

/// The course of the texts: counter-clockwise, clockwise, counter-clockwise (the rules, section 2.2).
pub const ZIGZAG: Course =
    Course { side: 8, start: (0, 4), runs: "E3 N7 W7 S7 E3 N1 W2 N5 E5 S5 W2 N1 E1 N3 W3 S3 E1" };
/// Kile's and Ludii's course, from the left-hand square in one clockwise spiral.
pub const SPIRAL_KILE: Course = Course { side: 8, start: (0, 3), runs: "E4 N7 W7 S7 E1 N6 E5 S5 W4 N4 E3 S3 W1" };

/// The crosscut squares on South's courses, as (row, column): corners and the middle of each side.
pub const MARKED: [(u8, u8); 12] =
    [(0, 0), (0, 3), (0, 4), (0, 7), (3, 0), (3, 7), (4, 0), (4, 7), (7, 0), (7, 3), (7, 4), (7, 7)];
/// The crosscut squares of the opposite side, where Bell lets twins be declared.
pub const OPPOSITE: [(u8, u8); 2] = [(7, 3), (7, 4)];

/// Turns after which a game is truncated; random play takes 78 on average and at most 135 in 300 games.
pub const TURN_CAP: u32 = 2_000;

/// The course under `rules`.
pub(crate) fn course(rules: &AshtapadaRules) -> &'static Course {
    match rules.path {
        AshtapadaPath::Zigzag => &ZIGZAG,
        AshtapadaPath::SpiralKile => &SPIRAL_KILE,
    }
}

/// In how many of equally likely cases each throw comes, in ascending order (the rules, section 2.3).
pub(crate) fn weights(rules: &AshtapadaRules) -> [u8; 5] {
    match rules.dice {
        Dice::Sticks => [4, 6, 4, 1, 1],
        Dice::Uniform5 => [1; 5],
    }
}

/// Values of a throw and their probabilities, ascending.
pub(crate) fn throws(rules: &AshtapadaRules) -> [(u8, f32); 5] {
    let zero = match rules.zero_value {
        ZeroValue::Eight => 8,
        ZeroValue::Five => 5,
    };
    let weights = weights(rules).map(f32::from);
    let all: f32 = weights.iter().sum();
    let values = [1, 2, 3, 4, zero];
    std::array::from_fn(|outcome| (values[outcome], weights[outcome] / all))
}
