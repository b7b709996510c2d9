//! What a network can represent: one is taught the exact values of a solved game, and its regret is measured on
//! decisions that it was not taught. It learns nothing from games of its own, so what it loses is due to its inputs and
//! its shape.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use ashta_agents::learn::net::{Batch, Learner};
use ashta_agents::learn::replay::{Part, Replay};
use ashta_agents::learn::selfplay::TrainingPosition;
use ashta_agents::network::evaluator::NetEvaluator;
use ashta_agents::network::portable::{NetShape, PortableNet};
use ashta_agents::play::evaluator::Evaluator;
use ashta_env::chance::{self, GameRng};
use ashta_env::game::{BySeat, Game, Node, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::turn::{TurnResults, turn_results};
use rand::Rng;
use serde::Serialize;

use super::BenchRow;
use crate::cli::BenchCapacityArgs;
use crate::run::config::Config;
use crate::run::games;

/// The share of the turns that are played at random in the games from which the network is taught.
const EXPLORATION: f64 = 0.2;
/// The decisions of perfect play on which it is measured; fewer where ten times as many turns do not have them.
const DECISIONS: usize = 50_000;

/// The network after one pass over all positions.
#[derive(Clone, Debug, Serialize)]
pub struct CapacityRow {
    /// The number of the pass, from 1 on.
    pub pass: u32,
    /// Positions that were taught in each pass.
    pub positions: usize,
    /// Columns of their observation.
    pub columns: usize,
    /// Entries of it that are 1, in the mean.
    pub active: f64,
    /// Mean regret of a decision with more than one afterstate.
    pub regret_per_decision: f64,
    /// Root of the mean squared error of the values of their afterstates.
    pub error: f64,
    /// Seconds of learning so far.
    pub seconds: f64,
}

impl BenchRow for CapacityRow {
    const HEADING: &'static str = "pass  positions  columns  active  regret per decision    error  seconds";

    fn line(&self) -> String {
        let CapacityRow { pass, positions, columns, active, regret_per_decision: regret, error, seconds } = self;
        format!("{pass:>4} {positions:>10} {columns:>8} {active:>7.1} {regret:>20.6} {error:>8.5} {seconds:>8.1}")
    }
}

/// Teaches and measures.
pub(super) fn run(args: &BenchCapacityArgs, show: &mut dyn FnMut(CapacityRow) -> Result<()>) -> Result<()> {
    let config = Config::load(Some(&args.config), &args.set)?;
    let race = games::configured(&config.ruleset)?;
    if race.spec().seats.len() != 2 {
        bail!("{} has more than two seats, and a table is not exact then", race.ruleset());
    }
    let perfect = games::folders().perfect(&race);
    let perfect = perfect.with_context(|| format!("there is no table of {}", race.ruleset()))?;
    let mut replay = Replay::new(Part::Starts, usize::MAX, 0);
    let mut active = (Vec::new(), 0);
    let mut walk = PerfectGames::new(&race, perfect.evaluator(), config.run.seed);
    for _ in 0..args.turns {
        walk.turn(EXPLORATION);
        for (state, &values) in walk.results.states().iter().zip(&walk.values) {
            if let Node::Chance(seat) = race.node(state) {
                replay.add_position(&race, &TrainingPosition { state, seat, is_start: true, values, policy: &[] });
                race.observe_active(state, seat, &mut active.0);
                active.1 += active.0.len();
                active.0.clear();
            }
        }
    }
    let mut walk = PerfectGames::new(&race, perfect.evaluator(), config.evaluation.seed);
    let mut decisions = Vec::new();
    for _ in 0..10 * DECISIONS {
        let seat = walk.turn(0.0);
        if walk.results.len() > 1 {
            let exact: Vec<f32> = walk.values.iter().map(|values| values[seat]).collect();
            decisions.push((seat, walk.results.states().to_vec(), exact));
        }
        if decisions.len() == DECISIONS {
            break;
        }
    }
    if decisions.is_empty() || replay.is_empty() {
        bail!("{} leaves nothing to choose, so there is nothing to teach or to measure", race.ruleset());
    }
    let NetShape { value, policy } = config.training.shape(race.spec());
    let learning = &config.training.learning;
    // It is asked for nothing, but a bot has one.
    let policy = Learner::new(policy, learning, config.run.device, config.run.seed)?.net()?;
    let mut learner = Learner::new(value, learning, config.run.device, config.run.seed)?;
    let (mut batch, mut rng) = (Batch::default(), chance::stream(config.run.seed, u64::MAX));
    let steps = (replay.len() / learning.batch).max(1);
    let mut seconds = 0.0;
    for pass in 0..args.passes {
        let clock = Instant::now();
        for step in 0..steps {
            let done = (f64::from(pass) + step as f64 / steps as f64) / f64::from(args.passes);
            let share = 1.0 - done * (1.0 - learning.final_learning_rate_share);
            replay.draw(learning.batch, &mut rng, &mut batch);
            learner.step(&batch, learning.learning_rate * share);
        }
        seconds += clock.elapsed().as_secs_f64();
        let net = Arc::new(PortableNet::new(learner.net()?, policy.clone())?);
        let (regret_per_decision, error) = measure(&race, &mut NetEvaluator::new(net), &decisions);
        let (positions, columns) = (replay.len(), race.spec().start_observation);
        let active = active.1 as f64 / positions as f64;
        show(CapacityRow { pass: pass + 1, positions, columns, active, regret_per_decision, error, seconds })?;
    }
    Ok(())
}

/// The mean regret of decisions, each a seat with its afterstates and their exact values, and the error of all values.
fn measure(race: &Race, net: &mut NetEvaluator, decisions: &[(Seat, Vec<State>, Vec<f32>)]) -> (f64, f64) {
    let (mut regret, mut error, mut count, mut found) = (0.0, 0.0, 0, Vec::new());
    for (seat, states, exact) in decisions {
        net.values(race, states, &mut found);
        let own: Vec<f32> = found.iter().map(|values| values[*seat]).collect();
        regret += f64::from(exact[best(exact)] - exact[best(&own)]);
        error += own.iter().zip(exact).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        count += exact.len();
    }
    (regret / decisions.len() as f64, (error / count as f64).sqrt())
}

/// The place of the largest value.
fn best(values: &[f32]) -> usize {
    (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0)
}

/// Game after game of perfect play.
struct PerfectGames<'a> {
    race: &'a Race,
    perfect: Box<dyn Evaluator<Race> + Send>,
    rng: GameRng,
    state: State,
    /// The afterstates of the turn, none where there was nothing to decide, and their exact values.
    results: TurnResults<State>,
    values: Vec<BySeat<f32>>,
}

