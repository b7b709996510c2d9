//! Turns of one throw that is made and used: every piece, unit and division tries it.

use std::collections::BTreeSet;

use super::{
    position::{Place, Position},
    rules::Rules,
    steps::distance,
};

/// Every position after the throw and the extra step of some throws, which follows the throw or may
/// precede it.
pub(super) fn results(
    rules: &Rules,
    before: &Position,
    seat: usize,
    throw: u8,
) -> BTreeSet<Position> {
    if rules.bonus_may_come_first && rules.bonus.contains(&throw) {
        return in_either_order(rules, before, seat, throw);
    }
    let played = with_pass(rules, before, seat, moves(rules, before, seat, throw));
    if !rules.bonus.contains(&throw) {
        return played.into_iter().collect();
    }
    played
        .into_iter()
        .flat_map(|between| with_pass(rules, &between, seat, steps(rules, &between, seat)))
        .collect()
}

/// The throw and its step in either order: both; otherwise one of them, or nothing.
fn in_either_order(rules: &Rules, before: &Position, seat: usize, throw: u8) -> BTreeSet<Position> {
    let (moved, stepped) = (
        moves(rules, before, seat, throw),
        steps(rules, before, seat),
    );
    let one: BTreeSet<Position> = moved.iter().chain(&stepped).cloned().collect();
    let mut both: BTreeSet<Position> = moved
        .iter()
        .flat_map(|between| steps(rules, between, seat))
        .collect();
    both.extend(
        stepped
            .iter()
            .flat_map(|between| moves(rules, between, seat, throw)),
    );
    let nothing = BTreeSet::from([before.clone()]);
    if rules.must == "optional" {
        return &(&one | &both) | &nothing;
    }
    [both, one]
        .into_iter()
        .find(|results| !results.is_empty())
        .unwrap_or(nothing)
}

/// The moves, and the position as it is where none of them must be made.
fn with_pass(rules: &Rules, before: &Position, seat: usize, moves: Vec<Position>) -> Vec<Position> {
    let may_pass = match rules.must {
        "optional" => true,
        "no-merge" => moves.iter().all(|after| merges(rules, before, after, seat)),
        _ => moves.is_empty(),
    };
    let pass = may_pass.then(|| before.clone());
    moves.into_iter().chain(pass).collect()
}

/// Whether the throw, or the step that follows it, moves anything.
pub(super) fn can_move(rules: &Rules, before: &Position, seat: usize, throw: u8) -> bool {
    let has_step = rules.bonus.contains(&throw) && !steps(rules, before, seat).is_empty();
    has_step || !moves(rules, before, seat, throw).is_empty()
}

/// Every position after a move with the throw.
fn moves(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    let (played, entered) = part(rules, before, seat, throw, Part::Any);
    let mut all = [played.clone(), entered.clone()].concat();
    if !rules.spends {
        for after in &entered {
            all.extend(part(rules, after, seat, throw, Part::Play).0);
        }
    }
    all
}

/// The uses of a throw.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Any,
    Play,
}

/// The positions after a move by the throw, and the positions after an entry.
fn part(
    rules: &Rules,
    before: &Position,
    seat: usize,
    throw: u8,
    part: Part,
) -> (Vec<Position>, Vec<Position>) {
    let played = numbers_played(rules, before, seat, throw);
    let enters = part != Part::Play && !rules.by_bonus;
    let entered = if enters {
        entries(rules, before, seat, throw)
    } else {
        Vec::new()
    };
    let others_wait = rules.compulsory && !entered.is_empty();
    in_order(rules, before, seat, played, entered, others_wait)
}

/// Every position after the step of 1 that follows some throws.
fn steps(rules: &Rules, before: &Position, seat: usize) -> Vec<Position> {
    let pieces = (0..rules.count).filter(|_| rules.by_bonus);
    let entered = pieces
        .filter_map(|piece| rules.enter_with(before, seat, piece, 1))
        .collect();
    let played = (0..rules.count)
        .filter_map(|piece| alone(rules, before, seat, piece, 1))
        .collect();
    let others_wait = rules.by_bonus && waits(before, seat);
    let (played, entered) = in_order(rules, before, seat, played, entered, others_wait);
    [played, entered].concat()
}

