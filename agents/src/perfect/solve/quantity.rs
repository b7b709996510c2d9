//! The quantities that value iteration computes for each position of two seats: the value, and the
//! length of the game, which the error bound needs.

use super::UNIT;

/// The bits of the value 1.
pub const ONE: u32 = u32::MAX;

/// The backup of a turn: the expectation over the throws after which the position changes, and the
/// probabilities of the other throws.
#[derive(Clone, Copy, Default)]
pub struct Backup {
    /// The sum of probability times quantity over the throws after which the position changes.
    pub sum: f64,
    /// The probability that the other player throws in the same position.
    pub passing: f64,
    /// The probability that the same player throws again in the same position.
    pub staying: f64,
}

impl Backup {
    #[inline]
    fn scaled(self, factor: f64) -> Backup {
        Backup {
            sum: self.sum * factor,
            passing: self.passing * factor,
            staying: self.staying * factor,
        }
    }

    /// The backup without `staying`; the other throws are scaled to the total probability 1.
    #[inline]
    fn moving(self) -> Backup {
        let moving = 1.0 - self.staying;
        if moving < 1e-12 {
            return Backup {
                passing: 1.0,
                ..Backup::default()
            };
        }
        Backup {
            staying: 0.0,
            ..self
        }
        .scaled(1.0 / moving)
    }
}

/// A quantity of each position. Cells store the quantity as bits. Kernels compare keys: integers
/// with the same order as the numbers that they represent.
pub trait Quantity: Sync {
    /// The bits of a won game, for the winner.
    const WON: u32;
    /// The bits of a drawn game.
    const DRAWN: u32;
    /// The key that loses every comparison of [`Quantity::break_tie`].
    const NO_RESULT: i32;
    /// The key for the player who throws in a position with these bits.
    fn key(bits: u32) -> i32;
    /// The key for the other player.
    fn key_after(bits: u32) -> i32;
    /// The number that a key represents.
    fn number(key: i32) -> f64;
    /// Computes the bits of two positions that differ only in the player who throws, from their
    /// backups. A pass leads from each of them to the other, and a player can throw again without a
    /// move. The equations for both cases are solved exactly instead of by iteration.
    fn pair(first: Backup, second: Backup) -> [u32; 2];
    /// The key of a pass by the second player, which leads to the position with the backup `first`.
    /// `pass` is the quantity of a pass by the first player. With `is_single`, the lanes are
    /// visited one by one. Returns `None` if the pass must use the quantity from before this
    /// update.
    fn key_of_pass(first: Backup, pass: f64, is_single: bool) -> Option<i32>;
    /// Extends a backup of throws with the total probability `covered` to all throws.
    fn complete(backup: Backup, covered: f64) -> Backup;
    /// Selects one of two keys if the player could choose both afterstates.
    fn break_tie(a: i32, b: i32) -> i32;

    /// The bits of `new + factor * (new - old)`.
    fn extrapolated(old: u32, new: u32, factor: f64) -> u32;

    /// The absolute difference of two numbers, from their bits.
    fn distance(old: u32, new: u32) -> f64;
}

/// The expected return of the seat that throws.
pub struct Value;

/// Inverting this bit converts unsigned numbers to signed numbers in the same order.
const BIAS: u32 = 1 << 31;

/// The bits of a value.
#[inline]
pub fn bits(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * f64::from(ONE) + 0.5) as u32
}

impl Quantity for Value {
    const WON: u32 = ONE;
    const DRAWN: u32 = ONE / 2;
    const NO_RESULT: i32 = i32::MAX;

    #[inline]
    fn key(bits: u32) -> i32 {
        (bits ^ BIAS) as i32
    }

    #[inline]
    fn key_after(bits: u32) -> i32 {
        Value::key(!bits)
    }

    #[inline]
    fn number(key: i32) -> f64 {
        (f64::from(key) + f64::from(BIAS)) * UNIT
    }

