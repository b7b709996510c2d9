//! The workers of a run: actors play, the trainer learns, and the evaluator evaluates.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use anyhow::{Context, anyhow};
use ashta_agents::learn::numerics::fingerprint;
use ashta_agents::learn::selfplay::play_games;
use ashta_agents::learn::trainer;
use ashta_agents::network::evaluator::NetEvaluator;
use ashta_agents::network::portable::PortableNet;
use ashta_agents::play::stop::Stop;
use ashta_agents::roster::folders::Folders;
use ashta_env::game::Game as _;
use ashta_env::race::Race;
use ashta_train::run::checkpoint::{LoopState, load_state};
use ashta_train::run::config::Config;
use ashta_train::run::{evaluation, games, wire};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::attachments::{PackedAgent, unpack};
use super::{Files, read_files, scratch};
use crate::Result;
use crate::interrupt::lock;

/// A checksum of some floating-point results. Machines that round numbers differently have
/// different checksums, and compute slightly different games and networks.
#[pyfunction]
pub fn numerics() -> String {
    format!("{:08x}", fingerprint())
}

fn settings(config: &str) -> Result<(Config, Arc<Race>)> {
    let config = Config::from_toml(config)?;
    let race = Arc::new(games::configured(&config.ruleset)?);
    Ok((config, race))
}

type Weights<'py> = PyReadonlyArray1<'py, f32>;

fn network(config: &Config, race: &Race, weights: &Weights<'_>) -> Result<Arc<PortableNet>> {
    let weights = weights
        .as_slice()
        .map_err(|_| anyhow!("the weights must be a contiguous array"))?;
    Ok(Arc::new(wire::net(
        &config.training.shape(race.spec()),
        weights,
    )?))
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
    fn new(config: &str) -> Result<SelfPlay> {
        let (config, race) = settings(config)?;
        Ok(SelfPlay { config, race })
    }

    /// Plays the games `first` to `end - 1` with these weights; returns a message with their
    /// records.
    fn play(&self, py: Python<'_>, weights: Weights<'_>, first: u64, end: u64) -> Result<Vec<u8>> {
        let net = network(&self.config, &self.race, &weights)?;
        Ok(py.detach(|| {
            let (config, seed) = (&self.config.training, self.config.run.seed);
            let records = play_games(
                &*self.race,
                &mut NetEvaluator::new(net),
                config,
                seed,
                first..end.max(first),
            );
            wire::encode_games(&self.race, &records)
        })?)
    }
}

/// Learns from the games of a run.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct Trainer {
    race: Arc<Race>,
    /// Boxed, because the tensors need a larger alignment than Python gives its objects.
    trainer: Mutex<Box<trainer::Trainer<Race>>>,
    threads: usize,
}

fn sent<'py>(py: Python<'py>, net: &PortableNet) -> Bound<'py, PyArray1<f32>> {
    PyArray1::from_vec(py, wire::weights(net))
}

#[pymethods]
impl Trainer {
    /// Starts from new networks, or from the files of a checkpoint.
    #[new]
    #[pyo3(signature = (config, files = None))]
    fn new(py: Python<'_>, config: &str, files: Option<Files>) -> Result<Trainer> {
        py.detach(|| {
            let (config, race) = settings(config)?;
            let (Config { run, training, .. }, threads) =
                (&config, config.cluster.learner_cores.max(1) as usize);
            let trainer = match files {
                None => trainer::Trainer::new(&race, training, run.device, run.seed)?,
                Some(files) => {
                    let folder = scratch(&files)?;
                    let LoopState { trainer, .. } = load_state(folder.path())?;
                    trainer::Trainer::load(
                        &race,
                        training,
                        run.device,
                        run.seed,
                        folder.path(),
                        trainer,
                    )?
                }
            };
            Ok(Trainer {
                race,
                trainer: Mutex::new(Box::new(trainer)),
                threads,
            })
        })
    }

    /// Runs the learning steps that are due, with this learning rate; returns the weights for
    /// self-play and a message with the losses.
    fn learn<'py>(
        &self,
        py: Python<'py>,
        learning_rate: f64,
    ) -> Result<(Bound<'py, PyArray1<f32>>, Vec<u8>)> {
        let (net, losses) = py.detach(|| -> Result<_> {
            let mut trainer = lock(&self.trainer);
            let losses = trainer.learn(learning_rate, self.threads);
            Ok((trainer.latest_net()?, wire::encode(&losses)?))
        })?;
        Ok((sent(py, &net), losses))
    }

    /// Adds the games in `messages` to the replay buffers, in this order and with TD(λ) targets;
    /// returns a message with the report.
    fn add_games(
        &self,
        py: Python<'_>,
        messages: Vec<Vec<u8>>,
        lambda_: f64,
        wants_details: bool,
    ) -> Result<Vec<u8>> {
        py.detach(|| {
            let mut records = Vec::new();
            for message in &messages {
                records.extend(wire::decode_games(&self.race, message)?);
            }
            Ok(wire::encode(&lock(&self.trainer).add_games(
                &records,
                lambda_,
                wants_details,
            ))?)
        })
    }

    /// The weights for self-play.
    fn weights<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f32>>> {
        Ok(sent(py, &py.detach(|| lock(&self.trainer).latest_net())?))
    }

    /// The weights for evaluation and export.
    fn average<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f32>>> {
        Ok(sent(py, &py.detach(|| lock(&self.trainer).net())?))
    }

    /// The files of a checkpoint, without the counters of the run, and a message with the state of
    /// the trainer.
    fn save(&self, py: Python<'_>) -> Result<(Files, Vec<u8>)> {
        py.detach(|| {
            let (folder, trainer) = (scratch(&Files::new())?, lock(&self.trainer));
            trainer.save(folder.path())?;
            Ok((read_files(folder.path())?, wire::encode(&trainer.state())?))
        })
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

#[pymethods]
impl RunEvaluator {
    #[new]
    fn new(
        py: Python<'_>,
        config: &str,
        opponents: BTreeMap<String, PackedAgent>,
        tables: Files,
    ) -> Result<RunEvaluator> {
        py.detach(|| {
            let (config, race) = settings(config)?;
            let folder = scratch(&tables)?;
            let folders = Folders::from(vec![folder.path().to_owned()]);
            let agent = |spec: &str| {
                let sent = opponents.get(spec);
                unpack(
                    sent.with_context(|| {
                        format!("the opponent {spec} was not sent to this machine")
                    })?,
                    &folders,
                )
            };
            let perfect = folders.perfect(&race);
            let evaluator = evaluation::RunEvaluator::new(&race, &config, &agent, perfect)?;
            Ok(RunEvaluator {
                config,
                race,
                evaluator: Mutex::new(evaluator),
            })
        })
    }

    /// Runs a short evaluation; returns a message with the results.
    fn evaluate(&self, py: Python<'_>, weights: Weights<'_>) -> Result<Vec<u8>> {
        let net = network(&self.config, &self.race, &weights)?;
        py.detach(|| Ok(wire::encode(&lock(&self.evaluator).evaluate(&net)?)?))
    }

    /// Runs the final evaluation; returns a message with the results.
    fn conclude(&self, py: Python<'_>, weights: Weights<'_>) -> Result<Vec<u8>> {
        let net = network(&self.config, &self.race, &weights)?;
        py.detach(|| {
            let found = lock(&self.evaluator).conclude(&net, &Stop::default())?;
            Ok(wire::encode(&found.context("the evaluation was stopped")?)?)
        })
    }
}
