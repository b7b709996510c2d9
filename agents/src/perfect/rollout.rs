//! Rollouts: the expected returns of positions, estimated by games that agents play from there.

use ashta_env::{
    chance::{self, GameRng},
    game::{BySeat, Game, Node, Seat},
};
use rand::SeedableRng;

use super::{exploit::EvaluatorMaker, solve::fold};
use crate::{
    arena::{MakeAgent, Move, SERIES_PROBABILITY, analyze_game, luck},
    play::{
        agent::Agent,
        evaluator::Evaluator,
        throws::{SeededThrows, TurnClock, derived_seed},
    },
};

/// The number of games from each position between two tests of the standard error.
const ROUND: u64 = 32;
/// The largest number of positions that a thread rolls out together.
const BLOCK: usize = 64;
/// The smallest standard error with values: about the precision of a table of 16 bits.
const PRECISION: f64 = 1e-5;

/// The settings of rollouts.
#[derive(Clone, Copy, Debug)]
pub struct RolloutConfig {
    /// The largest number of games from each position, at least 2.
    pub games: u64,
    /// Games end after this number of turns, and their last position is evaluated. With `None`,
    /// games are played to the end.
    pub turns: Option<u32>,
    /// When all standard errors of the means of a position are at most this number, no more games
    /// are played from it. With 0, all games are played.
    pub error: f64,
    /// The seed of throws. Game `i` has the same throws in each position.
    pub seed: u64,
    /// Number of threads; the results do not depend on it.
    pub threads: usize,
}

/// The result of the games from one position.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rollout {
    /// Number of games that count in the mean.
    pub games: u64,
    /// Number of games that were truncated at the turn limit. With values, they count with the
    /// value of their last position; without values, they do not count.
    pub truncated: u64,
    /// The mean return of each seat, minus its luck if there are values; NaN without a game that
    /// counts.
    pub mean: BySeat<f64>,
    /// The standard error of each mean; NaN without a game that counts. Without values, it is
    /// computed with a variance that is never 0.
    pub error: BySeat<f64>,
}

/// The sums of the results of one position.
#[derive(Clone, Default)]
struct Sums {
    games: f64,
    truncated: u64,
    mean: BySeat<f64>,
    squares: BySeat<f64>,
}

impl Sums {
    fn add(&mut self, result: BySeat<f64>) {
        self.games += 1.0;
        for seat in Seat::ALL {
            let change = result[seat] - self.mean[seat];
            self.mean[seat] += change / self.games;
            self.squares[seat] += change * (result[seat] - self.mean[seat]);
        }
    }

    /// `prior` is added to the sums of squares, so that equal results do not give the standard
    /// error 0.
    fn result(&self, prior: f64) -> Rollout {
        let error = |squares: f64| {
            ((squares + prior) / (self.games * (self.games - 1.0)).max(1.0))
                .sqrt()
                .max(PRECISION)
        };
        let (games, truncated) = (self.games as u64, self.truncated);
        if games == 0 {
            let nothing = BySeat([f64::NAN; 4]);
            return Rollout {
                games,
                truncated,
                mean: nothing,
                error: nothing,
            };
        }
        Rollout {
            games,
            truncated,
            mean: self.mean,
            error: BySeat(self.squares.0.map(error)),
        }
    }
}

/// A game that is played.
struct OpenGame<S> {
    /// The index of its position.
    position: usize,
    /// The seed of the game.
    seed: u64,
    /// The position before its first throw, and the moves from there.
    start: Option<S>,
    moves: Vec<Move>,
    state: S,
    clock: TurnClock,
    rng: GameRng,
}

