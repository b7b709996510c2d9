//! Reachability analysis: the places that pieces can reach, and the places that cannot reach the
//! finish. Checks of sheets and the layout of observations use it.

use crate::{
    game::Seat,
    race::{
        compile::{NOWHERE, Rules, Throw, WALL},
        position::{seating::Participants, state::MAX_PIECES},
    },
    sheet::values::{BonusOrder, Divide, Overshoot, UnitKind},
};

/// Iterates over the set bits in ascending order.
pub fn places_of(mut set: u128) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(bit)
    })
}

/// [`places_of`] for a 16-bit set, which is faster.
#[inline]
pub fn bits(set: impl Into<u16>) -> impl Iterator<Item = u16> {
    let mut set: u16 = set.into();
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as u16)?;
        set &= set - 1;
        Some(bit)
    })
}

impl Rules {
    /// Returns the distances of `places` from the start of the course, as bits. If the gate is
    /// open, the distance of a place is its number. If it is closed, places beyond it have no
    /// distance. If pieces then go around the course again, a place before the gate has one more
    /// distance for each further round.
    #[inline]
    pub fn ahead(&self, places: u128, is_open: bool) -> u128 {
        if is_open {
            return places;
        }
        let before = places & ((1 << self.gate) - 1);
        let Some(rounds) = self.longest.checked_div(self.lap) else {
            return before;
        };
        let beyond = |round: u8| {
            before
                .checked_shl(u32::from(round) * u32::from(self.lap))
                .unwrap_or(0)
        };
        let rounds = (1..=rounds + 1).fold(0, |all, round| all | beyond(round));
        before | rounds & !((1 << self.gate) - 1)
    }

    /// Returns all step counts of one hop, as bits.
    pub fn hops(&self) -> u128 {
        self.outcomes
            .iter()
            .fold(0, |steps, throw| steps | self.hops_of_throw(throw))
    }

    /// Returns all step counts of one hop by `throw`, as bits. A hop can use a part of the throw or
    /// move a unit.
    fn hops_of_throw(&self, throw: &Throw) -> u128 {
        let [a, _] = throw.values;
        let mut steps = throw.steps;
        if self.turn.divide == Divide::Finish {
            steps |= (2 << a) - 2;
        }
        if self.unit.kind != UnitKind::None {
            steps |= 1 << self.effects[a].unit_steps;
        }
        steps & !1
    }

    /// Returns the places that a piece on the course reaches from `from` with any of `steps`.
    /// Places and steps are bits.
    pub fn targets(&self, from: u8, steps: u128, is_open: bool) -> u128 {
        places_of(steps & !1)
            .map(|count| self.target(from, count, is_open))
            .filter(|&target| target != WALL)
            .fold(0, |places, place| places | 1 << place)
    }

    /// Returns the places that one hop reaches from a place on the course, with the gate open or
    /// closed, as bits.
    fn hops_from(&self, place: u8, hops: u128) -> u128 {
        self.targets(place, hops, true) | self.targets(place, hops, false)
    }

    /// Returns whether a seat can ever pass its gate. If only a capture opens the gate, a seat must
    /// be able to capture an enemy before the gate.
    pub fn opens(&self, seating: &Participants) -> bool {
        if self.gate_rule.is_open_to_all {
            return true;
        }
        let before =
            self.reached(|place, hops| self.targets(place, hops, false)) & ((1 << self.home) - 2);
        let is_there = |place: u8| place != NOWHERE && before >> place & 1 == 1;
        let meets = |seat: Seat, enemy: Seat, place: u8| {
            self.places[enemy][self.cells[seat][place]]
                .into_iter()
                .any(is_there)
        };
        let captures = |seat: Seat| {
            seating
                .enemies(seat)
                .iter()
                .any(|&enemy| places_of(before).any(|place| meets(seat, enemy, place)))
        };
        seating.seats.iter().any(captures)
    }

    /// Returns the places where pieces of `own` can land with a throw, and the places that they can
    /// pass, as bits. Both sets can contain other places, too.
    pub fn touched(&self, own: &[u8; MAX_PIECES], throw: &Throw) -> [u128; 2] {
        let hops = self.hops_of_throw(throw);
        let from = |[landed, passed]: [u128; 2], place: u8| {
            let longest = (place + hops.checked_ilog2().unwrap_or(0) as u8).min(self.home);
            [
                landed | self.hops_from(place, hops),
                passed | ((1 << longest) - (1 << place)) & !(1 << place),
            ]
        };
        let mut touched = own
            .iter()
            .filter(|&&place| place > 0 && place < self.home)
            .copied()
            .fold([0; 2], from);
        // If pieces bounce off the finish, a throw and then its step can reach other places than
        // their sum.
        if self.overshoot == Overshoot::Bounces && self.effects[throw.values[0]].bonus {
            touched = places_of(touched[0] & ((1 << self.home) - 2)).fold(touched, from);
        }
        if own.contains(&0) {
            let entered = if self.enters_by_count() {
                from([0; 2], self.enters_at)
            } else {
                [1 << self.enters_at, 0]
            };
            // A piece that has entered can move again if the entry does not spend the throw, or if
            // the step of 1 is still unused.
            let enters_first = !self.entry.by_bonus || self.turn.bonus_order == BonusOrder::Any;
            let has_more = enters_first && self.effects[throw.values[0]].bonus;
            let on = if self.entry.spends && !has_more {
                0
            } else {
                entered[0]
            };
            let [landed, passed] = places_of(on).fold(entered, from);
            touched = [touched[0] | landed, touched[1] | passed];
        }
        touched
    }

    /// Returns all places that a piece can reach, as bits.
    pub fn reachable(&self) -> u128 {
        self.reached(|place, hops| self.hops_from(place, hops))
    }

    /// Returns all places that pieces can reach, as bits. `from(place, steps)` returns the places
    /// that hops of `steps` reach from `place`.
    fn reached(&self, from: impl Fn(u8, u128) -> u128) -> u128 {
        let hops = self.hops();
        let mut found = self
            .setup
            .iter()
            .fold(1 << self.sent_to, |found: u128, place| found | 1 << place);
        if found & 1 == 1 {
            let thrown = self
                .outcomes
                .iter()
                .fold(0, |steps, throw| steps | throw.steps);
            found |= match self.enters_by_count() {
                false => 1 << self.enters_at,
                true => from(
                    self.enters_at,
                    self.entering_steps(0, thrown) | self.entering_steps(1, thrown),
                ),
            };
        }
        // A piece that goes around the course again reaches lower places, too.
        let (mut new, on_course) = (found, (1 << self.home) - 2);
        while new & on_course != 0 {
            let next = places_of(new & on_course).fold(0, |next, place| next | from(place, hops));
            new = next & !found;
            found |= next;
        }
        if self.goal > self.home {
            found |= (found >> self.home & 1) << self.goal;
        }
        found
    }
}
