//! The law that equal observations mean equal futures. States with equal observations are compared.

use std::collections::HashMap;

use super::{Checked, broken, hold};
use crate::game::{Game, Node, Outcome, Seat};

const LAW: &str = "equal observations mean equal futures";

/// The first state with each observation.
#[derive(Debug)]
pub(super) struct Views<S> {
    first: HashMap<(Seat, Vec<u16>), S>,
}

impl<S> Default for Views<S> {
    fn default() -> Views<S> {
        Views {
            first: HashMap::new(),
        }
    }
}

impl<S: Clone + PartialEq> Views<S> {
    /// Compares `state` with the first state that has the same observation for a seat. Skips
    /// terminal states, because their observations are not used.
    pub(super) fn check<G: Game<State = S>>(&mut self, game: &G, state: &S) -> Checked<G> {
        if game.node(state) == Node::Terminal {
            return Ok(());
        }
        for seat in game.spec().seats.iter() {
            let first = self
                .first
                .entry((seat, view(game, state, seat)))
                .or_insert_with(|| state.clone());
            if first != state {
                check_alike(game, first, state)?;
            }
        }
        Ok(())
    }
}

/// The entries of the observation of `seat`, in ascending order.
fn view<G: Game>(game: &G, state: &G::State, seat: Seat) -> Vec<u16> {
    let mut active = Vec::new();
    game.observe_active(state, seat, &mut active);
    active.sort_unstable();
    active
}

/// Checks that two states with equal observations have equal throws and actions, and successors
/// with equal observations.
fn check_alike<G: Game>(game: &G, first: &G::State, second: &G::State) -> Checked<G> {
    let check =
        |holds: bool, what: &str| hold(LAW, first, holds, || format!("other {what} in {second:?}"));
    check(game.node(first) == game.node(second), "node")?;
    check(
        game.chance_outcomes(first) == game.chance_outcomes(second),
        "chances",
    )?;
    check(
        game.legal_actions(first) == game.legal_actions(second),
        "legal actions",
    )?;
    for outcome in (0..game.chance_outcomes(first).len()).map(|outcome| Outcome(outcome as u8)) {
        check_followers(game, first, second, |state| {
            game.apply_chance(state, outcome)
        })?;
    }
    for action in game.legal_actions(first).iter() {
        check_followers(game, first, second, |state| {
            game.apply_action(state, action)
        })?;
    }
    Ok(())
}

fn check_followers<G: Game>(
    game: &G,
    first: &G::State,
    second: &G::State,
    apply: impl Fn(&mut G::State),
) -> Checked<G> {
    let (mut one, mut other) = (first.clone(), second.clone());
    apply(&mut one);
    apply(&mut other);
    let nodes = (game.node(&one), game.node(&other));
    let is_same = match nodes {
        (Node::Terminal, Node::Terminal) => game.returns(&one) == game.returns(&other),
        (Node::Chance(seat) | Node::Decision(seat), _) => {
            nodes.0 == nodes.1 && view(game, &one, seat) == view(game, &other, seat)
        }
        (Node::Terminal, _) => false,
    };
    if is_same {
        Ok(())
    } else {
        Err(broken(
            LAW,
            first,
            format!("{one:?}, but {second:?} becomes {other:?}"),
        ))
    }
}
