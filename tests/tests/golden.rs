//! The worked examples of the rules against the engine and the oracle: three games in `golden.json`, games on square
//! boards in `square_golden.json`, games on crosses and the Royal Game of Ur in `cross_golden.json`, and house rules
//! and rare keys of sheets in `house_rules_golden.json`.
//!
//! `golden.json` lists pieces; the next seat to act follows from the captures, throws and ends in the example. Each
//! test compares all positions in which a turn can end, as text: from the engine's enumeration of whole turns, from
//! stepping through every sequence of its actions, and from the oracle.

use std::collections::BTreeSet;
use std::sync::Arc;

use ashta_env::game::SeatSet;
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::{Sheet, builtin};
use ashta_tests::changes::{changed, split};
use ashta_tests::{engine, oracle};
use serde_json::Value;

const GOLDEN: &str = include_str!("../golden.json");
const SQUARE_GOLDEN: &str = include_str!("../square_golden.json");
const CROSS_GOLDEN: &str = include_str!("../cross_golden.json");
const HOUSE_RULES_GOLDEN: &str = include_str!("../house_rules_golden.json");

fn examples(game: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(GOLDEN).expect("golden.json is a list");
    all.into_iter().filter(|example| example["game"] == game).collect()
}

fn name(example: &Value) -> &str {
    example["name"].as_str().expect("an example has a name")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn integers(value: &Value) -> Vec<i64> {
    list(value).iter().map(|number| number.as_i64().expect("an integer")).collect()
}

fn throws(value: &Value) -> Vec<u8> {
    integers(value).into_iter().map(|throw| u8::try_from(throw).expect("a throw is small")).collect()
}

/// The letters of the seats of an example, in turn.
fn letters(example: &Value) -> Vec<&'static str> {
    integers(&example["seats"])
        .into_iter()
        .map(|seat| ["S", "E", "N", "W"][usize::try_from(seat).expect("a seat")])
        .collect()
}

/// A position of `game`: `seats` holds letters with marks, `pieces` their pieces, `end` mover and pending.
fn text(game: &str, seats: &[String], pieces: &[Vec<i64>], words: &[(i64, &str)], end: &str) -> String {
    let word = |place: &i64| {
        let special = words.iter().find(|(value, _)| value == place);
        special.map_or(place.to_string(), |(_, word)| (*word).to_owned())
    };
    let seats: Vec<String> = seats
        .iter()
        .zip(pieces)
        .map(|(seat, own)| format!("{seat}:{}", own.iter().map(word).collect::<Vec<_>>().join(",")))
        .collect();
    format!("{game} {} {end}", seats.join("/"))
}

#[track_caller]
fn check(name: &str, start: &str, throws: &[u8], expected: &BTreeSet<String>) {
    for (who, result) in [
        ("oracle", oracle::turns(start, throws)),
        ("whole turns", engine::turns(start, throws)),
        ("actions", engine::turns_by_actions(start, throws)),
    ] {
        assert_eq!(result.as_ref(), Ok(expected), "{name} by {who}: {start} with {throws:?}");
    }
}

#[test]
fn there_are_63_examples() {
    let counts = ["ashtapada", "ashte_kashte", "pagade"].map(|game| examples(game).len());
    assert_eq!(counts, [22, 22, 19]);
}

#[test]
fn ashtapada() {
    const WORDS: [(i64, &str); 3] = [(-1, "off"), (60, "keep"), (61, "borne")];
    let off = |own: &[i64]| own.iter().filter(|&&place| place == -1).count();
    for example in examples("ashtapada") {
        let game = match example["must_use"].as_str() {
            Some("max") => "ashtapada".to_owned(),
            other => format!("ashtapada?must_use={}", other.expect("a word")),
        };
        let seats: Vec<String> = letters(&example).into_iter().map(str::to_owned).collect();
        let state: Vec<Vec<i64>> = list(&example["state"]).iter().map(integers).collect();
        let expected = list(&example["outcomes"])
            .iter()
            .map(|outcome| {
                let pieces: Vec<Vec<i64>> = list(outcome).iter().map(integers).collect();
                let won = pieces[0].iter().all(|&place| place == 61);
                let captured = off(&pieces[1]) > off(&state[1]);
                let end = if won {
                    "- -"
                } else if captured {
                    "S *"
                } else {
                    "N *"
                };
                text(&game, &seats, &pieces, &WORDS, end)
            })
            .collect();
        let start = text(&game, &seats, &state, &WORDS, "S *");
        check(name(&example), &start, &throws(&example["throws"]), &expected);
    }
}

