//! The network in burn, a deep-learning library for Rust. It has the layers of [`crate::network::portable`], the
//! forward pass without burn, but is differentiable and runs on any device.
//!
//! One tensor has all parameters, in the order of [`MlpShape`], and a [`Network`] is a set of views into it. So there
//! is one update, one copy to the host and one tensor to save, for any number of layers.

use burn::tensor::activation::relu;
use burn::tensor::module::linear;
use burn::tensor::{Device, Gradients, Int, Tensor};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Batch;
use crate::network::portable::MlpShape;

/// The approximate number of entries of an observation that are 1: the fan-in of the first layer.
const ACTIVE_ENTRIES: usize = 16;

/// The layers of a network as tensors with gradients.
#[derive(Debug)]
pub(super) struct Network {
    layers: Vec<LayerTensors>,
}

/// `output = input · weight + bias`.
#[derive(Debug)]
struct LayerTensors {
    /// `[inputs, outputs]`
    weight: Tensor<2>,
    /// `[outputs]`
    bias: Tensor<1>,
}

/// Returns initial random parameters of a network. They depend only on the shape and the seed.
///
/// The weights of hidden layers are uniform, with the variance that keeps signals equally large after a ReLU (He
/// initialization, He et al. 2015). The weights of the head are smaller by a factor of √6. Biases are 0.
pub fn initial_parameters(shape: &MlpShape, seed: u64) -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut parameters = Vec::with_capacity(shape.parameters());
    for (index, ((inputs, outputs), fan_in)) in shape.layers().zip(fan_ins(shape)).enumerate() {
        let gain = if index == shape.hidden.len() { 1.0 } else { 6.0 };
        let bound = (gain / fan_in as f32).sqrt();
        // The upper 24 bits give multiples of 2⁻²³ from -1 to below 1, which a float represents exactly.
        let mut uniform = || (rng.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        parameters.extend((0..inputs * outputs).map(|_| bound * uniform()));
        parameters.resize(parameters.len() + outputs, 0.0);
    }
    parameters
}

/// The approximate number of inputs of each layer that are not 0.
fn fan_ins(shape: &MlpShape) -> impl Iterator<Item = usize> {
    shape.layers().enumerate().map(|(index, (inputs, _))| if index == 0 { inputs.min(ACTIVE_ENTRIES) } else { inputs })
}

/// The learning rate of each layer as a share of the learning rate of the first layer, 0 to 1.
///
/// A step of Adam changes every weight by about the same amount, so it changes a sum of many inputs more than a sum of
/// few inputs. With learning rates inversely proportional to the fan-in, the sums of all layers change equally for any
/// widths (the scaling for Adam of Yang et al., "Tensor Programs V", 2022).
pub(super) fn layer_rates(shape: &MlpShape) -> Vec<f64> {
    let first = shape.observation.min(ACTIVE_ENTRIES) as f64;
    fan_ins(shape).map(|fan_in| (first / fan_in as f64).min(1.0)).collect()
}

impl Network {
    /// The network with the given parameters, a tensor `[parameters]` without autodiff.
    pub(super) fn new(shape: &MlpShape, parameters: &Tensor<1>) -> Network {
        let mut start = 0;
        let mut next = |length: usize| {
            let piece = parameters.clone().narrow(0, start, length);
            start += length;
            piece
        };
        let mut layer = |(inputs, outputs): (usize, usize)| LayerTensors {
            weight: next(inputs * outputs).reshape([inputs, outputs]).autodiff().require_grad(),
            bias: next(outputs).autodiff().require_grad(),
        };
        Network { layers: shape.layers().map(&mut layer).collect() }
    }

    /// The logits `[batch, values + actions]` of observations. `active` has the indices of the entries that are 1, as
    /// [`active_entries`] returns them: `most` indices for each observation.
    pub(super) fn forward(&self, active: Tensor<1, Int>, batch: usize) -> Tensor<2> {
        let LayerTensors { weight, bias } = &self.layers[0];
        let [_, outputs] = weight.dims();
        let no_entry = Tensor::zeros([1, outputs], &weight.device());
        let most = active.dims()[0] / batch;
        let rows = Tensor::cat(vec![weight.clone(), no_entry], 0).select(0, active).reshape([batch, most, outputs]);
        let sums = rows.sum_dim(1).reshape([batch, outputs]) + bias.clone().reshape([1, outputs]);
        let deeper = self.layers[1..].iter();
        deeper.fold(sums, |input, layer| linear(relu(input), layer.weight.clone(), Some(layer.bias.clone())))
    }

    /// The gradient `[parameters]` in the order of the parameters.
    pub(super) fn gradient(&self, gradients: &Gradients) -> Tensor<1> {
        let rows = self.layers.iter().flat_map(|LayerTensors { weight, bias }| {
            let weight = weight.grad(gradients).expect("every weight takes part in the loss");
            [weight.flatten(0, 1), bias.grad(gradients).expect("every bias takes part in the loss")]
        });
        Tensor::cat(rows.collect(), 0)
    }
}

