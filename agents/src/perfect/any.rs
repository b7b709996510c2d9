//! Perfect play of any [`Game`] for two sides whose turn-start states fit into memory.
//!
//! [`solve_any`] finds the positions by search from the beginning of the game and numbers them.
//! Value iteration from below and from above then encloses each value. Race games have a faster
//! solver, [`solve`](super::solve), which needs no list of states.

use std::{collections::HashMap, hash::Hash};

use ashta_env::{
    chance,
    game::{BySeat, Game, Node, Outcome, Payoff, Seat},
    turn::{TurnResults, turn_results},
};
use rand::Rng;

use crate::{
    arena::Interval,
    play::{
        agent::{Agent, GameRng},
        error::Error,
        evaluator::{Evaluation, Evaluator},
    },
};

/// The largest number of sweeps of [`solve_any`].
const MOST_SWEEPS: usize = 10_000;

/// The values of all turn-start states that a game can reach. As an [`Evaluator`], it plays
/// perfectly with [`OnePly`](crate::play::agent::OnePly).
#[derive(Clone, Debug)]
pub struct Solved<S> {
    numbers: HashMap<S, u32>,
    /// The expected return of the first side in each state.
    values: Vec<f64>,
    /// The largest possible error of a value.
    error: f64,
    sweeps: usize,
}

impl<S: Eq + Hash> Solved<S> {
    /// The expected return, 0 to 1, of the side of the first seat; `None` if the game cannot reach
    /// `state` at the start of a turn or at its end.
    pub fn value(&self, state: &S) -> Option<f64> {
        self.numbers
            .get(state)
            .map(|&number| self.values[number as usize])
    }

    /// The number of states: starts of turns and ends of games.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no states; a solved game has at least one.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The largest possible difference between a value and the true value, proven by bounds.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The number of sweeps of value iteration.
    pub fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// The states with their values, in no particular order.
    pub fn states(&self) -> impl Iterator<Item = (&S, f64)> {
        self.numbers
            .iter()
            .map(|(state, &number)| (state, self.values[number as usize]))
    }
}

/// The turns of a game in one flat list: the ends of a throw are a range of `ends`, the throws of a
/// state are a range of `throws`.
#[derive(Default)]
struct Turns {
    /// Whether the first side chooses; the throws as a range.
    turns: Vec<(bool, usize, usize)>,
    /// The probability of a throw, and the end of its range of ends.
    throws: Vec<(f64, usize)>,
    /// The numbers of the states at the ends of turns.
    ends: Vec<u32>,
}

/// The seat whose side is the first side.
fn first_seat(game: &impl Game) -> Seat {
    game.spec().seats.iter().next().unwrap_or(Seat::SOUTH)
}

/// Whether `seat` is on the first side.
fn is_first_side(game: &impl Game, seat: Seat) -> bool {
    game.spec().teams[first_seat(game)].contains(seat)
}

/// Solves a game for two sides: two seats, or two teams. Each side plays to maximize its expected
/// return. `most` limits the number of states. The values differ from the true values by at most
/// `tolerance`.
///
/// # Errors
/// When the game has more than two sides, more than `most` states, or values that do not settle,
/// because some play never ends.
pub fn solve_any<G: Game>(
    game: &G,
    most: usize,
    tolerance: f64,
) -> Result<Solved<G::State>, Error> {
    solve_with(game, most, tolerance, &mut |_, _| None)
}

/// Solves a game as [`solve_any`] if the side of `seat` plays like `agent`: the other side plays
/// its best response. The agent must choose without random numbers.
///
/// # Errors
/// As [`solve_any`].
pub fn best_response<G: Game>(
    game: &G,
    agent: &mut dyn Agent<G>,
    seat: Seat,
    most: usize,
    tolerance: f64,
) -> Result<Solved<G::State>, Error> {
    let side = is_first_side(game, seat);
    let mut rng = chance::stream(0, 0);
    solve_with(game, most, tolerance, &mut |thrown, mover| {
        (is_first_side(game, mover) == side).then(|| {
            let mut state = thrown.clone();
            play_turn(game, agent, &mut state, mover, &mut rng);
            state
        })
    })
}

/// Plays the rest of the turn of `seat`.
fn play_turn<G: Game>(
    game: &G,
    agent: &mut dyn Agent<G>,
    state: &mut G::State,
    seat: Seat,
    rng: &mut GameRng,
) {
    while game.node(state) == Node::Decision(seat) {
        let action = agent.choose(game, state, rng);
        game.apply_action(state, action);
    }
}

/// Plays the turn of a fixed agent: takes the position after the throw and the seat, and returns
/// the end of the turn; `None` if this seat plays perfectly.
type Played<'a, S> = &'a mut dyn FnMut(&S, Seat) -> Option<S>;

