//! Suggests a command after an error.

use anyhow::Error;
use ashta_agents::roster::AgentError;
use ashta_env::{
    race::Race,
    ruleset::{Ruleset, RulesetError},
    sheet::builtin,
    turn_index::TurnIndex,
};

use crate::run::{config::ConfigError, games, sheet_file};

/// The command that helps after `error`. `game` is the argument `game` of the failed command.
pub fn after(error: &Error, command: &str, game: Option<&str>) -> String {
    error
        .chain()
        .find_map(|cause| suggestion(cause, game))
        .unwrap_or_else(|| format!("ashta help {command}"))
}

fn suggestion(cause: &(dyn std::error::Error + 'static), game: Option<&str>) -> Option<String> {
    match cause.downcast_ref() {
        Some(AgentError::Unknown(_)) => return Some("ashta bots".to_owned()),
        Some(AgentError::NoTable { ruleset, .. })
            if TurnIndex::new(&Race::new(Ruleset::clone(ruleset))).is_ok() =>
        {
            return Some(solve(&ruleset.to_string(), game));
        }
        Some(_) | None => {}
    }
    if let Some(error) = cause.downcast_ref::<ConfigError>() {
        let mentions = |words: &str| error.problems.iter().any(|problem| problem.contains(words));
        return match (
            mentions("unknown key"),
            mentions("unknown flag") || mentions("unknown game"),
        ) {
            (true, _) => Some("ashta train --defaults".to_owned()),
            (_, true) => Some("ashta game".to_owned()),
            _ => None,
        };
    }
    cause
        .downcast_ref::<RulesetError>()
        .map(|_| "ashta game".to_owned())
}

/// The command that solves the game of `ruleset` (`NAME?flags SEATS`) and writes the table to the
/// user's folder. If the game is not built in, the command contains the file of the sheet.
fn solve(ruleset: &str, typed: Option<&str>) -> String {
    let (game, seats) = ruleset.rsplit_once(' ').unwrap_or((ruleset, "SN"));
    let name = game.split('?').next().unwrap_or(game);
    let (game, note) = match typed.filter(|typed| sheet_file::is_file(typed)) {
        Some(typed) => (typed.to_owned(), ""),
        None if builtin::named(name).is_some() => (game.to_owned(), ""),
        None => (
            game.replacen(name, "SHEET.toml", 1),
            "   # SHEET.toml: the sheet of the game",
        ),
    };
    let folder = games::user_folder().unwrap_or_else(|| "checkpoints".into());
    let seats = match seats.len() {
        2 => String::new(),
        count => format!(" --set ruleset.seats={count}"),
    };
    format!(
        "mkdir -p {0} && ashta solve '{game}'{seats} -o {0}/{name}.table{note}",
        folder.display()
    )
}
