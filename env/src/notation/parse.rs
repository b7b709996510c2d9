//! Reading a position: every part is checked, and what breaks an invariant of the game is refused by name.

use crate::game::{Game, Outlook, Seat, SeatSet};
use crate::race::board::NOWHERE;
use crate::race::state::{MAX_PIECES, NO_PIECE, Phase, State, role};
use crate::race::{Race, Turns};
use crate::ruleset::{Ruleset, RulesetError};

/// Why a text is no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// The line does not consist of four parts.
    #[error("a position has four parts `game seats mover pending` with one space between, this has {0}")]
    Parts(usize),
    /// The game or its flags.
    #[error("ruleset: {0}")]
    Ruleset(#[from] RulesetError),
    /// The position is of another ruleset than expected.
    #[error("the position is of `{found}`, not of `{expected}`")]
    OtherGame {
        /// The ruleset of the text.
        found: String,
        /// The ruleset at hand.
        expected: String,
    },
    /// A seat with its pieces.
    #[error("seat `{seat}`: {problem}")]
    Seat {
        /// The text of the seat.
        seat: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The seats taken together.
    #[error("{0}")]
    Pieces(String),
    /// The seat to act.
    #[error("mover `{mover}`: {problem}")]
    Mover {
        /// The text of the mover.
        mover: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The pending throws or what is allotted.
    #[error("pending `{pending}`: {problem}")]
    Pending {
        /// The text of the pending throws.
        pending: String,
        /// What is wrong with it.
        problem: String,
    },
}

pub(super) fn parse(text: &str) -> Result<(Race, State), NotationError> {
    let parts = Parts::of(text)?;
    let race = Race::new(Ruleset::parse(parts.game, parts.taking_part)?);
    let state = parts.state(&race)?;
    Ok((race, state))
}

/// A position of the game of `race`, without a look at its ruleset where the text has it word for word.
pub(super) fn parse_state(race: &Race, text: &str) -> Result<State, NotationError> {
    let parts = Parts::of(text)?;
    let ruleset = race.ruleset();
    if parts.game != race.spec().name || parts.taking_part != ruleset.seats() {
        let found = Ruleset::parse(parts.game, parts.taking_part)?;
        if found != *ruleset {
            // What is wrong with the text is told first.
            parts.state(&Race::new(found))?;
            return Err(NotationError::OtherGame { found: found.to_string(), expected: ruleset.to_string() });
        }
    }
    parts.state(race)
}

/// The parts of a text.
struct Parts<'a> {
    game: &'a str,
    taking_part: SeatSet,
    seats: Vec<&'a str>,
    mover: &'a str,
    pending: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Parts<'a>, NotationError> {
        let parts: Vec<&str> = text.split(' ').collect();
        let &[game, seats, mover, pending] = parts.as_slice() else {
            return Err(NotationError::Parts(parts.len()));
        };
        let seat_texts: Vec<&str> = seats.split('/').collect();
        let mut taking_part = SeatSet::EMPTY;
        for text in &seat_texts {
            let seat = text.chars().next().and_then(Seat::from_letter);
            let Some(seat) = seat else { return Err(bad_seat(text, "it begins with S, E, N or W")) };
            if taking_part.iter().any(|other| other >= seat) {
                return Err(bad_seat(text, "seats come once each in the order S, E, N, W"));
            }
            taking_part = taking_part.with(seat);
        }
        Ok(Parts { game, taking_part, seats: seat_texts, mover, pending })
    }

    fn state(&self, race: &Race) -> Result<State, NotationError> {
        let &Parts { taking_part, mover, pending, .. } = self;
        let mut state = State::empty(Seat::SOUTH);
        for (seat, text) in taking_part.iter().zip(&self.seats) {
            race.parse_seat(&mut state, seat, text)?;
        }
        race.check_pieces(&state)?;
        let is_over = race.is_decided(&state);
        if mover == "-" {
            if !is_over && !race.is_stuck(&state) {
                return Err(NotationError::Mover { mover: mover.to_owned(), problem: "the game is not over" });
            }
            if pending != "-" {
                return Err(bad_pending(pending, "a finished game has `-`"));
            }
            state.end();
            return Ok(state);
        }
        let seat = mover.chars().next().filter(|_| mover.len() == 1).and_then(Seat::from_letter);
        let problem = match seat {
            Some(seat) if !taking_part.contains(seat) => "this seat does not take part",
            Some(_) if is_over => "the game is over",
            Some(seat) if !race.may_move(&state, seat) => "this seat has finished",
            Some(seat) => {
                state.mover = seat;
                race.parse_pending(&mut state, pending)?;
                return Ok(state);
            }
            None => "it is S, E, N, W or -",
        };
        Err(NotationError::Mover { mover: mover.to_owned(), problem })
    }
}

