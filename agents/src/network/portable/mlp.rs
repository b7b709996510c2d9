//! A multilayer perceptron (MLP): the forward pass of hidden ReLU layers and a head, for sparse
//! observations.

use ashta_env::game::MAX_SEATS;
use std::{fmt, ops::Range};

use super::{
    lanes::{self, Lanes, WIDTH, exp},
    shape::{MAX_ACTIONS, MlpShape, ValueHead},
};
use crate::play::error::Error;

/// A network with its weights in a layout for fast inference. Share it with an `Arc`; every thread
/// needs its own [`Scratch`].
#[derive(Clone)]
pub struct Mlp {
    shape: MlpShape,
    parameters: Vec<f32>,
    /// The hidden layers.
    torso: Vec<Layer>,
    /// The columns of the head for the value logits. They are separate because many calls do not
    /// need the policy.
    values: Columns,
    policy: Layer,
}

/// The largest sum of a layer; the sum of a few such sums is still finite.
const LARGEST: f64 = f32::MAX as f64 / 8.0;

/// A list of observations to evaluate together. To avoid allocations, clear the list and fill it
/// again.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observations {
    /// The entries that are 1, one observation after the other.
    active: Vec<u16>,
    /// For each observation, the end of its entries.
    ends: Vec<usize>,
}

/// The number of observations for which the first layer computes one panel (a group of columns)
/// before it computes the next panel. Observations share rows of weights, so these rows stay in the
/// cache.
const BLOCK: usize = 16;

/// Buffers for the intermediate results of [`Mlp`]. They fit any network and grow if necessary.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    sums: Vec<Lanes>,
    input: Vec<Lanes>,
    output: Vec<Lanes>,
    logits: Vec<Lanes>,
    values: [f32; MAX_SEATS],
    policy: [f32; MAX_ACTIONS],
}

impl fmt::Debug for Mlp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mlp")
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

impl Observations {
    /// Removes all observations.
    pub fn clear(&mut self) {
        self.active.clear();
        self.ends.clear();
    }

    /// Adds an observation: `observe` appends its entries that are 1 to the given vector.
    pub fn push(&mut self, observe: impl FnOnce(&mut Vec<u16>)) {
        observe(&mut self.active);
        self.ends.push(self.active.len());
    }

    pub(super) fn active(&self) -> &[u16] {
        &self.active
    }

    /// The entries of each observation that are 1.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u16]> + Clone {
        self.ends.iter().scan(0, |start, &end| {
            Some(&self.active[std::mem::replace(start, end)..end])
        })
    }
}

impl Mlp {
    /// The network of this shape with `parameters` in the order of [`MlpShape`].
    ///
    /// # Errors
    /// When a size is out of range, the number of parameters does not fit the shape, or a parameter
    /// is not finite.
    pub fn new(shape: MlpShape, parameters: &[f32]) -> Result<Mlp, Error> {
        shape.validate()?;
        let (expected, found) = (shape.parameters(), parameters.len());
        Error::unless(expected == found, || {
            format!("a network of this shape has {expected} parameters, not {found}")
        })?;
        if let Some(index) = parameters.iter().position(|x| !x.is_finite()) {
            return Err(Error::new(format!(
                "parameter {index} of the network is {}",
                parameters[index]
            )));
        }
        let mut rest = parameters;
        let mut torso = Vec::with_capacity(shape.hidden.len());
        let mut inputs = shape.observation;
        for &width in &shape.hidden {
            let (layer, after) = rest.split_at((inputs + 1) * width);
            torso.push(Layer::new(layer, inputs, width, 0..width));
            (inputs, rest) = (width, after);
        }
        let logits = shape.logits();
        let values = Columns::new(rest, inputs, logits, shape.values);
        let policy = Layer::new(rest, inputs, logits, shape.values..logits);
        Ok(Mlp {
            shape,
            parameters: parameters.to_vec(),
            torso,
            values,
            policy,
        })
    }

    /// The sizes of the network.
    pub fn shape(&self) -> &MlpShape {
        &self.shape
    }

