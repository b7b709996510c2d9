//! Search against exact values of real games: with one piece each they are small enough to be
//! solved position by position, by a solver that shares nothing with the searches.

use std::sync::Arc;

use ashta_agents::play::evaluator::{Evaluation, Evaluator};
use ashta_agents::search::{Expectimax, Mcts};
use ashta_env::game::{BySeat, Game};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::testing::exact::{Exact, Play, solve};
use ashta_tests::solving::race;

/// Games for two seats. With more seats, best-response iteration cycles on these courses, so exact
/// values are unknown; the toy game has them.
const GAMES: [&str; 2] = ["ashte-kashte?pieces=1", "pagade?pieces=1"];

/// A solved game; as an evaluator it returns exact values, without a policy.
#[derive(Clone)]
struct Solved {
    race: Arc<Race>,
    exact: Arc<Exact<State>>,
}

impl Solved {
    fn new(text: &str) -> Solved {
        let race = race(text, "SN");
        let exact = solve(&race, BySeat([Play::Best; 4])).expect("the values settle");
        Solved {
            race: Arc::new(race),
            exact: Arc::new(exact),
        }
    }

    fn of(&self, state: &State) -> BySeat<f32> {
        BySeat(
            self.exact
                .values(state)
                .expect("a reachable position")
                .0
                .map(|value| value as f32),
        )
    }

    /// Every `step`-th position that `is_wanted`, in an order that does not change from run to run.
    fn sample(&self, step: usize, is_wanted: impl Fn(&State) -> bool) -> Vec<State> {
        let mut states: Vec<State> = self
            .exact
            .states()
            .filter(|state| is_wanted(state))
            .copied()
            .collect();
        states.sort_by_cached_key(|state| format!("{state:?}"));
        states.into_iter().step_by(step).collect()
    }

    fn furthest(&self, values: &BySeat<f32>, state: &State) -> f32 {
        let truth = self.of(state);
        self.race
            .spec()
            .seats
            .iter()
            .map(|seat| (truth[seat] - values[seat]).abs())
            .fold(0.0, f32::max)
    }
}

impl Evaluator<Race> for Solved {
    fn evaluate(&mut self, _game: &Race, states: &[State]) -> Vec<Evaluation> {
        states.iter().map(|state| self.of(state).into()).collect()
    }
}

#[test]
fn expectimax_with_exact_leaves_is_exact() {
    for text in GAMES {
        let solved = Solved::new(text);
        let states = solved.sample(97, |_| true);
        for depth in 0..=3 {
            let mut values = Vec::new();
            Expectimax::new(solved.clone(), depth).values(&solved.race, &states, &mut values);
            for (state, values) in states.iter().zip(&values) {
                let error = solved.furthest(values, state);
                assert!(
                    error < 1e-5,
                    "{text}, depth {depth}: off by {error} at {state:?}"
                );
            }
        }
    }
}

#[test]
fn tree_search_with_exact_leaves_is_exact() {
    for text in GAMES {
        let solved = Solved::new(text);
        let states = solved.sample(499, |_| true);
        for simulations in [1, 100] {
            let evaluations =
                Mcts::new(solved.clone(), simulations).evaluate(&solved.race, &states);
            for (state, evaluation) in states.iter().zip(&evaluations) {
                let error = solved.furthest(&evaluation.values, state);
                assert!(
                    error < 1e-5,
                    "{text}, {simulations} simulations: off by {error} at {state:?}"
                );
            }
        }
    }
}
