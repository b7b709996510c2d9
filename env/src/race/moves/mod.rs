//! Where pieces can go: the landing of a piece or a unit that moves by a throw, and its effects.
//!
//! [`Moves::landing`] is the general form. [`Moves::takers`] finds all pieces that one throw moves,
//! and [`two_dice`] all hops by two dice. Both are faster. Tests compare the first with the general
//! form, and all three with a second implementation of the rules. [`Moves::play`] makes a move.

mod bits;
mod capture;
pub(crate) mod ring;
pub(crate) mod two_dice;

use std::sync::Arc;

use crate::{
    game::{ActionMask, Seat},
    race::{
        compile::{ByNumber, ByPlace, Cells, Occupancy, Rules, WALL},
        position::{
            slots::Slots,
            state::{MAX_PIECES, NO_PIECE, State, in_order, sort},
        },
    },
    sheet::values::{Overshoot, UnitKind},
};
use bits::{Bits, Word};

/// The values of all throws are smaller than this.
const VALUES: usize = 32;
/// The value of the step of 1 that follows a throw. No throw has this value.
pub const BONUS: u8 = 31;

/// The number of slots in games with few pieces. Fewer slots are faster.
const FEW: usize = 4;

/// Pieces of one seat that move together: the slot of the first piece, and the number of pieces.
#[derive(Clone, Copy)]
pub struct Group {
    pub slot: usize,
    pub count: usize,
}

impl Group {
    #[inline]
    fn slots(self) -> std::ops::Range<usize> {
        self.slot..self.slot + self.count
    }
}

/// The pieces of a seat, and the cells closed to the seat.
#[derive(Clone, Copy)]
pub struct Occupied<W = Cells> {
    own: Occupancy<W>,
    to_single: W,
    to_unit: W,
    /// Cells that a single piece is not allowed to pass.
    to_pass: W,
}

/// The rules of landing with their tables.
#[derive(Clone, Debug)]
pub struct Moves {
    rules: Arc<Rules>,
    /// `[stage][gate][value][place]`: the target of a single piece, or [`WALL`]. `stage` is 0 or 1
    /// as in [`Rules::entry_stage`], `gate` is 1 if the gate is open.
    single: Box<[[ByNumber<ByPlace<u8>, VALUES>; 2]; 2]>,
    /// `[gate][value][place]`: the target of a unit, or [`WALL`].
    unit: Box<[ByNumber<ByPlace<u8>, VALUES>; 2]>,
    /// Bitboards for boards with few cells.
    short: Option<Box<Bits<u64>>>,
    /// Bitboards for all boards.
    long: Box<Bits<u128>>,
    /// Whether a piece can pass a square twice or return to its own square: the course crosses
    /// itself, or pieces go around the course again or bounce off the finish.
    can_revisit: bool,
    has_units: bool,
    are_units_tied: bool,
    has_few_pieces: bool,
}

impl Moves {
    pub fn new(rules: Arc<Rules>) -> Moves {
        let steps_of = |value: u8| if value == BONUS { 1 } else { value };
        let hops =
            |steps: u8, is_open: bool| ByNumber::new(|from| rules.target(from, steps, is_open));
        let enters = |stage: usize, value: u8| match value {
            BONUS => rules.entry.by_bonus,
            value => value > 0 && rules.effects[value].enters[stage],
        };
        let alone = |stage: usize, is_open: bool, value: u8| {
            let mut places: ByPlace<u8> = hops(steps_of(value), is_open);
            places[0] = if enters(stage, value) {
                rules.entered_at(steps_of(value))
            } else {
                WALL
            };
            places
        };
        let by_gate = |stage: usize| {
            [false, true].map(|is_open| ByNumber::new(|value| alone(stage, is_open, value)))
        };
        let units =
            |is_open: bool| ByNumber::new(|value| hops(rules.effects[value].unit_steps, is_open));
        Moves {
            can_revisit: rules.back < rules.home
                || rules.lap > 0
                || rules.overshoot == Overshoot::Bounces,
            has_units: rules.unit.kind != UnitKind::None,
            are_units_tied: !rules.unit.split,
            has_few_pieces: rules.pieces() <= FEW,
            single: Box::new([0, 1].map(by_gate)),
            unit: Box::new([false, true].map(units)),
            short: (rules
                .bits
                .0
                .iter()
                .flat_map(|bits| bits.0)
                .all(|bit| bit < 1 << 63 || bit == 1 << WALL))
            .then(|| Box::new(Bits::new(&rules))),
            long: Box::new(Bits::new(&rules)),
            rules,
        }
    }

