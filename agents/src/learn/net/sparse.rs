//! The first layer of a network on the CPU, forward and backward: sums of rows, because only a few entries of an
//! observation are 1.
//!
//! A matrix product with full observations, most of them zeros, would need ten times as many operations. Columns are
//! processed in blocks that stay in registers while the rows of a sample are added.

use super::Batch;

/// Number of columns in a block: eight vector registers of eight floats.
const BLOCK: usize = 64;

/// Computes the outputs `[samples, outputs]` of the layer, after the ReLU. `parameters` are its weights
/// `[inputs, outputs]` and then its bias `[outputs]`.
///
/// # Panics
/// When an entry of an observation is not below the number of inputs.
pub(super) fn forward(parameters: &[f32], outputs: usize, batch: &Batch, sums: &mut Vec<f32>) {
    let (weights, bias) = parameters.split_at(parameters.len() - outputs);
    sums.resize(batch.len() * outputs, 0.0);
    for (active, sums) in batch.observations.iter().zip(sums.chunks_exact_mut(outputs)) {
        let whole = outputs - outputs % BLOCK;
        for start in (0..whole).step_by(BLOCK) {
            sum_block::<BLOCK>(weights, bias, outputs, start, active, sums);
        }
        for column in whole..outputs {
            sum_block::<1>(weights, bias, outputs, column, active, sums);
        }
    }
}

#[inline(always)]
fn sum_block<const N: usize>(
    weights: &[f32],
    bias: &[f32],
    outputs: usize,
    start: usize,
    active: &[u16],
    sums: &mut [f32],
) {
    let mut block = [0.0; N];
    block.copy_from_slice(&bias[start..start + N]);
    for &entry in active {
        let row = &weights[usize::from(entry) * outputs + start..][..N];
        block.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    for (sum, x) in sums[start..start + N].iter_mut().zip(block) {
        *sum = if x > 0.0 { x } else { 0.0 };
    }
}

/// Adds the gradient of the parameters of the layer to `gradient`: weights `[inputs, outputs]`, then bias `[outputs]`.
/// `slopes` `[samples, outputs]` is the gradient of its sums.
pub(super) fn backward(slopes: &[f32], outputs: usize, batch: &Batch, gradient: &mut [f32]) {
    let (weights, bias) = gradient.split_at_mut(gradient.len() - outputs);
    for (active, slopes) in batch.observations.iter().zip(slopes.chunks_exact(outputs)) {
        for &entry in active {
            add(slopes, &mut weights[usize::from(entry) * outputs..][..outputs]);
        }
        add(slopes, bias);
    }
}

fn add(row: &[f32], sums: &mut [f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
}
