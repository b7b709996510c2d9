//! Fuzz targets: properties of arbitrary bytes read as a position, requests to the engine, a bot, a
//! table or a game.
//!
//! Each function takes arbitrary bytes and fails where the library answers wrongly, panics or does
//! not terminate. The fuzzer of `fuzz/` searches for such bytes; a test replays its corpus. The
//! targets correct the checksums of a file, so that the fuzzer reaches the code that follows. This
//! module needs neither burn nor files.

use ashta_agents::{
    arena::game_record::{GameLine, MoveText},
    network::{bot::Bot, portable::Scratch},
    perfect::table::{Perfect, Table},
    play::{
        agent::{Agent, OnePly},
        evaluator::Evaluator,
    },
    protocol::Engine,
};
use ashta_env::{
    chance::{self, GameRng},
    game::{Game, Node, RaceGame},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::Sheets,
    testing::laws::{check_node, successors},
    turn::{TurnResults, turn_results_within},
    turn_index::TurnIndex,
};
use ashta_rule_tests::random::advance;
use serde_json::Value;

/// A function of this module.
pub type Target = fn(&[u8]);

/// Every function by its name, which is also the name of its folder of examples.
pub const TARGETS: [(&str, Target); 5] = [
    ("notation", notation),
    ("protocol", protocol),
    ("bot", bot),
    ("table", table),
    ("record", record),
];

/// Nodes that are walked from a position.
const STEPS: usize = 8;
/// Bound on the positions visited within a turn.
const RESULTS: usize = 1 << 9;
/// Most requests of a fuzzed conversation.
const REQUESTS: usize = 8;
/// The codes of errors of the engine protocol.
const CODES: [&str; 8] = [
    "bad-json",
    "bad-request",
    "unknown-op",
    "bad-game",
    "bad-position",
    "illegal-throw",
    "illegal-action",
    "no-agent",
];
/// The operations of the engine protocol, with the required fields of their answers.
const FIELDS: [(&str, &[&str]); 15] = [
    ("hello", &["name", "version", "protocol", "games", "agent"]),
    ("new", &["position"]),
    ("chance", &["outcomes"]),
    ("legal", &["actions"]),
    ("apply", &["position"]),
    ("replay", &["begins", "steps"]),
    ("turns", &["positions"]),
    ("observe", &["observation", "mask", "encoding"]),
    ("board", &["side", "squares", "courses"]),
    (
        "view",
        &[
            "game", "node", "mover", "throws", "seats", "pieces", "actions",
        ],
    ),
    ("choices", &["turns", "moves", "nodes"]),
    ("why", &["reasons"]),
    ("hint", &["values", "actions"]),
    ("bestmove", &["action", "text", "values", "policy"]),
    ("evaluate", &["values"]),
];
/// Columns of a drawn board at most.
const COLUMNS: usize = 80;

/// A position, as text. A text that parses prints as itself, but for the names of the house rules;
/// a walk from it keeps the rules.
///
/// # Panics
/// When a property fails.
pub fn notation(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let (race, state) = match Race::parse_position(text) {
        Ok(read) => read,
        Err(error) => return check_error(text, &error.to_string()),
    };
    let printed = race.print(&state);
    let rest = |text: &str| text.split_once(' ').map(|(_, rest)| rest.to_owned());
    assert_eq!(rest(&printed), rest(text), "a position has one text");
    walk(&race, state, &mut draws(data));
}

