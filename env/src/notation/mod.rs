//! Positions as one line of text (the rules, section 10.1): printing here, reading in [`parse`], inverse to each other.
//!
//! Within a turn the pending throws are those still to be used, then `;` and, in slot order, what each piece of the
//! mover does: `5+4` moves on by 4 alone, `off+0` has entered, `off+4` has entered and moves on, `6&4` leads twins,
//! `6~` follows as the other twin, `keep-` is borne off, `12^6` (Pagade) moves first with the larger die. Under
//! `must_use=greedy`, `!4` says that a 4 was left unused. Declared twins (`twins=bell`) carry a `t`: `13t,13t`, and
//! within a turn `13t&4,13t~`. A seat that finished second or third (Pagade, playing on) carries its place:
//! `N+#2:home,home,home,home`.

mod board;
mod parse;
mod steps;
mod words;

use std::fmt::Write;

use crate::game::{Action, BySeat, Game, Seat};
use crate::games::pagade;
use crate::race::actions::{LARGER_FIRST, PAIRS, PASS, SINGLES};
use crate::race::state::{Phase, State, role};
use crate::race::{Race, Turns};

pub use board::{Ground, Standing};
pub use parse::NotationError;
pub use steps::Step;

impl Race {
    /// Reads a position and the game it belongs to; the seats are those that the text lists.
    ///
    /// # Errors
    /// [`NotationError`] names the part of the text that is wrong: nothing is repaired.
    pub fn parse(text: &str) -> Result<(Race, State), NotationError> {
        parse::parse(text)
    }

    /// Reads a position of this game.
    ///
    /// # Errors
    /// As [`Race::parse`], and [`NotationError::OtherGame`] when the text is of another ruleset.
    pub fn parse_state(&self, text: &str) -> Result<State, NotationError> {
        parse::parse_state(self, text)
    }

    /// The position as one line of text.
    pub fn print(&self, state: &State) -> String {
        let mut text = self.ruleset().game_text();
        let mut separator = ' ';
        for seat in self.ruleset().seats().iter() {
            text.push(separator);
            separator = '/';
            self.print_seat(&mut text, state, seat);
        }
        match state.phase {
            Phase::Over => text.push_str(" - -"),
            _ => {
                let _ = write!(text, " {} ", state.mover);
                self.print_pending(&mut text, state);
            }
        }
        text
    }

    fn print_seat(&self, text: &mut String, state: &State, seat: Seat) {
        text.push(seat.letter());
        if state.has_cut(seat) {
            text.push('+');
        }
        if state.finished[seat.index()] > 1 {
            let _ = write!(text, "#{}", state.finished[seat.index()]);
        }
        let pieces = state.pieces[seat.index()];
        for (slot, &place) in pieces[..self.ruleset().pieces()].iter().enumerate() {
            text.push(if slot == 0 { ':' } else { ',' });
            text.push_str(&self.place_text(place));
            if state.declared[seat.index()] >> slot & 1 == 1 {
                text.push('t');
            }
        }
    }

