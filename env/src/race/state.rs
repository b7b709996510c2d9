//! A position of any of the race games: a few dozen plain bytes.
//!
//! The state knows nothing of rules. It holds no random generator and no history: the places of the pieces, what has
//! been thrown and not yet used, and which throws of this turn are allotted to which piece.

use crate::game::{MAX_SEATS, Seat};

/// The largest number of pieces of one seat.
pub const MAX_PIECES: usize = 4;
/// Values after which a series can go on.
pub(crate) const MAX_KINDS: usize = 3;
/// Fills the slots of pieces that a seat does not have.
pub const NO_PIECE: u8 = 0xFF;

/// A position. Which numbers mean which places is told by the data sheet of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Throws of the series under way or still to be used (Ashtapada), without the 2 or 3 that ends it.
    pub(crate) series: Series,
    /// Places of each seat's pieces in ascending order, as they stood when the turn began.
    pub(crate) pieces: [[u8; MAX_PIECES]; MAX_SEATS],
    /// For each piece slot of the mover the steps allotted so far in this turn.
    pub(crate) steps: [u8; MAX_PIECES],
    /// For each piece slot of the mover what it does in this turn, as bits of [`role`].
    pub(crate) roles: [u8; MAX_PIECES],
    /// Throws still to be used besides the series; 0 stands for none.
    pub(crate) dice: [u8; 2],
    /// Place of each seat that has finished (1 to 4), else 0; several may share a place.
    pub(crate) finished: [u8; MAX_SEATS],
    /// For each seat the slots whose pieces are declared twins, as bits.
    pub(crate) declared: [u8; MAX_SEATS],
    /// The seat to throw or to choose.
    pub(crate) mover: Seat,
    pub(crate) phase: Phase,
    /// Seats that have cut a pawn, as bits.
    pub(crate) cuts: u8,
    /// Kinds of throws of this turn that were left unused, as bits; only kept where a rule asks for it.
    pub(crate) skipped: u8,
    /// Throws of this turn, where they are limited.
    pub(crate) thrown: u8,
    /// Whether this turn has captured, where its throws are played one by one.
    pub(crate) has_captured: bool,
}

/// Where in a turn a position stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Phase {
    /// The dice are to be thrown.
    Throw,
    /// All is thrown, nothing is allotted.
    Choose,
    /// Some of the throws are allotted.
    Allot,
    /// The game is over.
    Over,
}

/// What a piece does in the turn under way.
pub(crate) mod role {
    /// Stays where it is, so far.
    pub const FRESH: u8 = 0;
    /// Enters the board.
    pub const ENTERED: u8 = 1;
    /// Moves alone.
    pub const SINGLE: u8 = 2;
    /// Moves together with a follower.
    pub const LEAD: u8 = 4;
    /// Moves together with a lead, by the lead's steps.
    pub const FOLLOWER: u8 = 8;
    /// Is borne off.
    pub const BORNE: u8 = 16;
    /// Moves first with the larger of two dice.
    pub const LARGER_FIRST: u8 = 32;
    /// Any role after which the piece is no longer free to be chosen.
    pub const TAKEN: u8 = SINGLE | LEAD | FOLLOWER | BORNE;
}

impl State {
    /// A position with nobody on the board, before the first throw of `first`.
    pub(crate) fn empty(first: Seat) -> State {
        State {
            series: Series::default(),
            pieces: [[NO_PIECE; MAX_PIECES]; MAX_SEATS],
            steps: [0; MAX_PIECES],
            roles: [role::FRESH; MAX_PIECES],
            dice: [0; 2],
            finished: [0; MAX_SEATS],
            declared: [0; MAX_SEATS],
            mover: first,
            phase: Phase::Throw,
            cuts: 0,
            skipped: 0,
            thrown: 0,
            has_captured: false,
        }
    }

    /// Forgets the throws and allotments of a turn that is over.
    #[inline]
    pub(crate) fn clear_turn(&mut self) {
        self.series = Series::default();
        self.steps = [0; MAX_PIECES];
        self.roles = [role::FRESH; MAX_PIECES];
        self.dice = [0; 2];
        self.skipped = 0;
        self.thrown = 0;
        self.has_captured = false;
    }

    /// Begins the turn of `mover`.
    #[inline]
    pub(crate) fn begin_turn(&mut self, mover: Seat) {
        self.clear_turn();
        self.mover = mover;
        self.phase = Phase::Throw;
    }

    /// Ends the game. Nobody is to move, so the mover is set to South: equal endings are equal states.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.clear_turn();
        self.phase = Phase::Over;
        self.mover = Seat::SOUTH;
    }

    #[inline]
    pub(crate) fn has_cut(&self, seat: Seat) -> bool {
        self.cuts >> seat.index() & 1 == 1
    }
}

/// Sorts the places of one seat in ascending order.
#[inline]
pub(crate) fn sort(places: &mut [u8; MAX_PIECES]) {
    let [a, b, c, d] = *places;
    let (a, b) = (a.min(b), a.max(b));
    let (c, d) = (c.min(d), c.max(d));
    let (a, c) = (a.min(c), a.max(c));
    let (b, d) = (b.min(d), b.max(d));
    *places = [a, b.min(c), b.max(c), d];
}

