//! The learner: AdamW on batches of samples, with an exponential moving average (EMA) of the
//! weights.
//!
//! It owns the network, its optimizer and the EMA. The EMA plays better than the latest weights. On
//! the CPU, learning is deterministic: the same batches from the same state give the same bits,
//! also after [`Learner::save`] and [`Learner::load`]. On a GPU, a step does not wait for results
//! of the device. The learner does not depend on games, schedules or the origin of samples.

mod state;
#[cfg(test)]
pub(super) mod test_support;

use burn::tensor::{Device, Tensor};

use crate::{
    learn::config::LearningConfig,
    network::portable::{Mlp, MlpShape},
    play::error::Error,
};

use super::{
    Batch, LearnerDevice, Losses,
    bag::active_entries,
    loss::{BatchLosses, losses},
    model::{Network, initial_parameters, layer_rates, numbers},
    optimizer::NetworkOptimizer,
};

/// Steps between two updates of the EMA, so that they take little time.
const STEPS_BETWEEN_AVERAGES: u64 = 8;

/// A network under training.
pub struct Learner {
    shape: MlpShape,
    config: LearningConfig,
    device: Device,
    network: Network,
    optimizer: NetworkOptimizer,
    /// The EMA of each parameter of the network; `None` without averaging.
    average: Option<Vec<Tensor<1>>>,
    /// Sums of the losses and of the gradient norm, `[4]`, since the last call of
    /// [`Learner::take_losses`].
    losses: Tensor<1>,
    steps: u64,
    /// Number of steps at the last call of [`Learner::take_losses`].
    reported: u64,
}

/// The numbers that a learner has learned, each as one row in the order of [`MlpShape`].
struct LearnedNumbers {
    /// The latest weights.
    parameters: Vec<f32>,
    /// The EMA of the weights; `None` without averaging.
    average: Option<Vec<f32>>,
    /// Adam's first and second moments.
    moments: [Vec<f32>; 2],
}

