//! The rules in sentences: they change exactly when a rule of the sheet changes, and never with its
//! prose.

use std::sync::Arc;

use ashta_env::{
    game::Game,
    notation::RuleTopic,
    race::Race,
    ruleset::Ruleset,
    sheet::{DiceLook, Look, Sheet, Words, builtin},
};
use ashta_rule_tests::changes;

fn race(sheet: Sheet) -> Race {
    Race::new(Ruleset::seated_of(Arc::new(sheet), None, []).expect("a sheet that was checked"))
}

fn game(name: &str) -> Sheet {
    Sheet::clone(builtin::named(name).expect("a built-in game"))
}

/// The sheet with other values of keys (TOML) and without house rules, so that keys may have no
/// effect.
fn changed(name: &str, keys: &str) -> Race {
    let mut table: toml::Table = game(name).text().parse().expect("TOML");
    table.remove("flags");
    let table = changes::changed(&table, &[keys.to_owned()]);
    race(
        Sheet::read_saved(&table.to_string(), "changed")
            .unwrap_or_else(|error| panic!("{name}, {keys}: {error}")),
    )
}

fn sentences(race: &Race) -> Vec<String> {
    race.understood()
        .into_iter()
        .flat_map(|topic| topic.sentences)
        .collect()
}

/// The game with these house rules, if they go together.
fn with(name: &str, flags: &[(&str, &str)]) -> Option<Race> {
    let sheet = Arc::clone(builtin::named(name).expect("a built-in game"));
    Some(Race::new(
        Ruleset::seated_of(sheet, None, flags.iter().copied()).ok()?,
    ))
}

#[test]
fn every_value_of_a_house_rule_is_told_from_the_others() {
    for sheet in builtin::all() {
        // A house rule can depend on another one, for example on teams.
        let others: Vec<(&String, &String)> = sheet
            .flags
            .iter()
            .flat_map(|(flag, of)| of.values.keys().map(move |value| (flag, value)))
            .collect();
        for (flag, of) in &sheet.flags {
            let values: Vec<&String> = of.values.keys().collect();
            for (at, one) in values.iter().enumerate() {
                for other in &values[at + 1..] {
                    let differs = |context: &[(&str, &str)]| {
                        let under = |value: &str| {
                            with(&sheet.name, &[&[(flag.as_str(), value)], context].concat())
                        };
                        under(one)
                            .zip(under(other))
                            .is_some_and(|(one, other)| one.understood() != other.understood())
                    };
                    let is_told = differs(&[])
                        || others.iter().any(|(flag, value)| differs(&[(flag, value)]));
                    assert!(is_told, "{}: {flag}={one} reads as {other}", sheet.name);
                }
            }
        }
    }
}

#[test]
fn games_and_numbers_of_pieces_are_told_from_each_other() {
    let mut seen: Vec<(String, Vec<RuleTopic>)> = Vec::new();
    for sheet in builtin::all() {
        for count in &sheet.pieces.allowed {
            let text = format!("{}?pieces={count}", sheet.name);
            let understood = with(&sheet.name, &[("pieces", &count.to_string())])
                .expect("pieces")
                .understood();
            let same = seen.iter().find(|(_, other)| *other == understood);
            assert!(
                same.is_none(),
                "{text} reads as {:?}",
                same.map(|(text, _)| text)
            );
            seen.push((text, understood));
        }
    }
}

#[test]
fn prose_changes_nothing_and_words_only_themselves() {
    for sheet in builtin::all() {
        let before = race(Sheet::clone(sheet));
        let mut other = Sheet::clone(sheet);
        "other".clone_into(&mut other.name);
        for text in [
            &mut other.title,
            &mut other.summary,
            &mut other.place,
            &mut other.rules,
        ] {
            "Pieces move backwards and 9 enters.".clone_into(text);
        }
        (other.minutes, other.sources, other.board.look) =
            (Some(999), vec!["Hearsay".to_owned()], Look::Chalk);
        other.throws.look = DiceLook::Sticks;
        for flag in other.flags.values_mut() {
            "Nothing.".clone_into(&mut flag.about);
        }
        assert_eq!(
            race(other.clone()).understood(),
            before.understood(),
            "{}",
            sheet.name
        );

        let mut said = serde_json::to_string(
            &race(Sheet {
                words: tokens(),
                ..other
            })
            .understood(),
        )
        .expect("JSON");
        let [new, old] = [&tokens(), &sheet.words].map(|words| {
            let words = serde_json::to_value(words).expect("JSON");
            words
                .as_object()
                .expect("words")
                .values()
                .map(|word| word.as_str().expect("a word").to_owned())
                .collect()
        });
        let (new, old): (Vec<String>, Vec<String>) = (new, old);
        for (new, old) in new.iter().zip(&old) {
            said = said.replace(new, old);
        }
        assert_eq!(
            said,
            serde_json::to_string(&before.understood()).expect("JSON"),
            "{}",
            sheet.name
        );
    }
}

/// Words that are written nowhere else.
fn tokens() -> Words {
    let word = |word: &str| format!("qqq{word}qqq");
    Words {
        off: word("off"),
        home: word("home"),
        borne: word("borne"),
        unit: word("unit"),
        captures: word("captures"),
        captured: word("captured"),
        mark: word("mark"),
        finish: word("finish"),
        private: word("private"),
    }
}