    /// The parameters in the order of [`MlpShape`].
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// Checks that every sum is finite for every observation.
    ///
    /// # Errors
    /// When a sum could be too large.
    pub(crate) fn check_sums(&self) -> Result<(), Error> {
        // The largest input of each layer: 1 for the first layer, then the largest sum of the
        // previous layer.
        let mut bound = 1.0;
        for (weights, biases) in self.shape.split(&self.parameters) {
            let mut sums: Vec<f64> = biases.iter().map(|&bias| f64::from(bias.abs())).collect();
            for row in weights.chunks_exact(biases.len()) {
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, weight)| *sum += bound * f64::from(weight.abs()));
            }
            bound = sums.into_iter().fold(0.0, f64::max);
        }
        Error::unless(bound < LARGEST, || {
            format!("the parameters of the network are too large: its sums could reach {bound:e}")
        })
    }

    /// Calls `take` with the values `[values]` of each observation in order, relative to the seat
    /// that observes (see [`crate::play::perspective`]). This is faster than
    /// [`forward`](Self::forward), which also computes the policy.
    ///
    /// # Panics
    /// When an entry is not below [`MlpShape::observation`].
    #[inline]
    pub(super) fn forward_values<'a>(
        &self,
        mut observations: impl Iterator<Item = &'a [u16]> + Clone,
        scratch: &mut Scratch,
        take: &mut impl FnMut(&[f32]),
    ) {
        let Scratch {
            sums,
            input,
            output,
            values,
            ..
        } = scratch;
        let first = &self.torso[0];
        loop {
            let sums = first.sum_rows(observations.clone().take(BLOCK), sums);
            for sums in sums.chunks_exact(first.width) {
                self.run_values(self.run_deeper(sums, [input, output]), values);
                take(&values[..self.shape.values]);
            }
            if observations.nth(BLOCK - 1).is_none() {
                return;
            }
        }
    }

    /// Returns the values `[values]`, relative to the seat that observes, and the policy logits
    /// `[actions]`. `active` are the entries of the observation that are 1. The logits of illegal
    /// actions are arbitrary.
    ///
    /// # Panics
    /// When an entry is not below [`MlpShape::observation`].
    #[inline]
    pub fn forward<'a>(&self, active: &[u16], scratch: &'a mut Scratch) -> (&'a [f32], &'a [f32]) {
        let Scratch {
            sums,
            input,
            output,
            logits,
            values,
            policy,
        } = scratch;
        let sums = self.torso[0].sum_rows(std::iter::once(active), sums);
        let hidden = self.run_deeper(sums, [input, output]);
        self.run_values(hidden, values);
        for (to, from) in policy
            .chunks_exact_mut(WIDTH)
            .zip(self.policy.multiply(hidden, logits))
        {
            to.copy_from_slice(&from.0);
        }
        (
            &scratch.values[..self.shape.values],
            &scratch.policy[..self.shape.actions],
        )
    }

    /// Computes the outputs of the last hidden layer from the outputs of the first.
    #[inline]
    fn run_deeper<'a>(
        &self,
        sums: &'a [Lanes],
        [input, output]: [&'a mut Vec<Lanes>; 2],
    ) -> &'a [Lanes] {
        let Some((second, deeper)) = self.torso[1..].split_first() else {
            return sums;
        };
        let activate = |sums: &mut [Lanes]| sums.iter_mut().for_each(|lanes| *lanes = lanes.relu());
        activate(second.multiply(sums, input));
        for layer in deeper {
            activate(layer.multiply(input, output));
            std::mem::swap(input, output);
        }
        input
    }

    /// Computes the values from the outputs of the last hidden layer. Entries of `values` beyond
    /// the number of values are arbitrary.
    #[inline]
    fn run_values(&self, hidden: &[Lanes], values: &mut [f32; MAX_SEATS]) {
        // The logits of absent values are so low that their exponentials do not change the sum.
        let mut logits = [-1e30; MAX_SEATS];
        self.values
            .multiply(hidden, &mut logits[..self.shape.values]);
        match self.shape.value_head {
            ValueHead::Softmax => {
                let [a, b, c, d] = logits;
                let most = a.max(b).max(c.max(d));
                for logit in &mut logits {
                    *logit = exp(*logit - most);
                }
                let [a, b, c, d] = logits;
                let scale = 1.0 / ((a + b) + (c + d));
                for (value, power) in values.iter_mut().zip(logits) {
                    *value = power * scale;
                }
            }
            ValueHead::Sigmoid => {
                for (value, logit) in values.iter_mut().zip(logits) {
                    *value = 1.0 / (1.0 + exp(-logit));
                }
            }
        }
    }
}

