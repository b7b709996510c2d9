//! What a solver sees of a game: side positions, and visitors of the turns between them.

use std::ops::{ControlFlow, Range};

use super::TurnIndex;
use crate::game::{MAX_SEATS, Seat};

/// The number of a side position.
pub type Side = u16;

/// The side positions of the seats in turn order from the one that throws; entries beyond the number of seats are 0.
pub type Sides = [Side; MAX_SEATS];

/// The facts of a side position by which a solver orders positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideInfo {
    /// Steps that all pieces together have made.
    pub steps: u16,
    /// Progress that can never be lost (pieces at home, a cut), as a number: equal numbers are equal progress.
    pub layer: u8,
    /// Amount of that progress: a turn leads to the same layer or to a greater height.
    pub height: u8,
}

/// An afterstate of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TurnEnd {
    /// The side positions afterwards, still in turn order from the seat that threw. Nothing when the game is over.
    pub sides: Sides,
    /// The node that follows.
    pub then: Continuation,
}

/// The continuation after a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Continuation {
    /// The next seat throws.
    Next,
    /// The same seat throws again.
    Again,
    /// The game is over: the seat that threw has won.
    Won,
    /// The game is over: no seat can ever move again.
    Drawn,
}

/// Visitor of the throws of a turn and their afterstates.
pub trait TurnVisitor {
    /// All throws with the same afterstates, with their total probability; the afterstates follow.
    fn throws(&mut self, probability: f64);

    /// An afterstate that the thrower can choose; the same one may be visited more than once.
    fn end(&mut self, end: TurnEnd);
}

/// The most positions that are visited together.
pub const LANES: usize = 16;

/// Visitor of the turns of one side position against several others at the same time. Each of the others is a lane.
///
/// Each afterstate is visited once, and they are numbered from 0; throws are visited with the numbers of their
/// afterstates, after these, and the likeliest first.
pub trait RowVisitor {
    /// An afterstate with the other side positions unchanged and the next seat to throw.
    fn quiet(&mut self, side: Side);

    /// In this lane the afterstate visited last differs: the same seat throws again, with these side positions.
    fn again(&mut self, lane: usize, sides: Sides);

    /// An afterstate in which the seat that threw has won.
    fn won(&mut self);

    /// All throws with these afterstates, and their total probability. Breaking ends the visit.
    fn throws(&mut self, probability: f64, results: &[u16]) -> ControlFlow<()>;
}

/// Visitor of the throws of one side position against several others, each of which is a lane.
pub trait LaneVisitor {
    /// The visitor of a lane alone.
    type Lane: TurnVisitor;

    /// That of this lane.
    fn lane(&mut self, lane: usize) -> &mut Self::Lane;

    /// A throw that leaves the other side positions of these lanes (as bits) as they are: its probability, the own side
    /// positions that can be chosen, and what follows each.
    fn throw(&mut self, lanes: u16, probability: f64, ends: impl Iterator<Item = (Side, Continuation)>);
}

/// A game as a solver sees it: its turn-start states, numbered, and where each turn leads.
pub trait TurnModel: Sync {
    /// The numbering of the turn-start states.
    fn index(&self) -> &TurnIndex;

    /// Whether seats can have these side positions at the same time. Otherwise no other method accepts them.
    fn is_position(&self, mover: Seat, sides: Sides) -> bool;

    /// Visits the throws of `mover`'s turn and their afterstates. The probabilities sum to 1 less
    /// [`TurnModel::cut_off`].
    fn visit(&self, mover: Seat, sides: Sides, visitor: &mut impl TurnVisitor);

    /// Visits the turns of `own` in a game of two seats against some of the [`LANES`] side positions from `first` on:
    /// those whose bits are set in `wanted`. Each throw is visited in all of these lanes. Returns whether this is
    /// supported; if not it visits nothing.
    fn visit_lanes(&self, _: Seat, _own: Side, _first: Side, _wanted: u16, _: &mut impl LaneVisitor) -> bool {
        false
    }

    /// Whether [`TurnModel::visit_row`] is supported.
    fn has_rows(&self) -> bool {
        false
    }

    /// Visits the turns of `own` against each of up to [`LANES`] `others` in a game of two seats. Visits nothing unless
    /// [`TurnModel::has_rows`].
    fn visit_row(&self, _own: Side, _others: Range<Side>, _visitor: &mut impl RowVisitor) {}

    /// The largest total probability of throws that are not visited; 0 unless a turn can have any number of throws.
    fn cut_off(&self) -> f64;
}
