//! Random rulesets and positions for tests.

use ashta_env::{
    chance::{self, GameRng, below},
    game::{Action, Game, Node, Seat, SeatSet},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::{FirstWhile, UnitKind},
};
use rand::Rng;

pub mod sheets;

/// A random valid ruleset of `game`: each flag has a random value with probability 1/2. House rules
/// that contradict each other are drawn again.
pub fn ruleset(game: &str, rng: &mut GameRng) -> Ruleset {
    let sheet = Ruleset::seated(game, None).expect("a built-in game");
    let flags = sheet.flags();
    let counts: Vec<String> = sheet
        .base()
        .pieces
        .allowed
        .iter()
        .map(u8::to_string)
        .collect();
    loop {
        let seats = SeatSet::of(
            &Seat::ALL
                .into_iter()
                .filter(|_| below(3, rng) > 0)
                .collect::<Vec<_>>(),
        );
        let seats = if below(2, rng) == 0 {
            Ruleset::default_seats(2).expect("two seats")
        } else {
            seats
        };
        let mut chosen: Vec<(&str, &str)> = Vec::new();
        for flag in &flags {
            if below(2, rng) == 0 {
                chosen.push((&flag.name, &flag.values[below(flag.values.len(), rng)]));
            }
        }
        if below(2, rng) == 0 {
            chosen.push(("pieces", &counts[below(counts.len(), rng)]));
        }
        if let Ok(ruleset) = Ruleset::new(game, seats, chosen) {
            return ruleset;
        }
    }
}

/// A random legal action.
pub fn action(race: &Race, state: &State, rng: &mut GameRng) -> Action {
    let legal = race.legal_actions(state);
    legal
        .nth(below(legal.len(), rng))
        .expect("a decision has a legal action")
}

/// Plays on at random by one node; `false` when the game is over.
pub fn advance(race: &Race, state: &mut State, rng: &mut GameRng) -> bool {
    match race.node(state) {
        Node::Chance(_) => {
            let outcome = chance::outcome(race.chance_outcomes(state), rng.next_u64());
            race.apply_chance(state, outcome);
        }
        Node::Decision(_) => {
            let legal = race.legal_actions(state);
            race.apply_action(
                state,
                legal
                    .nth(below(legal.len(), rng))
                    .expect("a decision has a legal action"),
            );
        }
        Node::Terminal => return false,
    }
    true
}

/// Turn-start states from random play, at most `count`, spread over a game. Play that gets stuck
/// ends.
pub fn played(race: &Race, count: usize, rng: &mut GameRng) -> Vec<String> {
    let first = chance::first_seat(race.spec().seats, rng);
    let mut state = race.initial_state(first);
    let mut starts = Vec::new();
    let mut was_decision = true;
    let spacing = 1 + below(12, rng);
    let mut turns = 0;
    for _ in 0..20_000 {
        if starts.len() == count {
            break;
        }
        if was_decision && matches!(race.node(&state), Node::Chance(_)) {
            turns += 1;
            if turns % spacing == 0 {
                starts.push(race.print(&state));
            }
        }
        was_decision = matches!(race.node(&state), Node::Decision(_));
        if !advance(race, &mut state, rng) {
            break;
        }
    }
    starts
}

/// A random valid position at the start of a turn, with pieces close together more often than in
/// play. If the places are not valid together, some pieces wait instead.
pub fn placed(race: &Race, rng: &mut GameRng) -> String {
    loop {
        let mut places = crowd(race, rng);
        for _ in 0..8 {
            let text = position(race, &places, rng);
            if race.parse_state(&text).is_ok() {
                return text;
            }
            let (_, own) = &mut places[below(race.spec().seats.len(), rng)];
            own[below(race.pieces(), rng)] = usize::from(race.waiting_place());
            own.sort_unstable();
        }
    }
}

