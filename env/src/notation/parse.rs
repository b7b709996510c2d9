//! Parser of positions. It checks every part; an error names the part, its text and the rule that
//! it breaks.

use std::sync::Arc;

use crate::{
    game::{Game, Payoff, Seat, SeatSet},
    race::{
        Race,
        position::state::{MAX_PIECES, Phase, State, role},
        turns::{
            by_kind,
            text::{joined, number},
        },
    },
    sheet::{
        Sheets,
        ruleset::{Ruleset, RulesetError},
    },
};

/// The reason why a text is not a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// The line does not consist of four parts.
    #[error(
        "a position has four parts, `game seats mover pending`, with one space between them (this has {0})"
    )]
    Parts(usize),
    /// The game, its flags or its seats are invalid.
    #[error("ruleset: {0}")]
    Ruleset(#[from] RulesetError),
    /// The position belongs to another ruleset.
    #[error("the position belongs to `{found}`, not to `{expected}`")]
    OtherGame {
        /// The ruleset of the text.
        found: String,
        /// The expected ruleset.
        expected: String,
    },
    /// One part of the text is invalid.
    #[error("{part} `{text}`: {problem}")]
    Part {
        /// The name of the part: `seat` (one seat with its pieces), `mover` (the seat to act) or
        /// `pending` (the throws and the steps that pieces have been given).
        part: &'static str,
        /// Its text.
        text: String,
        /// The problem.
        problem: String,
    },
    /// The pieces of all seats together are invalid.
    #[error("{0}")]
    Pieces(String),
}

impl Race {
    /// Reads a position of a built-in game, and builds its game for the seats of the text.
    ///
    /// # Errors
    /// If a part of the text is invalid; [`NotationError`] names the part. No error is corrected.
    pub fn parse_position(text: &str) -> Result<(Race, State), NotationError> {
        Race::parse_in(&Sheets::default(), text)
    }

    /// [`Race::parse_position`] for the games of these sheets.
    ///
    /// # Errors
    /// See [`Race::parse_position`].
    pub fn parse_in(sheets: &Sheets, text: &str) -> Result<(Race, State), NotationError> {
        let parts = Parts::of(text)?;
        let race = Race::new(sheets.ruleset(parts.game, parts.taking_part)?);
        let state = parts.state(&race)?;
        Ok((race, state))
    }

    /// Reads a position of this game. The ruleset is parsed only if its text differs from the name
    /// of this game.
    ///
    /// # Errors
    /// Those of [`Race::parse_position`], and [`NotationError::OtherGame`] if the position belongs
    /// to another ruleset.
    pub fn parse_state(&self, text: &str) -> Result<State, NotationError> {
        let parts = Parts::of(text)?;
        let ruleset = self.ruleset();
        if parts.game != self.spec().name || parts.taking_part != ruleset.seats() {
            let (name, flags) = Ruleset::split(parts.game);
            let found = if name == ruleset.base().name {
                Ruleset::of(Arc::clone(ruleset.base()), parts.taking_part, flags)?
            } else {
                Ruleset::parse(parts.game, parts.taking_part)?
            };
            if found != *ruleset {
                // If the position is also invalid, its own problem is returned instead.
                let (found, expected) = (
                    found.to_string(),
                    (ruleset.to_string(), parts.state(&Race::new(found))?).0,
                );
                return Err(NotationError::OtherGame { found, expected });
            }
        }
        parts.state(self)
    }
}

