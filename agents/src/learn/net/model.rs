//! The network in burn: the layers of [`crate::network::portable`], the forward pass without burn,
//! as a burn module.
//!
//! A new kind of layer is added here and in the portable network. [`Network::parameters`] refuses a
//! network with layers that the portable network does not have.

use burn::{
    module::{Module, ModuleVisitor, Param},
    nn::Linear,
    tensor::{Device, Int, Tensor, TensorData, activation::relu},
};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bag::sum_rows;
use crate::{network::portable::MlpShape, play::error::Error};

/// The approximate number of entries of an observation that are 1: the fan-in of the first layer.
const ACTIVE_ENTRIES: usize = 16;

/// The layers of a network.
#[derive(Module, Debug, Default)]
pub struct Network {
    layers: Vec<Linear>,
}

impl Network {
    /// The network with the given parameters in the order of [`MlpShape`].
    pub fn new(shape: &MlpShape, parameters: &[f32], device: &Device) -> Network {
        let device = device.clone().autodiff();
        let layers = shape
            .layers()
            .zip(shape.spans())
            .map(|((inputs, outputs), span)| {
                let (weight, bias) = parameters[span].split_at(inputs * outputs);
                let weight =
                    Tensor::from_data(TensorData::new(weight.to_vec(), [inputs, outputs]), &device);
                let bias = Tensor::from_data(bias, &device);
                Linear {
                    weight: Param::from_tensor(weight),
                    bias: Some(Param::from_tensor(bias)),
                }
            });
        Network {
            layers: layers.collect(),
        }
    }

    /// Returns the logits `[samples, values + actions]` of observations. `active` is from
    /// [`active_entries`](super::bag::active_entries).
    pub fn forward(&self, active: Tensor<2, Int>) -> Tensor<2> {
        let (first, deeper) = self.layers.split_first().expect("a network has a layer");
        let bias = first.bias.as_ref().expect("a layer has a bias");
        let sums = sum_rows(active, first.weight.val(), bias.val());
        deeper
            .iter()
            .fold(sums, |input, layer| layer.forward(relu(input)))
    }

    /// Returns the parameters in the order of [`MlpShape`].
    ///
    /// # Errors
    /// When the network has a parameter that the portable network does not have; the error names
    /// it.
    pub fn parameters(&self, shape: &MlpShape) -> Result<Vec<f32>, Error> {
        portable_parameters(self, shape)
    }

    /// Returns each parameter as a row without autodiff.
    pub fn rows(&self) -> impl Iterator<Item = Tensor<1>> {
        named_rows(self).into_iter().map(|(_, row)| row)
    }
}

/// Returns the parameters of a module in the order of [`MlpShape`], if they are the parameters of a
/// [`Network`].
fn portable_parameters<M: Module>(module: &M, shape: &MlpShape) -> Result<Vec<f32>, Error> {
    let mut expected = shape
        .layers()
        .enumerate()
        .flat_map(|(index, (inputs, outputs))| {
            [
                (format!("layers.{index}.weight"), inputs * outputs),
                (format!("layers.{index}.bias"), outputs),
            ]
        });
    let mut parameters = Vec::with_capacity(shape.parameters());
    for (name, row) in named_rows(module) {
        let row = numbers(row);
        let known = Some((&name, row.len()))
            == expected
                .next()
                .as_ref()
                .map(|(name, length)| (name, *length));
        let text = || {
            format!(
                "players do not know the parameter `{name}` of {} numbers",
                row.len()
            )
        };
        Error::unless(known, text)?;
        parameters.extend(row);
    }
    match expected.next() {
        None => Ok(parameters),
        Some((name, _)) => Err(Error::new(format!("the network has no parameter `{name}`"))),
    }
}

/// Returns the name of each parameter of a module, and the parameter as a row without autodiff.
fn named_rows<M: Module>(module: &M) -> Vec<(String, Tensor<1>)> {
    let mut found = NamedRows::default();
    module.visit(&mut found);
    found.rows
}

#[derive(Default)]
struct NamedRows {
    path: Vec<String>,
    rows: Vec<(String, Tensor<1>)>,
}

impl ModuleVisitor for NamedRows {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        self.rows
            .push((self.path.join("."), parameter.val().inner().reshape([-1])));
    }
}

/// The numbers of a tensor of floats, row-major.
pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor
        .into_data()
        .try_into_vec()
        .expect("the tensors of a learner hold 32-bit floats")
}

/// Returns initial random parameters of a network. They depend only on the shape and the seed.
///
/// The weights of hidden layers are uniform, with the variance that keeps signals equally large
/// after a ReLU (He initialization, He et al. 2015). The weights of the head are smaller by a
/// factor of √6. Biases are 0.
pub fn initial_parameters(shape: &MlpShape, seed: u64) -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut parameters = Vec::with_capacity(shape.parameters());
    for (index, ((inputs, outputs), fan_in)) in shape.layers().zip(fan_ins(shape)).enumerate() {
        let gain = if index == shape.hidden.len() {
            1.0
        } else {
            6.0
        };
        let bound = (gain / fan_in as f32).sqrt();
        // The upper 24 bits give multiples of 2⁻²³ from -1 to below 1, which a float represents
        // exactly.
        let mut uniform = || (rng.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        parameters.extend((0..inputs * outputs).map(|_| bound * uniform()));
        parameters.resize(parameters.len() + outputs, 0.0);
    }
    parameters
}

