//! The log of a run: plans the next games, and writes metrics, checkpoints and settings.
//!
//! The training loop gets plans from the log and reports results. The log owns the folder of the
//! run, but does not contain networks or games.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use ashta_agents::{
    learn::{
        config::{Plan, TrainConfig},
        trainer::{MeanLosses, Report, TrainerState},
    },
    network::portable::PortableNet,
};

use crate::run::{
    checkpoint::{self, LoopState},
    config::Config,
    evaluation::{MatchResult, Measure, RunEvaluation},
    history::History,
    metrics::{IterationStep, Metrics},
    output::remark,
    page::{schedule_change, write_training_page},
    progress::Progress,
    rundir::RunDir,
};

/// The counters of a run, and its folder.
#[derive(Debug)]
pub struct RunLog {
    config: Config,
    rundir: RunDir,
    metrics: Metrics,
    progress: Option<Progress>,
    /// The counters of the last finished iteration.
    step: IterationStep,
    best: Option<u64>,
    /// The highest measure of a checkpoint so far.
    highest: Option<Measure>,
    /// The iteration of the newest checkpoint.
    saved: u64,
    /// The settings that shape the bot, with their changes.
    history: History,
    /// Whether there was a short evaluation since the last written step.
    is_evaluated: bool,
}

/// Refuses changes of settings that are not possible during a run.
fn check_changes(then: &Config, now: &Config, step: &IterationStep) -> Result<()> {
    let (games, limit) = (now.training.selfplay.games, now.run.time_limit_minutes);
    let IterationStep {
        games: played,
        seconds,
        ..
    } = step;
    let is_past = limit != then.run.time_limit_minutes && now.time_share(*seconds) > 1.0;
    let (limit, minutes) = (limit.unwrap_or_default(), seconds / 60.0);
    ensure!(
        now.run.directory == then.run.directory,
        "`run.directory` cannot change: move the folder of the run"
    );
    ensure!(
        now.ruleset.sheet == then.ruleset.sheet,
        "`ruleset.sheet` is not the sheet of the run: start another run"
    );
    ensure!(
        games >= *played,
        "`selfplay.games` is {games}, but {played} games are played: set at least {played}"
    );
    ensure!(
        !is_past,
        "`run.time_limit_minutes` is {limit}, but the run has taken {minutes:.1} minutes: set more"
    );
    Ok(())
}

impl RunLog {
    /// Opens the log of a new run, or of a run that resumes from this `state` of its newest
    /// checkpoint.
    ///
    /// # Errors
    /// When a setting that must not change has changed, or the folder of the run cannot be written.
    pub fn open(config: Config, rundir: RunDir, state: Option<&LoopState>) -> Result<RunLog> {
        let before = Config::of_run(rundir.path(), &[])?;
        let step = state.map_or_else(
            IterationStep::default,
            |&LoopState {
                 iteration,
                 games,
                 seconds,
                 ..
             }| {
                IterationStep {
                    iteration,
                    games,
                    samples: 0,
                    seconds,
                }
            },
        );
        check_changes(&before, &config, &step)?;
        let mut history = state.map(|state| state.history.clone()).unwrap_or_default();
        if step.iteration > 0 && history == History::default() {
            history.record(0, before.shaping());
        }
        history.record(step.iteration, config.shaping());
        let schedule = |config: &Config| {
            let share = config
                .training
                .share_done(step.games, config.time_share(step.seconds));
            [
                config.training.learning.learning_rate_at(share),
                config.training.learning.lambda_at(share),
            ]
        };
        let [old, new] = [&before, &config].map(schedule);
        if let Some(change) = schedule_change(old, new).filter(|_| step.games > 0) {
            remark(format_args!("with the changed settings, {change}"));
        }
        if let Some(state) = state {
            // If the run was interrupted just after it saved this checkpoint, the mark of the best
            // checkpoint can be missing.
            rundir.mark_best(state.best)?;
        }
        let log = RunLog {
            metrics: Metrics::open(rundir.path(), state.map(|state| state.iteration))?,
            progress: Some(Progress::new(config.training.selfplay.games, step.games)),
            config,
            rundir,
            step,
            best: state.and_then(|state| state.best),
            highest: state.and_then(|state| state.highest.clone()),
            saved: step.iteration,
            history,
            is_evaluated: false,
        };
        let is_idle = |key: &str| {
            ["selfplay.", "learning."]
                .iter()
                .any(|part| key.starts_with(part))
                && key != "selfplay.games"
                && key != "learning.ema"
        };
        let idle = log
            .history
            .changes()
            .find(|(after, key, ..)| *after == step.iteration && is_idle(key));
        if let Some((.., key, _, _)) = idle.filter(|_| log.is_over()) {
            bail!(
                "`{key}` has no effect, because the run is over: also set a larger `selfplay.games`"
            );
        }
        Ok(log)
    }

