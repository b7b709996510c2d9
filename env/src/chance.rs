//! Sampling of outcomes: the only place where random bits become throws.
//!
//! The random number generator is fixed and portable, so the same seed gives the same throws on every machine and in
//! every version; a test pins the values.

use rand::{Rng, SeedableRng};

use crate::game::{Chances, Game, Node, Outcome, Seat, SeatSet};

/// The random number generator of every draw: xoshiro256++.
pub type GameRng = rand_xoshiro::Xoshiro256PlusPlus;

/// A generator for stream `stream` of `seed`; streams of one seed are independent.
pub fn stream(seed: u64, stream: u64) -> GameRng {
    // The seed is spread by SplitMix64, which also keeps neighbouring streams apart.
    GameRng::seed_from_u64(mix(seed ^ mix(stream.wrapping_add(0x9E37_79B9_7F4A_7C15))))
}

/// The finalizer of SplitMix64: a bijection in which every bit of the input moves every bit of the output.
pub const fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

/// The outcome that 64 random bits select, by inverting the cumulative probabilities. Exact to 2⁻⁵³ for probabilities
/// that are multiples of a power of two. Of [`Chances::NONE`] it is outcome 0.
#[inline]
pub fn outcome(chances: &Chances, bits: u64) -> Outcome {
    let uniform = (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
    // The sums ascend, so counting those passed finds the first above `uniform`, without an unpredictable branch.
    Outcome(chances.sums.iter().map(|&sum| usize::from(sum <= uniform)).sum::<usize>() as u8)
}

/// Throws the dice until a seat must decide; returns this seat, or `None` if no seat does: the game is over, or `draw`
/// has stopped. `draw` gets the position and the seat that throws, and returns the outcome, or `None` to stop before
/// this throw.
#[inline]
pub fn throw_dice<G: Game>(
    game: &G,
    state: &mut G::State,
    mut draw: impl FnMut(&G::State, Seat) -> Option<Outcome>,
) -> Option<Seat> {
    loop {
        match game.node(state) {
            Node::Chance(seat) => {
                let outcome = draw(state, seat)?;
                game.apply_chance(state, outcome);
            }
            Node::Decision(seat) => return Some(seat),
            Node::Terminal => return None,
        }
    }
}

/// A number below `bound`, uniform up to a bias of 2⁻⁶⁴ · `bound`.
#[inline]
pub fn below(bound: usize, rng: &mut GameRng) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

/// The seat to throw first, uniformly drawn.
///
/// # Panics
/// When `seats` is empty.
pub fn first_seat(seats: SeatSet, rng: &mut GameRng) -> Seat {
    let nth = below(seats.len(), rng);
    seats.iter().nth(nth).expect("the number is below that of the seats")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_are_pinned() {
        let mut rng = stream(1, 0);
        let sticks = Chances::from(vec![0.25, 0.375, 0.25, 0.0625, 0.0625]);
        let drawn: Vec<u8> = (0..20).map(|_| outcome(&sticks, rng.next_u64()).0).collect();
        assert_eq!(drawn, [0, 4, 2, 1, 0, 0, 1, 2, 0, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 2]);
        let seats: Vec<usize> = (0..8).map(|_| first_seat(SeatSet::ALL, &mut rng).index()).collect();
        assert_eq!(seats, [3, 3, 2, 1, 3, 2, 2, 1]);
    }

    #[test]
    fn outcomes_have_their_frequencies() {
        let mut rng = stream(7, 3);
        let fifths = Chances::from(vec![0.2; 5]);
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            counts[usize::from(outcome(&fifths, rng.next_u64()).0)] += 1;
        }
        // Five standard deviations.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 450), "{counts:?}");
        assert_eq!(outcome(&vec![0.5, 0.49999, 0.0].into(), u64::MAX), Outcome(1));
        assert_eq!(outcome(&vec![0.0, 1.0].into(), 0), Outcome(1));
    }
}
