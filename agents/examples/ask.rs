//! Evaluates positions with an agent: reads a position from each line and writes the answer as a
//! line of JSON.
//!
//! ```sh
//! echo "ashtapada S:5,30/N:off,23 S 4,2" |
//!   cargo run --release --example ask checkpoints/ashtapada.bot
//! ```
//!
//! Each answer has the legal actions, the entries of the observation that are 1, the values of the
//! seats, and the action that the agent chooses. The action is `null` if the dice must be thrown
//! first.

use std::{
    error::Error,
    io::{BufRead, Write},
};

use ashta_agents::{Agent as _, Evaluator as _, NamedAgent};
use ashta_env::{
    chance,
    game::{Game, Node},
    race::Race,
};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let agent: NamedAgent = std::env::args()
        .nth(1)
        .ok_or("usage: ask AGENT < POSITIONS")?
        .parse()?;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let (race, state) = Race::parse_position(&line?)?;
        let seat = match race.node(&state) {
            Node::Chance(seat) | Node::Decision(seat) => seat,
            Node::Terminal => return Err("the game is over: give a position in play".into()),
        };
        let player = agent.player(&race)?;
        let legal: Vec<u8> = race
            .legal_actions(&state)
            .iter()
            .map(|action| action.0)
            .collect();
        let mut observation = vec![0.0; race.spec().observation];
        race.observe(&state, seat, &mut observation);
        let columns: Vec<usize> = (0..observation.len())
            .filter(|&column| observation[column] == 1.0)
            .collect();
        let mut values = Vec::new();
        player.evaluator().values(&race, &[state], &mut values);
        let values: Vec<f32> = race
            .spec()
            .seats
            .iter()
            .map(|seat| values[0][seat])
            .collect();
        let action = (!legal.is_empty()).then(|| {
            player
                .agent()
                .choose(&race, &state, &mut chance::stream(0, 0))
                .0
        });
        writeln!(
            output,
            "{}",
            json!({"legal": legal, "observation": columns, "values": values, "action": action})
        )?;
    }
    Ok(())
}
