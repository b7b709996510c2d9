//! One throw of Ashte Kashte, sections 3 and 8: every piece and every double tries to move, square by square.
//!
//! Readings taken where the rules are silent:
//! * `entry=start_is_one`: the start square is index 1, a protected square like the others, also for its owner; the
//!   goal is 49, or 48 on path C.
//! * `move=forced`: a merge is compulsory like any move. `move=optional`: passing is always legal.

use std::collections::BTreeSet;

use super::geometry::{ASHTE_KASHTE_SIZE, Square, ashte_kashte_path, squares, turned_path};
use super::notation::{SeatText, Text, number, print};

const FLAGS: [(&str, &[&str]); 5] = [
    ("pieces", &["4", "1", "2", "3"]),
    ("path", &["A", "B", "C"]),
    ("entry", &["start_is_zero", "start_is_one"]),
    ("move", &["forced_except_merge", "forced", "optional"]),
    ("capture_bonus", &["false", "true"]),
];

/// In hand.
const HAND: usize = 0;

/// See [`super::turns`].
pub(super) fn turns(text: &Text, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let game = Game::read(text)?;
    let &[throw @ (1 | 2 | 3 | 4 | 8)] = throws else {
        return Err(format!("{throws:?} is not one throw of 1, 2, 3, 4 or 8"));
    };
    Ok(game.legal(usize::from(throw)).iter().map(|result| game.text_after(text, throw, result)).collect())
}

/// The result of a move.
#[derive(Clone, Debug)]
struct Moved {
    pieces: Vec<Vec<usize>>,
    merged: bool,
    captured: bool,
}

struct Game<'a> {
    compulsion: &'a str,
    capture_bonus: bool,
    /// The path of each seat that takes part, the goal last.
    paths: Vec<Vec<Square>>,
    /// The index of the first square of the path.
    first: usize,
    protected: Vec<Square>,
    /// Each seat's indices; 0 is in hand.
    pieces: Vec<Vec<usize>>,
    mover: usize,
}

impl<'a> Game<'a> {
    fn read(text: &'a Text) -> Result<Self, String> {
        let flags = text.flags(&FLAGS)?;
        let &[count, path, entry, compulsion, capture_bonus] = flags.as_slice() else {
            return Err("a flag is missing".to_owned());
        };
        let seats = text.seat_numbers();
        if !(seats == [0, 2] || seats.len() == 3 || seats.len() == 4) {
            return Err("the seats of ashte-kashte are S and N, or any three, or all four".to_owned());
        }
        if let Some(mark) = text.seats.iter().find(|seat| seat.has_cut || seat.place.is_some()) {
            return Err(format!("seat {} carries a mark that ashte-kashte does not have", mark.seat));
        }
        let south = ashte_kashte_path(path);
        let first = if entry == "start_is_one" { 1 } else { 0 };
        let home = first + south.len() - 1;
        let pieces = text.pieces(number(count).unwrap_or(0), |word| match word {
            "hand" => Some(HAND),
            "home" => Some(home),
            _ => number(word).filter(|&index| index > HAND && index < home),
        })?;
        let game = Game {
            compulsion,
            capture_bonus: capture_bonus == "true",
            paths: seats.iter().map(|&seat| turned_path(&south, seat, ASHTE_KASHTE_SIZE)).collect(),
            first,
            protected: squares("D1 G4 D7 A4"),
            pieces,
            mover: text.mover,
        };
        game.check()?;
        Ok(game)
    }

    /// The invariants of section 3.3.
    fn check(&self) -> Result<(), String> {
        for (seat, own) in self.pieces.iter().enumerate() {
            if own.iter().all(|&index| index == self.home()) {
                return Err("a seat has all its pieces home: the game is over".to_owned());
            }
            for square in own.iter().filter_map(|&index| self.square(seat, index)) {
                let there = self.pieces_on(&self.pieces, square);
                if there.iter().any(|&(owner, _)| owner != seat) {
                    return Err(format!("pieces of two seats stand on square {square:?}"));
                }
                let most = if self.protected.contains(&square) { 1 } else { 2 };
                if there.len() > most {
                    return Err(format!("{} pieces stand on square {square:?}, at most {most} may", there.len()));
                }
            }
        }
        Ok(())
    }

