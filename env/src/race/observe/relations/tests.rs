//! Compares the relations with distances counted by hand, and by stepping along the courses.

use std::collections::BTreeSet;

use super::*;
use crate::{chance, game::Game, notation::test_support::random_play, race::Race, sheet::builtin};

/// Returns the names of the columns that are 1 in the relations of `owner`, as `observer` sees
/// them.
fn observed_columns(race: &Race, state: &State, observer: Seat, owner: Seat) -> Vec<String> {
    let relations = &race.layout.relations;
    let facts = relations.facts(&race.rules, state);
    let mut found = Vec::new();
    relations.observe(&race.rules, state, &facts, [observer, owner], 0, |column| {
        found.push(column)
    });
    let groups = [
        ("hunted", relations.hunted, FAR),
        ("staged", relations.staged, STAGES * FAR),
        ("followed", relations.followed, FAR),
        ("apart", relations.apart, FAR),
        ("progress", relations.progress, LEVELS),
        ("lead", relations.lead, LEVELS),
    ];
    let name = |column: u16| {
        let is_within =
            |&&(_, first, count): &&(&str, u16, u16)| (first..first + count).contains(&column);
        let (name, first, _) = groups.iter().find(is_within).expect("a column of a group");
        let number = column - first;
        match *name {
            "staged" => format!("stage {}: {}", number / FAR, number % FAR + 1),
            "progress" | "lead" => format!("{name} {number}"),
            name => format!("{name} {}", number + 1),
        }
    };
    found.into_iter().map(name).collect()
}

/// The columns of `owner` as the mover sees them: levels, or distances.
fn columns(position: &str, owner: Seat, are_levels: bool) -> Vec<String> {
    let (race, state) = Race::parse_position(position).expect("a position");
    let mut found = observed_columns(&race, &state, state.mover, owner);
    found.retain(|name| (name.starts_with("progress") || name.starts_with("lead")) == are_levels);
    found
}

fn distances(position: &str, owner: Seat) -> Vec<String> {
    columns(position, owner, false)
}

#[test]
fn distances_are_counted_on_the_course_of_the_piece_behind() {
    // North's square 10 is South's square 10 + 34 = 44. A distance of 17 steps has no column.
    for (south, owner, found) in [
        ("20,20,45,home", Seat::SOUTH, "hunted 1, stage 2: 1"),
        (
            "43,48,home,home",
            Seat::SOUTH,
            "hunted 4, stage 2: 4, apart 5",
        ),
        ("43,48,home,home", Seat::NORTH, "hunted 1, stage 0: 1"),
        ("60,home,home,home", Seat::SOUTH, "hunted 16, stage 2: 16"),
        ("61,home,home,home", Seat::SOUTH, ""),
    ] {
        let position = format!("pagade S+:{south}/N+:10,home,home,home S *");
        assert_eq!(distances(&position, owner).join(", "), found, "{position}");
    }
}

#[test]
fn pieces_that_are_safe_are_followed_and_partners_are_no_enemies() {
    assert_eq!(
        distances(
            "pagade S+:46,46,home,home/N+:10,home,home,home S *",
            Seat::SOUTH
        ),
        ["followed 2"]
    );
    // South's square 18 is North's square 6. It is protected.
    assert_eq!(
        distances("ashte-kashte?pieces=2 S:hand,18/N:2,4 S *", Seat::SOUTH),
        ["followed 2", "followed 4"]
    );
    let team = "pagade?teams=true S+:45,80,80,80/E+:80,80,80,80/N+:10,80,80,80/W+:80,80,80,80 S *";
    assert_eq!(distances(team, Seat::SOUTH), [""; 0]);
}

#[test]
fn progress_and_lead_have_levels() {
    // If all four pieces are at home, the sum of the places is 336. The highest level of progress
    // begins at 316, the highest lead at 70.
    for (position, owner, levels) in [
        (
            "S+:63,home,home,home/N+:5,5,15,15",
            Seat::SOUTH,
            "progress 14",
        ),
        (
            "S+:64,home,home,home/N+:5,5,15,15",
            Seat::SOUTH,
            "progress 15",
        ),
        (
            "S+:5,5,15,15/N+:5,5,15,15",
            Seat::NORTH,
            "progress 1, lead 8",
        ),
        (
            "S+:5,5,15,15/N+:5,5,14,15",
            Seat::NORTH,
            "progress 1, lead 7",
        ),
        (
            "S+:64,home,home,home/N+:5,5,15,15",
            Seat::NORTH,
            "progress 1, lead 0",
        ),
        (
            "S+:5,5,15,15/N+:11,15,42,42",
            Seat::NORTH,
            "progress 5, lead 15",
        ),
        (
            "S+:5,5,15,15/N+:10,15,42,42",
            Seat::NORTH,
            "progress 5, lead 14",
        ),
    ] {
        let found = columns(&format!("pagade {position} S *"), owner, true);
        assert_eq!(found.join(", "), levels, "{position}");
    }
}

