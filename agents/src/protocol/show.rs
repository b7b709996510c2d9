//! Operations for programs that draw boards: squares, pieces, the effects of actions and of whole
//! turns, and values.

use ashta_env::{
    game::{Action, BySeat, Game, Node, Seat},
    notation::{Ground, Move, Standing},
    race::{Race, actions::PASS, board::Square, state::State},
    sheet::{Area, UnitKind},
    turn::TooManyPositions,
};
use serde_json::{Value, json};

use super::{Answer, Engine, afterstates, by_seat, code, refuse};

/// `board`: the squares of a game and the courses of its seats.
pub fn board((race, _): (Race, State)) -> Answer {
    let squares = race.squares().map(|(square, ground)| {
        let seat = if let Ground::End(seat) = ground { seat } else { None };
        json!({"square": square.to_string(), "ground": ground.name(), "seat": seat.map(Seat::letter)})
    });
    let course = |seat: Seat| {
        let squares: Value = race
            .board()
            .course(seat)
            .iter()
            .map(Square::to_string)
            .collect();
        (seat.letter(), squares)
    };
    let sheet = race.ruleset().sheet();
    Ok(json!({
        "side": race.board().rows().max(race.board().columns()),
        "rows": race.board().rows(),
        "columns": race.board().columns(),
        "squares": squares.collect::<Vec<_>>(),
        "courses": race.spec().seats.iter().map(course).collect::<Value>(),
        "first_number": sheet.board.first_number,
        "throws": sheet.throws,
        "words": sheet.words,
        "look": sheet.board.look,
        "outlook": race.spec().payoff,
        "has_gate": sheet.gate.at > 0,
        "has_units": sheet.unit.kind != UnitKind::None,
        "bears_off": race.bears_off(),
    }))
}

/// `view`: everything that is needed to draw a position, and the effects of each legal action.
pub fn view((race, state): (Race, State)) -> Answer {
    let standing = race.standing_within(&state);
    let pieces = standing.iter().map(|piece| {
        json!({
            "seat": piece.seat.letter(),
            "square": piece.square.map(|square| square.to_string()),
            "place": race.place_text(piece.place),
            "is_marked": piece.is_marked,
            "is_unit": is_unit(&race, &standing, piece),
            "is_back": piece.is_back,
        })
    });
    let (node, mover) = node(&race, &state);
    let actions = race.legal_actions(&state).iter().map(|action| {
        let text = race.action_text(&state, action);
        let Some(step) = race.step(&state, action) else {
            // A throw that is played later is not passed.
            let words = if action == PASS { "pass" } else { &text };
            return json!({"id": action.0, "text": text, "words": words, "seat": mover.map(Seat::letter), "pieces": [],
                          "from": null, "path": [], "place": null, "throws": []});
        };
        let mut shown = describe_step(&race, &standing, &step);
        shown["id"] = json!(action.0);
        shown["text"] = json!(text);
        shown
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
        "pieces": pieces.collect::<Vec<_>>(),
        "actions": actions.collect::<Vec<_>>(),
    });
    if node == "over" {
        answer["returns"] = json!(by_seat(&race, &race.returns(&state)));
    }
    Ok(answer)
}

/// The kind of a position, and the seat that throws or chooses.
pub fn node(race: &Race, state: &State) -> (&'static str, Option<Seat>) {
    match race.node(state) {
        Node::Chance(seat) => ("chance", Some(seat)),
        Node::Decision(seat) => ("decision", Some(seat)),
        Node::Terminal => ("over", None),
    }
}

/// Describes a move: its pieces, as indices in `standing`, their path, the throws and the words.
fn describe_step(race: &Race, standing: &[Standing], step: &Move) -> Value {
    let first = standing
        .iter()
        .position(|piece| piece.seat == step.seat)
        .unwrap_or(0);
    json!({
        "seat": step.seat.letter(),
        "pieces": step.pieces().map(|piece| first + piece).collect::<Vec<_>>(),
        "from": step.start.map(|square| square.to_string()),
        "path": step.path.iter().map(Square::to_string).collect::<Vec<_>>(),
        "place": race.place_text(step.to),
        "throws": step.throws,
        "words": step.text,
    })
}

/// The moves of a turn with these actions.
pub fn moves(race: &Race, state: &State, actions: &[Action]) -> Value {
    let standing = race.standing_within(state);
    race.turn_moves(state, actions)
        .iter()
        .map(|step| describe_step(race, &standing, step))
        .collect()
}

