//! The page of an atlas, and its diagrams.

use std::cmp::Reverse;

use crate::cli::AtlasArgs;
use crate::report::plot::{Bar, BarPanel, Bars, PlotLabels, bar_panels};
use crate::run::output::with_interval;
use anyhow::Result;
use ashta_agents::arena::{Interval, ProfileChange};
use ashta_agents::perfect::survey::Truth;

use super::{Atlas, BASELINE, Form, HouseRuleChange, LEVEL, OPPONENTS, SolvedForm};

/// The columns of the table: head, meaning, and what stands there of a form.
type Column = (&'static str, &'static str, fn(&Form) -> String);
const COLUMNS: [Column; 14] = [
    ("game", "the game, with house rules that differ from the usual ones", |form| form.ruleset.game_text()),
    ("seats", "how many play", |form| form.ruleset.seats().len().to_string()),
    ("player", "who plays", |form| format!("`{}`", form.player)),
    (
        "turns",
        "turns of all seats that 5, 50 and 95 % of the games do not exceed; a turn is the throws before a \
      choice, and the choice",
        |form| form.profile.turns.map(|turns| cell(turns, 0)).join("; "),
    ),
    ("throws", "throws of all seats in a game, the median", |form| cell(form.profile.throws[1], 0)),
    ("choice %", "turns in which the throws can be used in more than one way", |form| percent(form.profile.choices)),
    ("ways", "ways to use the throws of a turn that lead to different positions", |form| {
        cell(form.profile.branching, 2)
    }),
    ("captures", "pieces that enemies set back in a game", |form| cell(form.profile.captures, 2)),
    ("even %", "score of a seat among equals", |form| format!("{:.0}", 100.0 * form.profile.even)),
    ("first %", "score of the seat that throws first, among equals", |form| percent(form.profile.first)),
    ("luck", "points of the score by which the throws of a turn change what their seat can expect", |form| {
        form.profile.luck.map_or("–".to_owned(), percent)
    }),
    ("random %", "score of the player against agents that play at random", |form| skill_cell(form, OPPONENTS[0])),
    ("greedy %", "score against agents that play for the longest lead", |form| skill_cell(form, OPPONENTS[1])),
    ("novice %", "score against the bot of the game at its level `novice`", |form| skill_cell(form, LEVEL)),
];

