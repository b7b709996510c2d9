//! Evaluators estimate the value of a position for every seat. At decisions, they can also have a
//! policy.
//!
//! Networks, hand-written rules, tables and searches are evaluators; a search wraps another
//! evaluator. Evaluators work on batches. Values are indexed by seat, not by ply: after an extra
//! throw the same seat moves again, so signs cannot alternate as in negamax. Evaluators do not
//! choose actions; agents do.

use ashta_env::game::{Action, BySeat, Game, Node};

use crate::play::stop::Stop;

/// The evaluation of one position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluation {
    /// The expected return of each seat, 0 to 1; entries of absent seats have no meaning.
    pub values: BySeat<f32>,
    /// At a decision: the probability of every legal action, in ascending order of actions, with
    /// sum 1. Empty at other nodes, and if the evaluator has no policy.
    pub policy: Vec<(Action, f32)>,
}

impl From<BySeat<f32>> for Evaluation {
    /// Values without a policy.
    fn from(values: BySeat<f32>) -> Evaluation {
        Evaluation {
            values,
            policy: Vec::new(),
        }
    }
}

impl Evaluation {
    /// The action with the highest probability; if several have it, the lowest number. `None`
    /// without a policy.
    pub fn best_action(&self) -> Option<Action> {
        first_best(self.policy.iter().map(|&(_, probability)| probability))
            .map(|best| self.policy[best].0)
    }
}

/// Evaluates positions.
///
/// Contract: every state has one evaluation, in order; an evaluation depends on its state alone,
/// not on the rest of the batch; a finished game has its exact returns. [`answer_open`] ensures the
/// last point for evaluators that only evaluate unfinished games.
pub trait Evaluator<G: Game> {
    /// Evaluates every state.
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation>;

    /// Writes the values of every state into `out` and replaces its contents. Evaluators that can
    /// leave out the policy override this method.
    fn values(&mut self, game: &G, states: &[G::State], out: &mut Vec<BySeat<f32>>) {
        out.clear();
        out.extend(
            self.evaluate(game, states)
                .into_iter()
                .map(|evaluation| evaluation.values),
        );
    }

    /// Sets the stop of this evaluator: once `stop` is set, calls return soon, with meaningless
    /// values. Only evaluators that need much time for a single state override this. A caller with
    /// many states passes a few at a time and checks `stop` in between.
    fn stop_by(&mut self, _stop: &Stop) {}
}

impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for Box<E> {
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation> {
        (**self).evaluate(game, states)
    }

    fn values(&mut self, game: &G, states: &[G::State], out: &mut Vec<BySeat<f32>>) {
        (**self).values(game, states, out);
    }

    fn stop_by(&mut self, stop: &Stop) {
        (**self).stop_by(stop);
    }
}

/// Writes the values of every state into `out` and replaces its contents. Finished games get their
/// exact returns. `open` receives the open positions, in order, and pushes their values.
///
/// # Panics
/// When `open` does not push exactly one value for each position.
pub fn answer_open<G: Game>(
    game: &G,
    states: &[G::State],
    out: &mut Vec<BySeat<f32>>,
    open: impl FnOnce(&[&G::State], &mut Vec<BySeat<f32>>),
) {
    out.clear();
    let is_open = |state: &G::State| game.node(state) != Node::Terminal;
    let open_states: Vec<&G::State> = states.iter().filter(|state| is_open(state)).collect();
    if !open_states.is_empty() {
        open(&open_states, out);
    }
    assert_eq!(
        out.len(),
        open_states.len(),
        "one value for each open position"
    );
    if open_states.len() < states.len() {
        let mut answers = std::mem::take(out).into_iter();
        out.extend(states.iter().map(|state| {
            let answer = if is_open(state) { answers.next() } else { None };
            answer.unwrap_or_else(|| game.returns(state))
        }));
    }
}

/// The index of the largest number; if several are equal, the first. `None` without numbers.
pub(crate) fn first_best(numbers: impl IntoIterator<Item = f32>) -> Option<usize> {
    let better = |best: (usize, f32), next: (usize, f32)| if next.1 > best.1 { next } else { best };
    numbers
        .into_iter()
        .enumerate()
        .reduce(better)
        .map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::{
        game::{Outcome, Seat},
        testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows},
    };

    #[test]
    fn finished_games_never_reach_the_estimate() {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        let open = game.position(Seat::NORTH, BySeat([[4, 0], [0; 2], [4, 0], [0; 2]]));
        let mut ended = open.clone();
        game.apply_chance(&mut ended, Outcome(0));
        game.apply_action(&mut ended, Action(0));

        let batch = [ended.clone(), open.clone(), ended.clone(), open];
        let mut out = vec![BySeat([9.0; 4])];
        answer_open(&game, &batch, &mut out, |open, out| {
            out.extend((0..open.len()).map(|place| BySeat([place as f32; 4])));
        });
        let lost = BySeat([0.0, 0.0, 1.0, 0.0]);
        assert_eq!(out, [lost, BySeat([0.0; 4]), lost, BySeat([1.0; 4])]);
        answer_open(&game, &[ended], &mut out, |_, _| {
            unreachable!("nothing is open")
        });
        assert_eq!(out, [lost]);
    }

    #[test]
    fn the_first_of_equals_is_best() {
        assert_eq!(first_best([0.25, 0.5, 0.5]), Some(1));
        assert_eq!(first_best([]), None);
        let evaluation = Evaluation {
            policy: vec![(Action(3), 0.5), (Action(4), 0.5)],
            ..Evaluation::default()
        };
        assert_eq!(evaluation.best_action(), Some(Action(3)));
    }
}