/// `choices`: all ways to play a turn, as moves of whole pieces, and the possible positions after
/// the turn.
pub fn choices((race, state): (Race, State)) -> Answer {
    let standing = race.standing_within(&state);
    let most = race.most_results(&state);
    let graph = race
        .turn_graph(&state, most)
        .ok_or_else(|| refuse(code::POSITION, TooManyPositions { most }))?;
    let numbers = |actions: &[Action]| actions.iter().map(|action| action.0).collect::<Vec<_>>();
    let turns = graph.ends.iter().map(|(end, actions)| {
        json!({
            "actions": numbers(actions),
            "words": race.turn_text(&state, actions),
            "moves": moves(&race, &state, actions),
            "captures": race.captures(&state, end).iter().map(Square::to_string).collect::<Vec<_>>(),
            "position": race.print(end),
        })
    });
    let first = |seat| {
        standing
            .iter()
            .position(|piece| piece.seat == seat)
            .unwrap_or(0)
    };
    let steps = graph.moves.iter().map(|next| {
        let mut shown = describe_step(&race, &standing, next);
        shown["leaves"] = json!(race.place_text(next.from));
        shown["is_marked"] = json!(next.is_declared);
        shown["captures"] = next
            .captures
            .iter()
            .map(|&(seat, slot)| first(seat) + slot)
            .collect();
        shown
    });
    let nodes = graph.nodes.iter().map(|node| {
        let lines = node
            .lines
            .iter()
            .map(|line| json!([line.0, line.1, numbers(&line.2)]));
        let end = node
            .end
            .as_ref()
            .map(|(turn, actions)| json!([turn, numbers(actions)]));
        json!({"lines": lines.collect::<Vec<_>>(), "end": end})
    });
    Ok(json!({
        "turns": turns.collect::<Vec<_>>(),
        "moves": steps.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
    }))
}

/// `why`: the pieces of the deciding side that have no move in this turn, each with the reason; and
/// why nothing moves.
pub fn why((race, state): (Race, State)) -> Answer {
    let own = race.colour(&state);
    let first = race
        .standing(&state)
        .iter()
        .position(|piece| piece.seat == own)
        .unwrap_or(0);
    let idle = race.idle_text(&state);
    let reasons = race.reasons(&state);
    let reasons = reasons
        .iter()
        .map(|(slot, words)| json!({"piece": first + slot, "words": words}));
    Ok(json!({"idle": idle, "reasons": reasons.collect::<Vec<_>>()}))
}

/// Whether a piece forms a unit with another piece of its seat.
fn is_unit(race: &Race, standing: &[Standing], piece: &Standing) -> bool {
    let sheet = race.ruleset().sheet();
    let is_beside = |other: &&Standing| (other.seat, other.place) == (piece.seat, piece.place);
    let count = |is_it: &dyn Fn(&Standing) -> bool| {
        standing
            .iter()
            .filter(is_beside)
            .filter(|piece| is_it(piece))
            .count()
    };
    let Some(square) = race.square(piece.seat, piece.place) else {
        return false;
    };
    match sheet.unit.kind {
        UnitKind::None => false,
        UnitKind::Declared => {
            piece.is_marked && !piece.is_back && count(&|other| other.is_marked) > 1
        }
        UnitKind::Together => {
            let number = usize::from(piece.place) + usize::from(sheet.board.first_number) - 1;
            let is_inner =
                number >= usize::from(sheet.gate.at) && race.ground(square) == Ground::Plain;
            count(&|_| true) > 1 && (sheet.unit.area == Area::Any || sheet.gate.at > 0 && is_inner)
        }
    }
}

impl Engine {
    /// `hint`: the agent's values of the position and of each legal action.
    pub(super) fn hint(&self, (race, state): (Race, State)) -> Answer {
        let agent = self.agent_for(&race)?;
        let seat = match race.node(&state) {
            Node::Decision(seat) => seat,
            Node::Chance(_) => {
                let mut answer = self.evaluate((race, state))?;
                answer["actions"] = json!([]);
                answer["by"] = agent.evaluator_name().into();
                return Ok(answer);
            }
            Node::Terminal => {
                return Err(refuse(
                    code::POSITION,
                    "the game is over: there is no action to value",
                ));
            }
        };
        let mut leaves = Vec::new();
        let mut ranges = Vec::new();
        for action in race.legal_actions(&state).iter() {
            // The ends of all turns that begin with `action`.
            let (from, mut next) = (leaves.len(), state);
            race.apply_action(&mut next, action);
            match race.node(&next) {
                Node::Decision(_) => leaves.extend_from_slice(afterstates(&race, &next)?.states()),
                Node::Chance(_) | Node::Terminal => leaves.push(next),
            }
            ranges.push((action, from..leaves.len()));
        }
        let mut values: Vec<BySeat<f32>> = Vec::new();
        self.evaluator(&agent).values(&race, &leaves, &mut values);
        let best = |values: &[BySeat<f32>]| {
            values
                .iter()
                .max_by(|a, b| a[seat].total_cmp(&b[seat]))
                .map(|values| by_seat(&race, values))
                .unwrap_or_default()
        };
        let actions = ranges
            .into_iter()
            .map(|(action, leaves)| json!({"id": action.0, "values": best(&values[leaves])}));
        let by = agent.evaluator_name();
        Ok(json!({"actions": actions.collect::<Vec<_>>(), "by": by, "values": best(&values)}))
    }
}
