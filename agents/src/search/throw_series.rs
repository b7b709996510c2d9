//! The throws of a turn: each likely throw with its probability, and one or more throws that are
//! drawn at random and represent all rare throws.
//!
//! Some throws are followed by further throws of the same turn, a series. There are many long
//! series, each of them rare. A mean over the likely throws alone, divided by their probability, is
//! biased, because long series are good for the seat. So some rare throws are drawn by their
//! probability and represent all rare throws, which keeps the mean unbiased. The draws are
//! systematic: the rare throws form a row, and each is as long as its probability. The draws are
//! evenly spaced points of this row, with a random offset.

use ashta_env::{
    chance::{self, GameRng},
    game::{Game, Node, Outcome},
};
use rand::Rng;

/// Series with a probability below this are rare with every limit, so that endless series end.
const LEAST_LIMIT: f32 = 1e-9;

/// The number of draws that represent the rare throws.
#[derive(Clone, Copy)]
pub enum Draws {
    /// One draw, so that a mean is cheap.
    One,
    /// Enough draws so that each draw represents a probability of at most `limit`.
    ByLimit,
}

/// Follows the throws of the turn from `start`. Returns the positions after the last throw of the
/// turn and their probabilities, which sum to 1: first the likely positions, each once, then the
/// drawn ones. Throws that lead to the same position are merged. Throws and beginnings of series
/// with a probability below `limit` (0 to 1) are rare and drawn from `rng`.
pub fn throw_series<G: Game>(
    game: &G,
    start: &G::State,
    limit: f32,
    draws: Draws,
    rng: &mut GameRng,
) -> Vec<(G::State, f32)> {
    let limit = limit.max(LEAST_LIMIT);
    // Rare throws with their probabilities; for a series, the position at which it became rare.
    let mut rare = Vec::new();
    let (mut throws, mut open, mut next) = (Vec::new(), Vec::new(), Vec::new());
    // If the turn has no more throws, `start` is the only position.
    let list = if is_chance(game, start) {
        &mut open
    } else {
        &mut throws
    };
    list.push((start.clone(), 1.0));
    while !open.is_empty() {
        for (state, reached) in open.drain(..) {
            for (outcome, &probability) in game.chance_outcomes(&state).iter().enumerate() {
                if probability > 0.0 {
                    let mut after = state.clone();
                    game.apply_chance(&mut after, Outcome(outcome as u8));
                    let list = if is_chance(game, &after) {
                        &mut next
                    } else {
                        &mut throws
                    };
                    add(list, after, reached * probability as f32);
                }
            }
        }
        split(&mut next, limit, &mut open, &mut rare);
    }
    next.append(&mut throws);
    split(&mut next, limit, &mut throws, &mut rare);
    let draws = match draws {
        Draws::One => usize::from(!rare.is_empty()),
        Draws::ByLimit => (total(&rare) / limit).ceil() as usize,
    };
    throws.extend(draw(game, &rare, draws, rng));
    throws
}

/// Draws `draws` of the rare throws. Each draw represents an equal part of the total probability of
/// the rare throws.
fn draw<G: Game>(
    game: &G,
    rare: &[(G::State, f32)],
    draws: usize,
    rng: &mut GameRng,
) -> Vec<(G::State, f32)> {
    let mut drawn = Vec::new();
    let spacing = total(rare) / draws as f32;
    // The next draw is `offset` after the beginning of the rare throw `index`.
    let mut offset = spacing * (rng.next_u64() >> 40) as f32 / (1 << 24) as f32;
    let mut index = 0;
    for _ in 0..draws {
        while offset >= rare[index].1 && index + 1 < rare.len() {
            offset -= rare[index].1;
            index += 1;
        }
        let mut state = rare[index].0.clone();
        while is_chance(game, &state) {
            let outcome = chance::outcome(game.chance_outcomes(&state), rng.next_u64());
            game.apply_chance(&mut state, outcome);
        }
        add(&mut drawn, state, spacing);
        offset += spacing;
    }
    drawn
}

