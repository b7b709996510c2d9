//! The learner: Adam on batches of samples, with an exponential moving average (EMA) of the weights.
//!
//! It owns the network in burn, burn's Adam, and the EMA, which plays better than the latest weights. It is
//! deterministic: the same batches from the same state give the same bits, also after [`Learner::save`] and
//! [`Learner::load`]. It knows nothing of games, schedules or the origin of samples.

mod state;

use burn::optim::{Adam, AdamConfig, AdamState, AdaptiveMomentumState, Optimizer};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::network::portable::{Mlp, MlpShape, NetError};
use crate::network::tensor_file::TensorFileError;

use super::loss::differentiate;
use super::model::{Network, initial_parameters, matrix, numbers};
use super::{Batch, DeviceError, LearnerDevice, Losses, sparse};

/// Moments of Adam below this size become 0 every so many steps, long before they are so small ("subnormal") that
/// processors compute with them at a fraction of their speed: weights of features that hardly ever occur get there.
const LEAST_MOMENT: f32 = 1e-30;
const STEPS_BETWEEN_FLUSHES: u64 = 64;

/// The hyperparameters of a learner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerConfig {
    /// The initial learning rate of the caller's schedule; [`Learner::step`] takes the current one.
    pub learning_rate: f64,
    /// Adam β₁, the decay of the first moment (mean of gradients), 0 to 1.
    pub adam_beta_1: f32,
    /// Adam β₂, the decay of the second moment (mean of squared gradients), 0 to 1.
    pub adam_beta_2: f32,
    /// Adam ε, added to the root of the second moment, above 0.
    pub adam_epsilon: f32,
    /// EMA decay of the weights, 0 to 1, lower in the first steps; `None`: no averaging.
    pub average_decay: Option<f64>,
    /// Weight of the policy loss beside the value loss, 0 or more.
    pub policy_weight: f32,
    /// Gradient clipping by global norm: the largest norm; `None`: no clipping.
    pub gradient_limit: Option<f32>,
    /// Weight decay, decoupled as in AdamW: the share of the weights lost in a step of learning rate 1, 0 or more.
    pub weight_decay: f64,
}

impl Default for LearnerConfig {
    fn default() -> LearnerConfig {
        LearnerConfig {
            learning_rate: 2e-3,
            adam_beta_1: 0.9,
            adam_beta_2: 0.999,
            adam_epsilon: 1e-8,
            average_decay: Some(0.999),
            policy_weight: 1.0,
            gradient_limit: None,
            weight_decay: 0.0,
        }
    }
}

/// Why there is no such learner.
#[derive(Debug, thiserror::Error)]
pub enum LearnerError {
    /// The shape is out of range.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The device is not available.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The saved state cannot be read or written.
    #[error(transparent)]
    File(#[from] TensorFileError),
    /// The saved state belongs to something else.
    #[error("the saved learner has {what} {found}, not {expected}")]
    Mismatch {
        /// The fact that differs.
        what: &'static str,
        /// The expected one.
        expected: String,
        /// The saved one.
        found: String,
    },
    /// The manifest of the saved state is not valid.
    #[error("the saved learner has no valid manifest")]
    Manifest(#[from] serde_json::Error),
}

/// A network under training.
pub struct Learner {
    shape: MlpShape,
    config: LearnerConfig,
    device: Device,
    first_layer: FirstLayer,
    optimizer: Adam,
    /// The latest weights `[parameters]`, on the device.
    parameters: Tensor<1>,
    /// Adam's first and second moments; `None` before the first step.
    moments: Option<AdamState<1>>,
    /// A copy of the latest weights on the host.
    latest: Vec<f32>,
    /// The EMA of the weights; `None` without averaging.
    average: Option<Vec<f32>>,
    /// Steps taken.
    steps: u64,
}

/// Where the first layer is computed; the results agree but for rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FirstLayer {
    /// On the host, row by row: half the time of a step on a CPU.
    Sparse,
    /// On the device, as a product with the whole observation.
    Dense,
}

impl std::fmt::Debug for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner").field("shape", &self.shape).field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl Learner {
    /// A learner whose network has random weights that follow from `seed` alone.
    ///
    /// # Errors
    /// When the shape is out of range or the device not available.
    pub fn new(
        shape: MlpShape,
        config: LearnerConfig,
        device: LearnerDevice,
        seed: u64,
    ) -> Result<Learner, LearnerError> {
        shape.validate()?;
        let parameters = initial_parameters(&shape, seed);
        Learner::with_parameters(shape, config, device, parameters)
    }

