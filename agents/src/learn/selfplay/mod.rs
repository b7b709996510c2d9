//! Self-play with TD(λ) targets: games of a one-ply agent against itself, and luck-corrected value targets of them.
//!
//! Many games are played in lock-step, so that the evaluator runs on large batches. At the start of each turn it values
//! the afterstates (results of the turn) of every likely throw and of one that stands for the rare ones. The
//! expectation of the best afterstate over the throws is the value before the dice; the difference that the actual
//! throw makes is luck. [`targets`] computes the TD(λ) targets from these values and takes out the luck.
//!
//! A player that compares values also needs the values of afterstates that it does not choose, and good play never
//! reaches those. So some turns are played at random (exploration), and some of the rejected afterstates are continued
//! for a few turns as side branches. No return is backed up beyond a random turn.
//!
//! Values are indexed by seat throughout, so extra turns, teams and more than two seats need no special case. Each game
//! has its own seed: what is played depends neither on threads nor on how many games run side by side.

mod record;
mod targets;
mod turn;

use ashta_env::chance::{self, GameRng};
use ashta_env::game::{BySeat, Game, Node};
use rand::Rng;

use crate::learn::config::{SelfPlayConfig, TrainConfig};
use crate::play::agent::unit;
use crate::play::evaluator::Evaluator;
use turn::SelfPlayTurn;

pub use record::{GameCounts, GameRecord, PolicyTarget, TrainingPosition, Trajectory, TurnEstimate, TurnTarget};
pub use targets::{TargetRule, fit_luck};

/// Plays the games with the numbers `games` of the run seeded with `seed`, by the one-ply choice of `evaluator`, and
/// returns their records in order.
pub fn play_games<G: Game, E: Evaluator<G>>(
    game: &G,
    evaluator: &mut E,
    config: &TrainConfig,
    seed: u64,
    games: std::ops::Range<u64>,
) -> Vec<GameRecord<G::State>> {
    let mut records: Vec<GameRecord<G::State>> = Vec::new();
    let mut waiting = games.clone();
    let mut playing: Vec<UnderWay<G>> = Vec::new();
    let mut turns: Vec<SelfPlayTurn<G>> = Vec::new();
    let (mut results, mut values) = (Vec::new(), Vec::new());
    loop {
        while playing.len() < LOCK_STEP {
            let Some(number) = waiting.next() else { break };
            let (game, record) = UnderWay::start(game, &config.selfplay, seed, number);
            records.push(record);
            playing.push(game);
        }
        if playing.is_empty() {
            return records;
        }
        results.clear();
        turns.resize_with(playing.len(), SelfPlayTurn::default);
        for (under_way, turn) in playing.iter_mut().zip(&mut turns) {
            turn.throw(game, config, under_way, &mut results);
        }
        values.clear();
        evaluator.values(game, &results, &mut values);
        for (under_way, turn) in playing.iter_mut().zip(&mut turns) {
            turn.play(game, config, under_way, &results, &values);
        }
        let mut branches = Vec::new();
        playing.retain_mut(|under_way| {
            for start in std::mem::take(&mut under_way.branches) {
                let rng = chance::stream(under_way.rng.next_u64(), under_way.number);
                branches.push(UnderWay::of(start, under_way.number, rng, config.selfplay.branch_turns));
            }
            let is_over = game.node(&under_way.state) == Node::Terminal;
            let limit = under_way.limit.min(game.spec().turn_limit);
            let is_truncated = !is_over && under_way.line.turns.len() as u32 >= limit;
            if !is_over && !is_truncated {
                return true;
            }
            let record = &mut records[(under_way.number - games.start) as usize];
            let mut line = std::mem::replace(&mut under_way.line, Trajectory::new(under_way.state.clone()));
            line.end = match line.turns.last() {
                // A truncated game has no result: its targets bootstrap from the value of its last position.
                Some(last) if is_truncated => last.best,
                _ => game.returns(&under_way.state),
            };
            if under_way.is_main {
                record.main = line;
                record.returns = game.returns(&under_way.state);
                record.truncated = is_truncated;
            } else {
                record.branches.push(line);
            }
            false
        });
        playing.append(&mut branches);
    }
}

/// Games that one call plays side by side.
const LOCK_STEP: usize = 64;

/// One game while it is played; between turns `state` is the chance node at which a turn starts.
struct UnderWay<G: Game> {
    number: u64,
    rng: GameRng,
    state: G::State,
    line: Trajectory<G::State>,
    /// Turns after which it is truncated.
    limit: u32,
    /// Whether this is the game, not a side branch of it.
    is_main: bool,
    /// Afterstates of the last turn that were not chosen and start side branches.
    branches: Vec<G::State>,
    /// Turns still to be played at random.
    random_turns: u32,
}

impl<G: Game> UnderWay<G> {
    fn start(game: &G, config: &SelfPlayConfig, seed: u64, number: u64) -> (UnderWay<G>, GameRecord<G::State>) {
        let mut rng = chance::stream(seed, number);
        let first = chance::first_seat(game.spec().seats, &mut rng);
        let is_random = f64::from(unit(&mut rng)) < config.random_start_share && config.random_start_turns > 0;
        let random_turns =
            if is_random { 1 + chance::below(config.random_start_turns as usize, &mut rng) as u32 } else { 0 };
        let under_way = UnderWay::of(game.initial_state(first), number, rng, config.turn_limit);
        let main = under_way.line.clone();
        let (branches, returns, truncated) = (Vec::new(), BySeat::default(), false);
        let record = GameRecord { seed, number, first, main, branches, returns, truncated };
        (UnderWay { is_main: true, random_turns, ..under_way }, record)
    }

    /// A side branch of at most `limit` turns from `state`.
    fn of(state: G::State, number: u64, rng: GameRng, limit: u32) -> UnderWay<G> {
        let line = Trajectory::new(state.clone());
        UnderWay { number, rng, state, line, limit, is_main: false, branches: Vec::new(), random_turns: 0 }
    }
}

#[cfg(test)]
mod tests;
