//! The part of the notation that a kind of turn has, and its words for people; what its kinds have in common: the moves
//! of units, and actions with the places of their pieces.

use super::{TurnMachine, actions};
use crate::game::Action;
use crate::race::compile::{Rules, WALL};
use crate::race::position::state::{MAX_PIECES, Phase, State, role};

/// The notation of a kind of turn and its words for people. Most defaults are those of a turn that throws two dice or
/// one.
pub(crate) trait TurnNotation: TurnMachine {
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

    /// Reads one of [`TurnNotation::marks`]; `None` where it is none.
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
    fn is_playable(&self, state: &State, stands: &dyn Fn(&State) -> bool) -> bool;

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

    /// Whether a move can take a part of a throw.
    fn divides(&self) -> bool {
        false
    }

    /// The throws that the turn has left unused so far, where the position remembers them.
    fn lost(&self, _: &State) -> Vec<u8> {
        Vec::new()
    }

    /// Names the throws that made the steps of a unit so far.
    fn name_throws(&self, _: &State, taken: &mut UnitMove) {
        taken.throws = vec![taken.steps];
    }
}

/// What the rules of a kind of turn say that its sheet does not: sentences, and the words that differ in others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnWords {
    /// How throws are made and used.
    pub(crate) turn: &'static [&'static str],
    /// What must be used, one and several: `throw`, `throws`.
    pub(crate) used: [&'static str; 2],
    /// What brings a waiting piece onto the board, by any value and by certain ones, which follow.
    pub(crate) entering: [&'static str; 2],
    /// The steps of a unit with `unit.speed = "full"`.
    pub(crate) whole: &'static str,
    /// The same with `double`.
    pub(crate) double: &'static str,
    /// The same with `half-spent`.
    pub(crate) half_spent: &'static str,
    /// The dice that a unit takes, if it takes one for each of its pieces and counts their number once.
    pub(crate) shared: Option<&'static str>,
    /// The pieces that are not borne off, if any.
    pub(crate) not_borne: &'static str,
}

impl TurnWords {
    /// Those of a turn in which throws are used one by one.
    pub(crate) const ONE_BY_ONE: TurnWords = TurnWords {
        turn: &[],
        used: ["throw", "throws"],
        entering: ["any throw", "a throw of"],
        whole: "A unit moves by the whole throw, which counts for both pieces.",
        double: "A unit moves by twice the throw.",
        half_spent: "A unit moves by half of each throw, rounded down; it takes no 1.",
        shared: None,
        not_borne: "",
    };
}

/// The moves of one unit in a turn; all pieces that enter, or are borne off, are one unit.
#[derive(Clone, Debug)]
pub(crate) struct UnitMove {
    pub(crate) kind: MoveKind,
    pub(crate) slot: usize,
    pub(crate) from: u8,
    pub(crate) steps: u8,
    /// Steps by throws that the position does not record.
    pub(crate) hidden: u8,
    /// The throws that it takes.
    pub(crate) throws: Vec<u8>,
    /// How many throws of this value it uses.
    pub(crate) used: usize,
    /// The place that it comes to, where it lands at once.
    pub(crate) target: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoveKind {
    /// Pieces enter the board on their first square (Ashtapada).
    Enter,
    /// Pieces are borne off.
    Bear,
    /// A piece moves.
    Alone,
    /// So many pieces move together.
    Together(usize),
}

impl MoveKind {
    /// That of an action which names a piece of the course.
    pub(crate) fn of(action: Action, pieces: usize) -> MoveKind {
        match actions::together(action, pieces) {
            1 => MoveKind::Alone,
            count => MoveKind::Together(count),
        }
    }
}

impl UnitMove {
    /// The move of the unit of `slot` by one throw.
    pub(crate) fn by(kind: MoveKind, slot: usize, from: u8, throw: u8) -> UnitMove {
        UnitMove { kind, slot, from, steps: throw, hidden: 0, throws: vec![throw], used: 1, target: None }
    }

    /// The same with the place that it comes to.
    pub(crate) fn to(self, target: u8) -> UnitMove {
        UnitMove { target: Some(target), ..self }
    }
}

impl Rules {
    /// The name of a place: the number of its square, or the game's word for a piece that is on none.
    pub(crate) fn place_text(&self, place: u8) -> String {
        let words = &self.sheet.words;
        match place {
            0 => words.off.clone(),
            place if place == self.home => words.home.clone(),
            place if place > self.home => words.borne.clone(),
            place => (place - 1 + self.sheet.board.first_number).to_string(),
        }
    }

    /// The name of the place of a piece, with the throws that it was given in this turn: `12+4`.
    pub(crate) fn place_within(&self, state: &State, own: &[u8; MAX_PIECES], slot: usize) -> String {
        let (place, steps) = (self.place_text(own[slot]), state.steps[slot]);
        match state.roles[slot] {
            role if role & role::LEAD != 0 => format!("{place}&{steps}"),
            role::FRESH => place,
            _ => format!("{place}+{steps}"),
        }
    }

    /// The values of a die: `1, 3, 4 or 6`.
    pub(crate) fn throw_words(&self) -> String {
        let mut values = self.sheet.throws.values.clone();
        values.sort_unstable();
        any_of(&values)
    }

    /// Takes so many dice of a position's text.
    pub(crate) fn load_dice(&self, state: &mut State, values: &[u8], expected: usize) -> Result<(), String> {
        if expected == 0 && !values.is_empty() {
            return Err("`*` stands alone: both dice are thrown at once, and 0 dice come before it".to_owned());
        }
        let is_value = |value: &u8| self.faces.contains(value);
        if values.len() != expected || !values.iter().all(is_value) {
            return Err(format!("{expected} dice of {} are expected here", self.throw_words()));
        }
        state.dice[..expected].copy_from_slice(values);
        Ok(())
    }

    /// The move of the unit that `action` names, by a throw that brings it to `target` at once; `None` where it may not
    /// land.
    pub(crate) fn landing(&self, own: &[u8; MAX_PIECES], action: Action, throw: u8, target: u8) -> Option<UnitMove> {
        let pieces = self.seating.pieces;
        let slot = actions::slot(action, pieces)?;
        let from = own[slot];
        // Where pieces enter on their first square, the throw is not named.
        let kind = if from == 0 && !self.enters_by_count() {
            MoveKind::Enter
        } else if from == self.home {
            MoveKind::Bear
        } else {
            MoveKind::of(action, pieces)
        };
        (target != WALL).then(|| UnitMove::by(kind, slot, from, throw).to(target))
    }
}

/// The values in words: `1, 3, 4 or 6`.
pub(crate) fn any_of<T: ToString>(values: &[T]) -> String {
    match values {
        [rest @ .., last] if !rest.is_empty() => {
            format!("{} or {}", joined(rest.iter().map(T::to_string), ", "), last.to_string())
        }
        values => joined(values.iter().map(T::to_string), ""),
    }
}

pub(crate) fn joined<T: ToString>(values: impl IntoIterator<Item = T>, separator: &str) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(separator)
}

/// A number written without sign or leading zeros.
pub(crate) fn number(text: &str) -> Option<u8> {
    let value: u8 = text.parse().ok()?;
    (value.to_string() == text).then_some(value)
}
