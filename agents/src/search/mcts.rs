//! Monte-Carlo tree search (MCTS) with PUCT and explicit chance nodes, as in AlphaZero with dice.
//!
//! PUCT selects single actions at decisions; throws are sampled with their exact probabilities.
//! Each seat maximises its own value, so extra throws and partners need no special case. Any
//! evaluator can provide priors and values.
//!
//! All roots of a call advance in lock-step: each tree descends to a leaf, all leaves are evaluated
//! in one batch, and the values are backed up. A tree is a flat list of nodes; there is no
//! recursion.

use std::num::NonZeroUsize;
use std::ops::Range;

use ashta_env::chance::outcome;
use ashta_env::game::{Action, BySeat, Game, MAX_SEATS, Node, Outcome, Seat};
use rand::{Rng, SeedableRng};

use crate::play::agent::{Agent, GameRng, choose_unless_forced, forced_action};
use crate::play::evaluator::{Evaluation, Evaluator};
use crate::play::stop::Stop;

/// If no simulation needs an evaluation, the search checks the stop once in this many simulations.
const CHECK_INTERVAL: u32 = 1 << 10;

/// Exploration constant of PUCT: the weight of the priors against the values. Values are between 0
/// and 1.
const C_PUCT: f64 = 0.5;

/// Seed of the sampled throws when the search is used as an evaluator.
const SEED: u64 = 0;

/// A tree search as an evaluator: its values are the means over all simulations, its policy at a
/// decision is the visit distribution.
///
/// The policy of the inner evaluator gives the priors; without a policy they are uniform. The
/// values of the inner evaluator are used only at turn-start states: from a decision, or within a
/// series of throws, a simulation continues to the next turn-start state. Finished games have their
/// exact returns. Every root uses the same seed, so an evaluation depends on the number of
/// simulations and the state alone.
#[derive(Debug)]
pub struct Mcts<E> {
    evaluator: E,
    simulations: u32,
    stop: Stop,
}

