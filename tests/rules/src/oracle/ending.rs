//! The end of a turn: seats that have finished, the end of the game, the next seat to throw, and
//! the text of the position.

use super::{
    dice,
    notation::{Text, print},
    one_throw,
    position::{Place, Position},
    rules::{Counts, Rules},
    series,
};

impl Rules {
    /// Whether all pieces of `seat` have ended their course.
    pub fn is_finished(&self, position: &Position, seat: usize) -> bool {
        if self.fills {
            let first_filled = self.last - i32::try_from(self.count).unwrap_or(0);
            let is_filled = |number| {
                position.pieces[seat]
                    .iter()
                    .any(|piece| piece.place == Place::On(number))
            };
            return (first_filled..self.last).all(is_filled);
        }
        let end = if self.bear_off.is_empty() {
            Place::Home
        } else {
            Place::Borne
        };
        position.pieces[seat].iter().all(|piece| piece.place == end)
    }

    /// Number of seats that have finished.
    pub fn finished(&self, position: &Position) -> usize {
        self.seats
            .iter()
            .filter(|&&seat| self.is_finished(position, seat))
            .count()
    }

    /// Whether the game has been decided.
    pub fn is_won(&self, position: &Position) -> bool {
        if self.teams {
            (0..2).any(|seat| {
                self.is_finished(position, seat) && self.is_finished(position, seat + 2)
            })
        } else if self.placings {
            self.finished(position) + 1 >= self.seats.len()
        } else {
            self.finished(position) > 0
        }
    }

    /// Whether `seat` throws when it is its turn.
    pub fn has_turn(&self, position: &Position, seat: usize) -> bool {
        !self.is_finished(position, seat) || (self.teams && self.donates)
    }

    /// The owner of the pieces that `mover` moves.
    pub fn colour_moved(&self, position: &Position, mover: usize) -> usize {
        if self.is_finished(position, mover) {
            (mover + 2) % 4
        } else {
            mover
        }
    }

    /// The number of throws made when the seat throws once more after `throws`, which were made
    /// after `made` others and led to `after`; `is_used` says whether they could be used. None: it
    /// throws no more.
    pub fn more_after(
        &self,
        throws: &[u8],
        made: usize,
        is_used: bool,
        after: &Position,
    ) -> Option<usize> {
        let by_throw = match self.kind {
            "throw" => self.again.contains(&throws[0]) && (is_used || self.again_unused),
            "series" => false,
            _ => self.again_on_doublet && throws[0] == throws[1],
        };
        let is_last = self.most_throws.is_some_and(|most| made + 1 >= most);
        if !by_throw && !after.earns_throw {
            return None;
        }
        match (self.last_is_lost, by_throw) {
            (true, true) => Some(made + 1).filter(|_| !is_last),
            // For another reason: the count begins anew.
            (true, false) => Some(0),
            (false, _) => Some(made + 1).filter(|_| !is_last),
        }
    }

    /// The text of `after`, in which a turn that began at `before` has ended; the seat throws once
    /// more after `more`.
    pub fn text_after(
        &self,
        text: &Text,
        before: &Position,
        after: &Position,
        more: Option<Counts>,
    ) -> String {
        let mut after = after.clone();
        after
            .pieces
            .iter_mut()
            .flatten()
            .for_each(|piece| piece.moved = false);
        for &seat in &self.seats {
            if self.is_finished(&after, seat) && !self.is_finished(before, seat) {
                let place = self.finished(before) + 1;
                after.places[seat] = (place > 1 && self.placings).then_some(place);
            }
        }
        let mover = text.seats[text.mover].seat;
        let throws_on = more.is_some() && self.has_turn(&after, mover);
        let next = match () {
            () if self.is_won(&after) || self.is_dead(&after) => None,
            () if throws_on => Some(mover),
            () => self.next_seat(&after, mover),
        };
        let Counts { made, tries } = more
            .filter(|_| throws_on && next.is_some())
            .unwrap_or_default();
        let mut counts = String::new();
        if made > 0 && self.most_throws.is_some() {
            counts += &made.to_string();
        }
        if tries > 0 {
            counts += &format!("?{tries}");
        }
        print(&text.game, &self.write(&after), next) + &counts
    }

    fn next_seat(&self, position: &Position, mover: usize) -> Option<usize> {
        let step = if self.clockwise { 3 } else { 1 };
        let others = (1..=4).map(|steps| (mover + steps * step) % 4);
        others
            .into_iter()
            .find(|&seat| self.seats.contains(&seat) && self.has_turn(position, seat))
    }

    /// Whether no seat that has not finished can move with any throw, where the gate waits for a
    /// capture.
    fn is_dead(&self, position: &Position) -> bool {
        let can_move = |&seat: &usize| match self.kind {
            "throw" => self
                .values
                .iter()
                .any(|&value| one_throw::can_move(self, position, seat, value)),
            "series" => series::can_move(self, position, seat),
            "dice" => dice::can_move(self, position, seat),
            _ => dice::can_divide(self, position, seat),
        };
        let mut unfinished = self
            .seats
            .iter()
            .filter(|&&seat| !self.is_finished(position, seat));
        self.gate > 0 && self.without == "wait" && !unfinished.any(can_move)
    }
}
