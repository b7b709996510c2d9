//! `ashta survey`: what a solved game of two seats is like.

mod findings;
mod house_rules;
mod pictures;

use std::path::Path;
use std::sync::Arc;

use crate::run::config::Config;
use crate::run::games;
use crate::run::output::{print, print_json};
use anyhow::{Context, Result, bail};
use ashta_agents::arena::{Interval, MatchConfig, MatchProgress};
use ashta_agents::perfect::solve::SolveConfig;
use ashta_agents::perfect::survey::{Shortlist, Surveyed, SurveyedPosition, VarianceShares, Whose, survey};
use ashta_agents::perfect::table::{Perfect, Table};
use ashta_agents::roster::BUILT_IN;
use ashta_env::game::Game;
use ashta_env::race::Race;

use super::terminal;
use crate::cli::SurveyArgs;
use findings::{HouseRule, Opponent, Record, Start, TableFacts};
pub use house_rules::changes;

/// Positions that are listed.
const POSITIONS: usize = 12;

/// Runs the command.
///
/// # Errors
/// When there is no table of the game, or the folder cannot be written or holds a survey of another game.
pub fn run(args: &SurveyArgs) -> Result<()> {
    let config = Config::load(Some(&args.config), &args.set)?;
    let race = games::configured(&config.ruleset)?;
    if race.spec().seats.len() != 2 {
        bail!("a survey is of games of two seats; {} has {}", race.ruleset(), race.spec().seats.len());
    }
    let table = perfect_play(args, &race)?;
    let known = findings::prepare(&args.output, race.ruleset())?;
    terminal::on_interrupt(None, "stopped; what is in survey.json stays, and the same command goes on with it")?;

    let mut record = play(args, &race, &table, known)?;
    let mut pictures = save(&record, &args.output)?;
    if args.house_rules {
        let solving = SolveConfig { threads: args.threads.into(), tolerance: args.tolerance, certify: false };
        let known = record.house_rules.clone();
        house_rules::solve_all(race.ruleset(), &known, &solving, |rules| {
            record.house_rules = rules.to_vec();
            pictures = save(&record, &args.output)?;
            Ok(())
        })?;
    }
    if args.json {
        return print_json(&record);
    }
    report(&record)?;
    let folder = args.output.display();
    print(format_args!("\nin {folder}: survey.json, {}", pictures.join(", ")))
}

/// The table that the command line names, or the one that is at hand.
fn perfect_play(args: &SurveyArgs, race: &Race) -> Result<Arc<Table>> {
    let Some(path) = &args.table else {
        let player = games::folders().perfect(race);
        let table = player.as_ref().and_then(|player| player.table()).map(Arc::clone);
        return table.with_context(|| {
            format!(
                "there is no table of {}: make one with `ashta solve {} -o FILE`, and name it with --table FILE",
                race.ruleset(),
                args.config.display()
            )
        });
    };
    let table = Table::read(path)?;
    if table.ruleset() != race.ruleset() {
        bail!("the table {} is of {}, not of {}", path.display(), table.ruleset(), race.ruleset());
    }
    Ok(Arc::new(table))
}

/// Plays all matches; the record has what comes of them, and the house rules that are known.
fn play(args: &SurveyArgs, race: &Race, table: &Arc<Table>, house_rules: Vec<HouseRule>) -> Result<Record> {
    let matched =
        MatchConfig { blocks: args.pairs, seed: args.seed, threads: args.threads.into(), ..MatchConfig::default() };
    let bar = terminal::bar(2 * args.pairs, "games")?;
    let show = |games: u64| bar.set_position(games);
    let progress = MatchProgress { finished: &show, ..MatchProgress::UNWATCHED };
    let shortlist = Shortlist::default();
    let begin = |opponent: &str| {
        bar.reset();
        bar.set_message(format!("perfect play against {opponent}"));
    };
    begin("itself");
    let itself = survey(race, &|| Perfect::agent(table), Whose::Both, table, Some(&shortlist), &matched, &progress);
    let mut opponents = Vec::new();
    for (place, name) in BUILT_IN.into_iter().enumerate() {
        begin(name);
        let player = games::player(&games::agent(name)?, race)?;
        // The strongest of them meets the positions of good play.
        let shown = (place + 1 == BUILT_IN.len()).then_some(&shortlist);
        let found = survey(race, &|| player.agent(), Whose::Agent, table, shown, &matched, &progress);
        opponents.push(opponent(name, found));
    }
    bar.finish_and_clear();
    let first = table.start_value();
    let error = table.facts().certificate.map(|proof| proof.start_error + table.rounding());
    Ok(Record {
        format: findings::FORMAT,
        ruleset: race.ruleset().clone(),
        pairs: args.pairs,
        seed: args.seed,
        table: TableFacts { bits: table.bits(), facts: *table.facts() },
        start: Start { first, second: 1.0 - first, advantage: first - 0.5, error },
        perfect: itself.nature,
        opponents,
        positions: shortlist.positions(POSITIONS),
        house_rules,
    })
}