#[test]
fn ashtapada_note_to_a14() {
    let game = "ashtapada?rule7_keep_counts=false";
    let expected = BTreeSet::from([format!("{game} S:2,keep/N:off,off N *")]);
    check("A14", &format!("{game} S:off,keep/N:off,off S *"), &[4, 1, 2], &expected);
}

#[test]
fn ashte_kashte() {
    const WORDS: [(i64, &str); 2] = [(0, "hand"), (48, "home")];
    for example in examples("ashte_kashte") {
        let seats: Vec<String> = letters(&example).into_iter().map(str::to_owned).collect();
        let state: Vec<Vec<i64>> = list(&example["state"]).iter().map(integers).collect();
        let expected = list(&example["moves"])
            .iter()
            .map(|result| {
                let pieces: Vec<Vec<i64>> = list(&result["state"]).iter().map(integers).collect();
                let won = pieces[0].iter().all(|&place| place == 48);
                let end = if won {
                    "- -"
                } else if example["again"] == true {
                    "S *"
                } else {
                    "N *"
                };
                text("ashte-kashte", &seats, &pieces, &WORDS, end)
            })
            .collect();
        let start = text("ashte-kashte", &seats, &state, &WORDS, "S *");
        let throw = u8::try_from(example["throw"].as_u64().expect("a throw")).expect("a throw is small");
        check(name(&example), &start, &[throw], &expected);
    }
}

#[test]
fn pagade() {
    const WORDS: [(i64, &str); 2] = [(0, "cut"), (84, "home")];
    for example in examples("pagade") {
        let game = match (example["no_cut"].as_str(), example["teams"].is_array()) {
            (Some("wait"), false) => "pagade".to_owned(),
            (Some("wait"), true) => "pagade?teams=true".to_owned(),
            (no_cut, _) => format!("pagade?no_cut={}", no_cut.expect("a word")),
        };
        let letters = letters(&example);
        let position = |state: &Value, end: &str| {
            let state = list(state);
            let mark = |own: &Value| if own[1] == true { "+" } else { "" };
            let seats: Vec<String> =
                letters.iter().zip(state).map(|(seat, own)| format!("{seat}{}", mark(own))).collect();
            let pieces: Vec<Vec<i64>> = state.iter().map(|own| integers(&own[0])).collect();
            text(&game, &seats, &pieces, &WORDS, end)
        };
        let expected = list(&example["outcomes"])
            .iter()
            .map(|outcome| {
                let won = integers(&outcome[0][0]).iter().all(|&place| place == 84);
                // P14 shows the dead position: the turn that leaves it ends the game.
                let over = won || name(&example) == "P14";
                position(outcome, &if over { "- -".to_owned() } else { format!("{} *", letters[1]) })
            })
            .collect();
        check(name(&example), &position(&example["state"], "S *"), &throws(&example["roll"]), &expected);
    }
}

/// The game of the position, with other keys of its sheet and without its house rules.
fn changed_game(keys: &str, position: &str) -> Race {
    let fields: Vec<&str> = position.split([' ', '?', '=']).collect();
    let mut table: toml::Table = builtin::named(fields[0]).expect("a game").text().parse().expect("a sheet");
    table.remove("flags");
    let text = toml::to_string(&changed(&table, &split(keys))).expect("TOML");
    let sheet = Arc::new(Sheet::read(&text, "changed.toml").unwrap_or_else(|error| panic!("{keys}: {error}")));
    let letters: String = position.chars().filter(|letter| "SENW".contains(*letter)).collect();
    let seats = SeatSet::from_letters(&letters[..position.matches(':').count()]).expect("seats");
    let flags = (fields[1] == "pieces").then_some(("pieces", fields[2]));
    Race::new(Ruleset::of(sheet, seats, flags).expect("a ruleset"))
}

#[test]
fn games_in_the_notation() {
    for (file, count) in [(SQUARE_GOLDEN, 100), (CROSS_GOLDEN, 99), (HOUSE_RULES_GOLDEN, 160)] {
        let all: Vec<Value> = serde_json::from_str(file).expect("a list");
        assert_eq!(all.len(), count);
        for example in &all {
            let text = |value: &Value| value.as_str().expect("a position").to_owned();
            let expected: BTreeSet<String> = list(&example["results"]).iter().map(text).collect();
            let (position, throws) = (text(&example["position"]), throws(&example["throws"]));
            let Some(keys) = example["keys"].as_str() else {
                check(name(example), &position, &throws, &expected);
                continue;
            };
            let race = changed_game(keys, &position);
            for (who, result) in [
                ("oracle", oracle::turns_of(&race.ruleset().sheet().text(), &position, &throws)),
                ("whole turns", engine::turns_of(&race, &position, &throws)),
            ] {
                assert_eq!(result.as_ref(), Ok(&expected), "{} by {who}: {position}", name(example));
            }
        }
    }
}
