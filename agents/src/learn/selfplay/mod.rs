//! Self-play with TD(λ) targets: games of a one-ply agent against itself, and their luck-corrected
//! value targets.
//!
//! Many games are played in lockstep (each plays one turn at the same time), so that the evaluator
//! gets large batches. In each turn, the evaluator evaluates the afterstates (possible positions
//! after the turn) of every likely throw and of one random throw that represents all rare throws.
//! The expected value of the turn is the mean value of the best afterstate over these throws,
//! weighted by their probabilities. The luck of the throw is the value of its best afterstate minus
//! the expected value. `targets` computes the TD(λ) targets from these values and removes the luck.
//!
//! An agent that compares values also needs the values of afterstates that good play never reaches.
//! So some turns are random (exploration), and side branches continue from some rejected
//! afterstates for a few turns. Targets ignore the values after a random turn.
//!
//! All values are stored for each seat, so extra turns, teams and more than two seats need no
//! special case. Each game has its own seed, so a game depends neither on the number of threads nor
//! on the number of games in lockstep.

mod record;
mod targets;
mod turn;

use ashta_env::{
    chance::{self, GameRng},
    game::{BySeat, Game, Node},
    turn::TurnResults,
};
use rand::Rng;

use crate::{
    learn::config::{SelfPlayConfig, TrainConfig},
    play::{agent::random_unit, evaluator::Evaluator},
};
use turn::SelfPlayTurn;

pub use record::{
    GameCounts, GameRecord, PolicyTarget, TrainingPosition, Trajectory, TurnEstimate, TurnTarget,
};
pub use targets::{TargetRule, fit_luck};

/// Plays the games with the numbers `games` in the run with the seed `seed`, and returns their
/// records in order. Except in random turns, all seats choose the afterstate with the highest value
/// by `evaluator`.
pub fn play_games<G: Game, E: Evaluator<G>>(
    game: &G,
    evaluator: &mut E,
    config: &TrainConfig,
    seed: u64,
    games: std::ops::Range<u64>,
) -> Vec<GameRecord<G::State>> {
    let mut records: Vec<GameRecord<G::State>> = Vec::new();
    let mut waiting = games.clone();
    let mut playing: Vec<RunningGame<G>> = Vec::new();
    let (mut scratch, mut results, mut values) = (TurnResults::new(), Vec::new(), Vec::new());
    loop {
        while playing.len() < LOCK_STEP {
            let Some(number) = waiting.next() else { break };
            let (game, record) = RunningGame::start(game, &config.selfplay, seed, number);
            records.push(record);
            playing.push(game);
        }
        if playing.is_empty() {
            return records;
        }
        results.clear();
        let throw =
            |running| SelfPlayTurn::throw(game, config, running, &mut scratch, &mut results);
        let turns: Vec<SelfPlayTurn<G>> = playing.iter_mut().map(throw).collect();
        values.clear();
        evaluator.values(game, &results, &mut values);
        for (running, turn) in playing.iter_mut().zip(turns) {
            turn.play(game, config, running, &results, &values);
        }
        let mut branches = Vec::new();
        playing.retain_mut(|running| {
            for start in std::mem::take(&mut running.branches) {
                let rng = chance::stream(running.rng.next_u64(), running.number);
                branches.push(RunningGame::of(
                    start,
                    running.number,
                    rng,
                    config.selfplay.branch_turns,
                ));
            }
            let is_over = game.node(&running.state) == Node::Terminal;
            let limit = running.limit.min(game.spec().turn_limit);
            let is_truncated = !is_over && running.line.turns.len() as u32 >= limit;
            if !is_over && !is_truncated {
                return true;
            }
            let record = &mut records[(running.number - games.start) as usize];
            let mut line =
                std::mem::replace(&mut running.line, Trajectory::new(running.state.clone()));
            line.end = match line.turns.last() {
                // A truncated game has no result, so its targets bootstrap from the value of its
                // last position.
                Some(last) if is_truncated => last.best,
                _ => game.returns(&running.state),
            };
            if running.is_main {
                record.main = line;
                record.returns = game.returns(&running.state);
                record.truncated = is_truncated;
            } else {
                record.branches.push(line);
            }
            false
        });
        playing.append(&mut branches);
    }
}

/// Number of games in lockstep.
const LOCK_STEP: usize = 64;

/// An unfinished game or side branch. Between turns, `state` is the chance node at which a turn
/// starts.
struct RunningGame<G: Game> {
    number: u64,
    rng: GameRng,
    state: G::State,
    line: Trajectory<G::State>,
    /// The game or side branch is truncated after this many turns.
    limit: u32,
    /// Whether this is a game, not a side branch.
    is_main: bool,
    /// The rejected afterstates of the last turn from which side branches start.
    branches: Vec<G::State>,
    /// The number of random turns that are left.
    random_turns: u32,
}

impl<G: Game> RunningGame<G> {
    fn start(
        game: &G,
        config: &SelfPlayConfig,
        seed: u64,
        number: u64,
    ) -> (RunningGame<G>, GameRecord<G::State>) {
        let mut rng = chance::stream(seed, number);
        let first = chance::first_seat(game.spec().seats, &mut rng);
        let is_random = f64::from(random_unit(&mut rng)) < config.random_start_share
            && config.random_start_turns > 0;
        let random_turns = if is_random {
            1 + chance::below(config.random_start_turns as usize, &mut rng) as u32
        } else {
            0
        };
        let running = RunningGame::of(game.initial_state(first), number, rng, config.turn_limit);
        let main = running.line.clone();
        let (branches, returns, truncated) = (Vec::new(), BySeat::default(), false);
        let record = GameRecord {
            seed,
            number,
            first,
            main,
            branches,
            returns,
            truncated,
        };
        (
            RunningGame {
                is_main: true,
                random_turns,
                ..running
            },
            record,
        )
    }

    /// A side branch of at most `limit` turns from `state`.
    fn of(state: G::State, number: u64, rng: GameRng, limit: u32) -> RunningGame<G> {
        let line = Trajectory::new(state.clone());
        RunningGame {
            number,
            rng,
            state,
            line,
            limit,
            is_main: false,
            branches: Vec::new(),
            random_turns: 0,
        }
    }
}

#[cfg(test)]
mod tests;
