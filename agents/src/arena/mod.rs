//! The arena: paired matches between agents, with confidence intervals (variance reduction by
//! common throws).
//!
//! Throws decide most games. So the arena plays blocks of paired games, as in duplicate backgammon:
//! all games of a block have the same throws and the same first seat, but the agents change seats.
//! If a seat has lucky throws, every agent gets them in some game. Statistics use the results of
//! whole blocks, not of single games, because the games of a block depend on each other. The arena
//! plays any game through the `Game` interface and does not know how agents choose.

mod estimate;
mod game_loop;
pub mod game_record;
pub mod levels;
mod luck;
mod rating;
mod report;
mod seating;
mod sprt;
mod summary;
pub mod tournament;

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ashta_env::game::Game;

use crate::play::{agent::Agent, stop::stop_if};
pub(crate) use estimate::quantile;
pub use estimate::{Adjusted, Blocks, Interval};
pub use game_loop::{Contestant, Ending, Fault, Move, PlayedGame};
pub use luck::{MakeEvaluator, Reference, TurnAnalysis, analyze_game, luck, luck_of_sides};
pub(crate) use luck::{SERIES_PROBABILITY, analyze_turns};
pub use rating::Rating;
pub use report::{MatchReport, SideResults};
pub use seating::{MAX_AGENTS, Seating, lineups, rotations, sides};
pub use sprt::{Sprt, Verdict};
pub use summary::{AgentSummary, GameFacts, Pairing, SprtSummary, Summary};

/// The settings of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchConfig {
    /// Number of blocks. A block has one game for each seating: two games for two seats or two
    /// teams, otherwise one game for each seat.
    pub blocks: u64,
    /// Seed of the throws, of the first seats and of the random generators of the agents.
    pub seed: u64,
    /// Number of threads, each with its own agents; 0 means 1. The report does not depend on this
    /// number.
    pub threads: usize,
    /// Number of games that each thread plays at the same time, so that agents choose in batches; 0
    /// means 1. If the choices of the agents do not depend on this number, the report does not
    /// depend on it.
    pub batch: usize,
}

impl Default for MatchConfig {
    fn default() -> MatchConfig {
        MatchConfig {
            blocks: 1000,
            seed: 0,
            threads: 1,
            batch: 64,
        }
    }
}

/// The functions that observe the progress of a match and can stop the match.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct MatchProgress<'a> {
    /// Called after every finished game with the number of games finished so far, on the thread
    /// that played the game.
    pub finished: &'a (dyn Fn(u64) + Sync),
    /// Called between choices. If it returns true, the match stops immediately, and the report
    /// covers the blocks before the first unfinished block.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl MatchProgress<'_> {
    /// Ignores the progress and never stops the match.
    pub const UNWATCHED: MatchProgress<'static> = MatchProgress {
        finished: &|_| (),
        is_stopped: &|| false,
    };
}

/// Creates an agent for one thread.
pub type MakeAgent<'m, 'a, G> = &'m (dyn Fn() -> Box<dyn Agent<G> + Send + 'a> + Sync);

/// The contestants and their seatings.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct MatchSetup<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// Creates the contestants for one thread. The number of a contestant is its index in this
    /// list.
    pub contestants: &'a (dyn Fn() -> Vec<Box<dyn Contestant<G> + 'a>> + Sync),
    /// Returns the seatings of the block with this number, one for each game of the block.
    pub seatings: &'a (dyn Fn(u64) -> Vec<Seating> + Sync),
    /// Called between choices. If it returns true, play stops immediately, and unfinished games are
    /// dropped.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// The blocks of a match, shared by its threads.
struct SharedBlocks<'a, T> {
    left: Range<u64>,
    /// For each block in play, the results of its games.
    in_play: BTreeMap<u64, Vec<Option<T>>>,
    /// Whether `take` has broken.
    has_ended: bool,
    take: &'a mut (dyn FnMut(u64, Vec<T>) -> ControlFlow<()> + Send),
}

