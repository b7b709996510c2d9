//! The turn that makes and uses throws one by one.

use std::sync::Arc;

use super::{
    FoundEntries, KindOfTurn, TurnMachine,
    registers::{Count, Flags, Registers},
    text::{Move, MoveKind, TurnNotation, TurnWords},
};
use crate::{
    game::{Action, ActionMask, Seat},
    race::{
        compile::{Rules, WALL},
        moves::{BONUS, Group, Moves},
        position::state::{MAX_PIECES, NO_PIECE, Phase, State, sort},
        turns::actions::{self, PASS, with_pass},
    },
    sheet::values::{BonusOrder, Divide, LastThrow, Must},
};

pub const KIND: KindOfTurn = KindOfTurn {
    letter: 'T',
    name: "turn.kind = \"throw\"",
    dice: 1,
    steps: |[value, _]| 1 << value,
};

/// The register of the failed tries to enter in a row.
const TRIES: usize = 0;
/// The register of the throws made in this turn, if the rules limit them.
pub const THROWN: usize = 1;
/// The register of another throw that the first part of a throw has granted: 0 or 1.
const GRANTED: usize = 2;

/// The rules of the turn, with the tables that decisions use.
#[derive(Clone, Debug)]
pub struct ThrowTurns {
    pub rules: Arc<Rules>,
    /// The number of slots that actions name. Actions from this number on name two pieces.
    slots: u8,
    moves: Moves,
    /// Whether some moves have priority over other moves: an entry, or a move of the piece on the
    /// entry square.
    has_priority: bool,
    has_parts: bool,
    /// Whether the step of 1 that some throws give can be played before the throw. If so, the
    /// actions of pairs play the step first.
    steps_first: bool,
    pub has_dead_ends: bool,
    /// Whether every throw can grant another throw by its value, even if the throw stays unused. No
    /// throw is lost.
    always_counts: bool,
    most_throws: u8,
    /// Whether the last throw of a turn is lost if its value would grant another throw.
    loses_last: bool,
    /// Whether a throw can have two parts.
    is_in_parts: bool,
}

/// The part of a throw that is used next. A position has the number that is left and, in the second
/// part, the whole throw.
struct Part {
    kind: PartKind,
    /// The value that moves a piece; [`BONUS`] for a step.
    value: u8,
    /// The value of the whole throw.
    thrown: u8,
}

#[derive(PartialEq)]
enum PartKind {
    /// The whole throw.
    Whole,
    /// A throw that has let a piece enter, and can still move a piece.
    Entered,
    /// The rest of a divided throw.
    Rest,
    /// The step of 1 after a throw.
    Step,
    /// A throw whose step has been used first.
    AfterStep,
}

impl ThrowTurns {
    pub fn new(rules: Arc<Rules>) -> ThrowTurns {
        let (turn, entry) = (&rules.turn, &rules.entry);
        ThrowTurns {
            has_priority: entry.compulsory || entry.clear || entry.by_bonus,
            has_parts: turn.divide == Divide::Finish,
            steps_first: turn.bonus_order == BonusOrder::Any,
            has_dead_ends: rules.waits_at_gate(),
            always_counts: turn.again_unused && turn.last_throw == LastThrow::Played,
            most_throws: turn.throw_limit().unwrap_or(u8::MAX),
            loses_last: turn.last_throw == LastThrow::Lost,
            is_in_parts: turn.divide == Divide::Finish || !entry.spends || !turn.bonus.is_empty(),
            slots: actions::slots(rules.pieces()),
            moves: Moves::new(Arc::clone(&rules)),
            rules,
        }
    }

    /// Returns the pieces that an action moves together.
    #[inline(always)]
    fn group(&self, action: Action) -> Group {
        Group {
            slot: usize::from(action.0 % self.slots),
            count: 1 + usize::from(action.0 >= self.slots),
        }
    }

    /// Returns the place where the pieces of an action land by `value`. An illegal action does not
    /// move a piece.
    #[inline(always)]
    fn target(&self, state: &State, seat: Seat, value: u8, action: Action) -> u8 {
        let (own, group) = (&state.pieces[seat], self.group(action));
        match self.moves.target(state, seat, own, group, value) {
            WALL => own[group.slot],
            to => to,
        }
    }

