//! Gumbel AlphaZero's search (Danihelka et al. 2022): a choice and a better policy from few simulations.
//!
//! At the root actions are drawn without replacement from the policy by adding Gumbel noise to its logits, and
//! sequential halving finds the best of them. Below, each decision is visited in proportion to the policy that the
//! values so far make of the priors. Throws are not sampled: where a simulation comes to a throw for the second time
//! all outcomes are evaluated, and from then on the one that is visited least for its probability is followed.
//!
//! What goes up is no mean over visits: of a throw it is the mean over its outcomes, of a decision the mean by the
//! policy that the values make of the priors. The noise of the root is the only thing that is drawn.
//!
//! Values are kept by seat, and each decision looks at the entry of its own seat. Positions without a choice are passed
//! through. All roots of a call advance in lock-step, as in [`Mcts`](super::Mcts).

use std::num::NonZeroUsize;
use std::ops::Range;

use ashta_env::game::{Action, BySeat, Game, MAX_SEATS, Node, Outcome, Seat};
use rand::{Rng, SeedableRng};

use crate::agent::GameRng;
use crate::evaluator::{Evaluation, Evaluator};

/// How long to search, and how much values count against priors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GumbelConfig {
    /// Simulations for each root; 0 counts as 1.
    pub simulations: u32,
    /// A difference of value counts `c_scale · (c_visit + visits of the action most visited)` times as much as one of
    /// logits.
    pub c_visit: f32,
    /// See `c_visit`.
    pub c_scale: f32,
}

/// The most actions that a root draws.
const CONSIDERED: usize = 16;

/// What a search says of a decision.
#[derive(Clone, PartialEq, Debug)]
pub struct Advice {
    /// The action that the search found best of those drawn.
    pub action: Action,
    /// What the values make of the policy: the probability of every legal action.
    pub policy: Vec<(Action, f32)>,
    /// What the position is worth by this policy.
    pub values: BySeat<f32>,
}

/// The search around an evaluator.
#[derive(Debug)]
pub struct Gumbel<G: Game, E> {
    evaluator: E,
    config: GumbelConfig,
    trees: Vec<Tree<G::State>>,
    questions: Vec<G::State>,
    /// The trees that ask, each with the places of its questions.
    askers: Vec<(usize, Range<usize>)>,
}

impl<G: Game, E: Evaluator<G>> Gumbel<G, E> {
    /// A search around `evaluator`.
    pub fn new(evaluator: E, config: GumbelConfig) -> Gumbel<G, E> {
        Gumbel { evaluator, config, trees: Vec::new(), questions: Vec::new(), askers: Vec::new() }
    }

    /// Who is asked at the leaves.
    pub(crate) fn evaluator(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// Searches from every state, each a decision; the noise of number `i` comes from a generator seeded `seed(i)`.
    pub fn search(&mut self, game: &G, states: &[G::State], mut seed: impl FnMut(usize) -> u64) -> Vec<Advice> {
        self.trees.resize_with(states.len().max(self.trees.len()), Tree::default);
        for (place, state) in states.iter().enumerate() {
            self.trees[place].plant(game, state, seed(place));
        }
        loop {
            self.questions.clear();
            self.askers.clear();
            for (place, tree) in self.trees[..states.len()].iter_mut().enumerate() {
                let first = self.questions.len();
                if tree.descend(game, &self.config, &mut self.questions) {
                    self.askers.push((place, first..self.questions.len()));
                }
            }
            if self.askers.is_empty() {
                return self.trees[..states.len()].iter_mut().map(|tree| tree.advice(&self.config)).collect();
            }
            let answers = self.evaluator.evaluate(game, &self.questions);
            for (asker, places) in &self.askers {
                self.trees[*asker].apply(game, &self.config, &answers[places.clone()]);
            }
        }
    }
}

/// The action of a decision without a choice.
pub(crate) fn forced<G: Game>(game: &G, state: &G::State) -> Option<Action> {
    let legal = game.legal_actions(state);
    if legal.len() == 1 { legal.nth(0) } else { None }
}

/// Plays on from `state` while there is nothing to choose.
pub(crate) fn pass_forced<G: Game>(game: &G, state: &mut G::State) {
    while let Some(action) = forced(game, state) {
        game.apply_action(state, action);
    }
}

/// One search tree. Node 0 is the root.
#[derive(Debug)]
struct Tree<S> {
    nodes: Vec<TreeNode<S>>,
    edges: Vec<Edge>,
    /// The nodes of the running simulation from the root on.
    path: Vec<usize>,
    /// The nodes that wait for an answer: the last of the path, or what can be thrown there.
    waiting: Vec<usize>,
    rng: GameRng,
    /// For each action of the root its noise; of those that were not drawn minus infinity.
    noise: Vec<f32>,
    /// For each simulation how often the action that it tries has been tried.
    schedule: Vec<u32>,
    scores: Vec<f32>,
}

#[derive(Debug)]
struct TreeNode<S> {
    state: S,
    node: Node,
    /// What the evaluator said.
    own: BySeat<f32>,
    /// Its actions or outcomes; those of a throw are missing until it is gone through for the second time.
    edges: Range<usize>,
    visits: u32,
    /// What it is worth by all that is known below it.
    values: BySeat<f32>,
}

#[derive(Debug)]
struct Edge {
    /// Number of the action or outcome.
    label: u8,
    /// The logit of an action, the probability of an outcome.
    weight: f32,
    child: Option<NonZeroUsize>,
}

impl<S> TreeNode<S> {
    fn visit(&mut self, values: BySeat<f32>) {
        self.visits += 1;
        self.values = values;
    }
}

/// The mean of `own` and `visits` times `found`.
fn blend(own: BySeat<f32>, found: BySeat<f32>, visits: u32) -> BySeat<f32> {
    let visits = visits as f32;
    BySeat(std::array::from_fn::<f32, MAX_SEATS, _>(|seat| (own.0[seat] + visits * found.0[seat]) / (1.0 + visits)))
}

fn add(sum: &mut BySeat<f32>, values: BySeat<f32>, weight: f32) {
    sum.0.iter_mut().zip(values.0).for_each(|(sum, value)| *sum += weight * value);
}

impl<S> Default for Tree<S> {
    fn default() -> Tree<S> {
        Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            waiting: Vec::new(),
            rng: GameRng::seed_from_u64(0),
            noise: Vec::new(),
            schedule: Vec::new(),
            scores: Vec::new(),
        }
    }
}

