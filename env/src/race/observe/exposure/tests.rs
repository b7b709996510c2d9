//! Exposure against the captures of one throw, by brute force.

use std::collections::HashSet;

use rand::RngExt;

use super::*;
use crate::chance::{self, GameRng};
use crate::game::{Game, Node, Outcome};
use crate::race::Race;
use crate::race::position::state::{NO_PIECE, Phase, Series};
use crate::race::turns::Turns;
use crate::sheet::builtin;
use crate::sheet::ruleset::Ruleset;
use crate::turn::{TurnResults, turn_results};

/// The places on which pieces of `owner` are exposed.
fn exposed(race: &Race, state: &State, owner: Seat) -> Vec<u8> {
    super::exposed(&race.rules, &race.turns, state, owner)
}

fn exposed_at(position: &str, owner: Seat) -> Vec<u8> {
    let (race, state) = Race::parse_position(position).expect("a position");
    exposed(&race, &state, owner)
}

/// Every game by default, and with each of its house rules.
fn games(pieces: Option<usize>) -> Vec<Race> {
    let mut texts: HashSet<String> = HashSet::new();
    for sheet in builtin::all() {
        texts.insert(sheet.name.clone());
        for (flag, values) in sheet.flags.iter().filter(|&(flag, _)| flag != "pieces") {
            texts.extend(values.values.keys().map(|value| format!("{}?{flag}={value}", sheet.name)));
        }
    }
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort_unstable();
    let race = |text: String| {
        let joint = if text.contains('?') { '&' } else { '?' };
        let text = pieces.map_or(text.clone(), |count| format!("{text}{joint}pieces={count}"));
        Race::new(Ruleset::seated(&text, None).expect("a ruleset of a built-in sheet"))
    };
    texts.into_iter().map(race).collect()
}

/// The position in which `state`'s mover has thrown the outcome, and nothing else in this turn.
fn thrown(race: &Race, state: &State, outcome: usize) -> State {
    let mut after = *state;
    let Some(_) = race.series() else {
        race.apply_chance(&mut after, Outcome(outcome as u8));
        return after;
    };
    // One throw of a series is all that is left of it.
    race.apply_chance(&mut after, Outcome(outcome as u8));
    if after.phase == Phase::Throw && after.series == Series::default() {
        // It came before any piece was on the board, and is lost.
        return *state;
    }
    after.phase = if race.series().is_some_and(|turns| turns.kept(&after) == (Series::default(), 0)) {
        Phase::Choose
    } else {
        Phase::Allot
    };
    after
}

/// The probability of throws with which the mover can capture a piece of `owner`.
fn captures(race: &Race, state: &State, owner: Seat) -> f64 {
    let mut results = TurnResults::new();
    let mut all = 0.0;
    for (outcome, chance) in race.rules.chances.iter().enumerate() {
        turn_results(race, &thrown(race, state, outcome), &mut results);
        let is_captured = |end: &State| end.pieces[owner.index()] != state.pieces[owner.index()];
        all += if results.states().iter().any(is_captured) { *chance } else { 0.0 };
    }
    all
}

/// One piece of each of two enemies, and nothing else in the way: it is exposed exactly if a capture with one throw is
/// likely enough.
#[test]
fn exposed_pieces_are_those_captured_by_one_throw() {
    let (mut compared, mut seen) = (0, [0; 2]);
    for race in games(Some(1)).into_iter().chain(games(Some(2))) {
        let is_shared_out = matches!(race.turns, Turns::Dice(_) | Turns::Divide(_));
        // Where all dice must be used, another piece takes what one leaves of them.
        // A step that follows a throw can capture only where the throw is used or cannot be.
        if race.seating.pieces != 1 + usize::from(is_shared_out) || !race.ruleset.sheet().turn.bonus.is_empty() {
            continue;
        }
        let (rules, mut rng) = (&*race.rules, chance::stream(11, 0));
        let [owner, enemy] = [0, 1].map(|nth| race.seating.seats.iter().nth(nth).expect("two seats"));
        let placed = |rng: &mut GameRng, bystander: u8| {
            let mut places = [NO_PIECE; MAX_PIECES];
            places[..race.seating.pieces].fill(rules.goal);
            places[0] = rng.random_range(u8::from(rules.cells[0][1] == 0)..rules.home);
            places[1] = if bystander > 0 { bystander } else { places[1] };
            places.sort_unstable();
            places
        };
        for _ in 0..400 {
            let mut state = State::empty(enemy);
            state.pieces[owner.index()] = placed(&mut rng, 0);
            let bystander = if is_shared_out { rng.random_range(1..rules.home - rules.longest) } else { 0 };
            state.pieces[enemy.index()] = placed(&mut rng, bystander);
            // A piece that is home has passed the gate.
            let is_home = u8::from(is_shared_out) << owner.index();
            state.cuts = if rules.has_gate() { rng.random_range(0..16_u8) | is_home } else { 0 };
            let place = state.pieces[owner.index()][0];
            if rules.room[usize::from(place)] == 0 || rules.room[usize::from(state.pieces[enemy.index()][0])] == 0 {
                continue;
            }
            if bystander > 0 {
                let mut alone = state;
                alone.pieces[enemy.index()] = placed(&mut rng, 0);
                alone.pieces[enemy.index()][0] = bystander;
                let stands_together = state.pieces[enemy.index()][0] == state.pieces[enemy.index()][1];
                if stands_together || !exposed(&race, &alone, owner).is_empty() {
                    continue;
                }
            }
            let chance = captures(&race, &state, owner);
            let expected = if chance >= LEAST { vec![place] } else { vec![] };
            let name = race.ruleset.game_text();
            assert_eq!(exposed(&race, &state, owner), expected, "{name} {}: {chance}", race.print(&state));
            seen[expected.len()] += 1;
            compared += 1;
        }
    }
    assert!(compared > 5_000 && seen.iter().all(|&count| count > 200), "{compared}: {seen:?}");
}

