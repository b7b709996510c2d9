//! Visits turns with look-up tables, for games in which a turn has one throw of one or more dice.
//! The engine is stepped once for each side position, throw and relevant arrangement of enemies (a
//! *pattern*).

use std::collections::HashMap;

use indexmap::IndexSet;

use super::{
    Continuation, LANES, Side, Sides, TurnEnd, TurnIndex, TurnVisitor, in_lane, lanes_of,
    model::lanes_where, stepped,
};
use crate::{
    chance::mix,
    game::{Game, MAX_SEATS, Outcome, Seat},
    race::{
        Race,
        compile::{Cells, Occupancy, PLACES, reach::places_of},
        position::state::{NO_PIECE, State, sort},
        turns::by_kind,
    },
};

#[derive(Clone, Debug)]
pub struct ListedWalk {
    /// The game without its check for dead positions (no seat can ever move again), which depends
    /// on all pieces.
    race: Race,
    /// For each mover, the turns of each side position and outcome.
    turns: Vec<Vec<ListedTurn>>,
    patterns: Vec<Pattern>,
    /// Lists of ends, concatenated.
    ends: Vec<ListedEnd>,
    consequences: IndexSet<Consequence>,
    /// For each side position and place: the side position after a piece there is captured.
    after_loss: Vec<Side>,
    /// Whether the game can end because no seat can move.
    has_dead_ends: bool,
    /// For each side position, whether enemies can block its moves with every throw.
    may_be_stuck: Vec<bool>,
}

/// The cells where one piece of an enemy matters, and the cells where two matter.
type Relevant = Occupancy;

/// The turns of a side position with an outcome.
#[derive(Clone, Copy, Debug)]
struct ListedTurn {
    relevant: Relevant,
    /// The start of the list of ends if no enemy is on the relevant cells.
    alone: u32,
    /// Whether no piece can move, even if no enemy is on these cells. The walk finds this by
    /// comparing pieces, so only moves may change own pieces.
    is_stuck: bool,
    /// The range of the patterns of this turn in [`ListedWalk::patterns`], in ascending order of
    /// keys. For other patterns, the engine is stepped.
    patterns: [u32; 2],
}

/// A pattern of enemies on the relevant cells, and the start of its list of ends.
#[derive(Clone, Debug)]
struct Pattern {
    key: u32,
    start: u32,
}

/// An end of a turn: the own side position, and the consequence for the other seats. The type is
/// small, because the access to memory limits the speed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ListedEnd {
    side: Side,
    /// An index of [`ListedWalk::consequences`], plus [`LAST`] at the end of a list.
    consequence: u16,
}

const LAST: u16 = 1 << 15;

/// The first consequences: no seat loses a piece.
const QUIET: [Continuation; 3] = [Continuation::Next, Continuation::Again, Continuation::Won];

/// The continuation after a turn, and the pieces that enemies have lost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Consequence {
    then: Continuation,
    lost: Vec<Piece>,
}

/// A seat and the place of one of its pieces.
type Piece = (Seat, u8);

/// The number that a piece adds to the key of a pattern.
fn key((seat, place): Piece) -> u32 {
    mix((seat.index() * PLACES + usize::from(place)) as u64 + 1) as u32
}

/// A seat to throw, its side position and the number of an outcome.
type Thrown = (Seat, Side, usize);

/// The start of each list of ends.
type ListStarts = HashMap<Vec<ListedEnd>, u32>;

/// This value means a missing list.
const NONE: u32 = u32::MAX;

