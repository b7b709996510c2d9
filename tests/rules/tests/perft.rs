//! Perft: the number of different positions after a given number of throws and actions.
//!
//! A line of a `.perft` file is `position ; depth count`; lines that begin with `#` describe the
//! position. A ply is one possible throw or one legal action. Equal positions count once, and
//! finished games have no successors.

use std::collections::HashSet;

use ashta_env::{
    race::{Race, state::State},
    sheet::builtin,
    testing::laws::successors,
};
use ashta_rule_tests::golden;

/// The number of different positions `depth` plies after `state`.
fn perft(race: &Race, state: State, depth: usize) -> usize {
    let mut layer = HashSet::from([state]);
    for _ in 0..depth {
        layer = layer
            .iter()
            .flat_map(|state| successors(race, state))
            .collect();
    }
    layer.len()
}

/// A line of a file with its count taken anew.
fn recount(line: &str) -> String {
    if line.is_empty() || line.starts_with('#') {
        return format!("{line}\n");
    }
    let (position, numbers) = line.split_once(" ; ").expect("a position and numbers");
    let (depth, _) = numbers.split_once(' ').expect("a depth and a count");
    let (race, state) =
        Race::parse_position(position).unwrap_or_else(|error| panic!("{line}: {error}"));
    format!(
        "{position} ; {depth} {}\n",
        perft(&race, state, depth.parse().expect("a depth"))
    )
}

#[test]
fn every_game_has_its_counts() {
    for game in builtin::names() {
        let file = format!("{}.perft", game.replace('-', "_"));
        let text = golden::read(&file);
        assert!(
            text.lines().any(|line| line.starts_with(game)),
            "{file} counts nothing"
        );
        golden::compare(&file, &text.lines().map(recount).collect::<String>());
    }
}
