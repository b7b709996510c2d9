//! The game loop of the arena: plays many games at the same time, in blocks.
//!
//! For given agents, a game is a pure function of the seed, its block and its seating. This module
//! plays games; its callers compute statistics.

use std::ops::ControlFlow;

use ashta_env::{
    chance,
    game::{Action, BySeat, Game, Node, Outcome, Payoff, Seat, Spec},
};
use rand::SeedableRng;
use serde::{Deserialize, Serialize};

use super::{
    MatchConfig, MatchSetup,
    seating::{Seating, sides},
};
use crate::play::{
    agent::{Agent, GameRng, deciding_seat},
    throws::{SeededThrows, TurnClock, derived_seed},
};

/// A participant: an agent, or a player that can fail, such as an external engine.
pub trait Contestant<G: Game> {
    /// Returns a legal action or a fault of the contestant for each of `states`, which must be
    /// decisions. `rngs` has a generator for each state, as in [`Agent::act`].
    fn try_act(
        &mut self,
        game: &G,
        states: &[G::State],
        rngs: &mut [GameRng],
    ) -> Vec<Result<Action, Fault>>;
}

impl<G: Game> Contestant<G> for Box<dyn Agent<G> + Send + '_> {
    fn try_act(
        &mut self,
        game: &G,
        states: &[G::State],
        rngs: &mut [GameRng],
    ) -> Vec<Result<Action, Fault>> {
        self.act(game, states, rngs).into_iter().map(Ok).collect()
    }
}

/// The reason why a contestant forfeits (loses) a game, as a message for people.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// A throw or a choice in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// A throw.
    Throw(Outcome),
    /// A choice.
    Choice(Action),
}

/// The ending of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The game ended by the rules.
    Finished,
    /// The game reached the turn limit; it does not count in scores.
    Truncated,
    /// The contestant of this seat failed.
    Forfeited {
        /// The letter of the seat.
        seat: char,
        /// The reason.
        reason: String,
    },
    /// The game was not played to its end.
    #[default]
    Open,
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The number of its block, from 0.
    pub block: u64,
    /// Its number in the block, from 0.
    pub leg: usize,
    /// The agent of each seat.
    pub seating: Seating,
    /// The seat that threw first.
    pub first: Seat,
    /// All throws and choices, in order.
    pub moves: Vec<Move>,
    /// Number of turns that were begun.
    pub turns: u32,
    /// Its ending.
    pub ending: Ending,
    /// The return of each seat, 0 to 1; zeros for a truncated game. If a seat forfeits, its side
    /// gets 0, and the other sides share the total equally.
    pub returns: BySeat<f32>,
}

struct GameInPlay<S> {
    game: PlayedGame,
    state: S,
    throws: SeededThrows,
    clock: TurnClock,
    rng: GameRng,
}

