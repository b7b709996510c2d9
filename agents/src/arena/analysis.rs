//! The values of a played turn by any evaluator: the value before the throw, the values of all afterstates (possible
//! positions after the turn), and the value of the position in which it ended.

use std::ops::Range;

use ashta_env::game::{BySeat, Game, Seat};
use ashta_env::turn::TurnResults;

use super::game_loop::PlayedTurn;
use crate::play::agent::results_of_turn;
use crate::play::evaluator::{Evaluator, first_best};

/// A played turn and its values by an evaluator: expected returns by seat.
#[derive(Clone, Debug)]
pub struct TurnAnalysis<S> {
    /// The seat whose turn it was.
    pub seat: Seat,
    /// The position before its first throw.
    pub start: S,
    /// The position after its last throw.
    pub thrown: S,
    /// The range of its throws and choices in the moves of the game; empty if the moves are unknown.
    pub moves: Range<usize>,
    /// The distinct afterstates of the turn; empty if there was no decision.
    pub results: TurnResults<S>,
    /// The values of the afterstates.
    pub values: Vec<BySeat<f32>>,
    /// The values before the first throw. [`analyze_game`](super::analyze_game) computes the expected value of the best
    /// afterstate over all throws. [`TurnAnalysis::new`] uses the evaluator's own estimate.
    pub before: BySeat<f32>,
    /// The values of the position at the end of the turn; `None` if the moves end before the turn ends.
    pub played: Option<BySeat<f32>>,
}

impl<S: Clone + Eq> TurnAnalysis<S> {
    /// Evaluates a played turn in one batch; does not evaluate throws that did not happen.
    pub fn new<G: Game<State = S>>(
        game: &G,
        evaluator: &mut (impl Evaluator<G> + ?Sized),
        turn: &PlayedTurn<S>,
    ) -> TurnAnalysis<S> {
        let (mut results, mut values) = (TurnResults::new(), Vec::new());
        results_of_turn(game, &turn.thrown, &mut results);
        let states: Vec<S> = [&turn.start, &turn.end].into_iter().chain(results.states()).cloned().collect();
        evaluator.values(game, &states, &mut values);
        TurnAnalysis {
            seat: turn.seat,
            start: turn.start.clone(),
            thrown: turn.thrown.clone(),
            moves: 0..0,
            results,
            before: values[0],
            played: Some(values[1]),
            values: values.split_off(2),
        }
    }
}

impl<S> TurnAnalysis<S> {
    /// The index of the best afterstate for the seat; the first index if several are equally good.
    pub fn best(&self) -> Option<usize> {
        first_best(self.values.iter().map(|values| values[self.seat]))
    }

    /// The values after the throw: the values of the best afterstate. If the end of the turn has a better value, or if
    /// there was no decision, these are the values of the end of the turn.
    pub fn after_throw(&self) -> BySeat<f32> {
        let best = self.best().map(|best| self.values[best]);
        match (best, self.played) {
            (Some(best), Some(played)) if played[self.seat] > best[self.seat] => played,
            (best, played) => best.or(played).unwrap_or(self.before),
        }
    }

    /// The luck of the throw for `seat`. The mean of the luck is 0 if the values before the throw are the expectation,
    /// or if the evaluator is exact.
    pub fn luck(&self, seat: Seat) -> f64 {
        f64::from(self.after_throw()[seat]) - f64::from(self.before[seat])
    }

    /// The regret of the choice: the value that the choice lost against the best afterstate, 0 or more.
    pub fn regret(&self) -> f64 {
        let best = f64::from(self.after_throw()[self.seat]);
        self.played.map_or(0.0, |played| best - f64::from(played[self.seat]))
    }

    /// Whether there was more than one distinct afterstate.
    pub fn is_choice(&self) -> bool {
        self.values.len() > 1
    }
}
