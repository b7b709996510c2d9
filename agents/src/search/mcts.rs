//! Tree search with exact expectations over throws, and sequential halving at the root.
//!
//! The tree consists of turn-start states. A step of the search expands one state: it evaluates all
//! afterstates of all likely throws. The value of the state is then an expectation over throws. The
//! values of the afterstates are first estimates. A sampled throw would replace these estimates by
//! values with much more noise, and make the choice worse.
//!
//! The choice among the afterstates of the root follows Gumbel AlphaZero (Danihelka et al. 2022)
//! without its random numbers. All candidates get the same number of steps, the better half gets
//! the steps of the next round, and so on. Each seat maximises its own value, so extra throws and
//! partners need no special case.

use std::ops::Range;

use ashta_env::{
    chance,
    game::{Action, BySeat, Game, Node, Seat},
    turn::TurnResults,
};

use super::{
    expectation::{append_afterstates, best_of},
    throw_series::{Draws, throw_series},
};
use crate::play::{
    evaluator::{Evaluation, Evaluator},
    stop::Stop,
};

/// The largest number of afterstates of a root that are searched.
const CANDIDATES: usize = 16;
/// Throws and series of throws with a probability below this are rare.
const MIN_PROBABILITY: f32 = 0.02;
/// The seed of the draws among rare throws. All positions share their draws (common random
/// numbers), so a search is deterministic.
const SEED: u64 = 0;

/// A tree search as an evaluator. At a decision, its policy gives probability 1 to the first action
/// towards the best afterstate that it found, and its values are the values of this afterstate.
///
/// A simulation evaluates all afterstates of one throw with the inner evaluator. Simulations are
/// made in steps, one step for all throws of a turn-start state. If the simulations are not enough
/// for one step of each of two candidates, the search chooses by the values of the afterstates, as
/// one-ply play does. A chance node as the root gets at least one step. Finished games have
/// their exact returns. The policy of the inner evaluator is not used.
#[derive(Debug)]
pub struct Mcts<E> {
    evaluator: E,
    simulations: u32,
    stop: Stop,
}

impl<E> Mcts<E> {
    /// A search around `evaluator` with this number of simulations for each root.
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
        states
            .iter()
            .map(|state| Tree::new(game, self).search(state))
            .collect()
    }

    fn stop_by(&mut self, stop: &Stop) {
        self.stop = stop.clone();
        self.evaluator.stop_by(stop);
    }
}

/// One search tree. The positions are turn-start states and ends of games, by number.
struct Tree<'a, G: Game, E> {
    game: &'a G,
    mcts: &'a mut Mcts<E>,
    states: Vec<G::State>,
    /// The best estimates so far.
    values: Vec<BySeat<f32>>,
    branches: Vec<Branches>,
    scratch: TurnResults<G::State>,
}

/// The throws of the turn that begins at a position.
#[derive(Clone, Default)]
struct Branches {
    /// The number of steps below this position.
    steps: usize,
    /// The likely throws; empty until the position is expanded, and at the end of a game.
    throws: Vec<Throw>,
}

#[derive(Clone)]
struct Throw {
    probability: f32,
    /// The number of steps below this throw.
    steps: usize,
    /// The numbers of the afterstates.
    results: Range<usize>,
}

