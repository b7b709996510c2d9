//! Moves by one throw, of a single piece or a unit, and their effects; and the turn in which throws are made and used
//! one by one.
//!
//! The legality of a hop is computed on bitboards of cells: its target, and the pieces there. A series whose throws are
//! played one by one uses the same hops ([`super::each`]).

mod bits;

use std::sync::Arc;

use super::text::{MoveKind, UnitMove, is_pair, number};
use super::{FoundEntries, TurnMachine};
use bits::{Bits, Word};

use crate::game::{Action, ActionMask, Seat};
use crate::race::compile::{Cells, GateRule, Occupancy, PLACES, Rules, WALL};
use crate::race::position::seating::Participants;
use crate::race::position::slots::Slots;
use crate::race::position::state::{MAX_PIECES, NO_PIECE, Phase, State, sort};
use crate::race::turns::actions::{self, PAIRS, PASS};
use crate::sheet::values::{Divide, EntryAt, Must, UnitKind};

/// The rules of the turn, with the tables that each decision reads.
#[derive(Clone, Debug)]
pub(crate) struct ThrowTurns {
    pub(crate) rules: Arc<Rules>,
    pub(crate) seating: Participants,
    tables: Box<Tables>,
    /// Bitboards for boards with few cells, and for all.
    short: Option<Box<Bits<u64>>>,
    pub(crate) long: Box<Bits<u128>>,
    entry: u8,
    must: Must,
    gate_rule: GateRule,
    has_units: bool,
    are_units_tied: bool,
    has_parts: bool,
    pub(crate) waits: bool,
    home: u8,
    again_on_capture: bool,
    most_throws: u8,
    spends: bool,
}

/// Targets of hops, and the cells on the way.
#[derive(Clone, Debug)]
struct Tables {
    /// By whether a piece is under way, whether the gate is open and by throw, the places to which pieces come by
    /// themselves; [`WALL`] where they may not.
    single: [[[[u8; PLACES]; VALUES]; 2]; 2],
    /// The same for units, which are under way.
    unit: [[[u8; PLACES]; VALUES]; 2],
}

/// Throws have values below this.
const VALUES: usize = 32;

/// The pieces on the board, and the cells that they close to one seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupied<W = Cells> {
    pub(crate) own: Occupancy<W>,
    /// Cells closed to a piece by itself, and to a unit.
    pub(crate) to_single: W,
    pub(crate) to_unit: W,
    /// Cells that a piece by itself may not pass.
    to_pass: W,
}

/// The pieces of a seat that can take a throw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) mask: ActionMask,
    /// Whether every offered move brings a piece onto an own one.
    pub(crate) is_only_merging: bool,
}

impl ThrowTurns {
    pub(crate) fn new(rules: Arc<Rules>) -> ThrowTurns {
        let sheet = &rules.sheet;
        let hops = |steps: u8, is_open: bool| std::array::from_fn(|from| rules.target(from as u8, steps, is_open));
        let steps_of_unit = |value: usize| rules.effects[value].unit_steps;
        let entry = |is_under_way: usize, value: usize| match sheet.entry.at {
            _ if value == 0 || !rules.effects[value].enters[is_under_way] => WALL,
            EntryAt::Start => 1,
            EntryAt::Count => rules.target(rules.entry, value as u8, false),
        };
        let alone = |is_under_way: usize, is_open: bool, value: usize| {
            let mut places = hops(value as u8, is_open);
            places[0] = entry(is_under_way, value);
            places
        };
        let by_gate = |is_under_way: usize| {
            [false, true].map(|is_open| std::array::from_fn(|value| alone(is_under_way, is_open, value)))
        };
        let tables = Box::new(Tables {
            single: [0, 1].map(by_gate),
            unit: [false, true].map(|is_open| std::array::from_fn(|value| hops(steps_of_unit(value), is_open))),
        });
        ThrowTurns {
            must: sheet.turn.must,
            gate_rule: rules.gate_rule,
            has_units: sheet.unit.kind != UnitKind::None,
            are_units_tied: !sheet.unit.split,
            has_parts: sheet.turn.divide == Divide::Finish,
            waits: rules.waits_at_gate(),
            home: rules.home,
            again_on_capture: sheet.turn.again_on_capture,
            most_throws: sheet.turn.most_throws.unwrap_or(u8::MAX),
            spends: sheet.entry.spends,
            tables,
            short: (rules.bits.iter().flatten().all(|&bit| bit < 1 << 63 || bit == 1 << WALL))
                .then(|| Box::new(Bits::new(&rules))),
            long: Box::new(Bits::new(&rules)),
            entry: rules.entry,
            seating: rules.seating,
            rules,
        }
    }

