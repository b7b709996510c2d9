//! Shared test support: exact values as an evaluator, and a complete game.

use std::sync::Arc;

use ashta_env::{
    game::{Action, BySeat, Game, Node, Payoff, Seat},
    testing::{
        exact::{Exact, Play, solve},
        toy::{Toy, ToyState},
    },
};
use rand::SeedableRng;

use crate::play::{
    agent::{Agent, GameRng},
    evaluator::{Evaluation, Evaluator},
    throws::{SeededThrows, TurnClock},
};

/// Returns the exact values of a solved toy game, without a policy.
#[derive(Clone)]
pub struct ExactEvaluator(Arc<Exact<ToyState>>);

impl ExactEvaluator {
    pub fn new(game: &Toy, plays: BySeat<Play>) -> ExactEvaluator {
        ExactEvaluator(Arc::new(solve(game, plays).expect("the values settle")))
    }

    /// If all seats play perfectly.
    pub fn best(game: &Toy) -> ExactEvaluator {
        ExactEvaluator::new(game, BySeat([Play::Best; 4]))
    }

    pub fn of(&self, state: &ToyState) -> BySeat<f32> {
        BySeat(
            self.0
                .values(state)
                .expect("a reachable position")
                .0
                .map(|value| value as f32),
        )
    }

    /// The solved positions in an order that does not change from run to run.
    pub fn states(&self) -> Vec<ToyState> {
        let mut states: Vec<ToyState> = self.0.states().cloned().collect();
        states.sort_by_cached_key(|state| format!("{state:?}"));
        states
    }
}

impl Evaluator<Toy> for ExactEvaluator {
    fn evaluate(&mut self, _game: &Toy, states: &[ToyState]) -> Vec<Evaluation> {
        states.iter().map(|state| self.of(state).into()).collect()
    }
}

/// An uninformed evaluator: equal values for all seats, no policy. Counts the states that it
/// evaluates.
#[derive(Clone, Default)]
pub struct Ignorant {
    pub states: usize,
}

impl Evaluator<Toy> for Ignorant {
    fn evaluate(&mut self, game: &Toy, states: &[ToyState]) -> Vec<Evaluation> {
        self.states += states.len();
        let share = match game.spec().payoff {
            Payoff::Winner => 1.0 / game.spec().seats.len() as f32,
            Payoff::Teams | Payoff::Placings => 0.5,
        };
        let values = |state| match game.node(state) {
            Node::Terminal => game.returns(state),
            _ => BySeat([share; 4]),
        };
        states.iter().map(|state| values(state).into()).collect()
    }
}

/// The actions of one game that `agent` plays for all seats.
pub fn play_from_start<G: Game>(game: &G, agent: &mut impl Agent<G>, seed: u64) -> Vec<Action> {
    let mut state = game.initial_state(Seat::SOUTH);
    let mut rng = [GameRng::seed_from_u64(seed)];
    let (throws, mut clock) = (SeededThrows::new(seed), TurnClock::default());
    let mut actions = Vec::new();
    loop {
        match game.node(&state) {
            Node::Terminal => return actions,
            Node::Chance(seat) => {
                let (turn, throw) = clock.throw(seat);
                let outcome = throws.draw(seat, turn, throw, game.chance_outcomes(&state));
                game.apply_chance(&mut state, outcome);
            }
            Node::Decision(_) => {
                clock.action();
                let action = agent.act(game, std::slice::from_ref(&state), &mut rng)[0];
                game.apply_action(&mut state, action);
                actions.push(action);
            }
        }
    }
}
