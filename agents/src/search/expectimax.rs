//! Expectimax: full-width search with expectations over throws and the best whole turn at
//! decisions.
//!
//! Each seat maximises its own value (max^n); with two sides this is expectiminimax. Partners share
//! their value. The inner evaluator values the leaves. There is no pruning (no Star1 or Star2): one
//! ply has only dozens to hundreds of leaves, and all of them fit into one batch.

use ashta_env::{
    chance,
    game::{BySeat, Game, Node, Seat},
    turn::TurnResults,
};

use super::throw_series::{Draws, throw_series};
use crate::play::{
    agent::results_of_turn,
    evaluator::{Evaluation, Evaluator},
    stop::Stop,
};

/// The number of leaves to gather before an evaluation; only searches of two or more plies have
/// more leaves.
const BATCH: usize = 1 << 16;
/// The number of leaves to evaluate between two checks of the stop.
const SLICE: usize = 1 << 10;

/// The seed of the draws among rare throws. All positions share their draws (common random
/// numbers). So the error of a draw is nearly equal for positions that are compared, and a repeated
/// search returns equal values.
const SEED: u64 = 0;

/// An evaluator that looks whole turns ahead, with another evaluator at the leaves.
///
/// At a chance node, depth 0 is the value of the inner evaluator. Each further ply is the
/// expectation over the throws of one turn (whole series, if the turn can have several throws). For
/// each throw, the seat plays its best afterstate. The leaves are the chance nodes at which the
/// next turns begin. At a decision, the plies are counted from the end of the turn. An extra throw
/// of the same seat is a separate turn. Finished games have their exact returns at any depth.
///
/// A series of throws can be long or endless. Throws and series with a probability below
/// `min_probability` are rare. Some rare throws, drawn by their probability, represent all; each
/// draw represents a probability of at most `min_probability`. If this is 0, only series with a
/// probability below 1e-9 are rare. The inner evaluator never values a position within a series.
/// Throws that lead to the same position are one branch.
///
/// The inner evaluator gets the leaves of a call in slices of 1,024. The policy is empty;
/// [`OnePly`](crate::play::agent::OnePly) makes an agent from the search.
#[derive(Debug)]
pub struct Expectimax<G: Game, E> {
    evaluator: E,
    depth: usize,
    min_probability: f32,
    stop: Stop,
    /// Leaves that are not evaluated yet.
    leaves: Vec<G::State>,
    /// The values of the leaves that are already evaluated. These leaves have lower numbers than
    /// `leaves`.
    leaf_values: Vec<BySeat<f32>>,
    results: TurnResults<G::State>,
}

impl<G: Game, E> Expectimax<G, E> {
    /// Looks `depth` plies ahead with `evaluator` at the leaves; throws and series with a
    /// probability below 0.02 are rare.
    pub fn new(evaluator: E, depth: usize) -> Expectimax<G, E> {
        Expectimax {
            evaluator,
            depth,
            min_probability: 0.02,
            stop: Stop::default(),
            leaves: Vec::new(),
            leaf_values: Vec::new(),
            results: TurnResults::new(),
        }
    }

