//! The probabilities of throws, as integer weights.

use crate::{
    game::Chances,
    race::compile::Throw,
    sheet::values::{NamedOdds, Odds, Sheet},
};

/// Returns the outcomes of a throw of one die or two dice, by ascending values. `steps` returns the
/// step counts that a throw allows a piece, as bits.
pub fn outcomes(sheet: &Sheet, dice: u8, steps: fn([u8; 2]) -> u128) -> Vec<Throw> {
    let values = &sheet.throws.values;
    let weights: Vec<u32> = match &sheet.throws.odds {
        Odds::Weights(weights) => weights.clone(),
        Odds::Named(NamedOdds::Equal) => vec![1; values.len()],
        Odds::Named(NamedOdds::Cowries) => (0..values.len())
            .map(|up| choose(values.len() as u32 - 1, up as u32))
            .collect(),
    };
    let mut one: Vec<(u8, u32)> = values
        .iter()
        .copied()
        .zip(weights)
        .filter(|&(_, weight)| weight > 0)
        .collect();
    one.sort_unstable();
    // After the throw, the same piece or another piece can make a step of 1.
    let follows = |[value, _]: [u8; 2]| sheet.turn.bonus.contains(&value);
    let steps = |values| {
        steps(values)
            | if follows(values) {
                2 | steps(values) << 1
            } else {
                0
            }
    };
    let throw = |values: [u8; 2], weight: u32| Throw {
        values,
        weight,
        steps: steps(values),
    };
    if dice == 1 {
        return one
            .into_iter()
            .map(|(value, weight)| throw([value, 0], weight))
            .collect();
    }
    one.iter()
        .enumerate()
        .flat_map(|(at, &a)| one[at..].iter().map(move |&b| (a, b)))
        .map(|((a, first), (b, second))| throw([a, b], first * second * if a == b { 1 } else { 2 }))
        .collect()
}

/// Returns the probabilities of the outcomes if only the outcomes that `can_be` accepts are
/// possible.
pub fn chances(outcomes: &[Throw], can_be: impl Fn(&Throw) -> bool) -> Chances {
    let weight = |throw: &Throw| {
        if can_be(throw) {
            f64::from(throw.weight)
        } else {
            0.0
        }
    };
    let all: f64 = outcomes.iter().map(weight).sum();
    outcomes
        .iter()
        .map(|throw| weight(throw) / all)
        .collect::<Vec<f64>>()
        .into()
}

/// Returns the binomial coefficient: the number of ways to choose `k` of `n`.
fn choose(n: u32, k: u32) -> u32 {
    (0..k).fold(1, |ways, at| ways * (n - at) / (at + 1))
}
