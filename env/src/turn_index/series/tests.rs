//! The tables for series have the same afterstates as the engine.

use std::collections::BTreeMap;

use super::{legal::KeptThrows, *};
use crate::{
    chance, game::Game, race::Race, sheet::ruleset::Ruleset, testing::recorder::Recorder,
    turn_index::listed_tests::by_engine,
};

/// Every flag of the turn with every value, and some combinations.
const RULES: [&str; 24] = [
    "thaayam",
    "thaayam?twins=none",
    "thaayam?twins=colocated&must_use=optional",
    "thaayam?must_use=optional",
    "ashtapada",
    "ashtapada?zero_value=5",
    "ashtapada?dice=uniform5",
    "ashtapada?path=spiral_kile",
    "ashtapada?must_use=greedy",
    "ashtapada?must_use=optional",
    "ashtapada?x=block",
    "ashtapada?twins=none",
    "ashtapada?twins=bell",
    "ashtapada?twin_speed=half_floor",
    "ashtapada?twin_split=false",
    "ashtapada?rule7_keep_counts=false",
    "ashtapada?twins=bell&twin_split=false",
    "ashtapada?twins=bell&must_use=greedy&x=block",
    "ashtapada?twin_speed=half_floor&must_use=greedy",
    "ashtapada?twin_speed=half_floor&twin_split=false&zero_value=5",
    "ashtapada?x=block&must_use=greedy&twin_split=false",
    "ashtapada?x=block&must_use=optional&twins=bell",
    "ashtapada?x=block&path=spiral_kile&twin_speed=half_floor",
    "ashtapada?rule7_keep_counts=false&must_use=optional&dice=uniform5",
];

fn starts(text: &str, seats: usize) -> TurnIndex {
    let race = Race::new(
        Ruleset::parse(text, Ruleset::default_seats(seats).expect("seats")).expect("valid"),
    );
    TurnIndex::new(&race).expect("few enough")
}

fn series_turns(index: &TurnIndex) -> &SeriesTurns {
    index.race.turns.as_series().expect("a series with one hop")
}

/// The largest number of throws before the last throw of a series in these tests.
const LENGTH: u8 = 8;

fn random_sides(index: &TurnIndex, rng: &mut chance::GameRng) -> Sides {
    // More rules apply at the ends of the course.
    let home = series_turns(index).rules.home;
    let is_at_an_end = |&place: &u8| place < 2 || place >= home - 2;
    let all = 0..index.sides().len() as Side;
    let at_ends: Vec<Side> = all
        .clone()
        .filter(|&side| index.sides.places(side).iter().all(is_at_an_end))
        .collect();
    let mut sides = [0; MAX_SEATS];
    sides[..index.seats()].fill_with(|| match chance::below(4, rng) {
        0 => at_ends[chance::below(at_ends.len(), rng)],
        1 => all.end - 1 - chance::below(all.len().min(200), rng) as Side,
        _ => chance::below(all.len(), rng) as Side,
    });
    sides
}

/// Classes of throws: their afterstates and their probability.
type Classes = BTreeMap<BTreeSet<TurnEnd>, f64>;

fn classes(index: &TurnIndex, walk: &SeriesWalk, mover: Seat, sides: Sides) -> Classes {
    let mut found = Recorder::new(sides);
    walk.visit(index, mover, sides, 1, &mut found);
    let mut merged = Classes::new();
    for (probability, ends) in found.throws {
        assert!(probability > 0.0 && !ends.is_empty());
        *merged.entry(ends).or_insert(0.0) += probability;
    }
    merged
}

/// The probabilities of the throws 1, 2, 3, 4, and of the throw in which no cowrie has its mouth
/// up.
fn chances(index: &TurnIndex) -> [f64; 5] {
    std::array::from_fn(|outcome| index.race.rules.chances[outcome])
}

