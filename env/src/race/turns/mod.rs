//! The kinds of turn: each is a folder or a file here, and nothing outside knows which one a game has.
//!
//! A kind of turn is the order in which throws are made and used. [`TurnMachine`] has its rules: the legal actions,
//! their effects, and its entries of the observation. [`TurnNotation`] has its part of the notation and its words for
//! people. To add one, write its file, add a variant to [`Turns`], and give it to its [`TurnKind`] below.

pub mod actions;
pub(crate) mod dice;
pub(crate) mod divide;
pub(crate) mod each;
pub(crate) mod series;
pub(crate) mod series_throws;
pub(crate) mod text;
pub(crate) mod throw;

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::game::{Action, ActionMask, MAX_SEATS, Seat, SeatSet};
use crate::race::compile::Rules;
use crate::race::position::state::{Phase, State};
use crate::sheet::values::{End, FinishedPartner, Hop, Must, Sheet, Teams, TurnKind};
use dice::DiceTurns;
use divide::DivideTurns;
use each::EachTurns;
use series::SeriesTurns;
use series_throws::SeriesThrows;
use text::TurnNotation;
use throw::ThrowTurns;

/// Entries of an observation found so far, appended to it at once, which is faster than to grow a list for each.
pub(crate) type FoundEntries = ArrayVec<u16, 512>;

/// The entry of an observation that says that the turn has captured, after those of the rest of what is pending.
pub(crate) const CAPTURED_COLUMN: u16 = 8;

/// The rules of a kind of turn and its entries of the observation. Most defaults are those of a turn that throws two
/// dice or one.
pub(crate) trait TurnMachine {
    fn rules(&self) -> &Rules;

    /// The numbers of steps that a piece on the course can go with one throw, as bits.
    fn steps([a, _]: [u8; 2]) -> u128
    where
        Self: Sized,
    {
        1 << a
    }

    /// Size of the action space.
    fn actions(&self) -> usize {
        actions::ACTIONS
    }

    /// Whether an action of the space can be taken at all: it names a piece of a seat, or none.
    fn names(&self, action: Action) -> bool {
        let pieces = self.rules().seating.pieces;
        actions::slot(action, pieces).is_none_or(|slot| slot < pieces)
    }

    /// Adds a throw to the turn.
    #[inline]
    fn apply_chance(&self, state: &mut State, outcome: usize) {
        if let Some(series) = self.series() {
            return series.apply_chance(state, outcome);
        }
        state.dice = self.rules().outcomes[outcome].values;
        state.phase = Phase::Choose;
    }

    /// The legal actions of a decision.
    fn legal_actions(&self, state: &State) -> ActionMask;

    /// Takes an action, which may be illegal and then leaves a valid state.
    fn apply_action(&self, state: &mut State, action: Action);

    /// Ends the turn. The game ends where a seat whose last piece has come to the goal decides it, or where no seat can
    /// ever move again; otherwise the turn passes on, to the mover itself where it throws `again`.
    #[inline]
    fn end_turn(&self, state: &mut State, again: bool) {
        let (colour, seating) = (self.colour(state).index(), &self.rules().seating);
        let is_home = self.rules().has_finished(&state.pieces[colour]) && state.finished[colour] == 0;
        if is_home {
            state.finished[colour] = if seating.has_teams { 1 } else { state.finished_count() + 1 };
        }
        if is_home && self.is_over(state) || self.is_dead(state) {
            return state.end();
        }
        let mut next = if again { state.mover } else { seating.next(state.mover) };
        while !self.has_turns(state, next) {
            next = seating.next(next);
        }
        state.begin_turn(next);
    }

    /// The throws of the series under way, where a turn has a series.
    #[inline]
    fn series(&self) -> Option<&SeriesThrows> {
        None
    }

    /// The seat whose pieces the mover moves: its own, or its partner's once all its own have finished.
    #[inline]
    fn colour(&self, state: &State) -> Seat {
        let donates = self.rules().seating.has_teams && state.finished[state.mover.index()] > 0;
        if donates { state.mover.rotated(2) } else { state.mover }
    }

    /// Whether the game is over by the places of the pieces.
    fn is_over(&self, state: &State) -> bool {
        let (count, seating) = (usize::from(state.finished_count()), &self.rules().seating);
        if seating.has_teams {
            let is_done = |seat: Seat| state.finished[seat.index()] > 0;
            return [Seat::SOUTH, Seat::EAST].into_iter().any(|seat| is_done(seat) && is_done(seat.rotated(2)));
        }
        let seats = seating.seats.len();
        count + 1 == seats || count > 0 && (self.rules().sheet.seats.end == End::First || seats == 2)
    }

    /// Whether no seat can ever move again.
    #[inline]
    fn is_dead(&self, _: &State) -> bool {
        false
    }

    /// Continues games in which no seat can ever move again.
    fn ignore_dead_ends(&mut self) {}

    /// The most seats of a game whose turn-start states are numbered.
    fn most_numbered_seats(&self) -> usize {
        let seats = &self.rules().sheet.seats;
        if seats.teams == Teams::Opposite || seats.end == End::Placings { 2 } else { MAX_SEATS }
    }

