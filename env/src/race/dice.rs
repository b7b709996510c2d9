//! The turn of Pagade: two dice for one pawn, two pawns or a pair (the rules, sections 4.4 to 4.6).
//!
//! The smaller die is allotted first. An action names the pawn that takes it; the second action names the pawn that
//! takes the other die, and the same pawn again means the sum in one hop. Pawns move in the order in which they were
//! named. Where only the other order is legal, or gives another result, `LARGER_FIRST` names it.

use crate::flags::{DiceUse, FinishedPartner, NoCut, PagadeRules, TeamCut};
use crate::game::{Action, ActionMask, Seat};
use crate::games::pagade::{COURSE, HOME, RING, RING_END, RING_START, THROWS};
use crate::race::Seating;
use crate::race::actions::{LARGER_FIRST, PAIRS, PASS, SINGLES};
use crate::race::board::Board;
use crate::race::state::{MAX_PIECES, Phase, State, role, sort};

/// The rules of the turn with their tables. Places are the indices of the rules.
#[derive(Clone, Debug)]
pub(crate) struct DiceTurns {
    seating: Seating,
    pub(crate) rules: PagadeRules,
    pub(crate) board: Board,
    chance: [f32; 10],
}

/// Pawns of one colour and who stands on the ring, while a turn is tried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Trial {
    own: [u8; MAX_PIECES],
    /// Whether the colour may enter its belly.
    may_enter: bool,
    /// Ring squares as the colour counts them, as bits: one enemy pawn, two of one enemy, a partner's pawn.
    singles: u128,
    pairs: u128,
    partners: u128,
    /// Ring squares on which pawns were cut.
    cut: u128,
}

/// A way to use dice: which slots move by which dice, in this order.
#[derive(Clone, Copy, Debug)]
struct Moves {
    first: (usize, u8),
    second: Option<(usize, u8)>,
}

impl DiceTurns {
    pub(crate) fn new(rules: PagadeRules, seating: Seating) -> DiceTurns {
        let chance = THROWS.map(|(_, probability)| probability);
        DiceTurns { seating, rules, board: Board::new(&COURSE), chance }
    }

    pub(crate) fn chance_outcomes(&self) -> &[f32] {
        &self.chance
    }

    pub(crate) fn apply_chance(&self, state: &mut State, outcome: usize) {
        state.dice = THROWS[outcome].0;
        state.phase = Phase::Choose;
    }

    fn is_partnership(&self) -> bool {
        self.rules.is_partnership()
    }

    /// The colour whose pawns the mover moves: its own, or its partner's once all its own are home.
    pub(crate) fn colour(&self, state: &State, mover: Seat) -> Seat {
        let donates = self.is_partnership() && state.finished[mover.index()] > 0;
        if donates { mover.rotated(2) } else { mover }
    }

    /// Whether `colour` may enter its belly on the way home.
    pub(crate) fn may_enter(&self, state: &State, colour: Seat) -> bool {
        let is_shared = self.is_partnership() && self.rules.team_cut == TeamCut::Shared;
        self.rules.no_cut == NoCut::Off || state.has_cut(colour) || is_shared && state.has_cut(colour.rotated(2))
    }

    fn trial(&self, state: &State, colour: Seat) -> Trial {
        let mut trial = Trial {
            own: state.pieces[colour.index()],
            may_enter: self.may_enter(state, colour),
            singles: 0,
            pairs: 0,
            partners: 0,
            cut: 0,
        };
        for &other in self.seating.others(colour) {
            let quarters = other.index() + 4 - colour.index();
            let mut ones = 0_u128;
            let mut twos = 0_u128;
            for &place in &state.pieces[other.index()] {
                if (RING_START..=RING_END).contains(&place) {
                    let bit = 1 << ring(place, quarters);
                    twos |= ones & bit;
                    ones |= bit;
                }
            }
            if self.is_partnership() && other == colour.rotated(2) {
                trial.partners |= ones;
            } else {
                trial.singles |= ones & !twos;
                trial.pairs |= twos;
            }
        }
        trial
    }

    /// Where a pawn on `from` lands after `steps`; `None` when the belly is closed to it or Home is overshot.
    fn target(&self, trial: &Trial, from: u8, steps: u8) -> Option<u8> {
        let to = from + steps;
        if to > RING_END && !trial.may_enter {
            return (self.rules.no_cut == NoCut::Lap).then(|| to - RING);
        }
        (to <= HOME).then_some(to)
    }

