//! The turn that divides the total of two dice between the pieces on the board. Each piece makes at
//! most one hop.
//!
//! Pieces get their parts one after the other, in ascending order: action n gives n points of the
//! total to the next piece. [`DivideTurns::enter`] uses a doublet (two equal dice) to enter a
//! piece. A turn must use as many points as possible.

use std::sync::Arc;

use super::{
    KindOfTurn, TurnMachine,
    text::{Move, MoveKind, TurnNotation, TurnWords},
};
use crate::{
    game::{Action, ActionMask},
    race::{
        compile::{ByNumber, ByPlace, Rules, WALL, reach::places_of},
        position::state::{MAX_PIECES, Phase, State, role, sort},
    },
};

pub const KIND: KindOfTurn = KindOfTurn {
    letter: 'V',
    name: "turn.kind = \"divide\"",
    dice: 2,
    // Any part of the total is a hop.
    steps: |[a, b]| (2 << (a + b)) - 2,
};

#[derive(Clone, Debug)]
pub struct DivideTurns {
    pub rules: Arc<Rules>,
    /// For each place, the step counts that a piece can move, as bits; always contains 0.
    steps: Box<ByPlace<u32>>,
}

impl DivideTurns {
    pub fn new(rules: Arc<Rules>) -> DivideTurns {
        let can_move = |from: u8, count: u8| from > 0 && rules.target(from, count, true) != WALL;
        let steps = |from: u8| {
            (1..=rules.longest)
                .filter(|&count| can_move(from, count))
                .fold(1, |all, count| all | 1 << count)
        };
        DivideTurns {
            steps: Box::new(ByNumber::new(steps)),
            rules,
        }
    }

    /// Returns the action that enters a piece.
    pub fn enter(&self) -> Action {
        Action(self.rules.longest + 1)
    }

    /// Returns the number of pieces that already have their part.
    pub fn parts_given(&self, state: &State) -> usize {
        state.roles[..self.rules.pieces()]
            .iter()
            .filter(|&&role| role != role::FRESH)
            .count()
    }

    fn next_slot(&self, state: &State) -> usize {
        self.parts_given(state).min(self.rules.pieces() - 1)
    }

    pub fn pips_left(&self, state: &State) -> u8 {
        let left = state.dice[0] + state.dice[1];
        state
            .steps
            .iter()
            .fold(left, |left, &steps| left.saturating_sub(steps))
    }

    /// Returns the parts that a piece can get, as bits. 0 is always possible.
    fn parts(&self, place: u8, dice: [u8; 2]) -> u32 {
        let total = dice[0] + dice[1];
        let parts = self.steps[place] & ((2 << total) - 1);
        let home = self.rules.home.saturating_sub(place);
        let needs_doublet = self.rules.effects[home].needs_doublet;
        if needs_doublet && home <= total && dice != [home, home] {
            parts & !(1 << home)
        } else {
            parts
        }
    }

    /// Returns the numbers of points that the pieces from `slot` on can use together, as bits.
    fn sums(&self, own: &[u8; MAX_PIECES], slot: usize, dice: [u8; 2]) -> u32 {
        let total = (2_u64 << (dice[0] + dice[1])) - 1;
        let add = |sums: u64, &place: &u8| {
            places_of(self.parts(place, dice).into()).fold(0, |all, part| all | sums << part)
                & total
        };
        own[slot..self.rules.pieces()].iter().fold(1, add) as u32
    }

    pub fn can_enter(&self, state: &State) -> bool {
        let [a, b] = state.dice;
        let own = &state.pieces[state.mover];
        let stage = self.rules.entry_stage(state, state.mover, own);
        a == b && own[0] == 0 && self.rules.effects[a].enters[stage]
    }

    /// Returns whether an action can be applied: it enters a waiting piece, or the next piece can
    /// move this number of steps.
    fn can_apply(&self, state: &State, action: Action) -> bool {
        let slot = self.parts_given(state);
        if action == self.enter() {
            return slot == 0 && self.can_enter(state);
        }
        let parts = || self.parts(state.pieces[state.mover][slot], state.dice);
        slot < self.rules.pieces()
            && action.0 <= self.pips_left(state)
            && parts() >> action.0 & 1 == 1
    }

    /// Captures on the landing places, writes the mover's places, and ends the turn.
    fn finish(
        &self,
        state: &mut State,
        mut own: [u8; MAX_PIECES],
        landings: impl Iterator<Item = u8>,
    ) {
        let mover = state.mover;
        let has_captured = landings.fold(false, |any, to| {
            any | self.rules.capture(state, mover, to, 1)
        });
        sort(&mut own);
        state.pieces[mover] = own;
        let turn = &self.rules.turn;
        let is_doublet = state.dice[0] == state.dice[1];
        self.end_turn(
            state,
            is_doublet && turn.again_on_doublet || has_captured && turn.again_on_capture,
        );
    }
}

