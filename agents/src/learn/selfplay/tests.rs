//! The TD(λ) targets of self-play, checked on the solved toy game.

use super::*;
use crate::{
    learn::config::LearningConfig, play::baseline::PipEvaluator,
    search::test_support::ExactEvaluator,
};
use ashta_env::{
    game::{Action, Outcome, Seat},
    testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
    turn::{TurnResults, turn_results},
};

fn config() -> SelfPlayConfig {
    SelfPlayConfig {
        series_probability: 0.0,
        random_start_share: 0.0,
        branch_turns: 3,
        exploration: 0.0,
        turn_limit: u32::MAX,
        ..SelfPlayConfig::default()
    }
}

fn training(selfplay: &SelfPlayConfig) -> TrainConfig {
    let learning = LearningConfig {
        policy_temperature: 0.02,
        ..LearningConfig::default()
    };
    TrainConfig {
        selfplay: selfplay.clone(),
        learning,
        ..TrainConfig::default()
    }
}

fn play(
    game: &Toy,
    evaluator: &mut impl Evaluator<Toy>,
    config: &SelfPlayConfig,
    seed: u64,
    games: std::ops::Range<u64>,
) -> Vec<GameRecord<ToyState>> {
    play_games(game, evaluator, &training(config), seed, games)
}

fn rule(lambda: f32) -> TargetRule {
    TargetRule {
        lambda,
        luck_coefficient: 1.0,
    }
}

fn starts(
    game: &Toy,
    record: &GameRecord<ToyState>,
    rule: TargetRule,
) -> Vec<(ToyState, BySeat<f32>)> {
    let mut starts = Vec::new();
    record.visit(game, rule, |position| {
        if position.is_start {
            starts.push((position.state.clone(), position.values));
        }
    });
    starts
}

