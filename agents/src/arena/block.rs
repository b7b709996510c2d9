//! The games of a match: many side by side, block by block.
//!
//! A game is a pure function of the match seed, its block and its leg (the seats that A takes), given the agents. This
//! module plays and counts; what the counts mean is the report's business.

use ashta_env::game::{Action, Game, Node, Seat, SeatSet};
use rand::SeedableRng;

use crate::agent::{Agent, GameRng};
use crate::throws::{Throws, TurnClock, derived_seed};

/// What came out of one block.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct BlockResult {
    /// Number of the block, from 0.
    pub(super) block: u64,
    /// A's score in each game, the mean return of its seats; nothing for truncated games.
    pub(super) scores: Vec<f64>,
    /// Games that A won, drew and lost against the best of the others.
    pub(super) wins_draws_losses: [u64; 3],
    /// Games that came to the cap of turns.
    pub(super) truncated: u64,
    /// Actions of all seats in all games.
    pub(super) decisions: u64,
    /// Turns of all seats in all games.
    pub(super) turns: u64,
}

/// A turn that is over.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a, S> {
    /// The block of the game.
    pub block: u64,
    /// The seats that A has in the game.
    pub side: SeatSet,
    /// The seat whose turn it was.
    pub seat: Seat,
    /// The position before its first throw.
    pub start: &'a S,
    /// The position after its last throw: a decision, or the end of the turn where there was nothing to decide.
    pub thrown: &'a S,
    /// The position at its end.
    pub end: &'a S,
}

