//! Who stands where on the ring of Pagade, as one colour counts its squares: 0 is its own square 8.
//!
//! The ring knows colours as own, enemy and partner, and neither dice nor whose turn it is. Squares and crowds are
//! bytes, so that those of all pawns of a colour can be compared at once.

use crate::game::MAX_SEATS;
use crate::games::pagade::{HOME, RING, RING_END, RING_START};
use crate::race::state::MAX_PIECES;

/// The square of all places beside the ring: nobody is in the way there.
pub(in crate::race) const BESIDE: u8 = RING;
/// The square of places that there are not: there is no room.
pub(in crate::race) const NOWHERE: u8 = RING + 1;

/// `SQUARES[quarters][place]`: the square of a pawn of the colour `quarters` counter-clockwise.
const SQUARES: [[u8; 256]; MAX_SEATS] = {
    let mut squares = [[BESIDE; 256]; MAX_SEATS];
    let mut quarters = 0;
    while quarters < MAX_SEATS {
        let mut place = RING_START;
        while place <= RING_END {
            squares[quarters][place as usize] = (place - RING_START + 17 * quarters as u8) % RING;
            place += 1;
        }
        quarters += 1;
    }
    squares
};

/// What becomes of a pawn that goes beyond the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::race) enum Beyond {
    /// It enters the belly.
    Enters,
    /// It may not go there.
    Waits,
    /// It goes around again.
    Laps,
}

/// By what becomes of pawns beyond the ring, and by steps from the start of the course: the square there.
const LANDINGS: [[u8; 256]; 3] = [landings(Beyond::Enters), landings(Beyond::Waits), landings(Beyond::Laps)];

const fn landings(beyond: Beyond) -> [u8; 256] {
    let mut squares = [NOWHERE; 256];
    let mut steps = 0;
    while steps < squares.len() {
        squares[steps] = match beyond {
            _ if steps <= RING_END as usize => SQUARES[0][steps],
            Beyond::Enters if steps <= HOME as usize => BESIDE,
            Beyond::Laps if steps <= (RING_END + RING) as usize => SQUARES[0][steps - RING as usize],
            _ => NOWHERE,
        };
        steps += 1;
    }
    squares
}

/// The square of a pawn on `place` whose colour is `quarters` counter-clockwise of the one that counts.
#[inline]
pub(in crate::race) fn square(place: u8, quarters: usize) -> u8 {
    SQUARES[quarters % MAX_SEATS][usize::from(place)]
}

/// The square on which a pawn of the colour that counts lands after so many steps from the start of its course.
#[inline]
pub(in crate::race) fn landing(steps: u8, beyond: Beyond) -> u8 {
    LANDINGS[beyond as usize][usize::from(steps)]
}

/// Who stands on each square: the numbers of own, enemy and partner's pawns, side by side in a byte.
#[derive(Clone, Copy, Debug)]
pub(in crate::race) struct Ring([u8; 128]);

/// One pawn of a crowd.
pub(in crate::race) const OWN: u8 = 1;
pub(in crate::race) const ENEMY: u8 = 8;
pub(in crate::race) const PARTNER: u8 = 64;
/// Bits of a crowd: any own pawns, two, and any enemies.
pub(in crate::race) const ANY_OWN: u8 = 7 * OWN;
pub(in crate::race) const TWO_OWN: u8 = 6 * OWN;
pub(in crate::race) const ANY_ENEMY: u8 = 7 * ENEMY;
/// Bits of a crowd that close the square to a pawn by itself, and to a pair.
pub(in crate::race) const CLOSED_TO_ONE: u8 = TWO_OWN | (6 * ENEMY) | (3 * PARTNER);
pub(in crate::race) const CLOSED_TO_PAIR: u8 = ANY_OWN | (3 * PARTNER);

impl Ring {
    /// The ring without pawns.
    #[inline]
    pub(in crate::race) fn empty() -> Ring {
        let mut crowds = [0; 128];
        crowds[usize::from(NOWHERE)] = u8::MAX;
        Ring(crowds)
    }

    /// Adds the pawns of the colour `quarters` counter-clockwise, each as `pawn`: [`OWN`], [`ENEMY`] or [`PARTNER`].
    #[inline]
    pub(in crate::race) fn add(&mut self, places: &[u8; MAX_PIECES], quarters: usize, pawn: u8) {
        for &place in places {
            let crowd = &mut self.0[usize::from(square(place, quarters)) % 128];
            *crowd = crowd.wrapping_add(pawn);
        }
        self.0[usize::from(BESIDE)] = 0;
    }

    /// The crowd on a square.
    #[inline]
    pub(in crate::race) fn at(&self, square: u8) -> u8 {
        self.0[usize::from(square) % 128]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_meet_as_the_board_tells() {
        use crate::game::Seat;
        use crate::games::pagade::COURSE;
        use crate::race::board::Board;
        let board = Board::new(&COURSE);
        for (quarters, other) in Seat::ALL.into_iter().enumerate() {
            for place in RING_START..RING_END {
                let there = board.same_square(Seat::SOUTH, place, other);
                assert_eq!(square(place, 0), square(there, quarters), "South's {place} and {other}'s {there}");
            }
        }
        assert_eq!([0, 7, 8, 75, 76, 77, 84, 255].map(|place| square(place, 0)), [68, 68, 0, 67, 0, 68, 68, 68]);
        let landings = |beyond| [76, 77, 84, 85, 88].map(|steps| landing(steps, beyond));
        assert_eq!(landings(Beyond::Enters), [0, BESIDE, BESIDE, NOWHERE, NOWHERE]);
        assert_eq!(landings(Beyond::Waits), [0, NOWHERE, NOWHERE, NOWHERE, NOWHERE]);
        assert_eq!(landings(Beyond::Laps), [0, 1, 8, 9, 12]);
    }

    #[test]
    fn crowds_close_squares_as_the_rules_say() {
        // South's 8 and 76 are one square; North's index 42 lies on it.
        for (own, others, are_partners, one, pair, enemy) in [
            ([6, 7, 0, 84], [1, 2, 3, 4], false, true, true, false),
            ([8, 7, 0, 84], [1, 2, 3, 4], false, true, false, false),
            ([8, 76, 0, 84], [1, 2, 3, 4], false, false, false, false),
            ([6, 7, 0, 84], [1, 2, 3, 42], false, true, true, true),
            ([6, 7, 0, 84], [1, 2, 42, 42], false, false, true, true),
            ([6, 7, 0, 84], [1, 2, 3, 42], true, false, false, false),
        ] {
            let mut ring = Ring::empty();
            ring.add(&own, 0, OWN);
            ring.add(&others, 2, if are_partners { PARTNER } else { ENEMY });
            let crowd = ring.at(square(8, 0));
            let found = (crowd & CLOSED_TO_ONE == 0, crowd & CLOSED_TO_PAIR == 0, crowd & ANY_ENEMY != 0);
            assert_eq!(found, (one, pair, enemy), "{own:?} and {others:?}");
            assert_eq!(ring.at(BESIDE), 0);
            assert!(ring.at(NOWHERE) & CLOSED_TO_ONE != 0 && ring.at(NOWHERE) & CLOSED_TO_PAIR != 0);
        }
    }
}