#[test]
fn with_exact_values_the_luck_is_gone_and_every_target_is_exact() {
    for table in [
        ToyTable::Two,
        ToyTable::Three,
        ToyTable::Teams,
        ToyTable::Placings,
    ] {
        let game = Toy::new(table, ToyPieces::One, ToyThrows::Again);
        let mut exact = ExactEvaluator::best(&game);
        for lambda in [0.0, 0.7, 1.0] {
            let config = SelfPlayConfig {
                exploration: 0.3,
                ..config()
            };
            for record in play(&game, &mut exact, &config, 5, 0..30) {
                for (state, target) in starts(&game, &record, rule(lambda)) {
                    let value = exact.of(&state);
                    for seat in game.spec().seats.iter() {
                        assert!(
                            (target[seat] - value[seat]).abs() < 1e-5,
                            "{table:?} λ {lambda}: {state:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn without_luck_correction_targets_are_right_on_average_only() {
    let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
    let mut exact = ExactEvaluator::best(&game);
    let mut config = training(&config());
    config.learning.luck_correction = false;
    let records = play_games(&game, &mut exact, &config, 5, 0..4000);
    let errors: Vec<f32> = records
        .iter()
        .map(|record| {
            let (state, target) = starts(&game, record, rule(1.0)).swap_remove(0);
            target[record.first] - exact.of(&state)[record.first]
        })
        .collect();
    let mean = errors.iter().sum::<f32>() / errors.len() as f32;
    assert!(mean.abs() < 0.03, "{mean}");
    assert!(errors.iter().any(|error| error.abs() > 0.3));
}

#[test]
fn branches_begin_with_results_that_were_not_chosen() {
    let game = Toy::two();
    let mut results = TurnResults::new();
    for (alternatives, branch_turns) in [(0, 1), (1, 1), (2, 3)] {
        let config = SelfPlayConfig {
            alternatives,
            branch_turns,
            ..config()
        };
        let mut lines = 0;
        for record in play(&game, &mut PipEvaluator, &config, 5, 0..30) {
            // The rejected afterstates of each turn.
            let mut rejected: Vec<Vec<ToyState>> = Vec::new();
            let mut state = game.initial_state(record.first);
            let (mut outcomes, mut actions) =
                (record.main.outcomes.iter(), record.main.actions.iter());
            while game.node(&state) != Node::Terminal {
                while let Node::Chance(_) = game.node(&state) {
                    game.apply_chance(&mut state, Outcome(*outcomes.next().expect("an outcome")));
                }
                turn_results(&game, &state, &mut results);
                while let Node::Decision(_) = game.node(&state) {
                    game.apply_action(&mut state, Action(*actions.next().expect("an action")));
                }
                let is_rejected =
                    |other: &&ToyState| **other != state && game.node(other) != Node::Terminal;
                rejected.push(
                    results
                        .states()
                        .iter()
                        .filter(is_rejected)
                        .cloned()
                        .collect(),
                );
            }
            let expected: usize = rejected
                .iter()
                .map(|others| others.len().min(alternatives as usize))
                .sum();
            assert_eq!(record.branches.len(), expected);
            let most = branch_turns as usize;
            for line in &record.branches {
                assert!(
                    rejected.iter().any(|others| others.contains(&line.start)),
                    "{line:?}"
                );
                assert!((1..=most).contains(&line.turns.len()), "{line:?}");
            }
            lines += record.branches.len();
        }
        assert_eq!(lines > 0, alternatives > 0);
    }
}

#[test]
fn games_depend_on_their_number_alone() {
    let game = Toy::new(ToyTable::Three, ToyPieces::Two, ToyThrows::Series);
    let config = SelfPlayConfig {
        series_probability: 0.05,
        branch_turns: 4,
        exploration: 0.1,
        random_start_share: 0.5,
        random_start_turns: 3,
        ..config()
    };
    let mut evaluator = PipEvaluator;
    let all = play(&game, &mut evaluator, &config, 9, 0..150);
    let some = play(&game, &mut evaluator, &config, 9, 140..150);
    assert_eq!(all[140..], some);
    assert_ne!(all[0].main.outcomes, all[1].main.outcomes);
    assert_ne!(
        play(&game, &mut evaluator, &config, 10, 0..1)[0]
            .main
            .outcomes,
        all[0].main.outcomes
    );
}

#[test]
fn policy_targets_prefer_the_best_action() {
    let game = Toy::two();
    let mut exact = ExactEvaluator::best(&game);
    let mut seen = 0;
    for record in play(&game, &mut exact, &config(), 5, 0..50) {
        record.visit(&game, rule(0.7), |position| {
            let Some(&(best, _)) = position.policy.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
                return;
            };
            let value = |action: Action| {
                let mut next = position.state.clone();
                game.apply_action(&mut next, action);
                exact.of(&next)[position.seat]
            };
            let legal = game.legal_actions(position.state);
            assert!(
                legal
                    .iter()
                    .all(|action| value(action) <= value(best) + 1e-6)
            );
            seen += 1;
        });
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn a_game_over_the_limit_is_truncated_without_a_result() {
    let game = Toy::two();
    let limited = SelfPlayConfig {
        turn_limit: 4,
        ..config()
    };
    let whole = play(&game, &mut PipEvaluator, &config(), 2, 0..40);
    let broken = play(&game, &mut PipEvaluator, &limited, 2, 0..40);
    for (whole, broken) in whole.iter().zip(&broken) {
        assert!(
            !whole.truncated && whole.main.turns.len() > 4,
            "the toy game takes longer"
        );
        assert!(broken.truncated && broken.main.turns.len() == 4);
        assert_eq!(broken.returns, BySeat::default());
        assert!(whole.main.outcomes.starts_with(&broken.main.outcomes));
        // The return is the value estimate of the last afterstate, between the worst and the best
        // return.
        let last = broken.main.targets(rule(0.7), game.spec().seats)[3].after_throw;
        assert!(
            (last[Seat::SOUTH] + last[Seat::NORTH] - 1.0).abs() < 1e-5 && last[Seat::SOUTH] > 0.0
        );
    }
}

/// Games between agents with exact values; the luck of the throws is exact, too.
fn exact_games(table: ToyTable, games: std::ops::Range<u64>) -> (Toy, Vec<GameRecord<ToyState>>) {
    let game = Toy::new(table, ToyPieces::One, ToyThrows::Again);
    let mut exact = ExactEvaluator::best(&game);
    let records = play(&game, &mut exact, &config(), 5, games);
    (game, records)
}

#[test]
fn the_fitted_coefficient_of_exact_luck_is_one() {
    for table in [ToyTable::Two, ToyTable::Three] {
        let (game, records) = exact_games(table, 0..300);
        for lambda in [0.5, 1.0] {
            let (each, all) = fit_luck(&records, lambda, game.spec().seats);
            assert!(
                each.iter().chain([&all]).all(|c| (c - 1.0).abs() < 1e-3),
                "{table:?} λ {lambda}: {all}"
            );
        }
    }
}

#[test]
fn the_coefficient_falls_where_the_values_tell_little() {
    // With doubled luck, the coefficient is a half; with noise instead of luck, it is zero.
    let (game, records) = exact_games(ToyTable::Two, 0..2000);
    let (seats, mut rng) = (game.spec().seats, chance::stream(7, 7));
    let mut changed = records.clone();
    let turns = |records: &mut [GameRecord<ToyState>],
                 change: &mut dyn FnMut(&mut TurnEstimate)| {
        records
            .iter_mut()
            .flat_map(|record| &mut record.main.turns)
            .for_each(change);
    };
    turns(&mut changed, &mut |turn| {
        seats.iter().for_each(|seat| {
            turn.best[seat] = turn.expected[seat] + 2.0 * (turn.best[seat] - turn.expected[seat])
        })
    });
    // The fit removes the luck of later targets twice, which adds noise.
    let (_, halved) = fit_luck(&changed, 1.0, seats);
    assert!((halved - 0.5).abs() < 0.1, "{halved}");
    let mut noise = records;
    turns(&mut noise, &mut |turn| {
        seats.iter().for_each(|seat| {
            turn.best[seat] = turn.expected[seat] + 0.2 * (random_unit(&mut rng) - 0.5)
        })
    });
    let (_, none) = fit_luck(&noise, 1.0, seats);
    assert!(none.abs() < 0.15, "{none}");
}

#[test]
fn the_coefficient_of_a_game_does_not_depend_on_it() {
    let (game, mut records) = exact_games(ToyTable::Two, 0..20);
    let seats = game.spec().seats;
    let coefficient = |records: &[GameRecord<ToyState>]| fit_luck(records, 0.8, seats).0[3];
    for record in &mut records {
        record
            .main
            .turns
            .iter_mut()
            .for_each(|turn| turn.best[Seat::SOUTH] *= 0.8);
    }
    let before = coefficient(&records);
    records[3]
        .main
        .turns
        .iter_mut()
        .for_each(|turn| turn.best[Seat::NORTH] *= 0.5);
    assert!((coefficient(&records) - before).abs() < 1e-6);
    records[4]
        .main
        .turns
        .iter_mut()
        .for_each(|turn| turn.best[Seat::NORTH] *= 0.5);
    assert!(
        (coefficient(&records) - before).abs() > 1e-4,
        "but on the others"
    );
    assert_eq!(
        fit_luck(&records[..1], 0.8, seats).0,
        [1.0],
        "with nothing to fit it on"
    );
}
