//! A network under training on a device of burn, such as a GPU. burn differentiates the loss and provides the
//! optimizer.
//!
//! A step does not wait for results of the device, so the device works asynchronously. Observations are uploaded as
//! lists of entries, and the losses are summed on the device until they are reported.

use burn::optim::{Adam, AdamConfig, AdamState, AdaptiveMomentumState, Optimizer};
use burn::tensor::{Device, Tensor};

use crate::learn::net::Batch;
use crate::learn::net::loss::losses;
use crate::learn::net::model::{Network, active_entries, layer_rates, numbers};
use crate::network::portable::MlpShape;

use super::{ADAM_BETA_1, ADAM_BETA_2, ADAM_EPSILON, LEAST_MOMENT, STEPS_BETWEEN_FLUSHES};
use super::{LearnedNumbers, LearnerNetwork, LearningConfig, StepSettings};

/// Weights, moments and EMA as tensors `[parameters]` in the order of [`MlpShape`].
pub(super) struct DeviceNetwork {
    shape: MlpShape,
    device: Device,
    optimizer: Adam,
    /// The learning rate of each parameter as a share of the learning rate of the first layer.
    rates: Tensor<1>,
    parameters: Tensor<1>,
    /// Adam's first and second moments.
    moments: [Tensor<1>; 2],
    average: Option<Tensor<1>>,
    /// Sums of the losses and of the gradient norm, `[4]`.
    losses: Tensor<1>,
}

impl DeviceNetwork {
    /// A network that continues from `learned`.
    pub(super) fn new(shape: MlpShape, device: Device, learned: LearnedNumbers) -> DeviceNetwork {
        let row = |numbers: &[f32]| Tensor::<1>::from_data(numbers, &device);
        let optimizer =
            AdamConfig::new().with_beta_1(ADAM_BETA_1).with_beta_2(ADAM_BETA_2).with_epsilon(ADAM_EPSILON).build();
        let layers = shape.spans().zip(layer_rates(&shape));
        let rates: Vec<f32> = layers.flat_map(|(span, rate)| std::iter::repeat_n(rate as f32, span.len())).collect();
        let LearnedNumbers { parameters, average, moments } = learned;
        DeviceNetwork {
            optimizer,
            rates: row(&rates),
            parameters: row(&parameters),
            moments: moments.map(|moment| row(&moment)),
            average: average.map(|average| row(&average)),
            losses: Tensor::zeros([4], &device),
            shape,
            device,
        }
    }

    /// Returns the gradient `[parameters]` of the batch's loss, and the losses with the gradient norm `[4]`.
    pub(super) fn gradient(&self, batch: &Batch, policy_weight: f32) -> (Tensor<1>, Tensor<1>) {
        let tracked = self.device.clone().autodiff();
        let network = Network::new(&self.shape, &self.parameters);
        let active = active_entries(batch, self.shape.observation, &tracked);
        let logits = network.forward(active, batch.len());
        let [value, policy, entropy] = losses(&self.shape, batch, &tracked, logits);
        let gradients = (value.clone() + policy.clone().mul_scalar(policy_weight)).backward();
        let gradient = network.gradient(&gradients);
        let norm = gradient.clone().square().sum().sqrt();
        (gradient, Tensor::cat(vec![value.inner(), policy.inner(), entropy.inner(), norm], 0))
    }
}

impl LearnerNetwork for DeviceNetwork {
    fn numbers(&self) -> LearnedNumbers {
        LearnedNumbers {
            parameters: numbers(self.parameters.clone()),
            average: self.average.clone().map(numbers),
            moments: self.moments.clone().map(numbers),
        }
    }

    fn take_losses(&mut self) -> [f64; 4] {
        let sums = numbers(std::mem::replace(&mut self.losses, Tensor::zeros([4], &self.device)));
        std::array::from_fn(|at| f64::from(sums[at]))
    }

    fn step(&mut self, batch: &Batch, config: &LearningConfig, settings: &StepSettings) {
        let (gradient, losses) = self.gradient(batch, config.policy_weight as f32);
        let gradient = match config.gradient_clip {
            Some(limit) => {
                let norm = losses.clone().narrow(0, 3, 1);
                gradient * norm.clamp_min(1e-30).recip().mul_scalar(limit as f32).clamp_max(1.0)
            }
            None => gradient,
        };
        self.losses = self.losses.clone() + losses;
        // Without other references to the moments, the optimizer can reuse their memory.
        let [first, second] = std::mem::replace(&mut self.moments, [self.parameters.clone(), self.parameters.clone()]);
        let moments = AdamState::new(AdaptiveMomentumState::new(settings.time as usize - 1, first, second));
        let zeros = self.parameters.zeros_like();
        let (change, moments) = self.optimizer.step(settings.learning_rate, zeros, gradient, Some(moments));
        let decay = self.rates.clone().mul_scalar(-settings.learning_rate * config.weight_decay).add_scalar(1.0);
        self.parameters = self.parameters.clone() * decay + change * self.rates.clone();
        let AdamState { momentum } = moments.expect("a step of Adam returns its moments");
        let is_due = settings.time.is_multiple_of(STEPS_BETWEEN_FLUSHES);
        let is_small = |moment: &Tensor<1>| moment.clone().abs().lower_scalar(LEAST_MOMENT);
        let flushed =
            |moment: Tensor<1>| if is_due { moment.clone().mask_fill(is_small(&moment), 0.0) } else { moment };
        self.moments = [momentum.moment_1, momentum.moment_2].map(flushed);
        if let (Some(average), Some(rate)) = (&mut self.average, settings.average_rate) {
            *average = average.clone() + (self.parameters.clone() - average.clone()).mul_scalar(rate);
        }
    }
}
