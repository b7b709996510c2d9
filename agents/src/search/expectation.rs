//! The one-ply expectation over throws: the afterstates of every likely throw from a turn-start state and of one that
//! stands for the rare ones, and the expected value of the best ones.

use std::ops::Range;

use ashta_env::chance::GameRng;
use ashta_env::game::{BySeat, Game, Seat};
use ashta_env::turn::TurnResults;

use super::throw_series::{Draws, throw_series};
use crate::play::agent::results_of_turn;
use crate::play::evaluator::first_best;

/// The throws of one position and the places of their afterstates among the positions to be evaluated. Reused from turn
/// to turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectation {
    /// Of each throw, or whole series of throws, the probability and the afterstates of the turn. For the throw that
    /// stands for the rare ones it is the probability of them all.
    branches: Vec<(f32, Range<usize>)>,
}

/// The actual throw of a turn: the turn-start state, the decision after the throw, and its afterstates.
#[derive(Clone, Debug)]
pub(crate) struct Happened<'a, S> {
    pub(crate) start: &'a S,
    pub(crate) thrown: &'a S,
    pub(crate) results: Range<usize>,
}

/// The afterstates of the decision `state`, appended to `results`.
pub(crate) fn append<G: Game>(
    game: &G,
    state: &G::State,
    scratch: &mut TurnResults<G::State>,
    results: &mut Vec<G::State>,
) -> Range<usize> {
    results_of_turn(game, state, scratch);
    let first = results.len();
    results.extend_from_slice(scratch.states());
    first..results.len()
}

impl Expectation {
    /// Enumerates the throws that could have been instead of the one that happened, and appends their afterstates to
    /// `results`. Throws and series less likely than `limit` are rare; the one that stands for them is drawn from
    /// `rng`, independently of the actual throw.
    pub(crate) fn look<G: Game>(
        &mut self,
        game: &G,
        happened: &Happened<'_, G::State>,
        limit: f32,
        rng: &mut GameRng,
        scratch: &mut TurnResults<G::State>,
        results: &mut Vec<G::State>,
    ) {
        self.branches.clear();
        for (state, probability) in throw_series(game, happened.start, limit, Draws::One, rng) {
            let results = match state == *happened.thrown {
                true => happened.results.clone(),
                false => append(game, &state, scratch, results),
            };
            self.branches.push((probability, results));
        }
    }

    /// The value of the position: the expectation over throws of the afterstate that is best for `seat`. It is unbiased
    /// where throws are rare, and exact where none is.
    pub(crate) fn expected<G: Game>(&self, game: &G, seat: Seat, values: &[BySeat<f32>]) -> BySeat<f32> {
        let mut expected = BySeat::default();
        for (probability, results) in &self.branches {
            let values = values[best_of(results, seat, values)];
            for seat in game.spec().seats.iter() {
                expected[seat] += values[seat] * probability;
            }
        }
        expected
    }
}

/// The first of `results` that is best for `seat`.
pub(crate) fn best_of(results: &Range<usize>, seat: Seat, values: &[BySeat<f32>]) -> usize {
    let own = results.clone().map(|result| values[result][seat]);
    results.start + first_best(own).expect("a throw has a result")
}

#[cfg(test)]
mod tests {
    use ashta_env::game::RaceGame;

    use super::*;
    use ashta_env::chance;
    use ashta_env::game::Outcome;
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows};

    /// Expectations of a new game of series in which the throws `thrown` happened, with this limit: one for each value
    /// of its afterstates. The throws are 1, then 2 1 with probability 1/4, then 2 2 1 and 2 2 2 with 1/8 each.
    fn expected(limit: f32, thrown: &[u8], draws: u64, value: impl Fn(&ToyState) -> f32) -> Vec<f32> {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let start = game.initial_state(Seat::SOUTH);
        let mut state = start.clone();
        thrown.iter().for_each(|&outcome| game.apply_chance(&mut state, Outcome(outcome)));
        let (mut expectation, mut scratch) = (Expectation::default(), TurnResults::new());
        let once = |draw| {
            let mut results = Vec::new();
            let actual = append(&game, &state, &mut scratch, &mut results);
            let happened = Happened { start: &start, thrown: &state, results: actual };
            let mut rng = chance::stream(draw, 0);
            expectation.look(&game, &happened, limit, &mut rng, &mut scratch, &mut results);
            let values: Vec<_> = results.iter().map(|result| BySeat([value(result), 0.0, 0.0, 0.0])).collect();
            expectation.expected(&game, Seat::SOUTH, &values)[Seat::SOUTH]
        };
        (0..draws).map(once).collect()
    }

    /// A tenth of the steps of South, which are the sum of the throws.
    fn steps(state: &ToyState) -> f32 {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        game.steps(state, Seat::SOUTH).into_iter().map(f32::from).sum::<f32>() / 10.0
    }

    #[test]
    fn the_drawn_throw_leaves_the_mean_unbiased() {
        let exact = expected(0.0, &[0], 1, steps)[0];
        for (limit, thrown) in [(0.2, &[0][..]), (0.2, &[1, 1, 1]), (0.3, &[1, 0]), (1.0, &[0])] {
            let draws = expected(limit, thrown, 4000, steps);
            let mean = draws.iter().sum::<f32>() / 4000.0;
            let deviation = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 4000.0).sqrt();
            assert!(deviation > 0.01, "{limit}: the draws differ");
            assert!((mean - exact).abs() < 4.0 * deviation / 4000_f32.sqrt(), "{limit}: {mean} for {exact}");
        }
    }

    #[test]
    fn the_probabilities_of_the_throws_sum_to_one() {
        for limit in [0.0, 0.2, 0.3, 1.0] {
            for value in expected(limit, &[1, 0], 20, |_| 0.7) {
                assert!((value - 0.7).abs() < 1e-6, "{limit}: {value}");
            }
        }
    }
}
