//! A run on a cluster: the training loop of `ashta train` calls a Python object, which does all the
//! work.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, anyhow};
use ashta_agents::learn::config::Plan;
use ashta_agents::learn::trainer::TrainerState;
use ashta_agents::network::portable::{NetShape, PortableNet};
use ashta_agents::play::stop::Stop;
use ashta_agents::roster::folders::Folders;
use ashta_env::game::Game as _;
use ashta_env::race::Race;
use ashta_train::run::config::Config;
use ashta_train::run::evaluation::{RunEvaluation, RunEvaluator, score_table};
use ashta_train::run::rundir::RunDir;
use ashta_train::run::runlog::{KeptGames, RunLog};
use ashta_train::run::workers::{Iteration, Workers};
use ashta_train::run::{Run, wire};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::call::PyCallArgs;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;

use super::attachments::{self, PackedAgent};
use super::{Files, read_files, write_files};
use crate::Result;
use crate::agent::folders_or_default;
use crate::interrupt::lock;

/// The workers of a cluster. This type calls a Python object, which calls the workers.
#[derive(Debug)]
struct RayWorkers {
    race: Arc<Race>,
    shape: NetShape,
    staleness: u64,
    /// `None` until the run trains.
    python: Option<Py<PyAny>>,
    /// The last plan whose games were kept or sent to actors.
    planned: Option<Plan>,
    /// Games that were kept since the newest checkpoint.
    kept: VecDeque<KeptGames>,
    /// The start of the iteration.
    begun: Instant,
}

type Anyhow<T> = anyhow::Result<T>;

/// The result of an iteration: the losses, the report and the games as messages (no games if they
/// were kept), and metrics by name.
type Played = (
    Vec<u8>,
    Vec<u8>,
    Option<Vec<Vec<u8>>>,
    BTreeMap<String, f64>,
);

impl RayWorkers {
    fn ask<T>(&self, method: &str, arguments: impl for<'py> PyCallArgs<'py>) -> Anyhow<T>
    where
        T: for<'py> FromPyObjectOwned<'py>,
    {
        let python = self
            .python
            .as_ref()
            .context("the run has no workers before it trains")?;
        Python::attach(|py| {
            let answer = python.bind(py).call_method1(method, arguments)?;
            Ok(answer.extract::<T>().map_err(Into::<PyErr>::into)?)
        })
    }

    fn ask_evaluator(&self, method: &str, iteration: u64, net: &PortableNet) -> Anyhow<()> {
        let weights = Python::attach(|py| PyArray1::from_vec(py, wire::weights(net)).unbind());
        self.ask::<Py<PyAny>>("evaluate", (method, iteration, weights))
            .map(drop)
    }

    /// Reads the games that were kept since the newest checkpoint, as long as they match the plans.
    fn read_kept(&mut self, log: &RunLog) -> Anyhow<()> {
        while let Some(plan) = log.plan(self.planned.as_ref()) {
            let kept = log.kept_games(plan.iteration)?;
            let matches =
                |kept: &KeptGames| (kept.plan.first, kept.plan.end) == (plan.first, plan.end);
            let Some(kept) = kept.filter(matches) else {
                break;
            };
            self.planned = Some(kept.plan.clone());
            self.kept.push_back(kept);
        }
        Ok(())
    }
}

impl Workers for RayWorkers {
    const ARE_ON_CLUSTER: bool = true;

    fn new(
        config: &Config,
        evaluator: RunEvaluator,
        _: Option<(PathBuf, TrainerState)>,
    ) -> Anyhow<RayWorkers> {
        let (race, staleness) = (evaluator.race, config.cluster.staleness);
        let (shape, kept) = (config.training.shape(race.spec()), VecDeque::new());
        Ok(RayWorkers {
            race,
            shape,
            staleness,
            python: None,
            planned: None,
            kept,
            begun: Instant::now(),
        })
    }

    fn begin(&mut self, iteration: u64) -> Anyhow<()> {
        self.ask::<Py<PyAny>>("begin", (iteration + 1,)).map(drop)
    }

    fn iterate(&mut self, log: &RunLog, plan: Plan) -> Anyhow<Iteration> {
        if self.planned.is_none() {
            self.begun = Instant::now();
            self.read_kept(log)?;
        }
        let kept = self.kept.pop_front();
        // Actors play the games of an iteration as soon as the weights for them exist. The weights
        // of the next iteration exist when this iteration has learned.
        let (mut ahead, last) = (Vec::new(), plan.iteration + 1 + self.staleness);
        while let Some(next) = log
            .plan(self.planned.as_ref())
            .filter(|next| next.iteration <= last)
        {
            ahead.push((next.iteration, next.first, next.end));
            self.planned = Some(next);
        }
        let plan = kept.as_ref().map_or(plan, |kept| kept.plan.clone());
        let (seconds, messages) = kept.map(|kept| (kept.seconds, kept.messages)).unzip();
        let Plan {
            iteration,
            first,
            end,
            lambda,
            learning_rate,
        } = plan;
        let games = (
            iteration,
            end - first,
            learning_rate,
            lambda,
            log.evaluates_after(iteration),
        );
        let (losses, report, played, numbers): Played =
            self.ask("iterate", (ahead, games, messages))?;
        let seconds = seconds.unwrap_or_else(|| self.begun.elapsed().as_secs_f64());
        self.begun = Instant::now();
        if let Some(messages) = played {
            log.keep(&KeptGames {
                plan: plan.clone(),
                seconds,
                messages,
            })?;
        }
        let (report, losses) = (wire::decode(&report)?, wire::decode(&losses)?);
        Ok(Iteration {
            plan,
            report,
            losses,
            seconds,
            numbers,
        })
    }

