//! The three boards as squares: every path is a list of squares as South sees them, and the other seats walk South's
//! path turned. Two pieces meet when their squares are equal; no formula converts one seat's index into another's. The
//! pieces on the squares and the kinds of squares are not known here.

/// Row and column, both from 0, counted from South's bottom-left corner.
pub(super) type Square = (i32, i32);

/// The square `square` of South as seat `seat` (0 South, 1 East, 2 North, 3 West) has it, on a board of `size` rows.
pub(super) fn turned(square: Square, seat: usize, size: i32) -> Square {
    (0..seat).fold(square, |(row, column), _| (column, size - 1 - row))
}

/// The path of `seat`, given South's.
pub(super) fn turned_path(path: &[Square], seat: usize, size: i32) -> Vec<Square> {
    path.iter().map(|&square| turned(square, seat, size)).collect()
}

/// Reads squares by their names, for example `E1 F1`.
pub(super) fn squares(names: &str) -> Vec<Square> {
    names.split_whitespace().map(square).collect()
}

fn square(name: &str) -> Square {
    let column = i32::from(name.as_bytes()[0] - b'A');
    let row: i32 = name[1..].parse().expect("the names are written in this folder");
    (row - 1, column)
}

/// The squares of a walk from `start` along `legs`, for example `E3 N7 NW1`; `start` is the first of them.
pub(super) fn walk(start: &str, legs: &str) -> Vec<Square> {
    let mut path = vec![square(start)];
    for leg in legs.split_whitespace() {
        let count_at = leg.find(|letter: char| letter.is_ascii_digit()).expect("a leg has a length");
        let (direction, count) = leg.split_at(count_at);
        let (mut rows, mut columns) = (0, 0);
        for letter in direction.chars() {
            match letter {
                'N' => rows += 1,
                'S' => rows -= 1,
                'E' => columns += 1,
                _ => columns -= 1,
            }
        }
        for _ in 0..count.parse::<usize>().expect("a leg has a length") {
            let &(row, column) = path.last().expect("the walk has a start");
            path.push((row + rows, column + columns));
        }
    }
    path
}

/// Rows of the boards of Ashtapada, Ashte Kashte and Pagade.
pub(super) const ASHTAPADA_SIZE: i32 = 8;
pub(super) const ASHTE_KASHTE_SIZE: i32 = 7;
pub(super) const PAGADE_SIZE: i32 = 19;

/// South's 60 squares of Ashtapada, index by index (section 2.2).
pub(super) const ASHTAPADA_ZIGZAG: &str = "
    E1 F1 G1 H1 H2 H3 H4 H5 H6 H7 H8 G8 F8 E8 D8 C8 B8 A8 A7 A6 A5 A4 A3 A2 A1 B1 C1 D1
    D2 C2 B2 B3 B4 B5 B6 B7 C7 D7 E7 F7 G7 G6 G5 G4 G3 G2 F2 E2
    E3 F3 F4 F5 F6 E6 D6 C6 C5 C4 C3 D3";

/// South's 58 squares of the rival school (section 7): `3,E,N,W,S,E1,N6,E5,S5,W4,N4,E3,S3,W1`, where site 3 is D1 and a
/// direction without a number goes on to the edge.
pub(super) const ASHTAPADA_SPIRAL_LEGS: &str = "E4 N7 W7 S7 E1 N6 E5 S5 W4 N4 E3 S3 W1";

/// The sixteen crosscut squares of Ashtapada.
pub(super) const ASHTAPADA_CROSSCUT: &str = "A1 A8 H1 H8 D1 E1 H4 H5 D8 E8 A4 A5 D4 E4 D5 E5";