    /// Moves a piece or a unit of `seat`. Returns whether the move grants one more throw.
    #[inline(always)]
    fn hop(&self, state: &mut State, seat: Seat, throw: u8, action: Action) -> bool {
        let to = self.target(state, seat, throw, action);
        let has_captured = self.moves.play(state, seat, self.group(action), to);
        state.seat_marks |= u8::from(self.rules.remembers_entry) << seat.index();
        has_captured & self.rules.turn.again_on_capture
            | (to == self.rules.home) & self.rules.turn.again_on_finish
            | (self.rules.lands_again >> to & 1 == 1)
    }

    /// Returns whether the piece in `slot` can finish with a part of the throw, and another piece
    /// can use the rest.
    fn can_divide(&self, state: &State, slot: usize, throw: u8) -> bool {
        let (seat, home) = (self.colour(state), self.rules.home);
        let own = &state.pieces[seat];
        let from = own[slot];
        let is_first = slot == 0 || own[slot - 1] != from;
        let part = home.saturating_sub(from);
        is_first && from > 0 && part > 0 && part < throw && {
            let (places, rest) = self.divide(own, slot, throw);
            let on = self.moves.occupied(state, seat, own);
            self.moves
                .landing(&on, state, seat, own, Group { slot, count: 1 }, part)
                == Some(home)
                && !self.takers_of_rest(state, &places, rest).is_empty()
        }
    }

    /// Returns the places after a piece has finished with a part of the throw, and the rest of the
    /// throw.
    fn divide(&self, own: &[u8; MAX_PIECES], slot: usize, throw: u8) -> ([u8; MAX_PIECES], u8) {
        let mut places = *own;
        let part = self.rules.home.saturating_sub(own[slot]);
        places[slot] = self.rules.home;
        sort(&mut places);
        (places, throw.saturating_sub(part))
    }

    /// Returns the pieces on the board that can take the rest of a throw.
    fn takers_of_rest(&self, state: &State, own: &[u8; MAX_PIECES], rest: u8) -> ActionMask {
        let (mask, _) = self.moves.takers(state, self.colour(state), own, rest);
        mask.iter()
            .filter(|action| own[usize::from(action.0 % self.slots)] > 0)
            .collect()
    }

    fn part(&self, state: &State) -> Part {
        let [left, whole] = state.dice;
        let has_step = self.rules.effects[whole].bonus;
        let kind = match state.phase {
            Phase::Allot if has_step && left == 1 => PartKind::Step,
            Phase::Allot if has_step => PartKind::AfterStep,
            Phase::Allot if whole > 0 => PartKind::Rest,
            Phase::Allot => PartKind::Entered,
            _ => PartKind::Whole,
        };
        let value = if kind == PartKind::Step { BONUS } else { left };
        Part {
            kind,
            value,
            thrown: if whole > 0 { whole } else { left },
        }
    }

    fn actions_of_part(&self, state: &State, part: Part) -> ActionMask {
        let rest = || self.takers_of_rest(state, &state.pieces[self.colour(state)], part.value);
        match part.kind {
            PartKind::Whole | PartKind::Step | PartKind::AfterStep => {
                self.actions_of_throw(state, part.value)
            }
            PartKind::Entered => with_pass(rest(), true),
            PartKind::Rest => with_pass(rest(), false),
        }
    }

    #[inline(always)]
    fn actions_of_throw(&self, state: &State, throw: u8) -> ActionMask {
        let seat = self.colour(state);
        let own = &state.pieces[seat];
        let (mut mask, is_only_merging) = self.moves.takers(state, seat, own, throw);
        if self.has_priority && own[0] == 0 {
            mask = self.before_others(own, throw, mask);
        }
        if self.has_parts {
            let parts =
                (0..self.rules.pieces()).filter(|&slot| self.can_divide(state, slot, throw));
            parts.for_each(|slot| mask.insert(Action(self.slots + slot as u8)));
        }
        with_pass(
            mask,
            self.rules.turn.must == Must::Optional
                || self.rules.turn.must == Must::NoMerge && is_only_merging,
        )
    }

