//! The pieces that an enemy could capture with one throw, for descriptions of positions. Barred ways, pieces that must
//! move first and the rest of the throws are left out.

use crate::game::Seat;
use crate::race::compile::reach::places_of;
use crate::race::compile::{Cells, PLACES, Rules, Throw};
use crate::race::position::state::{MAX_PIECES, State};
use crate::race::turns::{Turns, by_kind};
use crate::sheet::values::{UnitKind, UnitOnSingle};

/// The least probability of an enemy's throws that bring it onto a piece for the piece to be exposed.
const LEAST: f64 = 1.0 / 16.0;

/// The places of the single pieces of `owner` that are exposed.
pub(crate) fn exposed(rules: &Rules, turns: &Turns, state: &State, owner: Seat) -> Vec<u8> {
    let seating = &rules.seating;
    let own = &state.pieces[owner.index()];
    let enemies = seating.enemies(owner).iter();
    let threats = enemies.fold(0, |all, &enemy| all | threats(rules, turns, state, enemy));
    let is_exposed = |place: &u8| rules.bits[owner.index()][usize::from(*place) % PLACES] & threats != 0;
    (0..seating.pieces).filter(|&slot| is_single(own, slot)).map(|slot| own[slot]).filter(is_exposed).collect()
}

/// The cells on which `seat` can capture with one throw.
fn threats(rules: &Rules, turns: &Turns, state: &State, seat: Seat) -> Cells {
    let pieces = &state.pieces[seat.index()][..rules.seating.pieces];
    let is_open = rules.gate_rule.is_open(state, seat);
    let stage = rules.entry_stage(state, seat, &state.pieces[seat.index()]);
    let units_capture = rules.sheet.capture.unit_on_single == UnitOnSingle::Takes;
    let mut reached = 0;
    for (slot, &place) in pieces.iter().enumerate() {
        reached |= likely(rules, |throw| match place {
            0 => by_kind!(turns, turns => turns.entered(throw, stage)),
            place => rules.led(place, throw.steps, is_open),
        });
        let is_followed = place > 0 && pieces.get(slot + 1) == Some(&place);
        if units_capture && is_followed && may_be_unit(rules, state, seat, slot) {
            let steps = |throw: &Throw| by_kind!(turns, turns => turns.unit_steps(throw));
            reached |= likely(rules, |throw| rules.led(place, 1 << steps(throw), is_open));
        }
    }
    let cell = |place: u8| rules.bits[seat.index()][usize::from(place)];
    places_of(reached).fold(0, |cells, place| cells | cell(place)) & rules.captured
}

/// The places on the course that are reached by throws which are likely enough.
fn likely(rules: &Rules, led: impl Fn(&Throw) -> u128) -> u128 {
    let (mut chances, mut all) = ([0.0; PLACES], 0);
    for (throw, chance) in rules.outcomes.iter().zip(rules.chances.iter()) {
        let places = led(throw) & !1 & ((1 << rules.home) - 1);
        places_of(places).for_each(|place| chances[usize::from(place)] += chance);
        all |= places;
    }
    let likely = places_of(all).filter(|&place| chances[usize::from(place)] >= LEAST);
    likely.fold(0, |set, place| set | 1 << place)
}

/// Whether the piece of `slot` and the next one, which is on the same place, may move as a unit.
fn may_be_unit(rules: &Rules, state: &State, seat: Seat, slot: usize) -> bool {
    let place = state.pieces[seat.index()][slot];
    match rules.sheet.unit.kind {
        UnitKind::None => false,
        UnitKind::Together => rules.unit_cells >> rules.cells[seat.index()][usize::from(place) % PLACES] & 1 == 1,
        UnitKind::Declared => state.declared[seat.index()] >> slot & 3 == 3 || rules.declaring >> place & 1 == 1,
    }
}

/// Whether no other piece of its owner stands where the piece of `slot` stands; `pieces` ascend.
#[inline]
pub(crate) fn is_single(pieces: &[u8; MAX_PIECES], slot: usize) -> bool {
    let is_other = |other: usize| other >= MAX_PIECES || pieces[other] != pieces[slot];
    is_other(slot.wrapping_sub(1)) && is_other(slot + 1)
}

#[cfg(test)]
mod tests;
