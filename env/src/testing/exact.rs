//! Exact values of a small game, by value iteration over all reachable positions.
//!
//! Tests of search and arenas use them as a reference. The code is slow and simple, uses only the
//! `Game` interface, and handles up to a few hundred thousand positions.

use std::{collections::HashMap, hash::Hash};

use crate::game::{Action, BySeat, Game, MAX_SEATS, Node, Outcome, Seat};

/// Values that differ by less than this count as equal. Rounding errors are smaller, real
/// differences larger.
const TIE: f64 = 1e-9;

/// The policy of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Play {
    /// The action with the highest value for this seat; among equal values, the lowest action.
    Best,
    /// Any legal action with equal probability.
    Uniform,
}

/// The exact values of all positions that can be reached from the start.
#[derive(Clone, Debug)]
pub struct Exact<S> {
    positions: HashMap<S, usize>,
    values: Vec<BySeat<f64>>,
}

impl<S: Eq + Hash> Exact<S> {
    /// The expected return of each seat from `state` on; `None` if the position cannot be reached.
    pub fn values(&self, state: &S) -> Option<BySeat<f64>> {
        self.positions
            .get(state)
            .map(|&position| self.values[position])
    }

    /// The positions that can be reached from the start, in no particular order.
    pub fn states(&self) -> impl Iterator<Item = &S> {
        self.positions.keys()
    }
}

/// The data of a position that a sweep uses: its returns or the indices of its successors.
enum ExactRow {
    End(BySeat<f64>),
    Mean(Vec<(f64, usize)>),
    Best(Seat, Vec<usize>),
}

/// Solves `game` with the policies `plays`, until a sweep changes no value by 1e-12 or more. If all
/// seats play [`Play::Best`], the result is the values of perfect play (max^n: each seat maximises
/// its own return). If one seat plays best against uniform seats, the result is the values of the
/// best response to random play.
///
/// Returns `None` if 1,000 sweeps do not converge: with more than two seats or teams, some
/// positions have no pure equilibrium.
pub fn solve<G: Game>(game: &G, plays: BySeat<Play>) -> Option<Exact<G::State>> {
    let (positions, rows) = enumerate(game, plays);
    let mut values = vec![BySeat([0.0; MAX_SEATS]); rows.len()];
    for _ in 0..1000 {
        let mut change = 0.0_f64;
        // Most successors of a position come later in the list, so a sweep starts at the end.
        for (position, row) in rows.iter().enumerate().rev() {
            let new = match row {
                ExactRow::End(returns) => *returns,
                ExactRow::Mean(parts) => {
                    parts
                        .iter()
                        .fold(BySeat([0.0; MAX_SEATS]), |mut sum, &(probability, next)| {
                            sum.0
                                .iter_mut()
                                .zip(values[next].0)
                                .for_each(|(sum, value)| *sum += probability * value);
                            sum
                        })
                }
                ExactRow::Best(seat, nexts) => {
                    let first = values[nexts[0]];
                    nexts[1..].iter().fold(first, |best, &next| {
                        if values[next][*seat] > best[*seat] + TIE {
                            values[next]
                        } else {
                            best
                        }
                    })
                }
            };
            let old = std::mem::replace(&mut values[position], new);
            change = old
                .0
                .iter()
                .zip(new.0)
                .fold(change, |change, (old, new)| change.max((old - new).abs()));
        }
        if change < 1e-12 {
            return Some(Exact { positions, values });
        }
    }
    None
}

/// Numbers all reachable positions in breadth-first order and lists their successors.
fn enumerate<G: Game>(game: &G, plays: BySeat<Play>) -> (HashMap<G::State, usize>, Vec<ExactRow>) {
    let mut positions = HashMap::new();
    let mut states = Vec::new();
    let mut number = |state: G::State, states: &mut Vec<G::State>| {
        *positions.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() - 1
        })
    };
    for seat in game.spec().seats.iter() {
        number(game.initial_state(seat), &mut states);
    }
    let mut rows = Vec::new();
    while rows.len() < states.len() {
        let state = states[rows.len()].clone();
        rows.push(match game.node(&state) {
            Node::Terminal => ExactRow::End(BySeat(game.returns(&state).0.map(f64::from))),
            Node::Chance(_) => {
                let probabilities = game.chance_outcomes(&state).iter().enumerate();
                ExactRow::Mean(
                    probabilities
                        .map(|(outcome, &probability)| {
                            let mut next = state.clone();
                            game.apply_chance(&mut next, Outcome(outcome as u8));
                            (probability, number(next, &mut states))
                        })
                        .collect(),
                )
            }
            Node::Decision(seat) => {
                let mut reach = |action: Action| {
                    let mut next = state.clone();
                    game.apply_action(&mut next, action);
                    number(next, &mut states)
                };
                let legal = game.legal_actions(&state);
                match plays[seat] {
                    Play::Best => ExactRow::Best(seat, legal.iter().map(reach).collect()),
                    Play::Uniform => {
                        let probability = 1.0 / legal.len() as f64;
                        ExactRow::Mean(
                            legal
                                .iter()
                                .map(|action| (probability, reach(action)))
                                .collect(),
                        )
                    }
                }
            }
        });
    }
    (positions, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    #[test]
    fn a_race_to_the_next_throw_is_solved_by_hand() {
        let game = Toy::new(ToyTable::Two, ToyPieces::One, ToyThrows::Again);
        let exact = solve(&game, BySeat([Play::Best; 4])).expect("settles");
        // A piece that is one step from home wins with any throw.
        let last = game.position(Seat::SOUTH, BySeat([[4, 0], [0; 2], [0; 2], [0; 2]]));
        assert_eq!(exact.values(&last), Some(BySeat([1.0, 0.0, 0.0, 0.0])));
        // A piece that is two steps from home wins with a 2. After a 1, North wins with any throw.
        let race = game.position(Seat::SOUTH, BySeat([[3, 0], [0; 2], [4, 0], [0; 2]]));
        assert_eq!(exact.values(&race), Some(BySeat([0.5, 0.0, 0.5, 0.0])));
    }

    #[test]
    fn sweeps_that_cycle_are_stopped() {
        let game = Toy::new(ToyTable::Placings, ToyPieces::One, ToyThrows::Series);
        assert!(solve(&game, BySeat([Play::Best; 4])).is_none());
    }
}
