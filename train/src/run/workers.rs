//! The trait for the workers of a run, and the workers in threads of this process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use ashta_agents::learn::config::Plan;
use ashta_agents::learn::trainer::{MeanLosses, Report, Trainer, TrainerState};
use ashta_agents::network::portable::PortableNet;
use ashta_agents::play::stop::Stop;
use ashta_env::race::Race;

use crate::run::config::Config;
use crate::run::evaluation::{RunEvaluation, RunEvaluator};
use crate::run::runlog::RunLog;

/// The outcome of an iteration.
#[derive(Debug)]
pub struct Iteration {
    /// The plan of the games: the plan from the loop, or an earlier plan of the same games.
    pub plan: Plan,
    /// Statistics of the games.
    pub report: Report,
    /// The losses of the learner.
    pub losses: MeanLosses,
    /// Seconds of the iteration.
    pub seconds: f64,
    /// More metrics, by name.
    pub numbers: BTreeMap<String, f64>,
}

/// Plays, learns and evaluates for the training loop ([`super::Run`]). Every method fails when
/// learning has diverged, or the workers are lost.
pub trait Workers: Sized {
    /// Whether games can be played with weights of earlier iterations. Then `cluster.staleness`
    /// shapes the bot.
    const ARE_ON_CLUSTER: bool;

    /// Creates the workers of a run with these settings, from a checkpoint if there is one.
    ///
    /// # Errors
    /// When the settings are not valid for the networks, or the checkpoint does not match the
    /// settings.
    fn new(
        config: &Config,
        evaluator: RunEvaluator,
        checkpoint: Option<(PathBuf, TrainerState)>,
    ) -> Result<Self>;

    /// Prepares the iterations after iteration `_iteration`. Called before the settings are stored.
    fn begin(&mut self, _iteration: u64) -> Result<()> {
        Ok(())
    }

    /// Learns from the games of the last iteration, plays the games of `plan` at the same time, and
    /// adds the new games to the replay buffers.
    fn iterate(&mut self, log: &RunLog, plan: Plan) -> Result<Iteration>;

    /// Learns from the last added games with this learning rate.
    fn learn(&mut self, rate: f64) -> Result<()>;

    /// The current networks, for evaluation and export.
    fn net(&mut self) -> Result<Arc<PortableNet>>;

    /// Runs the short evaluation of the networks after `iteration`; `None` if the evaluation runs
    /// at the same time as training.
    fn evaluate(&mut self, iteration: u64, net: &Arc<PortableNet>)
    -> Result<Option<RunEvaluation>>;

    /// The result of the evaluation that runs at the same time as training, and its iteration.
    /// `None` if it has not ended. With `_waits`, waits for its end.
    fn late_evaluation(&mut self, _waits: bool) -> Result<Option<(u64, RunEvaluation)>> {
        Ok(None)
    }

    /// Runs the evaluation at the end of a run. Ends immediately with `None` if `stop` is set.
    fn conclude(&mut self, net: &Arc<PortableNet>, stop: &Stop) -> Result<Option<RunEvaluation>>;

    /// Whether the run must stop before its next iteration. Called before the metrics of an
    /// iteration are written.
    fn is_stopped(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Writes networks and samples into an empty folder. Returns the rest of the state of the
    /// trainer.
    fn save(&mut self, dir: &Path) -> Result<TrainerState>;
}

/// Workers in this process, on `run.threads` threads.
#[derive(Debug)]
pub struct LocalWorkers {
    evaluator: RunEvaluator,
    trainer: Trainer<Race>,
    threads: usize,
}

impl Workers for LocalWorkers {
    const ARE_ON_CLUSTER: bool = false;

    fn new(
        config: &Config,
        evaluator: RunEvaluator,
        checkpoint: Option<(PathBuf, TrainerState)>,
    ) -> Result<Self> {
        let (race, Config { run, training, .. }) = (&evaluator.race, config);
        let trainer = match checkpoint {
            None => Trainer::new(race, training, run.device, run.seed)?,
            Some((dir, state)) => Trainer::load(race, training, run.device, run.seed, &dir, state)?,
        };
        Ok(LocalWorkers {
            evaluator,
            trainer,
            threads: run.threads,
        })
    }

    fn iterate(&mut self, log: &RunLog, plan: Plan) -> Result<Iteration> {
        let clock = Instant::now();
        let (records, losses) = self.trainer.play_and_learn(&plan, self.threads)?;
        let report =
            self.trainer
                .add_games(&records, plan.lambda, log.evaluates_after(plan.iteration));
        Ok(Iteration {
            plan,
            report,
            losses,
            seconds: clock.elapsed().as_secs_f64(),
            numbers: BTreeMap::new(),
        })
    }

    fn learn(&mut self, rate: f64) -> Result<()> {
        self.trainer.learn(rate, self.threads);
        Ok(())
    }

    fn net(&mut self) -> Result<Arc<PortableNet>> {
        Ok(Arc::new(self.trainer.net()?))
    }

    fn evaluate(&mut self, _: u64, net: &Arc<PortableNet>) -> Result<Option<RunEvaluation>> {
        self.evaluator.evaluate(net).map(Some)
    }

    fn conclude(&mut self, net: &Arc<PortableNet>, stop: &Stop) -> Result<Option<RunEvaluation>> {
        self.evaluator.conclude(net, stop)
    }

    fn save(&mut self, dir: &Path) -> Result<TrainerState> {
        self.trainer.save(dir)?;
        Ok(self.trainer.state())
    }
}