fn opponent(name: &str, Surveyed { report, regret, nature }: Surveyed) -> Opponent {
    Opponent {
        opponent: name.to_owned(),
        score: report.interval().taken_from(1.0),
        luck_adjusted_score: regret.luck_adjusted_score.taken_from(1.0),
        drawn_games: report.drawn_games,
        truncated_games: report.truncated_games,
        regret_per_decision: regret.regret_per_decision,
        regret_per_game: regret.regret_per_game,
        optimal_choices: regret.optimal_choices,
        nature,
    }
}

fn save(record: &Record, folder: &Path) -> Result<Vec<&'static str>> {
    record.write(folder)?;
    pictures::draw(record, folder)
}

/// The survey in sentences.
fn report(record: &Record) -> Result<()> {
    let Record { ruleset, table: TableFacts { bits, .. }, start, perfect, opponents, .. } = record;
    let points = |value: f64| 100.0 * value;
    let off = start.error.map_or("not proved".to_owned(), |error| format!("± {error:.1e}"));
    let [first, advantage, luck] = [start.first, start.advantage, perfect.luck_of_a_turn].map(points);
    let (turns, [least, _, median, _, most]) = (perfect.lengths.mean.mean, perfect.lengths.quantiles);
    print(format_args!(
        "{ruleset}, perfect play by a table of {bits} bits\n\
         start: the seat that throws first wins {first:.4} % ({off}); the first throw is worth {advantage:.2} points\n\
         length: {turns:.1} turns, half of the games at most {median}; 5 % at most {least}, 95 % at most {most}\n\
         dice: the throws of a turn move the chance of winning by {luck:.2} points (standard deviation)"
    ))?;
    if let Some(VarianceShares { dice, first_throw, .. }) = perfect.variance_shares {
        let (dice, first) = (points(dice), points(first_throw));
        print(format_args!("of the variance of who wins, {dice:.2} % is dice and {first:.2} % who throws first"))?;
    }
    let mean = |of: Interval| points(of.mean);
    let [choices, second, worst] = [perfect.choices, perfect.best_to_second, perfect.best_to_worst].map(mean);
    print(format_args!(
        "choice: {choices:.1} % of the turns have one; then the second best result loses {second:.2} points, the worst \
         {worst:.2}\n\n\
         perfect play against   score %   luck-adjusted %   regret per decision   optimal decisions %"
    ))?;
    for Opponent { opponent, score, luck_adjusted_score, regret_per_decision, optimal_choices, .. } in opponents {
        let [score, adjusted, optimal] = [*score, *luck_adjusted_score, *optimal_choices].map(mean);
        let [low, high] = luck_adjusted_score.interval;
        let (half, regret) = (points(high - low) / 2.0, regret_per_decision.mean);
        print(format_args!("{opponent:20} {score:8.2} {adjusted:9.2} ± {half:.2} {regret:24.5} {optimal:25.1}"))?;
    }
    if !record.positions.is_empty() {
        print("\nwhere the natural move is wrong")?;
    }
    for SurveyedPosition { regret, position, natural, best, .. } in &record.positions {
        let (natural, best) = (&natural.turn, &best.turn);
        print(format_args!("{regret:.4}  {position}\n        natural  {natural}\n        best     {best}"))?;
    }
    if !record.house_rules.is_empty() {
        print("\nhouse rules: what the seat wins that throws first")?;
    }
    for rule in &record.house_rules {
        let reason = rule.skipped.as_deref().unwrap_or("for no known reason");
        match rule.start {
            Some(start) => print(format_args!("{:9.4} %  {}", points(start), rule.ruleset))?,
            None => print(format_args!("not solved  {}: {reason}", rule.ruleset))?,
        }
    }
    Ok(())
}
