//! The engine with the interface of the oracle: from a turn-start state and throws to the texts of all afterstates.

use std::collections::BTreeSet;

use ashta_env::game::{Game, Node};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::turn::{TurnResults, turn_results};

/// Every afterstate of `position` with `throws`, by enumeration of whole turns.
///
/// # Errors
/// The engine's error for an invalid position or impossible throws.
pub fn turns(position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    turns_of(&Race::parse_position(position).map_err(|error| error.to_string())?.0, position, throws)
}

/// [`turns`] in a game of any sheet.
///
/// # Errors
/// As [`turns`].
pub fn turns_of(race: &Race, position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let mut state = race.parse_state(position).map_err(|error| error.to_string())?;
    race.throw(&mut state, throws).map_err(|error| error.to_string())?;
    let mut results = TurnResults::new();
    turn_results(race, &state, &mut results);
    Ok(results.states().iter().map(|state| race.print(state)).collect())
}

/// The same by stepping through every sequence of legal actions, without deduplication.
///
/// # Errors
/// As [`turns`].
pub fn turns_by_actions(position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
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
    let (race, state) = thrown(position, throws)?;
    let mut found = BTreeSet::new();
    walk(&race, &state, &mut found);
    Ok(found)
}

fn thrown(position: &str, throws: &[u8]) -> Result<(Race, State), String> {
    let (race, mut state) = Race::parse_position(position).map_err(|error| error.to_string())?;
    race.throw(&mut state, throws).map_err(|error| error.to_string())?;
    Ok((race, state))
}
