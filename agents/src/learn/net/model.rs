//! The network in burn: the same layers as the portable forward pass, but differentiable and on any device.
//!
//! All parameters live in one tensor, in the order of [`MlpShape`]; a [`Network`] is a set of views into it. One tensor
//! means one update, one copy to the host and one thing to save, however many layers there are.

use burn::tensor::activation::relu;
use burn::tensor::module::linear;
use burn::tensor::{Gradients, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::network::portable::MlpShape;

/// Entries of an observation that are 1 at a time, roughly: the fan-in of the first layer.
const ACTIVE_ENTRIES: usize = 16;

/// The layers of a network as tensors with gradients.
#[derive(Debug)]
pub(super) struct Network {
    layers: Vec<Dense>,
}

/// `output = input · weight + bias`.
#[derive(Debug)]
struct Dense {
    /// `[inputs, outputs]`
    weight: Tensor<2>,
    /// `[outputs]`
    bias: Tensor<1>,
}

/// Initial random parameters of a network; the same for the same seed everywhere.
///
/// Weights of hidden layers are uniform with the variance that keeps the size of a signal through a ReLU (He
/// initialisation, He et al. 2015), those of the head smaller by a factor of √6; biases are 0.
pub fn initial_parameters(shape: &MlpShape, seed: u64) -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut parameters = Vec::with_capacity(shape.parameters());
    for (index, (inputs, outputs)) in shape.layers().enumerate() {
        let fan_in = if index == 0 { inputs.min(ACTIVE_ENTRIES) } else { inputs };
        let gain = if index == shape.hidden.len() { 1.0 } else { 6.0 };
        let bound = (gain / fan_in as f32).sqrt();
        // The upper 24 bits, so that every number between -1 and 1 is exact.
        let mut uniform = || (rng.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        parameters.extend((0..inputs * outputs).map(|_| bound * uniform()));
        parameters.resize(parameters.len() + outputs, 0.0);
    }
    parameters
}

impl Network {
    /// The network with these `parameters` `[parameters]`, a tensor without autodiff.
    pub(super) fn new(shape: &MlpShape, parameters: &Tensor<1>) -> Network {
        let mut start = 0;
        let mut next = |length: usize| {
            let piece = parameters.clone().narrow(0, start, length);
            start += length;
            piece
        };
        let mut dense = |(inputs, outputs): (usize, usize)| Dense {
            weight: next(inputs * outputs).reshape([inputs, outputs]).autodiff().require_grad(),
            bias: next(outputs).autodiff().require_grad(),
        };
        Network { layers: shape.layers().map(&mut dense).collect() }
    }

    /// The logits `[batch, values + actions]` of observations `[batch, observation]`.
    pub(super) fn forward(&self, observations: Tensor<2>) -> Tensor<2> {
        self.forward_from(self.layers[0].forward(observations))
    }

    /// The logits `[batch, values + actions]` after a first layer that gave `sums` `[batch, hidden]`, before its ReLU.
    pub(super) fn forward_from(&self, sums: Tensor<2>) -> Tensor<2> {
        self.layers[1..].iter().fold(sums, |input, layer| layer.forward(relu(input)))
    }

    /// The gradients of the layers from number `first` on, each as one row, in the order of the parameters.
    pub(super) fn gradients(&self, gradients: &Gradients, first: usize) -> Vec<Tensor<1>> {
        let mut rows = Vec::with_capacity(2 * self.layers.len());
        for layer in &self.layers[first..] {
            let weight = layer.weight.grad(gradients).expect("every weight takes part in the loss");
            rows.push(weight.flatten(0, 1));
            rows.push(layer.bias.grad(gradients).expect("every bias takes part in the loss"));
        }
        rows
    }
}

impl Dense {
    fn forward(&self, input: Tensor<2>) -> Tensor<2> {
        linear(input, self.weight.clone(), Some(self.bias.clone()))
    }
}

/// The numbers of a tensor of floats, row-major.
pub(super) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("the tensors of a learner hold 32-bit floats")
}

/// `numbers` `[rows, columns]` as the data of a tensor.
pub(super) fn matrix(numbers: Vec<f32>, rows: usize) -> TensorData {
    let columns = numbers.len() / rows;
    TensorData::new(numbers, [rows, columns])
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn burn_and_the_portable_network_agree() {
        let device = Device::flex();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for (hidden, head) in
            [(&[64][..], ValueHead::Softmax), (&[40, 24], ValueHead::Sigmoid), (&[128, 32, 16], ValueHead::Softmax)]
        {
            let shape = MlpShape { observation: 60, hidden: hidden.to_vec(), values: 3, actions: 17, value_head: head };
            let parameters = initial_parameters(&shape, 11);
            let net = Mlp::new(shape.clone(), &parameters).expect("the shape is valid");
            let rows: Vec<Vec<u16>> =
                (0..20).map(|_| (0..60).filter(|_| rng.random_range(0..5) == 0).collect()).collect();
            let mut dense = vec![0.0; 20 * 60];
            for (row, active) in rows.iter().enumerate() {
                active.iter().for_each(|&index| dense[row * 60 + usize::from(index)] = 1.0);
            }
            let count = parameters.len();
            let network = Network::new(&shape, &Tensor::from_data(TensorData::new(parameters, [count]), &device));
            let input = Tensor::<2>::from_data(matrix(dense, 20), &device.clone().autodiff());
            let logits = numbers(network.forward(input));
            let mut scratch = Scratch::default();
            for (active, logits) in rows.iter().zip(logits.chunks_exact(20)) {
                let (values, policy) = net.forward(active, &mut scratch);
                let total: f32 = logits[..3].iter().map(|x| x.exp()).sum();
                for (value, logit) in values.iter().zip(logits) {
                    let expected = match head {
                        ValueHead::Softmax => logit.exp() / total,
                        ValueHead::Sigmoid => 1.0 / (1.0 + (-logit).exp()),
                    };
                    assert!((value - expected).abs() < 1e-5, "{hidden:?}: value {value} for {expected}");
                }
                for (found, expected) in policy.iter().zip(&logits[3..]) {
                    assert!((found - expected).abs() < 1e-5, "{hidden:?}: logit {found} for {expected}");
                }
            }
        }
    }
}