/// The weights of a few outputs with many inputs. The weights of each output are contiguous.
#[derive(Clone)]
struct Columns {
    /// `[outputs, inputs]`; the inputs are padded with zeros to whole [`Lanes`].
    weights: Vec<Lanes>,
    /// Number of [`Lanes`] of the inputs.
    depth: usize,
    bias: [f32; MAX_SEATS],
}

impl Columns {
    /// The first `outputs` columns of a layer. Its parameters are `inputs` rows of `width` weights
    /// and a row of biases.
    fn new(parameters: &[f32], inputs: usize, width: usize, outputs: usize) -> Columns {
        let column =
            |output: usize| pad((0..inputs).map(move |row| parameters[row * width + output]));
        let mut bias = [0.0; MAX_SEATS];
        bias[..outputs].copy_from_slice(&parameters[inputs * width..][..outputs]);
        Columns {
            weights: (0..outputs).flat_map(column).collect(),
            depth: inputs.div_ceil(WIDTH),
            bias,
        }
    }

    /// Computes `out = bias + weights · input`. Further entries of `input` are ignored.
    #[inline]
    fn multiply(&self, input: &[Lanes], out: &mut [f32]) {
        let input = &input[..self.depth];
        let columns = self.weights.chunks_exact(self.depth);
        for ((out, column), bias) in out.iter_mut().zip(columns).zip(self.bias) {
            *out = bias + lanes::dot(input, column);
        }
    }
}

/// The weights of one layer, split into panels of columns. A panel is so narrow that its sums stay
/// in registers.
#[derive(Clone)]
struct Layer {
    panels: Vec<Panel>,
    /// Number of [`Lanes`] of the outputs.
    width: usize,
}

/// Adjacent columns of a layer, padded with zeros to whole [`Lanes`].
#[derive(Clone)]
struct Panel {
    /// Number of [`Lanes`] in a row: 8, 4, 2 or 1.
    width: usize,
    /// `[inputs, width]`, row-major; the inputs are padded to a multiple of [`WIDTH`].
    weights: Vec<Lanes>,
    /// `[width]`.
    bias: Vec<Lanes>,
}

impl Layer {
    /// The columns `columns` of a layer. Its parameters are `inputs` rows of `width` weights and a
    /// row of biases.
    fn new(parameters: &[f32], inputs: usize, width: usize, columns: Range<usize>) -> Layer {
        let mut panels = Vec::new();
        let mut start = columns.start;
        while start < columns.end {
            let lanes = match (columns.end - start).div_ceil(WIDTH) {
                8.. => 8,
                4.. => 4,
                2.. => 2,
                _ => 1,
            };
            let end = columns.end.min(start + lanes * WIDTH);
            let row = |row: usize| pad(parameters[row * width..][start..end].iter().copied());
            let mut weights: Vec<Lanes> = (0..inputs).flat_map(row).collect();
            weights.resize(inputs.next_multiple_of(WIDTH) * lanes, Lanes::default());
            panels.push(Panel {
                width: lanes,
                weights,
                bias: row(inputs),
            });
            start = end;
        }
        Layer {
            panels,
            width: columns.len().div_ceil(WIDTH),
        }
    }

    /// Writes `relu(bias + sum of the rows at the entries)` of each observation to the front of
    /// `out`, one observation after the other.
    #[inline]
    fn sum_rows<'a, 'b>(
        &self,
        observations: impl Iterator<Item = &'b [u16]> + Clone,
        out: &'a mut Vec<Lanes>,
    ) -> &'a [Lanes] {
        let out = room(out, observations.clone().count() * self.width);
        let mut column = 0;
        for panel in &self.panels {
            let sums = out
                .chunks_exact_mut(self.width)
                .map(|sums| &mut sums[column..][..panel.width]);
            let each = observations.clone().zip(sums);
            match panel.width {
                8 => each.for_each(|(active, sums)| panel.sum_rows::<8>(active, sums)),
                4 => each.for_each(|(active, sums)| panel.sum_rows::<4>(active, sums)),
                2 => each.for_each(|(active, sums)| panel.sum_rows::<2>(active, sums)),
                _ => each.for_each(|(active, sums)| panel.sum_rows::<1>(active, sums)),
            }
            column += panel.width;
        }
        out
    }

    /// Writes `bias + input · weights` to the front of `out`. Further entries of `input` are
    /// ignored.
    #[inline]
    fn multiply<'a>(&self, input: &[Lanes], out: &'a mut Vec<Lanes>) -> &'a mut [Lanes] {
        let out = room(out, self.width);
        let mut column = 0;
        for panel in &self.panels {
            let out = &mut out[column..][..panel.width];
            // With fewer columns, more sums for each column are needed to hide the latency of a
            // multiplication.
            match panel.width {
                8 => panel.multiply::<8, 1>(input, out),
                4 => panel.multiply::<4, 2>(input, out),
                2 => panel.multiply::<2, 4>(input, out),
                _ => panel.multiply::<1, 8>(input, out),
            }
            column += panel.width;
        }
        out
    }
}

