//! Policies that Python functions and ONNX models provide, as agents.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use ashta_agents::play::{
    agent::{Agent, draw_weighted},
    evaluator::{Evaluation, Evaluator, answer_open},
};
use ashta_env::{
    chance::{GameRng, random_decisions},
    game::{Action, ActionMask, BySeat, Game as _},
    race::{Race, state::State as Position},
};
use numpy::{
    PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::{Result, game::Game, interrupt::Interrupt, states::States, wrong_type};

/// Probabilities of illegal actions up to this are rounding errors and count as 0.
const NEARLY_ZERO: f64 = 1e-6;
/// Values can exceed the range from 0 to 1 by this because of rounding.
const VALUE_TOLERANCE: f32 = 1e-3;
/// The largest difference between 1 and the sum of the probabilities of a state.
const SUM_TOLERANCE: f64 = 1e-3;

/// A Python function that chooses actions or returns their probabilities.
pub struct Policy {
    /// The name of the function, or the path of a model.
    pub name: String,
    /// The function or the path that the caller has passed.
    pub given: Py<PyAny>,
    /// What the function takes, as in `Agent.of`.
    pub takes: String,
    /// A function from `States` to actions or probabilities.
    function: Py<PyAny>,
    /// Whether the last answer had probabilities.
    is_random: AtomicBool,
}

impl Policy {
    /// The policy of a function or of the path of an ONNX model; `None` for anything else. Error
    /// messages contain `name`, by default the name of the function or the path. `takes` is as in
    /// `Agent.of`.
    pub fn of(given: &Bound<'_, PyAny>, name: Option<&str>, takes: &str) -> Result<Option<Policy>> {
        let policies = || given.py().import("ashta._policies");
        let (name, function) = if given.is_callable() {
            let own = || given.getattr("__name__").and_then(|name| name.extract());
            let name = name.map_or_else(
                || own().unwrap_or_else(|_| "function".to_owned()),
                str::to_owned,
            );
            (
                name.clone(),
                policies()?.call_method1("function_of", (given, name, takes))?,
            )
        } else if let Some(path) =
            text_of(given).filter(|path| path.to_ascii_lowercase().ends_with(".onnx"))
        {
            (
                name.unwrap_or(&path).to_owned(),
                policies()?.call_method1("onnx_policy", (path,))?,
            )
        } else {
            return Ok(None);
        };
        let (given, function) = (given.clone().unbind(), function.unbind());
        Ok(Some(Policy {
            name,
            given,
            takes: takes.to_owned(),
            function,
            is_random: AtomicBool::new(false),
        }))
    }

    /// Whether the policy returns probabilities: asks it once, at the first decision of a game.
    pub fn returns_probabilities(&self, py: Python<'_>, game: &Game) -> Result<bool> {
        if let Some(state) = random_decisions(&*game.race, 0).next() {
            // Two states, so that the answer for one state cannot be mistaken for the answer for
            // several.
            self.answer(py, game, &[state; 2])?;
        }
        Ok(self.is_random.load(Ordering::Relaxed))
    }

    /// The probabilities of the actions in each state, which must be decisions.
    fn answer(
        &self,
        py: Python<'_>,
        game: &Game,
        states: &[Position],
    ) -> Result<Vec<Vec<(Action, f32)>>> {
        let argument = States::of(py, game, states)?;
        let answer = self.function.bind(py).call1((argument,))?;
        let answer = py.import("numpy")?.call_method1("asarray", (answer,))?;
        let answer: Bound<'_, PyUntypedArray> = answer.cast_into().map_err(PyErr::from)?;
        let (dtype, shape) = (answer.dtype(), answer.shape());
        let (name, count, actions) = (&self.name, states.len(), game.race.spec().actions);
        if matches!(dtype.kind(), b'i' | b'u') && shape == [count] {
            self.is_random.store(false, Ordering::Relaxed);
            let numbers: Bound<'_, PyArray1<i64>> = answer
                .call_method1("astype", ("int64",))?
                .cast_into()
                .map_err(PyErr::from)?;
            let numbers = numbers.readonly();
            let one = |(state, &number): (_, &i64)| {
                Ok(vec![(chosen(name, &game.race, state, number)?, 1.0)])
            };
            return states.iter().zip(numbers.as_array()).map(one).collect();
        }
        if dtype.kind() != b'f' || shape != [count, actions] {
            return Err(wrong_type(format!(
                "{name} must return actions, int64[{count}], or probabilities, float64[{count}, {actions}], \
                 not an array of {dtype} with the shape {shape:?}; it was called with `takes=\"{}\"`, see `Agent.of`",
                self.takes
            )));
        }
        self.is_random.store(true, Ordering::Relaxed);
        let shares: Bound<'_, PyArray2<f64>> = answer
            .call_method1("astype", ("float64",))?
            .cast_into()
            .map_err(PyErr::from)?;
        let shares = shares.readonly();
        let one = |(state, row): (&Position, ndarray::ArrayView1<'_, f64>)| {
            let legal = game.race.legal_actions(state);
            let (mut found, mut sum) = (Vec::with_capacity(legal.len()), 0.0);
            for (action, &share) in (0..).map(Action).zip(row) {
                ensure!(
                    (0.0..=1.0 + SUM_TOLERANCE).contains(&share)
                        && (legal.contains(action) || share <= NEARLY_ZERO),
                    "{name} gave action {} the probability {share} at `{}`; legal actions: {legal:?}",
                    action.0,
                    game.race.print(state)
                );
                if legal.contains(action) {
                    sum += share;
                    found.push((action, share));
                }
            }
            ensure!(
                (1.0 - SUM_TOLERANCE..=1.0 + SUM_TOLERANCE).contains(&sum),
                "{name} gave probabilities with the sum {sum}, not 1, at `{}`",
                game.race.print(state)
            );
            Ok(found
                .into_iter()
                .map(|(action, share)| (action, (share / sum) as f32))
                .collect())
        };
        states
            .iter()
            .zip(shares.as_array().rows())
            .map(one)
            .collect()
    }
}

/// The text of a `str` or of a path.
pub fn text_of(given: &Bound<'_, PyAny>) -> Option<String> {
    given
        .py()
        .import("os")
        .and_then(|os| os.call_method1("fspath", (given,))?.extract())
        .ok()
}

/// The action with this number if it is legal.
pub fn legal(legal: ActionMask, action: i64) -> Option<Action> {
    u8::try_from(action)
        .ok()
        .filter(|&action| action < 32)
        .map(Action)
        .filter(|&action| legal.contains(action))
}

/// The action with this number, chosen by `name`; an error if it is not legal.
fn chosen(name: &str, race: &Race, state: &Position, number: i64) -> Result<Action> {
    let legal_actions = race.legal_actions(state);
    legal(legal_actions, number).ok_or_else(|| {
        let position = race.print(state);
        anyhow::anyhow!("{name} chose {number}, which is not legal at `{position}`; legal actions: {legal_actions:?}")
            .into()
    })
}

/// An evaluator that asks a Python function from `States` to values, `float[n, num_players]`. After
/// an error, its interrupt has the error, and its values have no meaning.
#[derive(Clone)]
pub struct ValueFunction {
    pub function: Arc<Py<PyAny>>,
    pub game: Game,
    pub interrupt: Arc<Interrupt>,
}

impl ValueFunction {
    fn answer(&self, py: Python<'_>, states: &[&Position]) -> Result<Vec<BySeat<f32>>> {
        let states: Vec<Position> = states.iter().map(|&state| *state).collect();
        let answer = self
            .function
            .bind(py)
            .call1((States::of(py, &self.game, &states)?,))?;
        let array = py
            .import("numpy")?
            .call_method1("asarray", (answer, "float32"))?;
        let (shape, seats) = (
            array.getattr("shape")?.extract::<Vec<usize>>()?,
            self.game.race.spec().seats,
        );
        if shape != [states.len(), seats.len()] {
            let expected = (states.len(), seats.len());
            return Err(wrong_type(format!(
                "`values` must return an array of the shape {expected:?}, not {shape:?}"
            )));
        }
        let array: Bound<'_, PyArray2<f32>> = array.cast_into().map_err(PyErr::from)?;
        let of_row = |row: ndarray::ArrayView1<'_, f32>| {
            let mut values = BySeat::default();
            seats
                .iter()
                .zip(row)
                .for_each(|(seat, &value)| values[seat] = value);
            values
        };
        let array = array.readonly();
        let is_value = |value: &f32| (-VALUE_TOLERANCE..=1.0 + VALUE_TOLERANCE).contains(value);
        if let Some(row) = array
            .as_array()
            .rows()
            .into_iter()
            .position(|row| !row.iter().all(is_value))
        {
            let position = self.game.race.print(&states[row]);
            return Err(anyhow::anyhow!(
                "`values` must be from 0 to 1, but are {} at `{position}`",
                array.as_array().row(row)
            )
            .into());
        }
        Ok(array.as_array().rows().into_iter().map(of_row).collect())
    }
}

