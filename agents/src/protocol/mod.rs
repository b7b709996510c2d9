//! The engine protocol (`docs/engine-protocol.md`): each request and each answer is a JSON object.
//!
//! The answer to an invalid request is an error. Some operations are for programs that draw boards:
//! `board`, `view`, `choices`, `why` and `hint`. The caller provides the transport: lines of
//! standard input, messages of a browser, calls from C.

mod lesson;
mod rules;
mod sheets;
mod show;
#[cfg(test)]
mod tests;

use std::{cell::RefCell, sync::Arc};

use ashta_env::{
    chance::{self, GameRng},
    form::FormProblem,
    game::{BySeat, Game, Node},
    race::{Race, state::State},
    sheet::{Sheet, Sheets},
    turn::{TooManyPositions, TurnResults, turn_results_within},
};
use rand::Rng;
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    play::{error::shortened, evaluator::Evaluator, stop::Stop},
    roster::{NamedAgent, Player},
};

pub use rules::named_action;
pub use sheets::{describe, describe_sheet};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;
/// The longest request, in bytes; the answer to a longer request is an error.
pub const LONGEST_REQUEST: usize = 1 << 20;

/// Answers requests.
#[derive(Debug)]
pub struct Engine {
    /// The agent that answers `bestmove`, `evaluate` and `hint`.
    agent: Option<NamedAgent>,
    /// Draws the seeds of requests without a seed.
    rng: GameRng,
    /// The games that are known by name.
    sheets: Sheets,
    /// The last sheet in a request, with its text, because many requests repeat a sheet.
    last_sheet: Option<(String, Arc<Sheet>)>,
    /// The game of the last position, because most requests are about the same game.
    last_race: RefCell<Option<Race>>,
    /// Ends searches early.
    stop: Stop,
}

/// The error of a request: a code for programs and a message for people.
struct Refusal {
    code: &'static str,
    message: String,
    /// The problems of a sheet.
    problems: Vec<FormProblem>,
}

fn refuse(code: &'static str, message: impl ToString) -> Refusal {
    Refusal {
        code,
        message: message.to_string(),
        problems: Vec::new(),
    }
}

