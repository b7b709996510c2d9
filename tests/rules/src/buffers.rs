//! Owned buffers of a vectorised environment.

use ashta_env::{
    game::{Action, ActionMask, Spec},
    gym::VecBuffers,
};
use ndarray::{Array1, Array2};

/// The arrays that [`VecBuffers`] borrows.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffers {
    /// `[n, observation]`
    pub observations: Array2<f32>,
    /// `[n, actions]`
    pub masks: Array2<bool>,
    /// `[n]`
    pub players: Array1<i64>,
    /// `[n, seats]`
    pub returns: Array2<f32>,
    /// `[n]`
    pub terminated: Array1<bool>,
    /// `[n]`
    pub truncated: Array1<bool>,
}

impl Buffers {
    /// Buffers for `count` games, filled with values that no game writes.
    pub fn new(spec: &Spec, count: usize) -> Buffers {
        Buffers {
            observations: Array2::from_elem((count, spec.observation), -1.0),
            masks: Array2::from_elem((count, spec.actions), true),
            players: Array1::from_elem(count, -1),
            returns: Array2::from_elem((count, spec.seats.len()), -1.0),
            terminated: Array1::from_elem(count, true),
            truncated: Array1::from_elem(count, true),
        }
    }

    /// All buffers, to be written.
    pub fn view(&mut self) -> VecBuffers<'_> {
        VecBuffers {
            observations: self.observations.view_mut(),
            masks: self.masks.view_mut(),
            players: self.players.view_mut(),
            returns: self.returns.view_mut(),
            terminated: self.terminated.view_mut(),
            truncated: self.truncated.view_mut(),
        }
    }

    /// The legal actions of one game, from its mask.
    pub fn legal(&self, game: usize) -> ActionMask {
        self.masks
            .row(game)
            .iter()
            .zip(0..)
            .filter(|(is_legal, _)| **is_legal)
            .map(|(_, action)| Action(action))
            .collect()
    }
}
