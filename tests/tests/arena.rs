//! The arena's statistics against exact win probabilities, from the values of a solved game.

use std::{ops::ControlFlow, sync::Arc};

use ashta_agents::{
    arena::{
        Blocks, Contestant, Interval, MatchConfig, MatchSetup, PlayedGame, analyze_game, luck,
        play_blocks, rotations, sides,
    },
    perfect::{
        solve::PlayerPolicy,
        table::{Perfect, Table},
    },
    play::{
        agent::{Agent, OnePly},
        baseline::PipEvaluator,
    },
};
use ashta_env::{game::Game, race::Race, turn_index::TurnModel};
use ashta_rule_tests::amount;
use ashta_tests::solving::{CONFIG, response, solved, start, turns, values_by_steps};

#[test]
fn exact_win_probabilities_lie_in_the_intervals_as_often_as_they_should() {
    let turns = turns("ashte-kashte?pieces=1&move=optional", "SN");
    let race = turns.index().race().clone();
    let solution = solved(&turns, &CONFIG);
    // The exact win probability of the step-counting agent against perfect play.
    let thinks = values_by_steps(&turns);
    let styles = [
        PlayerPolicy::GreedyBy(&thinks),
        PlayerPolicy::GreedyBy(&solution.values),
    ];
    let exact = response(&turns, start(&turns), styles, &CONFIG).mean();
    assert!(exact < 0.495, "{exact}");

    let table = Arc::new(Table::new(turns.index().clone(), solution, false));
    let contestants = || {
        let pips = Box::new(OnePly::new(PipEvaluator)) as Box<dyn Agent<Race> + Send>;
        let perfect =
            Box::new(OnePly::new(Perfect::new(Arc::clone(&table)))) as Box<dyn Agent<Race> + Send>;
        vec![
            Box::new(pips) as Box<dyn Contestant<Race>>,
            Box::new(perfect),
        ]
    };
    let seatings = rotations(&sides(race.spec()), &[0, 1]);
    let meeting = MatchSetup {
        game: &race,
        contestants: &contestants,
        seatings: &|_| seatings.clone(),
        is_stopped: &|| false,
    };
    // The same games luck-corrected (control variate) by perfect play, and by step counting.
    let study = || {
        let (mut right, mut wrong) = (Perfect::new(Arc::clone(&table)), PipEvaluator);
        let race = &race;
        Box::new(move |game: PlayedGame| {
            let own = game.seating.seats_of(0).iter().next().expect("it sits");
            let start = race.initial_state(game.first);
            let (moves, block) = (&game.moves, game.block);
            let lucks = [
                analyze_game(race, &mut right, start, moves, block, 0.0),
                analyze_game(race, &mut wrong, start, moves, block, 0.0),
            ];
            [
                f64::from(game.returns[own]),
                luck(&lucks[0])[own],
                luck(&lucks[1])[own],
            ]
        }) as Box<dyn FnMut(PlayedGame) -> [f64; 3]>
    };
    let (mut held, mut shrinkage) = ([0; 3], [0.0; 2]);
    let runs = amount(60, 200);
    for seed in 0..runs as u64 {
        let config = MatchConfig {
            seed,
            ..MatchConfig::default()
        };
        let mut sums = [const { Vec::new() }; 3];
        // 50 blocks of two games.
        let mut residual = [0.0; 2];
        let mut take = |_, games: Vec<[f64; 3]>| {
            for (part, sums) in sums.iter_mut().enumerate() {
                sums.push(games.iter().map(|game| game[part]).sum::<f64>() / games.len() as f64);
            }
            for [score, right, wrong] in games {
                residual[0] += (score - right - 0.5).powi(2) / 200.0;
                residual[1] += (score - wrong - 0.5).powi(2) / 200.0;
            }
            ControlFlow::Continue(())
        };
        play_blocks(&meeting, 0..50, &config, study, &mut take);
        let [scores, right, wrong] = sums;
        let mut intervals = vec![Interval::of_scores(&scores, &[]).interval];
        for (which, (luck, independent_variance)) in
            [right, wrong].into_iter().zip(residual).enumerate()
        {
            let adjusted = Blocks {
                scores: scores.clone(),
                luck,
                strata: Vec::new(),
                independent_variance,
            }
            .luck_adjusted();
            shrinkage[which] += adjusted.shrinkage / runs as f64;
            intervals.push(adjusted.estimate.interval);
        }
        for (held, [low, high]) in held.iter_mut().zip(intervals) {
            *held += i32::from(low <= exact && exact <= high);
        }
    }
    // 95 % are expected; three deviations less are allowed. Intervals from few blocks are rather
    // too wide.
    let least = 0.95 * runs as f64 - 3.0 * (0.95 * 0.05 * runs as f64).sqrt();
    assert!(
        held.iter().all(|&held| f64::from(held) >= least),
        "{held:?} of {runs}"
    );
    assert!(
        shrinkage[0] > 2.0 && shrinkage[0] > shrinkage[1] && shrinkage[1] > 1.0,
        "{shrinkage:?}"
    );
}
