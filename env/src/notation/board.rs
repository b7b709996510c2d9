//! Positions drawn as plain text for terminals, at most 80 columns wide, without colours.
//!
//! The board is drawn from South's side, with column letters and row numbers. Notes beside the
//! board count the pieces that are on no square.

use std::fmt;

use crate::{
    game::{Game, Payoff, Seat},
    race::{
        Race,
        compile::board::Square,
        position::state::{Phase, State},
    },
};

/// The kind of a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Not a square of the board.
    Outside,
    /// A square without a mark.
    Plain,
    /// A marked square, for example one where no piece is captured. Games have different words for
    /// it.
    Marked,
    /// The finish of one seat, or of all seats (`None`).
    End(Option<Seat>),
    /// A private square, on the course of only one seat.
    Belly,
    /// The middle of the board, `board.middle` of the sheet.
    Home,
}

impl Ground {
    /// The name for other programs: `plain`, `marked`, `end`, `belly` or `home`; `None` outside the
    /// board.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Ground::Outside => None,
            Ground::Plain => Some("plain"),
            Ground::Marked => Some("marked"),
            Ground::End(_) => Some("end"),
            Ground::Belly => Some("belly"),
            Ground::Home => Some("home"),
        }
    }
}

/// The largest width of a drawing.
const COLUMNS: usize = 80;

/// Boards with more columns than this are drawn without brackets.
const WIDE: usize = 12;

/// The least number of characters in a square.
const LEAST_WIDTH: usize = 2;

/// A piece with its place and square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The owner.
    pub seat: Seat,
    /// The square of the piece, or the square of its finish; `None` if it is on no square.
    pub square: Option<Square>,
    /// The number of its place; [`Race::place_text`] gives the name.
    pub place: u8,
    /// Whether the piece is in a declared unit (`unit.kind = "declared"`), or on its way home over
    /// squares that the course visits twice.
    pub is_marked: bool,
    /// Whether the piece is on the part of its course that returns over squares of an earlier part.
    pub is_back: bool,
}

impl Race {
    /// Every piece of `state`, seat by seat.
    pub fn standing(&self, state: &State) -> Vec<Standing> {
        let mut standing = Vec::new();
        for seat in self.spec().seats.iter() {
            // Pieces at the finish are drawn on its square if the finish belongs to one seat.
            let is_own = |&finish: &Square| self.ground(finish) == Ground::End(Some(seat));
            let keep = self.rules.finish_of(seat).filter(is_own);
            for (slot, &place) in state.pieces[seat][..self.pieces()].iter().enumerate() {
                let returns = place >= self.rules.back && self.rules.back < self.rules.home;
                let is_marked = state.declared[seat] >> slot & 1 == 1 || returns;
                let square = if place == self.rules.home {
                    keep
                } else {
                    self.square(seat, place)
                };
                standing.push(Standing {
                    seat,
                    square,
                    place,
                    is_marked,
                    is_back: returns && place < self.rules.home,
                });
            }
        }
        standing
    }

    /// In games with a gate: whether a seat has captured. With `entry.first_while = "never"`:
    /// whether it has entered a piece.
    pub fn has_cut(&self, state: &State, seat: Seat) -> bool {
        state.has_mark(seat)
    }

    /// The rank of a seat that has finished, from 1; `None` if it has not finished. Several seats
    /// can share a rank.
    pub fn finished(&self, state: &State, seat: Seat) -> Option<u8> {
        Some(state.finished[seat]).filter(|&place| place > 0)
    }