    /// The cells that the pieces on the board close to `seat`, whose own stand on `own`; to a unit only if two own
    /// pieces stand together.
    #[inline]
    pub(crate) fn occupied<W: Word>(
        &self,
        bits: &Bits<W>,
        state: &State,
        seat: Seat,
        own: &[u8; MAX_PIECES],
    ) -> Occupied<W> {
        let none = Occupancy::<W>::default();
        let of = |seat: Seat, places| none.and(&bits.at[seat.index()], places);
        // Two pieces are a unit only if they are of one seat.
        let others = self.seating.others(seat).iter();
        let enemies = others.fold(none, |enemies, &other| enemies.or(of(other, &state.pieces[other.index()])));
        let own = of(seat, own);
        let cells = |[a, b, c, d]: [W; 4]| a & own.ones | b & own.twos | c & enemies.ones | d & enemies.twos;
        let has_two = self.has_units & (own.twos != W::default());
        Occupied {
            own,
            to_single: cells(bits.closed_to_single) | W::of(1 << WALL),
            to_unit: if has_two { cells(bits.closed_to_unit) | bits.always } else { W::default() },
            to_pass: bits.impassable & (own.twos | enemies.twos),
        }
    }

    /// The place to which a unit comes from a place on the course, or [`WALL`].
    #[inline]
    pub(crate) fn unit_target(&self, from: u8, throw: u8, is_open: bool) -> u8 {
        self.tables.unit[usize::from(is_open)][usize::from(throw) % VALUES][usize::from(from) % PLACES]
    }

    /// The places to which pieces of `own` come by themselves, by place; [`WALL`] where they may not.
    #[inline]
    fn hops(&self, own: &[u8; MAX_PIECES], throw: u8, is_open: bool) -> &[u8; PLACES] {
        let own = Slots::of(*own);
        let is_under_way = !(own.at_least(1) & !own.at_least(self.home)).is_empty();
        &self.tables.single[usize::from(is_under_way)][usize::from(is_open)][usize::from(throw) % VALUES]
    }

    /// The place to which a piece of `own` comes by itself, or [`WALL`].
    #[inline]
    pub(crate) fn hop_target(&self, own: &[u8; MAX_PIECES], from: u8, throw: u8, is_open: bool) -> u8 {
        self.hops(own, throw, is_open)[usize::from(from) % PLACES]
    }

    /// Whether no piece may leave a unit's place alone; an odd one may.
    #[inline]
    pub(crate) fn is_tied(&self, own: &[u8; MAX_PIECES], place: u8) -> bool {
        self.are_units_tied && own.iter().filter(|&&other| other == place).count() % 2 == 0
    }

