//! The turn that plays the throws of a series, or several dice, one by one in any order. A piece
//! lands after each throw.
//!
//! Pieces that move together use one throw of a series, or one die for each piece. Unused throws
//! are offered in ascending order; the throw that ended the series is last. [`LATER`] sets the
//! offered throws aside until another throw is played. A search over all orders of the unused
//! throws finds the throws that must be used.

use std::{collections::HashMap, sync::Arc};

use super::{
    KindOfTurn, TurnMachine,
    series_throws::{AllottedThrow, CAPTURED, SKIPPED, SeriesThrows},
    text::{Move, TurnNotation, TurnWords},
};
use crate::{
    game::{Action, ActionMask, Seat},
    race::{
        compile::Rules,
        moves::{Group, Moves, Occupied},
        position::state::{Phase, State},
        turns::actions::{
            self, EACH_ACTIONS, LATER, PAIRS, PASS, SINGLES, THREES, THREES_ACTIONS, with_pass,
        },
    },
    sheet::values::Must,
};

pub const KIND: KindOfTurn = KindOfTurn {
    letter: 'E',
    name: "turn.kind = \"series\" with turn.hop = \"each\"",
    dice: 1,
    steps: |[value, _]| 1 << value,
};

#[derive(Clone, Debug)]
pub struct EachTurns {
    pub series: SeriesThrows,
    moves: Moves,
    rules: Arc<Rules>,
}

/// Transposition table: the largest number of throws that can still be used from each position.
type Memo = HashMap<State, u32>;

impl EachTurns {
    pub fn new(rules: Arc<Rules>) -> EachTurns {
        EachTurns {
            series: SeriesThrows::new(Arc::clone(&rules)),
            moves: Moves::new(Arc::clone(&rules)),
            rules,
        }
    }

    /// Iterates over the kinds of unused throws, in the order of play.
    pub fn kinds_left(&self, state: &State) -> impl Iterator<Item = AllottedThrow> {
        self.series
            .remaining_throws(state)
            .filter(|&(_, count)| count > 0)
            .map(|(throw, _)| throw)
    }

    fn count(&self, state: &State) -> u32 {
        self.series
            .remaining_throws(state)
            .map(|(_, count)| u32::from(count))
            .sum()
    }

    /// Returns whether a seat is free to play any possible throw, even if other throws then stay
    /// unused.
    fn is_free(&self) -> bool {
        self.rules.turn.must != Must::Most
    }

    /// Returns the number of throws that `together` pieces use when they move together.
    fn throws_used(&self, together: usize) -> u8 {
        if self.rules.dice > 1 {
            together as u8
        } else {
            1
        }
    }

    /// Iterates over the unused throws that are not set aside.
    fn offered(&self, state: &State) -> impl Iterator<Item = AllottedThrow> {
        self.kinds_left(state)
            .filter(|&throw| state.registers[SKIPPED] & self.series.bit(throw) == 0)
    }

    /// Returns the occupied cells and the cells closed to the moving pieces.
    fn occupied(&self, state: &State) -> Occupied {
        let colour = self.colour(state);
        self.moves.occupied(state, colour, &state.pieces[colour])
    }

    /// Returns the place where a group of the mover lands by a throw, or `None` if it is not
    /// allowed to move.
    fn landing(&self, on: &Occupied, state: &State, group: Group, value: u8) -> Option<u8> {
        let colour = self.colour(state);
        self.moves
            .landing(on, state, colour, &state.pieces[colour], group, value)
    }

    fn group(&self, action: Action) -> Group {
        let pieces = self.rules.pieces();
        Group {
            slot: actions::slot(action, pieces).unwrap_or(0),
            count: actions::together(action, pieces),
        }
    }

    /// Returns the units that can play a throw.
    fn takers(&self, occupied: &Occupied, state: &State, throw: AllottedThrow) -> ActionMask {
        let (colour, value) = (self.colour(state), self.series.pips(throw));
        let own = &state.pieces[colour];
        let like = |slot: usize| (own[slot], state.declared[colour] >> slot & 1);
        let count = self
            .series
            .remaining_throws(state)
            .filter(|&(other, _)| other == throw)
            .map(|(_, count)| count)
            .sum();
        let go_in_threes = self.rules.unit.three.contains(&value);
        let units = [
            (SINGLES, 1),
            (PAIRS, 2),
            (THREES, if go_in_threes { 3 } else { 0 }),
        ];
        let mut mask = ActionMask::EMPTY;
        for slot in
            (0..self.rules.pieces()).filter(|&slot| slot == 0 || like(slot - 1) != like(slot))
        {
            for (actions, together) in units
                .into_iter()
                .filter(|&(_, many)| many > 0 && self.throws_used(many) <= count)
            {
                if self
                    .landing(
                        occupied,
                        state,
                        Group {
                            slot,
                            count: together,
                        },
                        value,
                    )
                    .is_some()
                {
                    mask.insert(Action(actions.0 + slot as u8));
                }
            }
        }
        mask
    }

    fn played(&self, state: &State, throw: AllottedThrow, action: Action) -> State {
        let (mut next, group) = (*state, self.group(action));
        let to = self.landing(&self.occupied(state), state, group, self.series.pips(throw));
        (0..self.throws_used(group.count)).for_each(|_| self.series.use_up(&mut next, throw));
        next.registers[SKIPPED] = 0;
        next.phase = Phase::Allot;
        if let Some(to) = to {
            next.registers[CAPTURED] |=
                u8::from(self.moves.play(&mut next, self.colour(state), group, to));
        }
        next
    }