/// The codes of errors.
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
    /// Creates an engine; without an agent, it only knows the rules. If the agent is a bot or a
    /// table, the engine knows its game by name. Requests without a seed take their seeds from a
    /// generator that starts with `seed`.
    pub fn new(agent: Option<NamedAgent>, seed: u64) -> Engine {
        let mut sheets = Sheets::default();
        if let Some(Ok(Some(race))) = agent.as_ref().map(NamedAgent::race) {
            // If this fails, the agent cannot play either; requests report the error.
            let _ = sheets.add(Arc::clone(race.ruleset().base()));
        }
        Engine {
            agent,
            rng: chance::stream(seed, 0),
            sheets,
            last_sheet: None,
            last_race: RefCell::default(),
            stop: Stop::default(),
        }
    }

    /// Sets the stop of searches: once `stop` is set, a search ends soon and its answer is
    /// meaningless.
    pub fn stop_by(&mut self, stop: Stop) {
        self.stop = stop;
    }

    /// Answers a request. Request and answer are JSON objects.
    pub fn answer(&mut self, request: &[u8]) -> Value {
        let request = match request.len() {
            0..=LONGEST_REQUEST => {
                serde_json::from_slice::<Map<String, Value>>(request).map_err(|error| {
                    refuse(
                        code::JSON,
                        format!("the request is not a JSON object: {error}"),
                    )
                })
            }
            _ => Err(refuse(
                code::JSON,
                format!("the request is longer than {LONGEST_REQUEST} bytes"),
            )),
        };
        let id = request
            .as_ref()
            .ok()
            .and_then(|request| request.get("id").cloned());
        let mut answer = match request.and_then(|request| self.operate(&request)) {
            Ok(answer) => answer,
            Err(Refusal {
                code,
                message,
                problems,
            }) => {
                let mut error = json!({"code": code, "message": shortened(&message)});
                if !problems.is_empty() {
                    error["problems"] = json!(problems);
                }
                json!({"error": error})
            }
        };
        if let (Some(id), Some(answer)) = (id, answer.as_object_mut()) {
            answer.insert("id".to_owned(), id);
        }
        answer
    }

    /// Answers a request as text. The `id` of the answer is written as in the request: numbers keep
    /// all their digits.
    pub fn answer_text(&mut self, request: &[u8]) -> String {
        #[derive(Deserialize)]
        struct Identified<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
        }
        let answer = self.answer(request);
        let written = answer
            .get("id")
            .and_then(|_| serde_json::from_slice::<Identified<'_>>(request).ok()?.id);
        let (Some(written), Value::Object(fields)) = (written, &answer) else {
            return answer.to_string();
        };
        let field = |(name, value): (&String, &Value)| match name.as_str() {
            "id" => format!("\"id\":{written}"),
            _ => format!("{}:{value}", Value::from(name.as_str())),
        };
        format!(
            "{{{}}}",
            fields.iter().map(field).collect::<Vec<_>>().join(",")
        )
    }

    fn operate(&mut self, request: &Map<String, Value>) -> Answer {
        let operation = text(request, "op")?;
        let sheet = self.read_sheet(request)?;
        let known = &self.sheets;
        let position = || self.position(request);
        let race = || rules::race(known, sheet.as_deref(), request);
        let described = |sheet| describe_sheet(sheet).map_err(|error| refuse(code::GAME, error));
        match operation {
            "hello" => Ok(json!({
                "name": "ashta",
                "version": env!("CARGO_PKG_VERSION"),
                "protocol": PROTOCOL,
                "games": known.all().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(),
                "agent": self.agent.as_ref().map(NamedAgent::to_string),
            })),
            "games" => {
                Ok(json!({"games": known.all().map(described).collect::<Result<Vec<_>, _>>()?}))
            }
            "sheet" => match &sheet {
                Some(sheet) => Ok(json!({"game": described(sheet)?})),
                None => Err(refuse(code::REQUEST, "`sheet` is missing")),
            },
            "rules" => Ok(json!({"understood": race()?.understood()})),
            "lesson" => lesson::lesson(&race()?),
            "new" => {
                let race = race()?;
                rules::new_game(&race, request, self.seed(request)?)
            }
            "chance" => rules::chance_outcomes(position()?),
            "legal" => rules::legal(position()?),
            "apply" => rules::apply(position()?, request),
            "replay" => rules::replay(position()?, request),
            "turns" => rules::turns(position()?, request),
            "observe" => rules::observe(position()?),
            "board" => show::board(position()?),
            "view" => show::view(position()?),
            "choices" => show::choices(position()?),
            "why" => show::why(position()?),
            "hint" => self.hint(position()?),
            "bestmove" => self.best_move(position()?, request),
            "evaluate" => self.evaluate(position()?),
            other => Err(refuse(
                code::OPERATION,
                format!("unknown operation `{other}`"),
            )),
        }
    }

    fn position(&self, request: &Map<String, Value>) -> Result<(Race, State), Refusal> {
        let text = text(request, "position")?;
        let mut last = self.last_race.borrow_mut();
        if let Some(race) = &*last
            && text.split(' ').next() == Some(&race.spec().name)
            && let Ok(state) = race.parse_state(text)
        {
            return Ok((race.clone(), state));
        }
        let (race, state) =
            Race::parse_in(&self.sheets, text).map_err(|error| refuse(code::POSITION, error))?;
        *last = Some(race.clone());
        Ok((race, state))
    }

    /// The seed of a request; a random seed if the request has none. JSON numbers below 2⁵³ are
    /// exact everywhere.
    fn seed(&mut self, request: &Map<String, Value>) -> Result<u64, Refusal> {
        let Some(seed) = request.get("seed").filter(|seed| !seed.is_null()) else {
            return Ok(self.rng.next_u64() >> 11);
        };
        let wrong = || format!("`seed` must be a whole number from 0 to 2^64 - 1 (got {seed})");
        seed.as_u64().ok_or_else(|| refuse(code::REQUEST, wrong()))
    }

    fn agent_for(&self, race: &Race) -> Result<Player, Refusal> {
        let agent = self.agent.as_ref();
        agent
            .ok_or_else(|| {
                refuse(
                    code::AGENT,
                    "this operation needs an agent, but none is loaded",
                )
            })?
            .player(race)
            .map_err(|error| refuse(code::AGENT, error))
    }

    fn evaluator(&self, player: &Player) -> Box<dyn Evaluator<Race> + Send> {
        let mut evaluator = player.evaluator();
        evaluator.stop_by(&self.stop);
        evaluator
    }

    fn best_move(&mut self, (race, state): (Race, State), request: &Map<String, Value>) -> Answer {
        let player = self.agent_for(&race)?;
        if let Some(why) = no_decision(&race, &state) {
            return Err(refuse(
                code::POSITION,
                format!("the position is not a decision: {why}"),
            ));
        }
        check_turn(&race, &state)?;
        let states = [state];
        let seed = self.seed(request)?;
        let mut agent = player.agent();
        agent.stop_by(&self.stop);
        let action = agent.choose(&race, &state, &mut chance::stream(seed, 0));
        let evaluation = self
            .evaluator(&player)
            .evaluate(&race, &states)
            .swap_remove(0);
        let policy: Vec<Value> = match evaluation.policy.as_slice() {
            [] => vec![json!([action.0, 1.0])],
            policy => policy
                .iter()
                .map(|&(action, probability)| json!([action.0, probability]))
                .collect(),
        };
        Ok(json!({
            "action": action.0,
            "text": race.action_text(&state, action),
            "values": by_seat(&race, &evaluation.values),
            "policy": policy,
            "seed": seed,
        }))
    }

    fn evaluate(&self, (race, state): (Race, State)) -> Answer {
        let agent = self.agent_for(&race)?;
        check_turn(&race, &state)?;
        let mut values = Vec::new();
        self.evaluator(&agent).values(&race, &[state], &mut values);
        Ok(json!({"values": by_seat(&race, &values[0])}))
    }
}

