//! The turn of Ashte Kashte: throw, move one piece or one double, throw again after a 4 or 8 (the rules, section 3.4).

use crate::flags::{AshteKashteRules, Compulsion, Entry};
use crate::game::{Action, ActionMask, MAX_SEATS, Seat};
use crate::games::ashte_kashte::{self, PROTECTED, THROWS};
use crate::race::Seating;
use crate::race::actions::{PAIRS, PASS, SINGLES};
use crate::race::board::{Board, NOWHERE};
use crate::race::state::{MAX_PIECES, Phase, State, sort};

/// The rules of the turn with their tables. Places: 0 in hand, 1 + `lead_in` … on the course, `home`.
#[derive(Clone, Debug)]
pub(crate) struct SingleTurns {
    seating: Seating,
    pub(crate) rules: AshteKashteRules,
    pub(crate) board: Board,
    chance: [f32; 5],
    pub(crate) home: u8,
    /// What is added to an index on the course to give a place: 1 where the start square counts one.
    pub(crate) shift: u8,
    /// Protected places, as bits; the same for every seat.
    pub(crate) protected: u64,
    /// `on_course[quarters][place]`: the place on a seat's course, as a bit, of a piece of the seat `quarters`
    /// counter-clockwise; nothing for pieces that are elsewhere.
    on_course: Box<[[u64; PLACES]; MAX_SEATS]>,
}

/// Entries of a table by place: a power of two, so that a mask keeps within it.
const PLACES: usize = 64;

/// Who stands on the mover's course, as bits by place.
pub(super) struct Occupied {
    pub(super) own: u64,
    pub(super) own_doubles: u64,
    pub(super) enemies: u64,
    pub(super) enemy_doubles: u64,
}

impl SingleTurns {
    pub(crate) fn new(rules: AshteKashteRules, seating: Seating) -> SingleTurns {
        let board = Board::new(ashte_kashte::course(&rules));
        let shift = match rules.entry {
            Entry::StartIsZero => 0,
            Entry::StartIsOne => 1,
        };
        let course = board.course(Seat::SOUTH);
        let protected =
            course.iter().enumerate().filter(|(_, square)| PROTECTED.contains(&(square.row, square.column)));
        let mut turns = SingleTurns {
            seating,
            rules,
            chance: THROWS.map(|(_, probability)| probability),
            home: course.len() as u8 - 1 + shift,
            shift,
            protected: protected.fold(0, |bits, (index, _)| bits | 1 << (index as u8 + shift)),
            board,
            on_course: Box::new([[0; PLACES]; MAX_SEATS]),
        };
        for (quarters, other) in Seat::ALL.into_iter().enumerate() {
            for place in 1..turns.home {
                let here = turns.same_place(other, place, Seat::SOUTH);
                turns.on_course[quarters][usize::from(place)] = if here == NOWHERE { 0 } else { 1 << here };
            }
        }
        turns
    }

    pub(crate) fn chance_outcomes(&self) -> &[f32] {
        &self.chance
    }

    pub(crate) fn apply_chance(&self, state: &mut State, outcome: usize) {
        state.dice[0] = THROWS[outcome].0;
        state.phase = Phase::Choose;
    }

    /// The place that `other` has for the square that is `place` of `seat`, or [`NOWHERE`].
    pub(crate) fn same_place(&self, seat: Seat, place: u8, other: Seat) -> u8 {
        let index = self.board.same_square(seat, place - self.shift, other);
        if index == NOWHERE { NOWHERE } else { index + self.shift }
    }

    #[inline]
    fn occupied(&self, state: &State) -> Occupied {
        let mover = state.mover;
        let count = |sum: (u64, u64), seat: Seat| {
            let quarters = (seat.index() + MAX_SEATS - mover.index()) % MAX_SEATS;
            self.add_places(sum, &state.pieces[seat.index()], quarters)
        };
        let (own, own_doubles) = count((0, 0), mover);
        // Two owners never stand on one square, so a square counted twice is a double.
        let (enemies, enemy_doubles) = self.seating.others(mover).iter().copied().fold((0, 0), count);
        Occupied { own, own_doubles, enemies, enemy_doubles }
    }

    /// Adds pieces of the seat `quarters` counter-clockwise to the squares with a piece and those with two.
    #[inline]
    pub(super) fn add_places(&self, sum: (u64, u64), places: &[u8; MAX_PIECES], quarters: usize) -> (u64, u64) {
        let bits = places.iter().map(|&place| self.on_course[quarters][usize::from(place) % PLACES]);
        bits.fold(sum, |(ones, twos), bit| (ones | bit, twos | ones & bit))
    }

