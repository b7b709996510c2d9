//! Turn walks for series of throws: the legal turns of a side position with each series are precomputed.
//!
//! The legal turns of a seat depend on its own side position alone, unless enemies close marked squares; captures are
//! looked up.

mod allotted;
mod legal;
mod sets;
#[cfg(test)]
mod tests;
mod throws;

use super::RaceStarts;
use crate::game::{MAX_SEATS, Seat};
use crate::race::turns::series::SeriesTurns;
use crate::sheet::Must;
use crate::starts::{Continuation, RowVisitor, Side, Sides, TurnEnd, TurnVisitor};
use legal::{Class, Legal};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use throws::ThrowList;

/// The total probability of longer series, which are cut off.
const MISSING: f64 = 1e-10;
/// The same where any throw can be left unused, since afterstates are then so many.
const MISSING_OPTIONAL: f64 = 1e-6;

/// The tables of the walk by side position.
#[derive(Clone, Debug)]
pub(super) struct SeriesWalk {
    seats: usize,
    cut_off: f64,
    /// `[quarters][side]`: a seat so many quarter turns counter-clockwise as seen by the one that throws.
    seen: [Vec<Seen>; MAX_SEATS],
    /// `[quarters][side][landing]`: its side position afterwards.
    captured: [Vec<[Side; LANDINGS]>; MAX_SEATS],
    /// The turns of each side position.
    own: Vec<OwnSide>,
}

/// Places of the seat that throws as bits.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// Where one piece captures something, and where two together do.
    struck: [u64; 2],
    /// Marked squares that are closed.
    closed: u64,
}

/// The turns of a side position.
#[derive(Clone, Default, Debug)]
struct OwnSide {
    /// Places that matter where they are closed, as bits.
    relevant: u64,
    /// For each set of closed places that enemies can hold: the set, and where its classes begin and end.
    closed: Vec<(u64, u32, u32)>,
    classes: Vec<Class>,
    /// The choices of all classes, end to end, as places in `choices`.
    offers: Vec<u16>,
    /// Each choice once, in the order in which `offers` first have it.
    choices: Vec<Choice>,
}

/// The end of a turn for the seat that throws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Choice {
    side: Side,
    /// Landings on unmarked squares: the place, and [`PAIR`] where two pieces land together; 0 for none. The walk
    /// is made for one or two pieces, so there are no more.
    landings: [u8; 2],
}

/// Quarter turns between opposite seats.
const OPPOSITE: usize = 2;
/// The place on which pieces enter, as a bit.
const ENTRY: u64 = 1 << 1;
/// Added to a place where two pieces land together.
const PAIR: u8 = 64;
/// The number of landings.
const LANDINGS: usize = 128;

impl Choice {
    /// The last piece is borne off. The landing is none, and always takes the slow path.
    const WINS: Choice = Choice { side: 0, landings: [WON, 0] };

    fn new(side: Side, strikes: impl Iterator<Item = (u8, bool)>) -> Choice {
        let mut landings = [0; 2];
        for (at, (place, is_pair)) in strikes.enumerate() {
            landings[at] = place + if is_pair { PAIR } else { 0 };
        }
        if landings[0] == landings[1] {
            landings[1] = 0;
        }
        landings.sort_unstable();
        Choice { side, landings }
    }

    /// The order puts choices with the same captures next to each other, which makes comparing them faster.
    fn to_bits(self) -> u64 {
        let [first, second] = self.landings.map(u64::from);
        (first << 8 | second) << 16 | u64::from(self.side)
    }

    fn from_bits(bits: u64) -> Choice {
        Choice { side: bits as Side, landings: [(bits >> 24) as u8, (bits >> 16) as u8] }
    }
}

/// The landing that stands for the end of the game.
const WON: u8 = PAIR + 63;

impl SeriesWalk {
    pub(super) fn new(starts: &RaceStarts, turns: &SeriesTurns) -> SeriesWalk {
        let missing = if turns.must == Must::Optional { MISSING_OPTIONAL } else { MISSING };
        SeriesWalk::of(starts, turns, ThrowList::length(turns, missing), |_| true)
    }

    /// A walk for the wanted side positions and series of up to `length` throws before the last.
    fn of(starts: &RaceStarts, turns: &SeriesTurns, length: usize, is_wanted: impl Fn(Side) -> bool) -> SeriesWalk {
        let throws = ThrowList::new(turns, length);
        let captured = std::array::from_fn(|quarters| captured(starts, turns, quarters));
        let seen: [Vec<Seen>; MAX_SEATS] =
            std::array::from_fn(|quarters| seen(starts, turns, quarters, &captured[quarters]));
        let closed = closed_sets(starts, &seen);
        let mut legal = Legal::new(starts, turns, &throws);
        let own = |side: Side| match is_wanted(side) {
            true => OwnSide::new(starts, turns, &mut legal, side, &closed),
            false => OwnSide::default(),
        };
        let own = (0..starts.sides().len() as Side).map(own).collect();
        SeriesWalk { seats: starts.seats(), cut_off: throws.cut_off(), seen, captured, own }
    }