    /// The position as a drawing, with lines separated by `\n`: the rows of the board from the top,
    /// each with its number, and last a line with the letters of the columns.
    ///
    /// A piece is the letter of its seat; several pieces are letters or a letter with a count: `S`,
    /// `SS`, `S3N`. If they do not fit, the letters of the seats are followed by the number of all
    /// pieces. Small letters are pieces on their way home and pieces of declared units. Empty
    /// squares are dots, `[ ]` are marked squares, `(s)` is South's finish, `( )` the finish of all
    /// seats, `:` a private square and `##` the middle. To the right of the board, or above it, a
    /// note for each seat counts its pieces that are on no square; `>` marks the seat to throw or
    /// to choose.
    pub fn draw(&self, state: &State) -> String {
        let (rows, columns) = (self.board().rows(), self.board().columns());
        let squares = |row: usize| {
            (0..columns).map(move |column| Square {
                row: row as u8,
                column: column as u8,
            })
        };
        let is_cross = columns > WIDE;
        let most = if is_cross { 3 } else { 6 };
        let standing = self.standing(state);
        let contents: Vec<Vec<String>> = (0..rows)
            .map(|row| {
                squares(row)
                    .map(|square| contents(&standing, square, most))
                    .collect()
            })
            .collect();
        let width = contents
            .iter()
            .flatten()
            .map(String::len)
            .max()
            .unwrap_or(0)
            .max(LEAST_WIDTH);
        let cell = |ground: Ground, content: &str| match ground {
            _ if is_cross => format!(" {content:>width$}"),
            Ground::Marked => format!("[{content:width$}]"),
            Ground::End(_) => format!("({content:width$})"),
            _ => format!(" {content:width$} "),
        };
        let mut lines: Vec<String> = Vec::with_capacity(rows + 1);
        for row in (0..rows).rev() {
            let mut line = format!("{:>2} ", row + 1);
            for (square, content) in squares(row).zip(&contents[row]) {
                let ground = self.ground(square);
                let empty = match ground {
                    Ground::Marked if is_cross => "x".to_owned(),
                    Ground::Outside | Ground::Marked | Ground::End(None) => String::new(),
                    Ground::Plain => ".".to_owned(),
                    Ground::End(Some(seat)) => seat.letter().to_ascii_lowercase().to_string(),
                    Ground::Belly => ":".to_owned(),
                    Ground::Home => "#".repeat(width),
                };
                line.push_str(&cell(
                    ground,
                    if content.is_empty() { &empty } else { content },
                ));
            }
            lines.push(line);
        }
        // If the board is a cross, notes can be inside the frame, beside the upper arm.
        let mut notes = self.notes(state);
        let beside = (rows - 1).saturating_sub(notes.len())..rows - 1;
        let columns_taken = self
            .squares()
            .filter(|(square, _)| beside.contains(&usize::from(square.row)))
            .map(|(square, _)| square.column)
            .max()
            .map_or(1, |column| usize::from(column) + 1);
        let margin = 3 + columns_taken * cell(Ground::Plain, "").len() + 3;
        if notes.len() >= lines.len() || notes.iter().any(|note| margin + note.len() > COLUMNS) {
            notes.push(String::new());
            lines.splice(0..0, notes);
        } else {
            for (line, note) in lines.iter_mut().skip(1).zip(notes) {
                *line = format!("{:margin$}{note}", line.trim_end());
            }
        }
        let letters = (0..columns)
            .map(|column| cell(Ground::Plain, &((b'A' + column as u8) as char).to_string()));
        lines.push(format!("   {}", letters.collect::<String>()));
        lines
            .iter()
            .map(|line| line.trim_end())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The square of `seat`'s course at `place`, or `None` if the place is not a square: off the
    /// board, at the finish, or borne off (taken off the board). Places are numbered as in
    /// [`crate::game::RaceGame::steps`].
    pub fn square(&self, seat: Seat, place: u8) -> Option<Square> {
        let on_course = place > 0 && place < self.rules.home;
        on_course.then(|| self.board().course(seat)[usize::from(place) - 1])
    }

    /// The squares of the board with their kinds, row by row from South's left.
    pub fn squares(&self) -> impl Iterator<Item = (Square, Ground)> {
        let (rows, columns) = (self.board().rows() as u8, self.board().columns() as u8);
        let all =
            (0..rows).flat_map(move |row| (0..columns).map(move |column| Square { row, column }));
        all.map(|square| (square, self.ground(square)))
            .filter(|&(_, ground)| ground != Ground::Outside)
    }

    /// The kind of `square`; [`Ground::Outside`] if no course of the game contains it.
    pub fn ground(&self, square: Square) -> Ground {
        let name = square.to_string();
        let board = &self.ruleset().sheet().board;
        if board.middle.contains(&name) {
            return Ground::Home;
        }
        let visits = |seat: &Seat| self.board().course(*seat).contains(&square);
        if !self.spec().seats.iter().any(|seat| visits(&seat)) {
            return Ground::Outside;
        }
        let finish = |seat: &Seat| self.rules.finish_of(*seat) == Some(square);
        let mut finishing = Seat::ALL.into_iter().filter(finish);
        if let Some(seat) = finishing.next() {
            return Ground::End(finishing.next().is_none().then_some(seat));
        }
        match Seat::ALL.into_iter().filter(visits).count() {
            _ if board
                .mark_kinds()
                .any(|marks| marks.squares.contains(&name)) =>
            {
                Ground::Marked
            }
            1 => Ground::Belly,
            _ => Ground::Plain,
        }
    }

    /// A line for each seat with its pieces that are on no square, then the legend.
    fn notes(&self, state: &State) -> Vec<String> {
        let mut notes: Vec<String> = self
            .spec()
            .seats
            .iter()
            .map(|seat| self.seat_note(state, seat))
            .collect();
        notes.push(String::new());
        let words = &self.rules.words;
        let has =
            |wanted: &dyn Fn(Ground) -> bool| self.squares().any(|(_, ground)| wanted(ground));
        let mut marks = Vec::new();
        let is_cross = self.board().columns() > WIDE;
        if has(&|ground| ground == Ground::Marked) {
            marks.push(if is_cross {
                format!("x  {}", words.mark)
            } else {
                format!("[ ] {}", words.mark)
            });
        }
        if has(&|ground| matches!(ground, Ground::End(Some(_)))) {
            let seat = self.spec().seats.iter().next().unwrap_or(Seat::SOUTH);
            marks.push(format!(
                "({}) {} of {}",
                seat.letter().to_ascii_lowercase(),
                words.finish,
                seat.name()
            ));
        } else if has(&|ground| ground == Ground::End(None)) {
            marks.push(format!("( ) {}", words.finish));
        }
        if has(&|ground| ground == Ground::Belly) {
            marks.push(format!(":  {}", words.private));
        }
        if self.rules.back < self.rules.home {
            marks.push("s  on its way home".to_owned());
        }
        notes.push(marks.join("   "));
        if self.rules.declares() {
            notes.push(format!("ss  declared {}", words.unit));
        }
        notes
    }

    fn seat_note(&self, state: &State, seat: Seat) -> String {
        let pieces = &state.pieces[seat][..self.pieces()];
        let counted = |place: u8| {
            let count = pieces.iter().filter(|&&other| other == place).count();
            format!("{} {count}", self.place_text(place))
        };
        let last = self.rules.goal;
        let off = (self.rules.room[0] > 0).then_some(0);
        let ends = if self.rules.finish_of(seat).is_none() {
            last + 1
        } else {
            self.rules.home
        };
        let mut parts: Vec<String> = off.into_iter().chain(ends..=last).map(counted).collect();
        if self.rules.has_gate() {
            let has = if state.has_mark(seat) {
                "has"
            } else {
                "has not"
            };
            parts.push(format!("{has} {}", self.rules.words.captured));
        }
        if self.spec().payoff == Payoff::Placings && state.finished[seat] > 0 {
            parts.push(format!("rank {}", state.finished[seat]));
        }
        let is_moving = state.phase != Phase::Over && state.mover == seat;
        format!(
            "{} {:7}{}",
            if is_moving { '>' } else { ' ' },
            seat.name(),
            parts.join(", ")
        )
    }
}

/// The pieces on a square as text of at most `most` characters.
fn contents(standing: &[Standing], square: Square, most: usize) -> String {
    let here = standing.iter().filter(|piece| piece.square == Some(square));
    let letter = |piece: &Standing| {
        let letter = piece.seat.letter();
        if piece.is_marked {
            letter.to_ascii_lowercase()
        } else {
            letter
        }
    };
    // The pieces of each seat are listed together, its marked pieces last.
    let letters: Vec<char> = here.map(letter).collect();
    let kinds: Vec<&[char]> = letters.chunk_by(|one, next| one == next).collect();
    let written = |kind: &&[char]| match kind.len() {
        1 => kind[0].to_string(),
        2 if kinds.len() == 1 => kind.iter().collect(),
        count => format!("{}{count}", kind[0]),
    };
    let text: String = kinds.iter().map(written).collect();
    if text.len() <= most {
        return text;
    }
    format!(
        "{}{}",
        kinds.iter().map(|kind| kind[0]).collect::<String>(),
        letters.len()
    )
}

impl fmt::Display for Square {
    /// Column letter and row number from South's side: `E1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'A' + self.column) as char, self.row + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ruleset, game::SeatSet};

