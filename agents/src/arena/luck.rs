//! Measures luck and skill in each turn of a played game, by the values of any evaluator. Luck is a
//! control variate.
//!
//! The value before a throw is the expected value, over all throws, of the best afterstate
//! (possible position after the turn). Luck is the value after the actual throw minus this expected
//! value. The mean of luck is 0 *for any evaluator*: luck compares a function of the throw with the
//! mean of the same function over all throws. So a result minus its luck, the luck-adjusted result,
//! has the same expectation as the result. The better the evaluator, the smaller the variance of
//! the luck-adjusted result.

use std::{ops::Range, sync::Arc};

use ashta_env::{
    chance::{self, GameRng},
    game::{BySeat, Game, Node, Seat, SeatSet},
    turn::TurnResults,
};

use super::{
    game_loop::{Move, PlayedGame},
    seating::sides,
};
use crate::{
    play::{
        evaluator::{Evaluator, first_best},
        stop::Stop,
    },
    search::expectation::{ActualTurn, Expectation, append_afterstates},
};

/// The number of the random stream that draws rare throws.
const DRAWS: u64 = u64::MAX;
/// The probability below which throws and series are rare in the games of an arena; see
/// [`analyze_game`].
pub(crate) const SERIES_PROBABILITY: f32 = 0.01;

/// The reference: a table or a bot whose values measure the luck and the errors of agents. It
/// creates one evaluator for each thread.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Reference<G: Game> {
    /// Its name, without the folder of its file.
    pub name: String,
    /// The identifier of its version, if it has versions.
    pub version: Option<String>,
    /// Descriptions of players, the best first, each with the largest regret per decision of such a
    /// player; empty if no levels were measured.
    pub bands: Vec<(&'static str, f64)>,
    /// Creates an evaluator for one thread.
    pub make: MakeEvaluator<G>,
    /// Ends the work of the evaluators.
    pub stop: Stop,
}

/// Creates an evaluator for one thread.
pub type MakeEvaluator<G> = Arc<dyn Fn() -> Box<dyn Evaluator<G> + Send> + Send + Sync>;

impl<G: Game> Reference<G> {
    /// A reference with the values of the evaluators that `make` creates.
    pub fn new(
        name: String,
        version: Option<String>,
        make: impl Fn() -> Box<dyn Evaluator<G> + Send> + Send + Sync + 'static,
    ) -> Reference<G> {
        Reference {
            name,
            version,
            bands: Vec::new(),
            make: Arc::new(make),
            stop: Stop::default(),
        }
    }

    /// Creates an evaluator.
    pub fn evaluator(&self) -> Box<dyn Evaluator<G> + Send> {
        let mut evaluator = (self.make)();
        evaluator.stop_by(&self.stop);
        evaluator
    }
}

/// A played turn and its values by an evaluator: expected returns by seat.
#[derive(Clone, Debug)]
pub struct TurnAnalysis<S> {
    /// The seat whose turn it was.
    pub seat: Seat,
    /// The position before its first throw.
    pub start: S,
    /// The position after its last throw.
    pub thrown: S,
    /// The range of its throws and choices in the moves of the game.
    pub moves: Range<usize>,
    /// The distinct afterstates of the turn.
    pub results: TurnResults<S>,
    /// The values of the afterstates.
    pub values: Vec<BySeat<f32>>,
    /// The values before the first throw: the expected value of the best afterstate over all
    /// throws.
    pub before: BySeat<f32>,
    /// The index of the chosen afterstate; `None` if the moves end before the turn ends.
    pub chosen: Option<usize>,
}

impl<S> TurnAnalysis<S> {
    /// The index of the best afterstate for the seat; the first index if several are equally good.
    pub fn best(&self) -> Option<usize> {
        first_best(self.values.iter().map(|values| values[self.seat]))
    }

    /// The values after the throw: the values of the best afterstate.
    pub fn after_throw(&self) -> BySeat<f32> {
        self.best().map_or(self.before, |best| self.values[best])
    }

    /// The values of the chosen afterstate.
    pub fn played(&self) -> Option<BySeat<f32>> {
        self.chosen.map(|chosen| self.values[chosen])
    }

    /// The luck of the throw for `seat`. The mean of the luck is 0 if the values before the throw
    /// are the expectation, or if the evaluator is exact.
    pub fn luck(&self, seat: Seat) -> f64 {
        f64::from(self.after_throw()[seat]) - f64::from(self.before[seat])
    }

