//! The listed turns and the engine have the same afterstates.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    Continuation, IndexError, RaceTurns, Side, Sides, TurnEnd, TurnIndex, TurnModel, Walk,
    listed::ListedWalk,
};
use crate::{
    chance::{GameRng, below, stream},
    game::{Game, Node, Outcome, Seat, SeatSet},
    race::{Race, position::state::State},
    sheet::{Sheet, builtin, ruleset::Ruleset, values::Teams},
    testing::recorder::throws,
    turn::{TurnResults, turn_results},
};

fn starts(text: &str, seats: &str) -> TurnIndex {
    TurnIndex::new(&race(text, seats)).expect("few enough positions")
}

fn race(text: &str, seats: &str) -> Race {
    let seats = SeatSet::from_letters(seats).expect("seats");
    Race::new(Ruleset::parse(text, seats).expect("valid"))
}

/// The game of a sheet with one piece for each seat.
fn with_one_piece(sheet: &Sheet, seats: &str) -> Race {
    let seats = SeatSet::from_letters(seats).expect("seats");
    let sheet = Arc::new(sheet.clone());
    Race::new(Ruleset::of(sheet, seats, [("pieces", "1")]).expect("valid"))
}

/// The engine's afterstates of `start` with these outcomes.
pub(super) fn by_engine(index: &TurnIndex, start: &State, outcomes: &[u8]) -> BTreeSet<TurnEnd> {
    let race = index.race();
    let mut thrown = *start;
    outcomes
        .iter()
        .for_each(|&outcome| race.apply_chance(&mut thrown, Outcome(outcome)));
    let mut results = TurnResults::new();
    turn_results(race, &thrown, &mut results);
    let end = |state: &State| {
        let over = |then| TurnEnd {
            sides: Sides::default(),
            then,
        };
        if race.node(state) == Node::Terminal {
            return over(if race.returns(state)[start.mover] == 1.0 {
                Continuation::Won
            } else {
                Continuation::Drawn
            });
        }
        let (mover, mut sides) = index
            .locate(state)
            .expect("a turn ends at the start of the next");
        if mover == start.mover {
            return TurnEnd {
                sides,
                then: Continuation::Again,
            };
        }
        sides[..index.seats()].rotate_right(1);
        TurnEnd {
            sides,
            then: Continuation::Next,
        }
    };
    results.states().iter().map(end).collect()
}

/// Pools of side positions for the seat that throws and for the others: any positions, and
/// positions where rare rules apply.
fn pools(turns: &RaceTurns) -> Vec<[Vec<Side>; 2]> {
    let sides = &turns.index.sides;
    let pool = |is_wanted: &dyn Fn(&[u8], u8) -> bool| -> Vec<Side> {
        let pieces = turns.index.race.pieces();
        let all = 0..turns.index().sides().len() as Side;
        all.filter(|&side| is_wanted(&sides.places(side)[..pieces], sides.mark(side)))
            .collect()
    };
    let any = pool(&|_, _| true);
    let pairs = pool(&|places, _| places.windows(2).any(|pair| pair[0] == pair[1]));
    // Pieces before their gate, of seats that have not captured.
    let gate = turns.index.race.rules.gate;
    let is_before = |place: u8, steps: u8| place < gate && gate - place <= steps;
    let late = pool(&|places, mark| mark == 0 && places.iter().any(|&place| is_before(place, 12)));
    let stuck = pool(&|places, mark| mark == 0 && places.iter().all(|&place| is_before(place, 7)));
    let mut pools = vec![
        [any.clone(), any.clone()],
        [pairs.clone(), pairs],
        [late, any],
        [stuck.clone(), stuck],
    ];
    pools.retain(|pools| pools.iter().all(|pool| !pool.is_empty()));
    pools
}

