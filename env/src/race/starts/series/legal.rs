//! The legal turns of a side position with each series of throws.
//!
//! No series is played. Allotments that use exactly some throws are those that use one throw less, with that throw
//! given to each unit that can take it; the engine's functions decide which can. The legal allotments of the kept
//! throws follow from the legal ones of the same throws less one.

use super::Choice;
use super::allotted::Allotted;
use super::sets::InternedSets;
use super::throws::{MAX_STOPS, NONE, ThrowCounts, ThrowList};
use crate::race::position::state::MAX_KINDS;
use crate::race::starts::RaceStarts;
use crate::race::turns::series::SeriesTurns;
use crate::race::turns::series::allot::{Allotment, SeriesTurn};
use crate::sheet::Must;
use crate::starts::Side;

/// Throws with the same legal afterstates, and the end of these in the list of afterstates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) chance: f64,
    pub(super) end: u32,
    /// Number of the side position's choices in this class and those before it.
    pub(super) known: u16,
}

/// Computes legal turns, side position by side position; reuses its lists from one side position to the next.
pub(super) struct Legal<'a> {
    starts: &'a RaceStarts,
    turns: &'a SeriesTurns,
    throws: &'a ThrowList,
    allotted: Allotted,
    /// By allotment its [`Legal::result`].
    ended: Vec<Option<u64>>,
    /// By allotment the number of the list in which it was last found.
    found: Vec<u32>,
    lists: u32,
    /// The allotments that use exactly the throws of the list, one list after the other, and where each ends.
    using: Vec<u32>,
    ends: Vec<usize>,
    /// By throws kept and last throw (none, or one of those that end a series) the legal afterstates, and the number of
    /// throws that they use.
    results: Vec<[Option<(u32, u8)>; 1 + MAX_STOPS]>,
    sets: InternedSets,
    scratch: Vec<u64>,
}

/// Below the bits of a choice: kinds of throws that the turn could go on with and so must not leave.
const KIND_BITS: u32 = 8;
/// The first throw that ends a series among those of [`ThrowList::kind`].
const LAST: usize = MAX_KINDS;