    /// The regret of the choice: the value that the choice lost against the best afterstate, 0 or
    /// more.
    pub fn regret(&self) -> f64 {
        let best = f64::from(self.after_throw()[self.seat]);
        self.played()
            .map_or(0.0, |played| best - f64::from(played[self.seat]))
    }

    /// Whether there was more than one distinct afterstate.
    pub fn is_choice(&self) -> bool {
        self.values.len() > 1
    }
}

/// Evaluates every turn of the game that begins in `state` and continues with `moves`, which must
/// be legal. Calls the evaluator once.
///
/// Throws, and series of throws, with a probability below `series_probability` count as rare. One
/// rare throw, drawn at random, gets the total probability of all rare throws. The draws use
/// `seed`, but not the random streams that give the throws of games.
pub fn analyze_game<G: Game>(
    game: &G,
    evaluator: &mut (impl Evaluator<G> + ?Sized),
    state: G::State,
    moves: &[Move],
    seed: u64,
    series_probability: f32,
) -> Vec<TurnAnalysis<G::State>> {
    analyze(
        game,
        evaluator,
        state,
        moves,
        SeatSet::ALL,
        Some((series_probability, chance::stream(seed, DRAWS))),
    )
}

/// As [`analyze_game`], for the turns of an agent, by its number. Throws that did not happen are
/// not evaluated, so the values before the throws are 0.
pub(crate) fn analyze_turns<G: Game>(
    game: &G,
    evaluator: &mut impl Evaluator<G>,
    played: &PlayedGame,
    agent: usize,
) -> Vec<TurnAnalysis<G::State>> {
    let start = game.initial_state(played.first);
    analyze(
        game,
        evaluator,
        start,
        &played.moves,
        played.seating.seats_of(agent),
        None,
    )
}

/// Evaluates the turns of the seats `side`. With `throws` (limit and generator), also evaluates
/// throws that did not happen.
fn analyze<G: Game>(
    game: &G,
    evaluator: &mut (impl Evaluator<G> + ?Sized),
    mut state: G::State,
    moves: &[Move],
    side: SeatSet,
    mut throws: Option<(f32, GameRng)>,
) -> Vec<TurnAnalysis<G::State>> {
    let mut scratch = TurnResults::new();
    let (mut states, mut values, mut turns, mut open) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < moves.len() {
        let (start, begins) = (state.clone(), at);
        while let (Node::Chance(_), Some(&Move::Throw(outcome))) =
            (game.node(&state), moves.get(at))
        {
            game.apply_chance(&mut state, outcome);
            at += 1;
        }
        let thrown = state.clone();
        while let (Node::Decision(_), Some(&Move::Choice(action))) =
            (game.node(&state), moves.get(at))
        {
            game.apply_action(&mut state, action);
            at += 1;
        }
        // If there is no decision here, the moves end within a series of throws, or the next move
        // is illegal.
        let Node::Decision(seat) = game.node(&thrown) else {
            break;
        };
        if !side.contains(seat) {
            continue;
        }
        let actual = append_afterstates(game, &thrown, &mut scratch, &mut states);
        let results = scratch.clone();
        let chosen = results.states().iter().position(|end| *end == state);
        let expectation = throws.as_mut().map(|(limit, rng)| {
            let actual_turn = ActualTurn {
                start: &start,
                thrown: &thrown,
                results: actual.clone(),
            };
            Expectation::of_throws(game, &actual_turn, *limit, rng, &mut scratch, &mut states)
        });
        let (moves, before) = (begins..at, BySeat::default());
        turns.push(TurnAnalysis {
            seat,
            start,
            thrown,
            moves,
            results,
            values: Vec::new(),
            before,
            chosen,
        });
        open.push((expectation, actual));
    }
    if !states.is_empty() {
        evaluator.values(game, &states, &mut values);
    }
    for (turn, (expectation, actual)) in turns.iter_mut().zip(open) {
        turn.before = expectation
            .unwrap_or_default()
            .expected(game, turn.seat, &values);
        turn.values = values[actual].to_vec();
    }
    turns
}

/// The luck of each side in a game, by the values of `evaluator`.
pub fn luck_of_sides<G: Game>(
    game: &G,
    evaluator: &mut impl Evaluator<G>,
    played: &PlayedGame,
) -> Vec<f64> {
    let start = game.initial_state(played.first);
    let luck = luck(&analyze_game(
        game,
        evaluator,
        start,
        &played.moves,
        played.block,
        SERIES_PROBABILITY,
    ));
    balanced(
        sides(game.spec())
            .iter()
            .flat_map(|side| side.iter().next())
            .map(|seat| luck[seat])
            .collect(),
    )
}