impl<'a, G: Game, E: Evaluator<G>> Tree<'a, G, E> {
    fn new(game: &'a G, mcts: &'a mut Mcts<E>) -> Tree<'a, G, E> {
        Tree {
            game,
            mcts,
            states: Vec::new(),
            values: Vec::new(),
            branches: Vec::new(),
            scratch: TurnResults::new(),
        }
    }

    fn search(&mut self, root: &G::State) -> Evaluation {
        match self.game.node(root) {
            Node::Terminal => self.game.returns(root).into(),
            Node::Chance(_) => {
                self.states.push(root.clone());
                self.values.push(BySeat::default());
                self.branches.push(Branches::default());
                let steps = self.affordable_steps(0);
                self.deepen(0, steps);
                self.values[0].into()
            }
            Node::Decision(seat) => {
                let results = self.append(root);
                let first: Vec<Action> = results
                    .clone()
                    .map(|result| self.scratch.actions(result)[0])
                    .collect();
                self.evaluate_new();
                let best = self.choose(seat, results);
                let share = |action| (action, if action == first[best] { 1.0 } else { 0.0 });
                Evaluation {
                    values: self.values[best],
                    policy: self.game.legal_actions(root).iter().map(share).collect(),
                }
            }
        }
    }

    /// Sequential halving: returns the number of the best of `results` for `seat`.
    fn choose(&mut self, seat: Seat, results: Range<usize>) -> usize {
        let mut candidates: Vec<usize> = results.collect();
        self.sort(&mut candidates, seat);
        // A candidate that ends the game has its exact value and needs no step.
        let steps = |&candidate: &usize| self.affordable_steps(candidate);
        let mut left = candidates
            .iter()
            .map(steps)
            .find(|&steps| steps > 0)
            .unwrap_or(0);
        // The number of halvings from `count` candidates to one.
        let rounds = |count: usize| count.next_power_of_two().ilog2().max(1) as usize;
        let mut count = candidates.len().min(CANDIDATES);
        while count > 1 && count * rounds(count) > left {
            count -= 1;
        }
        // A deeper value of a single candidate says nothing about the others.
        if count == 1 && candidates.len() > 1 {
            return candidates[0];
        }
        candidates.truncate(count);
        let mut target = 0;
        for round in (1..=rounds(count)).rev() {
            let each = left / round / candidates.len();
            left -= each * candidates.len();
            target += each;
            for &candidate in &candidates {
                self.deepen(candidate, target);
            }
            self.sort(&mut candidates, seat);
            candidates.truncate(candidates.len().div_ceil(2));
        }
        candidates[0]
    }

    /// Sorts positions by their values for `seat`, the best first.
    fn sort(&self, positions: &mut [usize], seat: Seat) {
        positions.sort_by(|&a, &b| self.values[b][seat].total_cmp(&self.values[a][seat]));
    }

    /// Makes the first step below `root` and returns the number of such steps that the simulations
    /// are enough for; 0 if the game is over.
    fn affordable_steps(&mut self, root: usize) -> usize {
        self.deepen(root, 1);
        let throws = self.branches[root].throws.len();
        let simulations = self.mcts.simulations as usize;
        simulations.checked_div(throws).unwrap_or(0)
    }

    /// Makes steps below `root` until it has had `steps` or the search is stopped.
    fn deepen(&mut self, root: usize, steps: usize) {
        let mut path = Vec::new();
        while self.branches[root].steps < steps && !self.mcts.stop.is_set() {
            let mut position = root;
            loop {
                path.push(position);
                self.branches[position].steps += 1;
                let Some(throw) = self.branches[position].next_throw() else {
                    self.expand(position);
                    break;
                };
                throw.steps += 1;
                let results = throw.results.clone();
                position = self.best(position, &results);
            }
            while let Some(position) = path.pop() {
                self.back_up(position);
            }
        }
    }

    /// The afterstate that the seat of the turn at `position` prefers.
    fn best(&self, position: usize, results: &Range<usize>) -> usize {
        let Node::Chance(seat) = self.game.node(&self.states[position]) else {
            unreachable!("only a turn-start state has throws")
        };
        best_of(results, seat, &self.values)
    }

    /// Evaluates the afterstates of all likely throws; does nothing at the end of a game.
    fn expand(&mut self, position: usize) {
        let state = self.states[position].clone();
        if self.game.node(&state) == Node::Terminal {
            return;
        }
        let rng = &mut chance::stream(SEED, 0);
        let throws = throw_series(self.game, &state, MIN_PROBABILITY, Draws::ByLimit, rng);
        for (thrown, probability) in throws {
            let results = self.append(&thrown);
            self.branches[position].throws.push(Throw {
                probability,
                steps: 0,
                results,
            });
        }
        self.evaluate_new();
    }

    /// Appends the afterstates of the decision `state` and returns their numbers.
    fn append(&mut self, state: &G::State) -> Range<usize> {
        append_afterstates(self.game, state, &mut self.scratch, &mut self.states)
    }

    /// Evaluates the positions that were appended.
    fn evaluate_new(&mut self) {
        let mut values = Vec::new();
        let new = &self.states[self.values.len()..];
        self.mcts.evaluator.values(self.game, new, &mut values);
        assert_eq!(values.len(), new.len(), "one evaluation for each state");
        self.values.append(&mut values);
        self.branches.resize(self.states.len(), Branches::default());
    }

    /// Sets the values of an expanded position to the expectation over its throws.
    fn back_up(&mut self, position: usize) {
        let throws = &self.branches[position].throws;
        if throws.is_empty() {
            return;
        }
        let mut mean = BySeat::default();
        for throw in throws {
            let values = self.values[self.best(position, &throw.results)];
            for seat in self.game.spec().seats.iter() {
                mean[seat] += throw.probability * values[seat];
            }
        }
        self.values[position] = mean;
    }
}