/// Whether a piece of `seat` is off the board.
fn waits(position: &Position, seat: usize) -> bool {
    position.pieces[seat]
        .iter()
        .any(|piece| piece.place == Place::Off)
}

/// The moves and entries that remain if a piece must first leave the entry square; otherwise,
/// pieces on the course may have to wait for pieces that enter.
fn in_order(
    rules: &Rules,
    before: &Position,
    seat: usize,
    played: Vec<Position>,
    entered: Vec<Position>,
    others_wait: bool,
) -> (Vec<Position>, Vec<Position>) {
    let own = &before.pieces[seat];
    let entry = rules.enter_at.map(|number| rules.square_of(seat, number));
    let is_there = |piece: usize| matches!(own[piece].place, Place::On(number) if Some(rules.square_of(seat, number)) == entry);
    if rules.clear && waits(before, seat) {
        let leaves = |after: &&Position| {
            (0..rules.count)
                .any(|piece| is_there(piece) && after.pieces[seat][piece].place != own[piece].place)
        };
        let cleared: Vec<Position> = played.iter().filter(leaves).cloned().collect();
        if !cleared.is_empty() {
            return (cleared, Vec::new());
        }
    }
    if others_wait {
        (Vec::new(), entered)
    } else {
        (played, entered)
    }
}

fn entries(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    (0..rules.count)
        .filter_map(|piece| rules.enter(before, seat, piece, throw))
        .collect()
}

/// The number of the throw is played by a piece, by a unit, or divided.
fn numbers_played(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    let is_before_finish =
        |piece: usize| before.pieces[seat][piece].place == Place::On(rules.last - 1);
    let brings_home =
        |piece: usize| throw > 0 && rules.from_last.contains(&throw) && is_before_finish(piece);
    let steps = |piece: usize| {
        if brings_home(piece) {
            1
        } else {
            i32::from(throw)
        }
    };
    let mut all: Vec<Position> = (0..rules.count)
        .filter_map(|piece| alone(rules, before, seat, piece, steps(piece)))
        .collect();
    if let Some(distance) = rules.unit_distance(&[throw]) {
        let pairs = rules.groups(before, seat, 2);
        all.extend(
            pairs
                .iter()
                .filter_map(|pair| rules.hop(before, seat, pair, distance)),
        );
    }
    if rules.divides {
        all.extend(divisions(rules, before, seat, throw));
    }
    all
}

fn alone(
    rules: &Rules,
    before: &Position,
    seat: usize,
    piece: usize,
    distance: i32,
) -> Option<Position> {
    rules
        .may_leave_alone(before, seat, piece)
        .then(|| rules.hop(before, seat, &[piece], distance))?
}

/// Two different pieces take a part each, and one of them gets home.
fn divisions(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    let mut all = Vec::new();
    for part in 1..throw {
        for one in 0..rules.count {
            let Some(between) = alone(rules, before, seat, one, distance(&[part])) else {
                continue;
            };
            for other in (0..rules.count).filter(|&other| other != one) {
                let after = alone(rules, &between, seat, other, distance(&[throw - part]));
                all.extend(after.filter(|after| {
                    [one, other]
                        .iter()
                        .any(|&piece| after.pieces[seat][piece].place == Place::Home)
                }));
            }
        }
    }
    all
}

/// Whether a piece that moved or entered stands with an own piece that did not.
fn merges(rules: &Rules, before: &Position, after: &Position, seat: usize) -> bool {
    let stays = |piece: usize| before.pieces[seat][piece].place == after.pieces[seat][piece].place;
    (0..rules.count)
        .filter(|&piece| !stays(piece))
        .any(|piece| {
            let Some(square) = rules.square(seat, after.pieces[seat][piece]) else {
                return false;
            };
            rules.standing(after, seat, square).into_iter().any(stays)
        })
}
