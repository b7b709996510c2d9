//! Property tests for every [`Game`]: the laws that search, learning and the gym rely on.
//!
//! A test of a game calls [`check_game`]. This function plays random games, checks every visited
//! node and all successors of some nodes, and returns the first broken law with the state that
//! breaks it. It uses only the `Game` interface.

use std::{
    collections::HashSet,
    fmt::Debug,
    hash::{BuildHasher, RandomState},
};

use rand::Rng;

use crate::{
    chance::{self, GameRng},
    game::{Game, MAX_SEATS, Node, Outcome, Payoff, Seat},
};

mod course;
mod turns;
mod views;

pub use course::{Course, check_race};

use views::Views;

/// The configuration of [`check_game`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LawConfig {
    /// The seed of throws and choices.
    pub seed: u64,
    /// The number of random games.
    pub games: usize,
}

/// Counts over the random games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Visited nodes; all of them were checked.
    pub nodes: usize,
    /// Games that ended by their rules.
    pub terminated: usize,
    /// Games that were truncated at the turn limit. This breaks no law.
    pub truncated: usize,
}

/// A law that a game breaks.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{law}: {problem}; in {state:?}")]
pub struct Broken<S> {
    /// The law.
    pub law: &'static str,
    /// The violation.
    pub problem: String,
    /// The state that breaks it.
    pub state: S,
}

type Checked<G> = Result<(), Broken<<G as Game>::State>>;

/// Checks of further laws, for some kinds of games: of a state, or of the step from this state to
/// the next state.
type Further<'a, G> =
    &'a dyn Fn(&G, &<G as Game>::State, Option<&<G as Game>::State>) -> Checked<G>;

fn broken<S: Clone>(law: &'static str, state: &S, problem: impl Into<String>) -> Broken<S> {
    Broken {
        law,
        problem: problem.into(),
        state: state.clone(),
    }
}

/// Fails with `problem` unless `holds`.
fn hold<S: Clone>(
    law: &'static str,
    state: &S,
    holds: bool,
    problem: impl FnOnce() -> String,
) -> Result<(), Broken<S>> {
    if holds {
        Ok(())
    } else {
        Err(broken(law, state, problem()))
    }
}

/// Among this number of nodes, there is on average one node whose successors are checked, too.
const SPACING: usize = 40;
/// The largest number of nodes that are checked around each of these nodes.
const AROUND: usize = 60;

/// Plays random games and checks the laws of [`check_state`] and [`check_step`] at each node.
/// Around some nodes, it also checks that states with equal observations have equal futures.
///
/// # Errors
/// The first broken law.
pub fn check_game<G: Game>(game: &G, play: &LawConfig) -> Result<Tally, Broken<G::State>> {
    check_with(game, play, &|_, _, _| Ok(()))
}

fn check_with<G: Game>(
    game: &G,
    play: &LawConfig,
    further: Further<'_, G>,
) -> Result<Tally, Broken<G::State>> {
    check_start(game)?;
    let mut rng = chance::stream(play.seed, 0);
    let mut tally = Tally::default();
    for _ in 0..play.games {
        walk(game, further, &mut rng, &mut tally)?;
    }
    Ok(tally)
}

/// Checks the spec and the initial positions.
fn check_start<G: Game>(game: &G) -> Checked<G> {
    const LAW: &str = "the spec describes the game";
    let spec = game.spec();
    let any = game.initial_state(spec.seats.iter().next().unwrap_or(Seat::SOUTH));
    let check = |holds, problem: &str| hold(LAW, &any, holds, || format!("{problem}: {spec:?}"));
    check(
        (2..=MAX_SEATS).contains(&spec.seats.len()),
        "must have two to four seats",
    )?;
    check(
        (1..=32).contains(&spec.actions),
        "must have 1 to 32 actions",
    )?;
    check(
        (1..=usize::from(u16::MAX)).contains(&spec.observation),
        "must have observations",
    )?;
    check(spec.turn_limit > 0, "must have a turn limit")?;
    let is_team = |seat: Seat| {
        let team = spec.teams[seat];
        team.contains(seat)
            && team
                .iter()
                .all(|mate| spec.teams[mate] == team && spec.seats.contains(mate))
    };
    check(
        spec.seats.iter().all(is_team),
        "each seat must be in one team",
    )?;
    for first in spec.seats.iter() {
        let state = game.initial_state(first);
        let node = game.node(&state);
        hold(
            "the first seat throws first",
            &state,
            node == Node::Chance(first),
            || format!("{node:?}, not {first}"),
        )?;
    }
    Ok(())
}

