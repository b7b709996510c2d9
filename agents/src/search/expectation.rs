//! The one-ply expectation over throws: the expected value of a turn-start state if its seat plays
//! the best afterstate (possible position after the turn) of each throw. The mean is over every
//! likely throw, and over one throw that is drawn at random and represents all rare throws.

use std::ops::Range;

use ashta_env::{
    chance::GameRng,
    game::{BySeat, Game, Seat},
    turn::TurnResults,
};

use super::throw_series::{Draws, throw_series};
use crate::play::{agent::results_of_turn, evaluator::first_best};

/// The throws from one turn-start state. For each throw, or whole series of throws: its probability
/// and the indices of its afterstates in the list of positions to evaluate. The throw that
/// represents the rare throws has their total probability.
#[derive(Default)]
pub struct Expectation(Vec<(f32, Range<usize>)>);

/// The actual throw of a turn: the turn-start state, the decision after the throw, and the indices
/// of its afterstates.
pub struct ActualTurn<'a, S> {
    pub start: &'a S,
    pub thrown: &'a S,
    pub results: Range<usize>,
}

/// Appends the afterstates of the decision `state` to `results` and returns their indices.
pub fn append_afterstates<G: Game>(
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
    /// Enumerates the throws from the turn-start state. Appends the afterstates of all throws
    /// except the actual one to `results`. Throws and series with a probability below `limit` are
    /// rare. One of them represents all rare throws; it is drawn with `rng`, independently of the
    /// actual throw.
    pub fn of_throws<G: Game>(
        game: &G,
        actual: &ActualTurn<'_, G::State>,
        limit: f32,
        rng: &mut GameRng,
        scratch: &mut TurnResults<G::State>,
        results: &mut Vec<G::State>,
    ) -> Expectation {
        let branches = throw_series(game, actual.start, limit, Draws::One, rng)
            .into_iter()
            .map(|(state, probability)| match state == *actual.thrown {
                true => (probability, actual.results.clone()),
                false => (
                    probability,
                    append_afterstates(game, &state, scratch, results),
                ),
            });
        Expectation(branches.collect())
    }

    /// The expected values of the turn-start state: the mean over the throws of the values of the
    /// afterstate that is best for `seat`. The result is exact if no throw is rare, otherwise
    /// unbiased.
    pub fn expected<G: Game>(&self, game: &G, seat: Seat, values: &[BySeat<f32>]) -> BySeat<f32> {
        let mut expected = BySeat::default();
        for (probability, results) in &self.0 {
            let values = values[best_of(results, seat, values)];
            for seat in game.spec().seats.iter() {
                expected[seat] += values[seat] * probability;
            }
        }
        expected
    }
}

/// The index of the best of `results` for `seat`; if several are equally good, the first.
pub fn best_of(results: &Range<usize>, seat: Seat, values: &[BySeat<f32>]) -> usize {
    let own = results.clone().map(|result| values[result][seat]);
    results.start + first_best(own).expect("a throw has a result")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::{
        chance,
        game::{Outcome, RaceGame},
        testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
    };

    /// Expectations at the start of a game, one for each of `draws` generators. Series with a
    /// probability below `limit` are rare; `thrown` is the actual series. The series are (1) with
    /// probability 1/2, (2, 1) with 1/4, (2, 2, 1) and (2, 2, 2) with 1/8 each.
    fn expected(
        limit: f32,
        thrown: &[u8],
        draws: u64,
        value: impl Fn(&ToyState) -> f32,
    ) -> Vec<f32> {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let start = game.initial_state(Seat::SOUTH);
        let mut state = start.clone();
        thrown
            .iter()
            .for_each(|&outcome| game.apply_chance(&mut state, Outcome(outcome)));
        let mut scratch = TurnResults::new();
        let once = |draw| {
            let mut results = Vec::new();
            let indices = append_afterstates(&game, &state, &mut scratch, &mut results);
            let actual = ActualTurn {
                start: &start,
                thrown: &state,
                results: indices,
            };
            let mut rng = chance::stream(draw, 0);
            let expectation =
                Expectation::of_throws(&game, &actual, limit, &mut rng, &mut scratch, &mut results);
            let values: Vec<_> = results
                .iter()
                .map(|result| BySeat([value(result), 0.0, 0.0, 0.0]))
                .collect();
            expectation.expected(&game, Seat::SOUTH, &values)[Seat::SOUTH]
        };
        (0..draws).map(once).collect()
    }

    /// A tenth of the steps of South, which are the sum of the throws.
    fn steps(state: &ToyState) -> f32 {
        Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series)
            .steps(state, Seat::SOUTH)
            .into_iter()
            .map(f32::from)
            .sum::<f32>()
            / 10.0
    }

    #[test]
    fn the_drawn_throw_leaves_the_mean_unbiased() {
        let exact = expected(0.0, &[0], 1, steps)[0];
        for (limit, thrown) in [
            (0.2, &[0][..]),
            (0.2, &[1, 1, 1]),
            (0.3, &[1, 0]),
            (1.0, &[0]),
        ] {
            let draws = expected(limit, thrown, 4000, steps);
            let mean = draws.iter().sum::<f32>() / 4000.0;
            let deviation = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 4000.0).sqrt();
            assert!(deviation > 0.01, "{limit}: the draws differ");
            assert!(
                (mean - exact).abs() < 4.0 * deviation / 4000_f32.sqrt(),
                "{limit}: {mean} for {exact}"
            );
        }
    }
}