/// The first `length` entries of `lanes`, which grows if necessary.
#[inline]
fn room(lanes: &mut Vec<Lanes>, length: usize) -> &mut [Lanes] {
    #[cold]
    fn grow(lanes: &mut Vec<Lanes>, length: usize) {
        lanes.resize(length, Lanes::default());
    }
    if lanes.len() < length {
        grow(lanes, length);
    }
    &mut lanes[..length]
}

impl Panel {
    /// Does the work of [`Layer::sum_rows`] for a panel of width `N`.
    #[inline(always)]
    fn sum_rows<const N: usize>(&self, active: &[u16], out: &mut [Lanes]) {
        let (rows, _) = self.weights.as_chunks::<N>();
        let mut sums: [Lanes; N] = self.bias();
        for &row in active {
            for (sum, weight) in sums.iter_mut().zip(&rows[usize::from(row)]) {
                sum.add(weight);
            }
        }
        for (out, sum) in exactly::<N>(out).iter_mut().zip(&sums) {
            *out = sum.relu();
        }
    }

    /// Does the work of [`Layer::multiply`] for a panel of width `N`, with `WAYS` sums for each
    /// output.
    #[inline(always)]
    fn multiply<const N: usize, const WAYS: usize>(&self, input: &[Lanes], out: &mut [Lanes]) {
        let mut sums = [[Lanes::default(); N]; WAYS];
        sums[0] = self.bias();
        let (rows, _) = self.weights.as_chunks::<N>();
        let (rows, _) = rows.as_chunks::<WAYS>();
        for (inputs, rows) in input
            .iter()
            .flat_map(|lanes| lanes.0.as_chunks::<WAYS>().0)
            .zip(rows)
        {
            for ((sums, &x), row) in sums.iter_mut().zip(inputs).zip(rows) {
                for (sum, weight) in sums.iter_mut().zip(row) {
                    sum.add_scaled(x, weight);
                }
            }
        }
        for (index, out) in exactly::<N>(out).iter_mut().enumerate() {
            *out = sums[0][index];
            for sums in &sums[1..] {
                out.add(&sums[index]);
            }
        }
    }

    #[inline(always)]
    fn bias<const N: usize>(&self) -> [Lanes; N] {
        *self
            .bias
            .first_chunk()
            .expect("a panel of width N has N lanes of bias")
    }
}

/// The `N` entries of `lanes` as an array. The compiler knows the length of an array and so keeps
/// sums in registers.
#[inline(always)]
fn exactly<const N: usize>(lanes: &mut [Lanes]) -> &mut [Lanes; N] {
    lanes
        .first_chunk_mut()
        .expect("a panel of width N has N lanes of output")
}