/// Plays a random game and checks each node.
fn walk<G: Game>(
    game: &G,
    further: Further<'_, G>,
    rng: &mut GameRng,
    tally: &mut Tally,
) -> Checked<G> {
    let mut state = game.initial_state(chance::first_seat(game.spec().seats, rng));
    let (mut turns, mut was_chance) = (0, false);
    loop {
        check_state(game, &state)?;
        further(game, &state, None)?;
        tally.nodes += 1;
        if chance::below(SPACING, rng) == 0 {
            check_around(game, further, &state)?;
        }
        let is_chance = matches!(game.node(&state), Node::Chance(_));
        turns += u32::from(is_chance && !was_chance);
        was_chance = is_chance;
        if turns > game.spec().turn_limit {
            tally.truncated += 1;
            return Ok(());
        }
        let Some(next) = random_successor(game, &state, rng) else {
            tally.terminated += 1;
            return Ok(());
        };
        check_step(game, &state, &next)?;
        further(game, &state, Some(&next))?;
        state = next;
    }
}

/// A random successor of a state; `None` at the end.
fn random_successor<G: Game>(game: &G, state: &G::State, rng: &mut GameRng) -> Option<G::State> {
    let mut next = state.clone();
    match game.node(state) {
        Node::Chance(_) => {
            game.apply_chance(
                &mut next,
                chance::outcome(game.chance_outcomes(state), rng.next_u64()),
            );
        }
        Node::Decision(_) => {
            let legal = game.legal_actions(state);
            game.apply_action(&mut next, legal.nth(chance::below(legal.len(), rng))?);
        }
        Node::Terminal => return None,
    }
    Some(next)
}

/// The successors of `state` by one possible throw or one legal action.
pub fn successors<G: Game>(game: &G, state: &G::State) -> Vec<G::State> {
    let thrown = game
        .chance_outcomes(state)
        .iter()
        .enumerate()
        .filter(|(_, probability)| **probability > 0.0)
        .map(|(outcome, _)| {
            let mut next = state.clone();
            game.apply_chance(&mut next, Outcome(outcome as u8));
            next
        });
    let played = game.legal_actions(state).iter().map(|action| {
        let mut next = state.clone();
        game.apply_action(&mut next, action);
        next
    });
    thrown.chain(played).collect()
}

/// Checks the nearest successors of `state`, and compares states with equal observations.
fn check_around<G: Game>(game: &G, further: Further<'_, G>, state: &G::State) -> Checked<G> {
    let mut views = Views::default();
    let mut seen = HashSet::from([state.clone()]);
    let mut nodes = vec![state.clone()];
    let mut at = 0;
    while at < nodes.len() {
        let state = nodes[at].clone();
        at += 1;
        check_state(game, &state)?;
        further(game, &state, None)?;
        views.check(game, &state)?;
        for next in successors(game, &state) {
            check_step(game, &state, &next)?;
            further(game, &state, Some(&next))?;
            if nodes.len() < AROUND && seen.insert(next.clone()) {
                nodes.push(next);
            }
        }
    }
    Ok(())
}

/// Checks the laws of one state: only chance nodes have throws, only decisions have actions,
/// returns fit the payoff, observations are in range, and actions lead exactly to the listed
/// afterstates.
///
/// # Errors
/// The first broken law.
pub fn check_state<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    check_node(game, state)?;
    let copy = state.clone();
    let hasher = RandomState::new();
    let is_same = copy == *state && hasher.hash_one(&copy) == hasher.hash_one(state);
    hold("equal states hash equal", state, is_same, || {
        format!("copy {copy:?}")
    })?;
    turns::check(game, state)
}

/// The laws of [`check_state`] except those about whole turns, which can be long.
///
/// # Errors
/// The first broken law.
pub fn check_node<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    check_choices(game, state)?;
    check_returns(game, state)?;
    check_observation(game, state)
}

fn check_choices<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    const LAW: &str = "throws belong to chance nodes and actions to decisions";
    let (node, chances, legal) = (
        game.node(state),
        game.chance_outcomes(state),
        game.legal_actions(state),
    );
    let counts = (!chances.is_empty(), !legal.is_empty());
    let (expected, seat) = match node {
        Node::Chance(seat) => ((true, false), Some(seat)),
        Node::Decision(seat) => ((false, true), Some(seat)),
        Node::Terminal => ((false, false), None),
    };
    hold(LAW, state, counts == expected, || {
        format!("{node:?} with {chances:?} and {legal:?}")
    })?;
    let takes_part = seat.is_none_or(|seat| game.spec().seats.contains(seat));
    hold("the seat to act takes part", state, takes_part, || {
        format!("{node:?}")
    })?;
    let is_in_range = legal
        .iter()
        .all(|action| usize::from(action.0) < game.spec().actions);
    hold("actions are in range", state, is_in_range, || {
        format!("{legal:?}")
    })?;
    if !chances.is_empty() {
        let sum: f64 = chances.iter().sum();
        let are_probabilities = chances
            .iter()
            .all(|&probability| (0.0..=1.0).contains(&probability));
        let is_distribution =
            are_probabilities && (sum - 1.0).abs() < 1e-12 && chances.len() <= 256;
        hold("probabilities sum to one", state, is_distribution, || {
            format!("{chances:?} sum to {sum}")
        })?;
    }
    Ok(())
}

