//! What games of an agent against itself are like: length, choice, captures, luck, and what it is worth to begin.

use std::ops::ControlFlow;

use ashta_env::game::{RaceGame, Seat, Spec};
use ashta_env::turn::TurnResults;
use serde::Serialize;

use super::luck::{Reference, SERIES_PROBABILITY, analyze_game, luck};
use super::summary::{GameFacts, chance_level};
use super::{Blocks, Contestant, Interval, MakeAgent, MatchConfig, MatchSetup, Move, PlayedGame, play_blocks};
use super::{rotations, sides};
use crate::play::agent::results_of_turn;

/// One game; turns, throws and captures are those of all seats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameProfile {
    turns: u32,
    throws: u32,
    /// Share of the turns that have a choice, and the afterstates of a turn.
    choices: f64,
    branching: f64,
    captures: u32,
    is_drawn: bool,
    /// The return of the seat that threw first, and its luck; the luck of a turn for its seat, good or bad.
    first: f64,
    first_luck: f64,
    turn_luck: f64,
}

/// Games of an agent against itself. Turns, throws and captures are those of all seats in a game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Profile {
    /// Games that count.
    pub games: u64,
    /// Draws among them.
    pub drawn_games: u64,
    /// Games that came to the turn limit, which are left out.
    pub truncated_games: u64,
    /// Turns that 5, 50 and 95 % of the games do not exceed. A turn is the throws before a choice, and the choice.
    pub turns: [Interval; 3],
    /// The same of throws.
    pub throws: [Interval; 3],
    /// Share of the turns that have a choice, more than one distinct afterstate: 0 to 1, mean over games.
    pub choices: Interval,
    /// Distinct afterstates of a turn, at least 1, mean over games.
    pub branching: Interval,
    /// Pieces that enemies set back.
    pub captures: Interval,
    /// Mean return of a seat among equals, 0 to 1.
    pub even: f64,
    /// Mean return of the seat that throws first, 0 to 1; the luck of the throws is taken out where it is known.
    pub first: Interval,
    /// Luck of a turn for its seat, good or bad, in returns, mean over games; `None` without a reference.
    pub luck: Option<Interval>,
}

/// How other rules change the games of an agent against itself, in games with the same throws.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ProfileChange {
    /// Turns of a game.
    pub turns: Interval,
    /// Captures in a game.
    pub captures: Interval,
    /// The return of the seat that throws first.
    pub first: Interval,
    /// The share of turns with a choice.
    pub choices: Interval,
}

/// Plays one game in each block between agents that `agent` makes: the games of a pair would be the same. `None` stands
/// for a game that came to the turn limit. Luck is measured by `reference`, without one it is 0.
pub fn profile_games<G: RaceGame>(
    game: &G,
    agent: MakeAgent<'_, '_, G>,
    reference: Option<&Reference<G>>,
    config: &MatchConfig,
) -> Vec<Option<GameProfile>> {
    let sides = sides(game.spec());
    let seatings = rotations(&sides, &vec![0; sides.len()]);
    let study = || {
        let (mut results, mut evaluator, sides) = (TurnResults::new(), reference.map(Reference::evaluator), &sides);
        move |played: PlayedGame<G::State>| {
            let facts = GameFacts::new(sides, &played);
            facts.returns.as_ref()?;
            let count = played.turns.len().max(1) as f64;
            let ways = played.turns.iter().map(|turn| {
                results_of_turn(game, &turn.thrown, &mut results);
                results.len().max(1)
            });
            let ways: Vec<usize> = ways.collect();
            let luck_of = evaluator.as_mut().map(|evaluator| {
                let (start, seed) = (game.initial_state(played.first), played.block);
                let turns = analyze_game(game, evaluator, start, &played.moves, seed, SERIES_PROBABILITY);
                let total: f64 = turns.iter().map(|turn| turn.luck(turn.seat).abs()).sum();
                (luck(&turns)[played.first], total / count)
            });
            let (first_luck, turn_luck) = luck_of.unwrap_or_default();
            Some(GameProfile {
                turns: facts.turns,
                throws: played.moves.iter().filter(|made| matches!(made, Move::Throw(_))).count() as u32,
                choices: ways.iter().filter(|&&ways| ways > 1).count() as f64 / count,
                branching: ways.iter().sum::<usize>() as f64 / count,
                captures: played.turns.iter().map(|turn| captures(game, turn.seat, &turn.start, &turn.end)).sum(),
                is_drawn: facts.is_drawn(),
                first: f64::from(played.returns[played.first]),
                first_luck,
                turn_luck,
            })
        }
    };
    let mut all = Vec::new();
    let contestant = || Box::new(agent()) as Box<dyn Contestant<G>>;
    let meeting =
        MatchSetup { game, contestants: &[&contestant], seatings: &|_| seatings.clone(), is_stopped: &|| false };
    play_blocks(&meeting, 0..config.blocks, config, study, &mut |_, games: Vec<Option<GameProfile>>| {
        all.extend(games);
        ControlFlow::Continue(())
    });
    all
}

