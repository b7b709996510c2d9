//! Visits turns by stepping the engine. This is slow, but correct for every game.

use indexmap::IndexMap;

use super::{Continuation, Sides, TurnEnd, TurnIndex, TurnVisitor, in_lane, lanes_of};
use crate::{
    game::{Game, Node, Outcome, Seat},
    race::{Race, position::state::State},
    turn::{TurnResults, turn_results},
};

/// The visit ends at a length of series if all longer series together have at most this
/// probability.
pub const MISSING: f64 = 1e-7;

/// Visits the turns of `mover` in each of the `lanes` (see [`TurnVisitor`]), one lane after
/// another.
pub fn visit(
    index: &TurnIndex,
    mover: Seat,
    sides: Sides,
    lanes: u16,
    visitor: &mut impl TurnVisitor,
) {
    let mut count = 0;
    for lane in lanes_of(lanes) {
        let sides = in_lane(sides, lane);
        for (state, probability) in decisions(index, &index.state(mover, sides)) {
            let first = count;
            count += visit_ends(index, sides, lane, &state, visitor);
            visitor.throws(1 << lane, probability, first..count);
        }
    }
}

/// Visits the ends of a turn after these throws, in a lane with these side positions. Returns the
/// number of ends.
#[cold]
#[inline(never)]
pub fn visit_ends(
    index: &TurnIndex,
    sides: Sides,
    lane: usize,
    thrown: &State,
    visitor: &mut impl TurnVisitor,
) -> usize {
    let results = results(&index.race, thrown);
    for end in results.states() {
        let (mut after, then) = (sides, continuation(&index.race, end, thrown.mover));
        if then != Continuation::Won {
            for (side, seat) in after[..index.seats()]
                .iter_mut()
                .zip(index.in_turn(thrown.mover))
            {
                let registers = if seat == thrown.mover {
                    end.registers
                } else {
                    index.sides.registers(*side)
                };
                *side = index
                    .sides
                    .of(end, seat, registers)
                    .expect("the end of a turn is a position");
            }
        }
        visitor.end(0, after[0], then);
        visitor.replace_end(lane, TurnEnd { sides: after, then });
    }
    results.len()
}

/// Returns the afterstates of a turn with these throws.
pub fn results(race: &Race, thrown: &State) -> TurnResults<State> {
    let mut results = TurnResults::new();
    turn_results(race, thrown, &mut results);
    results
}

/// Returns the continuation after a turn of `mover` that ended in `end`.
pub fn continuation(race: &Race, end: &State, mover: Seat) -> Continuation {
    match race.node(end) {
        Node::Chance(seat) if seat == mover => Continuation::Again,
        Node::Chance(_) | Node::Decision(_) => Continuation::Next,
        Node::Terminal if end.finished[mover] > 0 => Continuation::Won,
        Node::Terminal => Continuation::Drawn,
    }
}

/// Returns the decision nodes after all throws, with their probabilities.
fn decisions(index: &TurnIndex, start: &State) -> IndexMap<State, f64> {
    let mut found = IndexMap::new();
    let mut open = IndexMap::from([(*start, 1.0)]);
    while !open.is_empty() {
        let mut next = IndexMap::new();
        for (state, probability) in open {
            for (outcome, chance) in index.race.rules.chances.iter().enumerate() {
                let mut after = state;
                index.race.apply_chance(&mut after, Outcome(outcome as u8));
                let is_thrown = !matches!(index.race.node(&after), Node::Chance(_));
                *if is_thrown { &mut found } else { &mut next }
                    .entry(after)
                    .or_insert(0.0) += probability * chance;
            }
        }
        let left: f64 = next.values().sum();
        open = if left > MISSING {
            next
        } else {
            IndexMap::new()
        };
    }
    found
}
