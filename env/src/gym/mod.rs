//! Gym-style environments: games that are stepped by actions and throw their own dice.
//!
//! [`Env`] is one game; [`VecEnv`] steps many games together. The environment throws the dice
//! between two decisions, so a caller sees no chance nodes.
//!
//! A game is truncated at its turn limit, [`Spec::turn_limit`](crate::game::Spec::turn_limit). A
//! race has the limit of its sheet, unless [`Race::with_turn_limit`](crate::Race::with_turn_limit)
//! sets another limit. Such a limit belongs to the environment, not to the rules: positions,
//! observations and the hash of the ruleset do not depend on it.

mod vec_env;

use std::sync::Arc;

use rand::Rng;

use crate::{
    chance::{self, GameRng},
    game::{Action, ActionMask, BySeat, Game, Node, Outcome, Seat},
};

pub use vec_env::{Caller, VecBuffers, VecEnv, VecGame};

/// One game.
#[derive(Clone, Debug)]
pub struct Env<G: Game> {
    game: Arc<G>,
    now: Snapshot<G::State>,
    legal: ActionMask,
    outcomes: Vec<Outcome>,
}

/// The complete state of an [`Env`], from which [`Env::resume`] continues the game.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot<S> {
    /// The position: a decision, the end, or the position before the next throw if the game is
    /// truncated.
    pub state: S,
    /// The seat that observes, as in [`Observation::seat`].
    pub observer: Seat,
    /// The random number generator of the throws.
    pub rng: GameRng,
    /// The number of turns that have begun so far.
    pub turns: u32,
    /// The number of throws since the environment was built.
    pub throws: u64,
}

/// The observation of a seat and its legal actions.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// The seat to act. If the game is truncated, the seat that would throw next. If the game is
    /// finished, the seat that moved last.
    pub seat: Seat,
    /// The distinct indices of the entries that are 1; all other entries are 0.
    pub active: Vec<u16>,
    /// Number of entries, [`Spec::observation`](crate::game::Spec::observation).
    pub len: usize,
    /// The legal actions; empty after the end of a game.
    pub mask: ActionMask,
}

impl Observation {
    /// The observation as numbers, 0 or 1, of length [`Observation::len`].
    pub fn dense(&self) -> Vec<f32> {
        let mut dense = vec![0.0; self.len];
        self.active
            .iter()
            .for_each(|&index| dense[usize::from(index)] = 1.0);
        dense
    }
}

/// The result of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The next observation, or the observation of the last position of the game.
    pub observation: Observation,
    /// Whether the game is over by its rules.
    pub terminated: bool,
    /// Whether the game was truncated because it reached the turn limit. Such a game has no winner
    /// and is not a draw.
    pub truncated: bool,
    /// The return of each seat, 0 to 1; zeros unless `terminated`, and zeros for seats that do not
    /// play.
    pub returns: BySeat<f32>,
}

/// The reason why an action was refused. The game is unchanged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The action is not legal.
    #[error("action {action} is not legal{}; legal are {legal:?}", game.map_or(String::new(), |game| format!(" in game {game}")))]
    IllegalAction {
        /// The action given.
        action: u8,
        /// The legal actions.
        legal: ActionMask,
        /// The index of the game in a [`VecEnv`].
        game: Option<usize>,
    },
    /// The game is over or truncated.
    #[error("the game is over: reset it before the next action")]
    Over,
    /// The number of actions differs from the number of games.
    #[error("{found} actions for {expected} games")]
    Count {
        /// The number of games.
        expected: usize,
        /// The number of actions given.
        found: usize,
    },
}

impl<G: Game> Env<G> {
    /// A game with seed 0; [`Env::reset`] starts a game with another seed.
    pub fn new(game: Arc<G>) -> Env<G> {
        let observer = game.spec().seats.iter().next().unwrap_or(Seat::SOUTH);
        let (state, rng) = (game.initial_state(observer), chance::stream(0, 0));
        let now = Snapshot {
            state,
            observer,
            rng,
            turns: 0,
            throws: 0,
        };
        let mut env = Env {
            game,
            now,
            legal: ActionMask::EMPTY,
            outcomes: Vec::with_capacity(32),
        };
        env.restart(None);
        env
    }

    /// Continues a game from a snapshot.
    pub fn resume(game: Arc<G>, snapshot: Snapshot<G::State>) -> Env<G> {
        Env {
            legal: game.legal_actions(&snapshot.state),
            game,
            now: snapshot,
            outcomes: Vec::new(),
        }
    }

    /// The complete state of the game.
    pub fn snapshot(&self) -> Snapshot<G::State> {
        self.now.clone()
    }

    /// Starts a new game and returns its first decision. Equal seeds and actions give equal games.
    pub fn reset(&mut self, seed: u64) -> Observation {
        self.now.rng = chance::stream(seed, 0);
        self.restart(None);
        self.observation()
    }