/// The indices of the entries that are 1 in the observations of `batch`, `[samples · most]`. Here `most` is the largest
/// number of such entries in one observation. Shorter rows are filled with the number `inputs`, which is not the index
/// of an entry.
pub(super) fn active_entries(batch: &Batch, inputs: usize, device: &Device) -> Tensor<1, Int> {
    let most = batch.observations.iter().map(<[u16]>::len).max().unwrap_or(0).max(1);
    let mut entries = Vec::with_capacity(batch.len() * most);
    for active in batch.observations.iter() {
        assert!(active.iter().all(|&entry| usize::from(entry) < inputs), "the network has {inputs} inputs");
        entries.extend(active.iter().map(|&entry| i64::from(entry)));
        entries.resize(entries.len() + most - active.len(), inputs as i64);
    }
    Tensor::from_data(entries.as_slice(), device)
}

/// The numbers of a tensor of floats, row-major.
pub(super) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("the tensors of a learner hold 32-bit floats")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::net::Sample;
    use crate::network::portable::{Mlp, Scratch, ValueHead};
    use burn::tensor::Device;
    use rand::RngExt;

    #[test]
    fn initial_parameters_are_pinned() {
        let shape =
            MlpShape { observation: 100, hidden: vec![32], values: 2, actions: 9, value_head: ValueHead::Softmax };
        let parameters = initial_parameters(&shape, 7);
        assert_eq!(parameters.len(), shape.parameters());
        let bits: Vec<u32> = parameters[..3].iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, [3_205_196_017, 3_201_145_644, 1_049_128_816]);
        assert!(parameters[..3200].iter().all(|x| x.abs() <= 0.612_373));
        assert!(parameters[3200..3232].iter().all(|&x| x == 0.0), "biases");
        assert_ne!(initial_parameters(&shape, 8), parameters);
    }

    #[test]
    fn learning_rates_fall_with_the_fan_in() {
        let shape = |observation, hidden: &[usize]| MlpShape {
            observation,
            hidden: hidden.to_vec(),
            values: 2,
            actions: 0,
            value_head: ValueHead::Softmax,
        };
        assert_eq!(layer_rates(&shape(300, &[256, 32])), [1.0, 1.0 / 16.0, 0.5]);
        assert_eq!(layer_rates(&shape(300, &[8])), [1.0, 1.0], "never above the rate of the first layer");
        assert_eq!(layer_rates(&shape(4, &[8])), [1.0, 0.5]);
    }

    #[test]
    fn burn_and_the_portable_network_agree() {
        use ValueHead::{Sigmoid, Softmax};
        let device = Device::flex();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for (hidden, outputs, actions, value_head) in [
            (&[64][..], 2, 9, Softmax),
            (&[5], 1, 1, Sigmoid),
            (&[40], 2, 0, Softmax),
            (&[1, 1], 3, 32, Softmax),
            (&[130, 33, 17], 4, 17, Sigmoid),
            (&[96, 40], 3, 8, Softmax),
        ] {
            let shape = MlpShape { observation: 60, hidden: hidden.to_vec(), values: outputs, actions, value_head };
            let parameters = initial_parameters(&shape, 11);
            let net = Mlp::new(shape.clone(), &parameters).expect("the shape is valid");
            // From empty observations to full ones.
            let mut entries = |count: u32| (0..60).filter(|_| rng.random_range(0..40) < count).collect::<Vec<u16>>();
            let rows: Vec<Vec<u16>> = (0..40).map(&mut entries).collect();
            let mut batch = Batch::default();
            for active in &rows {
                batch.push(Sample { active, values: &vec![0.0; outputs], policy: None });
            }
            let network = Network::new(&shape, &Tensor::from_data(parameters.as_slice(), &device));
            let active = active_entries(&batch, 60, &device.clone().autodiff());
            let logits = numbers(network.forward(active, 40));
            let mut scratch = Scratch::default();
            for (active, logits) in rows.iter().zip(logits.chunks_exact(outputs + actions)) {
                let (values, policy) = net.forward(active, &mut scratch);
                let total: f32 = logits[..outputs].iter().map(|x| x.exp()).sum();
                let value = |logit: &f32| match value_head {
                    Softmax => logit.exp() / total,
                    Sigmoid => 1.0 / (1.0 + (-logit).exp()),
                };
                let expected: Vec<f32> =
                    logits[..outputs].iter().map(value).chain(logits[outputs..].iter().copied()).collect();
                assert_eq!(values.len() + policy.len(), expected.len());
                for (found, expected) in values.iter().chain(policy).zip(expected) {
                    assert!((found - expected).abs() < 1e-4, "{shape:?}: {found} for {expected}");
                }
            }
        }
    }
}
