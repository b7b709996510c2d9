//! Games without JSON: each function asks the engine protocol and writes the answer as plain text.
//!
//! An answer has lines, and tabs separate the fields of a line. A field is `-` if its value or its
//! list is empty.

use std::{
    array::from_fn,
    ffi::{c_char, c_int},
    ptr::null_mut,
};

use serde_json::{Value, json};

use super::{Agent, Result, ask_at, ask_or_error, or_error, read, read_position, text_of};

type Handle = *const Agent;
type Text = *const c_char;
type NewText = *mut c_char;

/// Writes a value of an answer as a field; commas separate the elements of a list.
fn field(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace(char::is_control, " "),
        Value::Array(list) if !list.is_empty() => {
            list.iter().map(field).collect::<Vec<_>>().join(",")
        }
        Value::Null | Value::Array(_) => "-".to_owned(),
        other => other.to_string(),
    }
}

fn fields(object: &Value, keys: &[&str], separator: &str) -> String {
    keys.iter()
        .map(|key| field(&object[key]))
        .collect::<Vec<_>>()
        .join(separator)
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn lines(list: &Value, line: impl Fn(&Value) -> String) -> Result<String> {
    Ok(elements(list).map(line).collect::<Vec<_>>().join("\n"))
}

fn turn_line(turn: &Value) -> String {
    let step = |step| {
        format!(
            "\t{}",
            fields(step, &["pieces", "from", "path", "place", "throws"], " ")
        )
    };
    let moves: String = elements(&turn["moves"]).map(step).collect();
    fields(turn, &["position", "actions", "words", "captures"], "\t") + &moves
}

/// Asks for an operation in a position, with further fields of the request.
type Ask<'a> = &'a dyn Fn(&str, &str, Value) -> Result<Value>;

/// Returns the text that `make` makes for a position, or `NULL`.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose).
unsafe fn about(
    agent: Handle,
    position: Text,
    make: impl FnOnce(&str, Ask<'_>) -> Result<String>,
) -> NewText {
    or_error(null_mut(), || {
        // SAFETY: guaranteed by the contract of this function.
        let position = unsafe { read_position(position) }?;
        // SAFETY: guaranteed by the contract of this function.
        let ask = |op: &str, position: &str, more| unsafe { ask_at(agent, op, position, more) };
        Ok(text_of(make(position, &ask)?).into_raw())
    })
}

/// Returns the position before the first throw. `game` is the name of a game or the text of a
/// sheet. `seats` is a number or letters, or `NULL` for the usual seats; `first` is a letter, or
/// `NULL` for the seat that `seed` determines.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose), for `game`, `seats` and `first`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_new_game(
    agent: Handle,
    game: Text,
    seats: Text,
    first: Text,
    seed: u64,
) -> NewText {
    or_error(null_mut(), || {
        // SAFETY: guaranteed by the contract of this function.
        let game = unsafe { read(game, "the game") }?;
        // Names of games have one line.
        let key = if game.contains('\n') { "sheet" } else { "game" };
        let mut request = json!({"op": "new", key: game, "seed": seed});
        for (key, text) in [("seats", seats), ("start", first)]
            .into_iter()
            .filter(|(_, text)| !text.is_null())
        {
            // SAFETY: guaranteed by the contract of this function.
            let text = unsafe { read(text, key) }?;
            request[key] = text.parse().map_or_else(|_| text.into(), u64::into);
        }
        // SAFETY: guaranteed by the contract of this function.
        Ok(text_of(field(
            &unsafe { ask_or_error(agent, &request) }?["position"],
        ))
        .into_raw())
    })
}

/// Returns 0 before a throw, 1 at a decision, 2 at the end, or -1. Writes the number of the seat
/// that throws or chooses (-1 at the end) and the return of each seat (0 before the end).
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose); `seat` is `NULL` or has room for a number, `returns`
/// is `NULL` or has room for four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_node(
    agent: Handle,
    position: Text,
    seat: *mut c_int,
    returns: *mut f32,
) -> c_int {
    or_error(-1, || {
        // SAFETY: guaranteed by the contract of this function.
        let view = unsafe { ask_at(agent, "view", read_position(position)?, json!({})) }?;
        // SAFETY: by contract, it is `NULL` or there is room for a number.
        if let Some(seat) = unsafe { seat.as_mut() } {
            let mover = elements(&view["seats"]).position(|seat| seat["seat"] == view["mover"]);
            *seat = mover.map_or(-1, |mover| mover as c_int);
        }
        // SAFETY: by contract, it is `NULL` or there is room for four numbers.
        if let Some(returns) = unsafe { returns.cast::<[f32; 4]>().as_mut() } {
            *returns = from_fn(|seat| view["returns"][seat].as_f64().unwrap_or(0.0) as f32);
        }
        Ok(if view["mover"].is_null() {
            2
        } else {
            c_int::from(view["node"] == "decision")
        })
    })
}

