//! A series of throws until one that ends it, then allotted to pieces and units, each in one hop by the sum of its
//! throws.
//!
//! Throws are allotted in a fixed order, those of the smallest value that goes on first and the throw that ended the
//! series last. What has been allotted is a label on the piece until the turn is complete; then everything lands at
//! once. An action is legal iff it can be completed to a legal allotment of the whole series.

pub(crate) mod allot;
mod fill;
mod offers;
mod resolve;
mod search;
mod text;

use std::sync::Arc;

use crate::game::{Action, ActionMask, Seat};
use crate::race::compile::{PLACES, Rules};
use crate::race::position::seating::Participants;
use crate::race::position::slots::{Set, Slots};
use crate::race::position::state::{MAX_PIECES, Phase, Series, SeriesKind, State};
use crate::race::turns::actions::PASS;
use crate::sheet::values::{LostBefore, MarkRule, Must, Speed, Unit, UnitKind};
use allot::{Allotment, AllottedThrow, Remaining, SeriesTurn};

/// The rules of the turn with their tables. The value that enters and bears off is 1, and a series goes on after it.
#[derive(Clone, Debug)]
pub(crate) struct SeriesTurns {
    pub(crate) rules: Arc<Rules>,
    seating: Participants,
    pub(crate) must: Must,
    pub(crate) unit: Unit,
    lost_before: LostBefore,
    pub(crate) keep: u8,
    /// The values after which a series goes on, ascending; 0 for absent kinds.
    faces: [u8; 3],
    /// The throw of each outcome.
    outcomes: Vec<AllottedThrow>,
    /// Places on marked squares, where nothing is captured, as bits; the same for every seat.
    pub(crate) marked: u64,
    /// Whether a marked square with an enemy is closed.
    pub(crate) blocks: bool,
    /// Places on which two pieces can become a declared unit, as bits.
    opposite: u64,
    /// Whether a turn can end after any hop: hops land anywhere and always move, and throws may be left unused.
    always_completes: bool,
}

impl SeriesTurns {
    pub(crate) fn new(rules: Arc<Rules>, seating: Participants) -> SeriesTurns {
        let sheet = &rules.sheet;
        let values: Vec<u8> = rules.outcomes.iter().map(|throw| throw.values[0]).collect();
        let stops = |value: &u8| rules.effects[usize::from(*value)].stops;
        let mut faces = [0; 3];
        faces.iter_mut().zip(values.iter().filter(|value| !stops(value))).for_each(|(face, value)| *face = *value);
        let outcome = |value: &u8| match faces.iter().position(|face| face == value) {
            Some(kind) => AllottedThrow::Of(SeriesKind::ALL[kind]),
            None => AllottedThrow::Last(*value),
        };
        let blocks = sheet.board.mark_rule == MarkRule::Block;
        SeriesTurns {
            must: sheet.turn.must,
            unit: sheet.unit.clone(),
            lost_before: sheet.entry.lost_before,
            keep: rules.home,
            faces,
            outcomes: values.iter().map(outcome).collect(),
            marked: rules.marked as u64,
            blocks,
            opposite: rules.declaring as u64,
            always_completes: !blocks && sheet.unit.speed != Speed::HalfSpent && sheet.turn.must != Must::Greedy,
            seating,
            rules,
        }
    }

    /// Whether units must be declared, so that positions carry declarations.
    pub(crate) fn declares(&self) -> bool {
        self.unit.kind == UnitKind::Declared
    }

    /// Whether positions within a turn remember which throws were left unused.
    pub(crate) fn remembers_skipped(&self) -> bool {
        self.must == Must::Greedy
    }

