//! A network under training on the CPU: the gradient and the update in two passes over the parameters.
//!
//! A test compares the results with the results of burn ([`super::device`]), which is slower for small networks. The
//! order of every sum is fixed, so the same batches give the same bits.

use std::ops::Range;

use crate::learn::net::dense::{Transposed, dot};
use crate::learn::net::loss::differentiate;
use crate::learn::net::{Batch, model, sparse};
use crate::network::portable::MlpShape;

use super::{ADAM_BETA_1, ADAM_BETA_2, ADAM_EPSILON, LEAST_MOMENT};
use super::{LearnedNumbers, LearnerNetwork, LearningConfig, StepSettings};

/// Weights, moments and EMA as plain rows in the order of [`MlpShape`], and buffers for a step.
pub(super) struct HostNetwork {
    shape: MlpShape,
    learned: LearnedNumbers,
    /// The gradient of the step; zeros between steps.
    gradient: Vec<f32>,
    /// The outputs of each layer.
    outputs: Vec<Vec<f32>>,
    /// The gradients of the sums of a layer and of the sums of the previous layer.
    slopes: [Vec<f32>; 2],
    /// The layers after the first layer.
    deeper: Vec<Transposed>,
    losses: [f64; 4],
}

impl HostNetwork {
    pub(super) fn new(shape: MlpShape, learned: LearnedNumbers) -> HostNetwork {
        HostNetwork {
            gradient: vec![0.0; learned.parameters.len()],
            outputs: vec![Vec::new(); shape.hidden.len() + 1],
            slopes: [Vec::new(), Vec::new()],
            deeper: vec![Transposed::default(); shape.hidden.len()],
            losses: [0.0; 4],
            learned,
            shape,
        }
    }

    /// Adds the gradient of the batch's loss to `self.gradient`, and returns the losses with the gradient norm.
    fn differentiate(&mut self, batch: &Batch, policy_weight: f32) -> [f32; 4] {
        let HostNetwork { shape, learned, gradient, outputs, slopes: [slopes, before], deeper, .. } = self;
        let parameters = &learned.parameters;
        let layers: Vec<(usize, usize)> = shape.layers().collect();
        let spans: Vec<Range<usize>> = shape.spans().collect();
        sparse::forward(&parameters[spans[0].clone()], layers[0].1, batch, &mut outputs[0]);
        for (number, &(inputs, width)) in layers.iter().enumerate().skip(1) {
            let layer = &mut deeper[number - 1];
            let (weights, bias) = parameters[spans[number].clone()].split_at(inputs * width);
            layer.load(weights, width);
            let (before, after) = outputs.split_at_mut(number);
            layer.forward(bias, &before[number - 1], &mut after[0]);
            if number + 1 < layers.len() {
                after[0].iter_mut().for_each(|sum| *sum = if *sum > 0.0 { *sum } else { 0.0 });
            }
        }
        slopes.clone_from(outputs.last().expect("a network has a head"));
        let [value, policy, entropy] = differentiate(shape, batch, policy_weight, slopes);
        for (number, &(inputs, width)) in layers.iter().enumerate().skip(1).rev() {
            let (weights, bias) = gradient[spans[number].clone()].split_at_mut(inputs * width);
            deeper[number - 1].backward(slopes, &outputs[number - 1], bias, before);
            deeper[number - 1].store_gradient(weights, width);
            std::mem::swap(slopes, before);
        }
        sparse::backward(slopes, layers[0].1, batch, &mut gradient[spans[0].clone()]);
        [value, policy, entropy, dot(gradient, gradient).sqrt()]
    }
}

impl LearnerNetwork for HostNetwork {
    fn numbers(&self) -> LearnedNumbers {
        self.learned.clone()
    }

    fn take_losses(&mut self) -> [f64; 4] {
        std::mem::take(&mut self.losses)
    }

    fn step(&mut self, batch: &Batch, config: &LearningConfig, settings: &StepSettings) {
        let losses = self.differentiate(batch, config.policy_weight as f32);
        self.losses.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += f64::from(loss));
        let [.., norm] = losses;
        let limit = config.gradient_clip.map_or(f32::INFINITY, |limit| limit as f32);
        let scale = if norm > limit { limit / norm } else { 1.0 };
        for (layer, rate) in self.shape.spans().zip(model::layer_rates(&self.shape)) {
            let update = Update::new(config, settings, settings.learning_rate * rate, scale);
            let LearnedNumbers { parameters, average, moments: [first, second] } = &mut self.learned;
            let (parameters, gradient) = (&mut parameters[layer.clone()], &mut self.gradient[layer.clone()]);
            let moments = [&mut first[layer.clone()], &mut second[layer.clone()]];
            match average {
                Some(average) if settings.average_rate.is_some() => {
                    update.run::<true>(parameters, gradient, moments, &mut average[layer]);
                }
                _ => update.run::<false>(parameters, gradient, moments, &mut []),
            }
        }
    }
}

/// One step of Adam for a layer, with weight decay and EMA.
#[derive(Clone, Copy, Debug)]
struct Update {
    /// The factor by which clipping scales the gradient.
    scale: f32,
    /// Adam ε, with the bias correction of the second moment.
    epsilon: f32,
    /// The learning rate, with the bias corrections of both moments.
    rate: f32,
    /// The share of the weights that remains after weight decay.
    remaining: f32,
    average_rate: f32,
}