    /// Returns the legal actions if a throw and its step can be used in any order. If both must be
    /// used, an action is legal if the other part can be used after it. If no action is, all
    /// actions are legal.
    #[cold]
    fn actions_in_either_order(&self, state: &State) -> ActionMask {
        let steps: ActionMask = self
            .actions_of_throw(state, BONUS)
            .iter()
            .filter(|&step| step < PASS)
            .map(|step| Action(self.slots + step.0))
            .collect();
        let all = self
            .actions_of_throw(state, state.dice[0])
            .iter()
            .chain(steps.iter());
        if self.rules.turn.must == Must::Optional {
            return all.collect();
        }
        let all: ActionMask = all
            .filter(|&action| action < PASS || steps.is_empty())
            .collect();
        let is_whole = |&action: &Action| {
            let mut next = *state;
            self.apply_part(&mut next, action);
            next.phase == Phase::Allot
        };
        let whole: ActionMask = all.iter().filter(is_whole).collect();
        if whole.is_empty() { all } else { whole }
    }

    /// Returns the moves with priority among the moves of a seat with a waiting piece, or all moves
    /// if no move has priority.
    #[cold]
    fn before_others(&self, own: &[u8; MAX_PIECES], throw: u8, mask: ActionMask) -> ActionMask {
        let entry = &self.rules.entry;
        let clears = own
            .iter()
            .position(|&place| entry.clear && place == self.rules.enters_at)
            .map_or(0, |slot| {
                // The piece leaves alone or in a unit.
                (1 << slot | 1 << (self.slots + slot as u8)) & mask.bits()
            });
        if clears != 0 {
            return ActionMask::of_bits(clears);
        }
        if (entry.compulsory || throw == BONUS) && mask.contains(Action(0)) {
            return ActionMask::of_bits(1);
        }
        // Only the waiting piece can use the step after a throw.
        if throw == BONUS && entry.by_bonus {
            ActionMask::EMPTY
        } else {
            mask
        }
    }

    /// Returns whether moves can grant one more throw.
    fn can_grant(&self) -> bool {
        self.rules.turn.again_on_capture
            || self.rules.turn.again_on_finish
            || self.rules.lands_again != 0
    }

    /// Returns whether the throw is lost because it is the last throw of the turn.
    #[inline]
    fn is_lost(&self, state: &State) -> bool {
        self.loses_last
            && state.registers[THROWN] == self.most_throws
            && self.rules.effects[state.dice[0]].again
    }

    /// Returns whether an action can be applied, even if it is illegal. An action of two pieces
    /// needs two pieces on one place of the course. An action that divides a throw needs a throw
    /// that can be divided.
    #[inline]
    fn can_apply(&self, state: &State, action: Action) -> bool {
        if !actions::is_pair(action, self.rules.pieces()) {
            return true;
        }
        let own = &state.pieces[self.colour(state)];
        let slot = usize::from(action.0 % self.slots);
        if self.has_parts && state.phase == Phase::Choose {
            return self.can_divide(state, slot, state.dice[0]);
        }
        if self.steps_first {
            let has_step = self.rules.effects[state.dice[0]].bonus;
            return has_step && state.phase == Phase::Choose && slot < self.rules.pieces();
        }
        own[slot] > 0 && slot + 1 < self.rules.pieces() && own[slot + 1] == own[slot]
    }

    /// Returns whether a throw can grant another throw by its value: it is not lost, and it is
    /// used, could be used, or counts even if it cannot be used.
    #[cold]
    fn can_grant_by_value(&self, state: &State, action: Action) -> bool {
        let could_be_used =
            || self.actions_of_throw(state, state.dice[0]) != ActionMask::of_bits(1 << PASS.0);
        !self.is_lost(state) && (self.rules.turn.again_unused || action < PASS || could_be_used())
    }