impl<S: Clone> Tree<S> {
    fn plant<G: Game<State = S>>(&mut self, game: &G, root: &S, seed: u64) {
        self.nodes.clear();
        self.edges.clear();
        self.path.clear();
        self.rng = GameRng::seed_from_u64(seed);
        self.add_node(game, root.clone());
    }

    /// Runs simulations until one needs answers to the `questions` that it appends; false when all are done.
    fn descend<G: Game<State = S>>(&mut self, game: &G, config: &GumbelConfig, questions: &mut Vec<S>) -> bool {
        self.waiting.clear();
        if self.nodes[0].visits == 0 {
            self.path.push(0);
            self.waiting.push(0);
        }
        while self.waiting.is_empty() {
            if self.path.is_empty() {
                if self.nodes[0].visits > config.simulations.max(1) {
                    return false;
                }
                self.path.push(0);
            }
            let current = self.path[self.path.len() - 1];
            match self.nodes[current].node {
                Node::Terminal => self.back_up(config, game.returns(&self.nodes[current].state)),
                Node::Chance(_) if self.nodes[current].edges.is_empty() => {
                    self.open_throw(game, current);
                    if self.waiting.is_empty() {
                        self.back_up(config, BySeat::default());
                    }
                }
                Node::Chance(_) => {
                    let next = self.least_visited(current);
                    self.path.push(next);
                }
                Node::Decision(seat) => {
                    let edge =
                        if current == 0 { self.try_next(seat, config) } else { self.select(current, seat, config) };
                    let next = self.follow(game, current, edge);
                    self.path.push(next);
                    if self.nodes[next].visits == 0 && self.nodes[next].node != Node::Terminal {
                        self.waiting.push(next);
                    }
                }
            }
        }
        questions.extend(self.waiting.iter().map(|&node| self.nodes[node].state.clone()));
        true
    }

    /// Takes the answers to the questions of [`Tree::descend`].
    fn apply<G: Game<State = S>>(&mut self, game: &G, config: &GumbelConfig, answers: &[Evaluation]) {
        let last = self.path.last().copied();
        for (place, answer) in answers.iter().enumerate() {
            let node = self.waiting[place];
            self.nodes[node].own = answer.values;
            if let Node::Decision(_) = self.nodes[node].node {
                let prior =
                    |action| answer.policy.iter().find(|(other, _)| *other == action).map_or(1.0, |pair| pair.1);
                let legal = game.legal_actions(&self.nodes[node].state);
                self.open(node, legal.iter().map(|action| (action.0, prior(action).max(1e-9).ln())));
            }
            if Some(node) != last {
                self.nodes[node].visit(answer.values);
            }
        }
        if last == Some(0) {
            self.draw(config);
        }
        // After a throw was opened the value is that of its outcomes.
        self.back_up(config, answers.first().map_or(BySeat::default(), |answer| answer.values));
    }

