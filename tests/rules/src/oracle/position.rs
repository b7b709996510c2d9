//! Positions of a sheet's game: parsing, validation and occupancy. It does not move pieces.

use super::{
    board::Square,
    notation::{SeatText, Text, number},
    rules::Rules,
};

/// The place of a piece; the order of the variants is the order in a text. A piece at the finish is
/// home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Off,
    /// On the square of the course with this number.
    On(i32),
    Home,
    Borne,
}

/// A piece. `declared` says that it is one of two that have declared to move together, `moved` that
/// it made a hop in this turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub place: Place,
    pub declared: bool,
    pub moved: bool,
}

impl Piece {
    pub fn at(place: Place) -> Piece {
        Piece {
            place,
            declared: false,
            moved: false,
        }
    }
}

/// A position without its mover. Lists are indexed by seat; seats that do not take part have no
/// pieces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub pieces: Vec<Vec<Piece>>,
    /// Whether the seat carries a `+`. With a gate it says that the seat has captured, with a first
    /// entry once in the game that it has entered a piece.
    pub is_marked: Vec<bool>,
    pub places: Vec<Option<usize>>,
    /// Whether a capture, a landing or a piece at the finish has earned one more throw in this
    /// turn.
    pub earns_throw: bool,
}

impl Position {
    /// The position of a text.
    pub fn read(rules: &Rules, text: &Text) -> Result<Position, String> {
        let pieces = text.pieces(rules.count, |word| rules.read_piece(word))?;
        let mut position = Position {
            pieces: vec![Vec::new(); 4],
            is_marked: vec![false; 4],
            places: vec![None; 4],
            earns_throw: false,
        };
        for (seat, own) in text.seats.iter().zip(pieces) {
            position.pieces[seat.seat] = own;
            position.is_marked[seat.seat] = seat.has_cut;
            position.places[seat.seat] = seat.place;
        }
        rules.check(&position, text.seats[text.mover].seat)?;
        Ok(position)
    }

    /// Whether `seat` has a piece on its course before the finish.
    pub fn is_on_course(&self, seat: usize) -> bool {
        self.pieces[seat]
            .iter()
            .any(|piece| matches!(piece.place, Place::On(_)))
    }
}

impl Rules {
    fn read_piece(&self, word: &str) -> Option<Piece> {
        if word == self.home_word {
            return Some(Piece::at(Place::Home)).filter(|_| !self.fills);
        }
        if word == self.off_word {
            return Some(Piece::at(Place::Off)).filter(|_| self.knows_off);
        }
        if word == self.borne_word {
            return Some(Piece::at(Place::Borne)).filter(|_| !self.bear_off.is_empty());
        }
        let (digits, declared) = word
            .strip_suffix('t')
            .map_or((word, false), |digits| (digits, true));
        let number = i32::try_from(number(digits)?).ok()?;
        let stands = number >= self.first
            && number < self.last
            && (number > self.first || self.first_is_reached());
        let known = stands && (!declared || self.unit == "declared");
        known.then_some(Piece {
            place: Place::On(number),
            declared,
            moved: false,
        })
    }

    /// Whether pieces can reach the first square of their course.
    fn first_is_reached(&self) -> bool {
        let laps = self.gate > 0 && self.without == "lap" && self.gate - self.lap <= self.first;
        let is_sent = self.sent_to == Some(self.first);
        is_sent
            || self.begins_on_first
            || self.private_start
            || self.enter_at.is_some()
            || self.first > 0
            || laps
            || self.overshoot == "bounces"
    }

    /// Whether seats carry a `+`.
    fn marks_seats(&self) -> bool {
        self.gate > 0 || self.first_is_once
    }

