//! A game of your own that is not a race: Pig. The example implements [`Game`], trains a bot by
//! self-play, writes, loads and exports the bot, and solves the game. The bot beats the rule that
//! collects the most points per turn, and comes close to perfect play.
//!
//! ```sh
//! cargo run --release --example own_game [GAMES]
//! ```
//!
//! The seat on turn throws a die as often as it likes. Each throw adds its points to the turn, but
//! a 1 loses the points of the turn and ends the turn. A seat can also hold: it stops throwing,
//! keeps the points and passes the die to the other seat. The first seat with [`GOAL`] points wins.

use std::{error::Error, path::Path, sync::Arc};

use ashta_agents::{
    arena::{MatchConfig, MatchProgress, MatchReport, play_match},
    learn::{
        config::{SelfPlayConfig, TrainConfig},
        net::LearnerDevice,
        trainer::Trainer,
    },
    network::bot::{Bot, Manifest, Probe},
    perfect::any::{best_response, regret_in, solve_any},
    play::agent::{Agent, GameRng},
};
use ashta_env::game::{
    Action, ActionMask, BySeat, Chances, Game, Node, Outcome, Payoff, Seat, SeatSet, Spec,
};

const GOAL: u8 = 50;
const THROW: Action = Action(0);
const HOLD: Action = Action(1);
/// Number of entries of an observation for one number of points, 0 to [`GOAL`].
const POINTS: usize = GOAL as usize + 1;

/// The rules and everything else that does not change in a game.
#[derive(Debug)]
pub struct Pig {
    spec: Spec,
    die: Chances,
    nothing: Chances,
}

/// A position, with everything that the rest of the game depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PigState {
    points: BySeat<u8>,
    seat: Seat,
    /// Points of this turn, which [`HOLD`] would keep.
    turn: u8,
    phase: Phase,
}

/// The next step of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Throw,
    Choose,
    /// A 1 was thrown: the only action passes the die to the other seat.
    Lost,
}

impl Pig {
    /// The game for two seats.
    pub fn for_two() -> Pig {
        // Before a throw, an observation has the points of both seats, the points of the turn, and
        // the seat on turn. After a throw, it has two more entries.
        let start_observation = 3 * POINTS + 1;
        let spec = Spec {
            name: "pig".to_owned(),
            seats: SeatSet::of(&[Seat::SOUTH, Seat::NORTH]),
            payoff: Payoff::Winner,
            teams: BySeat(Seat::ALL.map(|seat| SeatSet::of(&[seat]))),
            actions: 2,
            observation: start_observation + 2,
            start_observation,
            encoding: 1,
            ruleset_hash: 1,
            turn_limit: 1_000,
        };
        Pig {
            spec,
            die: vec![1.0 / 6.0; 6].into(),
            nothing: Chances::NONE,
        }
    }
}

impl Game for Pig {
    type State = PigState;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn initial_state(&self, first: Seat) -> PigState {
        PigState {
            points: BySeat::default(),
            seat: first,
            turn: 0,
            phase: Phase::Throw,
        }
    }

    fn node(&self, state: &PigState) -> Node {
        match state.phase {
            _ if state.points.0.contains(&GOAL) => Node::Terminal,
            Phase::Throw => Node::Chance(state.seat),
            Phase::Choose | Phase::Lost => Node::Decision(state.seat),
        }
    }

    fn chance_outcomes(&self, state: &PigState) -> &Chances {
        if matches!(self.node(state), Node::Chance(_)) {
            &self.die
        } else {
            &self.nothing
        }
    }

    fn legal_actions(&self, state: &PigState) -> ActionMask {
        match (self.node(state), state.phase) {
            (Node::Decision(_), Phase::Choose) => [THROW, HOLD].into_iter().collect(),
            (Node::Decision(_), _) => [HOLD].into_iter().collect(),
            _ => ActionMask::EMPTY,
        }
    }

    fn apply_chance(&self, state: &mut PigState, outcome: Outcome) {
        let room = GOAL - state.points[state.seat];
        (state.turn, state.phase) = match outcome.0 {
            0 => (0, Phase::Lost),
            number => ((state.turn + number + 1).min(room), Phase::Choose),
        };
    }

    fn apply_action(&self, state: &mut PigState, action: Action) {
        state.phase = Phase::Throw;
        if action == HOLD {
            state.points[state.seat] += state.turn;
            (state.turn, state.seat) = (0, state.seat.rotated(2));
        }
    }

    fn returns(&self, state: &PigState) -> BySeat<f32> {
        BySeat(
            state
                .points
                .0
                .map(|points| f32::from(u8::from(points == GOAL))),
        )
    }

