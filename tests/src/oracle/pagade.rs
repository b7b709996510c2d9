//! One turn of Pagade, sections 4 and 8: every piece, pair and order of the dice, checked move by move.
//!
//! Readings taken where the rules are silent:
//! * `must_use=optional`: nothing, or one die, or both; a single die must enter a cut piece if there is one.
//! * `team_cut=shared`: the cut of either partner opens the belly to both; the mark stays with the colour that cut.
//! * A seat that brings its last piece home with one die loses the other, also in a partnership: only a seat that was
//!   finished when its turn began moves its partner's pieces.
//! * A piece on square 8 outward and one of the same seat home-ward are two pieces on the square for all seats, so a
//!   pair cuts both.
//! * Places from the second on are written with the seat (`E#2`); finished seats without one share the best places.

use std::collections::BTreeSet;

use super::geometry::{PAGADE_SIZE, Square, pagade_path, turned_path};
use super::notation::{SeatText, Text, number, print};

const FLAGS: [(&str, &[&str]); 9] = [
    ("pieces", &["4", "1", "2", "3"]),
    ("teams", &["false", "true"]),
    ("no_cut", &["wait", "lap", "off"]),
    ("must_use", &["max", "optional"]),
    ("turn_order", &["ccw", "cw"]),
    ("two", &["one_set", "two_sets"]),
    ("finished_partner", &["donate", "skip"]),
    ("team_cut", &["own", "shared"]),
    ("play_on", &["true", "false"]),
];

const FACES: [usize; 4] = [1, 3, 4, 6];
const CUT: usize = 0;
const HOME: usize = 84;

/// See [`super::turns`].
pub(super) fn turns(text: &Text, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let (game, start) = Game::read(text)?;
    let dice: Vec<usize> = throws.iter().map(|&throw| usize::from(throw)).collect();
    let &[a, b] = dice.as_slice() else {
        return Err(format!("{throws:?} is not two dice"));
    };
    if !FACES.contains(&a) || !FACES.contains(&b) {
        return Err(format!("{throws:?} has a face other than 1, 3, 4 and 6"));
    }
    let results = game.legal(&start, a, b);
    Ok(results.into_iter().map(|result| game.text_after(text, &start, result)).collect())
}

/// A position without the mover, seat by seat.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Board {
    pieces: Vec<Vec<usize>>,
    has_cut: Vec<bool>,
    places: Vec<Option<usize>>,
}

/// Results by the number of dice used.
#[derive(Default)]
struct Options {
    both: Vec<Board>,
    one: Vec<Board>,
}

struct Game<'a> {
    partnership: bool,
    no_cut: &'a str,
    optional: bool,
    clockwise: bool,
    donate: bool,
    shared_cut: bool,
    play_on: bool,
    seats: Vec<usize>,
    /// For each seat that takes part, its squares from index 1 to 83.
    paths: Vec<Vec<Square>>,
    mover: usize,
}

impl<'a> Game<'a> {
    fn read(text: &'a Text) -> Result<(Self, Board), String> {
        let flags = text.flags(&FLAGS)?;
        let &[count, teams, no_cut, must_use, turn_order, two, finished_partner, team_cut, play_on] = flags.as_slice()
        else {
            return Err("a flag is missing".to_owned());
        };
        let seats = text.seat_numbers();
        if seats != [0, 2] && seats != [0, 1, 2, 3] {
            return Err("the seats of pagade are S and N, or all four".to_owned());
        }
        let partnership = teams == "true" || two == "two_sets";
        if partnership && seats.len() != 4 {
            return Err("a partnership takes four seats".to_owned());
        }
        let pieces = text.pieces(number(count).unwrap_or(0), |word| match word {
            "cut" => Some(CUT),
            "home" => Some(HOME),
            _ => number(word).filter(|&index| index > CUT && index < HOME),
        })?;
        let board = Board {
            pieces,
            has_cut: text.seats.iter().map(|seat| seat.has_cut).collect(),
            places: text.seats.iter().map(|seat| seat.place).collect(),
        };
        let game = Game {
            partnership,
            no_cut,
            optional: must_use == "optional",
            clockwise: turn_order == "cw",
            donate: finished_partner == "donate",
            shared_cut: team_cut == "shared",
            play_on: play_on == "true",
            paths: seats.iter().map(|&seat| turned_path(&pagade_path(), seat, PAGADE_SIZE)).collect(),
            seats,
            mover: text.mover,
        };
        game.check(&board)?;
        Ok((game, board))
    }