/// Pieces of enemies of `seat` that have gone back.
fn captures<G: RaceGame>(game: &G, seat: Seat, before: &G::State, after: &G::State) -> u32 {
    let back = |state, enemy| {
        game.steps(state, enemy)[..game.pieces()].iter().filter(|&&steps| steps == game.captured()).count() as u32
    };
    let enemies = game.spec().seats.iter().filter(|&other| !game.spec().teams[seat].contains(other));
    enemies.map(|enemy| back(after, enemy).saturating_sub(back(before, enemy))).sum()
}

impl Profile {
    /// Sums up games of a game with these facts, in which there was a reference if `has_luck`.
    pub fn new(spec: &Spec, all: &[Option<GameProfile>], has_luck: bool) -> Profile {
        let games: Vec<GameProfile> = all.iter().flatten().copied().collect();
        let of = |count: fn(&GameProfile) -> f64| games.iter().map(count).collect::<Vec<f64>>();
        let quantiles = |count: fn(&GameProfile) -> u32| {
            let mut sorted: Vec<u32> = games.iter().map(count).collect();
            sorted.sort_unstable();
            [0.05, 0.5, 0.95].map(|share| Interval::of_quantile(&sorted, share))
        };
        let even = chance_level(spec, sides(spec).len());
        let squared = games.iter().map(|game| (game.first - game.first_luck - even).powi(2)).sum::<f64>();
        let game_variance = squared / games.len().max(1) as f64;
        let (scores, luck) = (of(|game| game.first), of(|game| game.first_luck));
        Profile {
            games: games.len() as u64,
            drawn_games: games.iter().filter(|game| game.is_drawn).count() as u64,
            truncated_games: (all.len() - games.len()) as u64,
            turns: quantiles(|game| game.turns),
            throws: quantiles(|game| game.throws),
            choices: Interval::of(&of(|game| game.choices)),
            branching: Interval::of(&of(|game| game.branching)),
            captures: Interval::of(&of(|game| game.captures.into())),
            even,
            first: Blocks { scores, luck, strata: Vec::new(), game_variance }.luck_adjusted().estimate,
            luck: has_luck.then(|| Interval::of(&of(|game| game.turn_luck))),
        }
    }
}