impl ListedWalk {
    /// Lists the turns of each side position and outcome. A turn with more than `most_patterns`
    /// patterns is only listed without enemies.
    pub fn new(index: &TurnIndex, most_patterns: usize) -> ListedWalk {
        let rules = &index.race.rules;
        let sides = 0..index.sides().len() as Side;
        let mut race = index.race.clone();
        by_kind!(&mut race.turns, turns => turns.ignore_dead_ends());
        let after_loss = |side: Side, place: u8| {
            let mut places = *index.sides.places(side);
            let Some(slot) = places.iter().position(|&other| other == place) else {
                return side;
            };
            places[slot] = rules.sent_to;
            sort(&mut places);
            index
                .sides
                .number(places, index.sides.mark(side), index.sides.registers(side))
        };
        let mut walk = ListedWalk {
            race,
            turns: vec![Vec::new(); MAX_SEATS],
            patterns: Vec::new(),
            ends: Vec::new(),
            consequences: QUIET
                .into_iter()
                .map(|then| Consequence {
                    then,
                    lost: Vec::new(),
                })
                .collect(),
            after_loss: sides
                .clone()
                .flat_map(|side| (0..PLACES as u8).map(move |place| after_loss(side, place)))
                .collect(),
            has_dead_ends: rules.waits_at_gate(),
            may_be_stuck: vec![false; sides.len()],
        };
        // Turns without enemies are read most often, so their lists come first, together for each
        // side position.
        for &mover in index.movers() {
            for side in sides.clone() {
                let mut lists = ListStarts::new();
                for outcome in 0..rules.outcomes.len() {
                    let thrown = (mover, side, outcome);
                    let (alone, is_stuck) = walk.add(index, thrown, &[], &mut lists);
                    let relevant = walk.relevant(index, thrown);
                    walk.turns[mover.index()].push(ListedTurn {
                        relevant,
                        alone,
                        is_stuck,
                        patterns: [0; 2],
                    });
                }
            }
        }
        for &mover in index.movers() {
            for side in sides.clone() {
                let mut lists = ListStarts::new();
                let outcomes = 0..rules.outcomes.len();
                let may_be_stuck = |&outcome: &usize| {
                    walk.list(index, (mover, side, outcome), most_patterns, &mut lists)
                };
                let stuck = outcomes.filter(may_be_stuck).count();
                walk.may_be_stuck[usize::from(side)] |= stuck == rules.outcomes.len();
            }
        }
        walk
    }

    /// Lists the turns of a side position with an outcome, for each pattern of enemies that matter.
    /// Returns whether enemies can block all moves.
    fn list(
        &mut self,
        index: &TurnIndex,
        thrown: Thrown,
        most_patterns: usize,
        lists: &mut ListStarts,
    ) -> bool {
        let (mover, side, outcome) = thrown;
        let at = self.race.rules.outcomes.len() * usize::from(side) + outcome;
        let ListedTurn {
            relevant,
            is_stuck: mut may_be_stuck,
            ..
        } = self.turns[mover.index()][at];
        let first = self.patterns.len();
        for enemies in self
            .enemies(index, mover, relevant, most_patterns)
            .unwrap_or_default()
        {
            let (start, is_stuck) = self.add(index, thrown, &enemies, lists);
            may_be_stuck |= is_stuck;
            let key = enemies
                .iter()
                .fold(0, |sum: u32, &piece| sum.wrapping_add(key(piece)));
            self.patterns.push(Pattern { key, start });
        }
        let patterns = &mut self.patterns[first..];
        patterns.sort_unstable_by_key(|pattern| pattern.key);
        let is_ambiguous = patterns.windows(2).any(|pair| pair[0].key == pair[1].key);
        if is_ambiguous || self.consequences.len() > usize::from(LAST) {
            self.patterns.truncate(first);
        }
        let patterns = [first as u32, self.patterns.len() as u32];
        self.turns[mover.index()][at].patterns = patterns;
        may_be_stuck || patterns[0] == patterns[1] && relevant.twos != 0
    }

    /// Adds the ends of a turn with these enemies on the board, unless an equal list exists.
    /// Returns the start of the list, and whether no piece can move.
    fn add(
        &mut self,
        index: &TurnIndex,
        thrown: Thrown,
        enemies: &[Piece],
        lists: &mut ListStarts,
    ) -> (u32, bool) {
        let mut ends = self.step(index, thrown, enemies);
        let pieces = |side: Side| (index.sides.places(side), index.sides.mark(side));
        let is_stuck = ends.iter().all(|end| pieces(end.side) == pieces(thrown.1));
        if let Some(end) = ends.last_mut() {
            end.consequence |= LAST;
        }
        let start = *lists.entry(ends).or_insert_with_key(|ends| {
            self.ends.extend(ends);
            (self.ends.len() - ends.len()) as u32
        });
        (start, is_stuck)
    }

    /// Returns the cells where enemies can matter to a side position with an outcome, and the cells
    /// where two enemies together can matter.
    fn relevant(&self, index: &TurnIndex, (mover, side, outcome): Thrown) -> Relevant {
        let rules = &self.race.rules;
        let bits = &rules.bits[mover];
        let [landed, passed] = rules
            .touched(index.sides.places(side), &rules.outcomes[outcome])
            .map(|places| places_of(places).fold(0, |cells, place| cells | bits[place]));
        let [single, unit] =
            [&rules.closing.to_single, &rules.closing.to_unit].map(|closed| [closed[2], closed[3]]);
        let ones = landed & (rules.captured | single[0] | single[1] | unit[0] | unit[1]);
        Relevant {
            ones,
            twos: ones | passed & rules.closing.impassable[1],
        }
    }

