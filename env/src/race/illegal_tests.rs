//! In builds without debug assertions, a position stays valid after an illegal outcome or action.
//! With debug assertions, such a step panics, so there is nothing to test.
#![cfg(not(debug_assertions))]

use super::*;
use crate::{
    chance::{self, GameRng, below},
    sheet::builtin,
};

/// Returns every built-in game for each number of seats: without house rules, and with one house
/// rule at a time.
fn races() -> Vec<Race> {
    let mut races = Vec::new();
    for sheet in builtin::all() {
        let rules = sheet
            .flags
            .iter()
            .flat_map(|(flag, info)| info.values.keys().skip(1).map(move |value| (flag, value)))
            .map(|(flag, value)| vec![(flag.as_str(), value.as_str())]);
        for flags in std::iter::once(Vec::new()).chain(rules) {
            for count in 2..=4 {
                let ruleset =
                    Ruleset::seated_of(Arc::clone(sheet), Some(count), flags.iter().copied());
                races.extend(ruleset.map(Race::new));
            }
        }
    }
    races
}

/// Calls every method of a game on a position.
#[track_caller]
fn check(race: &Race, state: &State) {
    let spec = race.spec();
    for seat in Seat::ALL {
        let (places, absent) = state.pieces[seat].split_at(if spec.seats.contains(seat) {
            race.pieces()
        } else {
            0
        });
        assert!(
            places.is_sorted() && places.iter().all(|&place| place <= race.last_place()),
            "{seat}: {state:?}"
        );
        assert!(
            absent.iter().all(|&place| place == state::NO_PIECE),
            "{seat}: {state:?}"
        );
        assert!(
            race.steps(state, seat)[..places.len()]
                .iter()
                .all(|&steps| steps <= race.goal())
        );
    }
    let legal = race.legal_actions(state);
    match race.node(state) {
        Node::Chance(seat) => {
            assert!(
                legal.is_empty()
                    && spec.seats.contains(seat)
                    && !race.chance_outcomes(state).is_empty()
            )
        }
        Node::Decision(seat) => assert!(
            !legal.is_empty() && spec.seats.contains(seat),
            "{}",
            race.print(state)
        ),
        Node::Terminal => assert!(legal.is_empty() && race.chance_outcomes(state).is_empty()),
    }
    assert!(
        legal
            .iter()
            .all(|action| usize::from(action.0) < spec.actions
                && !race.action_text(state, action).is_empty())
    );
    assert!(!race.print(state).is_empty());
    let mut active = Vec::new();
    spec.seats
        .iter()
        .for_each(|seat| race.observe_active(state, seat, &mut active));
    assert!(
        active
            .iter()
            .all(|&entry| usize::from(entry) < spec.observation),
        "{}",
        race.print(state)
    );
    assert!(
        race.returns(state)
            .0
            .iter()
            .all(|value| (0.0..=1.0).contains(value))
    );
}

/// Plays `steps` steps; on average, one in `rarity` steps is random and can be illegal.
fn play(race: &Race, steps: usize, rarity: usize, rng: &mut GameRng) {
    let mut state = race.initial_state(chance::first_seat(race.spec().seats, rng));
    for _ in 0..steps {
        let any = below(256, rng) as u8;
        let is_legal = below(rarity, rng) > 0;
        match race.node(&state) {
            _ if !is_legal && below(8, rng) == 0 => {
                // A step of the wrong kind for the node changes nothing.
                let before = state;
                match race.node(&state) {
                    Node::Chance(_) => race.apply_action(&mut state, Action(any)),
                    Node::Decision(_) => race.apply_chance(&mut state, Outcome(any)),
                    Node::Terminal => {
                        race.apply_action(&mut state, Action(any));
                        race.apply_chance(&mut state, Outcome(any));
                    }
                }
                assert_eq!(state, before);
            }
            Node::Chance(_) => {
                let outcome = below(race.chance_outcomes(&state).len(), rng) as u8;
                race.apply_chance(&mut state, Outcome(if is_legal { outcome } else { any }));
            }
            Node::Decision(_) => {
                let legal = race.legal_actions(&state);
                let action = legal
                    .nth(below(legal.len(), rng))
                    .expect("a decision has a legal action");
                // Most numbers are beyond the action space, so this maps half of the numbers into
                // the space.
                let any = if any < 128 {
                    any % race.spec().actions as u8
                } else {
                    any
                };
                race.apply_action(&mut state, if is_legal { action } else { Action(any) });
            }
            Node::Terminal => {
                state = race.initial_state(chance::first_seat(race.spec().seats, rng))
            }
        }
        check(race, &state);
    }
}

#[test]
fn positions_stay_valid_under_arbitrary_steps() {
    for (stream, race) in races().iter().enumerate() {
        let mut rng = chance::stream(5, stream as u64);
        for rarity in [1, 2, 20] {
            play(race, 3000, rarity, &mut rng);
        }
    }
}

#[test]
fn a_full_series_ends_with_any_throw() {
    let race = Race::new(Ruleset::seated("ashtapada", None).expect("a game"));
    let mut state = race.initial_state(Seat::SOUTH);
    let continues = Outcome(0);
    (0..state::Series::LIMIT).for_each(|_| race.apply_chance(&mut state, continues));
    assert!(matches!(race.node(&state), Node::Chance(_)) && state.series.is_full());
    race.apply_chance(&mut state, continues);
    assert!(
        matches!(race.node(&state), Node::Decision(_)),
        "{}",
        race.print(&state)
    );
}

#[test]
fn a_set_ignores_actions_that_it_cannot_hold() {
    let mut mask = ActionMask::EMPTY;
    (32..=255).for_each(|action| mask.insert(Action(action)));
    assert!(mask.is_empty());
}
