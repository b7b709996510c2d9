//! Bitboards: cells as bits of a word, for places, pieces and closed cells.

use crate::{
    game::BySeat,
    race::compile::{Cells, Closing, PLACES, Rules, WALL},
};

/// Tables of cells as bits of a word.
#[derive(Clone, Debug)]
pub struct Bits<W> {
    /// The cell of each place: `[seat][place]`.
    pub at: BySeat<[W; PLACES]>,
    /// The cells of the places before each place: `[seat][place]`.
    pub below: BySeat<[W; PLACES]>,
    pub closing: Closing<W>,
}

/// A word with a bit for each cell. If all cells fit into a shorter word, the shorter word is
/// faster.
pub trait Word:
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
    pub fn new(rules: &Rules) -> Bits<W> {
        let below = |bits: &[Cells; PLACES], place: usize| {
            W::of(bits[..place].iter().fold(0, |cells, bit| cells | bit))
        };
        let bits = &rules.bits.0;
        Bits {
            at: BySeat(bits.map(|bits| bits.map(W::of))),
            below: BySeat(bits.map(|bits| std::array::from_fn(|place| below(&bits, place)))),
            closing: rules.closing.map(W::of),
        }
    }
}