/// Requests to an engine, a line each. Every answer is either an error of a known code or the
/// requested result, repeats the `id`, and names only positions that parse.
///
/// # Panics
/// When a property fails.
pub fn protocol(data: &[u8]) {
    let mut engine = Engine::new(Some("greedy".parse().expect("a baseline")), 0);
    for line in data.split(|&byte| byte == b'\n').take(REQUESTS) {
        let answer = engine.answer(line);
        let request: Value = serde_json::from_slice(line).unwrap_or_default();
        assert_eq!(
            answer.get("id"),
            request.as_object().and_then(|request| request.get("id")),
            "{answer}"
        );
        if let Some(error) = answer.get("error") {
            let (code, message) = (error["code"].as_str(), error["message"].as_str());
            assert!(code.is_some_and(|code| CODES.contains(&code)), "{answer}");
            check_error(
                str::from_utf8(line).unwrap_or_default(),
                message.expect("a message"),
            );
            continue;
        }
        let operation = request["op"]
            .as_str()
            .expect("only an operation is answered");
        let fields = FIELDS
            .iter()
            .find(|(name, _)| *name == operation)
            .expect("a known operation")
            .1;
        assert!(
            fields.iter().all(|&field| answer.get(field).is_some()),
            "{operation}: {answer}"
        );
        let positions = answer.get("positions").and_then(Value::as_array);
        for position in answer
            .get("position")
            .into_iter()
            .chain(positions.into_iter().flatten())
        {
            let text = position.as_str().expect("a position is text");
            assert!(
                Race::parse_position(text).is_ok_and(|(race, state)| race.print(&state) == text),
                "{answer}"
            );
        }
        if let Some(outcomes) = answer.get("outcomes").and_then(Value::as_array) {
            let sum: f64 = outcomes
                .iter()
                .filter_map(|outcome| outcome["p"].as_f64())
                .sum();
            assert!((sum - 1.0).abs() < 1e-5, "{answer}");
        }
        for value in answer
            .get("values")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            assert!(
                value
                    .as_f64()
                    .is_some_and(|value| (-1e-3..=1.001).contains(&value)),
                "{answer}"
            );
        }
    }
}

/// A bot's file. A bot that is read reproduces its probes and survives a round trip; if its game
/// exists, it chooses legal actions.
///
/// # Panics
/// When a property fails.
pub fn bot(data: &[u8]) {
    // Reads the unchanged bytes first: they can fail before the checksum is compared.
    let _ = Bot::from_bytes(data);
    let read = sealed_bot(data, false).and_then(|bytes| match Bot::from_bytes(&bytes) {
        Err(error) if error.to_string().starts_with("probe ") => {
            Bot::from_bytes(&sealed_bot(data, true)?).ok()
        }
        read => read.ok(),
    });
    let Some(bot) = read else { return };
    let mut scratch = Scratch::default();
    for probe in &bot.manifest.probes {
        let (values, policy) = bot.net.forward(&probe.active, &mut scratch);
        assert_eq!(
            (values.len(), policy.len()),
            (probe.values.len(), probe.policy.len())
        );
        let is_near =
            |(said, found): (&f32, &f32)| (said - found).abs() <= 1e-4 * said.abs().max(1.0);
        let answers = probe
            .values
            .iter()
            .zip(values)
            .chain(probe.policy.iter().zip(policy));
        assert!(
            answers.into_iter().all(is_near),
            "{probe:?}: {values:?} {policy:?}"
        );
    }
    let bytes = bot.to_bytes().expect("what was read is written");
    let again = Bot::from_bytes(&bytes).expect("what was written is read");
    assert_eq!(
        again.to_bytes().ok(),
        Some(bytes),
        "the same bot is the same bytes"
    );
    play(&bot, &mut draws(data));
}

/// One game of a few nodes by a bot, if its ruleset is one.
fn play(bot: &Bot, rng: &mut GameRng) {
    let Ok(seats) = ashta_env::game::SeatSet::from_letters(&bot.manifest.seats) else {
        return;
    };
    let Ok(ruleset) = Ruleset::parse(&bot.manifest.ruleset, seats) else {
        return;
    };
    let race = Race::new(ruleset);
    if bot.check_ruleset(race.spec()).is_err() {
        return;
    }
    let mut evaluator = bot.evaluator();
    let mut agent = OnePly::new(evaluator.clone());
    let mut state = race.initial_state(chance::first_seat(seats, rng));
    for _ in 0..STEPS {
        let evaluation = &evaluator.evaluate(&race, &[state])[0];
        assert_eq!(evaluation.policy.len(), race.legal_actions(&state).len());
        if let Node::Decision(_) = race.node(&state) {
            let action = agent.choose(&race, &state, rng);
            assert!(
                race.legal_actions(&state).contains(action),
                "{action:?} in {}",
                race.print(&state)
            );
        }
        if !advance(&race, &mut state, rng) {
            break;
        }
    }
}

