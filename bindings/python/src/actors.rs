//! Self-play of a run in other processes: the run calls Python functions, which call [`SelfPlay`].

use std::sync::Arc;

use anyhow::anyhow;
use ashta_agents::{learn::selfplay::play_games, network::evaluator::NetEvaluator};
use ashta_env::{game::Game as _, race::Race};
use ashta_train::run::{Play, config::Config, games, wire};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::Result;

/// Returns a function that starts actors by calling the Python function `actors`.
pub fn starting(actors: Py<PyAny>) -> impl Fn(String) -> anyhow::Result<Play> {
    move |config| {
        let player = Python::attach(|py| actors.call1(py, (config,)))?;
        Ok(Box::new(move |weights, first, end| {
            Python::attach(|py| {
                let weights = PyArray1::from_vec(py, weights);
                Ok(player.call1(py, (weights, first, end))?.extract(py)?)
            })
        }))
    }
}

/// Plays games of a run with these settings, given as TOML.
#[pyclass(frozen, module = "ashta._ashta")]
pub struct SelfPlay {
    config: Config,
    race: Race,
}

#[pymethods]
impl SelfPlay {
    #[new]
    fn new(config: &str) -> Result<SelfPlay> {
        let config = Config::from_toml(config)?;
        let race = games::configured(&config.ruleset)?;
        Ok(SelfPlay { config, race })
    }

    /// Plays the games `first` to `end - 1` with these weights; returns the games as bytes.
    fn play(
        &self,
        py: Python<'_>,
        weights: PyReadonlyArray1<'_, f32>,
        first: u64,
        end: u64,
    ) -> Result<Vec<u8>> {
        let weights = weights
            .as_slice()
            .map_err(|_| anyhow!("the weights must be a contiguous array"))?;
        let (config, seed) = (&self.config.training, self.config.run.seed);
        let net = Arc::new(wire::net(&config.shape(self.race.spec()), weights)?);
        Ok(py.detach(|| {
            let mut evaluator = NetEvaluator::new(net);
            let records = play_games(
                &self.race,
                &mut evaluator,
                config,
                seed,
                first..end.max(first),
            );
            wire::encode_games(&self.race, &records)
        })?)
    }
}
