//! Property tests of race games: printing and reading positions are inverse, and rotating the board
//! changes nothing.
//!
//! The laws of every game are in [`ashta_env::testing::laws`]; [`Laws::play`] checks both together.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{BuildHasher, RandomState},
};

use ashta_env::{
    chance::{self, GameRng},
    game::{Game, Node, RaceGame, Seat, SeatSet},
    race::{
        Race,
        state::{NO_PIECE, State},
    },
    ruleset::Ruleset,
    sheet::Without,
    testing::laws::{Course, LawConfig, Tally, check_race, successors},
};

use crate::{engine::afterstates, random};

/// Nodes that are checked around a position.
const AROUND: usize = 40;
/// Placed positions that are checked for each game played.
const PLACED: usize = 3;
/// One of this many nodes has its surroundings checked.
const SPACING: usize = 32;

/// The laws of one ruleset.
#[derive(Debug)]
pub struct Laws {
    race: Race,
    /// The same game with rotated seats, and the number of quarter turns: the smallest with which
    /// it can be played.
    turned: Option<(usize, Race)>,
}

impl Laws {
    /// The laws of `ruleset`.
    pub fn new(ruleset: Ruleset) -> Laws {
        let turn = |quarters| {
            let seats: Vec<Seat> = ruleset
                .seats()
                .iter()
                .map(|seat| seat.rotated(quarters))
                .collect();
            let turned = Ruleset::parse(&ruleset.game_text(), SeatSet::of(&seats)).ok()?;
            Some((quarters, Race::new(turned)))
        };
        Laws {
            turned: (1..4).find_map(turn),
            race: Race::new(ruleset),
        }
    }

    /// Plays random games under the laws of every game, then under the laws of race games, and
    /// checks random positions.
    ///
    /// # Errors
    /// The first position that breaks a law, and how.
    pub fn play(&self, seed: u64, games: usize) -> Result<Tally, String> {
        let gate = &self.race.ruleset().sheet().gate;
        let may_lap = gate.at > 0 && gate.without == Without::Lap;
        let play = LawConfig { seed, games };
        let course = if may_lap {
            Course::Laps
        } else {
            Course::Forward
        };
        let tally = check_race(&self.race, &play, course).map_err(|broken| {
            format!(
                "{}: {}; in `{}`; seed {seed}",
                broken.law,
                broken.problem,
                self.race.print(&broken.state)
            )
        })?;
        let mut rng = chance::stream(seed, 1);
        for _ in 0..games {
            self.walk(&mut rng)
                .map_err(|problem| format!("{problem}; seed {seed}"))?;
            for _ in 0..PLACED {
                let position = random::placed(&self.race, &mut rng);
                let state = self
                    .race
                    .parse_state(&position)
                    .map_err(|error| error.to_string())?;
                self.check_around(&state)
                    .map_err(|problem| format!("{problem}; seed {seed}"))?;
            }
        }
        Ok(tally)
    }

    fn walk(&self, rng: &mut GameRng) -> Result<(), String> {
        let mut state = self
            .race
            .initial_state(chance::first_seat(self.race.spec().seats, rng));
        loop {
            if chance::below(SPACING, rng) == 0 {
                self.check_around(&state)?
            } else {
                self.check(&state)?
            }
            if !random::advance(&self.race, &mut state, rng) {
                return Ok(());
            }
        }
    }

    /// Checks the nearest successors of `state`, and that similar positions look different.
    fn check_around(&self, state: &State) -> Result<(), String> {
        self.check_changes(state)?;
        let mut seen = HashSet::from([*state]);
        let mut nodes = vec![*state];
        let mut at = 0;
        while at < nodes.len() {
            let state = nodes[at];
            at += 1;
            self.check(&state)?;
            for next in successors(&self.race, &state) {
                if nodes.len() < AROUND && seen.insert(next) {
                    nodes.push(next);
                }
            }
        }
        Ok(())
    }

    /// The laws of one position.
    ///
    /// # Errors
    /// The broken law.
    pub fn check(&self, state: &State) -> Result<(), String> {
        let text = self.race.print(state);
        self.check_text(state, &text)
            .map_err(|problem| format!("{problem}; in `{text}`"))?;
        self.check_action_texts(state)
            .map_err(|problem| format!("{problem}; in `{text}`"))?;
        if let Some((quarters, turned)) = &self.turned {
            self.check_turned(state, &text, *quarters, turned)
                .map_err(|problem| format!("turned by {quarters}: {problem}; in `{text}`"))?;
        }
        Ok(())
    }

