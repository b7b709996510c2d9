//! Walks through turns by stepping the engine: slow, and good for every game.

use indexmap::IndexMap;

use super::RaceStarts;
use crate::game::{Game, Node, Outcome, Seat};
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

/// The decisions that throws lead to, with their probabilities.
fn thrown(starts: &RaceStarts, start: &State) -> IndexMap<State, f64> {
    let mut found = IndexMap::new();
    let mut open = IndexMap::from([(*start, 1.0)]);
    while !open.is_empty() {
        let mut next = IndexMap::new();
        for (state, probability) in open {
            for (outcome, chance) in starts.race.rules.chances.iter().enumerate() {
                let mut after = state;
                starts.race.apply_chance(&mut after, Outcome(outcome as u8));
                let is_thrown = !matches!(starts.race.node(&after), Node::Chance(_));
                *if is_thrown { &mut found } else { &mut next }.entry(after).or_insert(0.0) += probability * chance;
            }
        }
        let left: f64 = next.values().sum();
        open = if left > MISSING { next } else { IndexMap::new() };
    }
    found
}
