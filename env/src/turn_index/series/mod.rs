//! Visits turns with series of throws. The legal turns of a side position with each series are
//! precomputed.
//!
//! The legal turns of a seat only depend on its own side position, unless enemies close marked
//! squares. Captures are in a separate table.

mod legal;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use indexmap::IndexSet;

use super::{
    Continuation, LANES, Side, Sides, TurnEnd, TurnIndex, TurnVisitor, in_lane, lanes_of,
    model::lanes_where,
};
use crate::{
    game::{MAX_SEATS, Seat},
    race::turns::{series::SeriesTurns, series_throws::AllottedThrow},
    sheet::Must,
};
use legal::{Allotted, Legal, kept_throws};

/// The visits end at a length of series if all longer series together have at most this
/// probability.
const MISSING: f64 = 1e-10;
/// Replaces [`MISSING`] if the rules let any throw stay unused: there are then many more
/// afterstates.
const MISSING_OPTIONAL: f64 = 1e-6;

#[derive(Clone, Debug)]
pub struct SeriesWalk {
    seats: usize,
    pub cut_off: f64,
    /// `[quarters][side]`: the effect of the enemy that is `quarters` quarter turns
    /// counter-clockwise.
    views: [Vec<EnemyView>; MAX_SEATS],
    /// `[quarters][side][landing]`: the side position of this enemy after the landing.
    captured: [Vec<[Side; LANDINGS]>; MAX_SEATS],
    /// The turns of each side position.
    own: Vec<OwnSide>,
}

/// The landings and squares that matter because of an enemy, as bits. Places belong to the seat
/// that throws.
#[derive(Clone, Copy, Default, Debug)]
struct EnemyView {
    /// Landings that capture a piece.
    hit: u128,
    /// Marked squares that are closed.
    closed: u64,
}

/// The turns of a side position.
#[derive(Clone, Debug)]
struct OwnSide {
    /// Places that matter if they are closed, as bits.
    relevant: u64,
    /// For each set of places that enemies can close, in ascending order: the set and the turns.
    closed: Vec<(u64, OwnTurns)>,
}

/// The turns of a side position while enemies hold certain places.
#[derive(Clone, Default, Debug)]
struct OwnTurns {
    classes: Vec<Class>,
    /// The choices of all classes, concatenated, as indices of `choices`.
    offers: Vec<u16>,
    /// Each choice once, in the order of its first use in `offers`.
    choices: Vec<Choice>,
}

/// Throws with equal legal afterstates.
#[derive(Clone, Debug)]
struct Class {
    chance: f64,
    /// The end of their afterstates in `offers`. They begin at the end of the previous class.
    end: u32,
    /// The number of distinct choices in this class and all classes before.
    known: u16,
}

/// The end of a turn for the seat that throws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Choice {
    side: Side,
    /// Landings on unmarked squares: the place, plus [`PAIR`] if two pieces land together; 0 for
    /// none. There are at most two, because this module only handles games with one or two pieces.
    landings: [u8; 2],
}

/// The place of pieces that enter, as a bit.
const ENTRY: u64 = 1 << 1;
/// Added to a place if two pieces land together.
const PAIR: u8 = 64;
const LANDINGS: usize = 128;

impl Choice {
    /// The last piece is borne off (leaves the board). The landing is a special value.
    const WINS: Choice = Choice {
        side: 0,
        landings: [WON, 0],
    };

    fn new(side: Side, landed: impl Iterator<Item = (u8, bool)>) -> Choice {
        let mut landings = [0; 2];
        for (at, (place, is_pair)) in landed.enumerate() {
            landings[at] = place + if is_pair { PAIR } else { 0 };
        }
        if landings[0] == landings[1] {
            landings[1] = 0;
        }
        landings.sort_unstable();
        Choice { side, landings }
    }

    /// Choices with equal captures get neighbouring numbers, so that comparing them is faster.
    fn to_bits(self) -> u64 {
        let [first, second] = self.landings.map(u64::from);
        (first << 8 | second) << 16 | u64::from(self.side)
    }

    fn from_bits(bits: u64) -> Choice {
        Choice {
            side: bits as Side,
            landings: [(bits >> 24) as u8, (bits >> 16) as u8],
        }
    }
}

/// The landing that means the end of the game.
const WON: u8 = PAIR + 63;

impl SeriesWalk {
    pub fn new(index: &TurnIndex, turns: &SeriesTurns) -> SeriesWalk {
        let missing = if turns.must == Must::Optional {
            MISSING_OPTIONAL
        } else {
            MISSING
        };
        let longer = std::iter::successors(Some(continue_chance(turns)), |longer| {
            Some(longer * continue_chance(turns))
        });
        SeriesWalk::of(
            index,
            turns,
            longer.take_while(|&longer| longer > missing).count() as u8,
            |_| true,
        )
    }