impl Branches {
    /// The throw whose share of the steps is furthest below its probability.
    fn next_throw(&mut self) -> Option<&mut Throw> {
        let steps = self.steps as f32;
        let lack = |throw: &Throw| throw.probability * steps - throw.steps as f32;
        self.throws
            .iter_mut()
            .max_by(|a, b| lack(a).total_cmp(&lack(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        play::{
            agent::{Agent, GameRng, OnePly, PolicyAgent, forced_action},
            baseline::PipEvaluator,
        },
        search::test_support::{ExactEvaluator, Ignorant, play_from_start},
    };
    use ashta_env::{
        game::Outcome,
        testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
    };
    use rand::SeedableRng;

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
            let exact = ExactEvaluator::best(&game);
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
        for (state, evaluation) in states.iter().zip(mcts.evaluate(game, states)) {
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
        let exact = ExactEvaluator::best(&game);
        let states = sample_states(&game, &exact);
        let mut mcts = Mcts::new(Ignorant::default(), 64);
        let together = mcts.evaluate(&game, &states);
        for (state, evaluation) in states.iter().zip(&together) {
            assert_eq!(
                &mcts.evaluate(&game, std::slice::from_ref(state))[0],
                evaluation
            );
        }
        let mut agent = PolicyAgent { evaluator: mcts };
        assert_eq!(
            play_from_start(&game, &mut agent, 3),
            play_from_start(&game, &mut agent, 3)
        );
    }

    #[test]
    fn a_stop_ends_the_search() {
        let game = Toy::two();
        let [start, ended, decision] = positions(&game);
        let mut agent = PolicyAgent {
            evaluator: Mcts::new(Ignorant::default(), u32::MAX),
        };
        Agent::<Toy>::stop_by(&mut agent, &Stop::when(|| true));
        let action = agent.choose(&game, &decision, &mut GameRng::seed_from_u64(0));
        assert!(game.legal_actions(&decision).contains(action));
        let evaluations = agent.evaluator.evaluate(&game, &[start, ended, decision]);
        assert_eq!(evaluations.len(), 3);
        let evaluated = agent.evaluator.evaluator.states;
        // Only the four afterstates of the decision, once for each search.
        assert!(evaluated <= 2 * 4, "{evaluated}");
    }

    #[test]
    fn too_few_simulations_choose_as_one_ply() {
        let game = Toy::two();
        let exact = ExactEvaluator::best(&game);
        let mut one_ply = OnePly::new(PipEvaluator);
        let mut search = PolicyAgent {
            evaluator: Mcts::new(PipEvaluator, 1),
        };
        let is_decision = |state: &ToyState| matches!(game.node(state), Node::Decision(_));
        for state in sample_states(&game, &exact).into_iter().filter(is_decision) {
            let choose = |agent: &mut dyn Agent<Toy>| {
                agent.choose(&game, &state, &mut GameRng::seed_from_u64(0))
            };
            assert_eq!(choose(&mut search), choose(&mut one_ply), "{state:?}");
        }
    }

    #[test]
    fn simulations_bound_the_evaluations() {
        let game = Toy::two();
        let [start, ended, decision] = positions(&game);
        let evaluated = |state: &ToyState, simulations| {
            let mut mcts = Mcts::new(Ignorant::default(), simulations);
            mcts.evaluate(&game, std::slice::from_ref(state));
            mcts.evaluator.states
        };
        assert_eq!(evaluated(&ended, 100), 0);
        for state in [start, decision] {
            let (few, many) = (evaluated(&state, 100), evaluated(&state, 1000));
            assert!(many > 5 * few, "{few}, then {many}");
            // A throw has at most four afterstates.
            assert!(many <= 4 * 1001, "{many}");
        }
    }

    /// The start of the game, an end and a decision.
    fn positions(game: &Toy) -> [ToyState; 3] {
        let ended = game.position(Seat::SOUTH, BySeat([[0; 2], [0; 2], [5, 5], [0; 2]]));
        let mut decision = game.position(Seat::SOUTH, BySeat([[0, 1], [0; 2], [0; 2], [0; 2]]));
        game.apply_chance(&mut decision, Outcome(1));
        [game.initial_state(Seat::SOUTH), ended, decision]
    }
}
