//! Seatings: the assignments of agents to seats, and the lineups of a round robin.
//!
//! A *side* is a seat or a team: the seats that win together. A *lineup* has an agent for each
//! side, in the order in which the sides throw. A block plays a lineup in all its rotations, so
//! that every agent plays on every side.

use ashta_env::game::{BySeat, Seat, SeatSet, Spec};

/// For each seat, the index of the agent that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seating(BySeat<Option<u8>>);

impl Seating {
    /// The agent that plays `seat`; `None` for an empty seat.
    pub fn agent(&self, seat: Seat) -> Option<usize> {
        self.0[seat].map(usize::from)
    }

    /// The seats that `agent` plays.
    pub fn seats_of(&self, agent: usize) -> SeatSet {
        Seat::ALL
            .into_iter()
            .filter(|&seat| self.agent(seat) == Some(agent))
            .fold(SeatSet::EMPTY, SeatSet::with)
    }
}

/// The largest number of agents in an arena.
pub const MAX_AGENTS: usize = 256;

/// The sides of a game, in the order of their first seats. A lineup has an agent for each side.
pub fn sides(spec: &Spec) -> Vec<SeatSet> {
    let is_first = |&seat: &Seat| spec.teams[seat].iter().next() == Some(seat);
    spec.seats
        .iter()
        .filter(is_first)
        .map(|seat| spec.teams[seat])
        .collect()
}

/// The seatings of a block: all rotations of `lineup`, without duplicates. In seating `i`, the
/// first agent of the lineup has side `i`.
pub fn rotations(sides: &[SeatSet], lineup: &[usize]) -> Vec<Seating> {
    let (mut lineup, mut seatings) = (lineup.to_vec(), Vec::new());
    for _ in 0..lineup.len() {
        let mut agents = BySeat::default();
        for (side, &agent) in sides.iter().zip(&lineup) {
            side.iter()
                .for_each(|seat| agents[seat] = Some(agent as u8));
        }
        if !seatings.contains(&Seating(agents)) {
            seatings.push(Seating(agents));
        }
        lineup.rotate_right(1);
    }
    seatings
}

/// All lineups of `agents` agents on `sides` sides. Each lineup has as many different agents as
/// possible. Only one of all rotations of a lineup is listed. With two sides, the lineups are the
/// pairs of agents. With more sides than agents, some agents have several sides.
pub fn lineups(agents: usize, sides: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = (0..agents).map(|agent| vec![agent]).collect();
    for _ in 1..sides {
        // Only the smallest rotation of a lineup is kept, so its first agent has the smallest
        // number.
        found = found
            .iter()
            .flat_map(|lineup| {
                (lineup[0]..agents).map(move |agent| [lineup.as_slice(), &[agent]].concat())
            })
            .collect();
    }
    found.retain(|lineup| {
        let is_least =
            (1..sides).all(|by| lineup.iter().le(lineup[by..].iter().chain(&lineup[..by])));
        let different = (0..agents).filter(|agent| lineup.contains(agent)).count();
        is_least && different == agents.min(sides)
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::{
        game::Game,
        testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows},
    };

    #[test]
    fn lineups_are_counted_right() {
        assert_eq!(lineups(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(
            lineups(2, 4),
            [[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]]
        );
        assert_eq!(lineups(3, 3), [[0, 1, 2], [0, 2, 1]]);
        // With at least as many agents as sides, there are (sides - 1)! lineups for each choice of
        // agents.
        for (agents, sides, count) in [
            (10, 2, 45),
            (4, 4, 6),
            (6, 4, 15 * 6),
            (5, 3, 10 * 2),
            (3, 4, 9),
            (2, 3, 2),
        ] {
            let found = lineups(agents, sides);
            assert_eq!(found.len(), count, "{agents} agents, {sides} sides");
            assert!(
                found.windows(2).all(|pair| pair[0] < pair[1]),
                "in order, each once"
            );
        }
        assert!(lineups(0, 2).is_empty());
        assert_eq!(lineups(1, 3), [[0, 0, 0]]);
    }

    #[test]
    fn everybody_sits_everywhere() {
        for (table, sides_expected) in [
            (ToyTable::Two, 2),
            (ToyTable::Three, 3),
            (ToyTable::Teams, 2),
        ] {
            let game = Toy::new(table, ToyPieces::One, ToyThrows::Again);
            let sides = sides(game.spec());
            assert_eq!(sides.len(), sides_expected);
            for lineup in lineups(3.min(sides.len()), sides.len()) {
                let seatings = rotations(&sides, &lineup);
                assert_eq!(seatings.len(), sides.len());
                for (number, seating) in seatings.iter().enumerate() {
                    assert_eq!(seating.seats_of(lineup[0]), sides[number], "{lineup:?}");
                    for seat in game.spec().seats.iter() {
                        assert!(
                            seating
                                .agent(seat)
                                .is_some_and(|agent| seating.seats_of(agent).contains(seat))
                        );
                    }
                }
            }
        }
        let game = Toy::new(ToyTable::Placings, ToyPieces::One, ToyThrows::Again);
        let sides = sides(game.spec());
        let legs = |lineup: &[usize]| rotations(&sides, lineup).len();
        assert_eq!(
            (
                sides.len(),
                legs(&[0, 1, 0, 1]),
                legs(&[0, 0, 1, 1]),
                legs(&[0; 4])
            ),
            (4, 2, 4, 1)
        );
    }
}
