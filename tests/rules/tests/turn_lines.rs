//! The lines of a turn: walked as a person picks them, they lead to all results of the turn and to
//! no others.
//!
//! `ASHTA_LINES_POSITIONS` sets the number of random positions for each game and number of seats
//! (by default 200, in `./test deep` 1,500).

use std::collections::{BTreeSet, HashMap, HashSet};

use ashta_env::{
    chance::{self, below},
    game::{Action, Game, Node, Seat},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::builtin,
    turn::{TurnResults, turn_results},
};
use ashta_rule_tests::{amount, cases, engine, number, random};
use rand::Rng;

use super::sheet_keys;

/// The places of a seat's pieces, as the notation writes them.
fn places(race: &Race, state: &State, seat: Seat) -> Vec<String> {
    let mut places: Vec<String> = race
        .standing_within(state)
        .into_iter()
        .filter(|piece| piece.seat == seat)
        .map(|piece| race.place_text(piece.place))
        .collect();
    places.sort_unstable();
    places
}

/// A node of the graph with the own places, the captured pieces and the actions so far.
type Walked = (usize, Vec<String>, BTreeSet<(Seat, usize)>, Vec<Action>);

/// Picks and checks lines in every order; returns the texts of the first choice.
fn check(race: &Race, start: &State) -> Vec<String> {
    let graph = race.turn_graph(start, usize::MAX).expect("no bound");
    let (colour, text) = (race.colour(start), race.print(start));
    let verb = &race.ruleset().sheet().words.captures;
    let mut open: Vec<Walked> = vec![(0, places(race, start, colour), BTreeSet::new(), Vec::new())];
    let (mut seen, mut ends) = (HashSet::new(), HashSet::new());
    while let Some((at, own, captured, actions)) = open.pop() {
        if !seen.insert((at, own.clone(), captured.clone())) {
            continue;
        }
        let node = &graph.nodes[at];
        assert!(
            node.end.is_some() || !node.lines.is_empty(),
            "{text}: nothing can come after {actions:?}"
        );
        if let Some((end, rest)) = &node.end {
            let (mut state, end) = (*start, graph.ends[*end].0);
            actions
                .iter()
                .chain(rest)
                .for_each(|&action| race.apply_action(&mut state, action));
            assert_eq!(state, end, "{text}");
            assert_eq!(
                own,
                places(race, &end, colour),
                "{text}: {}",
                race.print(&end)
            );
            for seat in race
                .spec()
                .seats
                .iter()
                .filter(|&seat| seat != colour && !text.contains(';'))
            {
                let before = race.places(start, seat).to_vec();
                let mut after = race.places(&end, seat).to_vec();
                let mut lost = before.clone();
                lost.retain(|place| {
                    after
                        .iter()
                        .position(|other| other == place)
                        .map(|at| after.remove(at))
                        .is_none()
                });
                let announced = captured
                    .iter()
                    .filter(|&&(other, _)| other == seat)
                    .map(|&(_, slot)| before[slot]);
                assert_eq!(
                    announced.collect::<Vec<_>>(),
                    lost,
                    "{text}: {}",
                    race.print(&end)
                );
            }
            ends.insert(end);
        }
        let texts: HashSet<&str> = node
            .lines
            .iter()
            .map(|line| &*graph.moves[line.0].text)
            .collect();
        assert_eq!(
            texts.len(),
            node.lines.len(),
            "{text}: lines read alike: {texts:?}"
        );
        for line in &node.lines {
            let (next, mut own, mut captured) =
                (&graph.moves[line.0], own.clone(), captured.clone());
            for _ in next.pieces() {
                let from = own
                    .iter()
                    .position(|place| *place == race.place_text(next.from));
                own.swap_remove(
                    from.unwrap_or_else(|| panic!("{text}: nothing to move: {}", next.text)),
                );
            }
            own.extend(next.pieces().map(|_| race.place_text(next.to)));
            own.sort_unstable();
            assert!(
                next.captures.iter().all(|&piece| captured.insert(piece)),
                "{text}: {}",
                next.text
            );
            assert_eq!(
                next.text.contains(&format!(", {verb} ")),
                !next.captures.is_empty(),
                "{}",
                next.text
            );
            open.push((line.1, own, captured, [&actions[..], &line.2].concat()));
        }
    }
    let mut results = TurnResults::new();
    turn_results(race, start, &mut results);
    assert_eq!(ends, results.states().iter().copied().collect(), "{text}");
    let texts: HashSet<String> = graph
        .ends
        .iter()
        .map(|(_, actions)| race.turn_text(start, actions))
        .collect();
    assert_eq!(
        texts.len(),
        ends.len(),
        "{text}: turns read alike: {texts:?}"
    );
    let first = graph.nodes.first().map_or(&[][..], |node| &node.lines);
    first
        .iter()
        .map(|line| graph.moves[line.0].text.clone())
        .collect()
}

