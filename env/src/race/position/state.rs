//! A position of a race game: a few dozen plain bytes.
//!
//! The state has no rules, no random generator and no history. It has the places of the pieces, the
//! unused throws, and the steps that each piece has been given in this turn.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use crate::game::{BySeat, MAX_SEATS, Seat};
pub(crate) use crate::sheet::values::MAX_KINDS;
pub use crate::sheet::values::MAX_PIECES;

/// The filler of slots without a piece.
pub const NO_PIECE: u8 = 0xFF;

/// A position. The sheet of the game defines the meaning of the places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The throws of the series that are kept and unused, without the throw that ends the series.
    pub(crate) series: Series,
    /// The places of each seat's pieces in ascending order. If all throws are allotted before
    /// pieces move, these are the places at the start of the turn.
    pub(crate) pieces: BySeat<[u8; MAX_PIECES]>,
    /// For each piece of the mover: the steps allotted so far in this turn.
    pub(crate) steps: [u8; MAX_PIECES],
    /// For each piece of the mover: its role in this turn, as bits of [`role`].
    pub(crate) roles: [u8; MAX_PIECES],
    /// The unused throws that `series` does not contain; 0 for none. In the second part of a throw,
    /// `dice[1]` can be the whole throw (`Registers::has_parts`).
    pub(crate) dice: [u8; 2],
    /// The rank (1 to 4) of each seat that has finished, otherwise 0. Several seats can share a
    /// rank.
    pub(crate) finished: BySeat<u8>,
    /// For each seat, the slots of its declared twins (pieces of declared units) as bits. Only the
    /// first four slots can be declared.
    pub(crate) declared: BySeat<u8>,
    /// The seat that throws or chooses.
    pub(crate) mover: Seat,
    pub(crate) phase: Phase,
    /// The seats that have captured or have entered a piece, as bits. Always 0 unless a rule of the
    /// game needs this field.
    pub(crate) seat_marks: u8,
    /// The registers that the kind of turn declares; see `turns::registers`. 0 unless a rule of the
    /// game needs them.
    pub(crate) registers: [u8; 3],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Phase {
    Throw,
    /// All throws are made, but no throw is allotted yet.
    Choose,
    /// Some of the throws are allotted.
    Allot,
    Over,
}

/// The role of a piece in the current turn.
pub(crate) mod role {
    /// Has not moved yet.
    pub const FRESH: u8 = 0;
    /// Enters the board.
    pub const ENTERED: u8 = 1;
    /// Moves alone.
    pub const SINGLE: u8 = 2;
    /// Moves together with a follower.
    pub const LEAD: u8 = 4;
    /// Moves together with a lead, by the steps of the lead.
    pub const FOLLOWER: u8 = 8;
    /// Is borne off (leaves the board).
    pub const BORNE: u8 = 16;
    /// Moves first with the larger of two dice.
    pub const LARGER_FIRST: u8 = 32;
    /// All roles that make a piece unavailable for another unit.
    pub const TAKEN: u8 = SINGLE | LEAD | FOLLOWER | BORNE;
}

impl State {
    /// Returns an empty board before the first throw of `first`.
    pub(crate) fn empty(first: Seat) -> State {
        State {
            series: Series::default(),
            pieces: BySeat([[NO_PIECE; MAX_PIECES]; MAX_SEATS]),
            steps: [0; MAX_PIECES],
            roles: [role::FRESH; MAX_PIECES],
            dice: [0; 2],
            finished: BySeat::default(),
            declared: BySeat::default(),
            mover: first,
            phase: Phase::Throw,
            seat_marks: 0,
            registers: [0; 3],
        }
    }

    /// Returns this position before the first choice of its turn.
    pub(crate) fn unplayed(&self) -> State {
        State {
            phase: Phase::Choose,
            roles: [role::FRESH; MAX_PIECES],
            steps: [0; MAX_PIECES],
            ..*self
        }
    }

    /// Clears the throws and allotments of the turn, and sets the next mover and phase.
    #[inline]
    fn clear_turn(&mut self, mover: Seat, phase: Phase) {
        (self.mover, self.phase) = (mover, phase);
        self.series = Series::default();
        self.steps = [0; MAX_PIECES];
        self.roles = [role::FRESH; MAX_PIECES];
        self.dice = [0; 2];
        self.registers = [0; 3];
    }

    #[inline]
    pub(crate) fn begin_turn(&mut self, mover: Seat) {
        self.clear_turn(mover, Phase::Throw);
    }

