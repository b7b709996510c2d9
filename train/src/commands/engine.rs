//! `ashta engine`: the engine protocol (the rules, section 10.2), one JSON object a line, in and out.
//!
//! Every line gets exactly one answer. Whatever is wrong with a line is answered with an error, and the next one is
//! read; nothing but answers is ever written to standard output.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use ashta_agents::roster::{Player, Roster};
use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Action, Game, Node, Outcome, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::ruleset::{GAMES, Ruleset};
use ashta_env::turn::{TurnResults, turn_results};
use serde_json::{Map, Value, json};

use crate::cli::EngineArgs;
use crate::games::{self, by_seat};

/// The version of the protocol.
const PROTOCOL: u32 = 1;
/// The longest line that is read; a longer one is answered with an error.
const LONGEST_LINE: usize = 1 << 20;

/// Runs the command until the end of the input.
///
/// # Errors
/// When the agent cannot be loaded, or standard input or output breaks.
pub fn run(args: &EngineArgs) -> Result<()> {
    let agent = args.agent.as_deref().map(games::agent).transpose()?;
    let mut engine = Engine::new(agent);
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while read_line(&mut input, &mut line).context("cannot read standard input")? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let mut answer = serde_json::to_vec(&engine.answer(&line))?;
        answer.push(b'\n');
        output.write_all(&answer).and_then(|()| output.flush()).context("cannot write standard output")?;
    }
    Ok(())
}

/// Reads a line of at most [`LONGEST_LINE`] bytes and one more that tells it is too long; `false` at the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let mut is_end = true;
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(!is_end);
        }
        is_end = false;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(bytes.len());
        let room = (LONGEST_LINE + 1).saturating_sub(line.len());
        line.extend_from_slice(&bytes[..taken.min(room)]);
        let used = taken + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// Answers requests.
#[derive(Debug)]
pub struct Engine {
    /// Who answers `bestmove` and `evaluate`.
    agent: Option<Roster>,
    /// What agents that draw draw from, from request to request.
    rng: GameRng,
}

/// Why a request was refused: a code for programs and a message for people.
#[derive(Debug)]
struct Refusal {
    code: &'static str,
    message: String,
}

fn refuse(code: &'static str, message: impl ToString) -> Refusal {
    Refusal { code, message: message.to_string() }
}

/// The codes of refusals.
mod code {
    pub const JSON: &str = "bad-json";
    pub const REQUEST: &str = "bad-request";
    pub const OPERATION: &str = "unknown-op";
    pub const GAME: &str = "bad-game";
    pub const POSITION: &str = "bad-position";
    pub const THROW: &str = "illegal-throw";
    pub const ACTION: &str = "illegal-action";
    pub const AGENT: &str = "no-agent";
}

type Answer = Result<Value, Refusal>;

impl Engine {
    /// An engine with this agent, or one that knows only the rules.
    pub fn new(agent: Option<Roster>) -> Engine {
        Engine { agent, rng: chance::stream(0, 0) }
    }

    /// The answer to one line.
    pub fn answer(&mut self, line: &[u8]) -> Value {
        let request = match serde_json::from_slice(line) {
            _ if line.len() > LONGEST_LINE => Err(refuse(code::JSON, format!("the line is over {LONGEST_LINE} bytes"))),
            Ok(Value::Object(request)) => Ok(request),
            Ok(_) => Err(refuse(code::JSON, "a request is a JSON object")),
            Err(error) => Err(refuse(code::JSON, error)),
        };
        let id = request.as_ref().ok().and_then(|request| request.get("id").cloned());
        let mut answer = match request.and_then(|request| self.operate(&request)) {
            Ok(answer) => answer,
            Err(Refusal { code, message }) => json!({"error": {"code": code, "message": message}}),
        };
        if let (Some(id), Some(answer)) = (id, answer.as_object_mut()) {
            answer.insert("id".to_owned(), id);
        }
        answer
    }

