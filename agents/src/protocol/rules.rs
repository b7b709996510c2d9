//! Operations on the rules alone, without an agent.

use std::collections::BTreeSet;

use ashta_env::{
    chance,
    game::{Action, Game, Node, Outcome, Seat, SeatSet},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::{Sheet, Sheets},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Answer, Refusal, afterstates, by_seat, code, no_decision, refuse, show, text};

fn bytes(request: &Map<String, Value>, key: &str) -> Result<Vec<u8>, Refusal> {
    let numbers = request
        .get(key)
        .and_then(|numbers| Vec::deserialize(numbers).ok());
    numbers.ok_or_else(|| {
        refuse(
            code::REQUEST,
            format!("`{key}` must be a list of whole numbers from 0 to 255"),
        )
    })
}

/// The game of a request, with the seats of the request.
pub fn race(
    sheets: &Sheets,
    sheet: Option<&Sheet>,
    request: &Map<String, Value>,
) -> Result<Race, Refusal> {
    let game = match (sheet, request.get("game")) {
        (Some(sheet), None) => sheet.name.as_str(),
        _ => text(request, "game")?,
    };
    if let Some(sheet) = sheet.filter(|sheet| Ruleset::split(game).0 != sheet.name) {
        return Err(refuse(
            code::GAME,
            format!(
                "`game` is {game}, but `sheet` is the sheet of {}",
                sheet.name
            ),
        ));
    }
    let ruleset = match request.get("seats") {
        None => sheets.seated(game, None),
        Some(Value::String(letters)) => {
            let seats = SeatSet::from_letters(letters);
            sheets.ruleset(
                game,
                seats.map_err(|error| refuse(code::REQUEST, format!("`seats`: {error}")))?,
            )
        }
        Some(count) => match count.as_u64() {
            Some(count @ 2..=4) => sheets.seated(game, Some(count as usize)),
            _ => {
                return Err(refuse(
                    code::REQUEST,
                    "`seats` must be 2, 3 or 4, or letters such as \"SEW\"",
                ));
            }
        },
    };
    Ok(Race::new(
        ruleset.map_err(|error| refuse(code::GAME, error))?,
    ))
}

pub fn new_game(race: &Race, request: &Map<String, Value>, seed: u64) -> Answer {
    let seats = race.spec().seats;
    let start = request.get("start").filter(|start| !start.is_null());
    let first = match start {
        None => chance::first_seat(seats, &mut chance::stream(seed, 0)),
        Some(start) => start
            .as_str()
            .filter(|start| start.len() == 1)
            .and_then(|start| start.chars().next())
            .and_then(Seat::from_letter)
            .filter(|&seat| seats.contains(seat))
            .ok_or_else(|| {
                refuse(
                    code::REQUEST,
                    format!("`start` must be one of the seats {seats:?}"),
                )
            })?,
    };
    let mut answer = json!({"position": race.print(&race.initial_state(first))});
    if start.is_none() {
        answer["seed"] = seed.into();
    }
    Ok(answer)
}

pub fn chance_outcomes((race, state): (Race, State)) -> Answer {
    if !matches!(race.node(&state), Node::Chance(_)) {
        return Err(refuse(
            code::POSITION,
            "no dice are thrown in this position",
        ));
    }
    let outcomes = race
        .chance_outcomes(&state)
        .iter()
        .enumerate()
        .filter(|&(_, &probability)| probability > 0.0)
        .map(|(outcome, &probability)| json!({"throw": race.throw_values(Outcome(outcome as u8)), "p": probability}));
    Ok(json!({"outcomes": outcomes.collect::<Vec<_>>()}))
}

pub fn legal((race, state): (Race, State)) -> Answer {
    let legal = race.legal_actions(&state).iter();
    let actions =
        legal.map(|action| json!({"id": action.0, "text": race.action_text(&state, action)}));
    Ok(json!({"actions": actions.collect::<Vec<_>>()}))
}

