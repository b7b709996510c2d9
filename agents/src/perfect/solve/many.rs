//! Value iteration for three and four seats. In maxⁿ, every seat maximizes its own expected return.
//! For a best response, one seat does this against a fixed policy of all others.
//!
//! maxⁿ is a convention: with more than two seats there can be several equilibria. If several
//! afterstates are equally good for the seat that chooses (their values differ by at most [`TIE`]),
//! it chooses the first one in the order of enumeration.

use ashta_env::{
    game::MAX_SEATS,
    turn_index::{Continuation, Side, Sides, TurnEnd, TurnModel, TurnVisitor},
};

use super::{
    UNIT,
    kernel::TabularPolicy,
    quantity::{Value, bits},
    sweep::{Kernel, Layer},
};

/// Values with a smaller difference count as equal.
const TIE: f64 = 1e-7;

/// The position with this number: the index of the mover in the list of movers, and the side
/// positions; `None` for an unused number.
fn position(turns: &impl TurnModel, number: usize) -> Option<(usize, Sides)> {
    let (mover, sides) = turns.index().digits(number);
    turns
        .is_position(turns.index().movers()[mover], sides)
        .then_some((mover, sides))
}

/// Number of positions in an item.
const CHUNK: usize = 256;

/// The order of the positions: one layer, with a level for each total number of steps. The level
/// with the most steps is the first. A round is a position and all positions that follow if one
/// seat after the other passes; the last pass leads back to the first position. The positions of a
/// round are solved together, so the order has only one position of each round. An item is a list
/// of position numbers.
fn round_order<T: TurnModel>(turns: &T) -> Vec<Layer<Vec<u32>>> {
    let (index, seats) = (turns.index(), turns.index().seats());
    let steps = |side: &Side| usize::from(index.sides()[usize::from(*side)].steps);
    let most = index
        .sides()
        .iter()
        .map(|side| usize::from(side.steps))
        .max()
        .unwrap_or(0)
        * seats;
    let mut levels = vec![Vec::new(); most + 1];
    for number in 0..index.numbers() {
        let Some((mover, sides)) = position(turns, number) else {
            continue;
        };
        let mut turned = sides;
        let mut is_least = || {
            turned = rotate_left(turned, seats);
            sides <= turned
        };
        let is_first = if index.movers().len() == 1 {
            (1..seats).all(|_| is_least())
        } else {
            mover == 0
        };
        if is_first {
            levels[most - sides[..seats].iter().map(steps).sum::<usize>()].push(number as u32);
        }
    }
    let levels = levels
        .iter()
        .map(|level| level.chunks(CHUNK).map(<[u32]>::to_vec).collect())
        .collect();
    vec![Layer { share: 1.0, levels }]
}

/// Rotates the first `seats` (3 or 4) entries to the left by one. Lengths that the compiler knows
/// make this fast.
fn rotate_left<V>([a, b, c, d]: [V; MAX_SEATS], seats: usize) -> [V; MAX_SEATS] {
    if seats == 3 {
        [b, c, a, d]
    } else {
        [b, c, d, a]
    }
}

/// Rotates the first `seats` (3 or 4) entries to the right by one.
fn rotate_right<V>([a, b, c, d]: [V; MAX_SEATS], seats: usize) -> [V; MAX_SEATS] {
    if seats == 3 {
        [c, a, b, d]
    } else {
        [d, a, b, c]
    }
}

/// The kernel of maxⁿ: updates the values of all seats, round by round. If the `others` have a
/// fixed policy, the value of a seat is its return when it plays the best response.
pub struct Rounds<'a, T> {
    pub turns: &'a T,
    pub others: Option<&'a TabularPolicy>,
}

/// The backup of a turn: the expectation over the throws after which the position changes, and the
/// probabilities of the other throws.
#[derive(Default)]
struct RoundBackup {
    /// The sum of probability times value for each seat, in turn order from the seat that throws.
    sums: [f64; MAX_SEATS],
    /// The probability that the next seat throws in the same position.
    passing: f64,
    /// The probability that the same seat throws again in the same position.
    staying: f64,
}