impl std::fmt::Debug for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner")
            .field("shape", &self.shape)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl Learner {
    /// A new learner. The random weights of its network depend only on the shape and on `seed`.
    ///
    /// # Errors
    /// When the shape is out of range or the device is not available.
    pub fn new(
        shape: MlpShape,
        config: &LearningConfig,
        device: LearnerDevice,
        seed: u64,
    ) -> Result<Learner, Error> {
        shape.validate()?;
        let parameters = initial_parameters(&shape, seed);
        let (average, zeros) = (
            config.ema.map(|_| parameters.clone()),
            vec![0.0; parameters.len()],
        );
        let learned = LearnedNumbers {
            parameters,
            average,
            moments: [zeros.clone(), zeros],
        };
        Learner::from_numbers(shape, config, device, &learned, 0)
    }

    /// A learner that continues from `learned` after `steps` steps.
    fn from_numbers(
        shape: MlpShape,
        config: &LearningConfig,
        device: LearnerDevice,
        learned: &LearnedNumbers,
        steps: u64,
    ) -> Result<Learner, Error> {
        let LearnedNumbers {
            parameters,
            average,
            moments: [first, second],
        } = learned;
        Mlp::new(shape.clone(), parameters)?;
        let device = device.open()?;
        let rows = |numbers| {
            shape
                .split(numbers)
                .flat_map(|(weights, bias)| [weights, bias])
        };
        let average = average.as_ref().map(|average| {
            rows(average)
                .map(|row| Tensor::from_data(row, &device))
                .collect()
        });
        let rates = layer_rates(&shape).into_iter().flat_map(|rate| [rate; 2]);
        let moments = rows(first)
            .zip(rows(second))
            .map(|(first, second)| [first.to_vec(), second.to_vec()]);
        Ok(Learner {
            network: Network::new(&shape, parameters, &device),
            optimizer: NetworkOptimizer::new(config, steps, rates.zip(moments), &device),
            average,
            losses: Tensor::zeros([4], &device),
            config: config.clone(),
            shape,
            device,
            steps,
            reported: steps,
        })
    }

    /// Returns the weights, their EMA and the moments.
    fn numbers(&self) -> Result<LearnedNumbers, Error> {
        Ok(LearnedNumbers {
            parameters: self.network.parameters(&self.shape)?,
            average: self
                .average
                .as_ref()
                .map(|rows| rows.iter().cloned().flat_map(numbers).collect()),
            moments: self.optimizer.moments(),
        })
    }

    /// The network with the latest weights, for self-play. The EMA would be hundreds of steps too
    /// old.
    ///
    /// # Errors
    /// When learning has diverged.
    pub fn latest_net(&self) -> Result<Mlp, Error> {
        Mlp::new(self.shape.clone(), &self.network.parameters(&self.shape)?)
    }

    /// The network to evaluate and to export: the EMA of the weights, or the latest weights without
    /// averaging.
    ///
    /// # Errors
    /// When learning has diverged, or the network has a layer that players do not know.
    pub fn net(&self) -> Result<Mlp, Error> {
        let LearnedNumbers {
            parameters,
            average,
            ..
        } = self.numbers()?;
        Mlp::new(
            self.shape.clone(),
            average.as_deref().unwrap_or(&parameters),
        )
    }

    /// Takes one step of AdamW for the loss of the batch.
    ///
    /// # Panics
    /// When the batch is empty or does not fit the shape of the network.
    pub fn step(&mut self, batch: &Batch, learning_rate: f64) {
        assert!(!batch.is_empty(), "a step needs a sample");
        self.steps += 1;
        let logits =
            self.network
                .forward(active_entries(batch, self.shape.observation, &self.device));
        let BatchLosses { total, reported } =
            losses(&self.shape, batch, self.config.policy_weight, logits);
        let gradients = total.backward();
        // Without other references to the weights, burn can reuse their memory.
        drop(total);
        let (network, norm) =
            self.optimizer
                .step(std::mem::take(&mut self.network), gradients, learning_rate);
        self.network = network;
        let [value, policy, entropy] = reported;
        self.losses = self.losses.clone() + Tensor::cat(vec![value, policy, entropy, norm], 0);
        if let (Some(rate), Some(average)) = (self.average_rate(), &mut self.average) {
            for (average, weights) in average.iter_mut().zip(self.network.rows()) {
                *average = average.clone() + (weights - average.clone()).mul_scalar(rate);
            }
        }
    }

    /// Returns the mean losses of the steps since the last call, or since the learner was made;
    /// `None` if there was no step.
    pub fn take_losses(&mut self) -> Option<Losses> {
        let steps = self.steps - std::mem::replace(&mut self.reported, self.steps);
        let sums = numbers(std::mem::replace(
            &mut self.losses,
            Tensor::zeros([4], &self.device),
        ));
        let [value, policy, policy_entropy, gradient_norm] =
            std::array::from_fn(|at| sums[at] / steps as f32);
        (steps > 0).then_some(Losses {
            value,
            policy,
            policy_entropy,
            gradient_norm,
        })
    }

    /// In this step, the EMA moves this share of the way to the weights; with `None`, the EMA does
    /// not change. The decay grows with the steps (warm-up), so that the EMA soon forgets the
    /// initial weights.
    fn average_rate(&self) -> Option<f32> {
        let warm_up = (1.0 + self.steps as f64) / (10.0 + self.steps as f64);
        let decay = self
            .config
            .ema
            .filter(|_| self.steps.is_multiple_of(STEPS_BETWEEN_AVERAGES))?;
        Some((1.0 - decay.min(warm_up).powi(STEPS_BETWEEN_AVERAGES as i32)) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        test_support::{random_batch, shape},
        *,
    };
    use crate::{learn::net::Sample, network::portable::Scratch};

    fn learner(config: LearningConfig) -> Learner {
        Learner::new(shape(), &config, LearnerDevice::Cpu, 1).expect("the shape is valid")
    }

    fn weights(learner: &Learner) -> Vec<f32> {
        learner
            .network
            .parameters(&learner.shape)
            .expect("players know its layers")
    }

    #[test]
    fn it_learns_values_and_policies() {
        let mut learner = learner(LearningConfig {
            ema: Some(0.9),
            ..LearningConfig::default()
        });
        assert_eq!(learner.take_losses(), None);
        learner.step(&random_batch(0), 1e-2);
        let first = learner.take_losses().expect("a step");
        for step in 1..300 {
            learner.step(&random_batch(step), 1e-2);
        }
        learner.take_losses();
        learner.step(&random_batch(300), 1e-2);
        let last = learner.take_losses().expect("a step");
        assert!(
            last.value < first.value && last.policy < 0.1 * first.policy,
            "{first:?}, {last:?}"
        );
        assert!(
            last.policy_entropy < 0.2 && last.gradient_norm > 0.0,
            "{last:?}"
        );
        let net = learner.net().expect("the weights are finite");
        let mut scratch = Scratch::default();
        let (values, policy) = net.forward(&[0, 7, 20], &mut scratch);
        assert!(
            (values[0] - 0.9).abs() < 0.1 && policy[3] > policy[5],
            "{values:?} {policy:?}"
        );
        let (values, policy) = net.forward(&[7, 20], &mut scratch);
        assert!(
            (values[0] - 0.2).abs() < 0.1 && policy[5] > policy[3],
            "{values:?} {policy:?}"
        );
    }

    #[test]
    fn losses_are_means_over_the_steps() {
        let losses = |learner: &mut Learner| learner.take_losses().expect("a step");
        let (mut one, mut both) = (
            learner(LearningConfig::default()),
            learner(LearningConfig::default()),
        );
        let mut value = 0.0;
        for step in 0..2 {
            one.step(&random_batch(step), 1e-2);
            value += losses(&mut one).value / 2.0;
            both.step(&random_batch(step), 1e-2);
        }
        assert!((losses(&mut both).value - value).abs() < 1e-6);
    }

    #[test]
    fn gradient_clipping_and_weight_decay_do_what_they_say() {
        let batch = random_batch(2);
        let mut free = learner(LearningConfig::default());
        free.step(&batch, 0.0);
        let mut limited = learner(LearningConfig {
            gradient_clip: Some(1e-6),
            ..LearningConfig::default()
        });
        limited.step(&batch, 0.0);
        assert_eq!(
            limited.take_losses(),
            free.take_losses(),
            "reported before it is limited"
        );
        let [first, _] = limited.optimizer.moments();
        let length = first.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!(
            (length - 0.1 * 1e-6).abs() < 1e-9,
            "Adam saw a gradient of norm {}",
            length * 10.0
        );

        let mut decaying = learner(LearningConfig {
            weight_decay: 2.0,
            ..LearningConfig::default()
        });
        let before = weights(&decaying);
        decaying.step(&batch, 1e-3);
        let mut plain = learner(LearningConfig::default());
        plain.step(&batch, 1e-3);
        let (shape, rates) = (shape(), layer_rates(&shape()));
        let rates = shape
            .layers()
            .zip(rates)
            .flat_map(|((inputs, outputs), rate)| vec![rate; (inputs + 1) * outputs]);
        let (decaying, plain) = (weights(&decaying), weights(&plain));
        for (((decayed, plain), before), rate) in
            decaying.iter().zip(&plain).zip(&before).zip(rates)
        {
            assert!((decayed - (plain - 2e-3 * rate as f32 * before)).abs() < 1e-6);
        }
    }

    #[test]
    fn the_ema_follows_the_weights_and_can_be_left_out() {
        let mut averaged = learner(LearningConfig {
            ema: Some(0.5),
            ..LearningConfig::default()
        });
        let start = weights(&averaged);
        for step in 1..STEPS_BETWEEN_AVERAGES {
            averaged.step(&random_batch(step), 1e-2);
            assert_eq!(
                averaged.net().expect("the weights are finite").parameters(),
                start
            );
        }
        averaged.step(&random_batch(0), 1e-2);
        let net = averaged
            .net()
            .expect("the weights are finite")
            .parameters()
            .to_vec();
        // After eight steps the decay of the warm-up is 9/18, the same as 0.5. It applies once for
        // each step.
        for ((net, start), latest) in net.iter().zip(&start).zip(&weights(&averaged)) {
            assert!((net - (start + (1.0 - 0.5_f32.powi(8)) * (latest - start))).abs() < 1e-6);
        }
        let mut plain = learner(LearningConfig {
            ema: None,
            ..LearningConfig::default()
        });
        plain.step(&random_batch(1), 1e-2);
        assert_eq!(
            plain.net().expect("the weights are finite").parameters(),
            &*weights(&plain)
        );
    }

    #[test]
    fn moments_never_become_subnormal() {
        let mut learner = learner(LearningConfig::default());
        let mut batch = Batch::default();
        batch.push(Sample {
            active: &[3],
            values: &[0.9, 0.1],
            policy: None,
        });
        learner.step(&batch, 1e-3);
        batch.clear();
        batch.push(Sample {
            active: &[4],
            values: &[0.9, 0.1],
            policy: None,
        });
        for _ in 0..1_500 {
            learner.step(&batch, 1e-3);
        }
        for moment in learner.optimizer.moments() {
            assert!(moment.iter().all(|x| !x.is_subnormal()));
        }
    }

    #[test]
    fn divergence_is_an_error_of_the_network() {
        let mut learner = learner(LearningConfig::default());
        learner.step(&random_batch(1), f64::NAN);
        assert!(
            learner
                .latest_net()
                .is_err_and(|error| error.to_string().ends_with("of the network is NaN"))
        );
        for step in 1..STEPS_BETWEEN_AVERAGES {
            learner.step(&random_batch(step), 1e-3);
        }
        assert!(learner.net().is_err(), "nothing mends it");
    }
}
