//! Games of a policy against itself, for proximal policy optimisation: every seat draws its actions from the policy
//! network, and each choice is told how much better it was than the same network expected.
//!
//! The policy network is actor and critic. Its values at a decision, taken for every seat, are compared with those at
//! the next decision, whoever takes that one, and so on to the end (generalised advantage estimation, Schulman et al.
//! 2016, with discount 1). Nothing is ever turned round from seat to seat, so who moves twice needs no special case.

use std::ops::Range;

use ashta_env::chance::{self, GameRng};
use ashta_env::game::{Action, ActionMask, BySeat, Game, Node, Outcome, SeatSet};
use rand::Rng;

use crate::net::{Decision, Learner, Losses, PpoLoss, log_probabilities};
use crate::perspective;
use crate::portable::{PortableNet, Scratch, exp};
use crate::selfplay::{DecisionTarget, GameRecord, Line, SelfPlayConfig, TurnTarget};

/// A finished game.
#[derive(Clone, PartialEq, Debug)]
pub struct Episode<S> {
    /// The game, with targets for the starts of turns, and none for decisions.
    pub record: GameRecord<S>,
    /// What the policy network learns from, in order.
    pub decisions: Vec<Decision>,
}

/// Decisions with nothing to choose, at which only values are learned, are kept in each turn with such a number.
const SPARSE: usize = 4;

/// Plays the games with the numbers `games` of the run seeded with `seed`, by the policy of `net`, and returns them in
/// order. Of `config` only the weight of later results, the luck correction and where to break off count.
pub fn play_games<G: Game>(
    game: &G,
    net: &PortableNet,
    config: &SelfPlayConfig,
    seed: u64,
    games: Range<u64>,
) -> Vec<Episode<G::State>> {
    let mut critic = Critic { game, net, scratch: Scratch::default(), active: Vec::new() };
    games.map(|number| play(&mut critic, config, seed, number)).collect()
}

/// What the network thought at one point of a game.
#[derive(Clone, Copy, Debug)]
struct Thought {
    /// The values.
    values: BySeat<f32>,
    /// What these were expected to be before the dice; the values themselves where luck is not taken out.
    expected: BySeat<f32>,
}

/// For each thought, and for what came before it, what it should have been: the λ-returns of a game that ended so. The
/// first is that of the time before the first thought.
fn returns(thoughts: &[Thought], end: BySeat<f32>, lambda: f32, seats: SeatSet) -> Vec<BySeat<f32>> {
    let mut targets = vec![end; thoughts.len() + 1];
    for (place, thought) in thoughts.iter().enumerate().rev() {
        let later = targets[place + 1];
        for seat in seats.iter() {
            targets[place][seat] = thought.expected[seat] + lambda * (later[seat] - thought.values[seat]);
        }
    }
    targets
}

fn play<G: Game>(critic: &mut Critic<'_, G>, config: &SelfPlayConfig, seed: u64, number: u64) -> Episode<G::State> {
    let game = critic.game;
    let spec = game.spec();
    let mut rng = chance::stream(seed, number);
    let first = chance::first_seat(spec.seats, &mut rng);
    let mut state = game.initial_state(first);
    let mut line =
        Line { start: state.clone(), outcomes: Vec::new(), actions: Vec::new(), turns: vec![], decisions: vec![] };
    let mut thoughts: Vec<Thought> = Vec::new();
    // Thoughts before each turn, and before each decision with who took it.
    let (mut turns, mut before, mut decisions) = (Vec::new(), Vec::new(), Vec::new());
    while game.node(&state) != Node::Terminal && turns.len() < config.turn_limit.min(spec.turn_cap) as usize {
        let keeps_forced = config.luck_correction && turns.len() % SPARSE == 0;
        let mut expected = config.luck_correction.then(|| critic.expected(&state, config.series_probability));
        turns.push(thoughts.len());
        while let Node::Chance(_) = game.node(&state) {
            let outcome = chance::outcome(game.chance_outcomes(&state), rng.next_u64());
            line.outcomes.push(outcome.0);
            game.apply_chance(&mut state, outcome);
        }
        while let Node::Decision(seat) = game.node(&state) {
            let legal = game.legal_actions(&state);
            let is_choice = legal.len() > 1;
            let mut action = legal.nth(0).expect("a decision has a legal action");
            // The first decision of a turn tells the luck, whether or not there is something to choose.
            if is_choice || expected.is_some() {
                let (values, drawn) = critic.decide(&state, legal, &mut rng);
                action = drawn.action;
                thoughts.push(Thought { values, expected: expected.take().unwrap_or(values) });
                if is_choice || keeps_forced {
                    before.push((thoughts.len(), seat));
                    decisions.push(drawn);
                }
            }
            line.actions.push(action.0);
            line.decisions.push(DecisionTarget::default());
            game.apply_action(&mut state, action);
        }
    }
    let truncated = game.node(&state) != Node::Terminal;
    // A game that was broken off has no result: what the network thought last stands for what would have come.
    let end = match thoughts.last() {
        Some(last) if truncated => last.values,
        _ => game.returns(&state),
    };
    let targets = returns(&thoughts, end, config.lambda, spec.seats);
    for (decision, (place, seat)) in decisions.iter_mut().zip(before) {
        decision.advantage = targets[place][seat] - thoughts[place - 1].values[seat];
        let mut values = Vec::new();
        perspective::to_relative(&targets[place], spec, seat, &mut values);
        // Without the luck a target can lie outside 0 to 1.
        decision.values = values.into_iter().map(|value| value.clamp(0.0, 1.0)).collect();
    }
    line.turns = turns
        .iter()
        .map(|&place| {
            let target = BySeat(targets[place].0.map(|value| value.clamp(0.0, 1.0)));
            TurnTarget { before_throw: target, after_throw: target }
        })
        .collect();
    let returns = game.returns(&state);
    let record = GameRecord { seed, number, first, main: line, sidelines: Vec::new(), returns, truncated };
    Episode { record, decisions }
}

