//! The text notation of positions, one line each. This module prints it; `parse` reads it.
//!
//! `docs/notation.md` describes the notation with all its marks.

mod board;
mod choices;
mod parse;
mod rows;
mod steps;
#[cfg(test)]
pub(crate) mod test_support;
mod understood;
mod validate;
mod why;
mod words;

use crate::{
    game::{Action, Seat},
    race::{
        Race,
        position::state::{Phase, State, role},
        turns::text::joined,
    },
};

pub use crate::race::turns::text::Move;
pub use board::{Ground, Standing};
pub use choices::{TurnGraph, TurnNode};
pub use parse::NotationError;
pub use rows::RowError;
pub use understood::RuleTopic;

impl Race {
    /// The position as one line of text.
    pub fn print(&self, state: &State) -> String {
        let seats = joined(
            self.ruleset()
                .seats()
                .iter()
                .map(|seat| self.seat_text(state, seat)),
            "/",
        );
        let turn = match state.phase {
            Phase::Over => "- -".to_owned(),
            _ => format!("{} {}", state.mover, self.pending_text(state)),
        };
        format!("{} {seats} {turn}", self.ruleset().game_text())
    }

    fn seat_text(&self, state: &State, seat: Seat) -> String {
        let cut = if state.has_mark(seat) { "+" } else { "" };
        let finished = match state.finished[seat] {
            0 | 1 => String::new(),
            place => format!("#{place}"),
        };
        let pieces = joined(
            (0..self.pieces()).map(|slot| self.piece_text(state, seat, slot)),
            ",",
        );
        format!("{seat}{cut}{finished}:{pieces}")
    }

    fn piece_text(&self, state: &State, seat: Seat, slot: usize) -> String {
        let is_declared = state.declared[seat] >> slot & 1 == 1;
        format!(
            "{}{}",
            self.place_text(state.pieces[seat][slot]),
            if is_declared { "t" } else { "" }
        )
    }

    pub(super) fn pending_text(&self, state: &State) -> String {
        let next = (state.phase == Phase::Throw).then(|| "*".to_owned());
        let mut throws = joined(
            self.pending_throws(state)
                .iter()
                .map(ToString::to_string)
                .chain(next),
            ",",
        );
        self.registers.print_counts(state, &mut throws);
        if state.phase != Phase::Allot {
            return throws;
        }
        let colour = self.colour(state);
        let mut items: Vec<String> = Vec::new();
        for slot in 0..self.pieces() {
            let place = self.piece_text(state, colour, slot);
            let steps = state.steps[slot];
            let item = match state.roles[slot] & !role::ENTERED {
                role::LEAD => format!("{place}&{steps}"),
                role::FOLLOWER => format!("{place}~"),
                role::BORNE => format!("{place}-"),
                role::SINGLE => format!("{place}+{steps}"),
                role::FRESH if state.roles[slot] == role::FRESH => continue,
                role::FRESH => format!("{place}+0"),
                _ => format!("{place}^{steps}"),
            };
            items.push(item);
        }
        items.extend(self.registers.marks(state));
        format!("{throws};{}", items.join(","))
    }

    /// The pending parts of the texts of turn starts: `*` and, if the throws of a turn are limited,
    /// `*1` and so on.
    pub fn turn_starts(&self) -> Vec<String> {
        let text = |registers| {
            self.pending_text(&State {
                registers,
                ..State::empty(Seat::SOUTH)
            })
        };
        self.registers.starts().into_iter().map(text).collect()
    }

    /// The name of a place: the number of its square, or the game's word for a place without a
    /// square.
    pub fn place_text(&self, place: u8) -> String {
        self.rules.place_text(place)
    }

    /// The number of the last place: the finish, or the place of pieces that were borne off.
    pub fn last_place(&self) -> u8 {
        self.rules.goal
    }

    /// A legal action in words: `1: enter`, `4: 12`, `3: twins on 6`, `pass`. If the piece has
    /// already moved in this turn, the text has its steps, too: `2: 12+4`.
    pub fn action_text(&self, state: &State, action: Action) -> String {
        self.turns.notation().action_text(state, action)
    }

    /// The unused throws in the order in which they were thrown, with lost throws.
    pub fn pending_throws(&self, state: &State) -> Vec<u8> {
        self.turns.notation().thrown(state)
    }
}