    /// Draws the actions that the root considers, and plans how often each is tried.
    fn draw(&mut self, config: &GumbelConfig) {
        let edges = &self.edges[self.nodes[0].edges.clone()];
        let simulations = config.simulations.max(1) as usize;
        let considered = edges.len().min(CONSIDERED).min(simulations);
        self.noise.clear();
        for _ in edges {
            let uniform = ((self.rng.next_u64() >> 40) as f32 + 0.5) / (1 << 24) as f32;
            self.noise.push(-(-uniform.ln()).ln());
        }
        let mut order: Vec<usize> = (0..edges.len()).collect();
        let drawn = |&place: &usize| self.noise[place] + edges[place].weight;
        order.sort_by(|a, b| drawn(b).total_cmp(&drawn(a)));
        order[considered..].iter().for_each(|&place| self.noise[place] = f32::NEG_INFINITY);

        // Sequential halving: the better half of the actions goes on, all tried equally often so far.
        self.schedule.clear();
        let halvings = considered.next_power_of_two().ilog2().max(1) as usize;
        let (mut tried, mut left) = (0, considered);
        while self.schedule.len() < simulations {
            for _ in 0..(simulations / (halvings * left)).max(1) {
                self.schedule.extend(std::iter::repeat_n(tried, left));
                tried += 1;
            }
            left = (left / 2).max(2.min(considered));
        }
    }

    /// The edge of the root that the next simulation tries.
    fn try_next(&mut self, seat: Seat, config: &GumbelConfig) -> usize {
        let tried = self.schedule[self.nodes[0].visits as usize - 1];
        self.score(0, seat, config);
        self.best_tried(tried)
    }

    /// The edge of the root that is best by noise, policy and values among those tried so often.
    fn best_tried(&self, tried: u32) -> usize {
        let edges = self.nodes[0].edges.clone();
        let total = |edge: usize| self.noise[edge - edges.start] + self.scores[edge - edges.start];
        let is_on = |&edge: &usize| self.noise[edge - edges.start].is_finite() && self.tried(edge) == tried;
        let better = |a: usize, b: usize| if total(b) > total(a) { b } else { a };
        edges.clone().filter(is_on).reduce(better).unwrap_or(edges.start)
    }

    fn tried(&self, edge: usize) -> u32 {
        self.edges[edge].child.map_or(0, |child| self.nodes[child.get()].visits)
    }

    /// What an action without a visit counts as: what the evaluator said of `node`, and what the visited actions have
    /// been worth, weighted by their priors.
    fn mixed(&self, node: usize) -> BySeat<f32> {
        let edges = self.nodes[node].edges.clone();
        let most = self.edges[edges.clone()].iter().fold(f32::MIN, |most, edge| most.max(edge.weight));
        let (mut visits, mut mass, mut sum) = (0, 0.0, BySeat::default());
        for edge in &self.edges[edges] {
            let Some(child) = edge.child.map(|child| &self.nodes[child.get()]).filter(|child| child.visits > 0) else {
                continue;
            };
            let prior = (edge.weight - most).exp().max(1e-9);
            visits += child.visits;
            mass += prior;
            add(&mut sum, child.values, prior);
        }
        let own = self.nodes[node].own;
        if visits == 0 {
            return own;
        }
        blend(own, BySeat(sum.0.map(|sum| sum / mass)), visits)
    }

    /// The values of an action of a node whose [`Tree::mixed`] values are `mixed`.
    fn completed(&self, edge: usize, mixed: BySeat<f32>) -> BySeat<f32> {
        let child = self.edges[edge].child.map(|child| &self.nodes[child.get()]);
        child.filter(|child| child.visits > 0).map_or(mixed, |child| child.values)
    }

    /// Writes the logits of the improved policy of `node` into the scores.
    fn score(&mut self, node: usize, seat: Seat, config: &GumbelConfig) {
        let edges = self.nodes[node].edges.clone();
        let mixed = self.mixed(node);
        let most = edges.clone().map(|edge| self.tried(edge)).max().unwrap_or(0);
        let scale = config.c_scale * (config.c_visit + most as f32);
        let mut scores = std::mem::take(&mut self.scores);
        scores.clear();
        scores.extend(edges.map(|edge| self.edges[edge].weight + scale * self.completed(edge, mixed)[seat]));
        self.scores = scores;
    }

    /// Turns the scores into probabilities.
    fn normalise_scores(&mut self) {
        let most = self.scores.iter().fold(f32::MIN, |most, &score| most.max(score));
        self.scores.iter_mut().for_each(|score| *score = (*score - most).exp());
        let total: f32 = self.scores.iter().sum();
        self.scores.iter_mut().for_each(|score| *score /= total);
    }

    /// The edge of a decision below the root that has been visited least for its share of the improved policy.
    fn select(&mut self, node: usize, seat: Seat, config: &GumbelConfig) -> usize {
        self.score(node, seat, config);
        self.normalise_scores();
        let edges = self.nodes[node].edges.clone();
        let visits: u32 = edges.clone().map(|edge| self.tried(edge)).sum();
        let lack = |edge: usize| self.scores[edge - edges.start] - self.tried(edge) as f32 / (1 + visits) as f32;
        let better = |a: usize, b: usize| if lack(b) > lack(a) { b } else { a };
        edges.clone().reduce(better).unwrap_or(edges.start)
    }

