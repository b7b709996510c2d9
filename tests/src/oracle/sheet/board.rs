//! Squares, their names, and the walk over them. The pieces on them are not known here.

/// Row and column, both from 0, counted from South's bottom-left corner.
pub(super) type Square = (i32, i32);

/// South's `square` as `seat` (0 South, 1 East, 2 North, 3 West) has it, on a square board of `side` rows.
pub(super) fn turned(square: Square, seat: usize, side: i32) -> Square {
    (0..seat).fold(square, |(row, column), _| (column, side - 1 - row))
}

/// South's square as North has it where the first row is the last, on a board of `rows`.
pub(super) fn mirrored((row, column): Square, rows: i32) -> Square {
    (rows - 1 - row, column)
}

/// A square by its name: `E1` is row 0, column 4.
pub(super) fn square(name: &str) -> Result<Square, String> {
    let broken = || format!("{name:?} is no square");
    let mut letters = name.chars();
    let column = letters.next().and_then(|letter| ('A'..='Z').position(|known| known == letter)).ok_or_else(broken)?;
    let row: i32 = letters.as_str().parse().map_err(|_| broken())?;
    Ok((row - 1, i32::try_from(column).map_err(|_| broken())?))
}

/// The squares of a course as a sheet writes it: the first square, then runs of a direction with a number of steps, and
/// jumps to a square.
pub(super) fn walk(course: &str) -> Result<Vec<Square>, String> {
    let mut words = course.split_whitespace();
    let (mut row, mut column) = square(words.next().ok_or("the course is empty")?)?;
    let mut path = vec![(row, column)];
    for run in words {
        let broken = || format!("{run:?} is no run of a course");
        if let Some(name) = run.strip_prefix('>') {
            (row, column) = square(name)?;
            path.push((row, column));
            continue;
        }
        let (direction, steps) = run.split_at(run.find(|letter: char| letter.is_ascii_digit()).ok_or_else(broken)?);
        for _ in 0..steps.parse::<u8>().map_err(|_| broken())? {
            for letter in direction.chars() {
                match letter {
                    'N' => row += 1,
                    'S' => row -= 1,
                    'E' => column += 1,
                    'W' => column -= 1,
                    _ => return Err(broken()),
                }
            }
            path.push((row, column));
        }
    }
    Ok(path)
}
