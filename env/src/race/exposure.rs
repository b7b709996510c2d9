//! Exposure features: the pieces that an enemy could capture with one throw, and the places on which a seat would
//! capture an enemy.
//!
//! Both are relations of two pieces, which a network would have to learn for each pair of squares. Here each is one
//! table look-up per piece: squares reachable with one throw, and the position of squares on the courses. Barred ways,
//! pieces that must move first and the rest of the throws are left to the network.

use crate::game::{MAX_SEATS, Seat};
use crate::race::Participants;
use crate::race::reach::places_of;
use crate::race::rules::{PLACES, Rules, Throw};
use crate::race::slots::Slots;
use crate::race::state::{MAX_PIECES, State};
use crate::sheet::{EntryAt, Meeting, TurnKind, UnitKind, Without};

/// Levels of exposure: the least probability of an enemy's throws that bring it onto a piece; each level implies those
/// before.
pub(crate) const LEVELS: [f64; 2] = [1.0 / 16.0, 1.0 / 4.0];

/// Places or cells as bits, one set for each level.
type LevelSets = [u128; LEVELS.len()];

/// By seat the cells on which its pieces are exposed.
pub(crate) struct Threats([LevelSets; MAX_SEATS]);

/// The exposure of pieces under one ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Exposure {
    seating: Participants,
    /// `[seat][is_under_way][is_open][place]`: the cells on which a piece can capture with one throw, with no piece of
    /// its seat on the course or with one, its gate closed or open.
    reached: Box<[[[[LevelSets; PLACES]; 2]; 2]; MAX_SEATS]>,
    /// The same for two pieces that are a unit and on the course, where units capture single pieces.
    reached_by_unit: Option<Box<[[[LevelSets; PLACES]; 2]; MAX_SEATS]>>,
    /// `[quarters][place]`: the places of the seat so many quarters counter-clockwise, if that is an enemy, on the same
    /// square, where pieces can be captured.
    shared: Box<[[u128; PLACES]; MAX_SEATS]>,
}

impl Exposure {
    pub(crate) fn new(rules: &Rules, seating: Participants) -> Exposure {
        // The places reached with at least the probability of the level.
        let sets = |led: &dyn Fn(&Throw) -> u128| -> LevelSets {
            let (mut chances, mut all) = ([0.0; PLACES], 0);
            for (throw, chance) in rules.outcomes.iter().zip(rules.chances.iter()) {
                let places = led(throw) & !1 & ((1 << rules.home) - 1);
                places_of(places).for_each(|place| chances[usize::from(place)] += chance);
                all |= places;
            }
            let likely = |least: f64| places_of(all).filter(move |&place| chances[usize::from(place)] >= least);
            LEVELS.map(|least| likely(least).fold(0, |set, place| set | 1 << place))
        };
        let table = |steps: fn(&Rules, &Throw) -> u128| -> [[LevelSets; PLACES]; 2] {
            let led = |from: usize, is_open: bool| sets(&|throw| rules.led(from as u8, steps(rules, throw), is_open));
            [false, true].map(|is_open| std::array::from_fn(|from| if from == 0 { [0; 2] } else { led(from, is_open) }))
        };
        let alone = table(Rules::steps_of_throw);
        let entered = [false, true].map(|is_under_way| sets(&|throw| rules.enters(throw, is_under_way)));
        let units_capture =
            rules.sheet.unit.kind != UnitKind::None && rules.sheet.capture.unit_on_single == Meeting::Takes;
        let together = units_capture.then(|| table(|rules, throw| 1 << rules.unit_steps(throw)));
        let cells = |seat: Seat, places: u128| {
            let bits = &rules.bits[seat.index()];
            places_of(places).fold(0, |cells, place| cells | bits[usize::from(place)]) & rules.captured
        };
        let seen = |seat: Seat, table: &[[LevelSets; PLACES]; 2]| {
            table.map(|places| places.map(|sets| sets.map(|set| cells(seat, set))))
        };
        let mut reached = Box::new([[[[[0; LEVELS.len()]; PLACES]; 2]; 2]; MAX_SEATS]);
        for (seat, tables) in Seat::ALL.into_iter().zip(reached.iter_mut()) {
            *tables = [seen(seat, &alone); 2];
            for (by_gate, entered) in tables.iter_mut().zip(entered) {
                by_gate.iter_mut().for_each(|table| table[0] = entered.map(|places| cells(seat, places)));
            }
        }
        Exposure {
            seating,
            reached,
            reached_by_unit: together.map(|table| Box::new(Seat::ALL.map(|seat| seen(seat, &table)))),
            shared: shared(rules),
        }
    }

