//! The engine with the interface of the oracle: from a turn-start state and throws to the texts of
//! all afterstates.

use std::collections::BTreeSet;

use ashta_env::{
    chance::{self, GameRng},
    game::{Game, Node},
    race::{Race, state::State},
    sheet::TurnKind,
    turn::{TurnResults, turn_results},
};
use rand::Rng;

/// Every afterstate of `position` with `throws`, by enumeration of whole turns.
///
/// # Errors
/// The engine's error for an invalid position or impossible throws.
pub fn turns(race: &Race, position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    thrown(race, position, throws).map(|state| afterstates(race, &state))
}

/// The same by stepping through every sequence of legal actions, without deduplication.
///
/// # Errors
/// As [`turns`].
pub fn turns_by_actions(
    race: &Race,
    position: &str,
    throws: &[u8],
) -> Result<BTreeSet<String>, String> {
    fn walk(race: &Race, state: &State, found: &mut BTreeSet<String>) {
        match race.node(state) {
            Node::Decision(_) => {
                for action in race.legal_actions(state).iter() {
                    let mut next = *state;
                    race.apply_action(&mut next, action);
                    walk(race, &next, found);
                }
            }
            Node::Chance(_) | Node::Terminal => {
                found.insert(race.print(state));
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(race, &thrown(race, position, throws)?, &mut found);
    Ok(found)
}

/// The texts of the afterstates of the turn under way; none at other nodes.
pub fn afterstates(race: &Race, state: &State) -> BTreeSet<String> {
    let mut results = TurnResults::new();
    turn_results(race, state, &mut results);
    results
        .states()
        .iter()
        .map(|state| race.print(state))
        .collect()
}

/// A throw, a whole series or all dice of a throw, drawn by the chances of the game.
///
/// # Panics
/// If the position is not valid.
pub fn draw(race: &Race, position: &str, rng: &mut GameRng) -> Vec<u8> {
    let mut state = race.parse_state(position).expect("a valid position");
    let mut values = Vec::new();
    let is_one = race.ruleset().sheet().turn.kind == TurnKind::Throw;
    while let (Node::Chance(_), true) = (race.node(&state), values.is_empty() || !is_one) {
        let outcome = chance::outcome(race.chance_outcomes(&state), rng.next_u64());
        values.extend(race.throw_values(outcome));
        race.apply_chance(&mut state, outcome);
    }
    values
}

fn thrown(race: &Race, position: &str, throws: &[u8]) -> Result<State, String> {
    let mut state = race
        .parse_state(position)
        .map_err(|error| error.to_string())?;
    race.throw(&mut state, throws)
        .map_err(|error| error.to_string())?;
    Ok(state)
}
