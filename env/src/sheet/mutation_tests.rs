//! Mutation fuzzing of sheets: a sheet with random changes is refused or can be played, and reading never panics.

use std::sync::Arc;

use rand::RngExt;

use super::{Sheet, builtin};
use crate::chance::{self, GameRng};
use crate::game::{Game, Node, Outcome, SeatSet};
use crate::race::Race;
use crate::sheet::ruleset::Ruleset;

/// Words that sheets have as values, to be put in each other's place.
const WORDS: [&str; 24] = [
    "\"throw\"",
    "\"series\"",
    "\"dice\"",
    "\"divide\"",
    "\"most\"",
    "\"one\"",
    "\"optional\"",
    "\"greedy\"",
    "\"no-merge\"",
    "\"start\"",
    "\"off\"",
    "\"count\"",
    "\"share\"",
    "\"block\"",
    "\"closed\"",
    "\"two\"",
    "\"any\"",
    "\"none\"",
    "\"together\"",
    "\"half\"",
    "\"lap\"",
    "\"wait\"",
    "\"each\"",
    "\"finish\"",
];

/// A built-in sheet with some numbers, words and lines changed.
fn mutated(rng: &mut GameRng) -> String {
    let sheets = builtin::all();
    let text = sheets[rng.random_range(0..sheets.len())].text();
    let mut lines: Vec<String> =
        text.lines().take_while(|line| !line.starts_with("[flags")).map(str::to_owned).collect();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..lines.len());
        let Some((key, value)) = lines[at].split_once(" = ").map(|(key, value)| (key.to_owned(), value.to_owned()))
        else {
            continue;
        };
        let number: String = rng.random_range(0..33_u8).to_string();
        lines[at] = match rng.random_range(0..5) {
            0 => String::new(),
            1 => format!("{key} = {number}"),
            2 => format!("{key} = {}", WORDS[rng.random_range(0..WORDS.len())]),
            3 if value.starts_with('[') => value.replacen(['1', '4'], &number, 1).to_string(),
            _ => format!("{key} = {}", value.replacen(['1', '2', '6'], &number, 1)),
        };
    }
    lines.join("\n")
}

/// Plays on at random, and parses every printed position.
fn play(sheet: Arc<Sheet>, letters: &str, rng: &mut GameRng) {
    let seats = SeatSet::from_letters(letters).expect("a checked sheet");
    let pieces = sheet.pieces.allowed[rng.random_range(0..sheet.pieces.allowed.len())].to_string();
    let text = sheet.text();
    let ruleset =
        Ruleset::of(sheet, seats, [("pieces", pieces.as_str())]).unwrap_or_else(|error| panic!("{error}: {text}"));
    let race = Race::new(ruleset);
    let mut state = race.initial_state(seats.iter().next().expect("a seat"));
    let mut view = vec![0.0; race.spec().observation];
    for _ in 0..120 {
        let printed = race.print(&state);
        assert_eq!(race.parse_state(&printed).as_ref(), Ok(&state), "{printed}: {text}");
        race.draw(&state);
        race.observe(&state, state.mover, &mut view);
        match race.node(&state) {
            Node::Terminal => break,
            Node::Chance(_) => {
                let outcome = chance::outcome(race.chance_outcomes(&state), rng.random());
                race.apply_chance(&mut state, Outcome(outcome.0));
            }
            Node::Decision(_) => {
                let legal = race.legal_actions(&state);
                let action = legal.nth(rng.random_range(0..legal.len())).expect("a legal action");
                let _ = race.step(&state, action).map(|step| step.text);
                let _ = race.action_text(&state, action);
                race.apply_action(&mut state, action);
            }
        }
    }
}

#[test]
fn changed_sheets_are_refused_or_played() {
    let mut rng = chance::stream(31, 0);
    let (mut refused, mut played) = (0, 0);
    for _ in 0..std::env::var("ASHTA_SHEETS").map_or(300, |count| count.parse().expect("a number")) {
        match Sheet::read(&mutated(&mut rng), "mutated") {
            Err(error) => {
                assert!(!error.problems.is_empty());
                refused += 1;
            }
            Ok(sheet) => {
                let sheet = Arc::new(sheet);
                for letters in sheet.seats.allowed.clone() {
                    play(Arc::clone(&sheet), &letters, &mut rng);
                }
                played += 1;
            }
        }
    }
    assert!(refused > 30 && played > 30, "{refused} refused, {played} played");
}
