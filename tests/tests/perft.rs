//! Counts of positions: how many different positions lie so many throws and actions after a given one.
//!
//! A line of a `.perft` file is `position ; depth count`; lines that begin with `#` say what the position is about. A
//! ply is one throw that can happen or one legal action, equal positions count once, and finished games go no further.

use std::collections::HashSet;

use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::testing::laws::successors;
use ashta_tests::golden;

/// The number of different positions `depth` plies after `state`.
fn perft(race: &Race, state: State, depth: usize) -> usize {
    let mut layer = HashSet::from([state]);
    for _ in 0..depth {
        layer = layer.iter().flat_map(|state| successors(race, state)).collect();
    }
    layer.len()
}

/// A line of a file with its count taken anew.
fn recount(line: &str) -> Result<String, String> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(line.to_owned());
    }
    let wrong = || format!("`{line}` is not `position ; depth count`");
    let (position, numbers) = line.split_once(" ; ").ok_or_else(wrong)?;
    let (depth, _) = numbers.split_once(' ').ok_or_else(wrong)?;
    let (race, state) = Race::parse(position).map_err(|error| error.to_string())?;
    let count = perft(&race, state, depth.parse().map_err(|_| wrong())?);
    Ok(format!("{position} ; {depth} {count}"))
}

#[track_caller]
fn check(file: &str) {
    let counted = golden::read(file).and_then(|text| text.lines().map(recount).collect::<Result<Vec<_>, _>>());
    if let Err(problem) = counted.and_then(|lines| golden::compare(file, &format!("{}\n", lines.join("\n")))) {
        panic!("{problem}");
    }
}

#[test]
fn ashtapada() {
    check("ashtapada.perft");
}

#[test]
fn ashte_kashte() {
    check("ashte_kashte.perft");
}

#[test]
fn pagade() {
    check("pagade.perft");
}
