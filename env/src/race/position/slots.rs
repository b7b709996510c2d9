//! SIMD within a register: one byte for each piece of a seat in a 64-bit word, and sets of pieces.
//!
//! A turn tests all its pieces together with a few register operations, without unpredictable
//! branches. This module does not know the meaning of the bytes.

use std::ops::{BitAnd, BitOr, Not};

use crate::race::position::state::MAX_PIECES;

/// A byte for each slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slots(u64);

/// A set of slots, stored as the top bits of their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set(u64);

const ONE: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = 0x8080_8080_8080_8080;

impl Slots {
    pub const ZERO: Slots = Slots(0);

    #[inline]
    pub fn of(bytes: [u8; MAX_PIECES]) -> Slots {
        Slots(u64::from_le_bytes(bytes))
    }

    #[inline]
    pub fn bytes(self) -> [u8; MAX_PIECES] {
        self.0.to_le_bytes()
    }

    #[inline]
    pub fn get(self, slot: usize) -> u8 {
        (self.0 >> (8 * slot)) as u8
    }

    /// Returns these bytes with `byte` in `slot`.
    #[inline]
    pub fn with(self, slot: usize, byte: u8) -> Slots {
        Slots(self.0 & !(0xFF << (8 * slot)) | u64::from(byte) << (8 * slot))
    }

    /// Returns these bytes with 0 in the slots of `set`.
    #[inline]
    pub fn without(self, set: Set) -> Slots {
        Slots(self.0 & !((set.0 >> 7) * 0xFF))
    }

    #[inline]
    pub fn or(self, other: Slots) -> Slots {
        Slots(self.0 | other.0)
    }

    /// Returns the sums of the bytes. Each sum must be at most 255.
    #[inline]
    pub fn plus(self, other: Slots) -> Slots {
        Slots(self.0.wrapping_add(other.0))
    }

    /// Returns the differences of the bytes. Each difference must be 0 or more.
    #[inline]
    pub fn minus(self, other: Slots) -> Slots {
        Slots(self.0.wrapping_sub(other.0))
    }

    /// Applies `to` to each of the first four bytes; the other bytes become 0.
    #[inline]
    pub fn map(self, to: impl Fn(u8) -> u8) -> Slots {
        Slots(u32::from_le_bytes((self.0 as u32).to_le_bytes().map(to)).into())
    }

    /// Keeps only `bits` of each byte.
    #[inline]
    pub fn only(self, bits: u8) -> Slots {
        Slots(self.0 & (u64::from(bits) * ONE))
    }

    /// Returns `byte` in `slot` and 0 in the other slots.
    #[inline]
    pub fn one(slot: usize, byte: u8) -> Slots {
        Slots(u64::from(byte) << (8 * slot))
    }

    /// Returns the slots whose byte is at least `limit`. `limit` is at most 128. Bytes above 127
    /// are treated as 127.
    #[inline]
    pub fn at_least(self, limit: u8) -> Set {
        // The top bit of a byte stays set unless the subtraction borrows it. So no byte borrows
        // from the next byte.
        Set((self.0 | TOP).wrapping_sub(u64::from(limit) * ONE) & TOP)
    }

    /// Returns the slots whose bytes are equal in both words.
    #[inline]
    pub fn equal(self, other: Slots) -> Set {
        let difference = self.0 ^ other.0;
        Set(!((difference & !TOP).wrapping_add(!TOP) | difference) & TOP)
    }

    /// Returns the slots whose byte is `byte`.
    #[inline]
    pub fn are(self, byte: u8) -> Set {
        self.equal(Slots(u64::from(byte) * ONE))
    }

    /// Returns the slots whose byte has any of `bits`. The top bit is ignored.
    #[inline]
    pub fn have(self, bits: u8) -> Set {
        self.only(bits).at_least(1)
    }

    /// Returns two sets: the slots whose byte also occurs in one of the three slots before, and the
    /// slots whose byte also occurs in one of the three slots after. With four pieces this finds
    /// all equal bytes.
    #[inline]
    pub fn repeated(self) -> (Set, Set) {
        let again =
            |slots: u32| self.equal(Slots(self.0 << (8 * slots))).0 >> (8 * slots) << (8 * slots);
        let (next, second, third) = (again(1), again(2), again(3));
        (
            Set(next | second | third),
            Set(next >> 8 | second >> 16 | third >> 24),
        )
    }
}

impl Set {
    pub const NONE: Set = Set(0);

    /// Returns the slots among the first four that `is_in` accepts.
    #[inline]
    pub fn of(is_in: impl Fn(usize) -> bool) -> Set {
        (0..4)
            .filter(|&slot| is_in(slot))
            .fold(Set::NONE, |set, slot| set.with(slot, true))
    }

