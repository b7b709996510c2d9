//! Relations between pieces: their distances, and the progress of the seats.
//!
//! With columns by distance, a network learns each relation once, and not for each pair of squares.
//! A distance is a number of steps on the course of the piece behind. The network itself must learn
//! the effect of throws and of pieces in between.

use arrayvec::ArrayVec;

use crate::{
    game::{MAX_SEATS, Seat},
    race::{
        compile::{
            ByNumber, ByPlace, PLACES, Rules,
            reach::{bits, places_of},
        },
        position::state::{MAX_PIECES, State},
    },
};

/// The largest distance that has a column.
const FAR: u16 = 16;
/// The number of stages of the course.
const STAGES: u16 = 4;
/// The number of levels of the progress of a seat. Its lead over the observer has the same number
/// of levels.
const LEVELS: u16 = 16;

/// The columns of one seat's relations, and the tables to find them.
///
/// The first columns are the distances from enemies behind single pieces that can be captured:
/// first for all these pieces together, then for each stage of the course. The next columns are the
/// distances from enemies behind other pieces, the distances between own pieces, the level of
/// progress, and the lead over the observer.
#[derive(Clone, Debug)]
pub struct Relations {
    /// `[quarters][place]`: the places of another seat on the square of `place`, as bits. This seat
    /// is `quarters` quarter turns away, counter-clockwise.
    same: Box<[ByPlace<u128>; MAX_SEATS]>,
    hunted: u16,
    staged: u16,
    followed: u16,
    apart: u16,
    progress: u16,
    lead: u16,
    /// The sum of the places of a seat if all its pieces are home.
    most: u16,
}

impl Relations {
    /// Allocates the columns of a seat: `take` receives a number of columns and returns the first
    /// one.
    pub fn new(rules: &Rules, mut take: impl FnMut(u16) -> u16) -> Relations {
        let mut same = Box::new([ByNumber([0; PLACES]); MAX_SEATS]);
        let on_course = 1..rules.home;
        for (quarters, same) in same.iter_mut().enumerate() {
            let others = &rules.bits[Seat::SOUTH.rotated(quarters)];
            for place in on_course.clone() {
                let cell = rules.bits[Seat::SOUTH][place];
                let places = on_course.clone().filter(|&other| cell & others[other] != 0);
                same[place] = places.fold(0, |places, other| places | 1 << other);
            }
        }
        Relations {
            same,
            hunted: take(FAR),
            staged: take(STAGES * FAR),
            followed: take(FAR),
            apart: take(FAR),
            progress: take(LEVELS),
            lead: take(LEVELS),
            most: u16::from(rules.home) * rules.pieces() as u16,
        }
    }

    /// Returns the places where `owner` would capture a single piece of an enemy, as bits.
    #[inline]
    pub fn capturable_by(&self, rules: &Rules, state: &State, owner: Seat) -> u128 {
        let mut capturable = 0;
        for &enemy in rules.seating.enemies(owner) {
            let same = self.same_square(enemy, owner);
            let pieces = &state.pieces[enemy];
            for slot in (0..rules.pieces()).filter(|&slot| is_single(pieces, slot)) {
                let place = pieces[slot];
                capturable |= if rules.contested >> place & 1 == 1 {
                    same[place]
                } else {
                    0
                };
            }
        }
        capturable
    }

    /// Returns for each place of `seat` the places of `other` on the same square.
    #[inline]
    fn same_square(&self, seat: Seat, other: Seat) -> &ByPlace<u128> {
        &self.same[seat.quarters_to(other)]
    }

    #[inline]
    pub fn facts(&self, rules: &Rules, state: &State) -> SeatFacts {
        let mut facts = SeatFacts {
            on_course: [0; MAX_SEATS],
            progress: [0; MAX_SEATS],
        };
        for seat in rules.seating.seats.iter() {
            let pieces = &state.pieces[seat][..rules.pieces()];
            let on_course = pieces.iter().filter(|&&place| place < rules.home);
            facts.on_course[seat.index()] = on_course.fold(0, |places, &place| places | 1 << place);
            facts.progress[seat.index()] = pieces
                .iter()
                .map(|&place| u16::from(place.min(rules.home)))
                .sum();
        }
        facts
    }

