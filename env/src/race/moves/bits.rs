//! Bitboards: cells as bits of a word, for places, pieces and closed cells.

use crate::game::MAX_SEATS;
use crate::race::compile::{Cells, Closing, PLACES, Rules, WALL};

/// Tables of cells as bits of a word.
#[derive(Clone, Debug)]
pub(crate) struct Bits<W> {
    /// The cell of each place: `[seat][place]`.
    pub(crate) at: [[W; PLACES]; MAX_SEATS],
    /// The cells of the places before each place: `[seat][place]`.
    pub(crate) below: [[W; PLACES]; MAX_SEATS],
    pub(crate) closing: Closing<W>,
}

/// A word with a bit for each cell. If all cells fit into a shorter word, the shorter word is
/// faster.
pub(crate) trait Word:
    Copy
    + PartialEq
    + Default
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::Not<Output = Self>
{
    fn of(cells: Cells) -> Self;
}

impl Word for u128 {
    fn of(cells: Cells) -> u128 {
        cells
    }
}

impl Word for u64 {
    fn of(cells: Cells) -> u64 {
        cells as u64 | ((cells >> WALL) as u64) << 63
    }
}

impl<W: Word> Bits<W> {
    pub(crate) fn new(rules: &Rules) -> Bits<W> {
        let below = |seat: usize, place: usize| {
            rules.bits[seat][..place]
                .iter()
                .fold(0, |cells, bit| cells | bit)
        };
        Bits {
            at: std::array::from_fn(|seat| rules.bits[seat].map(W::of)),
            below: std::array::from_fn(|seat| {
                std::array::from_fn(|place| W::of(below(seat, place)))
            }),
            closing: rules.closing.map(W::of),
        }
    }
}