impl<G: Game> MatchSetup<'_, G> {
    /// Plays the blocks that `take_block` returns, each with its seatings, at least `config.batch`
    /// games at the same time while blocks are left. `finish` receives each game that has ended;
    /// when `finish` breaks, play ends. When play is stopped, unfinished games are dropped, even if
    /// a contestant has just failed in them.
    pub(super) fn play(
        &self,
        config: &MatchConfig,
        take_block: &dyn Fn() -> Option<(u64, Vec<Seating>)>,
        finish: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) {
        let mut contestants = (self.contestants)();
        let mut games: Vec<GameInPlay<G::State>> = Vec::new();
        loop {
            while games.len() < config.batch.max(1) {
                let Some((block, seatings)) = take_block() else {
                    break;
                };
                let seed = derived_seed(config.seed, block);
                let begin = |(leg, seating)| self.begin_game(seed, block, leg, seating);
                games.extend(seatings.into_iter().enumerate().map(begin));
            }
            if games.is_empty() || (self.is_stopped)() {
                return;
            }
            // For each contestant, the indices of the games in which it must choose.
            let mut choosing: Vec<Vec<usize>> = vec![Vec::new(); contestants.len()];
            let mut index = 0;
            while index < games.len() {
                if let Some(seat) = self.throw_dice(&mut games[index]) {
                    let agent = games[index]
                        .game
                        .seating
                        .agent(seat)
                        .expect("a seat that plays has an agent");
                    choosing[agent].push(index);
                    index += 1;
                } else if finish(games.swap_remove(index).game).is_break() {
                    return;
                }
            }
            for (contestant, indices) in contestants.iter_mut().zip(&choosing) {
                self.choose(&mut **contestant, &mut games, indices);
            }
            if (self.is_stopped)() {
                return;
            }
            // In descending order, because `swap_remove` only moves games with larger indices.
            for index in (0..games.len()).rev() {
                let has_ended = games[index].game.ending != Ending::Open;
                if has_ended && finish(games.swap_remove(index).game).is_break() {
                    return;
                }
            }
        }
    }

    /// Plays a game again: with the first seat and the throws of `seed`, the seed of the match, and
    /// with the choices of `record`. The result ends before the first choice that is missing or
    /// illegal.
    pub(crate) fn replay(&self, seed: u64, record: &PlayedGame) -> PlayedGame {
        let mut choices = record.moves.iter().filter_map(|made| match made {
            Move::Choice(action) => Some(*action),
            Move::Throw(_) => None,
        });
        let seed = derived_seed(seed, record.block);
        let mut current = self.begin_game(seed, record.block, record.leg, record.seating);
        while self.throw_dice(&mut current).is_some() {
            let legal = self.game.legal_actions(&current.state);
            let Some(action) = choices.next().filter(|&action| legal.contains(action)) else {
                break;
            };
            self.apply(&mut current, action);
        }
        current.game
    }

    fn apply(&self, current: &mut GameInPlay<G::State>, action: Action) {
        current.clock.action();
        current.game.moves.push(Move::Choice(action));
        self.game.apply_action(&mut current.state, action);
    }

    fn begin_game(
        &self,
        seed: u64,
        block: u64,
        leg: usize,
        seating: Seating,
    ) -> GameInPlay<G::State> {
        let seats = self.game.spec().seats;
        let index = derived_seed(seed, 0) % seats.len() as u64;
        let first = seats
            .iter()
            .nth(index as usize)
            .expect("an index below the number of seats");
        GameInPlay {
            game: PlayedGame {
                block,
                leg,
                seating,
                first,
                moves: Vec::new(),
                turns: 0,
                ending: Ending::Open,
                returns: BySeat::default(),
            },
            state: self.game.initial_state(first),
            throws: SeededThrows::new(derived_seed(seed, 1)),
            clock: TurnClock::default(),
            rng: GameRng::seed_from_u64(derived_seed(seed, 2)),
        }
    }

    /// Throws the dice until a seat has to decide or the game has ended. Returns the deciding seat.
    fn throw_dice(&self, current: &mut GameInPlay<G::State>) -> Option<Seat> {
        let GameInPlay {
            game,
            state,
            throws,
            clock,
            ..
        } = current;
        let decides = chance::throw_dice(self.game, state, |state, seat| {
            if clock.begins_turn(seat) && clock.turns() >= self.game.spec().turn_limit {
                return None;
            }
            let (number, throw) = clock.throw(seat);
            let outcome = throws.draw(seat, number, throw, self.game.chance_outcomes(state));
            game.moves.push(Move::Throw(outcome));
            Some(outcome)
        });
        game.turns = clock.turns();
        match self.game.node(state) {
            Node::Decision(_) => {}
            Node::Chance(_) => game.ending = Ending::Truncated,
            Node::Terminal => {
                game.ending = Ending::Finished;
                game.returns = self.game.returns(state);
            }
        }
        decides
    }

    /// Lets `contestant` choose in the games at `indices`; a fault of the contestant ends the game
    /// in which it happens.
    fn choose(
        &self,
        contestant: &mut (dyn Contestant<G> + '_),
        games: &mut [GameInPlay<G::State>],
        indices: &[usize],
    ) {
        if indices.is_empty() {
            return;
        }
        let states: Vec<G::State> = indices
            .iter()
            .map(|&index| games[index].state.clone())
            .collect();
        let mut rngs: Vec<GameRng> = indices
            .iter()
            .map(|&index| games[index].rng.clone())
            .collect();
        let choices = contestant.try_act(self.game, &states, &mut rngs);
        assert_eq!(
            choices.len(),
            indices.len(),
            "a contestant returns one result for each state"
        );
        for ((&index, choice), rng) in indices.iter().zip(choices).zip(rngs) {
            let current = &mut games[index];
            current.rng = rng;
            match choice {
                Ok(action) => self.apply(current, action),
                Err(Fault(reason)) => {
                    let seat = deciding_seat(self.game, &current.state);
                    current.game.ending = Ending::Forfeited {
                        seat: seat.letter(),
                        reason,
                    };
                    current.game.returns = forfeit_returns(self.game.spec(), seat);
                }
            }
        }
    }
}

/// The returns if `seat` forfeits: see [`PlayedGame::returns`].
pub(super) fn forfeit_returns(spec: &Spec, seat: Seat) -> BySeat<f32> {
    let sides = sides(spec).len() as f32;
    let total = if spec.payoff == Payoff::Placings {
        sides / 2.0
    } else {
        1.0
    };
    let share = total / (sides - 1.0);
    let mut returns = BySeat::default();
    for other in spec
        .seats
        .iter()
        .filter(|&other| !spec.teams[seat].contains(other))
    {
        returns[other] = share;
    }
    returns
}
