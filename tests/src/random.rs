//! Random rulesets and positions for tests.

use ashta_env::chance::{self, GameRng, below};
use ashta_env::flags::FlagInfo;
use ashta_env::game::{Action, Game, Node, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::ruleset::{Rules, Ruleset};
use proptest::prelude::*;
use rand::Rng;

/// A random valid ruleset of `game`: each flag away from its default one time in four.
pub fn ruleset(game: &str, rng: &mut GameRng) -> Ruleset {
    loop {
        let seats = SeatSet::of(&Seat::ALL.into_iter().filter(|_| below(3, rng) > 0).collect::<Vec<_>>());
        let seats = if below(2, rng) == 0 { Ruleset::default_seats(2).expect("two seats") } else { seats };
        let flags = flags(game);
        let mut chosen = Vec::new();
        for flag in &flags {
            if below(4, rng) == 0 {
                chosen.push((flag.name, flag.values[below(flag.values.len(), rng)]));
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
    let values = proptest::collection::vec(prop_oneof![3 => Just(0_usize), 1 => 1..4_usize], flags.len());
    (values, 0..4_usize, 0..16_usize).prop_map(move |(values, pieces, seats)| {
        let mut chosen = vec![("pieces", ["4", "3", "2", "1"][pieces])];
        for (flag, value) in flags.iter().zip(values).filter(|&(_, value)| value > 0) {
            let others: Vec<&str> = flag.values.iter().copied().filter(|value| *value != flag.default).collect();
            chosen.push((flag.name, others[(value - 1) % others.len()]));
        }
        let sets = Seat::ALL.into_iter().fold(vec![SeatSet::EMPTY], |sets, seat| {
            sets.iter().copied().chain(sets.iter().map(|set| set.with(seat))).collect()
        });
        let mut valid: Vec<Ruleset> =
            sets.into_iter().filter_map(|seats| Ruleset::new(game, seats, chosen.iter().copied()).ok()).collect();
        valid.sort_by_key(|ruleset| ruleset.seats().len());
        valid[seats % valid.len()]
    })
}

/// The flags of a game besides the number of pieces.
pub fn flags(game: &str) -> Vec<FlagInfo> {
    let ruleset = Ruleset::parse(game, SeatSet::ALL).expect("a known game");
    match ruleset.rules() {
        Rules::Ashtapada(rules) => rules.flags(),
        Rules::AshteKashte(rules) => rules.flags(),
        Rules::Pagade(rules) => rules.flags(),
    }
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

/// Starts of turns from random play, at most `count`, spread over a game.
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
    let goal = usize::from(race.spec().goal);
    let pieces = race.spec().pieces;
    let seats: Vec<Seat> = race.spec().seats.iter().collect();
    loop {
        let focus = below(goal + 1, rng);
        let late = below(3, rng) == 0;
        let mut texts = Vec::new();
        for &seat in &seats {
            let mut places: Vec<u8> = Vec::new();
            for _ in 0..pieces {
                let place = match below(8, rng) {
                    0 => 0,
                    1 if late => goal,
                    2 | 3 if late => goal - below(10, rng).min(goal),
                    4 => (focus + below(9, rng)).min(goal),
                    5 if !places.is_empty() => usize::from(places[below(places.len(), rng)]),
                    // A square of another seat: quarter turns are about a quarter of the ring apart.
                    6 => (focus + 17 * seat.index() + below(5, rng)) % goal,
                    _ => below(goal + 1, rng),
                };
                places.push(place as u8);
            }
            places.sort_unstable();
            let cut = if race.ruleset().game_text().starts_with("pagade") && below(2, rng) == 0 { "+" } else { "" };
            let names: Vec<String> = places.iter().map(|&place| race.place_text(place)).collect();
            texts.push(format!("{seat}{cut}:{}", names.join(",")));
        }
        let mover = seats[below(seats.len(), rng)];
        let text = format!("{} {} {mover} *", race.ruleset().game_text(), texts.join("/"));
        if race.parse_state(&text).is_ok() {
            return text;
        }
    }
}
