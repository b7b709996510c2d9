//! Records the turns of a [`TurnModel`], for comparisons.

use std::collections::BTreeSet;

use crate::{
    game::Seat,
    turn_index::{Continuation, Side, Sides, TurnEnd, TurnModel, TurnVisitor},
};

/// The throws of a turn, each with its probability and its afterstates.
///
/// # Panics
/// If throws lead to afterstates that were not visited.
pub fn throws(turns: &impl TurnModel, mover: Seat, sides: Sides) -> Vec<(f64, BTreeSet<TurnEnd>)> {
    let mut found = Recorder::new(sides);
    turns.visit(mover, sides, 1, &mut found);
    found.throws
}

/// The throws of a turn, each with its probability and its afterstates. Afterstates of finished
/// games have no positions.
#[derive(Debug)]
pub struct Recorder {
    sides: Sides,
    ends: Vec<TurnEnd>,
    /// The throws in the order of the visits.
    pub throws: Vec<(f64, BTreeSet<TurnEnd>)>,
}

impl Recorder {
    /// A recorder for the turn of a position with these side positions.
    pub fn new(sides: Sides) -> Recorder {
        Recorder {
            sides,
            ends: Vec::new(),
            throws: Vec::new(),
        }
    }
}

impl TurnVisitor for Recorder {
    fn end(&mut self, _: u16, own: Side, then: Continuation) {
        let [_, second, third, fourth] = self.sides;
        self.ends.push(TurnEnd {
            sides: [own, second, third, fourth],
            then,
        });
    }

    fn replace_end(&mut self, _: usize, end: TurnEnd) {
        *self.ends.last_mut().expect("ends come first") = end;
    }

    fn throws(&mut self, _: u16, probability: f64, ends: impl Iterator<Item = usize>) {
        let is_over = |end: &TurnEnd| matches!(end.then, Continuation::Won | Continuation::Drawn);
        let over = |end: TurnEnd| TurnEnd {
            sides: Sides::default(),
            ..end
        };
        let ends = ends
            .map(|end| self.ends[end])
            .map(|end| if is_over(&end) { over(end) } else { end });
        self.throws.push((probability, ends.collect()));
    }
}
