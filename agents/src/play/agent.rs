//! Agents choose actions. Most agents have an evaluator and a rule of choice.
//!
//! Agents act on batches: one state from each of many games. Each game has its own random
//! generator, so the choices of an agent do not depend on the batch or on the number of threads. An
//! agent sees only positions and does not remember earlier ones.

use std::collections::BTreeMap;

use ashta_env::{
    chance::below,
    game::{Action, Game, Node, Seat},
    turn::{MOST_POSITIONS, TurnResults, turn_results_within},
};

use crate::play::{
    evaluator::{Evaluator, first_best},
    stop::Stop,
};

pub use ashta_env::chance::GameRng;

/// Chooses actions.
pub trait Agent<G: Game> {
    /// Returns one legal action for each state, in order. Every state must be a decision. `rngs[i]`
    /// is the generator of the game of `states[i]`; the caller owns it.
    ///
    /// # Panics
    /// Can panic when a state is not a decision or when the numbers of states and generators
    /// differ.
    fn act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Action>;

    /// Returns the legal actions of each state with their probabilities, in ascending order.
    /// Actions with probability 0 can be absent. An agent that does not override this method gives
    /// probability 1 to the action of [`Agent::act`].
    ///
    /// # Panics
    /// As [`Agent::act`].
    fn policy(
        &mut self,
        game: &G,
        states: &[G::State],
        rngs: &mut [GameRng],
    ) -> Vec<Vec<(Action, f32)>> {
        self.act(game, states, rngs)
            .into_iter()
            .map(|action| vec![(action, 1.0)])
            .collect()
    }

    /// Returns a legal action for one state, which must be a decision. Can use random numbers of
    /// `rng`.
    ///
    /// # Panics
    /// As [`Agent::act`].
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut GameRng) -> Action {
        self.act(game, std::slice::from_ref(state), std::slice::from_mut(rng))[0]
    }

    /// Sets the stop of this agent: once `stop` is set, calls return soon, with arbitrary legal
    /// actions.
    fn stop_by(&mut self, _stop: &Stop) {}
}

impl<G: Game, A: Agent<G> + ?Sized> Agent<G> for Box<A> {
    fn act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Action> {
        (**self).act(game, states, rngs)
    }

    fn policy(
        &mut self,
        game: &G,
        states: &[G::State],
        rngs: &mut [GameRng],
    ) -> Vec<Vec<(Action, f32)>> {
        (**self).policy(game, states, rngs)
    }

    fn stop_by(&mut self, stop: &Stop) {
        (**self).stop_by(stop);
    }
}

/// The seat that decides in `state`.
///
/// # Panics
/// When `state` is not a decision.
pub(crate) fn deciding_seat<G: Game>(game: &G, state: &G::State) -> Seat {
    match game.node(state) {
        Node::Decision(seat) => seat,
        node => panic!("an agent can only choose at a decision, not at {node:?}"),
    }
}

/// The only legal action in `state`; `None` if there are several.
///
/// # Panics
/// When `state` is not a decision.
pub(crate) fn forced_action<G: Game>(game: &G, state: &G::State) -> Option<Action> {
    let legal = game.legal_actions(state);
    let first = legal.nth(0).expect("a decision has a legal action");
    (legal.len() == 1).then_some(first)
}

/// One-ply play: plays towards the afterstate with the highest value for the deciding seat. An
/// afterstate is the position at the end of a turn. The state can be any decision of a turn. A turn
/// with a single afterstate is not evaluated; all other afterstates of a call form one batch.
#[derive(Clone, Debug)]
pub struct OnePly<E> {
    evaluator: E,
    pick: Pick,
}

/// The rule of choice among afterstates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pick {
    /// The best afterstate; if several are equally good, the first found. Deterministic.
    First,
    /// One of the best afterstates, each with equal probability.
    Drawn,
    /// Any afterstate. Its probability is the softmax of the values at this temperature. The agent
    /// draws again at each decision of the turn, among the afterstates that it can still reach. So
    /// an afterstate that several first actions reach is slightly more likely.
    Softmax(f32),
}

/// When an agent draws among equal values, values that differ by at most this number count as
/// equal. Rounding errors in single precision are smaller.
const TIE: f32 = 1e-6;

impl<E> OnePly<E> {
    /// An agent that plays the best afterstate by `evaluator`; if several are equally good, the
    /// first found.
    pub fn new(evaluator: E) -> OnePly<E> {
        OnePly::picking(evaluator, Pick::First)
    }

    /// An agent that plays by `evaluator` and the rule `pick`.
    pub fn picking(evaluator: E, pick: Pick) -> OnePly<E> {
        OnePly { evaluator, pick }
    }