/// Throws the dice with 64 random bits. Returns the position and the throw.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_throw(agent: Handle, position: Text, random_bits: u64) -> NewText {
    let make = |position: &str, ask: Ask<'_>| {
        let outcomes = &ask("chance", position, json!({}))?["outcomes"];
        let mut rest = (random_bits >> 11) as f64 / (1_u64 << 53) as f64;
        let is_reached = |outcome: &&Value| {
            rest -= outcome["p"].as_f64().unwrap_or(0.0);
            rest < 0.0
        };
        let outcome = elements(outcomes)
            .find(is_reached)
            .or_else(|| elements(outcomes).last());
        let throw = outcome.map(|outcome| &outcome["throw"]);
        let after = ask("apply", position, json!({"throw": throw}))?;
        Ok(field(&after["position"]) + "\t" + &throw.map(field).unwrap_or_default())
    };
    // SAFETY: guaranteed by the contract of this function.
    unsafe { about(agent, position, make) }
}

/// Returns a line for each legal action: its number and its text.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_legal(agent: Handle, position: Text) -> NewText {
    let line = |action: &Value| fields(action, &["id", "text"], "\t");
    // SAFETY: guaranteed by the contract of this function.
    unsafe {
        about(agent, position, |position, ask| {
            lines(&ask("legal", position, json!({}))?["actions"], line)
        })
    }
}

/// Returns the position after an action.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_apply(agent: Handle, position: Text, action: c_int) -> NewText {
    let make = |position: &str, ask: Ask<'_>| {
        Ok(field(
            &ask("apply", position, json!({"action": action}))?["position"],
        ))
    };
    // SAFETY: guaranteed by the contract of this function.
    unsafe { about(agent, position, make) }
}

/// Returns a line for each possible end of the turn, with the actions that lead to it.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_turns(agent: Handle, position: Text) -> NewText {
    // SAFETY: guaranteed by the contract of this function.
    unsafe {
        about(agent, position, |position, ask| {
            lines(&ask("choices", position, json!({}))?["turns"], turn_line)
        })
    }
}

/// Returns the line of the turn that the agent plays.
///
/// # Safety
/// As [`ashta_choose`](super::ashta_choose).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_choose_turn(agent: Handle, position: Text, seed: u64) -> NewText {
    let make = |position: &str, ask: Ask<'_>| {
        let turns = &ask("choices", position, json!({}))?["turns"];
        let mut at = position.to_owned();
        loop {
            let action = &ask("bestmove", &at, json!({"seed": seed}))?["action"];
            at = field(&ask("apply", &at, json!({"action": action}))?["position"]);
            if let Some(turn) = elements(turns).find(|turn| turn["position"] == at) {
                return Ok(turn_line(turn));
            }
        }
    };
    // SAFETY: guaranteed by the contract of this function.
    unsafe { about(agent, position, make) }
}