    /// Returns every pattern of enemies on these cells, or `None` if there are more than `most`.
    fn enemies(
        &self,
        index: &TurnIndex,
        mover: Seat,
        relevant: Relevant,
        most: usize,
    ) -> Option<Vec<Vec<Piece>>> {
        let rules = &self.race.rules;
        let pieces = index.race.pieces();
        let mut found: Vec<Vec<Piece>> = vec![Vec::new()];
        for enemy in index.others(mover) {
            let bits = &rules.bits[enemy];
            for place in (1..rules.home).filter(|&place| bits[place] & relevant.twos != 0) {
                // Two pieces that only matter together can belong to two seats, or be on two places
                // with the same square.
                let is_apart = index.seats() > 2 || rules.back < rules.home;
                let is_relevant_alone = is_apart || bits[place] & relevant.ones != 0;
                let room = usize::from(rules.room[place]);
                let mut more = Vec::new();
                for others in &found {
                    let left = pieces - others.iter().filter(|(seat, _)| *seat == enemy).count();
                    let counts = if is_relevant_alone { 1 } else { 2 }..=room.min(left);
                    more.extend(
                        counts.map(|count| {
                            [others.as_slice(), &vec![(enemy, place); count]].concat()
                        }),
                    );
                }
                found.extend(more);
                if found.len() > most {
                    return None;
                }
            }
        }
        let are_relevant = |pieces: &Vec<Piece>| {
            let cell = |&(seat, place): &Piece| rules.bits[seat][place];
            let occupancy = pieces
                .iter()
                .fold(Occupancy::default(), |occupancy, piece| {
                    occupancy.with(cell(piece))
                });
            pieces
                .iter()
                .all(|piece| relevant.overlap(occupancy) & cell(piece) != 0)
        };
        found.retain(|pieces| !pieces.is_empty() && are_relevant(pieces));
        Some(found)
    }

    /// Returns the ends of a turn with these enemies on the board.
    fn step(
        &mut self,
        index: &TurnIndex,
        (mover, side, outcome): Thrown,
        enemies: &[Piece],
    ) -> Vec<ListedEnd> {
        let mut state = index.state_of(mover, &[side]);
        for &(seat, place) in enemies {
            let places = &mut state.pieces[seat];
            *places
                .iter_mut()
                .find(|other| **other == NO_PIECE)
                .expect("a seat has so many pieces") = place;
            sort(places);
        }
        self.race.apply_chance(&mut state, Outcome(outcome as u8));
        let results = stepped::results(&self.race, &state);
        let end = |end: &State| {
            let mut left = end.pieces;
            let is_lost = |&(seat, place): &Piece| {
                let places = &mut left[seat];
                places
                    .iter_mut()
                    .find(|other| **other == place)
                    .map(|other| *other = NO_PIECE)
                    .is_none()
            };
            let lost: Vec<Piece> = enemies.iter().copied().filter(is_lost).collect();
            let then = stepped::continuation(&self.race, end, mover);
            let side = if then == Continuation::Won {
                side
            } else {
                index
                    .sides
                    .of(end, mover, end.registers)
                    .expect("a turn ends with a side")
            };
            let consequence = self.consequences.insert_full(Consequence { then, lost }).0;
            ListedEnd {
                side,
                consequence: consequence as u16,
            }
        };
        results.states().iter().map(end).collect()
    }

