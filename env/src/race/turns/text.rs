//! The notation and the words of a kind of turn. The kinds share moves of units, and names of
//! places and throws.

use std::{collections::BTreeSet, ops::Range};

use super::{TurnMachine, actions};
use crate::{
    game::{Action, Seat},
    race::{
        compile::{Rules, board::Square},
        position::state::{MAX_PIECES, Phase, State, role},
    },
};

/// The notation of a kind of turn and its words for people. Most defaults fit turns that throw one
/// or two dice.
pub trait TurnNotation: TurnMachine {
    /// Returns the unused and the lost throws, in the order of throwing.
    fn thrown(&self, state: &State) -> Vec<u8> {
        self.series()
            .into_iter()
            .flat_map(|series| state.series.iter().map(|kind| series.face(kind)))
            .chain(state.dice.into_iter().filter(|&value| value > 0))
            .collect()
    }

    /// Returns whether the throw is lost because it is the last throw of a row.
    fn loses_throw(&self, _: &State) -> bool {
        false
    }

    /// Loads the throws from the text of a position.
    ///
    /// # Errors
    /// Describes why the throws are not possible in this turn.
    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String>;

    /// Returns whether a position within a turn is valid. `fits` returns whether the mover's pieces
    /// can be on their places. It does not matter whether a turn can reach the position.
    fn is_playable(&self, state: &State, fits: &dyn Fn(&State) -> bool) -> bool;

    /// Returns whether one action leads from `before`, a decision, to `state`.
    fn can_lead_to(&self, before: &State, state: &State) -> bool {
        self.legal_actions(before).iter().any(|action| {
            let mut after = *before;
            self.apply_action(&mut after, action);
            after == *state
        })
    }

    /// Returns the role of a piece on `place` that has a label with this sign. `is_zero` means that
    /// the label has 0 steps.
    fn role(&self, _sign: &str, _place: u8, _is_zero: bool) -> Option<u8> {
        None
    }

    /// Returns the sentences and words for the rules of this kind of turn.
    fn words(&self) -> TurnWords;

    fn action_text(&self, state: &State, action: Action) -> String;

    /// Returns whether all pieces land together at the end of the turn. Otherwise a piece lands
    /// after each move.
    fn lands_at_once(&self) -> bool {
        true
    }

    /// Returns whether the moves of a whole turn from `state` can be made in any order.
    fn commutes(&self, _state: &State, _actions: &[Action]) -> bool {
        true
    }

    /// Returns the move that an action makes, or `None` if no piece moves.
    fn unit_move(&self, state: &State, action: Action) -> Option<Move>;

    /// Returns whether a move can take a part of a throw.
    fn divides(&self) -> bool {
        false
    }

    /// Returns the throws that the turn has left unused so far, if the position records them.
    fn unused_throws(&self, _: &State) -> Vec<u8> {
        Vec::new()
    }

    /// Sets the throws that have moved a unit so far.
    fn name_throws(&self, _: &State, taken: &mut Move) {
        taken.throws = vec![taken.steps];
    }
}

/// Sentences about a kind of turn, and words that depend on the kind.
pub struct TurnWords {
    /// Sentences about making and using throws.
    pub turn: &'static [&'static str],
    /// The words for one and several things that must be used: `throw`, `throws`.
    pub(crate) used: [&'static str; 2],
    /// The words for a throw that lets a piece enter: `[0]` for any value, `[1]` for certain
    /// values, which the text then lists.
    pub entering: [&'static str; 2],
    /// A sentence about `unit.speed = "full"`.
    pub whole: &'static str,
    /// A sentence about `unit.speed = "double"`.
    pub double: &'static str,
    /// A sentence about `unit.speed = "half-spent"`.
    pub half_spent: &'static str,
    /// A sentence about units that use one die for each of their pieces but move by the number of
    /// one die.
    pub shared: Option<&'static str>,
    /// A sentence about pieces that cannot yet be borne off (taken off the board); can be empty.
    pub not_borne: &'static str,
    /// A sentence about two pieces that enter in one turn; can be empty.
    pub both_enter: &'static str,
}

impl TurnWords {
    /// The words of a turn that uses throws one by one.
    pub const ONE_BY_ONE: TurnWords = TurnWords {
        turn: &[],
        used: ["throw", "throws"],
        entering: ["any throw", "a throw of"],
        whole: "A unit moves by the whole throw, which counts for both pieces.",
        double: "A unit moves by twice the throw.",
        half_spent: "A unit moves by half of each throw, rounded down. It cannot use a 1.",
        shared: None,
        not_borne: "",
        both_enter: "",
    };
}

/// A move of a piece or a unit: one hop, or all hops of a turn. Here all pieces that enter are one
/// unit, and all pieces that are borne off (leave the board) are one unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The owner of the pieces that move: the mover or its partner.
    pub seat: Seat,
    pub(crate) kind: MoveKind,
    pub(crate) slot: usize,
    /// The place that the pieces leave.
    pub from: u8,
    /// The square that the pieces leave; `None` if they were off the board.
    pub start: Option<Square>,
    /// The squares on the way, one for each step; the last is the square that the pieces reach. The
    /// last step has no square if the pieces are borne off or reach a finish in the middle of the
    /// board.
    pub path: Vec<Square>,
    /// The place that the pieces reach.
    pub to: u8,
    pub(crate) steps: u8,
    /// Steps by throws that the position does not record.
    pub(crate) hidden: u8,
    /// The throws of the move.
    pub throws: Vec<u8>,
    /// The number of equal throws or dice that the move uses.
    pub(crate) used: usize,
    /// Whether the pieces are a declared unit.
    pub is_declared: bool,
    /// Whether pieces that are not declared are on the place of a declared unit.
    pub(crate) is_beside: bool,
    /// The captured pieces, by seat and slot in the position before the turn; only in a turn graph.
    pub captures: Vec<(Seat, usize)>,
    /// The throws that stay unused before this move; only in a turn graph.
    pub(crate) unused: Vec<u8>,
    /// The move in words: `H3 to H7 by 4`.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// Pieces enter the board on a fixed square, as in Ashtapada.
    Enter,
    Bear,
    Alone,
    /// This number of pieces moves together.
    Together(usize),
}