    fn text_after(&self, text: &Text, throw: u8, result: &Moved) -> String {
        let write = |&index: &usize| match index {
            HAND => "hand".to_owned(),
            _ if index == self.home() => "home".to_owned(),
            _ => index.to_string(),
        };
        let seats: Vec<SeatText> = text
            .seats
            .iter()
            .zip(&result.pieces)
            .map(|(seat, own)| {
                let mut own = own.clone();
                own.sort();
                SeatText { pieces: own.iter().map(write).collect(), ..seat.clone() }
            })
            .collect();
        let numbers = text.seat_numbers();
        let own_seat = numbers[self.mover];
        let again = matches!(throw, 4 | 8) || (self.capture_bonus && result.captured);
        let next = if result.pieces[self.mover].iter().all(|&index| index == self.home()) {
            None
        } else if again {
            Some(own_seat)
        } else {
            // To the right: South, East, North, West.
            (1..4).map(|steps| (own_seat + steps) % 4).find(|seat| numbers.contains(seat))
        };
        print(&text.game, &seats, next)
    }

    /// Every legal move with `throw`, and the pass where it is legal.
    fn legal(&self, throw: usize) -> Vec<Moved> {
        let mut moves = Vec::new();
        for at in 0..self.pieces[self.mover].len() {
            moves.extend(self.single(at, throw));
            for other in at + 1..self.pieces[self.mover].len() {
                moves.extend(self.double(at, other, throw));
            }
        }
        let may_pass = match self.compulsion {
            "forced_except_merge" => moves.iter().all(|result| result.merged),
            "forced" => moves.is_empty(),
            _ => true,
        };
        if may_pass {
            moves.push(Moved { pieces: self.pieces.clone(), merged: false, captured: false });
        }
        moves
    }

    /// One piece moves alone, from hand, from a square of its own or out of a double.
    fn single(&self, at: usize, throw: usize) -> Option<Moved> {
        let from = self.pieces[self.mover][at];
        let to = from + throw;
        if to > self.home() {
            return None;
        }
        let passed = (from + 1..to).filter_map(|index| self.square(self.mover, index));
        for square in passed {
            if self.pieces_on(&self.pieces, square).len() == 2 {
                return None;
            }
        }
        let mut result = Moved { pieces: self.pieces.clone(), merged: false, captured: false };
        result.pieces[self.mover][at] = to;
        let Some(square) = self.square(self.mover, to) else {
            return Some(result);
        };
        let there = self.pieces_on(&self.pieces, square);
        match there.as_slice() {
            [] => {}
            _ if self.protected.contains(&square) => return None,
            &[(owner, _)] if owner == self.mover => result.merged = true,
            &[(owner, piece)] => {
                result.pieces[owner][piece] = HAND;
                result.captured = true;
            }
            _ => return None,
        }
        Some(result)
    }

    /// The two pieces of a double move together.
    fn double(&self, at: usize, other: usize, throw: usize) -> Option<Moved> {
        let from = self.pieces[self.mover][at];
        let to = from + throw;
        if from == HAND || self.pieces[self.mover][other] != from || to > self.home() {
            return None;
        }
        let mut result = Moved { pieces: self.pieces.clone(), merged: false, captured: false };
        result.pieces[self.mover][at] = to;
        result.pieces[self.mover][other] = to;
        let Some(square) = self.square(self.mover, to) else {
            return Some(result);
        };
        if self.protected.contains(&square) {
            return None;
        }
        for (owner, piece) in self.pieces_on(&self.pieces, square) {
            if owner == self.mover {
                return None;
            }
            result.pieces[owner][piece] = HAND;
            result.captured = true;
        }
        Some(result)
    }

    fn home(&self) -> usize {
        self.first + self.paths[0].len() - 1
    }

    /// The square of an index; none in hand and at home. With the start as zero no own piece ever stands on it.
    fn square(&self, seat: usize, index: usize) -> Option<Square> {
        if index == HAND || index == self.home() { None } else { Some(self.paths[seat][index - self.first]) }
    }

