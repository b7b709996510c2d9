//! Bitboards: cells as bits of a word, for places, pieces and closed cells.

use crate::{
    game::BySeat,
    race::compile::{ByNumber, ByPlace, Cells, Closing, Rules, WALL},
};

/// Tables of cells as bits of a word.
#[derive(Clone, Debug)]
pub struct Bits<W> {
    /// The cell of each place: `[seat][place]`.
    pub at: BySeat<ByPlace<W>>,
    /// The cells of the places before each place: `[seat][place]`.
    pub below: BySeat<ByPlace<W>>,
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
        let below = |bits: &ByPlace<Cells>, place: u8| {
            W::of((0..place).fold(0, |cells, place| cells | bits[place]))
        };
        let bits = &rules.bits.0;
        Bits {
            at: BySeat(bits.map(|bits| ByNumber(bits.0.map(W::of)))),
            below: BySeat(bits.map(|bits| ByNumber::new(|place| below(&bits, place)))),
            closing: rules.closing.map(W::of),
        }
    }
}
