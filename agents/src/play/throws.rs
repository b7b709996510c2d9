//! Seeded throws: a pure function of seed, seat, turn and throw number (common random numbers).
//!
//! Two games with the same seed get the same throws in the same turns of a seat, even if the
//! players choose differently. So matches can be paired, and a game can be repeated from its seed
//! alone. The throws use no generator with a state, so the choices and the random numbers of an
//! agent do not change them. The game defines the meaning of throws; this module only uses their
//! probabilities.

use std::hash::{BuildHasher, RandomState};

use ashta_env::{
    chance::{mix, outcome},
    game::{BySeat, Chances, Outcome, Seat},
};

/// The increment of the SplitMix64 generator.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The throws of one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeededThrows {
    seed: u64,
}

impl SeededThrows {
    /// The throws of a game with this seed.
    pub const fn new(seed: u64) -> SeededThrows {
        SeededThrows { seed }
    }

    /// Draws a throw from the probabilities `chances`. `turn` is the number of the turn among the
    /// turns of `seat`, `throw` the number of the throw within the turn; both count from 0.
    pub fn draw(&self, seat: Seat, turn: u32, throw: u32, chances: &Chances) -> Outcome {
        let of_seat = derived_seed(self.seed, seat.index() as u64);
        let of_turn = derived_seed(of_seat, u64::from(turn));
        outcome(chances, derived_seed(of_turn, u64::from(throw)))
    }
}

/// Counts turns and throws of one game.
///
/// A turn begins with the first throw of the game, with every throw after an action, and whenever
/// the throwing seat changes. So an extra throw of the same seat is a new turn, and a series is one
/// turn with several throws. The default is the state before the first throw.
#[derive(Clone, Debug, Default)]
pub struct TurnClock {
    turns: BySeat<u32>,
    thrower: Option<Seat>,
    throws: u32,
}

impl TurnClock {
    /// Whether a throw of `seat` would begin a turn now.
    pub fn begins_turn(&self, seat: Seat) -> bool {
        self.thrower != Some(seat)
    }

    /// Counts a throw of `seat`. Returns the arguments `turn` and `throw` for
    /// [`SeededThrows::draw`].
    pub fn throw(&mut self, seat: Seat) -> (u32, u32) {
        if self.begins_turn(seat) {
            self.thrower = Some(seat);
            self.turns[seat] += 1;
            self.throws = 0;
        }
        self.throws += 1;
        (self.turns[seat] - 1, self.throws - 1)
    }

    /// Counts an action: the next throw begins a turn.
    pub fn action(&mut self) {
        self.thrower = None;
    }

    /// Number of turns that all seats have begun.
    pub fn turns(&self) -> u32 {
        self.turns.0.iter().sum()
    }
}

/// Draws a seed from the operating system, for front ends. The seed is below 2⁵³, so JSON numbers
/// are exact. WebAssembly has no random numbers, so JavaScript draws the seeds there.
pub fn random_seed() -> u64 {
    // A forked process has the random keys of its parent.
    let process = if cfg!(target_family = "wasm") {
        0
    } else {
        std::process::id()
    };
    RandomState::new().hash_one(process) >> 11
}

/// Derives seed number `index` from `seed`: output number `index` of the SplitMix64 generator.
pub const fn derived_seed(seed: u64, index: u64) -> u64 {
    mix(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STICKS: [f64; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];

    fn sticks() -> Chances {
        STICKS.to_vec().into()
    }

    #[test]
    fn throws_are_stable_over_versions_and_machines() {
        assert_eq!(
            derived_seed(0, 0),
            0xe220_a839_7b1d_cdaf,
            "first output of SplitMix64 seeded with 0"
        );
        let throws = SeededThrows::new(2026);
        let row = |seat, throw| -> Vec<u8> {
            (0..20)
                .map(|turn| throws.draw(seat, turn, throw, &sticks()).0)
                .collect()
        };
        assert_eq!(
            row(Seat::SOUTH, 0),
            [2, 2, 2, 3, 4, 4, 3, 4, 2, 2, 2, 2, 2, 2, 3, 2, 1, 0, 3, 0]
        );
        assert_eq!(
            row(Seat::SOUTH, 1),
            [2, 1, 1, 3, 3, 3, 1, 3, 3, 1, 0, 2, 2, 1, 2, 1, 1, 3, 2, 2]
        );
        assert_eq!(
            row(Seat::WEST, 0),
            [2, 0, 2, 2, 2, 2, 2, 1, 3, 3, 4, 2, 3, 4, 1, 0, 0, 3, 3, 1]
        );
    }

    #[test]
    fn frequencies_follow_the_probabilities() {
        let mut counts = [0.0; 5];
        for seed in 0..20 {
            for turn in 0..400 {
                let throw = turn % 5;
                counts[usize::from(
                    SeededThrows::new(seed)
                        .draw(Seat::EAST, turn, throw, &sticks())
                        .0,
                )] += 1.0;
            }
        }
        for (count, probability) in counts.into_iter().zip(STICKS) {
            let expected = 8000.0 * probability;
            let deviation: f64 = (count - expected) / (expected * (1.0 - probability)).sqrt();
            assert!(deviation.abs() < 4.0, "{counts:?}");
        }
    }

    #[test]
    fn the_clock_separates_series_from_extra_turns() {
        let mut clock = TurnClock::default();
        assert_eq!(
            [clock.throw(Seat::SOUTH), clock.throw(Seat::SOUTH)],
            [(0, 0), (0, 1)]
        );
        clock.action();
        assert_eq!(
            clock.throw(Seat::SOUTH),
            (1, 0),
            "an extra throw after an action"
        );
        assert_eq!(
            clock.throw(Seat::NORTH),
            (0, 0),
            "nothing to choose: the turn passes without an action"
        );
        assert_eq!(clock.throw(Seat::NORTH), (0, 1));
        assert_eq!(clock.turns(), 3);
    }
}
