//! The one-ply expectation over throws: the afterstates of every likely throw from a turn-start state, and the expected
//! value of the best ones.

use std::ops::Range;

use ashta_env::game::{BySeat, Game, Node, Outcome, Seat};
use ashta_env::turn::TurnResults;

use crate::play::agent::results_of_turn;
use crate::play::evaluator::first_best;

/// A throw, or a whole series of throws.
#[derive(Clone, Debug)]
struct Branch {
    probability: f32,
    /// The afterstates of the turn.
    results: Range<usize>,
}

/// The throws of one position and the places of their afterstates among the positions to be evaluated. Reused from turn
/// to turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectation {
    branches: Vec<Branch>,
    /// The sum of their probabilities: 1 less that of the series that are left out.
    mass: f32,
    /// The branch that happened.
    happened: Option<usize>,
}

/// Room for the positions within a turn.
#[derive(Clone, Debug)]
pub(crate) struct ExpectationScratch<S> {
    pub(crate) turn_results: TurnResults<S>,
    open: Vec<OpenThrow<S>>,
    seen: SeenDecisions,
}

/// Decisions by their observations: the same throws in another order are the same decision.
#[derive(Clone, Debug, Default)]
struct SeenDecisions {
    /// The observations, end to end.
    entries: Vec<u16>,
    /// For each decision the end of its observation, and its branch.
    ends: Vec<(usize, usize)>,
}

impl SeenDecisions {
    fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
    }

    /// The branch of a decision that looks like `state`; if there is none this one is remembered as that of `branch`.
    fn find_or_insert<G: Game>(&mut self, game: &G, state: &G::State, branch: usize) -> usize {
        let Node::Decision(seat) = game.node(state) else { return branch };
        let known = self.entries.len();
        game.observe_active(state, seat, &mut self.entries);
        let (others, new) = self.entries.split_at(known);
        let mut start = 0;
        for &(end, other) in &self.ends {
            if others[start..end] == *new {
                self.entries.truncate(known);
                return other;
            }
            start = end;
        }
        self.ends.push((self.entries.len(), branch));
        branch
    }
}

/// A position within the throws.
#[derive(Clone, Debug)]
struct OpenThrow<S> {
    state: S,
    probability: f32,
    /// Throws before it.
    throws: u32,
}

impl<S> Default for ExpectationScratch<S> {
    fn default() -> ExpectationScratch<S> {
        ExpectationScratch { turn_results: TurnResults::new(), open: Vec::new(), seen: SeenDecisions::default() }
    }
}

/// The actual throw: the decision after it, and its afterstates.
#[derive(Clone, Debug)]
pub(crate) struct Happened<'a, S> {
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
    /// Removes all throws.
    pub(crate) fn clear(&mut self) {
        self.branches.clear();
        self.mass = 0.0;
        self.happened = None;
    }

    /// Enumerates every throw from `start`, and appends the afterstates to `results`. Series whose beginning is less
    /// likely than `least` are left out.
    pub(crate) fn look<G: Game>(
        &mut self,
        game: &G,
        start: &G::State,
        least: f32,
        happened: Option<Happened<'_, G::State>>,
        scratch: &mut ExpectationScratch<G::State>,
        results: &mut Vec<G::State>,
    ) {
        let ExpectationScratch { turn_results, open, seen } = scratch;
        self.clear();
        open.clear();
        seen.clear();
        open.push(OpenThrow { state: start.clone(), probability: 1.0, throws: 0 });
        while let Some(OpenThrow { state, probability, throws }) = open.pop() {
            if let Node::Chance(_) = game.node(&state) {
                if probability < least {
                    continue;
                }
                for (outcome, &chance) in game.chance_outcomes(&state).iter().enumerate() {
                    if chance > 0.0 {
                        let mut next = state.clone();
                        game.apply_chance(&mut next, Outcome(outcome as u8));
                        open.push(OpenThrow {
                            state: next,
                            probability: probability * chance as f32,
                            throws: throws + 1,
                        });
                    }
                }
                continue;
            }
            self.mass += probability;
            let has_happened = happened.as_ref().is_some_and(|happened| *happened.thrown == state);
            let branch = self.branches.len();
            // A single throw is like no other.
            let same = if throws > 1 { seen.find_or_insert(game, &state, branch) } else { branch };
            if same < branch {
                self.branches[same].probability += probability;
                self.happened = if has_happened { Some(same) } else { self.happened };
                continue;
            }
            let results = match &happened {
                Some(happened) if has_happened => {
                    self.happened = Some(branch);
                    happened.results.clone()
                }
                _ => append(game, &state, turn_results, results),
            };
            self.branches.push(Branch { probability, results });
        }
        if self.branches.is_empty() {
            self.look(game, start, least / 4.0, happened, scratch, results);
        }
    }

    /// The value of the position: the expectation over throws of the afterstate that is best for `seat`. Series that
    /// are left out count as this expectation: values in the middle of a series would be the least reliable of all.
    pub(crate) fn expected<G: Game>(&self, game: &G, seat: Seat, values: &[BySeat<f32>]) -> BySeat<f32> {
        let mut expected = BySeat::default();
        for branch in &self.branches {
            let values = values[best_of(&branch.results, seat, values)];
            for seat in game.spec().seats.iter() {
                expected[seat] += values[seat] * branch.probability;
            }
        }
        for seat in game.spec().seats.iter() {
            expected[seat] /= self.mass;
        }
        expected
    }

    /// The value of the actual throw in this expectation; `None` when it was left out.
    pub(crate) fn counted(&self, seat: Seat, values: &[BySeat<f32>]) -> Option<BySeat<f32>> {
        self.happened.map(|happened| values[best_of(&self.branches[happened].results, seat, values)])
    }
}