impl<T: TurnModel> Rounds<'_, T> {
    fn seats(&self) -> usize {
        self.turns.index().seats()
    }

    /// The position after a pass.
    fn after(&self, mover: usize, sides: Sides) -> (usize, Sides) {
        let next = if mover + 1 < self.turns.index().movers().len() {
            mover + 1
        } else {
            0
        };
        (next, rotate_left(sides, self.seats()))
    }

    fn number(&self, mover: usize, sides: Sides) -> usize {
        self.turns
            .index()
            .number(self.turns.index().movers()[mover], sides)
    }

    /// The values of the seats in turn order from the seat that throws.
    fn values(&self, cells: &[u32], mover: usize, sides: Sides) -> [f64; MAX_SEATS] {
        let mut values = [0.0; MAX_SEATS];
        let cells = &cells[self.number(mover, sides) * self.seats()..][..self.seats()];
        for (value, cell) in values.iter_mut().zip(cells) {
            *value = f64::from(*cell) * UNIT;
        }
        values
    }

    fn backup(&self, cells: &[u32], mover: usize, sides: Sides) -> RoundBackup {
        let backup = RoundBackup::default();
        let mut choice = MaxNChoice {
            game: self,
            cells,
            mover,
            sides,
            backup,
            ends: Vec::with_capacity(64),
        };
        self.turns
            .visit(self.turns.index().movers()[mover], sides, 1, &mut choice);
        let RoundBackup {
            mut sums,
            passing,
            staying,
        } = choice.backup;
        if let Some(policy) = self.others {
            // For the other seats, the seat that throws follows the policy. `passing` and `staying`
            // already contain forced passes and forced repeats, which are subtracted here.
            let forced = [
                (-passing, Continuation::Next),
                (-staying, Continuation::Again),
            ]
            .map(|(probability, then)| (probability, TurnEnd { sides, then }));
            let ends = policy
                .turns(self.number(mover, sides))
                .iter()
                .map(|&(probability, end)| (f64::from(probability), end));
            sums[1..].fill(0.0);
            for (probability, end) in ends
                .chain(forced)
                .filter(|&(probability, _)| probability != 0.0)
            {
                let values = choice.values(end);
                (1..self.seats()).for_each(|seat| sums[seat] += probability * values[seat]);
            }
            sums = sums.map(|sum| sum.max(0.0));
        }
        let normal = 1.0 / (1.0 - self.turns.cut_off());
        RoundBackup {
            sums: sums.map(|sum| sum * normal),
            passing: passing * normal,
            staying: staying * normal,
        }
    }

    /// Updates the positions of a round (see [`round_order`]), beginning with this position.
    fn update_round(
        &self,
        cells: &[u32],
        (mut mover, mut sides): (usize, Sides),
        set: &mut impl FnMut(usize, u32),
    ) {
        let seats = self.seats();
        // A pass leads from each of these positions to the next one. The equations of the round are
        // solved exactly.
        let mut round = [(0, [0.0; MAX_SEATS], 0.0); MAX_SEATS];
        for (at, (cell, sums, passing)) in round[..seats].iter_mut().enumerate() {
            let backup = self.backup(cells, mover, sides);
            let moving = 1.0 - backup.staying;
            *cell = self.number(mover, sides) * seats;
            *passing = if moving < 1e-12 {
                1.0
            } else {
                backup.passing / moving
            };
            // The sums are in turn order from the seat that throws first in the round.
            (0..seats).for_each(|seat| {
                let sum = backup.sums[(seat + seats - at) % seats];
                sums[seat] = if moving < 1e-12 { 0.0 } else { sum / moving };
            });
            (mover, sides) = self.after(mover, sides);
        }
        let going = 1.0
            - round[..seats]
                .iter()
                .map(|&(.., passing)| passing)
                .product::<f64>();
        let mut values = [1.0 / seats as f64; MAX_SEATS];
        if going >= 1e-12 {
            values = [0.0; MAX_SEATS];
            for (_, sums, passing) in round[..seats].iter().rev() {
                (0..seats).for_each(|seat| values[seat] = sums[seat] + passing * values[seat]);
            }
            values.iter_mut().for_each(|value| *value /= going);
        }
        // The values of the first position give the values of the last position, and so on
        // backward.
        for (at, (cell, sums, passing)) in round[..seats].iter().enumerate().rev() {
            if going >= 1e-12 {
                (0..seats).for_each(|seat| values[seat] = sums[seat] + passing * values[seat]);
            }
            (0..seats).for_each(|seat| set(cell + (seat + seats - at) % seats, bits(values[seat])));
        }
    }
}

