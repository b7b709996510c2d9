//! Requests and their answers.

use super::*;

fn agent(name: &str) -> NamedAgent {
    name.parse().expect("a baseline")
}

fn ask(request: &str) -> Value {
    let agent = Some(agent("greedy"));
    Engine::new(agent, 0).answer(request.as_bytes())
}

/// A decision.
const DECISION: &str = "ashtapada S:5,30/N:off,23 S 4,2";

/// The answer to an operation that needs only a position.
fn about(op: &str, position: impl Into<Value>) -> Value {
    ask(&json!({"op": op, "position": position.into()}).to_string())
}

/// The answer to an action at [`DECISION`].
fn act(action: Value) -> Value {
    ask(&json!({"op": "apply", "position": DECISION, "action": action}).to_string())
}

fn error(request: &str) -> (String, String) {
    code_and_message(&ask(request))
}

fn code_and_message(answer: &Value) -> (String, String) {
    let error = &answer["error"];
    (
        error["code"].as_str().expect("a code").to_owned(),
        error["message"].as_str().expect("a message").to_owned(),
    )
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    for id in [
        "12345678901234567890123",
        "1.50",
        "\"a\\u00e4\"",
        "[1, {\"b\": 2.0}]",
        "null",
    ] {
        let text = Engine::new(None, 0)
            .answer_text(format!("{{\"op\": \"hello\", \"id\": {id}}}").as_bytes());
        assert!(text.contains(&format!("\"id\":{id}")), "{text}");
    }
}

