//! The operation `lesson`: finds three turns that show how to play a game, in random games.

use ashta_env::{
    chance,
    game::{Action, Game, Node, Seat},
    race::{Race, state::State},
    sheet::Hop,
    turn::{TurnResults, turn_results_within},
};
use rand::Rng;
use serde_json::{Value, json};

use super::{Answer, code, refuse};

/// The number of random games, and the largest number of turns of a game.
const GAMES: usize = 12;
const TURNS: usize = 600;
/// Turns with more throws, or with more positions, are too difficult.
const THROWS: usize = 3;
const POSITIONS: usize = 1 << 6;
/// The best numbers of ways to play a turn.
const WAYS: std::ops::RangeInclusive<usize> = 2..=6;
/// What a turn can show, with its weights in the first, the second and the last step.
const SHOWN: [(&str, [i32; 3]); 6] = [
    ("enter", [5, 1, 0]),
    ("share", [2, 2, 0]),
    ("capture", [0, 5, 1]),
    ("finish", [0, -5, 5]),
    ("win", [0, -5, 3]),
    ("again", [1, 2, 1]),
];

/// Returns the kind of the turns of the game, and three turns of the first seat: from the
/// beginning, from the middle and from the end of a game.
pub fn lesson(race: &Race) -> Answer {
    let seat = race.spec().seats.iter().next().unwrap_or(Seat::SOUTH);
    let start = race.initial_state(seat);
    let mut best = [const { (i32::MIN, Value::Null) }; 3];
    let (mut rng, mut ends) = (chance::stream(0, 0), TurnResults::new());
    for _ in 0..GAMES {
        let mut state = start;
        for _ in 0..TURNS {
            let (begins, mut throws) = (state, Vec::new());
            let mover = chance::throw_dice(race, &mut state, |state, _| {
                let outcome = chance::outcome(race.chance_outcomes(state), rng.next_u64());
                throws.push(race.throw_values(outcome));
                Some(outcome)
            });
            let Some(mover) = mover else { break };
            let is_easy =
                throws.len() <= THROWS && turn_results_within(race, &state, POSITIONS, &mut ends);
            let is_first = race.places(&begins, seat) == race.places(&start, seat);
            for at in if mover == seat && is_easy {
                0..ends.len()
            } else {
                0..0
            } {
                let shown = shown(race, &state, ends.state(at), ends.actions(at));
                for part in if is_first { 0..1 } else { 1..3 } {
                    let weights = shown.iter().map(|&shown| SHOWN[shown].1[part]).sum::<i32>();
                    let score = weights
                        + if WAYS.contains(&ends.len()) { 3 } else { 0 }
                        + i32::from(begins == start);
                    if score > best[part].0 {
                        best[part].0 = score;
                        best[part].1 = json!({
                            "part": part,
                            "position": race.print(&begins),
                            "throws": throws,
                            "shows": shown.iter().map(|&shown| SHOWN[shown].0).collect::<Vec<_>>(),
                            "words": race.turn_text(&state, ends.actions(at)),
                        });
                    }
                }
            }
            while race.node(&state) == Node::Decision(mover) {
                let legal = race.legal_actions(&state);
                let action = legal.nth(chance::below(legal.len(), &mut rng));
                race.apply_action(&mut state, action.expect("a decision has a legal action"));
            }
        }
    }
    let turn = &race.ruleset().sheet().turn;
    let kind = if turn.hop == Hop::Each {
        json!("each")
    } else {
        json!(turn.kind)
    };
    let steps: Vec<Value> = best
        .into_iter()
        .map(|(_, step)| step)
        .filter(|step| !step.is_null())
        .collect();
    if steps.is_empty() {
        return Err(refuse(
            code::REQUEST,
            "random games of these rules have no turn for a lesson",
        ));
    }
    Ok(json!({"kind": kind, "steps": steps}))
}

/// Returns the entries of [`SHOWN`] that a turn from the decision `state` to `end` shows.
fn shown(race: &Race, state: &State, end: &State, actions: &[Action]) -> Vec<usize> {
    let seat = race.colour(state);
    let waiting = |place: u8| place == race.waiting_place();
    // Some games have no finish: the last squares must be filled.
    let last = if race.ruleset().sheet().finish.fill {
        race.pieces()
    } else {
        1
    };
    let finished = |place: u8| usize::from(place) + last > usize::from(race.last_place());
    let grows = |from: &State, to: &State, is_there: &dyn Fn(u8) -> bool| {
        let count = |state| {
            race.places(state, seat)
                .into_iter()
                .filter(|&place| is_there(place))
                .count()
        };
        count(from) < count(to)
    };
    let facts = [
        grows(end, state, &waiting),
        race.turn_moves(state, actions).len() > 1,
        !race.captured(state, end, seat).is_empty(),
        grows(state, end, &finished),
        race.node(end) == Node::Terminal,
        matches!((race.node(state), race.node(end)), (Node::Decision(seat), Node::Chance(next)) if seat == next),
    ];
    (0..SHOWN.len()).filter(|&at| facts[at]).collect()
}