    /// Ends the game. The mover is set to South, so that equal endings are equal states.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.clear_turn(Seat::SOUTH, Phase::Over);
    }

    pub(crate) fn finished_count(&self) -> u8 {
        self.finished.0.iter().filter(|&&place| place > 0).count() as u8
    }

    /// Returns whether `seat` has captured or entered a piece, if positions record this.
    #[inline]
    pub(crate) fn has_mark(&self, seat: Seat) -> bool {
        self.seat_marks >> seat.index() & 1 == 1
    }
}

/// Sorts (place, declared) pairs of one seat. Returns the places and the slots of the declared
/// pieces as bits; `declared` is 0 or 1.
pub(crate) fn in_order(mut pieces: [(u8, u8); MAX_PIECES]) -> ([u8; MAX_PIECES], u8) {
    pieces.sort_unstable();
    let declared = pieces
        .iter()
        .zip(0..)
        .fold(0, |bits, ((_, declared), slot)| bits | declared << slot);
    (pieces.map(|(place, _)| place), declared)
}

/// Sorts the places of one seat in ascending order. The fillers are at the end of `places` and stay
/// there.
#[inline(always)]
pub(crate) fn sort(places: &mut [u8; MAX_PIECES]) {
    let [a, b, c, d, NO_PIECE, ..] = *places else {
        return sort_many(places);
    };
    let (a, b) = (a.min(b), a.max(b));
    let (c, d) = (c.min(d), c.max(d));
    let (a, c) = (a.min(c), a.max(c));
    let (b, d) = (b.min(d), b.max(d));
    // Written as one word: reading a word right after writing its parts is slow.
    let word = u64::from(u32::from_le_bytes([a, b.min(c), b.max(c), d])) | !u64::from(u32::MAX);
    *places = word.to_le_bytes();
}

#[inline(never)]
fn sort_many(places: &mut [u8; MAX_PIECES]) {
    places.sort_unstable();
}

/// The throws of a series before the throw that ends it: at most 64.
///
/// Series with equal counts of kept throws are equal. `order` contains all throws, with two bits
/// for each throw; it is only for display.
///
/// A longer series cannot be stored. Its probability is 10⁻²⁷ with sticks and 10⁻¹⁴ with the
/// uniform spinner. A full series accepts only throws that end it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Series {
    /// The number of kept throws of each kind. The fourth kind only occurs with several dice, and
    /// `order` does not contain it.
    counts: [u8; MAX_KINDS + 1],
    order: [u64; 2],
}

impl PartialEq for Series {
    #[inline]
    fn eq(&self, other: &Series) -> bool {
        self.counts == other.counts
    }
}

impl Eq for Series {}

impl Hash for Series {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.counts.hash(state);
    }
}

impl fmt::Debug for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The kinds of throws that continue a series, by ascending value. Pieces enter with throws of the
/// first kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SeriesKind {
    First = 1,
    Second = 2,
    Third = 3,
    /// Only occurs with several dice.
    Fourth = 4,
}

impl SeriesKind {
    pub(crate) const ALL: [SeriesKind; MAX_KINDS] =
        [SeriesKind::First, SeriesKind::Second, SeriesKind::Third];
    /// The kinds with several dice.
    pub(crate) const OF_DICE: [SeriesKind; MAX_KINDS + 1] = [
        SeriesKind::First,
        SeriesKind::Second,
        SeriesKind::Third,
        SeriesKind::Fourth,
    ];
}

impl Series {
    pub(crate) const LIMIT: usize = 64;

    #[inline]
    fn order(self) -> u128 {
        u128::from(self.order[0]) | u128::from(self.order[1]) << 64
    }

    #[inline]
    fn set_order(&mut self, order: u128) {
        self.order = [order as u64, (order >> 64) as u64];
    }

    /// Returns the number of kept throws of each kind, and the order of all throws as bytes.
    #[inline]
    pub(crate) fn parts(self) -> ([u8; MAX_KINDS + 1], [u8; 16]) {
        (self.counts, self.order().to_le_bytes())
    }

    /// Returns the series with these [`Series::parts`].
    #[inline]
    pub(crate) fn of_parts(counts: [u8; MAX_KINDS + 1], order: [u8; 16]) -> Series {
        let mut series = Series {
            counts,
            order: [0; 2],
        };
        series.set_order(u128::from_le_bytes(order));
        series
    }

