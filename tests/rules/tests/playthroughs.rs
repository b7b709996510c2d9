//! Golden playthroughs: a random game of each sheet as text, with the spec, the first nodes, the
//! nodes around the first capture, the last nodes, and the returns. Moves and turns are also in
//! words; the first and the last position are drawn.
//!
//! A change of rules, dice, notation, words, action numbers or observations becomes a readable
//! difference. If the numbers of an observation (`sees`) or of the actions change their meaning,
//! `ENCODING` must change too.

use std::fmt::Write;

use ashta_env::{
    chance::{self, below},
    game::{Action, Game, Node, Outcome, RaceGame, Seat},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::builtin,
};
use ashta_rule_tests::golden;
use rand::Rng;

/// Nodes that are shown from the beginning, around the first capture, and from the end of a game.
const FIRST: usize = 16;
const AROUND: usize = 7;
const LAST: usize = 8;

/// A game of random choices, with the throws of an environment that is reset with `seed`.
fn playthrough(game: &str, seats: usize, seed: u64) -> String {
    let race = Race::new(Ruleset::seated(game, Some(seats)).expect("a valid ruleset"));
    let seats = race.spec().seats;
    let mut throws = chance::stream(seed, 0);
    let mut choices = chance::stream(seed, 1);
    let mut state = race.initial_state(chance::first_seat(seats, &mut throws));
    let mut nodes = Vec::new();
    let mut capture = None;
    // The first decision of the turn, and the actions since.
    let mut turn: (State, Vec<Action>) = (state, Vec::new());
    loop {
        let mut text = format!("node {}\nposition: {}\n", nodes.len(), race.print(&state));
        if nodes.is_empty() || race.node(&state) == Node::Terminal {
            let _ = writeln!(text, "{}", race.draw(&state));
        }
        let before = state;
        match race.node(&state) {
            Node::Chance(seat) => {
                let outcome = chance::outcome(race.chance_outcomes(&state), throws.next_u64());
                let _ = write!(
                    text,
                    "{}{}",
                    sees(&race, &state, seat),
                    chances(&race, &state, outcome)
                );
                race.apply_chance(&mut state, outcome);
            }
            Node::Decision(seat) => {
                let legal = race.legal_actions(&state);
                let action = legal
                    .nth(below(legal.len(), &mut choices))
                    .expect("a decision has a legal action");
                let say = |action: Action| {
                    let words = race
                        .step(&state, action)
                        .map_or("pass".to_owned(), |step| step.text);
                    format!(
                        "{} `{}` ({words})",
                        action.0,
                        race.action_text(&state, action)
                    )
                };
                let all: Vec<String> = legal.iter().map(say).collect();
                let chosen = say(action);
                let _ = write!(
                    text,
                    "{}legal: {}\n-> {chosen}\n",
                    sees(&race, &state, seat),
                    all.join(", ")
                );
                if turn.1.is_empty() {
                    turn.0 = state;
                }
                turn.1.push(action);
                race.apply_action(&mut state, action);
                if !matches!(race.node(&state), Node::Decision(_)) {
                    let _ = writeln!(
                        text,
                        "turn: {}",
                        race.turn_text(&turn.0, &std::mem::take(&mut turn.1))
                    );
                }
            }
            Node::Terminal => {
                let returns = seats
                    .iter()
                    .map(|seat| format!("{seat} {:.4}", race.returns(&state)[seat]));
                let _ = writeln!(text, "returns: {}", returns.collect::<Vec<_>>().join(", "));
                nodes.push(text);
                break;
            }
        }
        if seats
            .iter()
            .any(|seat| race.places(&state, seat)[0] < race.places(&before, seat)[0])
        {
            capture.get_or_insert(nodes.len());
        }
        nodes.push(text);
    }
    let around = capture.map_or(0..0, |at| (at + 2).saturating_sub(AROUND)..at + 2);
    let is_shown = |at: usize| at < FIRST || around.contains(&at) || at + LAST >= nodes.len();
    let mut lines = format!("{}seed: {seed}\n", header(&race));
    for (at, node) in nodes.iter().enumerate() {
        if is_shown(at) {
            let _ = write!(lines, "\n{node}");
        } else if is_shown(at - 1) {
            lines.push_str("\n...\n");
        }
    }
    lines
}

fn header(race: &Race) -> String {
    let spec = race.spec();
    let mut teams: Vec<String> = spec
        .seats
        .iter()
        .map(|seat| format!("{:?}", spec.teams[seat]))
        .collect();
    teams.sort_unstable();
    teams.dedup();
    format!(
        "name: {}\nseats: {:?}\nteams: {}\npayoff: {:?}\npieces: {}\ngoal: {}\nactions: {}\nobservation: {}\n\
         encoding: {}\nruleset hash: {:016x}\nturn limit: {}\n",
        spec.name,
        spec.seats,
        teams.join(" "),
        spec.payoff,
        race.pieces(),
        race.goal(),
        spec.actions,
        spec.observation,
        spec.encoding,
        spec.ruleset_hash,
        spec.turn_limit
    )
}

fn sees(race: &Race, state: &State, seat: Seat) -> String {
    let mut active = Vec::new();
    race.observe_active(state, seat, &mut active);
    active.sort_unstable();
    let active: Vec<String> = active.iter().map(ToString::to_string).collect();
    format!("{seat} sees: {}\n", active.join(" "))
}

fn chances(race: &Race, state: &State, thrown: Outcome) -> String {
    let say = |outcome| {
        let values: Vec<String> = race
            .throw_values(outcome)
            .iter()
            .map(ToString::to_string)
            .collect();
        values.join("-")
    };
    let chances = race.chance_outcomes(state).iter().zip(0..);
    let all: Vec<String> = chances
        .map(|(probability, outcome)| format!("{} {probability}", say(Outcome(outcome))))
        .collect();
    format!("throws: {}\n-> {}\n", all.join(", "), say(thrown))
}

/// Games of three sheets for two and for four seats, and a special ending.
const OTHERS: [(&str, &str, usize, u64); 8] = [
    ("ashtapada_2.txt", "ashtapada", 2, 1),
    ("ashtapada_4.txt", "ashtapada", 4, 2),
    ("ashte_kashte_2.txt", "ashte-kashte", 2, 1),
    ("ashte_kashte_4.txt", "ashte-kashte", 4, 2),
    ("pagade_2.txt", "pagade", 2, 2),
    // A dead position ends it.
    ("pagade_dead.txt", "pagade", 2, 1),
    ("pagade_4.txt", "pagade", 4, 3),
    ("pagade_teams.txt", "pagade?teams=true", 4, 4),
];

#[test]
fn games_for_two_and_for_four() {
    for (file, game, seats, seed) in OTHERS {
        golden::compare(file, &playthrough(game, seats, seed));
    }
}

#[test]
fn every_other_sheet_for_two() {
    for game in
        builtin::names().filter(|&game| !OTHERS.iter().any(|(_, other, _, _)| *other == game))
    {
        golden::compare(
            &format!("{}_2.txt", game.replace('-', "_")),
            &playthrough(game, 2, 1),
        );
    }
}
