//! The game loop of the arena: many games side by side, block by block.
//!
//! A game is a pure function of the seed, its block and its seating, given the agents. This module plays; statistics
//! are left to its callers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use ashta_env::chance;
use ashta_env::game::{Action, BySeat, Game, Node, Outcome, Payoff, Seat};
use rand::SeedableRng;
use serde::{Deserialize, Serialize};

use super::seating::{Seating, sides};
use super::{MatchConfig, MatchSetup};
use crate::play::agent::{Agent, GameRng, deciding_seat};
use crate::play::throws::{SeededThrows, TurnClock, derived_seed};

/// A participant: an agent, or a player that can fail, such as an external engine.
pub trait Contestant<G: Game> {
    /// A legal action for each of `states`, which are decisions, or why there is none. `rngs` as for [`Agent::act`].
    fn try_act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Result<Action, Fault>>;
}

impl<G: Game> Contestant<G> for Box<dyn Agent<G> + Send + '_> {
    fn try_act(&mut self, game: &G, states: &[G::State], rngs: &mut [GameRng]) -> Vec<Result<Action, Fault>> {
        self.act(game, states, rngs).into_iter().map(Ok).collect()
    }
}

/// Why a contestant forfeits a game, as a sentence for people.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// An event of a game, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// A throw.
    Throw(Outcome),
    /// A choice.
    Choice(Action),
}

/// A turn that is over.
#[derive(Clone, Debug)]
pub struct PlayedTurn<S> {
    /// The seat whose turn it was.
    pub seat: Seat,
    /// The position before its first throw.
    pub start: S,
    /// The position after its last throw: a decision, or the end of the turn where there was nothing to decide.
    pub thrown: S,
    /// The position at its end.
    pub end: S,
}

/// The ending of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By the rules.
    Finished,
    /// It reached the turn limit; it is left out of all scores.
    Truncated,
    /// The contestant of this seat failed.
    Forfeited {
        /// The letter of the seat.
        seat: char,
        /// The reason.
        reason: String,
    },
    /// It was not played to its end.
    #[default]
    Open,
}

/// A game that is over.
#[derive(Clone, Debug)]
pub struct PlayedGame<S> {
    /// The block it belongs to, from 0.
    pub block: u64,
    /// Its number in the block, from 0.
    pub leg: usize,
    /// The agents by seat.
    pub seating: Seating,
    /// The seat that threw first.
    pub first: Seat,
    /// Everything that happened.
    pub moves: Vec<Move>,
    /// The turns; the last one of a forfeited game ends where it was given up.
    pub turns: Vec<PlayedTurn<S>>,
    /// Turns that were begun.
    pub turns_begun: u32,
    /// Its ending.
    pub ending: Ending,
    /// The return of each seat, 0 to 1; zeros for a truncated game. A seat that forfeits gets 0, and the others equal
    /// parts of the total.
    pub returns: BySeat<f32>,
}

/// One game in play.
struct GameUnderWay<S> {
    game: PlayedGame<S>,
    state: S,
    throws: SeededThrows,
    clock: TurnClock,
    rng: GameRng,
    turn: Option<OpenTurn<S>>,
}

/// The turn under way: its seat, the position before its first throw, and the position in which the seat has to decide.
type OpenTurn<S> = (Seat, S, Option<S>);

/// The blocks in play: for each the results of its games, by their numbers.
type OpenBlocks<T> = BTreeMap<u64, Vec<Option<T>>>;