    /// Every throw, in the order in which they are allotted.
    pub(crate) fn throws(&self) -> impl Iterator<Item = AllottedThrow> + '_ {
        let kinds = SeriesKind::ALL.into_iter().filter(|&kind| self.face(kind) > 0).map(AllottedThrow::Of);
        kinds.chain(self.outcomes.iter().copied().filter(|throw| matches!(throw, AllottedThrow::Last(_))))
    }

    /// The probability of a throw.
    pub(crate) fn chance_of(&self, throw: AllottedThrow) -> f64 {
        self.outcomes
            .iter()
            .zip(self.rules.chances.iter())
            .filter(|&(&other, _)| other == throw)
            .map(|(_, chance)| chance)
            .sum()
    }

    /// Number of values that end a series.
    pub(crate) fn stops(&self) -> usize {
        self.outcomes.iter().filter(|throw| matches!(throw, AllottedThrow::Last(_))).count()
    }

    /// The values that end a series: `2 or 3`.
    pub(crate) fn stop_values(&self) -> String {
        let stops = self.outcomes.iter().filter_map(|throw| match throw {
            AllottedThrow::Last(value) => Some(value.to_string()),
            AllottedThrow::Of(_) => None,
        });
        stops.collect::<Vec<_>>().join(" or ")
    }

    /// Which of the values that end a series this is.
    pub(crate) fn stop(&self, value: u8) -> Option<usize> {
        self.outcomes
            .iter()
            .filter(|throw| matches!(throw, AllottedThrow::Last(_)))
            .position(|&throw| throw == AllottedThrow::Last(value))
    }

    /// The values after which a series goes on.
    pub(crate) fn faces(&self) -> [u8; 3] {
        self.faces
    }

    /// The face value of a throw that does not end the series.
    pub(crate) fn face(&self, kind: SeriesKind) -> u8 {
        self.faces[kind as usize - 1]
    }

    pub(crate) fn apply_chance(&self, state: &mut State, outcome: usize) {
        let thrown = match self.outcomes[outcome] {
            // A series that is full ends with its next throw.
            AllottedThrow::Of(_) if state.series.is_full() => self.throws().last().unwrap_or(AllottedThrow::Last(0)),
            thrown => thrown,
        };
        match thrown {
            AllottedThrow::Of(kind) => self.keep_throw(state, kind),
            AllottedThrow::Last(value) => {
                state.dice[0] = value;
                state.phase = Phase::Choose;
            }
        }
    }

    /// Whether any piece is on the board, so that every throw is kept.
    #[inline]
    pub(crate) fn is_on_board(&self, places: &[u8; MAX_PIECES]) -> bool {
        let own = Slots::of(*places);
        let beyond = match self.lost_before {
            LostBefore::Never => return true,
            LostBefore::OffBoard => self.keep + 1,
            LostBefore::OffCourse => self.keep,
        };
        !(own.at_least(1) & !own.at_least(beyond)).is_empty()
    }

    /// Adds a throw to the series. It is lost if it comes before the first 1 while no own piece is on the board.
    #[inline]
    pub(crate) fn keep_throw(&self, state: &mut State, kind: SeriesKind) {
        let is_kept =
            kind == SeriesKind::One || !state.series.is_empty() || self.is_on_board(&state.pieces[state.mover.index()]);
        state.series.push(kind, is_kept);
    }

    /// The throws that the mover keeps: all that are counted, and the last one unless it is lost, too.
    #[inline]
    pub(crate) fn kept(&self, state: &State) -> (Series, u8) {
        let is_kept = !state.series.is_empty()
            || state.phase == Phase::Allot
            || self.is_on_board(&state.pieces[state.mover.index()]);
        (state.series, if is_kept { state.dice[0] } else { 0 })
    }

    /// Number of throws of each kind that the mover keeps, and the throw that ended the series (else 0).
    pub(crate) fn kept_counts(&self, state: &State) -> ([u8; 3], u8) {
        let Remaining { ones, fours, zeros, last } = self.remaining(state);
        ([ones, fours, zeros], last)
    }

    /// Number of throws left.
    pub(crate) fn left_count(&self, state: &State) -> u32 {
        self.remaining(state).count()
    }

    #[inline]
    fn remaining(&self, state: &State) -> Remaining {
        let (series, last) = self.kept(state);
        Remaining::of(series, last)
    }

    #[inline]
    fn turn(&self, state: &State) -> SeriesTurn {
        let mover = state.mover.index();
        let closed = if self.blocks { self.enemy_places(state) & self.marked } else { 0 };
        SeriesTurns::turn_of(state.pieces[mover], state.declared[mover], closed)
    }

    /// The turn of a seat with pieces on these places.
    #[inline]
    pub(crate) fn turn_of(places: [u8; MAX_PIECES], declared: u8, closed: u64) -> SeriesTurn {
        let declared = if declared == 0 { Set::NONE } else { Set::of(|slot| declared >> slot & 1 == 1) };
        SeriesTurn { own: Slots::of(places), declared, closed }
    }

    /// Places of the mover that enemies hold, as bits.
    fn enemy_places(&self, state: &State) -> u64 {
        let enemies = self.seating.others(state.mover).iter();
        enemies.fold(0, |places, &enemy| places | self.seen(enemy, &state.pieces[enemy.index()], state.mover))
    }

    /// The squares that `seat` holds with pieces on its `places`, as bits by place of the seat `by`.
    pub(crate) fn seen(&self, seat: Seat, places: &[u8; MAX_PIECES], by: Seat) -> u64 {
        let bits = &self.rules.bits;
        let held = places.iter().fold(0, |held, &place| held | bits[seat.index()][usize::from(place) % PLACES]);
        let is_held = |place: &u8| bits[by.index()][usize::from(*place)] & held != 0;
        (1..self.keep).filter(is_held).fold(0, |places, place| places | 1 << place)
    }

    pub(crate) fn legal_actions(&self, state: &State) -> ActionMask {
        match self.remaining(state).split() {
            Some((throw, rest)) => self.offers(&self.turn(state), &Allotment::of(state), throw, rest),
            None => [PASS].into_iter().collect(),
        }
    }

    pub(crate) fn apply_action(&self, state: &mut State, action: Action) {
        let allotment = Allotment::of(state);
        let (series, last) = self.kept(state);
        let Some((throw, rest)) = Remaining::of(series, last).split() else { return self.resolve(state, &allotment) };
        let turn = self.turn(state);
        let next = self.give(&turn, &allotment, throw, action);
        if rest.count() == 0 || !self.goes_on(&turn, &next, rest) {
            return self.resolve(state, &next);
        }
        match throw {
            AllottedThrow::Of(kind) => (state.series, state.dice[0]) = (series.without(kind), last),
            AllottedThrow::Last(_) => (state.series, state.dice[0]) = (series, 0),
        }
        (state.steps, state.roles, state.skipped) = (next.steps.bytes(), next.roles.bytes(), next.skipped);
        state.phase = Phase::Allot;
    }
}
