//! Baselines: rule-based opponents without training, used as references in matches and training
//! runs.
//!
//! A baseline sees only how many steps each piece has made. So it can play every game, but not
//! well: it does not know safe squares, twins or throws that capture.

use std::fmt;

use ashta_env::{
    game::{Action, BySeat, MAX_PIECES, MAX_SEATS, Payoff, RaceGame, Seat},
    turn::TurnResults,
};

use crate::play::{
    agent::{
        Agent, GameRng, OnePly, Pick, RandomAgent, deciding_seat, forced_action, results_of_turn,
    },
    evaluator::{Evaluation, Evaluator, answer_open},
};

/// A baseline, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Baseline {
    /// Random play: see [`RandomAgent`].
    Random,
    /// Advances the piece that is furthest ahead.
    Runner,
    /// Captures if it can; otherwise plays like the runner.
    Hunter,
    /// One-ply play by [`PipEvaluator`].
    Greedy,
}

impl Baseline {
    /// All baselines, roughly from weak to strong.
    pub const ALL: [Baseline; 4] = [
        Baseline::Random,
        Baseline::Runner,
        Baseline::Hunter,
        Baseline::Greedy,
    ];

    /// The baseline of this name.
    pub fn from_name(name: &str) -> Option<Baseline> {
        Baseline::ALL
            .into_iter()
            .find(|baseline| baseline.name() == name)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Baseline::Random => "random",
            Baseline::Runner => "runner",
            Baseline::Hunter => "hunter",
            Baseline::Greedy => "greedy",
        }
    }

    /// An agent that plays this baseline.
    pub fn agent<G: RaceGame + 'static>(self) -> Box<dyn Agent<G> + Send> {
        match self {
            Baseline::Random => Box::new(RandomAgent),
            Baseline::Runner => Box::new(RuleAgent { hunts: false }),
            Baseline::Hunter => Box::new(RuleAgent { hunts: true }),
            Baseline::Greedy => Box::new(OnePly::picking(PipEvaluator, Pick::Drawn)),
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Chooses the best afterstate by a fixed order; if several are equally good, the first found. A
/// hunter first compares the steps of the enemies (fewer is better). Then, like a runner, it
/// compares the steps of its own pieces, the furthest piece first.
struct RuleAgent {
    hunts: bool,
}

impl<G: RaceGame> Agent<G> for RuleAgent {
    fn act(&mut self, game: &G, states: &[G::State], _rngs: &mut [GameRng]) -> Vec<Action> {
        let mut results = TurnResults::new();
        let choose = |state: &G::State| {
            if let Some(action) = forced_action(game, state) {
                return action;
            }
            let seat = deciding_seat(game, state);
            results_of_turn(game, state, &mut results);
            let rank = |index: &usize| {
                let result = results.state(*index);
                let left_to_enemies = if self.hunts {
                    enemy_steps(game, result, seat)
                } else {
                    0
                };
                (
                    std::cmp::Reverse(left_to_enemies),
                    running_order(game, result, seat),
                )
            };
            // `max_by_key` returns the last of several equal items, so iterate backwards.
            let best = (0..results.len())
                .rev()
                .max_by_key(rank)
                .expect("a turn has a result");
            results.actions(best)[0]
        };
        states.iter().map(choose).collect()
    }
}

/// Steps of the pieces of `seat`, the furthest piece first, then the steps of its partner's pieces.
fn running_order<G: RaceGame>(game: &G, state: &G::State, seat: Seat) -> [[u8; MAX_PIECES]; 2] {
    let mut order = [[0; MAX_PIECES]; 2];
    for mate in game.spec().teams[seat].iter() {
        let mut steps = game.steps(state, mate);
        steps[game.pieces()..].fill(0);
        steps.sort_unstable_by(|a, b| b.cmp(a));
        order[usize::from(mate != seat)] = steps;
    }
    order
}

/// Steps of all pieces of the other teams.
fn enemy_steps<G: RaceGame>(game: &G, state: &G::State, seat: Seat) -> u32 {
    let spec = game.spec();
    spec.seats
        .iter()
        .filter(|&other| !spec.teams[seat].contains(other))
        .map(|enemy| total_steps(game, state, enemy))
        .sum()
}

/// Steps of all pieces of a seat.
fn total_steps<G: RaceGame>(game: &G, state: &G::State, seat: Seat) -> u32 {
    game.steps(state, seat)[..game.pieces()]
        .iter()
        .map(|&steps| u32::from(steps))
        .sum()
}

/// The logit of the winning chance with a lead of the whole course. With a lead of 1/50 of the
/// course (about an average throw in the built-in games), the winning chance is 53 %; with a lead
/// of 1/4 it is 82 %.
const STEEPNESS: f32 = 6.0;

/// Evaluates a position only by the share of the course that each seat has covered with all its
/// pieces, like the pip count of backgammon (the number of steps that the pieces still need).
///
/// It ignores which piece has moved. So most afterstates of a turn have equal values, and `greedy`
/// chooses between these at random.
///
/// Winning chances are the softmax of the scaled shares; for two seats, this is the sigmoid of
/// their difference. The share of a team is the mean share of its seats. In games with placings
/// (all ranks count), a value is the mean, over the rivals, of the chance to come home before the
/// rival. This chance is also a sigmoid, or 1 if the seat is home and the rival is not. Pending
/// throws do not count. Finished games have their exact returns. The policy is empty.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PipEvaluator;

impl<G: RaceGame> Evaluator<G> for PipEvaluator {
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation> {
        let mut values = Vec::with_capacity(states.len());
        self.values(game, states, &mut values);
        values.into_iter().map(Evaluation::from).collect()
    }

    fn values(&mut self, game: &G, states: &[G::State], out: &mut Vec<BySeat<f32>>) {
        answer_open(game, states, out, |open, out| {
            out.extend(open.iter().map(|state| pip_values(game, state)))
        });
    }
}

fn pip_values<G: RaceGame>(game: &G, state: &G::State) -> BySeat<f32> {
    let spec = game.spec();
    let course = (usize::from(game.goal()) * game.pieces()) as f32;
    let mut shares = BySeat([0.0; MAX_SEATS]);
    spec.seats
        .iter()
        .for_each(|seat| shares[seat] = total_steps(game, state, seat) as f32 / course);
    let mut values = BySeat([0.0; MAX_SEATS]);
    if spec.payoff == Payoff::Placings {
        let rivals = (spec.seats.len() - 1).max(1) as f32;
        for seat in spec.seats.iter() {
            let others = spec.seats.iter().filter(|&other| other != seat);
            values[seat] = others
                .map(|other| chance_to_be_first(shares[seat], shares[other]))
                .sum::<f32>()
                / rivals;
        }
        return values;
    }
    for seat in spec.seats.iter() {
        let team = spec.teams[seat];
        let mean = team.iter().map(|mate| shares[mate]).sum::<f32>() / team.len() as f32;
        values[seat] = (STEEPNESS * mean).exp();
    }
    // The seats of a team share one weight.
    let sum: f32 = spec
        .seats
        .iter()
        .map(|seat| values[seat] / spec.teams[seat].len() as f32)
        .sum();
    values.0.iter_mut().for_each(|value| *value /= sum);
    values
}

/// The probability that a seat comes home before another seat; `own` and `other` are the shares of
/// the course that they have covered.
fn chance_to_be_first(own: f32, other: f32) -> f32 {
    match (own >= 1.0, other >= 1.0) {
        (true, false) => 1.0,
        (false, true) => 0.0,
        _ => 1.0 / (1.0 + (STEEPNESS * (other - own)).exp()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::{
        game::{Game, Outcome},
        race::Race,
        testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
        turn::{MOST_POSITIONS, turn_results_within},
    };
    use rand::SeedableRng;

    fn choice(game: &Toy, state: &ToyState, baseline: Baseline) -> Action {
        baseline
            .agent()
            .choose(game, state, &mut GameRng::seed_from_u64(0))
    }

    /// A position with these pieces after South has thrown 2.
    fn south_has_a_two(game: &Toy, pieces: [[u8; 2]; 4]) -> ToyState {
        let mut state = game.position(Seat::SOUTH, BySeat(pieces));
        game.apply_chance(&mut state, Outcome(1));
        state
    }

    fn values(game: &Toy, state: &ToyState) -> BySeat<f32> {
        PipEvaluator.evaluate(game, std::slice::from_ref(state))[0].values
    }

    #[test]
    fn a_series_of_many_throws_is_answered_too() {
        let throws = ["1"; 8]
            .into_iter()
            .chain(["4"; 12])
            .chain(["8"; 12])
            .collect::<Vec<_>>()
            .join(",");
        let text = format!("ashtapada?pieces=4 S:1,3,5,7/N:2,9,26,45 S {throws},3");
        let (race, state) = Race::parse_position(&text).expect("the position is written well");
        assert!(
            !turn_results_within(&race, &state, MOST_POSITIONS, &mut TurnResults::new()),
            "the turn is a long one"
        );
        for baseline in [
            Baseline::Random,
            Baseline::Runner,
            Baseline::Hunter,
            Baseline::Greedy,
        ] {
            let mut agent = baseline.agent();
            let action = agent.choose(&race, &state, &mut GameRng::seed_from_u64(0));
            assert!(race.legal_actions(&state).contains(action), "{baseline}");
        }
    }

    #[test]
    fn the_runner_runs_and_the_hunter_captures() {
        let game = Toy::two();
        // South's rear piece can reach index 3, which is North's index 1.
        let state = south_has_a_two(&game, [[1, 2], [0; 2], [1, 1], [0; 2]]);
        assert_eq!(choice(&game, &state, Baseline::Runner), Action(2));
        assert_eq!(choice(&game, &state, Baseline::Hunter), Action(0));
        assert_eq!(choice(&game, &state, Baseline::Greedy), Action(0));
        let nobody_there = south_has_a_two(&game, [[1, 2], [0; 2], [0, 0], [0; 2]]);
        assert_eq!(choice(&game, &nobody_there, Baseline::Hunter), Action(2));
    }

    #[test]
    fn partners_are_no_prey() {
        let game = Toy::new(ToyTable::Teams, ToyPieces::Two, ToyThrows::Again);
        let partner = south_has_a_two(&game, [[1, 2], [0; 2], [1, 1], [0; 2]]);
        assert_eq!(choice(&game, &partner, Baseline::Hunter), Action(2));
        // East's index 2 is South's index 3.
        let enemy = south_has_a_two(&game, [[1, 2], [2, 2], [1, 1], [0; 2]]);
        assert_eq!(choice(&game, &enemy, Baseline::Hunter), Action(0));
    }

    #[test]
    fn values_follow_the_outlook() {
        let equal = BySeat([[1, 2]; 4]);
        for (table, pieces, each) in [
            (ToyTable::Two, ToyPieces::Two, 0.5),
            (ToyTable::Three, ToyPieces::Two, 1.0 / 3.0),
            (ToyTable::Teams, ToyPieces::Two, 0.5),
            (ToyTable::Placings, ToyPieces::Two, 0.5),
        ] {
            let game = Toy::new(table, pieces, ToyThrows::Again);
            let start = values(&game, &game.position(Seat::SOUTH, equal));
            assert!(
                game.spec()
                    .seats
                    .iter()
                    .all(|seat| (start[seat] - each).abs() < 1e-6),
                "{table:?} {start:?}"
            );
            let mut ahead = equal;
            ahead[Seat::SOUTH] = [2, 3];
            let ahead = values(&game, &game.position(Seat::SOUTH, ahead));
            let stake: f32 = game.spec().seats.iter().map(|seat| ahead[seat]).sum();
            assert!(
                (stake - each * game.spec().seats.len() as f32).abs() < 1e-6,
                "{table:?} {ahead:?}"
            );
            assert!(ahead[Seat::SOUTH] > each + 0.02, "{table:?} {ahead:?}");
            assert_eq!(
                ahead[Seat::SOUTH] == ahead[Seat::NORTH],
                table == ToyTable::Teams
            );
        }
    }

    #[test]
    fn equal_races_have_equal_values_and_greedy_draws_among_them() {
        let game = Toy::two();
        let together = values(
            &game,
            &game.position(Seat::NORTH, BySeat([[2, 2], [0; 2], [0; 2], [0; 2]])),
        );
        let apart = values(
            &game,
            &game.position(Seat::NORTH, BySeat([[1, 3], [0; 2], [0; 2], [0; 2]])),
        );
        assert_eq!(together, apart);
        let state = south_has_a_two(&game, [[0, 2], [0; 2], [0; 2], [0; 2]]);
        let mut agent = Baseline::Greedy.agent();
        let mut rngs = [GameRng::seed_from_u64(3)];
        let chosen: Vec<Action> = (0..40)
            .map(|_| agent.act(&game, std::slice::from_ref(&state), &mut rngs)[0])
            .collect();
        assert!(
            chosen.iter().any(|&action| action != chosen[0]),
            "{chosen:?}"
        );
    }
}
