//! The afterstates of a turn as a batch: the positions that a value network evaluates, and the actions that lead there.

use ndarray::ArrayViewMut2;

use super::rows;
use crate::game::{Action, Game, Node};
use crate::turn::{TooManyPositions, TurnResults, turn_results_within};

/// The distinct afterstates of the turn under way. The buffers are reused from call to call.
#[derive(Clone, Debug)]
pub struct Afterstates<S> {
    results: TurnResults<S>,
    active: Vec<u16>,
}

impl<S> Default for Afterstates<S> {
    fn default() -> Afterstates<S> {
        Afterstates { results: TurnResults::new(), active: Vec::new() }
    }
}

impl<S: Clone> Afterstates<S> {
    /// Enumerates the afterstates of the decision `state`; there are none when it is no decision. `most` bounds the
    /// positions that are visited within the turn and at its end, and so time and memory;
    /// [`MOST_POSITIONS`](crate::turn::MOST_POSITIONS) is enough for all but the longest series of throws.
    ///
    /// # Errors
    /// When the turn leads through more than `most` positions; then there are no afterstates.
    pub fn enumerate<G: Game<State = S>>(&mut self, game: &G, state: &S, most: usize) -> Result<(), TooManyPositions> {
        if turn_results_within(game, state, most, &mut self.results) {
            return Ok(());
        }
        self.results.clear();
        Err(TooManyPositions { most })
    }

    /// Number of afterstates.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether there is no afterstate.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// The afterstates: chance nodes, or the end of the game.
    pub fn states(&self) -> &[S] {
        self.results.states()
    }

    /// The actions that lead to afterstate `index`.
    ///
    /// # Panics
    /// When `index` is not below [`Afterstates::len`].
    pub fn actions(&self, index: usize) -> &[Action] {
        self.results.actions(index)
    }

    /// Writes the observation of each afterstate, `[afterstates, observation]`, from the view of the seat to throw
    /// next; the row of a finished game is zeros (its value is [`Game::returns`]). Further rows are unchanged.
    ///
    /// # Panics
    /// When `out` has fewer rows than there are afterstates, or rows of another length than an observation.
    pub fn observe<G: Game<State = S>>(&mut self, game: &G, mut out: ArrayViewMut2<'_, f32>) {
        assert_eq!(out.ncols(), game.spec().observation, "length of an observation");
        for index in 0..self.results.len() {
            let state = self.results.state(index);
            self.active.clear();
            if let Node::Chance(seat) | Node::Decision(seat) = game.node(state) {
                game.observe_active(state, seat, &mut self.active);
            }
            rows::write_active(out.row_mut(index), &self.active);
        }
    }
}
