//! Laws of race games: the steps of pieces along their course, and how a throw or an action can
//! change them.

use super::{Broken, Checked, LawConfig, Tally, check_with, hold};
use crate::game::{Node, RaceGame, Seat};

/// The direction of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// A move never moves a piece of its own side back.
    Forward,
    /// A move can send a piece around the course again, with fewer steps. Pieces at the goal stay
    /// there.
    Laps,
}

/// [`check_game`](super::check_game) with the laws of races: a throw moves no piece; an action
/// moves pieces of its side as [`Course`] describes, and moves pieces of other sides only to the
/// place of captured pieces.
///
/// # Errors
/// The first broken law.
pub fn check_race<G: RaceGame>(
    game: &G,
    play: &LawConfig,
    course: Course,
) -> Result<Tally, Broken<G::State>> {
    check_with(game, play, &|game, state, next| match next {
        None => check_steps(game, state),
        Some(next) => check_moves(game, course, state, next),
    })
}

/// Checks that steps ascend and do not exceed the goal.
fn check_steps<G: RaceGame>(game: &G, state: &G::State) -> Checked<G> {
    for seat in game.spec().seats.iter() {
        let steps = &game.steps(state, seat)[..game.pieces()];
        let is_in_range = steps.is_sorted() && steps.iter().all(|&steps| steps <= game.goal());
        hold("steps ascend up to the goal", state, is_in_range, || {
            format!("{seat}: {steps:?}")
        })?;
    }
    Ok(())
}

fn check_moves<G: RaceGame>(
    game: &G,
    course: Course,
    before: &G::State,
    after: &G::State,
) -> Checked<G> {
    let spec = game.spec();
    let steps = |state: &G::State, seat: Seat| game.steps(state, seat)[..game.pieces()].to_vec();
    let Node::Decision(seat) = game.node(before) else {
        let moved = spec
            .seats
            .iter()
            .find(|&seat| steps(before, seat) != steps(after, seat));
        return hold("a throw moves nothing", before, moved.is_none(), || {
            format!("{moved:?} in {after:?}")
        });
    };
    for owner in spec.seats.iter() {
        let (old, new) = (steps(before, owner), steps(after, owner));
        let problem = || format!("{owner}: {old:?} became {new:?}");
        let at_goal = |steps: &[u8]| steps.iter().filter(|&&steps| steps == game.goal()).count();
        hold(
            "the goal is final",
            before,
            at_goal(&old) <= at_goal(&new),
            problem,
        )?;
        if spec.teams[seat].contains(owner) {
            let is_forward =
                course == Course::Laps || old.iter().zip(&new).all(|(old, new)| old <= new);
            hold("moves run forward", before, is_forward, problem)?;
        } else {
            hold(
                "others are captured or left alone",
                before,
                is_captured(&old, &new, game.captured()),
                problem,
            )?;
        }
    }
    Ok(())
}

/// Whether `new` is `old` with some entries changed to `captured`. Both are in ascending order.
fn is_captured(old: &[u8], new: &[u8], captured: u8) -> bool {
    let mut left = old.to_vec();
    let mut is_kept = |steps: &&u8| {
        left.iter()
            .position(|old| old == *steps)
            .map(|at| left.remove(at))
            .is_some()
    };
    new.iter()
        .filter(|steps| !is_kept(steps))
        .all(|&steps| steps == captured)
}
