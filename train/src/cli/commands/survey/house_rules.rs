//! The effect of each house rule: the value of the start with one flag changed at a time.

use std::ops::ControlFlow;

use anyhow::{Context, Error, Result, bail};
use ashta_agents::perfect::solve::{SolveConfig, SolveError, Solved, Stage, solve};
use ashta_agents::perfect::{start, start_values};
use ashta_env::race::Race;
use ashta_env::ruleset::{Ruleset, RulesetError};
use ashta_env::turn_index::{RaceTurns, TurnIndex, TurnModel};
use indicatif::ProgressBar;

use super::findings::HouseRule;
use crate::cli::commands::solve::describe;
use crate::cli::commands::terminal;

/// A ruleset to solve: what is known of it before, and the ruleset itself where there is one.
type Variation = (HouseRule, Result<Ruleset, RulesetError>);

/// Every other value of every flag: flag, value, and the ruleset with it. The number of pieces is no house rule, but
/// another game.
pub fn changes(ruleset: &Ruleset) -> Vec<(String, String, Result<Ruleset, RulesetError>)> {
    let mut changes = Vec::new();
    for flag in ruleset.flags() {
        for value in flag.values.iter().filter(|&value| *value != flag.value) {
            changes.push((flag.name.clone(), value.clone(), ruleset.with(&flag.name, value)));
        }
    }
    changes
}

/// The game itself, and then every change.
fn variations(ruleset: &Ruleset, tolerance: f64) -> Vec<Variation> {
    let rule = |text: String, flag: Option<(&str, &str)>| HouseRule {
        ruleset: text,
        flag: flag.map(|(flag, _)| flag.to_owned()),
        value: flag.map(|(_, value)| value.to_owned()),
        tolerance,
        ..HouseRule::default()
    };
    let changed = changes(ruleset).into_iter().map(|(flag, value, changed)| {
        let text = changed.as_ref().map_or_else(|_| format!("{ruleset}, {flag}={value}"), Ruleset::to_string);
        (rule(text, Some((&flag, &value))), changed)
    });
    std::iter::once((rule(ruleset.to_string(), None), Ok(ruleset.clone()))).chain(changed).collect()
}

/// Solves every variation that is not among `known` with the same tolerance, and calls `found` before the first and
/// after each with all that are known.
///
/// # Errors
/// When `found` fails.
pub fn solve_all(
    ruleset: &Ruleset,
    known: &[HouseRule],
    config: &SolveConfig,
    mut found: impl FnMut(&[HouseRule]) -> Result<()>,
) -> Result<()> {
    let variations = variations(ruleset, config.tolerance);
    let count = variations.len();
    let of = |(new, _): &Variation| known.iter().find(|rule| rule.ruleset == new.ruleset).cloned();
    let mut rules: Vec<Option<HouseRule>> = variations.iter().map(of).collect();
    found(&rules.iter().flatten().cloned().collect::<Vec<_>>())?;
    let bar = terminal::spinner("")?;
    for (at, variation) in variations.into_iter().enumerate() {
        if rules[at].as_ref().is_some_and(|rule| rule.tolerance == config.tolerance) {
            continue;
        }
        bar.set_prefix(format!("{} of {count}: {},", at + 1, variation.0.ruleset));
        rules[at] = Some(solve_one(variation, config, &bar)?);
        found(&rules.iter().flatten().cloned().collect::<Vec<_>>())?;
    }
    bar.finish_and_clear();
    Ok(())
}

fn solve_one((mut rule, ruleset): Variation, config: &SolveConfig, bar: &ProgressBar) -> Result<HouseRule> {
    let starts = ruleset.map_err(Error::new).and_then(|ruleset| Ok(TurnIndex::new(&Race::new(ruleset))?));
    let starts = match starts {
        Ok(starts) => starts,
        Err(reason) => return Ok(HouseRule { skipped: Some(reason.to_string()), ..rule }),
    };
    bar.set_message("working out the moves");
    let turns = RaceTurns::new(starts);
    let watch = |stage: &Stage| {
        bar.set_message(describe(stage));
        ControlFlow::Continue(())
    };
    match solve(&turns, start(turns.index()), None, config, &watch) {
        Ok(Solved::Solution(solution)) => {
            rule.start = start_values(turns.index(), &solution).first().copied();
            rule.residual = Some(solution.facts.residual);
            rule.positions = Some(solution.facts.positions);
        }
        Ok(Solved::Unfinished(_)) => bail!("{} was stopped", rule.ruleset),
        Err(error @ SolveError::NotConverged { .. }) => rule.skipped = Some(error.to_string()),
        Err(error) => return Err(error).context(rule.ruleset),
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(game: &str) -> Vec<String> {
        let seats = Ruleset::default_seats(2).expect("two seats");
        let found = variations(&Ruleset::parse(game, seats).expect("valid"), 1e-3);
        assert!(found[0].0.flag.is_none() && found[0].1.is_ok());
        found[1..].iter().map(|(rule, _)| rule.ruleset.clone()).collect()
    }

    #[test]
    fn every_other_value_of_every_flag_is_a_variation() {
        let all = changes("ashte-kashte?pieces=2");
        assert_eq!(all.len(), 6, "{all:?}");
        assert!(all.iter().all(|text| text.starts_with("ashte-kashte?pieces=2&")), "{all:?}");
        // From a house rule the variations lead back as well.
        let back = changes("ashte-kashte?pieces=2&path=B");
        assert!(back.contains(&"ashte-kashte?pieces=2 SN".to_owned()), "{back:?}");
    }

    #[test]
    fn what_cannot_be_played_is_skipped_and_says_why() {
        let seats = Ruleset::default_seats(2).expect("two seats");
        let ruleset = Ruleset::parse("pagade?pieces=1", seats).expect("valid");
        let is_teams =
            |rule: &HouseRule| rule.flag.as_deref() == Some("teams") && rule.value.as_deref() == Some("true");
        let teams = variations(&ruleset, 1e-3).into_iter().find(|(rule, _)| is_teams(rule));
        let config = SolveConfig { threads: 1, tolerance: 1e-3, certify: false };
        let rule = solve_one(teams.expect("a flag"), &config, &ProgressBar::hidden()).expect("skipped");
        assert!(rule.start.is_none() && rule.skipped.is_some_and(|reason| reason.contains("allowed: SENW")));
    }

    #[test]
    fn what_is_known_is_not_solved_again() {
        let seats = Ruleset::default_seats(2).expect("two seats");
        let ruleset = Ruleset::parse("ashte-kashte?pieces=1", seats).expect("valid");
        let config = SolveConfig { threads: 1, tolerance: 1e-3, certify: false };
        let mut all = Vec::new();
        fn keep(all: &mut Vec<HouseRule>, rules: &[HouseRule]) -> Result<()> {
            *all = rules.to_vec();
            Ok(())
        }
        solve_all(&ruleset, &[], &config, |rules| keep(&mut all, rules)).expect("solved");
        assert_eq!(all.len(), 7);
        let marked: Vec<HouseRule> = all.iter().map(|rule| HouseRule { start: Some(0.25), ..rule.clone() }).collect();
        let mut again = Vec::new();
        solve_all(&ruleset, &marked[1..], &config, |rules| keep(&mut again, rules)).expect("solved");
        assert_eq!(again[0], all[0], "solved");
        assert_eq!(again[1..], marked[1..], "kept");
        let other = SolveConfig { tolerance: 2e-3, ..config };
        solve_all(&ruleset, &marked, &other, |rules| keep(&mut again, rules)).expect("solved");
        assert!(again.iter().all(|rule| rule.start != Some(0.25)), "another tolerance");
    }
}
