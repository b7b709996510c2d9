//! Turns in words.

use super::*;
use crate::{
    chance,
    notation::test_support::random_play,
    turn::{TurnResults, turn_results},
};

/// Every distinct afterstate of the turn of a position, in words.
fn turns(position: &str) -> Vec<String> {
    let (race, state) = Race::parse_position(position).expect("a position");
    let mut results = TurnResults::new();
    turn_results(&race, &state, &mut results);
    let mut texts: Vec<String> = (0..results.len())
        .map(|index| race.turn_text(&state, results.actions(index)))
        .collect();
    texts.sort_unstable();
    texts
}

#[test]
fn turns_are_described_by_squares() {
    for (position, words) in [
        ("ashtapada S:off,off/N:off,off S 4,8,2", "pass"),
        (
            "ashtapada S:off,off/N:off,off S 4,1,3",
            "enter on E1, then E1 to H1 by 3 (4 unused)",
        ),
        (
            "ashtapada S:off,off/N:off,off S 1,1,2",
            "enter 2 on E1, then twins E1 to G1 by 2",
        ),
        (
            "ashtapada S:keep,keep/N:off,off S 1,1,3",
            "bear 2 off (3 unused), wins",
        ),
        (
            "ashtapada S:5,30/N:off,23 S 4,2",
            "H3 to H7 by 4, then B2 to B4 by 2, captures N on H7, throws again",
        ),
        (
            "ashtapada?twin_speed=half_floor S:6,6/N:off,off S 4,3",
            "twins H4 to H7 by 4+3",
        ),
        (
            "ashte-kashte S:hand,hand,8,8/N:hand,hand,hand,22 S 2",
            "double G6 to F7 by 2, captures N on F7",
        ),
        (
            "ashte-kashte S:45,home,home,home/N:hand,hand,hand,hand S 4",
            "pass, throws again",
        ),
        (
            "ashte-kashte S:45,home,home,home/N:hand,hand,hand,hand S 3",
            "D5 home by 3, wins",
        ),
        // The extra step of a throw is not part of the throw.
        (
            "sokkattan S:hand,hand,hand/N:hand,hand,hand S 10",
            "enter on J8 (10 unused), throws again",
        ),
        (
            "sokkattan?extra=any S:hand,hand,hand/N:hand,hand,hand S 10",
            "enter on J8, then J8 to K3 by 10, throws again",
        ),
        (
            "pagade S:3,20,20,40/N+:6,7,58,58 S 4,4",
            "pair O9 to S9 by 4, cuts NN on S9",
        ),
        (
            "pagade?no_cut=lap S:60,74,75,75/N:6,7,12,12 S 3,4",
            "I1 to K6 by 3+4",
        ),
        (
            "pagade S+:79,81,home,home/N:6,7,12,12 S 3,6",
            "J6 home by 3 (6 unused)",
        ),
        // Within a turn, the throws that were allotted are described, too.
        (
            "ashtapada S:off,off/N:off,off S 2;off+1",
            "enter on E1, then E1 to H1 by 1+2",
        ),
        (
            "ashtapada?must_use=greedy S:23,keep/N:59,keep N 1,1,1,2;keep-,!1",
            "bear off, then E6 to the keep by 1 (1, 1, 1, 2 unused)",
        ),
        (
            "ashtapada?twin_speed=half_floor S:6,6/N:off,off S 3;6&2,6~",
            "twins H4 to H7 by 3 after 2 steps",
        ),
        (
            "pagade S:3,12,30,73/N:6,7,12,68 S 6;30+4",
            "O11 to K12 by 4, then I3 to J4 by 6, cuts N on K12",
        ),
        (
            "pagade S:7,16,17,17/N:12,12,30,34 S 1;17^4",
            "L9 to P9 by 4, then K8 to L9 by 1",
        ),
        (
            "pagade?must_use=optional S:3,12,30,73/N:6,7,12,68 S 6;30+4",
            "O11 to K12 by 4 (6 unused), cuts N on K12",
        ),
    ] {
        assert!(
            turns(position).iter().any(|turn| turn == words),
            "{words} in {:?}",
            turns(position)
        );
    }
}

/// The pieces with their target squares and the effects, without the throws.
fn squares(text: &str) -> Vec<&str> {
    let (before, after) = text.split_once(" (").map_or((text, ""), |(before, rest)| {
        (
            before,
            rest.split_once(')')
                .map_or("", |(_, after)| after.trim_start_matches(", ")),
        )
    });
    let mut parts: Vec<&str> = [before, after]
        .into_iter()
        .flat_map(|half| half.split(", "))
        .map(|part| {
            part.trim_start_matches("then ")
                .split(" by ")
                .next()
                .unwrap_or_default()
        })
        .collect();
    parts.sort_unstable();
    parts
}

#[test]
fn the_rest_of_a_turn_is_described_as_the_whole_turn() {
    for (game, seats) in [
        ("ashtapada?pieces=4", 2),
        ("ashtapada?must_use=greedy", 2),
        ("pagade", 2),
    ] {
        let mut results = TurnResults::new();
        let mut rests = 0;
        random_play(
            game,
            seats,
            chance::stream(3, 0),
            4000,
            |race, state, rng| {
                turn_results(race, state, &mut results);
                let nth = chance::below(results.len(), rng);
                let (actions, mut within) = (results.actions(nth), *state);
                let whole = race.turn_text(state, actions);
                for done in 1..actions.len() {
                    race.apply_action(&mut within, actions[done - 1]);
                    let rest = race.turn_text(&within, &actions[done..]);
                    assert_eq!(
                        squares(&rest),
                        squares(&whole),
                        "{rest} | {whole} | {}",
                        race.print(&within)
                    );
                    rests += 1;
                }
                *state = *results.state(nth);
            },
        );
        assert!(rests > 500, "{game}: {rests}");
    }
}
