//! Boards and courses as data: where each index of each seat's course lies, and which indices share a square.
//!
//! Only South's course is written down; the other seats' are computed by rotation. A board knows squares and nothing
//! of pieces or dice.

use crate::game::{MAX_SEATS, Seat};

/// A course in steps: the first square (row, column) as South sees the board, and runs of (direction, squares).
#[derive(Debug)]
pub struct Course {
    /// Rows and columns of the frame around the board.
    pub side: usize,
    /// Row and column of index 0, both from South's bottom left.
    pub start: (usize, usize),
    /// Compass direction of each run and its number of squares, separated by spaces: `E3 N7 NE1`.
    pub runs: &'static str,
}

/// Row and column of a square, from South's bottom left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    /// Row, 0 at South's edge.
    pub row: u8,
    /// Column, 0 at South's left.
    pub column: u8,
}

impl Square {
    fn rotated(self, side: usize, quarters: usize) -> Square {
        (0..quarters).fold(self, |square, _| Square { row: square.column, column: side as u8 - 1 - square.row })
    }
}

/// The largest number of squares on a course.
pub const MAX_COURSE: usize = 96;
/// Marks an index whose square is not on the other seat's course.
pub const NOWHERE: u8 = 0xFF;

/// The courses of all seats on one board.
#[derive(Clone, Debug)]
pub struct Board {
    side: usize,
    courses: [Vec<Square>; MAX_SEATS],
    /// `same[quarters][index]`: the index that the seat `quarters` counter-clockwise has on the same square.
    same: [[u8; MAX_COURSE]; MAX_SEATS],
}

impl Board {
    /// Lays out `course` for every seat.
    ///
    /// # Panics
    /// When the runs are not directions with counts or leave the frame: a course is part of the program.
    pub fn new(course: &Course) -> Board {
        let south = walk(course);
        assert!(south.len() <= MAX_COURSE, "a course has at most {MAX_COURSE} squares");
        let courses: [Vec<Square>; MAX_SEATS] =
            std::array::from_fn(|quarters| south.iter().map(|square| square.rotated(course.side, quarters)).collect());
        let same = std::array::from_fn(|quarters| {
            std::array::from_fn(|index| {
                let shared = |square: &Square| courses[quarters].iter().position(|other| other == square);
                south.get(index).and_then(shared).map_or(NOWHERE, |other| other as u8)
            })
        });
        Board { side: course.side, courses, same }
    }

    /// Rows and columns of the frame.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The squares of `seat`'s course in order.
    pub fn course(&self, seat: Seat) -> &[Square] {
        &self.courses[seat.index()]
    }

    /// The index that `other` has for the square that is `index` on `seat`'s course, or [`NOWHERE`]. Where a course
    /// visits a square twice, the first visit.
    #[inline]
    pub fn same_square(&self, seat: Seat, index: u8, other: Seat) -> u8 {
        let quarters = (other.index() + MAX_SEATS - seat.index()) & (MAX_SEATS - 1);
        self.same[quarters].get(usize::from(index)).copied().unwrap_or(NOWHERE)
    }
}