impl TurnMachine for DivideTurns {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn actions(&self) -> usize {
        usize::from(self.rules.longest) + 2
    }

    /// Actions are numbers of points, not pieces.
    fn is_well_formed(&self, _: Action) -> bool {
        true
    }

    fn legal_actions(&self, state: &State) -> ActionMask {
        let own = &state.pieces[state.mover];
        let (slot, left) = (self.parts_given(state), self.pips_left(state));
        let total = state.dice[0] + state.dice[1];
        let can_enter = self.can_enter(state);
        let most = if can_enter {
            total
        } else {
            self.sums(own, 0, state.dice).ilog2() as u8
        };
        let rest = self.sums(own, slot + 1, state.dice);
        let used = total - left;
        let parts = self.parts(own[slot], state.dice);
        let completes = |part: &u8| {
            parts >> part & 1 == 1 && most >= used + part && rest >> (most - used - part) & 1 == 1
        };
        let enters = (slot == 0 && can_enter).then(|| self.enter());
        let mask: ActionMask = (0..=left)
            .filter(completes)
            .map(Action)
            .chain(enters)
            .collect();
        if mask.is_empty() {
            [Action(0)].into_iter().collect()
        } else {
            mask
        }
    }

    fn apply_action(&self, state: &mut State, action: Action) {
        if !self.can_apply(state, action) {
            return;
        }
        let mut own = state.pieces[state.mover];
        if action == self.enter() {
            own[0] = 1;
            return self.finish(state, own, [1].into_iter());
        }
        let slot = self.parts_given(state);
        state.roles[slot] = role::SINGLE;
        state.steps[slot] = action.0;
        state.phase = Phase::Allot;
        // Later pieces have a choice only if they can use one of the unused points.
        if self.sums(&own, slot + 1, state.dice) & ((2 << self.pips_left(state)) - 2) != 0 {
            return;
        }
        let landed: [u8; MAX_PIECES] =
            std::array::from_fn(|slot| own[slot].wrapping_add(state.steps[slot]));
        let hops = landed
            .into_iter()
            .zip(state.steps)
            .take(self.rules.pieces())
            .filter(|&(_, steps)| steps > 0)
            .map(|(place, _)| place);
        self.finish(state, landed, hops);
    }

    fn throws_left(&self, state: &State, mut add: impl FnMut(u8, u8)) {
        add(self.pips_left(state), 1);
    }

    fn entered_by_all(&self, state: &State) -> Option<u128> {
        Some(u128::from(self.can_enter(state)) << 1)
    }
}

impl TurnNotation for DivideTurns {
    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String> {
        self.rules
            .load_dice(state, values, if phase == Phase::Throw { 0 } else { 2 })
    }

    fn role(&self, sign: &str, _: u8, _: bool) -> Option<u8> {
        (sign == "+").then_some(role::SINGLE)
    }

    /// Returns whether each part was legal when it was given.
    fn is_playable(&self, state: &State, _: &dyn Fn(&State) -> bool) -> bool {
        // Pieces get their parts in ascending order.
        let given = self.parts_given(state);
        if given == 0 || state.roles[..given].contains(&role::FRESH) {
            return false;
        }
        let mut after = *state;
        (0..given).rev().all(|last| {
            let mut before = after;
            (before.roles[last], before.steps[last]) = (role::FRESH, 0);
            before.phase = if last == 0 {
                Phase::Choose
            } else {
                Phase::Allot
            };
            let is_legal = self.can_lead_to(&before, &after);
            after = before;
            is_legal
        })
    }

    fn words(&self) -> TurnWords {
        TurnWords {
            turn: &[
                "Two dice are thrown at once. Their total is divided at will between the pieces on the board.",
                "Each piece makes at most one hop, by its part of the total; one piece may take all of it.",
            ],
            used: ["pip", "pips of the total"],
            entering: ["any doublet", "a doublet of"],
            ..TurnWords::ONE_BY_ONE
        }
    }

    fn action_text(&self, state: &State, action: Action) -> String {
        if action == self.enter() {
            return "enter".to_owned();
        }
        format!(
            "{}: {}",
            action.0,
            self.rules
                .place_text(state.pieces[state.mover][self.next_slot(state)])
        )
    }

    fn divides(&self) -> bool {
        true
    }

    fn unit_move(&self, state: &State, action: Action) -> Option<Move> {
        let own = &state.pieces[state.mover];
        if action == self.enter() {
            return Some(Move::by(MoveKind::Enter, 0, [own[0], 1], state.dice[0]));
        }
        let slot = self.next_slot(state);
        let next = Move::by(
            MoveKind::Alone,
            slot,
            [own[slot], own[slot] + action.0],
            action.0,
        );
        (action.0 > 0).then_some(next)
    }
}
