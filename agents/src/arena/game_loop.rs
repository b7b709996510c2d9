//! The game loop of the arena: many games side by side, block by block.
//!
//! A game is a pure function of the seed, its block and its seating, given the agents. This module plays; statistics
//! are left to its callers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use ashta_env::game::{Action, BySeat, Game, Node, Outcome, Payoff, Seat, SeatSet};
use rand::SeedableRng;

use super::MatchSetup;
use super::seating::Seating;
use crate::play::agent::{Agent, GameRng};
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By the rules.
    Finished,
    /// It reached the turn limit; it is left out of all scores.
    Truncated,
    /// The contestant of this seat failed.
    Forfeited(Seat, Fault),
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

/// The context shared by all games of a meeting.
pub(super) struct GamesUnderWay<'a, 'm, G: Game> {
    pub(super) meeting: &'a MatchSetup<'m, G>,
    pub(super) seed: u64,
    /// The sides of the game.
    pub(super) sides: &'a [SeatSet],
}

/// One game in play.
struct GameUnderWay<S> {
    game: PlayedGame<S>,
    state: S,
    throws: SeededThrows,
    clock: TurnClock,
    rng: GameRng,
    /// The turn under way: whose it is, the position before its first throw, and after its last.
    turn: Option<(Seat, S, S)>,
}

/// The blocks in play: for each the results of its games, by their numbers.
type OpenBlocks<T> = BTreeMap<u64, Vec<Option<T>>>;

/// The reason that a table waits.
enum Halt {
    Decision(Seat),
    End(Ending),
}