pub fn apply((race, mut state): (Race, State), request: &Map<String, Value>) -> Answer {
    let mut turn = None;
    match (request.get("throw"), request.get("action")) {
        (Some(_), None) => {
            let values = bytes(request, "throw")?;
            race.throw(&mut state, &values)
                .map_err(|error| refuse(code::THROW, error))?;
        }
        (None, Some(Value::Array(list))) => {
            let begins = state;
            if list.is_empty() {
                return Err(refuse(
                    code::REQUEST,
                    "`action` is an empty list; give at least one action",
                ));
            }
            let actions: Vec<Action> = list
                .iter()
                .map(|action| apply_action(&race, &mut state, action))
                .collect::<Result<_, Refusal>>()?;
            turn = Some((
                race.turn_text(&begins, &actions),
                show::moves(&race, &begins, &actions),
            ));
        }
        (None, Some(action)) => _ = apply_action(&race, &mut state, action)?,
        _ => {
            return Err(refuse(
                code::REQUEST,
                "`apply` needs either `throw` or `action`",
            ));
        }
    }
    let mut answer = json!({"position": race.print(&state)});
    if race.node(&state) == Node::Terminal {
        answer["returns"] = json!(by_seat(&race, &race.returns(&state)));
    }
    if let Some((words, moves)) = turn {
        answer["words"] = json!(words);
        answer["moves"] = moves;
    }
    Ok(answer)
}

/// The legal action of `state` that a JSON value names: by its number, or by the text that `legal`
/// returns.
pub fn named_action(race: &Race, state: &State, name: &Value) -> Option<Action> {
    let mut legal = race.legal_actions(state).iter();
    match name {
        Value::String(text) => legal.find(|&action| race.action_text(state, action) == text.trim()),
        other => legal.find(|action| other.as_u64() == Some(action.0.into())),
    }
}

/// Applies the action that `name` names, and returns it.
fn apply_action(race: &Race, state: &mut State, name: &Value) -> Result<Action, Refusal> {
    if !name.is_string() && name.as_u64().is_none() {
        let problem =
            "`action` must be a whole number, 0 or more, the text of an action, or a list of these";
        return Err(refuse(code::REQUEST, problem));
    }
    let action = named_action(race, state, name).ok_or_else(|| {
        let legal = race.legal_actions(state);
        let why = no_decision(race, state)
            .map_or_else(|| format!("legal actions are {legal:?}"), str::to_owned);
        refuse(
            code::ACTION,
            format!("action {name} is not legal here; {why}"),
        )
    })?;
    race.apply_action(state, action);
    Ok(action)
}

/// `replay`: plays a list of moves. The actions of a turn are one step; each throw of a series is
/// one step.
pub fn replay((race, mut state): (Race, State), request: &Map<String, Value>) -> Answer {
    let moves = request.get("moves").and_then(Value::as_array);
    let moves = moves.ok_or_else(|| {
        refuse(
            code::REQUEST,
            "`moves` must be a list of throws and actions",
        )
    })?;
    let mut answer = json!({"begins": node(&race, &state)});
    let (mut steps, mut at) = (Vec::new(), 0);
    while at < moves.len() && answer.get("refused").is_none() {
        let begins = state;
        let end = moves[at..]
            .iter()
            .position(Value::is_array)
            .map_or(moves.len(), |actions| at + actions.max(1));
        let played = replay_step(&race, &mut state, &moves[at..end], &mut steps);
        if let Err((number, Refusal { code, message, .. })) = played {
            let position = race.print(&begins);
            answer["refused"] = json!({"code": code, "message": message, "number": at + number, "position": position});
        }
        at = end;
    }
    answer["steps"] = json!(steps);
    Ok(answer)
}

