//! Workers of a run: actors that play, the trainer that learns, the evaluator.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use ashta_agents::learn::numerics::fingerprint;
use ashta_agents::learn::selfplay::play_games;
use ashta_agents::learn::trainer;
use ashta_agents::network::evaluator::NetEvaluator;
use ashta_agents::network::portable::PortableNet;
use ashta_agents::play::stop::Stop;
use ashta_env::game::Game as _;
use ashta_env::race::Race;
use ashta_train::checkpoint::{LoopState, parse_state};
use ashta_train::config::Config;
use ashta_train::evaluation::{RunEvaluation, score_table};
use ashta_train::{evaluation, export, games, wire};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::attachments::Attachments;
use super::{Files, Scratch, read_files};
use crate::training::failed;

/// The settings that a run was begun with.
fn settings(config: &str) -> Result<(Config, Arc<Race>)> {
    let config = Config::from_toml(config)?;
    let race = Arc::new(games::configured(&config.ruleset)?);
    Ok((config, race))
}

fn network(config: &Config, race: &Race, weights: &[f32]) -> Result<Arc<PortableNet>> {
    Ok(Arc::new(wire::net(&config.training.shape(race.spec()), weights)?))
}

fn numbers(weights: &PyReadonlyArray1<'_, f32>) -> PyResult<Vec<f32>> {
    weights
        .as_array()
        .as_slice()
        .map(<[f32]>::to_vec)
        .ok_or_else(|| pyo3::exceptions::PyValueError::new_err("the weights are one row without gaps"))
}

/// Plays games of a run.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct SelfPlay {
    config: Config,
    race: Arc<Race>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    fn new(config: &str) -> PyResult<SelfPlay> {
        let (config, race) = settings(config).map_err(failed)?;
        Ok(SelfPlay { config, race })
    }

    /// How this machine rounds: with others the games are not the same to the last bit.
    fn numerics(&self) -> String {
        format!("{:08x}", fingerprint())
    }

    /// Plays the games from number `first` up to `end` with these weights; the message with their records.
    fn play<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'py, f32>,
        first: u64,
        end: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let weights = numbers(&weights)?;
        let play = || -> Result<Vec<u8>> {
            let net = network(&self.config, &self.race, &weights)?;
            let (config, seed) = (&self.config.training, self.config.run.seed);
            let records = play_games(&*self.race, &mut NetEvaluator::new(net), config, seed, first..end.max(first));
            Ok(wire::encode_games(&self.race, &records)?)
        };
        Ok(PyBytes::new(py, &py.detach(play).map_err(failed)?))
    }
}

/// Learns from the games of a run.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct Trainer {
    race: Arc<Race>,
    /// Boxed: tensors want more alignment than Python gives its objects.
    trainer: Mutex<Box<trainer::Trainer<Race>>>,
    /// The cores that the learner has.
    threads: usize,
}

impl Trainer {
    fn lock(&self) -> MutexGuard<'_, Box<trainer::Trainer<Race>>> {
        self.trainer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent<'py>(&self, py: Python<'py>, net: PortableNet) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_vec(py, wire::weights(&net))
    }
}

#[pymethods]
impl Trainer {
    /// How this machine rounds: with others the networks are not the same to the last bit.
    fn numerics(&self) -> String {
        format!("{:08x}", fingerprint())
    }

    /// One that begins, or goes on from the files of a checkpoint.
    #[new]
    #[pyo3(signature = (config, files = None))]
    fn new(py: Python<'_>, config: &str, files: Option<Files>) -> PyResult<Trainer> {
        let make = || -> Result<Trainer> {
            let (config, race) = settings(config)?;
            let (Config { run, training, .. }, threads) = (&config, config.cluster.learner_cores.max(1) as usize);
            let trainer = match files {
                None => trainer::Trainer::new(&race, training, run.device, run.seed)?,
                Some(files) => {
                    let folder = Scratch::with(&files)?;
                    let LoopState { trainer, .. } = ashta_train::checkpoint::load_state(&folder.0)?;
                    trainer::Trainer::load(&race, training, run.device, run.seed, &folder.0, trainer)?
                }
            };
            Ok(Trainer { race, trainer: Mutex::new(Box::new(trainer)), threads })
        };
        py.detach(make).map_err(failed)
    }

