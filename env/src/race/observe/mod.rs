//! Observations: sparse binary features of a position from the view of one seat, and their layout.
//!
//! The observer is the first seat; the others follow counter-clockwise. Places count along the
//! course of the owner. Every entry is 0 or 1, and few entries are 1, so the first layer of a
//! network is a sum of weight columns. Positions with equal observations have equal legal actions
//! and equal futures.

pub(crate) mod relations;

use crate::{
    game::{Payoff, Seat},
    race::{
        compile::{ByNumber, ByPlace, PLACES, Rules, reach::bits},
        observe::relations::{Relations, SeatFacts},
        position::state::{MAX_PIECES, NO_PIECE, Phase, State, role},
        turns::{FoundEntries, Turns, by_kind, registers::Registers},
    },
};

/// The layout of the observation: the first column of each group of entries.
///
/// Each seat has columns for: the n-th piece on each place (thermometer encoding), declared twins
/// (two pieces that move together), a mark if the seat has captured or entered, the relations of
/// its pieces, and its rank if it has finished. Columns for the whole position follow: the empty
/// quarter (with three seats), the counts of the turn, the phase and mover, and the unused throws.
/// The next columns are the place and role of each piece of the mover, and the flags of the turn.
/// The last columns show the pieces that each piece of the mover can reach with the unused throws.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For each place, the column of the first piece there. The column of the n-th piece is larger
    /// by n − 1.
    places: Vec<u16>,
    /// For each place, its index among the places that pieces can reach.
    ordinals: ByPlace<u16>,
    declared: u16,
    seat_mark: u16,
    pub relations: Relations,
    finished: u16,
    /// The number of columns of one seat.
    seat: u16,
    /// First column of the empty quarter, counted from the observer. Only with three seats.
    empty: u16,
    /// The byte of each count of the turn, and the first column of the count.
    counts: Vec<(usize, u16)>,
    /// First column of the phase and mover. In a turn-start state, all columns after the column of
    /// the seat that throws are 0.
    pub phase: u16,
    throws: u16,
    slots: u16,
    /// The number of columns of one slot.
    slot: u16,
    /// The byte of each register of flags, and the first column of the register.
    flags: Vec<(usize, u16)>,
    /// First column of the pieces that the first slot can reach.
    meeting: u16,
    pub length: u16,
}

/// The number of columns for the role of a slot: one for each bit of [`role`], in ascending order.
const ROLES: u16 = 6;
/// The number of columns for the pieces that a slot can reach: two for an enemy that it can
/// capture, and two for an own piece. In each two, the first column is for moves that use the next
/// throw, the second for moves without it.
const MEETINGS: u16 = 4;

impl Layout {
    pub fn new(rules: &Rules, turns: &Turns, registers: &Registers, payoff: Payoff) -> Layout {
        let (pieces, seats) = (rules.pieces() as u16, rules.seating.seats.len() as u16);
        let throws = by_kind!(turns, turns => turns.throw_columns());
        let mut ordinals = ByNumber([0; PLACES]);
        let count = (0..=rules.goal)
            .filter(|&place| rules.room[place] > 0)
            .zip(0..)
            .map(|(place, ordinal)| ordinals[place] = ordinal)
            .count() as u16;
        let slot = count + ROLES;
        let mut column = 0;
        let mut take = |columns: u16| {
            let at = column;
            column += columns;
            at
        };
        // The order of the fields is the order of their columns.
        Layout {
            places: (0..=rules.goal)
                .map(|place| take(rules.room[place].into()))
                .collect(),
            ordinals,
            declared: take(if rules.declares() { pieces } else { 0 }),
            seat_mark: take(u16::from(rules.has_seat_marks())),
            relations: Relations::new(rules, &mut take),
            finished: take(if payoff == Payoff::Placings { 4 } else { 0 }),
            seat: {
                let seat = take(0);
                take(seat * (seats - 1));
                seat
            },
            empty: take(if seats == 3 { 3 } else { 0 }),
            counts: registers
                .counts
                .iter()
                .map(|count| (count.byte, take(count.most.into())))
                .collect(),
            phase: take(2 * seats),
            throws: take(throws),
            slots: take(slot * pieces),
            slot,
            flags: (registers.flags.iter())
                .map(|flags| (flags.byte, take(flags.columns.end) + flags.columns.start))
                .collect(),
            meeting: take(MEETINGS * pieces),
            length: take(0),
        }
    }