/// The first of `results` that is best for `seat`.
pub(crate) fn best_of(results: &Range<usize>, seat: Seat, values: &[BySeat<f32>]) -> usize {
    let own = results.clone().map(|result| values[result][seat]);
    results.start + first_best(own).expect("a throw has a result")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    /// The expectation of a new game of series when those less likely than `least` are left out, and its afterstates.
    /// The throws are 1, then 2 1 with probability 1/4, then 2 2 1 and 2 2 2 with 1/8 each.
    fn looked(least: f32, thrown: &[u8]) -> (Toy, Expectation, usize) {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let start = game.initial_state(Seat::SOUTH);
        let (mut expectation, mut scratch, mut results) =
            (Expectation::default(), ExpectationScratch::default(), Vec::new());
        let mut state = start.clone();
        thrown.iter().for_each(|&outcome| game.apply_chance(&mut state, Outcome(outcome)));
        let happened =
            Happened { thrown: &state, results: append(&game, &state, &mut scratch.turn_results, &mut results) };
        expectation.look(&game, &start, least, Some(happened), &mut scratch, &mut results);
        (game, expectation, results.len())
    }

    #[test]
    fn series_that_are_too_rare_are_left_out() {
        for (least, branches, mass) in [(0.0, 4, 1.0), (0.2, 4, 1.0), (0.3, 2, 0.75), (0.6, 1, 0.5)] {
            let (_, expectation, _) = looked(least, &[0]);
            assert_eq!((expectation.branches.len(), expectation.mass), (branches, mass), "{least}");
        }
    }

    #[test]
    fn something_is_always_looked_at() {
        // Not even the first throw is as likely as that; a quarter of it is.
        let (_, expectation, _) = looked(2.0, &[0]);
        assert_eq!((expectation.branches.len(), expectation.mass), (2, 0.75));
    }

    #[test]
    fn series_that_are_left_out_count_as_the_mean_of_the_rest() {
        let (game, expectation, results) = looked(0.3, &[0]);
        let equal = vec![BySeat([0.7, 0.0, 0.3, 0.0]); results];
        let expected = expectation.expected(&game, Seat::SOUTH, &equal);
        assert!((expected[Seat::SOUTH] - 0.7).abs() < 1e-6 && (expected[Seat::NORTH] - 0.3).abs() < 1e-6);
        // The results of the throw that happened come first; all others are lost.
        let happened = expectation.branches[expectation.happened.expect("a 1 is likely")].results.clone();
        let values: Vec<BySeat<f32>> = (0..results)
            .map(|result| BySeat([f32::from(u8::from(happened.contains(&result))), 0.0, 0.0, 0.0]))
            .collect();
        let expected = expectation.expected(&game, Seat::SOUTH, &values);
        assert!((expected[Seat::SOUTH] - 0.5 / 0.75).abs() < 1e-6, "{expected:?}");
        assert_eq!(expectation.counted(Seat::SOUTH, &values).expect("it is not left out")[Seat::SOUTH], 1.0);
    }

    #[test]
    fn a_throw_that_is_left_out_is_not_counted() {
        let (_, expectation, results) = looked(0.3, &[1, 1, 0]);
        assert_eq!(expectation.counted(Seat::SOUTH, &vec![BySeat::default(); results]), None);
        let (_, expectation, results) = looked(0.2, &[1, 1, 0]);
        assert!(expectation.counted(Seat::SOUTH, &vec![BySeat::default(); results]).is_some());
    }

    #[test]
    fn decisions_that_look_the_same_are_one() {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let thrown = |throws: &[u8]| {
            let mut state = game.initial_state(Seat::SOUTH);
            throws.iter().for_each(|&outcome| game.apply_chance(&mut state, Outcome(outcome)));
            state
        };
        let mut seen = SeenDecisions::default();
        for (throws, branch, expected) in [(&[0][..], 3, 3), (&[1, 0], 4, 4), (&[1, 1, 0], 5, 5), (&[1, 0], 6, 4)] {
            assert_eq!(seen.find_or_insert(&game, &thrown(throws), branch), expected, "{throws:?}");
        }
        seen.clear();
        assert_eq!(seen.find_or_insert(&game, &thrown(&[1, 0]), 7), 7);
    }
}
