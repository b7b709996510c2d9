//! The example of backgammon: its rules against cases of OpenSpiel, its solved games against
//! equities of gnubg's `makehyper`, and a short training.

use std::sync::Arc;

use ashta_agents::{
    network::evaluator::NetEvaluator,
    perfect::any::{regret_in, solve_any},
    play::agent::RandomAgent,
};
use ashta_env::{
    game::{Action, Game, Outcome, Seat},
    testing::laws::{LawConfig, check_game},
};
use example::{
    backgammon::{Backgammon, Bot, train},
    ends,
};

#[path = "../../agents/examples/backgammon_gnubg.rs"]
#[expect(dead_code, reason = "its main function")]
mod example;

fn game(is_hyper: bool, checkers: u8) -> Backgammon {
    Backgammon::new(is_hyper, checkers, true).expect("a number of checkers")
}

#[test]
fn games_keep_the_laws() {
    let wins = Backgammon::new(false, 15, false).expect("a number of checkers");
    for game in [game(true, 1), game(true, 12), game(false, 4), wins] {
        let laws = LawConfig { seed: 1, games: 20 };
        check_game(&game, &laws).unwrap_or_else(|broken| panic!("{}: {broken}", game.spec().name));
    }
    for (is_hyper, checkers) in [(true, 13), (false, 16), (true, 0)] {
        let error = Backgammon::new(is_hyper, checkers, true).expect_err("out of range");
        assert!(error.contains(&format!("got {checkers}")), "{error}");
    }
}

/// `benches/backgammon_check.py --write` makes the file. The last numbers of a line are the number
/// of positions at the end of the turn and a checksum of these positions.
#[test]
fn turns_end_in_the_positions_of_openspiel() {
    let cases = include_str!("../golden/backgammon.txt");
    let (usual, hyper) = (game(false, 15), game(true, 3));
    for case in cases.lines() {
        let numbers: Vec<u32> = case
            .split(' ')
            .map(|n| n.parse().expect("a number"))
            .collect();
        let line = case.split(' ').take(54).collect::<Vec<_>>().join(" ");
        let count = numbers[..26].iter().sum::<u32>();
        let found = ends(if count == 15 { &usual } else { &hyper }, &line).expect("a case");
        let read = |end: &String| -> Vec<u32> {
            end.split(' ')
                .map(|n| n.parse().expect("a number"))
                .collect()
        };
        let mut read: Vec<Vec<u32>> = found.iter().map(read).collect();
        read.sort_unstable();
        let add = |sum: u32, &number: &u32| sum.wrapping_mul(31).wrapping_add(number);
        let checksum = read.iter().flatten().fold(0, add);
        assert_eq!([read.len() as u32, checksum], numbers[54..], "{case}");
    }
    let error = ends(&usual, "1 2 3").expect_err("too few numbers");
    assert!(error.to_string().contains("54 numbers"), "{error}");
}

#[test]
fn one_checker_has_the_equities_of_gnubg_and_is_learned() {
    let game = Arc::new(game(true, 1));
    let solved = solve_any(&*game, 10_000, 1e-9).expect("a small game");
    for (own, enemy, equity) in [
        (12, 7, -0.529_112),
        (25, 12, -1.175_648),
        (9, 17, 1.800_258),
        (2, 17, 2.0),
        (21, 9, -0.415_539),
        (4, 11, 1.962_963),
    ] {
        let state = game.position_before_throw(&[own], &[enemy]);
        let value = solved.value(&state).expect("a reachable position");
        let found = game.equity(value);
        assert!((found - equity).abs() < 1e-5, "{own} {enemy}: {found}");
    }
    let net = train(&game, 3_000).expect("nothing goes wrong");
    let bot = &mut Bot::new(NetEvaluator::new(net));
    let [bot, random] = [
        regret_in(&*game, &solved, bot, 1_000, 1),
        regret_in(&*game, &solved, &mut RandomAgent, 1_000, 1),
    ];
    assert!(bot.interval[1] < random.interval[0], "{bot:?} {random:?}");
}

#[test]
fn gammons_and_backgammons_count_more() {
    let game = game(true, 2);
    for (enemy, points) in [([0, 9], 1.0), ([9, 9], 2.0), ([9, 19], 3.0), ([9, 25], 3.0)] {
        let mut state = game.position_before_throw(&[0, 3], &enemy);
        // A throw of 6 and 5 bears off the last checker.
        game.apply_chance(&mut state, Outcome(19));
        game.apply_action(&mut state, Action(3));
        let value = f64::from(game.returns(&state)[Seat::SOUTH]);
        assert!((game.equity(value) - points).abs() < 1e-6, "{enemy:?}");
    }
}