    /// Steps one pawn.
    fn step(&self, trial: &Trial, slot: usize, steps: u8) -> Option<Trial> {
        let to = self.target(trial, trial.own[slot], steps)?;
        let mut next = *trial;
        next.own[slot] = to;
        if (RING_START..=RING_END).contains(&to) {
            let bit = 1_u128 << ring(to, 0);
            let is_there = |slot: &usize| is_on_ring(trial.own[*slot]) && ring(trial.own[*slot], 0) == ring(to, 0);
            let own_there = (0..self.seating.pieces).filter(|other| *other != slot).filter(is_there).count();
            if own_there >= 2 || (trial.pairs | trial.partners) & bit != 0 {
                return None;
            }
            next.take(trial.singles & bit);
        }
        Some(next)
    }

    /// Moves two pawns of one index together.
    fn step_pair(&self, trial: &Trial, slot: usize, steps: u8) -> Option<Trial> {
        let from = trial.own[slot];
        if slot + 1 >= self.seating.pieces || trial.own[slot + 1] != from || from == 0 {
            return None;
        }
        let to = self.target(trial, from, steps)?;
        let mut next = *trial;
        next.own[slot] = to;
        next.own[slot + 1] = to;
        if (RING_START..=RING_END).contains(&to) {
            let bit = 1_u128 << ring(to, 0);
            let is_there = |&place: &u8| is_on_ring(place) && ring(place, 0) == ring(to, 0);
            if trial.own[..self.seating.pieces].iter().any(is_there) || trial.partners & bit != 0 {
                return None;
            }
            next.take((trial.singles | trial.pairs) & bit);
        }
        Some(next)
    }

    /// Makes the moves in their order, a slot named twice in one hop; `None` when they are not legal.
    fn play(&self, trial: &Trial, moves: Moves) -> Option<Trial> {
        let cut = trial.own.iter().filter(|&&place| place == 0).count();
        let (slot, die) = moves.first;
        if cut > 0 && trial.own[slot] != 0 {
            return None;
        }
        match moves.second {
            None => self.step(trial, slot, die),
            // With two pawns cut both dice enter; a pawn that takes both would leave the other outside.
            Some((second, other)) if second == slot => {
                if cut > 1 {
                    None
                } else {
                    self.step(trial, slot, die + other)
                }
            }
            Some((second, other)) => {
                let after = self.step(trial, slot, die)?;
                if cut > 1 && trial.own[second] != 0 { None } else { self.step(&after, second, other) }
            }
        }
    }

    /// The lowest slots of pawns on different indices; equal pawns are interchangeable.
    fn is_lowest(&self, trial: &Trial, slot: usize) -> bool {
        slot < self.seating.pieces && (slot == 0 || trial.own[slot - 1] != trial.own[slot])
    }

    /// Second slots that may be named after `first`: any but a higher pawn on an index of which a lower is free.
    fn is_second(&self, trial: &Trial, first: usize, slot: usize) -> bool {
        slot < self.seating.pieces && (slot == first || slot == first + 1 || self.is_lowest(trial, slot))
    }

    /// Slots that may take the second die after `first` has taken `die`. `is_smaller_first` tells the order.
    fn seconds(&self, trial: &Trial, first: usize, die: u8, other: u8, is_smaller_first: bool) -> ActionMask {
        let mut mask = ActionMask::EMPTY;
        for second in (0..self.seating.pieces).filter(|&slot| self.is_second(trial, first, slot)) {
            let moves = Moves { first: (first, die), second: Some((second, other)) };
            let Some(result) = self.play(trial, moves) else { continue };
            if second != first {
                // The same two pawns in the other order; where that is the order listed first, it stands for both.
                let swapped = Moves { first: (second, other), second: Some((first, die)) };
                let is_listed_first = if die == other { second < first } else { !is_smaller_first };
                if is_listed_first && self.play(trial, swapped).is_some_and(|same| same.is_same(&result)) {
                    continue;
                }
            } else if !is_smaller_first {
                continue;
            }
            mask.insert(Action(SINGLES.0 + second as u8));
        }
        mask
    }

