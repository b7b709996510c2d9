//! The turn with a series of throws that are then allotted to pieces and units. Each piece or unit
//! moves in one hop by the sum of its throws.
//!
//! Throws are allotted in a fixed order: by ascending value; the throw that ended the series comes
//! last. An allotted throw is a label on the piece until the turn is complete; then all pieces land
//! together. An action is legal if the whole series can then still be allotted legally.

pub(crate) mod allot;
mod most;
mod offers;
mod resolve;

use std::sync::Arc;

use super::{
    KindOfTurn, TurnMachine,
    series_throws::{SKIPPED, SeriesThrows},
    text::{Move, MoveKind, TurnNotation, TurnWords},
};
use crate::{
    game::{Action, ActionMask, Seat},
    race::{
        compile::Rules,
        position::{
            seating::Participants,
            slots::{Set, Slots},
            state::{MAX_PIECES, Phase, SeriesKind, State, role},
        },
        turns::actions::{self, with_pass},
    },
    sheet::values::{Must, Speed},
};
use allot::{Allotment, SeriesTurn};

pub const KIND: KindOfTurn = KindOfTurn {
    letter: 'S',
    name: "turn.kind = \"series\" with turn.hop = \"sum\"",
    dice: 1,
    steps: |[value, _]| 1 << value,
};

/// The rules of the turn with their tables. With a throw of 1, pieces enter and are borne off
/// (leave the board), and the series continues.
#[derive(Clone, Debug)]
pub struct SeriesTurns {
    pub rules: Arc<Rules>,
    seating: Participants,
    pub series: SeriesThrows,
    pub must: Must,
    /// Places on marked squares, which have no captures, as bits. Equal for all seats.
    pub marked: u64,
    /// Whether a piece of an enemy closes a marked square.
    pub blocks: bool,
    /// Places that two pieces can leave as a declared unit (`unit.kind = "declared"`), as bits.
    opposite: u64,
    /// Whether a piece that enters can capture.
    enters_among_enemies: bool,
    /// Whether pieces are borne off from the finish.
    bears: bool,
    /// Whether a turn can end after any hop: each hop goes at least one step and can land on any
    /// square, and the rules let throws stay unused.
    always_completes: bool,
}

impl SeriesTurns {
    pub fn new(rules: Arc<Rules>) -> SeriesTurns {
        let blocks = rules.closing.to_single[2] != 0;
        SeriesTurns {
            series: SeriesThrows::new(Arc::clone(&rules)),
            must: rules.turn.must,
            marked: rules.marked as u64,
            blocks,
            opposite: rules.declaring as u64,
            always_completes: !blocks
                && rules.unit.speed != Speed::HalfSpent
                && rules.turn.must != Must::Greedy,
            enters_among_enemies: rules.contested >> 1 & 1 == 1,
            bears: rules.goal > rules.home,
            seating: rules.seating,
            rules,
        }
    }

    /// Returns whether the rules allow the tables of `turn_index`: a capture grants another series,
    /// pieces are borne off, and pieces that enter do not capture.
    pub fn allows_tables(&self) -> bool {
        self.rules.turn.again_on_capture && self.bears && !self.enters_among_enemies
    }

    #[inline]
    fn turn(&self, state: &State) -> SeriesTurn {
        let mover = state.mover;
        let closed = if self.blocks {
            self.enemy_places(state) & self.marked
        } else {
            0
        };
        SeriesTurns::turn_of(state.pieces[mover], state.declared[mover], closed)
    }

    #[inline]
    pub fn turn_of(places: [u8; MAX_PIECES], declared: u8, closed: u64) -> SeriesTurn {
        let declared = if declared == 0 {
            Set::NONE
        } else {
            Set::of(|slot| declared >> slot & 1 == 1)
        };
        SeriesTurn {
            own: Slots::of(places),
            declared,
            closed,
        }
    }

    /// Returns the places of the mover with an enemy on their square, as bits.
    fn enemy_places(&self, state: &State) -> u64 {
        self.seating
            .others(state.mover)
            .iter()
            .fold(0, |places, &enemy| {
                places | self.held_places(enemy, &state.pieces[enemy], state.mover)
            })
    }

    /// Returns, as bits, the places on the course of `by` whose squares hold pieces of `seat`.
    /// These pieces are on `places` of the course of `seat`.
    pub fn held_places(&self, seat: Seat, places: &[u8; MAX_PIECES], by: Seat) -> u64 {
        let bits = &self.rules.bits;
        let held = places
            .iter()
            .fold(0, |held, &place| held | bits[seat][place]);
        let is_held = |place: &u8| bits[by][*place] & held != 0;
        (1..self.rules.home)
            .filter(is_held)
            .fold(0, |places, place| places | 1 << place)
    }