    /// Whether a seat still throws: it has not finished, or it throws for its partner.
    fn has_turns(&self, state: &State, seat: Seat) -> bool {
        let rules = self.rules();
        state.finished[seat.index()] == 0
            || rules.seating.has_teams && rules.sheet.seats.finished_partner == FinishedPartner::Donates
    }

    /// Entries of the observation for the throws that are left.
    fn throw_columns(&self) -> u16 {
        self.series().map_or(2 * self.rules().faces.len() as u16, SeriesThrows::columns)
    }

    /// Entries of the observation for the rest of what is pending.
    fn pending_columns(&self) -> u16 {
        self.series().map_or(0, SeriesThrows::pending_columns)
    }

    /// Adds the entries of the throws that are left, from column `at` on. Each face of a die has two columns, and a die
    /// that is used up is 0.
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

    /// Calls `add` with the value and number of each kind of throw that is left, the next one first.
    fn throws_left(&self, state: &State, mut add: impl FnMut(u8, u8))
    where
        Self: Sized,
    {
        if let Some(series) = self.series() {
            return series.left(state).for_each(|(throw, count)| add(series.pips(throw), count));
        }
        let [a, b] = state.dice;
        add(a.max(b), 1);
        add(a.min(b), 1);
    }

    /// The places that a waiting piece reaches with the next throw and any others, as bits; `None` where a value that
    /// enters brings it in, and the other throws lead on.
    fn entered_by_all(&self, _: &State) -> Option<u128> {
        None
    }
}

/// The rules of the turn of a game.
#[derive(Clone, Debug)]
pub(crate) enum Turns {
    Throw(ThrowTurns),
    Series(SeriesTurns),
    Each(EachTurns),
    Dice(DiceTurns),
    Divide(DivideTurns),
}

/// The keys of a sheet in a kind of turn.
pub(crate) struct TurnKeys {
    /// The kind in words, after "this goes with".
    pub(crate) name: &'static str,
    /// The dice that are thrown at once, from the fewest to the most.
    pub(crate) dice: [u8; 2],
    /// The values of `turn.must`.
    pub(crate) must: &'static [Must],
    /// The keys that the kind supports of those that not every kind does. Of some keys this is about certain values.
    pub(crate) supports: &'static [&'static str],
    /// Keys that every sheet of the kind writes in one way, also if they have no effect in it.
    pub(crate) demands: &'static [&'static str],
}

impl TurnKeys {
    /// Those of every kind of turn.
    pub(crate) const ALL: [&TurnKeys; 5] = [&throw::KEYS, &series::KEYS, &each::KEYS, &dice::KEYS, &divide::KEYS];

    /// Those of the kind of turn of a sheet.
    pub(crate) fn of(sheet: &Sheet) -> &'static TurnKeys {
        match (sheet.turn.kind, sheet.turn.hop) {
            (TurnKind::Throw, _) => &throw::KEYS,
            (TurnKind::Series, Hop::Sum) => &series::KEYS,
            (TurnKind::Series, Hop::Each) => &each::KEYS,
            (TurnKind::Dice, _) => &dice::KEYS,
            (TurnKind::Divide, _) => &divide::KEYS,
        }
    }
}

/// Evaluates an expression for the kind of turn at hand: static dispatch of [`TurnMachine`].
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
    /// The part of the notation of this kind of turn, and its words.
    pub(crate) fn notation(&self) -> &dyn TurnNotation {
        by_kind!(self, turns => turns)
    }

    /// The rules of a series that is allotted before it is played.
    pub(crate) fn as_series(&self) -> Option<&SeriesTurns> {
        if let Turns::Series(turns) = self { Some(turns) } else { None }
    }

    pub(crate) fn new(rules: Arc<Rules>) -> Turns {
        match (rules.sheet.turn.kind, rules.sheet.turn.hop) {
            (TurnKind::Throw, _) => Turns::Throw(ThrowTurns::new(rules)),
            (TurnKind::Series, Hop::Sum) => Turns::Series(SeriesTurns::new(rules)),
            (TurnKind::Series, Hop::Each) => Turns::Each(EachTurns::new(rules)),
            (TurnKind::Dice, _) => Turns::Dice(DiceTurns::new(rules)),
            (TurnKind::Divide, _) => Turns::Divide(DivideTurns { rules }),
        }
    }
}

/// The tables of a sheet, for these seats of so many pieces.
///
/// # Errors
/// The problem of its course.
pub(crate) fn compile(sheet: Arc<Sheet>, seats: SeatSet, pieces: usize) -> Result<Rules, String> {
    // The dice of several that are used one by one are thrown so, too.
    let (dice, steps): (u8, fn([u8; 2]) -> u128) = match sheet.turn.kind {
        TurnKind::Throw => (1, ThrowTurns::steps),
        TurnKind::Series => (1, SeriesTurns::steps),
        TurnKind::Dice => (2, DiceTurns::steps),
        TurnKind::Divide => (2, DivideTurns::steps),
    };
    Rules::new(sheet, seats, pieces, dice, steps)
}