    pub(crate) fn legal_actions(&self, state: &State) -> ActionMask {
        self.moves(&state.pieces[state.mover.index()], state.dice[0], &self.occupied(state))
    }

    /// The legal actions of a seat with these pieces.
    #[inline]
    pub(super) fn moves(&self, own: &[u8; MAX_PIECES], throw: u8, occupied: &Occupied) -> ActionMask {
        let doubles = occupied.own_doubles | occupied.enemy_doubles;
        let closed_to_singles = doubles | self.protected & (occupied.own | occupied.enemies);
        let closed_to_doubles = self.protected | occupied.own;
        let mut mask = ActionMask::EMPTY;
        let mut is_only_merging = true;
        // Below, `&` instead of `&&`: nobody can foresee these answers, and a wrong guess costs more than all of them.
        for slot in 0..self.seating.pieces {
            let (from, to) = (own[slot], own[slot] + throw);
            let is_offered = (to <= self.home) & (slot == 0 || own[slot - 1] != from);
            let landing = 1_u64 << to;
            let closed = doubles & SingleTurns::between(from, to) | closed_to_singles & landing;
            let may_go_alone = is_offered & (closed == 0);
            let is_double = occupied.own_doubles >> from & 1 == 1;
            let may_go_together = is_offered & is_double & (closed_to_doubles & landing == 0);
            if may_go_alone {
                mask.insert(Action(SINGLES.0 + slot as u8));
            }
            if may_go_together {
                mask.insert(Action(PAIRS.0 + slot as u8));
            }
            is_only_merging &= !may_go_together & (!may_go_alone | (occupied.own & landing != 0));
        }
        if self.may_pass(mask.is_empty(), is_only_merging) {
            mask.insert(PASS);
        }
        mask
    }

    /// Whether a seat may pass that cannot move, or can only merge pieces into doubles.
    #[inline]
    pub(super) fn may_pass(&self, is_stuck: bool, is_only_merging: bool) -> bool {
        match self.rules.compulsion {
            Compulsion::ForcedExceptMerge => is_only_merging,
            Compulsion::Forced => is_stuck,
            Compulsion::Optional => true,
        }
    }

    /// The places between two, as bits.
    #[inline]
    pub(super) fn between(from: u8, to: u8) -> u64 {
        ((1_u64 << to) - 1) & !((2_u64 << from) - 1)
    }

    pub(crate) fn apply_action(&self, state: &mut State, action: Action) {
        let mover = state.mover;
        let throw = state.dice[0];
        let mut has_captured = false;
        if action < PASS {
            let (places, to) = self.moved(&state.pieces[mover.index()], throw, action);
            state.pieces[mover.index()] = places;
            if places[0] == self.home {
                state.finished[mover.index()] = 1;
                return state.end();
            }
            has_captured = self.is_contested(to) && self.capture(state, mover, to);
        }
        let throws_again = self.throws_again(throw, has_captured);
        state.begin_turn(if throws_again { mover } else { self.seating.next(mover) });
    }

    /// The places after an action other than passing, and where it landed.
    #[inline]
    pub(super) fn moved(&self, own: &[u8; MAX_PIECES], throw: u8, action: Action) -> ([u8; MAX_PIECES], u8) {
        let is_pair = action >= PAIRS;
        let slot = usize::from(action.0 % PAIRS.0);
        let to = own[slot].saturating_add(throw).min(self.home);
        let is_moving = |at: usize| at == slot || is_pair && at == slot + 1;
        let mut places = std::array::from_fn(|at| if is_moving(at) { to } else { own[at] });
        sort(&mut places);
        (places, to)
    }

    /// Whether pieces can be captured on a place.
    #[inline]
    pub(super) fn is_contested(&self, place: u8) -> bool {
        place < self.home && self.protected >> place & 1 == 0
    }

    /// Whether the same seat throws again.
    #[inline]
    pub(super) fn throws_again(&self, throw: u8, has_captured: bool) -> bool {
        throw == 4 || throw == 8 || has_captured && self.rules.capture_bonus
    }

    fn capture(&self, state: &mut State, mover: Seat, place: u8) -> bool {
        self.seating.others(mover).iter().any(|&enemy| {
            let there = self.same_place(mover, place, enemy);
            self.send_off(&mut state.pieces[enemy.index()], there)
        })
    }

    /// Takes the pieces that stand on a place off the board; whether there were any.
    pub(super) fn send_off(&self, pieces: &mut [u8; MAX_PIECES], there: u8) -> bool {
        let is_captured = there != NOWHERE && there > 0 && pieces.contains(&there);
        if is_captured {
            pieces.iter_mut().filter(|piece| **piece == there).for_each(|piece| *piece = 0);
            sort(pieces);
        }
        is_captured
    }
}
