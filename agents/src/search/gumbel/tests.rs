//! The Gumbel search, checked on the solved toy game.

use super::*;
use crate::baseline::PipEvaluator;
use crate::search::test_support::{ExactEvaluator, Ignorant};
use ashta_env::testing::exact::Play;
use ashta_env::testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows};

const TABLES: [(ToyTable, ToyPieces, ToyThrows); 5] = [
    (ToyTable::Two, ToyPieces::Two, ToyThrows::Again),
    (ToyTable::Two, ToyPieces::Two, ToyThrows::Series),
    (ToyTable::Three, ToyPieces::One, ToyThrows::Series),
    (ToyTable::Teams, ToyPieces::One, ToyThrows::Again),
    (ToyTable::Placings, ToyPieces::One, ToyThrows::Again),
];

/// With 20 values far outweigh the noise.
fn config(simulations: u32, c_scale: f32) -> GumbelConfig {
    GumbelConfig { simulations, c_visit: 50.0, c_scale }
}

/// Some decisions with a choice, spread over the whole game.
fn choices(game: &Toy, exact: &ExactEvaluator) -> Vec<ToyState> {
    let is_free = |state: &ToyState| game.legal_actions(state).len() > 1;
    let free: Vec<ToyState> = exact.states().into_iter().filter(is_free).collect();
    free.iter().step_by((free.len() / 60).max(1)).cloned().collect()
}

/// What each legal action gives away, in ascending order.
fn regrets(game: &Toy, exact: &ExactEvaluator, state: &ToyState) -> Vec<f32> {
    let Node::Decision(seat) = game.node(state) else { panic!("a decision") };
    let value = |action| {
        let mut next = state.clone();
        game.apply_action(&mut next, action);
        exact.of(state)[seat] - exact.of(&next)[seat]
    };
    game.legal_actions(state).iter().map(value).collect()
}

/// The largest loss of a choice, the mean regret of the policies and the mean error of the values.
fn worst(game: &Toy, search: &mut Gumbel<Toy, impl Evaluator<Toy>>) -> (f32, f32, f32) {
    let exact = ExactEvaluator::new(game, BySeat([Play::Best; 4]));
    let states = choices(game, &exact);
    let (mut choice, mut policy, mut error) = (0.0_f32, 0.0, 0.0);
    let advice = search.search(game, &states, |place| place as u64);
    for (state, advice) in states.iter().zip(&advice) {
        let Node::Decision(seat) = game.node(state) else { panic!("a decision") };
        assert!((advice.policy.iter().map(|pair| pair.1).sum::<f32>() - 1.0).abs() < 1e-4);
        let regrets = regrets(game, &exact, state);
        assert_eq!(regrets.len(), advice.policy.len());
        for (&(action, probability), regret) in advice.policy.iter().zip(regrets) {
            policy += probability * regret / states.len() as f32;
            if action == advice.action {
                choice = choice.max(regret);
            }
        }
        error += (advice.values[seat] - exact.of(state)[seat]).abs() / states.len() as f32;
    }
    (choice, policy, error)
}

#[test]
fn with_exact_leaves_choices_and_policies_are_best() {
    for (table, pieces, throws) in TABLES {
        let game = Toy::new(table, pieces, throws);
        let exact = ExactEvaluator::new(&game, BySeat([Play::Best; 4]));
        for simulations in [16, 200] {
            let (choice, policy, error) = worst(&game, &mut Gumbel::new(exact.clone(), config(simulations, 20.0)));
            assert!(choice < 0.03, "{table:?} {throws:?}, {simulations}: a choice gives {choice} away");
            assert!(policy < 0.002, "{table:?} {throws:?}, {simulations}: policies give {policy} away");
            assert!(error < 0.007, "{table:?} {throws:?}, {simulations}: values are {error} off");
        }
    }
}

#[test]
fn simulations_mend_what_the_leaves_do_not_know() {
    for (table, pieces, throws) in TABLES {
        let game = Toy::new(table, pieces, throws);
        let (_, one, _) = worst(&game, &mut Gumbel::new(PipEvaluator, config(4, 1.0)));
        let (_, many, _) = worst(&game, &mut Gumbel::new(PipEvaluator, config(2000, 1.0)));
        assert!(many < 0.25 * one, "{table:?} {throws:?}: {one}, then {many}");
    }
}

#[test]
fn where_values_are_equal_the_noise_draws_from_the_policy() {
    let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
    let mut state = game.position(Seat::SOUTH, BySeat([[1, 3], [0; 2], [0; 2], [0; 2]]));
    game.apply_chance(&mut state, Outcome(1));
    let mut search = Gumbel::new(Ignorant::default(), config(4, 20.0));
    let drawn = search.search(&game, &vec![state; 2000], |place| place as u64);
    let mut counts = [0_i32; 4];
    drawn.iter().for_each(|advice| counts[usize::from(advice.action.0)] += 1);
    assert!(counts.iter().all(|count| (count - 500).abs() < 90), "{counts:?}");
}

#[test]
fn the_rest_of_the_batch_changes_nothing() {
    let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
    let exact = ExactEvaluator::new(&game, BySeat([Play::Best; 4]));
    let states = choices(&game, &exact);
    let mut search = Gumbel::new(PipEvaluator, config(16, 1.0));
    let together = search.search(&game, &states, |place| place as u64);
    for (place, state) in states.iter().enumerate() {
        assert_eq!(search.search(&game, std::slice::from_ref(state), |_| place as u64)[0], together[place]);
    }
}