    fn pieces_on(&self, pieces: &[Vec<usize>], square: Square) -> Vec<(usize, usize)> {
        let mut there = Vec::new();
        for (seat, own) in pieces.iter().enumerate() {
            for (at, &index) in own.iter().enumerate() {
                if self.square(seat, index) == Some(square) {
                    there.push((seat, at));
                }
            }
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::super::turns;

    fn results(position: &str, throw: u8) -> Vec<String> {
        turns(position, &[throw]).expect("a legal question").into_iter().collect()
    }

    #[test]
    fn the_start_square_may_be_index_one() {
        let game = "ashte-kashte?pieces=1&entry=start_is_one";
        assert_eq!(results(&format!("{game} S:hand/N:hand S *"), 1), [format!("{game} S:1/N:hand N *")]);
        // North on its index 13 stands on South's start square and closes it.
        assert_eq!(results(&format!("{game} S:hand/N:13 S *"), 1), [format!("{game} S:hand/N:13 N *")]);
        assert_eq!(results(&format!("{game} S:46/N:13 S *"), 3), [format!("{game} S:home/N:13 - -")]);
    }

    #[test]
    fn paths_change_where_pieces_meet() {
        // F6 is the corner where North changes rings: North's index 39 on A, 24 on B, and no index on C.
        let captures = |path: &str, south: usize, north: usize| {
            let position = format!("ashte-kashte?pieces=1{path} S:{south}/N:{north} N *");
            results(&position, 1) == [format!("ashte-kashte?pieces=1{path} S:hand/N:{} S *", north + 1)]
        };
        assert!(captures("", 31, 38) && !captures("", 31, 23));
        assert!(captures("&path=B", 32, 23) && !captures("&path=B", 32, 38));
        assert!(!captures("&path=C", 31, 38) && !captures("&path=C", 31, 23));
        assert!(results("ashte-kashte?pieces=1&path=C S:46/N:hand S *", 1)[0].contains("S:home"));
        assert!(turns("ashte-kashte?pieces=1&path=C S:47/N:hand S *", &[1]).is_err());
    }

    #[test]
    fn passing_depends_on_the_compulsion() {
        let position = |flags: &str| format!("ashte-kashte?pieces=2{flags} S:3,home/N:hand,hand S *");
        assert_eq!(results(&position(""), 1).len(), 1);
        assert_eq!(results(&position("&move=optional"), 1).len(), 2);
        let only_merge = |flags: &str| format!("ashte-kashte?pieces=2{flags} S:44,47/N:hand,hand S *");
        assert_eq!(results(&only_merge(""), 3).len(), 2);
        assert_eq!(results(&only_merge("&move=forced"), 3).len(), 1);
    }

    #[test]
    fn a_capture_may_grant_a_throw() {
        let position = |flags: &str| format!("ashte-kashte?pieces=1{flags} S:8/N:22 S *");
        assert_eq!(results(&position(""), 2), ["ashte-kashte?pieces=1 S:10/N:hand N *"]);
        assert!(results(&position("&capture_bonus=true"), 2)[0].ends_with("S:10/N:hand S *"));
    }

    #[test]
    fn three_seats_go_to_the_right() {
        let results = results("ashte-kashte?pieces=1 E:hand/N:hand/W:hand W *", 3);
        assert_eq!(results, ["ashte-kashte?pieces=1 E:hand/N:hand/W:3 E *"]);
    }

    #[test]
    fn refuses_broken_positions() {
        for position in [
            "ashte-kashte S:hand,5,5,5/N:hand,hand,hand,hand S *",
            "ashte-kashte S:hand,hand,6,6/N:hand,hand,hand,hand S *",
            "ashte-kashte S:hand,hand,hand,10/N:hand,hand,hand,22 S *",
            "ashte-kashte S:home,home,home,home/N:hand,hand,hand,hand N *",
            "ashte-kashte S:0,hand,hand,hand/N:hand,hand,hand,hand N *",
            "ashte-kashte S:hand,hand,hand,48/N:hand,hand,hand,hand N *",
            "ashte-kashte S:hand,hand,hand/N:hand,hand,hand,hand N *",
            "ashte-kashte S:hand,hand,hand,hand/E:hand,hand,hand,hand S *",
        ] {
            assert!(turns(position, &[1]).is_err(), "{position}");
        }
        let start = "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S *";
        assert!(turns(start, &[5]).is_err() && turns(start, &[1, 2]).is_err() && turns(start, &[]).is_err());
    }
}