/// In any position, a single piece that one likely throw captures is exposed.
#[test]
fn every_likely_capture_is_exposed() {
    let mut captured = 0;
    for race in games(None) {
        let mut rng = chance::stream(12, 0);
        let mut state = race.initial_state(race.seating.seats.iter().next().expect("a seat"));
        let mut results = TurnResults::new();
        let mut turns = 0;
        while turns < 300 {
            let Node::Chance(mover) = race.node(&state) else {
                state = race.initial_state(race.seating.seats.iter().next().expect("a seat"));
                continue;
            };
            turns += 1;
            for (outcome, _) in race.rules.chances.iter().enumerate().filter(|&(_, &chance)| chance >= LEAST) {
                turn_results(&race, &thrown(&race, &state, outcome), &mut results);
                for &owner in race.seating.enemies(mover) {
                    let seen = exposed(&race, &state, owner);
                    let before = state.pieces[owner.index()];
                    for end in results.states() {
                        let after = end.pieces[owner.index()];
                        let taken = |slot: &usize| is_single(&before, *slot) && !after.contains(&before[*slot]);
                        for slot in (0..race.seating.pieces).filter(taken) {
                            let is_seen = seen.contains(&before[slot]);
                            let name = race.ruleset.game_text();
                            assert!(is_seen, "{name} {}: {} on {}", race.print(&state), race.print(end), before[slot]);
                            captured += 1;
                        }
                    }
                }
            }
            while let Node::Chance(seat) = race.node(&state)
                && seat == mover
            {
                let outcome = chance::outcome(race.chance_outcomes(&state), rng.random());
                race.apply_chance(&mut state, outcome);
                while let Node::Decision(_) = race.node(&state) {
                    let legal = race.legal_actions(&state);
                    race.apply_action(&mut state, legal.nth(rng.random_range(0..legal.len())).expect("one of them"));
                }
            }
        }
    }
    assert!(captured > 2_000, "only {captured} captures");
}

#[test]
fn single_pieces_within_a_throw_are_exposed() {
    // The opposite seat's 10 is South's 10 + 34 = 44 and vice versa.
    let ahead = |south: u8| format!("pagade S:20,20,{south},70/N+:10,80,80,80 S *");
    assert_eq!(exposed_at(&ahead(45), Seat::SOUTH), [45]);
    assert_eq!(exposed_at(&ahead(46), Seat::SOUTH), [46]);
    assert_eq!(exposed_at(&ahead(55), Seat::SOUTH), [0; 0]);
    assert_eq!(exposed_at(&ahead(43), Seat::SOUTH), [0; 0]);
    assert_eq!(exposed_at(&ahead(43), Seat::NORTH), [10]);
}

#[test]
fn both_visits_to_a_square_are_seen() {
    // South's 8 and 76 are one square, North's 42; North comes there from 38 by 4, if the gate does not matter.
    assert_eq!(exposed_at("pagade S+:8,80,80,80/N:1,1,38,38 N *", Seat::SOUTH), [8]);
    assert_eq!(exposed_at("pagade S+:76,80,80,80/N:1,1,38,38 N *", Seat::SOUTH), [76]);
    // South comes there from 72 and from 2.
    assert_eq!(exposed_at("pagade S:1,1,1,72/N:1,1,1,42 S *", Seat::NORTH), [42]);
    assert_eq!(exposed_at("pagade S:1,1,1,2/N:1,1,1,42 S *", Seat::NORTH), [42]);
}

#[test]
fn pieces_enter_by_the_throws_that_enter() {
    // North enters on its own first square with a 1 and nothing else.
    assert_eq!(exposed_at("ashtapada S:17,40/N:off,off N *", Seat::SOUTH), [0; 0]);
}

#[test]
fn doubles_protected_squares_and_partners_are_not_exposed() {
    assert_eq!(exposed_at("ashte-kashte S:11,11,30,31/N:hand,hand,hand,hand N *", Seat::SOUTH), [0; 0]);
    // South's 14 is North's 2, South's 12 its protected start.
    assert_eq!(exposed_at("ashte-kashte?pieces=2 S:12,14/N:hand,1 N *", Seat::SOUTH), [15]);
    let team = "pagade?teams=true S+:45,80,80,80/E+:80,80,80,80/N+:10,80,80,80/W+:80,80,80,80 S *";
    assert_eq!(exposed_at(team, Seat::SOUTH), [0; 0]);
}