/// Visits all series with up to `length` throws before the last one, with their probabilities.
fn each_series(
    chances: &[f64; 5],
    length: usize,
    series: &mut Vec<u8>,
    probability: f64,
    visit: &mut impl FnMut(&[u8], f64),
) {
    for outcome in 0..5 {
        let probability = probability * chances[usize::from(outcome)];
        series.push(outcome);
        if [1, 2].contains(&outcome) {
            visit(series, probability);
        } else if series.len() <= length {
            each_series(chances, length, series, probability, visit);
        }
        series.pop();
    }
}

/// Compares the classes with the engine, for every series of up to `length` throws before the last.
fn check_position(index: &TurnIndex, walk: &SeriesWalk, mover: Seat, sides: Sides, length: usize) {
    let mut left = classes(index, walk, mover, sides);
    let total: f64 = left.values().sum();
    assert!(
        total <= 1.0 + 1e-12 && total >= 1.0 - walk.cut_off - 1e-12,
        "{total}"
    );
    let is_on_board = series_turns(index)
        .series
        .is_on_board(index.sides.places(sides[0]));
    if is_on_board {
        assert!((total - (1.0 - walk.cut_off)).abs() < 1e-12, "{total}");
    }
    let mut played_in_all = 0.0;
    each_series(
        &chances(index),
        length,
        &mut Vec::new(),
        1.0,
        &mut |series, probability| {
            let ends = by_engine(index, &index.state(mover, sides), series);
            let Some(class) = left.get_mut(&ends) else {
                panic!(
                    "{} {series:?}: {ends:?}",
                    index.race().print(&index.state(mover, sides))
                )
            };
            *class -= probability;
            played_in_all += probability;
        },
    );
    let longer = 1.0 - played_in_all;
    assert!(
        left.values()
            .all(|&rest| rest > -1e-12 && rest < longer + 1e-12),
        "{:?}",
        index.race().ruleset()
    );
    let rest: f64 = left.values().sum();
    assert!((rest - (longer - (1.0 - total))).abs() < 1e-12);
}

/// A series thrown at random, with `length` throws before the last.
fn random_series(length: usize, rng: &mut chance::GameRng) -> Vec<u8> {
    let mut series: Vec<u8> = (0..length)
        .map(|_| [0, 0, 3, 4][chance::below(4, rng)])
        .collect();
    series.push(1 + chance::below(2, rng) as u8);
    series
}

/// The index in `throws` of the throws that a seat keeps of a series.
fn place_of_kept(index: &TurnIndex, throws: &[KeptThrows], side: Side, series: &[u8]) -> usize {
    let is_on_board = series_turns(index)
        .series
        .is_on_board(index.sides.places(side));
    let dropped = if is_on_board {
        0
    } else {
        series
            .iter()
            .position(|&outcome| outcome == 0)
            .unwrap_or(series.len())
    };
    let kinds: Vec<AllottedThrow> = series_turns(index).series.all().collect();
    let mut kept: Vec<usize> = series[dropped..]
        .iter()
        .map(|&outcome| [0, 3, 4, 1, 2][usize::from(outcome)])
        .collect();
    kept.sort_unstable();
    kept.into_iter().fold(0, |before, kind| {
        let is_longer = |longer: &KeptThrows| longer.less.last() == Some(&(before, kinds[kind]));
        throws
            .iter()
            .position(is_longer)
            .expect("the list has all throws up to a length")
    })
}

/// Compares the afterstates of long series with the engine.
fn check_long_series(
    index: &TurnIndex,
    walk: &SeriesWalk,
    mover: Seat,
    sides: Sides,
    rng: &mut chance::GameRng,
) {
    let turns = series_turns(index);
    let throws = kept_throws(turns, LENGTH);
    let enemies = walk.enemies(index, mover, sides);
    let hit = std::array::from_fn(|landing| (enemies.hit >> landing & 1) as u16);
    let turn = SeriesTurns::turn_of(
        *index.sides.places(sides[0]),
        index.sides.mark(sides[0]),
        enemies.closed,
    );
    let allotted = Allotted::new(turns, &throws, &turn);
    let legal = Legal::new(index, turns, &throws, sides[0], &turn, &allotted);
    for _ in 0..12 {
        let series = random_series(chance::below(usize::from(LENGTH) + 1, rng), rng);
        let choices = legal.choices(place_of_kept(index, &throws, sides[0], &series));
        let mut found = Recorder::new(sides);
        for choice in &choices {
            visit_choice(
                &walk.captured_by(index, mover),
                (sides, 1),
                *choice,
                &hit,
                &mut found,
            );
        }
        found.throws(1, 1.0, 0..choices.len());
        let ends = found.throws.remove(0).1;
        let expected = by_engine(index, &index.state(mover, sides), &series);
        assert_eq!(
            ends,
            expected,
            "{} {sides:?} {series:?}",
            index.race().ruleset()
        );
    }
}

