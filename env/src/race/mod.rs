//! The engine of the race games: a sheet compiled into tables, a position of plain bytes, and the
//! kinds of turn.
//!
//! [`Race`] implements [`Game`] by calling the kind of turn of its game. The five kinds are: one
//! throw at a time; a series that is allotted to the pieces before they move; a series, or several
//! dice, whose throws are played one by one; two dice; and a total that is divided between pieces.

pub(crate) mod compile;
mod face_values;
#[cfg(test)]
mod illegal_tests;
pub(crate) mod moves;
mod observe;
pub(crate) mod position;
pub(crate) mod turns;

use std::{num::NonZero, sync::Arc};

use crate::{
    game::{
        Action, ActionMask, BySeat, Chances, Game, Node, Outcome, Payoff, RaceGame, Seat, SeatSet,
        Spec,
    },
    sheet::ruleset::{Ruleset, RulesetError},
};
use compile::Rules;
use observe::Layout;
use position::{
    seating::Participants,
    state::{MAX_PIECES, Phase, State},
};
use turns::{FoundEntries, Turns, by_kind, registers::Registers, series_throws::SeriesThrows};

pub use compile::board;
pub use face_values::ThrowError;
pub use position::{rows, state};
pub use turns::actions;

/// Version of the encoding of actions and observations of all race games.
pub const ENCODING: u32 = 4;

/// A race game under one ruleset.
#[derive(Clone, Debug)]
pub struct Race {
    ruleset: Ruleset,
    spec: Spec,
    pub(crate) seating: Participants,
    /// The well-formed actions. A well-formed action can be illegal; it still leaves a valid state.
    well_formed: ActionMask,
    pub(crate) rules: Arc<Rules>,
    pub(crate) turns: Turns,
    pub(crate) registers: Registers,
    layout: Layout,
}

impl Race {
    /// Returns the built-in game with the name `game?flag=value&flag=value`, such as
    /// `pagade?teams=true`, for `seats` seats.
    ///
    /// # Errors
    /// Fails in the cases of [`Ruleset::seated`].
    pub fn named(text: &str, seats: usize) -> Result<Race, RulesetError> {
        Ok(Race::new(Ruleset::seated(text, Some(seats))?))
    }

    /// Returns the game of `ruleset`.
    ///
    /// # Panics
    /// Never, because a ruleset has been checked.
    pub fn new(ruleset: Ruleset) -> Race {
        let (seats, pieces, sheet) = (ruleset.seats(), ruleset.pieces(), ruleset.sheet());
        let rules =
            turns::compile(sheet, seats, pieces).expect("the sheet of a ruleset was checked");
        let (seating, rules) = (rules.seating, Arc::new(rules));
        let turns = Turns::new(Arc::clone(&rules));
        let actions = by_kind!(&turns, turns => turns.actions());
        let payoff = ruleset.payoff();
        let team = |seat: Seat| match payoff {
            Payoff::Teams => SeatSet::of(&[seat, seat.rotated(2)]),
            Payoff::Winner | Payoff::Placings => SeatSet::of(&[seat]),
        };
        let registers = by_kind!(&turns, turns => turns.registers());
        let layout = Layout::new(&rules, &turns, &registers, payoff);
        let spec = Spec {
            name: ruleset.game_text(),
            seats,
            payoff,
            teams: BySeat(Seat::ALL.map(team)),
            actions,
            observation: layout.length.into(),
            start_observation: usize::from(layout.phase) + seats.len(),
            encoding: ENCODING,
            ruleset_hash: ruleset.hash64(),
            turn_limit: sheet.seats.turn_limit,
        };
        let is_well_formed =
            |action: &Action| by_kind!(&turns, turns => turns.is_well_formed(*action));
        let well_formed = (0..actions as u8)
            .map(Action)
            .filter(is_well_formed)
            .collect();
        Race {
            ruleset,
            spec,
            seating,
            well_formed,
            rules,
            turns,
            registers,
            layout,
        }
    }

    /// Returns this game with another turn limit. Environments, arenas and self-play truncate a
    /// game after this number of turns. The limit does not belong to the ruleset or its hash:
    /// positions, observations and agents are valid for any limit.
    #[must_use]
    pub fn with_turn_limit(mut self, turns: NonZero<u32>) -> Race {
        self.spec.turn_limit = turns.get();
        self
    }

