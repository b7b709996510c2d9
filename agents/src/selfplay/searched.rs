//! Self-play by a tree search: each decision is searched, and what the search says is what is learned.
//!
//! The target of a turn is the λ-mix of what the search makes of its first decision and of the target of the next turn.
//! With luck correction the throw is measured by the evaluator, too: what the outcome is worth above the mean over all
//! outcomes is taken out of the target of the position before it. However wrong the evaluator, that is right on
//! average.

use ashta_env::chance;
use ashta_env::game::{Action, BySeat, Game, Node, Outcome};
use ashta_env::turn::{TurnResults, turn_results};
use rand::Rng;

use super::{DecisionTarget, GameRecord, SelfPlayConfig, UnderWay, Valued, play_side_by_side, unit};
use crate::evaluator::Evaluator;
use crate::search::{Advice, Gumbel, forced, pass_forced};

/// Plays the games with the numbers `games` of the run seeded with `seed` by `search`, and returns their records in
/// order. Of the settings those of the one-ply choice mean nothing: the rarest series and the policy's temperature.
///
/// `progress` is called once for each finished game.
pub fn play_searched_games<G: Game, E: Evaluator<G>>(
    game: &G,
    search: &mut Gumbel<G, E>,
    config: &SelfPlayConfig,
    seed: u64,
    games: std::ops::Range<u64>,
    progress: &(dyn Fn() + Sync),
) -> Vec<GameRecord<G::State>> {
    let mut scratch = TurnResults::new();
    play_side_by_side(game, config, seed, games, progress, |playing| {
        let mut turns: Vec<Turn<G>> =
            playing.iter_mut().map(|under_way| Turn::throw(game, config, under_way, search.evaluator())).collect();
        loop {
            let open: Vec<usize> = (0..playing.len())
                .filter(|&place| matches!(game.node(&playing[place].state), Node::Decision(_)))
                .collect();
            if open.is_empty() {
                break;
            }
            let states: Vec<G::State> = open.iter().map(|&place| playing[place].state.clone()).collect();
            let advice = search.search(game, &states, |asked| playing[open[asked]].rng.next_u64());
            for (&place, advice) in open.iter().zip(advice) {
                turns[place].play(game, &mut playing[place], advice);
            }
        }
        for (under_way, turn) in playing.iter_mut().zip(turns) {
            turn.finish(game, config, under_way, search.evaluator(), &mut scratch);
        }
    })
}

/// The turn of one game.
struct Turn<G: Game> {
    /// The position after the throws.
    thrown: G::State,
    /// How much better the throws were than the mean.
    luck: BySeat<f32>,
    /// What the search made of the first decision with a choice.
    values: Option<BySeat<f32>>,
    is_random: bool,
}

impl<G: Game> Turn<G> {
    fn throw(
        game: &G,
        config: &SelfPlayConfig,
        under_way: &mut UnderWay<G>,
        evaluator: &mut impl Evaluator<G>,
    ) -> Turn<G> {
        let mut luck = BySeat::default();
        let (mut after, mut values) = (Vec::new(), Vec::new());
        while let Node::Chance(_) = game.node(&under_way.state) {
            let probabilities = game.chance_outcomes(&under_way.state);
            let outcome = chance::outcome(probabilities, under_way.rng.next_u64());
            if config.luck_correction {
                after.clear();
                let outcomes = (0..probabilities.len() as u8).filter(|&other| probabilities[usize::from(other)] > 0.0);
                for other in outcomes.clone() {
                    let mut state = under_way.state.clone();
                    game.apply_chance(&mut state, Outcome(other));
                    pass_forced(game, &mut state);
                    after.push(state);
                }
                evaluator.values(game, &after, &mut values);
                for (other, values) in outcomes.zip(&values) {
                    let weight = f32::from(u8::from(other == outcome.0)) - probabilities[usize::from(other)];
                    luck.0.iter_mut().zip(values.0).for_each(|(luck, value)| *luck += weight * value);
                }
            }
            game.apply_chance(&mut under_way.state, outcome);
            under_way.line.outcomes.push(outcome.0);
        }
        let is_random = if under_way.random_turns > 0 {
            under_way.random_turns -= 1;
            true
        } else {
            under_way.is_main && f64::from(unit(&mut under_way.rng)) < config.exploration
        };
        let turn = Turn { thrown: under_way.state.clone(), luck, values: None, is_random };
        play_forced(game, under_way);
        turn
    }

    /// Plays as advised, or at random.
    fn play(&mut self, game: &G, under_way: &mut UnderWay<G>, advice: Advice) {
        self.values.get_or_insert(advice.values);
        let chosen = match self.is_random {
            true => advice.policy[chance::below(advice.policy.len(), &mut under_way.rng)].0,
            false => advice.action,
        };
        take(game, under_way, chosen, advice.policy);
        play_forced(game, under_way);
    }

    /// Notes what the turn was worth, and puts results aside that were not chosen.
    fn finish(
        self,
        game: &G,
        config: &SelfPlayConfig,
        under_way: &mut UnderWay<G>,
        evaluator: &mut impl Evaluator<G>,
        scratch: &mut TurnResults<G::State>,
    ) {
        // Without a choice the turn is worth what it leads to.
        let best = self.values.unwrap_or_else(|| {
            let mut values = Vec::new();
            evaluator.values(game, std::slice::from_ref(&under_way.state), &mut values);
            values[0]
        });
        let expected = BySeat(std::array::from_fn(|seat| best.0[seat] - self.luck.0[seat]));
        under_way.turns.push(Valued { expected, counted: best, best, is_followed: !self.is_random });
        if under_way.is_main && config.alternatives > 0 {
            turn_results(game, &self.thrown, scratch);
            let is_other = |state: &&G::State| **state != under_way.state && game.node(state) != Node::Terminal;
            let mut others: Vec<G::State> = scratch.states().iter().filter(is_other).cloned().collect();
            for _ in 0..config.alternatives.min(others.len() as u32) {
                let drawn = chance::below(others.len(), &mut under_way.rng);
                under_way.sidelines.push(others.swap_remove(drawn));
            }
        }
    }
}

/// Plays what leaves no choice.
fn play_forced<G: Game>(game: &G, under_way: &mut UnderWay<G>) {
    while let Some(action) = forced(game, &under_way.state) {
        take(game, under_way, action, Vec::new());
    }
}

fn take<G: Game>(game: &G, under_way: &mut UnderWay<G>, action: Action, policy: Vec<(Action, f32)>) {
    under_way.line.actions.push(action.0);
    under_way.line.decisions.push(DecisionTarget { policy });
    game.apply_action(&mut under_way.state, action);
}
