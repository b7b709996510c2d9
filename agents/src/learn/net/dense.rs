//! The deeper layers of a network on the CPU, forward and backward.
//!
//! Some layers, such as the head, have few outputs, but all layers can have many inputs. So all inner loops run over
//! the inputs, and the weights are first transposed to `[outputs, inputs]`. The order of every sum is fixed.

use crate::network::portable::multiply_add;

/// Numbers in one step of a loop: four vector registers of eight floats.
const STEP: usize = 32;

/// A layer with transposed weights `[outputs, inputs]`. Each step of the learner uses the same memory again.
#[derive(Clone, Debug, Default)]
pub(super) struct Transposed {
    weights: Vec<f32>,
    gradient: Vec<f32>,
}

impl Transposed {
    /// Loads the weights `[inputs, outputs]` and sets the gradient to 0.
    pub(super) fn load(&mut self, weights: &[f32], outputs: usize) {
        self.weights.resize(weights.len(), 0.0);
        let inputs = weights.len() / outputs;
        for (input, row) in weights.chunks_exact(outputs).enumerate() {
            row.iter().enumerate().for_each(|(output, &weight)| self.weights[output * inputs + input] = weight);
        }
        self.gradient.clear();
        self.gradient.resize(weights.len(), 0.0);
    }

    /// Computes the sums `[samples, outputs]` of this layer, with `bias` `[outputs]`, for `inputs` `[samples, inputs]`.
    pub(super) fn forward(&self, bias: &[f32], inputs: &[f32], sums: &mut Vec<f32>) {
        let width = self.weights.len() / bias.len();
        sums.clear();
        for input in inputs.chunks_exact(width) {
            let rows = self.weights.chunks_exact(width).zip(bias);
            sums.extend(rows.map(|(weights, bias)| bias + dot(weights, input)));
        }
    }

    /// Backpropagates the gradient `slopes` `[samples, outputs]` of the sums. Adds the gradients of the weights and of
    /// the bias, and writes the gradient of the previous layer's sums to `before`. `inputs` `[samples, inputs]` are the
    /// ReLU of the previous layer's sums.
    pub(super) fn backward(&mut self, slopes: &[f32], inputs: &[f32], bias: &mut [f32], before: &mut Vec<f32>) {
        let width = self.weights.len() / bias.len();
        before.clear();
        before.resize(inputs.len(), 0.0);
        let samples = slopes.chunks_exact(bias.len()).zip(inputs.chunks_exact(width));
        for ((slopes, input), before) in samples.zip(before.chunks_exact_mut(width)) {
            bias.iter_mut().zip(slopes).for_each(|(bias, slope)| *bias += slope);
            let rows = self.weights.chunks(2 * width).zip(self.gradient.chunks_mut(2 * width));
            for (slopes, (weights, gradient)) in slopes.chunks(2).zip(rows) {
                match *slopes {
                    [first, second] => add_scaled_pair([first, second], input, weights, gradient, before),
                    _ => {
                        add_scaled(slopes[0], input, gradient);
                        add_scaled(slopes[0], weights, before);
                    }
                }
            }
            for (before, &input) in before.iter_mut().zip(input) {
                *before = if input > 0.0 { *before } else { 0.0 };
            }
        }
    }

    /// Writes the gradient as `[inputs, outputs]`.
    pub(super) fn store_gradient(&self, gradient: &mut [f32], outputs: usize) {
        let inputs = gradient.len() / outputs;
        for (input, row) in gradient.chunks_exact_mut(outputs).enumerate() {
            row.iter_mut().enumerate().for_each(|(output, to)| *to = self.gradient[output * inputs + input]);
        }
    }
}

pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; STEP];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<STEP>(), b.as_chunks::<STEP>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, &x), &y) in sums.iter_mut().zip(a).zip(b) {
            *sum = multiply_add(x, y, *sum);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    let quarters: [f32; STEP / 4] =
        std::array::from_fn(|at| (sums[at] + sums[at + 8]) + (sums[at + 16] + sums[at + 24]));
    total(&quarters) + rest
}

/// The sum of the numbers. If this function were inlined, the compiler would change the loop before the call and make
/// it slower.
#[inline(never)]
fn total([a, b, c, d, e, f, g, h]: &[f32; STEP / 4]) -> f32 {
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

fn add_scaled(scale: f32, row: &[f32], sums: &mut [f32]) {
    for (sum, &x) in sums.iter_mut().zip(row) {
        *sum = multiply_add(scale, x, *sum);
    }
}

/// For each of the two slopes, adds the slope times `input` to its row of `gradient`, and the slope times its row of
/// `weights` to `before`.
fn add_scaled_pair(slopes: [f32; 2], input: &[f32], weights: &[f32], gradient: &mut [f32], before: &mut [f32]) {
    let width = input.len();
    let (first, second) = gradient.split_at_mut(width);
    let (first_weights, second_weights) = weights.split_at(width);
    let (second, second_weights, before) = (&mut second[..width], &second_weights[..width], &mut before[..width]);
    for at in 0..width {
        first[at] = multiply_add(slopes[0], input[at], first[at]);
        second[at] = multiply_add(slopes[1], input[at], second[at]);
        let sum = multiply_add(slopes[0], first_weights[at], before[at]);
        before[at] = multiply_add(slopes[1], second_weights[at], sum);
    }
}