fn solve_with<G: Game>(
    game: &G,
    most: usize,
    tolerance: f64,
    played: Played<'_, G::State>,
) -> Result<Solved<G::State>, Error> {
    let spec = game.spec();
    let has_two_sides = match spec.payoff {
        Payoff::Winner => spec.seats.len() == 2,
        Payoff::Teams => true,
        Payoff::Placings => false,
    };
    Error::unless(has_two_sides, || {
        format!("cannot solve {}: it has more than two sides", spec.name)
    })?;
    let (numbers, turns, ends) = list(game, most, played)?;
    let mut bounds: Vec<[f64; 2]> = vec![[0.0, 1.0]; turns.turns.len()];
    for (number, value) in ends {
        bounds[number] = [value; 2];
    }
    for sweep in 1..=MOST_SWEEPS {
        let gap = sweep_bounds(&turns, &mut bounds);
        if gap <= 2.0 * tolerance {
            let values = bounds.iter().map(|[low, high]| (low + high) / 2.0);
            return Ok(Solved {
                numbers,
                values: values.collect(),
                error: gap / 2.0,
                sweeps: sweep,
            });
        }
    }
    Err(Error::new(format!(
        "the values of {} do not settle in {MOST_SWEEPS} sweeps",
        spec.name
    )))
}

/// The number of each state, the turns, and the values of the states at the ends of games.
type Listed<S> = (HashMap<S, u32>, Turns, Vec<(usize, f64)>);

/// Lists the turns of all states that the game can reach.
fn list<G: Game>(
    game: &G,
    most: usize,
    played: Played<'_, G::State>,
) -> Result<Listed<G::State>, Error> {
    let (mut numbers, mut states) = (HashMap::new(), Vec::new());
    let mut number_of = |state: G::State, states: &mut Vec<G::State>| {
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() as u32 - 1
        })
    };
    for seat in game.spec().seats.iter() {
        number_of(game.initial_state(seat), &mut states);
    }
    let (mut turns, mut ended, mut results) = (Turns::default(), Vec::new(), TurnResults::new());
    while let Some(state) = states.get(turns.turns.len()).cloned() {
        Error::unless(states.len() <= most, || {
            format!("{} has more than {most} states", game.spec().name)
        })?;
        let start = turns.throws.len();
        let mut is_first = false;
        match game.node(&state) {
            Node::Terminal => {
                let value = f64::from(game.returns(&state)[first_seat(game)]);
                ended.push((turns.turns.len(), value));
            }
            Node::Decision(_) => {
                let problem = "a turn that does not begin with a throw";
                return Err(Error::new(format!("cannot solve {problem}: {state:?}")));
            }
            Node::Chance(seat) => {
                is_first = is_first_side(game, seat);
                for (outcome, &probability) in game
                    .chance_outcomes(&state)
                    .iter()
                    .enumerate()
                    .filter(|&(_, &chance)| chance > 0.0)
                {
                    let mut thrown = state.clone();
                    game.apply_chance(&mut thrown, Outcome(outcome as u8));
                    let end = match game.node(&thrown) {
                        Node::Decision(seat) => played(&thrown, seat),
                        _ => Some(thrown.clone()),
                    };
                    if let Some(end) = end {
                        turns.ends.push(number_of(end, &mut states));
                    } else {
                        turn_results(game, &thrown, &mut results);
                        let ends = results.states().iter();
                        turns
                            .ends
                            .extend(ends.map(|end| number_of(end.clone(), &mut states)));
                    }
                    turns.throws.push((probability, turns.ends.len()));
                }
            }
        }
        turns.turns.push((is_first, start, turns.throws.len()));
    }
    Ok((numbers, turns, ended))
}

/// Improves both bounds of every state; returns the largest difference between two bounds. Most
/// turns lead to states with higher numbers, so a sweep begins at the end.
fn sweep_bounds(turns: &Turns, bounds: &mut [[f64; 2]]) -> f64 {
    let mut gap = 0.0_f64;
    for (number, &(is_first, start, end)) in turns.turns.iter().enumerate().rev() {
        if start == end {
            continue;
        }
        let mut sums = [0.0; 2];
        let mut from = match start {
            0 => 0,
            _ => turns.throws[start - 1].1,
        };
        for &(probability, to) in &turns.throws[start..end] {
            let [low, high] = turns.ends[from..to]
                .iter()
                .map(|&end| bounds[end as usize])
                .reduce(|[a, b], [c, d]| match is_first {
                    true => [a.max(c), b.max(d)],
                    false => [a.min(c), b.min(d)],
                })
                .unwrap_or([0.0, 1.0]);
            sums[0] += probability * low;
            sums[1] += probability * high;
            from = to;
        }
        // Rounding must not widen the bounds again.
        let [low, high] = bounds[number];
        bounds[number] = [sums[0].max(low), sums[1].min(high)];
        gap = gap.max(bounds[number][1] - bounds[number][0]);
    }
    gap
}

/// Within a turn, the values are those of the best end of the turn. States that the game cannot
/// reach have the value ½.
impl<G: Game> Evaluator<G> for Solved<G::State> {
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation> {
        let mut results = TurnResults::new();
        let mut value = |state: &G::State| match game.node(state) {
            Node::Decision(seat) => {
                turn_results(game, state, &mut results);
                let values = results.states().iter().filter_map(|end| self.value(end));
                let best = match is_first_side(game, seat) {
                    true => values.reduce(f64::max),
                    false => values.reduce(f64::min),
                };
                best.unwrap_or(0.5)
            }
            _ => self.value(state).unwrap_or(0.5),
        };
        let evaluation = |state| {
            let value = value(state) as f32;
            let side = |seat| match is_first_side(game, seat) {
                true => value,
                false => 1.0 - value,
            };
            Evaluation::from(BySeat(Seat::ALL.map(side)))
        };
        states.iter().map(evaluation).collect()
    }
}

