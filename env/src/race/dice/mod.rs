//! The turn of Pagade: two dice for one pawn, two pawns or a pair (the rules, sections 4.4 to 4.6).
//!
//! The smaller die is allotted first. An action names the pawn that takes it; the second action names the pawn that
//! takes the other die, and the same pawn again means the sum in one hop. Pawns move in the order in which they were
//! named. Where only the other order is legal, or gives another result, `LARGER_FIRST` names it.

pub(super) mod hops;
pub(super) mod ring;

use crate::flags::{DiceUse, FinishedPartner, NoCut, PagadeRules, TeamCut};
use crate::game::{Action, ActionMask, MAX_SEATS, Seat};
use crate::games::pagade::{COURSE, HOME, RING_END, THROWS};
use crate::race::Seating;
use crate::race::actions::{LARGER_FIRST, PAIRS, PASS, SINGLES};
use crate::race::board::Board;
use crate::race::slots::Slots;
use crate::race::state::{MAX_PIECES, Phase, State, role, sort};
use hops::{Hop, Hops, LARGER, SMALLER, other};
use ring::{Beyond, ENEMY, OWN, PARTNER, Ring, square};

/// The rules of the turn with their tables. Places are the indices of the rules.
#[derive(Clone, Debug)]
pub(crate) struct DiceTurns {
    seating: Seating,
    pub(crate) rules: PagadeRules,
    pub(crate) board: Board,
    chance: [f32; 10],
    is_partnership: bool,
    /// What a pawn of the colour so many quarter turns counter-clockwise is in a crowd on the ring.
    pawns: [u8; MAX_SEATS],
}

impl DiceTurns {
    pub(crate) fn new(rules: PagadeRules, seating: Seating) -> DiceTurns {
        let chance = THROWS.map(|(_, probability)| probability);
        let is_partnership = rules.is_partnership();
        let pawns = [OWN, ENEMY, if is_partnership { PARTNER } else { ENEMY }, ENEMY];
        DiceTurns { seating, rules, board: Board::new(&COURSE), chance, is_partnership, pawns }
    }

    pub(crate) fn chance_outcomes(&self) -> &[f32] {
        &self.chance
    }

    pub(crate) fn apply_chance(&self, state: &mut State, outcome: usize) {
        state.dice = THROWS[outcome].0;
        state.phase = Phase::Choose;
    }

    /// The colour whose pawns the mover moves: its own, or its partner's once all its own are home.
    pub(crate) fn colour(&self, state: &State, mover: Seat) -> Seat {
        let donates = self.is_partnership && state.finished[mover.index()] > 0;
        if donates { mover.rotated(2) } else { mover }
    }

    /// Whether `colour` may enter its belly on the way home.
    pub(crate) fn may_enter(&self, state: &State, colour: Seat) -> bool {
        let is_shared = self.is_partnership && self.rules.team_cut == TeamCut::Shared;
        self.rules.no_cut == NoCut::Off || state.has_cut(colour) || is_shared && state.has_cut(colour.rotated(2))
    }

    /// The pawns of `colour` with the hops that two dice allow them.
    #[inline(always)]
    fn hops(&self, state: &State, colour: Seat, dice: [u8; 2]) -> Hops {
        let own = state.pieces[colour.index()];
        let mut ring = Ring::empty();
        ring.add(&own, 0, OWN);
        for &other in self.seating.others(colour) {
            let quarters = quarters(colour, other);
            ring.add(&state.pieces[other.index()], quarters, self.pawns[quarters]);
        }
        Hops::new(own, ring, dice, self.beyond(self.may_enter(state, colour)))
    }

    /// What becomes of pawns beyond the ring whose colour may enter its belly or not.
    #[inline]
    pub(super) fn beyond(&self, may_enter: bool) -> Beyond {
        match self.rules.no_cut {
            _ if may_enter => Beyond::Enters,
            NoCut::Lap => Beyond::Laps,
            NoCut::Wait | NoCut::Off => Beyond::Waits,
        }
    }

    /// Tells `visit` the moves of every legal turn: two hops, one of them twice where one pawn moves alone, and none
    /// for a pass. Moves with one result may be told more than once.
    #[inline]
    pub(super) fn visit_moves(&self, hops: &Hops, mut visit: impl FnMut(Option<[Move; 2]>)) {
        let (sums, pairs) = (hops.sums(), hops.pairs());
        let order_matters = !hops.is_doublet() && hops.order_matters();
        let mut is_empty = true;
        let mut found = |moves| {
            is_empty = false;
            visit(moves);
        };
        for slot in hops.lowest().iter() {
            if sums.contains(slot) {
                found(Some([(slot, hops.by_sum(slot)); 2]));
            }
            if pairs.contains(slot) {
                let hop = hops.by(slot, SMALLER);
                found(Some([(slot, hop), (slot + 1, hop)]));
            }
            for die in [SMALLER, LARGER].into_iter().take(if order_matters { 2 } else { 1 }) {
                for second in hops.others(slot, die).iter() {
                    let [hop, next] = hops.both(slot, die, second);
                    found(Some([(slot, hop), (second, next)]));
                }
            }
        }
        let is_optional = self.rules.must_use == DiceUse::Optional;
        if is_empty || is_optional {
            for die in [SMALLER, LARGER].into_iter().take(if hops.is_doublet() { 1 } else { 2 }) {
                for slot in (hops.firsts(die) & hops.lowest()).iter() {
                    is_empty = false;
                    visit(Some([(slot, hops.by(slot, die)); 2]));
                }
            }
        }
        if is_empty || is_optional {
            visit(None);
        }
    }

