//! The pieces that an enemy could capture with one throw, for descriptions of positions: each is one table look-up per
//! piece. Barred ways, pieces that must move first and the rest of the throws are left out.

use crate::game::{MAX_SEATS, Seat};
use crate::race::compile::reach::places_of;
use crate::race::compile::{PLACES, Rules, Throw};
use crate::race::position::seating::Participants;
use crate::race::position::slots::Slots;
use crate::race::position::state::{MAX_PIECES, State};
use crate::race::turns::{Turns, by_kind};
use crate::sheet::values::{Meeting, UnitKind};

/// The least probability of an enemy's throws that bring it onto a piece for the piece to be exposed.
const LEAST: f64 = 1.0 / 16.0;

/// The exposure of pieces under one ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Exposure {
    seating: Participants,
    /// `[seat][is_under_way][is_open][place]`: the cells on which a piece can capture with one throw, with no piece of
    /// its seat on the course or with one, its gate closed or open.
    reached: Box<[[[[u128; PLACES]; 2]; 2]; MAX_SEATS]>,
    /// The same for two pieces that are a unit and on the course, where units capture single pieces.
    reached_by_unit: Option<Box<[[[u128; PLACES]; 2]; MAX_SEATS]>>,
}

impl Exposure {
    pub(crate) fn new(rules: &Rules, turns: &Turns, seating: Participants) -> Exposure {
        // The places reached by throws that are likely enough.
        let likely = |led: &dyn Fn(&Throw) -> u128| -> u128 {
            let (mut chances, mut all) = ([0.0; PLACES], 0);
            for (throw, chance) in rules.outcomes.iter().zip(rules.chances.iter()) {
                let places = led(throw) & !1 & ((1 << rules.home) - 1);
                places_of(places).for_each(|place| chances[usize::from(place)] += chance);
                all |= places;
            }
            let likely = places_of(all).filter(|&place| chances[usize::from(place)] >= LEAST);
            likely.fold(0, |set, place| set | 1 << place)
        };
        let table = |steps: &dyn Fn(&Throw) -> u128| -> [[u128; PLACES]; 2] {
            let led = |from: usize, is_open: bool| likely(&|throw| rules.led(from as u8, steps(throw), is_open));
            [false, true].map(|is_open| std::array::from_fn(|from| if from == 0 { 0 } else { led(from, is_open) }))
        };
        let alone = table(&|throw| throw.steps);
        let entered = [false, true]
            .map(|is_under_way| likely(&|throw| by_kind!(turns, turns => turns.entered(throw, is_under_way))));
        let units_capture =
            rules.sheet.unit.kind != UnitKind::None && rules.sheet.capture.unit_on_single == Meeting::Takes;
        let together = units_capture.then(|| table(&|throw| 1 << by_kind!(turns, turns => turns.unit_steps(throw))));
        let cells = |seat: Seat, places: u128| {
            let bits = &rules.bits[seat.index()];
            places_of(places).fold(0, |cells, place| cells | bits[usize::from(place)]) & rules.captured
        };
        let seen =
            |seat: Seat, table: &[[u128; PLACES]; 2]| table.map(|places| places.map(|places| cells(seat, places)));
        let mut reached = Box::new([[[[0; PLACES]; 2]; 2]; MAX_SEATS]);
        for (seat, tables) in Seat::ALL.into_iter().zip(reached.iter_mut()) {
            *tables = [seen(seat, &alone); 2];
            for (by_gate, entered) in tables.iter_mut().zip(entered) {
                by_gate.iter_mut().for_each(|table| table[0] = cells(seat, entered));
            }
        }
        Exposure {
            seating,
            reached,
            reached_by_unit: together.map(|table| Box::new(Seat::ALL.map(|seat| seen(seat, &table)))),
        }
    }

    /// The cells on which `seat` can capture with one throw.
    fn reached_by(&self, rules: &Rules, state: &State, seat: Seat) -> u128 {
        let pieces = state.pieces[seat.index()];
        let own = Slots::of(pieces);
        let is_open = usize::from(rules.gate_rule.is_open(state, seat));
        let on_course = own.at_least(1) & !own.at_least(rules.home);
        let reached = &self.reached[seat.index()][usize::from(!on_course.is_empty())][is_open];
        let mut all = pieces.iter().fold(0, |all, &place| all | reached[usize::from(place) % PLACES]);
        if let Some(reached) = &self.reached_by_unit {
            let (_, followed) = own.repeated();
            for slot in (followed & on_course).iter().filter(|&slot| rules.may_be_unit(state, seat, slot)) {
                all |= reached[seat.index()][is_open][usize::from(pieces[slot]) % PLACES];
            }
        }
        all
    }

    /// The places of the single pieces of `owner` that are exposed.
    pub(crate) fn of<'a>(&'a self, rules: &'a Rules, state: &'a State, owner: Seat) -> impl Iterator<Item = u8> + 'a {
        let own = &state.pieces[owner.index()];
        let threats =
            self.seating.enemies(owner).iter().fold(0, |all, &seat| all | self.reached_by(rules, state, seat));
        let is_exposed = move |place: u8| rules.bits[owner.index()][usize::from(place) % PLACES] & threats != 0;
        (0..self.seating.pieces)
            .filter(|&slot| is_single(own, slot))
            .map(|slot| own[slot])
            .filter(move |&place| is_exposed(place))
    }
}

/// Whether no other piece of its owner stands where the piece of `slot` stands; `pieces` ascend.
#[inline]
pub(crate) fn is_single(pieces: &[u8; MAX_PIECES], slot: usize) -> bool {
    let is_other = |other: usize| other >= MAX_PIECES || pieces[other] != pieces[slot];
    is_other(slot.wrapping_sub(1)) && is_other(slot + 1)
}

impl Rules {
    /// Whether the piece of `slot` and the next one, which is on the same place, may move as a unit.
    fn may_be_unit(&self, state: &State, seat: Seat, slot: usize) -> bool {
        let place = state.pieces[seat.index()][slot];
        match self.sheet.unit.kind {
            UnitKind::None => false,
            UnitKind::Together => self.unit_cells >> self.cells[seat.index()][usize::from(place) % PLACES] & 1 == 1,
            UnitKind::Declared => state.declared[seat.index()] >> slot & 3 == 3 || self.declaring >> place & 1 == 1,
        }
    }
}

#[cfg(test)]
mod tests;