/// How a network learns from its games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PpoConfig {
    /// How often each decision is learned from, at least 1.
    pub epochs: usize,
    /// Decisions in a step, at least 1.
    pub batch: usize,
    /// What is optimised.
    pub loss: PpoLoss,
}

/// Learns from the decisions that the network of `learner` took, in an order drawn by `rng`; their advantages are given
/// mean 0 and deviation 1.
pub fn learn(
    learner: &mut Learner,
    decisions: &mut [Decision],
    config: &PpoConfig,
    learning_rate: f64,
    rng: &mut GameRng,
) -> Vec<Losses> {
    standardise(decisions);
    let mut order: Vec<&Decision> = decisions.iter().collect();
    let mut losses = Vec::new();
    for _ in 0..config.epochs {
        for place in (1..order.len()).rev() {
            order.swap(place, chance::below(place + 1, rng));
        }
        // Steps of equal sizes, none much smaller than asked for.
        let steps = (order.len() / config.batch).max(1);
        let bound = |step: usize| order.len() * step / steps;
        for batch in (0..steps).map(|step| &order[bound(step)..bound(step + 1)]).filter(|batch| !batch.is_empty()) {
            losses.push(learner.step_ppo(batch, &config.loss, learning_rate));
        }
    }
    losses
}

fn standardise(decisions: &mut [Decision]) {
    let choices = || decisions.iter().filter(|decision| !decision.legal.is_empty());
    let count = choices().count().max(1) as f64;
    let mean = choices().map(|choice| f64::from(choice.advantage)).sum::<f64>() / count;
    let square = choices().map(|choice| (f64::from(choice.advantage) - mean).powi(2)).sum::<f64>() / count;
    for decision in decisions {
        decision.advantage = ((f64::from(decision.advantage) - mean) / (square.sqrt() + 1e-8)) as f32;
    }
}

/// Who plays and judges.
struct Critic<'a, G> {
    game: &'a G,
    net: &'a PortableNet,
    scratch: Scratch,
    active: Vec<u16>,
}

impl<G: Game> Critic<'_, G> {
    /// The values of a decision, and what is done there; what came of it is not known yet.
    fn decide(&mut self, state: &G::State, legal: ActionMask, rng: &mut GameRng) -> (BySeat<f32>, Decision) {
        let Node::Decision(seat) = self.game.node(state) else { unreachable!("only decisions are decided") };
        self.active.clear();
        self.game.observe_active(state, seat, &mut self.active);
        let (values, logits) = self.net.policy().forward(&self.active, &mut self.scratch);
        let values = perspective::to_seats(values, self.game.spec(), seat);
        let (mut action, mut log_probability) = (legal.nth(0).expect("a decision has a legal action"), 0.0);
        let is_choice = legal.len() > 1;
        if is_choice {
            let (log, _) = log_probabilities(logits, legal);
            let probability = |index| if legal.contains(Action(index as u8)) { exp(log[index]) } else { 0.0 };
            let probabilities: Vec<f32> = (0..logits.len()).map(probability).collect();
            action = Action(chance::outcome(&probabilities, rng.next_u64()).0);
            log_probability = log[usize::from(action.0)];
        }
        let decision = Decision {
            active: self.active.as_slice().into(),
            values: Box::default(),
            legal: if is_choice { legal } else { ActionMask::EMPTY },
            action,
            log_probability,
            advantage: 0.0,
        };
        (values, decision)
    }

    /// The mean over the throws from `start` of the values of the first decision, without series of throws whose
    /// beginning is less likely than `least`.
    fn expected(&mut self, start: &G::State, least: f32) -> BySeat<f32> {
        let (mut sum, mut mass) = (BySeat::default(), 0.0);
        let mut open = vec![(start.clone(), 1.0)];
        while let Some((state, probability)) = open.pop() {
            if let Node::Decision(seat) = self.game.node(&state) {
                self.active.clear();
                self.game.observe_active(&state, seat, &mut self.active);
                let values = self.net.policy().forward_values(&self.active, &mut self.scratch);
                let values = perspective::to_seats(values, self.game.spec(), seat);
                self.game.spec().seats.iter().for_each(|seat| sum[seat] += probability * values[seat]);
                mass += probability;
            } else if probability >= least {
                for (outcome, &chance) in self.game.chance_outcomes(&state).iter().enumerate() {
                    if chance > 0.0 {
                        let mut next = state.clone();
                        self.game.apply_chance(&mut next, Outcome(outcome as u8));
                        open.push((next, probability * chance));
                    }
                }
            }
        }
        if mass == 0.0 {
            return self.expected(start, least / 4.0);
        }
        BySeat(sum.0.map(|value: f32| value / mass))
    }
}

#[cfg(test)]
mod tests;
