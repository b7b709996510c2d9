//! The order in which value iteration visits the positions of two seats: layers, levels, and tiles
//! of neighbouring positions.

use std::{cmp::Reverse, ops::Range};

use ashta_env::turn_index::{LANES, Side, SideInfo};

use super::sweep::Layer;

/// All pairs of a side position from the range `own` and a side position from the range `other`.
/// The two ranges can be equal.
#[derive(PartialEq)]
pub struct Tile {
    pub own: Range<Side>,
    pub other: Range<Side>,
}

/// Splits a range into ranges of at most [`LANES`] numbers.
fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<Side>> {
    let end = range.end;
    range
        .step_by(LANES)
        .map(move |start| start as Side..end.min(start + LANES) as Side)
}

/// The side positions of one layer, from the number `start` on.
struct SideLayer<'a> {
    start: usize,
    sides: &'a [SideInfo],
}

impl SideLayer<'_> {
    /// The largest number of steps.
    fn most(&self) -> usize {
        self.sides[self.sides.len() - 1].steps.into()
    }

    fn with_steps(&self, steps: usize) -> Range<usize> {
        let below = |steps: usize| {
            self.start
                + self
                    .sides
                    .partition_point(|side| usize::from(side.steps) < steps)
        };
        below(steps)..below(steps + 1)
    }
}

/// The order of the positions of two seats. `sides` are sorted by layer and then by steps.
///
/// A layer has the positions with the same irreversible progress of both seats (pieces at home, a
/// capture that opens the gate). A level has the positions with the same total number of steps; the
/// level with the most steps is the first. A tile has two positions for each pair of side
/// positions, because each of the two seats can throw.
pub fn pair_order(sides: &[SideInfo]) -> Vec<Layer<Tile>> {
    let mut layers: Vec<SideLayer> = Vec::new();
    for layer in sides.chunk_by(|a, b| a.layer == b.layer) {
        let start = layers
            .last()
            .map_or(0, |layer| layer.start + layer.sides.len());
        layers.push(SideLayer {
            start,
            sides: layer,
        });
    }
    // Each layer is before all layers that lead there.
    let mut pairs: Vec<[usize; 2]> = (0..layers.len())
        .flat_map(|a| (0..=a).map(move |b| [a, b]))
        .collect();
    pairs.sort_by_key(|&[a, b]| Reverse(layers[a].sides[0].height + layers[b].sides[0].height));
    let layer = |[a, b]: [usize; 2]| {
        let is_one = a == b;
        let [a, b] = [&layers[a], &layers[b]];
        let [first, second] = [a, b].map(|layer| layer.sides.len() as f64 / sides.len() as f64);
        let share = if is_one {
            first * second
        } else {
            2.0 * first * second
        };
        let level = |total: usize| {
            let least = if is_one { total.div_ceil(2) } else { 0 };
            let mut tiles = Vec::new();
            for steps in least..=total.min(a.most()) {
                let (owns, others) = (a.with_steps(steps), b.with_steps(total - steps));
                for own in pieces(owns.clone()) {
                    let others = pieces(others.clone())
                        .filter(|other| owns != others || other.start >= own.start);
                    tiles.extend(others.map(|other| Tile {
                        own: own.clone(),
                        other,
                    }));
                }
            }
            tiles
        };
        Layer {
            share,
            levels: (0..=a.most() + b.most()).rev().map(level).collect(),
        }
    };
    pairs.into_iter().map(layer).collect()
}