fn bad_seat(seat: &str, problem: impl Into<String>) -> NotationError {
    NotationError::Seat { seat: seat.to_owned(), problem: problem.into() }
}

fn bad_pending(pending: &str, problem: impl Into<String>) -> NotationError {
    NotationError::Pending { pending: pending.to_owned(), problem: problem.into() }
}

/// A number written without sign or leading zeros.
fn number(text: &str) -> Option<u8> {
    let value: u8 = text.parse().ok()?;
    (value.to_string() == text).then_some(value)
}

impl Race {
    fn last_place(&self) -> u8 {
        self.spec().goal
    }

    fn place(&self, text: &str) -> Option<u8> {
        (0..=self.last_place()).find(|&place| self.place_text(place) == text)
    }

    /// The name of a place, and 1 if it is that of a declared twin.
    fn declaration<'a>(&self, text: &'a str) -> (&'a str, u8) {
        let declares = matches!(self.turns(), Turns::Series(turns) if turns.declares());
        text.strip_suffix('t').filter(|_| declares).map_or((text, 0), |name| (name, 1))
    }

    fn parse_seat(&self, state: &mut State, seat: Seat, text: &str) -> Result<(), NotationError> {
        let Some((head, pieces)) = text.split_once(':') else { return Err(bad_seat(text, "it has no `:`")) };
        let mut head = &head[1..];
        let is_pagade = matches!(self.turns(), Turns::Dice(_));
        if let Some(rest) = head.strip_prefix('+').filter(|_| is_pagade) {
            state.cuts |= 1 << seat.index();
            head = rest;
        }
        let mut finished = 1;
        if let Some(place) = head.strip_prefix('#').filter(|_| self.spec().outlook == Outlook::Placings) {
            let place = number(place).filter(|place| (2..=3).contains(place));
            finished = place.ok_or_else(|| bad_seat(text, "a place is #2 or #3"))?;
            head = "";
        }
        if !head.is_empty() {
            return Err(bad_seat(text, format!("`{head}` before the colon means nothing in this game")));
        }
        let texts: Vec<&str> = pieces.split(',').collect();
        let count = self.spec().pieces;
        if texts.len() != count {
            return Err(bad_seat(text, format!("it has {} pieces, not {count}", texts.len())));
        }
        let mut previous = (0, 0);
        for (slot, piece) in texts.iter().enumerate() {
            let (name, is_declared) = self.declaration(piece);
            let Some(place) = self.place(name) else {
                return Err(bad_seat(text, format!("there is no place `{piece}`")));
            };
            if (place, is_declared) < previous {
                return Err(bad_seat(text, "places come in ascending order"));
            }
            previous = (place, is_declared);
            state.pieces[seat.index()][slot] = place;
            state.declared[seat.index()] |= is_declared << slot;
        }
        let is_home = state.pieces[seat.index()][0] == self.last_place();
        if finished > 1 && !is_home {
            return Err(bad_seat(text, "a seat with a place has all its pieces home"));
        }
        state.finished[seat.index()] = if is_home { finished } else { 0 };
        self.check_seat(state, seat).map_err(|problem| bad_seat(text, problem))
    }

    /// The invariants of one seat's pieces (the rules, sections 2.4, 3.3 and 4.3).
    pub(crate) fn check_seat(&self, state: &State, seat: Seat) -> Result<(), String> {
        let pieces = &state.pieces[seat.index()][..self.spec().pieces];
        let count = |place: u8| pieces.iter().filter(|&&other| other == place).count();
        match self.turns() {
            Turns::Series(turns) => {
                if count(turns.keep + 1) > 0 && pieces[0] < turns.keep {
                    return Err("pieces are borne off only when all others are in the keep".to_owned());
                }
                for (slot, &place) in pieces.iter().enumerate() {
                    let is_declared = |slot: usize| state.declared[seat.index()] >> slot & 1 == 1;
                    let twins = (0..pieces.len()).filter(|&other| pieces[other] == place && is_declared(other)).count();
                    if is_declared(slot) && (twins % 2 != 0 || place == 0 || place >= turns.keep) {
                        return Err("declared twins stand on the course two by two".to_owned());
                    }
                }
            }
            Turns::Single(turns) => {
                for place in (1..turns.home).filter(|&place| count(place) > 1) {
                    let is_protected = turns.protected >> place & 1 == 1;
                    if is_protected || count(place) > 2 {
                        let most = if is_protected { 1 } else { 2 };
                        return Err(format!("{} pieces stand on {place}, where {most} may", count(place)));
                    }
                }
            }
            Turns::Dice(_) => {
                for place in 8..76 {
                    let here = count(place) + if place == 8 { count(76) } else { 0 };
                    if here > 2 {
                        return Err(format!("{here} pawns stand on square {place}, where 2 may"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The invariants between the seats.
    fn check_pieces(&self, state: &State) -> Result<(), NotationError> {
        let seats = self.spec().seats;
        if let Turns::Dice(turns) = self.turns() {
            for seat in seats.iter().filter(|seat| state.finished[seat.index()] == 0 || !state.has_cut(*seat)) {
                let inside = state.pieces[seat.index()].iter().find(|&&place| place > 76 && place != NO_PIECE);
                if inside.is_some() && !turns.may_enter(state, seat) {
                    let problem = format!("a pawn of {seat} is in its belly home-ward, but {seat} has not cut");
                    return Err(NotationError::Pieces(problem));
                }
            }
        }
        for seat in seats.iter() {
            for other in seats.iter().filter(|&other| other > seat) {
                let pieces = &state.pieces[seat.index()][..self.spec().pieces];
                let shared = pieces.iter().find(|&&place| {
                    let there = self.contested_place(place, seat, other);
                    there.is_some_and(|there| there.iter().any(|there| state.pieces[other.index()].contains(there)))
                });
                if let Some(&place) = shared {
                    let place = self.place_text(place);
                    let problem = format!("{other} stands on the square of {seat}'s {place}");
                    return Err(NotationError::Pieces(problem));
                }
            }
        }
        self.check_finished(state)
    }

    /// Who has finished, and in which place.
    fn check_finished(&self, state: &State) -> Result<(), NotationError> {
        let spec = self.spec();
        let has_finished = |seat: &Seat| state.finished[seat.index()] > 0;
        let mut places: Vec<u8> =
            spec.seats.iter().filter(has_finished).map(|seat| state.finished[seat.index()]).collect();
        places.sort_unstable();
        let problem = match spec.outlook {
            Outlook::Winner if places.len() > 1 => "two seats have won".to_owned(),
            Outlook::Teams if places.len() == spec.seats.len() => "two teams have won".to_owned(),
            // The last one is left over when all others have finished.
            Outlook::Placings if places.len() == spec.seats.len() => "all seats have finished".to_owned(),
            Outlook::Placings if !places.iter().copied().eq(1..=places.len() as u8) => {
                format!("the places of the seats that have finished are {places:?}, which cannot come about")
            }
            Outlook::Winner | Outlook::Teams | Outlook::Placings => return Ok(()),
        };
        Err(NotationError::Pieces(problem))
    }

    /// The places of `other` that are the square of `seat`'s `place`, where a square is not shared by two seats.
    fn contested_place(&self, place: u8, seat: Seat, other: Seat) -> Option<[u8; 2]> {
        match self.turns() {
            Turns::Series(_) => None,
            Turns::Single(turns) => {
                let is_on_course = place > 0 && place < turns.home;
                let there = is_on_course.then(|| turns.same_place(seat, place, other))?;
                (there != NOWHERE && there > 0).then_some([there, there])
            }
            Turns::Dice(turns) => {
                let there = (8..=76).contains(&place).then(|| {
                    let place = if place == 76 { 8 } else { place };
                    turns.board.same_square(seat, place, other)
                })?;
                Some([there, if there == 8 { 76 } else { there }])
            }
        }
    }

    /// Whether the places alone say that the game is over.
    fn is_decided(&self, state: &State) -> bool {
        match self.turns() {
            Turns::Dice(turns) => turns.is_over(state),
            Turns::Series(_) | Turns::Single(_) => state.finished.iter().any(|&place| place > 0),
        }
    }

    fn is_stuck(&self, state: &State) -> bool {
        matches!(self.turns(), Turns::Dice(turns) if turns.is_dead(state))
    }

    fn may_move(&self, state: &State, seat: Seat) -> bool {
        match self.turns() {
            Turns::Dice(turns) => turns.has_turns(state, seat),
            Turns::Series(_) | Turns::Single(_) => true,
        }
    }

    fn parse_pending(&self, state: &mut State, pending: &str) -> Result<(), NotationError> {
        let (throws, allotted) = match pending.split_once(';') {
            Some((throws, allotted)) => (throws, Some(allotted)),
            None => (pending, None),
        };
        let is_throwing = throws.ends_with('*');
        let thrown = match throws.strip_suffix('*') {
            Some("") => "",
            Some(thrown) => thrown.strip_suffix(',').ok_or_else(|| bad_pending(pending, "`*` follows a comma"))?,
            None => throws,
        };
        let is_turn_start = is_throwing && throws == "*";
        let values: Option<Vec<u8>> =
            if is_turn_start { Some(Vec::new()) } else { thrown.split(',').map(number).collect() };
        let Some(values) = values else { return Err(bad_pending(pending, "throws are numbers between commas")) };
        if is_throwing && allotted.is_some() {
            return Err(bad_pending(pending, "nothing is allotted while the dice are thrown"));
        }
        self.load_throws(state, &values, is_throwing, allotted.is_some())
            .map_err(|problem| bad_pending(pending, problem))?;
        state.phase = match (is_throwing, allotted) {
            (true, _) => Phase::Throw,
            (false, None) => Phase::Choose,
            (false, Some(_)) => Phase::Allot,
        };
        if let Some(allotted) = allotted {
            self.parse_allotted(state, allotted).map_err(|problem| bad_pending(pending, problem))?;
        }
        Ok(())
    }

    fn load_throws(
        &self,
        state: &mut State,
        values: &[u8],
        is_throwing: bool,
        is_allotting: bool,
    ) -> Result<(), String> {
        match self.turns() {
            Turns::Series(turns) => {
                let (last, series) = match values.split_last() {
                    Some((&last @ (2 | 3), series)) if !is_throwing => (last, series),
                    _ if is_throwing => (0, values),
                    _ => return Err("a series ends in 2 or 3".to_owned()),
                };
                state.dice[0] = last;
                turns.load(state, series)
            }
            Turns::Single(_) if is_allotting => Err("a throw is not divided in this game".to_owned()),
            Turns::Single(_) => match values {
                [] if is_throwing => Ok(()),
                &[value @ (1..=4 | 8)] if !is_throwing => {
                    state.dice[0] = value;
                    Ok(())
                }
                _ => Err("a turn has one throw of 1, 2, 3, 4 or 8".to_owned()),
            },
            Turns::Dice(_) => {
                if is_throwing && !values.is_empty() {
                    return Err("`*` stands alone: both dice are thrown at once, and 0 dice come before it".to_owned());
                }
                let are_faces = values.iter().all(|value| [1, 3, 4, 6].contains(value));
                let expected = if is_throwing { 0 } else { 2 - usize::from(is_allotting) };
                if values.len() != expected || !are_faces {
                    return Err(format!("{expected} dice of 1, 3, 4 or 6 are expected here"));
                }
                state.dice[..expected].copy_from_slice(values);
                Ok(())
            }
        }
    }

    /// Reads what the pieces of the mover do in the turn under way.
    fn parse_allotted(&self, state: &mut State, text: &str) -> Result<(), String> {
        let colour = self.colour(state).index();
        let (own, declared) = (state.pieces[colour], state.declared[colour]);
        let mut next_slot = 0;
        for item in text.split(',').filter(|_| !text.is_empty()) {
            let unknown = || format!("`{item}` is no allotment");
            if let (Some(value), Turns::Series(turns)) = (item.strip_prefix('!'), self.turns()) {
                let bit = number(value).and_then(|value| turns.skipped_bit(value));
                state.skipped |= bit.filter(|_| turns.remembers_skipped()).ok_or_else(unknown)?;
                continue;
            }
            let sign = item.find(['+', '&', '~', '^']).or_else(|| item.strip_suffix('-').map(str::len));
            let sign = sign.ok_or_else(unknown)?;
            let (name, is_declared) = self.declaration(&item[..sign]);
            let place = self.place(name).ok_or_else(unknown)?;
            let steps = &item[sign + 1..];
            let is_it = |slot: &usize| own[*slot] == place && declared >> slot & 1 == is_declared;
            let slot = (next_slot..MAX_PIECES).find(is_it);
            let slot = slot.ok_or_else(|| format!("`{item}` has no piece"))?;
            next_slot = slot + 1;
            let is_pagade = matches!(self.turns(), Turns::Dice(_));
            let entered = if place == 0 && !is_pagade { role::ENTERED } else { role::FRESH };
            let (role, needs_steps) = match &item[sign..=sign] {
                "+" if steps == "0" => (role::FRESH, true),
                "+" => (role::SINGLE, true),
                "&" if !is_pagade => (role::LEAD, true),
                "~" if !is_pagade => (role::FOLLOWER, false),
                "^" if is_pagade => (role::SINGLE | role::LARGER_FIRST, true),
                "-" if !is_pagade => (role::BORNE, false),
                _ => return Err(unknown()),
            };
            state.steps[slot] = match (needs_steps, number(steps)) {
                (true, Some(steps)) => steps,
                (false, None) if steps.is_empty() => 0,
                _ => return Err(unknown()),
            };
            state.roles[slot] = role | entered;
            if state.roles[slot] == role::FRESH {
                return Err(unknown());
            }
        }
        match self.turns() {
            Turns::Series(turns) => turns.check_allotment(state),
            Turns::Dice(turns) => turns.check_allotment(state),
            Turns::Single(_) => Ok(()),
        }
    }
}