fn check_returns<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    const LAW: &str = "returns fit the payoff";
    let (spec, returns) = (game.spec(), game.returns(state));
    if game.node(state) != Node::Terminal {
        return hold(
            "returns are zero before the end",
            state,
            returns.0 == [0.0; MAX_SEATS],
            || format!("{returns:?}"),
        );
    }
    let sum: f32 = spec.seats.iter().map(|seat| returns[seat]).sum();
    let count = spec.seats.len() as f32;
    let expected = match spec.payoff {
        Payoff::Winner => 1.0,
        // Each seat of a team has the value of the team.
        Payoff::Teams | Payoff::Placings => count / 2.0,
    };
    let are_in_range = spec
        .seats
        .iter()
        .all(|seat| (0.0..=1.0).contains(&returns[seat]));
    let holds = are_in_range && (sum - expected).abs() < 1e-5;
    hold(LAW, state, holds, || {
        format!("{returns:?} under {:?}", spec.payoff)
    })?;
    let share = |seat: Seat| {
        spec.teams[seat]
            .iter()
            .all(|mate| returns[mate] == returns[seat])
    };
    hold(
        "teams share their value",
        state,
        spec.seats.iter().all(share),
        || format!("{returns:?}"),
    )
}

fn check_observation<G: Game>(game: &G, state: &G::State) -> Checked<G> {
    const LAW: &str = "an observation is a set of entries";
    let length = game.spec().observation;
    let mut written = vec![f32::NAN; length];
    for seat in game.spec().seats.iter() {
        let mut active = vec![u16::MAX];
        game.observe_active(state, seat, &mut active);
        hold(LAW, state, active[0] == u16::MAX, || {
            "earlier entries of the list were overwritten".to_owned()
        })?;
        active.remove(0);
        let mut expected = vec![0.0; length];
        for &entry in &active {
            let Some(value) = expected
                .get_mut(usize::from(entry))
                .filter(|value| **value == 0.0)
            else {
                return Err(broken(
                    LAW,
                    state,
                    format!("{seat}: entry {entry} of {length} in {active:?}"),
                ));
            };
            *value = 1.0;
        }
        game.observe(state, seat, &mut written);
        hold(LAW, state, written == expected, || {
            format!("{seat}: `observe` differs from {active:?}")
        })?;
    }
    Ok(())
}

/// Checks the laws of one throw or action from `before` to `after`: after a throw the same seat
/// acts, no state follows a terminal state, and the observation shows whether a turn starts.
///
/// # Errors
/// The first broken law.
pub fn check_step<G: Game>(game: &G, before: &G::State, after: &G::State) -> Checked<G> {
    check_turn_start(game, before, after)?;
    match game.node(before) {
        Node::Chance(seat) => {
            let next = game.node(after);
            let stays = matches!(next, Node::Chance(same) | Node::Decision(same) if same == seat);
            hold("a throw leaves the turn to its seat", before, stays, || {
                format!("{next:?}")
            })
        }
        Node::Decision(_) => Ok(()),
        Node::Terminal => Err(broken(
            "no state follows the end",
            before,
            format!("{after:?}"),
        )),
    }
}

/// In a turn-start state only the first entries of an observation can be 1. At a decision, at least
/// one later entry is 1.
fn check_turn_start<G: Game>(game: &G, before: &G::State, after: &G::State) -> Checked<G> {
    let follows_decision = matches!(game.node(before), Node::Decision(_));
    let is_start = match game.node(after) {
        Node::Chance(_) if follows_decision => true,
        Node::Decision(_) => false,
        Node::Chance(_) | Node::Terminal => return Ok(()),
    };
    for seat in game.spec().seats.iter() {
        let mut active = Vec::new();
        game.observe_active(after, seat, &mut active);
        let is_shown = active
            .iter()
            .all(|&entry| usize::from(entry) < game.spec().start_observation);
        hold(
            "the first entries mark the start of a turn",
            after,
            is_shown == is_start,
            || format!("{seat}: {active:?}"),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