/// Returns the distances of enemies behind the piece of `owner` on `place`, by stepping along the
/// courses.
fn distances_behind(race: &Race, state: &State, owner: Seat, place: u8) -> Vec<u16> {
    let rules = &race.rules;
    let entry = if rules.enters_by_count() {
        rules.enters_at
    } else {
        0
    };
    // A place without a square has no bit.
    let cell = rules.bits[owner][place];
    let mut found = Vec::new();
    for &enemy in race.seating.enemies(owner) {
        let is_open = rules.gate_rule.is_open(state, enemy);
        for from in state.pieces[enemy][..race.seating.pieces]
            .iter()
            .filter(|&&from| from < rules.home)
        {
            for steps in 1..=FAR as u8 {
                let from = if *from == 0 { entry } else { *from };
                let reached = rules.targets(from, 1 << steps, is_open);
                let is_there =
                    |to: u8| (1..rules.home).contains(&to) && rules.bits[enemy][to] & cell != 0;
                found.extend(places_of(reached).any(is_there).then_some(u16::from(steps)));
            }
        }
    }
    found
}

/// Returns the names of the columns with distances that should be 1 for `owner`.
fn expected(race: &Race, state: &State, owner: Seat) -> BTreeSet<String> {
    let rules = &race.rules;
    let pieces = &state.pieces[owner][..race.seating.pieces];
    let mut names = BTreeSet::new();
    for &place in pieces
        .iter()
        .filter(|place| (1..rules.home).contains(place))
    {
        let is_alone = pieces.iter().filter(|&&other| other == place).count() == 1;
        let stage = usize::from(place) * usize::from(STAGES) / usize::from(rules.home);
        for distance in distances_behind(race, state, owner, place) {
            if is_alone && rules.contested >> place & 1 == 1 {
                names.extend([
                    format!("hunted {distance}"),
                    format!("stage {stage}: {distance}"),
                ]);
            } else {
                names.insert(format!("followed {distance}"));
            }
        }
        let apart = pieces
            .iter()
            .filter(|&&other| other > 0)
            .filter_map(|&other| place.checked_sub(other));
        names.extend(
            apart
                .filter(|steps| (1..=FAR as u8).contains(steps))
                .map(|steps| format!("apart {steps}")),
        );
    }
    names
}

#[test]
fn every_distance_is_found_in_every_game() {
    let mut compared = 0;
    let texts = builtin::all()
        .iter()
        .flat_map(|sheet| {
            let name = sheet.name.clone();
            sheet
                .seats
                .allowed
                .iter()
                .map(move |letters| (name.clone(), letters.len()))
                .collect::<Vec<_>>()
        })
        .chain([
            ("pagade?no_cut=lap".to_owned(), 2),
            ("pagade?teams=true".to_owned(), 4),
        ]);
    for (text, seats) in texts {
        random_play(
            &text,
            seats,
            chance::stream(5, 0),
            4000,
            |race, state, rng| {
                let legal = race.legal_actions(state);
                let action = legal.nth(chance::below(legal.len(), rng));
                race.apply_action(state, action.expect("one of them"));
                for owner in race.seating.seats.iter() {
                    let expected = expected(race, state, owner);
                    let is_distance = |name: &String| !name.starts_with("progress");
                    let found: BTreeSet<String> = observed_columns(race, state, owner, owner)
                        .into_iter()
                        .filter(is_distance)
                        .collect();
                    assert_eq!(found, expected, "{}", race.print(state));
                    compared += usize::from(found.iter().any(|name| name.starts_with("hunted")));
                }
            },
        );
    }
    assert!(compared > 10_000, "only {compared}");
}

#[test]
fn single_pieces_of_enemies_can_be_met() {
    let capturable = |position: &str| {
        let (race, state) = Race::parse_position(position).expect("a position");
        let capturable = race
            .layout
            .relations
            .capturable_by(&race.rules, &state, Seat::SOUTH);
        (0..PLACES)
            .filter(|place| capturable >> place & 1 == 1)
            .collect::<Vec<_>>()
    };
    // North's square 10 is South's square 44. South cannot capture two pieces on one square
    // (doubles), its partner's pieces, or pieces at home or in the belly (the private middle column
    // of an arm).
    assert_eq!(capturable("pagade S:1,2,3,4/N+:10,20,20,80 S *"), [44]);
    assert_eq!(capturable("pagade S:1,2,3,4/N+:20,20,42,80 S *"), [8, 76]);
    assert_eq!(
        capturable(
            "pagade?teams=true S+:45,80,80,80/E+:80,80,80,80/N+:10,80,80,80/W+:80,80,80,80 S *"
        ),
        [0; 0]
    );
    // North's square 2 is South's square 14, which is place 15. North's square 12 is protected.
    assert_eq!(
        capturable("ashte-kashte?pieces=2 S:hand,hand/N:2,12 S *"),
        [15]
    );
}