impl Update {
    fn new(config: &LearningConfig, settings: &StepSettings, rate: f64, scale: f32) -> Update {
        let time = i32::try_from(settings.time).unwrap_or(i32::MAX);
        let second = (1.0 - f64::from(ADAM_BETA_2).powi(time)).sqrt();
        Update {
            scale,
            epsilon: ADAM_EPSILON * second as f32,
            rate: (rate * second / (1.0 - f64::from(ADAM_BETA_1).powi(time))) as f32,
            remaining: (1.0 - rate * config.weight_decay) as f32,
            average_rate: settings.average_rate.unwrap_or_default(),
        }
    }

    /// Updates parameters, moments and EMA, and sets the gradient to 0.
    fn run<const AVERAGED: bool>(
        &self,
        parameters: &mut [f32],
        gradient: &mut [f32],
        moments: [&mut [f32]; 2],
        average: &mut [f32],
    ) {
        let Update { scale, epsilon, rate, remaining, average_rate } = *self;
        let length = parameters.len();
        let [first, second] = moments;
        let (gradient, first, second) = (&mut gradient[..length], &mut first[..length], &mut second[..length]);
        let average = if AVERAGED { &mut average[..length] } else { average };
        for at in 0..length {
            let slope = scale * gradient[at];
            gradient[at] = 0.0;
            let moment_1 = ADAM_BETA_1 * first[at] + (1.0 - ADAM_BETA_1) * slope;
            let moment_2 = ADAM_BETA_2 * second[at] + (1.0 - ADAM_BETA_2) * slope * slope;
            first[at] = if moment_1.abs() < LEAST_MOMENT { 0.0 } else { moment_1 };
            second[at] = if moment_2 < LEAST_MOMENT { 0.0 } else { moment_2 };
            let parameter = remaining * parameters[at] - rate * first[at] / (second[at].sqrt() + epsilon);
            parameters[at] = parameter;
            if AVERAGED {
                average[at] += average_rate * (parameter - average[at]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::net::learner::device::DeviceNetwork;
    use crate::learn::net::learner::test_support::random_batch;
    use crate::learn::net::model::initial_parameters;
    use crate::network::portable::ValueHead;
    use burn::tensor::Device;

    /// A network with 40 inputs, 2 values and 9 actions.
    fn shape(hidden: &[usize], value_head: ValueHead) -> MlpShape {
        MlpShape { observation: 40, hidden: hidden.to_vec(), values: 2, actions: 9, value_head }
    }

    /// Some widths are multiples of the block size, other widths are not.
    const SHAPES: [(&[usize], ValueHead); 3] =
        [(&[24, 16], ValueHead::Softmax), (&[130], ValueHead::Sigmoid), (&[64, 33, 5], ValueHead::Softmax)];

    fn numbers(shape: &MlpShape) -> LearnedNumbers {
        let parameters = initial_parameters(shape, 3);
        let zeros = vec![0.0; parameters.len()];
        LearnedNumbers { average: Some(parameters.clone()), parameters, moments: [zeros.clone(), zeros] }
    }

    #[test]
    fn gradient_and_losses_are_those_of_burn() {
        for (hidden, head) in SHAPES {
            let shape = shape(hidden, head);
            let batch = random_batch(9);
            let mut host = HostNetwork::new(shape.clone(), numbers(&shape));
            let found = host.differentiate(&batch, 0.6);
            let device = DeviceNetwork::new(shape.clone(), Device::flex(), numbers(&shape));
            let (gradient, losses) = device.gradient(&batch, 0.6);
            let (expected, losses) = (model::numbers(gradient), model::numbers(losses));
            for (found, expected) in found.into_iter().zip(losses) {
                assert!((found - expected).abs() < 1e-5 * (1.0 + expected), "{hidden:?}: {found} for {expected}");
            }
            assert!(expected.iter().any(|x| x.abs() > 1e-3), "there is something to compare");
            for (index, (found, expected)) in host.gradient.iter().zip(&expected).enumerate() {
                assert!((found - expected).abs() < 1e-6, "{hidden:?}, parameter {index}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn steps_are_those_of_burn() {
        let config = LearningConfig { gradient_clip: Some(0.5), weight_decay: 0.1, ..LearningConfig::default() };
        for (hidden, head) in SHAPES {
            let shape = shape(hidden, head);
            let mut host = HostNetwork::new(shape.clone(), numbers(&shape));
            let mut device = DeviceNetwork::new(shape.clone(), Device::flex(), numbers(&shape));
            for time in 1..=20 {
                let settings = StepSettings { time, learning_rate: 3e-3, average_rate: (time % 2 == 0).then_some(0.1) };
                host.step(&random_batch(time), &config, &settings);
                device.step(&random_batch(time), &config, &settings);
            }
            let (host, device) = (host.numbers(), device.numbers());
            let rows = |numbers: LearnedNumbers| [numbers.parameters, numbers.average.expect("it is averaged")];
            for (found, expected) in rows(host).iter().zip(rows(device)) {
                for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                    assert!((found - expected).abs() < 2e-4, "{hidden:?}, {index}: {found} for {expected}");
                }
            }
        }
    }
}
