//! The worked examples of the rules against the engine and the oracle: three games in
//! `golden.json`, games on square boards in `square_golden.json`, games on crosses and the Royal
//! Game of Ur in `cross_golden.json`, and house rules and rare keys of sheets in
//! `house_rules_golden.json`.
//!
//! `golden.json` lists pieces; the next seat to act follows from the captures, throws and ends in
//! the example. Each test compares all positions in which a turn can end, as text: from the
//! engine's enumeration of whole turns, from stepping through every sequence of its actions, and
//! from the oracle.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use ashta_env::{
    game::SeatSet,
    race::Race,
    ruleset::Ruleset,
    sheet::{Sheet, builtin},
};
use ashta_rule_tests::{
    changes::{changed, split},
    engine, oracle,
};
use serde::Deserialize;
use serde_json::Value;

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
        let Some(keys) = &self.keys else {
            return Race::parse_position(&self.position).expect("a position").0;
        };
        let fields: Vec<&str> = self.position.split([' ', '?', '=']).collect();
        let mut table: toml::Table = builtin::named(fields[0])
            .expect("a game")
            .text()
            .parse()
            .expect("a sheet");
        table.remove("flags");
        let text = toml::to_string(&changed(&table, &split(keys))).expect("TOML");
        let sheet = Arc::new(
            Sheet::read(&text, "changed.toml").unwrap_or_else(|error| panic!("{keys}: {error}")),
        );
        let letters: String = self
            .position
            .chars()
            .filter(|letter| "SENW".contains(*letter))
            .collect();
        let seats =
            SeatSet::from_letters(&letters[..self.position.matches(':').count()]).expect("seats");
        let flags = (fields[1] == "pieces").then_some(("pieces", fields[2]));
        Race::new(Ruleset::of(sheet, seats, flags).expect("a ruleset"))
    }

    /// The sheet for the oracle. Without other keys, this is the file of the game, which the engine
    /// has not changed.
    fn sheet(&self, race: &Race) -> String {
        if self.keys.is_some() {
            return race.ruleset().base().text();
        }
        let name = self.position.split([' ', '?']).next().expect("a name");
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../env/games/{name}.toml"));
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }
}

fn check(all: &[Example]) {
    assert!(!all.is_empty(), "no examples");
    for example in all {
        let Example {
            name,
            position,
            throws,
            results,
            ..
        } = example;
        let race = example.race();
        for (who, found) in [
            (
                "oracle",
                oracle::turns(&example.sheet(&race), position, throws),
            ),
            ("whole turns", engine::turns(&race, position, throws)),
            ("actions", engine::turns_by_actions(&race, position, throws)),
        ] {
            assert_eq!(
                found.as_ref(),
                Ok(results),
                "{name} by {who}: {position} with {throws:?}"
            );
        }
    }
}