    fn drawn(position: &str) -> String {
        let (race, state) = Race::parse_position(position).expect("a position");
        race.draw(&state)
    }

    #[test]
    fn crowded_squares_keep_within_80_columns() {
        for position in [
            "ashtapada?pieces=4 S:3,3,3,3/E:24,24,24,24/N:17,17,17,17/W:10,10,10,10 S *",
            "ashtapada?pieces=4&twins=bell S:off,13,17t,17t/E:off,off,off,off/N:0,0,0,0/W:7,keep,keep,keep W 1,4,8,*",
            "pagade S+:7,7,77,77/E+:7,7,7,7/N+:home,home,home,home/W+:77,77,77,77 E 6,6",
        ] {
            let drawing = drawn(position);
            assert!(drawing.lines().all(|line| line.len() <= 80), "{drawing}");
        }
        let twins = drawn("ashtapada?twins=bell S:14t,14t/N:off,off S *");
        assert!(
            twins.contains("[ss]") && twins.contains("declared"),
            "{twins}"
        );
        let crowd =
            drawn("ashtapada?pieces=4 S:3,3,3,3/E:24,24,24,24/N:17,17,17,17/W:10,10,10,10 S *");
        assert!(crowd.contains("[SENW16]"), "{crowd}");
        let belly =
            drawn("pagade S+:7,7,77,77/E+:7,7,7,7/N+:home,home,home,home/W+:77,77,77,77 E 6,6");
        assert!(
            belly.contains(" Ss4") && belly.contains(" E4") && belly.contains("rank 1"),
            "{belly}"
        );
    }

    #[test]
    fn every_piece_is_drawn() {
        for (game, seats) in [
            ("ashtapada?path=spiral_kile", 4),
            ("ashte-kashte?entry=start_is_one", 3),
            ("pagade", 4),
        ] {
            let seats = Ruleset::default_seats(seats).unwrap_or(SeatSet::ALL);
            let race = Race::new(Ruleset::parse(game, seats).expect("a game"));
            for place in (0..=race.last_place()).filter(|&place| race.rules.room[place] > 0) {
                let mut state = race.initial_state(Seat::EAST);
                let start = race.draw(&state);
                state.pieces[Seat::EAST][race.pieces() - 1] = place;
                let is_start = state == race.initial_state(Seat::EAST);
                assert_eq!(race.draw(&state) == start, is_start, "{game} {place}");
            }
        }
    }
}
