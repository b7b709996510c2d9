//! Laws of whole turns: they end where their actions lead, and the batch of afterstates agrees with them.

use std::collections::HashSet;

use ndarray::Array2;

use super::{Checked, hold};
use crate::game::{Game, Node};
use crate::gym::Afterstates;
use crate::turn::{TurnResults, turn_results};

/// More orders than this are not stepped through one by one.
const ORDERS: usize = 2000;

/// Checks the whole turns of a decision against stepping through its actions; other nodes have none.
pub(super) fn check<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    const LAW: &str = "whole turns end where actions lead";
    let mut results = TurnResults::new();
    turn_results(game, state, &mut results);
    let Node::Decision(seat) = game.node(state) else {
        return hold(LAW, state, results.is_empty(), || format!("{} results without a decision", results.len()));
    };
    for action in game.legal_actions(state).iter() {
        let mut next = state.clone();
        game.apply_action(&mut next, action);
        hold(LAW, state, next != *state, || format!("{action:?} is legal and changes nothing"))?;
    }
    for (index, result) in results.states().iter().enumerate() {
        let mut reached = state.clone();
        for &action in results.actions(index) {
            let is_legal = game.node(&reached) == Node::Decision(seat) && game.legal_actions(&reached).contains(action);
            hold(LAW, state, is_legal, || format!("{action:?} of {:?} in {reached:?}", results.actions(index)))?;
            game.apply_action(&mut reached, action);
        }
        let is_end = reached == *result && game.node(result) != Node::Decision(seat);
        hold(LAW, state, is_end, || format!("{:?} lead to {reached:?}, not {result:?}", results.actions(index)))?;
    }
    let distinct: HashSet<&G::State> = results.states().iter().collect();
    hold(LAW, state, distinct.len() == results.len(), || "a result is listed twice".to_owned())?;
    if let Some(stepped) = step_all(game, state) {
        let stepped: HashSet<&G::State> = stepped.iter().collect();
        hold(LAW, state, stepped == distinct, || format!("{distinct:?}, by steps {stepped:?}"))?;
    }
    check_afterstates(game, state, &results)
}

/// The afterstates of every sequence of actions, duplicates included; `None` when there are too many.
fn step_all<G: Game>(game: &G, state: &G::State) -> Option<Vec<G::State>> {
    let seat = game.node(state);
    let mut open = vec![state.clone()];
    let mut ends = Vec::new();
    while let Some(state) = open.pop() {
        for action in game.legal_actions(&state).iter() {
            let mut next = state.clone();
            game.apply_action(&mut next, action);
            let list = if game.node(&next) == seat { &mut open } else { &mut ends };
            list.push(next);
        }
        if ends.len() + open.len() > ORDERS {
            return None;
        }
    }
    Some(ends)
}

fn check_afterstates<G: Game>(game: &G, state: &G::State, results: &TurnResults<G::State>) -> Checked<G> {
    const LAW: &str = "afterstates are observed one by one";
    let mut afterstates = Afterstates::default();
    let is_bounded = results.len() > 1 && afterstates.enumerate(game, state, 1).is_err() && afterstates.is_empty();
    hold(LAW, state, is_bounded || results.len() < 2, || {
        "a turn of several results was enumerated with the bound 1".to_owned()
    })?;
    let found = afterstates.enumerate(game, state, usize::MAX);
    hold(LAW, state, found.is_ok(), || "an enumeration without a bound failed".to_owned())?;
    let is_same = afterstates.states() == results.states()
        && (0..results.len()).all(|index| afterstates.actions(index) == results.actions(index));
    hold(LAW, state, is_same, || format!("{:?}, not {:?}", afterstates.states(), results.states()))?;
    // One row more than there are afterstates, which must stay unchanged.
    let mut batch = Array2::from_elem((results.len() + 1, game.spec().observation), f32::NAN);
    afterstates.observe(game, batch.view_mut());
    let mut row = vec![0.0; game.spec().observation];
    for (index, result) in results.states().iter().enumerate() {
        match game.node(result) {
            Node::Chance(seat) | Node::Decision(seat) => game.observe(result, seat, &mut row),
            Node::Terminal => row.fill(0.0),
        }
        let is_same = batch.row(index).iter().eq(&row);
        hold(LAW, state, is_same, || format!("row {index} of {result:?}"))?;
    }
    let is_left = batch.row(results.len()).iter().all(|value| value.is_nan());
    hold(LAW, state, is_left, || "a row beyond the results was written".to_owned())
}