    pub(crate) fn legal_actions(&self, state: &State) -> ActionMask {
        let colour = self.colour(state, state.mover);
        if state.phase == Phase::Allot {
            return self.second_actions(state, colour);
        }
        let hops = self.hops(state, colour, state.dice);
        let mut mask = ActionMask::EMPTY;
        let (sums, pairs) = (hops.sums(), hops.pairs());
        let order_matters = !hops.is_doublet() && hops.order_matters();
        for slot in hops.lowest().iter() {
            let (single, larger_first) = (Action(SINGLES.0 + slot as u8), Action(LARGER_FIRST.0 + slot as u8));
            if sums.contains(slot) || !hops.others(slot, SMALLER).is_empty() {
                mask.insert(single);
            }
            if pairs.contains(slot) {
                mask.insert(Action(PAIRS.0 + slot as u8));
            }
            if order_matters && !hops.others(slot, LARGER).is_empty() {
                mask.insert(larger_first);
            }
        }
        let is_optional = self.rules.must_use == DiceUse::Optional;
        if mask.is_empty() || is_optional {
            let dice = [(SMALLER, SINGLES), (LARGER, LARGER_FIRST)];
            for (die, actions) in dice.into_iter().take(if hops.is_doublet() { 1 } else { 2 }) {
                let slots = hops.firsts(die) & hops.lowest();
                slots.iter().for_each(|slot| mask.insert(Action(actions.0 + slot as u8)));
            }
        }
        if mask.is_empty() || is_optional {
            mask.insert(PASS);
        }
        mask
    }

    /// The first pawn and the die that it has taken, once one is allotted.
    #[inline]
    fn allotted(&self, state: &State) -> Option<(usize, usize)> {
        let slot = (!Slots::of(state.roles).are(role::FRESH)).iter().next()?;
        Some((slot, if state.roles[slot] & role::LARGER_FIRST == 0 { SMALLER } else { LARGER }))
    }

    fn second_actions(&self, state: &State, colour: Seat) -> ActionMask {
        let Some((slot, die)) = self.allotted(state) else { return ActionMask::EMPTY };
        let hops = self.hops(state, colour, [state.steps[slot], state.dice[0]]);
        let mut mask = ActionMask::EMPTY;
        hops.seconds(slot, die).iter().for_each(|second| mask.insert(Action(SINGLES.0 + second as u8)));
        let may_stop = self.rules.must_use == DiceUse::Optional && hops.firsts(die).contains(slot);
        if may_stop || mask.is_empty() {
            mask.insert(PASS);
        }
        mask
    }

    pub(crate) fn apply_action(&self, state: &mut State, action: Action) {
        let colour = self.colour(state, state.mover);
        let moves = match state.phase {
            Phase::Allot => self.second_move(state, colour, action),
            _ if action == PASS => None,
            _ => {
                let hops = self.hops(state, colour, state.dice);
                let is_larger_first = action >= LARGER_FIRST;
                let die = if is_larger_first { LARGER } else { SMALLER };
                let slot = usize::from(if is_larger_first { action.0 - LARGER_FIRST.0 } else { action.0 } % PAIRS.0);
                let hop = hops.by(slot, die);
                if (PAIRS..PASS).contains(&action) {
                    hops.pairs().contains(slot).then_some([(slot, hop), (slot + 1, hop)])
                } else if !hops.seconds(slot, die).is_empty() {
                    return self.allot(state, slot, die, &hops);
                } else {
                    hops.firsts(die).contains(slot).then_some([(slot, hop); 2])
                }
            }
        };
        debug_assert!(moves.is_some() || action == PASS, "action {} is not legal in {state:?}", action.0);
        self.resolve(state, colour, moves);
    }

    /// Labels the pawn of `slot` with its die, while the other die waits.
    fn allot(&self, state: &mut State, slot: usize, die: usize, hops: &Hops) {
        let order = if die == SMALLER { 0 } else { role::LARGER_FIRST };
        state.roles[slot] = role::SINGLE | order;
        state.steps[slot] = hops.steps(die);
        state.dice = [hops.steps(other(die)), 0];
        state.phase = Phase::Allot;
    }

    /// The moves of a turn whose first pawn has its die.
    fn second_move(&self, state: &State, colour: Seat, action: Action) -> Option<[Move; 2]> {
        let (first, die) = self.allotted(state)?;
        let hops = self.hops(state, colour, [state.steps[first], state.dice[0]]);
        let second = usize::from(action.0 % PAIRS.0);
        if action >= PAIRS {
            return hops.firsts(die).contains(first).then(|| [(first, hops.by(first, die)); 2]);
        }
        let is_legal = hops.seconds(first, die).contains(second);
        is_legal.then(|| {
            if second == first {
                return [(first, hops.by_sum(first)); 2];
            }
            let [hop, next] = hops.both(first, die, second);
            [(first, hop), (second, next)]
        })
    }

