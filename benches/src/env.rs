//! Speed of the rules: random legal play on one thread, one game at a time, and many games together
//! (in lock-step: each step makes one action in every game).

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use ashta_env::{
    chance::{self, GameRng, below},
    game::{Action, Game, Node},
    gym::{Caller, VecBuffers, VecEnv},
    race::{Race, state::State},
};
use ndarray::{Array1, Array2};
use rand::Rng;

use crate::{Columns, Show, repeat};

/// The columns: whether many games run in lock-step (otherwise one game runs at a time), actions
/// (including forced ones), throws, and finished games.
pub(crate) const COLUMNS: Columns = [
    ("vectorised", 10, "vectorised"),
    ("decisions/s", 14, "decisions_per_second"),
    ("throws/s", 14, "chance_nodes_per_second"),
    ("games/s", 10, "games_per_second"),
];

/// Number of games in lock-step in the vectorised rows.
const LOCK_STEP: usize = 256;

/// Measures every game; each row takes `seconds` and is the median of three measurements.
pub(crate) fn run(races: &[Arc<Race>], seconds: f64, show: Show<'_>) -> Result<()> {
    let time = Duration::from_secs_f64(seconds / 3.0);
    for vectorised in [false, true] {
        for race in races {
            let measure = |seed| {
                if vectorised {
                    lock_step(race, time, seed)
                } else {
                    one_game(race, time, seed)
                }
            };
            let mut tries = [0, 1, 2].map(measure);
            tries.sort_by(|a, b| a[0].total_cmp(&b[0]));
            show(race, vectorised.into(), tries[1])?;
        }
    }
    Ok(())
}

fn one_game(race: &Race, time: Duration, seed: u64) -> [f64; 3] {
    let mut rng = chance::stream(seed, 0);
    let (mut decisions, mut chance_nodes, mut games) = (0, 0, 0);
    let mut state = start(race, &mut rng);
    // The benchmark drops a game when its number of throws exceeds the turn limit.
    let (limit, mut throws) = (u64::from(race.spec().turn_limit), 0);
    let elapsed = repeat(time, || {
        // Reading the clock only once per 2,048 decisions costs little time.
        for _ in 0..2048 {
            let draw = |state: &State, _| {
                throws += 1;
                (throws <= limit)
                    .then(|| chance::outcome(race.chance_outcomes(state), rng.next_u64()))
            };
            if chance::throw_dice(race, &mut state, draw).is_some() {
                let legal = race.legal_actions(&state);
                let action = legal
                    .nth(below(legal.len(), &mut rng))
                    .expect("a decision has a legal action");
                race.apply_action(&mut state, action);
                decisions += 1;
            } else {
                games += u64::from(race.node(&state) == Node::Terminal);
                chance_nodes += throws.min(limit);
                throws = 0;
                state = start(race, &mut rng);
            }
        }
    });
    [decisions, chance_nodes + throws, games].map(|count| count as f64 / elapsed.as_secs_f64())
}

fn start(race: &Race, rng: &mut GameRng) -> State {
    race.initial_state(chance::first_seat(race.spec().seats, rng))
}

fn lock_step(race: &Arc<Race>, time: Duration, seed: u64) -> [f64; 3] {
    let spec = race.spec();
    let mut env = VecEnv::new(race, LOCK_STEP, Caller::All);
    let mut observations = Array2::<f32>::zeros((LOCK_STEP, spec.observation));
    let mut masks = Array2::from_elem((LOCK_STEP, spec.actions), false);
    let mut players = Array1::zeros(LOCK_STEP);
    let mut returns = Array2::zeros((LOCK_STEP, spec.seats.len()));
    let (mut terminated, mut truncated) = (
        Array1::from_elem(LOCK_STEP, false),
        Array1::from_elem(LOCK_STEP, false),
    );
    let mut buffers = VecBuffers {
        observations: observations.view_mut(),
        masks: masks.view_mut(),
        players: players.view_mut(),
        returns: returns.view_mut(),
        terminated: terminated.view_mut(),
        truncated: truncated.view_mut(),
    };
    let mut rng = chance::stream(seed, 1);
    let (mut decisions, mut games) = (0, 0);
    let mut actions = vec![Action(0); LOCK_STEP];
    env.reset(seed, &mut buffers);
    let elapsed = repeat(time, || {
        for _ in 0..16 {
            for (action, mask) in actions.iter_mut().zip(buffers.masks.rows()) {
                let legal = mask.iter().filter(|&&is_legal| is_legal).count();
                let nth = below(legal, &mut rng);
                // A finished game has no legal action; the next step resets it.
                if let Some((chosen, _)) = mask
                    .iter()
                    .enumerate()
                    .filter(|&(_, &is_legal)| is_legal)
                    .nth(nth)
                {
                    *action = Action(chosen as u8);
                    decisions += 1;
                }
            }
            env.step(&actions, &mut buffers)
                .expect("the actions are legal");
            games += buffers
                .terminated
                .iter()
                .filter(|&&is_over| is_over)
                .count() as u64;
        }
    });
    [decisions, env.throws(), games].map(|count| count as f64 / elapsed.as_secs_f64())
}
