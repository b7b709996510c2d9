//! Afterstates of whole turns: the distinct positions in which a seat can end its turn, each with a
//! sequence of actions.
//!
//! A turn can have several actions, and different orders often lead to the same afterstate.
//! Look-ahead, baselines and solvers evaluate each afterstate once. This module uses only the
//! `Game` interface.

use std::{collections::HashSet, hash::Hash};

use crate::game::{Action, ActionMask, Game, Node};

/// Lists up to this length are searched item by item; longer lists use a hash set.
const SHORT: usize = 24;

/// The default bound on the positions visited within one turn. Only a series of many throws exceeds
/// it.
pub const MOST_POSITIONS: usize = 1 << 15;

/// A turn leads through more positions than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the turn leads through more than {most} positions")]
pub struct TooManyPositions {
    /// The allowed number.
    pub most: usize,
}

/// The distinct afterstates of a turn. [`turn_results`] fills the list. If the caller reuses the
/// list, most calls allocate no memory.
#[derive(Debug)]
pub struct TurnResults<S> {
    results: Distinct<S>,
    /// The sequences of actions of all afterstates, one after the other.
    actions: Vec<Action>,
    /// The end of the sequence of each afterstate in `actions`.
    ends: Vec<usize>,
    visited: Distinct<S>,
    open: Vec<Open>,
    path: Vec<Action>,
}

/// A position within the turn and its legal actions. The search has followed the first `tried`
/// actions.
#[derive(Debug)]
struct Open {
    /// The index in `visited`.
    position: usize,
    legal: ActionMask,
    tried: usize,
}

impl<S> Default for TurnResults<S> {
    fn default() -> TurnResults<S> {
        TurnResults {
            results: Distinct::default(),
            actions: Vec::new(),
            ends: Vec::new(),
            visited: Distinct::default(),
            open: Vec::new(),
            path: Vec::new(),
        }
    }
}

/// A copy has the afterstates and their actions, but not the other positions of the search.
impl<S: Clone> Clone for TurnResults<S> {
    fn clone(&self) -> TurnResults<S> {
        TurnResults {
            results: Distinct {
                items: self.results.items.clone(),
                index: HashSet::new(),
            },
            actions: self.actions.clone(),
            ends: self.ends.clone(),
            ..TurnResults::default()
        }
    }
}

impl<S> TurnResults<S> {
    /// An empty list.
    pub fn new() -> TurnResults<S> {
        TurnResults::default()
    }

    fn clear(&mut self) {
        self.results.clear();
        self.actions.clear();
        self.ends.clear();
        self.visited.clear();
        self.open.clear();
        self.path.clear();
    }

    /// The number of distinct afterstates; zero only if the position is not a decision.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The afterstates, in the order of the search.
    pub fn states(&self) -> &[S] {
        &self.results.items
    }

    /// The afterstate at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`TurnResults::len`].
    pub fn state(&self, index: usize) -> &S {
        &self.results.items[index]
    }

    /// The actions that lead to the afterstate at `index`: one or more actions of the seat to act.
    ///
    /// # Panics
    /// If `index` is not below [`TurnResults::len`].
    pub fn actions(&self, index: usize) -> &[Action] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.actions[start..self.ends[index]]
    }
}

/// Fills `out` with the distinct afterstates of the turn of `state`: the first positions in which
/// the seat to act has no further decision. If `state` is not a decision, `out` is empty.
///
/// The search is depth-first, with actions in ascending order; for each afterstate, the list has
/// the first sequence of actions that the search finds. Each position within the turn is expanded
/// once.
///
/// Time and memory are not bounded: a long series of throws leads to many thousands of positions.
/// For untrusted positions use [`turn_results_within`].
pub fn turn_results<G: Game>(game: &G, state: &G::State, out: &mut TurnResults<G::State>) {
    turn_results_within(game, state, usize::MAX, out);
}

