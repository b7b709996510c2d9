//! The diagrams of a survey.

use std::path::Path;

use crate::run::files::write_whole;
use anyhow::Result;
use ashta_agents::arena::Interval;
use ashta_agents::perfect::survey::{AtLeast, Lengths};

use super::findings::{HouseRule, Opponent, Record};
use crate::report::plot::{Bar, BarPanel, Bars, Line, Mark, PlotLabels, Scale, bar_panels, histogram, line_chart};

/// The most columns of a histogram, and the widths that columns have then.
const COLUMNS: usize = 80;
const WIDTHS: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

/// Writes every diagram that `record` has the numbers for; returns their names.
///
/// # Errors
/// When one cannot be written.
pub fn draw(record: &Record, folder: &Path) -> Result<Vec<&'static str>> {
    let game = record.ruleset.game_text();
    let mut pictures = vec![
        ("lengths.svg", lengths(&game, &record.perfect.lengths)?),
        ("luck.svg", luck(&game, &record.perfect.at_least)?),
        ("skill.svg", skill(&game, &record.opponents)?),
    ];
    if record.house_rules.iter().any(|rule| rule.start.is_some()) {
        pictures.push(("house-rules.svg", house_rules(&game, &record.house_rules)?));
    }
    pictures.iter().try_for_each(|(name, svg)| write_whole(&folder.join(name), svg))?;
    Ok(pictures.into_iter().map(|(name, _)| name).collect())
}

fn lengths(game: &str, lengths: &Lengths) -> Result<String> {
    let games = lengths.games.iter().sum::<u64>().max(1) as f64;
    let is_enough = |width: &&usize| lengths.games.len() <= COLUMNS * **width;
    let width = WIDTHS.iter().find(is_enough).copied().unwrap_or(lengths.games.len());
    let columns: Vec<f64> =
        lengths.games.chunks(width).map(|column| 100.0 * column.iter().sum::<u64>() as f64 / games).collect();
    let [low, _, median, _, high] = lengths.quantiles;
    let mark = |at: f64, name: &str| Mark { at, label: format!("{name} {at}") };
    let marks = [mark(low, "5 %: "), mark(median, "median"), mark(high, "95 %: ")];
    let title = format!("{game}: length of games in perfect play");
    let y = if width == 1 { "games (%)".to_owned() } else { format!("games (%), for each {width} turns") };
    let frame = PlotLabels { title: &title, x: "turns of both seats", y: &y };
    histogram(&frame, f64::from(lengths.shortest) - 0.5, width as f64, &columns, &marks)
}

fn luck(game: &str, at_least: &AtLeast) -> Result<String> {
    let AtLeast { step, luck, best_to_second, best_to_worst } = at_least;
    let line = |label: &str, list: &[f64]| Line {
        label: label.to_owned(),
        points: list.iter().enumerate().map(|(at, share)| [100.0 * step * at as f64, 100.0 * share]).collect(),
        band: Vec::new(),
    };
    let lines = [
        line("the throws change", luck),
        line("the worst move loses", best_to_worst),
        line("the second best move loses", best_to_second),
    ];
    let title = format!("{game}: what a turn decides in perfect play");
    let frame = PlotLabels { title: &title, x: "at least so many points of winning chance", y: "turns (%)" };
    line_chart(&frame, &lines, Scale::Linear)
}

fn skill(game: &str, opponents: &[Opponent]) -> Result<String> {
    let names: Vec<String> = opponents.iter().map(|opponent| opponent.opponent.clone()).collect();
    let bar = |of: Interval| Bar { value: of.percent().mean, interval: Some(of.percent().interval) };
    let bars = |label: &str, of: fn(&Opponent) -> Interval| Bars {
        label: label.to_owned(),
        bars: opponents.iter().map(|opponent| bar(of(opponent))).collect(),
    };
    let groups = vec![
        bars("counted", |opponent| opponent.score),
        bars("without the luck of the dice", |opponent| opponent.luck_adjusted_score),
    ];
    let title = format!("{game}: perfect play against baselines");
    let frame = PlotLabels { title: &title, x: "games that perfect play wins (%, with 95 % confidence)", y: "" };
    bar_panels(&frame, &[BarPanel { title: String::new(), base: 50.0, names, groups }], 2)
}

fn house_rules(game: &str, rules: &[HouseRule]) -> Result<String> {
    let solved = || rules.iter().filter_map(|rule| Some((rule, rule.start?)));
    let name = |rule: &HouseRule| match (&rule.flag, &rule.value) {
        (Some(flag), Some(value)) => format!("{flag}={value}"),
        _ => "as it is".to_owned(),
    };
    let names: Vec<String> = solved().map(|(rule, _)| name(rule)).collect();
    let bar = |(_, start): (&HouseRule, f64)| Bar { value: 100.0 * start, interval: None };
    let groups = vec![Bars { label: String::new(), bars: solved().map(bar).collect() }];
    let title = format!("{game}: what each house rule is worth");
    let frame = PlotLabels { title: &title, x: "games that the seat wins that throws first (%)", y: "" };
    bar_panels(&frame, &[BarPanel { title: String::new(), base: 50.0, names, groups }], 3)
}