/// The approximate number of inputs of each layer that are not 0.
fn fan_ins(shape: &MlpShape) -> impl Iterator<Item = usize> {
    shape.layers().enumerate().map(|(index, (inputs, _))| {
        if index == 0 {
            inputs.min(ACTIVE_ENTRIES)
        } else {
            inputs
        }
    })
}

/// The learning rate of each layer as a share of the learning rate of the first layer, 0 to 1.
///
/// A step of Adam changes every weight by about the same amount, so it changes a sum of many inputs
/// more than a sum of few inputs. With learning rates inversely proportional to the fan-in, the
/// sums of all layers change equally for any widths (the scaling for Adam of Yang et al., "Tensor
/// Programs V", 2022).
pub fn layer_rates(shape: &MlpShape) -> Vec<f64> {
    let first = shape.observation.min(ACTIVE_ENTRIES) as f64;
    fan_ins(shape)
        .map(|fan_in| (first / fan_in as f64).min(1.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        learn::net::{Batch, Sample, bag::active_entries},
        network::portable::{Mlp, Scratch, ValueHead},
    };
    use burn::tensor::Device;
    use rand::RngExt;

    #[test]
    fn initial_parameters_are_pinned() {
        let shape = MlpShape {
            observation: 100,
            hidden: vec![32],
            values: 2,
            actions: 9,
            value_head: ValueHead::Softmax,
        };
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
        assert_eq!(
            layer_rates(&shape(300, &[8])),
            [1.0, 1.0],
            "never above the rate of the first layer"
        );
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
            let shape = MlpShape {
                observation: 60,
                hidden: hidden.to_vec(),
                values: outputs,
                actions,
                value_head,
            };
            let parameters = initial_parameters(&shape, 11);
            let net = Mlp::new(shape.clone(), &parameters).expect("the shape is valid");
            // From empty observations to full ones.
            let mut entries = |count: u32| {
                (0..60)
                    .filter(|_| rng.random_range(0..40) < count)
                    .collect::<Vec<u16>>()
            };
            let rows: Vec<Vec<u16>> = (0..40).map(&mut entries).collect();
            let mut batch = Batch::default();
            for active in &rows {
                batch.push(Sample {
                    active,
                    values: &vec![0.0; outputs],
                    policy: None,
                });
            }
            let network = Network::new(&shape, &parameters, &device);
            assert_eq!(
                network.parameters(&shape).expect("players know its layers"),
                parameters
            );
            let logits = numbers(network.forward(active_entries(&batch, 60, &device)));
            let mut scratch = Scratch::default();
            for (active, logits) in rows.iter().zip(logits.chunks_exact(outputs + actions)) {
                let (values, policy) = net.forward(active, &mut scratch);
                let total: f32 = logits[..outputs].iter().map(|x| x.exp()).sum();
                let value = |logit: &f32| match value_head {
                    Softmax => logit.exp() / total,
                    Sigmoid => 1.0 / (1.0 + (-logit).exp()),
                };
                let expected: Vec<f32> = logits[..outputs]
                    .iter()
                    .map(value)
                    .chain(logits[outputs..].iter().copied())
                    .collect();
                assert_eq!(values.len() + policy.len(), expected.len());
                for (found, expected) in values.iter().chain(policy).zip(expected) {
                    assert!(
                        (found - expected).abs() < 1e-4,
                        "{shape:?}: {found} for {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_layer_that_players_do_not_know_is_refused_by_name() {
        #[derive(Module, Debug)]
        struct Normalized {
            layers: Vec<Linear>,
            norm: burn::nn::LayerNorm,
        }
        let shape = MlpShape {
            observation: 4,
            hidden: vec![3],
            values: 1,
            actions: 0,
            value_head: ValueHead::Sigmoid,
        };
        let (device, parameters) = (Device::flex(), initial_parameters(&shape, 1));
        let Network { layers } = Network::new(&shape, &parameters, &device);
        let norm = burn::nn::LayerNormConfig::new(3).init(&device);
        let error = portable_parameters(&Normalized { layers, norm }, &shape)
            .expect_err("players have no norm");
        assert_eq!(
            error.to_string(),
            "players do not know the parameter `norm.gamma` of 3 numbers"
        );
        let layers = Network::new(&shape, &parameters, &device).layers[..1].to_vec();
        let error = Network { layers }
            .parameters(&shape)
            .expect_err("the head is missing");
        assert_eq!(
            error.to_string(),
            "the network has no parameter `layers.1.weight`"
        );
    }
}