    pub(crate) fn legal_actions(&self, state: &State) -> ActionMask {
        let trial = self.trial(state, self.colour(state, state.mover));
        if state.phase == Phase::Allot {
            return self.second_actions(state, &trial);
        }
        let (smaller, larger) = (state.dice[0].min(state.dice[1]), state.dice[0].max(state.dice[1]));
        let is_doublet = smaller == larger;
        let mut mask = ActionMask::EMPTY;
        let mut one_die = ActionMask::EMPTY;
        for slot in (0..self.seating.pieces).filter(|&slot| self.is_lowest(&trial, slot)) {
            let (single, larger_first) = (Action(SINGLES.0 + slot as u8), Action(LARGER_FIRST.0 + slot as u8));
            if !self.seconds(&trial, slot, smaller, larger, true).is_empty() {
                mask.insert(single);
            }
            if self.play(&trial, Moves { first: (slot, smaller), second: None }).is_some() {
                one_die.insert(single);
            }
            if !is_doublet {
                if !self.seconds(&trial, slot, larger, smaller, false).is_empty() {
                    mask.insert(larger_first);
                }
                if self.play(&trial, Moves { first: (slot, larger), second: None }).is_some() {
                    one_die.insert(larger_first);
                }
            } else if trial.own[0] != 0 && self.step_pair(&trial, slot, smaller).is_some() {
                mask.insert(Action(PAIRS.0 + slot as u8));
            }
        }
        if self.rules.must_use == DiceUse::Optional {
            mask = mask.iter().chain(one_die.iter()).chain([PASS]).collect();
        } else if mask.is_empty() {
            mask = one_die;
        }
        if mask.is_empty() {
            mask.insert(PASS);
        }
        mask
    }

    /// The first pawn with its die, and whether the smaller die went first, once one is allotted.
    pub(crate) fn allotted(&self, state: &State) -> Option<((usize, u8), bool)> {
        let slot = state.roles.iter().position(|&role| role != role::FRESH)?;
        Some(((slot, state.steps[slot]), state.roles[slot] & role::LARGER_FIRST == 0))
    }

    fn second_actions(&self, state: &State, trial: &Trial) -> ActionMask {
        let Some(((first, die), is_smaller_first)) = self.allotted(state) else { return ActionMask::EMPTY };
        let mut mask = self.seconds(trial, first, die, state.dice[0], is_smaller_first);
        let may_stop = self.rules.must_use == DiceUse::Optional
            && self.play(trial, Moves { first: (first, die), second: None }).is_some();
        if may_stop || mask.is_empty() {
            mask.insert(PASS);
        }
        mask
    }

    pub(crate) fn apply_action(&self, state: &mut State, action: Action) {
        let colour = self.colour(state, state.mover);
        let trial = self.trial(state, colour);
        let result = if let Some((first, _)) = self.allotted(state) {
            let second = (action < PAIRS).then(|| (usize::from(action.0 - SINGLES.0), state.dice[0]));
            self.play(&trial, Moves { first, second })
        } else if action == PASS {
            Some(trial)
        } else if (PAIRS..PASS).contains(&action) {
            self.step_pair(&trial, usize::from(action.0 - PAIRS.0), state.dice[0])
        } else {
            let is_smaller_first = action < PAIRS;
            let slot = usize::from(if is_smaller_first { action.0 - SINGLES.0 } else { action.0 - LARGER_FIRST.0 });
            let (smaller, larger) = (state.dice[0].min(state.dice[1]), state.dice[0].max(state.dice[1]));
            let (die, other) = if is_smaller_first { (smaller, larger) } else { (larger, smaller) };
            if !self.seconds(&trial, slot, die, other, is_smaller_first).is_empty() {
                state.roles[slot] = role::SINGLE | if is_smaller_first { 0 } else { role::LARGER_FIRST };
                state.steps[slot] = die;
                state.dice = [other, 0];
                state.phase = Phase::Allot;
                return;
            }
            self.play(&trial, Moves { first: (slot, die), second: None })
        };
        debug_assert!(result.is_some(), "action {} is not legal in {state:?}", action.0);
        self.resolve(state, colour, &result.unwrap_or(trial));
    }