    fn observe_active(&self, state: &PigState, seat: Seat, active: &mut Vec<u16>) {
        let numbers = [
            state.points[seat],
            state.points[seat.rotated(2)],
            state.turn,
        ];
        active.extend(
            numbers
                .iter()
                .enumerate()
                .map(|(place, &points)| (place * POINTS) as u16 + u16::from(points)),
        );
        let flags = [
            state.seat == seat,
            state.phase == Phase::Choose,
            state.phase == Phase::Lost,
        ];
        active.extend(
            (0..3)
                .filter(|&flag| flags[flag])
                .map(|flag| (3 * POINTS + flag) as u16),
        );
    }
}

/// Holds with 20 or more points in a turn, because one more throw would then lose at least as much
/// as it gains on average.
#[derive(Debug)]
pub struct HoldAtTwenty;

impl Agent<Pig> for HoldAtTwenty {
    fn act(&mut self, game: &Pig, states: &[PigState], _rngs: &mut [GameRng]) -> Vec<Action> {
        let holds =
            |state: &PigState| state.turn >= 20 || state.points[state.seat] + state.turn == GOAL;
        let choose = |state| {
            if holds(state) || !game.legal_actions(state).contains(THROW) {
                HOLD
            } else {
                THROW
            }
        };
        states.iter().map(choose).collect()
    }
}

/// Trains a bot by `games` games of self-play and writes it to `path`.
pub fn train(pig: &Arc<Pig>, games: u64, path: &Path) -> Result<(), Box<dyn Error>> {
    let selfplay = SelfPlayConfig {
        games,
        ..SelfPlayConfig::default()
    };
    let config = TrainConfig {
        selfplay,
        ..TrainConfig::default()
    };
    let mut trainer = Trainer::new(pig, &config, LearnerDevice::Cpu, 1)?;
    for plan in config.plans() {
        let (records, _) = trainer.play_and_learn(&plan, 2)?;
        trainer.add_games(&records, plan.lambda, false);
    }
    trainer.learn(config.learning.learning_rate_at(1.0), 2);
    let net = Arc::new(trainer.net()?);
    let mut manifest = Manifest::new(pig.spec(), net.shape().clone());
    // A probe lets readers of the file check their results.
    let mut active = Vec::new();
    pig.observe_active(&pig.initial_state(Seat::SOUTH), Seat::SOUTH, &mut active);
    let probe = Probe::new("start".to_owned(), Seat::SOUTH, active, &net);
    manifest.probes.push(probe);
    Ok(Bot { manifest, net }.write(path)?)
}

/// Plays a match of the bot against `HoldAtTwenty`.
pub fn play(pig: &Pig, bot: &Bot) -> MatchReport {
    let learned = || Box::new(bot.agent()) as Box<dyn Agent<Pig> + Send>;
    let rule = || Box::new(HoldAtTwenty) as Box<dyn Agent<Pig> + Send>;
    let config = MatchConfig {
        blocks: 10_000,
        threads: 2,
        ..MatchConfig::default()
    };
    play_match(pig, &learned, &rule, &config, &MatchProgress::UNWATCHED)
}

fn main() -> Result<(), Box<dyn Error>> {
    let pig = Arc::new(Pig::for_two());
    let games = std::env::args()
        .nth(1)
        .map_or(Ok(20_000), |games| games.parse())?;
    let path = std::env::temp_dir().join("pig.bot");
    train(&pig, games, &path)?;
    let bot = Bot::load_for(&path, pig.spec())?;
    std::fs::write(path.with_extension("onnx"), bot.to_onnx("pig")?)?;
    let MatchReport {
        score, interval, ..
    } = play(&pig, &bot);
    let score = score.ok_or("no game was finished")?;
    println!("{score:.3} {interval:.3?} against holding at twenty");

    let solved = solve_any(&*pig, 1_000_000, 1e-9)?;
    let start = solved.value(&pig.initial_state(Seat::SOUTH));
    println!("value of the start: {:.6}", start.ok_or("no start")?);
    let regret = regret_in(&*pig, &solved, &mut bot.agent(), 2_000, 1);
    println!("the bot loses {:.5} per decision", regret.mean);
    let worst = best_response(&*pig, &mut bot.agent(), Seat::SOUTH, 1_000_000, 1e-9)?
        .value(&pig.initial_state(Seat::SOUTH));
    println!(
        "the bot scores at least {:.4} if it begins",
        worst.ok_or("no start")?
    );
    Ok(())
}
