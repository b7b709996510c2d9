//! The throws of a turn: each likely one with its probability, and one that stands for all rare ones.
//!
//! A throw may be followed by further throws of the same turn, a series; long series are many and rare. A mean over the
//! likely throws alone, divided by their probability, is biased: long series are the good ones. So one of the rare
//! throws is drawn by its probability and counts for all of them, which leaves the mean unbiased.

use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Game, Node, Outcome};
use rand::Rng;

/// Series that are rarer than this are rare whatever the limit, so that endless ones end.
const LEAST_LIMIT: f32 = 1e-9;

/// The throws from one position. Reused from position to position.
#[derive(Clone, Debug)]
pub(crate) struct ThrowSeries<S> {
    /// The positions after the last throw of the turn, each once, with their probabilities.
    likely: Vec<(S, f32)>,
    /// The same of rare throws; of a series also the position in which it became rare, with throws to come.
    rare: Vec<(S, f32)>,
    open: Vec<(S, f32)>,
    next: Vec<(S, f32)>,
}

impl<S> Default for ThrowSeries<S> {
    fn default() -> ThrowSeries<S> {
        ThrowSeries { likely: Vec::new(), rare: Vec::new(), open: Vec::new(), next: Vec::new() }
    }
}

impl<S: Clone + Eq> ThrowSeries<S> {
    /// Follows the throws of the turn from `start` on; those that lead to one position are one.
    /// Throws and beginnings of series that are less likely than `limit`, 0 to 1, are rare.
    pub(crate) fn expand<G: Game<State = S>>(&mut self, game: &G, start: &S, limit: f32) {
        let limit = limit.max(LEAST_LIMIT);
        let ThrowSeries { likely, rare, open, next } = self;
        likely.clear();
        rare.clear();
        open.clear();
        // A position within a turn, after its last throw, is the one there is.
        let begins = if throws_on(game, start) { &mut *open } else { &mut *next };
        begins.push((start.clone(), 1.0));
        while !open.is_empty() {
            for (state, reached) in open.drain(..) {
                for (outcome, &probability) in game.chance_outcomes(&state).iter().enumerate() {
                    if probability > 0.0 {
                        let mut after = state.clone();
                        game.apply_chance(&mut after, Outcome(outcome as u8));
                        let list = if throws_on(game, &after) { &mut *next } else { &mut *likely };
                        add(list, after, reached * probability as f32);
                    }
                }
            }
            split(next, limit, open, rare);
        }
        next.append(likely);
        split(next, limit, likely, rare);
    }

    /// The positions after the likely throws, with their probabilities.
    pub(crate) fn likely(&self) -> &[(S, f32)] {
        &self.likely
    }

    /// The probability of all rare throws.
    pub(crate) fn rare_probability(&self) -> f32 {
        self.rare.iter().map(|&(_, probability)| probability).sum()
    }

    /// The position after a rare throw, drawn by its probability; `None` where no throw is rare.
    pub(crate) fn draw<G: Game<State = S>>(&self, game: &G, rng: &mut GameRng) -> Option<S> {
        let mut rest = self.rare_probability() * (rng.next_u64() >> 40) as f32 / (1 << 24) as f32;
        let drawn = self.rare.iter().find(|&&(_, probability)| {
            rest -= probability;
            rest < 0.0
        });
        let mut state = drawn.or(self.rare.last())?.0.clone();
        while throws_on(game, &state) {
            let outcome = chance::outcome(game.chance_outcomes(&state), rng.next_u64());
            game.apply_chance(&mut state, outcome);
        }
        Some(state)
    }
}

fn throws_on<G: Game>(game: &G, state: &G::State) -> bool {
    matches!(game.node(state), Node::Chance(_))
}

/// Adds `probability` to that of `state` in the list.
fn add<S: Eq>(list: &mut Vec<(S, f32)>, state: S, probability: f32) {
    match list.iter_mut().find(|(other, _)| *other == state) {
        Some((_, sum)) => *sum += probability,
        None => list.push((state, probability)),
    }
}

/// Moves what is less likely than `limit` to `rare` and the rest to `likely`.
fn split<S>(all: &mut Vec<(S, f32)>, limit: f32, likely: &mut Vec<(S, f32)>, rare: &mut Vec<(S, f32)>) {
    for one in all.drain(..) {
        if one.1 < limit { rare.push(one) } else { likely.push(one) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::game::Seat;
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows};

    /// The throws of a new game of series: 1 with probability 1/2, 2 1 with 1/4, 2 2 1 and 2 2 2 with 1/8 each.
    fn expanded(limit: f32) -> (Toy, ThrowSeries<ToyState>) {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let mut series = ThrowSeries::default();
        series.expand(&game, &game.initial_state(Seat::SOUTH), limit);
        (game, series)
    }

    fn thrown(game: &Toy, outcomes: &[u8]) -> ToyState {
        let mut state = game.initial_state(Seat::SOUTH);
        outcomes.iter().for_each(|&outcome| game.apply_chance(&mut state, Outcome(outcome)));
        state
    }

    #[test]
    fn throws_below_the_limit_are_rare() {
        for (limit, likely, rare) in [
            (0.0, &[0.5, 0.25, 0.125, 0.125][..], 0.0),
            (0.1, &[0.5, 0.25, 0.125, 0.125], 0.0),
            (0.2, &[0.5, 0.25], 0.25),
            (0.3, &[0.5], 0.5),
            (1.0, &[], 1.0),
        ] {
            let (_, series) = expanded(limit);
            let probabilities: Vec<f32> = series.likely().iter().map(|&(_, probability)| probability).collect();
            assert_eq!((&probabilities[..], series.rare_probability()), (likely, rare), "{limit}");
        }
    }

    #[test]
    fn rare_throws_are_drawn_by_their_probability() {
        // Below 0.3 the throws 2 1 and 2 2 are rare, and 2 2 has yet to be completed; below 1 every throw is.
        for (limit, expected) in [(0.3, [0, 2000, 1000, 1000]), (1.0, [2000, 1000, 500, 500])] {
            let (game, series) = expanded(limit);
            let throws = [&[0][..], &[1, 0], &[1, 1, 0], &[1, 1, 1]].map(|outcomes| thrown(&game, outcomes));
            let (mut rng, mut counts) = (chance::stream(3, 4), [0_i32; 4]);
            for _ in 0..4000 {
                let drawn = series.draw(&game, &mut rng).expect("there are rare throws");
                counts[throws.iter().position(|throw| *throw == drawn).expect("a throw of the turn")] += 1;
            }
            // Four standard deviations.
            assert!(counts.iter().zip(expected).all(|(count, mean)| (count - mean).abs() < 130), "{counts:?}");
        }
        let (game, series) = expanded(0.0);
        assert_eq!(series.draw(&game, &mut chance::stream(3, 4)), None);
    }

    #[test]
    fn after_the_last_throw_nothing_is_left_to_chance() {
        let (game, mut series) = expanded(0.0);
        let state = thrown(&game, &[1, 0]);
        series.expand(&game, &state, 0.3);
        assert_eq!((series.likely(), series.rare_probability()), (&[(state, 1.0)][..], 0.0));
    }

    #[test]
    fn throws_that_lead_to_one_position_are_one() {
        let mut list = vec![('a', 0.5)];
        add(&mut list, 'b', 0.25);
        add(&mut list, 'a', 0.25);
        assert_eq!(list, [('a', 0.75), ('b', 0.25)]);
    }
}
