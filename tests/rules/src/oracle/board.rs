//! Squares, their names, and the walk over them. The pieces on them are not known here.

/// Row and column, both from 0, counted from South's bottom-left corner.
pub(super) type Square = (i32, i32);

/// South's `square` as `seat` (0 South, 1 East, 2 North, 3 West) has it, on a square board of
/// `side` rows.
pub(super) fn turned(square: Square, seat: usize, side: i32) -> Square {
    (0..seat).fold(square, |(row, column), _| (column, side - 1 - row))
}

/// South's square as North has it where the first row is the last, on a board of `rows`.
pub(super) fn mirrored((row, column): Square, rows: i32) -> Square {
    (rows - 1 - row, column)
}

/// A square by its name: `E1` is row 0, column 4.
pub(super) fn square(name: &str) -> Square {
    let (column, row) = name.split_at(1);
    let column = ('A'..='Z')
        .zip(0..)
        .find(|(letter, _)| column.starts_with(*letter))
        .expect("a column");
    (row.parse::<i32>().expect("a row") - 1, column.1)
}

/// The squares of a course as a sheet writes it: the first square, then runs of a direction with a
/// number of steps, and jumps to a square.
pub(super) fn walk(course: &str) -> Vec<Square> {
    let mut words = course.split_whitespace();
    let mut path = vec![square(words.next().expect("a first square"))];
    for run in words {
        if let Some(name) = run.strip_prefix('>') {
            path.push(square(name));
            continue;
        }
        let (direction, steps) = run.split_at(
            run.find(|letter: char| letter.is_ascii_digit())
                .expect("steps"),
        );
        for _ in 0..steps.parse::<u8>().expect("steps") {
            let step = |(row, column), letter| match letter {
                'N' => (row + 1, column),
                'S' => (row - 1, column),
                'E' => (row, column + 1),
                'W' => (row, column - 1),
                _ => panic!("{run:?} is not a run of a course"),
            };
            path.push(direction.chars().fold(path[path.len() - 1], step));
        }
    }
    path
}
