//! A proven error bound for the values of value iteration.
//!
//! Let `h` be a number for each position with `h ≥ c + E[max h]` (`c > 0`), where the maximum is over the results that
//! a player might choose: all whose value is within a gap of the best. Let looking one turn ahead change no value by
//! more than `r`, and let `d` be the largest probability of throws that were left out. Then with `e = (r + d) / c` the
//! values plus `e·h` are at least what perfect play gets from looking one turn ahead at them, as long as `2·e·h` stays
//! below the gap, because then no result beyond the gap can become the best; in the same way the values less `e·h` are
//! at most that. Bounds that a turn of perfect play only tightens hold perfect play between them. `docs/solving.md` has
//! the argument in full.
//!
//! `h` is found by sweeping like the values themselves: it is about the expected number of turns when both players drag
//! the game out as long as that costs them next to nothing. When the last sweep changes no `h` by more than `t`, then
//! `c = 1 − t` will do.

use std::sync::atomic::{AtomicU32, Ordering};

use ashta_env::turn_index::{Continuation, Side, Sides, TurnEnd, TurnModel, TurnVisitor};
use serde::{Deserialize, Serialize};

use super::duel::{Backup, Duel, ONE, PairOrder, UNIT};
use super::rows::{Quantity, Rows, TileOrder};
use super::sweep::{Cursor, Kernel, SharedValues, SolveWatch, Sweeps, Swept};

/// Results whose values differ by less than this from the best might be the best.
const GAP: f64 = 1e-3;
/// `h` is swept until it changes by no more than this.
const TOLERANCE: f64 = 0.25;
/// The most that rounding to single precision takes from `c` besides.
const ROUNDING: f64 = 0.01;
/// Sweeps after which `h` is taken to have no bound.
const LIMIT: usize = 200;
/// Where many positions are swept at once: the probability of the throws that are covered, and a bound of `h` that
/// stands for the others.
const COVERED: f64 = 0.999;
const BOUND: f64 = 200.0;

/// Bounds of the error of the values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// In any position.
    pub error: f64,
    /// In the position before the first throw.
    pub start_error: f64,
    /// The largest `h`: about the expected number of turns when both players drag the game out.
    pub longest: f64,
}

/// Bounds for values that look-ahead changes by at most `residual`, or `Ok(None)` where there is no proof.
///
/// # Errors
/// When the watch stopped it.
pub(super) fn certify<T: TurnModel>(
    turns: &T,
    values: &SharedValues,
    start: Sides,
    residual: f64,
    threads: usize,
    watch: SolveWatch<'_>,
) -> Result<Option<Certificate>, Stopped> {
    let cells: Vec<AtomicU32> = std::iter::repeat_with(|| AtomicU32::new(0)).take(values.len()).collect();
    let sweeps = Sweeps { threads, tolerance: TOLERANCE, limit: LIMIT };
    let order = PairOrder::new(turns.sides());
    let duel = Duel::new(turns);
    let start = duel.cell([start[0], start[1]]);
    let prove = |swept: Swept, bound: f64| match swept {
        Swept::Converged(_) => {
            let length = |cell: &AtomicU32| Length::number(cell.load(Ordering::Relaxed) as i32);
            let longest = cells.iter().map(length).fold(0.0, f64::max);
            let unit_error = (residual + turns.cut_off()) / (1.0 - TOLERANCE - ROUNDING);
            let found =
                Certificate { error: unit_error * longest, start_error: unit_error * length(&cells[start]), longest };
            Ok((2.0 * found.error < GAP && longest <= bound).then_some(found))
        }
        Swept::Stopped(_) => Err(Stopped),
        Swept::NotConverged(_) => Ok(None),
    };
    if turns.has_rows() {
        let rows = Rows::<T, Length>::new(duel, &cells, COVERED).with_criterion(values, GAP);
        return prove(sweeps.run(&rows, &cells, &TileOrder(order), Cursor::default(), watch), BOUND);
    }
    let longest = Longest { duel, values, cells: &cells };
    prove(sweeps.run(&longest, &cells, &order, Cursor::default(), watch), f64::INFINITY)
}

/// The watch stopped the work.
#[derive(Debug)]
pub(super) struct Stopped;

/// How long a game can be dragged out: turns, in single precision.
#[derive(Debug)]
struct Length;

impl Quantity for Length {
    const WON: u32 = 0;

    /// Positive numbers compare like their bits.
    #[inline]
    fn key(bits: u32) -> i32 {
        bits as i32
    }

    #[inline]
    fn key_after(bits: u32) -> i32 {
        bits as i32
    }

    #[inline]
    fn turned(key_after: i32) -> i32 {
        key_after
    }

    #[inline]
    fn number(key: i32) -> f64 {
        f64::from(f32::from_bits(key as u32))
    }

    /// Staying and passing are solved for.
    fn pair(first: Backup, second: Backup) -> [u32; 2] {
        let moving = |backup: Backup| {
            let moving = (1.0 - backup.staying).max(1e-9);
            (backup.sum / moving, backup.passing / moving)
        };
        let ((sum, passing), (other_sum, other_passing)) = (moving(first), moving(second));
        let length = (sum + passing * other_sum) / (1.0 - passing * other_passing).max(1e-9);
        [length, other_sum + other_passing * length].map(|length| (length as f32).to_bits())
    }