/// The bytes of a bot with correct checksums, and no probes if `is_bare`.
fn sealed_bot(data: &[u8], is_bare: bool) -> Option<Vec<u8>> {
    let (length, rest) = data.split_first_chunk::<8>()?;
    let (header, data) =
        rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let mut header: Value = serde_json::from_slice(header).ok()?;
    let text = header.get_mut("__metadata__")?.get_mut("ashta")?;
    let mut manifest: Value = serde_json::from_str(text.as_str()?).ok()?;
    let facts = manifest.as_object_mut()?;
    let is_sealed = facts.get("format").is_some_and(|format| *format == 3) && data.len() >= 4;
    let data = &data[..data.len() - if is_sealed { 4 } else { 0 }];
    facts.insert(
        "checksum".to_owned(),
        format!("{:08x}", checksum(&[data])).into(),
    );
    if is_bare {
        facts.insert("probes".to_owned(), Value::Array(Vec::new()));
    }
    *text = manifest.to_string().into();
    let mut header = header.to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let bytes = [&(header.len() as u64).to_le_bytes()[..], &header, data].concat();
    let seal = if is_sealed {
        checksum(&[&bytes]).to_le_bytes().to_vec()
    } else {
        Vec::new()
    };
    Some([bytes, seal].concat())
}

/// A table's file. A table that is read answers everywhere and survives a round trip.
///
/// # Panics
/// When a property fails.
pub fn table(data: &[u8]) {
    // Reads the unchanged bytes first: they can fail before the checksum is compared.
    let _ = Table::from_bytes(data);
    let Some(table) = sealed_table(data).and_then(|bytes| Table::from_bytes(&bytes).ok()) else {
        return;
    };
    let bytes = table.to_bytes().expect("what was read is written");
    let again = Table::from_bytes(&bytes).expect("what was written is read");
    assert!(
        again.to_bytes().expect("what was read is written") == bytes,
        "a table is read as it was written"
    );
    let rng = &mut draws(data);
    let race = table.index().race().clone();
    let table = std::sync::Arc::new(table);
    let mut perfect = Perfect::new(std::sync::Arc::clone(&table));
    let mut state = race.initial_state(chance::first_seat(race.spec().seats, rng));
    for _ in 0..STEPS {
        let evaluation = &perfect.evaluate(&race, &[state])[0];
        for seat in race.spec().seats.iter() {
            let value = evaluation.values[seat];
            assert!(
                (-1e-3..=1.001).contains(&value),
                "{value} for {seat} in {}",
                race.print(&state)
            );
        }
        if let Some(values) = table.values_of(&state) {
            assert_eq!(values, evaluation.values);
        }
        if !advance(&race, &mut state, rng) {
            break;
        }
    }
}

/// The bytes of a table whose header has the hash and the numbers of its ruleset, with correct
/// checksums.
fn sealed_table(data: &[u8]) -> Option<Vec<u8>> {
    let (start, rest) = data.split_at_checked(16)?;
    let number = |bytes: &[u8]| Some(u32::from_le_bytes(*bytes.first_chunk()?) as usize);
    let (header, rest) = rest.split_at_checked(number(&start[12..])?)?;
    let mut rest = rest.get(4..)?;
    let mut facts: Value = serde_json::from_slice(header).ok()?;
    let ruleset: Ruleset = serde_json::from_value(facts.get("ruleset")?.clone()).ok()?;
    let starts = TurnIndex::new(&Race::new(ruleset.clone())).ok()?;
    let values = starts.numbers()
        * if starts.seats() == 2 {
            1
        } else {
            starts.seats()
        };
    for (key, value) in [
        (
            "ruleset_hash",
            Value::from(format!("{:016x}", ruleset.hash64())),
        ),
        ("sides", starts.sides().len().into()),
        ("values", values.into()),
    ] {
        facts.as_object_mut()?.insert(key.to_owned(), value);
    }
    let header = facts.to_string().into_bytes();
    let start = [&start[..12], &(header.len() as u32).to_le_bytes()].concat();
    let mut sealed = [
        &start[..],
        &header,
        &checksum(&[&start, &header]).to_le_bytes(),
    ]
    .concat();
    // Blocks of values, one after the other: length, checksum, data.
    while let (Some(length), Some(_)) = (number(rest), rest.get(8..)) {
        let Some(block) = rest.get(8..8 + length) else {
            break;
        };
        sealed.extend([&rest[..4], &checksum(&[block]).to_le_bytes(), block].concat());
        rest = &rest[8 + length..];
    }
    sealed.extend(rest);
    Some(sealed)
}