    /// The outcome of an opened throw that has been visited least for its probability.
    fn least_visited(&self, node: usize) -> usize {
        let children = self.edges[self.nodes[node].edges.clone()].iter().filter_map(|edge| {
            let child = edge.child?.get();
            Some((child, edge.weight / self.nodes[child].visits as f32))
        });
        children.reduce(|a, b| if b.1 > a.1 { b } else { a }).map_or(node, |(child, _)| child)
    }

    /// Opens all outcomes of a throw; those that are not the end wait for the evaluator.
    fn open_throw<G: Game<State = S>>(&mut self, game: &G, node: usize) {
        let state = self.nodes[node].state.clone();
        let outcomes = game.chance_outcomes(&state).iter().enumerate().filter(|(_, chance)| **chance > 0.0);
        self.open(node, outcomes.map(|(label, &chance)| (label as u8, chance)));
        for edge in self.nodes[node].edges.clone() {
            let child = self.follow(game, node, edge);
            if self.nodes[child].node == Node::Terminal {
                let returns = game.returns(&self.nodes[child].state);
                self.nodes[child].visit(returns);
            } else {
                self.waiting.push(child);
            }
        }
    }

    fn open(&mut self, node: usize, edges: impl Iterator<Item = (u8, f32)>) {
        let start = self.edges.len();
        self.edges.extend(edges.map(|(label, weight)| Edge { label, weight, child: None }));
        self.nodes[node].edges = start..self.edges.len();
    }

    /// The node behind an edge.
    fn follow<G: Game<State = S>>(&mut self, game: &G, node: usize, edge: usize) -> usize {
        if let Some(child) = self.edges[edge].child {
            return child.get();
        }
        let mut state = self.nodes[node].state.clone();
        let label = self.edges[edge].label;
        match self.nodes[node].node {
            Node::Chance(_) => game.apply_chance(&mut state, Outcome(label)),
            _ => game.apply_action(&mut state, Action(label)),
        }
        pass_forced(game, &mut state);
        let child = self.add_node(game, state);
        self.edges[edge].child = NonZeroUsize::new(child);
        child
    }

    fn add_node<G: Game<State = S>>(&mut self, game: &G, state: S) -> usize {
        let node = game.node(&state);
        let (own, values) = (BySeat::default(), BySeat::default());
        self.nodes.push(TreeNode { state, node, own, edges: 0..0, visits: 0, values });
        self.nodes.len() - 1
    }

    /// Ends the simulation with these values of its last position.
    fn back_up(&mut self, config: &GumbelConfig, leaf: BySeat<f32>) {
        let mut values = leaf;
        while let Some(node) = self.path.pop() {
            match self.nodes[node].node {
                Node::Chance(_) if !self.nodes[node].edges.is_empty() => {
                    let mut mean = BySeat::default();
                    for edge in &self.edges[self.nodes[node].edges.clone()] {
                        let child = edge.child.expect("all outcomes are opened together");
                        add(&mut mean, self.nodes[child.get()].values, edge.weight);
                    }
                    values = blend(self.nodes[node].own, mean, self.nodes[node].visits);
                }
                Node::Decision(seat) if self.nodes[node].visits > 0 => values = self.improved(node, seat, config),
                _ => {}
            }
            self.nodes[node].visit(values);
        }
    }

    /// What a decision is worth by the improved policy, which the scores hold afterwards.
    fn improved(&mut self, node: usize, seat: Seat, config: &GumbelConfig) -> BySeat<f32> {
        self.score(node, seat, config);
        self.normalise_scores();
        let (mixed, mut values) = (self.mixed(node), BySeat::default());
        for (edge, &probability) in self.nodes[node].edges.clone().zip(&self.scores) {
            add(&mut values, self.completed(edge, mixed), probability);
        }
        values
    }

    fn advice(&mut self, config: &GumbelConfig) -> Advice {
        let Node::Decision(seat) = self.nodes[0].node else { panic!("decisions are searched, no other positions") };
        let edges = self.nodes[0].edges.clone();
        let most = edges.clone().map(|edge| self.tried(edge)).max().unwrap_or(0);
        self.score(0, seat, config);
        let action = Action(self.edges[self.best_tried(most)].label);
        let values = self.improved(0, seat, config);
        let labels = edges.map(|edge| Action(self.edges[edge].label));
        let policy = labels.zip(self.scores.iter().copied()).collect();
        Advice { action, policy, values }
    }
}

#[cfg(test)]
mod tests;
