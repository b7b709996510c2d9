//! Matches: which of two agents plays better, and how sure that is.
//!
//! Throws decide most games, so games are played in blocks: the same throws and the same first seat for every way of
//! sitting down. What luck gives one agent in one game of a block it gives the other in the next. Statistics are drawn
//! from blocks, never from games, because the games of a block depend on each other. The arena plays any game through
//! the seam and neither knows nor cares how its agents choose.

mod block;
mod report;

use std::sync::atomic::{AtomicU64, Ordering};

use ashta_env::game::{Game, SeatSet, Spec};

use crate::agent::Agent;
use block::{BlockResult, Match};
pub use block::{Turn, Watch};
pub(crate) use report::NORMAL_95;
pub use report::{MatchReport, SideResults};

/// How a match is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchConfig {
    /// Blocks to play. A block is one game for each way of sitting down: two for two seats or two teams, otherwise one
    /// for each seat.
    pub blocks: u64,
    /// The throws, the first seats and the generators of the games all follow from it.
    pub seed: u64,
    /// Threads to play on, each with its own pair of agents; 0 counts as 1. The report does not depend on it.
    pub threads: usize,
    /// Games that each thread plays side by side, so that agents are asked in batches; 0 counts as 1. The report does
    /// not depend on it as long as the agents' answers do not.
    pub batch: usize,
}

impl Default for MatchConfig {
    fn default() -> MatchConfig {
        MatchConfig { blocks: 1000, seed: 0, threads: 1, batch: 64 }
    }
}

/// Plays a match between the agents that `a` and `b` make.
///
/// In a game of two sides (two seats, or two teams) A takes each side once in every block. With three or four seats
/// each for himself A sits once on every seat against as many copies of B as there are others. All games of a block
/// share their throws, counted for each seat and its turns, the seat that begins and the seed of the generator that
/// agents draw from; so an agent against itself scores exactly the chance level.
///
/// A game is truncated when it comes to more turns than [`Spec::turn_cap`]; a turn begins with the first throw, with
/// each throw after an action and with each throw of another seat. Its whole block is then left out of the score.
///
/// `progress` is called after every finished game, from the thread that played it, with the number of games finished so
/// far. With one thread everything happens on the caller's.
///
/// # Panics
/// When an agent does not return one action for each state, and in debug builds when an action is not legal.
pub fn play_match<'agents, G, A, B>(
    game: &G,
    a: &A,
    b: &B,
    config: &MatchConfig,
    progress: &(dyn Fn(u64) + Sync),
) -> MatchReport
where
    G: Game,
    A: Fn() -> Box<dyn Agent<G> + Send + 'agents> + Sync + ?Sized,
    B: Fn() -> Box<dyn Agent<G> + Send + 'agents> + Sync + ?Sized,
{
    play_watched_match(game, a, b, config, progress, &|_| ())
}

/// As [`play_match`]; `watch` is told of every turn, those of games that are truncated included.
///
/// # Panics
/// As [`play_match`].
pub fn play_watched_match<'agents, G, A, B>(
    game: &G,
    a: &A,
    b: &B,
    config: &MatchConfig,
    progress: &(dyn Fn(u64) + Sync),
    watch: Watch<'_, G::State>,
) -> MatchReport
where
    G: Game,
    A: Fn() -> Box<dyn Agent<G> + Send + 'agents> + Sync + ?Sized,
    B: Fn() -> Box<dyn Agent<G> + Send + 'agents> + Sync + ?Sized,
{
    let sides = sides(game.spec());
    let (next_block, finished) = (AtomicU64::new(0), AtomicU64::new(0));
    let take_block = || Some(next_block.fetch_add(1, Ordering::Relaxed)).filter(|&block| block < config.blocks);
    let tick = || progress(finished.fetch_add(1, Ordering::Relaxed) + 1);
    let work =
        || Match::new(game, &sides, config.seed, watch).play(&mut *a(), &mut *b(), config.batch, &take_block, &tick);
    let mut results: Vec<BlockResult> = if config.threads <= 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..config.threads).map(|_| scope.spawn(work)).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<BlockResult>>| match worker.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().flat_map(join).collect()
        })
    };
    results.sort_unstable_by_key(|result| result.block);
    MatchReport::new(game.spec(), sides.len(), &results)
}