    /// Returns whether an action is a failed try to enter: no piece can use the throw, and the seat
    /// has no piece on the course. A throw that is lost is not a try.
    #[inline]
    fn fails_to_enter(&self, state: &State, action: Action) -> bool {
        self.rules.entry.tries > 1
            && action >= PASS
            && state.phase == Phase::Choose
            && !self.is_lost(state)
            && {
                let own = &state.pieces[self.colour(state)];
                !own.iter()
                    .any(|place| (1..self.rules.finished_from).contains(place))
                    && self
                        .actions_of_throw(state, state.dice[0])
                        .iter()
                        .all(|action| action == PASS)
            }
    }

    /// Applies an action if throws can have two parts: two parts of a divided throw, an entry and a
    /// move, or a throw and its step.
    #[inline(never)]
    fn apply_part(&self, state: &mut State, action: Action) {
        let (part, seat) = (self.part(state), self.colour(state));
        let slot = usize::from(action.0 % self.slots);
        let places = &mut state.pieces[seat];
        let is_first = part.kind == PartKind::Whole;
        let (thrown, is_pair) = (
            part.thrown,
            is_first && actions::is_pair(action, self.rules.pieces()),
        );
        if is_pair && self.has_parts {
            let left;
            (*places, left) = self.divide(places, slot, thrown);
            (state.phase, state.dice) = (Phase::Allot, [left, thrown]);
            return;
        }
        let has_entered = action < PASS && places[slot] == 0;
        let counts = !is_first || self.always_counts || self.can_grant_by_value(state, action);
        let fails = self.fails_to_enter(state, action);
        let is_step_first = is_pair && self.steps_first;
        let (action, by) = if is_step_first {
            (Action(slot as u8), BONUS)
        } else {
            (action, part.value)
        };
        let is_granted =
            (state.registers[GRANTED] > 0) | (action < PASS && self.hop(state, seat, by, action));
        if is_first && has_entered && !self.rules.entry.spends {
            (state.phase, state.registers[GRANTED]) = (Phase::Allot, is_granted.into());
            return;
        }
        if is_first && self.rules.effects[thrown].bonus && (counts || !self.loses_last) {
            // The other part is the step, or the throw if the step was first. It follows unless no
            // piece can use it.
            let dice = [if is_step_first { thrown } else { 1 }, thrown];
            let mut next = State {
                phase: Phase::Allot,
                dice,
                ..*state
            };
            next.registers[GRANTED] = is_granted.into();
            let is_home = self.rules.has_finished(&next.pieces[seat]);
            if !is_home
                && self.actions_of_part(&next, self.part(&next)) != ActionMask::of_bits(1 << PASS.0)
            {
                *state = next;
                return;
            }
        }
        self.finish(state, thrown, counts, is_granted, fails);
    }

    /// Ends the throw, and grants another throw or ends the turn. `counts` means that the throw can
    /// grant another throw by its value; `is_granted` means that a move has granted another throw;
    /// `fails` means that the throw is a failed try to enter.
    #[inline(always)]
    fn finish(&self, state: &mut State, thrown: u8, counts: bool, is_granted: bool, fails: bool) {
        let ([tries, count, _], mover) = (state.registers, state.mover);
        let by_value = self.rules.effects[thrown].again & counts;
        let is_granted = (by_value | is_granted) & (self.loses_last | (count < self.most_throws));
        let tries_again = fails & !is_granted & (tries + 1 < self.rules.entry.tries);
        let again = is_granted | tries_again;
        self.end_turn(state, again);
        if again && state.phase == Phase::Throw && state.mover == mover {
            // If the last throw can be lost, and its value has not granted the next throw, the
            // count starts again. Failed tries do not count.
            let counted = count.saturating_sub(tries_again.into());
            state.registers[THROWN] = if self.loses_last && !by_value {
                0
            } else {
                counted
            };
            state.registers[TRIES] = if tries_again { tries + 1 } else { 0 };
        }
    }
}

impl TurnMachine for ThrowTurns {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn apply_chance(&self, state: &mut State, outcome: usize) {
        state.dice[0] = self.rules.outcomes[outcome].values[0];
        state.registers[THROWN] += u8::from(self.most_throws < u8::MAX);
        state.phase = Phase::Choose;
    }

