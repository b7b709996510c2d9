//! The law that the afterstates of a turn are the positions that its actions reach.

use std::collections::HashSet;

use super::{Checked, hold};
use crate::{
    game::{Game, Node},
    turn::{TurnResults, turn_results, turn_results_within},
};

/// If a turn has more sequences of actions than this, their afterstates are not compared.
const ORDERS: usize = 2000;

/// Checks the afterstates of a decision by taking its actions one by one. Other nodes have no
/// afterstates.
pub(super) fn check<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    const LAW: &str = "whole turns end where actions lead";
    let mut results = TurnResults::new();
    turn_results(game, state, &mut results);
    let Node::Decision(seat) = game.node(state) else {
        return hold(LAW, state, results.is_empty(), || {
            format!("{} results without a decision", results.len())
        });
    };
    for action in game.legal_actions(state).iter() {
        let mut next = state.clone();
        game.apply_action(&mut next, action);
        hold(LAW, state, next != *state, || {
            format!("{action:?} is legal and changes nothing")
        })?;
    }
    for (index, result) in results.states().iter().enumerate() {
        let mut reached = state.clone();
        for &action in results.actions(index) {
            let is_legal = game.node(&reached) == Node::Decision(seat)
                && game.legal_actions(&reached).contains(action);
            hold(LAW, state, is_legal, || {
                format!("{action:?} of {:?} in {reached:?}", results.actions(index))
            })?;
            game.apply_action(&mut reached, action);
        }
        let is_end = reached == *result && game.node(result) != Node::Decision(seat);
        hold(LAW, state, is_end, || {
            format!(
                "{:?} lead to {reached:?}, not {result:?}",
                results.actions(index)
            )
        })?;
    }
    let distinct: HashSet<&G::State> = results.states().iter().collect();
    hold(LAW, state, distinct.len() == results.len(), || {
        "a result is listed twice".to_owned()
    })?;
    if let Some(stepped) = step_all(game, state) {
        let stepped: HashSet<&G::State> = stepped.iter().collect();
        hold(LAW, state, stepped == distinct, || {
            format!("{distinct:?}, by steps {stepped:?}")
        })?;
    }
    let is_bounded =
        results.len() < 2 || !turn_results_within(game, state, 1, &mut TurnResults::new());
    hold(LAW, state, is_bounded, || {
        "a search with the bound 1 found several results".to_owned()
    })
}

/// The afterstates of all sequences of actions, with duplicates; `None` if there are too many.
fn step_all<G: Game>(game: &G, state: &G::State) -> Option<Vec<G::State>> {
    let seat = game.node(state);
    let mut open = vec![state.clone()];
    let mut ends = Vec::new();
    while let Some(state) = open.pop() {
        for action in game.legal_actions(&state).iter() {
            let mut next = state.clone();
            game.apply_action(&mut next, action);
            let list = if game.node(&next) == seat {
                &mut open
            } else {
                &mut ends
            };
            list.push(next);
        }
        if ends.len() + open.len() > ORDERS {
            return None;
        }
    }
    Some(ends)
}