    /// Returns the largest number of throws that can still be used.
    fn best(&self, state: &State, memo: &mut Memo) -> u32 {
        let left = self.count(state);
        if left == 0 || self.rules.has_finished(&state.pieces[self.colour(state)]) {
            return 0;
        }
        if let Some(&known) = memo.get(state) {
            return known;
        }
        let (mut best, occupied) = (0, self.occupied(state));
        'found: for throw in self.kinds_left(state) {
            for action in self.takers(&occupied, state, throw).iter() {
                let next = self.played(state, throw, action);
                best = best.max(left - self.count(&next) + self.best(&next, memo));
                if best == left {
                    break 'found;
                }
            }
        }
        memo.insert(*state, best);
        best
    }

    fn can_play(&self, state: &State) -> bool {
        let occupied = self.occupied(state);
        self.kinds_left(state)
            .any(|throw| !self.takers(&occupied, state, throw).is_empty())
    }
}

impl TurnMachine for EachTurns {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn actions(&self) -> usize {
        if self.rules.unit.three.is_empty() {
            EACH_ACTIONS
        } else {
            THREES_ACTIONS
        }
    }

    #[inline]
    fn series(&self) -> Option<&SeriesThrows> {
        Some(&self.series)
    }

    fn legal_actions(&self, state: &State) -> ActionMask {
        let (mut memo, mut all, occupied) = (Memo::new(), *state, self.occupied(state));
        all.registers[SKIPPED] = 0;
        let best = if self.is_free() {
            0
        } else {
            self.best(&all, &mut memo)
        };
        let mut legal = |throw: AllottedThrow| -> ActionMask {
            let takers = self.takers(&occupied, state, throw);
            if self.is_free() {
                return takers;
            }
            let mut reaches_best = |action: &Action| {
                let next = self.played(state, throw, *action);
                self.count(state) - self.count(&next) + self.best(&next, &mut memo) == best
            };
            takers.iter().filter(&mut reaches_best).collect()
        };
        let mut offered = self.offered(state);
        let mut mask = offered.next().map_or(ActionMask::EMPTY, &mut legal);
        if offered.any(|throw| !legal(throw).is_empty()) {
            mask.insert(LATER);
        }
        with_pass(mask, self.rules.turn.must == Must::Optional)
    }

    fn apply_action(&self, state: &mut State, action: Action) {
        let mut offered = self.offered(state);
        let (throw, has_more) = (offered.next(), offered.next().is_some());
        drop(offered);
        if let Some(throw) = throw.filter(|_| action == LATER && has_more) {
            state.registers[SKIPPED] |= self.series.bit(throw);
            state.phase = Phase::Allot;
            return;
        }
        let plays = action < PASS || action >= THREES;
        if let Some(throw) = throw.filter(|_| plays) {
            *state = self.played(state, throw, action);
        }
        // If any throw can be played, one of them must be played.
        if plays && self.can_play(state) {
            return;
        }
        let again = state.registers[CAPTURED] > 0 && self.rules.turn.again_on_capture;
        self.end_turn(state, again);
    }

    fn is_dead(&self, state: &State) -> bool {
        self.rules.waits_at_gate() && self.moves.are_all_stuck(state)
    }
}

impl TurnNotation for EachTurns {
    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String> {
        self.series
            .load(state, values, phase, phase != Phase::Choose)
    }

    /// Checks that a throw can be played, that only the first kinds of throws are set aside and, if
    /// the turn has captured, that a piece of an enemy waits.
    fn is_playable(&self, state: &State, _: &dyn Fn(&State) -> bool) -> bool {
        let first = self
            .kinds_left(state)
            .take(state.registers[SKIPPED].count_ones() as usize);
        let dice = u32::from(self.rules.dice);
        let waits = |&enemy: &Seat| state.pieces[enemy].contains(&self.rules.sent_to);
        first.fold(0, |bits, throw| bits | self.series.bit(throw)) == state.registers[SKIPPED]
            && (dice == 1 || state.registers[SKIPPED] != 0 || self.count(state) < dice)
            && self
                .legal_actions(state)
                .iter()
                .any(|action| action != PASS)
            && (state.registers[CAPTURED] == 0
                || self
                    .rules
                    .seating
                    .enemies(self.colour(state))
                    .iter()
                    .any(waits))
    }

    fn words(&self) -> TurnWords {
        if self.rules.dice == 1 {
            let turn = &[
                "Throws are made until one ends the series. Then they are used one by one, in any order.",
                "Each throw is a hop with a landing of its own. A piece moves any number of times.",
            ];
            return TurnWords {
                turn,
                ..TurnWords::ONE_BY_ONE
            };
        }
        TurnWords {
            turn: &[
                "All dice are thrown. Then they are used one by one, in any order.",
                "Each die is a hop with a landing of its own. A piece moves any number of times.",
            ],
            used: ["die", "dice"],
            entering: ["any die", "a die of"],
            whole: "A unit moves by the whole throw, which counts for each of its pieces.",
            double: "A unit moves by twice the number of one die.",
            shared: Some("It takes as many equal dice as it has pieces, whose number counts once."),
            ..TurnWords::ONE_BY_ONE
        }
    }

    fn action_text(&self, state: &State, action: Action) -> String {
        self.series.action_text(
            state,
            self.colour(state),
            action,
            self.offered(state).next(),
        )
    }

    fn lands_at_once(&self) -> bool {
        false
    }

    fn unit_move(&self, state: &State, action: Action) -> Option<Move> {
        if [PASS, LATER].contains(&action) {
            return None;
        }
        let (throw, group) = (
            self.series.pips(self.offered(state).next()?),
            self.group(action),
        );
        let target = self.landing(&self.occupied(state), state, group, throw)?;
        let moved = self
            .rules
            .move_of(&state.pieces[self.colour(state)], action, throw, target)?;
        Some(Move {
            used: self.throws_used(group.count).into(),
            ..moved
        })
    }
}