/// Plays games from each of `states`, with the agents of `agent` on all seats, and returns the mean
/// results. Equal seeds give equal throws in all positions (common random numbers).
///
/// With `values`, the luck of the throws is subtracted (a control variate), and games that end
/// early have the value of their last position. Without `values`, such games do not count. When
/// `is_stopped` returns true, the function returns soon, and the results are meaningless.
pub fn rollout<G: Game>(
    game: &G,
    states: &[G::State],
    agent: MakeAgent<'_, '_, G>,
    values: Option<EvaluatorMaker<'_, G>>,
    config: &RolloutConfig,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Vec<Rollout> {
    let size = states.len().div_ceil(config.threads.max(1)).clamp(1, BLOCK);
    let blocks: Vec<&[G::State]> = states.chunks(size).collect();
    let start = || {
        let roller = Roller {
            game,
            agent: agent(),
            values: values.map(|make| make()),
            config,
            is_stopped,
        };
        (roller, Vec::new())
    };
    let folds = fold(
        blocks.len(),
        config.threads,
        start,
        |(roller, found), number| {
            found.push((number, roller.roll_out(blocks[number])));
        },
    );
    let mut found: Vec<(usize, Vec<Rollout>)> =
        folds.into_iter().flat_map(|(_, found)| found).collect();
    found.sort_by_key(|&(number, _)| number);
    found
        .into_iter()
        .flat_map(|(_, rollouts)| rollouts)
        .collect()
}

/// The work of one thread.
struct Roller<'a, G: Game> {
    game: &'a G,
    agent: Box<dyn Agent<G> + Send + 'a>,
    values: Option<Box<dyn Evaluator<G> + Send>>,
    config: &'a RolloutConfig,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl<G: Game> Roller<'_, G> {
    fn roll_out(&mut self, states: &[G::State]) -> Vec<Rollout> {
        // Without values, a result is a win or a loss, and a few equal results do not show that the
        // other result is impossible.
        let prior = if self.values.is_some() { 0.0 } else { 0.5 };
        let mut sums = vec![Sums::default(); states.len()];
        let mut active: Vec<usize> = (0..states.len()).collect();
        let mut played = 0;
        while !active.is_empty() && played < self.config.games && !(self.is_stopped)() {
            let end = self.config.games.min(played + ROUND);
            let begin = |(position, number): (usize, u64)| {
                let seed = derived_seed(self.config.seed, number);
                OpenGame {
                    position,
                    seed,
                    start: None,
                    moves: Vec::new(),
                    state: states[position].clone(),
                    clock: TurnClock::default(),
                    rng: GameRng::seed_from_u64(derived_seed(seed, 2)),
                }
            };
            let games: Vec<OpenGame<G::State>> = (played..end)
                .flat_map(|number| active.iter().map(move |&position| (position, number)))
                .map(begin)
                .collect();
            self.play(games, &mut sums);
            played = end;
            let is_exact = |rollout: Rollout| {
                self.game
                    .spec()
                    .seats
                    .iter()
                    .all(|seat| rollout.error[seat] <= self.config.error)
            };
            active.retain(|&position| !is_exact(sums[position].result(prior)));
        }
        sums.iter().map(|sums| sums.result(prior)).collect()
    }

    /// Plays the games to their ends and adds their results to the sums of their positions.
    fn play(&mut self, mut games: Vec<OpenGame<G::State>>, sums: &mut [Sums]) {
        // In the order of the games, so that sums have the same rounding.
        let mut results: Vec<(u64, usize, Option<BySeat<f64>>)> = Vec::new();
        while !games.is_empty() && !(self.is_stopped)() {
            let mut open = Vec::new();
            for mut game in games {
                if self.throw_dice(&mut game) {
                    open.push(game);
                } else {
                    let is_truncated = self.is_truncated(&game);
                    sums[game.position].truncated += u64::from(is_truncated);
                    results.push((game.seed, game.position, self.result(&game)));
                }
            }
            games = open;
            let states: Vec<G::State> = games.iter().map(|game| game.state.clone()).collect();
            let mut rngs: Vec<GameRng> = games.iter().map(|game| game.rng.clone()).collect();
            if states.is_empty() {
                break;
            }
            let actions = self.agent.act(self.game, &states, &mut rngs);
            for ((game, action), rng) in games.iter_mut().zip(actions).zip(rngs) {
                game.rng = rng;
                game.clock.action();
                self.game.apply_action(&mut game.state, action);
                if game.start.is_some() {
                    game.moves.push(Move::Choice(action));
                }
            }
        }
        results.sort_by_key(|&(seed, position, _)| (position, seed));
        for (_, position, result) in results {
            result
                .into_iter()
                .for_each(|result| sums[position].add(result));
        }
    }

    /// Throws the dice until a seat decides, or the game ends or has made enough turns. Returns
    /// whether a seat decides.
    fn throw_dice(&self, game: &mut OpenGame<G::State>) -> bool {
        let OpenGame {
            seed,
            start,
            moves,
            state,
            clock,
            ..
        } = game;
        let throws = SeededThrows::new(derived_seed(*seed, 1));
        let most = self
            .config
            .turns
            .unwrap_or(u32::MAX)
            .min(self.game.spec().turn_limit);
        chance::throw_dice(self.game, state, |state, seat| {
            if clock.begins_turn(seat) && clock.turns() >= most {
                return None;
            }
            start.get_or_insert_with(|| state.clone());
            let (number, throw) = clock.throw(seat);
            let outcome = throws.draw(seat, number, throw, self.game.chance_outcomes(state));
            moves.push(Move::Throw(outcome));
            Some(outcome)
        })
        .is_some()
    }

    /// Whether a game that has ended was truncated at the turn limit.
    fn is_truncated(&self, ended: &OpenGame<G::State>) -> bool {
        self.game.node(&ended.state) != Node::Terminal
            && ended.clock.turns() >= self.game.spec().turn_limit
    }

    /// The result of a game: the returns or the values of its last position, minus the luck of its
    /// throws. `None` for a game that is not over, if there are no values.
    fn result(&mut self, ended: &OpenGame<G::State>) -> Option<BySeat<f64>> {
        let game = self.game;
        let is_over = game.node(&ended.state) == Node::Terminal;
        let Some(evaluator) = &mut self.values else {
            return is_over.then(|| BySeat(game.returns(&ended.state).0.map(f64::from)));
        };
        let last = if is_over {
            game.returns(&ended.state)
        } else {
            evaluator.evaluate(game, std::slice::from_ref(&ended.state))[0].values
        };
        let luck = ended.start.as_ref().map(|start| {
            luck(&analyze_game(
                game,
                &mut **evaluator,
                start.clone(),
                &ended.moves,
                ended.seed,
                SERIES_PROBABILITY,
            ))
        });
        Some(BySeat(Seat::ALL.map(|seat| {
            f64::from(last[seat]) - luck.map_or(0.0, |luck| luck[seat])
        })))
    }
}