    /// Writes the result of a turn back, and passes the turn on or ends the game.
    fn resolve(&self, state: &mut State, colour: Seat, result: &Trial) {
        let own = &mut state.pieces[colour.index()];
        *own = result.own;
        sort(own);
        let is_home = own[0] == HOME;
        if result.cut != 0 {
            state.cuts |= 1 << colour.index();
            for &other in self.seating.others(colour) {
                let quarters = other.index() + 4 - colour.index();
                let pieces = &mut state.pieces[other.index()];
                for place in pieces.iter_mut().filter(|place| is_on_ring(**place)) {
                    if result.cut >> ring(*place, quarters) & 1 == 1 {
                        *place = 0;
                    }
                }
                sort(pieces);
            }
        }
        if is_home && state.finished[colour.index()] == 0 {
            let place = if self.is_partnership() { 1 } else { self.finished_count(state) + 1 };
            state.finished[colour.index()] = place;
        }
        if self.is_over(state) || self.is_dead(state) { state.end() } else { state.begin_turn(self.next(state)) }
    }

    fn finished_count(&self, state: &State) -> u8 {
        state.finished.iter().filter(|&&place| place > 0).count() as u8
    }

    pub(crate) fn is_over(&self, state: &State) -> bool {
        let count = usize::from(self.finished_count(state));
        let seats = self.seating.seats.len();
        if self.is_partnership() {
            let is_done = |seat: Seat| state.finished[seat.index()] > 0;
            return [Seat::SOUTH, Seat::EAST].into_iter().any(|seat| is_done(seat) && is_done(seat.rotated(2)));
        }
        count + 1 == seats || count > 0 && (!self.rules.play_on || seats == 2)
    }

    /// Whether `seat` still throws: it has not finished, or it throws for its partner.
    pub(crate) fn has_turns(&self, state: &State, seat: Seat) -> bool {
        let donates = self.is_partnership() && self.rules.finished_partner == FinishedPartner::Donate;
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
        let trial = self.trial(state, self.colour(state, state.mover));
        let count = state.roles.iter().filter(|&&role| role != role::FRESH).count();
        let Some(((first, die), is_smaller_first)) = self.allotted(state).filter(|_| count == 1) else {
            return Err("one pawn has taken the first die".to_owned());
        };
        let is_die = [1, 3, 4, 6].contains(&die) && is_smaller_first == (die <= state.dice[0]);
        if !is_die || self.seconds(&trial, first, die, state.dice[0], is_smaller_first).is_empty() {
            return Err("no legal turn begins with this allotment".to_owned());
        }
        Ok(())
    }

    /// Whether no unfinished colour has a legal move with any throw: the position can never change again.
    pub(crate) fn is_dead(&self, state: &State) -> bool {
        let mut unfinished = self.seating.seats.iter().filter(|seat| state.finished[seat.index()] == 0);
        unfinished.all(|colour| {
            if state.pieces[colour.index()][0] == 0 {
                return false;
            }
            let trial = self.trial(state, colour);
            (0..self.seating.pieces).all(|slot| {
                THROWS.iter().all(|&([smaller, larger], _)| {
                    self.step(&trial, slot, smaller).is_none()
                        && self.step(&trial, slot, larger).is_none()
                        && self.step(&trial, slot, smaller + larger).is_none()
                        && (smaller != larger || self.step_pair(&trial, slot, smaller).is_none())
                })
            })
        })
    }
}

impl Trial {
    /// Cuts whoever stands on `squares`.
    fn take(&mut self, squares: u128) {
        if squares != 0 {
            self.singles &= !squares;
            self.pairs &= !squares;
            self.cut |= squares;
            self.may_enter = true;
        }
    }

    /// Whether two results are the same position.
    fn is_same(&self, other: &Trial) -> bool {
        let (mut own, mut others) = (self.own, other.own);
        sort(&mut own);
        sort(&mut others);
        own == others && self.cut == other.cut
    }
}

#[inline]
fn is_on_ring(place: u8) -> bool {
    (RING_START..=RING_END).contains(&place)
}

/// The ring square of an index of the seat `quarters` counter-clockwise, as the observer counts the ring: 0 is its own
/// square 8.
#[inline]
fn ring(place: u8, quarters: usize) -> u32 {
    let turned = u32::from(place - RING_START) + 17 * (quarters & 3) as u32;
    turned % u32::from(RING)
}