/// The outer ring of Ashte Kashte from South's start square, and the inner ring with the goal: the same on all paths.
const KASHTE_OUTER: &str = "D1 E1 F1 G1 G2 G3 G4 G5 G6 G7 F7 E7 D7 C7 B7 A7 A6 A5 A4 A3 A2 A1 B1 C1";
const KASHTE_INNER: &str = "C3 D3 E3 E4 E5 D5 C5 C4 D4";
/// The middle ring from C2 to B3, without the corner B2.
const KASHTE_MIDDLE: &str = "C2 D2 E2 F2 F3 F4 F5 F6 E6 D6 C6 B6 B5 B4 B3";

/// South's path of Ashte Kashte with the goal as its last square: `A` comes to the corner B2 at the end of the middle
/// ring, `B` at its beginning, `C` not at all (section 3.1).
pub(super) fn ashte_kashte_path(letter: &str) -> Vec<Square> {
    squares(&match letter {
        "A" => format!("{KASHTE_OUTER} {KASHTE_MIDDLE} B2 {KASHTE_INNER}"),
        "B" => format!("{KASHTE_OUTER} B2 {KASHTE_MIDDLE} {KASHTE_INNER}"),
        _ => format!("{KASHTE_OUTER} {KASHTE_MIDDLE} {KASHTE_INNER}"),
    })
}

/// South's path of Pagade from index 1 to index 83; the first seven squares return as the last seven.
pub(super) fn pagade_path() -> Vec<Square> {
    walk("J8", "S7 E1 N7 NE1 E7 N2 W7 NW1 N7 W2 S7 SW1 W7 S2 E7 SE1 S7 E1 N7")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn distinct(path: &[Square]) -> usize {
        path.iter().collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn ashtapada_paths_are_those_of_the_rules() {
        let zigzag = squares(ASHTAPADA_ZIGZAG);
        assert_eq!(zigzag, walk("E1", "E3 N7 W7 S7 E3 N1 W2 N5 E5 S5 W2 N1 E1 N3 W3 S3 E1"));
        assert_eq!((zigzag.len(), distinct(&zigzag)), (60, 60));
        let spiral = walk("D1", ASHTAPADA_SPIRAL_LEGS);
        assert_eq!((spiral.len(), distinct(&spiral), spiral[57]), (58, 58, square("E3")));
        assert_eq!(turned_path(&zigzag, 1, 8)[0], square("H5"));
        assert_eq!(turned_path(&zigzag, 3, 8)[59], square("C5"));
        // Ring by ring, section 2.2 converts South's index i to North's i - 14, i + 10 and i - 6.
        let north = turned_path(&zigzag, 2, 8);
        for (own, other) in [(9, 23), (30, 40), (28, 38), (48, 54), (59, 53), (0, 14)] {
            assert_eq!(zigzag[own], north[other]);
        }
    }

    #[test]
    fn ashte_kashte_paths_cover_the_board() {
        for (letter, length) in [("A", 49), ("B", 49), ("C", 48)] {
            let path = ashte_kashte_path(letter);
            assert_eq!((path.len(), distinct(&path), path[length - 1]), (length, length, square("D4")));
        }
        assert_eq!(ashte_kashte_path("A")[39], square("B2"));
        assert_eq!(ashte_kashte_path("B")[24], square("B2"));
        assert_eq!(turned_path(&ashte_kashte_path("A"), 2, 7)[45], square("D3"));
    }

    #[test]
    fn pagade_path_covers_the_cross_but_the_foreign_bellies() {
        let path = pagade_path();
        assert_eq!((path.len(), distinct(&path[..75])), (83, 75));
        for (index, name) in [(1, "J8"), (8, "J1"), (17, "L9"), (34, "K12"), (51, "H11"), (68, "I8"), (76, "J1")] {
            assert_eq!(path[index - 1], square(name));
        }
        let reversed: Vec<_> = path[76..].iter().rev().copied().collect();
        assert_eq!(path[..7], reversed);
        // R = (i - 8 + 17 q) mod 68: South's 24 is North's 58 and East's 7 + 68.
        assert_eq!(path[23], turned_path(&path, 2, PAGADE_SIZE)[57]);
        assert_eq!(path[23], turned_path(&path, 1, PAGADE_SIZE)[74]);
    }
}
