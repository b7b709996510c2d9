//! The turn of Ashte Kashte: throw, move one piece or one double, throw again after a 4 or 8 (the rules, section 3.4).

use crate::flags::{AshteKashteRules, Compulsion, Entry};
use crate::game::{Action, ActionMask, Seat};
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
}

/// Who stands on the mover's course, as bits by place.
struct Occupied {
    own: u64,
    own_doubles: u64,
    enemies: u64,
    enemy_doubles: u64,
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
        SingleTurns {
            seating,
            rules,
            chance: THROWS.map(|(_, probability)| probability),
            home: course.len() as u8 - 1 + shift,
            shift,
            protected: protected.fold(0, |bits, (index, _)| bits | 1 << (index as u8 + shift)),
            board,
        }
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

    fn occupied(&self, state: &State) -> Occupied {
        let mut occupied = Occupied { own: 0, own_doubles: 0, enemies: 0, enemy_doubles: 0 };
        for &place in &state.pieces[state.mover.index()] {
            if place > 0 && place < self.home {
                occupied.own_doubles |= occupied.own & 1 << place;
                occupied.own |= 1 << place;
            }
        }
        for enemy in self.seating.others(state.mover) {
            for &place in &state.pieces[enemy.index()] {
                if place > 0 && place < self.home {
                    let here = self.same_place(enemy, place, state.mover);
                    if here != NOWHERE {
                        occupied.enemy_doubles |= occupied.enemies & 1 << here;
                        occupied.enemies |= 1 << here;
                    }
                }
            }
        }
        occupied
    }

    pub(crate) fn legal_actions(&self, state: &State) -> ActionMask {
        let own = &state.pieces[state.mover.index()];
        let throw = state.dice[0];
        let occupied = self.occupied(state);
        let doubles = occupied.own_doubles | occupied.enemy_doubles;
        let anybody = occupied.own | occupied.enemies;
        let mut mask = ActionMask::EMPTY;
        let mut is_only_merging = true;
        for slot in 0..self.seating.pieces {
            let (from, to) = (own[slot], own[slot] + throw);
            let is_equal_to_lower = slot > 0 && own[slot - 1] == from;
            if is_equal_to_lower || from >= self.home || to > self.home {
                continue;
            }
            let bit = 1_u64 << to;
            let is_home = to == self.home;
            // Everything strictly between `from` and `to`.
            let between = (bit - 1) & !((2_u64 << from) - 1);
            let is_open = if self.protected & bit != 0 { anybody & bit == 0 } else { doubles & bit == 0 };
            if doubles & between == 0 && (is_home || is_open) {
                mask.insert(Action(SINGLES.0 + slot as u8));
                is_only_merging &= occupied.own & bit != 0;
            }
            let may_land = is_home || (self.protected | occupied.own) & bit == 0;
            if occupied.own_doubles >> from & 1 == 1 && may_land {
                mask.insert(Action(PAIRS.0 + slot as u8));
                is_only_merging = false;
            }
        }
        let may_pass = match self.rules.compulsion {
            Compulsion::ForcedExceptMerge => is_only_merging,
            Compulsion::Forced => mask.is_empty(),
            Compulsion::Optional => true,
        };
        if may_pass {
            mask.insert(PASS);
        }
        mask
    }

    pub(crate) fn apply_action(&self, state: &mut State, action: Action) {
        let mover = state.mover;
        let throw = state.dice[0];
        let mut has_captured = false;
        if action < PASS {
            let is_pair = action >= PAIRS;
            let slot = usize::from(action.0 % PAIRS.0);
            let own = &mut state.pieces[mover.index()];
            let to = own[slot].saturating_add(throw).min(self.home);
            own[slot] = to;
            if is_pair && slot + 1 < MAX_PIECES {
                own[slot + 1] = to;
            }
            sort(own);
            if own[self.seating.pieces - 1] == self.home && own[0] == self.home {
                state.finished[mover.index()] = 1;
                return state.end();
            }
            if to < self.home && self.protected >> to & 1 == 0 {
                has_captured = self.capture(state, mover, to);
            }
        }
        let throws_again = throw == 4 || throw == 8 || has_captured && self.rules.capture_bonus;
        state.begin_turn(if throws_again { mover } else { self.seating.next(mover) });
    }

    fn capture(&self, state: &mut State, mover: Seat, place: u8) -> bool {
        for enemy in self.seating.others(mover) {
            let there = self.same_place(mover, place, enemy);
            let pieces = &mut state.pieces[enemy.index()];
            if there != NOWHERE && there > 0 && pieces.contains(&there) {
                pieces.iter_mut().filter(|piece| **piece == there).for_each(|piece| *piece = 0);
                sort(pieces);
                return true;
            }
        }
        false
    }
}