impl<G: Game> MatchSetup<'_, G> {
    /// Plays the blocks that `take_block` hands out, at least as many games at a time as a batch of `config` has, while
    /// there are that many. Each game is studied when it is over, and the results are handed on block by block until
    /// the receiver breaks. When play is stopped, games under way are dropped, also those in which a contestant has
    /// just failed.
    pub(super) fn play<T>(
        &self,
        config: &MatchConfig,
        take_block: &dyn Fn() -> Option<u64>,
        study: &mut dyn FnMut(PlayedGame<G::State>) -> T,
        hand_on: &dyn Fn(u64, Vec<T>) -> ControlFlow<()>,
    ) {
        let mut contestants: Vec<_> = self.contestants.iter().map(|make| make()).collect();
        let mut tables: Vec<GameUnderWay<G::State>> = Vec::new();
        let mut blocks: OpenBlocks<T> = BTreeMap::new();
        loop {
            while tables.len() < config.batch.max(1) {
                let Some(block) = take_block() else { break };
                let seatings = (self.seatings)(block);
                blocks.insert(block, seatings.iter().map(|_| None).collect());
                let seed = derived_seed(config.seed, block);
                let set_up = |(leg, seating)| self.set_up(seed, block, leg, seating);
                tables.extend(seatings.into_iter().enumerate().map(set_up));
            }
            if tables.is_empty() || (self.is_stopped)() {
                return;
            }
            let mut asked: Vec<Vec<usize>> = vec![Vec::new(); contestants.len()];
            let mut place = 0;
            while place < tables.len() {
                if let Some(seat) = self.throw_on(&mut tables[place]) {
                    let agent = tables[place].game.seating.agent(seat).expect("a seat that plays has an agent");
                    asked[agent].push(place);
                    place += 1;
                } else if close(tables.swap_remove(place), &mut blocks, study, hand_on).is_break() {
                    return;
                }
            }
            for (contestant, places) in contestants.iter_mut().zip(&asked) {
                self.ask(&mut **contestant, &mut tables, places);
            }
            if (self.is_stopped)() {
                return;
            }
            // From the last place on, so that the places of the others stay what they are.
            for place in (0..tables.len()).rev() {
                let has_ended = tables[place].game.ending != Ending::Open;
                if has_ended && close(tables.swap_remove(place), &mut blocks, study, hand_on).is_break() {
                    return;
                }
            }
        }
    }

    fn set_up(&self, seed: u64, block: u64, leg: usize, seating: Seating) -> GameUnderWay<G::State> {
        let seats = self.game.spec().seats;
        let place = derived_seed(seed, 0) % seats.len() as u64;
        let first = seats.iter().nth(place as usize).expect("a place below the number of seats");
        GameUnderWay {
            game: PlayedGame {
                block,
                leg,
                seating,
                first,
                moves: Vec::new(),
                turns: Vec::new(),
                turns_begun: 0,
                ending: Ending::Open,
                returns: BySeat::default(),
            },
            state: self.game.initial_state(first),
            throws: SeededThrows::new(derived_seed(seed, 1)),
            clock: TurnClock::default(),
            rng: GameRng::seed_from_u64(derived_seed(seed, 2)),
            turn: None,
        }
    }

    /// Throws until a seat has to decide, which is returned, or the game has ended.
    fn throw_on(&self, table: &mut GameUnderWay<G::State>) -> Option<Seat> {
        let GameUnderWay { game, state, throws, clock, turn, .. } = table;
        let decides = chance::throw_dice(self.game, state, |state, seat| {
            if clock.begins_turn(seat) {
                end_turn(game, turn, state);
                if clock.turns() >= self.game.spec().turn_limit {
                    return None;
                }
                *turn = Some((seat, state.clone(), None));
            }
            let (number, throw) = clock.throw(seat);
            let outcome = throws.draw(seat, number, throw, self.game.chance_outcomes(state));
            game.moves.push(Move::Throw(outcome));
            Some(outcome)
        });
        if decides.is_some() {
            turn.iter_mut().for_each(|(.., thrown)| _ = thrown.get_or_insert_with(|| state.clone()));
        } else if self.game.node(state) == Node::Terminal {
            game.ending = Ending::Finished;
            game.returns = self.game.returns(state);
        } else {
            game.ending = Ending::Truncated;
        }
        decides
    }

    /// Lets `contestant` choose at the tables at `places`; a game in which it fails has ended.
    fn ask(&self, contestant: &mut (dyn Contestant<G> + '_), tables: &mut [GameUnderWay<G::State>], places: &[usize]) {
        if places.is_empty() {
            return;
        }
        let states: Vec<G::State> = places.iter().map(|&place| tables[place].state.clone()).collect();
        let mut rngs: Vec<GameRng> = places.iter().map(|&place| tables[place].rng.clone()).collect();
        let choices = contestant.try_act(self.game, &states, &mut rngs);
        assert_eq!(choices.len(), places.len(), "a contestant answers for each state");
        for ((&place, choice), rng) in places.iter().zip(choices).zip(rngs) {
            let table = &mut tables[place];
            table.rng = rng;
            match choice {
                Ok(action) => {
                    table.clock.action();
                    table.game.moves.push(Move::Choice(action));
                    self.game.apply_action(&mut table.state, action);
                }
                Err(Fault(reason)) => {
                    let seat = deciding_seat(self.game, &table.state);
                    table.game.ending = Ending::Forfeited { seat: seat.letter(), reason };
                    table.game.returns = self.forfeited(seat);
                }
            }
        }
    }

    /// The returns when `seat` forfeits.
    fn forfeited(&self, seat: Seat) -> BySeat<f32> {
        let spec = self.game.spec();
        let sides = sides(spec).len() as f32;
        let all = match spec.payoff {
            Payoff::Winner | Payoff::Teams => 1.0,
            Payoff::Placings => sides / 2.0,
        };
        let share = all / (sides - 1.0);
        let mut returns = BySeat::default();
        for other in spec.seats.iter().filter(|&other| !spec.teams[seat].contains(other)) {
            returns[other] = share;
        }
        returns
    }
}

/// Has a game that has ended studied, and hands its block on when that was the last one of it.
fn close<S: Clone, T>(
    mut table: GameUnderWay<S>,
    blocks: &mut OpenBlocks<T>,
    study: &mut dyn FnMut(PlayedGame<S>) -> T,
    hand_on: &dyn Fn(u64, Vec<T>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    end_turn(&mut table.game, &mut table.turn, &table.state);
    let game = PlayedGame { turns_begun: table.clock.turns(), ..table.game };
    let (block, leg) = (game.block, game.leg);
    let games = blocks.get_mut(&block).expect("the block of a table is open");
    games[leg] = Some(study(game));
    if games.iter().any(Option::is_none) {
        return ControlFlow::Continue(());
    }
    hand_on(block, blocks.remove(&block).into_iter().flatten().flatten().collect())
}

/// Notes the turn that has come to its end, if there was one.
fn end_turn<S: Clone>(game: &mut PlayedGame<S>, turn: &mut Option<OpenTurn<S>>, end: &S) {
    let Some((seat, start, thrown)) = turn.take() else { return };
    let thrown = thrown.unwrap_or_else(|| end.clone());
    game.turns.push(PlayedTurn { seat, start, thrown, end: end.clone() });
}
