//! The single steps of a turn: a piece or a unit hops, a piece enters, a piece is borne off. Each
//! gives the position after it, or `None` if the rules forbid it. The throws of the turn and the
//! pieces that may step again are not known here.

use super::{
    board::Square,
    position::{Piece, Place, Position},
    rules::Rules,
};

impl Rules {
    /// `own`, one piece or several as a unit, hops `distance` squares on along the course of
    /// `seat`.
    pub fn hop(
        &self,
        before: &Position,
        seat: usize,
        own: &[usize],
        distance: i32,
    ) -> Option<Position> {
        match before.pieces[seat][own[0]].place {
            Place::On(from) if distance > 0 => self.go(before, seat, own, from, distance),
            _ => None,
        }
    }

    /// A waiting piece enters with a throw of `value`; it counts as not moved.
    pub fn enter(
        &self,
        before: &Position,
        seat: usize,
        piece: usize,
        value: u8,
    ) -> Option<Position> {
        let has_begun = if self.first_is_once {
            before.is_marked[seat]
        } else {
            before.is_on_course(seat)
        };
        let values = if has_begun {
            &self.enter_next
        } else {
            &self.enter_first
        };
        values
            .contains(&value)
            .then(|| self.enter_with(before, seat, piece, value))?
    }

    /// A waiting piece enters, without checking the throw.
    pub fn enter_with(
        &self,
        before: &Position,
        seat: usize,
        piece: usize,
        value: u8,
    ) -> Option<Position> {
        if before.pieces[seat][piece].place != Place::Off {
            return None;
        }
        let mut after = match self.enter_at {
            Some(number) => {
                self.arrive(before, seat, &[piece], self.target(before, seat, number)?)?
            }
            None => self.go(before, seat, &[piece], 0, i32::from(value))?,
        };
        after.pieces[seat][piece].moved = false;
        after.is_marked[seat] |= self.first_is_once;
        Some(after)
    }

    /// A piece at the finish is borne off with a throw of `value`.
    pub fn bear_off(
        &self,
        before: &Position,
        seat: usize,
        piece: usize,
        value: u8,
    ) -> Option<Position> {
        let own = &before.pieces[seat];
        let all_there = own
            .iter()
            .all(|piece| matches!(piece.place, Place::Home | Place::Borne));
        if !all_there || own[piece].place != Place::Home || !self.bear_off.contains(&value) {
            return None;
        }
        let mut after = before.clone();
        after.pieces[seat][piece] = Piece {
            moved: true,
            ..Piece::at(Place::Borne)
        };
        Some(after)
    }

    /// The sets of `size` pieces of `seat` that can leave their square as a unit: two, or three
    /// where pieces only stand together.
    pub fn groups(&self, position: &Position, seat: usize, size: usize) -> Vec<Vec<usize>> {
        let own = &position.pieces[seat];
        let goes_with = |one: usize, other: usize| {
            own[one].place == own[other].place && self.is_pair(seat, own[one], own[other])
        };
        let mut groups: Vec<Vec<usize>> = (0..own.len()).map(|piece| vec![piece]).collect();
        for _ in 1..size {
            let longer = |group: &Vec<usize>| {
                let later = group[group.len() - 1] + 1..own.len();
                later
                    .filter(|&other| group.iter().all(|&one| goes_with(one, other)))
                    .map(|other| [group.as_slice(), &[other]].concat())
                    .collect::<Vec<_>>()
            };
            groups = groups.iter().flat_map(longer).collect();
        }
        groups
            .into_iter()
            .filter(|group| group.len() == 2 || self.unit == "together")
            .collect()
    }

    fn is_pair(&self, seat: usize, one: Piece, other: Piece) -> bool {
        let Place::On(number) = one.place else {
            return false;
        };
        match self.unit {
            "together" => self.in_area(seat, one),
            "declared" if one.declared => other.declared,
            // The squares are written as South sees them.
            "declared" => !other.declared && self.unit_from.contains(&self.square_of(0, number)),
            _ => false,
        }
    }

    /// The distance that a unit moves by `throws`; `None` if it cannot use them.
    pub fn unit_distance(&self, throws: &[u8]) -> Option<i32> {
        let halves: i32 = throws.iter().map(|throw| i32::from(throw / 2)).sum();
        match self.speed {
            "full" => Some(distance(throws)),
            "double" => Some(2 * distance(throws)),
            "half" => (!throws.contains(&1)).then_some(halves),
            "half-spent" => Some(halves),
            _ => throws.iter().all(|throw| throw % 2 == 0).then_some(halves),
        }
    }

    /// Whether a piece may leave its square alone.
    pub fn may_leave_alone(&self, position: &Position, seat: usize, piece: usize) -> bool {
        let own = &position.pieces[seat];
        let together = own
            .iter()
            .filter(|other| other.place == own[piece].place)
            .count();
        self.split
            || match self.unit {
                "declared" => !own[piece].declared,
                "together" => !self.in_area(seat, own[piece]) || together % 2 == 1,
                _ => true,
            }
    }

    fn go(
        &self,
        before: &Position,
        seat: usize,
        own: &[usize],
        from: i32,
        distance: i32,
    ) -> Option<Position> {
        let to = self.target(before, seat, from + distance)?;
        // A piece that bounces can pass its own square.
        let mut others = before.clone();
        own.iter()
            .for_each(|&piece| others.pieces[seat][piece].place = Place::Off);
        for number in from + 1..from + distance {
            let square = self.square_of(seat, self.target(before, seat, number)?);
            let is_unit =
                |other: usize| !self.units_and_singles(&others, other, square).0.is_empty();
            let stops = |&other: &usize| {
                own.len() == 1 && !self.passable && is_unit(other)
                    || self.block == "passing" && self.blocks(&others, seat, other, square)
            };
            if self.seats.iter().any(stops) {
                return None;
            }
        }
        let bounces = from + distance > self.last && self.overshoot == "bounces";
        if bounces && to < self.last && self.square_of(seat, to) == self.square_of(seat, from) {
            return None;
        }
        self.arrive(before, seat, own, to)
    }