fn random_position(turns: &RaceTurns, pools: &[Vec<Side>; 2], rng: &mut GameRng) -> (State, Sides) {
    loop {
        let mover = turns.index().movers()[below(turns.index().movers().len(), rng)];
        let mut sides = Sides::default();
        for (turn, side) in sides[..turns.index().seats()].iter_mut().enumerate() {
            let pool = &pools[turn.min(1)];
            *side = pool[below(pool.len(), rng)];
            // Only the seat that throws next can already have thrown in this turn.
            let (places, mark) = (
                *turns.index.sides.places(*side),
                turns.index.sides.mark(*side),
            );
            let registers = if turn == 0 {
                turns.index.sides.registers(*side)
            } else {
                [0; 3]
            };
            *side = turns.index.sides.number(places, mark, registers);
        }
        if turns.is_position(mover, sides) {
            return (turns.index().state(mover, sides), sides);
        }
    }
}

#[test]
fn walks_have_the_afterstates_of_the_engine() {
    let mut rng = stream(1, 0);
    for (text, seats) in [
        ("ashte-kashte?pieces=1", "SN"),
        ("ashte-kashte?pieces=2", "SN"),
        ("ashte-kashte?pieces=3", "SN"),
        (
            "ashte-kashte?pieces=3&path=B&move=optional&capture_bonus=true",
            "SN",
        ),
        (
            "ashte-kashte?pieces=2&path=C&entry=start_is_one&move=forced",
            "SN",
        ),
        ("ashte-kashte?pieces=1&capture_bonus=true", "SEW"),
        ("ashte-kashte?pieces=1", "SENW"),
        ("pagade?pieces=1", "SN"),
        ("pagade?pieces=2", "SN"),
        ("pagade?pieces=2&no_cut=lap", "SN"),
        ("pagade?pieces=2&no_cut=off&must_use=optional", "SN"),
        ("pagade?pieces=2&must_use=optional", "SN"),
        ("siga", "SN"),
        ("siga?stack=none&must_use=optional&pieces=3", "SN"),
        ("main-pacheh", "SN"),
        ("main-pacheh?max_throws=3&pieces=2", "SN"),
        ("main-pacheh?max_throws=3&pieces=1", "SEN"),
        ("main-pacheh?marks=none&pieces=1", "SEN"),
        ("gavalata?zero=8", "SN"),
        ("gavalata?pieces=1", "SENW"),
        ("ashta-kashte-1892?pieces=2", "SN"),
        ("ashta-kashte-1892?pieces=2&doubles=pair&must_use=one", "SN"),
        ("ashta-kashte-1892?pieces=2&grace=separate", "SN"),
        ("ashta-kashte-1892?pieces=2&group=one", "SN"),
        ("chowka-5", "SN"),
        ("chowka-5?pieces=3&gatti=inner&entry=grace_one", "SN"),
        ("chowka-5?pieces=1&no_cut=wait", "SENW"),
        ("chowka-7?pieces=2", "SN"),
        ("chowka-7?pieces=2&no_cut=lap&crosses=block&odds=flat", "SN"),
        ("saturankam", "SN"),
    ] {
        let turns = RaceTurns::new(starts(text, seats));
        let deep = std::env::var_os("ASHTA_DEEP").is_some();
        check(&turns, if deep { 2_000 } else { 200 }, &mut rng);
        if matches!(turns.walk, Walk::Listed(_)) {
            // With so few patterns, the engine is stepped in most turns in which enemies matter.
            for most_patterns in [0, 3] {
                let walk = Walk::Listed(Box::new(ListedWalk::new(&turns.index, most_patterns)));
                check(
                    &RaceTurns {
                        walk,
                        ..turns.clone()
                    },
                    if deep { 200 } else { 50 },
                    &mut rng,
                );
            }
        }
    }
}