    /// The pieces of `seat`, on the places `own`, that can take `throw`. Below, `&` instead of `&&`: the branches are
    /// unpredictable, and a misprediction costs more than all the tests.
    #[inline]
    fn offer<W: Word>(&self, bits: &Bits<W>, state: &State, seat: Seat, own: &[u8; MAX_PIECES], throw: u8) -> Offer {
        let (on, is_open) = (self.occupied(bits, state, seat, own), self.gate_rule.is_open(state, seat));
        let (at, below) = (&bits.at[seat.index()], &bits.below[seat.index()]);
        let none = W::default();
        let mut mask = 0_u32;
        let mut is_only_merging = true;
        let hops = self.hops(own, throw, is_open);
        let has_unit = bits.unit_cells & on.own.twos != none;
        let mut last = NO_PIECE;
        for slot in 0..MAX_PIECES {
            let from = own[slot];
            let is_offered = from != last;
            last = from;
            let to = hops[usize::from(from) % PLACES];
            let landing = at[usize::from(to) % PLACES];
            let mut goes_alone = is_offered & (landing & on.to_single == none);
            if on.to_pass != none {
                let after = usize::from(from.max(self.entry).wrapping_add(1)) % PLACES;
                goes_alone &= on.to_pass & below[usize::from(to) % PLACES] & !below[after] == none;
            }
            let mut goes_together = false;
            if has_unit {
                let is_unit = at[usize::from(from) % PLACES] & bits.unit_cells & on.own.twos != none;
                let to = self.unit_target(from, throw, is_open);
                goes_together = is_offered & is_unit & (at[usize::from(to) % PLACES] & on.to_unit == none);
                if self.are_units_tied {
                    goes_alone &= !(is_unit && self.is_tied(own, from));
                }
            }
            mask |= u32::from(goes_alone) << slot | u32::from(goes_together) << (PAIRS.0 as usize + slot);
            is_only_merging &= !goes_together & (!goes_alone | (landing & on.own.ones != none));
        }
        Offer { mask: ActionMask::of_bits(mask), is_only_merging }
    }

    /// The places of `own` after an action by `throw`, sorted, and where it landed.
    #[inline(always)]
    pub(crate) fn moved_by(
        &self,
        own: &[u8; MAX_PIECES],
        throw: u8,
        action: Action,
        is_open: bool,
    ) -> ([u8; MAX_PIECES], u8) {
        let is_unit = action >= PAIRS;
        let slot = usize::from(action.0 % PAIRS.0);
        let from = own[slot];
        let to =
            if is_unit { self.unit_target(from, throw, is_open) } else { self.hop_target(own, from, throw, is_open) };
        // An illegal action moves nothing.
        let to = if to == WALL { from } else { to };
        let moved = Slots::of(*own).with(slot, to);
        let moved = if is_unit { moved.with((slot + 1) % MAX_PIECES, to) } else { moved };
        let mut places = moved.bytes();
        sort(&mut places);
        (places, to)
    }

    /// Moves a piece or a unit of the mover; returns whether it captured.
    #[inline(always)]
    fn hop(&self, state: &mut State, throw: u8, action: Action) -> bool {
        let mover = state.mover;
        let is_open = self.gate_rule.is_open(state, mover);
        let (places, to) = self.moved_by(&state.pieces[mover.index()], throw, action, is_open);
        let has_captured = self.rules.capture(state, mover, to, action >= PAIRS);
        state.pieces[mover.index()] = places;
        has_captured
    }

    /// Whether a piece can be brought home by a part of the throw, and the rest be given to another.
    fn divides(&self, state: &State, slot: usize, throw: u8) -> bool {
        let own = &state.pieces[state.mover.index()];
        let from = own[slot];
        let is_first = slot == 0 || own[slot - 1] != from;
        let part = self.rules.home.saturating_sub(from);
        let is_open = self.gate_rule.is_open(state, state.mover);
        is_first && from > 0 && part < throw && self.hop_target(own, from, part, is_open) == self.home && {
            let (places, rest) = self.divided(own, slot, throw);
            !self.rest(state, &places, rest).is_empty()
        }
    }

    /// The places after a piece went home by a part of the throw, and the rest of the throw.
    fn divided(&self, own: &[u8; MAX_PIECES], slot: usize, throw: u8) -> ([u8; MAX_PIECES], u8) {
        let mut places = *own;
        let part = self.rules.home.saturating_sub(own[slot]);
        places[slot] = self.rules.home;
        sort(&mut places);
        (places, throw.saturating_sub(part))
    }

    /// The pieces on the board that can take the rest of a throw.
    fn rest(&self, state: &State, own: &[u8; MAX_PIECES], rest: u8) -> ActionMask {
        let offer = self.offer(&self.long, state, state.mover, own, rest);
        offer.mask.iter().filter(|action| own[usize::from(action.0 % PAIRS.0)] > 0).collect()
    }