    /// The seats with their pieces as a text has them.
    pub fn write(&self, position: &Position) -> Vec<SeatText> {
        let write = |piece: &Piece| match piece.place {
            Place::Off => self.off_word.clone(),
            Place::On(number) => format!("{number}{}", if piece.declared { "t" } else { "" }),
            Place::Home => self.home_word.clone(),
            Place::Borne => self.borne_word.clone(),
        };
        let seat_text = |&seat: &usize| {
            let mut own = position.pieces[seat].clone();
            own.sort_by_key(|piece| (piece.place, piece.declared));
            SeatText {
                seat,
                has_cut: self.marks_seats() && position.is_marked[seat],
                place: position.places[seat],
                pieces: own.iter().map(write).collect(),
            }
        };
        self.seats.iter().map(seat_text).collect()
    }

    /// The square on which a piece of `seat` can meet other pieces; `None` off the board, at the
    /// finish and on a private first square.
    pub fn square(&self, seat: usize, piece: Piece) -> Option<Square> {
        match piece.place {
            Place::On(number) if number > self.first || !self.private_start => {
                Some(self.square_of(seat, number))
            }
            _ => None,
        }
    }

    /// The square of a number of a seat's course.
    pub fn square_of(&self, seat: usize, number: i32) -> Square {
        self.courses[seat][usize::try_from(number - self.first).unwrap_or(0)]
    }

    /// The pieces of `seat` on a square, by their places in its list.
    pub fn standing(&self, position: &Position, seat: usize, square: Square) -> Vec<usize> {
        let own = &position.pieces[seat];
        (0..own.len())
            .filter(|&piece| self.square(seat, own[piece]) == Some(square))
            .collect()
    }

    /// The pieces of `seat` on a square: those that are units, and the single ones.
    pub fn units_and_singles(
        &self,
        position: &Position,
        seat: usize,
        square: Square,
    ) -> (Vec<usize>, Vec<usize>) {
        let there = self.standing(position, seat, square);
        let own = &position.pieces[seat];
        match self.unit {
            "declared" => there.into_iter().partition(|&piece| own[piece].declared),
            "together" => {
                let (within, without): (Vec<usize>, Vec<usize>) = there
                    .into_iter()
                    .partition(|&piece| self.in_area(seat, own[piece]));
                if within.len() >= 2 {
                    (within, without)
                } else {
                    (Vec::new(), [within, without].concat())
                }
            }
            _ => (Vec::new(), there),
        }
    }

    /// Whether two pieces together where `piece` stands are a unit.
    pub fn in_area(&self, seat: usize, piece: Piece) -> bool {
        let Place::On(number) = piece.place else {
            return false;
        };
        if self.square(seat, piece).is_none() {
            return false;
        }
        self.area == "any"
            || (self.is_inner(number) && self.mark_rule(self.square_of(seat, number)).is_none())
    }

    /// Whether a number lies from the gate on.
    pub fn is_inner(&self, number: i32) -> bool {
        self.gate > 0 && number >= self.gate
    }

    /// The most own pieces on the square of a number of a seat's course.
    pub fn room(&self, seat: usize, number: i32) -> usize {
        let square = self.square_of(seat, number);
        let is_private = self
            .courses
            .iter()
            .filter(|course| course.contains(&square))
            .count()
            == 1;
        // A square that a piece must fill has room for one piece, even if the square is marked.
        let is_filled = self.fills && number >= self.last - i32::try_from(self.count).unwrap_or(0);
        let word = if is_filled {
            "one"
        } else if let Some(rule) = self.mark_rule(square) {
            if rule == "closed" { "one" } else { self.marked }
        } else if is_private && !self.private.is_empty() {
            self.private
        } else if self.is_inner(number) && !self.inner.is_empty() {
            self.inner
        } else {
            self.plain
        };
        match word {
            "one" => 1,
            "two" => 2,
            _ => usize::MAX,
        }
    }

    /// Whether the pieces of `seat` may go beyond the gate.
    pub fn is_open(&self, position: &Position, seat: usize) -> bool {
        let by_partner = self.teams && self.opened_by_team && position.is_marked[(seat + 2) % 4];
        self.gate <= 0 || self.without == "open" || position.is_marked[seat] || by_partner
    }

