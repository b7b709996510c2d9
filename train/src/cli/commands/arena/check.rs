//! `ashta engine --check`: tests whether a program keeps the rules of the protocol for engines.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use ashta_agents::arena::Contestant;
use ashta_env::{
    chance::{self, random_decisions},
    game::Game,
    race::{Race, state::State},
};
use serde_json::{Value, json};

use super::{
    engine::{Limits, Program, Running},
    entrant::ErrorFiles,
};
use crate::{
    cli::commands::{game::TRIED_GAMES, terminal},
    run::{
        games,
        output::{in_line, print},
    },
};

/// The number of decisions of random play that an engine must answer.
const DECISIONS: usize = 40;
/// The time in which an engine must end after its standard input is closed.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Checks the program of `command` in `game`; a choice may take `patience`.
///
/// # Errors
/// When the program breaks a rule, or the game does not exist.
pub fn run(command: &str, game: &str, patience: Duration) -> Result<()> {
    let race = games::race_of(Some(game), None, &[])?;
    let limits = Limits {
        patience,
        stop: terminal::stop(),
    };
    if decisions(&race).is_empty() {
        bail!("{game} has no choices: check the program in another game");
    }
    let mut errors = ErrorFiles::new(None);
    let program = Program::new(command, errors.of(0)?, limits)?;
    let stop = terminal::on_interrupt("stopping (press Ctrl-C again to stop now)")?;
    let wrong = || format!("the program does not answer `hello` as an engine of {game}");
    program.hello(&race).with_context(wrong)?;
    let rules: [(&str, Rule); 3] = [
        ("chooses a legal action in time", choices),
        (
            "answers a wrong request with an error and continues",
            wrong_requests,
        ),
        ("ends when its standard input is closed", quits),
    ];
    let mut broken = 0;
    for (rule, check) in rules {
        let found = check(&program, &race);
        if stop.is_set() {
            bail!("the check was stopped");
        }
        match found {
            Ok(()) => print(format_args!("ok      {rule}"))?,
            Err(problem) => {
                broken += 1;
                print(format_args!(
                    "broken  {rule}: {}",
                    in_line(&format!("{problem:#}"))
                ))?;
            }
        }
    }
    if let Err(problem) = repeats(&program, &race) {
        print(format_args!(
            "note    games cannot be repeated: {}",
            in_line(&format!("{problem:#}"))
        ))?;
    }
    if broken > 0 {
        bail!("the program breaks {broken} of {} rules", rules.len());
    }
    Ok(())
}

/// Tests one rule with a new process.
type Rule = fn(&Program, &Race) -> Result<()>;

/// Decisions of random games with more than one legal action; none if the game has no such
/// decision.
fn decisions(race: &Race) -> Vec<State> {
    (0..TRIED_GAMES)
        .flat_map(|game| random_decisions(race, game))
        .filter(|state| race.legal_actions(state).len() > 1)
        .take(DECISIONS)
        .collect()
}

fn choices(program: &Program, race: &Race) -> Result<()> {
    let mut player = program.player();
    for state in decisions(race) {
        player
            .try_act(race, &[state], &mut [chance::stream(2, 0)])
            .remove(0)?;
    }
    Ok(())
}

fn wrong_requests(program: &Program, race: &Race) -> Result<()> {
    let (mut running, _) = Running::start(program)?;
    let first = race
        .spec()
        .seats
        .iter()
        .next()
        .map(|seat| race.print(&race.initial_state(seat)));
    for request in [
        json!({"op": "no-such-operation"}),
        json!({"op": "bestmove", "seed": 1}),
        json!({"op": "bestmove", "position": "nonsense", "seed": 1}),
        json!({"op": "bestmove", "position": first, "seed": 1}),
    ] {
        let answer = running.ask(request.clone(), program.limits.patience)?;
        if !answer["error"].is_object() {
            bail!("the answer to {request} has no object `error`");
        }
    }
    let hello: Value = running.ask(json!({"op": "hello"}), program.limits.patience)?;
    ensure!(
        hello["name"].is_string(),
        "it does not answer `hello` again"
    );
    Ok(())
}

fn repeats(program: &Program, race: &Race) -> Result<()> {
    let mut players = [program.player(), program.player()];
    for state in decisions(race) {
        let mut choose = |at: usize| {
            players[at]
                .try_act(race, &[state], &mut [chance::stream(3, 0)])
                .remove(0)
        };
        let (first, second) = (choose(0)?, choose(1)?);
        if first != second {
            let position = race.print(&state);
            bail!(
                "at `{position}` it chose {} and, in another process, {}",
                first.0,
                second.0
            );
        }
    }
    Ok(())
}

fn quits(program: &Program, _: &Race) -> Result<()> {
    let (mut running, _) = Running::start(program)?;
    ensure!(
        running.ends_within(END_TIMEOUT),
        "it still runs after {:.1} s",
        END_TIMEOUT.as_secs_f64()
    );
    Ok(())
}
