//! What a solver sees of a game: side positions, and visitors of the turns between them.

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

/// The most positions that are visited together.
pub const LANES: usize = 16;

/// The lanes that are set in these bits, in ascending order.
#[inline]
pub fn lanes_of(mut lanes: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// The lanes of which this holds, as bits.
#[inline]
pub(super) fn lanes_where<T>(lanes: &[T], holds: impl Fn(&T) -> bool) -> u16 {
    lanes.iter().rev().fold(0, |all, lane| all << 1 | u16::from(holds(lane)))
}

/// The side positions of a lane: adds the number of the lane to the side position of the second seat.
#[inline]
pub fn in_lane([own, first, third, fourth]: Sides, lane: usize) -> Sides {
    [own, first + lane as Side, third, fourth]
}

/// Visitor of the turns of one side position against several others at the same time. Each of the others is a lane;
/// sets of lanes are bits.
///
/// Afterstates are numbered from 0 as they are visited, before the throws that lead to them.
pub trait TurnVisitor {
    /// An afterstate: in these lanes the seat that threw has this side position afterwards, and those of the others are
    /// unchanged. In other lanes it is nothing, or what [`TurnVisitor::differ`] says.
    fn end(&mut self, lanes: u16, own: Side, then: Continuation);

    /// In this lane the afterstate visited last is another.
    fn differ(&mut self, lane: usize, end: TurnEnd);

    /// All throws after which these lanes have the same afterstates to choose from, with their total probability and
    /// the numbers of the afterstates. Two of the afterstates may be equal.
    fn throws(&mut self, lanes: u16, probability: f64, ends: impl Iterator<Item = usize> + Clone);

    /// Whether the visit may end before the last throws.
    fn is_done(&self) -> bool {
        false
    }
}

/// A game as a solver sees it: its turn-start states, numbered, and where each turn leads.
pub trait TurnModel: Sync {
    /// The numbering of the turn-start states.
    fn index(&self) -> &TurnIndex;

    /// Whether seats can have these side positions at the same time. Otherwise no other method accepts them.
    fn is_position(&self, mover: Seat, sides: Sides) -> bool;

    /// Visits the throws of `mover`'s turn and their afterstates in each of the `lanes`: lane 0 has the side positions
    /// `sides`, and in a game of two seats that of the second seat is one more in each further lane. The probabilities
    /// of a lane sum to 1 less [`TurnModel::cut_off`].
    fn visit(&self, mover: Seat, sides: Sides, lanes: u16, visitor: &mut impl TurnVisitor);

    /// Whether the turns of a side position are visited in all lanes together, the likeliest throws first.
    fn has_rows(&self) -> bool {
        false
    }

    /// The largest total probability of throws that are not visited; 0 unless a turn can have any number of throws.
    fn cut_off(&self) -> f64;
}