impl<G: Game> GamesUnderWay<'_, '_, G> {
    /// Plays the blocks that `take_block` hands out, at least `batch` games at a time while there are that many. Each
    /// game is studied when it is over, and the results are handed on block by block until the receiver breaks. When
    /// play is stopped, games under way are dropped, also those in which a contestant has just failed.
    pub(super) fn play<T>(
        &self,
        contestants: &mut [Box<dyn Contestant<G> + '_>],
        batch: usize,
        take_block: &dyn Fn() -> Option<u64>,
        study: &mut dyn FnMut(PlayedGame<G::State>) -> T,
        hand_on: &mut dyn FnMut(u64, Vec<T>) -> ControlFlow<()>,
    ) {
        let mut tables: Vec<GameUnderWay<G::State>> = Vec::new();
        let mut blocks: OpenBlocks<T> = BTreeMap::new();
        loop {
            while tables.len() < batch.max(1) {
                let Some(block) = take_block() else { break };
                let seatings = (self.meeting.seatings)(block);
                blocks.insert(block, seatings.iter().map(|_| None).collect());
                tables.extend(seatings.into_iter().enumerate().map(|(leg, seating)| self.set_up(block, leg, seating)));
            }
            if tables.is_empty() || (self.meeting.is_stopped)() {
                return;
            }
            let mut asked: Vec<Vec<usize>> = vec![Vec::new(); contestants.len()];
            let mut place = 0;
            while place < tables.len() {
                match self.throw_on(&mut tables[place]) {
                    Halt::Decision(seat) => {
                        let agent = tables[place].game.seating.agent(seat).expect("a seat that plays has an agent");
                        asked[agent].push(place);
                        place += 1;
                    }
                    Halt::End(ending) => {
                        let table = tables.swap_remove(place);
                        if self.close(table, ending, &mut blocks, study, hand_on).is_break() {
                            return;
                        }
                    }
                }
            }
            let mut failed = Vec::new();
            for (agent, places) in asked.iter().enumerate() {
                let contestant = &mut *contestants[agent];
                failed.extend(self.ask(contestant, &mut tables, places));
            }
            if (self.meeting.is_stopped)() {
                return;
            }
            // From the last place on, so that the places of the others stay what they are.
            failed.sort_by_key(|&(place, _)| std::cmp::Reverse(place));
            for (place, fault) in failed {
                let table = tables.swap_remove(place);
                let Node::Decision(seat) = self.meeting.game.node(&table.state) else { unreachable!("it was asked") };
                if self.close(table, Ending::Forfeited(seat, fault), &mut blocks, study, hand_on).is_break() {
                    return;
                }
            }
        }
    }

    fn set_up(&self, block: u64, leg: usize, seating: Seating) -> GameUnderWay<G::State> {
        let seed = derived_seed(self.seed, block);
        let seats = self.meeting.game.spec().seats;
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
                ending: Ending::Finished,
                returns: BySeat::default(),
            },
            state: self.meeting.game.initial_state(first),
            throws: SeededThrows::new(derived_seed(seed, 1)),
            clock: TurnClock::default(),
            rng: GameRng::seed_from_u64(derived_seed(seed, 2)),
            turn: None,
        }
    }

    /// Throws until a seat has to decide or the game is over.
    fn throw_on(&self, table: &mut GameUnderWay<G::State>) -> Halt {
        loop {
            match self.meeting.game.node(&table.state) {
                Node::Terminal => {
                    end_turn(table);
                    return Halt::End(Ending::Finished);
                }
                Node::Decision(seat) => return Halt::Decision(seat),
                Node::Chance(seat) => {
                    let begins = table.clock.begins_turn(seat);
                    if begins {
                        end_turn(table);
                    }
                    if begins && table.clock.turns() >= self.meeting.game.spec().turn_limit {
                        return Halt::End(Ending::Truncated);
                    }
                    let start = table.turn.take().map_or_else(|| table.state.clone(), |(_, start, _)| start);
                    let (turn, throw) = table.clock.throw(seat);
                    let probabilities = self.meeting.game.chance_outcomes(&table.state);
                    let outcome = table.throws.draw(seat, turn, throw, probabilities);
                    self.meeting.game.apply_chance(&mut table.state, outcome);
                    table.game.moves.push(Move::Throw(outcome));
                    table.turn = Some((seat, start, table.state.clone()));
                }
            }
        }
    }

    /// Lets `contestant` choose at the tables at `places`; returns those where it failed.
    fn ask(
        &self,
        contestant: &mut (dyn Contestant<G> + '_),
        tables: &mut [GameUnderWay<G::State>],
        places: &[usize],
    ) -> Vec<(usize, Fault)> {
        if places.is_empty() {
            return Vec::new();
        }
        let states: Vec<G::State> = places.iter().map(|&place| tables[place].state.clone()).collect();
        let mut rngs: Vec<GameRng> = places.iter().map(|&place| tables[place].rng.clone()).collect();
        let choices = contestant.try_act(self.meeting.game, &states, &mut rngs);
        assert_eq!(choices.len(), places.len(), "a contestant answers for each state");
        let mut failed = Vec::new();
        for ((&place, choice), rng) in places.iter().zip(choices).zip(rngs) {
            let table = &mut tables[place];
            table.rng = rng;
            match choice {
                Ok(action) => {
                    table.clock.action();
                    table.game.moves.push(Move::Choice(action));
                    self.meeting.game.apply_action(&mut table.state, action);
                }
                Err(fault) => failed.push((place, fault)),
            }
        }
        failed
    }

    /// Ends a game, has it studied, and hands its block on when that was the last one of it.
    fn close<T>(
        &self,
        table: GameUnderWay<G::State>,
        ending: Ending,
        blocks: &mut OpenBlocks<T>,
        study: &mut dyn FnMut(PlayedGame<G::State>) -> T,
        hand_on: &mut dyn FnMut(u64, Vec<T>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut table = table;
        end_turn(&mut table);
        let returns = match &ending {
            Ending::Finished => self.meeting.game.returns(&table.state),
            Ending::Truncated => BySeat::default(),
            Ending::Forfeited(seat, _) => self.forfeited(*seat),
        };
        let turns_begun = table.clock.turns();
        let game = PlayedGame { turns_begun, ending, returns, ..table.game };
        let (block, leg) = (game.block, game.leg);
        let games = blocks.get_mut(&block).expect("the block of a table is open");
        games[leg] = Some(study(game));
        if games.iter().any(Option::is_none) {
            return ControlFlow::Continue(());
        }
        hand_on(block, blocks.remove(&block).into_iter().flatten().flatten().collect())
    }

    /// The returns when `seat` forfeits.
    fn forfeited(&self, seat: Seat) -> BySeat<f32> {
        let spec = self.meeting.game.spec();
        let all = match spec.payoff {
            Payoff::Winner | Payoff::Teams => 1.0,
            Payoff::Placings => self.sides.len() as f32 / 2.0,
        };
        let share = all / (self.sides.len() - 1) as f32;
        let mut returns = BySeat::default();
        for other in spec.seats.iter().filter(|&other| !spec.teams[seat].contains(other)) {
            returns[other] = share;
        }
        returns
    }
}

/// Notes the turn that has come to its end, if there was one.
fn end_turn<S: Clone>(table: &mut GameUnderWay<S>) {
    let Some((seat, start, thrown)) = table.turn.take() else { return };
    table.game.turns.push(PlayedTurn { seat, start, thrown, end: table.state.clone() });
}