    /// Moves pawns, one or two, and passes the turn on or ends the game.
    fn resolve(&self, state: &mut State, colour: Seat, moves: Option<[Move; 2]>) {
        if let Some([(first, hop), (second, next)]) = moves {
            let landed = Slots::of(state.pieces[colour.index()]).with(first, hop.place).with(second, next.place);
            let mut own = landed.bytes();
            sort(&mut own);
            state.pieces[colour.index()] = own;
            for hop in [hop, next].into_iter().filter(|hop| hop.cuts) {
                self.cut(state, colour, hop.square);
            }
            if own[0] == HOME && state.finished[colour.index()] == 0 {
                let place = if self.is_partnership { 1 } else { self.finished_count(state) + 1 };
                state.finished[colour.index()] = place;
                if self.is_over(state) {
                    return state.end();
                }
            }
        }
        if self.is_dead(state) { state.end() } else { state.begin_turn(self.next(state)) }
    }

    /// Takes the other colours' pawns off a square of the ring as `colour` counts it.
    fn cut(&self, state: &mut State, colour: Seat, from: u8) {
        state.cuts |= 1 << colour.index();
        for &other in self.seating.others(colour) {
            let quarters = quarters(colour, other);
            let pieces = &mut state.pieces[other.index()];
            for place in pieces.iter_mut().filter(|place| square(**place, quarters) == from) {
                *place = 0;
            }
            sort(pieces);
        }
    }

    fn finished_count(&self, state: &State) -> u8 {
        state.finished.iter().filter(|&&place| place > 0).count() as u8
    }

    pub(crate) fn is_over(&self, state: &State) -> bool {
        let count = usize::from(self.finished_count(state));
        let seats = self.seating.seats.len();
        if self.is_partnership {
            let is_done = |seat: Seat| state.finished[seat.index()] > 0;
            return [Seat::SOUTH, Seat::EAST].into_iter().any(|seat| is_done(seat) && is_done(seat.rotated(2)));
        }
        count + 1 == seats || count > 0 && (!self.rules.play_on || seats == 2)
    }

    /// Whether `seat` still throws: it has not finished, or it throws for its partner.
    pub(crate) fn has_turns(&self, state: &State, seat: Seat) -> bool {
        let donates = self.is_partnership && self.rules.finished_partner == FinishedPartner::Donate;
        donates || state.finished[seat.index()] == 0
    }

    fn next(&self, state: &State) -> Seat {
        let mut next = self.seating.next(state.mover);
        while !self.has_turns(state, next) {
            next = self.seating.next(next);
        }
        next
    }

    /// Whether a label read from a text is that of a turn under way.
    pub(crate) fn check_allotment(&self, state: &State) -> Result<(), String> {
        let count = state.roles.iter().filter(|&&role| role != role::FRESH).count();
        let Some((slot, die)) = self.allotted(state).filter(|_| count == 1) else {
            return Err("one pawn has taken the first die".to_owned());
        };
        let (taken, left) = (state.steps[slot], state.dice[0]);
        let hops = self.hops(state, self.colour(state, state.mover), [taken, left]);
        let is_die = [1, 3, 4, 6].contains(&taken) && (die == SMALLER) == (taken <= left);
        if !is_die || hops.seconds(slot, die).is_empty() {
            return Err("no legal turn begins with this allotment".to_owned());
        }
        Ok(())
    }

    /// Whether no unfinished colour has a legal move with any throw: the position can never change again.
    pub(crate) fn is_dead(&self, state: &State) -> bool {
        let mut unfinished = self.seating.seats.iter().filter(|seat| state.finished[seat.index()] == 0);
        unfinished.all(|colour| {
            self.is_kept_out(&state.pieces[colour.index()], self.may_enter(state, colour))
                && !self.hops(state, colour, [1, 1]).can_ever_move()
        })
    }

    /// Whether pawns may have no move left with any throw: otherwise they surely have one.
    #[inline]
    pub(super) fn is_kept_out(&self, pieces: &[u8; MAX_PIECES], may_enter: bool) -> bool {
        // One die or both make eleven different numbers of steps. From an index up to this one all of them lead to
        // squares of the ring, of which others close nine at most: four a partner, four enemy pairs, one an own pair.
        // Further on the belly and Home are open to who may enter, and a lap to who goes around again.
        pieces[0] > RING_END - 12 && self.rules.no_cut == NoCut::Wait && !may_enter
    }
}

/// Quarter turns counter-clockwise from one colour to another.
#[inline]
fn quarters(from: Seat, to: Seat) -> usize {
    (to.index() + MAX_SEATS - from.index()) % MAX_SEATS
}

/// A pawn's slot and hop.
pub(super) type Move = (usize, Hop);
