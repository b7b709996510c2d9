//! Tests of the solver: against a second solver, by certificates, and independent of threads and
//! batches.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use ashta_agents::{
    perfect::{
        solve::{Cursor, SolveConfig, Solved, Stage, UNIT, Unfinished, solve},
        table::{Perfect, Table},
    },
    play::evaluator::Evaluator,
};
use ashta_env::{
    chance,
    game::{BySeat, Game, Node, Outcome, Seat, SeatSet},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::{Overshoot, Sheet, TurnKind, builtin},
    testing::{
        exact::{self, Play},
        recorder::throws,
    },
    turn::{TurnResults, turn_results},
    turn_index::{Continuation, RaceTurns, Sides, TurnEnd, TurnIndex, TurnModel},
};
use ashta_rule_tests::{amount, random};
use ashta_tests::solving::{CONFIG, OneByOne, positions, solved, start, table, turns};

#[test]
fn values_are_those_of_a_solver_that_steps_through_every_throw_and_action() {
    for (text, seats) in [
        ("ashte-kashte?pieces=1", "SN"),
        ("ashte-kashte?pieces=1&capture_bonus=true&path=C", "SN"),
        (
            "ashte-kashte?pieces=1&move=optional&entry=start_is_one",
            "SN",
        ),
        ("pagade?pieces=1&no_cut=off", "SN"),
        ("main-pacheh?max_throws=3&pieces=1", "SN"),
        ("main-pacheh?max_throws=3&pieces=1", "SEN"),
    ] {
        // Where throws are limited, values depend on the throws that were made.
        let is_limited = text.contains("max_throws");
        let (tolerance, least) = if is_limited {
            (1e-8, 200)
        } else {
            (2e-9, 2_000)
        };
        let turns = turns(text, seats);
        let config = SolveConfig {
            tolerance,
            threads: 2,
            ..CONFIG
        };
        let solution = solved(&turns, &config);
        let (index, race) = (turns.index(), turns.index().race());
        let exact = exact::solve(race, BySeat([Play::Best; 4])).expect("settles");
        let mut compared = [0; 2];
        // For two seats, only the values of the mover are listed.
        let count = if seats.len() == 2 { 1 } else { seats.len() };
        for (number, mover, sides) in positions(&turns) {
            let state = index.state(mover, sides);
            // Only the seat on turn has made throws. Unreachable positions have values too.
            let is_of_game = index.locate(&state) == Some((mover, sides));
            let Some(values) = exact.values(&state).filter(|_| is_of_game) else {
                continue;
            };
            compared[usize::from(!race.print(&state).ends_with('*'))] += 1;
            for (at, seat) in index.in_turn(mover).enumerate().take(count) {
                let found = f64::from(solution.values[number * count + at]) * UNIT;
                assert!(
                    (found - values[seat]).abs() < 100.0 * tolerance,
                    "{text} {seats} {sides:?}: {found} for {}",
                    values[seat]
                );
            }
        }
        assert!(
            compared[0] > least && (compared[1] > least || !is_limited),
            "{text} {seats}: {compared:?}"
        );
    }
}

/// The engine's afterstates of a position and a throw.
fn by_engine(turns: &RaceTurns, state: &State, thrower: Seat, outcome: usize) -> BTreeSet<TurnEnd> {
    let race = turns.index().race();
    let (mut thrown, mut results) = (*state, TurnResults::new());
    race.apply_chance(&mut thrown, Outcome(outcome as u8));
    turn_results(race, &thrown, &mut results);
    let end = |end: &State| {
        if race.node(end) == Node::Terminal {
            let has_won = race.returns(end)[thrower] == 1.0;
            let then = if has_won {
                Continuation::Won
            } else {
                Continuation::Drawn
            };
            return TurnEnd {
                sides: Sides::default(),
                then,
            };
        }
        let (next, mut sides) = turns
            .index()
            .locate(end)
            .expect("a turn ends at the start of the next");
        if next == thrower {
            return TurnEnd {
                sides,
                then: Continuation::Again,
            };
        }
        sides[..turns.index().seats()].rotate_right(1);
        TurnEnd {
            sides,
            then: Continuation::Next,
        }
    };
    results.states().iter().map(end).collect()
}