    /// Builds the tables for the wanted side positions and series of up to `length` throws before
    /// the last.
    fn of(
        index: &TurnIndex,
        turns: &SeriesTurns,
        length: u8,
        is_wanted: impl Fn(Side) -> bool,
    ) -> SeriesWalk {
        let kept = kept_throws(turns, length);
        let captured = std::array::from_fn(|quarters| captured(index, turns, quarters));
        let views: [Vec<EnemyView>; MAX_SEATS] = std::array::from_fn(|quarters| {
            enemy_views(index, turns, quarters, &captured[quarters])
        });
        let closed = closed_sets(index, &views);
        let own = |side: Side| {
            // Pieces land beyond their places, so no closed square up to the rearmost piece
            // matters.
            let relevant = turns.marked & (u64::MAX << (index.sides.places(side)[0] + 1));
            let sets: BTreeSet<u64> = closed.iter().map(|closed| closed & relevant).collect();
            let is_on_board = turns.series.is_on_board(index.sides.places(side));
            let mut own = OwnSide {
                relevant,
                closed: Vec::new(),
            };
            let mut allotted = [const { None }; 2];
            for closed in sets.into_iter().filter(|_| is_wanted(side)) {
                let turn =
                    SeriesTurns::turn_of(*index.sides.places(side), index.sides.mark(side), closed);
                let allotted = allotted[usize::from(closed & ENTRY != 0)]
                    .get_or_insert_with(|| Allotted::new(turns, &kept, &turn));
                let legal = Legal::new(index, turns, &kept, side, &turn, allotted);
                let mut found = OwnTurns::default();
                let mut choices = IndexSet::new();
                for (offers, chance) in legal.classes(&kept, is_on_board) {
                    found.offers.extend(
                        offers
                            .into_iter()
                            .map(|choice| choices.insert_full(choice).0 as u16),
                    );
                    let (end, known) = (found.offers.len() as u32, choices.len() as u16);
                    found.classes.push(Class { chance, end, known });
                }
                found.choices = choices.into_iter().collect();
                own.closed.push((closed, found));
            }
            own
        };
        SeriesWalk {
            seats: index.seats(),
            cut_off: (0..=length).map(|_| continue_chance(turns)).product(),
            own: (0..index.sides().len() as Side).map(own).collect(),
            views,
            captured,
        }
    }

    /// Returns whether there is one other seat, and turns do not depend on its side position.
    pub fn has_rows(&self) -> bool {
        self.seats == 2 && self.own.iter().all(|own| own.closed.len() == 1)
    }

    /// Visits the turns. Lanes where enemies close the same squares are visited together.
    #[inline]
    pub fn visit(
        &self,
        index: &TurnIndex,
        mover: Seat,
        sides: Sides,
        lanes: u16,
        visitor: &mut impl TurnVisitor,
    ) {
        let own = &self.own[usize::from(sides[0])];
        let mut closed = [0; LANES];
        // The lanes where each landing captures a piece.
        let mut hit = [0_u16; LANDINGS];
        for lane in lanes_of(lanes) {
            let mut enemies = self.enemies(index, mover, in_lane(sides, lane));
            closed[lane] = enemies.closed & own.relevant;
            while enemies.hit != 0 {
                hit[enemies.hit.trailing_zeros() as usize] |= 1 << lane;
                enemies.hit &= enemies.hit - 1;
            }
        }
        let captured = self.captured_by(index, mover);
        let (mut left, mut count) = (lanes, 0);
        while left != 0 {
            let set = closed[left.trailing_zeros() as usize];
            let alike = left & lanes_where(&closed, |&other| other == set);
            left &= !alike;
            let turns = own.turns(set);
            let (first, mut begin, mut known) = (count, 0, 0);
            for class in &turns.classes {
                for choice in &turns.choices[known..usize::from(class.known)] {
                    visit_choice(&captured, (sides, alike), *choice, &hit, visitor);
                }
                (count, known) = (first + usize::from(class.known), usize::from(class.known));
                let offers = &turns.offers[begin..class.end as usize];
                visitor.throws(
                    alike,
                    class.chance,
                    offers.iter().map(|&offer| first + usize::from(offer)),
                );
                if visitor.is_done() {
                    return;
                }
                begin = class.end as usize;
            }
        }
    }

    /// Returns for each other seat in turn order its side position after each landing of the seat
    /// that throws.
    fn captured_by(&self, index: &TurnIndex, mover: Seat) -> Captured<'_> {
        let mut others = index.others(mover);
        std::array::from_fn(|_| {
            others
                .next()
                .map(|seat| &self.captured[mover.quarters_to(seat)][..])
        })
    }

    /// Returns the combined effect of the other seats on the seat that throws.
    #[inline]
    fn enemies(&self, index: &TurnIndex, mover: Seat, sides: Sides) -> EnemyView {
        let mut enemies = EnemyView::default();
        for (&side, seat) in sides[1..self.seats].iter().zip(index.others(mover)) {
            let view = self.views[mover.quarters_to(seat)][usize::from(side)];
            enemies.hit |= view.hit;
            enemies.closed |= view.closed;
        }
        enemies
    }
}

