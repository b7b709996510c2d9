//! Pagade, the race around the cross of four 3×8 arms.
//!
//! ```text
//! 19                         43 42 41
//! 18                         44 ## 40
//!  …                          …    …
//! 12                         50 ## 34
//! 11 58 57 56 55 54 53 52 51 HH HH HH 33 32 31 30 29 28 27 26
//! 10 59 ## ## ## ## ## ## ## HH HH HH ## ## ## ## ## ## ## 25
//!  9 60 61 62 63 64 65 66 67 HH HH HH 17 18 19 20 21 22 23 24
//!  8                         68  1 16
//!  …                          …    …
//!  2                         74  7 10
//!  1                         75  8  9
//!     A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S      HH = Home, ## = bellies of the others
//! ```
//!
//! Source: the rules printed with the Kannada board game of that name; the rules, section 4, compare Chaupar, Pahada
//! Keliya and Pachisi. A position is an index for each pawn: 0 cut, 1–7 belly outward, 8–75 ring, 76 square 8 at the
//! end of the lap, 77–83 belly home-ward, 84 home; and for each colour whether it has cut.

use crate::race::board::Course;

/// South's course. The element with number 0 stands for no square; index `i` is element `i`.
pub const COURSE: Course =
    Course { side: 19, start: (8, 9), runs: "S8 E1 N7 NE1 E7 N2 W7 NW1 N7 W2 S7 SW1 W7 S2 E7 SE1 S7 E1 N7" };

/// Set-up with four pawns; with fewer, the last ones (the rules, section 4.1).
pub const SET_UP: [u8; 4] = [6, 7, 12, 12];

/// The index of Home.
pub const HOME: u8 = 84;
/// The first ring square.
pub const RING_START: u8 = 8;
/// Square 8 at the end of the lap.
pub const RING_END: u8 = 76;
/// Squares of the ring.
pub const RING: u8 = 68;

/// Two dice and their probabilities, in ascending order (the rules, section 4.2).
pub(crate) const THROWS: [([u8; 2], f32); 10] = {
    const DOUBLET: f32 = 1.0 / 16.0;
    const MIXED: f32 = 1.0 / 8.0;
    [
        ([1, 1], DOUBLET),
        ([1, 3], MIXED),
        ([1, 4], MIXED),
        ([1, 6], MIXED),
        ([3, 3], DOUBLET),
        ([3, 4], MIXED),
        ([3, 6], MIXED),
        ([4, 4], DOUBLET),
        ([4, 6], MIXED),
        ([6, 6], DOUBLET),
    ]
};

/// Turns after which a game is truncated: four players who capture whenever they can take over 3,000.
pub const TURN_CAP: u32 = 10_000;