    /// Learns what is due with steps of this size; the weights for self-play, and the message with the losses.
    fn learn<'py>(
        &self,
        py: Python<'py>,
        learning_rate: f64,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyBytes>)> {
        let learn = || -> Result<(PortableNet, Vec<u8>)> {
            let mut trainer = self.lock();
            let losses = trainer.learn(learning_rate, self.threads);
            Ok((trainer.latest_net()?, wire::encode(&losses)?))
        };
        let (net, losses) = py.detach(learn).map_err(failed)?;
        Ok((self.sent(py, net), PyBytes::new(py, &losses)))
    }

    /// Takes in the games of an iteration, the messages in their order, with this λ; the message with what they were
    /// like.
    fn take_in<'py>(
        &self,
        py: Python<'py>,
        messages: Vec<Vec<u8>>,
        lambda_: f64,
        wants_details: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let take_in = || -> Result<Vec<u8>> {
            let mut records = Vec::new();
            for message in &messages {
                records.extend(wire::decode_games(&self.race, message)?);
            }
            Ok(wire::encode(&self.lock().take_in(&records, lambda_, wants_details))?)
        };
        Ok(PyBytes::new(py, &py.detach(take_in).map_err(failed)?))
    }

    /// The weights for self-play.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let net = py.detach(|| self.lock().latest_net()).map_err(failed)?;
        Ok(self.sent(py, net))
    }

    /// The weights to evaluate and to export.
    fn average<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let net = py.detach(|| self.lock().net()).map_err(failed)?;
        Ok(self.sent(py, net))
    }

    /// The files of a checkpoint but for the counters of the run, and the message with what goes there.
    fn save(&self, py: Python<'_>) -> PyResult<(Files, Vec<u8>)> {
        let save = || -> Result<(Files, Vec<u8>)> {
            let (folder, trainer) = (Scratch::new()?, self.lock());
            trainer.save(&folder.0)?;
            Ok((read_files(&folder.0)?, wire::encode(&trainer.state())?))
        };
        py.detach(save).map_err(failed)
    }
}

/// Evaluates the networks of a run.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct RunEvaluator {
    config: Config,
    race: Arc<Race>,
    evaluator: Mutex<evaluation::RunEvaluator>,
}

impl RunEvaluator {
    fn find(&self, weights: &[f32], is_last: bool) -> Result<(Arc<PortableNet>, RunEvaluation)> {
        let net = network(&self.config, &self.race, weights)?;
        let mut evaluator = self.evaluator.lock().unwrap_or_else(PoisonError::into_inner);
        let evaluation = match is_last {
            true => evaluator.conclude(&net, &Stop::default())?.context("nothing stops it")?,
            false => evaluator.evaluate(&net)?,
        };
        Ok((net, evaluation))
    }
}

#[pymethods]
impl RunEvaluator {
    /// One for the opponents of the settings. Those of them that are files come along; see
    /// `TrainingRun.opponents`.
    #[new]
    fn new(py: Python<'_>, config: &str, files: Files, tables: Files) -> PyResult<RunEvaluator> {
        let make = || -> Result<RunEvaluator> {
            let (config, race) = settings(config)?;
            let attachments = Attachments::new(&files, &tables)?;
            let agent = |spec: &str| attachments.agent(spec);
            let evaluator = evaluation::RunEvaluator::new(&race, &config, &agent, attachments.perfect(&race)?)?;
            Ok(RunEvaluator { config, race, evaluator: Mutex::new(evaluator) })
        };
        py.detach(make).map_err(failed)
    }

    /// A short evaluation; the message with what it found.
    fn evaluate<'py>(&self, py: Python<'py>, weights: PyReadonlyArray1<'py, f32>) -> PyResult<Bound<'py, PyBytes>> {
        let weights = numbers(&weights)?;
        let evaluate = || -> Result<Vec<u8>> { Ok(wire::encode(&self.find(&weights, false)?.1)?) };
        Ok(PyBytes::new(py, &py.detach(evaluate).map_err(failed)?))
    }

    /// The evaluation at the end: the bot as a file holds it, and a table of the results for people. `state` is the
    /// text of the counters of the run.
    fn conclude<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'py, f32>,
        state: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let weights = numbers(&weights)?;
        let conclude = || -> Result<(Vec<u8>, String)> {
            let state = parse_state(state)?;
            let (net, RunEvaluation { results, exploitability, .. }) = self.find(&weights, true)?;
            let bot = export::bot(&self.race, &net, &self.config, &state, &results)?;
            let mut table = score_table(&results);
            if let Some(exploitability) = exploitability {
                table += &format!("exploitability: {exploitability:.6}\n");
            }
            Ok((bot.to_bytes()?, table))
        };
        let (bot, table) = py.detach(conclude).map_err(failed)?;
        Ok((PyBytes::new(py, &bot), table))
    }
}