    #[inline]
    pub fn observe(
        &self,
        rules: &Rules,
        turns: &Turns,
        state: &State,
        seat: Seat,
        active: &mut FoundEntries,
    ) {
        // The distances between the seats determine where their courses meet. With three seats,
        // these distances depend on the empty quarter.
        if rules.seating.seats.len() == 3 {
            let is_empty =
                |&quarters: &usize| !rules.seating.seats.contains(seat.rotated(quarters));
            active.extend(
                (1..4)
                    .find(is_empty)
                    .map(|quarters| self.empty + quarters as u16 - 1),
            );
        }
        let facts = self.relations.facts(rules, state);
        let mut mover = 0;
        for (owner, relative) in (0..4)
            .map(|quarters| seat.rotated(quarters))
            .filter(|&seat| rules.seating.seats.contains(seat))
            .zip(0..)
        {
            if owner == state.mover {
                mover = relative;
            }
            self.observe_seat(
                rules,
                state,
                &facts,
                [seat, owner],
                relative * self.seat,
                active,
            );
        }
        let is_decision = match state.phase {
            Phase::Over => return,
            Phase::Throw => 0,
            Phase::Choose | Phase::Allot => 1,
        };
        for &(byte, at) in self
            .counts
            .iter()
            .filter(|&&(byte, _)| state.registers[byte] > 0)
        {
            active.push(at + u16::from(state.registers[byte]) - 1);
        }
        active.push(self.phase + is_decision * rules.seating.seats.len() as u16 + mover);
        by_kind!(turns, turns => turns.observe_throws(state, self.throws, active));
        if is_decision == 1 {
            self.observe_slots(rules, turns, state, active);
        }
    }

    #[inline]
    fn observe_seat(
        &self,
        rules: &Rules,
        state: &State,
        facts: &SeatFacts,
        [observer, owner]: [Seat; 2],
        at: u16,
        active: &mut FoundEntries,
    ) {
        let pieces = &state.pieces[owner];
        let mut nth = 0;
        let mut last = NO_PIECE;
        for &place in &pieces[..rules.pieces()] {
            nth = if place == last { nth + 1 } else { 0 };
            last = place;
            active.push(at + self.places[usize::from(place)] + nth);
        }
        active.extend(bits(state.declared[owner]).map(|slot| at + self.declared + slot));
        if state.has_mark(owner) {
            active.push(at + self.seat_mark);
        }
        self.relations
            .observe(rules, state, facts, [observer, owner], at, |column| {
                active.push(column)
            });
        if self.finished < self.seat && state.finished[owner] > 0 {
            active.push(at + self.finished + u16::from(state.finished[owner]) - 1);
        }
    }

    fn observe_slots(
        &self,
        rules: &Rules,
        turns: &Turns,
        state: &State,
        active: &mut FoundEntries,
    ) {
        let colour = by_kind!(turns, turns => turns.colour(state));
        let reached: [u16; MAX_PIECES] = std::array::from_fn(|slot| {
            let has_entered = state.roles[slot] & role::ENTERED != 0;
            let place = if has_entered {
                1
            } else {
                state.pieces[colour][slot]
            };
            u16::from(place) + u16::from(state.steps[slot])
        });
        let left = Left::of(rules, turns, state);
        let is_open = rules.gate_rule.is_open(state, colour);
        let enemies = self.relations.capturable_by(rules, state, colour);
        // All places except the first (off the board) and the last.
        let on_course = ((1_u128 << rules.goal) - 1) & !1;
        for (slot, &place) in reached[..rules.pieces()].iter().enumerate() {
            let at = self.slots + slot as u16 * self.slot;
            active.push(at + self.ordinals[place.min(rules.goal.into()) as u8]);
            active.extend(bits(state.roles[slot]).map(|role| at + self.slot - ROLES + role));
            let own = (0..rules.pieces())
                .filter(|&other| other != slot)
                .map(|other| reached[other])
                .fold(0, |places, other| {
                    places | 1_u128.wrapping_shl(other.into())
                })
                & on_course;
            let at = self.meeting + slot as u16 * MEETINGS;
            let mut add_columns = |pieces: u128, at: u16| {
                let (ahead, left) = match place {
                    0 => (pieces, &left.entered),
                    place => (
                        rules.ahead(pieces, is_open).wrapping_shr(place.into()),
                        &left.steps,
                    ),
                };
                active.extend((ahead & left[0] != 0).then_some(at));
                active.extend((ahead & left[1] != 0).then_some(at + 1));
            };
            add_columns(enemies, at);
            add_columns(own, at + 2);
        }
        for &(byte, at) in &self.flags {
            active.extend(bits(state.registers[byte]).map(|bit| at + bit));
        }
    }
}

/// The reach of a piece: `[0]` by the next throw and any number of other unused throws, `[1]` by
/// other unused throws only.
struct Left {
    /// The step counts, as bits.
    steps: [u128; 2],
    /// The places that a waiting piece can reach, as bits.
    entered: [u128; 2],
}