    /// Visits the turns with each outcome. Lanes with the same list of ends are visited together.
    pub fn visit(
        &self,
        index: &TurnIndex,
        mover: Seat,
        sides: Sides,
        lanes: u16,
        visitor: &mut impl TurnVisitor,
    ) {
        let mut occupied = [Occupancy::default(); LANES];
        // Lanes where all other seats are perhaps stuck. There the game can end, because no seat
        // can move.
        let mut stuck = 0;
        for lane in lanes_of(lanes) {
            let others = in_lane(sides, lane);
            for (&side, seat) in others[1..index.seats()].iter().zip(index.others(mover)) {
                occupied[lane] = occupied[lane].plus(index.occupied[seat][usize::from(side)]);
            }
            let are_stuck = || {
                others[1..index.seats()]
                    .iter()
                    .all(|&side| self.may_be_stuck[usize::from(side)])
            };
            stuck |= u16::from(self.has_dead_ends && are_stuck()) << lane;
        }
        let mut count = 0;
        let outcomes = self.race.rules.outcomes.len();
        let turns = &self.turns[mover.index()][outcomes * usize::from(sides[0])..][..outcomes];
        let mut starts = [NONE; LANES];
        for (outcome, turn) in turns.iter().enumerate() {
            // Finds all lists before visiting any, so that memory latencies overlap.
            for lane in lanes_of(lanes) {
                let held = turn.relevant.overlap(occupied[lane]);
                let search = || self.search(index, mover, in_lane(sides, lane), held, turn);
                starts[lane] = if held == 0 { turn.alone } else { search() };
            }
            let mut left = lanes;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                let (start, is_stuck) = (starts[lane], stuck >> lane & 1 == 1);
                let alike = match is_stuck || start == NONE {
                    true => 1 << lane,
                    false => left & !stuck & lanes_where(&starts, |&other| other == start),
                };
                left &= !alike;
                let first = count;
                if start == NONE {
                    let sides = in_lane(sides, lane);
                    let mut thrown = index.state(mover, sides);
                    index.race.apply_chance(&mut thrown, Outcome(outcome as u8));
                    count += stepped::visit_ends(index, sides, lane, &thrown, visitor);
                } else {
                    count += self.visit_list(
                        index,
                        (mover, sides, alike),
                        is_stuck,
                        start as usize,
                        visitor,
                    );
                }
                visitor.throws(alike, self.race.rules.chances[outcome], first..count);
            }
        }
    }

    /// Visits the list of ends from `start` on. Returns their number.
    #[inline]
    fn visit_list(
        &self,
        index: &TurnIndex,
        (mover, sides, lanes): (Seat, Sides, u16),
        are_stuck: bool,
        start: usize,
        visitor: &mut impl TurnVisitor,
    ) -> usize {
        for (at, end) in self.ends[start..].iter().enumerate() {
            let consequence = usize::from(end.consequence & !LAST);
            match QUIET.get(consequence) {
                Some(&then) if !are_stuck || !self.may_be_stuck[usize::from(end.side)] => {
                    visitor.end(lanes, end.side, then);
                }
                _ => {
                    visitor.end(0, end.side, Continuation::Next);
                    for lane in lanes_of(lanes) {
                        let sides = in_lane([end.side, sides[1], sides[2], sides[3]], lane);
                        visitor
                            .replace_end(lane, self.afterstate(index, mover, sides, consequence));
                    }
                }
            }
            if end.consequence & LAST != 0 {
                return at + 1;
            }
        }
        0
    }

    /// Returns the start of the list of ends with enemies on the cells `held`, or [`NONE`].
    #[inline]
    fn search(
        &self,
        index: &TurnIndex,
        mover: Seat,
        sides: Sides,
        held: Cells,
        turn: &ListedTurn,
    ) -> u32 {
        let mut sum = 0_u32;
        for (&side, seat) in sides[1..index.seats()].iter().zip(index.others(mover)) {
            for &place in index.sides.places(side) {
                if self.race.rules.bits[seat][place] & held != 0 {
                    sum = sum.wrapping_add(key((seat, place)));
                }
            }
        }
        let patterns = &self.patterns[turn.patterns[0] as usize..turn.patterns[1] as usize];
        // Interpolation search: keys are spread evenly, so the value of `sum` gives its approximate
        // index.
        let mut at = ((u64::from(sum) * patterns.len() as u64) >> 32) as usize;
        while at > 0 && patterns[at].key > sum {
            at -= 1;
        }
        while patterns.get(at).is_some_and(|pattern| pattern.key < sum) {
            at += 1;
        }
        patterns
            .get(at)
            .filter(|pattern| pattern.key == sum)
            .map_or(NONE, |pattern| pattern.start)
    }

    /// Returns the afterstate of a turn that captures pieces or perhaps leaves all seats without a
    /// move.
    #[cold]
    fn afterstate(
        &self,
        index: &TurnIndex,
        mover: Seat,
        mut sides: Sides,
        consequence: usize,
    ) -> TurnEnd {
        let Consequence { then, lost } = &self.consequences[consequence];
        for (side, seat) in sides[1..index.seats()].iter_mut().zip(index.others(mover)) {
            for &(_, place) in lost.iter().filter(|&&(loser, _)| loser == seat) {
                *side = self.after_loss[usize::from(*side) * PLACES + usize::from(place)];
            }
        }
        let may_be_dead = self.has_dead_ends
            && sides[..index.seats()]
                .iter()
                .all(|&side| self.may_be_stuck[usize::from(side)]);
        let is_dead = may_be_dead
            && *then != Continuation::Won
            && index.race.is_dead(&index.state(mover, sides));
        TurnEnd {
            sides,
            then: if is_dead { Continuation::Drawn } else { *then },
        }
    }
}
