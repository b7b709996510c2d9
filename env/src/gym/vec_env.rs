//! Many games in lock-step, writing into buffers of the caller.

use std::sync::Arc;

use ndarray::{ArrayViewMut1, ArrayViewMut2};

use super::{Env, StepError, rows};
use crate::chance;
use crate::game::{Action, Game, MAX_SEATS};

/// Games that are stepped together. A game that ends is reset at once: the step that ends it reports the returns, and
/// its observation is already that of the next game. Nothing is allocated by a step.
#[derive(Debug)]
pub struct VecEnv<G: Game> {
    envs: Vec<Env<G>>,
    active: Vec<u16>,
}

/// Where a step writes, all owned by the caller; `n` games.
#[derive(Debug)]
pub struct VecBuffers<'a> {
    /// What the seat to act sees, `[n, observation]`.
    pub observations: ArrayViewMut2<'a, f32>,
    /// The legal actions, `[n, actions]`.
    pub masks: ArrayViewMut2<'a, bool>,
    /// The seat to act, 0 to 3, `[n]`.
    pub seats: ArrayViewMut1<'a, u8>,
    /// What each seat got from a game that this step ended, else zeros, `[n, 4]`.
    pub returns: ArrayViewMut2<'a, f32>,
    /// Whether this step ended the game by its rules, `[n]`.
    pub terminated: ArrayViewMut1<'a, bool>,
    /// Whether this step broke the game off at the turn cap, `[n]`.
    pub truncated: ArrayViewMut1<'a, bool>,
}

impl<G: Game> VecEnv<G> {
    /// `count` games; call [`VecEnv::reset`] before the first step.
    pub fn new(game: Arc<G>, count: usize) -> VecEnv<G> {
        VecEnv { envs: (0..count).map(|_| Env::new(Arc::clone(&game))).collect(), active: Vec::with_capacity(64) }
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.envs.len()
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.envs.is_empty()
    }

    /// The games.
    pub fn envs(&self) -> &[Env<G>] {
        &self.envs
    }

    /// Throws made since the environment was built, over all games.
    pub fn throws(&self) -> u64 {
        self.envs.iter().map(Env::throws).sum()
    }

    /// Starts every game anew, game `i` with stream `i` of `seed`, and writes the first decisions.
    ///
    /// # Panics
    /// When a buffer has not the shape that [`VecBuffers`] tells.
    pub fn reset(&mut self, seed: u64, out: &mut VecBuffers<'_>) {
        self.check(out);
        for (index, env) in self.envs.iter_mut().enumerate() {
            env.rng = chance::stream(seed, index as u64);
            env.restart();
        }
        out.returns.fill(0.0);
        out.terminated.fill(false);
        out.truncated.fill(false);
        for index in 0..self.envs.len() {
            self.write(index, out);
        }
    }

    /// Takes one action in every game.
    ///
    /// # Errors
    /// When an action is not legal in its game or the number of actions is wrong; then no game has moved.
    ///
    /// # Panics
    /// When a buffer has not the shape that [`VecBuffers`] tells.
    pub fn step(&mut self, actions: &[Action], out: &mut VecBuffers<'_>) -> Result<(), StepError> {
        self.check(out);
        if actions.len() != self.envs.len() {
            return Err(StepError::Count { expected: self.envs.len(), found: actions.len() });
        }
        for (index, (env, &action)) in self.envs.iter().zip(actions).enumerate() {
            if !env.legal.contains(action) {
                return Err(StepError::IllegalAction { action: action.0, legal: env.legal, game: Some(index) });
            }
        }
        for (index, &action) in actions.iter().enumerate() {
            let env = &mut self.envs[index];
            let step = env.step_legal(action);
            if step.terminated || step.truncated {
                env.restart();
            }
            out.returns.row_mut(index).iter_mut().zip(step.returns.0).for_each(|(out, value)| *out = value);
            out.terminated[index] = step.terminated;
            out.truncated[index] = step.truncated;
            self.write(index, out);
        }
        Ok(())
    }

    fn check(&self, out: &VecBuffers<'_>) {
        let Some(env) = self.envs.first() else { return };
        let (count, spec) = (self.envs.len(), env.game.spec());
        assert_eq!(out.observations.dim(), (count, spec.observation), "shape of the observations");
        assert_eq!(out.masks.dim(), (count, spec.actions), "shape of the masks");
        assert_eq!(out.returns.dim(), (count, MAX_SEATS), "shape of the returns");
        let lengths = [out.seats.len(), out.terminated.len(), out.truncated.len()];
        assert_eq!(lengths, [count; 3], "lengths of seats, terminated and truncated");
    }

    fn write(&mut self, index: usize, out: &mut VecBuffers<'_>) {
        let env = &self.envs[index];
        let seat = env.seat().expect("a game that has ended was restarted");
        out.seats[index] = seat.index() as u8;
        self.active.clear();
        env.game.observe_active(&env.state, seat, &mut self.active);
        rows::write_active(out.observations.row_mut(index), &self.active);
        rows::write_mask(out.masks.row_mut(index), env.legal);
    }
}