    /// The settings of the run.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The folder of the run.
    pub fn rundir(&self) -> &RunDir {
        &self.rundir
    }

    /// Stores the settings in the folder of the run, after the trainer has accepted them.
    pub fn accept(&self) -> Result<()> {
        self.rundir.store_config(&self.config.to_toml())
    }

    /// Finished iterations.
    pub fn iteration(&self) -> u64 {
        self.step.iteration
    }

    /// The plan of the next games; `None` when the run is over.
    pub fn plan(&self) -> Option<Plan> {
        let IterationStep {
            iteration,
            games,
            seconds,
            ..
        } = self.step;
        self.config
            .training
            .plan(iteration, games, self.config.time_share(seconds))
    }

    /// Whether all games are played, or the time limit is reached.
    pub fn is_over(&self) -> bool {
        self.plan().is_none()
    }

    /// Whether there is a short evaluation after `iteration`.
    pub fn evaluates_after(&self, iteration: u64) -> bool {
        iteration.is_multiple_of(self.config.evaluation.every_iterations)
    }

    /// Adds the results of a plan, which took `seconds`.
    pub fn finish(&mut self, plan: &Plan, report: &Report, losses: &MeanLosses, seconds: f64) {
        let (iteration, all_games, all_seconds) =
            (plan.iteration, plan.end, self.step.seconds + seconds);
        self.step = IterationStep {
            iteration,
            games: all_games,
            samples: report.samples,
            seconds: all_seconds,
        };
        let games = report.tally.games as f64;
        let per_second = |count: f64| count / seconds.max(1e-9);
        let TrainConfig { learning, .. } = &self.config.training;
        let share = self
            .config
            .training
            .share_done(all_games, self.config.time_share(all_seconds));
        let (value, policy) = (losses.value, losses.policy);
        let finished = games - report.tally.truncated as f64;
        let of_finished = |sum: f64| (finished > 0.0).then(|| sum / finished);
        [
            ("train/value_loss", value.map(|losses| losses.value.into())),
            (
                "train/gradient_norm",
                value.map(|losses| losses.gradient_norm.into()),
            ),
            (
                "train/policy_loss",
                policy.map(|losses| losses.policy.into()),
            ),
            (
                "train/policy_entropy",
                policy.map(|losses| losses.policy_entropy.into()),
            ),
            (
                "train/learning_rate",
                Some(learning.learning_rate_at(share)),
            ),
            ("train/lambda", Some(learning.lambda_at(share))),
            (
                "selfplay/turns_per_game",
                Some(report.tally.turns as f64 / games),
            ),
            ("selfplay/games_per_second", Some(per_second(games))),
            (
                "selfplay/samples_per_second",
                Some(per_second(report.added as f64)),
            ),
            ("selfplay/luck_coefficient", Some(report.luck_coefficient)),
            (
                "selfplay/first_seat_score",
                of_finished(report.tally.first_seat_returns),
            ),
            (
                "selfplay/drawn_share",
                Some(report.tally.drawn as f64 / games),
            ),
            (
                "selfplay/truncated_share",
                Some(report.tally.truncated as f64 / games),
            ),
        ]
        .iter()
        .for_each(|&(tag, value)| value.into_iter().for_each(|value| self.scalar(tag, value)));
        if self.evaluates_after(iteration) {
            self.metrics.histogram("selfplay/turns", &report.turns);
            self.metrics
                .histogram("selfplay/value_targets", &report.targets);
        }
    }

    /// The last written line of metrics, as JSON; empty if no line was written.
    pub fn last_line(&self) -> &str {
        self.metrics.last.trim_end()
    }

    /// Adds a number to the metrics of the last finished iteration.
    pub fn scalar(&mut self, tag: &str, value: f64) {
        self.metrics.scalar(tag, value);
    }

