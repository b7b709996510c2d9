//! Calibration of the [levels of difficulty](crate::play::level): finds the temperatures of a bot
//! in games against itself.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use ashta_env::game::{BySeat, Game};

use super::{
    Ending, Interval, MatchConfig, MatchProgress, MatchReport, PlayedGame, analyze_turns,
    play_watched_match,
};
use crate::play::{
    agent::{Agent, OnePly, Pick, softmax},
    evaluator::Evaluator,
    level::{Calibration, Level},
};

/// Blocks of games for each estimate of a temperature.
const GUESS_BLOCKS: u64 = 100;
/// Number of estimates of each temperature; each estimate uses positions from games with the
/// previous estimate.
const GUESSES: usize = 3;
/// The bisection searches temperatures between these powers of ten.
const EXPONENTS: (f32, f32) = (-5.0, 1.0);
const HALVINGS: usize = 20;
/// A temperature so high that all afterstates are equally likely.
const RANDOM: f32 = 1e6;

/// Finds the temperature of each level for a bot with the values of `evaluator`. Then measures each
/// level in a match with the settings `config`. The games that estimate temperatures have another
/// seed. Returns `None` if all games of a level are truncated.
pub fn calibrate<G, E>(game: &G, evaluator: &E, config: &MatchConfig) -> Option<Vec<Calibration>>
where
    G: Game,
    E: Evaluator<G> + Clone + Send + Sync + 'static,
{
    let guess = MatchConfig {
        blocks: GUESS_BLOCKS,
        seed: !config.seed,
        ..*config
    };
    let random = play(game, evaluator, RANDOM, &guess).expected(RANDOM);
    let mut temperature = RANDOM;
    let calibrate = |(level, target)| {
        for _ in 0..GUESSES {
            temperature = play(game, evaluator, temperature, &guess).temperature(target);
        }
        let played = play(game, evaluator, temperature, config);
        let regret = played.regret();
        Some(Calibration {
            level,
            temperature,
            regret: regret.mean,
            regret_interval: regret.interval,
            games: played.report.games,
            score: played.report.score?,
            score_interval: played.report.interval,
        })
    };
    Level::ALL
        .into_iter()
        .filter_map(|level| Some((level, level.share()? * random)))
        .map(calibrate)
        .collect()
}

/// Games between the bot with a temperature and the bot without noise.
struct CalibrationGames {
    report: MatchReport,
    /// The decisions of each block.
    blocks: BTreeMap<u64, Decisions>,
}

/// Turns with more than one afterstate.
#[derive(Default)]
struct Decisions {
    /// For each turn, the regret of each afterstate: the value that choosing it would lose.
    losses: Vec<Vec<f32>>,
    /// Sum of the regrets of the chosen afterstates.
    regret: f64,
}

impl CalibrationGames {
    /// The regret per decision.
    fn regret(&self) -> Interval {
        let column = |of: fn(&Decisions) -> f64| self.blocks.values().map(of).collect::<Vec<f64>>();
        Interval::ratio(
            &column(|block| block.regret),
            &column(|block| block.losses.len() as f64),
        )
    }

    /// The expected regret per decision at a `temperature`, in the positions of these games.
    fn expected(&self, temperature: f32) -> f64 {
        let (mut lost, mut turns) = (0.0, 0.0);
        for losses in self.blocks.values().flat_map(|block| &block.losses) {
            let weights = softmax(losses.iter().map(|loss| -loss), temperature);
            let (total, sum) =
                weights
                    .zip(losses)
                    .fold((0.0, 0.0), |(total, sum), (weight, loss)| {
                        (total + f64::from(weight), sum + f64::from(weight * loss))
                    });
            lost += sum / total;
            turns += 1.0;
        }
        if turns > 0.0 { lost / turns } else { 0.0 }
    }

    /// The temperature at which the expected regret per decision is `target`.
    fn temperature(&self, target: f64) -> f32 {
        let (mut low, mut high) = EXPONENTS;
        for _ in 0..HALVINGS {
            let middle = f32::midpoint(low, high);
            let is_weak = self.expected(10_f32.powf(middle)) > target;
            if is_weak { high = middle } else { low = middle }
        }
        10_f32.powf(f32::midpoint(low, high))
    }
}

/// Plays games between the bot with this temperature and the bot without noise.
fn play<G, E>(game: &G, evaluator: &E, temperature: f32, config: &MatchConfig) -> CalibrationGames
where
    G: Game,
    E: Evaluator<G> + Clone + Send + Sync + 'static,
{
    let weak = || {
        Box::new(OnePly::picking(
            evaluator.clone(),
            Pick::Softmax(temperature),
        )) as Box<dyn Agent<G> + Send>
    };
    let whole = || Box::new(OnePly::new(evaluator.clone())) as Box<dyn Agent<G> + Send>;
    let blocks: Mutex<BTreeMap<u64, Decisions>> = Mutex::default();
    let watch = |played: &PlayedGame| {
        if played.ending == Ending::Truncated {
            return None;
        }
        let turns = analyze_turns(game, &mut evaluator.clone(), played, 0);
        let mut blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
        for turn in turns.iter().filter(|turn| turn.is_choice()) {
            let best = f64::from(turn.after_throw()[turn.seat]);
            let loss = |values: &BySeat<f32>| (best - f64::from(values[turn.seat])) as f32;
            let block = blocks.entry(played.block).or_default();
            block.losses.push(turn.values.iter().map(loss).collect());
            block.regret += f64::from(turn.regret() as f32);
        }
        None
    };
    let report = play_watched_match(
        game,
        &weak,
        &whole,
        config,
        &MatchProgress::UNWATCHED,
        &watch,
    );
    CalibrationGames {
        report,
        blocks: blocks.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::network::{
        evaluator::NetEvaluator,
        portable::{Mlp, NetShape, PortableNet},
    };
    use ashta_env::testing::toy::Toy;

    #[test]
    fn levels_have_the_regret_they_are_meant_to() {
        let game = Toy::two();
        let shape = NetShape::for_spec(game.spec(), &[16], &[4]);
        let parameters = |count: usize| {
            (0..count)
                .map(|at| ((at * 37 % 101) as f32 - 50.0) / 40.0)
                .collect::<Vec<_>>()
        };
        let mlp = |shape: &crate::network::portable::MlpShape| {
            Mlp::new(shape.clone(), &parameters(shape.parameters())).expect("a valid network")
        };
        let net =
            PortableNet::new(mlp(&shape.value), mlp(&shape.policy)).expect("networks of one game");
        let evaluator = NetEvaluator::new(Arc::new(net));
        let config = MatchConfig {
            blocks: 300,
            seed: 3,
            ..MatchConfig::default()
        };
        let random = play(&game, &evaluator, RANDOM, &config).regret().mean;
        let levels = calibrate(&game, &evaluator, &config).expect("games end");
        assert_eq!(
            levels.iter().map(|found| found.level).collect::<Vec<_>>(),
            Level::ALL[..4]
        );
        for found in &levels {
            let share = found.regret / random;
            let target = found.level.share().expect("a level with noise");
            assert!(
                (share / target - 1.0).abs() < 0.25,
                "{}: {share} instead of {target}",
                found.level
            );
            assert_eq!(found.games, 600);
        }
        assert!(levels.is_sorted_by(|a, b| a.temperature > b.temperature && a.regret > b.regret));
        assert_eq!(
            calibrate(
                &game,
                &evaluator,
                &MatchConfig {
                    threads: 2,
                    ..config
                }
            ),
            Some(levels)
        );
    }
}