    fn learn(&mut self, rate: f64) -> Anyhow<()> {
        self.ask::<Py<PyAny>>("learn", (rate,)).map(drop)
    }

    fn net(&mut self) -> Anyhow<Arc<PortableNet>> {
        let weights: Py<PyArray1<f32>> = self.ask("average", ())?;
        let weights =
            Python::attach(|py| weights.bind(py).readonly().as_slice().map(<[f32]>::to_vec));
        let weights = weights.map_err(|_| anyhow!("the weights must be a contiguous array"))?;
        Ok(Arc::new(wire::net(&self.shape, &weights)?))
    }

    fn evaluate(
        &mut self,
        iteration: u64,
        net: &Arc<PortableNet>,
    ) -> Anyhow<Option<RunEvaluation>> {
        self.ask_evaluator("evaluate", iteration, net)?;
        Ok(None)
    }

    fn late_evaluation(&mut self, waits: bool) -> Anyhow<Option<(u64, RunEvaluation)>> {
        let found: Option<(u64, Vec<u8>)> = self.ask("late_evaluation", (waits,))?;
        found
            .map(|(iteration, found)| Ok((iteration, wire::decode(&found)?)))
            .transpose()
    }

    fn conclude(&mut self, net: &Arc<PortableNet>, _: &Stop) -> Anyhow<Option<RunEvaluation>> {
        self.ask_evaluator("conclude", 0, net)?;
        Ok(self.late_evaluation(true)?.map(|(_, found)| found))
    }

    fn is_stopped(&mut self) -> Anyhow<bool> {
        self.ask("is_stopped", ())
    }

    fn save(&mut self, dir: &Path) -> Anyhow<TrainerState> {
        let (files, state): (Files, Vec<u8>) = self.ask("save", ())?;
        write_files(dir, &files)?;
        wire::decode(&state)
    }
}

/// A training run with the workers of a cluster.
///
/// Starts in a new folder as `ashta train` does, or resumes the run in the folder `resume` from its
/// newest checkpoint. If the settings are unchanged, the run uses the games that were stored after
/// the checkpoint. With `fallback`, damaged checkpoints are renamed.
#[pyclass(frozen, module = "ashta._ashta")]
#[derive(Debug)]
pub struct TrainingRun {
    folders: Folders,
    run: Mutex<Run<RayWorkers>>,
    /// The folder of the run.
    #[pyo3(get)]
    path: PathBuf,
    /// All settings as TOML.
    #[pyo3(get)]
    config: String,
    /// The result of `numerics()` on the machine that started the run.
    #[pyo3(get)]
    numerics: String,
}

#[pymethods]
impl TrainingRun {
    #[new]
    #[pyo3(signature = (config = None, set = Vec::new(), folders = None, resume = None, fallback = false))]
    fn new(
        py: Python<'_>,
        config: Option<PathBuf>,
        set: Vec<String>,
        folders: Option<Vec<PathBuf>>,
        resume: Option<PathBuf>,
        fallback: bool,
    ) -> Result<TrainingRun> {
        let folders = folders_or_default(py, folders)?;
        let run = match &resume {
            Some(path) => Run::resume(path, &set, &folders, fallback)?,
            None => Run::start(config.as_deref(), &set, &folders)?,
        };
        let (config, rundir) = (run.log().config().to_toml(), run.log().rundir());
        let (path, numerics) = (rundir.path().to_owned(), rundir.info().numerics.clone());
        Ok(TrainingRun {
            folders,
            run: Mutex::new(run),
            path,
            config,
            numerics,
        })
    }

    /// The files of the newest checkpoint; `None` if there is none.
    fn checkpoint(&self) -> Result<Option<Files>> {
        let rundir = RunDir::open(&self.path)?;
        let newest = rundir.latest()?;
        Ok(newest
            .map(|iteration| read_files(&rundir.checkpoint(iteration)))
            .transpose()?)
    }

    /// The opponents in the settings with their files, by name, and the table of perfect play: the
    /// arguments of `RunEvaluator`.
    fn opponents(&self) -> Result<(BTreeMap<String, PackedAgent>, Files)> {
        let mut run = lock(&self.run);
        let evaluation = &run.log().config().evaluation;
        let packed =
            |spec: &String| Ok((spec.clone(), attachments::pack(&self.folders.agent(spec)?)?));
        let opponents = evaluation
            .during
            .iter()
            .chain(&evaluation.opponents)
            .map(packed)
            .collect::<Result<_>>()?;
        Ok((
            opponents,
            attachments::tables(&self.folders, &run.workers().race)?,
        ))
    }

    /// Trains until the run is over or the workers stop the run; returns whether the run is over.
    /// `workers` is a `Driver` of `ashta.ray`.
    fn train(&self, py: Python<'_>, workers: Py<PyAny>) -> Result<bool> {
        py.detach(|| {
            let mut run = lock(&self.run);
            run.workers().python = Some(workers);
            Ok(run.train(&|_| ControlFlow::Continue(()))?)
        })
    }

    /// Evaluates and exports the bot of a finished run; returns the table of results and the path
    /// of the bot.
    fn conclude(&self, py: Python<'_>) -> Result<(String, PathBuf)> {
        py.detach(|| {
            let found = lock(&self.run).conclude(&Stop::default())?;
            let (
                RunEvaluation {
                    results,
                    exploitability,
                    ..
                },
                bot,
            ) = found.context("the evaluation was stopped")?;
            let last = exploitability.map(|found| format!("exploitability: {found:.6}\n"));
            Ok((score_table(&results) + &last.unwrap_or_default(), bot))
        })
    }

    /// Ends the progress display and unlocks the folder of the run.
    fn close(&self) {
        lock(&self.run).close();
    }
}