    #[inline]
    pub(super) fn visit(&self, starts: &RaceStarts, mover: Seat, sides: Sides, visitor: &mut impl TurnVisitor) {
        let enemies = self.enemies(starts, mover, sides);
        let own = &self.own[usize::from(sides[0])];
        let (classes, mut start) = own.classes(enemies.closed);
        for class in classes {
            visitor.throws(class.chance);
            for &offer in &own.offers[start as usize..class.end as usize] {
                visitor.end(self.end(starts, mover, sides, own.choices[usize::from(offer)], &enemies));
            }
            start = class.end;
        }
    }

    /// Whether the turns of a side position are the same against all side positions of the one other seat.
    pub(super) fn has_rows(&self) -> bool {
        self.seats == 2 && self.own.iter().all(|own| own.closed.len() == 1)
    }

    /// Walks through the turns of one side position against several others at once.
    #[inline]
    pub(super) fn visit_row(&self, own: Side, others: Range<Side>, visitor: &mut impl RowVisitor) {
        // By landing the lanes in which something is captured.
        let mut struck = [0_u32; LANDINGS];
        for (lane, other) in others.clone().enumerate() {
            for (squares, first) in self.seen[OPPOSITE][usize::from(other)].struck.into_iter().zip([0, PAIR]) {
                let mut squares = squares;
                while squares != 0 {
                    struck[usize::from(first) + squares.trailing_zeros() as usize] |= 1 << lane;
                    squares &= squares - 1;
                }
            }
        }
        let side = &self.own[usize::from(own)];
        let (classes, mut start) = side.classes(0);
        let mut reported = 0;
        for class in classes {
            let offers = &side.offers[start as usize..class.end as usize];
            let known = usize::from(class.known);
            for choice in side.choices.get(reported..known).unwrap_or_default() {
                self.report(*choice, &others, &struck, visitor);
            }
            if visitor.throws(class.chance, offers).is_break() {
                return;
            }
            (reported, start) = (known, class.end);
        }
    }

    /// Reports a choice and the lanes in which it captures.
    #[inline]
    fn report(&self, choice: Choice, others: &Range<Side>, struck: &[u32; LANDINGS], visitor: &mut impl RowVisitor) {
        if choice == Choice::WINS {
            return visitor.won();
        }
        let captured = &self.captured[OPPOSITE];
        let [first, second] = choice.landings.map(|landing| usize::from(landing) % LANDINGS);
        let mut lanes = struck[first] | struck[second];
        visitor.quiet(choice.side);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            let other = captured[usize::from(others.start) + lane][first];
            let other = captured[usize::from(other)][second];
            visitor.again(lane, [choice.side, other, 0, 0]);
            lanes &= lanes - 1;
        }
    }

    /// The other seats as seen by the one that throws.
    #[inline]
    fn enemies(&self, starts: &RaceStarts, mover: Seat, sides: Sides) -> Seen {
        let mut enemies = Seen { struck: [0, 1 << (WON % PAIR)], closed: 0 };
        for (&side, seat) in sides[..self.seats].iter().zip(starts.in_turn(mover)).skip(1) {
            let seen = self.seen[mover.quarters_to(seat)][usize::from(side)];
            enemies.struck[0] |= seen.struck[0];
            enemies.struck[1] |= seen.struck[1];
            enemies.closed |= seen.closed;
        }
        enemies
    }

    #[inline]
    fn end(&self, starts: &RaceStarts, mover: Seat, mut sides: Sides, choice: Choice, enemies: &Seen) -> TurnEnd {
        let strikes = |landing: u8| enemies.struck[usize::from(landing / PAIR % 2)] >> (landing % PAIR) & 1;
        if strikes(choice.landings[0]) | strikes(choice.landings[1]) != 0 {
            return self.strike(starts, mover, sides, choice);
        }
        sides[0] = choice.side;
        TurnEnd { sides, then: Continuation::Next }
    }

    /// The end of a turn that captures something or wins.
    #[cold]
    fn strike(&self, starts: &RaceStarts, mover: Seat, mut sides: Sides, choice: Choice) -> TurnEnd {
        if choice == Choice::WINS {
            return TurnEnd { sides, then: Continuation::Won };
        }
        sides[0] = choice.side;
        for (side, seat) in sides[..self.seats].iter_mut().zip(starts.in_turn(mover)).skip(1) {
            let captured = &self.captured[mover.quarters_to(seat)];
            for landing in choice.landings {
                *side = captured[usize::from(*side)][usize::from(landing) % LANDINGS];
            }
        }
        TurnEnd { sides, then: Continuation::Again }
    }

    pub(super) fn cut_off(&self) -> f64 {
        self.cut_off
    }
}