/// Is told of every turn of a match, by the threads that play. The turns of a game come in their order.
pub type Watch<'a, S> = &'a (dyn Fn(&Turn<'_, S>) + Sync);

/// What all games of a match share.
pub(super) struct Match<'a, G: Game> {
    game: &'a G,
    sides: &'a [SeatSet],
    seed: u64,
    watch: Watch<'a, G::State>,
}

/// A block in play: its results and how many of its games are still missing.
struct OpenBlock {
    result: BlockResult,
    missing: usize,
}

/// One game in play.
struct Table<S> {
    block: u64,
    state: S,
    seats_of_a: SeatSet,
    throws: Throws,
    clock: TurnClock,
    rng: GameRng,
    decisions: u64,
    /// The turn under way: whose it is, the position before its first throw, and after its last.
    turn: Option<(Seat, S, S)>,
}

/// Why a table waits.
enum Stop {
    Decision(Seat),
    End,
    Truncated,
}

impl<'a, G: Game> Match<'a, G> {
    pub(super) fn new(game: &'a G, sides: &'a [SeatSet], seed: u64, watch: Watch<'a, G::State>) -> Match<'a, G> {
        Match { game, sides, seed, watch }
    }

    /// Plays the blocks that `take_block` hands out, at least `batch` games at a time while there are that many, and
    /// calls `tick` after each game. Blocks come back in the order in which they were finished.
    pub(super) fn play(
        &self,
        a: &mut (dyn Agent<G> + '_),
        b: &mut (dyn Agent<G> + '_),
        batch: usize,
        take_block: &dyn Fn() -> Option<u64>,
        tick: &dyn Fn(),
    ) -> Vec<BlockResult> {
        let mut tables: Vec<Table<G::State>> = Vec::new();
        let mut blocks: Vec<OpenBlock> = Vec::new();
        let mut finished = Vec::new();
        loop {
            while tables.len() < batch.max(1) {
                let Some(block) = take_block() else { break };
                tables.extend(self.sides.iter().map(|&side| self.set_up(block, side)));
                let result = BlockResult { block, ..BlockResult::default() };
                blocks.push(OpenBlock { result, missing: self.sides.len() });
            }
            if tables.is_empty() {
                return finished;
            }
            let (mut for_a, mut for_b) = (Vec::new(), Vec::new());
            let mut place = 0;
            while place < tables.len() {
                match self.throw_on(&mut tables[place]) {
                    Stop::Decision(seat) => {
                        let is_a = tables[place].seats_of_a.contains(seat);
                        if is_a {
                            for_a.push(place)
                        } else {
                            for_b.push(place)
                        }
                        place += 1;
                    }
                    stop => {
                        let table = tables.swap_remove(place);
                        let open = blocks.iter().position(|open| open.result.block == table.block);
                        let open = open.expect("the block of a table is open");
                        self.book(&table, matches!(stop, Stop::Truncated), &mut blocks[open]);
                        if blocks[open].missing == 0 {
                            finished.push(blocks.swap_remove(open).result);
                        }
                        tick();
                    }
                }
            }
            self.ask(a, &mut tables, &for_a);
            self.ask(b, &mut tables, &for_b);
        }
    }

    /// The game of `block` in which A has the seats of `side`.
    fn set_up(&self, block: u64, side: SeatSet) -> Table<G::State> {
        let seed = derived_seed(self.seed, block);
        let seats = self.game.spec().seats;
        let place = derived_seed(seed, 0) % seats.len() as u64;
        let first = seats.iter().nth(place as usize).expect("a place below the number of seats");
        Table {
            block,
            state: self.game.initial_state(first),
            seats_of_a: side,
            throws: Throws::new(derived_seed(seed, 1)),
            clock: TurnClock::new(),
            rng: GameRng::seed_from_u64(derived_seed(seed, 2)),
            decisions: 0,
            turn: None,
        }
    }

    /// Throws until somebody has to decide or the game is over.
    fn throw_on(&self, table: &mut Table<G::State>) -> Stop {
        loop {
            match self.game.node(&table.state) {
                Node::Terminal => {
                    self.end_turn(table);
                    return Stop::End;
                }
                Node::Decision(seat) => return Stop::Decision(seat),
                Node::Chance(seat) => {
                    let begins = table.clock.begins_turn(seat);
                    if begins {
                        self.end_turn(table);
                    }
                    if begins && table.clock.turns() >= self.game.spec().turn_cap {
                        return Stop::Truncated;
                    }
                    let start = table.turn.take().map_or_else(|| table.state.clone(), |(_, start, _)| start);
                    let (turn, throw) = table.clock.throw(seat);
                    let probabilities = self.game.chance_outcomes(&table.state);
                    let outcome = table.throws.draw(seat, turn, throw, probabilities);
                    self.game.apply_chance(&mut table.state, outcome);
                    table.turn = Some((seat, start, table.state.clone()));
                }
            }
        }
    }

    /// Tells of the turn that has come to its end, if there was one.
    fn end_turn(&self, table: &mut Table<G::State>) {
        let Some((seat, start, thrown)) = table.turn.take() else { return };
        let (block, side) = (table.block, table.seats_of_a);
        (self.watch)(&Turn { block, side, seat, start: &start, thrown: &thrown, end: &table.state });
    }

    /// Lets `agent` act on the tables at `places`.
    fn ask(&self, agent: &mut (dyn Agent<G> + '_), tables: &mut [Table<G::State>], places: &[usize]) {
        if places.is_empty() {
            return;
        }
        let states: Vec<G::State> = places.iter().map(|&place| tables[place].state.clone()).collect();
        let mut rngs: Vec<GameRng> = places.iter().map(|&place| tables[place].rng.clone()).collect();
        let actions: Vec<Action> = agent.act(self.game, &states, &mut rngs);
        assert_eq!(actions.len(), places.len(), "an agent returns one action for each state");
        for ((&place, action), rng) in places.iter().zip(actions).zip(rngs) {
            let table = &mut tables[place];
            table.rng = rng;
            table.decisions += 1;
            table.clock.action();
            self.game.apply_action(&mut table.state, action);
        }
    }

    /// Enters a finished game into its block.
    fn book(&self, table: &Table<G::State>, is_truncated: bool, open: &mut OpenBlock) {
        let result = &mut open.result;
        open.missing -= 1;
        result.decisions += table.decisions;
        result.turns += u64::from(table.clock.turns());
        if is_truncated {
            result.truncated += 1;
            return;
        }
        let returns = self.game.returns(&table.state);
        let of = |seat: Seat| f64::from(returns[seat]);
        let own = table.seats_of_a.iter().map(of).sum::<f64>() / table.seats_of_a.len() as f64;
        let others = self.game.spec().seats.iter().filter(|&seat| !table.seats_of_a.contains(seat));
        let best_other = others.map(of).fold(f64::NEG_INFINITY, f64::max);
        result.scores.push(own);
        let column = if own > best_other { 0 } else { usize::from(own < best_other) + 1 };
        result.wins_draws_losses[column] += 1;
    }
}
