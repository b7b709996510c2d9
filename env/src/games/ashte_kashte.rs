//! Ashte Kashte, the counter-clockwise spiral on seven by seven squares.
//!
//! ```text
//!  7  15  14  13 12*  11  10   9
//!  6  16  35  34  33  32  31   8
//!  5  17  36  46  45  44  30   7
//!  4 18*  37  47  48  43  29  6*
//!  3  19  38  40  41  42  28   5
//!  2  20  39  24  25  26  27   4
//!  1  21  22  23  0*   1   2   3
//!      A   B   C   D   E   F   G      * = protected start square, 48 = goal
//! ```
//!
//! Source: a German rule sheet of the game from Gujarat, there also called Koli kaDam and Champul; the rules,
//! section 3, compare it with its relatives. A position is a place for each piece: 0 in hand, the index on the course
//! (plus one where the start square counts one), and the goal as home.

use crate::flags::{AshteKashtePath, AshteKashteRules};
use crate::race::board::Course;

/// The course of the rules, section 3.1: C1–C2 and B2–C3.
pub const PATH_A: Course = Course { side: 7, start: (0, 3), runs: "E3 N6 W6 S6 E2 N1 E3 N4 W4 S4 NE1 E2 N2 W2 S1 E1" };
/// Where Falkener's inner course begins: C1–B2 and B3–C3.
pub const PATH_B: Course = Course { side: 7, start: (0, 3), runs: "E3 N6 W6 S6 E2 NW1 E4 N4 W4 S3 E3 N2 W2 S1 E1" };
/// Purely orthogonal, without the corner B2.
pub const PATH_C: Course = Course { side: 7, start: (0, 3), runs: "E3 N6 W6 S6 E2 N1 E3 N4 W4 S3 E3 N2 W2 S1 E1" };

/// The protected start squares, as (row, column).
pub const PROTECTED: [(u8, u8); 4] = [(0, 3), (3, 6), (6, 3), (3, 0)];

/// Values of a throw and their probabilities, ascending (the rules, section 3.2). 4 and 8 throw again.
pub(crate) const THROWS: [(u8, f32); 5] =
    [(1, 4.0 / 16.0), (2, 6.0 / 16.0), (3, 4.0 / 16.0), (4, 1.0 / 16.0), (8, 1.0 / 16.0)];

/// Turns after which a game is truncated; random play takes 179 on average and at most 287 in 300 games.
pub const TURN_CAP: u32 = 2_000;

/// The course under `rules`.
pub(crate) fn course(rules: &AshteKashteRules) -> &'static Course {
    match rules.path {
        AshteKashtePath::A => &PATH_A,
        AshteKashtePath::B => &PATH_B,
        AshteKashtePath::C => &PATH_C,
    }
}