    /// Refuses positions that cannot occur, that are over, or in which `mover` has no turn.
    fn check(&self, position: &Position, mover: usize) -> Result<(), String> {
        for &seat in &self.seats {
            let own = &position.pieces[seat];
            for &piece in own {
                self.check_piece(position, seat, piece)?;
            }
            if own.iter().any(|piece| piece.place == Place::Borne)
                && own
                    .iter()
                    .any(|piece| !matches!(piece.place, Place::Home | Place::Borne))
            {
                return Err("a piece is borne off while another is not at the finish".to_owned());
            }
            if position.is_marked[seat] && !self.marks_seats() {
                return Err("a seat has a `+` in a game that does not ask for it".to_owned());
            }
            let has_entered = own.iter().any(|piece| piece.place != Place::Off);
            if self.first_is_once && has_entered && !position.is_marked[seat] {
                return Err("a seat that has entered a piece carries no `+`".to_owned());
            }
        }
        self.check_places(position)?;
        if self.is_won(position) {
            return Err("the game is over".to_owned());
        }
        if self.has_turn(position, mover) {
            Ok(())
        } else {
            Err("the mover has finished".to_owned())
        }
    }

    fn check_piece(&self, position: &Position, seat: usize, piece: Piece) -> Result<(), String> {
        let number = match piece.place {
            Place::On(number) => number,
            Place::Home | Place::Borne => self.last,
            Place::Off => return Ok(()),
        };
        if self.is_inner(number) && !self.is_open(position, seat) {
            return Err(format!(
                "a piece on {number} is beyond the gate without a capture"
            ));
        }
        if piece.declared
            && position.pieces[seat]
                .iter()
                .filter(|&other| *other == piece)
                .count()
                % 2
                == 1
        {
            return Err(format!(
                "the declared pieces on {number} are not two by two"
            ));
        }
        let Some(square) = self.square(seat, piece) else {
            return Ok(());
        };
        if self.standing(position, seat, square).len() > self.room(seat, number) {
            return Err(format!("too many pieces of a seat stand on {number}"));
        }
        let shares = [self.single_on_unit, self.unit_on_single, self.unit_on_unit]
            .iter()
            .any(|word| ["shares", "takes-equal"].contains(word))
            || self.group == "one";
        let rule = self.mark_rule(square);
        let mixes = rule.map_or(shares, |rule| rule != "closed");
        let is_apart = |other: usize| self.are_enemies(seat, other) || !self.shares_with_partner;
        let stands = |other: usize| !self.standing(position, other, square).is_empty();
        let mixed = self
            .seats
            .iter()
            .any(|&other| other != seat && is_apart(other) && stands(other));
        if mixed && !mixes {
            Err(format!("pieces of two seats stand on {square:?}"))
        } else {
            Ok(())
        }
    }

    /// Marked places follow on the unmarked finished seats without a gap, where places are played
    /// for at all.
    fn check_places(&self, position: &Position) -> Result<(), String> {
        let mut marked: Vec<usize> = position.places.iter().flatten().copied().collect();
        if marked.is_empty() {
            return Ok(());
        }
        if !self.placings {
            return Err("a seat has a place in a game that ends with its winner".to_owned());
        }
        if self
            .seats
            .iter()
            .any(|&seat| position.places[seat].is_some() && !self.is_finished(position, seat))
        {
            return Err("a seat has a place and has not finished".to_owned());
        }
        marked.sort();
        let unmarked = self.finished(position) - marked.len();
        if unmarked == 0
            || !marked
                .iter()
                .copied()
                .eq((1..=marked.len()).map(|place| place + unmarked))
        {
            return Err(format!(
                "the places {marked:?} do not follow on {unmarked} unmarked finished seats"
            ));
        }
        Ok(())
    }
}