    /// For each state, the first actions towards its afterstates, with the values of the
    /// afterstates for the deciding seat. If there is a single sensible action, its value has no
    /// meaning.
    fn choices<G: Game>(&mut self, game: &G, states: &[G::State]) -> Vec<Vec<(Action, f32)>>
    where
        E: Evaluator<G>,
    {
        let (mut results, mut leaves, mut values) = (TurnResults::new(), Vec::new(), Vec::new());
        let gather = |state: &G::State| {
            if let Some(action) = forced_action(game, state) {
                return vec![(action, 0.0)];
            }
            results_of_turn(game, state, &mut results);
            if results.len() > 1 {
                leaves.extend_from_slice(results.states());
            }
            (0..results.len())
                .map(|index| (results.actions(index)[0], 0.0))
                .collect()
        };
        let mut choices: Vec<Vec<(Action, f32)>> = states.iter().map(gather).collect();
        if !leaves.is_empty() {
            self.evaluator.values(game, &leaves, &mut values);
        }
        assert_eq!(
            values.len(),
            leaves.len(),
            "an evaluator returns one value for each state"
        );
        let mut values = values.into_iter();
        for (choice, state) in choices
            .iter_mut()
            .zip(states)
            .filter(|(choice, _)| choice.len() > 1)
        {
            let seat = deciding_seat(game, state);
            choice
                .iter_mut()
                .zip(&mut values)
                .for_each(|((_, value), by_seat)| *value = by_seat[seat]);
        }
        choices
    }
}

impl<G: Game, E: Evaluator<G>> Agent<G> for OnePly<E> {
    fn act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Action> {
        let pick = self.pick;
        let choose = |(choice, rng): (Vec<(Action, f32)>, &mut GameRng)| {
            let values = choice.iter().map(|&(_, value)| value);
            let picked = match pick {
                _ if choice.len() == 1 => 0,
                Pick::First => first_best(values).expect("a turn has a result"),
                Pick::Drawn => draw_best(values, rng),
                Pick::Softmax(temperature) => draw_weighted(softmax(values, temperature), rng),
            };
            choice[picked].0
        };
        self.choices(game, states)
            .into_iter()
            .zip(rngs)
            .map(choose)
            .collect()
    }

    fn policy(
        &mut self,
        game: &G,
        states: &[G::State],
        rngs: &mut [GameRng],
    ) -> Vec<Vec<(Action, f32)>> {
        let pick = self.pick;
        if pick == Pick::First {
            return self
                .act(game, states, rngs)
                .into_iter()
                .map(|action| vec![(action, 1.0)])
                .collect();
        }
        let policy = |choice: Vec<(Action, f32)>| {
            let values = choice.iter().map(|&(_, value)| value);
            let weights: Vec<f32> = match pick {
                Pick::Softmax(temperature) => softmax(values, temperature).collect(),
                Pick::First | Pick::Drawn => {
                    let best = values.clone().fold(f32::MIN, f32::max);
                    values
                        .map(|value| if value >= best - TIE { 1.0 } else { 0.0 })
                        .collect()
                }
            };
            shares(choice.iter().map(|&(action, _)| action).zip(weights))
        };
        self.choices(game, states).into_iter().map(policy).collect()
    }

    fn stop_by(&mut self, stop: &Stop) {
        self.evaluator.stop_by(stop);
    }
}

/// The probabilities of actions with these weights; an action can have several weights, which are
/// added.
fn shares(weights: impl Iterator<Item = (Action, f32)>) -> Vec<(Action, f32)> {
    let (mut sums, mut total) = (BTreeMap::new(), 0.0);
    for (action, weight) in weights {
        *sums.entry(action).or_insert(0.0) += weight;
        total += weight;
    }
    sums.into_iter()
        .map(|(action, weight)| (action, weight / total))
        .collect()
}

/// Softmax weights of `values` at `temperature`, not normalised: the best value has weight 1.
pub(crate) fn softmax(
    values: impl Iterator<Item = f32> + Clone,
    temperature: f32,
) -> impl Iterator<Item = f32> + Clone {
    let best = values.clone().fold(f32::MIN, f32::max);
    values.map(move |value| ((value - best) / temperature).exp())
}

/// The softmax policy over `values`, the values of actions, at `temperature`.
pub(crate) fn softmax_policy(
    values: impl Iterator<Item = (Action, f32)> + Clone,
    temperature: f32,
) -> Vec<(Action, f32)> {
    let weights = softmax(values.clone().map(|(_, value)| value), temperature);
    let total: f32 = weights.clone().sum();
    values
        .zip(weights)
        .map(|((action, _), weight)| (action, weight / total))
        .collect()
}