    /// Returns the value of the throw that the next action allots, or `None` if all throws are
    /// used.
    pub fn next_value(&self, state: &State) -> Option<u8> {
        self.series
            .remaining(state)
            .split()
            .map(|(throw, _)| self.series.pips(throw))
    }
}

impl TurnMachine for SeriesTurns {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    #[inline]
    fn series(&self) -> Option<&SeriesThrows> {
        Some(&self.series)
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> ActionMask {
        match self.series.remaining(state).split() {
            Some((throw, rest)) => {
                self.offers(&self.turn(state), &Allotment::of(state), throw, rest)
            }
            None => with_pass(ActionMask::EMPTY, false),
        }
    }

    #[inline]
    fn apply_action(&self, state: &mut State, action: Action) {
        let allotment = Allotment::of(state);
        let Some((throw, rest)) = self.series.remaining(state).split() else {
            return self.resolve(state, &allotment);
        };
        let turn = self.turn(state);
        let next = self.give(&turn, &allotment, throw, action);
        if rest.count() == 0 || !self.can_use_more(&turn, &next, rest) {
            return self.resolve(state, &next);
        }
        self.series.use_up(state, throw);
        (state.steps, state.roles, state.registers[SKIPPED]) =
            (next.steps.bytes(), next.roles.bytes(), next.skipped);
        state.phase = Phase::Allot;
    }
}

impl TurnNotation for SeriesTurns {
    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String> {
        self.series
            .load(state, values, phase, phase == Phase::Throw)
    }

    fn role(&self, sign: &str, place: u8, is_zero: bool) -> Option<u8> {
        let entered = if place == 0 {
            role::ENTERED
        } else {
            role::FRESH
        };
        let role = match sign {
            "+" if is_zero => role::FRESH,
            "+" => role::SINGLE,
            "&" => role::LEAD,
            "~" => role::FOLLOWER,
            "-" => role::BORNE,
            _ => return None,
        };
        Some(role | entered)
    }

    fn is_playable(&self, state: &State, _: &dyn Fn(&State) -> bool) -> bool {
        self.can_complete(state)
    }

    fn words(&self) -> TurnWords {
        TurnWords {
            turn: &[
                "Throws are made until one ends the series. Then all of them are shared out among the pieces.",
                "A piece moves at most once in a series: in one hop by one throw, or by the sum of several.",
                "A piece that enters may move on in the same series.",
            ],
            half_spent: "A unit moves by half of each throw, rounded down. It uses a 1 only with other throws.",
            not_borne: "A piece that entered or moved in the same series is not borne off.",
            ..TurnWords::ONE_BY_ONE
        }
    }

    fn action_text(&self, state: &State, action: Action) -> String {
        let next = self.series.remaining(state).split().map(|(throw, _)| throw);
        self.series.action_text(state, state.mover, action, next)
    }

    fn unit_move(&self, state: &State, action: Action) -> Option<Move> {
        let slot = actions::slot(action, self.seating.pieces)?;
        let value = self.next_value(state)?;
        let place = state.pieces[state.mover][slot];
        let is_waiting = state.roles[slot] & (role::ENTERED | role::TAKEN) == 0;
        let is_pair = actions::is_pair(action, self.seating.pieces);
        let steps = if is_pair {
            self.joint_steps(value)
        } else {
            value
        };
        let to = place.max(1) + state.steps[slot] + steps;
        let mut next = match place {
            0 if is_waiting => Move::by(MoveKind::Enter, slot, [0, 1], value),
            _ if place == self.rules.home => {
                Move::by(MoveKind::Bear, slot, [place, place + 1], value)
            }
            _ => Move::by(
                MoveKind::of(action, self.seating.pieces),
                slot,
                [place.max(1), to.min(self.rules.goal)],
                value,
            ),
        };
        if is_pair {
            next.steps = steps;
        }
        Some(next)
    }

    fn unused_throws(&self, state: &State) -> Vec<u8> {
        self.series.skipped(state)
    }

    fn name_throws(&self, state: &State, taken: &mut Move) {
        let steps = taken.steps;
        taken.from = taken.from.max(1);
        // Throws are allotted in ascending order, 1s first; only the throw that ended the series
        // can be out of order.
        let are_ones =
            self.next_value(state) == Some(1) || steps < self.series.face(SeriesKind::Second);
        if matches!(taken.kind, MoveKind::Together(_)) && self.rules.unit.speed != Speed::Full {
            taken.hidden = steps;
        } else if are_ones {
            taken.throws = vec![1; usize::from(steps)];
        } else {
            taken.throws = vec![steps];
        }
    }
}
