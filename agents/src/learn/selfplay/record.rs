//! The record of a self-play game: throws, actions and value estimates.
//!
//! A record has no observations. To get samples, replay the record: the game makes the observations
//! from the positions.

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
    /// The game, without its side branches. A side branch starts at an afterstate that was not
    /// chosen, and is played on for some turns to get more samples.
    pub main: Trajectory<S>,
    /// The side branches, in the order in which they end.
    pub branches: Vec<Trajectory<S>>,
    /// The return of each seat; zeros if the game was truncated.
    pub returns: BySeat<f32>,
    /// Whether the game was truncated at the turn limit of self-play or of the game.
    pub truncated: bool,
}

/// A sequence of turns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trajectory<S> {
    /// The position at the start of the first turn.
    pub start: S,
    /// The outcomes of all chance nodes, in order.
    pub outcomes: Vec<u8>,
    /// All actions, in order.
    pub actions: Vec<u8>,
    /// The value estimates of each turn.
    pub turns: Vec<TurnEstimate>,
    /// The policy target of each action.
    pub decisions: Vec<PolicyTarget>,
    /// For each seat, the value of the position after the last turn: the return, or the value
    /// estimate if the sequence was truncated.
    pub end: BySeat<f32>,
}

/// The value estimates of a turn for each seat, by the network that played the turn.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TurnEstimate {
    /// The value before the throw: the expected value of the best afterstate over all throws.
    /// Without luck correction, it equals `best`.
    pub expected: BySeat<f32>,
    /// The value after the throw: the value of the best afterstate. The luck of the throw is `best`
    /// minus `expected`.
    pub best: BySeat<f32>,
    /// Whether the best afterstate was played, or an afterstate with equal values. Targets use
    /// later values only if this is true.
    pub is_followed: bool,
}

/// The value targets of a turn for each seat.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TurnTarget {
    /// The target before the first throw of the turn.
    pub before_throw: BySeat<f32>,
    /// The target after the throws of the turn.
    pub after_throw: BySeat<f32>,
}

/// The policy target of a decision: probabilities of actions, which sum to 1; empty in side
/// branches and if all reachable afterstates require the same action.
pub type PolicyTarget = Vec<(Action, f32)>;

/// Statistics of many games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct GameCounts {
    /// Number of games.
    pub games: u64,
    /// Number of turns in all games.
    pub turns: u64,
    /// Number of games that ended with the same return for all seats.
    pub drawn: u64,
    /// Number of truncated games.
    pub truncated: u64,
    /// The sum of the returns of the seats that threw first.
    pub first_seat_returns: f64,
}

impl GameCounts {
    /// Adds a game with the seats `seats`.
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

/// A position of a replayed game, with its targets.
#[derive(Debug)]
pub struct TrainingPosition<'a, S> {
    /// The position.
    pub state: &'a S,
    /// The seat that throws or decides.
    pub seat: Seat,
    /// Whether it is a turn-start state.
    pub is_start: bool,
    /// The value targets.
    pub values: BySeat<f32>,
    /// The policy target; empty at chance nodes and decisions without a policy target.
    pub policy: &'a [(Action, f32)],
}

/// Decisions without a policy target are visited only in every fourth turn, because they teach
/// little.
const FORCED_INTERVAL: usize = 4;

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

    /// Replays the turns, and calls `each` with every turn-start state. If `is_main`, it also calls
    /// `each` with the other chance nodes, the decisions with a policy target, and in every fourth
    /// turn the other decisions.
    fn visit<G: Game<State = S>>(
        &self,
        game: &G,
        rule: TargetRule,
        is_main: bool,
        each: &mut impl FnMut(TrainingPosition<'_, S>),
    ) where
        S: Clone,
    {
        let mut state = self.start.clone();
        let mut outcomes = self.outcomes.iter();
        let mut decisions = self.actions.iter().zip(&self.decisions);
        for (number, target) in self.targets(rule, game.spec().seats).iter().enumerate() {
            let has_forced = number % FORCED_INTERVAL == 0;
            let mut is_start = true;
            while let Node::Chance(seat) = game.node(&state) {
                let values = if is_start {
                    target.before_throw
                } else {
                    target.after_throw
                };
                if is_start || is_main {
                    each(TrainingPosition {
                        state: &state,
                        seat,
                        is_start,
                        values,
                        policy: &[],
                    });
                }
                is_start = false;
                if !is_main && number + 1 == self.turns.len() {
                    return;
                }
                let Some(&outcome) = outcomes.next() else {
                    return;
                };
                game.apply_chance(&mut state, Outcome(outcome));
            }
            while let Node::Decision(seat) = game.node(&state) {
                let Some((&action, policy)) = decisions.next() else {
                    return;
                };
                if is_main && (has_forced || !policy.is_empty()) {
                    let values = target.after_throw;
                    each(TrainingPosition {
                        state: &state,
                        seat,
                        is_start,
                        values,
                        policy,
                    });
                }
                game.apply_action(&mut state, Action(action));
            }
        }
    }
}

impl<S> GameRecord<S> {
    /// Applies `form` to the start position of each trajectory.
    ///
    /// # Errors
    /// When `form` fails.
    pub fn with_starts<T, E>(self, form: impl Fn(S) -> Result<T, E>) -> Result<GameRecord<T>, E> {
        let line = |Trajectory {
                        start,
                        outcomes,
                        actions,
                        turns,
                        decisions,
                        end,
                    }| {
            Ok(Trajectory {
                start: form(start)?,
                outcomes,
                actions,
                turns,
                decisions,
                end,
            })
        };
        let GameRecord {
            seed,
            number,
            first,
            main,
            branches,
            returns,
            truncated,
        } = self;
        let branches = branches.into_iter().map(line).collect::<Result<_, E>>()?;
        Ok(GameRecord {
            seed,
            number,
            first,
            main: line(main)?,
            branches,
            returns,
            truncated,
        })
    }
}

impl<S: Clone> GameRecord<S> {
    /// Replays the game and calls `each` with every sample, with targets by `rule`. The samples of
    /// the game are all chance nodes, the decisions with a policy target, and in every fourth turn
    /// the other decisions. The samples of the side branches, which come last, are the turn-start
    /// states.
    pub fn visit<G: Game<State = S>>(
        &self,
        game: &G,
        rule: TargetRule,
        mut each: impl FnMut(TrainingPosition<'_, S>),
    ) {
        self.main.visit(game, rule, true, &mut each);
        self.branches
            .iter()
            .for_each(|line| line.visit(game, rule, false, &mut each));
    }
}