    /// Adds the weights of each layer to the metrics, as histograms.
    pub fn weights(&mut self, net: &PortableNet) {
        for (network, mlp) in [("value", net.value()), ("policy", net.policy())] {
            for (name, (weights, _)) in mlp
                .shape()
                .layer_names()
                .zip(mlp.shape().split(mlp.parameters()))
            {
                self.metrics
                    .histogram(&format!("weights/{network}.{name}"), weights);
            }
        }
    }

    /// Adds the short evaluation after the last finished iteration to the metrics. Returns whether
    /// this evaluation is the best so far.
    pub fn evaluated(&mut self, evaluation: &RunEvaluation) -> bool {
        self.is_evaluated = true;
        for MatchResult {
            opponent,
            report,
            regret,
            ..
        } in &evaluation.results
        {
            if let Some(score) = report.score {
                self.metrics
                    .scalar(&format!("eval/vs_{opponent}/score"), score);
                self.metrics.scalar(
                    &format!("eval/vs_{opponent}/drawn_share"),
                    report.drawn_share(),
                );
            }
            self.metrics.scalar(
                &format!("eval/vs_{opponent}/truncated_games"),
                report.truncated_games as f64,
            );
            if let Some(regret) = regret {
                self.metrics
                    .scalar("eval/regret_per_decision", regret.regret_per_decision.mean);
                self.metrics
                    .scalar("eval/optimal_choices", regret.optimal_choices.mean);
                self.metrics
                    .scalar("eval/luck_adjusted_score", regret.luck_adjusted_score.mean);
            }
        }
        if let Some(exploitability) = evaluation.exploitability {
            self.metrics.scalar("eval/exploitability", exploitability);
        }
        let is_best = evaluation
            .measure()
            .is_some_and(|found| found.is_best(&mut self.highest));
        if is_best {
            self.best = Some(self.step.iteration);
        }
        is_best
    }

    /// Shows the progress and writes the metrics of the last finished iteration. After a short
    /// evaluation, also writes the report page of the run (`report.html`).
    pub fn write(&mut self) -> Result<()> {
        self.metrics.write(self.step)?;
        let time_left = self
            .config
            .run
            .time_limit_minutes
            .map(|minutes| 60.0 * minutes - self.step.seconds);
        if let Some(progress) = &mut self.progress {
            progress.update(self.step.games, &self.metrics.latest, time_left);
        }
        if std::mem::take(&mut self.is_evaluated) {
            write_training_page(self.rundir.path(), &self.config.run.name)?;
        }
        Ok(())
    }

    /// Ends the display of the progress. If all games were played before the time limit, prints a
    /// remark.
    pub fn end_progress(&mut self) {
        let Some(progress) = self.progress.take() else {
            return;
        };
        progress.finish();
        let IterationStep { games, seconds, .. } = self.step;
        let limit = self
            .config
            .run
            .time_limit_minutes
            .filter(|limit| self.is_over() && seconds < 60.0 * limit);
        if let Some(limit) = limit {
            let minutes = seconds / 60.0;
            remark(format_args!(
                "all {games} games are played after {minutes:.1} of {limit} minutes: `selfplay.games` ended the run"
            ));
        }
    }

    /// Saves a checkpoint of the last finished iteration, unless it exists. `write` writes networks
    /// and samples into a folder and returns the rest of the state of the trainer.
    pub fn save(&mut self, write: impl FnOnce(&Path) -> Result<TrainerState>) -> Result<()> {
        let IterationStep {
            iteration,
            games,
            seconds,
            ..
        } = self.step;
        if self.saved < iteration {
            // A resumed run needs the metrics up to its checkpoint.
            self.metrics.sync()?;
            self.rundir.save_checkpoint(iteration, |dir| {
                let (trainer, config, history) =
                    (write(dir)?, self.config.to_toml(), self.history.clone());
                let (best, highest) = (self.best, self.highest.clone());
                let state = LoopState {
                    iteration,
                    games,
                    trainer,
                    seconds,
                    best,
                    highest,
                    best_score: None,
                    config,
                    history,
                };
                checkpoint::save_state(dir, &state)
            })?;
            self.rundir.mark_best(self.best)?;
            self.rundir.prune(self.config.run.keep_checkpoints)?;
            self.saved = iteration;
        }
        Ok(())
    }
}
