//! The kinds of turn: each is a folder or a file here, and nothing outside knows which one a game has.
//!
//! A kind of turn is the order in which throws are made and used. [`TurnMachine`] is what it owes: which actions are
//! legal and what they do, its entries of the observation, its part of the notation, and its words for people. To add
//! one, write its file, add a variant to [`Turns`], and give it to its [`TurnKind`] below.

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
use crate::sheet::values::{End, FinishedPartner, Hop, Sheet, Teams, TurnKind};
use dice::DiceTurns;
use divide::DivideTurns;
use each::EachTurns;
use series::SeriesTurns;
use series_throws::SeriesThrows;
use text::{TurnWords, UnitMove, number};
use throw::ThrowTurns;

/// Entries of an observation found so far, appended to it at once, which is faster than to grow a list for each.
pub(crate) type FoundEntries = ArrayVec<u16, 512>;

/// The entry of an observation that says that the turn has captured, after those of the rest of what is pending.
pub(crate) const CAPTURED_COLUMN: u16 = 8;

/// What a kind of turn owes. Most defaults are those of a turn that throws two dice or one.
pub(crate) trait TurnMachine {
    fn rules(&self) -> &Rules;

    /// The numbers of steps that a piece on the course can go with one throw, as bits.
    fn steps([a, _]: [u8; 2]) -> u128 {
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
    fn throws_left(&self, state: &State, mut add: impl FnMut(u8, u8)) {
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

    /// The throws that are thrown and not yet used, in the order thrown; those that are lost are among them.
    fn thrown(&self, state: &State) -> Vec<u8> {
        let series = self.series().into_iter().flat_map(|series| state.series.iter().map(|kind| series.face(kind)));
        series.chain(state.dice.into_iter().filter(|&value| value > 0)).collect()
    }

    /// Takes the throws of a position's text.
    ///
    /// # Errors
    /// The problem, where they are none of this turn.
    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String>;

    /// What is pending besides throws and the labels of pieces, as the text of a position has it.
    fn marks(&self, state: &State) -> Vec<String> {
        let series = self.series().into_iter().flat_map(|series| series.skipped(state));
        let captured = state.has_captured.then(|| "+".to_owned());
        series.map(|value| format!("!{value}")).chain(captured).collect()
    }

    /// Reads one of [`TurnMachine::marks`]; `None` where it is none.
    fn read_mark(&self, state: &mut State, mark: &str) -> Option<()> {
        let series = self.series().filter(|series| series.remembers_skipped())?;
        if mark == "+" && series.is_each() {
            state.has_captured = true;
        } else {
            state.skipped |= series.skipped_bit(number(mark.strip_prefix('!')?)?)?;
        }
        Some(())
    }

    /// Whether a position within a turn can be played on by the rules. `stands` says whether the mover's pieces can
    /// stand as they do in a position. Not every such position can be reached from the start of a turn.
    fn is_playable(&self, state: &State, stands: impl Fn(&State) -> bool) -> bool;

    /// Whether one action leads from `before`, which is a decision, to `state`.
    fn leads(&self, before: &State, state: &State) -> bool {
        self.legal_actions(before).iter().any(|action| {
            let mut after = *before;
            self.apply_action(&mut after, action);
            after == *state
        })
    }

    /// The role of a piece on `place` whose label has this sign, with 0 steps or with others.
    fn role(&self, _sign: &str, _place: u8, _is_zero: bool) -> Option<u8> {
        None
    }

    /// What its rules say that the sheet does not.
    fn words(&self) -> TurnWords;

    /// A legal action in words.
    fn action_text(&self, state: &State, action: Action) -> String;

    /// Whether nothing lands before all throws of the turn are allotted; else each lands by itself.
    fn lands_at_once(&self) -> bool {
        true
    }

    /// Whether the moves of a whole turn, which begins at `state`, can come in any order.
    fn commutes(&self, _state: &State, _actions: &[Action]) -> bool {
        true
    }

    /// The unit that an action moves; `None` when nothing moves.
    fn moved(&self, state: &State, action: Action) -> Option<UnitMove>;

    /// Names the throws that made the steps of a unit so far.
    fn name_throws(&self, _: &State, taken: &mut UnitMove) {
        taken.throws = vec![taken.steps];
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

/// Evaluates an expression for the kind of turn at hand: static dispatch of [`TurnMachine`].
macro_rules! by_kind {
    ($turns:expr, $machine:ident => $value:expr) => {{
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
