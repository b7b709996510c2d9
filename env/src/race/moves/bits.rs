//! Bitboards: cells as bits of a word, for places, pieces and closed cells.

use crate::game::MAX_SEATS;
use crate::race::compile::{Cells, PLACES, Rules, WALL};

/// Tables of cells as bits of a word.
#[derive(Clone, Debug)]
pub(crate) struct Bits<W> {
    /// The cell of each place: `[seat][place]`.
    pub(crate) at: [[W; PLACES]; MAX_SEATS],
    /// The cells of the places before each place: `[seat][place]`.
    pub(crate) below: [[W; PLACES]; MAX_SEATS],
    /// Cells that are closed to a single piece if the cell has: `[0]` an own piece, `[1]` two own pieces, `[2]` an
    /// enemy piece, `[3]` two pieces of one enemy.
    pub(crate) closed_to_single: [W; 4],
    pub(crate) closed_to_unit: [W; 4],
    pub(crate) always: W,
    pub(crate) closed_by_partner: W,
    /// Cells that a single piece cannot pass if the cell has: `[0]` two own pieces, `[1]` two pieces of an enemy.
    pub(crate) impassable: [W; 2],
    pub(crate) unit_cells: W,
}

/// A word with a bit for each cell. If all cells fit into a shorter word, the shorter word is faster.
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
        let below = |seat: usize, place: usize| rules.bits[seat][..place].iter().fold(0, |cells, bit| cells | bit);
        Bits {
            at: std::array::from_fn(|seat| rules.bits[seat].map(W::of)),
            below: std::array::from_fn(|seat| std::array::from_fn(|place| W::of(below(seat, place)))),
            closed_to_single: rules.closed_to_single.map(W::of),
            closed_to_unit: rules.closed_to_unit.map(W::of),
            always: W::of(rules.never_for_units),
            closed_by_partner: W::of(rules.closed_by_partner),
            impassable: rules.impassable.map(W::of),
            unit_cells: W::of(rules.unit_cells),
        }
    }
}