    fn operate(&mut self, request: &Map<String, Value>) -> Answer {
        match text(request, "op")? {
            "hello" => Ok(json!({
                "name": "ashta",
                "version": env!("CARGO_PKG_VERSION"),
                "protocol": PROTOCOL,
                "games": GAMES,
                "agent": self.agent.as_ref().map(|agent| agent.spec().to_string()),
            })),
            "new" => new_game(request),
            "chance" => chance_outcomes(request),
            "legal" => legal(request),
            "apply" => apply(request),
            "turns" => turns(request),
            "observe" => observe(request),
            "bestmove" => self.best_move(request),
            "evaluate" => self.evaluate(request),
            other => Err(refuse(code::OPERATION, format!("there is no operation `{other}`"))),
        }
    }

    fn agent_for(&self, race: &Race) -> Result<Player, Refusal> {
        let agent = self.agent.as_ref().ok_or_else(|| refuse(code::AGENT, "the engine was started without --agent"))?;
        agent.player(race).map_err(|error| refuse(code::AGENT, error))
    }

    fn best_move(&mut self, request: &Map<String, Value>) -> Answer {
        let (race, state) = position(request)?;
        let agent = self.agent_for(&race)?;
        if !matches!(race.node(&state), Node::Decision(_)) {
            return Err(refuse(code::POSITION, "there is nothing to choose in this position"));
        }
        let states = [state];
        let rng = match request.contains_key("seed") {
            true => &mut chance::stream(seed(request)?, 0),
            false => &mut self.rng,
        };
        let action = agent.agent().act(&race, &states, std::slice::from_mut(rng))[0];
        let evaluation = agent.evaluator().evaluate(&race, &states).swap_remove(0);
        let policy: Vec<Value> = match evaluation.policy.as_slice() {
            [] => vec![json!([action.0, 1.0])],
            policy => policy.iter().map(|&(action, probability)| json!([action.0, probability])).collect(),
        };
        Ok(json!({
            "action": action.0,
            "text": race.action_text(&state, action),
            "values": by_seat(&race, &evaluation.values),
            "policy": policy,
        }))
    }

    fn evaluate(&mut self, request: &Map<String, Value>) -> Answer {
        let (race, state) = position(request)?;
        let agent = self.agent_for(&race)?;
        let mut values = Vec::new();
        agent.evaluator().values(&race, &[state], &mut values);
        Ok(json!({"values": by_seat(&race, &values[0])}))
    }
}

fn text<'a>(request: &'a Map<String, Value>, key: &str) -> Result<&'a str, Refusal> {
    match request.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(refuse(code::REQUEST, format!("`{key}` is a text"))),
        None => Err(refuse(code::REQUEST, format!("`{key}` is missing"))),
    }
}

/// The seed of a request, 0 where it has none.
fn seed(request: &Map<String, Value>) -> Result<u64, Refusal> {
    let seed = request.get("seed").map_or(Some(0), Value::as_u64);
    seed.ok_or_else(|| refuse(code::REQUEST, "`seed` is a number from 0 on"))
}

fn small_numbers(request: &Map<String, Value>, key: &str) -> Result<Vec<u8>, Refusal> {
    let numbers = request.get(key).and_then(Value::as_array);
    let small = |number: &Value| number.as_u64().and_then(|number| u8::try_from(number).ok());
    let numbers = numbers.and_then(|numbers| numbers.iter().map(small).collect());
    numbers.ok_or_else(|| refuse(code::REQUEST, format!("`{key}` is a list of throws")))
}

fn position(request: &Map<String, Value>) -> Result<(Race, State), Refusal> {
    Race::parse(text(request, "position")?).map_err(|error| refuse(code::POSITION, error))
}

