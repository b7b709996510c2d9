//! The values of a turn by any evaluator, without the throws that did not happen: before the throw, of each afterstate,
//! and of the one that was played.

use ashta_env::game::{BySeat, Game};
use ashta_env::turn::TurnResults;

use super::WatchedTurn;
use crate::play::agent::results_of_turn;
use crate::play::evaluator::Evaluator;

/// The values of a turn: expected returns of the seat whose turn it was.
#[derive(Clone, Debug)]
pub struct Appraisal<S> {
    /// The value before the first throw, by the evaluator: its own estimate, not an expectation over throws.
    pub start: f64,
    /// The distinct afterstates to choose from; none where there was nothing to decide.
    pub results: TurnResults<S>,
    /// The values of the afterstates.
    pub values: Vec<f64>,
    /// The value of the position at the end of the turn.
    pub played: f64,
}

impl<S: Clone + Eq> Appraisal<S> {
    /// Values a turn by `evaluator`, in one batch.
    pub fn new<G: Game<State = S>>(
        game: &G,
        evaluator: &mut (impl Evaluator<G> + ?Sized),
        turn: &WatchedTurn<'_, S>,
    ) -> Appraisal<S> {
        let (mut results, mut values) = (TurnResults::new(), Vec::new());
        results_of_turn(game, turn.thrown, &mut results);
        let states: Vec<S> = [turn.start, turn.end].into_iter().chain(results.states()).cloned().collect();
        evaluator.values(game, &states, &mut values);
        let own = |values: &BySeat<f32>| f64::from(values[turn.seat]);
        Appraisal {
            start: own(&values[0]),
            results,
            values: values[2..].iter().map(own).collect(),
            played: own(&values[1]),
        }
    }

    /// The value of the best afterstate.
    pub fn best(&self) -> f64 {
        self.values.iter().copied().fold(self.played, f64::max)
    }

    /// The regret of the choice, 0 or more.
    pub fn regret(&self) -> f64 {
        self.best() - self.played
    }

    /// The luck of the throws: 0 on average where the evaluator plays perfectly.
    pub fn luck(&self) -> f64 {
        self.best() - self.start
    }

    /// Whether there was more than one distinct afterstate.
    pub fn is_choice(&self) -> bool {
        self.values.len() > 1
    }
}
