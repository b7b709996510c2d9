//! One turn of a self-play game: throw, list what could be done with every likely throw, choose, and note the targets.

use std::ops::Range;

use ashta_env::chance;
use ashta_env::game::{Action, BySeat, Game, Node, Outcome, Seat};
use ashta_env::turn::{TurnResults, turn_results};
use rand::Rng;

use super::{DecisionTarget, SelfPlayConfig, UnderWay, Valued};
use crate::evaluator::first_best;

/// The turn of one game between the enumeration of its results and their evaluation. Reused from turn to turn.
pub(super) struct Turn<G: Game> {
    seat: Seat,
    /// What can be thrown, with the results of each throw; probabilities sum to 1.
    branches: Vec<Branch>,
    /// The branch that happened; `None` without luck correction.
    happened: Option<usize>,
    /// The positions between the throws that happened.
    path: Vec<G::State>,
    /// The results of the throw that happened.
    actual: Range<usize>,
    /// For each actual result the actions that lead there, end to end, and where each sequence ends.
    actions: Vec<Action>,
    ends: Vec<usize>,
    turn_results: TurnResults<G::State>,
    open: Vec<(G::State, f32)>,
}

/// A throw or the beginning of a rare series.
struct Branch {
    probability: f32,
    /// The results of the turn; for a series that is not followed to its end the position within it alone.
    results: Range<usize>,
}

impl<G: Game> Default for Turn<G> {
    fn default() -> Turn<G> {
        Turn {
            seat: Seat::SOUTH,
            branches: Vec::new(),
            happened: None,
            path: Vec::new(),
            actual: 0..0,
            actions: Vec::new(),
            ends: Vec::new(),
            turn_results: TurnResults::new(),
            open: Vec::new(),
        }
    }
}

impl<G: Game> Turn<G> {
    /// Throws the dice of the turn, and appends the results of this and of every likely throw to `results`.
    pub(super) fn throw(
        &mut self,
        game: &G,
        config: &SelfPlayConfig,
        under_way: &mut UnderWay<G>,
        results: &mut Vec<G::State>,
    ) {
        let start = under_way.state.clone();
        self.path.clear();
        while let Node::Chance(seat) = game.node(&under_way.state) {
            self.seat = seat;
            let outcome = chance::outcome(game.chance_outcomes(&under_way.state), under_way.rng.next_u64());
            game.apply_chance(&mut under_way.state, outcome);
            under_way.record.outcomes.push(outcome.0);
            self.path.push(under_way.state.clone());
        }
        self.actual = self.append(game, &under_way.state, results);
        self.actions.clear();
        self.ends.clear();
        for index in 0..self.turn_results.len() {
            self.actions.extend_from_slice(self.turn_results.actions(index));
            self.ends.push(self.actions.len());
        }
        self.branches.clear();
        self.happened = None;
        if !config.luck_correction {
            return;
        }
        self.open.clear();
        self.open.push((start, 1.0));
        while let Some((state, probability)) = self.open.pop() {
            let is_chance = matches!(game.node(&state), Node::Chance(_));
            if is_chance && probability >= config.series_probability {
                for (outcome, &chance) in game.chance_outcomes(&state).iter().enumerate() {
                    if chance > 0.0 {
                        let mut next = state.clone();
                        game.apply_chance(&mut next, Outcome(outcome as u8));
                        self.open.push((next, probability * chance));
                    }
                }
                continue;
            }
            if self.path.contains(&state) {
                self.happened = Some(self.branches.len());
            }
            let results = if state == under_way.state {
                self.actual.clone()
            } else if is_chance {
                results.push(state);
                results.len() - 1..results.len()
            } else {
                self.append(game, &state, results)
            };
            self.branches.push(Branch { probability, results });
        }
    }

    fn append(&mut self, game: &G, state: &G::State, results: &mut Vec<G::State>) -> Range<usize> {
        turn_results(game, state, &mut self.turn_results);
        let first = results.len();
        results.extend_from_slice(self.turn_results.states());
        first..results.len()
    }

    /// Chooses by the `values` of the results, plays, and notes what the turn was worth.
    pub(super) fn play(
        &mut self,
        game: &G,
        config: &SelfPlayConfig,
        under_way: &mut UnderWay<G>,
        results: &[G::State],
        values: &[BySeat<f32>],
    ) {
        let own = |result: usize| values[result][self.seat];
        let best_of = |results: &Range<usize>| {
            results.start + first_best(results.clone().map(own)).expect("a throw has a result")
        };
        let best = best_of(&self.actual);
        // Without luck correction a throw is what it is.
        let (mut expected, mut counted) = (values[best], values[best]);
        if let Some(happened) = self.happened {
            counted = values[best_of(&self.branches[happened].results)];
            expected = BySeat::default();
            for branch in &self.branches {
                let values = values[best_of(&branch.results)];
                for seat in game.spec().seats.iter() {
                    expected[seat] += values[seat] * branch.probability;
                }
            }
        }
        let is_random = under_way.random_turns > 0;
        let chosen = if is_random {
            under_way.random_turns -= 1;
            self.actual.start + chance::below(self.actual.len(), &mut under_way.rng)
        } else {
            best
        };
        let is_followed = own(chosen) >= own(best);
        under_way.turns.push(Valued { expected, counted, best: values[best], is_followed });
        self.note_decisions(game, config, under_way, chosen - self.actual.start, &own);
        debug_assert_eq!(under_way.state, results[chosen]);
    }

    /// Plays the actions of the chosen result and notes for each decision what the policy should have been.
    fn note_decisions(
        &self,
        game: &G,
        config: &SelfPlayConfig,
        under_way: &mut UnderWay<G>,
        chosen: usize,
        own: &dyn Fn(usize) -> f32,
    ) {
        let sequence = |result: usize| {
            let start = if result == 0 { 0 } else { self.ends[result - 1] };
            &self.actions[start..self.ends[result]]
        };
        let chosen = sequence(chosen);
        for (step, &action) in chosen.iter().enumerate() {
            // The best result behind each action, among those that begin as the turn did so far.
            let mut behind: Vec<(Action, f32)> = Vec::new();
            for result in 0..self.ends.len() {
                let other = sequence(result);
                if other.len() > step && other[..step] == chosen[..step] {
                    let value = own(self.actual.start + result);
                    match behind.iter_mut().find(|(first, _)| *first == other[step]) {
                        Some((_, best)) => *best = best.max(value),
                        None => behind.push((other[step], value)),
                    }
                }
            }
            under_way.record.decisions.push(DecisionTarget { policy: policy(behind, config.policy_temperature) });
            under_way.record.actions.push(action.0);
            game.apply_action(&mut under_way.state, action);
        }
    }
}

/// The softmax of the values over `temperature`; empty when there is nothing to choose.
fn policy(values: Vec<(Action, f32)>, temperature: f32) -> Vec<(Action, f32)> {
    if values.len() < 2 {
        return Vec::new();
    }
    let best = values.iter().fold(f32::MIN, |best, &(_, value)| best.max(value));
    let weights = values.iter().map(|&(action, value)| (action, ((value - best) / temperature).exp()));
    let weights: Vec<(Action, f32)> = weights.collect();
    let total: f32 = weights.iter().map(|&(_, weight)| weight).sum();
    weights.into_iter().map(|(action, weight)| (action, weight / total)).collect()
}