/// The tables of captures for the other seats in turn order: `[side][landing]`, the side position
/// after the landing.
type Captured<'a> = [Option<&'a [[Side; LANDINGS]]>; MAX_SEATS - 1];

/// Visits a choice and its captures, in lanes with these side positions.
#[inline(always)]
fn visit_choice(
    captured: &Captured<'_>,
    (sides, lanes): (Sides, u16),
    choice: Choice,
    hit: &[u16; LANDINGS],
    visitor: &mut impl TurnVisitor,
) {
    if choice == Choice::WINS {
        return visitor.end(lanes, sides[0], Continuation::Won);
    }
    let [first, second] = choice
        .landings
        .map(|landing| usize::from(landing) % LANDINGS);
    let capturing = (hit[first] | hit[second]) & lanes;
    visitor.end(lanes & !capturing, choice.side, Continuation::Next);
    let after = |side: Side, captured: Option<&[[Side; LANDINGS]]>| {
        captured.map_or(side, |captured| {
            captured[usize::from(captured[usize::from(side)][first])][second]
        })
    };
    for lane in lanes_of(capturing) {
        let [_, next, third, fourth] = in_lane(sides, lane);
        // The array is built in one step, because an array that is written part by part is slow to
        // read.
        let sides = [
            choice.side,
            after(next, captured[0]),
            after(third, captured[1]),
            after(fourth, captured[2]),
        ];
        visitor.replace_end(
            lane,
            TurnEnd {
                sides,
                then: Continuation::Again,
            },
        );
    }
}

impl OwnSide {
    /// Returns the turns while enemies close the marked squares `closed`.
    #[inline]
    fn turns(&self, closed: u64) -> &OwnTurns {
        let at = match self.closed.len() {
            1 => Ok(0),
            _ => self
                .closed
                .binary_search_by_key(&closed, |&(closed, _)| closed),
        };
        &self.closed[at.expect("every set of squares that enemies can hold has been looked at")].1
    }
}

/// Returns the probability that a throw does not end the series.
fn continue_chance(turns: &SeriesTurns) -> f64 {
    let ends = turns
        .series
        .all()
        .filter(|throw| matches!(throw, AllottedThrow::Last(_)));
    1.0 - ends.map(|throw| turns.series.chance_of(throw)).sum::<f64>()
}

/// Returns the side position after each landing of South, for each side position of the seat
/// `quarters` quarter turns from South.
fn captured(index: &TurnIndex, turns: &SeriesTurns, quarters: usize) -> Vec<[Side; LANDINGS]> {
    let enemy = Seat::SOUTH.rotated(quarters);
    let becomes = |side: Side, landing: u8| {
        let place = landing % PAIR;
        if turns.rules.contested >> place & 1 == 0 {
            return side;
        }
        let (places, mark) = (*index.sides.places(side), index.sides.mark(side));
        let cell = turns.rules.cells[Seat::SOUTH][place];
        let left =
            turns
                .rules
                .captured(enemy, places, mark, cell, 1 + usize::from(landing >= PAIR));
        left.map_or(side, |(places, mark)| {
            index.sides.number(places, mark, [0; 3])
        })
    };
    let sides = 0..index.sides().len() as Side;
    sides
        .map(|side| std::array::from_fn(|landing| becomes(side, landing as u8)))
        .collect()
}

/// Returns the effect on South of each side position of the seat `quarters` quarter turns from
/// South.
fn enemy_views(
    index: &TurnIndex,
    turns: &SeriesTurns,
    quarters: usize,
    captured: &[[Side; LANDINGS]],
) -> Vec<EnemyView> {
    let view = |(side, captured): (usize, &[Side; LANDINGS])| {
        let hits = (0..LANDINGS).filter(|&landing| usize::from(captured[landing]) != side);
        let held = || {
            turns.held_places(
                Seat::SOUTH.rotated(quarters),
                index.sides.places(side as Side),
                Seat::SOUTH,
            )
        };
        EnemyView {
            hit: hits.fold(0, |landings, landing| landings | 1 << landing),
            closed: if turns.blocks {
                held() & turns.marked
            } else {
                0
            },
        }
    };
    captured.iter().enumerate().map(view).collect()
}

/// Returns every set of marked squares that the enemies of any seat can close.
fn closed_sets(index: &TurnIndex, views: &[Vec<EnemyView>; MAX_SEATS]) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    for &mover in index.movers() {
        let mut sets = BTreeSet::from([0]);
        for enemy in index.others(mover) {
            let one: BTreeSet<u64> = views[mover.quarters_to(enemy)]
                .iter()
                .map(|view| view.closed)
                .collect();
            sets = sets
                .iter()
                .flat_map(|set| one.iter().map(move |closed| set | closed))
                .collect();
        }
        all.extend(sets);
    }
    all
}