    /// Returns the place where a group of `seat` lands by `value`, or `None` if it cannot move.
    /// `own` are the places of the seat; `on` are the occupied cells, as [`Moves::occupied`]
    /// returns them.
    pub fn landing(
        &self,
        on: &Occupied,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
        group: Group,
        value: u8,
    ) -> Option<u8> {
        let (rules, from, is_unit) = (&*self.rules, own[group.slot], group.count > 1);
        if from == rules.home {
            // A piece is borne off when all other pieces are at the finish or borne off.
            let bears = rules.goal > rules.home && rules.effects[value].bears;
            return (bears && own[0] >= rules.home && !is_unit).then_some(rules.goal);
        }
        let to = self.target(state, seat, own, group, value);
        let cells = &rules.bits[seat];
        let [start, landing] = [from, to].map(|place| cells[place]);
        let is_declared = |slot: usize| state.declared[seat] >> slot & 1 == 1;
        let is_pair = match rules.unit.kind {
            UnitKind::None => false,
            UnitKind::Together => start & rules.closing.unit_cells & on.own.twos != 0,
            UnitKind::Declared => is_declared(group.slot),
        };
        let can_begin = if is_unit {
            let becomes_unit = rules.declares() && rules.declaring >> from & 1 == 1;
            let is_alike =
                |slot: usize| own[slot] == from && is_declared(slot) == is_declared(group.slot);
            let are_alike = group.slots().end <= rules.pieces() && group.slots().all(is_alike);
            from > 0 && are_alike && (is_pair || becomes_unit)
        } else {
            !(is_pair && self.are_units_tied && (rules.declares() || self.is_tied(own, from)))
        };
        let is_open = || match landing & start == 0 && on.to_pass == 0 {
            true => landing & if is_unit { on.to_unit } else { on.to_single } == 0,
            false => self.can_hop(state, seat, own, group, value, to),
        };
        (to != WALL && can_begin && is_open()).then_some(to)
    }

    /// Returns the place that a group would reach on an empty board, or [`WALL`].
    #[inline]
    pub fn target(
        &self,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
        group: Group,
        value: u8,
    ) -> u8 {
        let place = own[group.slot];
        if group.count > 1 {
            let is_open = self.rules.gate_rule.is_open(state, seat);
            return self.unit[usize::from(is_open)][value][place];
        }
        self.hops(state, seat, own, value)[place]
    }

    /// Returns for each place the target of a single piece of `seat`, whose pieces are on `own`;
    /// [`WALL`] if the piece is not allowed to move.
    #[inline]
    fn hops(&self, state: &State, seat: Seat, own: &[u8; MAX_PIECES], value: u8) -> &ByPlace<u8> {
        let (stage, is_open) = (
            self.rules.entry_stage(state, seat, own),
            self.rules.gate_rule.is_open(state, seat),
        );
        &self.single[stage][usize::from(is_open)][value]
    }

    /// Moves a group of `seat` to the place `to`, and captures there. Returns whether a piece was
    /// captured.
    #[inline(always)]
    pub fn play(&self, state: &mut State, seat: Seat, group: Group, to: u8) -> bool {
        let (own, declared) = (state.pieces[seat], state.declared[seat]);
        let mut places = group
            .slots()
            .fold(Slots::of(own), |own, slot| own.with(slot, to))
            .bytes();
        let mut left = 0;
        if self.rules.declares() {
            let stays = group.count > 1 && to < self.rules.home;
            // If a declared unit is split, the other piece is no longer declared.
            let is_split = group.count == 1 && declared >> group.slot & 1 == 1;
            let is_declared = |slot: usize| match slot {
                slot if group.slots().contains(&slot) => stays,
                slot if is_split && slot == group.slot + 1 => false,
                slot => declared >> slot & 1 == 1,
            };
            (places, left) = in_order(std::array::from_fn(|slot| {
                (places[slot], u8::from(is_declared(slot)))
            }));
        } else {
            sort(&mut places);
        }
        let has_captured = self.rules.capture(state, seat, to, group.count);
        (state.pieces[seat], state.declared[seat]) = (places, left);
        has_captured
    }

    /// Returns the occupied cells, and the cells closed to `seat`, whose pieces are on `own`.
    pub fn occupied(&self, state: &State, seat: Seat, own: &[u8; MAX_PIECES]) -> Occupied {
        self.occupied_among::<_, MAX_PIECES>(&self.long, state, seat, own)
    }