    /// The actions of the second part of a throw: its rest after a division, or its number after an entry.
    fn second(&self, state: &State) -> ActionMask {
        let [number, whole] = state.dice;
        let mut mask = self.rest(state, &state.pieces[state.mover.index()], number);
        if whole == 0 || mask.is_empty() {
            mask.insert(PASS);
        }
        mask
    }

    /// Whether two pieces stand together on the course where an action moves two, and a throw can be divided where it
    /// divides it.
    #[inline]
    fn is_sound(&self, state: &State, action: Action) -> bool {
        if action < PAIRS || action == PASS {
            return true;
        }
        let own = &state.pieces[state.mover.index()];
        let slot = usize::from(action.0 % PAIRS.0);
        if self.has_parts && state.phase == Phase::Choose {
            return self.divides(state, slot, state.dice[0]);
        }
        own[slot] > 0 && slot + 1 < self.seating.pieces && own[slot + 1] == own[slot]
    }

    /// Passes the turn on after a throw was used or left.
    #[inline]
    fn finish(&self, state: &mut State, thrown: u8, has_captured: bool) {
        let count = state.thrown;
        let grants = self.rules.effects[usize::from(thrown)].again | (has_captured & self.again_on_capture);
        let again = grants & (count < self.most_throws);
        self.end_turn(state, again);
        if again && state.phase == Phase::Throw {
            state.thrown = count;
        }
    }

    /// Whether no throw lets `seat` move.
    #[cold]
    fn is_stuck(&self, state: &State, seat: Seat) -> bool {
        let own = &state.pieces[seat.index()];
        let can_move = |throw: u8| !self.offer(&self.long, state, seat, own, throw).mask.is_empty();
        !self.rules.outcomes.iter().any(|throw| can_move(throw.values[0]))
    }
}

impl TurnMachine for ThrowTurns {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn apply_chance(&self, state: &mut State, outcome: usize) {
        state.dice[0] = self.rules.outcomes[outcome].values[0];
        state.thrown += u8::from(self.most_throws < u8::MAX);
        state.phase = Phase::Choose;
    }

    fn legal_actions(&self, state: &State) -> ActionMask {
        if state.phase == Phase::Allot {
            return self.second(state);
        }
        let (seat, throw) = (state.mover, state.dice[0]);
        let own = &state.pieces[seat.index()];
        let Offer { mut mask, is_only_merging } = match &self.short {
            Some(bits) => self.offer(bits, state, seat, own, throw),
            None => self.offer(&self.long, state, seat, own, throw),
        };
        if self.has_parts {
            for slot in 0..self.seating.pieces {
                if self.divides(state, slot, throw) {
                    mask.insert(Action(PAIRS.0 + slot as u8));
                }
            }
        }
        let may_pass = match self.must {
            Must::NoMerge => is_only_merging,
            Must::Optional => true,
            Must::One | Must::Most | Must::Greedy => mask.is_empty(),
        };
        if may_pass {
            mask.insert(PASS);
        }
        mask
    }

    fn apply_action(&self, state: &mut State, action: Action) {
        if !self.is_sound(state, action) {
            return;
        }
        let [number, whole] = state.dice;
        let is_first = state.phase == Phase::Choose;
        let slot = usize::from(action.0 % PAIRS.0);
        let places = &mut state.pieces[state.mover.index()];
        if self.has_parts && is_first && (PAIRS..PASS).contains(&action) {
            let rest;
            (*places, rest) = self.divided(places, slot, number);
            state.dice = [rest, number];
            state.phase = Phase::Allot;
            return;
        }
        let is_free = !self.spends && is_first && action < PASS && places[slot] == 0;
        let has_captured = action < PASS && self.hop(state, number, action);
        if is_free {
            state.phase = Phase::Allot;
            return;
        }
        self.finish(state, if !is_first && whole > 0 { whole } else { number }, has_captured);
    }

    /// Whether no seat can ever move again.
    #[inline]
    fn is_dead(&self, state: &State) -> bool {
        self.waits && self.seating.seats.iter().all(|seat| self.is_stuck(state, seat))
    }