/// Plays `blocks` of a match; `config.blocks` is ignored.
///
/// All games of a block share the first seat, the seed of the agents' generator, and the throws: in
/// each game, turn number `n` of a seat has the same throws. A game with more turns than
/// [`Spec::turn_limit`](ashta_env::game::Spec::turn_limit) is truncated. A turn begins with the
/// first throw of the game, with each throw after an action, and whenever another seat throws.
///
/// Each thread calls `study` to create its own function that processes finished games. `take`
/// receives the results of these functions, one block after the other in ascending order. When
/// `take` breaks, play stops.
///
/// # Panics
/// When a contestant does not return one result for each state; in debug builds also when an action
/// is not legal.
pub fn play_blocks<G: Game, T: Send, F: FnMut(PlayedGame) -> T>(
    setup: &MatchSetup<'_, G>,
    blocks: Range<u64>,
    config: &MatchConfig,
    study: impl Fn() -> F + Sync,
    take: &mut (dyn FnMut(u64, Vec<T>) -> ControlFlow<()> + Send),
) {
    let shared = Mutex::new(SharedBlocks {
        left: blocks,
        in_play: BTreeMap::new(),
        has_ended: false,
        take,
    });
    let shared = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let take_block = || {
        let blocks = &mut *shared();
        let block = if blocks.has_ended {
            None
        } else {
            blocks.left.next()
        }?;
        let seatings = (setup.seatings)(block);
        blocks
            .in_play
            .insert(block, seatings.iter().map(|_| None).collect());
        Some((block, seatings))
    };
    let hand_on = |block: u64, leg: usize, result: T| {
        let SharedBlocks {
            in_play,
            has_ended,
            take,
            ..
        } = &mut *shared();
        in_play
            .entry(block)
            .and_modify(|games| games[leg] = Some(result));
        while !*has_ended
            && let Some(first) = in_play.first_entry()
            && first.get().iter().all(Option::is_some)
        {
            let (block, games) = first.remove_entry();
            // If `take` panics, it receives no later block.
            *has_ended = true;
            *has_ended = take(block, games.into_iter().flatten().collect()).is_break();
        }
        stop_if(*has_ended)
    };
    let work = || {
        let mut study = study();
        setup.play(config, &take_block, &mut |game| {
            hand_on(game.block, game.leg, study(game))
        });
    };
    if config.threads <= 1 {
        return work();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..config.threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Plays a match between the agents that `a` and `b` create.
///
/// With two sides (two seats or two teams), A plays each side once in every block. With three or
/// four seats without teams, A plays each seat once, and copies of B play all other seats. The
/// games of a block have the same throws as in [`play_blocks`], so an agent against itself scores
/// exactly the chance level. A block with a truncated game does not count.
///
/// With one thread, everything runs on the thread of the caller.
///
/// # Panics
/// When an agent does not return one action for each state; in debug builds also when an action is
/// not legal.
pub fn play_match<G: Game>(
    game: &G,
    a: MakeAgent<'_, '_, G>,
    b: MakeAgent<'_, '_, G>,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
) -> MatchReport {
    play_watched_match(game, a, b, config, progress, &|_| None)
}

/// As [`play_match`]. When a game is over, the thread that played it also calls `watch` with the
/// game; truncated games are included. A is agent 0. If `watch` returns [the luck of the
/// sides](luck_of_sides), the report has a luck-adjusted score.
///
/// # Panics
/// As [`play_match`].
pub fn play_watched_match<G: Game>(
    game: &G,
    a: MakeAgent<'_, '_, G>,
    b: MakeAgent<'_, '_, G>,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
    watch: &(dyn Fn(&PlayedGame) -> Option<Vec<f64>> + Sync),
) -> MatchReport {
    let sides = sides(game.spec());
    let lineup: Vec<usize> = (0..sides.len())
        .map(|place| usize::from(place > 0))
        .collect();
    let seatings = rotations(&sides, &lineup);
    let finished = AtomicU64::new(0);
    let study = || {
        |played: PlayedGame| {
            let luck = watch(&played);
            (progress.finished)(finished.fetch_add(1, Ordering::Relaxed) + 1);
            GameFacts {
                luck,
                ..GameFacts::new(&sides, &played)
            }
        }
    };
    let mut all = Vec::new();
    let contestants = || vec![Box::new(a()) as Box<dyn Contestant<G>>, Box::new(b())];
    let (seatings, is_stopped) = (|_| seatings.clone(), progress.is_stopped);
    let setup = MatchSetup {
        game,
        contestants: &contestants,
        seatings: &seatings,
        is_stopped,
    };
    play_blocks(
        &setup,
        0..config.blocks,
        config,
        study,
        &mut |_, games: Vec<GameFacts>| {
            all.extend(games);
            ControlFlow::Continue(())
        },
    );
    MatchReport::new(game.spec(), sides.len(), &all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        play::{
            agent::{OnePly, RandomAgent},
            baseline::Baseline,
        },
        search::test_support::ExactEvaluator,
    };
    use ashta_env::{
        game::{BySeat, Seat, SeatSet},
        testing::{
            exact::{Play, solve},
            toy::{Toy, ToyPieces, ToyTable, ToyThrows},
        },
    };
    use std::sync::Mutex;

    type Boxed = Box<dyn Agent<Toy> + Send>;

    fn config(blocks: u64) -> MatchConfig {
        MatchConfig {
            blocks,
            seed: 7,
            threads: 1,
            batch: 64,
        }
    }

    #[test]
    fn an_agent_against_itself_scores_exactly_the_chance_level() {
        for (table, chance) in [
            (ToyTable::Two, 0.5),
            (ToyTable::Three, 1.0 / 3.0),
            (ToyTable::Teams, 0.5),
            (ToyTable::Placings, 0.5),
        ] {
            let game = Toy::new(table, ToyPieces::Two, ToyThrows::Again);
            for baseline in [Baseline::Random, Baseline::Hunter] {
                let make = || baseline.agent();
                let report =
                    play_match(&game, &make, &make, &config(40), &MatchProgress::UNWATCHED);
                assert!(
                    (report.score.expect("games") - chance).abs() < 1e-7,
                    "{table:?} {baseline}: {report:?}"
                );
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
        let reference = play_match(&game, &a, &b, &config(50), &MatchProgress::UNWATCHED);
        for (threads, batch) in [(1, 1), (2, 7), (2, 1000), (0, 0)] {
            let counts = Mutex::new(Vec::new());
            let record = |finished| counts.lock().expect("no panic").push(finished);
            let progress = MatchProgress {
                finished: &record,
                ..MatchProgress::UNWATCHED
            };
            let report = play_match(
                &game,
                &a,
                &b,
                &MatchConfig {
                    threads,
                    batch,
                    ..config(50)
                },
                &progress,
            );
            assert_eq!(report, reference, "{threads} threads, batches of {batch}");
            let mut counts = counts.into_inner().expect("no panic");
            counts.sort_unstable();
            assert_eq!(counts, (1..=150).collect::<Vec<u64>>());
        }
        let other = play_match(
            &game,
            &a,
            &b,
            &MatchConfig {
                seed: 8,
                ..config(50)
            },
            &MatchProgress::UNWATCHED,
        );
        assert_ne!(other.score, reference.score);
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
            let (sides, score) = (sides(game.spec()), exact_score(&game));
            let best = ExactResponse::new(&game);
            let a = || Box::new(best.clone()) as Boxed;
            let b = || Box::new(RandomAgent) as Boxed;
            let report = play_match(&game, &a, &b, &config(blocks), &MatchProgress::UNWATCHED);
            let found = report.score.expect("many blocks");
            let deviations = (found - score) / report.standard_error.expect("many blocks");
            assert!(deviations.abs() < 3.3, "{table:?}: {found} for {score}");
            assert!(
                report.interval[0] > report.chance_level,
                "{table:?}: {report:?}"
            );
            assert_eq!(
                (report.blocks, report.games),
                (blocks, blocks * sides.len() as u64)
            );
        }
    }

    /// Best play for the seats of `side`, random play for the others.
    fn best_for(side: &SeatSet) -> BySeat<Play> {
        BySeat(Seat::ALL.map(|seat| {
            if side.contains(seat) {
                Play::Best
            } else {
                Play::Uniform
            }
        }))
    }

    /// The exact score of the best response to random play: the mean over all sides and all first
    /// seats.
    fn exact_score(game: &Toy) -> f64 {
        let (sides, seats) = (sides(game.spec()), game.spec().seats);
        let mut score = 0.0;
        for side in &sides {
            let exact = solve(game, best_for(side)).expect("settles");
            let own = side.iter().next().expect("a side has a seat");
            for first in seats.iter() {
                score += exact.values(&game.initial_state(first)).expect("a start")[own];
            }
        }
        score / (sides.len() * seats.len()) as f64
    }

    /// Plays the best response to random play from any side.
    #[derive(Clone)]
    struct ExactResponse(Vec<(SeatSet, ExactEvaluator)>);

    impl ExactResponse {
        fn new(game: &Toy) -> ExactResponse {
            let best = |side: SeatSet| (side, ExactEvaluator::new(game, best_for(&side)));
            ExactResponse(sides(game.spec()).into_iter().map(best).collect())
        }
    }

    impl Agent<Toy> for ExactResponse {
        fn act(
            &mut self,
            game: &Toy,
            states: &[<Toy as Game>::State],
            rngs: &mut [crate::play::agent::GameRng],
        ) -> Vec<ashta_env::game::Action> {
            let choose = |(state, rng)| {
                let seat = crate::play::agent::deciding_seat(game, state);
                let (_, exact) = self
                    .0
                    .iter()
                    .find(|(side, _)| side.contains(seat))
                    .expect("every seat has a side");
                OnePly::new(exact.clone()).choose(game, state, rng)
            };
            states.iter().zip(rngs).map(choose).collect()
        }
    }
}
