//! `ashta rollout`: estimates the value of a position, or of each choice in it, by games from
//! there.

use anyhow::{Result, ensure};
use ashta_agents::perfect::rollout::{Rollout, RolloutConfig, rollout};
use ashta_env::{
    game::{BySeat, Game, Node, Seat},
    turn::{TurnResults, turn_results},
};
use serde_json::{Value, json};

use super::play::position_of;
use crate::{
    cli::RolloutArgs,
    run::{
        games,
        output::{columns, print, print_json},
    },
};

/// Runs the command.
///
/// # Errors
/// When the position is not valid or its turn is too large, or an agent does not exist or plays
/// another game.
pub fn run(args: &RolloutArgs) -> Result<()> {
    let agent = games::agent(&args.agent)?;
    let (race, state) = position_of("POSITION", &args.position, args.game.as_deref(), &agent)?;
    let player = games::player(&agent, &race)?;
    let reference = games::reference(&args.values, &race)?;
    ensure!(
        args.error >= 0.0,
        "--error is {}, but must be 0 or more",
        args.error
    );
    ensure!(
        args.turns.is_none() || reference.is_some(),
        "--turns needs --values for the last positions of the games"
    );
    let mut results = TurnResults::new();
    turn_results(&race, &state, &mut results);
    let states = if results.is_empty() {
        vec![state]
    } else {
        results.states().to_vec()
    };
    let (games, turns, seed) = (args.games, args.turns, args.seed);
    let config = RolloutConfig {
        games,
        turns,
        error: args.error,
        seed,
        threads: args.threads.into(),
    };
    let values = reference.as_ref().map(|reference| || reference.evaluator());
    let values = values.as_ref().map(|make| make as _);
    let found = rollout(&race, &states, &|| player.agent(), values, &config, &|| {
        false
    });

    let seats: Vec<Seat> = race.spec().seats.iter().collect();
    let text = |at: usize| race.turn_text(&state, results.actions(at));
    let mut order: Vec<usize> = (0..found.len()).collect();
    let mover = match race.node(&state) {
        Node::Chance(seat) | Node::Decision(seat) => seat,
        Node::Terminal => seats[0],
    };
    order.sort_by(|&a, &b| found[b].mean[mover].total_cmp(&found[a].mean[mover]));
    if args.json {
        let by_seat = |of: &BySeat<f64>| -> Value {
            seats
                .iter()
                .map(|&seat| (seat.to_string(), of[seat]))
                .collect()
        };
        let result = |&at: &usize| {
            let Rollout {
                games,
                truncated,
                mean,
                error,
            } = &found[at];
            let turn = (!results.is_empty()).then(|| text(at));
            let position = race.print(&states[at]);
            json!({ "turn": turn, "position": position, "games": games, "truncated": truncated, "mean": by_seat(mean), "standard_error": by_seat(error) })
        };
        return print_json(&json!({
            "position": race.print(&state),
            "agent": agent.to_string(),
            "values": reference.as_ref().map(|reference| &reference.name),
            "turns": turns,
            "seed": seed,
            "results": order.iter().map(result).collect::<Vec<_>>(),
        }));
    }
    let luck = reference
        .as_ref()
        .map_or("without luck correction".to_owned(), |reference| {
            format!("luck corrected by the values of {}", reference.name)
        });
    print(format_args!("{agent} plays all seats; {luck}"))?;
    let rows: Vec<(String, usize, Seat)> = match results.is_empty() {
        true => seats
            .iter()
            .map(|&seat| (seat.to_string(), 0, seat))
            .collect(),
        false => order.iter().map(|&at| (text(at), at, mover)).collect(),
    };
    let mut table = vec![["", "mean", "error", "games"].map(str::to_owned)];
    table.extend(rows.into_iter().map(|(what, at, seat)| {
        let Rollout {
            games, mean, error, ..
        } = &found[at];
        match games {
            0 => [what, "-".to_owned(), "-".to_owned(), games.to_string()],
            _ => [
                what,
                format!("{:.5}", mean[seat]),
                format!("± {:.5}", error[seat]),
                games.to_string(),
            ],
        }
    }));
    print(columns(&table, |column| column > 0))?;
    let how = if reference.is_some() {
        "count with the value of their last position"
    } else {
        "do not count"
    };
    match found.iter().map(|rollout| rollout.truncated).sum::<u64>() {
        0 => Ok(()),
        truncated => print(format_args!(
            "games that reached the turn limit: {truncated}; they {how}"
        )),
    }
}