/// The parts of the text of a position.
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
            let Some(seat) = seat else {
                return Err(bad("seat", text, "it must begin with S, E, N or W"));
            };
            if taking_part.iter().any(|other| other >= seat) {
                return Err(bad(
                    "seat",
                    text,
                    "each seat can be listed once, in the order S, E, N, W",
                ));
            }
            taking_part = taking_part.with(seat);
        }
        Ok(Parts {
            game,
            taking_part,
            seats: seat_texts,
            mover,
            pending,
        })
    }

    fn state(&self, race: &Race) -> Result<State, NotationError> {
        let &Parts {
            taking_part,
            mover,
            pending,
            ..
        } = self;
        let mut state = State::empty(Seat::SOUTH);
        for (seat, text) in taking_part.iter().zip(&self.seats) {
            race.parse_seat(&mut state, seat, text)
                .map_err(|problem| bad("seat", text, problem))?;
        }
        race.check_pieces(&state).map_err(NotationError::Pieces)?;
        let is_over = by_kind!(&race.turns, turns => turns.is_over(&state));
        if mover == "-" {
            if !is_over && !race.is_dead(&state) {
                return Err(bad("mover", mover, "the game is not over"));
            }
            if pending != "-" {
                return Err(bad("pending", pending, "must be `-` in a finished game"));
            }
            state.end();
            return Ok(state);
        }
        let seat = mover
            .chars()
            .next()
            .filter(|_| mover.len() == 1)
            .and_then(Seat::from_letter);
        let problem = match seat {
            Some(seat) if !taking_part.contains(seat) => "this seat does not take part",
            Some(_) if is_over => "the game is over: write `-`",
            Some(seat) if !by_kind!(&race.turns, turns => turns.has_turns(&state, seat)) => {
                "this seat has finished"
            }
            Some(seat) => {
                state.mover = seat;
                race.parse_pending(&mut state, pending)
                    .map_err(|problem| bad("pending", pending, problem))?;
                return Ok(state);
            }
            None => "must be S, E, N, W or -",
        };
        Err(bad("mover", mover, problem))
    }
}

fn bad(part: &'static str, text: &str, problem: impl Into<String>) -> NotationError {
    NotationError::Part {
        part,
        text: text.to_owned(),
        problem: problem.into(),
    }
}

impl Race {
    /// The place with this name, if a piece can be there.
    fn place(&self, text: &str) -> Option<u8> {
        let can_stand = |place: &u8| self.rules.room[*place] > 0;
        (0..=self.rules.goal)
            .filter(can_stand)
            .find(|&place| self.place_text(place) == text)
    }

    /// The problem of a piece that is on an unknown place.
    fn no_place(&self, text: &str) -> String {
        let can_stand = |place: u8| self.rules.room[place] > 0;
        let end = |place: u8| can_stand(place).then(|| self.place_text(place));
        let ends = (self.rules.home..=self.rules.goal).filter_map(end);
        let places = end(0).into_iter().chain(self.ranges(can_stand)).chain(ends);
        format!(
            "there is no place `{text}`; places are {}",
            joined(places, ", ")
        )
    }