fn text<'a>(request: &'a Map<String, Value>, key: &str) -> Result<&'a str, Refusal> {
    match request.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(refuse(code::REQUEST, format!("`{key}` must be a text"))),
        None => Err(refuse(code::REQUEST, format!("`{key}` is missing"))),
    }
}

/// Why `state` is not a decision; `None` if it is a decision.
fn no_decision(race: &Race, state: &State) -> Option<&'static str> {
    match race.node(state) {
        Node::Decision(_) => None,
        Node::Chance(_) => Some("the dice must be thrown first"),
        Node::Terminal => Some("the game is over"),
    }
}

/// Turns with at most this number of throws are searched without a bound. In a test of 5,000 random
/// turns with four pieces and many house rules, no turn led through too many positions.
const FEW_THROWS: usize = 8;

/// Checks that the turn of `state` can be searched.
fn check_turn(race: &Race, state: &State) -> Result<(), Refusal> {
    match race.pending_throws(state).len() {
        0..=FEW_THROWS => Ok(()),
        _ => afterstates(race, state).map(drop),
    }
}

/// The possible ends of the turn of the decision `state`; empty at other nodes.
fn afterstates(race: &Race, state: &State) -> Result<TurnResults<State>, Refusal> {
    let mut results = TurnResults::new();
    let most = race.most_results(state);
    match turn_results_within(race, state, most, &mut results) {
        true => Ok(results),
        false => Err(refuse(code::POSITION, TooManyPositions { most })),
    }
}

/// One number for each seat of the game, in the order of the seats in a position.
pub fn by_seat(race: &Race, values: &BySeat<f32>) -> Vec<f32> {
    race.spec().seats.iter().map(|seat| values[seat]).collect()
}