/// Makes the luck of two sides sum to exactly 0, so that an agent against itself scores exactly the
/// chance level.
pub(super) fn balanced(luck: Vec<f64>) -> Vec<f64> {
    match luck[..] {
        [a, b] => vec![(a - b) / 2.0, (b - a) / 2.0],
        _ => luck,
    }
}

/// The luck of each seat, summed over `turns`.
pub fn luck<S>(turns: &[TurnAnalysis<S>]) -> BySeat<f64> {
    BySeat(Seat::ALL.map(|seat| turns.iter().map(|turn| turn.luck(seat)).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arena::{Contestant, MatchConfig, MatchSetup, PlayedGame, play_blocks, rotations, sides},
        play::agent::{Agent, OnePly, RandomAgent},
        search::test_support::ExactEvaluator,
    };
    use ashta_env::testing::{
        exact::Play,
        toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
    };
    use std::ops::ControlFlow;

    type Make<'a, T> = &'a (dyn Fn() -> T + Sync);

    /// The return of South, its luck, and the regret of North minus the regret of South, for every
    /// game between `a` and `b`.
    fn played<E: Evaluator<Toy>>(
        game: &Toy,
        a: Make<'_, Box<dyn Agent<Toy> + Send>>,
        b: Make<'_, Box<dyn Agent<Toy> + Send>>,
        evaluator: Make<'_, E>,
    ) -> Vec<[f64; 3]> {
        let sides = sides(game.spec());
        let contestants = || vec![Box::new(a()) as Box<dyn Contestant<Toy>>, Box::new(b())];
        let seating = rotations(&sides, &[0, 1])[0];
        let setup = MatchSetup {
            game,
            contestants: &contestants,
            seatings: &|_| vec![seating],
            is_stopped: &|| false,
        };
        let study = || {
            let mut evaluator = evaluator();
            Box::new(move |played: PlayedGame| {
                let start = game.initial_state(played.first);
                let turns = analyze_game(
                    game,
                    &mut evaluator,
                    start,
                    &played.moves,
                    played.block,
                    0.0,
                );
                assert_eq!(turns.len(), played.turns as usize);
                let south = Seat::SOUTH;
                let given = |turn: &TurnAnalysis<ToyState>| {
                    if turn.seat == south {
                        -turn.regret()
                    } else {
                        turn.regret()
                    }
                };
                let given = turns.iter().map(given).sum::<f64>();
                [f64::from(played.returns[south]), luck(&turns)[south], given]
            }) as Box<dyn FnMut(PlayedGame) -> [f64; 3]>
        };
        let mut all = Vec::new();
        let mut take = |_, games: Vec<[f64; 3]>| {
            all.extend(games);
            ControlFlow::Continue(())
        };
        let config = MatchConfig {
            seed: 3,
            ..MatchConfig::default()
        };
        play_blocks(&setup, 0..4000, &config, study, &mut take);
        all
    }

    #[test]
    fn with_exact_values_a_result_is_its_start_and_luck_and_errors() {
        for throws in [ToyThrows::Again, ToyThrows::Series] {
            let game = Toy::new(ToyTable::Two, ToyPieces::Two, throws);
            let exact = ExactEvaluator::new(&game, BySeat([Play::Best; 4]));
            let evaluator = || exact.clone();
            let best = || Box::new(OnePly::new(evaluator())) as Box<dyn Agent<Toy> + Send>;
            let random = || Box::new(RandomAgent) as Box<dyn Agent<Toy> + Send>;
            let starts = [Seat::SOUTH, Seat::NORTH]
                .map(|first| f64::from(exact.of(&game.initial_state(first))[Seat::SOUTH]));
            let start = f64::midpoint(starts[0], starts[1]);
            let half = (starts[0] - starts[1]).abs() / 2.0;
            for opponent in [&best as Make<'_, _>, &random] {
                for [result, luck, given] in played(&game, &best, opponent, &evaluator) {
                    let rest = result - luck - given - start;
                    assert!(
                        (rest.abs() - half).abs() < 1e-4,
                        "{throws:?}: {result} {luck} {given}"
                    );
                }
            }
        }
    }
}