    /// Splits the text of a piece: the name of its place, and 1 if it is in a declared unit.
    fn declaration<'a>(&self, text: &'a str) -> (&'a str, u8) {
        text.strip_suffix('t')
            .filter(|_| self.rules.declares())
            .map_or((text, 0), |name| (name, 1))
    }

    fn parse_seat(&self, state: &mut State, seat: Seat, text: &str) -> Result<(), String> {
        let (head, pieces) = text
            .split_once(':')
            .ok_or("`:` is missing after the seat")?;
        let mut head = &head[1..];
        if let Some(rest) = head
            .strip_prefix('+')
            .filter(|_| self.rules.has_seat_marks())
        {
            state.seat_marks |= 1 << seat.index();
            head = rest;
        }
        let mut finished = 1;
        if let Some(place) = head
            .strip_prefix('#')
            .filter(|_| self.spec().payoff == Payoff::Placings)
        {
            finished = number(place)
                .filter(|place| (2..=3).contains(place))
                .ok_or("the rank must be #2 or #3")?;
            head = "";
        }
        if !head.is_empty() {
            return Err(format!(
                "`{head}` before the colon has no meaning in this game"
            ));
        }
        let texts: Vec<&str> = pieces.split(',').collect();
        let count = self.pieces();
        if texts.len() != count {
            return Err(format!("must have {count} pieces, not {}", texts.len()));
        }
        let mut previous = (0, 0);
        for (slot, piece) in texts.iter().enumerate() {
            let (name, is_declared) = self.declaration(piece);
            let place = self.place(name).ok_or_else(|| self.no_place(piece))?;
            if (place, is_declared) < previous {
                return Err("places must be in ascending order".to_owned());
            }
            previous = (place, is_declared);
            state.pieces[seat][slot] = place;
            state.declared[seat] |= is_declared << slot;
        }
        let is_home = self.rules.has_finished(&state.pieces[seat]);
        if finished > 1 && !is_home {
            return Err("a seat with `#2` or `#3` must have all its pieces home".to_owned());
        }
        state.finished[seat] = if is_home { finished } else { 0 };
        self.check_seat(state, seat)
    }

    fn parse_pending(&self, state: &mut State, pending: &str) -> Result<(), String> {
        let (throws, allotted) = pending
            .split_once(';')
            .map_or((pending, None), |(throws, rest)| (throws, Some(rest)));
        let end = throws
            .find(|letter: char| letter != ',' && !letter.is_ascii_digit())
            .unwrap_or(throws.len());
        let (list, counts) = throws.split_at(end);
        let is_next = counts.starts_with('*') && (list.is_empty() || list.ends_with(','));
        state.phase = match (is_next, allotted) {
            (true, Some(_)) => {
                return Err(
                    "`;` cannot follow `*`: pieces move only after the last throw".to_owned(),
                );
            }
            (true, None) => Phase::Throw,
            (false, None) => Phase::Choose,
            (false, Some(_)) => Phase::Allot,
        };
        let list = list.strip_suffix(',').filter(|_| is_next).unwrap_or(list);
        let values = list
            .split(',')
            .filter(|_| !is_next || !list.is_empty())
            .map(number)
            .collect::<Option<Vec<u8>>>()
            .ok_or("throws must be numbers with commas between them")?;
        if !self
            .registers
            .read_counts(state, if is_next { "*" } else { "" }, counts)
        {
            return Err(format!(
                "`{counts}` cannot follow the throws; write a comma before `*` if a throw is next"
            ));
        }
        self.turns.notation().load(state, &values, state.phase)?;
        let Some(allotted) = allotted else {
            return Ok(());
        };
        self.parse_allotted(state, allotted)?;
        let fits = |before: &State| self.check_seat(before, state.mover).is_ok();
        if !self.turns.notation().is_playable(state, &fits) {
            return Err("the rules do not lead to this state of a turn".to_owned());
        }
        let written = self.pending_text(state);
        if written == pending {
            Ok(())
        } else {
            Err(format!("write `{written}` for this"))
        }
    }

    /// Reads the steps that the mover's pieces have been given in the current turn.
    fn parse_allotted(&self, state: &mut State, text: &str) -> Result<(), String> {
        let colour = self.colour(state);
        let (own, declared) = (state.pieces[colour], state.declared[colour]);
        let mut next_slot = 0;
        for item in text.split(',').filter(|_| !text.is_empty()) {
            let unknown = || {
                format!(
                    "cannot read `{item}`: write what each piece does, such as `5+4` (see the notation)"
                )
            };
            if self.registers.read_mark(state, item).is_some() {
                continue;
            }
            let sign = item
                .find(['+', '&', '~', '^'])
                .or_else(|| item.strip_suffix('-').map(str::len))
                .ok_or_else(unknown)?;
            let (name, is_declared) = self.declaration(&item[..sign]);
            let place = self.place(name).ok_or_else(unknown)?;
            let steps = &item[sign + 1..];
            let is_it = |slot: &usize| own[*slot] == place && declared >> slot & 1 == is_declared;
            let slot = (next_slot..MAX_PIECES).find(is_it).ok_or_else(|| {
                format!("`{item}` does not match a piece of the mover; pieces must be in ascending order")
            })?;
            next_slot = slot + 1;
            let role = self
                .turns
                .notation()
                .role(&item[sign..=sign], place, steps == "0");
            // The comparison with the printed text finds wrong and missing steps.
            state.steps[slot] = number(steps).unwrap_or(0);
            state.roles[slot] = role
                .filter(|&role| role != role::FRESH)
                .ok_or_else(unknown)?;
        }
        Ok(())
    }
}