    /// Starts the next game with the current random generator: in `position`, or before the first
    /// throw of a random seat. If `position` is a decision, its turn counts as the first turn.
    fn restart(&mut self, position: Option<G::State>) {
        self.outcomes.clear();
        self.now.state = position.unwrap_or_else(|| {
            self.game.initial_state(chance::first_seat(
                self.game.spec().seats,
                &mut self.now.rng,
            ))
        });
        self.now.turns = u32::from(self.seat().is_some());
        self.update_observer();
        self.advance();
    }

    /// Sets the observer to the seat whose turn it is. When the game is over, the observer stays
    /// the seat that moved last.
    #[inline]
    fn update_observer(&mut self) {
        if let Node::Chance(seat) | Node::Decision(seat) = self.game.node(&self.now.state) {
            self.now.observer = seat;
        }
    }

    fn observation(&self) -> Observation {
        let mut active = Vec::with_capacity(64);
        self.game
            .observe_active(&self.now.state, self.now.observer, &mut active);
        Observation {
            seat: self.now.observer,
            active,
            len: self.game.spec().observation,
            mask: self.legal,
        }
    }

    /// Takes the action of the seat to act, then throws the dice up to the next decision.
    ///
    /// # Errors
    /// See [`Env::play`].
    pub fn step(&mut self, action: Action) -> Result<Step, StepError> {
        self.play(action)?;
        Ok(Step {
            observation: self.observation(),
            terminated: self.is_terminated(),
            truncated: self.is_truncated(),
            returns: self.returns(),
        })
    }

    /// [`Env::step`] without an observation.
    ///
    /// # Errors
    /// If the action is not legal or the game is over. The game is unchanged.
    pub fn play(&mut self, action: Action) -> Result<(), StepError> {
        if self.legal.is_empty() {
            return Err(StepError::Over);
        }
        if !self.legal.contains(action) {
            return Err(StepError::IllegalAction {
                action: action.0,
                legal: self.legal,
                game: None,
            });
        }
        self.outcomes.clear();
        self.play_legal(action);
        Ok(())
    }

    /// Plays a legal action, and throws the dice up to the next decision.
    #[inline]
    fn play_legal(&mut self, action: Action) {
        self.game.apply_action(&mut self.now.state, action);
        self.advance();
    }

    /// The return of each seat; zeros before the end of the game.
    fn returns(&self) -> BySeat<f32> {
        if self.is_terminated() {
            self.game.returns(&self.now.state)
        } else {
            BySeat::default()
        }
    }

    /// Throws the dice up to the next decision or the end.
    #[inline]
    fn advance(&mut self) {
        let (
            game,
            Snapshot {
                state,
                rng,
                turns,
                throws,
                ..
            },
        ) = (&self.game, &mut self.now);
        let outcomes = &mut self.outcomes;
        *turns += u32::from(matches!(game.node(state), Node::Chance(_)));
        let may_throw = *turns <= game.spec().turn_limit;
        chance::throw_dice(&**game, state, |state, _| {
            *throws += u64::from(may_throw);
            let outcome =
                may_throw.then(|| chance::outcome(game.chance_outcomes(state), rng.next_u64()));
            outcomes.extend(outcome);
            outcome
        });
        self.update_observer();
        self.legal = self.game.legal_actions(&self.now.state);
    }

    /// The rules of the game.
    pub fn game(&self) -> &Arc<G> {
        &self.game
    }

    /// The position: a decision, the end, or the position before the next throw if the game is
    /// truncated.
    pub fn state(&self) -> &G::State {
        &self.now.state
    }

    /// The seat to act; `None` if the game is over or truncated.
    pub fn seat(&self) -> Option<Seat> {
        match self.game.node(&self.now.state) {
            Node::Decision(seat) => Some(seat),
            Node::Chance(_) | Node::Terminal => None,
        }
    }

    /// The legal actions of the seat to act; empty if the game is over or truncated.
    #[inline]
    pub fn legal_actions(&self) -> ActionMask {
        self.legal
    }

    /// Writes the observation of `seat` into `out`.
    ///
    /// # Panics
    /// If the length of `out` is not [`crate::game::Spec::observation`].
    pub fn observe(&self, seat: Seat, out: &mut [f32]) {
        self.game.observe(&self.now.state, seat, out);
    }

    /// Whether the game is over by its rules.
    pub fn is_terminated(&self) -> bool {
        self.game.node(&self.now.state) == Node::Terminal
    }

    /// Whether the game was truncated at the turn limit.
    pub fn is_truncated(&self) -> bool {
        self.now.turns > self.game.spec().turn_limit && !self.is_terminated()
    }

    /// The number of turns that have begun so far. A further throw after a move counts as a turn.
    pub fn turns(&self) -> u32 {
        self.now.turns
    }

    /// The outcomes of all throws since the last [`Env::step`] or [`Env::reset`], in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The number of throws since the environment was built, over all its games.
    pub fn throws(&self) -> u64 {
        self.now.throws
    }
}