fn walk(course: &Course) -> Vec<Square> {
    let (mut row, mut column) = (course.start.0 as i32, course.start.1 as i32);
    let mut squares = vec![Square { row: row as u8, column: column as u8 }];
    for run in course.runs.split(' ') {
        let digits = run.find(|c: char| c.is_ascii_digit()).expect("a run ends in a count");
        let (direction, count) = run.split_at(digits);
        let count: usize = count.parse().expect("a run ends in a count");
        let (mut north, mut east) = (0, 0);
        for letter in direction.chars() {
            match letter {
                'N' => north += 1,
                'S' => north -= 1,
                'E' => east += 1,
                'W' => east -= 1,
                _ => panic!("`{letter}` is no direction"),
            }
        }
        for _ in 0..count {
            row += north;
            column += east;
            let inside = 0..course.side as i32;
            assert!(inside.contains(&row) && inside.contains(&column), "the course leaves the frame at run {run}");
            squares.push(Square { row: row as u8, column: column as u8 });
        }
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{ashtapada, ashte_kashte, pagade};

    fn named(board: &Board, indices: impl IntoIterator<Item = usize>) -> Vec<String> {
        let course = board.course(Seat::SOUTH);
        let name = |square: Square| format!("{}{}", (b'A' + square.column) as char, square.row + 1);
        indices.into_iter().map(|index| name(course[index])).collect()
    }

    #[test]
    fn ashtapada_squares_are_those_of_the_rules() {
        let board = Board::new(&ashtapada::ZIGZAG);
        assert_eq!(named(&board, [0, 3, 10, 17, 24, 27, 28]), ["E1", "H1", "H8", "A8", "A1", "D1", "D2"]);
        assert_eq!(
            named(&board, [30, 35, 40, 45, 47, 48, 52, 55, 58, 59]),
            ["B2", "B7", "G7", "G2", "E2", "E3", "F6", "C6", "C3", "D3"]
        );
        assert_eq!(board.course(Seat::SOUTH).len(), 60);
        let kile = Board::new(&ashtapada::SPIRAL_KILE);
        assert_eq!(kile.course(Seat::SOUTH).len(), 58);
        assert_eq!(named(&kile, [0, 26, 57]), ["D1", "B1", "E3"]);
    }

    #[test]
    fn ashtapada_conversions_are_the_formulas_of_the_rules() {
        let board = Board::new(&ashtapada::ZIGZAG);
        for quarters in 0..4 {
            for index in 0..60_i32 {
                let q = quarters as i32;
                let expected = match index {
                    0..28 => (index - 7 * q).rem_euclid(28),
                    28..48 => 28 + (index - 28 + 5 * q).rem_euclid(20),
                    _ => 48 + (index - 48 - 3 * q).rem_euclid(12),
                };
                let other = Seat::SOUTH.rotated(quarters);
                assert_eq!(i32::from(board.same_square(Seat::SOUTH, index as u8, other)), expected);
            }
        }
    }

    #[test]
    fn ashte_kashte_squares_and_conversions_are_those_of_the_rules() {
        let board = Board::new(&ashte_kashte::PATH_A);
        assert_eq!(
            named(&board, [0, 6, 12, 18, 23, 24, 39, 40, 47, 48]),
            ["D1", "G4", "D7", "A4", "C1", "C2", "B2", "C3", "C4", "D4"]
        );
        for quarters in 0..4 {
            for index in 0..48_i32 {
                let q = quarters as i32;
                let expected = match index {
                    0..24 => (index - 6 * q).rem_euclid(24),
                    24..40 => 24 + (index - 24 - 4 * q).rem_euclid(16),
                    _ => 40 + (index - 40 - 2 * q).rem_euclid(8),
                };
                let other = Seat::SOUTH.rotated(quarters);
                assert_eq!(i32::from(board.same_square(Seat::SOUTH, index as u8, other)), expected);
            }
        }
        assert_eq!(Board::new(&ashte_kashte::PATH_B).course(Seat::SOUTH).len(), 49);
        assert_eq!(named(&Board::new(&ashte_kashte::PATH_B), [24, 25, 39, 40]), ["B2", "C2", "B3", "C3"]);
        assert_eq!(Board::new(&ashte_kashte::PATH_C).course(Seat::SOUTH).len(), 48);
        assert_eq!(named(&Board::new(&ashte_kashte::PATH_C), [24, 38, 39, 47]), ["C2", "B3", "C3", "D4"]);
    }

    #[test]
    fn pagade_squares_and_conversions_are_those_of_the_rules() {
        let board = Board::new(&pagade::COURSE);
        // The course starts at square 1; index 0 means a cut pawn.
        assert_eq!(
            named(&board, [1, 8, 9, 16, 17, 24, 26, 33, 34, 41, 43, 50, 51, 58, 60, 67, 68, 75, 76, 77]),
            [
                "J8", "J1", "K1", "K8", "L9", "S9", "S11", "L11", "K12", "K19", "I19", "I12", "H11", "A11", "A9", "H9",
                "I8", "I1", "J1", "J2"
            ]
        );
        for quarters in 1..4_i32 {
            for index in 8..76_i32 {
                let expected = 8 + (index - 8 - 17 * quarters).rem_euclid(68);
                let other = Seat::SOUTH.rotated(quarters as usize);
                assert_eq!(i32::from(board.same_square(Seat::SOUTH, index as u8, other)), expected, "index {index}");
            }
        }
    }
}