    #[inline]
    pub fn contains(self, slot: usize) -> bool {
        self.0 >> (8 * slot) & 0x80 != 0
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns `byte` in every slot of the set and 0 in the other slots.
    #[inline]
    pub fn each(self, byte: u8) -> Slots {
        Slots((self.0 >> 7) * u64::from(byte))
    }

    /// Returns the set as bits: bit n is slot n.
    #[inline]
    pub fn bits(self) -> u32 {
        ((self.0 >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    }

    #[inline]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the lowest slot of the set as a set.
    #[inline]
    pub fn lowest(self) -> Set {
        Set(self.0 & self.0.wrapping_neg())
    }

    #[inline]
    pub fn without(self, slot: usize) -> Set {
        Set(self.0 & !(0x80 << (8 * slot)))
    }

    #[inline]
    pub fn with(self, slot: usize, is_in: bool) -> Set {
        Set(self.0 | u64::from(is_in) << (8 * slot + 7))
    }

    /// Returns the slots of this set below `limit`, which is at most 7.
    #[inline]
    pub fn below(self, limit: usize) -> Set {
        Set(self.0 & ((1 << (8 * limit)) - 1))
    }

    /// Returns the slots `s` for which the set contains a slot other than `s`. `s` itself can be
    /// outside the set.
    #[inline]
    pub fn beside(self) -> Set {
        let has_two = self.0 & self.0.wrapping_sub(1) != 0;
        (!self | (!Set::NONE).when(has_two)).when(self.0 != 0)
    }

    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let slot = (bits != 0).then(|| bits.trailing_zeros() as usize / 8)?;
            bits &= bits - 1;
            Some(slot)
        })
    }

    /// Returns this set if `condition` is true, otherwise the empty set.
    #[inline]
    pub fn when(self, condition: bool) -> Set {
        Set(self.0 & u64::from(condition).wrapping_neg())
    }
}

impl BitAnd for Set {
    type Output = Set;
    #[inline]
    fn bitand(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }
}

impl BitOr for Set {
    type Output = Set;
    #[inline]
    fn bitor(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }
}

impl Not for Set {
    type Output = Set;
    #[inline]
    fn not(self) -> Set {
        Set(!self.0 & TOP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns slots that test carries and borrows: their first four bytes are all sequences of
    /// `BYTES`.
    fn all() -> impl Iterator<Item = [u8; MAX_PIECES]> {
        const BYTES: [u8; 7] = [0, 1, 2, 61, 126, 127, 255];
        let byte = |code: usize, slot: usize| {
            BYTES[(code / BYTES.len().pow(slot as u32 % 4) + slot / 4 * code) % 7]
        };
        (0..BYTES.len().pow(4)).map(move |code| std::array::from_fn(|slot| byte(code, slot)))
    }

    fn set(is_in: impl Fn(usize) -> bool) -> Set {
        (0..MAX_PIECES)
            .filter(|&slot| is_in(slot))
            .fold(Set::NONE, |set, slot| set.with(slot, true))
    }

    #[test]
    fn packed_operations_agree_with_slot_by_slot_ones() {
        for bytes in all() {
            let slots = Slots::of(bytes);
            assert_eq!(slots.bytes(), bytes);
            for limit in [0, 1, 2, 60, 61, 62, 127, 128] {
                assert_eq!(
                    slots.at_least(limit),
                    set(|slot| bytes[slot].min(127) >= limit),
                    "{bytes:?} {limit}"
                );
            }
            for byte in [0, 1, 61, 127, 255] {
                assert_eq!(
                    slots.are(byte),
                    set(|slot| bytes[slot] == byte),
                    "{bytes:?} {byte}"
                );
            }
            assert_eq!(
                slots.have(0x42),
                set(|slot| bytes[slot] & 0x42 != 0),
                "{bytes:?}"
            );
            let (again, before) = slots.repeated();
            let (low, high) = (
                |slot: usize| slot.saturating_sub(3),
                |slot: usize| MAX_PIECES.min(slot + 4),
            );
            assert_eq!(
                again,
                set(|slot| bytes[low(slot)..slot].contains(&bytes[slot])),
                "{bytes:?}"
            );
            assert_eq!(
                before,
                set(|slot| bytes[slot + 1..high(slot)].contains(&bytes[slot])),
                "{bytes:?}"
            );
            assert_eq!(
                again.beside(),
                set(|slot| again.iter().any(|other| other != slot)),
                "{bytes:?}"
            );
            assert_eq!(
                again.bits(),
                again.iter().fold(0, |bits, slot| bits | 1 << slot),
                "{bytes:?}"
            );
            let listed: Vec<usize> = again.iter().collect();
            assert_eq!(
                listed,
                (0..MAX_PIECES)
                    .filter(|&slot| again.contains(slot))
                    .collect::<Vec<_>>()
            );
        }
    }
}