fn check_file(file: &str) {
    check(&serde_json::from_str::<Vec<Example>>(file).expect("a list of examples"));
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn integers(value: &Value) -> Vec<i64> {
    list(value)
        .iter()
        .map(|number| number.as_i64().expect("an integer"))
        .collect()
}

fn lists(value: &Value) -> Vec<Vec<i64>> {
    list(value).iter().map(integers).collect()
}

fn throws(value: &Value) -> Vec<u8> {
    integers(value)
        .into_iter()
        .map(|throw| u8::try_from(throw).expect("a throw is small"))
        .collect()
}

/// The letters of the seats of an example, in turn.
fn letters(example: &Value) -> Vec<String> {
    integers(&example["seats"])
        .into_iter()
        .map(|seat| ["S", "E", "N", "W"][usize::try_from(seat).expect("a seat")].to_owned())
        .collect()
}

/// A position of `game`: `seats` holds letters with marks, `pieces` their pieces, `end` mover and
/// pending.
fn text(
    game: &str,
    seats: &[String],
    pieces: &[Vec<i64>],
    words: &[(i64, &str)],
    end: &str,
) -> String {
    let word = |place: &i64| {
        words
            .iter()
            .find(|(value, _)| value == place)
            .map_or(place.to_string(), |(_, word)| (*word).to_owned())
    };
    let seats: Vec<String> = seats
        .iter()
        .zip(pieces)
        .map(|(seat, own)| {
            format!(
                "{seat}:{}",
                own.iter().map(word).collect::<Vec<_>>().join(",")
            )
        })
        .collect();
    format!("{game} {} {end}", seats.join("/"))
}

/// Checks the examples of `game` in `golden.json`; `read` returns the position, throws and results.
fn check_golden(game: &str, read: impl Fn(&Value) -> (String, Vec<u8>, BTreeSet<String>)) {
    let all: Vec<Value> =
        serde_json::from_str(include_str!("../../golden.json")).expect("golden.json is a list");
    let example = |value: &Value| {
        let (position, throws, results) = read(value);
        Example {
            name: value["name"].to_string(),
            position,
            throws,
            results,
            keys: None,
        }
    };
    check(
        &all.iter()
            .filter(|value| value["game"] == game)
            .map(example)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn ashtapada() {
    const WORDS: [(i64, &str); 3] = [(-1, "off"), (60, "keep"), (61, "borne")];
    let off = |own: &[i64]| own.iter().filter(|&&place| place == -1).count();
    check_golden("ashtapada", |example| {
        let game = match example["must_use"].as_str() {
            Some("max") => "ashtapada".to_owned(),
            other => format!("ashtapada?must_use={}", other.expect("a word")),
        };
        let (seats, state) = (letters(example), lists(&example["state"]));
        let result = |outcome: &Value| {
            let pieces = lists(outcome);
            let end = match pieces[0].iter().all(|&place| place == 61) {
                true => "- -",
                false if off(&pieces[1]) > off(&state[1]) => "S *",
                false => "N *",
            };
            text(&game, &seats, &pieces, &WORDS, end)
        };
        let results = list(&example["outcomes"]).iter().map(result).collect();
        (
            text(&game, &seats, &state, &WORDS, "S *"),
            throws(&example["throws"]),
            results,
        )
    });
}

#[test]
fn ashtapada_note_to_a14() {
    let game = "ashtapada?rule7_keep_counts=false";
    let results = BTreeSet::from([format!("{game} S:2,keep/N:off,off N *")]);
    let position = format!("{game} S:off,keep/N:off,off S *");
    check(&[Example {
        name: "A14".to_owned(),
        position,
        throws: vec![4, 1, 2],
        results,
        keys: None,
    }]);
}

#[test]
fn ashte_kashte() {
    const WORDS: [(i64, &str); 2] = [(0, "hand"), (48, "home")];
    check_golden("ashte_kashte", |example| {
        let seats = letters(example);
        let position =
            |state: &Value, end: &str| text("ashte-kashte", &seats, &lists(state), &WORDS, end);
        let result = |result: &Value| {
            let end = match integers(&result["state"][0])
                .iter()
                .all(|&place| place == 48)
            {
                true => "- -",
                false if example["again"] == true => "S *",
                false => "N *",
            };
            position(&result["state"], end)
        };
        let results = list(&example["moves"]).iter().map(result).collect();
        let throw =
            u8::try_from(example["throw"].as_u64().expect("a throw")).expect("a throw is small");
        (position(&example["state"], "S *"), vec![throw], results)
    });
}

#[test]
fn pagade() {
    const WORDS: [(i64, &str); 2] = [(0, "cut"), (84, "home")];
    check_golden("pagade", |example| {
        let game = match (example["no_cut"].as_str(), example["teams"].is_array()) {
            (Some("wait"), false) => "pagade".to_owned(),
            (Some("wait"), true) => "pagade?teams=true".to_owned(),
            (no_cut, _) => format!("pagade?no_cut={}", no_cut.expect("a word")),
        };
        let letters = letters(example);
        let position = |state: &Value, end: &str| {
            let mark = |own: &Value| if own[1] == true { "+" } else { "" };
            let seats = letters
                .iter()
                .zip(list(state))
                .map(|(seat, own)| format!("{seat}{}", mark(own)));
            let pieces: Vec<Vec<i64>> = list(state).iter().map(|own| integers(&own[0])).collect();
            text(&game, &seats.collect::<Vec<_>>(), &pieces, &WORDS, end)
        };
        let result = |outcome: &Value| {
            let won = integers(&outcome[0][0]).iter().all(|&place| place == 84);
            // P14 shows the dead position: the turn that leaves it ends the game.
            let over = won || example["name"] == "P14";
            position(
                outcome,
                &if over {
                    "- -".to_owned()
                } else {
                    format!("{} *", letters[1])
                },
            )
        };
        let results = list(&example["outcomes"]).iter().map(result).collect();
        (
            position(&example["state"], "S *"),
            throws(&example["roll"]),
            results,
        )
    });
}

#[test]
fn games_on_square_boards() {
    check_file(include_str!("../../square_golden.json"));
}

#[test]
fn games_on_crosses() {
    check_file(include_str!("../../cross_golden.json"));
}

#[test]
fn house_rules_and_rare_keys() {
    check_file(include_str!("../../house_rules_golden.json"));
}
