//! How many throws of a series can be used: tries every allotment, unless one that is good enough comes before.
//!
//! Far from the keep the first one tried is; near it, with many throws, searches become long, and then positions within
//! the turn that were reached before are remembered.

use std::collections::HashMap;

use super::SeriesTurns;
use super::allot::{Allotment, Remaining, Turn, actions};
use crate::game::Action;
use crate::race::actions::PASS;

/// With fewer throws than these it costs more to remember than to try again.
const REMEMBERED: u32 = 4;

/// Searches of fewer places remember nothing: those of ordinary turns, which so take no memory.
const SHORT: u32 = 100_000;

/// The most places that are remembered, so that memory is bounded.
const MOST_REMEMBERED: usize = 1 << 18;

/// A search among the allotments of one turn.
pub(super) struct Search<'a> {
    turns: &'a SeriesTurns,
    turn: &'a Turn,
    /// So many used throws are as good as more.
    enough: u32,
    /// Places that were searched.
    places: u32,
    /// How often it may still try what can become of a throw; after that nothing more is found.
    left: u64,
    known: HashMap<Place, Option<u32>>,
}

/// Where in the search: what is allotted and what remains, the least action for throws equal to the last, and how many
/// are enough.
type Place = (Allotment, Remaining, Action, u32);

impl<'a> Search<'a> {
    pub(super) fn new(turns: &'a SeriesTurns, turn: &'a Turn, enough: u32) -> Search<'a> {
        Search { turns, turn, enough, left: u64::MAX, places: 0, known: HashMap::new() }
    }

    /// The same search, given up after so many tries.
    pub(super) fn within(self, tries: u64) -> Search<'a> {
        Search { left: tries, ..self }
    }

    /// The largest number of the `remaining` throws that any legal allotment beginning with `allotment` uses, or any
    /// number that is enough; `None` when no legal allotment begins so.
    #[inline]
    pub(super) fn most_used(&mut self, allotment: &Allotment, remaining: Remaining) -> Option<u32> {
        self.most_used_from(allotment, remaining, Action(0), self.enough)
    }

    /// [`Search::most_used`], where equal throws go to actions in ascending order from `least` on.
    fn most_used_from(
        &mut self,
        allotment: &Allotment,
        remaining: Remaining,
        least: Action,
        enough: u32,
    ) -> Option<u32> {
        let (turns, turn) = (self.turns, self.turn);
        let count = remaining.count();
        // Far from the keep one unit can take all that is left.
        if turns.completes(allotment)
            && (count == 0 || enough == 0 || turns.moves_by(turn, allotment, turns.sum(remaining)))
        {
            return Some(if enough == 0 { 0 } else { count });
        }
        if remaining.split().is_none() {
            return turns.is_complete(turn, allotment).then_some(0);
        }
        self.places = self.places.saturating_add(1);
        if count < REMEMBERED || self.places < SHORT {
            return self.tried(allotment, remaining, least, enough);
        }
        let place = (*allotment, remaining, least, enough);
        if let Some(&known) = self.known.get(&place) {
            return known;
        }
        let found = self.tried(allotment, remaining, least, enough);
        if self.known.len() < MOST_REMEMBERED {
            self.known.insert(place, found);
        }
        found
    }

    /// [`Search::most_used_from`] by trying what can become of the next throw.
    fn tried(&mut self, allotment: &Allotment, remaining: Remaining, least: Action, enough: u32) -> Option<u32> {
        let (turns, turn) = (self.turns, self.turn);
        self.left = self.left.checked_sub(1)?;
        let (throw, rest) = remaining.split()?;
        let same_throw = rest.split().is_some_and(|(next, _)| next == throw);
        let units = turns.units(turn, allotment, turns.sum(remaining));
        // Where nobody can take the smallest throw, none can be used.
        let (any_alone, any_together) = turns.takers(&units, turns.smallest(remaining));
        if (any_alone | any_together).is_empty() {
            return turns.is_complete(turn, allotment).then_some(0);
        }
        let (alone, together) = turns.takers(&units, turns.pips(throw));
        let most_here = enough.min(turns.most_by_room(turn, allotment, remaining));
        let mut most = None;
        for action in actions(alone, together).iter().filter(|&action| action >= least) {
            let next = turns.give(turn, allotment, throw, action);
            let least = if same_throw { action } else { Action(0) };
            let used = self.most_used_from(&next, rest, least, enough.saturating_sub(1));
            most = most.max(used.map(|used| used + 1));
            if most >= Some(most_here) {
                return most;
            }
        }
        let least = if same_throw { PASS } else { Action(0) };
        most.max(self.most_used_from(&turns.give(turn, allotment, throw, PASS), rest, least, enough))
    }
}
