//! The record of a self-play game: throws, actions and value estimates, not tensors.
//!
//! A record can be replayed node by node; observations are made again from the rules when samples are needed.

use ashta_env::game::{Action, BySeat, Game, Node, Outcome, Seat, SeatSet};
use serde::{Deserialize, Serialize};

use super::TargetRule;

/// A finished game with the values of its turns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord<S> {
    /// The seed of the run.
    pub seed: u64,
    /// The number of the game in the run.
    pub number: u64,
    /// The seat that threw first.
    pub first: Seat,
    /// The game.
    pub main: Trajectory<S>,
    /// Side branches from afterstates that were not chosen: some turns each, in the order in which they begin.
    pub branches: Vec<Trajectory<S>>,
    /// The result for each seat; zeros when truncated.
    pub returns: BySeat<f32>,
    /// Whether the game was truncated, at the limit of self-play or at the turn limit of the game.
    pub truncated: bool,
}

/// Turns that follow each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trajectory<S> {
    /// The position at the start of the first turn.
    pub start: S,
    /// The outcome of every chance node, in order.
    pub outcomes: Vec<u8>,
    /// Every action, in order.
    pub actions: Vec<u8>,
    /// The value estimates of every turn.
    pub turns: Vec<TurnEstimate>,
    /// The targets of every action.
    pub decisions: Vec<PolicyTarget>,
    /// What the position after the last turn is worth to each seat: the returns, or where the play was truncated the
    /// value estimate.
    pub end: BySeat<f32>,
}

/// The value estimates of a turn, for each seat, by the network that played it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TurnEstimate {
    /// Before the throw: the expectation over throws of the best afterstate; without luck correction that of the actual
    /// throw.
    pub expected: BySeat<f32>,
    /// After the throw: the best afterstate. The luck of the throw is the difference between the two.
    pub best: BySeat<f32>,
    /// Whether the best afterstate was played, or one of equal value, so that later values may be backed up.
    pub is_followed: bool,
}

/// Value targets of a turn, for each seat.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TurnTarget {
    /// Before the first throw of the turn.
    pub before_throw: BySeat<f32>,
    /// Once the throws are known.
    pub after_throw: BySeat<f32>,
}

/// The policy target of a decision: probabilities of the actions worth considering, sum 1; empty where nothing was to
/// choose.
pub type PolicyTarget = Vec<(Action, f32)>;

/// Counts that sum up many games.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GameCounts {
    /// Games.
    pub games: u64,
    /// Turns of all games.
    pub turns: u64,
    /// Games that ended with the same return for all.
    pub drawn: u64,
    /// Games truncated.
    pub truncated: u64,
    /// Returns of the seats that threw first.
    pub first_seat_returns: f64,
}

impl GameCounts {
    /// Adds a game between these seats.
    pub fn add<S>(&mut self, record: &GameRecord<S>, seats: SeatSet) {
        self.games += 1;
        self.turns += record.main.turns.len() as u64;
        let mut returns = seats.iter().map(|seat| record.returns[seat]);
        let first = returns.next();
        self.drawn += u64::from(!record.truncated && returns.all(|own| Some(own) == first));
        self.truncated += u64::from(record.truncated);
        self.first_seat_returns += f64::from(record.returns[record.first]);
    }
}

/// A position of a replayed game that can be learned from.
#[derive(Debug)]
pub struct TrainingPosition<'a, S> {
    /// The position.
    pub state: &'a S,
    /// The seat that throws or decides.
    pub seat: Seat,
    /// Whether a turn begins here.
    pub is_start: bool,
    /// Its value targets.
    pub values: BySeat<f32>,
    /// Its policy target; empty at chance nodes and where nothing was to choose.
    pub policy: &'a [(Action, f32)],
}

/// Of the decisions with nothing to choose, which teach little, those of every such turn are shown.
const SPARSE: usize = 4;

impl<S> Trajectory<S> {
    pub(super) fn new(start: S) -> Trajectory<S> {
        Trajectory {
            start,
            outcomes: Vec::new(),
            actions: Vec::new(),
            turns: Vec::new(),
            decisions: Vec::new(),
            end: BySeat::default(),
        }
    }

    /// Replays the turns and shows the positions in which they begin; and if it `shows_turns` also every throw of a
    /// series, every decision with a policy target, and of every fourth turn the other decisions.
    fn visit<G: Game<State = S>>(
        &self,
        game: &G,
        rule: TargetRule,
        shows_turns: bool,
        each: &mut impl FnMut(TrainingPosition<'_, S>),
    ) where
        S: Clone,
    {
        let mut state = self.start.clone();
        let mut outcomes = self.outcomes.iter();
        let mut decisions = self.actions.iter().zip(&self.decisions);
        for (number, target) in self.targets(rule, game.spec().seats).iter().enumerate() {
            let shows_forced = number % SPARSE == 0;
            let mut is_start = true;
            while let Node::Chance(seat) = game.node(&state) {
                let values = if is_start { target.before_throw } else { target.after_throw };
                if is_start || shows_turns {
                    each(TrainingPosition { state: &state, seat, is_start, values, policy: &[] });
                }
                is_start = false;
                if !shows_turns && number + 1 == self.turns.len() {
                    return;
                }
                let Some(&outcome) = outcomes.next() else { return };
                game.apply_chance(&mut state, Outcome(outcome));
            }
            while let Node::Decision(seat) = game.node(&state) {
                let Some((&action, policy)) = decisions.next() else { return };
                if shows_turns && (shows_forced || !policy.is_empty()) {
                    let values = target.after_throw;
                    each(TrainingPosition { state: &state, seat, is_start, values, policy });
                }
                game.apply_action(&mut state, Action(action));
            }
        }
    }
}

impl<S> GameRecord<S> {
    /// The same record with other forms of the positions in which its trajectories start.
    ///
    /// # Errors
    /// When `form` fails.
    pub fn with_starts<T, E>(self, form: impl Fn(S) -> Result<T, E>) -> Result<GameRecord<T>, E> {
        let line = |Trajectory { start, outcomes, actions, turns, decisions, end }| {
            Ok(Trajectory { start: form(start)?, outcomes, actions, turns, decisions, end })
        };
        let GameRecord { seed, number, first, main, branches, returns, truncated } = self;
        let branches = branches.into_iter().map(line).collect::<Result<_, E>>()?;
        Ok(GameRecord { seed, number, first, main: line(main)?, branches, returns, truncated })
    }
}

impl<S: Clone> GameRecord<S> {
    /// Replays the game and shows each position to learn from, with targets by this rule: the start of every turn,
    /// every other throw, every decision with a policy target, and of every fourth turn also the other decisions. Of
    /// the side branches, which follow, it shows the turn-start states alone.
    pub fn visit<G: Game<State = S>>(&self, game: &G, rule: TargetRule, mut each: impl FnMut(TrainingPosition<'_, S>)) {
        self.main.visit(game, rule, true, &mut each);
        self.branches.iter().for_each(|line| line.visit(game, rule, false, &mut each));
    }
}
