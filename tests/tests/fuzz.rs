//! The functions of the fuzzer on its corpus, on past failures, and on random changes of sheets.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ashta_env::{
    chance::{self, GameRng, below},
    game::{Game, SeatSet},
    race::Race,
    ruleset::Ruleset,
    sheet::{Sheet, builtin},
};
use ashta_rule_tests::{number, random};
use ashta_tests::fuzz::{TARGETS, walk};

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of a folder").path())
        .collect();
    files.sort_unstable();
    files
}

/// Gives every file of `kind` to its target; each target has at least `least`.
fn replay(kind: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz")
        .join(kind);
    let names: Vec<PathBuf> = TARGETS.iter().map(|(name, _)| root.join(name)).collect();
    assert!(
        !files(&root).is_empty() && files(&root).iter().all(|folder| names.contains(folder)),
        "a folder of {kind} belongs to no target"
    );
    for (name, target) in TARGETS {
        let folder = root.join(name);
        let files = if folder.is_dir() {
            files(&folder)
        } else {
            Vec::new()
        };
        assert!(files.len() >= least, "{kind} has nothing for {name}");
        for file in files {
            // The last file named is the one that fails.
            println!("{}", file.display());
            target(&fs::read(&file).expect("a file of the corpus"));
        }
    }
}

#[test]
fn the_corpus_finds_nothing() {
    replay("corpus", 1);
}

#[test]
fn past_failures_are_fixed() {
    replay("regressions", 0);
}

/// Words that sheets have as values, to be put in each other's place.
const WORDS: &str = "throw series dice divide most one optional greedy no-merge start off count share block closed two \
                     any none together half lap wait each finish";

/// A built-in sheet with some numbers, words and lines changed.
fn mutated(rng: &mut GameRng) -> String {
    let words: Vec<&str> = WORDS.split(' ').collect();
    let sheets = builtin::all();
    let mut lines: Vec<String> = sheets[below(sheets.len(), rng)]
        .text()
        .lines()
        .take_while(|line| !line.starts_with("[flags"))
        .map(str::to_owned)
        .collect();
    for _ in 0..1 + below(3, rng) {
        let at = below(lines.len(), rng);
        let Some((key, value)) = lines[at]
            .split_once(" = ")
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
        else {
            continue;
        };
        let number: String = below(33, rng).to_string();
        lines[at] = match below(5, rng) {
            0 => String::new(),
            1 => format!("{key} = {number}"),
            2 => format!("{key} = \"{}\"", words[below(words.len(), rng)]),
            3 if value.starts_with('[') => value.replacen(['1', '4'], &number, 1).to_string(),
            _ => format!("{key} = {}", value.replacen(['1', '2', '6'], &number, 1)),
        };
    }
    lines.join("\n")
}

/// `ASHTA_SHEETS` sets the number of sheets.
#[test]
fn changed_sheets_are_refused_or_played() {
    let mut rng = chance::stream(31, 0);
    let (mut refused, mut played) = (0, 0);
    for _ in 0..number("ASHTA_SHEETS", 300) {
        let Ok(sheet) = Sheet::read(&mutated(&mut rng), "mutated").map(Arc::new) else {
            refused += 1;
            continue;
        };
        for letters in &sheet.seats.allowed {
            let seats = SeatSet::from_letters(letters).expect("a checked sheet");
            let pieces =
                sheet.pieces.allowed[below(sheet.pieces.allowed.len(), &mut rng)].to_string();
            let ruleset = Ruleset::of(Arc::clone(&sheet), seats, [("pieces", &*pieces)])
                .expect("a checked sheet");
            let race = Race::new(ruleset);
            let mut state = race.initial_state(seats.iter().next().expect("a seat"));
            for _ in 0..12 {
                walk(&race, state, &mut rng);
                for _ in 0..10 {
                    random::advance(&race, &mut state, &mut rng);
                }
            }
        }
        played += 1;
    }
    assert!(
        refused > 30 && played > 30,
        "{refused} refused, {played} played"
    );
}