/// `numbers` in whole lanes, padded with zeros.
fn pad(numbers: impl Iterator<Item = f32>) -> Vec<Lanes> {
    let mut lanes = Vec::new();
    for (index, x) in numbers.enumerate() {
        if index % WIDTH == 0 {
            lanes.push(Lanes::default());
        }
        lanes[index / WIDTH].0[index % WIDTH] = x;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn shape(hidden: &[usize], values: usize, actions: usize, value_head: ValueHead) -> MlpShape {
        MlpShape {
            observation: 37,
            hidden: hidden.to_vec(),
            values,
            actions,
            value_head,
        }
    }

    fn random(rng: &mut Xoshiro256PlusPlus, count: usize) -> Vec<f32> {
        (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn many_observations_have_the_values_of_single_ones() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let shape = shape(&[130, 33, 17], 4, 17, ValueHead::Sigmoid);
        let net = Mlp::new(shape.clone(), &random(&mut rng, shape.parameters()))
            .expect("the shape is valid");
        let (mut scratch, mut observations) = (Scratch::default(), Observations::default());
        let mut expected = Vec::new();
        // More than two blocks.
        for count in 0..40 {
            let active: Vec<u16> = (0..37)
                .filter(|_| rng.random_range(0..80) < 2 * count)
                .collect();
            expected.extend_from_slice(net.forward(&active, &mut scratch).0);
            observations.push(|entries| entries.extend(&active));
        }
        let mut each = Vec::new();
        net.forward_values(observations.iter(), &mut scratch, &mut |values| {
            each.extend_from_slice(values)
        });
        assert_eq!(each, expected);
        let nothing = Observations::default();
        net.forward_values(nothing.iter(), &mut scratch, &mut |_| {
            unreachable!("nothing is observed")
        });
    }

    #[test]
    fn parameters_come_back_in_the_order_they_went_in() {
        let shape = shape(&[20, 9], 3, 10, ValueHead::Softmax);
        let parameters = random(
            &mut Xoshiro256PlusPlus::seed_from_u64(2),
            shape.parameters(),
        );
        assert_eq!(shape.parameters(), 38 * 20 + 21 * 9 + 10 * 13);
        assert_eq!(
            Mlp::new(shape, &parameters)
                .expect("the shape is valid")
                .parameters(),
            parameters
        );
    }

    #[test]
    fn a_scratch_serves_networks_of_different_sizes() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut net = |hidden: &[usize]| {
            let shape = shape(hidden, 2, 9, ValueHead::Softmax);
            let parameters = random(&mut rng, shape.parameters());
            Mlp::new(shape, &parameters).expect("the shape is valid")
        };
        let (small, large) = (net(&[8]), net(&[80, 24]));
        let alone = small.forward(&[1, 2], &mut Scratch::default()).0.to_vec();
        let mut scratch = Scratch::default();
        large.forward(&[3, 4], &mut scratch);
        assert_eq!(small.forward(&[1, 2], &mut scratch).0, alone);
    }

    #[test]
    fn extreme_logits_give_values_between_0_and_1() {
        for head in [ValueHead::Softmax, ValueHead::Sigmoid] {
            let shape = MlpShape {
                observation: 1,
                hidden: vec![1],
                values: 2,
                actions: 1,
                value_head: head,
            };
            let values = Mlp::new(shape, &[1e20, 0.0, 1e10, -1e10, 0.0, 0.0, 0.0, 0.0])
                .expect("it is valid")
                .forward(&[0], &mut Scratch::default())
                .0
                .to_vec();
            assert!(
                values[0] > 0.999_999 && values[0] <= 1.0 && values[1] < 1e-6 && values[1] >= 0.0,
                "{values:?}"
            );
        }
    }

    #[test]
    fn invalid_networks_are_refused() {
        let valid = shape(&[8], 2, 9, ValueHead::Softmax);
        let count = valid.parameters();
        let refusal = |shape: &MlpShape, parameters: &[f32]| {
            Mlp::new(shape.clone(), parameters)
                .expect_err("the network is invalid")
                .to_string()
        };
        assert_eq!(
            refusal(&valid, &[0.0; 3]),
            format!("a network of this shape has {count} parameters, not 3")
        );
        let mut parameters = vec![0.0; count];
        parameters[5] = f32::NAN;
        assert_eq!(
            refusal(&valid, &parameters),
            "parameter 5 of the network is NaN"
        );
        let odd = MlpShape {
            hidden: vec![],
            ..valid.clone()
        };
        assert_eq!(
            refusal(&odd, &[]),
            "number of hidden layers of the network is 0, not 1 to 8"
        );
        let odd = MlpShape {
            hidden: vec![usize::MAX],
            ..valid.clone()
        };
        assert_eq!(
            refusal(&odd, &[]),
            format!(
                "width of a hidden layer of the network is {}, not 1 to 4096",
                usize::MAX
            )
        );
        assert!(
            MlpShape {
                values: 5,
                ..valid.clone()
            }
            .validate()
            .is_err()
        );
        assert!(
            MlpShape {
                actions: 33,
                ..valid.clone()
            }
            .validate()
            .is_err()
        );
        assert!(
            MlpShape {
                observation: 65_537,
                ..valid
            }
            .validate()
            .is_err()
        );
    }
}