/// A random number in [0, 1).
pub(crate) fn random_unit(rng: &mut GameRng) -> f32 {
    const STEPS: usize = 1 << 24;
    below(STEPS, rng) as f32 / STEPS as f32
}

/// Draws an index with a probability proportional to its weight.
pub fn draw_weighted(weights: impl Iterator<Item = f32> + Clone, rng: &mut GameRng) -> usize {
    let mut left = weights.clone().sum::<f32>() * random_unit(rng);
    weights
        .clone()
        .take_while(|&weight| {
            left -= weight;
            left >= 0.0
        })
        .count()
        .min(weights.count().saturating_sub(1))
}

/// Draws one of the indices whose values are at most [`TIE`] below the largest, each with equal
/// probability.
fn draw_best(values: impl Iterator<Item = f32> + Clone, rng: &mut GameRng) -> usize {
    let best = values.clone().fold(f32::MIN, f32::max);
    let mut equal = values
        .enumerate()
        .filter(|&(_, value)| value >= best - TIE)
        .map(|(index, _)| index);
    let count = equal.clone().count();
    equal.nth(below(count, rng)).expect("a turn has a result")
}

/// Plays the action with the highest probability in the policy of the evaluator; if several have
/// it, the lowest number. If the evaluator has no policy, the agent plays the lowest legal action.
#[derive(Clone, Debug)]
pub struct PolicyAgent<E> {
    /// The evaluator that provides the policy.
    pub evaluator: E,
}

impl<G: Game, E: Evaluator<G>> Agent<G> for PolicyAgent<E> {
    fn act(&mut self, game: &G, states: &[G::State], _rngs: &mut [GameRng]) -> Vec<Action> {
        choose_unless_forced(game, states, |_, asked| {
            let evaluations = self.evaluator.evaluate(game, asked);
            let first_legal = |state| {
                game.legal_actions(state)
                    .nth(0)
                    .expect("a decision has a legal action")
            };
            evaluations
                .iter()
                .zip(asked)
                .map(|(evaluation, state)| {
                    evaluation
                        .best_action()
                        .unwrap_or_else(|| first_legal(state))
                })
                .collect()
        })
    }

    fn stop_by(&mut self, stop: &Stop) {
        self.evaluator.stop_by(stop);
    }
}

/// Random play: at each decision it draws one of the distinct afterstates of the turn. All
/// afterstates have equal probability, even if different numbers of sequences of actions lead to
/// them.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomAgent;

impl<G: Game> Agent<G> for RandomAgent {
    fn act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Action> {
        let mut results = TurnResults::new();
        let choose = |(state, rng): (&G::State, &mut GameRng)| {
            forced_action(game, state).unwrap_or_else(|| {
                results_of_turn(game, state, &mut results);
                results.actions(below(results.len(), rng))[0]
            })
        };
        states.iter().zip(rngs).map(choose).collect()
    }

    fn policy(
        &mut self,
        game: &G,
        states: &[G::State],
        _rngs: &mut [GameRng],
    ) -> Vec<Vec<(Action, f32)>> {
        let mut results = TurnResults::new();
        let policy = |state: &G::State| {
            results_of_turn(game, state, &mut results);
            shares((0..results.len()).map(|result| (results.actions(result)[0], 1.0)))
        };
        states.iter().map(policy).collect()
    }
}

/// Writes the afterstates that an agent chooses among: all afterstates of the turn or, if the turn
/// leads through more than [`MOST_POSITIONS`] positions, the afterstates found first, at least one.
/// Such long turns are too rare to matter.
pub(crate) fn results_of_turn<G: Game>(
    game: &G,
    state: &G::State,
    out: &mut TurnResults<G::State>,
) {
    turn_results_within(game, state, MOST_POSITIONS, out);
}

