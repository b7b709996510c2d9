//! Walks through turns by stepping the engine: slow, and good for every game.

use std::collections::HashMap;

use super::RaceStarts;
use crate::game::{Game, Node, Outcome, Seat};
use crate::race::Race;
use crate::race::state::State;
use crate::starts::{Camps, Then, TurnEnd, TurnVisitor};
use crate::turn::{TurnResults, turn_results};

/// The probability of longer series that are not looked at.
pub(super) const MISSING: f64 = 1e-7;

/// Visits the turn of `mover`.
pub(super) fn visit(starts: &RaceStarts, mover: Seat, camps: Camps, visitor: &mut impl TurnVisitor) {
    let race = &starts.race;
    let mut results = TurnResults::new();
    for (state, probability) in thrown(starts, &starts.state(mover, camps)) {
        visitor.throws(probability);
        turn_results(race, &state, &mut results);
        for end in results.states() {
            let then = match race.node(end) {
                Node::Chance(seat) if seat == mover => Then::Again,
                Node::Chance(_) | Node::Decision(_) => Then::Next,
                Node::Terminal if end.finished[mover.index()] > 0 => Then::Won,
                Node::Terminal => Then::Drawn,
            };
            let mut after = camps;
            if then != Then::Won {
                for (camp, seat) in after[..starts.seats()].iter_mut().zip(starts.in_turn(mover)) {
                    *camp = starts.camps.of(end, seat).expect("the end of a turn is a position");
                }
            }
            visitor.end(TurnEnd { camps: after, then });
        }
    }
}

/// The decisions that throws lead to, with their probabilities; series of the same throws in another order are one.
fn thrown(starts: &RaceStarts, start: &State) -> Vec<(State, f64)> {
    let race = &starts.race;
    let mut found: HashMap<State, f64> = HashMap::new();
    let mut open = HashMap::from([(*start, 1.0)]);
    while !open.is_empty() {
        let mut next: HashMap<State, f64> = HashMap::new();
        for (state, probability) in open {
            for (outcome, chance) in starts.chances.iter().enumerate() {
                let mut after = state;
                race.apply_chance(&mut after, Outcome(outcome as u8));
                canonical(race, &mut after);
                let list = if matches!(race.node(&after), Node::Chance(_)) { &mut next } else { &mut found };
                *list.entry(after).or_default() += probability * chance;
            }
        }
        let left: f64 = next.values().sum();
        open = if left > MISSING { next } else { HashMap::new() };
    }
    let mut found: Vec<(State, f64)> = found.into_iter().collect();
    // The order of a hash map is not the same twice.
    found.sort_by_key(|(state, _)| (state.series.counts(), state.dice));
    found
}

/// Orders the throws of a series where their order does not matter.
fn canonical(race: &Race, state: &mut State) {
    if let Some(turns) = race.series() {
        let is_on_board = turns.is_on_board(&state.pieces[state.mover.index()]);
        state.series = if is_on_board { state.series.sorted() } else { state.series.starting_with_one().sorted() };
    }
}
