//! The turn of Ashtapada: a series of throws until a 2 or 3, then allotted to pieces and twins (the rules, section
//! 2.5).
//!
//! Throws are allotted in a fixed order, 1s first and the throw that ended the series last. What has been allotted is a
//! label on the piece until the turn is complete; then everything lands at once, judged in the order of the rules. An
//! action is legal iff it can be completed to a legal allotment of the whole series.

pub(crate) mod allot;
mod fill;
mod resolve;
mod search;
mod text;

use crate::flags::{AshtapadaRules, Marked, MustUse, TwinSpeed, Twins};
use crate::game::{Action, ActionMask, Seat};
use crate::games::ashtapada;
use crate::race::Seating;
use crate::race::actions::PASS;
use crate::race::board::{Board, NOWHERE};
use crate::race::slots::{Set, Slots};
use crate::race::state::{Kind, MAX_PIECES, Phase, Series, State};
use allot::{Allotment, Remaining, Throw, Turn};

/// The rules of the turn with their tables. Places: 0 off, 1 + index, `keep`, `keep + 1` borne off.
#[derive(Clone, Debug)]
pub(crate) struct SeriesTurns {
    seating: Seating,
    pub(crate) rules: AshtapadaRules,
    pub(crate) board: Board,
    throws: [(u8, f32); 5],
    chance: [f32; 5],
    /// The chances when the series can hold no more throws: only a 2 or a 3.
    last_chance: [f32; 5],
    pub(crate) keep: u8,
    /// Places on marked squares, as bits; the same for every seat.
    pub(crate) marked: u64,
    /// Places on the marked squares of the opposite side, as bits.
    opposite: u64,
    /// Whether a turn can end after any hop: hops land anywhere and always move, and throws may be left unused.
    always_completes: bool,
}

impl SeriesTurns {
    pub(crate) fn new(rules: AshtapadaRules, seating: Seating) -> SeriesTurns {
        let board = Board::new(ashtapada::course(&rules));
        let places = |squares: &[(u8, u8)]| {
            let on = board.course(Seat::SOUTH).iter().enumerate();
            on.filter(|(_, square)| squares.contains(&(square.row, square.column)))
                .fold(0, |bits, (index, _)| bits | 1_u64 << (index + 1))
        };
        let throws = ashtapada::throws(&rules);
        let chance = throws.map(|(_, probability)| probability);
        let ending = chance[1] + chance[2];
        SeriesTurns {
            seating,
            rules,
            always_completes: rules.x == Marked::Share
                && rules.twin_speed == TwinSpeed::Full
                && rules.must_use != MustUse::Greedy,
            keep: board.course(Seat::SOUTH).len() as u8 + 1,
            marked: places(&ashtapada::MARKED),
            opposite: places(&ashtapada::OPPOSITE),
            board,
            throws,
            chance,
            last_chance: [0.0, chance[1] / ending, chance[2] / ending, 0.0, 0.0],
        }
    }

    pub(crate) fn chance_outcomes(&self, state: &State) -> &[f32] {
        if state.series.is_full() { &self.last_chance } else { &self.chance }
    }

    /// Whether twins must be declared, so that positions carry declarations.
    pub(crate) fn declares(&self) -> bool {
        self.rules.twins == Twins::Bell
    }

    /// Whether positions within a turn remember which throws were left unused.
    pub(crate) fn remembers_skipped(&self) -> bool {
        self.rules.must_use == MustUse::Greedy
    }

    pub(crate) fn throws(&self) -> impl Iterator<Item = u8> {
        self.throws.iter().map(|throw| throw.0)
    }

    /// The probabilities of the throws.
    pub(crate) fn chances(&self) -> [f32; 5] {
        self.chance
    }

    /// The face value of a throw that does not end the series.
    pub(crate) fn face(&self, kind: Kind) -> u8 {
        match kind {
            Kind::One => 1,
            Kind::Four => 4,
            Kind::Zero => self.throws[4].0,
        }
    }

    pub(crate) fn apply_chance(&self, state: &mut State, outcome: usize) {
        match outcome {
            0 => state.series.push(Kind::One),
            1 | 2 => {
                state.dice[0] = outcome as u8 + 1;
                state.phase = Phase::Choose;
            }
            3 => state.series.push(Kind::Four),
            _ => state.series.push(Kind::Zero),
        }
    }

    /// Whether any piece is on the board, so that every throw is kept.
    #[inline]
    pub(crate) fn is_on_board(&self, places: &[u8; MAX_PIECES]) -> bool {
        let own = Slots::of(*places);
        let beyond = if self.rules.rule7_keep_counts { self.keep + 1 } else { self.keep };
        !(own.at_least(1) & !own.at_least(beyond)).is_empty()
    }

    /// The series that the mover keeps: all of it, or from the first 1 on when no own piece is on the board.
    #[inline]
    fn kept(&self, state: &State) -> (Series, u8) {
        let is_on_board = self.is_on_board(&state.pieces[state.mover.index()]);
        if is_on_board | (state.phase == Phase::Allot) {
            return (state.series, state.dice[0]);
        }
        let series = state.series.starting_with_one();
        (series, if series.is_empty() { 0 } else { state.dice[0] })
    }

    /// How many 1s, 4s and throws without a mouth the mover keeps, and whether the last throw is 2 or 3 (else 0).
    pub(crate) fn kept_counts(&self, state: &State) -> ([u8; 3], u8) {
        let Remaining { ones, fours, zeros, last } = self.remaining(state);
        ([ones, fours, zeros], last)
    }

    #[inline]
    fn remaining(&self, state: &State) -> Remaining {
        let (series, last) = self.kept(state);
        Remaining::of(series, last)
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        let mover = state.mover.index();
        let closed = match self.rules.x {
            Marked::Share => 0,
            Marked::Block => self.enemy_places(state) & self.marked,
        };
        SeriesTurns::turn_of(state.pieces[mover], state.declared[mover], closed)
    }

    /// The turn of a seat with pieces on these places.
    #[inline]
    pub(crate) fn turn_of(places: [u8; MAX_PIECES], declared: u8, closed: u64) -> Turn {
        let declared = if declared == 0 { Set::NONE } else { Set::of(|slot| declared >> slot & 1 == 1) };
        Turn { own: Slots::of(places), declared, closed }
    }

    /// Whether a place is on a marked square, where nobody is captured.
    pub(crate) fn is_marked(&self, place: u8) -> bool {
        self.marked >> place & 1 == 1
    }

    /// Places of the mover that enemies hold, as bits.
    fn enemy_places(&self, state: &State) -> u64 {
        let enemies = self.seating.others(state.mover).iter();
        enemies.fold(0, |places, &enemy| places | self.seen(enemy, &state.pieces[enemy.index()], state.mover))
    }

    /// The squares that `seat` holds with pieces on its `places`, as bits by place of the seat `by`.
    pub(crate) fn seen(&self, seat: Seat, places: &[u8; MAX_PIECES], by: Seat) -> u64 {
        let on_course = places.iter().filter(|&place| (1..self.keep).contains(place));
        let indices = on_course.map(|&place| self.board.same_square(seat, place - 1, by));
        indices.filter(|&index| index != NOWHERE).fold(0, |bits, index| bits | 1 << (index + 1))
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
            Throw::Of(kind) => (state.series, state.dice[0]) = (series.without(kind), last),
            Throw::Last(_) => (state.series, state.dice[0]) = (series, 0),
        }
        (state.steps, state.roles, state.skipped) = (next.steps.bytes(), next.roles.bytes(), next.skipped);
        state.phase = Phase::Allot;
    }
}