/// Compares the afterstates of each outcome in random positions with the engine's.
fn check(turns: &RaceTurns, positions: usize, rng: &mut GameRng) {
    let race = turns.index().race();
    let pools = pools(turns);
    for pools in pools.iter().cycle().take(positions) {
        let (state, sides) = random_position(turns, pools, rng);
        assert_eq!(
            turns.index().locate(&state),
            Some((state.mover, sides)),
            "{}",
            race.print(&state)
        );
        let chances = race.chance_outcomes(&state);
        for (outcome, (probability, ends)) in throws(turns, state.mover, sides).iter().enumerate() {
            assert!(
                (probability - chances[outcome]).abs() < 1e-12,
                "{}: {probability}",
                race.print(&state)
            );
            let expected = by_engine(turns.index(), &state, &[outcome as u8]);
            assert_eq!(ends, &expected, "{} outcome {outcome}", race.print(&state));
        }
    }
}

#[test]
fn dead_ends_are_draws() {
    let turns = RaceTurns::new(starts("pagade?pieces=2", "SN"));
    let state = turns
        .index()
        .race()
        .clone()
        .parse_state("pagade?pieces=2 S:70,76/N:76,76 S *")
        .expect("a position");
    let (_, sides) = turns.index().locate(&state).expect("a start");
    let drawn = TurnEnd {
        sides: Sides::default(),
        then: Continuation::Drawn,
    };
    let drawn: f64 = throws(&turns, state.mover, sides)
        .iter()
        .filter(|(_, ends)| ends.contains(&drawn))
        .map(|(chance, _)| chance)
        .sum();
    assert!(drawn > 0.0 && drawn < 1.0, "{drawn}");
}

#[test]
fn turns_of_several_dice_end() {
    for (text, cut_off) in [
        ("chaupar?pieces=1", 0.0),
        ("thaayam?pieces=1&hop=each", 1e-7),
    ] {
        let turns = RaceTurns::new(starts(text, "SN"));
        let state = turns.index().race().initial_state(Seat::SOUTH);
        let (_, sides) = turns.index().locate(&state).expect("a start");
        let throws = throws(&turns, Seat::SOUTH, sides);
        let left_out = 1.0 - throws.iter().map(|(chance, _)| chance).sum::<f64>();
        assert!(
            turns.cut_off() == cut_off && left_out.abs() <= cut_off + 1e-12,
            "{text}: {left_out:e}"
        );
    }
}

#[test]
fn rulesets_that_cannot_be_solved_are_named() {
    for (text, seats, words) in [
        ("pagade?teams=true&pieces=1", "SENW", "games with teams"),
        ("pagade?pieces=1", "SENW", "games with placings"),
        (
            "pagade?pieces=1&play_on=false&no_cut=off",
            "SENW",
            "two dice and more than two seats",
        ),
        ("ashtapada?pieces=3", "SN", "about 1736055556 positions"),
        ("ashte-kashte", "SN", "264896 arrangements"),
    ] {
        let error = TurnIndex::new(&race(text, seats))
            .expect_err("too large")
            .to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn two_seats_that_sit_side_by_side_are_not_solved() {
    let mut sheet = Sheet::clone(builtin::named("ashte-kashte").expect("built in"));
    sheet.seats.allowed.push("SE".to_owned());
    assert_eq!(
        TurnIndex::new(&with_one_piece(&sheet, "SE")).expect_err("not alike"),
        IndexError::Unsupported("two seats with different views of the board")
    );
}

#[test]
fn three_seats_of_a_game_of_teams_are_solved() {
    let mut sheet = Sheet::clone(builtin::named("gavalata").expect("built in"));
    (sheet.seats.allowed, sheet.seats.teams) =
        (vec!["SEN".to_owned(), "SENW".to_owned()], Teams::Opposite);
    assert_eq!(
        TurnIndex::new(&with_one_piece(&sheet, "SENW")).expect_err("teams"),
        IndexError::Unsupported("teams")
    );
    check(
        &RaceTurns::new(TurnIndex::new(&with_one_piece(&sheet, "SEN")).expect("no teams")),
        20,
        &mut stream(2, 0),
    );
}
