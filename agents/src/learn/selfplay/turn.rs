//! One turn of a self-play game: throw, enumerate the afterstates of this and of other throws, choose, note the
//! targets.

use std::ops::Range;

use ashta_env::chance;
use ashta_env::game::{Action, BySeat, Game, Node, Seat};
use ashta_env::turn::TurnResults;
use rand::Rng;

use crate::play::agent::{policy, unit};
use crate::search::expectation::{Expectation, Happened, append, best_of};

use super::{PolicyTarget, TrainConfig, TurnEstimate, UnderWay};

/// The turn of one game between the enumeration of its afterstates and their evaluation. Reused from turn to turn.
pub(super) struct SelfPlayTurn<G: Game> {
    seat: Seat,
    /// The one-ply expectation over throws; of no meaning without luck correction.
    expectation: Expectation,
    /// The afterstates of the throw that happened.
    actual: Range<usize>,
    /// The same with the actions that lead there.
    turn_results: TurnResults<G::State>,
    /// Places of the actual afterstates that were not chosen.
    others: Vec<usize>,
    scratch: TurnResults<G::State>,
}

impl<G: Game> Default for SelfPlayTurn<G> {
    fn default() -> SelfPlayTurn<G> {
        SelfPlayTurn {
            seat: Seat::SOUTH,
            expectation: Expectation::default(),
            actual: 0..0,
            turn_results: TurnResults::new(),
            others: Vec::new(),
            scratch: TurnResults::new(),
        }
    }
}

impl<G: Game> SelfPlayTurn<G> {
    /// Throws the dice of the turn, and appends the afterstates of this throw and of those of the expectation to
    /// `results`.
    pub(super) fn throw(
        &mut self,
        game: &G,
        config: &TrainConfig,
        under_way: &mut UnderWay<G>,
        results: &mut Vec<G::State>,
    ) {
        let start = under_way.state.clone();
        chance::throw_dice(game, &mut under_way.state, |state, seat| {
            self.seat = seat;
            let outcome = chance::outcome(game.chance_outcomes(state), under_way.rng.next_u64());
            under_way.line.outcomes.push(outcome.0);
            Some(outcome)
        });
        self.actual = append(game, &under_way.state, &mut self.turn_results, results);
        if config.learning.luck_correction {
            let happened = Happened { start: &start, thrown: &under_way.state, results: self.actual.clone() };
            let (limit, rng) = (config.selfplay.series_probability as f32, &mut under_way.rng);
            self.expectation.look(game, &happened, limit, rng, &mut self.scratch, results);
        }
    }

    /// Chooses by the `values` of the afterstates, plays, and notes the value estimates of the turn.
    pub(super) fn play(
        &mut self,
        game: &G,
        config: &TrainConfig,
        under_way: &mut UnderWay<G>,
        results: &[G::State],
        values: &[BySeat<f32>],
    ) {
        let best = best_of(&self.actual, self.seat, values);
        let expected = match config.learning.luck_correction {
            true => self.expectation.expected(game, self.seat, values),
            // Plain TD(λ): the luck of the throw stays in the target.
            false => values[best],
        };
        let is_random = under_way.random_turns > 0;
        let explores = under_way.is_main && f64::from(unit(&mut under_way.rng)) < config.selfplay.exploration;
        let chosen = if is_random || explores {
            under_way.random_turns = under_way.random_turns.saturating_sub(1);
            self.actual.start + chance::below(self.actual.len(), &mut under_way.rng)
        } else {
            best
        };
        let seat = self.seat;
        let own = |result: usize| values[result][seat];
        let is_followed = values[chosen] == values[best];
        if under_way.is_main {
            self.draw_others(game, config, under_way, chosen, results);
        }
        under_way.line.turns.push(TurnEstimate { expected, best: values[best], is_followed });
        let sequence = self.turn_results.actions(chosen - self.actual.start);
        let decisions = &mut under_way.line.decisions;
        if under_way.is_main {
            self.note_decisions(config, decisions, sequence, &own);
        } else {
            // Of side branches only the turn-start states are samples.
            decisions.resize(decisions.len() + sequence.len(), PolicyTarget::new());
        }
        for &action in sequence {
            under_way.line.actions.push(action.0);
            game.apply_action(&mut under_way.state, action);
        }
        debug_assert_eq!(under_way.state, results[chosen]);
    }

    /// Draws from the open afterstates that are not `chosen` those that start side branches.
    fn draw_others(
        &mut self,
        game: &G,
        config: &TrainConfig,
        under_way: &mut UnderWay<G>,
        chosen: usize,
        results: &[G::State],
    ) {
        let is_open = |result: usize| matches!(game.node(&results[result]), Node::Chance(_));
        self.others.clear();
        self.others.extend(self.actual.clone().filter(|&result| result != chosen && is_open(result)));
        for _ in 0..config.selfplay.alternatives {
            if self.others.is_empty() {
                return;
            }
            let drawn = self.others.swap_remove(chance::below(self.others.len(), &mut under_way.rng));
            under_way.branches.push(results[drawn].clone());
        }
    }

    /// Notes the policy target of each action of the `chosen` sequence.
    fn note_decisions(
        &self,
        config: &TrainConfig,
        decisions: &mut Vec<PolicyTarget>,
        chosen: &[Action],
        own: &dyn Fn(usize) -> f32,
    ) {
        for step in 0..chosen.len() {
            // The best afterstate behind each action, among those that begin as the turn did so far.
            let mut behind: Vec<(Action, f32)> = Vec::new();
            for result in 0..self.turn_results.len() {
                let other = self.turn_results.actions(result);
                if other.len() > step && other[..step] == chosen[..step] {
                    let value = own(self.actual.start + result);
                    match behind.iter_mut().find(|(first, _)| *first == other[step]) {
                        Some((_, best)) => *best = best.max(value),
                        None => behind.push((other[step], value)),
                    }
                }
            }
            let temperature = config.learning.policy_temperature as f32;
            // With one action there is nothing to choose.
            decisions.push(if behind.len() < 2 { Vec::new() } else { policy(behind.iter().copied(), temperature) });
        }
    }
}
