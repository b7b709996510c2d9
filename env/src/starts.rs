//! Positions at the start of a turn, numbered densely, and where whole turns lead.
//!
//! Solvers and tables need more than the `Game` interface: every position must have a number, and a turn must be walked
//! without stepping through its actions. What one seat has at the start of a turn (where its pieces are, and what else
//! the rules remember of it) is its *side position*; side positions are numbered from 0, and a position is the side
//! positions of all seats in turn order from the seat to throw.

use std::ops::{ControlFlow, Range};

use crate::game::{MAX_SEATS, Seat};

/// The number of a side position.
pub type Side = u16;

/// The side positions of the seats in turn order from the one that throws; entries beyond the number of seats are 0.
pub type Sides = [Side; MAX_SEATS];

/// What a solver must know of a side position to choose an order of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideInfo {
    /// Steps that all pieces together have made.
    pub steps: u16,
    /// What can never be lost again (pieces at home, a cut), as a number: side positions with the same number have the
    /// same.
    pub layer: u8,
    /// How much that is: a turn leads to the same layer or to a greater height.
    pub height: u8,
}

/// Where a turn leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TurnEnd {
    /// The side positions afterwards, still in turn order from the seat that threw. Nothing when the game is over.
    pub sides: Sides,
    /// What happens next.
    pub then: Then,
}

/// What happens after a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Then {
    /// The next seat throws.
    Next,
    /// The same seat throws again.
    Again,
    /// The game is over: the seat that threw has won.
    Won,
    /// The game is over: nobody can ever move again.
    Drawn,
}

/// Is told where turns lead.
pub trait TurnVisitor {
    /// All throws with the same results come together, with this probability; their results follow.
    fn throws(&mut self, probability: f64);

    /// A result that the thrower can choose. Results may be told more than once.
    fn end(&mut self, end: TurnEnd);
}

/// The most positions that are told of together.
pub const LANES: usize = 16;

/// Is told where turns of one side position against several others lead, all at the same time. Each of the others is a
/// lane.
///
/// Results are told once and numbered from 0; throws are told with the numbers of their results, after these, and the
/// likeliest first.
pub trait RowVisitor {
    /// A result that leaves the other side positions as they are, and the next seat throws.
    fn quiet(&mut self, side: Side);

    /// In this lane the result told last is another: the same seat throws again, with these side positions.
    fn again(&mut self, lane: usize, sides: Sides);

    /// A result by which the seat that threw has won.
    fn won(&mut self);

    /// All throws with these results, and their probability. Breaking ends the visit.
    fn throws(&mut self, probability: f64, results: &[u16]) -> ControlFlow<()>;
}

/// The positions at the start of a turn of one game.
pub trait TurnStarts: Sync {
    /// Number of seats.
    fn seats(&self) -> usize;

    /// The seats whose turns must be told apart, in turn order: only the first one where the board looks the same to
    /// every seat.
    fn movers(&self) -> &[Seat];

    /// Every side position, by number, in ascending order of layer and then of steps.
    fn sides(&self) -> &[SideInfo];

    /// The number of a position among all combinations of side positions: the place of the seat to throw among the
    /// movers, and then the side positions in turn order, each a digit.
    fn number(&self, mover: Seat, sides: Sides) -> usize;

    /// How many numbers there are; some may belong to no position.
    fn numbers(&self) -> usize;

    /// Whether seats can have these side positions at the same time. Where not, nothing else may be asked of them.
    fn is_position(&self, mover: Seat, sides: Sides) -> bool;

    /// Tells `visitor` where the turn of `mover` can lead. The probabilities sum to 1 less [`TurnStarts::cut_off`].
    fn visit(&self, mover: Seat, sides: Sides, visitor: &mut impl TurnVisitor);

    /// Whether [`TurnStarts::visit_row`] can be asked.
    fn has_rows(&self) -> bool {
        false
    }

    /// Tells `visitor` where turns of `own` can lead against each of up to [`LANES`] `others` in a game of two seats.
    /// Nothing is told unless [`TurnStarts::has_rows`].
    fn visit_row(&self, _own: Side, _others: Range<Side>, _visitor: &mut impl RowVisitor) {}

    /// The largest probability of throws that a visitor is not told of; 0 unless a turn can have any number of throws.
    fn cut_off(&self) -> f64;
}