    /// The places on which a piece can be exposed: those that an enemy reaches by any throw.
    pub(crate) fn places(&self, rules: &Rules) -> u128 {
        let is_enemy = |&seat: &Seat| seat != Seat::SOUTH && !(rules.has_teams() && seat == Seat::NORTH);
        let all = |tables: &[[LevelSets; PLACES]; 2]| tables.iter().flatten().fold(0, |all, sets| all | sets[0]);
        let reached = Seat::ALL.into_iter().filter(is_enemy).fold(0, |reached, seat| {
            let by_unit = self.reached_by_unit.as_ref().map_or(0, |tables| all(&tables[seat.index()]));
            self.reached[seat.index()].iter().fold(reached | by_unit, |reached, tables| reached | all(tables))
        });
        let is_met = |place: &u8| rules.bits[Seat::SOUTH.index()][usize::from(*place)] & reached != 0;
        (0..rules.home).filter(is_met).fold(0, |places, place| places | 1 << place)
    }

    /// The places on which `owner` would capture a single piece of an enemy, as bits.
    #[inline]
    pub(crate) fn met_by(&self, state: &State, owner: Seat) -> u128 {
        let mut met = 0;
        for &other in self.seating.others(owner) {
            let shared = self.shared_by(other, owner);
            let pieces = &state.pieces[other.index()];
            for slot in (0..self.seating.pieces).filter(|&slot| is_single(pieces, slot)) {
                met |= shared[usize::from(pieces[slot]) % PLACES];
            }
        }
        met
    }

    /// By place of `seat` the places of `other` that are the same square.
    #[inline]
    fn shared_by(&self, seat: Seat, other: Seat) -> &[u128; PLACES] {
        &self.shared[(other.index() + MAX_SEATS - seat.index()) % MAX_SEATS]
    }

    /// The cells on which `seat` can capture with one throw, by level.
    #[inline]
    fn reached_by(&self, rules: &Rules, state: &State, seat: Seat) -> LevelSets {
        let pieces = state.pieces[seat.index()];
        let own = Slots::of(pieces);
        let is_open = usize::from(rules.gate_rule.is_open(state, seat));
        let on_course = own.at_least(1) & !own.at_least(rules.home);
        let reached = &self.reached[seat.index()][usize::from(!on_course.is_empty())][is_open];
        let mut all: LevelSets = [0; LEVELS.len()];
        let mut add = |sets: &LevelSets| all.iter_mut().zip(sets).for_each(|(all, set)| *all |= set);
        pieces.iter().for_each(|&place| add(&reached[usize::from(place) % PLACES]));
        if let Some(reached) = &self.reached_by_unit {
            let (_, followed) = own.repeated();
            for slot in (followed & on_course).iter().filter(|&slot| rules.may_be_unit(state, seat, slot)) {
                add(&reached[seat.index()][is_open][usize::from(pieces[slot]) % PLACES]);
            }
        }
        all
    }

    /// By seat the cells on which one of its enemies can capture with one throw, by level.
    #[inline]
    pub(crate) fn threats(&self, rules: &Rules, state: &State) -> Threats {
        let mut reached = [[0; LEVELS.len()]; MAX_SEATS];
        self.seating.seats.iter().for_each(|seat| reached[seat.index()] = self.reached_by(rules, state, seat));
        let mut threats = [[0; LEVELS.len()]; MAX_SEATS];
        for seat in self.seating.seats.iter() {
            for enemy in self.seating.enemies(seat) {
                threats[seat.index()].iter_mut().zip(reached[enemy.index()]).for_each(|(all, set)| *all |= set);
            }
        }
        Threats(threats)
    }