    /// The invariants of section 4.3, and that the mover has a turn in a game that is not over.
    fn check(&self, board: &Board) -> Result<(), String> {
        for (seat, own) in board.pieces.iter().enumerate() {
            if own.iter().any(|&index| index > 76) && !self.may_enter_belly(board, seat) {
                return Err("a piece is beyond square 76 without a cut".to_owned());
            }
            for square in own.iter().filter_map(|&index| self.ring_square(seat, index)) {
                let there = self.pieces_on(board, square);
                if there.iter().any(|&(owner, _)| owner != seat) {
                    return Err(format!("pieces of two colours stand on square {square:?}"));
                }
                if there.len() > 2 {
                    return Err(format!("{} pieces stand on square {square:?}", there.len()));
                }
            }
        }
        self.check_places(board)?;
        if self.is_won(board) {
            return Err("the game is over".to_owned());
        }
        if !self.has_turn(board, self.mover) {
            return Err("the mover has finished".to_owned());
        }
        Ok(())
    }

    /// Marked places follow on the unmarked finished seats without a gap, where places are played for at all.
    fn check_places(&self, board: &Board) -> Result<(), String> {
        let mut marked: Vec<usize> = board.places.iter().flatten().copied().collect();
        if marked.is_empty() {
            return Ok(());
        }
        if self.partnership || self.seats.len() != 4 || !self.play_on {
            return Err("a seat has a place in a game that ends with its winner".to_owned());
        }
        if (0..4).any(|seat| board.places[seat].is_some() && !self.is_finished(board, seat)) {
            return Err("a seat has a place and has not finished".to_owned());
        }
        marked.sort();
        let unmarked = self.finished(board) - marked.len();
        if unmarked == 0 || !marked.iter().copied().eq((1..=marked.len()).map(|place| place + unmarked)) {
            return Err(format!("the places {marked:?} do not follow on {unmarked} unmarked finished seats"));
        }
        Ok(())
    }

    fn text_after(&self, text: &Text, before: &Board, mut board: Board) -> String {
        for seat in 0..self.seats.len() {
            if self.is_finished(&board, seat) && !self.is_finished(before, seat) {
                let place = self.finished(before) + 1;
                let written = place > 1 && !self.partnership && self.seats.len() == 4 && self.play_on;
                board.places[seat] = written.then_some(place);
            }
            board.pieces[seat].sort();
        }
        let over = self.is_won(&board) || self.is_dead(&board);
        let next = if over { None } else { self.next(&board) };
        let write = |&index: &usize| match index {
            CUT => "cut".to_owned(),
            HOME => "home".to_owned(),
            _ => index.to_string(),
        };
        let seats: Vec<SeatText> = (0..self.seats.len())
            .map(|seat| SeatText {
                seat: self.seats[seat],
                has_cut: board.has_cut[seat],
                place: board.places[seat],
                pieces: board.pieces[seat].iter().map(write).collect(),
            })
            .collect();
        print(&text.game, &seats, next)
    }

    fn next(&self, board: &Board) -> Option<usize> {
        let step = if self.clockwise { 3 } else { 1 };
        (1..4).map(|steps| (self.seats[self.mover] + steps * step) % 4).find(|seat| {
            let listed = self.seats.iter().position(|known| known == seat);
            listed.is_some_and(|at| self.has_turn(board, at))
        })
    }

    fn has_turn(&self, board: &Board, seat: usize) -> bool {
        !self.is_finished(board, seat) || (self.partnership && self.donate)
    }

    fn is_finished(&self, board: &Board, seat: usize) -> bool {
        board.pieces[seat].iter().all(|&index| index == HOME)
    }

    fn finished(&self, board: &Board) -> usize {
        (0..self.seats.len()).filter(|&seat| self.is_finished(board, seat)).count()
    }

    fn is_won(&self, board: &Board) -> bool {
        let finished = |seat| self.is_finished(board, seat);
        if self.partnership {
            (finished(0) && finished(2)) || (finished(1) && finished(3))
        } else if self.seats.len() == 4 && self.play_on {
            self.finished(board) >= 3
        } else {
            self.finished(board) >= 1
        }
    }

    /// Whether no throw of any unfinished seat can change anything any more.
    fn is_dead(&self, board: &Board) -> bool {
        let unfinished = (0..self.seats.len()).filter(|&seat| !self.is_finished(board, seat));
        unfinished.into_iter().all(|seat| {
            FACES.iter().all(|&a| {
                FACES.iter().all(|&b| {
                    let options = self.options(board, seat, a, b);
                    options.both.is_empty() && options.one.is_empty()
                })
            })
        })
    }