/// The seats that win together, in the order of their first seats: the ways in which A can sit down.
fn sides(spec: &Spec) -> Vec<SeatSet> {
    let mut sides = Vec::new();
    for seat in spec.seats.iter() {
        if !sides.contains(&spec.teams[seat]) {
            sides.push(spec.teams[seat]);
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{OnePly, RandomAgent};
    use crate::baseline::Baseline;
    use crate::search::test_support::ExactEvaluator;
    use ashta_env::game::{BySeat, Node, Seat};
    use ashta_env::testing::exact::{Play, solve};
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows};
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    type Boxed = Box<dyn Agent<Toy> + Send>;

    fn config(blocks: u64) -> MatchConfig {
        MatchConfig { blocks, seed: 7, threads: 1, batch: 64 }
    }

    #[test]
    fn an_agent_against_itself_scores_exactly_the_chance_level() {
        for (table, chance) in
            [(ToyTable::Two, 0.5), (ToyTable::Three, 1.0 / 3.0), (ToyTable::Teams, 0.5), (ToyTable::Placings, 0.5)]
        {
            let game = Toy::new(table, ToyPieces::Two, ToyThrows::Again);
            for baseline in [Baseline::Random, Baseline::Hunter] {
                let make = || baseline.agent();
                let report = play_match(&game, &make, &make, &config(40), &|_| ());
                assert!((report.score - chance).abs() < 1e-7, "{table:?} {baseline}: {}", report.score);
                assert!(report.standard_error.expect("40 blocks") < 1e-7);
                assert!((report.chance_level - chance).abs() < 1e-12);
                assert!(report.interval[0] <= chance && chance <= report.interval[1]);
                assert_eq!(report.blocks, 40);
            }
        }
    }

    #[test]
    fn threads_and_batches_do_not_change_the_report() {
        let game = Toy::new(ToyTable::Three, ToyPieces::Two, ToyThrows::Series);
        let (a, b) = (|| Baseline::Hunter.agent(), || Baseline::Random.agent());
        let reference = play_match(&game, &a, &b, &config(50), &|_| ());
        for (threads, batch) in [(1, 1), (2, 7), (2, 1000), (0, 0)] {
            let seen = Mutex::new(Vec::new());
            let progress = |finished| seen.lock().expect("no panic").push(finished);
            let report = play_match(&game, &a, &b, &MatchConfig { threads, batch, ..config(50) }, &progress);
            assert_eq!(report, reference, "{threads} threads, batches of {batch}");
            let mut seen = seen.into_inner().expect("no panic");
            seen.sort_unstable();
            assert_eq!(seen, (1..=150).collect::<Vec<u64>>());
        }
        let other = play_match(&game, &a, &b, &MatchConfig { seed: 8, ..config(50) }, &|_| ());
        assert_ne!(other.score, reference.score);
    }

    #[test]
    fn the_watch_is_told_of_every_turn_in_order() {
        for throws in [ToyThrows::Again, ToyThrows::Series] {
            let game = Toy::new(ToyTable::Three, ToyPieces::Two, throws);
            type Turns = Vec<[ToyState; 3]>;
            let games: Mutex<BTreeMap<(u64, Seat), Turns>> = Mutex::default();
            let watch = |turn: &Turn<'_, ToyState>| {
                assert_eq!(game.node(turn.start), Node::Chance(turn.seat));
                let is_decision = game.node(turn.thrown) == Node::Decision(turn.seat);
                assert!(is_decision || turn.thrown == turn.end);
                let side = turn.side.iter().next().expect("A has a seat");
                let states = [turn.start, turn.thrown, turn.end].map(ToyState::clone);
                games.lock().expect("no panic").entry((turn.block, side)).or_default().push(states);
            };
            let (a, b) = (|| Baseline::Hunter.agent(), || Baseline::Random.agent());
            let report = play_watched_match(&game, &a, &b, &MatchConfig { threads: 2, ..config(20) }, &|_| (), &watch);
            let games = games.into_inner().expect("no panic");
            assert_eq!((games.len(), report.truncated_games), (60, 0));
            let turns: usize = games.values().map(Vec::len).sum();
            assert!((turns as f64 / 60.0 - report.turns_per_game).abs() < 1e-9);
            for turns in games.values() {
                let first = game.spec().seats.iter().map(|seat| game.initial_state(seat));
                assert!(first.into_iter().any(|first| first == turns[0][0]));
                assert!(
                    turns.windows(2).all(|pair| pair[0][2] == pair[1][0]),
                    "a turn begins where the last one ended"
                );
                assert_eq!(game.node(&turns[turns.len() - 1][2]), Node::Terminal);
            }
        }
    }

    #[test]
    fn perfect_play_against_random_wins_what_it_should() {
        for (table, pieces, blocks) in [
            (ToyTable::Two, ToyPieces::Two, 2000),
            (ToyTable::Three, ToyPieces::Two, 1000),
            (ToyTable::Teams, ToyPieces::One, 4000),
            (ToyTable::Placings, ToyPieces::One, 1000),
        ] {
            let game = Toy::new(table, pieces, ToyThrows::Again);
            // The exact score: the mean over where A sits and who begins.
            let (sides, seats) = (sides(game.spec()), game.spec().seats);
            let mut score = 0.0;
            for side in &sides {
                let plays = Seat::ALL.map(|seat| if side.contains(seat) { Play::Best } else { Play::Uniform });
                let exact = solve(&game, BySeat(plays)).expect("settles");
                for first in seats.iter() {
                    let values = exact.values(&game.initial_state(first)).expect("a start");
                    let seat = side.iter().next().expect("a side has a seat");
                    score += values[seat] / (sides.len() * seats.len()) as f64;
                }
            }
            let best_reply = |side: &SeatSet| {
                let plays = Seat::ALL.map(|seat| if side.contains(seat) { Play::Best } else { Play::Uniform });
                (*side, ExactEvaluator::new(&game, BySeat(plays)))
            };
            let replies: Vec<_> = sides.iter().map(best_reply).collect();
            let a = || Box::new(BestReply(replies.clone())) as Boxed;
            let b = || Box::new(RandomAgent) as Boxed;
            let report = play_match(&game, &a, &b, &config(blocks), &|_| ());
            let deviations = (report.score - score) / report.standard_error.expect("many blocks");
            assert!(deviations.abs() < 3.3, "{table:?}: {} for {score}", report.score);
            assert!(report.interval[0] > report.chance_level, "{table:?}: {report:?}");
            assert_eq!((report.blocks, report.games), (blocks, blocks * sides.len() as u64));
        }
    }

    /// Plays the best reply to random play from whichever side it sits on.
    struct BestReply(Vec<(SeatSet, ExactEvaluator)>);

    impl Agent<Toy> for BestReply {
        fn act(
            &mut self,
            game: &Toy,
            states: &[<Toy as Game>::State],
            rngs: &mut [crate::agent::GameRng],
        ) -> Vec<ashta_env::game::Action> {
            let choose = |(state, rng)| {
                let seat = crate::agent::deciding_seat(game, state);
                let (_, exact) = self.0.iter().find(|(side, _)| side.contains(seat)).expect("every seat has a side");
                OnePly::new(exact.clone()).act(game, std::slice::from_ref(state), std::slice::from_mut(rng))[0]
            };
            states.iter().zip(rngs).map(choose).collect()
        }
    }
}
