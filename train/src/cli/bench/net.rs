//! Speed of the network, of the learner and of self-play, each on one thread.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use ashta_agents::learn::config::TrainConfig;
use ashta_agents::learn::net::{Batch, Learner, LearnerDevice};
use ashta_agents::learn::replay::{Part, Replay};
use ashta_agents::learn::selfplay::{TargetRule, play_games};
use ashta_agents::network::evaluator::NetEvaluator;
use ashta_agents::network::portable::{NetShape, PortableNet};
use ashta_agents::play::evaluator::Evaluator;
use ashta_env::chance;
use ashta_env::game::Game;
use ashta_env::race::Race;
use serde::Serialize;

use super::{BenchRow, repeat};

/// One row of the benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct NetSpeed {
    /// The game with its flags.
    pub game: String,
    /// Number of seats.
    pub seats: usize,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Evaluated positions per second; the time includes the making of their observations.
    pub evaluations_per_second: f64,
    /// Samples that the learner uses per second, in batches of 256.
    pub learned_samples_per_second: f64,
    /// Samples that self-play produces per second, while nothing is learned.
    pub selfplay_samples_per_second: f64,
}

impl BenchRow for NetSpeed {
    const HEADING: &'static str =
        "game                 seats       hidden  evaluations/s      learned/s    self-play/s";

    fn line(&self) -> String {
        let (game, seats, hidden) = (&self.game, self.seats, format!("{:?}", self.hidden));
        let (evaluated, learned, played) =
            (self.evaluations_per_second, self.learned_samples_per_second, self.selfplay_samples_per_second);
        format!("{game:<20} {seats:>5} {hidden:>12} {evaluated:>14.0} {learned:>14.0} {played:>14.0}")
    }
}

/// Measures each game and width; each figure takes `seconds`.
pub(super) fn run(races: &[Arc<Race>], seconds: f64, show: &mut dyn FnMut(NetSpeed) -> Result<()>) -> Result<()> {
    for race in races {
        for hidden in [64, 128, 256] {
            show(measure(race, &[hidden], Duration::from_secs_f64(seconds))?)?;
        }
    }
    Ok(())
}

fn measure(race: &Race, hidden: &[usize], time: Duration) -> Result<NetSpeed> {
    let config = TrainConfig::default();
    let NetShape { value, policy } = NetShape::for_spec(race.spec(), hidden, hidden);
    let mut learner = Learner::new(value, &config.learning, LearnerDevice::Cpu, 1)?;
    let policy = Learner::new(policy, &config.learning, LearnerDevice::Cpu, 1)?;
    let mut evaluator = NetEvaluator::new(Arc::new(PortableNet::new(learner.net()?, policy.net()?)?));
    let rule = TargetRule { lambda: 0.8, luck_coefficient: 1.0 };
    let mut replay = Replay::new(Part::Starts, 100_000, 0);
    let mut number = 0;
    let selfplay = per_second(time, || {
        let before = replay.added();
        for record in play_games(race, &mut evaluator, &config, 1, number..number + 64) {
            replay.add(race, &record, rule);
        }
        number += 64;
        replay.added() - before
    });
    let mut batch = Batch::default();
    let mut rng = chance::stream(1, 1);
    let learned = per_second(time, || {
        replay.draw(256, &mut rng, &mut batch);
        learner.step(&batch, 1e-3);
        256
    });
    let mut states = Vec::new();
    for record in play_games(race, &mut evaluator, &config, 2, 0..4) {
        record.visit(race, rule, |position| states.extend(position.is_start.then_some(*position.state)));
    }
    states.truncate(1000);
    let mut values = Vec::new();
    let evaluations = per_second(time, || {
        evaluator.values(race, &states, &mut values);
        states.len() as u64
    });
    Ok(NetSpeed {
        game: race.spec().name.clone(),
        seats: race.spec().seats.len(),
        hidden: hidden.to_vec(),
        evaluations_per_second: evaluations,
        learned_samples_per_second: learned,
        selfplay_samples_per_second: selfplay,
    })
}

fn per_second(time: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let mut count = 0;
    let elapsed = repeat(time, || count += work());
    count as f64 / elapsed.as_secs_f64()
}