/// Plays a throw, or some actions of a turn, and adds the steps. An error has the number of the
/// illegal move, from 1.
fn replay_step(
    race: &Race,
    state: &mut State,
    moves: &[Value],
    steps: &mut Vec<Value>,
) -> Result<(), (usize, Refusal)> {
    let (begins, seat) = (*state, show::node(race, state).1.map(Seat::letter));
    if let [Value::Array(_)] = moves {
        let wrong = |_| {
            (
                1,
                refuse(
                    code::THROW,
                    "a throw must be a list of whole numbers from 0 to 255",
                ),
            )
        };
        let values = Vec::<u8>::deserialize(&moves[0]).map_err(wrong)?;
        let dice = race.throw_values(Outcome(0)).len();
        for thrown in if values.is_empty() {
            vec![&values[..]]
        } else {
            values.chunks(dice).collect()
        } {
            if matches!(race.node(state), Node::Decision(_)) {
                return Err((1, refuse(code::THROW, "an action must be chosen first")));
            }
            race.throw(state, thrown)
                .map_err(|error| (1, refuse(code::THROW, error)))?;
            steps
                .push(json!({"step": {"seat": seat, "thrown": thrown}, "node": node(race, state)}));
        }
        return Ok(());
    }
    let mut actions = Vec::new();
    for (number, action) in (1..).zip(moves) {
        actions.push(apply_action(race, state, action).map_err(|refusal| (number, refusal))?);
    }
    let ids: Vec<u8> = actions.iter().map(|action| action.0).collect();
    let words = race.turn_text(&begins, &actions);
    let why = words
        .starts_with("pass")
        .then(|| show::why((race.clone(), begins)).unwrap_or_default());
    let moves = show::moves(race, &begins, &actions);
    let step = json!({"seat": seat, "actions": ids, "words": words, "moves": moves, "why": why});
    steps.push(json!({"step": step, "node": node(race, state)}));
    Ok(())
}

/// A position of `replay`.
fn node(race: &Race, state: &State) -> Value {
    let (node, mover) = show::node(race, state);
    let choices = match node {
        "decision" => afterstates(race, state)
            .map(|ends| ends.states().iter().map(|end| race.print(end)).collect()),
        _ => Ok(BTreeSet::new()),
    };
    json!({
        "position": race.print(state),
        "node": node,
        "mover": mover.map(Seat::letter),
        "choices": choices.ok().map(|ends| ends.len()),
        "returns": (node == "over").then(|| by_seat(race, &race.returns(state))),
    })
}

pub fn turns((race, mut state): (Race, State), request: &Map<String, Value>) -> Answer {
    let values = bytes(request, "throws")?;
    // Another throw after a move also begins a turn.
    if !matches!(race.node(&state), Node::Chance(_)) || !race.pending_throws(&state).is_empty() {
        let wrong = "`turns` needs the start of a turn: a position that ends in `*`, or in `*` and a number";
        return Err(refuse(code::POSITION, wrong));
    }
    race.throw(&mut state, &values)
        .map_err(|error| refuse(code::THROW, error))?;
    if !matches!(race.node(&state), Node::Decision(_)) {
        let stop: Vec<String> = race
            .ruleset()
            .sheet()
            .turn
            .stop
            .iter()
            .map(u8::to_string)
            .collect();
        let end = if stop.is_empty() {
            String::new()
        } else {
            format!("; a series ends with {}", stop.join(" or "))
        };
        return Err(refuse(
            code::THROW,
            format!("`throws` {values:?} is not a complete series{end}"),
        ));
    }
    let mut positions: Vec<String> = afterstates(&race, &state)?
        .states()
        .iter()
        .map(|state| race.print(state))
        .collect();
    positions.sort_unstable();
    positions.dedup();
    Ok(json!({"positions": positions}))
}

pub fn observe((race, state): (Race, State)) -> Answer {
    let (Node::Chance(seat) | Node::Decision(seat)) = race.node(&state) else {
        return Err(refuse(
            code::POSITION,
            "the game is over: there is no seat to observe it",
        ));
    };
    let mut observation = vec![0.0; race.spec().observation];
    race.observe(&state, seat, &mut observation);
    let legal = race.legal_actions(&state);
    let mask: Vec<u8> = (0..race.spec().actions as u8)
        .map(|action| u8::from(legal.contains(Action(action))))
        .collect();
    // All entries are 0 or 1; they are written as whole numbers.
    let observation: Vec<u8> = observation.into_iter().map(|entry| entry as u8).collect();
    Ok(json!({"observation": observation, "mask": mask, "encoding": race.spec().encoding}))
}
