//! What a drawn board needs: its squares, the pieces on them, what each action does, and what it is worth.

use ashta_env::game::{Action, BySeat, Game, Node, Seat};
use ashta_env::notation::{Ground, Standing};
use ashta_env::race::Race;
use ashta_env::race::board::Square;
use ashta_env::race::state::State;
use serde_json::{Map, Value, json};

use super::{Answer, Engine, Refusal, by_seat, code, position, refuse, results};

/// `board`: the squares of a game and the courses of its seats.
pub(super) fn board(request: &Map<String, Value>) -> Answer {
    let (race, _) = position(request)?;
    let squares = race.squares().map(|(square, ground)| {
        let seat = if let Ground::End(seat) = ground { seat } else { None };
        json!({"square": square.to_string(), "ground": ground.name(), "seat": seat.map(Seat::letter)})
    });
    let courses: Map<String, Value> = race
        .spec()
        .seats
        .iter()
        .map(|seat| {
            let squares: Vec<String> = race.board().course(seat).iter().map(Square::to_string).collect();
            (seat.letter().to_string(), json!(squares))
        })
        .collect();
    Ok(json!({"side": race.board().side(), "squares": squares.collect::<Vec<_>>(), "courses": courses}))
}

/// `view`: a position as it is drawn, and what each legal action does to it.
pub(super) fn view(request: &Map<String, Value>) -> Answer {
    let (race, state) = position(request)?;
    let standing = race.standing_within(&state);
    let pieces: Vec<Value> = standing.iter().map(|piece| shown(&race, piece)).collect();
    let (node, mover) = match race.node(&state) {
        Node::Chance(seat) => ("chance", Some(seat)),
        Node::Decision(seat) => ("decision", Some(seat)),
        Node::Terminal => ("over", None),
    };
    let legal = race.legal_actions(&state);
    let actions = legal.iter().map(|action| {
        let text = race.action_text(&state, action);
        let Some(step) = race.step(&state, action) else {
            return json!({"id": action.0, "text": text, "words": "pass", "seat": mover.map(Seat::letter), "pieces": [],
                          "from": null, "path": [], "place": null, "throws": []});
        };
        let first = standing.iter().position(|piece| piece.seat == step.seat).unwrap_or(0);
        let path: Vec<String> = step.path.iter().map(Square::to_string).collect();
        json!({
            "id": action.0,
            "text": text,
            "words": step.text,
            "seat": step.seat.letter(),
            "pieces": step.pieces.iter().map(|piece| first + piece).collect::<Vec<_>>(),
            "from": step.from.map(|square| square.to_string()),
            "path": path,
            "place": step.place,
            "throws": step.throws,
        })
    });
    let seats = race.spec().seats.iter().map(|seat| {
        let finished = race.finished(&state, seat);
        json!({"seat": seat.letter(), "name": seat.name(), "has_cut": race.has_cut(&state, seat), "finished": finished})
    });
    let mut answer = json!({
        "game": race.ruleset().game_text(),
        "node": node,
        "mover": mover.map(Seat::letter),
        "throws": race.pending_throws(&state),
        "seats": seats.collect::<Vec<_>>(),
        "pieces": pieces,
        "actions": actions.collect::<Vec<_>>(),
    });
    if node == "over" {
        answer["returns"] = json!(by_seat(&race, &race.returns(&state)));
    }
    Ok(answer)
}

fn shown(race: &Race, piece: &Standing) -> Value {
    json!({
        "seat": piece.seat.letter(),
        "square": piece.square.map(|square| square.to_string()),
        "place": race.place_text(piece.place),
        "is_marked": piece.is_marked,
    })
}

impl Engine {
    /// `hint`: what the agent thinks that the position and each legal action are worth.
    pub(super) fn hint(&self, request: &Map<String, Value>) -> Answer {
        let (race, state) = position(request)?;
        let agent = self.agent_for(&race)?;
        let mut evaluator = agent.evaluator();
        let Node::Decision(seat) = race.node(&state) else {
            if race.node(&state) == Node::Terminal {
                return Err(refuse(code::POSITION, "the game is over: there is nothing to hope for"));
            }
            let mut values = Vec::new();
            evaluator.values(&race, &[state], &mut values);
            return Ok(json!({"values": by_seat(&race, &values[0]), "actions": []}));
        };
        let mut leaves = Vec::new();
        let mut ranges = Vec::new();
        for action in race.legal_actions(&state).iter() {
            let from = leaves.len();
            leaves.extend(ends(&race, &state, action)?);
            ranges.push((action, from..leaves.len()));
        }
        let mut values: Vec<BySeat<f32>> = Vec::new();
        evaluator.values(&race, &leaves, &mut values);
        let best = |values: &[BySeat<f32>]| {
            let best = values.iter().max_by(|a, b| a[seat].total_cmp(&b[seat]));
            best.map(|values| by_seat(&race, values)).unwrap_or_default()
        };
        let actions =
            ranges.into_iter().map(|(action, leaves)| json!({"id": action.0, "values": best(&values[leaves])}));
        Ok(json!({"actions": actions.collect::<Vec<_>>(), "values": best(&values)}))
    }
}

/// The positions in which the turn of `state` can end that begins with `action`.
fn ends(race: &Race, state: &State, action: Action) -> Result<Vec<State>, Refusal> {
    let mut next = *state;
    race.apply_action(&mut next, action);
    if !matches!(race.node(&next), Node::Decision(_)) {
        return Ok(vec![next]);
    }
    Ok(results(race, &next)?.states().to_vec())
}