    /// Sets the probability below which throws and series are rare, 0 to 1.
    #[must_use]
    pub fn with_min_probability(self, min_probability: f32) -> Expectimax<G, E> {
        Expectimax {
            min_probability,
            ..self
        }
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Expectimax<G, E> {
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation> {
        let mut values = Vec::with_capacity(states.len());
        self.values(game, states, &mut values);
        values.into_iter().map(Evaluation::from).collect()
    }

    fn values(&mut self, game: &G, states: &[G::State], out: &mut Vec<BySeat<f32>>) {
        self.leaf_values.clear();
        let trees: Vec<Tree> = states
            .iter()
            .map(|state| self.build_tree(game, state, self.depth))
            .collect();
        self.evaluate_leaves(game);
        // In a stopped search some leaves have no values.
        let is_stopped = self.stop.is_set();
        out.clear();
        out.extend(trees.iter().map(|tree| {
            if is_stopped {
                BySeat::default()
            } else {
                tree.values(&self.leaf_values)
            }
        }));
    }

    fn stop_by(&mut self, stop: &Stop) {
        self.stop = stop.clone();
        self.evaluator.stop_by(stop);
    }
}

impl<G: Game, E: Evaluator<G>> Expectimax<G, E> {
    /// Builds the tree below `state`, and evaluates the gathered leaves when there are [`BATCH`] of
    /// them.
    fn build_tree(&mut self, game: &G, state: &G::State, depth: usize) -> Tree {
        match game.node(state) {
            Node::Terminal => Tree::Known(game.returns(state)),
            Node::Chance(_) if depth == 0 => {
                let number = self.leaf_values.len() + self.leaves.len();
                self.leaves.push(state.clone());
                if self.leaves.len() >= BATCH {
                    self.evaluate_leaves(game);
                }
                Tree::Leaf(number)
            }
            // A stopped search does not use its tree.
            Node::Chance(_) if self.stop.is_set() => Tree::Known(BySeat::default()),
            Node::Chance(_) => {
                let rng = &mut chance::stream(SEED, 0);
                let throws = throw_series(game, state, self.min_probability, Draws::ByLimit, rng)
                    .into_iter();
                Tree::Mean(
                    throws
                        .map(|(throw, share)| (share, self.build_tree(game, &throw, depth - 1)))
                        .collect(),
                )
            }
            Node::Decision(seat) => {
                results_of_turn(game, state, &mut self.results);
                let results = self.results.states().to_vec();
                Tree::Best(
                    seat,
                    results
                        .iter()
                        .map(|result| self.build_tree(game, result, depth))
                        .collect(),
                )
            }
        }
    }

    fn evaluate_leaves(&mut self, game: &G) {
        let mut values = Vec::new();
        for leaves in self
            .leaves
            .chunks(SLICE)
            .take_while(|_| !self.stop.is_set())
        {
            self.evaluator.values(game, leaves, &mut values);
            self.leaf_values.extend_from_slice(&values);
        }
        self.leaves.clear();
    }
}

/// A search tree: its leaves are gathered first, then evaluated together; then values are backed
/// up.
enum Tree {
    /// The leaf with this number.
    Leaf(usize),
    /// Exact returns.
    Known(BySeat<f32>),
    /// The child with the highest value for this seat; if several are equal, the first.
    Best(Seat, Vec<Tree>),
    /// The expectation over the children and their probabilities.
    Mean(Vec<(f32, Tree)>),
}

impl Tree {
    fn values(&self, leaf_values: &[BySeat<f32>]) -> BySeat<f32> {
        match self {
            Tree::Leaf(number) => leaf_values[*number],
            Tree::Known(returns) => *returns,
            Tree::Best(seat, results) => results
                .iter()
                .map(|result| result.values(leaf_values))
                .reduce(|best, next| {
                    if next[*seat] > best[*seat] {
                        next
                    } else {
                        best
                    }
                })
                .expect("a turn has a result"),
            Tree::Mean(throws) => {
                let mut mean = BySeat::default();
                for (probability, throw) in throws {
                    let values = throw.values(leaf_values);
                    mean.0
                        .iter_mut()
                        .zip(values.0)
                        .for_each(|(mean, value)| *mean += probability * value);
                }
                mean
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        play::agent::{Agent, GameRng, OnePly},
        search::test_support::{ExactEvaluator, Ignorant},
    };
    use ashta_env::{
        game::{Outcome, RaceGame, Seat},
        testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
    };
    use rand::SeedableRng;
    use std::{
        cmp::Reverse,
        sync::atomic::{AtomicUsize, Ordering},
    };

    const TABLES: [(ToyTable, ToyPieces, ToyThrows); 6] = [
        (ToyTable::Two, ToyPieces::Two, ToyThrows::Again),
        (ToyTable::Two, ToyPieces::Two, ToyThrows::Series),
        (ToyTable::Three, ToyPieces::One, ToyThrows::Series),
        (ToyTable::Four, ToyPieces::One, ToyThrows::Again),
        (ToyTable::Teams, ToyPieces::One, ToyThrows::Series),
        (ToyTable::Placings, ToyPieces::One, ToyThrows::Again),
    ];

    /// The largest error over `states`.
    fn error(
        game: &Toy,
        exact: &ExactEvaluator,
        evaluator: &mut impl Evaluator<Toy>,
        states: &[ToyState],
    ) -> f32 {
        let mut values = Vec::new();
        evaluator.values(game, states, &mut values);
        assert_eq!(values.len(), states.len());
        states
            .iter()
            .zip(values)
            .flat_map(|(state, values)| {
                let truth = exact.of(state);
                game.spec()
                    .seats
                    .iter()
                    .map(move |seat| (truth[seat] - values[seat]).abs())
            })
            .fold(0.0, f32::max)
    }

    #[test]
    fn perfect_leaves_give_perfect_values_at_any_depth() {
        for (table, pieces, throws) in TABLES {
            let game = Toy::new(table, pieces, throws);
            let exact = ExactEvaluator::best(&game);
            let all = exact.states();
            let states: Vec<ToyState> = all.iter().step_by(all.len() / 300).cloned().collect();
            for depth in [0, 1, 2] {
                let mut search = Expectimax::new(exact.clone(), depth).with_min_probability(0.0);
                let error = error(&game, &exact, &mut search, &states);
                assert!(error < 1e-5, "{table:?} {throws:?} depth {depth}: {error}");
            }
        }
    }

    #[test]
    fn deeper_search_comes_closer_to_the_truth_and_reaches_it() {
        for ((table, pieces, throws), tolerance) in
            TABLES.into_iter().zip([1e-6, 1e-6, 0.02, 0.02, 1e-6, 1e-6])
        {
            let game = Toy::new(table, pieces, throws);
            let exact = ExactEvaluator::best(&game);
            // The chance nodes closest to the end: from there, most games end within a few turns.
            let mut late: Vec<ToyState> = exact.states();
            late.retain(|state| matches!(game.node(state), Node::Chance(_)));
            let steps = |state: &ToyState| {
                game.spec()
                    .seats
                    .iter()
                    .flat_map(|seat| game.steps(state, seat))
                    .sum::<u8>()
            };
            late.sort_by_key(|state| Reverse(steps(state)));
            late.truncate(20);
            let errors = [0, 2, 4, 6].map(|depth| {
                let mut search =
                    Expectimax::new(Ignorant::default(), depth).with_min_probability(0.0);
                error(&game, &exact, &mut search, &late)
            });
            assert!(
                errors[0] >= 0.5 && errors[3] < tolerance,
                "{table:?} {throws:?}: {errors:?}"
            );
            assert!(
                errors.is_sorted_by(|a, b| b <= a),
                "{table:?} {throws:?}: {errors:?}"
            );
        }
    }

    #[test]
    fn rare_throws_are_drawn_and_no_series_is_valued_in_its_middle() {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let start = game.initial_state(Seat::SOUTH);
        let leaves = |min_probability| {
            let mut search =
                Expectimax::new(Ignorant::default(), 1).with_min_probability(min_probability);
            let values = search.evaluate(&game, std::slice::from_ref(&start))[0]
                .clone()
                .values;
            assert!(
                (values[Seat::SOUTH] - 0.5).abs() < 1e-6,
                "the probabilities sum to 1"
            );
            search.evaluator.states
        };
        // There are four series; with limit 0.3, one draw represents (2, 2, 1) and (2, 2, 2).
        assert!(leaves(0.3) < leaves(0.0));
        let throws = throw_series(
            &game,
            &start,
            0.3,
            Draws::ByLimit,
            &mut chance::stream(SEED, 0),
        );
        assert!(
            throws
                .iter()
                .all(|(throw, _)| matches!(game.node(throw), Node::Decision(_)))
        );
    }

    #[test]
    fn a_stop_ends_the_search() {
        let game = Toy::new(ToyTable::Three, ToyPieces::Two, ToyThrows::Again);
        let states = vec![game.initial_state(Seat::EAST); 5];
        // A search that would take years.
        let mut search = Expectimax::new(Ignorant::default(), 40);
        let asked = AtomicUsize::new(0);
        search.stop_by(&Stop::when(move || {
            asked.fetch_add(1, Ordering::Relaxed) >= 1000
        }));
        let mut values = Vec::new();
        search.values(&game, &states, &mut values);
        assert_eq!((values.len(), search.evaluator.states), (5, 0));
        let mut decision = states[0].clone();
        game.apply_chance(&mut decision, Outcome(1));
        let mut agent = OnePly::new(search);
        let action = agent.choose(&game, &decision, &mut GameRng::seed_from_u64(0));
        assert!(game.legal_actions(&decision).contains(action));
    }
}
