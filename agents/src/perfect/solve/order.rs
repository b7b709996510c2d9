//! The order in which value iteration visits the positions of two seats, in tiles of neighbouring positions.

use std::ops::Range;

use ashta_env::turn_index::{LANES, SideInfo};

use super::sweep::SweepOrder;

/// Some side positions against some others, or the same twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    pub(super) own: Range<usize>,
    pub(super) other: Range<usize>,
}

/// A range in pieces of a length.
fn pieces(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length).map(move |start| start..end.min(start + length))
}

/// The order of the positions of two seats. Irreversible gains of a seat (pieces at home, a cut) make the layers;
/// the steps that both seats have made together, from the most to the fewest, make the levels.
#[derive(Debug)]
pub(super) struct PairOrder {
    layers: Vec<SideLayer>,
    /// Pairs of layers, those that the others lead to first.
    pairs: Vec<[usize; 2]>,
}

/// The side positions of one layer.
#[derive(Debug)]
struct SideLayer {
    sides: Range<usize>,
    height: u8,
    /// By steps the first side position with as many or more; one more entry at the end.
    first: Vec<usize>,
}

impl SideLayer {
    fn with_steps(&self, steps: usize) -> Range<usize> {
        match self.first.get(steps..steps + 2) {
            Some(&[first, end]) => first..end,
            _ => 0..0,
        }
    }
}

impl PairOrder {
    /// The order of the positions of these side positions, which are sorted by layer and then by steps.
    pub(super) fn new(sides: &[SideInfo]) -> PairOrder {
        let mut layers: Vec<SideLayer> = Vec::new();
        for layer in sides.chunk_by(|a, b| a.layer == b.layer) {
            let start = layers.last().map_or(0, |layer| layer.sides.end);
            let most = layer.iter().map(|side| usize::from(side.steps)).max().unwrap_or(0);
            let below = |steps: usize| layer.partition_point(|side| usize::from(side.steps) < steps);
            layers.push(SideLayer {
                sides: start..start + layer.len(),
                height: layer[0].height,
                first: (0..=most + 1).map(|steps| start + below(steps)).collect(),
            });
        }
        let mut pairs: Vec<[usize; 2]> = (0..layers.len()).flat_map(|a| (0..=a).map(move |b| [a, b])).collect();
        pairs.sort_by_key(|&[a, b]| std::cmp::Reverse(layers[a].height + layers[b].height));
        PairOrder { layers, pairs }
    }
}

impl SweepOrder for PairOrder {
    /// A tile stands for the positions in which either of two side positions throws.
    type Item = Tile;

    fn layers(&self) -> usize {
        self.pairs.len()
    }

    fn share(&self, layer: usize) -> f64 {
        let total = self.layers.last().map_or(0, |layer| layer.sides.end) as f64;
        let [a, b] = self.pairs[layer];
        let [first, second] = [a, b].map(|layer| self.layers[layer].sides.len() as f64 / total);
        if a == b { first * second } else { 2.0 * first * second }
    }

    fn levels(&self, layer: usize) -> usize {
        let [a, b] = self.pairs[layer].map(|layer| self.layers[layer].first.len() - 1);
        a + b - 1
    }

    fn items(&self, layer: usize, level: usize, out: &mut Vec<Tile>) {
        let pair = self.pairs[layer];
        let [a, b] = pair.map(|layer| &self.layers[layer]);
        let total = self.levels(layer) - 1 - level;
        let first = if pair[0] == pair[1] { total.div_ceil(2) } else { 0 };
        for steps in first..a.first.len().min(total + 1) {
            let (owns, others) = (a.with_steps(steps), b.with_steps(total - steps));
            for own in pieces(owns.clone(), LANES) {
                let others = pieces(others.clone(), LANES).filter(|other| owns != others || other.start >= own.start);
                out.extend(others.map(|other| Tile { own: own.clone(), other }));
            }
        }
    }
}