#[test]
fn agents_that_draw_draw_anew_at_each_request() {
    let mut engine = Engine::new(Some(agent("random")), 0);
    let mut seeds = Vec::new();
    let mut first = |request: Value| {
        let answers = (0..400).map(|_| engine.answer(request.to_string().as_bytes()));
        answers
            .inspect(|answer| seeds.push((answer["seed"].clone(), answer["action"].clone())))
            .filter(|answer| answer["action"] == json!(0))
            .count()
    };
    let request =
        json!({"op": "bestmove", "position": "ashte-kashte?pieces=2 S:12,14/N:hand,hand S 1"});
    let count = first(request.clone());
    assert!((160..=240).contains(&count), "{count} of 400");
    let mut seeded = request;
    seeded["seed"] = json!(5);
    let count = first(seeded.clone());
    assert!(
        count == 0 || count == 400,
        "the same seed, the same answer: {count} of 400"
    );
    let (seed, action) = seeds[0].clone();
    seeded["seed"] = seed;
    assert_eq!(
        engine.answer(seeded.to_string().as_bytes())["action"],
        action,
        "the answer has the seed that was drawn"
    );
    let new = |request: &mut Engine, more: &str| {
        request.answer(format!(r#"{{"op":"new","game":"siga"{more}}}"#).as_bytes())
    };
    let starts: Vec<Value> = (0..50).map(|_| new(&mut engine, "")).collect();
    assert!(
        starts
            .iter()
            .any(|start| start["position"] != starts[0]["position"]),
        "{starts:?}"
    );
    for start in &starts[..5] {
        assert_eq!(
            new(&mut engine, &format!(r#","seed":{}"#, start["seed"])),
            *start
        );
    }
    assert_ne!(
        new(&mut Engine::new(None, 1), "")["seed"],
        new(&mut Engine::new(None, 2), "")["seed"]
    );
    assert!(new(&mut engine, r#","start":"S""#).get("seed").is_none());
    let negative = json!({"op": "bestmove", "position": DECISION, "seed": -1});
    let message = "`seed` must be a whole number from 0 to 2^64 - 1 (got -1)";
    assert_eq!(
        error(&negative.to_string()),
        (code::REQUEST.to_owned(), message.to_owned())
    );
}

#[test]
fn broken_requests_are_refused_by_name() {
    for (request, code, part) in [
        ("{", "bad-json", "EOF"),
        ("[1]", "bad-json", "object"),
        ("{}", "bad-request", "`op` is missing"),
        (
            r#"{"op":"new","game":"senet"}"#,
            "bad-game",
            "unknown game `senet`",
        ),
        (
            r#"{"op":"new","game":"pagade","start":"S","seed":-1}"#,
            "bad-request",
            "`seed`",
        ),
        (
            r#"{"op":"turns","position":"ashtapada S:5,30/N:off,23 S *","throws":[4]}"#,
            "illegal-throw",
            "series",
        ),
        (
            r#"{"op":"turns","position":"ashtapada?pieces=4 S:5,9,17,21/N:2,9,26,45 S *","throws":[1,1,1,1,1,1,4,4,4,4,4,4,8,8,8,8,8,8,3]}"#,
            "bad-position",
            "leads through more than 4096 positions",
        ),
    ] {
        let (found, message) = error(request);
        assert_eq!(found, code, "{request}: {message}");
        assert!(message.contains(part), "{request}: {message}");
    }
    for (action, code, part) in [
        (json!(12), code::ACTION, "12"),
        (json!(300), code::ACTION, "300"),
        (json!("4: 6"), code::ACTION, "4: 6"),
        (json!([0, 7]), code::ACTION, "action 7 is not legal here"),
        (json!(0.0), code::REQUEST, "`action`"),
        (json!([0, {}]), code::REQUEST, "`action`"),
        (json!(-1), code::REQUEST, "`action`"),
        (
            json!([]),
            code::REQUEST,
            "`action` is an empty list; give at least one action",
        ),
    ] {
        let (found, message) = code_and_message(&act(action));
        assert_eq!(found, code, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_hint_is_the_value_of_the_best_end_of_the_turn() {
    let hint = about("hint", DECISION);
    let values = |answer: &Value| {
        serde_json::from_value::<Vec<f32>>(answer["values"].clone()).expect("values")
    };
    let actions = hint["actions"].as_array().expect("actions");
    assert_eq!(actions.len(), 2);
    let best = actions
        .iter()
        .map(|action| values(action)[0])
        .fold(0.0, f32::max);
    assert_eq!(values(&hint)[0], best);
    let request = json!({"op": "hint", "position": DECISION}).to_string();
    let random = Engine::new(Some(agent("random")), 0).answer(request.as_bytes());
    assert_eq!(
        [&hint["by"], &random["by"]],
        ["greedy"; 2],
        "baselines have the values of `greedy`"
    );
    let chosen = about("bestmove", DECISION);
    let sum: f64 = chosen["policy"]
        .as_array()
        .expect("a policy")
        .iter()
        .filter_map(|share| share[1].as_f64())
        .sum();
    assert!((sum - 1.0).abs() < 1e-6, "{chosen}");
    let choice = actions
        .iter()
        .find(|action| action["id"] == chosen["action"])
        .expect("the choice is an action");
    assert_eq!(
        values(choice)[0],
        best,
        "greedy plays the action of the highest value"
    );
    let start = "ashtapada S:5,30/N:off,23 S *";
    let (before, evaluated) = (about("hint", start), about("evaluate", start));
    assert_eq!(
        (&before["values"], &before["actions"]),
        (&evaluated["values"], &json!([]))
    );
    let over = about("hint", "ashtapada S:borne,borne/N:off,23 - -");
    assert_eq!(over["error"]["code"], code::POSITION);
    let without = Engine::new(None, 0).answer(request.as_bytes());
    assert_eq!(without["error"]["code"], "no-agent");
}

/// The sheet of a built-in game under another name.
fn renamed(game: &str, name: &str) -> String {
    let mut sheet = Sheet::clone(ashta_env::sheet::builtin::named(game).expect("a built-in game"));
    sheet.name = name.to_owned();
    sheet.text()
}

#[test]
fn a_sheet_makes_its_game_known_to_a_session() {
    let mut engine = Engine::new(None, 0);
    let mut ask = |request: Value| engine.answer(request.to_string().as_bytes());
    let sheet = renamed("ashte-kashte", "my-race");
    let new = json!({"op": "new", "game": "my-race?pieces=1", "start": "S"});
    assert_eq!(ask(new.clone())["error"]["code"], "bad-game");
    let game = ask(json!({"op": "sheet", "sheet": sheet}))["game"].clone();
    assert_eq!(game["name"], "my-race");
    assert_eq!(
        ask(json!({"op": "games"}))["games"]
            .as_array()
            .and_then(|games| games.last().cloned()),
        Some(game)
    );
    let names = ask(json!({"op": "hello"}))["games"].clone();
    assert_eq!(
        names.as_array().and_then(|names| names.last().cloned()),
        Some(json!("my-race"))
    );
    let position = ask(new)["position"].clone();
    assert_eq!(position, "my-race?pieces=1 S:hand/N:hand S *");
    for op in ["chance", "legal", "observe", "board", "view"] {
        let answer = ask(json!({"op": op, "position": position}));
        assert!(answer.get("error").is_none(), "{op}: {answer}");
    }
    // Another sheet of this name replaces the game, also for the same position.
    ask(json!({"op": "sheet", "sheet": renamed("ashtapada", "my-race")}));
    assert_eq!(
        ask(json!({"op": "legal", "position": position}))["error"]["code"],
        "bad-position"
    );
}

#[test]
fn a_request_brings_its_sheet_along() {
    let sheet = renamed("ashte-kashte", "my-race");
    let new = ask(&json!({"op": "new", "sheet": sheet, "start": "S"}).to_string());
    assert_eq!(
        new["position"],
        "my-race S:hand,hand,hand,hand/N:hand,hand,hand,hand S *"
    );
    let new = ask(
        &json!({"op": "new", "sheet": sheet, "game": "my-race?pieces=1", "seats": 4, "start": "S"})
            .to_string(),
    );
    let position = "my-race?pieces=1 S:hand/E:hand/N:hand/W:hand S *";
    assert_eq!(new["position"], position);
    let with = json!({"op": "apply", "sheet": sheet, "position": position, "throw": [3]});
    assert_eq!(
        ask(&with.to_string())["position"],
        "my-race?pieces=1 S:hand/E:hand/N:hand/W:hand S 3"
    );
    let best =
        json!({"op": "bestmove", "sheet": sheet, "position": "my-race?pieces=1 S:5/N:hand S 3"});
    assert_eq!(ask(&best.to_string())["action"], 0);
    let without = json!({"op": "legal", "sheet": null, "position": position}).to_string();
    assert_eq!(error(&without).0, "bad-position");
    let other = json!({"op": "new", "sheet": sheet, "game": "ashtapada"}).to_string();
    let message = "`game` is ashtapada, but `sheet` is the sheet of my-race";
    assert_eq!(error(&other), ("bad-game".to_owned(), message.to_owned()));
}

#[test]
fn broken_sheets_are_refused_with_all_problems() {
    let broken = renamed("pagade", "my-race")
        .replace("side = 19", "side = 19\nsides = 5")
        .replace("dice = 2", "dice = \"2\"");
    let answer = ask(&json!({"op": "sheet", "sheet": broken}).to_string());
    let error = &answer["error"];
    let problems = error["problems"].as_array().expect("problems");
    assert!(
        error["code"] == "bad-game" && problems.len() > 1,
        "{answer}"
    );
    for problem in problems {
        assert!(
            problem["line"].is_u64() && problem["message"].is_string(),
            "{problem}"
        );
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|all| all.contains(problem["key"].as_str().unwrap_or("?")))
        );
    }
    let mut taken = renamed("siga", "pagade");
    let answer = ask(&json!({"op": "sheet", "sheet": taken}).to_string());
    assert_eq!(answer["error"]["code"], "bad-game", "{answer}");
    assert_eq!(answer["error"]["problems"][0]["key"], "name");
    taken = renamed("pagade", "pagade");
    assert_eq!(
        ask(&json!({"op": "sheet", "sheet": taken}).to_string())["game"]["name"],
        "pagade"
    );
    assert_eq!(
        self::error(r#"{"op":"sheet"}"#),
        ("bad-request".to_owned(), "`sheet` is missing".to_owned())
    );
    assert_eq!(self::error(r#"{"op":"sheet","sheet":3}"#).0, "bad-request");
}

#[test]
fn boards_say_what_is_needed_to_draw_any_game() {
    let own = "6,7,12,12";
    let position = format!("pagade?teams=true S:{own}/E:{own}/N:{own}/W:{own} S *");
    let board = about("board", position);
    assert_eq!(
        board["throws"],
        json!({"values": [1, 3, 4, 6], "odds": "equal", "dice": 2})
    );
    assert_eq!(
        (&board["outlook"], &board["has_gate"]),
        (&json!("teams"), &json!(true))
    );
    assert_eq!(
        (&board["look"], &board["words"]["private"]),
        (&json!("cloth"), &json!("belly"))
    );
}

#[test]
fn views_say_what_stands_together_and_what_comes_back() {
    let pieces = |position: &str| {
        let view = about("view", position);
        let pieces = view["pieces"]
            .as_array()
            .unwrap_or_else(|| panic!("{view}"))
            .clone();
        let marks =
            |piece: &Value| ["is_unit", "is_back"].map(|key| piece[key].as_bool().expect("a mark"));
        pieces.iter().map(marks).collect::<Vec<_>>()
    };
    let (single, unit, back) = ([false, false], [true, false], [false, true]);
    assert_eq!(
        pieces("ashtapada S:30,30/N:off,23 S *"),
        [unit, unit, single, single]
    );
    assert_eq!(pieces("ashtapada S:keep,keep/N:off,off S *"), [single; 4]);
    assert_eq!(
        pieces("ashtapada?twins=none S:30,30/N:off,23 S *"),
        [single; 4]
    );
    assert_eq!(
        pieces("ashtapada?twins=bell S:30,30/N:34t,34t S *"),
        [single, single, unit, unit]
    );
    assert_eq!(
        pieces("pagade?pieces=2 S+:8,77/N:20,20 S *"),
        [single, back, unit, unit]
    );
    assert_eq!(
        pieces("pagade?pieces=2 S+:8,home/N:cut,cut S *"),
        [single; 4]
    );
}

#[test]
fn choices_are_whole_turns_that_apply_takes_at_once() {
    let answer = about("choices", DECISION);
    let turns = answer["turns"].as_array().expect("turns");
    assert_eq!(turns.len(), 4);
    for turn in turns {
        let applied = act(turn["actions"].clone());
        for key in ["position", "words", "moves"] {
            assert_eq!(applied[key], turn[key], "{turn}");
        }
    }
    let captures = turns
        .iter()
        .find(|turn| turn["captures"] == json!(["H7"]))
        .expect("a capture");
    assert_eq!(
        captures["words"],
        "H3 to H7 by 4, then B2 to B4 by 2, captures N on H7, throws again"
    );
    assert_eq!(captures["moves"][1]["path"], json!(["B3", "B4"]));
    let why = about("why", "ashtapada S:4,30/N:off,23 N 2");
    assert_eq!(
        why,
        json!({"idle": null, "reasons": [{"piece": 2, "words": "it waits for a throw of 1"}]})
    );
    let none = about("choices", "ashtapada S:5,30/N:off,23 S *");
    assert_eq!(none, json!({"turns": [], "moves": [], "nodes": []}));
}

#[test]
fn actions_have_numbers_and_texts() {
    assert_eq!(act(json!("4: 5")), act(json!(0)));
    assert_eq!(act(json!(["4: 5", 1])), act(json!([0, 1])));
    assert_eq!(act(json!([0, "2: 30"])), act(json!([0, 1])));
}

#[test]
fn a_replay_has_every_step_of_a_record() {
    let start = "ashtapada S:5,30/N:off,23 S *";
    let moves = json!([[4, 2], "4: 5", 1, [2], 0, [3], "pass", [5]]);
    let replay = |moves: &Value| {
        ask(&json!({"op": "replay", "position": start, "moves": moves}).to_string())
    };
    let answer = replay(&moves);
    let steps = answer["steps"].as_array().expect("steps");
    let thrown: Vec<&Value> = steps.iter().map(|step| &step["step"]["thrown"]).collect();
    let none = &Value::Null;
    assert_eq!(
        thrown,
        [
            &json!([4]),
            &json!([2]),
            none,
            &json!([2]),
            none,
            &json!([3]),
            none
        ],
        "{answer}"
    );
    for (node, next) in [&answer["begins"]]
        .into_iter()
        .chain(steps.iter().map(|step| &step["node"]))
        .zip(steps)
    {
        let here = |op: &str| about(op, node["position"].clone());
        assert_eq!(
            [&node["node"], &node["mover"]],
            [&here("view")["node"], &here("view")["mover"]]
        );
        assert_eq!(
            node["choices"],
            here("choices")["turns"].as_array().map_or(0, Vec::len)
        );
        let (step, end) = (&next["step"], &next["node"]["position"]);
        if step["thrown"].is_null() {
            let request =
                json!({"op": "apply", "position": node["position"], "action": step["actions"]});
            let applied = json!({"moves": step["moves"], "position": end, "words": step["words"]});
            assert_eq!(ask(&request.to_string()), applied);
        }
    }
    let why = about("why", steps[5]["node"]["position"].clone());
    assert_eq!(steps[6]["step"]["why"], why);
    assert_eq!(
        (&answer["refused"]["number"], &answer["refused"]["code"]),
        (&json!(8), &json!(code::THROW))
    );
    for (moves, number, message) in [
        (
            json!([[4, 2], 0, 7]),
            3,
            "action 7 is not legal here; legal actions are {0, 1}",
        ),
        (
            json!([[-1]]),
            1,
            "a throw must be a list of whole numbers from 0 to 255",
        ),
        (json!([[3], [2]]), 2, "an action must be chosen first"),
    ] {
        let refused = &replay(&moves)["refused"];
        assert_eq!(
            (&refused["number"], &refused["message"]),
            (&json!(number), &json!(message))
        );
    }
    assert_eq!(about("replay", start)["error"]["code"], code::REQUEST);
}

#[test]
fn a_lesson_shows_each_kind_of_turn_in_every_game() {
    let mut engine = Engine::new(None, 0);
    let mut ask = |request: Value| engine.answer(request.to_string().as_bytes());
    let mut kinds = std::collections::BTreeSet::new();
    for sheet in ashta_env::sheet::builtin::all() {
        let renamed = renamed(&sheet.name, "my-race");
        let lesson = ask(json!({"op": "lesson", "sheet": renamed}));
        let steps = lesson["steps"]
            .as_array()
            .unwrap_or_else(|| panic!("{}: {lesson}", sheet.name));
        assert_eq!(steps.len(), 3, "{lesson}");
        kinds.insert(lesson["kind"].to_string());
        for (step, [shown, other]) in steps.iter().zip([
            ["enter", "share"],
            ["capture", "capture"],
            ["finish", "finish"],
        ]) {
            let shows = step["shows"].as_array().expect("what it shows");
            assert!(
                shows.contains(&json!(shown)) || shows.contains(&json!(other)),
                "{}: {step}",
                sheet.name
            );
            let mut position = step["position"].clone();
            for throw in step["throws"].as_array().expect("throws") {
                let request =
                    json!({"op": "apply", "sheet": renamed, "position": position, "throw": throw});
                position = ask(request)["position"].clone();
            }
            let choices = ask(json!({"op": "choices", "sheet": renamed, "position": position}));
            let turn = choices["turns"]
                .as_array()
                .unwrap_or_else(|| panic!("{}: {step}", sheet.name))
                .iter()
                .find(|turn| turn["words"] == step["words"])
                .expect("a legal turn");
            assert_eq!(
                shows.contains(&json!("capture")),
                turn["captures"] != json!([]),
                "{step}"
            );
            let effects = turn["words"].as_str().expect("words");
            for (shown, words) in [("again", "throws again"), ("win", "wins")] {
                assert_eq!(
                    shows.contains(&json!(shown)),
                    effects.ends_with(words),
                    "{step}"
                );
            }
        }
    }
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}