impl Left {
    /// Counts at most four throws of each kind.
    fn of(rules: &Rules, turns: &Turns, state: &State) -> Left {
        let mut throws = [0; 16];
        let mut left = 0;
        let add = |value: u8, count: u8| {
            for _ in 0..count.min(4) {
                throws[left] = value;
                left += usize::from(value > 0);
            }
        };
        by_kind!(turns, turns => turns.throws_left(state, add));
        let (throws, left) = (&throws[..left], left.min(1));
        let sums = |throws: &[u8]| {
            throws
                .iter()
                .fold(1_u128, |steps, &throw| steps | steps << throw)
        };
        let mut found = Left {
            steps: [0, sums(&throws[left..])],
            entered: [0; 2],
        };
        let Some(&next) = throws.first() else {
            return found;
        };
        found.steps[0] = found.steps[1] << next;
        let colour = by_kind!(turns, turns => turns.colour(state));
        let own = &state.pieces[colour];
        if own[0] > 0 {
            return found;
        }
        if let Some(places) = by_kind!(turns, turns => turns.entered_by_all(state)) {
            found.entered[0] = places;
            return found;
        }
        let stage = rules.entry_stage(state, colour, own);
        let enters = |value: u8| rules.effects[value].enters[stage];
        // The piece enters with one of the throws, and the other throws then move it.
        let entered = |at: usize, from: usize| -> u128 {
            let place = if rules.enters_by_count() {
                rules.enters_at + throws[at]
            } else {
                rules.enters_at
            };
            throws[from..]
                .iter()
                .enumerate()
                .filter(|&(other, _)| other + from != at)
                .fold(1_u128 << place, |places, (_, &throw)| {
                    places | places << throw
                })
        };
        if let Some(at) = throws[1..].iter().position(|&value| enters(value)) {
            found.entered[1] = entered(at + 1, 1);
            found.entered[0] = found.entered[1] << next;
        }
        if enters(next) {
            found.entered[0] |= entered(0, 0);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{game::Game, race::Race};

    #[test]
    fn with_three_seats_the_observer_sees_which_quarter_is_empty() {
        // The next seat is one quarter turn away from South and East, but two from North.
        for (one, south, other, east) in [
            (
                "ashte-kashte?pieces=2 S:hand,8/E:hand,hand/N:22,22 S 2",
                Seat::SOUTH,
                "ashte-kashte?pieces=2 S:22,22/E:hand,8/N:hand,hand E 2",
                Seat::EAST,
            ),
            (
                "ashtapada?pieces=1 S:8/E:40/N:25 S 3",
                Seat::SOUTH,
                "ashtapada?pieces=1 S:25/E:8/N:40 E 3",
                Seat::EAST,
            ),
        ] {
            let view = |text: &str, seat: Seat| {
                let (race, state) = Race::parse_position(text).expect("a position");
                let mut active = Vec::new();
                race.observe_active(&state, seat, &mut active);
                active
            };
            assert_ne!(view(one, south), view(other, east), "`{one}` and `{other}`");
        }
    }

    #[test]
    fn pieces_that_each_slot_can_meet_are_observed() {
        // Each slot of the mover has two letters for an enemy and two for an own piece: with and
        // without the next throw.
        for (position, expected) in [
            // North's square 10 is South's square 44. A piece needs 4 steps to it from 40, 6 from
            // 38, and 10 from 34. The larger die is the next throw.
            (
                "pagade S+:34,38,40,80/N+:10,80,80,80 S 4,6",
                &["e-oo", "e---", "-e--", "----"][..],
            ),
            // The third piece has already reached 44, and the 6 is the only unused die.
            (
                "pagade S+:34,38,40,80/N+:10,80,80,80 S 6;40+4",
                &["----", "e-o-", "-e--", "----"],
            ),
            // North's square 23 is South's square 9. The 4 is the next throw; the 2 is the last
            // throw of the series.
            ("ashtapada S:3,7/N:off,23 S 4,2", &["e-o-", "-e--"]),
            // North's square 2 is South's square 14. Two pieces on one square (doubles) cannot be
            // captured.
            (
                "ashte-kashte?pieces=2 S:12,13/N:hand,2 S 1",
                &["--o-", "e---"],
            ),
            ("ashte-kashte?pieces=2 S:12,13/N:2,2 S 1", &["--o-", "----"]),
        ] {
            let (race, state) = Race::parse_position(position).expect("a position");
            let mut active = Vec::new();
            race.observe_active(&state, state.mover, &mut active);
            let columns = |slot: usize| -> String {
                let at = race.layout.meeting + slot as u16 * MEETINGS;
                let letter = |(column, letter)| {
                    if active.contains(&(at + column)) {
                        letter
                    } else {
                        '-'
                    }
                };
                (0..MEETINGS)
                    .zip(['e', 'e', 'o', 'o'])
                    .map(letter)
                    .collect()
            };
            assert_eq!(
                (0..race.pieces()).map(columns).collect::<Vec<_>>(),
                expected,
                "`{position}`"
            );
        }
    }
}
