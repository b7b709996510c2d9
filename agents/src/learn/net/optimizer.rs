//! The optimizer: AdamW of burn, with a learning rate for each layer and gradient clipping.
//!
//! It works on the parameters of any burn module. Each parameter is a row of numbers here.

use burn::{
    module::{Module, ModuleMapper, ModuleVisitor, Param},
    optim::{AdamW, AdamWConfig, AdamWState, AdaptiveMomentumState, Optimizer},
    tensor::{Device, Gradients, Tensor},
};

use super::model::numbers;
use crate::learn::config::LearningConfig;

/// Moments of Adam below this size become 0. Otherwise the moments of rare features become
/// subnormal numbers, and processors are much slower with subnormal numbers.
const LEAST_MOMENT: f32 = 1e-30;
/// Steps between two passes that set small moments to 0.
const STEPS_BETWEEN_FLUSHES: usize = 64;

/// The optimizer of a network.
pub struct NetworkOptimizer {
    adamw: AdamW,
    /// The largest norm of a gradient.
    clip: Option<f64>,
    /// The state of each parameter, in the order of the module.
    rows: Vec<Row>,
}

/// The state of one parameter.
struct Row {
    /// The learning rate as a share of the learning rate of the first layer.
    rate: f64,
    /// Adam's moments; `None` only during a step, so that burn can reuse their memory.
    state: Option<AdamWState<1>>,
}

impl NetworkOptimizer {
    /// An optimizer after `steps` steps. `rows` has the rate of each parameter, as a share of the
    /// learning rate of the first layer, and Adam's first and second moments.
    pub fn new(
        config: &LearningConfig,
        steps: u64,
        rows: impl Iterator<Item = (f64, [Vec<f32>; 2])>,
        device: &Device,
    ) -> NetworkOptimizer {
        let adamw = AdamWConfig::new()
            .with_epsilon(1e-8)
            .with_weight_decay(config.weight_decay as f32)
            .build();
        let row = |(rate, moments): (f64, [Vec<f32>; 2])| {
            let [first, second] =
                moments.map(|moment| Tensor::from_data(moment.as_slice(), device));
            let momentum = AdaptiveMomentumState::new(steps as usize, first, second);
            Row {
                rate,
                state: Some(AdamWState::new(momentum)),
            }
        };
        NetworkOptimizer {
            adamw,
            clip: config.gradient_clip,
            rows: rows.map(row).collect(),
        }
    }

    /// Adam's first and second moments, each as one row of all parameters.
    pub fn moments(&self) -> [Vec<f32>; 2] {
        let (first, second): (Vec<_>, Vec<_>) = self
            .rows
            .iter()
            .filter_map(|row| row.state.as_ref())
            .map(|AdamWState { momentum }| {
                (
                    numbers(momentum.moment_1.clone()),
                    numbers(momentum.moment_2.clone()),
                )
            })
            .unzip();
        [first.concat(), second.concat()]
    }

    /// Takes a step of a module. Returns the module and the norm `[1]` of the gradient before
    /// clipping.
    pub fn step<M: Module>(
        &mut self,
        module: M,
        gradients: Gradients,
        learning_rate: f64,
    ) -> (M, Tensor<1>) {
        let mut found = GradientRows {
            gradients,
            rows: Vec::with_capacity(self.rows.len()),
        };
        module.visit(&mut found);
        let square = |row: &Tensor<1>| {
            let row: Tensor<2> = row.clone().unsqueeze();
            row.clone().matmul(row.transpose()).flatten::<1>(0, 1)
        };
        let norm = found
            .rows
            .iter()
            .map(square)
            .reduce(|sum, square| sum + square)
            .expect("a network has parameters")
            .sqrt();
        let scale = self.clip.map(|clip| {
            norm.clone()
                .clamp_min(1e-30)
                .recip()
                .mul_scalar(clip)
                .clamp_max(1.0)
        });
        let rows = self.rows.iter_mut().zip(found.rows);
        let module = module.map(&mut Step {
            adamw: &self.adamw,
            learning_rate,
            scale,
            rows,
        });
        (module, norm)
    }
}

/// Collects the gradients of the parameters of a module.
struct GradientRows {
    gradients: Gradients,
    rows: Vec<Tensor<1>>,
}

impl ModuleVisitor for GradientRows {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        let gradient = parameter.val().grad_remove(&mut self.gradients);
        self.rows.push(
            gradient
                .expect("every parameter takes part in the loss")
                .reshape([-1]),
        );
    }
}

/// A step of every parameter of a module.
struct Step<'a, I> {
    adamw: &'a AdamW,
    learning_rate: f64,
    /// The factor `[1]` by which clipping scales the gradients.
    scale: Option<Tensor<1>>,
    rows: I,
}

impl<'a, I: Iterator<Item = (&'a mut Row, Tensor<1>)>> ModuleMapper for Step<'_, I> {
    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (row, gradient) = self.rows.next().expect("every parameter has a row");
        let gradient = match &self.scale {
            Some(scale) => gradient * scale.clone(),
            None => gradient,
        };
        let (id, weights, mapper) = parameter.consume();
        let (dims, weights) = (weights.dims(), weights.inner().reshape([-1]));
        let (weights, state) = self.adamw.step(
            self.learning_rate * row.rate,
            weights,
            gradient,
            row.state.take(),
        );
        row.state = state.map(flushed);
        Param::from_mapped_value(
            id,
            Tensor::from_inner(weights.reshape(dims)).require_grad(),
            mapper,
        )
    }
}

/// Sets small moments to 0, in some steps.
fn flushed(state: AdamWState<1>) -> AdamWState<1> {
    let AdamWState { momentum } = state;
    if !momentum.time.is_multiple_of(STEPS_BETWEEN_FLUSHES) {
        return AdamWState::new(momentum);
    }
    let flush = |moment: Tensor<1>| {
        let is_small = moment.clone().abs().lower_scalar(LEAST_MOMENT);
        moment.mask_fill(is_small, 0.0)
    };
    let moments = (flush(momentum.moment_1), flush(momentum.moment_2));
    AdamWState::new(AdaptiveMomentumState::new(
        momentum.time,
        moments.0,
        moments.1,
    ))
}