impl Evaluator<Race> for ValueFunction {
    fn evaluate(&mut self, race: &Race, states: &[Position]) -> Vec<Evaluation> {
        let mut values = Vec::new();
        self.values(race, states, &mut values);
        values.into_iter().map(Evaluation::from).collect()
    }

    fn values(&mut self, race: &Race, states: &[Position], out: &mut Vec<BySeat<f32>>) {
        answer_open(race, states, out, |open, out| {
            let answer = Python::attach(|py| {
                if self.interrupt.is_set() {
                    return None;
                }
                self.answer(py, open)
                    .map_err(|error| self.interrupt.set(error.into()))
                    .ok()
            });
            out.extend(answer.unwrap_or_else(|| vec![BySeat::default(); open.len()]));
        });
    }
}

/// An agent that asks a policy. After an error, its interrupt has the error, and its answers have
/// no meaning.
pub struct PolicyAgent {
    pub policy: Arc<Policy>,
    pub game: Game,
    pub interrupt: Arc<Interrupt>,
}

impl Agent<Race> for PolicyAgent {
    fn act(&mut self, race: &Race, states: &[Position], rngs: &mut [GameRng]) -> Vec<Action> {
        let policies = self.policy(race, states, rngs);
        let draw = |(policy, rng): (Vec<(Action, f32)>, &mut GameRng)| {
            let possible: Vec<(Action, f32)> = policy
                .into_iter()
                .filter(|&(_, share)| share > 0.0)
                .collect();
            match possible[..] {
                [(action, _)] => action,
                _ => possible[draw_weighted(possible.iter().map(|&(_, share)| share), rng)].0,
            }
        };
        policies.into_iter().zip(rngs).map(draw).collect()
    }

    fn policy(
        &mut self,
        race: &Race,
        states: &[Position],
        _: &mut [GameRng],
    ) -> Vec<Vec<(Action, f32)>> {
        let answer = Python::attach(|py| {
            // An earlier error has ended the computation.
            if states.is_empty() || self.interrupt.is_set() {
                return None;
            }
            self.policy
                .answer(py, &self.game, states)
                .map_err(|error| self.interrupt.set(error.into()))
                .ok()
        });
        let any = |state| vec![(race.legal_actions(state).nth(0).unwrap_or(Action(0)), 1.0)];
        answer.unwrap_or_else(|| states.iter().map(any).collect())
    }
}