impl<E> Mcts<E> {
    /// A search around `evaluator` with this number of simulations for each root; 0 counts as 1.
    pub fn new(evaluator: E, simulations: u32) -> Mcts<E> {
        Mcts {
            evaluator,
            simulations,
            stop: Stop::default(),
        }
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Mcts<E> {
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation> {
        self.search(game, states, |_| SEED)
    }

    fn stop_by(&mut self, stop: &Stop) {
        self.stop = stop.clone();
        self.evaluator.stop_by(stop);
    }
}

impl<E> Mcts<E> {
    /// Searches from every state; tree `i` samples throws from a generator with the seed `seed(i)`.
    fn search<G: Game>(
        &mut self,
        game: &G,
        states: &[G::State],
        mut seed: impl FnMut(usize) -> u64,
    ) -> Vec<Evaluation>
    where
        E: Evaluator<G>,
    {
        let new_tree = |(index, state)| Tree::new(game, state, GameRng::seed_from_u64(seed(index)));
        let mut trees: Vec<_> = states.iter().enumerate().map(new_tree).collect();
        loop {
            // The trees that need an evaluation, and the leaves to evaluate.
            let descend = |tree| Tree::descend(tree, game, self.simulations, &self.stop);
            let (waiting, leaves): (Vec<_>, Vec<_>) = trees.iter_mut().filter_map(descend).unzip();
            if leaves.is_empty() {
                break;
            }
            let evaluations = self.evaluator.evaluate(game, &leaves);
            assert_eq!(
                evaluations.len(),
                leaves.len(),
                "one evaluation for each leaf"
            );
            for (tree, evaluation) in waiting.into_iter().zip(&evaluations) {
                tree.apply(game, evaluation);
            }
            // Even a stopped search expands the roots: a decision must have a policy.
            if self.stop.is_set() {
                break;
            }
        }
        trees.iter().map(Tree::evaluation).collect()
    }
}

/// Plays the action with the most visits in a tree search; if several are equal, the lowest number.
/// Forced actions are played without a search. A search has its own generator, seeded with one draw
/// from the generator of the game.
#[derive(Debug)]
pub struct MctsAgent<E> {
    /// The search.
    pub mcts: Mcts<E>,
}

impl<G: Game, E: Evaluator<G>> Agent<G> for MctsAgent<E> {
    fn act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Action> {
        choose_unless_forced(game, states, |places, asked| {
            let evaluations = self
                .mcts
                .search(game, asked, |question| rngs[places[question]].next_u64());
            let best = |evaluation: &Evaluation| {
                evaluation
                    .best_action()
                    .expect("a searched decision has a policy")
            };
            evaluations.iter().map(best).collect()
        })
    }

    fn stop_by(&mut self, stop: &Stop) {
        Evaluator::<G>::stop_by(&mut self.mcts, stop);
    }
}

/// One search tree. Node 0 is the root.
#[derive(Debug)]
struct Tree<S> {
    nodes: Vec<TreeNode<S>>,
    edges: Vec<Edge>,
    /// The nodes of the current simulation, beginning with the root; empty between simulations.
    path: Vec<usize>,
    rng: GameRng,
}

#[derive(Debug)]
struct TreeNode<S> {
    state: S,
    node: Node,
    /// The edges of its actions or outcomes; empty until the node is expanded.
    edges: Range<usize>,
    visits: u32,
    /// Sum of the values of all simulations through this node.
    sum: BySeat<f64>,
}

#[derive(Debug)]
struct Edge {
    /// Number of the action or outcome.
    label: u8,
    /// The prior of an action; 0 for an outcome, which is sampled by its probability in the game.
    prior: f32,
    child: Option<NonZeroUsize>,
}

impl<S: Clone> Tree<S> {
    fn new<G: Game<State = S>>(game: &G, root: &S, rng: GameRng) -> Tree<S> {
        let mut tree = Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            rng,
        };
        tree.add_node(game, root.clone());
        tree
    }

    /// Runs simulations until one needs an evaluation; returns the tree and the position to
    /// evaluate. `None` when all simulations are done or the search is stopped.
    fn descend<G: Game<State = S>>(
        &mut self,
        game: &G,
        simulations: u32,
        stop: &Stop,
    ) -> Option<(&mut Tree<S>, S)> {
        while !self.path.is_empty() || self.nodes[0].visits < simulations.max(1) {
            if self.path.is_empty() {
                self.path.push(0);
            }
            let current = self.path[self.path.len() - 1];
            let edge = match self.nodes[current].node {
                Node::Terminal => {
                    self.back_up(game.returns(&self.nodes[current].state));
                    // Near the end of a game no simulation needs an evaluation, so the stop is
                    // checked here.
                    if self.nodes[0].visits.is_multiple_of(CHECK_INTERVAL) && stop.is_set() {
                        return None;
                    }
                    continue;
                }
                Node::Chance(_) => self.sample(game, current),
                Node::Decision(seat) => {
                    if self.nodes[current].edges.is_empty() {
                        let state = self.nodes[current].state.clone();
                        let Some(action) = forced_action(game, &state) else {
                            return Some((self, state));
                        };
                        self.expand(current, [(action.0, 1.0)]);
                    }
                    self.select(current, seat)
                }
            };
            let (child, is_new) = self.follow(game, current, edge);
            self.path.push(child);
            // Within a series, parent and child are chance nodes of the same seat. Any other chance
            // node begins a turn.
            let node = self.nodes[child].node;
            if is_new && matches!(node, Node::Chance(_)) && node != self.nodes[current].node {
                let state = self.nodes[child].state.clone();
                return Some((self, state));
            }
        }
        None
    }

    /// Uses the evaluation of the leaf that [`Tree::descend`] returned: expands a decision with the
    /// priors, backs up the values of a chance node.
    fn apply<G: Game<State = S>>(&mut self, game: &G, evaluation: &Evaluation) {
        let current = *self
            .path
            .last()
            .expect("a tree that waits for an evaluation is in a simulation");
        let Node::Decision(_) = self.nodes[current].node else {
            self.back_up(evaluation.values);
            return;
        };
        let legal = game.legal_actions(&self.nodes[current].state);
        let uniform = 1.0 / legal.len() as f32;
        let prior = |action: Action| {
            let found = evaluation.policy.iter().find(|(other, _)| *other == action);
            if evaluation.policy.is_empty() {
                uniform
            } else {
                found.map_or(0.0, |&(_, probability)| probability)
            }
        };
        self.expand(
            current,
            legal.iter().map(|action| (action.0, prior(action))),
        );
    }

    fn expand(&mut self, node: usize, edges: impl IntoIterator<Item = (u8, f32)>) {
        let start = self.edges.len();
        self.edges
            .extend(edges.into_iter().map(|(label, prior)| Edge {
                label,
                prior,
                child: None,
            }));
        self.nodes[node].edges = start..self.edges.len();
    }

    /// Samples an edge of a chance node by its probability.
    fn sample<G: Game<State = S>>(&mut self, game: &G, node: usize) -> usize {
        let probabilities = game.chance_outcomes(&self.nodes[node].state);
        let outcome = outcome(probabilities, self.rng.next_u64());
        if self.nodes[node].edges.is_empty() {
            self.expand(
                node,
                (0..probabilities.len()).map(|label| (label as u8, 0.0)),
            );
        }
        self.nodes[node].edges.start + usize::from(outcome.0)
    }

    /// The edge of a decision with the highest PUCT score for `seat`; if several are equal, the
    /// first. An unvisited action has the mean value of its parent so far (first-play urgency).
    fn select(&self, node: usize, seat: Seat) -> usize {
        let parent = &self.nodes[node];
        let so_far = if parent.visits > 0 {
            parent.sum[seat] / f64::from(parent.visits)
        } else {
            0.0
        };
        let exploration = C_PUCT * f64::from(parent.visits.max(1)).sqrt();
        let mut best = (parent.edges.start, f64::NEG_INFINITY);
        for place in parent.edges.clone() {
            let edge = &self.edges[place];
            let (visits, value) = match edge.child.map(|child| &self.nodes[child.get()]) {
                Some(child) if child.visits > 0 => {
                    (child.visits, child.sum[seat] / f64::from(child.visits))
                }
                _ => (0, so_far),
            };
            let bound = value + exploration * f64::from(edge.prior) / f64::from(1 + visits);
            if bound > best.1 {
                best = (place, bound);
            }
        }
        best.0
    }

    /// The child at the end of an edge, and whether it was created now.
    fn follow<G: Game<State = S>>(&mut self, game: &G, node: usize, edge: usize) -> (usize, bool) {
        if let Some(child) = self.edges[edge].child {
            return (child.get(), false);
        }
        let mut state = self.nodes[node].state.clone();
        let label = self.edges[edge].label;
        match self.nodes[node].node {
            Node::Chance(_) => game.apply_chance(&mut state, Outcome(label)),
            Node::Decision(_) => game.apply_action(&mut state, Action(label)),
            Node::Terminal => unreachable!("the end of a game has no edges"),
        }
        let child = self.add_node(game, state);
        self.edges[edge].child = NonZeroUsize::new(child);
        (child, true)
    }

    fn add_node<G: Game<State = S>>(&mut self, game: &G, state: S) -> usize {
        let node = game.node(&state);
        self.nodes.push(TreeNode {
            state,
            node,
            edges: 0..0,
            visits: 0,
            sum: BySeat([0.0; MAX_SEATS]),
        });
        self.nodes.len() - 1
    }

    /// Ends the simulation: adds `values` to all nodes of the path.
    fn back_up(&mut self, values: BySeat<f32>) {
        for node in self.path.drain(..) {
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.sum
                .0
                .iter_mut()
                .zip(values.0)
                .for_each(|(sum, value)| *sum += f64::from(value));
        }
    }

    fn evaluation(&self) -> Evaluation {
        let root = &self.nodes[0];
        let visits = f64::from(root.visits.max(1));
        let values = BySeat(root.sum.0.map(|sum| (sum / visits) as f32));
        let share = |edge: &Edge| {
            let tried = edge.child.map_or(0, |child| self.nodes[child.get()].visits);
            (Action(edge.label), (f64::from(tried) / visits) as f32)
        };
        let is_decision = matches!(root.node, Node::Decision(_));
        let policy = if is_decision {
            self.edges[root.edges.clone()].iter().map(share).collect()
        } else {
            Vec::new()
        };
        Evaluation { values, policy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::agent::forced_action;
    use crate::play::baseline::PipEvaluator;
    use crate::search::test_support::{ExactEvaluator, Ignorant, play_from_start};
    use ashta_env::testing::exact::Play;
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows};

    /// Turn-start states and unforced decisions spread over the whole game.
    fn sample_states(game: &Toy, exact: &ExactEvaluator) -> Vec<ToyState> {
        let states = exact.states();
        let is_free = |state: &&ToyState| match game.node(state) {
            Node::Decision(_) => forced_action(game, state).is_none(),
            node => matches!(node, Node::Chance(_)),
        };
        let step = states.len() / 25;
        states
            .iter()
            .filter(is_free)
            .step_by(step)
            .cloned()
            .collect()
    }

    #[test]
    fn values_and_choices_converge_to_the_exact_ones() {
        for (table, pieces, throws) in [
            (ToyTable::Two, ToyPieces::Two, ToyThrows::Again),
            (ToyTable::Two, ToyPieces::Two, ToyThrows::Series),
            (ToyTable::Three, ToyPieces::One, ToyThrows::Series),
            (ToyTable::Teams, ToyPieces::One, ToyThrows::Again),
            (ToyTable::Placings, ToyPieces::One, ToyThrows::Again),
        ] {
            let game = Toy::new(table, pieces, throws);
            let exact = ExactEvaluator::new(&game, BySeat([Play::Best; 4]));
            let states = sample_states(&game, &exact);
            let (few, _) = errors_and_regret(&game, &exact, &states, 100);
            let (many, regret) = errors_and_regret(&game, &exact, &states, 5000);
            assert!(
                many < 0.03 && many < 0.7 * few,
                "{table:?} {throws:?}: {few}, then {many}"
            );
            assert!(
                regret < 0.01,
                "{table:?} {throws:?}: a choice loses {regret}"
            );
        }
    }

    /// The mean error of the values and the largest loss of a choice.
    fn errors_and_regret(
        game: &Toy,
        exact: &ExactEvaluator,
        states: &[ToyState],
        simulations: u32,
    ) -> (f32, f32) {
        let mut mcts = Mcts::new(PipEvaluator, simulations);
        let seats = game.spec().seats;
        let (mut errors, mut worst_regret) = (0.0, 0.0_f32);
        for (state, evaluation) in states.iter().zip(mcts.search(game, states, |_| 1)) {
            let truth = exact.of(state);
            errors += seats
                .iter()
                .map(|seat| (truth[seat] - evaluation.values[seat]).abs())
                .sum::<f32>();
            let Node::Decision(seat) = game.node(state) else {
                assert!(evaluation.policy.is_empty());
                continue;
            };
            let actions: Vec<Action> = evaluation
                .policy
                .iter()
                .map(|&(action, _)| action)
                .collect();
            assert_eq!(
                actions,
                game.legal_actions(state).iter().collect::<Vec<_>>()
            );
            assert!(
                (evaluation
                    .policy
                    .iter()
                    .map(|(_, share)| share)
                    .sum::<f32>()
                    - 1.0)
                    .abs()
                    < 1e-5
            );
            let mut next = state.clone();
            game.apply_action(
                &mut next,
                evaluation.best_action().expect("a decision has a policy"),
            );
            worst_regret = worst_regret.max(truth[seat] - exact.of(&next)[seat]);
        }
        (errors / (states.len() * seats.len()) as f32, worst_regret)
    }

    #[test]
    fn the_rest_of_the_batch_and_repetition_change_nothing() {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let exact = ExactEvaluator::new(&game, BySeat([Play::Best; 4]));
        let states = sample_states(&game, &exact);
        let mut mcts = Mcts::new(Ignorant::default(), 64);
        let together = mcts.evaluate(&game, &states);
        for (state, evaluation) in states.iter().zip(&together) {
            assert_eq!(
                &mcts.evaluate(&game, std::slice::from_ref(state))[0],
                evaluation
            );
        }
        let mut agent = MctsAgent { mcts };
        assert_eq!(
            play_from_start(&game, &mut agent, 3),
            play_from_start(&game, &mut agent, 3)
        );
    }

    #[test]
    fn a_stop_ends_the_search() {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
        let ended = game.position(Seat::SOUTH, BySeat([[0; 2], [0; 2], [5, 5], [0; 2]]));
        let mut decision = game.position(Seat::SOUTH, BySeat([[0, 1], [0; 2], [0; 2], [0; 2]]));
        game.apply_chance(&mut decision, Outcome(1));
        let mut agent = MctsAgent {
            mcts: Mcts::new(Ignorant::default(), u32::MAX),
        };
        Agent::<Toy>::stop_by(&mut agent, &Stop::when(|| true));
        let action = agent.choose(&game, &decision, &mut GameRng::seed_from_u64(0));
        assert!(game.legal_actions(&decision).contains(action));
        assert_eq!(agent.mcts.evaluate(&game, &[ended, decision]).len(), 2);
        assert!(
            agent.mcts.evaluator.states <= 4,
            "{}",
            agent.mcts.evaluator.states
        );
    }

    #[test]
    fn priors_come_from_the_policy() {
        /// Puts all weight on the last legal action.
        struct Stubborn;
        impl Evaluator<Toy> for Stubborn {
            fn evaluate(&mut self, game: &Toy, states: &[ToyState]) -> Vec<Evaluation> {
                let answer = |state| {
                    let last = game.legal_actions(state).iter().last();
                    Evaluation {
                        values: game.returns(state),
                        policy: last.map(|action| (action, 1.0)).into_iter().collect(),
                    }
                };
                states.iter().map(answer).collect()
            }
        }
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
        let mut state = game.position(Seat::SOUTH, BySeat([[0, 1], [0; 2], [0; 2], [0; 2]]));
        game.apply_chance(&mut state, Outcome(1));
        let evaluation = &Mcts::new(Stubborn, 10).evaluate(&game, &[state])[0];
        assert_eq!(evaluation.best_action(), Some(Action(3)));
    }
}