    /// Printing and parsing are inverse to each other, and so are making and reading a row of
    /// bytes.
    fn check_text(&self, state: &State, text: &str) -> Result<(), String> {
        let (race, parsed) =
            Race::parse_position(text).map_err(|error| format!("its text is refused: {error}"))?;
        if race.ruleset() != self.race.ruleset() {
            return Err(format!("its text is of `{}`", race.ruleset()));
        }
        let hasher = RandomState::new();
        if parsed != *state || hasher.hash_one(parsed) != hasher.hash_one(state) {
            return Err(format!("its text is read as {parsed:?}, not {state:?}"));
        }
        let row = self
            .race
            .state_of_row(&state.to_row())
            .map_err(|error| format!("its row is refused: {error}"))?;
        if row != *state {
            return Err(format!("its row is read as {row:?}, not {state:?}"));
        }
        let pieces = Seat::ALL.map(|seat| self.race.places(state, seat));
        let count = |seat| {
            if self.race.spec().seats.contains(seat) {
                self.race.pieces()
            } else {
                0
            }
        };
        let has_all = |seat: Seat| {
            pieces[seat.index()]
                .iter()
                .filter(|&&place| place != NO_PIECE)
                .count()
                == count(seat)
        };
        if !Seat::ALL.into_iter().all(has_all) {
            return Err(format!("pieces are lost or found: {pieces:?}"));
        }
        Ok(())
    }

    /// Every legal action has a text, and actions with the same text are the same choice:
    /// interchangeable pieces.
    fn check_action_texts(&self, state: &State) -> Result<(), String> {
        let results = |state: &State| match afterstates(&self.race, state) {
            results if results.is_empty() => BTreeSet::from([self.race.print(state)]),
            results => results,
        };
        let mut described: HashMap<String, State> = HashMap::new();
        for (action, next) in self
            .race
            .legal_actions(state)
            .iter()
            .zip(successors(&self.race, state))
        {
            let text = self.race.action_text(state, action);
            if text.is_empty() {
                return Err(format!("action {} has no text", action.0));
            }
            let same = described.entry(text.clone()).or_insert(next);
            if *same != next && results(same) != results(&next) {
                return Err(format!(
                    "`{text}` describes action {} and another choice",
                    action.0
                ));
            }
        }
        Ok(())
    }

    /// Rotating the seats rotates everything.
    fn check_turned(
        &self,
        state: &State,
        text: &str,
        quarters: usize,
        turned: &Race,
    ) -> Result<(), String> {
        let other = turned
            .parse_state(&turn_text(text, quarters))
            .map_err(|error| error.to_string())?;
        let node = match self.race.node(state) {
            Node::Chance(seat) => Node::Chance(seat.rotated(quarters)),
            Node::Decision(seat) => Node::Decision(seat.rotated(quarters)),
            Node::Terminal => Node::Terminal,
        };
        expect("node", turned.node(&other), node)?;
        expect(
            "chances",
            turned.chance_outcomes(&other),
            self.race.chance_outcomes(state),
        )?;
        expect(
            "legal actions",
            turned.legal_actions(&other),
            self.race.legal_actions(state),
        )?;
        let (returns, turned_returns) = (self.race.returns(state), turned.returns(&other));
        for seat in self.race.spec().seats.iter() {
            let there = seat.rotated(quarters);
            expect("returns", turned_returns[there], returns[seat])?;
            expect(
                "steps",
                turned.steps(&other, there),
                self.race.steps(state, seat),
            )?;
            expect(
                "places",
                turned.places(&other, there),
                self.race.places(state, seat),
            )?;
            expect(
                "observation",
                view(turned, &other, there),
                view(&self.race, state, seat),
            )?;
        }
        let followers = successors(&self.race, state)
            .into_iter()
            .map(|next| turn_text(&self.race.print(&next), quarters));
        let turned_followers = successors(turned, &other)
            .into_iter()
            .map(|next| turned.print(&next));
        expect(
            "followers",
            turned_followers.collect::<Vec<_>>(),
            followers.collect::<Vec<_>>(),
        )?;
        let results = afterstates(&self.race, state)
            .iter()
            .map(|text| turn_text(text, quarters))
            .collect();
        expect("whole turns", afterstates(turned, &other), results)
    }