fn is_chance<G: Game>(game: &G, state: &G::State) -> bool {
    matches!(game.node(state), Node::Chance(_))
}

/// Adds `probability` to the probability of `state`.
fn add<S: Eq>(list: &mut Vec<(S, f32)>, state: S, probability: f32) {
    match list.iter_mut().find(|(other, _)| *other == state) {
        Some((_, sum)) => *sum += probability,
        None => list.push((state, probability)),
    }
}

fn total<S>(list: &[(S, f32)]) -> f32 {
    list.iter().map(|&(_, probability)| probability).sum()
}

/// Moves the entries with a probability below `limit` to `rare` and all others to `likely`.
fn split<S>(
    all: &mut Vec<(S, f32)>,
    limit: f32,
    likely: &mut Vec<(S, f32)>,
    rare: &mut Vec<(S, f32)>,
) {
    for one in all.drain(..) {
        if one.1 < limit {
            rare.push(one)
        } else {
            likely.push(one)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::{
        game::Seat,
        testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
    };

    /// The series at the start of a game, by number, with their probabilities. The series are (1)
    /// with probability 1/2, (2, 1) with 1/4, (2, 2, 1) and (2, 2, 2) with 1/8 each, numbered in
    /// this order.
    fn throws(limit: f32, draws: Draws, rng: &mut GameRng) -> Vec<(usize, f32)> {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let series = throw_series(&game, &game.initial_state(Seat::SOUTH), limit, draws, rng);
        let all =
            [&[0][..], &[1, 0], &[1, 1, 0], &[1, 1, 1]].map(|outcomes| thrown(&game, outcomes));
        let number = |state: &ToyState| {
            all.iter()
                .position(|throw| throw == state)
                .expect("a throw of the turn")
        };
        series
            .iter()
            .map(|(state, probability)| (number(state), *probability))
            .collect()
    }

    fn thrown(game: &Toy, outcomes: &[u8]) -> ToyState {
        let mut state = game.initial_state(Seat::SOUTH);
        outcomes
            .iter()
            .for_each(|&outcome| game.apply_chance(&mut state, Outcome(outcome)));
        state
    }

    #[test]
    fn rare_throws_are_drawn_by_their_probability() {
        // With limit 0.3, the series (2, 1) and the beginning (2, 2) are rare; with limit 1, every
        // throw is.
        for (limit, draws) in [
            (0.3, Draws::One),
            (1.0, Draws::One),
            (0.2, Draws::ByLimit),
            (0.3, Draws::ByLimit),
        ] {
            let (mut rng, mut means) = (chance::stream(3, 4), [0.0; 4]);
            for _ in 0..4000 {
                let all = throws(limit, draws, &mut rng);
                assert_eq!(
                    all.iter().map(|&(_, probability)| probability).sum::<f32>(),
                    1.0,
                    "{all:?}"
                );
                all.iter()
                    .for_each(|&(throw, probability)| means[throw] += probability / 4000.0);
            }
            // Four standard deviations.
            let expected = [0.5, 0.25, 0.125, 0.125];
            assert!(
                means
                    .iter()
                    .zip(expected)
                    .all(|(mean, truth)| (mean - truth).abs() < 0.032),
                "{means:?}"
            );
        }
    }

    #[test]
    fn draws_are_evenly_spaced() {
        for seed in 0..20 {
            let rng = &mut chance::stream(3, seed);
            // The series (2, 1) and the beginning (2, 2) are rare, with probability 1/4 each. A
            // single draw represents both; of two draws, each represents one.
            assert!(matches!(
                throws(0.3, Draws::One, rng)[..],
                [(0, 0.5), (1..=3, 0.5)]
            ));
            assert!(matches!(
                throws(0.3, Draws::ByLimit, rng)[..],
                [(0, 0.5), (2 | 3, 0.25), (1, 0.25)]
            ));
        }
    }
}
