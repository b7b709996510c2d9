//! Property tests of every game under its default ruleset and under random rulesets.
//!
//! `ASHTA_LAWS_CASES` sets the number of random rulesets of each game (by default 1, in
//! `./test deep` 30).

use ashta_env::{chance, ruleset::Ruleset, sheet::builtin};
use ashta_rule_tests::{amount, laws::Laws, number, random};

/// Plays random games of a default ruleset; at most `truncated` of them may reach the turn limit.
#[track_caller]
fn check(game: &str, seats: usize, games: usize, truncated: usize) {
    let laws = Laws::new(Ruleset::seated(game, Some(seats)).expect("a valid ruleset"));
    let games = amount(games, 4 * games);
    let tally = laws
        .play(0x1A, games)
        .unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(tally.terminated + tally.truncated, games);
    assert!(tally.truncated <= truncated, "{game}: {tally:?}");
}

#[test]
fn partners_two_sets_and_laps() {
    check("pagade?teams=true", 4, 1, 0);
    check("pagade?two=two_sets", 4, 1, 0);
    check("pagade?no_cut=lap", 2, 2, 0);
}

/// Every built-in game, in `./test deep` for every number of seats.
#[test]
fn every_sheet() {
    for (nth, game) in builtin::names().enumerate() {
        let mut seats: Vec<usize> = (2..=4)
            .filter(|&seats| Ruleset::seated(game, Some(seats)).is_ok())
            .collect();
        let first = nth % seats.len();
        seats.rotate_left(first);
        seats.truncate(amount(1, 3));
        for seats in seats {
            check(game, seats, 1, amount(0, 1));
        }
    }
}

/// Random games of random rulesets of `game`.
fn check_random(game: &str) {
    for case in 0..number("ASHTA_LAWS_CASES", amount(1, 30)) as u64 {
        let ruleset = random::ruleset(game, &mut chance::stream(0x1A, case));
        Laws::new(ruleset.clone())
            .play(case, 1)
            .unwrap_or_else(|problem| panic!("{ruleset}: {problem}"));
    }
}

/// The games of one of three tests, which share the work.
fn check_random_of(third: usize) {
    builtin::names()
        .skip(third)
        .step_by(3)
        .for_each(check_random);
}

#[test]
fn random_rulesets_of_a_third_of_the_sheets() {
    check_random_of(0);
}

#[test]
fn random_rulesets_of_another_third() {
    check_random_of(1);
}

#[test]
fn random_rulesets_of_the_last_third() {
    check_random_of(2);
}