    /// A position that differs in one piece or mark looks different to every seat.
    fn check_changes(&self, state: &State) -> Result<(), String> {
        let text = self.race.print(state);
        for changed in self.changes(state, &text) {
            let Ok(other) = self.race.parse_state(&changed) else {
                continue;
            };
            let is_over =
                [state, &other].map(|state| self.race.node(state) == Node::Terminal) != [false; 2];
            let looks_same =
                |&seat: &Seat| view(&self.race, state, seat) == view(&self.race, &other, seat);
            if let Some(seat) = self
                .race
                .spec()
                .seats
                .iter()
                .filter(|_| !is_over)
                .find(looks_same)
            {
                return Err(format!("to {seat} `{changed}` looks the same as `{text}`"));
            }
        }
        Ok(())
    }

    /// Texts that differ from the text of `state` in the mover, in one mark, or by one step of one
    /// piece. Some of them are not positions.
    fn changes(&self, state: &State, text: &str) -> Vec<String> {
        let parts: Vec<&str> = text.split(' ').collect();
        let &[game, seats, mover, pending] = parts.as_slice() else {
            return Vec::new();
        };
        let mut changed = Vec::new();
        for other in Seat::ALL
            .map(|seat| seat.to_string())
            .iter()
            .filter(|other| *other != mover)
        {
            changed.push(format!("{game} {seats} {other} {pending}"));
        }
        let seats: Vec<&str> = seats.split('/').collect();
        let mut put = |at: usize, seat: String| {
            let seats: Vec<&str> = seats
                .iter()
                .enumerate()
                .map(|(old, text)| if old == at { &seat } else { *text })
                .collect();
            changed.push(format!("{game} {} {mover} {pending}", seats.join("/")));
        };
        for (at, (seat, owner)) in seats.iter().zip(self.race.spec().seats.iter()).enumerate() {
            let Some((head, pieces)) = seat.split_once(':') else {
                continue;
            };
            let on = self.race.places(state, owner);
            let (letter, marks) = head.split_at(1);
            let marks = marks
                .strip_prefix('+')
                .map_or(format!("+{marks}"), str::to_owned);
            put(at, format!("{letter}{marks}:{pieces}"));
            let places: Vec<String> = pieces.split(',').map(str::to_owned).collect();
            for slot in 0..places.len() {
                for place in [
                    on[slot].saturating_sub(1),
                    on[slot].saturating_add(1).min(self.race.last_place()),
                ] {
                    let mut moved = places.clone();
                    moved[slot] = self.race.place_text(place);
                    put(at, format!("{head}:{}", moved.join(",")));
                }
                let mut twins = places.clone();
                for piece in twins.iter_mut().skip(slot).take(2) {
                    *piece = piece
                        .strip_suffix('t')
                        .map_or(format!("{piece}t"), str::to_owned);
                }
                put(at, format!("{head}:{}", twins.join(",")));
            }
        }
        changed.push(
            text.replace("#2", "$")
                .replace("#3", "#2")
                .replace('$', "#3"),
        );
        changed.retain(|changed| changed != text);
        changed
    }
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what} {found:?}, not {expected:?}"))
    }
}

fn view(race: &Race, state: &State, seat: Seat) -> Vec<u16> {
    let mut active = Vec::new();
    race.observe_active(state, seat, &mut active);
    active
}

/// The text of the same position with every seat moved on by `quarters` quarter turns
/// counter-clockwise.
pub fn turn_text(text: &str, quarters: usize) -> String {
    let turn = |letter: &str| {
        let seat = letter.chars().next().and_then(Seat::from_letter);
        seat.map(|seat| seat.rotated(quarters))
    };
    let parts: Vec<&str> = text.split(' ').collect();
    let &[game, seats, mover, pending] = parts.as_slice() else {
        return text.to_owned();
    };
    let mut seats: Vec<(Option<Seat>, &str)> = seats
        .split('/')
        .map(|seat| (turn(seat), &seat[1..]))
        .collect();
    seats.sort_unstable();
    let seats: Vec<String> = seats
        .iter()
        .map(|(seat, pieces)| seat.map_or(String::new(), |seat| format!("{seat}{pieces}")))
        .collect();
    let mover = turn(mover).map_or(mover.to_owned(), |mover| mover.to_string());
    format!("{game} {} {mover} {pending}", seats.join("/"))
}