    fn ignore_dead_ends(&mut self) {
        self.waits = false;
    }

    /// The rest of a divided throw is any number, and its whole says whether another throw follows. Where entering does
    /// not spend a throw, one entry says whether it has entered a piece.
    fn throw_columns(&self) -> u16 {
        let faces = self.rules.faces.len() as u16;
        if self.has_parts { 2 * faces + u16::from(self.rules.longest) } else { faces + u16::from(!self.spends) }
    }

    fn observe_throws(&self, state: &State, at: u16, active: &mut FoundEntries) {
        let [number, whole] = state.dice;
        let faces = self.rules.faces.len() as u16;
        if whole > 0 {
            active.extend(self.rules.face(whole).map(|face| at + faces + face));
            active.push(at + 2 * faces + u16::from(number) - 1);
        } else if state.phase != Phase::Throw {
            active.extend(self.rules.face(number).map(|face| at + face));
            active.extend((state.phase == Phase::Allot).then_some(at + faces));
        }
    }

    fn throws_left(&self, state: &State, mut add: impl FnMut(u8, u8)) {
        add(state.dice[0], 1);
    }

    fn thrown(&self, state: &State) -> Vec<u8> {
        if state.phase == Phase::Throw { Vec::new() } else { vec![state.dice[0]] }
    }

    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String> {
        let is_thrown = |value: u8| self.rules.outcomes.iter().any(|throw| throw.values[0] == value);
        match (phase, values) {
            (Phase::Throw, []) => {}
            (Phase::Allot, &[value]) if value > 0 => state.dice[0] = value,
            (Phase::Choose | Phase::Allot, &[value]) if is_thrown(value) => state.dice[0] = value,
            _ => return Err(format!("a turn has one throw of {}", self.rules.throw_words())),
        }
        Ok(())
    }

    fn marks(&self, state: &State) -> Vec<String> {
        vec![if state.dice[1] > 0 { format!("/{}", state.dice[1]) } else { "in".to_owned() }]
    }

    fn read_mark(&self, state: &mut State, mark: &str) -> Option<()> {
        if mark != "in" {
            state.dice[1] = number(mark.strip_prefix('/')?)?;
        }
        Some(())
    }

    /// A piece has entered, or come home by a part of the throw.
    fn is_playable(&self, state: &State, stands: impl Fn(&State) -> bool) -> bool {
        let (mover, [left, whole]) = (state.mover.index(), state.dice);
        let (thrown, home) = (whole.max(left), self.rules.home);
        let (from, to) = if whole == 0 { (0, 1) } else { (home.saturating_sub(thrown - left), home) };
        self.rules.can_throw([thrown, 0])
            && (0..self.seating.pieces).filter(|&slot| state.pieces[mover][slot] == to).any(|slot| {
                let mut before = State { dice: [thrown, 0], ..state.unplayed() };
                before.pieces[mover][slot] = from;
                before.pieces[mover].sort_unstable();
                stands(&before) && self.leads(&before, state)
            })
    }

    fn action_text(&self, state: &State, action: Action) -> String {
        let Some(slot) = actions::slot(action) else { return "pass".to_owned() };
        let place = self.rules.place_within(state, &state.pieces[state.mover.index()], slot);
        let (throw, words) = (state.dice[0], &self.rules.sheet.words);
        match is_pair(action) {
            true if self.has_parts => format!("{throw}: {place} {}", words.home),
            true => format!("{throw}: {} on {place}", words.unit),
            false => format!("{throw}: {place}"),
        }
    }

    fn moved(&self, state: &State, action: Action) -> Option<UnitMove> {
        let (own, throw) = (&state.pieces[state.mover.index()], state.dice[0]);
        let slot = actions::slot(action)?;
        if is_pair(action) && self.has_parts {
            let part = self.home.saturating_sub(own[slot]);
            return Some(UnitMove::by(MoveKind::Alone, slot, own[slot], part).to(self.home));
        }
        let (_, target) = self.moved_by(own, throw, action, self.gate_rule.is_open(state, state.mover));
        self.rules.landing(own, action, throw, target)
    }
}