    /// Returns the cells that `seat` is not allowed to enter or pass because of the pieces on the
    /// board. The places of its pieces are `own`. The cells closed to a unit are only found if two
    /// own pieces are on one cell.
    #[inline]
    fn occupied_among<W: Word, const SLOTS: usize>(
        &self,
        bits: &Bits<W>,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
    ) -> Occupied<W> {
        let (closing, none) = (&bits.closing, Occupancy::<W>::default());
        let of = |seat: Seat, places: &[u8; MAX_PIECES]| {
            none.with_pieces(&bits.at[seat], &places[..SLOTS])
        };
        // Two pieces are a unit only if they belong to one seat.
        let others = |seats: &[Seat]| {
            seats.iter().fold(none, |others, &other| {
                others.or(of(other, &state.pieces[other]))
            })
        };
        let (enemies, partners) = (
            others(self.rules.seating.enemies(seat)),
            others(self.rules.seating.partners(seat)),
        );
        let own = of(seat, own);
        let cells = |[a, b, c, d]: [W; 4]| {
            a & own.ones | b & own.twos | c & enemies.ones | d & enemies.twos
        };
        let has_two = self.has_units & (own.twos != W::default());
        Occupied {
            own,
            to_single: cells(closing.to_single)
                | closing.by_partner & partners.ones
                | W::of(1 << WALL),
            to_unit: if has_two {
                cells(closing.to_unit) | closing.by_partner & partners.ones | closing.always_to_unit
            } else {
                W::default()
            },
            to_pass: closing.impassable[0] & own.twos | closing.impassable[1] & enemies.twos,
        }
    }

    /// Returns whether no piece of a unit on `place` is allowed to move alone. If an odd number of
    /// pieces is there, one of them can move alone.
    #[inline]
    fn is_tied(&self, own: &[u8; MAX_PIECES], place: u8) -> bool {
        own.iter().filter(|&&other| other == place).count() % 2 == 0
    }

    /// Returns whether no other piece keeps a group from moving by `value` to the place `to`. A
    /// piece that passes its own square or returns to it does not block itself.
    #[cold]
    #[inline(never)]
    fn can_hop(
        &self,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
        group: Group,
        value: u8,
        to: u8,
    ) -> bool {
        let others = group
            .slots()
            .fold(Slots::of(*own), |others, slot| others.with(slot, NO_PIECE))
            .bytes();
        let on = self.occupied(state, seat, &others);
        let (at, is_open) = (
            &self.long.at[seat],
            self.rules.gate_rule.is_open(state, seat),
        );
        let closed = if group.count > 1 {
            on.to_unit
        } else {
            on.to_single
        };
        let (from, steps) = match own[group.slot] {
            0 if self.rules.enters_by_count() => (self.rules.enters_at, value),
            from if from == 0
                || value == BONUS
                || from.wrapping_add(1) == self.rules.home && to == self.rules.home =>
            {
                (from, 1)
            }
            from => (from, value),
        };
        // A piece that bounces off the finish can pass its own square.
        let passed = |steps: u8| match self.rules.target(from, steps, is_open) {
            WALL => from,
            place => place,
        };
        at[to] & closed == 0
            && (group.count > 1 || (1..steps).all(|steps| at[passed(steps)] & on.to_pass == 0))
    }

    /// Returns the pieces of `seat` that can take `value`, alone or as the first of two, and
    /// whether every move puts a piece on an own piece. Bit n is the piece of slot n; the pairs
    /// follow the slots.
    #[inline]
    pub fn takers(
        &self,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
        value: u8,
    ) -> (ActionMask, bool) {
        match (&self.short, self.has_few_pieces) {
            (Some(bits), true) => self.takers_among::<_, FEW>(bits, state, seat, own, value),
            (Some(bits), false) => {
                self.takers_among::<_, MAX_PIECES>(bits, state, seat, own, value)
            }
            (None, true) => self.takers_among::<_, FEW>(&self.long, state, seat, own, value),
            (None, false) => {
                self.takers_among::<_, MAX_PIECES>(&self.long, state, seat, own, value)
            }
        }
    }

