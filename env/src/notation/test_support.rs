//! Games played at random, for tests.

use rand::Rng;

use crate::{
    chance,
    game::{Game, Node, Seat},
    race::{Race, position::state::State},
    sheet::ruleset::Ruleset,
};

/// Plays `game` with this number of seats for this number of nodes. `choose` is called at each
/// decision and must change the position.
pub(crate) fn random_play<R: Rng>(
    game: &str,
    seats: usize,
    mut rng: R,
    nodes: usize,
    mut choose: impl FnMut(&Race, &mut State, &mut R),
) {
    let race = Race::new(Ruleset::seated(game, Some(seats)).expect("a game"));
    let seats = race.spec().seats;
    let mut state = race.initial_state(Seat::SOUTH);
    for _ in 0..nodes {
        match race.node(&state) {
            Node::Terminal => state = race.initial_state(seats.iter().last().expect("a seat")),
            Node::Chance(_) => {
                let outcome = chance::outcome(race.chance_outcomes(&state), rng.next_u64());
                race.apply_chance(&mut state, outcome);
            }
            Node::Decision(_) => choose(&race, &mut state, &mut rng),
        }
    }
}
