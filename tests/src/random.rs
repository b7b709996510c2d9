//! Random rulesets and positions for tests.

use ashta_env::chance::{self, GameRng, below};
use ashta_env::game::{Action, Game, Node, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::ruleset::{FlagInfo, Ruleset};
use ashta_env::sheet::UnitKind;
use proptest::prelude::*;
use rand::Rng;

/// A random valid ruleset of `game`: each flag differs from its default with probability 1/4. House rules that
/// contradict each other are drawn again.
pub fn ruleset(game: &str, rng: &mut GameRng) -> Ruleset {
    let flags = flags(game);
    loop {
        let seats = SeatSet::of(&Seat::ALL.into_iter().filter(|_| below(3, rng) > 0).collect::<Vec<_>>());
        let seats = if below(2, rng) == 0 { Ruleset::default_seats(2).expect("two seats") } else { seats };
        let mut chosen: Vec<(&str, &str)> = Vec::new();
        for flag in &flags {
            if below(4, rng) == 0 {
                chosen.push((&flag.name, &flag.values[below(flag.values.len(), rng)]));
            }
        }
        if below(2, rng) == 0 {
            chosen.push(("pieces", ["1", "2", "3", "4"][below(4, rng)]));
        }
        if let Ok(ruleset) = Ruleset::new(game, seats, chosen) {
            return ruleset;
        }
    }
}

/// Valid rulesets of `game`, which shrink towards the default flags and two seats.
pub fn rulesets(game: &'static str) -> impl Strategy<Value = Ruleset> {
    let flags = flags(game);
    let sheet = Ruleset::seated(game, None).expect("a built-in game");
    let others = sheet.base().pieces.allowed.iter().rev().filter(|&&count| usize::from(count) != sheet.pieces());
    let counts: Vec<String> = std::iter::once(sheet.pieces().to_string()).chain(others.map(u8::to_string)).collect();
    let values = proptest::collection::vec(prop_oneof![3 => Just(0_usize), 1 => 1..4_usize], flags.len());
    let all = (values, 0..counts.len(), 0..16_usize);
    all.prop_filter_map("house rules that contradict each other", move |(values, pieces, seats)| {
        let mut chosen: Vec<(&str, &str)> = vec![("pieces", &counts[pieces])];
        for (flag, value) in flags.iter().zip(values).filter(|&(_, value)| value > 0) {
            let others: Vec<&String> = flag.values.iter().filter(|&value| *value != flag.default).collect();
            chosen.push((&flag.name, others[(value - 1) % others.len()]));
        }
        let sets = Seat::ALL.into_iter().fold(vec![SeatSet::EMPTY], |sets, seat| {
            sets.iter().copied().chain(sets.iter().map(|set| set.with(seat))).collect()
        });
        let mut valid: Vec<Ruleset> =
            sets.into_iter().filter_map(|seats| Ruleset::new(game, seats, chosen.iter().copied()).ok()).collect();
        valid.sort_by_key(|ruleset| ruleset.seats().len());
        let at = seats.checked_rem(valid.len())?;
        Some(valid.swap_remove(at))
    })
}

/// The flags of a game besides the number of pieces.
pub fn flags(game: &str) -> Vec<FlagInfo> {
    Ruleset::seated(game, None).expect("a built-in game").flags()
}

/// A random legal action.
pub fn action(race: &Race, state: &State, rng: &mut GameRng) -> Action {
    let legal = race.legal_actions(state);
    legal.nth(below(legal.len(), rng)).expect("a decision has a legal action")
}

/// Plays on at random by one node; `false` when the game is over.
pub fn advance(race: &Race, state: &mut State, rng: &mut GameRng) -> bool {
    match race.node(state) {
        Node::Chance(_) => {
            let outcome = chance::outcome(race.chance_outcomes(state), rng.next_u64());
            race.apply_chance(state, outcome);
            true
        }
        Node::Decision(_) => {
            let action = action(race, state, rng);
            race.apply_action(state, action);
            true
        }
        Node::Terminal => false,
    }
}

/// Turn-start states from random play, at most `count`, spread over a game.
pub fn played(race: &Race, count: usize, rng: &mut GameRng) -> Vec<String> {
    let first = chance::first_seat(race.spec().seats, rng);
    let mut state = race.initial_state(first);
    let mut starts = Vec::new();
    let mut was_decision = true;
    let spacing = 1 + below(12, rng);
    let mut turns = 0;
    while starts.len() < count {
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

/// A random valid position at the start of a turn, with pieces close together more often than play would have them.
pub fn placed(race: &Race, rng: &mut GameRng) -> String {
    let last = usize::from(race.last_place());
    let waiting = usize::from(race.waiting_place());
    let pieces = race.pieces();
    let seats: Vec<Seat> = race.spec().seats.iter().collect();
    let sheet = race.ruleset().sheet();
    loop {
        let focus = below(last + 1, rng);
        let late = below(3, rng) == 0;
        let mut texts = Vec::new();
        let mut all: Vec<(Seat, Vec<usize>)> = Vec::new();
        for &seat in &seats {
            let mut places: Vec<usize> = Vec::new();
            for _ in 0..pieces {
                let place = match below(8, rng) {
                    0 => waiting,
                    1 if late => last,
                    2 | 3 if late => last - below(10, rng).min(last),
                    4 => (focus + below(9, rng)).min(last),
                    5 if !places.is_empty() => places[below(places.len(), rng)],
                    6 if !all.is_empty() => behind_another(race, seat, &all, rng).unwrap_or(focus),
                    _ => below(last + 1, rng),
                };
                places.push(place.max(waiting));
            }
            places.sort_unstable();
            let cut = if sheet.gate.at > 0 && below(2, rng) == 0 { "+" } else { "" };
            let mut names: Vec<String> = places.iter().map(|&place| race.place_text(place as u8)).collect();
            if sheet.unit.kind == UnitKind::Declared {
                declare(&mut names, sheet.unit.split, rng);
            }
            texts.push(format!("{seat}{cut}:{}", names.join(",")));
            all.push((seat, places));
        }
        let mover = seats[below(seats.len(), rng)];
        let made = match sheet.turn.most_throws.map_or(0, |most| below(usize::from(most), rng)) {
            0 => String::new(),
            made => made.to_string(),
        };
        let text = format!("{} {} {mover} *{made}", race.ruleset().game_text(), texts.join("/"));
        if race.parse_state(&text).is_ok() {
            return text;
        }
    }
}

/// The place of `seat` on the square of another seat's piece, or up to five squares before it.
fn behind_another(race: &Race, seat: Seat, others: &[(Seat, Vec<usize>)], rng: &mut GameRng) -> Option<usize> {
    let (other, places) = &others[below(others.len(), rng)];
    let square = race.board().course(*other).get(places[below(places.len(), rng)].checked_sub(1)?)?;
    let at = race.board().course(seat).iter().position(|own| own == square)?;
    Some((at + 1).saturating_sub(below(6, rng)))
}

/// Declares some of the pieces on one square as units; of units that may part only one on a square, as the text does
/// not pair the pieces of two units.
fn declare(names: &mut [String], may_part: bool, rng: &mut GameRng) {
    let mut end = names.len();
    while end >= 2 {
        let is_second =
            may_part && names.get(end).is_some_and(|after| after.strip_suffix('t') == Some(&names[end - 1]));
        if names[end - 2] == names[end - 1] && !is_second && below(2, rng) == 0 {
            names[end - 2..end].iter_mut().for_each(|name| name.push('t'));
            end -= 2;
        } else {
            end -= 1;
        }
    }
}