impl<T: TurnModel> Kernel for Rounds<'_, T> {
    type Item = Vec<u32>;
    type Quantity = Value;

    fn order(&self) -> Vec<Layer<Vec<u32>>> {
        round_order(self.turns)
    }

    fn update(&self, cells: &[u32], numbers: &Vec<u32>, mut set: impl FnMut(usize, u32)) {
        for position in numbers
            .iter()
            .filter_map(|&number| position(self.turns, number as usize))
        {
            self.update_round(cells, position, &mut set);
        }
    }

    fn check(&self, cells: &[u32], _threads: usize) -> (u64, f64) {
        let (mut count, mut residual) = (0, 0.0_f64);
        for (mover, sides) in
            (0..self.turns.index().numbers()).filter_map(|number| position(self.turns, number))
        {
            count += 1;
            let RoundBackup {
                sums,
                passing,
                staying,
            } = self.backup(cells, mover, sides);
            let (next_mover, next_sides) = self.after(mover, sides);
            let next = rotate_right(self.values(cells, next_mover, next_sides), self.seats());
            let here = self.values(cells, mover, sides);
            for seat in 0..self.seats() {
                let ahead = sums[seat] + passing * next[seat] + staying * here[seat];
                residual = residual.max((ahead - here[seat]).abs());
            }
        }
        (count, residual)
    }
}

/// Computes the backup of a turn: chooses the best afterstate of each throw.
struct MaxNChoice<'a, T> {
    game: &'a Rounds<'a, T>,
    cells: &'a [u32],
    mover: usize,
    sides: Sides,
    backup: RoundBackup,
    ends: Vec<TurnEnd>,
}

impl<T: TurnModel> MaxNChoice<'_, T> {
    /// The values of an afterstate.
    fn values(&self, end: TurnEnd) -> [f64; MAX_SEATS] {
        let seats = self.game.seats();
        match end.then {
            Continuation::Next => {
                let (mover, sides) = self.game.after(self.mover, end.sides);
                rotate_right(self.game.values(self.cells, mover, sides), seats)
            }
            Continuation::Again => self.game.values(self.cells, self.mover, end.sides),
            Continuation::Won => [1.0, 0.0, 0.0, 0.0],
            Continuation::Drawn => [1.0 / seats as f64; MAX_SEATS],
        }
    }
}

impl<T: TurnModel> TurnVisitor for MaxNChoice<'_, T> {
    fn end(&mut self, _: u16, own: Side, then: Continuation) {
        let [_, second, third, fourth] = self.sides;
        self.ends.push(TurnEnd {
            sides: [own, second, third, fourth],
            then,
        });
    }

    fn replace_end(&mut self, _: usize, end: TurnEnd) {
        self.ends
            .last_mut()
            .into_iter()
            .for_each(|last| *last = end);
    }

    fn throws(&mut self, _: u16, probability: f64, ends: impl Iterator<Item = usize> + Clone) {
        let ends = ends.map(|end| self.ends[end]);
        let is_here = |end: TurnEnd| end.sides == self.sides;
        let leads = |then| ends.clone().all(|end| is_here(end) && end.then == then);
        // A pass that is not forced is like any other afterstate: the sweeps find its values.
        if leads(Continuation::Next) {
            self.backup.passing += probability;
        } else if leads(Continuation::Again) {
            self.backup.staying += probability;
        } else {
            let values = ends.map(|end| self.values(end));
            let tie = if self.game.others.is_some() { 0.0 } else { TIE };
            let best = values
                .reduce(|best, values| {
                    if values[0] > best[0] + tie {
                        values
                    } else {
                        best
                    }
                })
                .unwrap_or_default();
            self.backup
                .sums
                .iter_mut()
                .zip(best)
                .for_each(|(sum, value)| *sum += probability * value);
        }
    }
}
