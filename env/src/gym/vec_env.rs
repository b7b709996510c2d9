//! A vectorised environment: steps many games together and writes into buffers of the caller.

use std::sync::Arc;

use ndarray::{ArrayViewMut1, ArrayViewMut2};
use rand::Rng;

use super::{Env, StepError};
use crate::{
    chance::{self, GameRng},
    game::{Action, Game, Seat},
};

/// Games that are stepped together. When a game has ended, the next step ignores the action for
/// this game and starts a new game (the `NEXT_STEP` mode of Gymnasium). The step that ends a game
/// therefore observes the last position of this game. A step allocates no memory.
///
/// The last position of a truncated game is a turn-start state, observed by the seat that would
/// throw next. A learner that bootstraps can evaluate this state. The last position of a finished
/// game is observed by the seat that moved last. This observation has the pieces of all seats. It
/// does not show whose turn it is and has no throws. Its value is the return.
///
/// If the caller observes one seat ([`Caller`]), it must also play the actions of the other seats.
/// It does this between [`VecEnv::play`] and [`VecEnv::write`], in the games of
/// [`VecEnv::opponents`].
#[derive(Clone, Debug)]
pub struct VecEnv<G: Game> {
    games: Vec<VecGame<G>>,
    caller: Caller,
    active: Vec<u16>,
}

/// The seats whose decisions and observations a [`VecEnv`] gives to its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    /// All seats.
    All,
    /// One seat, drawn at random for each game.
    Drawn,
    /// This seat.
    One(Seat),
}

/// One game of a [`VecEnv`].
#[derive(Clone, Debug)]
pub struct VecGame<G: Game> {
    /// The game.
    pub env: Env<G>,
    /// Draws the seeds of games, the seat of the caller and the choices of opponents. Unused if the
    /// caller plays all seats.
    pub rng: GameRng,
    /// The seat of the caller; `None` if it plays all seats.
    pub own: Option<Seat>,
}

/// The output buffers of a step for `n` games, owned by the caller. Observations are numbers of the
/// type `T`.
#[derive(Debug)]
pub struct VecBuffers<'a, T = f32> {
    /// The observation of the seat in `players` for each game, `[n, observation]`.
    pub observations: ArrayViewMut2<'a, T>,
    /// The legal actions, `[n, actions]`; none if the game is over.
    pub masks: ArrayViewMut2<'a, bool>,
    /// The observing seat, as an index among the seats of the game, `[n]`: the seat of the caller
    /// if it plays one seat, otherwise the seat to act, or the observer of the last position (see
    /// [`VecEnv`]).
    pub players: ArrayViewMut1<'a, i64>,
    /// The returns of the seats if this step ended the game, otherwise zeros, `[n, seats]`.
    pub returns: ArrayViewMut2<'a, f32>,
    /// Whether this step ended the game by its rules, `[n]`.
    pub terminated: ArrayViewMut1<'a, bool>,
    /// Whether this step truncated the game at the turn limit, `[n]`.
    pub truncated: ArrayViewMut1<'a, bool>,
}

impl<G: Game> VecGame<G> {
    /// Starts the next game in `position`; without a position, before the first throw.
    fn start(&mut self, caller: Caller, position: Option<G::State>) {
        if caller != Caller::All {
            self.env.now.rng = chance::stream(self.rng.next_u64(), 0);
            let drawn = chance::first_seat(self.env.game.spec().seats, &mut self.rng);
            self.own = Some(if let Caller::One(seat) = caller {
                seat
            } else {
                drawn
            });
        }
        self.env.restart(position);
    }
}

impl<G: Game> VecEnv<G> {
    /// Creates `count` games. Call [`VecEnv::reset`] before the first step.
    pub fn new(game: &Arc<G>, count: usize, caller: Caller) -> VecEnv<G> {
        let one = |_| VecGame {
            env: Env::new(Arc::clone(game)),
            rng: chance::stream(0, 0),
            own: None,
        };
        VecEnv::resume((0..count).map(one).collect(), caller)
    }

    /// Continues these games.
    pub fn resume(games: Vec<VecGame<G>>, caller: Caller) -> VecEnv<G> {
        VecEnv {
            games,
            caller,
            active: Vec::with_capacity(256),
        }
    }

    /// The games.
    pub fn games(&self) -> &[VecGame<G>] {
        &self.games
    }

    /// The number of throws since the environment was built, over all games.
    pub fn throws(&self) -> u64 {
        self.games.iter().map(|game| game.env.now.throws).sum()
    }

    /// Restarts every game, game `i` with stream `i` of `seed`, and writes the first decisions.
    ///
    /// # Panics
    /// If a buffer does not have the shape that [`VecBuffers`] documents.
    pub fn reset<T: Copy + From<u8>>(&mut self, seed: u64, out: &mut VecBuffers<'_, T>) {
        for index in 0..self.games.len() {
            self.start(index, chance::stream(seed, index as u64), None);
        }
        self.write(out);
    }

