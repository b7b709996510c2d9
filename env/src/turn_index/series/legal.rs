//! The legal turns of a side position with each series of throws.
//!
//! This module does not play each series. To get the allotments of n throws, it takes the
//! allotments of n - 1 throws and gives the missing throw to each unit that can take it. Functions
//! of the engine find these units. If the missing throw stays unused, the legal allotments are the
//! legal ones of the other throws.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use super::Choice;
use crate::{
    race::turns::{
        series::{
            SeriesTurns,
            allot::{Allotment, SeriesTurn},
        },
        series_throws::AllottedThrow,
    },
    sheet::Must,
    turn_index::{Side, TurnIndex},
};

/// The throws of a series that a seat keeps, in any order: throws that continue the series, and
/// sometimes the throw that ends it.
pub struct KeptThrows {
    /// For each kind of these throws, in the order of allotment: the index of the set without one
    /// throw of this kind, and the removed throw.
    pub less: Vec<(usize, AllottedThrow)>,
    count: u8,
    /// The probability that a series begins with these throws in any order.
    begins: f64,
    /// The probability that a seat keeps exactly these throws: `[0]` if the seat has no piece on
    /// the board, otherwise `[1]`.
    pub chances: [f64; 2],
}

/// Returns all sets of throws that a seat can keep of a series with up to `length` throws before
/// the last one, ordered by the number of throws before the last one.
pub fn kept_throws(turns: &SeriesTurns, length: u8) -> Vec<KeptThrows> {
    let (going, ending): (Vec<AllottedThrow>, Vec<AllottedThrow>) = turns
        .series
        .all()
        .partition(|throw| matches!(throw, AllottedThrow::Of(_)));
    let chance = |throw: &AllottedThrow| turns.series.chance_of(*throw);
    let ends: f64 = ending.iter().map(chance).sum();
    // A seat without a piece on the board loses the throws before the first 1.
    let any_one = chance(&going[0]) / (chance(&going[0]) + ends);
    let mut list: Vec<KeptThrows> = Vec::new();
    let mut places = HashMap::new();
    let all = (0..=length)
        .flat_map(|count| (0..=count).rev().map(move |ones| (count, ones)))
        .flat_map(|(count, ones)| {
            (0..=count - ones)
                .rev()
                .map(move |fours| [ones, fours, count - ones - fours])
        });
    for counts in all.filter(|counts| counts[going.len()..].iter().all(|&count| count == 0)) {
        let kinds = going
            .iter()
            .enumerate()
            .filter(|&(kind, _)| counts[kind] > 0);
        let without = |(kind, &throw): (usize, &AllottedThrow)| {
            let mut less = counts;
            less[kind] -= 1;
            (places[&less], throw)
        };
        let less: Vec<(usize, AllottedThrow)> = kinds.map(without).collect();
        // The latest throw can be of any of these kinds.
        let begins: f64 = less
            .iter()
            .map(|(at, throw)| chance(throw) * list[*at].begins)
            .sum();
        let begins = if less.is_empty() { 1.0 } else { begins };
        let kept = if counts[0] > 0 {
            any_one * list[less[0].0].begins
        } else {
            0.0
        };
        let nothing = if less.is_empty() { 1.0 - any_one } else { 0.0 };
        let (at, count) = (list.len(), counts.iter().sum());
        places.insert(counts, at);
        list.push(KeptThrows {
            less: less.clone(),
            count,
            begins,
            chances: [nothing, 0.0],
        });
        list.extend(ending.iter().enumerate().map(|(stop, throw)| {
            let shorter = less
                .iter()
                .map(|&(before, throw)| (before + 1 + stop, throw));
            KeptThrows {
                less: shorter.chain([(at, *throw)]).collect(),
                count: count + 1,
                begins: 0.0,
                chances: [kept, begins].map(|begins| chance(throw) * begins),
            }
        }));
    }
    list
}

/// The legal afterstates with each set of kept throws.
#[derive(Default)]
pub struct Legal {
    /// The distinct sets of afterstates. The upper bits of an afterstate are a choice. The lower
    /// [`KIND_BITS`] bits are the kinds of throws that the turn could still use and must not leave
    /// unused.
    sets: IndexSet<Vec<u64>>,
    /// For each set of kept throws: the set of legal afterstates, and the number of used throws.
    results: Vec<(usize, u8)>,
}

const KIND_BITS: u32 = 8;