fn new_game(request: &Map<String, Value>) -> Answer {
    let game = text(request, "game")?;
    let seats = match request.get("seats") {
        None => Ruleset::default_seats(2),
        Some(Value::Number(count)) => count.as_u64().and_then(|count| Ruleset::default_seats(count as usize)),
        Some(Value::String(letters)) => {
            let seats = SeatSet::from_letters(letters);
            Some(seats.map_err(|error| refuse(code::REQUEST, format!("`seats`: {error}")))?)
        }
        Some(_) => None,
    };
    let seats = seats.ok_or_else(|| refuse(code::REQUEST, "`seats` is 2, 3 or 4, or letters as \"SEW\""))?;
    let race = Race::new(Ruleset::parse(game, seats).map_err(|error| refuse(code::GAME, error))?);
    let seed = seed(request)?;
    let first = match request.get("start") {
        None | Some(Value::Null) => chance::first_seat(seats, &mut chance::stream(seed, 0)),
        Some(start) => {
            let letter = start.as_str().filter(|start| start.len() == 1).and_then(|start| start.chars().next());
            let seat = letter.and_then(Seat::from_letter).filter(|&seat| seats.contains(seat));
            seat.ok_or_else(|| refuse(code::REQUEST, format!("`start` is one of the seats {seats:?}")))?
        }
    };
    Ok(json!({"position": race.print(&race.initial_state(first))}))
}

fn chance_outcomes(request: &Map<String, Value>) -> Answer {
    let (race, state) = position(request)?;
    if !matches!(race.node(&state), Node::Chance(_)) {
        return Err(refuse(code::POSITION, "the position waits for no throw"));
    }
    let chances = race.chance_outcomes(&state).iter().enumerate().filter(|&(_, &probability)| probability > 0.0);
    let outcomes = chances.map(
        |(outcome, &probability)| json!({"throw": race.throw_values(Outcome(outcome as u8)), "p": exact(probability)}),
    );
    Ok(json!({"outcomes": outcomes.collect::<Vec<_>>()}))
}

/// A probability as the decimal that it stands for: 0.2, not the nearest single-precision number.
fn exact(probability: f32) -> f64 {
    (f64::from(probability) * 1e6).round() / 1e6
}

fn legal(request: &Map<String, Value>) -> Answer {
    let (race, state) = position(request)?;
    let legal = race.legal_actions(&state).iter();
    let actions = legal.map(|action| json!({"id": action.0, "text": race.action_text(&state, action)}));
    Ok(json!({"actions": actions.collect::<Vec<_>>()}))
}

fn apply(request: &Map<String, Value>) -> Answer {
    let (race, mut state) = position(request)?;
    match (request.get("throw"), request.get("action")) {
        (Some(_), None) => {
            let values = small_numbers(request, "throw")?;
            race.throw(&mut state, &values).map_err(|error| refuse(code::THROW, error))?;
        }
        (None, Some(action)) => {
            let number =
                action.as_u64().ok_or_else(|| refuse(code::REQUEST, "`action` is a whole number from 0 on"))?;
            let legal = race.legal_actions(&state);
            let action = u8::try_from(number).ok().map(Action);
            let action = action.filter(|&action| legal.contains(action)).ok_or_else(|| {
                let node = race.node(&state);
                let here = if matches!(node, Node::Decision(_)) { "legal are" } else { "nothing is to be chosen:" };
                refuse(code::ACTION, format!("action {number} is not legal here; {here} {legal:?}"))
            })?;
            race.apply_action(&mut state, action);
        }
        _ => return Err(refuse(code::REQUEST, "`apply` takes either `throw` or `action`")),
    }
    let mut answer = json!({"position": race.print(&state)});
    if race.node(&state) == Node::Terminal {
        answer["returns"] = json!(by_seat(&race, &race.returns(&state)));
    }
    Ok(answer)
}

fn turns(request: &Map<String, Value>) -> Answer {
    let (race, mut state) = position(request)?;
    let values = small_numbers(request, "throws")?;
    if !text(request, "position")?.ends_with(" *") {
        return Err(refuse(code::POSITION, "`turns` asks at the start of a turn, where the pending throws are `*`"));
    }
    race.throw(&mut state, &values).map_err(|error| refuse(code::THROW, error))?;
    if !matches!(race.node(&state), Node::Decision(_)) {
        return Err(refuse(code::THROW, format!("{values:?} is not a whole series: it ends in 2 or 3")));
    }
    let mut results = TurnResults::new();
    turn_results(&race, &state, &mut results);
    let mut positions: Vec<String> = results.states().iter().map(|state| race.print(state)).collect();
    positions.sort_unstable();
    positions.dedup();
    Ok(json!({"positions": positions}))
}