    fn legal_actions(&self, state: &State) -> ActionMask {
        if state.phase == Phase::Allot {
            return self.actions_of_part(state, self.part(state));
        }
        if self.is_lost(state) {
            return ActionMask::of_bits(1 << PASS.0);
        }
        if self.steps_first && self.rules.effects[state.dice[0]].bonus {
            return self.actions_in_either_order(state);
        }
        self.actions_of_throw(state, state.dice[0])
    }

    fn apply_action(&self, state: &mut State, action: Action) {
        if !self.can_apply(state, action) {
            return;
        }
        if self.is_in_parts {
            return self.apply_part(state, action);
        }
        let (seat, thrown) = (self.colour(state), state.dice[0]);
        let counts = self.always_counts || self.can_grant_by_value(state, action);
        let is_granted = action < PASS && self.hop(state, seat, thrown, action);
        self.finish(
            state,
            thrown,
            counts,
            is_granted,
            self.fails_to_enter(state, action),
        );
    }

    #[inline]
    fn is_dead(&self, state: &State) -> bool {
        self.has_dead_ends && self.moves.are_all_stuck(state)
    }

    fn ignore_dead_ends(&mut self) {
        self.has_dead_ends = false;
    }

    /// A divided throw has columns for the rest, which can be any number, and for the whole throw,
    /// which decides whether another throw follows. If throws have steps, one column means "only
    /// the step remains". If the step can be first, another column means "only the throw remains".
    /// If entering does not spend a throw, one column means "a piece has entered with this throw".
    fn throw_columns(&self) -> u16 {
        let faces = self.rules.faces.len() as u16;
        match (self.has_parts, self.rules.turn.bonus.is_empty()) {
            (true, _) => 2 * faces + u16::from(self.rules.longest),
            (false, false) => 2 * faces + 1 + u16::from(self.steps_first),
            (false, true) => faces + u16::from(!self.rules.entry.spends),
        }
    }

    fn registers(&self) -> Registers {
        let turn = &self.rules.turn;
        let thrown = turn.throw_limit().map(|most| Count {
            byte: THROWN,
            sign: '*',
            most,
            throw: 1,
        });
        let tries = (self.rules.entry.tries > 1).then(|| Count {
            byte: TRIES,
            sign: '?',
            most: self.rules.entry.tries - 1,
            throw: 0,
        });
        let can_record = self.can_grant() && (!self.rules.entry.spends || !turn.bonus.is_empty());
        let granted = can_record.then(|| Flags::yes(GRANTED, 8));
        Registers {
            has_parts: self.is_in_parts,
            counts: thrown.into_iter().chain(tries).collect(),
            flags: granted.into_iter().collect(),
        }
    }

    fn observe_throws(&self, state: &State, at: u16, active: &mut FoundEntries) {
        let (part, faces) = (self.part(state), self.rules.faces.len() as u16);
        let (first, second) = match part.kind {
            PartKind::Whole if state.phase == Phase::Throw => return,
            PartKind::Whole => (at, None),
            PartKind::Entered => (at, Some(at + faces)),
            PartKind::Rest => (at + faces, Some(at + 2 * faces + u16::from(part.value) - 1)),
            PartKind::Step => (at + faces, Some(at + 2 * faces)),
            PartKind::AfterStep => (at + faces, Some(at + 2 * faces + 1)),
        };
        active.extend(self.rules.face(part.thrown).map(|face| first + face));
        active.extend(second);
    }

    fn throws_left(&self, state: &State, mut add: impl FnMut(u8, u8)) {
        add(state.dice[0], 1);
    }
}

impl TurnNotation for ThrowTurns {
    fn thrown(&self, state: &State) -> Vec<u8> {
        if state.phase == Phase::Throw {
            Vec::new()
        } else {
            vec![state.dice[0]]
        }
    }