    /// A learner that starts from `parameters` in the order of [`MlpShape`], for instance those of an earlier bot.
    ///
    /// # Errors
    /// When the shape is out of range, the parameters do not fit it, or the device is not available.
    pub fn with_parameters(
        shape: MlpShape,
        config: LearnerConfig,
        device: LearnerDevice,
        parameters: Vec<f32>,
    ) -> Result<Learner, LearnerError> {
        Mlp::new(shape.clone(), &parameters)?;
        let first_layer = match device {
            LearnerDevice::Cpu => FirstLayer::Sparse,
            LearnerDevice::Cuda | LearnerDevice::Wgpu => FirstLayer::Dense,
        };
        let device = device.open()?;
        let optimizer = AdamConfig::new()
            .with_beta_1(config.adam_beta_1)
            .with_beta_2(config.adam_beta_2)
            .with_epsilon(config.adam_epsilon)
            .build();
        Ok(Learner {
            optimizer,
            parameters: row(parameters.clone(), &device),
            moments: None,
            average: config.average_decay.map(|_| parameters.clone()),
            latest: parameters,
            steps: 0,
            shape,
            config,
            device,
            first_layer,
        })
    }

    /// The sizes of the network.
    pub fn shape(&self) -> &MlpShape {
        &self.shape
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The network with the latest weights, for self-play: targets made with the EMA would be hundreds of steps behind.
    ///
    /// # Errors
    /// [`NetError::NotFinite`] when learning has diverged.
    pub fn latest_net(&self) -> Result<Mlp, NetError> {
        Mlp::new(self.shape.clone(), &self.latest)
    }

    /// The network to evaluate and to export: the EMA of the weights, or the latest weights without averaging.
    ///
    /// # Errors
    /// [`NetError::NotFinite`] when learning has diverged.
    pub fn net(&self) -> Result<Mlp, NetError> {
        Mlp::new(self.shape.clone(), self.average.as_ref().unwrap_or(&self.latest))
    }

    /// Takes one step of Adam down the gradient of the batch's loss.
    ///
    /// # Panics
    /// When the batch is empty or does not fit the shape of the network.
    pub fn step(&mut self, batch: &Batch, learning_rate: f64) -> Losses {
        assert!(!batch.is_empty(), "a step needs a sample");
        let (gradient, mut losses) = self.gradient(batch);
        losses.gradient_norm = numbers(gradient.clone().square().sum())[0].sqrt();
        let gradient = match self.config.gradient_limit {
            Some(limit) if losses.gradient_norm > limit => gradient.mul_scalar(limit / losses.gradient_norm),
            _ => gradient,
        };
        let parameters = match self.config.weight_decay {
            0.0 => self.parameters.clone(),
            decay => self.parameters.clone().mul_scalar(1.0 - learning_rate * decay),
        };
        let (parameters, moments) = self.optimizer.step(learning_rate, parameters, gradient, self.moments.take());
        self.parameters = parameters;
        self.moments = moments;
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN_FLUSHES) {
            self.flush_moments();
        }
        self.latest = numbers(self.parameters.clone());
        self.update_average();
        losses
    }

    /// The gradient `[parameters]` of the batch's loss, and the losses.
    fn gradient(&self, batch: &Batch) -> (Tensor<1>, Losses) {
        let (samples, inputs, outputs) = (batch.len(), self.shape.observation, self.shape.hidden[0]);
        let network = Network::new(&self.shape, &self.parameters);
        let tracked = self.device.clone().autodiff();
        let matrix = |numbers| Tensor::<2>::from_data(matrix(numbers, samples), &tracked);
        let (logits, sums) = match self.first_layer {
            FirstLayer::Sparse => {
                let parameters = &self.latest[..(inputs + 1) * outputs];
                let sums = matrix(sparse::sum_rows(parameters, outputs, batch)).require_grad();
                (network.forward_from(sums.clone()), Some(sums))
            }
            FirstLayer::Dense => (network.forward(matrix(sparse::dense(inputs, batch))), None),
        };
        let mut slopes = numbers(logits.clone());
        let losses = differentiate(&self.shape, batch, self.config.policy_weight, &mut slopes);
        // The gradient of this product is that of the loss, with which it has nothing else in common.
        let gradients = (logits * matrix(slopes)).sum().backward();
        let rows = match sums {
            Some(sums) => {
                let slopes = numbers(sums.grad(&gradients).expect("the sums take part in the loss"));
                let first = sparse::gradient(&slopes, inputs, outputs, batch);
                [vec![row(first, &self.device)], network.gradients(&gradients, 1)].concat()
            }
            None => network.gradients(&gradients, 0),
        };
        (Tensor::cat(rows, 0), losses)
    }