/// Returns an action for each state: the forced action if there is one, otherwise an action of
/// `choose`. `choose` receives the states without a forced action and their indices in `states`,
/// and returns an action for each.
pub(crate) fn choose_unless_forced<G: Game>(
    game: &G,
    states: &[G::State],
    choose: impl FnOnce(&[usize], &[G::State]) -> Vec<Action>,
) -> Vec<Action> {
    let forced: Vec<Option<Action>> = states
        .iter()
        .map(|state| forced_action(game, state))
        .collect();
    let places: Vec<usize> = (0..states.len())
        .filter(|&place| forced[place].is_none())
        .collect();
    let asked: Vec<G::State> = places.iter().map(|&place| states[place].clone()).collect();
    let mut chosen = if asked.is_empty() {
        Vec::new()
    } else {
        choose(&places, &asked)
    }
    .into_iter();
    let pick = |action: Option<Action>| {
        action
            .or_else(|| chosen.next())
            .expect("one action for each open choice")
    };
    forced.into_iter().map(pick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{play::evaluator::Evaluation, search::test_support::ExactEvaluator};
    use ashta_env::{
        game::{BySeat, Outcome},
        testing::{
            exact::Play,
            toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
        },
        turn::turn_results,
    };
    use rand::SeedableRng;

    /// Prefers the last action of every state. Counts the states that it evaluates.
    struct LastAction(usize);

    impl Evaluator<Toy> for LastAction {
        fn evaluate(&mut self, game: &Toy, states: &[ToyState]) -> Vec<Evaluation> {
            self.0 += states.len();
            let policy = |state| {
                let legal = game.legal_actions(state);
                let share =
                    |(place, action)| (action, if place + 1 == legal.len() { 1.0 } else { 0.0 });
                legal.iter().enumerate().map(share).collect()
            };
            states
                .iter()
                .map(|state| Evaluation {
                    policy: policy(state),
                    ..Evaluation::default()
                })
                .collect()
        }
    }

    fn decisions(game: &Toy) -> Vec<ToyState> {
        let mut states = ExactEvaluator::new(game, BySeat([Play::Best; 4])).states();
        states.retain(|state| matches!(game.node(state), Node::Decision(_)));
        states
    }

    #[test]
    fn one_ply_over_exact_values_plays_perfectly_in_the_middle_of_a_turn_too() {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let mut exact = ExactEvaluator::best(&game);
        let states = decisions(&game);
        let mut rngs = vec![GameRng::seed_from_u64(0); states.len()];
        let actions = OnePly::new(exact.clone()).act(&game, &states, &mut rngs);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        exact.values(&game, &states, &mut before);
        let next = |(state, action): (&ToyState, &Action)| {
            let mut state = state.clone();
            game.apply_action(&mut state, *action);
            state
        };
        exact.values(
            &game,
            &states.iter().zip(&actions).map(next).collect::<Vec<_>>(),
            &mut after,
        );
        for (place, state) in states.iter().enumerate() {
            let seat = deciding_seat(&game, state);
            assert!(
                (before[place][seat] - after[place][seat]).abs() < 1e-6,
                "{state:?}: {:?}",
                actions[place]
            );
        }
    }

    #[test]
    fn at_a_temperature_results_are_drawn_by_their_values() {
        let game = Toy::two();
        let exact = ExactEvaluator::best(&game);
        let mut thrown = game.position(Seat::SOUTH, BySeat([[1, 2], [0; 2], [0, 2], [0; 2]]));
        game.apply_chance(&mut thrown, Outcome(1));
        let (mut results, mut values) = (TurnResults::new(), Vec::new());
        turn_results(&game, &thrown, &mut results);
        exact.clone().values(&game, results.states(), &mut values);
        let weights: Vec<f32> =
            softmax(values.iter().map(|values| values[Seat::SOUTH]), 0.1).collect();
        let total: f32 = weights.iter().sum();
        let mut counts = vec![0.0_f32; results.len()];
        let mut agent = OnePly::picking(exact, Pick::Softmax(0.1));
        let mut rng = [GameRng::seed_from_u64(4)];
        for _ in 0..8000 {
            let mut state = thrown.clone();
            let action = agent.act(&game, std::slice::from_ref(&state), &mut rng)[0];
            game.apply_action(&mut state, action);
            let ended = results
                .states()
                .iter()
                .position(|result| *result == state)
                .expect("a result");
            counts[ended] += 1.0 / 8000.0;
        }
        assert!(
            results.len() > 2 && weights.iter().any(|&weight| weight < 0.8),
            "{weights:?}"
        );
        for (count, weight) in counts.iter().zip(&weights) {
            assert!(
                (count - weight / total).abs() < 0.02,
                "{counts:?} for {weights:?}"
            );
        }
    }

    #[test]
    fn forced_actions_are_not_evaluated() {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        let mut forced = game.initial_state(Seat::SOUTH);
        game.apply_chance(&mut forced, Outcome(0));
        let mut free = game.initial_state(Seat::SOUTH);
        game.apply_chance(&mut free, Outcome(1));
        let mut rngs = vec![GameRng::seed_from_u64(0); 3];
        let mut policy = PolicyAgent {
            evaluator: LastAction(0),
        };
        let batch = [free.clone(), forced.clone(), free];
        assert_eq!(
            policy.act(&game, &batch, &mut rngs),
            [Action(1), Action(0), Action(1)]
        );
        assert_eq!(policy.evaluator.0, 2);
        let mut one_ply = OnePly::new(LastAction(0));
        assert_eq!(one_ply.act(&game, &[forced], &mut rngs[..1]), [Action(0)]);
        assert_eq!(one_ply.evaluator.0, 0);
    }
}