#[test]
fn walks_have_the_afterstates_of_the_game() {
    let mut rng = chance::stream(11, 0);
    let mut seen = BTreeSet::new();
    for text in RULES {
        for (pieces, seats, count) in [(2, 2, 16), (1, 2, 4), (1, 3, 4), (1, 4, 4)] {
            let join = if text.contains('?') { '&' } else { '?' };
            let index = starts(&format!("{text}{join}pieces={pieces}"), seats);
            let positions: Vec<Sides> =
                (0..count).map(|_| random_sides(&index, &mut rng)).collect();
            let throwing: Vec<Side> = positions.iter().map(|sides| sides[0]).collect();
            let walk = SeriesWalk::of(&index, series_turns(&index), LENGTH, |side| {
                throwing.contains(&side)
            });
            for (round, &sides) in positions.iter().enumerate() {
                let mover = index
                    .race()
                    .seating
                    .seats
                    .iter()
                    .nth(chance::below(seats, &mut rng))
                    .expect("a seat");
                check_position(&index, &walk, mover, sides, if round == 0 { 4 } else { 2 });
                check_long_series(&index, &walk, mover, sides, &mut rng);
                let ends = classes(&index, &walk, mover, sides);
                seen.extend(ends.keys().flatten().map(|end| end.then));
            }
        }
    }
    assert_eq!(
        seen,
        BTreeSet::from([Continuation::Next, Continuation::Again, Continuation::Won])
    );
}

#[test]
fn throws_are_as_likely_as_the_rules_say() {
    for (text, length, cut_off) in [
        ("ashtapada?pieces=1", 23, 5.98e-11),
        ("ashtapada?pieces=1&dice=uniform5", 45, 6.24e-11),
    ] {
        let index = starts(text, 2);
        let turns = series_turns(&index);
        let throws = kept_throws(turns, length);
        let side_off_board = index
            .locate(&index.race().initial_state(Seat::SOUTH))
            .expect("a start")
            .1[0];
        for at in [0, 1] {
            let missing = 1.0 - throws.iter().map(|kept| kept.chances[at]).sum::<f64>();
            assert!(
                missing < cut_off * 1.001 + 1e-12 && missing > -1e-12,
                "{missing}"
            );
        }
        let [one, two, _, four, zero] = chances(&index);
        let orders = 12.0 * one * one * four * zero * two;
        let kept = &throws[place_of_kept(&index, &throws, side_off_board, &[0, 0, 3, 4, 1])];
        assert!((kept.chances[1] - orders).abs() < 1e-15);
        // Without a piece on the board, a seat keeps the throws after the first 1.
        let after = one / (1.0 - four - zero) * 6.0 * one * four * zero * two;
        assert!((kept.chances[0] - after).abs() < 1e-15);
        let walk = SeriesWalk::new(&index, turns);
        assert!(
            (walk.cut_off / cut_off - 1.0).abs() < 1e-3,
            "{}",
            walk.cut_off
        );
    }
}

#[test]
fn choices_are_written_and_read() {
    let landed = [[(33, false), (60, false)], [(33, true), (33, true)]];
    for (landed, landings) in landed.into_iter().zip([[33, 60], [0, 33 + PAIR]]) {
        let choice = Choice::new(1_953, landed.into_iter());
        assert_eq!(choice.landings, landings);
        assert_eq!(Choice::from_bits(choice.to_bits()), choice);
    }
}
