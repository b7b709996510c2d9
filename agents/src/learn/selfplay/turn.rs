//! One turn of a self-play game: throws, enumerates the afterstates of this throw and of other
//! throws, chooses an afterstate, and records the value estimates and policy targets.

use std::ops::Range;

use ashta_env::{
    chance,
    game::{Action, BySeat, Game, Node, Seat},
    turn::TurnResults,
};
use rand::Rng;

use crate::{
    play::agent::{random_unit, softmax_policy},
    search::expectation::{ActualTurn, Expectation, append_afterstates, best_of},
};

use super::{PolicyTarget, RunningGame, TrainConfig, TurnEstimate};

/// The turn of one game between the enumeration of its afterstates and their evaluation.
pub(super) struct SelfPlayTurn<G: Game> {
    seat: Seat,
    /// The one-ply expectation over throws; `None` without luck correction.
    expectation: Option<Expectation>,
    /// The indices of the afterstates of the actual throw.
    actual: Range<usize>,
    /// The afterstates of the actual throw, with the actions that lead to them.
    turn_results: TurnResults<G::State>,
}

impl<G: Game> SelfPlayTurn<G> {
    /// Throws the dice of the turn. Appends the afterstates of this throw and of the throws of the
    /// expectation to `results`.
    pub(super) fn throw(
        game: &G,
        config: &TrainConfig,
        running: &mut RunningGame<G>,
        scratch: &mut TurnResults<G::State>,
        results: &mut Vec<G::State>,
    ) -> SelfPlayTurn<G> {
        let start = running.state.clone();
        let seat = chance::throw_dice(game, &mut running.state, |state, _| {
            let outcome = chance::outcome(game.chance_outcomes(state), running.rng.next_u64());
            running.line.outcomes.push(outcome.0);
            Some(outcome)
        });
        let mut turn_results = TurnResults::new();
        let actual = append_afterstates(game, &running.state, &mut turn_results, results);
        let expectation = config.learning.luck_correction.then(|| {
            let actual_turn = ActualTurn {
                start: &start,
                thrown: &running.state,
                results: actual.clone(),
            };
            let (limit, rng) = (config.selfplay.series_probability as f32, &mut running.rng);
            Expectation::of_throws(game, &actual_turn, limit, rng, scratch, results)
        });
        SelfPlayTurn {
            seat: seat.expect("a turn has a decision"),
            expectation,
            actual,
            turn_results,
        }
    }

    /// Chooses an afterstate by its value, plays the turn, and records its value estimates and
    /// policy targets.
    pub(super) fn play(
        &self,
        game: &G,
        config: &TrainConfig,
        running: &mut RunningGame<G>,
        results: &[G::State],
        values: &[BySeat<f32>],
    ) {
        let best = best_of(&self.actual, self.seat, values);
        // Without an expectation, this is plain TD(λ): the target includes the luck of the throw.
        let expected = self.expectation.as_ref().map_or(values[best], |throws| {
            throws.expected(game, self.seat, values)
        });
        let is_random = running.random_turns > 0;
        let explores = running.is_main
            && f64::from(random_unit(&mut running.rng)) < config.selfplay.exploration;
        let chosen = if is_random || explores {
            running.random_turns = running.random_turns.saturating_sub(1);
            self.actual.start + chance::below(self.actual.len(), &mut running.rng)
        } else {
            best
        };
        let is_followed = values[chosen] == values[best];
        if running.is_main {
            self.draw_others(game, config, running, chosen, results);
        }
        running.line.turns.push(TurnEstimate {
            expected,
            best: values[best],
            is_followed,
        });
        let sequence = self.turn_results.actions(chosen - self.actual.start);
        let decisions = &mut running.line.decisions;
        if running.is_main {
            self.add_policy_targets(config, decisions, sequence, values);
        } else {
            // In side branches, only the turn-start states are samples.
            decisions.resize(decisions.len() + sequence.len(), PolicyTarget::new());
        }
        for &action in sequence {
            running.line.actions.push(action.0);
            game.apply_action(&mut running.state, action);
        }
        debug_assert_eq!(running.state, results[chosen]);
    }

    /// Draws the afterstates from which side branches start, among all that are not `chosen` and
    /// not terminal.
    fn draw_others(
        &self,
        game: &G,
        config: &TrainConfig,
        running: &mut RunningGame<G>,
        chosen: usize,
        results: &[G::State],
    ) {
        let is_open = |result: usize| matches!(game.node(&results[result]), Node::Chance(_));
        let mut others: Vec<usize> = self
            .actual
            .clone()
            .filter(|&result| result != chosen && is_open(result))
            .collect();
        for _ in 0..others.len().min(config.selfplay.alternatives as usize) {
            let drawn = others.swap_remove(chance::below(others.len(), &mut running.rng));
            running.branches.push(results[drawn].clone());
        }
    }

    /// Appends the policy target of each action of the `chosen` sequence to `decisions`.
    fn add_policy_targets(
        &self,
        config: &TrainConfig,
        decisions: &mut Vec<PolicyTarget>,
        chosen: &[Action],
        values: &[BySeat<f32>],
    ) {
        for step in 0..chosen.len() {
            // For each action, the value of the best afterstate that it can lead to, after the same
            // earlier actions.
            let mut actions: Vec<(Action, f32)> = Vec::new();
            for result in 0..self.turn_results.len() {
                let other = self.turn_results.actions(result);
                if other.len() > step && other[..step] == chosen[..step] {
                    let value = values[self.actual.start + result][self.seat];
                    match actions.iter_mut().find(|(first, _)| *first == other[step]) {
                        Some((_, best)) => *best = best.max(value),
                        None => actions.push((other[step], value)),
                    }
                }
            }
            let temperature = config.learning.policy_temperature as f32;
            // Without a choice, the decision has no policy target.
            let has_choice = actions.len() > 1;
            decisions.push(if has_choice {
                softmax_policy(actions.into_iter(), temperature)
            } else {
                Vec::new()
            });
        }
    }
}