impl Legal {
    /// Finds the legal turns of a side position from its allotments.
    pub fn new(
        index: &TurnIndex,
        turns: &SeriesTurns,
        kept: &[KeptThrows],
        side: Side,
        turn: &SeriesTurn,
        allotted: &Allotted,
    ) -> Legal {
        let ended: Vec<Option<u64>> = allotted
            .all
            .iter()
            .map(|allotment| result(index, turns, side, turn, allotment))
            .collect();
        let mut legal = Legal::default();
        for (KeptThrows { less, count, .. }, using) in kept.iter().zip(&allotted.using) {
            let mut ends: Vec<u64> = using.iter().filter_map(|&at| ended[at]).collect();
            let mut used = *count;
            if turns.must != Must::Most || ends.is_empty() {
                used = less
                    .iter()
                    .map(|&(at, _)| legal.results[at].1)
                    .max()
                    .unwrap_or(0);
                for &(at, throw) in less {
                    let (set, less_used) = legal.results[at];
                    let must_not = if turns.must == Must::Greedy {
                        u64::from(turns.series.bit(throw))
                    } else {
                        0
                    };
                    if turns.must != Must::Most || less_used == used {
                        ends.extend(legal.sets[set].iter().filter(|&end| end & must_not == 0));
                    }
                }
            }
            // Most of `ends` is a sequence of sorted sets, which the stable sort merges quickly.
            ends.sort();
            ends.dedup();
            legal.results.push((legal.sets.insert_full(ends).0, used));
        }
        legal
    }

    /// Returns the legal afterstates with the kept throws at this index.
    pub fn choices(&self, at: usize) -> Vec<Choice> {
        let mut choices: Vec<Choice> = self.sets[self.results[at].0]
            .iter()
            .map(|end| Choice::from_bits(end >> KIND_BITS))
            .collect();
        choices.dedup();
        choices
    }

    /// Returns the sets of legal afterstates with the probability of their throws, the likeliest
    /// first.
    pub fn classes(&self, kept: &[KeptThrows], is_on_board: bool) -> IndexMap<Vec<Choice>, f64> {
        let mut chances: IndexMap<usize, (usize, f64)> = IndexMap::new();
        for (at, (kept, &(set, _))) in kept.iter().zip(&self.results).enumerate() {
            let chance = kept.chances[usize::from(is_on_board)];
            if chance > 0.0 {
                chances.entry(set).or_insert((at, 0.0)).1 += chance;
            }
        }
        let mut classes = IndexMap::new();
        for &(at, chance) in chances.values() {
            *classes.entry(self.choices(at)).or_insert(0.0) += chance;
        }
        classes.sort_by(|_, one, _, other| other.total_cmp(one));
        classes
    }
}

/// The allotments of a side position with any throws. Many series have common allotments, so each
/// allotment is computed once.
pub struct Allotted {
    all: IndexSet<Allotment>,
    /// For each set of kept throws: the allotments that use every throw.
    using: Vec<Vec<usize>>,
}

impl Allotted {
    /// Finds the allotments. Here, a closed square matters only if it is the entry square;
    /// [`result`] checks the other landings.
    pub fn new(turns: &SeriesTurns, kept: &[KeptThrows], turn: &SeriesTurn) -> Allotted {
        let throws: Vec<AllottedThrow> = turns.series.all().collect();
        let mut all = IndexSet::from([Allotment::NONE]);
        // For each allotment and throw: the allotments that also give this throw to a unit.
        let mut longer: Vec<Vec<usize>> = Vec::new();
        while let Some(&allotment) = all.get_index(longer.len() / throws.len()) {
            for &throw in &throws {
                longer.push(
                    turns
                        .extensions(turn, &allotment, throw)
                        .map(|next| all.insert_full(next).0)
                        .collect(),
                );
            }
        }
        let mut using: Vec<Vec<usize>> = Vec::with_capacity(kept.len());
        for KeptThrows { less, .. } in kept {
            let mut found = vec![0];
            if let Some(&(before, throw)) = less.last() {
                let kind = throws
                    .iter()
                    .position(|&other| other == throw)
                    .expect("a throw of the game");
                found = using[before]
                    .iter()
                    .flat_map(|at| &longer[throws.len() * at + kind])
                    .copied()
                    .collect();
                found.sort_unstable();
                found.dedup();
            }
            using.push(found);
        }
        Allotted { all, using }
    }
}

/// Returns the afterstate of a turn that ends with this allotment, or `None` if the pieces cannot
/// land. With [`Must::Greedy`], it includes the kinds of throws that the turn could still use.
fn result(
    index: &TurnIndex,
    turns: &SeriesTurns,
    side: Side,
    turn: &SeriesTurn,
    allotment: &Allotment,
) -> Option<u64> {
    if !turns.can_land(turn, allotment) {
        return None;
    }
    let landed = turns.landed(turn.own, allotment);
    let (places, mark) = turns.settled(turn.own, index.sides.mark(side), allotment, landed);
    let choice = if places[0] == turns.rules.home + 1 {
        Choice::WINS
    } else {
        Choice::new(
            index.sides.number(places, mark, [0; 3]),
            turns.landings(allotment, landed),
        )
    };
    let kinds = turns
        .series
        .all()
        .filter(|&throw| turns.must == Must::Greedy && turns.extends(turn, allotment, throw))
        .fold(0, |kinds, throw| kinds | turns.series.bit(throw));
    Some(choice.to_bits() << KIND_BITS | u64::from(kinds))
}
