//! The quantities that value iteration finds for each position of two seats: the value, and the length of games, which
//! the error bound needs.

use super::UNIT;

/// The bits of the value 1.
pub(super) const ONE: u32 = u32::MAX;

/// The backup of a turn: the quantities of the results that lead to other positions, times their probabilities, and the
/// probabilities of those that do not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backup {
    pub(super) sum: f64,
    /// The other player throws in the same position.
    pub(super) passing: f64,
    /// The same player throws again in the same position.
    pub(super) staying: f64,
}

impl Backup {
    #[inline]
    fn scaled(self, factor: f64) -> Backup {
        Backup { sum: self.sum * factor, passing: self.passing * factor, staying: self.staying * factor }
    }

    /// The same once the player no longer stays.
    #[inline]
    fn moving(self) -> Backup {
        let moving = 1.0 - self.staying;
        if moving < 1e-12 {
            return Backup { passing: 1.0, ..Backup::default() };
        }
        Backup { staying: 0.0, ..self }.scaled(1.0 / moving)
    }
}

/// A quantity of each position, as bits; and keys, which compare like the numbers that they stand for.
pub(super) trait Quantity: Sync {
    /// The bits in a won game, for the winner.
    const WON: u32;
    /// The bits in a drawn game.
    const DRAWN: u32;
    /// The key that stands for no result at all; see [`Quantity::of_equals`].
    const NO_RESULT: i32;
    /// The key for the seat that throws in a position with these bits.
    fn key(bits: u32) -> i32;
    /// The key for the seat that has thrown before.
    fn key_after(bits: u32) -> i32;
    /// The number of a key.
    fn number(key: i32) -> f64;
    /// The bits of two positions that passing leads to from each other. Passing, and throwing again without a move, are
    /// solved for and not iterated.
    fn pair(first: Backup, second: Backup) -> [u32; 2];
    /// The key of passing back to a position with a new backup, for the player who passes; `pass` is the number of
    /// passing on from there. `None` where the quantity from before must do.
    fn key_of_pass(first: Backup, pass: f64, is_single: bool) -> Option<i32>;
    /// The backup over all throws, from that over the throws covered and their probability.
    fn whole(backup: Backup, covered: f64) -> Backup;
    /// The one of two results that counts where the values that the player chooses by are equal.
    fn of_equals(a: i32, b: i32) -> i32;

    /// The bits beyond `new`, by `factor` times its distance from `old`.
    fn extrapolated(old: u32, new: u32, factor: f64) -> u32;

    /// How far apart bits are.
    fn distance(old: u32, new: u32) -> f64;
}

/// The expected return of the seat that throws.
#[derive(Debug)]
pub(super) struct Value;

/// The bias that makes unsigned numbers compare as signed ones.
const BIAS: u32 = 1 << 31;

/// The bits of a value.
#[inline]
pub(super) fn bits(value: f64) -> u32 {
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

    /// A half each where neither can do anything but pass or stay.
    #[inline]
    fn pair(first: Backup, second: Backup) -> [u32; 2] {
        let (first, second) = (first.moving(), second.moving());
        let going = 1.0 - first.passing * second.passing;
        if going < 1e-12 {
            return [ONE / 2; 2];
        }
        let value = (first.sum + first.passing * (1.0 - second.sum - second.passing)) / going;
        [bits(value), bits(second.sum + second.passing * (1.0 - value))]
    }

    /// The second player uses the new value of the first; otherwise two players who prefer to pass would oscillate.
    #[inline]
    fn key_of_pass(first: Backup, pass: f64, is_single: bool) -> Option<i32> {
        let Backup { sum, passing, .. } = first.moving();
        (is_single || passing == 0.0).then(|| Value::key_after(bits(sum + passing * pass)))
    }

    /// The throws not covered are taken to be like the others.
    #[inline]
    fn whole(backup: Backup, covered: f64) -> Backup {
        backup.scaled(1.0 / covered)
    }

    /// The least, a lower bound for any way to break ties.
    #[inline]
    fn of_equals(a: i32, b: i32) -> i32 {
        a.min(b)
    }

    fn extrapolated(old: u32, new: u32, factor: f64) -> u32 {
        bits((f64::from(new) + factor * (f64::from(new) - f64::from(old))) * UNIT)
    }

    fn distance(old: u32, new: u32) -> f64 {
        f64::from(old.abs_diff(new)) * UNIT
    }
}

/// How long a game can be dragged out: turns, in single precision.
#[derive(Debug)]
pub(super) struct Length;

impl Length {
    /// Where many positions are swept at once not all throws are covered; this many turns stand for the others.
    pub(super) const BOUND: f64 = 200.0;
}

impl Quantity for Length {
    const WON: u32 = 0;
    const DRAWN: u32 = 0;
    const NO_RESULT: i32 = 0;

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

    /// A turn more, and the bound for the throws not covered.
    #[inline]
    fn whole(backup: Backup, covered: f64) -> Backup {
        Backup { sum: 1.0 + backup.sum + (1.0 - covered) * Length::BOUND, ..backup }
    }

    /// The longest.
    #[inline]
    fn of_equals(a: i32, b: i32) -> i32 {
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
