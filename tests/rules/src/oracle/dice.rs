//! Turns of two dice: each die or their sum for a piece, both for a unit; or their total divided
//! freely.

use std::collections::BTreeSet;

use super::{
    position::{Place, Position},
    rules::Rules,
    steps::distance,
};

/// Positions by the number of dice used.
#[derive(Default)]
struct Options {
    both: Vec<Position>,
    one: Vec<Position>,
}

/// Every position that two dice can leave, each taken by a piece, or both by one piece or unit.
pub(super) fn results(
    rules: &Rules,
    before: &Position,
    seat: usize,
    dice: (u8, u8),
) -> BTreeSet<Position> {
    let Options { both, one } = options(rules, before, seat, dice);
    let pass = vec![before.clone()];
    let legal = match rules.must {
        "optional" => [both, one, pass].concat(),
        _ => [both, one, pass]
            .into_iter()
            .find(|options| !options.is_empty())
            .unwrap_or_default(),
    };
    legal.into_iter().collect()
}

/// Whether any throw of two dice moves anything.
pub(super) fn can_move(rules: &Rules, before: &Position, seat: usize) -> bool {
    let moves = |dice| {
        let Options { both, one } = options(rules, before, seat, dice);
        !both.is_empty() || !one.is_empty()
    };
    all_dice(rules).any(moves)
}

fn all_dice(rules: &Rules) -> impl Iterator<Item = (u8, u8)> {
    rules
        .values
        .iter()
        .flat_map(|&a| rules.values.iter().map(move |&b| (a, b)))
}

fn options(rules: &Rules, before: &Position, seat: usize, (a, b): (u8, u8)) -> Options {
    let waits = |piece: usize| before.pieces[seat][piece].place == Place::Off;
    let can_enter = |position: &Position, count: u8| {
        (0..rules.count).any(|piece| rules.enter(position, seat, piece, count).is_some())
    };
    let sum = a.saturating_add(b);
    let others_wait = rules.compulsory
        && [a, b, sum]
            .into_iter()
            .any(|count| can_enter(before, count));
    let mut options = Options::default();
    let mut both_enter = false;
    for one in (0..rules.count).filter(|&one| !others_wait || waits(one)) {
        for (first, second) in [(a, b), (b, a)] {
            let Some(between) = step(rules, before, seat, one, first) else {
                continue;
            };
            let others_wait = rules.compulsory && can_enter(&between, second);
            for other in
                (0..rules.count).filter(|&other| other != one && (!others_wait || waits(other)))
            {
                let after = step(rules, &between, seat, other, second);
                both_enter |= after.is_some() && waits(one) && waits(other);
                options.both.extend(after);
            }
            options.one.push(between);
        }
    }
    for one in (0..rules.count)
        .filter(|&one| a > 0 && b > 0 && (!others_wait || waits(one) && !both_enter))
    {
        options.both.extend(step(rules, before, seat, one, sum));
    }
    if a == b && !others_wait {
        let distance = rules.unit_distance(&[a]);
        let pairs = rules.groups(before, seat, 2);
        options.both.extend(
            pairs
                .iter()
                .filter_map(|pair| rules.hop(before, seat, pair, distance?)),
        );
    }
    options
}

/// One piece enters or moves by `count`.
fn step(
    rules: &Rules,
    before: &Position,
    seat: usize,
    piece: usize,
    count: u8,
) -> Option<Position> {
    if before.pieces[seat][piece].place == Place::Off {
        return rules.enter(before, seat, piece, count);
    }
    rules
        .may_leave_alone(before, seat, piece)
        .then(|| rules.hop(before, seat, &[piece], distance(&[count])))?
}

/// Every position that two dice can leave whose total is divided between the pieces.
pub(super) fn divided(
    rules: &Rules,
    before: &Position,
    seat: usize,
    dice: (u8, u8),
) -> BTreeSet<Position> {
    let all = divisions(rules, before, seat, dice);
    let least = all.iter().map(|(left, _)| *left).min().unwrap_or(0);
    all.into_iter()
        .filter(|(left, _)| *left == least || rules.must == "optional")
        .map(|(_, position)| position)
        .collect()
}

/// Whether any throw of two dice moves anything when it is divided.
pub(super) fn can_divide(rules: &Rules, before: &Position, seat: usize) -> bool {
    all_dice(rules).any(|dice| divisions(rules, before, seat, dice).len() > 1)
}

/// Every position that some pips of the dice lead to, with the pips left.
fn divisions(
    rules: &Rules,
    before: &Position,
    seat: usize,
    (a, b): (u8, u8),
) -> BTreeSet<(i32, Position)> {
    let mut open = vec![(distance(&[a, b]), before.clone())];
    let mut all = BTreeSet::from_iter(open.iter().cloned());
    while let Some((left, position)) = open.pop() {
        for piece in 0..rules.count {
            for part in 1..=left {
                let Some(after) = take_part(rules, &position, seat, piece, part, (a, b)) else {
                    continue;
                };
                let next = (left - part, after);
                if all.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    if a == b {
        let entries = (0..rules.count).filter_map(|piece| rules.enter(before, seat, piece, a));
        all.extend(entries.map(|after| (0, after)));
    }
    all
}

/// A piece that has not moved takes its part of the dice, if they let it go home from where it
/// stands.
fn take_part(
    rules: &Rules,
    before: &Position,
    seat: usize,
    piece: usize,
    part: i32,
    (a, b): (u8, u8),
) -> Option<Position> {
    if before.pieces[seat][piece].moved || !rules.may_leave_alone(before, seat, piece) {
        return None;
    }
    let after = rules.hop(before, seat, &[piece], part)?;
    let gets_home = after.pieces[seat][piece].place == Place::Home;
    let needs_doublet = rules
        .doublets
        .iter()
        .any(|&number| i32::from(number) == part);
    let is_doublet = a == b && i32::from(a) == part;
    (!gets_home || !needs_doublet || is_doublet).then_some(after)
}