    /// Calls `found` with the place and the highest level of each single piece of `owner` that is exposed.
    #[inline]
    pub(crate) fn of(
        &self,
        rules: &Rules,
        state: &State,
        owner: Seat,
        threats: &Threats,
        mut found: impl FnMut(u8, usize),
    ) {
        let own = &state.pieces[owner.index()];
        let [low, high] = threats.0[owner.index()];
        for slot in (0..self.seating.pieces).filter(|&slot| is_single(own, slot)) {
            let cell = rules.bits[owner.index()][usize::from(own[slot]) % PLACES];
            if cell & low != 0 {
                found(own[slot], usize::from(cell & high != 0));
            }
        }
    }
}

/// Whether no other piece of its owner stands where the piece of `slot` stands; `pieces` ascend.
#[inline]
fn is_single(pieces: &[u8; MAX_PIECES], slot: usize) -> bool {
    let is_other = |other: usize| other >= MAX_PIECES || pieces[other] != pieces[slot];
    is_other(slot.wrapping_sub(1)) && is_other(slot + 1)
}

/// [`Exposure::shared`].
fn shared(rules: &Rules) -> Box<[[u128; PLACES]; MAX_SEATS]> {
    let is_enemy = [false, true, !rules.has_teams(), true];
    let mut shared = Box::new([[0; PLACES]; MAX_SEATS]);
    for (quarters, shared) in shared.iter_mut().enumerate().filter(|&(quarters, _)| is_enemy[quarters]) {
        let others = &rules.cells[Seat::SOUTH.rotated(quarters).index()];
        for (place, shared) in (0..PLACES).zip(shared).filter(|&(place, _)| rules.contested >> place & 1 == 1) {
            let same = (0..PLACES).filter(|&other| others[other] == rules.cells[0][place]);
            *shared = same.fold(0, |places, other| places | 1 << other);
        }
    }
    shared
}

impl Rules {
    /// The steps that a unit goes with one throw; 0 where it cannot.
    fn unit_steps(&self, throw: &Throw) -> u8 {
        let [a, b] = throw.values;
        match self.sheet.turn.kind {
            TurnKind::Throw | TurnKind::Series => self.does[usize::from(a)].unit_steps,
            TurnKind::Dice if a == b => a,
            TurnKind::Dice | TurnKind::Divide => 0,
        }
    }

    /// The places to which a throw brings a piece that waits, as bits.
    fn enters(&self, throw: &Throw, is_under_way: bool) -> u128 {
        let enters = |value: u8| self.does[usize::from(value)].enters[usize::from(is_under_way)];
        let [a, b] = throw.values;
        match self.sheet.turn.kind {
            TurnKind::Dice => self.steps_of_throw(throw) << self.entry,
            TurnKind::Divide if a != b || !enters(a) => 0,
            TurnKind::Divide => 1 << 1,
            TurnKind::Throw | TurnKind::Series if !enters(a) => 0,
            TurnKind::Throw | TurnKind::Series => {
                let at = if self.sheet.entry.at == EntryAt::Start { 1 } else { self.entry + a };
                // Where entering does not spend the throw, the same piece may play its number.
                let on = if self.sheet.entry.spends { 0 } else { self.led(at, 1 << a, false) };
                1 << at | on
            }
        }
    }

    /// The places by the number of steps to them from the beginning of the course, as bits: those of a piece that may
    /// not pass its gate are as far as it, or beyond it by the lap.
    #[inline]
    pub(crate) fn ahead(&self, places: u128, is_open: bool) -> u128 {
        if is_open {
            return places;
        }
        let before = places & ((1 << self.gate) - 1);
        if self.sheet.gate.without == Without::Lap {
            let lapped = before.wrapping_shl(self.sheet.gate.lap.into());
            return before | lapped & !((1 << self.gate) - 1);
        }
        before
    }

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