impl<'a> Legal<'a> {
    pub(super) fn new(starts: &'a RaceStarts, turns: &'a SeriesTurns, throws: &'a ThrowList) -> Legal<'a> {
        Legal {
            starts,
            turns,
            throws,
            allotted: Allotted::default(),
            ended: Vec::new(),
            found: Vec::new(),
            lists: 0,
            using: Vec::new(),
            ends: Vec::new(),
            results: Vec::new(),
            sets: InternedSets::default(),
            scratch: Vec::new(),
        }
    }

    /// Lists the allotments of a side position; of the squares `closed` by enemies only that of entry matters.
    pub(super) fn allot(&mut self, side: Side, closed: u64) {
        self.allotted.find(self.turns, self.throws, &self.turn(side, closed));
        self.found.clear();
        self.found.resize(self.allotted.all().len(), 0);
        self.lists = 0;
        self.using.clear();
        self.ends.clear();
        let throws = self.throws;
        for kept in throws.throws() {
            self.use_up(kept);
        }
    }

    /// Computes the legal turns of the side position last allotted to while enemies close the squares `closed`.
    pub(super) fn find(&mut self, side: Side, closed: u64) {
        let turn = self.turn(side, closed);
        let all = self.allotted.all().iter();
        self.ended = all.map(|allotment| self.result(side, &turn, allotment)).collect();
        self.sets.clear();
        self.results.clear();
        self.results.resize(self.throws.throws().len(), [None; 1 + MAX_STOPS]);
        self.legal(0, 0);
        for at in 0..self.results.len() {
            for last in 1..=self.throws.stops() {
                self.legal(at, last);
            }
        }
    }

    fn turn(&self, side: Side, closed: u64) -> SeriesTurn {
        SeriesTurns::turn_of(*self.starts.sides.places(side), self.starts.sides.mark(side), closed)
    }

    /// Lists the allotments that use exactly the throws `kept`: those that use one less, and one more.
    fn use_up(&mut self, kept: &ThrowCounts) {
        let before = kept.less[kept.last];
        if before == NONE {
            self.using.push(0);
        } else {
            let start = if before == 0 { 0 } else { self.ends[before - 1] };
            self.lists += 1;
            for shorter in start..self.ends[before] {
                for &longer in self.allotted.extensions(self.using[shorter], kept.last) {
                    if std::mem::replace(&mut self.found[longer as usize], self.lists) != self.lists {
                        self.using.push(longer);
                    }
                }
            }
        }
        self.ends.push(self.using.len());
    }

    /// Puts into `scratch` the afterstates of using exactly the throws number `at` and a last one (0 for none).
    fn end_with(&mut self, at: usize, last: usize) {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let using = &self.using[start..self.ends[at]];
        self.scratch.clear();
        if last == 0 {
            self.scratch.extend(using.iter().filter_map(|&allotment| self.ended[allotment as usize]));
        } else {
            self.lists += 1;
            for &longer in using.iter().flat_map(|&shorter| self.allotted.extensions(shorter, LAST + last - 1)) {
                if std::mem::replace(&mut self.found[longer as usize], self.lists) != self.lists {
                    self.scratch.extend(self.ended[longer as usize]);
                }
            }
        }
        self.scratch.sort_unstable();
        self.scratch.dedup();
    }

    /// The legal afterstates when exactly the throws number `at` and a last one (0 for none) are kept, and the number
    /// of throws that they use.
    fn legal(&mut self, at: usize, last: usize) -> (u32, u8) {
        if let Some(result) = self.results[at][last] {
            return result;
        }
        let throws = &self.throws.throws()[at];
        self.end_with(at, last);
        let result = if self.turns.must == Must::Most && !self.scratch.is_empty() {
            (self.sets.insert(&self.scratch), throws.count + u8::from(last > 0))
        } else {
            self.legal_with_less(at, last, throws)
        };
        self.results[at][last] = Some(result);
        result
    }

    /// [`Legal::legal`] where throws can be left.
    fn legal_with_less(&mut self, at: usize, last: usize, throws: &ThrowCounts) -> (u32, u8) {
        let must_use = self.turns.must;
        // By kind, the afterstates with one throw of the kind less.
        let mut less = [None; 4];
        for (kind, less) in less.iter_mut().enumerate() {
            *less = match kind {
                3 if last > 0 => Some((self.legal(at, 0), LAST + last - 1)),
                3 => None,
                _ if throws.less[kind] == NONE => None,
                _ => Some((self.legal(throws.less[kind], last), kind)),
            };
        }
        let most = less.iter().flatten().map(|((_, used), _)| *used).max().unwrap_or(0);
        if must_use == Must::Most {
            less = less.map(|less| less.filter(|&((_, used), _)| used == most));
            let mut sets = less.iter().flatten().map(|((set, _), _)| *set);
            if let Some(set) = sets.next().filter(|&first| sets.all(|set| set == first)) {
                return (set, most);
            }
        }
        self.end_with(at, last);
        for ((set, _), throw) in less.into_iter().flatten() {
            let bit = match (must_use, self.throws.kind(throw)) {
                (Must::Greedy, Some(throw)) => u64::from(self.turns.series.bit(throw)),
                _ => 0,
            };
            self.scratch.extend(self.sets.get(set).iter().filter(|&result| result & bit == 0));
        }
        // Sets in ascending order, one after the other, are merged.
        self.scratch.sort();
        self.scratch.dedup();
        (self.sets.insert(&self.scratch), most)
    }

    /// The afterstate of a turn that ends with a legal allotment, with the kinds of throws that it could go on with
    /// where these must not be left.
    fn result(&self, side: Side, turn: &SeriesTurn, allotment: &Allotment) -> Option<u64> {
        if !self.turns.stands(turn, allotment) {
            return None;
        }
        let landed = self.turns.landed(turn.own, allotment);
        let (places, mark) = self.turns.settled(turn.own, self.starts.sides.mark(side), allotment, landed);
        let choice = if places[0] == self.turns.keep + 1 {
            Choice::WINS
        } else {
            Choice::new(self.starts.sides.number(&places, mark), self.turns.strikes(allotment, landed))
        };
        let kinds = if self.turns.must == Must::Greedy {
            let extending = self.turns.series.all().filter(|&throw| self.turns.extends(turn, allotment, throw));
            extending.fold(0, |kinds, throw| kinds | self.turns.series.bit(throw))
        } else {
            0
        };
        Some(choice.to_bits() << KIND_BITS | u64::from(kinds))
    }

    /// Groups the throws with the same afterstates, the likeliest first, and lists these.
    pub(super) fn classes(&self, side: Side, choices: &mut Vec<Choice>) -> Vec<Class> {
        let is_on_board = self.turns.series.is_on_board(self.starts.sides.places(side));
        let mut chances = vec![0.0; self.sets.len()];
        let mut add = |result: Option<(u32, u8)>, chance| {
            if let Some((set, _)) = result {
                chances[set as usize] += chance;
            }
        };
        add(self.results[0][0], self.throws.chance_of_nothing(is_on_board));
        for (kept, results) in self.throws.throws().iter().zip(&self.results) {
            for (&result, chance) in results[1..].iter().zip(self.throws.chance(kept, is_on_board)) {
                add(result, chance);
            }
        }
        let mut sets = InternedSets::default();
        let mut classes: Vec<f64> = Vec::new();
        let mut members = Vec::new();
        for (set, &chance) in chances.iter().enumerate().filter(|&(_, &chance)| chance > 0.0) {
            members.clear();
            members.extend(self.sets.get(set as u32).iter().map(|&member| member >> KIND_BITS));
            members.dedup();
            let class = sets.insert(&members) as usize;
            if class == classes.len() {
                classes.push(0.0);
            }
            classes[class] += chance;
        }
        let listed = |(class, chance): (usize, f64)| {
            choices.extend(sets.get(class as u32).iter().map(|&bits| Choice::from_bits(bits)));
            Class { chance, end: choices.len() as u32, known: 0 }
        };
        let mut classes: Vec<(usize, f64)> = classes.into_iter().enumerate().collect();
        classes.sort_by(|a, b| b.1.total_cmp(&a.1));
        classes.into_iter().map(listed).collect()
    }

    /// The legal afterstates with the throws of the list that have this number, and the last one of this number (0 for
    /// none).
    #[cfg(test)]
    pub(super) fn choices(&self, throws: usize, last: usize) -> impl Iterator<Item = Choice> {
        let (set, _) = self.results[throws][last].expect("was found");
        self.sets.get(set).iter().map(|&member| Choice::from_bits(member >> KIND_BITS))
    }
}
