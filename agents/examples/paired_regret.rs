//! Measures the regret of several agents in the same decisions of a solved game, and its
//! differences to the first agent and the second agent.
//!
//! ```sh
//! cargo run --release --example paired_regret \
//!   checkpoints/siga.table 20000 1 checkpoints/siga.bot checkpoints/siga.bot{+2ply,+mcts:100}
//! ```
//!
//! The arguments are a table, the number of decisions, a seed, and the agents. The first agent
//! plays the games. Every fourth game begins with 0 to 11 random turns. The program judges half of
//! the turns with several distinct afterstates. The intervals are 95 % intervals; games are
//! independent, decisions of a game are not.

use std::{error::Error, path::Path, time::Instant};

use ashta_agents::{
    Agent, NamedAgent,
    perfect::table::Table,
    play::agent::{GameRng, RandomAgent},
};
use ashta_env::{
    chance,
    game::{Game, Node, Seat},
    race::{Race, state::State},
    turn::{TurnResults, turn_results},
};
use rand::Rng;

/// The sums of one game.
struct GameSums {
    decisions: f64,
    /// By agent.
    regrets: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, decisions, seed, names @ ..] = &arguments[..] else {
        return Err("usage: paired_regret TABLE DECISIONS SEED AGENT...".into());
    };
    let (decisions, seed): (f64, u64) = (decisions.parse()?, seed.parse()?);
    let table = Table::read(Path::new(table))?;
    let race = Race::new(table.ruleset().clone());
    let mut agents = Vec::new();
    for name in names {
        agents.push(name.parse::<NamedAgent>()?.player(&race)?.agent());
    }
    let mut seconds = vec![0.0; agents.len()];
    let (mut games, mut count) = (Vec::new(), 0.0);
    while count < decisions {
        let rng = chance::stream(seed, games.len() as u64);
        let random_turns = games.len() % 4 / 3 * (games.len() / 4 % 12);
        let sums = play(
            &race,
            &table,
            &mut agents,
            &mut seconds,
            rng,
            random_turns as u32,
        );
        count += sums.decisions;
        games.push(sums);
    }
    println!(
        "{count} decisions of {} games; regret per million decisions",
        games.len()
    );
    for (at, name) in names.iter().enumerate() {
        print!("{name}: {}", interval(&games, |game| game.regrets[at]));
        for base in (0..agents.len().min(2)).filter(|&base| base != at) {
            let difference = interval(&games, |game: &GameSums| {
                game.regrets[at] - game.regrets[base]
            });
            print!("; minus agent {}: {difference}", base + 1);
        }
        println!("; {:.3} ms", 1e3 * seconds[at] / count);
    }
    Ok(())
}

/// Plays a game and sums the regrets of the agents.
fn play(
    race: &Race,
    table: &Table,
    agents: &mut [Box<dyn Agent<Race> + Send>],
    seconds: &mut [f64],
    mut rng: GameRng,
    random_turns: u32,
) -> GameSums {
    let mut sums = GameSums {
        decisions: 0.0,
        regrets: vec![0.0; agents.len()],
    };
    let mut state = race.initial_state(chance::first_seat(race.spec().seats, &mut rng));
    let (mut results, mut turn) = (TurnResults::new(), 0);
    while let Some(seat) = chance::throw_dice(race, &mut state, |state, _| {
        Some(chance::outcome(race.chance_outcomes(state), rng.next_u64()))
    }) {
        let value = |end: &State| f64::from(table.values_of(end).unwrap_or_default()[seat]);
        turn_results(race, &state, &mut results);
        let is_judged = chance::below(2, &mut rng) == 0;
        if is_judged && results.len() > 1 && turn >= random_turns {
            let best = results.states().iter().map(value).fold(0.0, f64::max);
            sums.decisions += 1.0;
            for (at, agent) in agents.iter_mut().enumerate() {
                let start = Instant::now();
                let end = play_turn(race, agent, &state, seat, &mut rng);
                seconds[at] += start.elapsed().as_secs_f64();
                sums.regrets[at] += best - value(&end);
            }
        }
        state = if turn < random_turns {
            play_turn(race, &mut RandomAgent, &state, seat, &mut rng)
        } else {
            play_turn(race, &mut agents[0], &state, seat, &mut rng)
        };
        turn += 1;
    }
    sums
}

/// The afterstate that the agent reaches.
fn play_turn(
    race: &Race,
    agent: &mut impl Agent<Race>,
    state: &State,
    seat: Seat,
    rng: &mut GameRng,
) -> State {
    let mut state = *state;
    while race.node(&state) == Node::Decision(seat) {
        let action = agent.choose(race, &state, rng);
        race.apply_action(&mut state, action);
    }
    state
}

/// The mean per million decisions with its 95 % interval.
fn interval(games: &[GameSums], of: impl Fn(&GameSums) -> f64) -> String {
    let decisions: f64 = games.iter().map(|game| game.decisions).sum();
    let mean = games.iter().map(&of).sum::<f64>() / decisions;
    let square = |game: &GameSums| (of(game) - mean * game.decisions).powi(2);
    let half = 1.96 * games.iter().map(square).sum::<f64>().sqrt() / decisions;
    let [mean, low, high] = [mean, mean - half, mean + half].map(|x| 1e6 * x);
    format!("{mean:.1} [{low:.1}, {high:.1}]")
}
