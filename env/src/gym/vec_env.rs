//! A vectorised environment: many games in lock-step, writing into buffers of the caller.

use std::sync::Arc;

use ndarray::{ArrayViewMut1, ArrayViewMut2};

use super::{Env, Snapshot, StepError, rows};
use crate::chance;
use crate::game::{Action, Game, MAX_SEATS, Seat};

/// Games that are stepped together. A game that ends is reset at once: the step that ends it reports the returns and
/// the final observation, and its observation is already that of the next game. Nothing is allocated by a step.
///
/// The final observation is the last position of a game. Where the game was truncated, it is the position before the
/// next throw as the seat to throw sees it: a learner that bootstraps evaluates it as any turn-start state. Where the
/// game is over by its rules, it is that position as the seat that made the last move sees it: the pieces of all seats,
/// but neither phase nor mover, and no throws; its value is the return. A game is truncated when it reaches
/// [`Spec::turn_limit`](crate::game::Spec::turn_limit).
#[derive(Debug)]
pub struct VecEnv<G: Game> {
    envs: Vec<Env<G>>,
    active: Vec<u16>,
    /// The games that the last step ended, whose final observations are to be cleared by the next.
    ended: Vec<usize>,
}

/// The output buffers of a step, all owned by the caller; `n` games.
#[derive(Debug)]
pub struct VecBuffers<'a> {
    /// The observation of the seat to act, `[n, observation]`.
    pub observations: ArrayViewMut2<'a, f32>,
    /// The legal actions, `[n, actions]`.
    pub masks: ArrayViewMut2<'a, bool>,
    /// The seat to act, 0 to 3, `[n]`.
    pub seats: ArrayViewMut1<'a, u8>,
    /// The return of each seat of a game that this step ended, else zeros, `[n, 4]`.
    pub returns: ArrayViewMut2<'a, f32>,
    /// Whether this step ended the game by its rules, `[n]`.
    pub terminated: ArrayViewMut1<'a, bool>,
    /// Whether this step truncated the game, because it reached the turn limit, `[n]`.
    pub truncated: ArrayViewMut1<'a, bool>,
    /// The last position of a game that this step ended, as [`VecBuffers::final_seats`] sees it (see [`VecEnv`]), else
    /// zeros, `[n, observation]`. A step writes the rows of the games that it ends and clears those of the step before;
    /// so rows are zeros elsewhere as long as the same array is given to each call, from [`VecEnv::reset`] on.
    pub final_observations: ArrayViewMut2<'a, f32>,
    /// The seat that sees the final observation, 0 to 3: the seat to throw next where the game was truncated, the seat
    /// that made the last move where it was terminated; 0 where this step did not end the game, `[n]`.
    pub final_seats: ArrayViewMut1<'a, u8>,
}

impl<G: Game> VecEnv<G> {
    /// `count` games; call [`VecEnv::reset`] before the first step.
    pub fn new(game: Arc<G>, count: usize) -> VecEnv<G> {
        let envs = (0..count).map(|_| Env::new(Arc::clone(&game))).collect();
        VecEnv { envs, active: Vec::with_capacity(256), ended: Vec::with_capacity(count) }
    }

    /// Games that go on where others stand: each with whether the last step has ended a game there, whose final
    /// observation is still in the caller's buffers.
    pub fn resume(game: &Arc<G>, snapshots: impl IntoIterator<Item = (Snapshot<G::State>, bool)>) -> VecEnv<G> {
        let (mut envs, mut ended) = (Vec::new(), Vec::new());
        for (index, (snapshot, has_ended)) in snapshots.into_iter().enumerate() {
            envs.push(Env::resume(Arc::clone(game), snapshot));
            ended.extend(has_ended.then_some(index));
        }
        VecEnv { envs, active: Vec::with_capacity(256), ended }
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

    /// Restarts every game, game `i` with stream `i` of `seed`, and writes the first decisions.
    ///
    /// # Panics
    /// When a buffer does not have the shape that [`VecBuffers`] documents.
    pub fn reset(&mut self, seed: u64, out: &mut VecBuffers<'_>) {
        self.check(out);
        for (index, env) in self.envs.iter_mut().enumerate() {
            env.rng = chance::stream(seed, index as u64);
            env.restart();
        }
        out.returns.fill(0.0);
        out.terminated.fill(false);
        out.truncated.fill(false);
        out.final_observations.fill(0.0);
        out.final_seats.fill(0);
        self.ended.clear();
        for index in 0..self.envs.len() {
            self.write(index, out);
        }
    }

    /// Takes one action in every game.
    ///
    /// # Errors
    /// When an action is not legal in its game or the number of actions is wrong; then no game has moved, and nothing
    /// is written.
    ///
    /// # Panics
    /// When a buffer does not have the shape that [`VecBuffers`] documents.
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
        for index in self.ended.drain(..) {
            out.final_observations.row_mut(index).fill(0.0);
        }
        out.final_seats.fill(0);
        for (index, &action) in actions.iter().enumerate() {
            let mover = self.envs[index].seat().expect("a game that has ended was restarted");
            let env = &mut self.envs[index];
            env.play_legal(action);
            let returns = env.returns();
            (out.terminated[index], out.truncated[index]) = (env.is_terminated(), env.is_truncated());
            if env.seat().is_none() {
                self.write_final(index, mover, out);
                self.envs[index].restart();
            }
            out.returns.row_mut(index).iter_mut().zip(returns.0).for_each(|(out, value)| *out = value);
            self.write(index, out);
        }
        Ok(())
    }

    fn check(&self, out: &VecBuffers<'_>) {
        let Some(env) = self.envs.first() else { return };
        let (count, spec) = (self.envs.len(), env.game.spec());
        assert_eq!(out.observations.dim(), (count, spec.observation), "shape of the observations");
        assert_eq!(out.final_observations.dim(), (count, spec.observation), "shape of the final observations");
        assert_eq!(out.masks.dim(), (count, spec.actions), "shape of the masks");
        assert_eq!(out.returns.dim(), (count, MAX_SEATS), "shape of the returns");
        let lengths = [out.seats.len(), out.terminated.len(), out.truncated.len(), out.final_seats.len()];
        assert_eq!(lengths, [count; 4], "lengths of seats, terminated, truncated and final seats");
    }

    /// Writes the final observation of a game that has just ended with a move of `mover`.
    fn write_final(&mut self, index: usize, mover: Seat, out: &mut VecBuffers<'_>) {
        let env = &self.envs[index];
        let seat = env.observer(mover);
        self.active.clear();
        env.game.observe_active(&env.state, seat, &mut self.active);
        rows::write_active(out.final_observations.row_mut(index), &self.active);
        out.final_seats[index] = seat.index() as u8;
        self.ended.push(index);
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
