//! Sampling of outcomes. Only this module turns random bits into throws.
//!
//! A seed gives the same throws on every machine and in every version of the program; a test pins
//! the values.

use rand::{Rng, SeedableRng};

use crate::game::{Chances, Game, Node, Outcome, Seat, SeatSet};

/// The random number generator of all draws: xoshiro256++.
pub type GameRng = rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of stream number `stream` of `seed`. The streams of a seed are independent.
pub fn stream(seed: u64, stream: u64) -> GameRng {
    // SplitMix64 spreads the bits of the seed and separates neighbouring streams.
    GameRng::seed_from_u64(mix(seed ^ mix(stream.wrapping_add(0x9E37_79B9_7F4A_7C15))))
}

/// The finalizer of SplitMix64: a bijection; each input bit affects all output bits.
pub const fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

/// The outcome that 64 random bits select, by inverting the cumulative probabilities. Probabilities
/// that are multiples of 2⁻⁵³ are exact; the error of others is about 2⁻⁵³. Returns outcome 0 for
/// [`Chances::NONE`].
#[inline]
pub fn outcome(chances: &Chances, bits: u64) -> Outcome {
    let uniform = (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
    // The sums ascend, so the outcome is the number of sums that are at most `uniform`. Counting
    // avoids an unpredictable branch.
    Outcome(
        chances
            .sums
            .iter()
            .map(|&sum| usize::from(sum <= uniform))
            .sum::<usize>() as u8,
    )
}

/// Throws the dice until a seat must decide, and returns this seat. `draw` gets the position and
/// the seat that throws, and returns the outcome, or `None` to stop before this throw. Returns
/// `None` if `draw` stops or the game is over.
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

/// A random number below `bound`, uniform except for a bias of at most 2⁻⁶⁴ · `bound`.
#[inline]
pub fn below(bound: usize, rng: &mut GameRng) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

/// The decisions of a game of random legal actions, until the game ends or has had as many throws
/// as its turn limit.
pub fn random_decisions<G: Game>(game: &G, seed: u64) -> impl Iterator<Item = G::State> {
    let mut rng = stream(seed, 0);
    let mut state = game.initial_state(first_seat(game.spec().seats, &mut rng));
    let mut throws = 0..game.spec().turn_limit;
    std::iter::from_fn(move || {
        throw_dice(game, &mut state, |state, _| {
            throws
                .next()
                .map(|_| outcome(game.chance_outcomes(state), rng.next_u64()))
        })?;
        let (decision, legal) = (state.clone(), game.legal_actions(&state));
        game.apply_action(&mut state, legal.nth(below(legal.len(), &mut rng))?);
        Some(decision)
    })
}

/// A random seat of `seats`, with equal probabilities.
///
/// # Panics
/// If `seats` is empty.
pub fn first_seat(seats: SeatSet, rng: &mut GameRng) -> Seat {
    let nth = below(seats.len(), rng);
    seats
        .iter()
        .nth(nth)
        .expect("the number is below the number of seats")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    #[test]
    fn throws_are_pinned() {
        let mut rng = stream(1, 0);
        let sticks = Chances::from(vec![0.25, 0.375, 0.25, 0.0625, 0.0625]);
        let drawn: Vec<u8> = (0..20)
            .map(|_| outcome(&sticks, rng.next_u64()).0)
            .collect();
        assert_eq!(
            drawn,
            [0, 4, 2, 1, 0, 0, 1, 2, 0, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 2]
        );
        let seats: Vec<usize> = (0..8)
            .map(|_| first_seat(SeatSet::ALL, &mut rng).index())
            .collect();
        assert_eq!(seats, [3, 3, 2, 1, 3, 2, 2, 1]);
    }

    #[test]
    fn random_games_have_decisions_alone_and_repeat() {
        let toy = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
        for seed in 0..20 {
            let game: Vec<_> = random_decisions(&toy, seed).collect();
            assert!(game.len() > 1, "game {seed}");
            let is_decision = |state| matches!(toy.node(state), Node::Decision(_));
            assert!(game.iter().all(is_decision), "game {seed}");
            assert_eq!(game, random_decisions(&toy, seed).collect::<Vec<_>>());
        }
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
        assert!(
            counts.iter().all(|count| count.abs_diff(10_000) < 450),
            "{counts:?}"
        );
        assert_eq!(
            outcome(&vec![0.5, 0.49999, 0.0].into(), u64::MAX),
            Outcome(1)
        );
        assert_eq!(outcome(&vec![0.0, 1.0].into(), 0), Outcome(1));
    }
}