    /// Calls `push` for each column of `owner` that is 1, with `at` added.
    #[inline]
    pub fn observe(
        &self,
        rules: &Rules,
        state: &State,
        facts: &SeatFacts,
        [observer, owner]: [Seat; 2],
        at: u16,
        mut push: impl FnMut(u16),
    ) {
        let pieces = &state.pieces[owner];
        let own = (facts.on_course[owner.index()] & !1).reverse_bits();
        // A waiting piece counts as a piece on the place from which its first throw moves it.
        let entry = if rules.enters_by_count() {
            rules.enters_at
        } else {
            rules.enters_at - 1
        };
        let hunters = |&enemy: &Seat| {
            let on_course = facts.on_course[enemy.index()];
            let reversed = (on_course & !1 | (on_course & 1) << entry).reverse_bits();
            (enemy, reversed, rules.gate_rule.is_open(state, enemy))
        };
        let hunters: ArrayVec<_, MAX_SEATS> =
            rules.seating.enemies(owner).iter().map(hunters).collect();
        let (mut hunted, mut staged, mut followed, mut apart) = (0, [0; STAGES as usize], 0, 0);
        for slot in (0..rules.pieces()).filter(|&slot| (1..rules.home).contains(&pieces[slot])) {
            let place = pieces[slot];
            let mut hunters_at = 0;
            for &(enemy, hunters, is_open) in &hunters {
                let places = rules.ahead(self.same_square(owner, enemy)[place], is_open);
                hunters_at |=
                    places_of(places).fold(0, |found, place| found | distances(hunters, place));
            }
            if rules.contested >> place & 1 == 1 && is_single(pieces, slot) {
                hunted |= hunters_at;
                staged[usize::from(place) * usize::from(STAGES) / usize::from(rules.home)] |=
                    hunters_at;
            } else {
                followed |= hunters_at;
            }
            apart |= distances(own, place);
        }
        let mut push_all =
            |distances: u16, at: u16| bits(distances).for_each(|distance| push(at + distance));
        push_all(hunted, at + self.hunted);
        for (stage, distances) in (0..).zip(staged) {
            push_all(distances, at + self.staged + stage * FAR);
        }
        push_all(followed, at + self.followed);
        push_all(apart, at + self.apart);
        let progress = facts.progress[owner.index()];
        push(at + self.progress + progress * LEVELS / (self.most + 1));
        if owner != observer {
            let lead = i32::from(progress) - i32::from(facts.progress[observer.index()]);
            // `step` is about 1/32 of the largest progress. The highest level is a lead of at least
            // 7 times `step`. The lowest level is a lead of less than −7 times `step`.
            let step = (i32::from(self.most / LEVELS) / 2).max(1);
            let level = lead.div_euclid(step) + i32::from(LEVELS / 2);
            push(at + self.lead + level.clamp(0, i32::from(LEVELS) - 1) as u16);
        }
    }
}

/// The facts about each seat that determine all relations.
pub struct SeatFacts {
    /// The places before the finish that have a piece, as bits.
    on_course: [u128; MAX_SEATS],
    /// The sum of the places, up to the finish.
    progress: [u16; MAX_SEATS],
}

/// Returns the distances of pieces behind `place` as bits: bit d means d + 1 steps. `place` is at
/// least 1. `reversed` has the places of the pieces as bits in reverse order.
#[inline]
fn distances(reversed: u128, place: u8) -> u16 {
    reversed.wrapping_shr(128 - u32::from(place)) as u16
}

/// Returns whether the piece of `slot` is the only piece of its owner on its place. `pieces` are in
/// ascending order.
#[inline]
fn is_single(pieces: &[u8; MAX_PIECES], slot: usize) -> bool {
    let is_other = |other: usize| other >= MAX_PIECES || pieces[other] != pieces[slot];
    is_other(slot.wrapping_sub(1)) && is_other(slot + 1)
}

#[cfg(test)]
mod tests;