    /// Every board that the mover can leave.
    fn legal(&self, board: &Board, a: usize, b: usize) -> Vec<Board> {
        let colour = if self.is_finished(board, self.mover) { (self.mover + 2) % 4 } else { self.mover };
        let Options { both, one } = self.options(board, colour, a, b);
        let pass = vec![board.clone()];
        if self.optional {
            [both, one, pass].concat()
        } else if !both.is_empty() {
            both
        } else if !one.is_empty() {
            one
        } else {
            pass
        }
    }

    /// Everything of section 4.5 for the pieces of `colour`, before must-use is applied.
    fn options(&self, board: &Board, colour: usize, a: usize, b: usize) -> Options {
        let count = board.pieces[colour].len();
        let cut: Vec<usize> = (0..count).filter(|&piece| board.pieces[colour][piece] == CUT).collect();
        let mut options = Options::default();
        for (first, second) in [(a, b), (b, a)] {
            for one in 0..count {
                if !cut.is_empty() && !cut.contains(&one) {
                    continue;
                }
                let Some(between) = self.step(board, colour, one, first) else { continue };
                options.one.push(between.clone());
                for other in (0..count).filter(|&other| other != one) {
                    if cut.len() < 2 || cut.contains(&other) {
                        options.both.extend(self.step(&between, colour, other, second));
                    }
                }
            }
        }
        for one in 0..count {
            if cut.is_empty() || cut == [one] {
                options.both.extend(self.step(board, colour, one, a + b));
            }
            for other in one + 1..count {
                if cut.is_empty() && a == b {
                    options.both.extend(self.pair(board, colour, one, other, a));
                }
            }
        }
        options
    }

    /// STEP: one piece moves `distance` squares in a single hop.
    fn step(&self, board: &Board, colour: usize, piece: usize, distance: usize) -> Option<Board> {
        let to = self.target(board, colour, board.pieces[colour][piece], distance)?;
        let mut after = board.clone();
        after.pieces[colour][piece] = to;
        let Some(square) = self.ring_square(colour, to) else {
            return Some(after);
        };
        match self.pieces_on(board, square).as_slice() {
            [] => {}
            &[(owner, _)] if owner == colour => {}
            &[(owner, _)] if self.are_partners(owner, colour) => return None,
            &[(owner, enemy)] => {
                after.pieces[owner][enemy] = CUT;
                after.has_cut[colour] = true;
            }
            _ => return None,
        }
        Some(after)
    }

    /// PAIR: two pieces of one index move `distance` squares together.
    fn pair(&self, board: &Board, colour: usize, one: usize, other: usize, distance: usize) -> Option<Board> {
        let from = board.pieces[colour][one];
        if board.pieces[colour][other] != from {
            return None;
        }
        let to = self.target(board, colour, from, distance)?;
        let mut after = board.clone();
        after.pieces[colour][one] = to;
        after.pieces[colour][other] = to;
        let Some(square) = self.ring_square(colour, to) else {
            return Some(after);
        };
        for (owner, enemy) in self.pieces_on(board, square) {
            if owner == colour || self.are_partners(owner, colour) {
                return None;
            }
            after.pieces[owner][enemy] = CUT;
            after.has_cut[colour] = true;
        }
        Some(after)
    }

    /// The index `distance` squares on, if there is one.
    fn target(&self, board: &Board, colour: usize, from: usize, distance: usize) -> Option<usize> {
        let to = from + distance;
        if from == HOME {
            None
        } else if to <= 76 {
            Some(to)
        } else if self.may_enter_belly(board, colour) {
            Some(to).filter(|&to| to <= HOME)
        } else if self.no_cut == "lap" {
            Some(to - 68)
        } else {
            None
        }
    }

    fn may_enter_belly(&self, board: &Board, colour: usize) -> bool {
        let by_partner = self.partnership && self.shared_cut && board.has_cut[(colour + 2) % 4];
        self.no_cut == "off" || board.has_cut[colour] || by_partner
    }

    fn are_partners(&self, one: usize, other: usize) -> bool {
        self.partnership && one % 2 == other % 2
    }

    /// The square of an index on the ring; none for cut pieces, bellies and home.
    fn ring_square(&self, seat: usize, index: usize) -> Option<Square> {
        (8..=76).contains(&index).then(|| self.paths[seat][index - 1])
    }

    fn pieces_on(&self, board: &Board, square: Square) -> Vec<(usize, usize)> {
        let mut there = Vec::new();
        for (seat, own) in board.pieces.iter().enumerate() {
            for (piece, &index) in own.iter().enumerate() {
                if self.ring_square(seat, index) == Some(square) {
                    there.push((seat, piece));
                }
            }
        }
        there
    }
}

#[cfg(test)]
mod tests;