#[test]
fn lines_lead_to_all_results_and_announce_what_they_capture() {
    let wanted = number("ASHTA_LINES_POSITIONS", amount(40, 1_500));
    let games =
        builtin::names().flat_map(|game| (2..=4).map(move |seats| (game.to_owned(), seats)));
    let more = [
        "ashtapada?pieces=4",
        "ashtapada?twins=bell",
        "pagade?no_cut=lap",
        "chaupar?triples=all&must_use=optional",
    ];
    for (game, seats) in games.chain(more.map(|game| (game.to_owned(), 2))) {
        let Ok(ruleset) = Ruleset::seated(&game, Some(seats)) else {
            continue;
        };
        let (race, mut rng) = (Race::new(ruleset), chance::stream(58, seats as u64));
        let (mut state, mut results, mut checked) =
            (race.initial_state(Seat::SOUTH), TurnResults::new(), 0);
        while checked < wanted {
            match race.node(&state) {
                Node::Terminal => state = race.initial_state(Seat::SOUTH),
                Node::Chance(_) => {
                    let outcome = chance::outcome(race.chance_outcomes(&state), rng.next_u64());
                    race.apply_chance(&mut state, outcome);
                }
                Node::Decision(_) => {
                    turn_results(&race, &state, &mut results);
                    if results.len() > 1 {
                        check(&race, &state);
                        checked += 1;
                    }
                    // Now and then a position within the turn comes next.
                    let nth = below(results.len(), &mut rng);
                    if below(8, &mut rng) == 0 {
                        race.apply_action(&mut state, results.actions(nth)[0]);
                    } else {
                        state = *results.state(nth);
                    }
                }
            }
        }
    }
}

/// Random sheets of every kind of turn, many with courses that visit squares twice. `ASHTA_WORDS`
/// sets their number (by default 150, in `./test deep` 10,000), `ASHTA_SEED` chooses them.
#[test]
fn turns_of_random_sheets_have_words_of_their_own() {
    for (kind, mut rng) in sheet_keys::KINDS
        .chars()
        .cycle()
        .zip(cases(number("ASHTA_SEED", 58) as u64))
        .take(number("ASHTA_WORDS", amount(150, 10_000)))
    {
        let own = if below(2, &mut rng) == 0 {
            None
        } else {
            sheet_keys::random_pair(kind, &mut rng)
        };
        let sheet = own.unwrap_or_else(|| random::sheets::one_throw(&mut rng));
        let race = Race::new(random::sheets::ruleset(&sheet, &mut rng));
        let mut starts = random::played(&race, 4, &mut rng);
        starts.extend((0..8).map(|_| random::placed(&race, &mut rng)));
        for start in starts {
            let throws = engine::draw(&race, &start, &mut rng);
            let mut state = race.parse_state(&start).expect("a position");
            if throws.len() > 4 || race.throw(&mut state, &throws).is_err() {
                continue;
            }
            check(&race, &state);
            while let Node::Decision(_) = race.node(&state) {
                check_actions(&race, &state);
                let action = random::action(&race, &state, &mut rng);
                race.apply_action(&mut state, action);
            }
        }
    }
}

/// The words of two legal actions differ unless they lead to the same results.
fn check_actions(race: &Race, state: &State) {
    let mut known: HashMap<String, BTreeSet<String>> = HashMap::new();
    for action in race.legal_actions(state).iter() {
        let Some(step) = race.step(state, action) else {
            continue;
        };
        let mut next = *state;
        race.apply_action(&mut next, action);
        let is_end = !matches!(race.node(&next), Node::Decision(_));
        let results = if is_end {
            BTreeSet::from([race.print(&next)])
        } else {
            engine::afterstates(race, &next)
        };
        let other = known
            .entry(step.text.clone())
            .or_insert_with(|| results.clone());
        assert_eq!(*other, results, "{}: {}", race.print(state), step.text);
    }
}

#[test]
fn lines_with_the_same_results_are_shown_once() {
    for (position, lines) in [
        ("ashtapada S:7,22/N:3,20 N 1,1,2", &["H4 to H6 by 2"][..]),
        (
            "sokkattan?extra=any&move=optional S:hand,10,34/N:hand,hand,hand N 25",
            &["enter on J12", "enter on J12 (25 unused)"],
        ),
    ] {
        let (race, state) = Race::parse_position(position).expect("a position");
        let shown = check(&race, &state);
        assert!(
            lines
                .iter()
                .all(|line| shown.iter().any(|other| other == line)),
            "{shown:?}"
        );
    }
}

#[test]
fn lines_start_where_a_piece_stands() {
    for (position, missing) in [
        (
            "chaupar S:6,15,20,34/E:13,19,25,38/N:17,26,31,34/W:7,21,25,65 S 2,5,6",
            "2+5",
        ),
        ("ashtapada S:off,off/N:off,off N 1,1,2", "twins"),
    ] {
        let (race, state) = Race::parse_position(position).expect("a position");
        let lines = check(&race, &state);
        assert!(
            lines.len() > 1 && !lines.iter().any(|line| line.contains(missing)),
            "{lines:?}"
        );
    }
}