    /// The code uses `&` instead of `&&`: the branches are unpredictable, and a misprediction costs
    /// more than all the tests.
    #[inline]
    fn takers_among<W: Word, const SLOTS: usize>(
        &self,
        bits: &Bits<W>,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
        value: u8,
    ) -> (ActionMask, bool) {
        let on = self.occupied_among::<W, SLOTS>(bits, state, seat, own);
        let (at, below) = (&bits.at[seat], &bits.below[seat]);
        let none = W::default();
        let mut mask = 0_u32;
        let mut is_only_merging = true;
        let hops = self.hops(state, seat, own, value);
        let has_unit = bits.closing.unit_cells & on.own.twos != none;
        let mut last = NO_PIECE;
        for slot in 0..SLOTS {
            let from = own[slot];
            let is_offered = from != last;
            last = from;
            let start = at[from];
            let to = hops[from];
            let landing = at[to];
            let mut can_go_alone = is_offered & (landing & on.to_single == none);
            let stays = self.can_revisit && landing & start != none;
            let after = if from == 0 {
                self.rules.enters_at
            } else {
                from
            }
            .wrapping_add(1);
            if stays {
                can_go_alone = is_offered
                    && self.can_hop(state, seat, own, Group { slot, count: 1 }, value, to);
            } else if self.can_revisit && on.to_pass != none && can_go_alone {
                // Most pieces go straight ahead and do not pass these cells or their own cell.
                let is_straight = from > 0 && to.wrapping_sub(from) == value;
                let mut passed = after..to;
                can_go_alone = is_straight && passed.all(|place| at[place] & on.to_pass == none)
                    || self.can_hop(state, seat, own, Group { slot, count: 1 }, value, to);
            } else if on.to_pass != none {
                can_go_alone &= on.to_pass & below[to] & !below[after] == none;
            }
            let mut can_go_together = false;
            if has_unit {
                let is_unit = own[(slot + 1) % MAX_PIECES] == from
                    && start & bits.closing.unit_cells & on.own.twos != none;
                let pair = Group { slot, count: 2 };
                let to = self.target(state, seat, own, pair, value);
                let landing = at[to];
                can_go_together = is_offered & is_unit & (landing & on.to_unit == none);
                if self.can_revisit && is_unit && landing & start != none {
                    can_go_together = is_offered && self.can_hop(state, seat, own, pair, value, to);
                }
                if self.are_units_tied {
                    can_go_alone &= !(is_unit && self.is_tied(own, from));
                }
            }
            mask |= u32::from(can_go_alone) << slot | u32::from(can_go_together) << (FEW + slot);
            let others = if stays { on.own.twos } else { on.own.ones };
            is_only_merging &= !can_go_together & (!can_go_alone | (landing & others != none));
        }
        (ActionMask::of_bits(mask), is_only_merging)
    }

    /// Returns whether no throw lets any seat move a piece.
    pub fn are_all_stuck(&self, state: &State) -> bool {
        let is_stuck = |seat: Seat| {
            let own = &state.pieces[seat];
            let is_idle = |throw: u8| self.takers(state, seat, own, throw).0.is_empty();
            let is_bearing = (self.rules.home..self.rules.goal).contains(&own[0]);
            !is_bearing
                && self
                    .rules
                    .outcomes
                    .iter()
                    .all(|throw| is_idle(throw.values[0]))
        };
        self.rules.seating.seats.iter().all(is_stuck)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chance,
        game::Game,
        notation::test_support::random_play,
        sheet::{TurnKind, builtin},
    };

    #[test]
    fn all_pieces_at_once_land_as_each_piece_does() {
        for sheet in builtin::all()
            .iter()
            .filter(|sheet| sheet.turn.kind == TurnKind::Throw)
        {
            let (game, mut compared) = (&*sheet.name, 0);
            random_play(game, 2, chance::stream(13, 0), 400, |race, state, rng| {
                let moves = Moves::new(Arc::clone(&race.rules));
                let pieces = race.pieces();

                for (seat, throw) in race
                    .seating
                    .seats
                    .iter()
                    .flat_map(|seat| (1..VALUES as u8).map(move |n| (seat, n)))
                {
                    let own = &state.pieces[seat];
                    let on = moves.occupied(state, seat, own);
                    let lands = |slot: usize, count: usize| {
                        let is_first = slot == 0 || own[slot - 1] != own[slot];
                        is_first
                            && moves
                                .landing(&on, state, seat, own, Group { slot, count }, throw)
                                .is_some()
                    };
                    let expected: u32 = (0..pieces)
                        .map(|slot| {
                            u32::from(lands(slot, 1)) << slot
                                | u32::from(lands(slot, 2)) << (FEW + slot)
                        })
                        .sum();
                    let found = moves.takers(state, seat, own, throw).0.bits();
                    assert_eq!(found, expected, "{} {seat} {throw}", race.print(state));
                    compared += found.count_ones();
                }
                let legal = race.legal_actions(state);
                let action = legal
                    .nth(chance::below(legal.len(), rng))
                    .expect("a legal action");
                race.apply_action(state, action);
            });
            assert!(compared > 0, "{game}");
        }
    }
}