/// The regret of an agent: the mean of the value that a decision loses against perfect play, in
/// `games` games of the agent against itself. A decision is a turn with several ends.
///
/// # Panics
/// When `solved` belongs to another game.
pub fn regret_in<G: Game>(
    game: &G,
    solved: &Solved<G::State>,
    agent: &mut dyn Agent<G>,
    games: u64,
    seed: u64,
) -> Interval {
    let (lost, decisions): (Vec<f64>, Vec<f64>) = (0..games)
        .map(|number| {
            let mut rng = chance::stream(seed, number);
            let mut state = game.initial_state(chance::first_seat(game.spec().seats, &mut rng));
            game_regret(game, solved, agent, &mut state, &mut rng)
        })
        .unzip();
    Interval::ratio(&lost, &decisions)
}

/// Plays a game to its end; returns the value that its decisions lost, and their number.
fn game_regret<G: Game>(
    game: &G,
    solved: &Solved<G::State>,
    agent: &mut dyn Agent<G>,
    state: &mut G::State,
    rng: &mut GameRng,
) -> (f64, f64) {
    let (mut lost, mut decisions) = (0.0, 0.0);
    let mut results = TurnResults::new();
    for _ in 0..game.spec().turn_limit {
        let draw = |state: &G::State, _| {
            Some(chance::outcome(game.chance_outcomes(state), rng.next_u64()))
        };
        let Some(seat) = chance::throw_dice(game, state, draw) else {
            break;
        };
        turn_results(game, state, &mut results);
        let sign = if is_first_side(game, seat) { 1.0 } else { -1.0 };
        let value = |end| sign * solved.value(end).expect("a state of the solved game");
        let best = results.states().iter().map(value).fold(f64::MIN, f64::max);
        let is_choice = results.len() > 1;
        play_turn(game, agent, state, seat, rng);
        if is_choice {
            lost += best - value(state);
            decisions += 1.0;
        }
    }
    (lost, decisions)
}

#[cfg(test)]
mod tests {
    use ashta_env::{
        race::Race,
        ruleset::Ruleset,
        testing::{
            exact::{Play, solve},
            toy::{Toy, ToyPieces, ToyTable, ToyThrows},
        },
    };

    use super::*;
    use crate::play::{agent::OnePly, baseline::Baseline};

    #[test]
    fn values_are_those_of_the_reference() {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        let solved = solve_any(&game, 1_000_000, 1e-9).expect("a small game");
        let exact = solve(&game, BySeat([Play::Best; 4])).expect("settles");
        assert!(solved.len() > 10 && solved.error() <= 1e-9);
        for (state, value) in solved.states() {
            let values = exact.values(state).expect("a reachable state");
            assert!((values[Seat::SOUTH] - value).abs() < 1e-8, "{state:?}");
        }
    }

    #[test]
    fn perfect_play_has_no_regret_and_other_play_has() {
        let game = Toy::two();
        let solved = solve_any(&game, 1_000_000, 1e-9).expect("a small game");
        let start = solved.value(&game.initial_state(Seat::SOUTH));
        assert!(
            start.is_some_and(|value| value > 0.5 && value < 0.7),
            "{start:?}"
        );
        let mut perfect = OnePly::new(solved.clone());
        let regret = regret_in(&game, &solved, &mut perfect, 200, 1);
        assert!(regret.mean.abs() < 1e-6, "{regret:?}");
        let answered = |agent: &mut dyn Agent<Toy>| {
            best_response(&game, agent, Seat::SOUTH, 1_000_000, 1e-9)
                .expect("a small game")
                .value(&game.initial_state(Seat::SOUTH))
        };
        let worst = answered(&mut perfect).expect("the start");
        assert!((worst - start.expect("the start")).abs() < 1e-6, "{worst}");
        let runner = answered(&mut *Baseline::Runner.agent()).expect("the start");
        assert!(runner < worst - 1e-3, "{runner} {worst}");
        let mut random = crate::play::agent::RandomAgent;
        let regret = regret_in(&game, &solved, &mut random, 200, 1);
        assert!(regret.mean > 1e-3, "{regret:?}");
    }

    #[test]
    fn what_cannot_be_solved_is_refused_by_name() {
        let toy = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        let error = solve_any(&toy, 10, 1e-9).expect_err("more states");
        assert!(error.to_string().contains("more than 10 states"), "{error}");
        let race = Race::new(Ruleset::seated("ashte-kashte?pieces=1", Some(4)).expect("a game"));
        let error = solve_any(&race, 10, 1e-9).expect_err("four sides");
        assert!(error.to_string().contains("more than two sides"), "{error}");
    }
}