    fn flush_moments(&mut self) {
        let flush = |moment: Tensor<1>| {
            let small = moment.clone().abs().lower_scalar(LEAST_MOMENT);
            moment.mask_fill(small, 0.0)
        };
        self.moments = self.moments.take().map(|AdamState { momentum }| {
            let AdaptiveMomentumState { time, moment_1, moment_2, .. } = momentum;
            AdamState::new(AdaptiveMomentumState::new(time, flush(moment_1), flush(moment_2)))
        });
    }

    fn update_average(&mut self) {
        let (Some(average), Some(decay)) = (&mut self.average, self.config.average_decay) else { return };
        // The decay grows with the steps (warm-up), so that the EMA soon forgets the initial weights.
        let decay = decay.min((1.0 + self.steps as f64) / (10.0 + self.steps as f64));
        let rate = (1.0 - decay) as f32;
        for (average, &latest) in average.iter_mut().zip(&self.latest) {
            *average += rate * (latest - *average);
        }
    }
}

/// The tensor `[numbers]` of these numbers.
fn row(numbers: Vec<f32>, device: &Device) -> Tensor<1> {
    let length = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [length]), device)
}

#[cfg(test)]
pub(in crate::learn::net) mod tests {
    use super::*;
    use crate::learn::net::Sample;
    use crate::network::portable::{Scratch, ValueHead};
    use ashta_env::game::{Action, ActionMask};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    pub(in crate::learn::net) fn shape() -> MlpShape {
        MlpShape { observation: 40, hidden: vec![24, 16], values: 2, actions: 9, value_head: ValueHead::Softmax }
    }

    /// Samples with something to learn: the first entry decides the value and the best action.
    pub(in crate::learn::net) fn random_batch(seed: u64) -> Batch {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut batch = Batch::default();
        for _ in 0..32 {
            let active: Vec<u16> = (0..40).filter(|_| rng.random_range(0..4) == 0).collect();
            let (value, best) = if active.first() == Some(&0) { (0.9, 3) } else { (0.2, 5) };
            let legal: ActionMask = [1, 3, 5].map(Action).into_iter().collect();
            let mut policy = [0.0; 9];
            policy[best] = 1.0;
            let policy = rng.random_bool(0.5).then_some((legal, &policy[..]));
            batch.push(Sample { active: &active, values: &[value, 1.0 - value], policy });
        }
        batch
    }

    fn learner(config: LearnerConfig) -> Learner {
        Learner::new(shape(), config, LearnerDevice::Cpu, 1).expect("the shape is valid")
    }

    #[test]
    fn it_learns_values_and_policies() {
        let mut learner = learner(LearnerConfig { average_decay: Some(0.9), ..LearnerConfig::default() });
        let first = learner.step(&random_batch(0), 1e-2);
        for step in 1..300 {
            learner.step(&random_batch(step), 1e-2);
        }
        let last = learner.step(&random_batch(300), 1e-2);
        assert!(last.value < first.value && last.policy < 0.1 * first.policy, "{first:?}, {last:?}");
        assert!(last.policy_entropy < 0.2 && last.gradient_norm > 0.0, "{last:?}");
        let net = learner.net().expect("the weights are finite");
        let mut scratch = Scratch::default();
        let (values, policy) = net.forward(&[0, 7, 20], &mut scratch);
        assert!((values[0] - 0.9).abs() < 0.1 && policy[3] > policy[5], "{values:?} {policy:?}");
        let (values, policy) = net.forward(&[7, 20], &mut scratch);
        assert!((values[0] - 0.2).abs() < 0.1 && policy[5] > policy[3], "{values:?} {policy:?}");
    }

