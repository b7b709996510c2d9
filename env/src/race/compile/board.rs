//! Board geometry: squares and the courses of the seats.
//!
//! The sheet has South's course, and the other courses are copies of it. A board has no pieces and
//! no dice.

use crate::{
    game::{BySeat, Seat},
    sheet::values::{self as sheet, CourseCopy},
};

/// Row and column of a square. The origin is the bottom left corner, seen from South.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    /// Row, 0 at South's edge.
    pub row: u8,
    /// Column, 0 at South's left.
    pub column: u8,
}

impl Square {
    /// Returns the square after `quarters` quarter turns counter-clockwise on a board of `side`
    /// rows.
    pub(crate) fn rotated(self, side: u8, quarters: usize) -> Square {
        (0..quarters).fold(self, |square, _| Square {
            row: square.column,
            column: side - 1 - square.row,
        })
    }

    /// Returns the square with a name such as `E1`.
    pub fn named(name: &str) -> Option<Square> {
        let (letter, row) = name.split_at_checked(1)?;
        let column = letter.bytes().next().filter(u8::is_ascii_uppercase)? - b'A';
        let row: u8 = row
            .parse()
            .ok()
            .filter(|number| row == u8::to_string(number))?;
        Some(Square {
            row: row.checked_sub(1)?,
            column,
        })
    }
}

/// The courses of all seats on one board.
#[derive(Clone, Debug)]
pub struct Courses {
    rows: u8,
    columns: u8,
    courses: BySeat<Vec<Square>>,
}

impl Courses {
    /// Lays out the course of every seat.
    ///
    /// # Errors
    /// Returns a description of the problem if South's course is wrong.
    pub(crate) fn new(board: &sheet::Board) -> Result<Courses, String> {
        let (rows, columns) = (board.side, board.columns.unwrap_or(board.side));
        let south = walk(&board.course, [rows, columns])?;
        let courses = Seat::ALL.map(|seat| match board.copy {
            _ if seat == Seat::SOUTH => south.clone(),
            CourseCopy::Rotate if rows == columns => south
                .iter()
                .map(|square| square.rotated(rows, seat.index()))
                .collect(),
            CourseCopy::Mirror if seat == Seat::NORTH => south
                .iter()
                .map(|&Square { row, column }| Square {
                    row: rows - 1 - row,
                    column,
                })
                .collect(),
            CourseCopy::Rotate | CourseCopy::Mirror => Vec::new(),
        });
        Ok(Courses {
            rows,
            columns,
            courses: BySeat(courses),
        })
    }

    /// Returns for each square on the course of `one` its index on the course of `other`, or `None`
    /// if it is not there.
    pub(crate) fn meetings(&self, one: Seat, other: Seat) -> Vec<Option<usize>> {
        let at = |square: &Square| self.course(other).iter().position(|there| there == square);
        self.course(one).iter().map(at).collect()
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        usize::from(self.rows)
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        usize::from(self.columns)
    }

    /// Returns the squares of `seat`'s course in order. The last one is the finish. If the board
    /// has no course for `seat`, the result is empty.
    pub fn course(&self, seat: Seat) -> &[Square] {
        &self.courses[seat]
    }
}

/// Returns the squares of a course on a board with this number of rows and columns. Courses look
/// like `E1 E3 N7 NE1`, or with a jump like `E1 E3 >A4`.
pub(crate) fn walk(course: &str, [rows, columns]: [u8; 2]) -> Result<Vec<Square>, String> {
    let mut parts = course.split(' ');
    let start = parts.next().unwrap_or_default();
    let is_inside = |square: &Square| square.row < rows && square.column < columns;
    let start = Square::named(start)
        .filter(is_inside)
        .ok_or_else(|| format!("`{start}` is not a square of the frame"))?;
    let mut squares = vec![start];
    let mut at = start;
    for run in parts {
        if let Some(name) = run.strip_prefix('>') {
            let square = Square::named(name).filter(is_inside);
            at = square.ok_or_else(|| format!("`{run}` does not lead to a square of the frame"))?;
            squares.push(at);
            continue;
        }
        let digits = run.find(|c: char| c.is_ascii_digit()).unwrap_or(run.len());
        let (direction, count) = run.split_at(digits);
        let (north, east) = match direction {
            "N" => (1, 0),
            "S" => (-1, 0),
            "E" => (0, 1),
            "W" => (0, -1),
            "NE" => (1, 1),
            "NW" => (1, -1),
            "SE" => (-1, 1),
            "SW" => (-1, -1),
            _ => {
                return Err(format!(
                    "`{run}` is not a run: write a direction and a number of steps, as in N3 or NW1"
                ));
            }
        };
        let count: u8 = count
            .parse()
            .map_err(|_| format!("`{run}` has no number of steps after its direction"))?;
        for _ in 0..count {
            let (row, column) = (
                at.row.checked_add_signed(north),
                at.column.checked_add_signed(east),
            );
            at = row
                .zip(column)
                .map(|(row, column)| Square { row, column })
                .filter(is_inside)
                .ok_or_else(|| format!("the course leaves the frame in the run `{run}`"))?;
            squares.push(at);
        }
    }
    Ok(squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::builtin;

    fn named(game: &str, numbers: impl IntoIterator<Item = usize>) -> String {
        let board = &builtin::named(game).expect("a built-in game").board;
        let course = Courses::new(board).expect("a course");
        let name = |number: usize| {
            course.course(Seat::SOUTH)[number - usize::from(board.first_number)].to_string()
        };
        numbers.into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn squares_are_those_of_the_rules() {
        assert_eq!(
            named("ashtapada", [0, 3, 10, 17, 24, 27, 28, 30, 35]),
            "E1 H1 H8 A8 A1 D1 D2 B2 B7"
        );
        assert_eq!(
            named("ashtapada", [40, 45, 47, 48, 52, 55, 58, 59, 60]),
            "G7 G2 E2 E3 F6 C6 C3 D3 D4"
        );
        assert_eq!(
            named("ashte-kashte", [0, 6, 12, 18, 23, 24, 39, 40, 47, 48]),
            "D1 G4 D7 A4 C1 C2 B2 C3 C4 D4"
        );
        assert_eq!(
            named("pagade", [1, 8, 9, 16, 17, 24, 26, 33, 34, 41]),
            "J8 J1 K1 K8 L9 S9 S11 L11 K12 K19"
        );
        assert_eq!(
            named("pagade", [43, 50, 51, 58, 60, 67, 68, 75, 76, 77]),
            "I19 I12 H11 A11 A9 H9 I8 I1 J1 J2"
        );
    }

    #[test]
    fn errors_of_a_course_are_named() {
        for (course, words) in [
            ("e1 N2", "`e1` is not a square"),
            ("A1 X2", "`X2` is not a run"),
            ("A1 N", "`N` has no number"),
            ("A1 E2 S1", "leaves the frame in the run `S1`"),
            ("D1 E9", "leaves the frame"),
        ] {
            let error = walk(course, [5, 5]).expect_err("no course");
            assert!(error.contains(words), "{course}: {error}");
        }
    }
}
