//! The kinds of turn. Each kind has a folder or a file here. Outside this folder, only the checks
//! of sheets and the tables for solvers depend on the kind.
//!
//! A kind of turn determines the order of throwing and using throws. The trait `TurnMachine` has
//! its rules: the legal actions, their effects, and its entries of the observation. The trait
//! `TurnNotation` has its part of the notation and its words for people. To add a kind, write its
//! file, add a [`TurnKind`] and a variant of [`Turns`], extend `by_kind`, `Turns::new`,
//! `KindOfTurn::of` and `KindOfTurn::ALL`, and add its letter to the rows of
//! `sheet/check/keys.rs`.

pub mod actions;
pub(crate) mod dice;
pub(crate) mod divide;
pub(crate) mod each;
pub(crate) mod registers;
pub(crate) mod series;
pub(crate) mod series_throws;
pub(crate) mod text;
pub(crate) mod throw;

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::{
    game::{Action, ActionMask, MAX_SEATS, Seat, SeatSet},
    race::{
        compile::Rules,
        position::state::{Phase, State},
    },
    sheet::values::{Hop, Sheet, TurnKind},
};
use dice::DiceTurns;
use divide::DivideTurns;
use each::EachTurns;
use registers::Registers;
use series::SeriesTurns;
use series_throws::SeriesThrows;
use text::TurnNotation;
use throw::ThrowTurns;

/// Entries of an observation. They are collected here and then appended together, which is faster
/// than growing a vector for each entry.
pub type FoundEntries = ArrayVec<u16, 512>;

/// The rules of a kind of turn and its entries of the observation. Most defaults fit turns that
/// throw one or two dice.
pub trait TurnMachine {
    fn rules(&self) -> &Rules;

    fn actions(&self) -> usize {
        actions::ACTIONS
    }

    /// Returns whether an action of the space is well formed: it names an existing piece, or no
    /// piece.
    fn is_well_formed(&self, action: Action) -> bool {
        let pieces = self.rules().pieces();
        actions::slot(action, pieces).is_none_or(|slot| slot < pieces)
    }

    #[inline]
    fn apply_chance(&self, state: &mut State, outcome: usize) {
        if let Some(series) = self.series() {
            return series.apply_chance(state, outcome);
        }
        state.dice = self.rules().outcomes[outcome].values;
        state.phase = Phase::Choose;
    }

    fn legal_actions(&self, state: &State) -> ActionMask;

    /// Applies an action. An illegal action leaves a valid position.
    fn apply_action(&self, state: &mut State, action: Action);

    /// Ends the turn. The game is over if a seat has finished and this decides the game, or if no
    /// seat can ever move again. Otherwise the next seat throws, or the mover throws once more if
    /// `again` is true.
    #[inline]
    fn end_turn(&self, state: &mut State, again: bool) {
        let (colour, seating) = (self.colour(state), &self.rules().seating);
        let is_home =
            self.rules().has_finished(&state.pieces[colour]) && state.finished[colour] == 0;
        if is_home {
            state.finished[colour] = if seating.has_teams {
                1
            } else {
                state.finished_count() + 1
            };
        }
        if is_home && self.is_over(state) || self.is_dead(state) {
            return state.end();
        }
        let mut next = if again {
            state.mover
        } else {
            seating.next(state.mover)
        };
        while !self.has_turns(state, next) {
            next = seating.next(next);
        }
        state.begin_turn(next);
    }

    #[inline]
    fn series(&self) -> Option<&SeriesThrows> {
        None
    }

    /// Returns the seat whose pieces the mover moves: the mover itself or, if all pieces of the
    /// mover have finished, its partner.
    #[inline]
    fn colour(&self, state: &State) -> Seat {
        let donates = self.rules().seating.has_teams && state.finished[state.mover] > 0;
        if donates {
            state.mover.rotated(2)
        } else {
            state.mover
        }
    }

    /// Returns whether the seats that have finished decide the game.
    fn is_over(&self, state: &State) -> bool {
        let (count, seating) = (usize::from(state.finished_count()), &self.rules().seating);
        if seating.has_teams {
            let is_done = |seat: Seat| state.finished[seat] > 0;
            return [Seat::SOUTH, Seat::EAST]
                .into_iter()
                .any(|seat| is_done(seat) && is_done(seat.rotated(2)));
        }
        let seats = seating.seats.len();
        count + 1 == seats || count > 0 && (self.rules().ends_with_first || seats == 2)
    }

    /// Returns whether no seat can ever move again.
    #[inline]
    fn is_dead(&self, _: &State) -> bool {
        false
    }

    /// Switches off the check for dead positions: [`TurnMachine::is_dead`] then returns `false`.
    fn ignore_dead_ends(&mut self) {}

    /// Returns the largest number of seats that solvers support.
    fn most_numbered_seats(&self) -> usize {
        MAX_SEATS
    }

    /// Returns whether a seat still has turns: it has not finished, or it throws for its partner.
    fn has_turns(&self, state: &State, seat: Seat) -> bool {
        let rules = self.rules();
        state.finished[seat] == 0 || rules.seating.has_teams && rules.partner_donates
    }

    /// Returns the number of observation columns for the unused throws.
    fn throw_columns(&self) -> u16 {
        self.series()
            .map_or(2 * self.rules().faces.len() as u16, SeriesThrows::columns)
    }

