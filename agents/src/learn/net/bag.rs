//! The first layer of a network: for each sample, the sum of the rows of weights whose entries are
//! 1, plus the bias.
//!
//! burn has no such operation: with its `select`, every row is copied before the rows are summed.
//! On the CPU, this file adds the operation to burn, with its gradient. On other devices,
//! [`sum_rows`] uses `select`.

use burn::{
    backend::{
        Autodiff, Backend, Dispatch, Flex, TensorMetadata,
        autodiff::{
            checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
            grads::Gradients,
            ops::{Backward, Ops, OpsKind},
        },
        backend_extension,
        flex::FlexTensor,
        tensor::{FloatTensor, IntTensor},
    },
    tensor::{DType, Device, Int, Tensor, TensorData},
};

use super::Batch;

/// Number of columns in a block, which stays in registers while rows are added: eight registers of
/// eight floats.
const BLOCK: usize = 64;

/// Returns the outputs `[samples, outputs]` of the layer with `weight` `[inputs, outputs]` and
/// `bias` `[outputs]`. `active` is from [`active_entries`].
pub fn sum_rows(active: Tensor<2, Int>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<2> {
    if weight.device() == Device::flex() {
        let sums = Dispatch::bag(
            active.into_dispatch(),
            weight.into_dispatch(),
            bias.into_dispatch(),
        );
        return Tensor::from_dispatch(sums);
    }
    let ([samples, most], [_, outputs]) = (active.dims(), weight.dims());
    let no_entry = Tensor::zeros([1, outputs], &weight.device());
    Tensor::cat(vec![weight, no_entry], 0)
        .select(0, active.flatten(0, 1))
        .reshape([samples, most, outputs])
        .sum_dim(1)
        .reshape([samples, outputs])
        + bias.reshape([1, outputs])
}

/// Returns the indices of the entries that are 1, `[samples, most]`, where `most` is the largest
/// number of such entries in one observation. Shorter rows are filled with the number `inputs`,
/// which is not the index of an entry.
///
/// # Panics
/// When an entry of an observation is not below `inputs`.
pub fn active_entries(batch: &Batch, inputs: usize, device: &Device) -> Tensor<2, Int> {
    let most = batch
        .observations
        .iter()
        .map(<[u16]>::len)
        .max()
        .unwrap_or(0)
        .max(1);
    let mut entries = vec![inputs as i32; batch.len() * most];
    for (active, row) in batch
        .observations
        .iter()
        .zip(entries.chunks_exact_mut(most))
    {
        let largest = active.iter().fold(0, |largest, &entry| largest.max(entry));
        assert!(
            active.is_empty() || usize::from(largest) < inputs,
            "the network has {inputs} inputs"
        );
        row.iter_mut()
            .zip(active)
            .for_each(|(to, &entry)| *to = i32::from(entry));
    }
    Tensor::from_data(
        TensorData::new(entries, [batch.len(), most]),
        (device, DType::I32),
    )
}

/// The operation as an extension of burn's backends.
#[backend_extension(Flex, Autodiff)]
trait Bag: Backend {
    fn bag(
        active: IntTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

/// The gradient of the operation.
trait BagGradient: Bag {
    /// Returns the gradients of the weights and of the bias, given the gradient `slopes`
    /// `[samples, outputs]`.
    fn gradients(
        active: IntTensor<Self>,
        slopes: FloatTensor<Self>,
        inputs: usize,
    ) -> [FloatTensor<Self>; 2];
}

impl Bag for Flex {
    fn bag(active: FlexTensor, weight: FlexTensor, bias: FlexTensor) -> FlexTensor {
        let (samples, most) = (active.shape()[0], active.shape()[1]);
        let (inputs, outputs) = (weight.shape()[0], weight.shape()[1]);
        let (weight, bias) = (floats(&weight), floats(&bias));
        let mut sums = Vec::with_capacity(samples * outputs);
        let whole = outputs - outputs % BLOCK;
        for active in indices(&active).chunks_exact(most) {
            for start in (0..whole).step_by(BLOCK) {
                sums.extend(sum_block::<BLOCK>(
                    weight,
                    bias,
                    start,
                    entries(active, inputs),
                ));
            }
            for start in whole..outputs {
                sums.extend(sum_block::<1>(weight, bias, start, entries(active, inputs)));
            }
        }
        FlexTensor::from_data(TensorData::new(sums, [samples, outputs]))
    }
}

impl BagGradient for Flex {
    fn gradients(active: FlexTensor, slopes: FlexTensor, inputs: usize) -> [FlexTensor; 2] {
        let (most, outputs) = (active.shape()[1], slopes.shape()[1]);
        let (mut weight, mut bias) = (vec![0.0; inputs * outputs], vec![0.0; outputs]);
        for (active, slopes) in indices(&active)
            .chunks_exact(most)
            .zip(floats(&slopes).chunks_exact(outputs))
        {
            for entry in entries(active, inputs) {
                add(slopes, &mut weight[entry * outputs..][..outputs]);
            }
            add(slopes, &mut bias);
        }
        [
            TensorData::new(weight, [inputs, outputs]),
            TensorData::new(bias, [outputs]),
        ]
        .map(FlexTensor::from_data)
    }
}

/// The entries of a row of indices, without the filling.
fn entries(row: &[i32], inputs: usize) -> impl Iterator<Item = usize> {
    row.iter()
        .map(|&entry| entry as usize)
        .take_while(move |&entry| entry < inputs)
}

fn indices(tensor: &FlexTensor) -> &[i32] {
    tensor
        .as_slice()
        .expect("indices are contiguous 32-bit integers")
}

fn floats(tensor: &FlexTensor) -> &[f32] {
    tensor
        .as_slice()
        .expect("weights and slopes are contiguous 32-bit floats")
}

/// Returns the outputs of a sample from `start`.
#[inline(always)]
fn sum_block<const N: usize>(
    weight: &[f32],
    bias: &[f32],
    start: usize,
    active: impl Iterator<Item = usize>,
) -> [f32; N] {
    let mut block = [0.0; N];
    block.copy_from_slice(&bias[start..start + N]);
    for entry in active {
        add(&weight[entry * bias.len() + start..][..N], &mut block);
    }
    block
}

#[inline(always)]
fn add(row: &[f32], sums: &mut [f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
}

#[derive(Debug)]
struct BagBackward;

impl<B: BagGradient> Backward<B, 2> for BagBackward {
    /// The indices, and the number of inputs.
    type State = (IntTensor<B>, usize);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (active, inputs) = ops.state;
        let gradients = B::gradients(active, grads.consume::<B>(&ops.node), inputs);
        for (parent, gradient) in ops.parents.into_iter().zip(gradients) {
            if let Some(parent) = parent {
                grads.register::<B>(parent.id, gradient);
            }
        }
    }
}

impl<B: BagGradient, C: CheckpointStrategy> Bag for Autodiff<B, C> {
    fn bag(
        active: IntTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let inputs = weight.shape()[0];
        let ((weight, weight_guard), (bias, bias_guard)) = (weight.into_parts(), bias.into_parts());
        let sums = B::bag(active.clone(), weight, bias);
        match BagBackward
            .prepare::<C>([weight_guard, bias_guard])
            .compute_bound()
            .stateful()
        {
            OpsKind::Tracked(prepared) => prepared.finish((active, inputs), sums),
            OpsKind::UnTracked(prepared) => prepared.finish(sums),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::net::learner::test_support::random_batch;
    use burn::tensor::Distribution;

    #[test]
    fn values_and_gradients_are_those_of_select() {
        let device = Device::flex().autodiff();
        for outputs in [1, 64, 130] {
            let batch = random_batch(outputs as u64);
            let active = active_entries(&batch, 40, &device);
            let random = |shape| Tensor::<2>::random(shape, Distribution::Default, &device);
            let (weight, bias) = (
                random([40, outputs]).require_grad(),
                random([1, outputs]).require_grad(),
            );
            let slopes = random([batch.len(), outputs]);
            let run = |sums: Tensor<2>| {
                let gradients = (sums.clone() * slopes.clone()).sum().backward();
                let gradient = |tensor: &Tensor<2>| {
                    tensor.grad(&gradients).expect("it takes part").into_data()
                };
                [sums.into_data(), gradient(&weight), gradient(&bias)]
            };
            let bag = run(sum_rows(
                active.clone(),
                weight.clone(),
                bias.clone().flatten(0, 1),
            ));
            let full = Tensor::cat(
                vec![weight.clone(), Tensor::zeros([1, outputs], &device)],
                0,
            )
            .select(0, active.flatten(0, 1))
            .reshape([batch.len() as i64, -1, outputs as i64]);
            let composed = run(full.sum_dim(1).reshape([batch.len(), outputs]) + bias.clone());
            for (found, expected) in bag.iter().zip(&composed) {
                found.assert_approx_eq::<f32>(expected, burn::tensor::Tolerance::absolute(1e-4));
            }
        }
    }
}
