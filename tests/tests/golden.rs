//! The worked examples of the rules against the engine and the oracle: three games in `golden.json`, games on square
//! boards in `square_golden.json`, games on crosses and the Royal Game of Ur in `cross_golden.json`, and house rules
//! and rare keys of sheets in `house_rules_golden.json`.
//!
//! Each test compares all positions in which a turn can end, as text: from the engine's enumeration of whole turns,
//! from stepping through every sequence of its actions, and from the oracle.

use std::collections::BTreeSet;
use std::sync::Arc;

use ashta_env::game::SeatSet;
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::{Sheet, builtin};
use ashta_tests::changes::{changed, split};
use ashta_tests::{engine, oracle};
use serde::Deserialize;

#[derive(Deserialize)]
struct Example {
    name: String,
    position: String,
    throws: Vec<u8>,
    results: BTreeSet<String>,
    /// Other keys of the sheet, which then has no house rules.
    keys: Option<String>,
}

impl Example {
    fn race(&self) -> Race {
        let Some(keys) = &self.keys else { return Race::parse_position(&self.position).expect("a position").0 };
        let fields: Vec<&str> = self.position.split([' ', '?', '=']).collect();
        let mut table: toml::Table = builtin::named(fields[0]).expect("a game").text().parse().expect("a sheet");
        table.remove("flags");
        let text = toml::to_string(&changed(&table, &split(keys))).expect("TOML");
        let sheet = Arc::new(Sheet::read(&text, "changed.toml").unwrap_or_else(|error| panic!("{keys}: {error}")));
        let letters: String = self.position.chars().filter(|letter| "SENW".contains(*letter)).collect();
        let seats = SeatSet::from_letters(&letters[..self.position.matches(':').count()]).expect("seats");
        let flags = (fields[1] == "pieces").then_some(("pieces", fields[2]));
        Race::new(Ruleset::of(sheet, seats, flags).expect("a ruleset"))
    }
}

/// Checks the examples of a file, which has `count` of them.
fn check(file: &str, count: usize) {
    let all: Vec<Example> = serde_json::from_str(file).expect("a list of examples");
    assert_eq!(all.len(), count);
    for example in &all {
        let Example { name, position, throws, results, .. } = example;
        let race = example.race();
        for (who, found) in [
            ("oracle", oracle::turns(&race.ruleset().base().text(), position, throws)),
            ("whole turns", engine::turns(&race, position, throws)),
            ("actions", engine::turns_by_actions(&race, position, throws)),
        ] {
            assert_eq!(found.as_ref(), Ok(results), "{name} by {who}: {position} with {throws:?}");
        }
    }
}

#[test]
fn three_games() {
    check(include_str!("../golden.json"), 64);
}

#[test]
fn games_on_square_boards() {
    check(include_str!("../square_golden.json"), 100);
}

#[test]
fn games_on_crosses() {
    check(include_str!("../cross_golden.json"), 99);
}

#[test]
fn house_rules_and_rare_keys() {
    check(include_str!("../house_rules_golden.json"), 160);
}