impl ProfileChange {
    /// From the games `before` to those `after`, block by block; those with a truncated game are left out.
    pub fn new(before: &[Option<GameProfile>], after: &[Option<GameProfile>]) -> ProfileChange {
        let pairs: Vec<_> = before.iter().zip(after).filter_map(|(before, after)| before.zip(*after)).collect();
        let change = |of: fn(&GameProfile) -> f64| {
            Interval::of(&pairs.iter().map(|(before, after)| of(after) - of(before)).collect::<Vec<f64>>())
        };
        ProfileChange {
            turns: change(|game| game.turns.into()),
            captures: change(|game| game.captures.into()),
            first: change(|game| game.first),
            choices: change(|game| game.choices),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{MatchProgress, play_match};
    use crate::play::agent::{Agent, OnePly};
    use crate::play::baseline::Baseline;
    use crate::search::test_support::ExactEvaluator;
    use ashta_env::game::{BySeat, Game};
    use ashta_env::race::Race;
    use ashta_env::testing::exact::{Play, solve};
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    const CONFIG: MatchConfig = MatchConfig { blocks: 300, seed: 3, threads: 1, batch: 64 };

    #[test]
    fn games_are_those_of_a_match_against_itself() {
        for table in [ToyTable::Two, ToyTable::Three, ToyTable::Teams, ToyTable::Placings] {
            let game = Toy::new(table, ToyPieces::Two, ToyThrows::Series);
            let agent = || Baseline::Hunter.agent();
            let games = profile_games(&game, &agent, None::<&Reference<Toy>>, &CONFIG);
            let profile = Profile::new(game.spec(), &games, false);
            let played = play_match(&game, &agent, &agent, &CONFIG, &MatchProgress::UNWATCHED);
            let turns = games.iter().flatten().map(|game| f64::from(game.turns)).sum::<f64>() / 300.0;
            assert!(profile.games == 300 && (turns - played.turns_per_game).abs() < 1e-9, "{table:?}: {turns}");
            assert_eq!(profile.drawn_games * played.games, played.drawn_games * 300);
            assert_eq!(profile.even, played.chance_level);
            let [low, median, high] = profile.throws.map(|quantile| quantile.mean);
            assert!(low <= median && median <= high && low >= profile.turns[0].mean);
            assert!(profile.choices.mean > 0.0 && profile.branching.mean > 1.0 && profile.captures.mean > 0.0);
            let threads = MatchConfig { threads: 2, batch: 7, ..CONFIG };
            assert_eq!(profile_games(&game, &agent, None::<&Reference<Toy>>, &threads), games);
            assert_eq!(ProfileChange::new(&games, &games).turns.interval, [0.0, 0.0]);
        }
    }

    #[test]
    fn with_exact_values_the_first_seat_wins_what_the_start_is_worth() {
        let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
        let best = BySeat([Play::Best; 4]);
        let exact = solve(&game, best).expect("settles");
        let start = exact.values(&game.initial_state(Seat::SOUTH)).expect("a start")[Seat::SOUTH];
        let toy = game.clone();
        let reference = Reference::new("exact".to_owned(), None, move || {
            Box::new(ExactEvaluator::new(&toy, BySeat([Play::Best; 4])))
        });
        let agent = || Box::new(OnePly::new(ExactEvaluator::new(&game, best))) as Box<dyn Agent<Toy> + Send>;
        let [plain, adjusted] = [None, Some(&reference)].map(|reference| {
            Profile::new(game.spec(), &profile_games(&game, &agent, reference, &CONFIG), reference.is_some())
        });
        assert!((adjusted.first.mean - start).abs() < 0.01, "{:?} {start}", adjusted.first);
        let width = |of: &Profile| of.first.interval[1] - of.first.interval[0];
        assert!(width(&adjusted) < 0.5 * width(&plain) && plain.luck.is_none());
        assert!(adjusted.luck.is_some_and(|luck| luck.mean > 0.0 && luck.interval[0] <= luck.mean));
    }

    #[test]
    fn pieces_that_enemies_send_back_are_captures() {
        let state = |text: &str| Race::parse_position(text).expect("a position");
        let (race, before) = state("ashtapada S:5,30/N:23,23 S *");
        for (after, count) in [
            ("ashtapada S:9,30/N:23,23 N *", 0),
            ("ashtapada S:9,30/N:off,23 N *", 1),
            ("ashtapada S:9,30/N:off,off N *", 2),
        ] {
            assert_eq!(captures(&race, Seat::SOUTH, &before, &state(after).1), count, "{after}");
        }
        assert_eq!(
            captures(&race, Seat::NORTH, &before, &state("ashtapada S:5,30/N:off,23 S *").1),
            0,
            "its own piece"
        );
    }
}