    fn distance(old: u32, new: u32) -> f64 {
        (Length::number(old as i32) - Length::number(new as i32)).abs()
    }

    /// A turn more, and the bound for the throws not covered.
    #[inline]
    fn whole(backup: Backup, covered: f64) -> Backup {
        Backup { sum: 1.0 + backup.sum + (1.0 - covered) * BOUND, ..backup }
    }

    const NO_RESULT: i32 = 0;

    /// The longest.
    #[inline]
    fn of_equals(a: i32, b: i32) -> i32 {
        a.max(b)
    }
}

/// How long games can be dragged out by results of nearly the best value.
#[derive(Debug)]
struct Longest<'a, T> {
    duel: Duel<'a, T>,
    values: &'a SharedValues,
    cells: &'a SharedValues,
}

impl<T: TurnModel> Longest<'_, T> {
    fn ahead(&self, sides: [Side; 2]) -> Backup {
        let mut choice = LongestChoice {
            values: self.values,
            cells: self.cells,
            count: self.duel.count,
            sides,
            found: Backup::NOTHING,
            probability: 0.0,
            ends: Vec::with_capacity(32),
        };
        self.duel.visit(sides, &mut choice);
        choice.settle();
        Length::whole(choice.found, 1.0)
    }
}

impl<T: TurnModel> Kernel<[Side; 2]> for Longest<'_, T> {
    fn update(&self, sides: [Side; 2], mut set: impl FnMut(usize, u32)) {
        if !self.duel.is_position(sides) {
            return;
        }
        let swapped = [sides[1], sides[0]];
        let [length, reply] = Length::pair(self.ahead(sides), self.ahead(swapped));
        set(self.duel.cell(sides), length);
        if sides != swapped {
            set(self.duel.cell(swapped), reply);
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        Length::distance(old, new)
    }
}

/// Chooses of the results whose value is nearly the best the one after which the game is longest.
struct LongestChoice<'a> {
    values: &'a SharedValues,
    cells: &'a SharedValues,
    count: usize,
    sides: [Side; 2],
    found: Backup,
    probability: f64,
    /// Values of the results of the current throws, and where they lead.
    ends: Vec<(u32, NextLength)>,
}

#[derive(Clone, Copy, PartialEq)]
enum NextLength {
    /// To a position after which the game is so long; 0 where it is over.
    Elsewhere(f32),
    /// To the same position, with the other player to throw.
    Passing,
    /// To the same position.
    Staying,
}

impl LongestChoice<'_> {
    fn settle(&mut self) {
        let all = |leads_to| self.ends.iter().all(|&(_, other)| other == leads_to);
        if all(NextLength::Passing) {
            self.found.passing += self.probability;
        } else if all(NextLength::Staying) {
            self.found.staying += self.probability;
        } else {
            let best = self.ends.iter().map(|&(value, _)| value).max().unwrap_or(0);
            let near = self.ends.iter().filter(|&&(value, _)| f64::from(best - value) * UNIT < GAP);
            let longest = near.map(|&(_, leads_to)| self.length(leads_to)).fold(0.0, f32::max);
            self.found.sum += self.probability * f64::from(longest);
        }
        self.ends.clear();
    }

    fn length(&self, leads_to: NextLength) -> f32 {
        let [own, other] = self.sides;
        match leads_to {
            NextLength::Elsewhere(length) => length,
            NextLength::Passing => f32::from_bits(self.at(self.cells, other, own)),
            NextLength::Staying => f32::from_bits(self.at(self.cells, own, other)),
        }
    }

    fn at(&self, cells: &SharedValues, own: Side, other: Side) -> u32 {
        cells[usize::from(own) * self.count + usize::from(other)].load(Ordering::Relaxed)
    }
}

impl TurnVisitor for LongestChoice<'_> {
    fn throws(&mut self, probability: f64) {
        if !self.ends.is_empty() {
            self.settle();
        }
        self.probability = probability;
    }

    fn end(&mut self, end: TurnEnd) {
        let [own, other, ..] = end.sides;
        let is_here = [own, other] == self.sides;
        let elsewhere = |own, other| NextLength::Elsewhere(f32::from_bits(self.at(self.cells, own, other)));
        let (value, leads_to) = match end.then {
            Continuation::Next if is_here => (!self.at(self.values, other, own), NextLength::Passing),
            Continuation::Again if is_here => (self.at(self.values, own, other), NextLength::Staying),
            Continuation::Next => (!self.at(self.values, other, own), elsewhere(other, own)),
            Continuation::Again => (self.at(self.values, own, other), elsewhere(own, other)),
            Continuation::Won => (ONE, NextLength::Elsewhere(0.0)),
            Continuation::Drawn => (ONE / 2, NextLength::Elsewhere(0.0)),
        };
        self.ends.push((value, leads_to));
    }
}