/// Bars of one colour: their name in the legend, and the figure of a form, if it has one.
type FigureBars = (&'static str, fn(&Form) -> Option<Interval>);

/// A diagram: its bars begin at 0, or at the score among equals.
struct Picture {
    file: &'static str,
    title: &'static str,
    axis: &'static str,
    digits: usize,
    from_even: bool,
    groups: &'static [FigureBars],
}
const PICTURES: [Picture; 4] = [
    Picture {
        file: "length.svg",
        title: "How long games are",
        axis: "turns of all seats (median; 5 to 95 % of the games)",
        digits: 0,
        from_even: false,
        groups: &[("", |form| {
            let [low, median, high] = form.profile.turns;
            Some(Interval { interval: [low.mean, high.mean], ..median })
        })],
    },
    Picture {
        file: "skill.svg",
        title: "Skill: the player against weaker ones",
        axis: "score (%, with 95 % confidence)",
        digits: 1,
        from_even: true,
        groups: &[
            ("against random", |form| skill(form, OPPONENTS[0])),
            ("against greedy", |form| skill(form, OPPONENTS[1])),
            ("against novice", |form| skill(form, LEVEL)),
        ],
    },
    Picture {
        file: "first-seat.svg",
        title: "The seat that throws first",
        axis: "score (%, with 95 % confidence)",
        digits: 1,
        from_even: true,
        groups: &[("", |form| Some(form.profile.first.percent()))],
    },
    Picture {
        file: "choice.svg",
        title: "How often there is a choice",
        axis: "turns (%, with 95 % confidence)",
        digits: 1,
        from_even: false,
        groups: &[("", |form| Some(form.profile.choices.percent()))],
    },
];

/// What is counted of the games of the player against itself, and named where there are such.
type GameCount = (&'static str, fn(&Form) -> u64);
const COUNTS: [GameCount; 2] = [
    ("Draws", |form| form.profile.drawn_games),
    ("Games that came to the limit of turns, and are left out", |form| form.profile.truncated_games),
];

/// What house rules change: head, unit, digits, and the change.
type Measure = (&'static str, f64, usize, fn(&ProfileChange) -> Interval);
const MEASURES: [Measure; 4] = [
    ("turns", 1.0, 1, |change| change.turns),
    ("captures", 1.0, 2, |change| change.captures),
    ("first %", 100.0, 1, |change| change.first),
    ("choice %", 100.0, 1, |change| change.choices),
];

/// The diagrams of `forms`, by their names, with a panel for each number of seats and score among equals.
///
/// # Errors
/// When one cannot be drawn.
pub fn pictures(forms: &[Form]) -> Result<Vec<(&'static str, String)>> {
    let kind = |form: &Form| (form.ruleset.seats().len(), Reverse((100.0 * form.profile.even).round() as u32));
    let mut sorted: Vec<&Form> = forms.iter().collect();
    sorted.sort_by_key(|form| kind(form));
    let bar =
        |of: Option<Interval>| Bar { value: of.map_or(f64::NAN, |of| of.mean), interval: of.map(|of| of.interval) };
    let picture = |&Picture { file, title, axis, digits, from_even, groups }: &Picture| {
        let panel = |own: &[&Form]| BarPanel {
            title: format!("{} seats, score among equals {} %", kind(own[0]).0, kind(own[0]).1.0),
            base: if from_even { 100.0 * own[0].profile.even } else { 0.0 },
            names: own.iter().map(|form| form.ruleset.game_text()).collect(),
            groups: groups.iter().map(|(label, of)| bars(label, own.iter().map(|form| bar(of(form))))).collect(),
        };
        let panels: Vec<BarPanel> = sorted.chunk_by(|a, b| kind(a) == kind(b)).map(panel).collect();
        Ok((file, bar_panels(&PlotLabels { title, x: axis, y: "" }, &panels, digits)?))
    };
    PICTURES.iter().map(picture).collect()
}

fn bars(label: &str, bars: impl Iterator<Item = Bar>) -> Bars {
    Bars { label: label.to_owned(), bars: bars.collect() }
}

/// The page.
pub fn page(atlas: &Atlas, args: &AtlasArgs) -> String {
    let games: String = args.games.iter().map(|game| format!(" '{game}'")).collect();
    let tables: String = args.table.iter().map(|table| format!(" --table '{}'", table.display())).collect();
    let Atlas { pairs, seed, forms, .. } = atlas;
    let mut text = format!(
        "# Atlas\n\nGames beside each other, measured by games of the best player at hand:\n\n\
         ```sh\nashta atlas{games}{tables} --pairs {pairs} --seed {seed}\n```\n\n\
         The player is perfect play where there is a table of the game, else the bot with the largest network, else\n\
         `{BASELINE}`. Brackets are intervals with 95 % confidence, and [atlas.json](atlas.json) has all figures.\n\
         The player plays {pairs} games against itself, and {pairs} pairs against each other (with more than two sides\n\
         a game for each seat instead of two). A score is a mean return: 100 % wins all games.\n\n\
         | column | meaning |\n|---|---|\n"
    );
    COLUMNS.iter().for_each(|(head, about, _)| text += &format!("| {head} | {about} |\n"));
    let row = |of: &dyn Fn(&Column) -> String| format!("| {} |\n", COLUMNS.each_ref().map(of).join(" | "));
    text += &format!("\n{}|{}\n", row(&|column| column.0.to_owned()), "---|".repeat(COLUMNS.len()));
    forms.iter().for_each(|form| text += &row(&|column| column.2(form)));
    for (what, of) in COUNTS {
        let counted = forms.iter().filter(|form| of(form) > 0);
        let counted: Vec<String> = counted.map(|form| format!("{} of {}", of(form), form.ruleset)).collect();
        if !counted.is_empty() {
            text += &format!("\n{what}: {}.\n", counted.join(", "));
        }
    }
    PICTURES.iter().for_each(|Picture { file, title, .. }| text += &format!("\n![{title}]({file})"));
    text += &format!(
        "\n\n## House rules\n\nOf all values of the house rules of a game the one that changes a figure most, and by how \
         much, in games of\n`{BASELINE}` against itself with the same throws. A change counts where it is larger \
         than its interval is wide, so that\nnone of hundreds comes about by chance; – stands where there is none.\n\n\
         | game | {} |\n|---|{}\n",
        MEASURES.map(|(head, ..)| head).join(" | "),
        "---|".repeat(MEASURES.len())
    );
    for own in atlas.house_rules.chunk_by(|a, b| a.game == b.game) {
        let cells = MEASURES.map(|measure| largest(own, measure).unwrap_or("–".to_owned()));
        text += &format!("| {} | {} |\n", own[0].game, cells.join(" | "));
    }
    atlas.solved.iter().for_each(|solved| truths(&mut text, solved));
    text
}

/// The score against an opponent in percent, if it was met.
fn skill(form: &Form, opponent: &str) -> Option<Interval> {
    let found = form.skill.iter().find(|result| result.opponent == opponent);
    found.map(|result| result.report.interval().percent())
}

fn skill_cell(form: &Form, opponent: &str) -> String {
    skill(form, opponent).map_or("–".to_owned(), |score| cell(score, 1))
}

fn percent(of: Interval) -> String {
    cell(of.percent(), 1)
}

/// A figure with its interval.
fn cell(of: Interval, digits: usize) -> String {
    with_interval(of.mean, of.interval, digits, "")
}

/// The rule that changes a figure most, the first of equal ones, and its change.
fn largest(rules: &[HouseRuleChange], (_, unit, digits, of): Measure) -> Option<String> {
    let size = |rule: &&HouseRuleChange| of(&rule.change).mean.abs();
    let clear = rules.iter().rev().filter(|rule| {
        let [low, high] = of(&rule.change).interval;
        size(rule) > high - low
    });
    let rule = clear.max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let Interval { mean, interval: [low, high], .. } = of(&rule.change);
    let seats = if rule.seats == rules[0].seats { String::new() } else { format!(" ({} seats)", rule.seats) };
    let [mean, low, high] = [mean, low, high].map(|value| format!("{:+.digits$}", unit * value));
    Some(format!("`{}={}`{seats} {mean} [{low}, {high}]", rule.flag, rule.value))
}

fn truths(text: &mut String, SolvedForm { ruleset, error, truths }: &SolvedForm) {
    let exact = error.map_or("not proved".to_owned(), |error| format!("exact to {:.4} points", 100.0 * error));
    *text += &format!(
        "\n## Truths about {}\n\nValues are those of perfect play, {exact}; positions are from its games against itself and \
         `{BASELINE}`.\n",
        ruleset.game_text()
    );
    for (number, Truth { text: sentence, position, board }) in (1..).zip(truths) {
        *text += &format!("\n{number}. {sentence} `{position}`\n\n```text\n{}\n```\n", board.trim_end());
    }
}