/// [`turn_results`] with a bound: if the search visits more than `most` positions within the turn
/// or at its end, it stops and returns `false`, and `out` has the afterstates found so far.
/// [`MOST_POSITIONS`] is enough for all turns except very long series of throws.
pub fn turn_results_within<G: Game>(
    game: &G,
    state: &G::State,
    most: usize,
    out: &mut TurnResults<G::State>,
) -> bool {
    turn_results_while(game, state, |visited| visited <= most, out)
}

/// Like [`turn_results`], but calls `continues` at each visited position with the number of
/// positions so far. Stops and returns `false` when `continues` returns `false`.
pub fn turn_results_while<G: Game>(
    game: &G,
    state: &G::State,
    mut continues: impl FnMut(usize) -> bool,
    out: &mut TurnResults<G::State>,
) -> bool {
    out.clear();
    let TurnResults {
        results,
        actions,
        ends,
        visited,
        open,
        path,
    } = out;
    let Node::Decision(seat) = game.node(state) else {
        return true;
    };
    visited.insert(state.clone());
    open.push(Open {
        position: 0,
        legal: game.legal_actions(state),
        tried: 0,
    });
    while let Some(top) = open.last_mut() {
        if !continues(visited.items.len() + ends.len()) {
            return false;
        }
        let Some(action) = top.legal.nth(top.tried) else {
            open.pop();
            path.pop();
            continue;
        };
        top.tried += 1;
        let mut next = visited.items[top.position].clone();
        game.apply_action(&mut next, action);
        path.push(action);
        if game.node(&next) == Node::Decision(seat) {
            let legal = game.legal_actions(&next);
            if visited.insert(next) {
                open.push(Open {
                    position: visited.items.len() - 1,
                    legal,
                    tried: 0,
                });
                continue;
            }
        } else if results.insert(next) {
            actions.extend_from_slice(path);
            ends.push(actions.len());
        }
        path.pop();
    }
    true
}

/// A list without duplicates.
#[derive(Debug)]
struct Distinct<S> {
    items: Vec<S>,
    /// All items, from the first insertion into a list longer than [`SHORT`] on; empty before.
    index: HashSet<S>,
}

impl<S> Default for Distinct<S> {
    fn default() -> Distinct<S> {
        Distinct {
            items: Vec::new(),
            index: HashSet::new(),
        }
    }
}

impl<S> Distinct<S> {
    fn clear(&mut self) {
        self.items.clear();
        self.index.clear();
    }
}

impl<S: Clone + Eq + Hash> Distinct<S> {
    /// Appends `item` unless the list contains it; returns whether it was appended.
    fn insert(&mut self, item: S) -> bool {
        if self.items.len() <= SHORT {
            if self.items.contains(&item) {
                return false;
            }
        } else {
            if self.index.is_empty() {
                self.index.extend(self.items.iter().cloned());
            }
            if !self.index.insert(item.clone()) {
                return false;
            }
        }
        self.items.push(item);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::{Outcome, Seat},
        testing::toy::Toy,
    };

    #[test]
    fn a_position_without_decision_has_no_results() {
        let game = Toy::two();
        let mut state = game.initial_state(Seat::SOUTH);
        game.apply_chance(&mut state, Outcome(1));
        let mut results = TurnResults::new();
        turn_results(&game, &state, &mut results);
        assert_eq!(
            results.len(),
            2,
            "two steps or one with the only distinct piece"
        );
        turn_results(&game, &game.initial_state(Seat::SOUTH), &mut results);
        assert!(results.is_empty());
    }

    #[test]
    fn long_lists_stay_distinct() {
        let mut list = Distinct::default();
        for round in 0..2 {
            for item in 0..1000_u32 {
                assert_eq!(list.insert(item), round == 0, "{item}");
            }
        }
        assert_eq!(list.items, (0..1000).collect::<Vec<_>>());
        list.clear();
        assert!(list.insert(7) && !list.insert(7));
    }
}