/// The throws of a series that do not end it, in the order thrown: up to 64, two bits each.
///
/// A longer series cannot be stored; its probability is 10⁻²⁷ with sticks and 10⁻¹⁴ with the uniform spinner, and the
/// engine then offers only the throws that end it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Series(u128);

/// The kinds of throws after which a series goes on, by ascending value; the first one enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    One = 1,
    Four = 2,
    Zero = 3,
}

impl Kind {
    pub(crate) const ALL: [Kind; MAX_KINDS] = [Kind::One, Kind::Four, Kind::Zero];
}

const LOW: u128 = u128::MAX / 3;

impl Series {
    pub(crate) const LIMIT: usize = 64;

    pub(crate) const fn len(self) -> usize {
        (128 - self.0.leading_zeros() as usize).div_ceil(2)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether no throw can be appended.
    pub(crate) const fn is_full(self) -> bool {
        self.0 >> (2 * (Series::LIMIT - 1)) != 0
    }

    /// Appends a throw.
    ///
    /// # Panics
    /// When the series is full.
    pub(crate) fn push(&mut self, kind: Kind) {
        let length = self.len();
        assert!(length < Series::LIMIT, "a series holds {} throws", Series::LIMIT);
        self.0 |= (kind as u128) << (2 * length);
    }

    /// The throws in the order thrown.
    pub(crate) fn iter(self) -> impl Iterator<Item = Kind> {
        (0..self.len()).map(move |at| match self.0 >> (2 * at) & 3 {
            1 => Kind::One,
            2 => Kind::Four,
            _ => Kind::Zero,
        })
    }

    /// One bit (the lower of the pair) for each throw of a kind.
    const fn places(self, kind: Kind) -> u128 {
        let (low, high) = (self.0 & LOW, self.0 >> 1 & LOW);
        match kind {
            Kind::One => low & !high,
            Kind::Four => high & !low,
            Kind::Zero => low & high,
        }
    }

    /// How many 1s, 4s and throws without a mouth there are.
    #[inline]
    pub(crate) const fn counts(self) -> [u8; 3] {
        let (first, second) = (self.0 as u64, (self.0 >> 64) as u64);
        let [ones, fours, zeros] = Series::counts_of(first);
        // Series of more than 32 throws are all but unheard of.
        if second == 0 {
            return [ones, fours, zeros];
        }
        let more = Series::counts_of(second);
        [ones + more[0], fours + more[1], zeros + more[2]]
    }

    const fn counts_of(throws: u64) -> [u8; 3] {
        let (low, high) = (throws & LOW as u64, throws >> 1 & LOW as u64);
        let zeros = (low & high).count_ones();
        [(low.count_ones() - zeros) as u8, (high.count_ones() - zeros) as u8, zeros as u8]
    }

    /// The series from its first 1 on; empty when there is none.
    pub(crate) const fn starting_with_one(self) -> Series {
        let ones = self.places(Kind::One);
        if ones == 0 { Series(0) } else { Series(self.0 >> ones.trailing_zeros()) }
    }

    /// The series with its throws in ascending order.
    pub(crate) fn sorted(self) -> Series {
        let mut sorted = Series::default();
        for (kind, count) in Kind::ALL.into_iter().zip(self.counts()) {
            (0..count).for_each(|_| sorted.push(kind));
        }
        sorted
    }

    /// The series without its first throw of `kind`, which must be there.
    pub(crate) const fn without(self, kind: Kind) -> Series {
        let at = self.places(kind).trailing_zeros();
        let below = (1u128 << at) - 1;
        let above = if at >= 126 { 0 } else { self.0 >> (at + 2) << at };
        Series(self.0 & below | above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_keeps_order_and_counts() {
        let mut series = Series::default();
        for kind in [Kind::Four, Kind::Zero, Kind::One, Kind::Four, Kind::One] {
            series.push(kind);
        }
        assert_eq!((series.len(), series.counts()), (5, [2, 2, 1]));
        assert_eq!(series.starting_with_one().iter().collect::<Vec<_>>(), [Kind::One, Kind::Four, Kind::One]);
        assert_eq!(
            series.without(Kind::One).iter().collect::<Vec<_>>(),
            [Kind::Four, Kind::Zero, Kind::Four, Kind::One]
        );
        let mut full = Series::default();
        (0..Series::LIMIT).for_each(|at| full.push(if at == 40 { Kind::One } else { Kind::Zero }));
        assert_eq!(full.counts(), [1, 0, 63]);
        assert!(full.is_full() && !full.without(Kind::Zero).is_full());
        assert_eq!((full.len(), full.without(Kind::Zero).len()), (64, 63));
    }

    #[test]
    fn sorting_network_sorts() {
        for code in 0..256_u32 {
            let mut places = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3].map(|place| place as u8);
            let mut expected = places;
            expected.sort_unstable();
            sort(&mut places);
            assert_eq!(places, expected);
        }
    }
}