fn observe(request: &Map<String, Value>) -> Answer {
    let (race, state) = position(request)?;
    let (Node::Chance(seat) | Node::Decision(seat)) = race.node(&state) else {
        return Err(refuse(code::POSITION, "the game is over: there is nobody to observe"));
    };
    let mut observation = vec![0.0; race.spec().observation];
    race.observe(&state, seat, &mut observation);
    let legal = race.legal_actions(&state);
    let mask: Vec<u8> = (0..race.spec().actions as u8).map(|action| u8::from(legal.contains(Action(action)))).collect();
    // Whole numbers, as they are all 0 or 1.
    let observation: Vec<u8> = observation.into_iter().map(|entry| entry as u8).collect();
    Ok(json!({"observation": observation, "mask": mask, "encoding": race.spec().encoding}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: &str) -> Value {
        let agent = Some(games::agent("greedy").expect("a baseline"));
        Engine::new(agent).answer(request.as_bytes())
    }

    fn error(request: &str) -> (String, String) {
        let error = &ask(request)["error"];
        (error["code"].as_str().expect("a code").to_owned(), error["message"].as_str().expect("a message").to_owned())
    }

    #[test]
    fn a_game_is_begun_thrown_and_moved() {
        let new = ask(r#"{"id":7,"op":"new","game":"pagade?teams=true","seats":4,"start":"S"}"#);
        assert_eq!(new["id"], 7);
        let position = "pagade?teams=true S:6,7,12,12/E:6,7,12,12/N:6,7,12,12/W:6,7,12,12 S *";
        assert_eq!(new["position"], position);
        let outcomes = ask(&json!({"op": "chance", "position": position}).to_string());
        let outcomes = outcomes["outcomes"].as_array().expect("outcomes").clone();
        assert_eq!(outcomes.len(), 10);
        assert_eq!(outcomes.iter().map(|outcome| outcome["p"].as_f64().expect("a number")).sum::<f64>(), 1.0);
        let thrown = ask(&json!({"op": "apply", "position": position, "throw": [4, 1]}).to_string());
        assert!(thrown["position"].as_str().expect("a position").ends_with(" S 4,1"), "{thrown}");
        let legal = ask(&json!({"op": "legal", "position": thrown["position"]}).to_string());
        let first = legal["actions"][0].clone();
        let moved = ask(&json!({"op": "apply", "position": thrown["position"], "action": first["id"]}).to_string());
        assert!(moved["position"].is_string(), "{moved}");
    }

    #[test]
    fn agents_that_draw_draw_anew_at_each_request() {
        let mut engine = Engine::new(Some(games::agent("random").expect("a baseline")));
        let mut first = |request: Value| {
            let counted = (0..400).filter(|_| engine.answer(request.to_string().as_bytes())["action"] == json!(0));
            counted.count()
        };
        let request = json!({"op": "bestmove", "position": "ashte-kashte?pieces=2 S:12,14/N:hand,hand S 1"});
        let count = first(request.clone());
        assert!((160..=240).contains(&count), "{count} of 400");
        let mut seeded = request;
        seeded["seed"] = json!(5);
        let count = first(seeded);
        assert!(count == 0 || count == 400, "the same seed, the same answer: {count} of 400");
        let (refused, message) = error(r#"{"op":"bestmove","position":"ashtapada S:5,30/N:off,23 S 4,2","seed":-1}"#);
        assert_eq!((refused.as_str(), message.as_str()), (code::REQUEST, "`seed` is a number from 0 on"));
    }

    #[test]
    fn whole_turns_are_sorted_texts() {
        let answer = ask(r#"{"op":"turns","position":"ashtapada S:5,30/N:off,23 S *","throws":[4,2]}"#);
        let expected = [
            "ashtapada S:11,30/N:off,23 N *",
            "ashtapada S:5,36/N:off,23 N *",
            "ashtapada S:7,34/N:off,23 N *",
            "ashtapada S:9,32/N:off,off S *",
        ];
        assert_eq!(answer["positions"], json!(expected));
    }

    #[test]
    fn the_end_has_returns() {
        let position = "ashte-kashte S:45,home,home,home/N:hand,hand,hand,hand S 3";
        let legal = ask(&json!({"op": "legal", "position": position}).to_string());
        let action = legal["actions"][0]["id"].clone();
        let end = ask(&json!({"op": "apply", "position": position, "action": action}).to_string());
        assert_eq!(end["returns"], json!([1.0, 0.0]));
        assert!(end["position"].as_str().expect("a position").ends_with(" - -"));
    }

    #[test]
    fn the_agent_answers() {
        let best = ask(r#"{"op":"bestmove","position":"ashtapada S:5,30/N:off,23 S 4,2"}"#);
        assert!(best["action"].is_u64() && best["text"].is_string(), "{best}");
        assert_eq!(best["values"].as_array().expect("values").len(), 2);
        let values = ask(r#"{"op":"evaluate","position":"ashtapada S:5,30/N:off,23 S *"}"#);
        let values: Vec<f64> = values["values"].as_array().expect("values").iter().filter_map(Value::as_f64).collect();
        assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        let without = Engine::new(None).answer(br#"{"op":"evaluate","position":"ashtapada S:5,30/N:off,23 S *"}"#);
        assert_eq!(without["error"]["code"], "no-agent");
    }

    #[test]
    fn observations_are_of_the_declared_length() {
        let answer = ask(r#"{"op":"observe","position":"pagade S+:8,20,30,76/N:6,7,12,12 S 3,3"}"#);
        let (race, _) = Race::parse("pagade S+:8,20,30,76/N:6,7,12,12 S 3,3").expect("valid");
        assert_eq!(answer["observation"].as_array().expect("a list").len(), race.spec().observation);
        assert_eq!(answer["mask"].as_array().expect("a list").len(), race.spec().actions);
        assert_eq!(answer["encoding"], ashta_env::race::ENCODING);
    }

    #[test]
    fn broken_requests_are_refused_by_name() {
        for (request, code, part) in [
            ("{", "bad-json", "EOF"),
            ("[1]", "bad-json", "object"),
            ("{}", "bad-request", "`op` is missing"),
            (r#"{"op":"dance"}"#, "unknown-op", "`dance`"),
            (r#"{"op":"new","game":"ludo"}"#, "bad-game", "unknown game `ludo`"),
            (r#"{"op":"new","game":"pagade","seats":3}"#, "bad-game", "not played"),
            (r#"{"op":"legal","position":"ashtapada S:5,61/N:off,off S *"}"#, "bad-position", "no place `61`"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S *","throw":[5]}"#, "illegal-throw", "[5]"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":12}"#, "illegal-action", "12"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":300}"#, "illegal-action", "300"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":"0"}"#, "bad-request", "`action`"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":0.0}"#, "bad-request", "`action`"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":-1}"#, "bad-request", "`action`"),
            (r#"{"op":"new","game":"pagade","start":"S","seed":-1}"#, "bad-request", "`seed`"),
            (r#"{"op":"new","game":"ashtapada","seats":"SSN"}"#, "bad-request", "seat `S` is given twice"),
            (r#"{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2"}"#, "bad-request", "either"),
            (r#"{"op":"turns","position":"ashtapada S:5,30/N:off,23 S *","throws":[4]}"#, "illegal-throw", "series"),
        ] {
            let (found, message) = error(request);
            assert_eq!(found, code, "{request}: {message}");
            assert!(message.contains(part), "{request}: {message}");
        }
    }

    #[test]
    fn long_lines_are_read_in_bounded_room() {
        let mut input = vec![b' '; 3 * LONGEST_LINE];
        input.extend_from_slice(b"\n{}\nlast");
        let mut input = std::io::BufReader::new(input.as_slice());
        let mut line = Vec::new();
        let mut lengths = Vec::new();
        while read_line(&mut input, &mut line).expect("memory") {
            lengths.push(line.len());
        }
        assert_eq!(lengths, [LONGEST_LINE + 1, 2, 4]);
    }
}