    fn loses_throw(&self, state: &State) -> bool {
        self.is_lost(state)
    }

    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String> {
        let is_thrown = |value: u8| {
            self.rules
                .outcomes
                .iter()
                .any(|throw| throw.values[0] == value)
        };
        match (phase, values) {
            (Phase::Throw, []) => {}
            (Phase::Allot, &[value]) if value > 0 => state.dice[0] = value,
            (Phase::Choose | Phase::Allot, &[value]) if is_thrown(value) => state.dice[0] = value,
            _ => {
                return Err(format!(
                    "a turn has one throw of {}",
                    self.rules.throw_words()
                ));
            }
        }
        Ok(())
    }

    /// In a valid position within a turn, a piece has entered, or a piece has finished with a part
    /// of the throw, or the throw has a step.
    fn is_playable(&self, state: &State, fits: &dyn Fn(&State) -> bool) -> bool {
        let (mover, part, home) = (self.colour(state), self.part(state), self.rules.home);
        if !self.rules.can_throw([part.thrown, 0]) {
            return false;
        }
        let (from, to) = match part.kind {
            PartKind::AfterStep if !self.steps_first || part.value != part.thrown => return false,
            PartKind::Whole | PartKind::Step | PartKind::AfterStep => {
                return self
                    .actions_of_part(state, part)
                    .iter()
                    .any(|action| action != PASS);
            }
            PartKind::Entered => (0, self.rules.enters_at),
            PartKind::Rest => (
                home.saturating_sub(part.thrown.saturating_sub(part.value)),
                home,
            ),
        };
        // Captured pieces are no longer on their places, so the comparison ignores captures.
        let mut played = *state;
        played.registers[GRANTED] = 0;
        (0..self.rules.pieces())
            .filter(|&slot| state.pieces[mover][slot] == to)
            .any(|slot| {
                let mut before = State {
                    dice: [part.thrown, 0],
                    ..played.unplayed()
                };
                before.pieces[mover][slot] = from;
                before.pieces[mover].sort_unstable();
                // This can be the first piece of the seat that has entered.
                let is_first = self.rules.remembers_entry
                    && before.pieces[mover]
                        .iter()
                        .all(|at| [0, NO_PIECE].contains(at));
                let without = State {
                    seat_marks: before.seat_marks & !(u8::from(is_first) << mover.index()),
                    ..before
                };
                fits(&before)
                    && (self.can_lead_to(&before, &played) || self.can_lead_to(&without, &played))
            })
    }

    fn words(&self) -> TurnWords {
        let turn = &[
            "One throw is made and used, by one piece or unit. Then the turn passes on, or one more throw is made.",
        ];
        TurnWords {
            turn,
            ..TurnWords::ONE_BY_ONE
        }
    }

    fn action_text(&self, state: &State, action: Action) -> String {
        let Some(slot) = actions::slot(action, self.rules.pieces()) else {
            return "pass".to_owned();
        };
        let place = self
            .rules
            .place_within(state, &state.pieces[self.colour(state)], slot);
        let (throw, words) = (state.dice[0], &self.rules.words);
        match actions::is_pair(action, self.rules.pieces()) {
            true if self.has_parts => format!("{throw}: {place} {}", words.home),
            true if self.steps_first => format!("1: {place}"),
            true => format!("{throw}: {} on {place}", words.unit),
            false => format!("{throw}: {place}"),
        }
    }

    fn lands_at_once(&self) -> bool {
        false
    }

    fn divides(&self) -> bool {
        self.rules.turn.divide != Divide::None
    }

    fn unit_move(&self, state: &State, action: Action) -> Option<Move> {
        let seat = self.colour(state);
        let (own, part) = (&state.pieces[seat], self.part(state));
        let slot = actions::slot(action, self.rules.pieces())?;
        if actions::is_pair(action, self.rules.pieces()) && self.has_parts {
            let part = self.rules.home.saturating_sub(own[slot]);
            return Some(Move::by(
                MoveKind::Alone,
                slot,
                [own[slot], self.rules.home],
                part,
            ));
        }
        let is_first_step = self.steps_first && actions::is_pair(action, self.rules.pieces());
        let (action, by) = if is_first_step {
            (Action(slot as u8), BONUS)
        } else {
            (action, part.value)
        };
        let target = self.target(state, seat, by, action);
        let throw = if by == BONUS { 1 } else { by };
        self.rules.move_of(own, action, throw, target)
    }
}
