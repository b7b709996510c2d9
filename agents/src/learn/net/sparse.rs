//! The first layer of a network for observations of which only a few entries are 1: sums of rows, forward and back.
//!
//! Multiplying by the full observation, as a matrix of zeros and ones, costs ten times as many operations.

use super::Batch;

/// The outputs `[samples, outputs]` of a layer with `parameters`, its weights `[inputs, outputs]` and bias `[outputs]`.
///
/// # Panics
/// When an observation has an entry that the layer lacks.
pub(super) fn sum_rows(parameters: &[f32], outputs: usize, batch: &Batch) -> Vec<f32> {
    let (weights, bias) = parameters.split_at(parameters.len() - outputs);
    let mut sums = Vec::with_capacity(batch.len() * outputs);
    for active in batch.observations() {
        let start = sums.len();
        sums.extend_from_slice(bias);
        let sum = &mut sums[start..];
        for &entry in active {
            add(sum, &weights[usize::from(entry) * outputs..][..outputs]);
        }
    }
    sums
}

/// The gradient of the layer's parameters when that of its outputs is `slopes` `[samples, outputs]`: the weights
/// `[inputs, outputs]` and bias `[outputs]` in one row.
pub(super) fn gradient(slopes: &[f32], inputs: usize, outputs: usize, batch: &Batch) -> Vec<f32> {
    let mut gradient = vec![0.0; (inputs + 1) * outputs];
    for (active, slope) in batch.observations().zip(slopes.chunks_exact(outputs)) {
        for entry in active.iter().map(|&entry| usize::from(entry)).chain([inputs]) {
            add(&mut gradient[entry * outputs..][..outputs], slope);
        }
    }
    gradient
}

/// The observations as zeros and ones, `[samples, inputs]`.
pub(super) fn dense(inputs: usize, batch: &Batch) -> Vec<f32> {
    let mut rows = vec![0.0; batch.len() * inputs];
    for (active, row) in batch.observations().zip(rows.chunks_exact_mut(inputs)) {
        for &entry in active {
            row[usize::from(entry)] = 1.0;
        }
    }
    rows
}

fn add(sums: &mut [f32], row: &[f32]) {
    for (sum, x) in sums.iter_mut().zip(row) {
        *sum += x;
    }
}
