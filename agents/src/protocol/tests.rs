//! Requests and their answers.

use super::*;
use crate::roster::AgentSpec;

fn agent(name: &str) -> Roster {
    name.parse::<AgentSpec>().and_then(|spec| spec.load(&[])).expect("a baseline")
}

fn ask(request: &str) -> Value {
    let agent = Some(agent("greedy"));
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
    let mut engine = Engine::new(Some(agent("random")));
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
}

#[test]
fn boards_have_squares_and_courses() {
    let board = ask(r#"{"op":"board","position":"ashtapada S:5,30/N:off,23 S *"}"#);
    assert_eq!((&board["side"], board["squares"].as_array().map(Vec::len)), (&json!(8), Some(64)));
    assert_eq!(board["squares"][0], json!({"square": "A1", "ground": "marked", "seat": null}));
    assert!(
        board["squares"].as_array().expect("squares").contains(&json!({"square": "D4", "ground": "end", "seat": "S"}))
    );
    let course = board["courses"]["S"].as_array().expect("a course");
    assert_eq!((course.len(), &course[0], &course[59]), (60, &json!("E1"), &json!("D3")));
    assert_eq!(board["courses"]["N"][0], "D8");
}

#[test]
fn a_view_tells_where_pieces_stand_and_go() {
    let view = ask(r#"{"op":"view","position":"ashtapada S:5,30/N:off,23 S 2;5+4"}"#);
    assert_eq!((&view["node"], &view["mover"], &view["throws"]), (&json!("decision"), &json!("S"), &json!([2])));
    assert_eq!(view["pieces"][0], json!({"seat": "S", "square": "H7", "place": "9", "is_marked": false}));
    assert_eq!(view["pieces"][2], json!({"seat": "N", "square": null, "place": "off", "is_marked": false}));
    let second = json!({
        "id": 1, "text": "2: 30", "words": "B2 to B4 by 2, captures N on H7, throws again", "seat": "S", "pieces": [1],
        "from": "B2", "path": ["B3", "B4"], "place": "32", "throws": [2],
    });
    assert_eq!(view["actions"][1], second);
    let over = ask(r#"{"op":"view","position":"ashtapada S:borne,borne/N:off,23 - -"}"#);
    assert_eq!((&over["node"], &over["mover"], &over["returns"]), (&json!("over"), &Value::Null, &json!([1.0, 0.0])));
    let cut = ask(r#"{"op":"view","position":"pagade S+:8,20,30,76/N:6,7,12,12 S 3,3"}"#);
    assert_eq!(cut["seats"][0], json!({"seat": "S", "name": "South", "has_cut": true, "finished": null}));
}

#[test]
fn a_hint_is_what_the_best_end_of_the_turn_is_worth() {
    let position = "ashtapada S:5,30/N:off,23 S 4,2";
    let hint = ask(&json!({"op": "hint", "position": position}).to_string());
    let values = |answer: &Value| serde_json::from_value::<Vec<f32>>(answer["values"].clone()).expect("values");
    let actions = hint["actions"].as_array().expect("actions");
    assert_eq!(actions.len(), 2);
    let best = actions.iter().map(|action| values(action)[0]).fold(0.0, f32::max);
    assert_eq!(values(&hint)[0], best);
    let chosen = ask(&json!({"op": "bestmove", "position": position}).to_string())["action"].clone();
    let opinion = actions.iter().find(|action| action["id"] == chosen).expect("the choice is an action");
    assert_eq!(values(opinion)[0], best, "greedy plays what it thinks best");
    let before = ask(r#"{"op":"hint","position":"ashtapada S:5,30/N:off,23 S *"}"#);
    let evaluated = ask(r#"{"op":"evaluate","position":"ashtapada S:5,30/N:off,23 S *"}"#);
    assert_eq!((&before["values"], &before["actions"]), (&evaluated["values"], &json!([])));
    let (refused, _) = error(r#"{"op":"hint","position":"ashtapada S:borne,borne/N:off,23 - -"}"#);
    assert_eq!(refused, code::POSITION);
}