impl PerfectGames<'_> {
    fn new(race: &Race, perfect: Box<dyn Evaluator<Race> + Send>, seed: u64) -> PerfectGames<'_> {
        let mut rng = chance::stream(seed, 0);
        let state = race.initial_state(chance::first_seat(race.spec().seats, &mut rng));
        PerfectGames { race, perfect, rng, state, results: TurnResults::new(), values: Vec::new() }
    }

    /// Plays one turn, at random with the probability `exploration`, and says whose it was.
    fn turn(&mut self, exploration: f64) -> Seat {
        let PerfectGames { race, perfect, rng, state, results, values } = self;
        if race.node(state) == Node::Terminal {
            *state = race.initial_state(chance::first_seat(race.spec().seats, rng));
        }
        let mut whose = Seat::SOUTH;
        while let Node::Chance(seat) = race.node(state) {
            whose = seat;
            let outcome = chance::outcome(race.chance_outcomes(state), rng.next_u64());
            race.apply_chance(state, outcome);
        }
        turn_results(*race, state, results);
        perfect.values(race, results.states(), values);
        let is_random = (chance::below(1 << 20, rng) as f64) < exploration * f64::from(1 << 20);
        let own: Vec<f32> = values.iter().map(|values| values[whose]).collect();
        match results.len() {
            0 => {}
            count if is_random => *state = *results.state(chance::below(count, rng)),
            _ => *state = *results.state(best(&own)),
        }
        whose
    }
}
