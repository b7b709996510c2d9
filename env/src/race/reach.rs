//! Which places pieces can ever reach, and from which the finish can: what a sheet is checked by, and what observations
//! have room for.

use crate::race::rules::{PLACES, Rules, Throw, WALL};
use crate::sheet::{Divide, EntryAt, SentTo, Setup, TurnKind, UnitKind};

impl Rules {
    /// Every number of steps that one hop can have, as bits.
    pub(crate) fn hops(&self) -> u128 {
        let sheet = &self.sheet;
        let mut steps: u128 = 0;
        for Throw { values: [a, b], .. } in &self.outcomes {
            match sheet.turn.kind {
                TurnKind::Divide => steps |= (2 << (a + b)) - 2,
                TurnKind::Dice => steps |= 1 << a | 1 << b | 1 << (a + b),
                TurnKind::Throw if sheet.turn.divide == Divide::Finish => steps |= (2 << a) - 2,
                TurnKind::Throw | TurnKind::Series => steps |= 1 << a,
            }
            if sheet.unit.kind != UnitKind::None {
                steps |= 1 << self.does[usize::from(*a)].unit_steps;
            }
        }
        steps & !1
    }

    /// The places to which one hop leads from a place on the course, with the gate open and closed, as bits.
    fn hops_from(&self, place: u8, hops: u128) -> u128 {
        let steps = (1..PLACES as u8).filter(|steps| hops >> steps & 1 == 1);
        let targets = steps.flat_map(|steps| [true, false].map(|is_open| self.target(place, steps, is_open)));
        targets.filter(|&target| target != WALL).fold(0, |found, target| found | 1 << target)
    }

    /// The places where a piece can ever stand, as bits.
    pub(crate) fn reachable(&self) -> u128 {
        let hops = self.hops();
        let mut found: u128 = 1 << self.sent_to();
        match &self.sheet.pieces.setup {
            Setup::All(to) => found |= 1 << u8::from(*to == SentTo::Start),
            Setup::On(numbers) => {
                let place = |number: &u8| number + 1 - self.sheet.board.first_number;
                found |= numbers.iter().fold(0, |found, number| found | 1 << place(number));
            }
        }
        if found & 1 == 1 {
            let values = self.outcomes.iter().flat_map(|throw| throw.values);
            let enters = |value: &u8| self.does[usize::from(*value)].enters.contains(&true);
            found |= match self.sheet.entry.at {
                EntryAt::Start => 2,
                EntryAt::Count if self.sheet.turn.kind == TurnKind::Dice => self.hops_from(self.entry, hops),
                EntryAt::Count => {
                    self.hops_from(self.entry, values.filter(enters).fold(0, |all, value| all | 1 << value))
                }
            };
        }
        // A piece that goes round again comes to lower places, too.
        loop {
            let on_course = (1..self.home).filter(|place| found >> place & 1 == 1);
            let next = on_course.fold(found, |next, place| next | self.hops_from(place, hops));
            if next == found {
                break;
            }
            found = next;
        }
        if self.goal > self.home {
            found |= (found >> self.home & 1) << self.goal;
        }
        found
    }

    /// The places from which no throws lead to the finish, of those that can be reached, as bits.
    pub(crate) fn stranded(&self) -> u128 {
        let hops = self.hops();
        let mut finishing: u128 = 1 << self.home;
        for place in (1..self.home).rev() {
            let leads = hops << place & finishing != 0;
            finishing |= u128::from(leads) << place;
        }
        self.reachable() & !finishing & !1 & !(1 << self.goal)
    }
}