    fn print_pending(&self, text: &mut String, state: &State) {
        let mut throws: Vec<String> = match self.turns() {
            Turns::Series(turns) => state.series.iter().map(|kind| turns.face(kind).to_string()).collect(),
            Turns::Single(_) | Turns::Dice(_) => Vec::new(),
        };
        throws.extend(state.dice.iter().filter(|&&value| value > 0).map(ToString::to_string));
        if state.phase == Phase::Throw {
            throws.push("*".to_owned());
        }
        text.push_str(&throws.join(","));
        if state.phase != Phase::Allot {
            return;
        }
        text.push(';');
        let colour = self.colour(state);
        let mut items: Vec<String> = Vec::new();
        for slot in 0..self.ruleset().pieces() {
            let mut place = self.place_text(state.pieces[colour.index()][slot]);
            if state.declared[colour.index()] >> slot & 1 == 1 {
                place.push('t');
            }
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
        if let Turns::Series(turns) = self.turns() {
            items.extend(turns.skipped_values(state.skipped).map(|value| format!("!{value}")));
        }
        text.push_str(&items.join(","));
    }

    /// The name of a place: an index, or the game's word for a piece that is on no square.
    pub fn place_text(&self, place: u8) -> String {
        match self.turns() {
            Turns::Series(_) if place == 0 => "off".to_owned(),
            Turns::Series(turns) if place == turns.keep => "keep".to_owned(),
            Turns::Series(turns) if place > turns.keep => "borne".to_owned(),
            Turns::Series(_) => (place - 1).to_string(),
            Turns::Single(_) if place == 0 => "hand".to_owned(),
            Turns::Single(turns) if place == turns.home => "home".to_owned(),
            Turns::Dice(_) if place == 0 => "cut".to_owned(),
            Turns::Dice(_) if place == pagade::HOME => "home".to_owned(),
            Turns::Single(_) | Turns::Dice(_) => place.to_string(),
        }
    }

    /// The seat whose pieces the mover moves: its own, or its partner's where a finished partner gives its throws.
    pub fn colour(&self, state: &State) -> Seat {
        match self.turns() {
            Turns::Dice(turns) => turns.colour(state, state.mover),
            Turns::Series(_) | Turns::Single(_) => state.mover,
        }
    }

    /// What a legal action does, in words: `1: enter`, `4: 12`, `3: twins on 6`, `pass`. A piece that has been given
    /// throws in this turn is named with them: `2: 12+4`.
    pub fn action_text(&self, state: &State, action: Action) -> String {
        let own = state.pieces[self.colour(state).index()];
        let slot = usize::from(match action {
            PASS => 0,
            action if action >= LARGER_FIRST => action.0 - LARGER_FIRST.0,
            action => (action.0 - SINGLES.0) % PAIRS.0,
        });
        let place = match state.roles[slot] {
            role::FRESH => self.place_text(own[slot]),
            role if role & role::LEAD != 0 => format!("{}&{}", self.place_text(own[slot]), state.steps[slot]),
            _ => format!("{}+{}", self.place_text(own[slot]), state.steps[slot]),
        };
        let is_pair = (PAIRS..PASS).contains(&action);
        match self.turns() {
            Turns::Series(turns) => {
                let Some(value) = turns.next_value(state) else { return "pass".to_owned() };
                let is_waiting = state.roles[slot] == role::FRESH;
                match action {
                    PASS => format!("{value}: unused"),
                    _ if is_pair => format!("{value}: twins on {place}"),
                    _ if is_waiting && own[slot] == 0 => format!("{value}: enter"),
                    _ if is_waiting && own[slot] == turns.keep => format!("{value}: bear off"),
                    _ => format!("{value}: {place}"),
                }
            }
            Turns::Single(_) => match action {
                PASS => "pass".to_owned(),
                _ if is_pair => format!("{}: double on {place}", state.dice[0]),
                _ => format!("{}: {place}", state.dice[0]),
            },
            Turns::Dice(_) => {
                let [a, b] = state.dice;
                let die = if b == 0 { a } else { a.min(b) };
                match action {
                    PASS => "pass".to_owned(),
                    _ if is_pair => format!("{die},{die}: pair on {place}"),
                    action if action >= LARGER_FIRST => format!("{}: {place}", a.max(b)),
                    _ => format!("{die}: {place}"),
                }
            }
        }
    }

    /// The places of every seat's pieces as text, for people.
    pub fn pieces_text(&self, state: &State) -> BySeat<Vec<String>> {
        let pieces = |seat: Seat| {
            let places = &state.pieces[seat.index()];
            places[..self.ruleset().pieces()].iter().map(|&place| self.place_text(place)).collect()
        };
        let is_playing = |seat: &Seat| self.spec().seats.contains(*seat);
        BySeat(Seat::ALL.map(|seat| if is_playing(&seat) { pieces(seat) } else { Vec::new() }))
    }
}