/// Random places of the pieces of each seat, close together.
fn crowd(race: &Race, rng: &mut GameRng) -> Vec<(Seat, Vec<usize>)> {
    let last = usize::from(race.last_place());
    let waiting = usize::from(race.waiting_place());
    let focus = below(last + 1, rng);
    let late = below(3, rng) == 0;
    let sheet = race.ruleset().sheet();
    // Pieces before the gate, and captures that open it.
    let gate = (usize::from(sheet.gate.at) + 1).saturating_sub(sheet.board.first_number.into());
    let at_gate = sheet.gate.at > 0 && below(2, rng) == 0;
    let mut all: Vec<(Seat, Vec<usize>)> = Vec::new();
    for seat in race.spec().seats.iter() {
        let mut places: Vec<usize> = Vec::new();
        for _ in 0..race.pieces() {
            let place = match below(8, rng) {
                0 => waiting,
                1 if late => last,
                2 | 3 if late => last - below(10, rng).min(last),
                4 => (focus + below(9, rng)).min(last),
                7 if at_gate => gate.saturating_sub(1 + below(9, rng)),
                5 if !places.is_empty() => places[below(places.len(), rng)],
                6 if !all.is_empty() => behind_another(race, seat, &all, rng).unwrap_or(focus),
                _ => below(last + 1, rng),
            };
            places.push(place.max(waiting));
        }
        places.sort_unstable();
        all.push((seat, places));
    }
    all
}

/// The text of a position with pieces on these places; marks of seats and pieces, mover and
/// registers are random.
fn position(race: &Race, places: &[(Seat, Vec<usize>)], rng: &mut GameRng) -> String {
    let sheet = race.ruleset().sheet();
    let mut texts = Vec::new();
    for (seat, places) in places {
        let has_entered =
            sheet.entry.first_while == FirstWhile::Never && places.iter().any(|&place| place > 0);
        let can_be_marked = sheet.gate.at > 0 || sheet.entry.first_while == FirstWhile::Never;
        let mark = if has_entered || can_be_marked && below(2, rng) == 0 {
            "+"
        } else {
            ""
        };
        let mut names: Vec<String> = places
            .iter()
            .map(|&place| race.place_text(place as u8))
            .collect();
        if sheet.unit.kind == UnitKind::Declared {
            declare(&mut names, sheet.unit.split, rng);
        }
        texts.push(format!("{seat}{mark}:{}", names.join(",")));
    }
    let mover = places[below(places.len(), rng)].0;
    let starts = race.turn_starts();
    let pending = &starts[if starts.len() > 1 {
        below(starts.len(), rng)
    } else {
        0
    }];
    format!(
        "{} {} {mover} {pending}",
        race.ruleset().game_text(),
        texts.join("/")
    )
}

/// The place of `seat` on the square of another seat's piece, or up to five squares before it.
fn behind_another(
    race: &Race,
    seat: Seat,
    others: &[(Seat, Vec<usize>)],
    rng: &mut GameRng,
) -> Option<usize> {
    let (other, places) = &others[below(others.len(), rng)];
    let square = race
        .board()
        .course(*other)
        .get(places[below(places.len(), rng)].checked_sub(1)?)?;
    let at = race
        .board()
        .course(seat)
        .iter()
        .position(|own| own == square)?;
    Some((at + 1).saturating_sub(below(6, rng)))
}

/// Declares some of the pieces on one square as units; of units that may part only one on a square,
/// as the text does not pair the pieces of two units.
fn declare(names: &mut [String], may_part: bool, rng: &mut GameRng) {
    let mut end = names.len();
    while end >= 2 {
        let is_second = may_part
            && names
                .get(end)
                .is_some_and(|after| after.strip_suffix('t') == Some(&names[end - 1]));
        if names[end - 2] == names[end - 1] && !is_second && below(2, rng) == 0 {
            names[end - 2..end]
                .iter_mut()
                .for_each(|name| name.push('t'));
            end -= 2;
        } else {
            end -= 1;
        }
    }
}