/// Solvers see the turns of the engine, also under rules that no built-in game has.
#[test]
fn turns_of_random_sheets_are_those_of_the_engine() {
    let mut rng = chance::stream(0x7EA4, 0);
    let (mut games, mut compared) = (0, 0);
    let most = amount(10, 150);
    while games < most {
        let sheet = random::sheets::one_throw(&mut rng);
        let race = Race::new(random::sheets::ruleset(&sheet, &mut rng));
        let Ok(index) = TurnIndex::new(&race) else {
            continue;
        };
        // A turn of several dice has a chance node for each of them.
        if index.sides().len() > 700 || sheet.turn.kind == TurnKind::Series {
            continue;
        }
        let turns = RaceTurns::new(index);
        games += 1;
        for _ in 0..20 {
            let state = race
                .parse_state(&random::placed(&race, &mut rng))
                .expect("a position");
            let Some((mover, sides)) = turns.index().locate(&state) else {
                continue;
            };
            for (outcome, (_, ends)) in throws(&turns, mover, sides).iter().enumerate() {
                let expected = by_engine(&turns, &state, mover, outcome);
                assert_eq!(
                    ends,
                    &expected,
                    "{} outcome {outcome}\n{}",
                    race.print(&state),
                    sheet.text()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 30 * most, "{compared}");
}

/// A piece that bounces and then takes its extra step stands elsewhere than one that bounces by
/// their sum.
#[test]
fn a_step_that_follows_a_bounce_is_seen() {
    let text = builtin::named("sokkattan")
        .expect("a built-in game")
        .text()
        .split("[flags")
        .next()
        .expect("a sheet")
        .replace("[finish]", "[finish]\novershoot = \"bounces\"");
    let sheet = Sheet::read(&text.replace("\"sokkattan\"", "\"mine\""), "mine").expect("a sheet");
    let seats = SeatSet::from_letters("SN").expect("two seats");
    assert_eq!(sheet.finish.overshoot, Overshoot::Bounces);
    let race =
        Race::new(Ruleset::of(Arc::new(sheet), seats, [("pieces", "1")]).expect("one piece"));
    let turns = RaceTurns::new(TurnIndex::new(&race).expect("a small game"));
    let most = (0..7).find(|&outcome| {
        let mut state = race.initial_state(Seat::SOUTH);
        race.apply_chance(&mut state, Outcome(outcome as u8));
        race.print(&state).ends_with(" 25")
    });
    let most = most.expect("25 is thrown");
    let mut captures = 0;
    for (_, mover, sides) in positions(&turns) {
        let found = throws(&turns, mover, sides);
        let state = turns.index().state(mover, sides);
        assert_eq!(
            found[most].1,
            by_engine(&turns, &state, mover, most),
            "{}",
            race.print(&state)
        );
        captures += usize::from(
            sides[0] > 0
                && found[most]
                    .1
                    .iter()
                    .any(|end| end.sides[1] == 0 && sides[1] != 0),
        );
    }
    assert!(captures > 50, "{captures}");
}

#[test]
fn certificates_hold_for_values_far_from_convergence() {
    for text in [
        "ashte-kashte?pieces=1",
        "ashte-kashte?pieces=1&move=optional",
        "pagade?pieces=1",
        "pagade?pieces=1&no_cut=lap",
        "ashtapada?pieces=1",
        "ashtapada?pieces=1&x=block",
        "ashtapada?pieces=1&must_use=greedy&rule7_keep_counts=false",
    ] {
        let turns = turns(text, "SN");
        let fine = solved(&turns, &CONFIG);
        assert!(fine.facts.residual < 5e-9, "{text}: {:?}", fine.facts);
        let proof = fine.facts.certificate.expect("proved");
        assert!(
            proof.error < 1e-6 && proof.start_error <= proof.error,
            "{text}: {proof:?}"
        );
        let coarse = solved(
            &turns,
            &SolveConfig {
                tolerance: 1e-6,
                ..CONFIG
            },
        );
        let bound = coarse.facts.certificate.expect("proved").error + proof.error;
        let worst = positions(&turns).into_iter().map(|(number, ..)| {
            (f64::from(fine.values[number]) - f64::from(coarse.values[number])).abs() * UNIT
        });
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= bound, "{text}: {worst:e} above {bound:e}");
        assert_eq!(
            fine.facts.positions,
            positions(&turns).len() as u64,
            "{text}"
        );
    }
}

/// Captures, further throws, units in the way, seats that wait, passes: to the last bit. Series:
/// almost.
#[test]
fn many_positions_at_once_have_the_values_of_one_by_one() {
    for (text, difference) in [
        ("ashtapada?pieces=1", 400),
        ("ashtapada?pieces=1&must_use=greedy", 400),
        ("ashtapada?pieces=1&twins=bell", 400),
        ("siga", 0),
        ("ur?pieces=3", 0),
        ("ashte-kashte?pieces=1&move=optional", 0),
        ("chowka-5?pieces=1", 0),
        ("pagade?pieces=1&no_cut=wait", 0),
        ("pagade?pieces=1&no_cut=lap", 0),
    ] {
        let turns = turns(text, "SN");
        assert!(turns.has_rows() || difference == 0, "{text}");
        let lanes = solved(&turns, &CONFIG);
        let single = solve(&OneByOne(&turns), start(&turns), None, &CONFIG, &|_| {
            ControlFlow::Continue(())
        });
        let Ok(Solved::Solution(single)) = single else {
            panic!("{single:?}")
        };
        for (lane, single) in lanes.values.iter().zip(&single.values) {
            assert!(
                lane.abs_diff(*single) <= difference,
                "{text}: {lane} and {single}"
            );
        }
        assert!(lanes.facts == single.facts || difference > 0, "{text}");
        assert!(
            lanes.facts.certificate.is_some() && single.facts.certificate.is_some(),
            "{text}"
        );
    }
    assert!(
        !turns("ashtapada?pieces=1&x=block", "SN").has_rows(),
        "enemies close squares"
    );
}

#[test]
fn threads_and_interruptions_do_not_change_a_bit() {
    for (text, seats, tolerance, levels) in [
        ("pagade?pieces=1", "SN", 2e-9, 337),
        ("ashtapada?pieces=1", "SN", 2e-9, 337),
        ("ashte-kashte?pieces=1", "SEN", 1e-2, 337),
    ] {
        let turns = turns(text, seats);
        let config = SolveConfig {
            tolerance,
            ..CONFIG
        };
        let whole = solved(&turns, &config);
        assert_eq!(
            solved(
                &turns,
                &SolveConfig {
                    threads: 3,
                    ..config
                }
            ),
            whole,
            "{text} {seats}"
        );
        let mut unfinished: Option<Unfinished> = None;
        let (mut stops, mut with_changes) = (0, 0);
        let found = loop {
            let seen = AtomicUsize::new(0);
            // Stops after a prime number of levels, so that the stops are at different places of
            // the sweeps.
            let watch = |_: &Stage| match seen.fetch_add(1, Ordering::Relaxed) {
                seen if seen == levels => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            let config = SolveConfig {
                threads: 1 + stops % 2,
                certify: false,
                ..config
            };
            match solve(&turns, start(&turns), unfinished.take(), &config, &watch).expect("settles")
            {
                Solved::Solution(solution) => break solution,
                Solved::Unfinished(found) => {
                    with_changes += usize::from(found.deltas.len() == found.values.len());
                    unfinished = Some(found);
                }
            }
            stops += 1;
        };
        assert!(stops > 1, "{text} {seats}: stopped {stops} times");
        assert_eq!(
            with_changes > 0,
            seats == "SN",
            "{text} {seats}: {with_changes} of {stops} with changes"
        );
        assert_eq!(found.values, whole.values, "{text} {seats}");
        assert_eq!(
            found.facts.residual.to_bits(),
            whole.facts.residual.to_bits()
        );
        let refused = |values: &[u32], totals| {
            let other = Unfinished {
                values: values.to_vec(),
                place: Cursor {
                    totals,
                    ..Cursor::default()
                },
                deltas: Vec::new(),
            };
            solve(&turns, start(&turns), Some(other), &CONFIG, &|_| {
                ControlFlow::Continue(())
            })
            .expect_err("values or changes are missing")
            .to_string()
        };
        assert!(refused(&[0; 3], [0; 3]).contains("there are 3 values"));
        assert!(refused(&whole.values, [1, 0, 0]).contains("there are 0 values"));
    }
}

fn known(table: &Table, position: &str) -> f64 {
    let race = table.index().race();
    let state = race.parse_state(position).expect("a position");
    let Node::Chance(seat) = race.node(&state) else {
        panic!("a throw")
    };
    f64::from(table.values_of(&state).expect("the start of a turn")[seat])
}

#[test]
fn the_royal_game_of_ur_has_its_published_values() {
    let table = table("ur?pieces=1", "SN", false);
    for (own, other, value) in [
        (14, 14, 4.0 / 7.0),
        (13, 14, 116.0 / 161.0),
        (14, 13, 74.0 / 161.0),
    ] {
        for text in [
            format!("ur?pieces=1 S:{own}/N:{other} S *"),
            format!("ur?pieces=1 S:{other}/N:{own} N *"),
        ] {
            let found = known(&table, &text);
            assert!((found - value).abs() < 1e-6, "{text}: {found}, not {value}");
        }
    }
}

#[test]
fn with_all_pieces_in_the_keep_values_are_those_of_a_geometric_series() {
    // A piece is borne off when a 1 is thrown before a 2 or 3: with probability 2/7.
    let table = table("ashtapada?pieces=1", "SN", false);
    let found = known(&table, "ashtapada?pieces=1 S:keep/N:keep S *");
    assert!((found - 1.0 / (2.0 - 2.0 / 7.0)).abs() < 1e-6, "{found}");
    // From one step away, a piece needs a 1 to enter the keep and, in a later turn, a 1 to leave
    // it.
    let (p, q) = (2.0 / 7.0, 5.0 / 7.0);
    let keep = 1.0 / (2.0 - p);
    let near = known(&table, "ashtapada?pieces=1 S:59/N:keep S *");
    // v = p (1 − u) + q (1 − w), u = keep against keep, w = North to throw against South on 59: w =
    // p + q (1 − v).
    let expected = (p * (1.0 - keep) + q * (1.0 - p - q)) / (1.0 - q * q);
    assert!((near - expected).abs() < 1e-6, "{near} for {expected}");
}

#[test]
fn sixteen_bits_lose_less_than_a_step_of_them() {
    let game = "pagade?pieces=1&must_use=optional&no_cut=off";
    let (turns, exact, short) = (
        turns(game, "SN"),
        table(game, "SN", false),
        table(game, "SN", true),
    );
    let (mut count, mut largest) = (0, 0.0_f64);
    for (_, mover, sides) in positions(&turns) {
        let state = turns.index().state(mover, sides);
        let value =
            |table: &Table| f64::from(table.values_of(&state).expect("a turn-start state")[mover]);
        (count, largest) = (
            count + 1,
            largest.max((value(&exact) - value(&short)).abs()),
        );
    }
    assert!(
        count > 5_000 && largest > 0.0 && largest < 1.0 / 65_535.0,
        "{largest} of {count}"
    );
}

#[test]
fn both_seats_agree_and_a_turn_has_the_value_of_its_best_afterstate() {
    let table = table("ashte-kashte?pieces=1&move=optional", "SN", true);
    for (south, north) in [(5, 40), (0, 0), (18, 30), (47, 1)] {
        let text = |own: i32, other: i32, seat: &str| {
            let name = |place: i32| {
                if place == 0 {
                    "hand".to_owned()
                } else {
                    place.to_string()
                }
            };
            format!(
                "ashte-kashte?pieces=1&move=optional S:{}/N:{} {seat} *",
                name(own),
                name(other)
            )
        };
        assert_eq!(
            known(&table, &text(south, north, "S")),
            known(&table, &text(north, south, "N"))
        );
    }
    let race = table.index().race().clone();
    let state = race
        .parse_state("ashte-kashte?pieces=1&move=optional S:5/N:30 S 3")
        .expect("a position");
    let mut perfect = Perfect::new(Arc::clone(&table));
    let answer = &perfect.evaluate(&race, &[state])[0];
    let after = |place| format!("ashte-kashte?pieces=1&move=optional S:{place}/N:30 N *");
    let best = (1.0 - known(&table, &after(8))).max(1.0 - known(&table, &after(5)));
    assert!(
        (f64::from(answer.values[Seat::SOUTH]) - best).abs() < 1e-6,
        "{answer:?}"
    );
    assert_eq!(
        answer.policy.iter().map(|&(_, share)| share).sum::<f32>(),
        1.0
    );
}

#[test]
fn within_a_series_the_table_answers_with_the_expectation() {
    let table = table("ashtapada?pieces=1", "SN", false);
    let race = table.index().race().clone();
    let mut perfect = Perfect::new(Arc::clone(&table));
    let mut value = |text: &str| {
        let state = race.parse_state(text).expect("a position");
        f64::from(perfect.evaluate(&race, &[state])[0].values[Seat::SOUTH])
    };
    let whole = value("ashtapada?pieces=1 S:20/N:30 S *");
    let sum: f64 = [
        ("1,*", 0.25),
        ("4,*", 0.0625),
        ("8,*", 0.0625),
        ("2", 0.375),
        ("3", 0.25),
    ]
    .map(|(thrown, chance)| chance * value(&format!("ashtapada?pieces=1 S:20/N:30 S {thrown}")))
    .iter()
    .sum();
    assert!((whole - sum).abs() < 3e-4, "{whole} and {sum}");
}
