//! Speed of the network, of the learner and of self-play, each on one thread.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use ashta_agents::{
    learn::{
        config::TrainConfig,
        net::{Batch, Learner, LearnerDevice},
        replay::{Part, Replay},
        selfplay::{TargetRule, play_games},
    },
    network::{
        evaluator::NetEvaluator,
        portable::{NetShape, PortableNet},
    },
    play::evaluator::Evaluator,
};
use ashta_env::{chance, game::Game, race::Race};

use crate::{Columns, Show, repeat};

/// The columns: widths of the hidden layers, evaluated positions (the time includes the making of
/// their observations), samples that the learner uses in batches of 256, and samples that self-play
/// produces while nothing is learned.
pub(crate) const COLUMNS: Columns = [
    ("hidden", 12, "hidden"),
    ("evaluations/s", 14, "evaluations_per_second"),
    ("learned/s", 14, "learned_samples_per_second"),
    ("self-play/s", 14, "selfplay_samples_per_second"),
];

/// Measures each game and width; each figure takes `seconds`.
pub(crate) fn run(races: &[Arc<Race>], seconds: f64, show: Show<'_>) -> Result<()> {
    for race in races {
        for hidden in [64, 128, 256] {
            show(
                race,
                vec![hidden].into(),
                measure(race, &[hidden], Duration::from_secs_f64(seconds))?,
            )?;
        }
    }
    Ok(())
}

fn measure(race: &Race, hidden: &[usize], time: Duration) -> Result<[f64; 3]> {
    let config = TrainConfig::default();
    let NetShape { value, policy } = NetShape::for_spec(race.spec(), hidden, hidden);
    let mut learner = Learner::new(value, &config.learning, LearnerDevice::Cpu, 1)?;
    let policy = Learner::new(policy, &config.learning, LearnerDevice::Cpu, 1)?;
    let mut evaluator =
        NetEvaluator::new(Arc::new(PortableNet::new(learner.net()?, policy.net()?)?));
    let rule = TargetRule {
        lambda: 0.8,
        luck_coefficient: 1.0,
    };
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
        record.visit(race, rule, |position| {
            states.extend(position.is_start.then_some(*position.state))
        });
    }
    states.truncate(1000);
    let mut values = Vec::new();
    let evaluations = per_second(time, || {
        evaluator.values(race, &states, &mut values);
        states.len() as u64
    });
    Ok([evaluations, learned, selfplay])
}

fn per_second(time: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let mut count = 0;
    let elapsed = repeat(time, || count += work());
    count as f64 / elapsed.as_secs_f64()
}