    /// Returns the ruleset.
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// Returns the number of pieces of each seat, 1 to 8.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.seating.pieces
    }

    /// Returns the courses of the seats.
    pub fn board(&self) -> &board::Courses {
        &self.rules.board
    }

    /// Returns the places of the pieces of `seat` in ascending order. Only the first
    /// [`Race::pieces`] entries are used. Place 0 is off the board, place 1 is the first square of
    /// the course, and so on up to [`Race::last_place`].
    pub fn places(&self, state: &State, seat: Seat) -> [u8; MAX_PIECES] {
        state.pieces[seat]
    }

    /// Returns the place of captured pieces: off the board, the first square, or another square
    /// that only their owner uses.
    pub fn waiting_place(&self) -> u8 {
        self.rules.sent_to
    }

    /// Returns whether pieces are borne off (taken off the board). If so, the finish is not the
    /// last place.
    pub fn bears_off(&self) -> bool {
        self.rules.goal > self.rules.home
    }

    /// Returns the values of the throw with this outcome: one value, or two if two dice are thrown.
    ///
    /// # Panics
    /// If `outcome` is not smaller than the length of [`Game::chance_outcomes`].
    pub fn throw_values(&self, outcome: Outcome) -> Vec<u8> {
        let values = self.rules.outcomes[usize::from(outcome.0)].values;
        values[..self.rules.values_of_throw()].to_vec()
    }

    /// Returns the seat whose pieces the mover moves: the mover itself or, if all pieces of the
    /// mover have finished, its partner.
    #[inline]
    pub fn colour(&self, state: &State) -> Seat {
        by_kind!(&self.turns, turns => turns.colour(state))
    }

    pub(crate) fn series(&self) -> Option<&SeriesThrows> {
        by_kind!(&self.turns, turns => turns.series())
    }

    /// Returns whether no seat can ever move again.
    pub(crate) fn is_dead(&self, state: &State) -> bool {
        by_kind!(&self.turns, turns => turns.is_dead(state))
    }
}

impl Game for Race {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn initial_state(&self, first: Seat) -> State {
        self.rules.initial_state(first)
    }

    #[inline]
    fn node(&self, state: &State) -> Node {
        match state.phase {
            Phase::Throw => Node::Chance(state.mover),
            Phase::Choose | Phase::Allot => Node::Decision(state.mover),
            Phase::Over => Node::Terminal,
        }
    }

    #[inline]
    fn chance_outcomes(&self, state: &State) -> &Chances {
        static NONE: Chances = Chances::NONE;
        if state.phase != Phase::Throw {
            return &NONE;
        }
        if state.series.is_full() {
            &self.rules.last_chances
        } else {
            &self.rules.chances
        }
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> ActionMask {
        if !matches!(state.phase, Phase::Choose | Phase::Allot) {
            return ActionMask::EMPTY;
        }
        by_kind!(&self.turns, turns => turns.legal_actions(state))
    }

    #[inline]
    fn apply_chance(&self, state: &mut State, outcome: Outcome) {
        debug_assert!(state.phase == Phase::Throw, "an outcome in {state:?}");
        debug_assert!(
            usize::from(outcome.0) < self.rules.outcomes.len(),
            "outcome {} in {state:?}",
            outcome.0
        );
        if state.phase != Phase::Throw {
            return;
        }
        let outcome = usize::from(outcome.0).min(self.rules.outcomes.len() - 1);
        by_kind!(&self.turns, turns => turns.apply_chance(state, outcome));
    }

    #[inline]
    fn apply_action(&self, state: &mut State, action: Action) {
        debug_assert!(
            self.legal_actions(state).contains(action),
            "action {} in {state:?}",
            action.0
        );
        let is_decision = matches!(state.phase, Phase::Choose | Phase::Allot);
        if !(is_decision && self.well_formed.contains(action)) {
            return;
        }
        by_kind!(&self.turns, turns => turns.apply_action(state, action));
    }

    fn returns(&self, state: &State) -> BySeat<f32> {
        let mut returns = BySeat::default();
        if state.phase != Phase::Over {
            return returns;
        }
        let count = self.seating.seats.len();
        let worth = |place: usize| match self.spec.payoff {
            Payoff::Placings => (count - place) as f32 / (count - 1) as f32,
            Payoff::Winner => f32::from(u8::from(place == 1)),
            Payoff::Teams => f32::from(u8::from(place <= 2)),
        };
        // Here `place` is the rank of a seat that has finished. A team has the rank of its last
        // seat. Seats with equal ranks share the values of this rank and the next ranks. Seats
        // without a rank share the values of the remaining ranks.
        let own_place = |seat: Seat| match state.finished[seat] {
            0 => u8::MAX,
            place => place,
        };
        let place = |seat: Seat| self.spec.teams[seat].iter().map(own_place).max();
        for seat in self.seating.seats.iter() {
            let better = self
                .seating
                .seats
                .iter()
                .filter(|&other| place(other) < place(seat))
                .count();
            let equal = self
                .seating
                .seats
                .iter()
                .filter(|&other| place(other) == place(seat))
                .count();
            returns[seat] = (1..=equal).map(|nth| worth(better + nth)).sum::<f32>() / equal as f32;
        }
        returns
    }

    fn observe_active(&self, state: &State, seat: Seat, active: &mut Vec<u16>) {
        let mut found = FoundEntries::new();
        self.layout
            .observe(&self.rules, &self.turns, state, seat, &mut found);
        active.extend_from_slice(&found);
    }
}

impl RaceGame for Race {
    fn pieces(&self) -> usize {
        self.pieces()
    }

    fn goal(&self) -> u8 {
        self.rules.steps(self.rules.goal)
    }

    fn steps(&self, state: &State, seat: Seat) -> [u8; MAX_PIECES] {
        state.pieces[seat].map(|place| self.rules.steps(place))
    }

    fn captured(&self) -> u8 {
        self.rules.steps(self.rules.sent_to)
    }
}
