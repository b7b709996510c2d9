//! Perft: the number of different positions after a given number of throws and actions.
//!
//! A line of a `.perft` file is `position ; depth count`; lines that begin with `#` describe the position. A ply is one
//! possible throw or one legal action. Equal positions count once, and finished games have no successors.

use std::collections::HashSet;

use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::sheet::builtin;
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
    let (race, state) = Race::parse_position(position).map_err(|error| format!("{line}: {error}"))?;
    let count = perft(&race, state, depth.parse().map_err(|_| wrong())?);
    Ok(format!("{position} ; {depth} {count}"))
}

/// The name of a game in the names of files.
fn file_name(game: &str) -> String {
    game.replace('-', "_")
}

#[test]
fn every_game_has_its_counts() {
    for game in builtin::names() {
        let file = format!("{}.perft", file_name(game));
        let text = golden::read(&file).unwrap_or_else(|problem| panic!("{problem}"));
        assert!(text.lines().any(|line| line.starts_with(game)), "{file} counts nothing");
        let counted = text.lines().map(recount).collect::<Result<Vec<_>, _>>();
        let problem = counted.and_then(|lines| golden::compare(&file, &format!("{}\n", lines.join("\n")))).err();
        assert!(problem.is_none(), "{}", problem.unwrap_or_default());
    }
}
