//! The game as a solver sees it: side positions, and the turns between them.

use super::TurnIndex;
use crate::game::{MAX_SEATS, Seat};

/// The number of a side position.
pub type Side = u16;

/// The side positions of the seats in turn order, starting with the seat to throw. Entries beyond
/// the number of seats are 0.
pub type Sides = [Side; MAX_SEATS];

/// The facts of a side position that determine the order of positions in a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideInfo {
    /// The sum of the steps of all pieces.
    pub steps: u16,
    /// Progress that can never be lost (pieces at home, a capture that opens the gate), as a
    /// number. Equal numbers mean equal progress.
    pub layer: u8,
    /// The amount of this progress. A turn leads to the same layer or to a larger height.
    pub height: u8,
}

/// An afterstate of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TurnEnd {
    /// The side positions after the turn, in turn order from the seat that threw; unused if the
    /// game is over.
    pub sides: Sides,
    /// The next node.
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

/// The largest number of positions in one visit.
pub const LANES: usize = 16;

/// Iterates over the lanes in these bits, in ascending order.
#[inline]
pub fn lanes_of(mut lanes: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// Returns the lanes that `holds` accepts, as bits.
#[inline]
pub(super) fn lanes_where<T>(lanes: &[T], holds: impl Fn(&T) -> bool) -> u16 {
    lanes
        .iter()
        .rev()
        .fold(0, |all, lane| all << 1 | u16::from(holds(lane)))
}

/// Returns the side positions of a lane: adds the index of the lane to the side position of the
/// second seat.
#[inline]
pub fn in_lane([own, first, third, fourth]: Sides, lane: usize) -> Sides {
    [own, first + lane as Side, third, fourth]
}

/// Receives the turns of one side position against several side positions of the second seat at the
/// same time. Each of these is a lane; a set of lanes is a bit mask.
///
/// Afterstates have indices from 0, in the order of the visit. The visitor receives afterstates
/// before the throws that lead to them.
pub trait TurnVisitor {
    /// Receives an afterstate. In these lanes the seat that threw gets the side position `own`, and
    /// the other seats do not change. In other lanes the afterstate does not exist, or
    /// [`TurnVisitor::replace_end`] defines it.
    fn end(&mut self, lanes: u16, own: Side, then: Continuation);

    /// Replaces the latest afterstate in this lane by `end`.
    fn replace_end(&mut self, lane: usize, end: TurnEnd);

    /// Receives all throws with equal afterstates in these lanes: their total probability and the
    /// indices of the afterstates. Some of these afterstates can be equal.
    fn throws(&mut self, lanes: u16, probability: f64, ends: impl Iterator<Item = usize> + Clone);

    /// Returns whether the visit can end early.
    fn is_done(&self) -> bool {
        false
    }
}

/// A game as seen by a solver: its numbered turn-start states, and the afterstates of each turn.
pub trait TurnModel: Sync {
    /// Returns the numbering of the turn-start states.
    fn index(&self) -> &TurnIndex;

    /// Returns whether seats can have these side positions at the same time. If not, the other
    /// methods do not accept them.
    fn is_position(&self, mover: Seat, sides: Sides) -> bool;

    /// Visits the throws of `mover`'s turn and their afterstates in each of the `lanes`. Lane 0 has
    /// the side positions `sides`. With two seats, the side position of the second seat grows by
    /// one with each lane. The probabilities of a lane sum to 1 minus [`TurnModel::cut_off`].
    fn visit(&self, mover: Seat, sides: Sides, lanes: u16, visitor: &mut impl TurnVisitor);

    /// Returns whether the turns of a side position are visited in all lanes together, the
    /// likeliest throws first.
    fn has_rows(&self) -> bool {
        false
    }

    /// Returns the largest total probability of throws that are not visited; 0 unless a turn can
    /// have any number of throws.
    fn cut_off(&self) -> f64;
}