    /// Declares what a position records about the turn, besides throws and labels of pieces.
    fn registers(&self) -> Registers {
        self.series()
            .map_or_else(Registers::default, SeriesThrows::registers)
    }

    /// Adds the entries of the unused throws; their first column is `at`. Each value of a die has
    /// two columns: the second column is for the second die of a doublet. A used die has the value
    /// 0 and no entry.
    fn observe_throws(&self, state: &State, at: u16, active: &mut FoundEntries) {
        if let Some(series) = self.series() {
            return series.observe(state, at, active);
        }
        let [a, b] = state.dice;
        let (smaller, larger) = (a.min(b), a.max(b));
        let column = |die: u8| at + 2 * self.rules().face(die).unwrap_or(0);
        if smaller > 0 {
            active.push(column(smaller));
        }
        if larger > 0 {
            active.push(column(larger) + u16::from(larger == smaller));
        }
    }

    /// Calls `add(value, count)` for each kind of unused throw, first for the kind of the next
    /// throw. With two dice, the larger die is the next throw.
    fn throws_left(&self, state: &State, mut add: impl FnMut(u8, u8))
    where
        Self: Sized,
    {
        if let Some(series) = self.series() {
            return series
                .remaining_throws(state)
                .for_each(|(throw, count)| add(series.pips(throw), count));
        }
        let [a, b] = state.dice;
        add(a.max(b), 1);
        add(a.min(b), 1);
    }

    /// If a piece enters with both dice together, returns the places that a waiting piece reaches,
    /// as bits. Returns `None` if a piece enters with one throw and other throws can then move it.
    fn entered_by_all(&self, _: &State) -> Option<u128> {
        None
    }
}

/// The rules of the kind of turn of a game.
#[derive(Clone, Debug)]
pub enum Turns {
    Throw(ThrowTurns),
    Series(SeriesTurns),
    Each(EachTurns),
    Dice(DiceTurns),
    Divide(DivideTurns),
}

/// The letter and the name of a kind of turn, and its throws.
pub struct KindOfTurn {
    /// The letter of the kind in the rules of keys, `sheet/check/keys.rs`.
    pub letter: char,
    /// The kind in words, for messages such as "this value only works with ...".
    pub name: &'static str,
    /// The number of dice that are thrown at once.
    pub dice: u8,
    /// Returns the step counts that one throw allows a piece on the course, as bits.
    pub steps: fn([u8; 2]) -> u128,
}

impl KindOfTurn {
    pub const ALL: [&KindOfTurn; 5] = [
        &throw::KIND,
        &series::KIND,
        &each::KIND,
        &dice::KIND,
        &divide::KIND,
    ];

    pub fn of(sheet: &Sheet) -> &'static KindOfTurn {
        match (sheet.turn.kind, sheet.turn.hop) {
            (TurnKind::Throw, _) => &throw::KIND,
            (TurnKind::Series, Hop::Sum) => &series::KIND,
            (TurnKind::Series, Hop::Each) => &each::KIND,
            (TurnKind::Dice, _) => &dice::KIND,
            (TurnKind::Divide, _) => &divide::KIND,
        }
    }
}

/// Evaluates an expression with the machine of the kind of turn: static dispatch of
/// [`TurnMachine`].
macro_rules! by_kind {
    ($turns:expr, $machine:ident => $value:expr) => {{
        #[allow(unused_imports)]
        use $crate::race::turns::{TurnMachine as _, Turns};
        match $turns {
            Turns::Throw($machine) => $value,
            Turns::Series($machine) => $value,
            Turns::Each($machine) => $value,
            Turns::Dice($machine) => $value,
            Turns::Divide($machine) => $value,
        }
    }};
}
pub(crate) use by_kind;

impl Turns {
    pub fn notation(&self) -> &dyn TurnNotation {
        by_kind!(self, turns => turns)
    }

    /// Returns the rules of a series with one hop for each piece, if the game has this kind of
    /// turn.
    pub fn as_series(&self) -> Option<&SeriesTurns> {
        if let Turns::Series(turns) = self {
            Some(turns)
        } else {
            None
        }
    }

    pub fn new(rules: Arc<Rules>) -> Turns {
        match (rules.turn.kind, rules.turn.hop) {
            (TurnKind::Throw, _) => Turns::Throw(ThrowTurns::new(rules)),
            (TurnKind::Series, Hop::Sum) => Turns::Series(SeriesTurns::new(rules)),
            (TurnKind::Series, Hop::Each) => Turns::Each(EachTurns::new(rules)),
            (TurnKind::Dice, _) => Turns::Dice(DiceTurns::new(rules)),
            (TurnKind::Divide, _) => Turns::Divide(DivideTurns::new(rules)),
        }
    }
}

/// Compiles the tables of a sheet for `seats` with `pieces` pieces each.
///
/// # Errors
/// Returns a description of the problem if a course is wrong.
pub fn compile(sheet: &Sheet, seats: SeatSet, pieces: usize) -> Result<Rules, String> {
    let kind = KindOfTurn::of(sheet);
    // Several dice that are used one by one are also thrown one by one.
    Rules::new(sheet, seats, pieces, kind.dice, kind.steps)
}