    /// Returns whether the series has no kept throw.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.counts == [0; MAX_KINDS + 1]
    }

    #[inline]
    pub(crate) fn is_full(self) -> bool {
        self.order[1] >> 62 != 0
    }

    /// Adds a kept or lost throw. Does nothing if the series is full.
    #[inline]
    pub(crate) fn push(&mut self, kind: SeriesKind, is_kept: bool) {
        if self.is_full() {
            return;
        }
        self.counts[kind as usize - 1] += u8::from(is_kept);
        if kind == SeriesKind::Fourth {
            return;
        }
        let order = self.order();
        let length = (128 - order.leading_zeros()).div_ceil(2);
        self.set_order(order | (kind as u128) << (2 * length));
    }

    /// Iterates over all throws, also the lost throws, in the order of throwing.
    pub(crate) fn iter(self) -> impl Iterator<Item = SeriesKind> {
        let mut order = self.order();
        std::iter::from_fn(move || {
            let kind = SeriesKind::ALL
                .into_iter()
                .find(|&kind| kind as u128 == order & 3);
            order >>= 2;
            kind
        })
        .chain(std::iter::repeat_n(
            SeriesKind::Fourth,
            self.count(SeriesKind::Fourth).into(),
        ))
    }

    /// Returns the number of kept throws of a kind.
    #[inline]
    pub(crate) fn count(self, kind: SeriesKind) -> u8 {
        self.counts[kind as usize - 1]
    }

    /// Returns the number of kept throws of each kind, without the fourth kind.
    #[inline]
    pub(crate) fn counts(self) -> [u8; MAX_KINDS] {
        let [counts @ .., _] = self.counts;
        counts
    }

    /// Returns the kept throws without the first throw of `kind`.
    #[inline]
    pub(crate) fn without(mut self, kind: SeriesKind) -> Series {
        if self.counts[kind as usize - 1] == 0 {
            return self;
        }
        // The lost throws are before the kept throws.
        let order = self.order();
        let length = (128 - order.leading_zeros()).div_ceil(2);
        let kept = order >> (2 * (length - u32::from(self.counts().iter().sum::<u8>())));
        let (low, high) = (kept & LOW, kept >> 1 & LOW);
        let places = match kind {
            SeriesKind::First => low & !high,
            SeriesKind::Second => high & !low,
            SeriesKind::Third => low & high,
            SeriesKind::Fourth => 0,
        };
        let below = (places & places.wrapping_neg()).wrapping_sub(1);
        self.set_order(kept & below | kept >> 2 & !below);
        self.counts[kind as usize - 1] -= 1;
        self
    }
}

/// The lower bit of each throw in `order`.
const LOW: u128 = u128::MAX / 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_keeps_counts_and_order() {
        let series = |throws: &[(SeriesKind, bool)]| {
            let mut series = Series::default();
            throws
                .iter()
                .for_each(|&(kind, is_kept)| series.push(kind, is_kept));
            series
        };
        let [one, four, zero] = SeriesKind::ALL.map(|kind| (kind, true));
        let thrown = series(&[
            (SeriesKind::Second, false),
            (SeriesKind::Third, false),
            one,
            four,
            one,
        ]);
        assert_eq!((thrown.counts(), thrown.iter().count()), ([2, 1, 0], 5));
        assert_eq!(thrown, series(&[one, one, four]));
        let left: Vec<SeriesKind> = thrown.without(SeriesKind::First).iter().collect();
        assert_eq!(left, [SeriesKind::Second, SeriesKind::First]);
        let left: Vec<SeriesKind> = series(&[four, zero, one, four])
            .without(SeriesKind::Second)
            .iter()
            .collect();
        assert_eq!(
            left,
            [SeriesKind::Third, SeriesKind::First, SeriesKind::Second]
        );
        assert_eq!(thrown.without(SeriesKind::Third), thrown);

        let full = series(&[zero; Series::LIMIT + 1]);
        assert_eq!(
            (full.counts(), full.iter().count()),
            ([0, 0, 64], Series::LIMIT)
        );
        assert!(full.is_full() && !full.without(SeriesKind::Third).is_full());
        assert_eq!(full.without(SeriesKind::Third).iter().count(), 63);
    }

    #[test]
    fn sorting_network_sorts() {
        for code in 0..512_u32 {
            let mut places = [NO_PIECE; MAX_PIECES];
            let pieces = if code < 256 { 4 } else { 7 };
            (0..pieces).for_each(|slot| places[slot] = (code >> (2 * slot % 8) & 3) as u8);
            let mut expected = places;
            expected.sort_unstable();
            sort(&mut places);
            assert_eq!(places, expected);
        }
    }
}