    /// Both values are 0.5 if both players can only pass or stay.
    #[inline]
    fn pair(first: Backup, second: Backup) -> [u32; 2] {
        let (first, second) = (first.moving(), second.moving());
        let going = 1.0 - first.passing * second.passing;
        if going < 1e-12 {
            return [ONE / 2; 2];
        }
        let value = (first.sum + first.passing * (1.0 - second.sum - second.passing)) / going;
        [
            bits(value),
            bits(second.sum + second.passing * (1.0 - value)),
        ]
    }

    /// Uses the new value of the first player. Otherwise the values of two players who prefer to
    /// pass would oscillate.
    #[inline]
    fn key_of_pass(first: Backup, pass: f64, is_single: bool) -> Option<i32> {
        let Backup { sum, passing, .. } = first.moving();
        (is_single || passing == 0.0).then(|| Value::key_after(bits(sum + passing * pass)))
    }

    /// Assumes that the other throws have the same mean.
    #[inline]
    fn complete(backup: Backup, covered: f64) -> Backup {
        backup.scaled(1.0 / covered)
    }

    /// The minimum: a lower bound for every way to break ties.
    #[inline]
    fn break_tie(a: i32, b: i32) -> i32 {
        a.min(b)
    }

    fn extrapolated(old: u32, new: u32, factor: f64) -> u32 {
        bits((f64::from(new) + factor * (f64::from(new) - f64::from(old))) * UNIT)
    }

    fn distance(old: u32, new: u32) -> f64 {
        f64::from(old.abs_diff(new)) * UNIT
    }
}

/// The number of turns for which players can prolong a game, in single precision.
pub struct Length;

impl Length {
    /// The assumed number of turns after the throws that are not covered. A proof must show that it
    /// is an upper bound.
    pub const BOUND: f64 = 200.0;
}

impl Quantity for Length {
    const WON: u32 = 0;
    const DRAWN: u32 = 0;
    const NO_RESULT: i32 = 0;

    /// Positive floats have the same order as their bits.
    #[inline]
    fn key(bits: u32) -> i32 {
        bits as i32
    }

    #[inline]
    fn key_after(bits: u32) -> i32 {
        bits as i32
    }

    #[inline]
    fn number(key: i32) -> f64 {
        f64::from(f32::from_bits(key as u32))
    }

    fn pair(first: Backup, second: Backup) -> [u32; 2] {
        let moving = |backup: Backup| {
            let moving = (1.0 - backup.staying).max(1e-9);
            (backup.sum / moving, backup.passing / moving)
        };
        let ((sum, passing), (other_sum, other_passing)) = (moving(first), moving(second));
        let length = (sum + passing * other_sum) / (1.0 - passing * other_passing).max(1e-9);
        [length, other_sum + other_passing * length].map(|length| (length as f32).to_bits())
    }

    fn key_of_pass(first: Backup, _pass: f64, is_single: bool) -> Option<i32> {
        (!is_single && first.passing == 0.0).then(|| Length::key((first.sum as f32).to_bits()))
    }

    /// Adds one turn, and [`Length::BOUND`] turns for the other throws.
    #[inline]
    fn complete(backup: Backup, covered: f64) -> Backup {
        Backup {
            sum: 1.0 + backup.sum + (1.0 - covered) * Length::BOUND,
            ..backup
        }
    }

    /// The maximum: an upper bound for every way to break ties.
    #[inline]
    fn break_tie(a: i32, b: i32) -> i32 {
        a.max(b)
    }

    fn extrapolated(old: u32, new: u32, factor: f64) -> u32 {
        let [old, new] = [old, new].map(f32::from_bits);
        (new + factor as f32 * (new - old)).max(0.0).to_bits()
    }

    fn distance(old: u32, new: u32) -> f64 {
        (Length::number(old as i32) - Length::number(new as i32)).abs()
    }
}