/// Games, as lines of JSON or of positions. A game that is read is replayed to its last move, or
/// its first impossible move is reported; written as a line it is the same game.
///
/// # Panics
/// When a property fails.
pub fn record(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    for number in 0..4 {
        let game = match GameLine::read(&Sheets::default(), text, number) {
            Ok(game) => game,
            Err(error) => {
                check_error(text, &error.to_string());
                continue;
            }
        };
        assert!(number > 0, "games are counted from 1");
        let line = serde_json::to_string(&game).expect("a game is JSON");
        let again = GameLine::read(&Sheets::default(), &line, 1).expect("what was written is read");
        assert_eq!(
            serde_json::to_string(&again).ok().as_ref(),
            Some(&line),
            "the same game is the same line"
        );
        let Ok((race, start)) = game.read_start() else {
            continue;
        };
        let is_game = !text.trim_start().starts_with('{');
        let (moves, end) = match game.replay(&race, start) {
            Ok(played) => played,
            Err(error) => {
                assert!(
                    !is_game,
                    "positions were connected by moves that are refused: {error}"
                );
                check_error(text, &error.to_string());
                continue;
            }
        };
        let thrown = |made: &MoveText| {
            if let MoveText::Throw(values) = made {
                values.len()
            } else {
                1
            }
        };
        let most: usize = game.moves.iter().map(thrown).sum();
        assert!(
            (game.moves.len()..=most).contains(&moves.len()),
            "{} moves of {most}",
            moves.len()
        );
        check(&race, &end);
    }
}

/// An error is not empty, and not much longer than the invalid text.
fn check_error(text: &str, error: &str) {
    assert!(
        !error.is_empty() && error.len() <= 4 * text.len() + 8_192,
        "{} bytes of error: {error}",
        error.len()
    );
}

/// A random number generator seeded by the bytes.
fn draws(data: &[u8]) -> GameRng {
    chance::stream(u64::from(checksum(&[data])), 0)
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut sum = flate2::Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.sum()
}

/// Every throw and action in a position leads to a valid position; so do a few nodes of random play
/// from there.
///
/// # Panics
/// When a property fails.
pub fn walk(race: &Race, mut state: State, rng: &mut GameRng) {
    let drawn = race.draw(&state);
    assert!(
        drawn.lines().all(|line| line.chars().count() <= COLUMNS),
        "{drawn}"
    );
    check(race, &state);
    check_turn(race, &state);
    for next in successors(race, &state) {
        check(race, &next);
    }
    for _ in 0..STEPS {
        if !advance(race, &mut state, rng) {
            break;
        }
        check(race, &state);
    }
}

/// The properties of every position.
fn check(race: &Race, state: &State) {
    let text = race.print(state);
    assert_eq!(race.parse_state(&text).as_ref(), Ok(state), "{text}");
    check_node(race, state).unwrap_or_else(|broken| panic!("{text}: {broken}"));
    for action in race.legal_actions(state).iter() {
        assert!(
            !race.action_text(state, action).is_empty(),
            "{text}: {action:?} has no text"
        );
    }
    for seat in race.spec().seats.iter() {
        let steps = race.steps(state, seat);
        assert!(
            steps[..race.pieces()]
                .iter()
                .all(|&steps| steps <= race.goal()),
            "{text}: {steps:?}"
        );
    }
}

/// A turn can end, and is described in words.
fn check_turn(race: &Race, state: &State) {
    let Node::Decision(_) = race.node(state) else {
        return;
    };
    let mut results = TurnResults::new();
    let is_whole = turn_results_within(race, state, RESULTS, &mut results);
    assert!(
        !is_whole || !results.is_empty(),
        "{}: the turn does not end",
        race.print(state)
    );
    for index in [0, results.len().wrapping_sub(1)]
        .into_iter()
        .filter(|&index| index < results.len())
    {
        check(race, results.state(index));
        assert!(
            !race.turn_text(state, results.actions(index)).is_empty(),
            "{}",
            race.print(state)
        );
    }
}