    /// Starts a new game at `index` with the generator `rng`, in `position`; without a position,
    /// before the first throw.
    pub fn start(&mut self, index: usize, rng: GameRng, position: Option<G::State>) {
        let game = &mut self.games[index];
        (game.env.now.rng, game.rng) = (rng.clone(), rng);
        game.start(self.caller, position);
    }

    /// Puts the game at `index` into `position`, and throws its dice up to the next decision. The
    /// game keeps its generators and the caller's seat; its turns are counted from 0.
    pub fn place(&mut self, index: usize, position: G::State) {
        self.games[index].env.restart(Some(position));
    }

    /// Takes one action in every game, and writes the results.
    ///
    /// # Errors
    /// If an action is not legal in its game, or the number of actions is wrong. Then no game
    /// changes and nothing is written.
    ///
    /// # Panics
    /// If a buffer does not have the shape that [`VecBuffers`] documents.
    pub fn step<T: Copy + From<u8>>(
        &mut self,
        actions: &[Action],
        out: &mut VecBuffers<'_, T>,
    ) -> Result<(), StepError> {
        self.play(actions)?;
        self.write(out);
        Ok(())
    }

    /// [`VecEnv::step`] without writing the results.
    ///
    /// # Errors
    /// See [`VecEnv::step`].
    pub fn play(&mut self, actions: &[Action]) -> Result<(), StepError> {
        if actions.len() != self.games.len() {
            return Err(StepError::Count {
                expected: self.games.len(),
                found: actions.len(),
            });
        }
        for (index, (VecGame { env, .. }, &action)) in self.games.iter().zip(actions).enumerate() {
            if !env.legal.contains(action) && !env.legal.is_empty() {
                return Err(StepError::IllegalAction {
                    action: action.0,
                    legal: env.legal,
                    game: Some(index),
                });
            }
        }
        for (game, &action) in self.games.iter_mut().zip(actions) {
            game.env.outcomes.clear();
            if game.env.legal.is_empty() {
                game.start(self.caller, None);
            } else {
                game.env.play_legal(action);
            }
        }
        Ok(())
    }

    /// The games in which an opponent of the caller must act.
    pub fn opponents(&mut self) -> impl Iterator<Item = &mut VecGame<G>> {
        self.games.iter_mut().filter(|game| {
            game.own
                .is_some_and(|own| game.env.seat().is_some_and(|seat| seat != own))
        })
    }

    /// Writes the current state of all games.
    ///
    /// # Panics
    /// If a buffer does not have the shape that [`VecBuffers`] documents.
    pub fn write<T: Copy + From<u8>>(&mut self, out: &mut VecBuffers<'_, T>) {
        let Some(VecGame { env, .. }) = self.games.first() else {
            return;
        };
        let (count, spec) = (self.games.len(), env.game.spec());
        assert_eq!(
            out.observations.dim(),
            (count, spec.observation),
            "shape of the observations"
        );
        assert_eq!(out.masks.dim(), (count, spec.actions), "shape of the masks");
        assert_eq!(
            out.returns.dim(),
            (count, spec.seats.len()),
            "shape of the returns"
        );
        let lengths = [out.players.len(), out.terminated.len(), out.truncated.len()];
        assert_eq!(
            lengths, [count; 3],
            "lengths of players, terminated and truncated"
        );
        for (index, VecGame { env, own, .. }) in self.games.iter().enumerate() {
            let (seat, seats) = (own.unwrap_or(env.now.observer), env.game.spec().seats);
            self.active.clear();
            env.game
                .observe_active(&env.now.state, seat, &mut self.active);
            write_active(out.observations.row_mut(index), &self.active);
            out.masks
                .row_mut(index)
                .into_iter()
                .enumerate()
                .for_each(|(action, cell)| *cell = env.legal.contains(Action(action as u8)));
            out.players[index] = seats.iter().take_while(|&other| other != seat).count() as i64;
            (out.terminated[index], out.truncated[index]) =
                (env.is_terminated(), env.is_truncated());
            let returns = env.returns();
            out.returns
                .row_mut(index)
                .iter_mut()
                .zip(seats.iter())
                .for_each(|(out, seat)| *out = returns[seat]);
        }
    }
}

/// Writes 1 in the `active` columns and 0 in all others.
#[inline]
fn write_active<T: Copy + From<u8>>(mut row: ArrayViewMut1<'_, T>, active: &[u16]) {
    row.fill(T::from(0));
    let active = active.iter().map(|&column| usize::from(column));
    // Rows are usually contiguous. Writing to a slice is much faster than indexing.
    match row.as_slice_mut() {
        Some(row) => active.for_each(|column| row[column] = T::from(1)),
        None => active.for_each(|column| row[column] = T::from(1)),
    }
}