impl MoveKind {
    /// Returns the kind of an action that names a piece on the course.
    pub fn of(action: Action, pieces: usize) -> MoveKind {
        match actions::together(action, pieces) {
            1 => MoveKind::Alone,
            count => MoveKind::Together(count),
        }
    }
}

impl Move {
    /// Returns the move of a unit from the place `from` to the place `to` by `throw`.
    pub(crate) fn by(kind: MoveKind, slot: usize, [from, to]: [u8; 2], throw: u8) -> Move {
        Move {
            seat: Seat::SOUTH,
            kind,
            slot,
            from,
            start: None,
            path: Vec::new(),
            to,
            steps: throw,
            hidden: 0,
            throws: vec![throw],
            used: 1,
            is_declared: false,
            is_beside: false,
            captures: Vec::new(),
            unused: Vec::new(),
            text: String::new(),
        }
    }

    /// The pieces that move, by their indices among the pieces of the seat.
    pub fn pieces(&self) -> Range<usize> {
        let count = if let MoveKind::Together(count) = self.kind {
            count
        } else {
            1
        };
        self.slot..self.slot + count
    }
}

impl Rules {
    /// Returns the name of a place: the number of its square, or the game's word for a place that
    /// is not a square.
    pub fn place_text(&self, place: u8) -> String {
        let words = &self.words;
        match place {
            0 => words.off.clone(),
            place if place == self.home => words.home.clone(),
            place if place > self.home => words.borne.clone(),
            place => (place - 1 + self.first_number).to_string(),
        }
    }

    /// Returns the name of the place of a piece, with the steps that the piece has in this turn:
    /// `12+4`.
    pub fn place_within(&self, state: &State, own: &[u8; MAX_PIECES], slot: usize) -> String {
        let (place, steps) = (self.place_text(own[slot]), state.steps[slot]);
        match state.roles[slot] {
            role if role & role::LEAD != 0 => format!("{place}&{steps}"),
            role::FRESH => place,
            _ => format!("{place}+{steps}"),
        }
    }

    /// Returns the values of a die: `1, 3, 4 or 6`.
    pub fn throw_words(&self) -> String {
        let values: BTreeSet<u8> = self.outcomes.iter().map(|throw| throw.values[0]).collect();
        any_of(&Vec::from_iter(values))
    }

    /// Loads the dice from the text of a position and checks their number.
    pub fn load_dice(
        &self,
        state: &mut State,
        values: &[u8],
        expected: usize,
    ) -> Result<(), String> {
        if expected == 0 && !values.is_empty() {
            return Err("write `*` without dice: both dice are thrown at once".to_owned());
        }
        let is_value = |value: &u8| self.faces.contains(value);
        if values.len() != expected || !values.iter().all(is_value) {
            return Err(format!(
                "expected {expected} dice of {} each",
                self.throw_words()
            ));
        }
        state.dice[..expected].copy_from_slice(values);
        Ok(())
    }

    /// Returns the move of the unit of `action` by `throw` to the place `to`.
    pub fn move_of(
        &self,
        own: &[u8; MAX_PIECES],
        action: Action,
        throw: u8,
        to: u8,
    ) -> Option<Move> {
        let pieces = self.seating.pieces;
        let slot = actions::slot(action, pieces)?;
        let from = own[slot];
        // If all pieces enter on one square, the texts do not name the throw.
        let kind = if from == 0 && !self.enters_by_count() {
            MoveKind::Enter
        } else if from == self.home {
            MoveKind::Bear
        } else {
            MoveKind::of(action, pieces)
        };
        Some(Move::by(kind, slot, [from, to], throw))
    }
}

/// Returns the values in words: `1, 3, 4 or 6`.
pub fn any_of<T: ToString>(values: &[T]) -> String {
    match values {
        [rest @ .., last] if !rest.is_empty() => {
            format!(
                "{} or {}",
                joined(rest.iter().map(T::to_string), ", "),
                last.to_string()
            )
        }
        values => joined(values.iter().map(T::to_string), ""),
    }
}

pub fn joined<T: ToString>(values: impl IntoIterator<Item = T>, separator: &str) -> String {
    values
        .into_iter()
        .map(|value| value.to_string())
        .collect::<Vec<_>>()
        .join(separator)
}

/// Parses a number without sign or leading zeros.
pub fn number(text: &str) -> Option<u8> {
    let value: u8 = text.parse().ok()?;
    (value.to_string() == text).then_some(value)
}