    #[test]
    fn both_first_layers_give_the_same_gradient() {
        let mut learner = learner(LearnerConfig::default());
        let batch = random_batch(9);
        let (sparse, sparse_losses) = learner.gradient(&batch);
        learner.first_layer = FirstLayer::Dense;
        let (dense, dense_losses) = learner.gradient(&batch);
        assert!((sparse_losses.value - dense_losses.value).abs() < 1e-6);
        let (sparse, dense) = (numbers(sparse), numbers(dense));
        assert_eq!(sparse.len(), shape().parameters());
        assert!(sparse.iter().any(|x| x.abs() > 1e-3), "there is something to compare");
        for (index, (sparse, dense)) in sparse.iter().zip(&dense).enumerate() {
            assert!((sparse - dense).abs() < 1e-6, "parameter {index}: {sparse} and {dense}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_a_loss_written_in_burn() {
        use burn::tensor::activation::log_softmax;

        let learner = learner(LearnerConfig { policy_weight: 0.6, ..LearnerConfig::default() });
        let batch = random_batch(9);
        let network = Network::new(&learner.shape, &learner.parameters);
        let tracked = learner.device.clone().autodiff();
        let tensor = |numbers| Tensor::<2>::from_data(matrix(numbers, 32), &tracked);
        let logits = network.forward(tensor(sparse::dense(40, &batch)));
        let log_values = log_softmax(logits.clone().slice([0..32, 0..2]), 1);
        let value = -(log_values * tensor(batch.values().to_vec())).sum().div_scalar(32.0);
        let (mut targets, mut penalties) = (Vec::new(), Vec::new());
        let mut policies = batch.policies().chunks_exact(9);
        for legal in batch.legal() {
            let none = [0.0; 9];
            targets.extend_from_slice(if legal.is_empty() { &none } else { policies.next().expect("it has one") });
            penalties.extend((0..9).map(|action| if legal.contains(Action(action)) { 0.0 } else { -1e9 }));
        }
        let count = batch.policies().len() as f32 / 9.0;
        let log_policy = log_softmax(logits.slice([0..32, 2..11]) + tensor(penalties), 1);
        let policy = -(log_policy * tensor(targets)).sum().div_scalar(count);
        let gradients = (value.clone() + policy.clone().mul_scalar(0.6)).backward();
        let expected = numbers(Tensor::cat(network.gradients(&gradients, 0), 0));
        let (found, losses) = learner.gradient(&batch);
        assert!((losses.value - numbers(value)[0]).abs() < 1e-5);
        assert!((losses.policy - numbers(policy)[0]).abs() < 1e-5);
        for (index, (found, expected)) in numbers(found).iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() < 1e-6, "parameter {index}: {found} for {expected}");
        }
    }

    #[test]
    fn gradient_clipping_and_weight_decay_do_what_they_say() {
        let batch = random_batch(2);
        let free = learner(LearnerConfig::default()).step(&batch, 0.0);
        let mut limited = learner(LearnerConfig { gradient_limit: Some(1e-6), ..LearnerConfig::default() });
        assert_eq!(limited.step(&batch, 0.0).gradient_norm, free.gradient_norm, "reported before it is limited");
        let moments = limited.moments.clone().expect("a step was taken").momentum;
        let length = numbers(moments.moment_1).iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length - 0.1 * 1e-6).abs() < 1e-9, "Adam saw a gradient of norm {}", length * 10.0);

        let mut decaying = learner(LearnerConfig { weight_decay: 2.0, ..LearnerConfig::default() });
        let before = decaying.latest.clone();
        decaying.step(&batch, 1e-3);
        let mut plain = learner(LearnerConfig::default());
        plain.step(&batch, 1e-3);
        for ((decayed, plain), before) in decaying.latest.iter().zip(&plain.latest).zip(&before) {
            assert!((decayed - (plain - 2e-3 * before)).abs() < 1e-6);
        }
    }

    #[test]
    fn the_ema_follows_the_weights_and_can_be_left_out() {
        let mut averaged = learner(LearnerConfig { average_decay: Some(0.5), ..LearnerConfig::default() });
        let start = averaged.latest.clone();
        averaged.step(&random_batch(1), 1e-2);
        let net = averaged.net().expect("the weights are finite").parameters();
        // After one step the EMA decay is 2/11, which is below 0.5.
        for ((net, start), latest) in net.iter().zip(&start).zip(&averaged.latest) {
            assert!((net - (start + 9.0 / 11.0 * (latest - start))).abs() < 1e-6);
        }
        let mut plain = learner(LearnerConfig { average_decay: None, ..LearnerConfig::default() });
        plain.step(&random_batch(1), 1e-2);
        assert_eq!(plain.net().expect("the weights are finite").parameters(), plain.latest);
    }

    #[test]
    fn moments_never_become_subnormal() {
        let mut learner = learner(LearnerConfig::default());
        let mut batch = Batch::default();
        batch.push(Sample { active: &[3], values: &[0.9, 0.1], policy: None });
        learner.step(&batch, 1e-3);
        batch.clear();
        batch.push(Sample { active: &[4], values: &[0.9, 0.1], policy: None });
        for _ in 0..1_500 {
            learner.step(&batch, 1e-3);
        }
        let moments = learner.moments.expect("steps were taken").momentum;
        for moment in [moments.moment_1, moments.moment_2] {
            assert!(numbers(moment).iter().all(|x| !x.is_subnormal()));
        }
    }

    #[test]
    fn divergence_is_an_error_of_the_network() {
        let mut learner = learner(LearnerConfig::default());
        learner.step(&random_batch(1), f64::NAN);
        assert!(matches!(learner.net(), Err(NetError::NotFinite { .. })));
    }
}