#[test]
fn changed_keys_change_the_sentences_about_them() {
    for (name, keys, old, new) in [
        (
            "siga",
            "turn.again = [2]",
            "1 or 8 grants one more throw, also where it could not be used.",
            "2 grants",
        ),
        (
            "siga",
            "entry.first = [2]",
            "A throw of 1 lets a waiting piece enter.",
            "A throw of 2 lets",
        ),
        (
            "siga",
            "entry.at = \"count\"",
            "It enters on the first square, 0 (C1).",
            "South's pieces enter with 1 on D1.",
        ),
        (
            "siga",
            "seats.turn_limit = 7",
            "After 500 turns",
            "After 7 turns",
        ),
        (
            "siga",
            "seats.order = \"clockwise\"",
            "to the right",
            "to the left",
        ),
        (
            "siga",
            "throws.odds = [3, 1, 4, 4, 4]",
            "8 has the probability 1/16 (6.2 %)",
            "8 has the probability 3/16 (18.8 %).",
        ),
        (
            "siga",
            "pieces.sent_to = \"start\"",
            "must enter again",
            "returns to the first square",
        ),
        (
            "siga",
            "board.marks = []",
            "Marked squares (marked): C1, A3, E3, C5.",
            "Pieces are captured only on 0 to 23.",
        ),
        (
            "siga",
            "capture.group = \"one\"",
            "captures all of them",
            "of a seat captures one of them",
        ),
        (
            "ashtapada",
            "turn.stop = [2, 3, 8]",
            "A series ends with 2 or 3.",
            "A series ends with 2, 3 or 8.",
        ),
        (
            "ashtapada",
            "finish.bear_off = []",
            "bears a piece off",
            "A piece there (keep) has finished.",
        ),
        (
            "ashtapada",
            "unit.speed = \"half-even\"",
            "by the whole throw",
            "half of an even throw",
        ),
        (
            "ashte-kashte",
            "unit.passable = true",
            "may not pass",
            "Everything can be passed.",
        ),
        (
            "pagade",
            "entry.next = [4]",
            "",
            "Otherwise a die, or the sum of both, of 4 does.",
        ),
        (
            "pagade",
            "gate.at = 50",
            "from 77 (J2) on",
            "from 50 (I12) on",
        ),
        (
            "pagade",
            "pieces.setup = [1, 2, 3, 4]",
            "6, 7, 12, 12",
            "Pieces begin on 1, 2, 3, 4.",
        ),
        (
            "sokkattan",
            "turn.bonus_order = \"any\"",
            "",
            "If possible, both parts are played, otherwise one of the two.",
        ),
        (
            "ashtapada",
            "entry.lost_before = \"off-course\"",
            "",
            "entry are lost, even if no piece waits.",
        ),
        (
            "saturankam",
            "finish.doublets = [3]",
            "is 1, 3 or 4 squares away",
            "is 3 squares away",
        ),
        (
            "ludo",
            "finish.from_last = [6]",
            "",
            "From the square before it, 1 or 6 moves a piece there.",
        ),
        (
            "ludo",
            "turn.bonus = [4]",
            "",
            "After 4 an extra step of 1 is played by any piece on the board.",
        ),
        (
            "ludo",
            "entry.tries = 3",
            "",
            "The seat throws again until 3 tries in a row have failed;",
        ),
        (
            "ashta-kashte-1892",
            "entry.spends = false",
            "is used up",
            "after it any piece on the board may also play",
        ),
    ] {
        let (before, after) = (
            sentences(&race(game(name))),
            sentences(&changed(name, keys)),
        );
        let says =
            |said: &[String], part: &str| said.iter().any(|sentence| sentence.contains(part));
        assert!(
            says(&before, old) && !says(&before, new),
            "{name}, {keys}: {before:#?}"
        );
        assert!(
            says(&after, new) && (old.is_empty() || !says(&after, old)),
            "{name}, {keys}: {after:#?}"
        );
        assert_eq!(
            sentences(&changed(name, "")),
            before,
            "house rules that are not played change nothing"
        );
    }
}

#[test]
fn the_sentences_are_sentences() {
    for sheet in builtin::all() {
        for RuleTopic { topic, sentences } in race(Sheet::clone(sheet)).understood() {
            assert!(
                !topic.is_empty() && !sentences.is_empty(),
                "{}: {topic}",
                sheet.name
            );
            for sentence in sentences {
                let is_begun = sentence.starts_with(|first: char| {
                    first.is_uppercase() || first.is_ascii_digit() || first == '`'
                });
                assert!(
                    is_begun && sentence.ends_with('.') && !sentence.contains("  "),
                    "{}: {sentence}",
                    sheet.name
                );
            }
        }
    }
}

#[test]
fn a_turn_limit_of_its_own_is_said() {
    let race = race(game("siga")).with_turn_limit(std::num::NonZero::new(7).expect("7"));
    assert_eq!(race.spec().turn_limit, 7);
    assert!(
        sentences(&race)
            .iter()
            .any(|sentence| sentence.contains("After 7 turns"))
    );
}