impl OwnSide {
    fn new(starts: &RaceStarts, turns: &SeriesTurns, legal: &mut Legal, side: Side, closed: &BTreeSet<u64>) -> OwnSide {
        // No piece lands where it stands or behind, except that one enters on the first place.
        let relevant = turns.marked & (u64::MAX << (starts.sides.places(side)[0] + 1));
        let sets: BTreeSet<u64> = closed.iter().map(|closed| closed & relevant).collect();
        let mut own = OwnSide { relevant, ..OwnSide::default() };
        let mut choices = Vec::new();
        // The possible moves, apart from legal landings, depend on one square only.
        let (entry_closed, entry_open): (Vec<u64>, Vec<u64>) = sets.into_iter().partition(|closed| closed & ENTRY != 0);
        for sets in [entry_open, entry_closed] {
            let Some(&first) = sets.first() else { continue };
            legal.allot(side, first);
            for closed in sets {
                legal.find(side, closed);
                let begin = own.classes.len() as u32;
                own.classes.extend(legal.classes(side, &mut choices));
                own.closed.push((closed, begin, own.classes.len() as u32));
            }
        }
        own.closed.sort_unstable();
        own.classes.shrink_to_fit();
        let mut numbers = HashMap::new();
        own.offers = choices
            .iter()
            .map(|choice| {
                *numbers.entry(choice.to_bits()).or_insert_with(|| {
                    own.choices.push(*choice);
                    own.choices.len() as u16 - 1
                })
            })
            .collect();
        own.choices.shrink_to_fit();
        let (mut start, mut known) = (0, 0);
        for class in &mut own.classes {
            let offers = &own.offers[start..class.end as usize];
            known = offers.iter().fold(known, |known, &offer| known.max(offer + 1));
            (class.known, start) = (known, class.end as usize);
        }
        own
    }

    /// The classes while enemies hold the marked squares `closed`, and the start of the choices of the first one.
    #[inline]
    fn classes(&self, closed: u64) -> (&[Class], u32) {
        let closed = closed & self.relevant;
        let at = match self.closed.len() {
            1 => 0,
            _ => {
                let at = self.closed.binary_search_by_key(&closed, |&(closed, ..)| closed);
                at.expect("every set of squares that enemies can hold has been looked at")
            }
        };
        let (_, begin, end) = self.closed[at];
        let start = if begin == 0 { 0 } else { self.classes[begin as usize - 1].end };
        (&self.classes[begin as usize..end as usize], start)
    }
}

/// The side position that each landing leaves of each side position of a seat `quarters` counter-clockwise.
fn captured(starts: &RaceStarts, turns: &SeriesTurns, quarters: usize) -> Vec<[Side; LANDINGS]> {
    let enemy = Seat::SOUTH.rotated(quarters);
    let becomes = |side: Side, landing: u8| {
        let place = landing % PAIR;
        if turns.rules.contested >> place & 1 == 0 {
            return side;
        }
        let (places, mark) = (*starts.sides.places(side), starts.sides.mark(side));
        let cell = turns.rules.cells[0][usize::from(place)];
        let left = turns.rules.captured(enemy, places, mark, cell, landing >= PAIR);
        left.map_or(side, |(places, mark)| starts.sides.number(&places, mark))
    };
    let sides = 0..starts.sides().len() as Side;
    sides.map(|side| std::array::from_fn(|landing| becomes(side, landing as u8))).collect()
}

/// Each side position of a seat `quarters` counter-clockwise as seen by South.
fn seen(starts: &RaceStarts, turns: &SeriesTurns, quarters: usize, captured: &[[Side; LANDINGS]]) -> Vec<Seen> {
    let seen = |(side, captured): (usize, &[Side; LANDINGS])| {
        let becomes_another = |landing: &usize| usize::from(captured[*landing]) != side;
        let strikes = |pair: u8| {
            let landings = (0..usize::from(PAIR)).filter(|place| becomes_another(&(place + usize::from(pair))));
            landings.fold(0, |places, place| places | 1 << place)
        };
        let held = || turns.seen(Seat::SOUTH.rotated(quarters), starts.sides.places(side as Side), Seat::SOUTH);
        let closed = if turns.blocks { held() & turns.marked } else { 0 };
        Seen { struck: [strikes(0), strikes(PAIR)], closed }
    };
    captured.iter().enumerate().map(seen).collect()
}

/// Every set of marked squares that the enemies of any seat can close.
fn closed_sets(starts: &RaceStarts, seen: &[Vec<Seen>; MAX_SEATS]) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    for &mover in starts.movers() {
        let mut sets = BTreeSet::from([0]);
        for enemy in starts.in_turn(mover).skip(1) {
            let one: BTreeSet<u64> = seen[mover.quarters_to(enemy)].iter().map(|seen| seen.closed).collect();
            sets = sets.iter().flat_map(|set| one.iter().map(move |closed| set | closed)).collect();
        }
        all.extend(sets);
    }
    all
}
