//! Trains a bot by self-play and exports the bot: the whole training loop in one short program.
//!
//! ```sh
//! cargo run --release --example train ashte-kashte.bot
//! ```
//!
//! Each iteration plays games with the latest weights, while the learner learns from the games of
//! earlier iterations. Then the new games become samples with TD(λ) targets. [`TrainConfig`] has
//! all settings, with defaults. The command `ashta train` runs the same loop, writes checkpoints
//! and metrics, and can resume a run.

use std::{error::Error, path::Path, sync::Arc};

use ashta_agents::{
    arena::{MatchConfig, MatchProgress, MatchReport, play_match},
    learn::{
        config::{SelfPlayConfig, TrainConfig},
        net::LearnerDevice,
        trainer::Trainer,
    },
    network::{
        bot::{Bot, Manifest},
        evaluator::NetEvaluator,
        portable::PortableNet,
    },
    play::{
        agent::{Agent, OnePly},
        baseline::Baseline,
    },
};
use ashta_env::race::Race;

const SEED: u64 = 1;
const THREADS: usize = 2;

/// Trains a bot and writes it to `path`; returns the result of a match against the baseline
/// `greedy`.
pub fn train(path: &Path) -> Result<MatchReport, Box<dyn Error>> {
    let race = Arc::new(Race::named("ashte-kashte?pieces=2", 2)?);
    let selfplay = SelfPlayConfig {
        games: 4_000,
        ..SelfPlayConfig::default()
    };
    let config = TrainConfig {
        selfplay,
        ..TrainConfig::default()
    };
    let mut trainer = Trainer::new(&race, &config, LearnerDevice::Cpu, SEED)?;

    for plan in config.plans() {
        let (records, losses) = trainer.play_and_learn(&plan, THREADS)?;
        let report = trainer.add_games(&records, plan.lambda, false);
        if plan.iteration % 10 == 0 {
            let score = against_greedy(&race, &Arc::new(trainer.net()?), 100)
                .score
                .unwrap_or(f64::NAN);
            let loss = losses.value.map_or(f32::NAN, |losses| losses.value);
            println!(
                "{} games, {} samples: value loss {loss:.4}, score {score:.3}",
                plan.end, report.samples
            );
        }
    }
    trainer.learn(config.learning.learning_rate_at(1.0), THREADS);

    let net = Arc::new(trainer.net()?);
    let manifest = Manifest::of(&race, net.shape().clone());
    Bot {
        manifest,
        net: Arc::clone(&net),
    }
    .write(path)?;
    Ok(against_greedy(&race, &net, 1_000))
}

/// Plays pairs of games against `greedy`. The games of a pair have the same throws, and the players
/// exchange seats.
fn against_greedy(race: &Race, net: &Arc<PortableNet>, pairs: u64) -> MatchReport {
    let bot =
        || Box::new(OnePly::new(NetEvaluator::new(Arc::clone(net)))) as Box<dyn Agent<Race> + Send>;
    let config = MatchConfig {
        blocks: pairs,
        threads: THREADS,
        ..MatchConfig::default()
    };
    play_match(
        race,
        &bot,
        &|| Baseline::Greedy.agent(),
        &config,
        &MatchProgress::UNWATCHED,
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: train FILE.bot")?;
    let MatchReport {
        score, interval, ..
    } = train(Path::new(&path))?;
    let score = score.ok_or("no game was finished")?;
    println!("{path}: {score:.3} {interval:.3?} against greedy");
    Ok(())
}
