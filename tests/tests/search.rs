//! Search against exact values of real games: with one piece each they are small enough to be
//! solved.

use ashta_agents::{
    perfect::any::{Solved, solve_any},
    play::evaluator::Evaluator,
    search::{Expectimax, Mcts},
};
use ashta_env::{
    game::{BySeat, Game, Outcome},
    race::{Race, state::State},
};
use ashta_tests::solving::race;

/// Games for two seats. With more seats, best-response iteration cycles on these courses, so exact
/// values are unknown; the toy game has them.
const GAMES: [&str; 2] = ["ashte-kashte?pieces=1", "pagade?pieces=1"];

/// A game with its exact values.
fn solved(text: &str) -> (Race, Solved<State>) {
    let race = race(text, "SN");
    let solved = solve_any(&race, 1_000_000, 1e-9).expect("a small game");
    (race, solved)
}

/// Every `step`-th state, before and after a throw, in an order that does not change from run to
/// run.
fn sample(race: &Race, solved: &Solved<State>, step: usize) -> Vec<State> {
    let mut states: Vec<State> = solved.states().map(|(state, _)| *state).collect();
    states.sort_by_cached_key(|state| format!("{state:?}"));
    let with_throw = |state: State| {
        let thrown = race
            .chance_outcomes(&state)
            .iter()
            .position(|&chance| chance > 0.0)
            .map(|outcome| {
                let mut thrown = state;
                race.apply_chance(&mut thrown, Outcome(outcome as u8));
                thrown
            });
        [Some(state), thrown].into_iter().flatten()
    };
    states
        .into_iter()
        .step_by(step)
        .flat_map(with_throw)
        .collect()
}

/// Panics if a value is not exact.
fn check(race: &Race, solved: &Solved<State>, states: &[State], found: &[BySeat<f32>], text: &str) {
    let mut exact = Vec::new();
    solved.clone().values(race, states, &mut exact);
    for ((state, exact), found) in states.iter().zip(&exact).zip(found) {
        for seat in race.spec().seats.iter() {
            let error = (exact[seat] - found[seat]).abs();
            assert!(error < 1e-5, "{text}: off by {error} at {state:?}");
        }
    }
}

#[test]
fn expectimax_with_exact_leaves_is_exact() {
    for text in GAMES {
        let (race, solved) = solved(text);
        let states = sample(&race, &solved, 97);
        for depth in 0..=3 {
            let mut values = Vec::new();
            Expectimax::new(solved.clone(), depth).values(&race, &states, &mut values);
            let text = format!("{text}, depth {depth}");
            check(&race, &solved, &states, &values, &text);
        }
    }
}

#[test]
fn tree_search_with_exact_leaves_is_exact() {
    for text in GAMES {
        let (race, solved) = solved(text);
        let states = sample(&race, &solved, 499);
        for simulations in [1, 100] {
            let mut values = Vec::new();
            Mcts::new(solved.clone(), simulations).values(&race, &states, &mut values);
            let text = format!("{text}, {simulations} simulations");
            check(&race, &solved, &states, &values, &text);
        }
    }
}