    /// Whether two or more pieces of `other` on a square stop the pieces of `seat`.
    fn blocks(&self, position: &Position, seat: usize, other: usize, square: Square) -> bool {
        self.block != "none"
            && self.are_enemies(seat, other)
            && self.standing(position, other, square).len() >= 2
    }

    /// The number on which a move to `number` ends: `number`, the number on a further round, or the
    /// result of overshooting.
    fn target(&self, position: &Position, seat: usize, number: i32) -> Option<i32> {
        let number = match self.without {
            _ if !self.is_inner(number) || self.is_open(position, seat) => number,
            // A move that is longer than the round goes round more than once.
            "lap" => (1..)
                .map(|rounds| number - rounds * self.lap)
                .find(|&number| !self.is_inner(number))?,
            _ => return None,
        };
        let number = match self.overshoot {
            _ if number <= self.last => number,
            "wasted" => self.last,
            "bounces" => 2 * self.last - number,
            _ => return None,
        };
        let is_there = number >= self.first && !(self.fills && number == self.last);
        is_there.then_some(number)
    }

    fn arrive(&self, before: &Position, seat: usize, own: &[usize], to: i32) -> Option<Position> {
        let mut after = before.clone();
        if let &[alone] = own {
            self.unmark_twin(&mut after, seat, alone);
        }
        let place = if to == self.last {
            Place::Home
        } else {
            Place::On(to)
        };
        let declared = own.len() == 2 && self.unit == "declared" && to < self.last;
        for &piece in own {
            after.pieces[seat][piece] = Piece {
                place,
                declared,
                moved: true,
            };
        }
        after.earns_throw |= to == self.last && self.again_on_finish;
        after.earns_throw |= to < self.last
            && self
                .mark(self.square_of(seat, to))
                .is_some_and(|marks| marks.again);
        let Some(square) = self.square(seat, after.pieces[seat][own[0]]) else {
            return Some(after);
        };
        if self.standing(&after, seat, square).len() > self.room(seat, to) {
            return None;
        }
        if self
            .seats
            .iter()
            .any(|&other| self.blocks(before, seat, other, square))
        {
            return None;
        }
        match self.mark_rule(square) {
            Some(rule) => self
                .may_stand_on_mark(rule, before, seat, own, square)
                .then_some(after),
            None => self.meet(after, seat, own.len(), square),
        }
    }

    /// A declared piece that leaves alone leaves an undeclared one behind.
    fn unmark_twin(&self, position: &mut Position, seat: usize, alone: usize) {
        let leaves = position.pieces[seat][alone];
        let own = &mut position.pieces[seat];
        let twin =
            (0..own.len()).find(|&other| leaves.declared && other != alone && own[other] == leaves);
        if let Some(twin) = twin {
            own[twin].declared = false;
        }
    }

    fn may_stand_on_mark(
        &self,
        rule: &str,
        before: &Position,
        seat: usize,
        own: &[usize],
        square: Square,
    ) -> bool {
        let stands = |other: usize| !self.standing(before, other, square).is_empty();
        match rule {
            "closed" => own.len() == 1 && !self.seats.iter().any(|&other| stands(other)),
            "block" => !self
                .seats
                .iter()
                .any(|&other| self.are_enemies(seat, other) && stands(other)),
            _ => true,
        }
    }

    /// The effect on other pieces when a piece, or a unit of `size` pieces, of `seat` arrives at a
    /// plain square.
    fn meet(
        &self,
        mut after: Position,
        seat: usize,
        size: usize,
        square: Square,
    ) -> Option<Position> {
        for &other in self.seats.iter().filter(|&&other| other != seat) {
            let (units, mut singles) = self.units_and_singles(&after, other, square);
            if units.is_empty() && singles.is_empty() {
                continue;
            }
            if !self.are_enemies(seat, other) {
                if self.shares_with_partner {
                    continue;
                }
                return None;
            }
            if self.group == "one" {
                singles.truncate(1);
            }
            let (to_units, to_singles) = match self.unit_on_unit {
                _ if size == 1 => (self.single_on_unit, "takes"),
                "takes-equal" if self.unit == "together" && units.len() > size => {
                    ("shares", self.unit_on_single)
                }
                "takes-equal" => ("takes", self.unit_on_single),
                to_units => (to_units, self.unit_on_single),
            };
            for (pieces, meeting) in [(units, to_units), (singles, to_singles)] {
                match meeting {
                    "barred" if !pieces.is_empty() => return None,
                    "takes" => pieces
                        .into_iter()
                        .for_each(|piece| self.capture(&mut after, seat, other, piece)),
                    _ => {}
                }
            }
        }
        Some(after)
    }

    fn capture(&self, position: &mut Position, seat: usize, other: usize, piece: usize) {
        let place = self.sent_to.map_or(Place::Off, Place::On);
        position.pieces[other][piece] = Piece::at(place);
        position.is_marked[seat] |= self.gate > 0;
        position.earns_throw |= self.again_on_capture;
    }

    pub fn are_enemies(&self, seat: usize, other: usize) -> bool {
        seat != other && !(self.teams && seat % 2 == other % 2)
    }
}

/// The distance of a single piece by `throws`.
pub(super) fn distance(throws: &[u8]) -> i32 {
    throws.iter().map(|&throw| i32::from(throw)).sum()
}
