//! `ashta play`: a game of a person against an agent in the terminal.

use std::{fs::File, sync::Arc};

use anyhow::{Context, Result, bail, ensure};
use ashta_agents::{play::throws::random_seed, roster::NamedAgent};
use ashta_env::{
    game::{Game, Seat, SeatSet},
    race::{Race, state::State},
};

use crate::{
    cli::{
        PlayArgs,
        play::{PlayTable, Session},
    },
    report::analysis::is_bounded,
    run::{config::usual_game, games, output::in_line},
};

/// Reads a position of a built-in game, of the game of `agent`, or of the sheet that `--game`
/// names.
///
/// # Errors
/// When the text is not a position of such a game, or its turn is too large. The message contains
/// `argument`, the name of the argument.
pub fn position_of(
    argument: &str,
    text: &str,
    game: Option<&str>,
    agent: &NamedAgent,
) -> Result<(Race, State)> {
    let mut sheets = games::sheets_of(&[agent]);
    if let Some(game) = game {
        sheets.add(Arc::clone(
            games::ruleset(&sheets, game, None)
                .context("--game")?
                .base(),
        ))?;
    }
    let (race, state) = Race::parse_in(&sheets, text).with_context(|| argument.to_owned())?;
    ensure!(
        is_bounded(&race, &state),
        "{argument}: its turn is too large"
    );
    Ok((race, state))
}

/// Random seeds are below this number, so that a person can type them quickly.
const SEEDS: u64 = 1_000_000;

/// Runs the command.
///
/// # Errors
/// When the agent, the game or the seat does not exist, or the record cannot be written.
pub fn run(args: &PlayArgs) -> Result<()> {
    let agent = games::agent(&args.agent)?;
    let (race, position) = match &args.position {
        Some(text) => {
            let (race, state) = position_of("--position", text, args.game.game.as_deref(), &agent)?;
            (race, Some(state))
        }
        None => {
            let usual = || (agent.bot().is_none() && agent.table().is_none()).then(usual_game);
            let game = args.game.game.clone().or_else(usual);
            (
                games::race_of(game.as_deref(), args.game.seats, &[&agent])?,
                None,
            )
        }
    };
    let player = games::player(&agent, &race)?;
    let table = PlayTable {
        persons: persons(&race, &args.seat)?,
        agent: player.agent(),
        evaluator: player.evaluator(),
        agent_name: in_line(&agent.to_string()),
        seed: args.seed.unwrap_or_else(|| random_seed() % SEEDS),
        position,
        shows_chances: args.show,
        record: args.record.clone(),
        race: &race,
    };
    // Create the file before the game, so that a game is not played without its record.
    if let Some(path) = &args.record {
        File::create_new(path)
            .with_context(|| format!("cannot create the record {}", path.display()))?;
    }
    let mut session = Session::new(table, std::io::stdin().lock(), std::io::stdout().lock());
    session.play().context("the game was stopped")
}

/// The seats of the person: the seat of `--seat`, or its whole team if one player plays for a team.
fn persons(race: &Race, seat: &str) -> Result<SeatSet> {
    let seats = race.spec().seats;
    let found = seat
        .parse()
        .ok()
        .and_then(|letter: char| Seat::from_letter(letter.to_ascii_uppercase()));
    let Some(seat) = found.filter(|&found| seats.contains(found)) else {
        bail!("--seat {seat}: the seats of this game are {seats:?}");
    };
    let has_one_mind = race.ruleset().sheet().seats.one_mind;
    Ok(if has_one_mind {
        race.spec().teams[seat]
    } else {
        SeatSet::of(&[seat])
    })
}
