//! Turns of one throw that is made and used: every piece, unit and division tries it.

use std::collections::BTreeSet;

use super::position::{Place, Position};
use super::rules::Rules;
use super::steps::distance;

/// Every position that the throw can leave.
pub(super) fn results(rules: &Rules, before: &Position, seat: usize, throw: u8) -> BTreeSet<Position> {
    let moves = moves(rules, before, seat, throw);
    let may_pass = match rules.must {
        "optional" => true,
        "no-merge" => moves.iter().all(|after| merges(rules, before, after, seat)),
        _ => moves.is_empty(),
    };
    let pass = may_pass.then(|| before.clone());
    moves.into_iter().chain(pass).collect()
}

/// Every position after a move with the throw.
pub(super) fn moves(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    let entered = entries(rules, before, seat, throw);
    let mut all = numbers_played(rules, before, seat, throw);
    if !rules.spends {
        let then_entered = all.iter().flat_map(|after| entries(rules, after, seat, throw));
        let then_played = entered.iter().flat_map(|after| numbers_played(rules, after, seat, throw));
        let both: Vec<Position> = then_entered.chain(then_played).collect();
        all.extend(both);
    }
    all.extend(entered);
    all
}

fn entries(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    (0..rules.count).filter_map(|piece| rules.enter(before, seat, piece, throw)).collect()
}

/// The number of the throw is played by a piece, by a unit, or divided.
fn numbers_played(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    let mut all: Vec<Position> =
        (0..rules.count).filter_map(|piece| alone(rules, before, seat, piece, i32::from(throw))).collect();
    if let Some(distance) = rules.unit_distance(&[throw]) {
        let pairs = rules.pairs(before, seat);
        all.extend(pairs.iter().filter_map(|pair| rules.hop(before, seat, pair, distance)));
    }
    if rules.divides {
        all.extend(divisions(rules, before, seat, throw));
    }
    all
}

fn alone(rules: &Rules, before: &Position, seat: usize, piece: usize, distance: i32) -> Option<Position> {
    rules.may_leave_alone(before, seat, piece).then(|| rules.hop(before, seat, &[piece], distance))?
}

/// Two different pieces take a part each, and one of them gets home.
fn divisions(rules: &Rules, before: &Position, seat: usize, throw: u8) -> Vec<Position> {
    let mut all = Vec::new();
    for part in 1..throw {
        for one in 0..rules.count {
            let Some(between) = alone(rules, before, seat, one, distance(&[part])) else { continue };
            for other in (0..rules.count).filter(|&other| other != one) {
                let after = alone(rules, &between, seat, other, distance(&[throw - part]));
                all.extend(
                    after.filter(|after| {
                        [one, other].iter().any(|&piece| after.pieces[seat][piece].place == Place::Home)
                    }),
                );
            }
        }
    }
    all
}

/// Whether a piece that moved or entered stands with an own piece that did not.
fn merges(rules: &Rules, before: &Position, after: &Position, seat: usize) -> bool {
    let stays = |piece: usize| before.pieces[seat][piece].place == after.pieces[seat][piece].place;
    (0..rules.count).filter(|&piece| !stays(piece)).any(|piece| {
        let Some(square) = rules.square(seat, after.pieces[seat][piece]) else { return false };
        rules.standing(after, seat, square).into_iter().any(stays)
    })
}
