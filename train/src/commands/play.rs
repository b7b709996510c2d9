//! `ashta play`: a person against an agent in the terminal.

use std::hash::{BuildHasher, RandomState};
use std::io::{IsTerminal, Write};

use anyhow::{Context, Result, bail};
use ashta_env::flags::Sets;
use ashta_env::game::{Game, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::ruleset::Rules;

use crate::cli::PlayArgs;
use crate::games;
use crate::play::{Session, Style, Table};

/// Seeds that nobody asked for are below this, so that they are quickly typed.
const SEEDS: u64 = 1_000_000;

/// Runs the command.
///
/// # Errors
/// When there is no such agent, game or seat, or the record cannot be written.
pub fn run(args: &PlayArgs) -> Result<()> {
    let agent = games::agent(&args.agent)?;
    let (race, position) = match &args.position {
        Some(text) => {
            let (race, state) = Race::parse(text).context("--position")?;
            agent.check(&race).with_context(|| args.agent.clone())?;
            (race, Some(state))
        }
        None => (games::of(&args.game, &[&agent])?, None),
    };
    let table = Table {
        persons: persons(&race, &args.seat)?,
        agent: agent.agent(),
        judge: agent.evaluator(),
        agent_name: agent.spec().to_string(),
        seed: args.seed.unwrap_or_else(|| RandomState::new().hash_one(0) % SEEDS),
        position,
        shows_chances: args.show,
        style: Style::of(std::io::stdout().is_terminal(), std::env::var_os("NO_COLOR").as_deref()),
        race: &race,
    };
    // Created before the game, so that nobody plays for a record that cannot be written.
    let record = args.record.as_deref().map(|path| {
        std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display())).map(|file| (path, file))
    });
    let record = record.transpose()?;
    let mut session = Session::new(table, std::io::stdin().lock(), std::io::stdout().lock());
    session.play().context("the terminal is gone")?;
    if let Some((path, mut file)) = record {
        writeln!(file, "{}", session.record().join("\n"))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The seats that the person plays: the one asked for, or its whole team where a team has one mind.
fn persons(race: &Race, seat: &str) -> Result<SeatSet> {
    let seats = race.spec().seats;
    let mut letters = seat.chars().map(|letter| Seat::from_letter(letter.to_ascii_uppercase()));
    let seat = match (letters.next().flatten(), letters.next()) {
        (Some(seat), None) if seats.contains(seat) => seat,
        _ => bail!("`--seat {seat}`: the seats of this game are {seats:?}"),
    };
    let has_one_mind = matches!(race.ruleset().rules(), Rules::Pagade(rules) if rules.two == Sets::TwoSets);
    Ok(if has_one_mind { race.spec().teams[seat] } else { SeatSet::of(&[seat]) })
}
