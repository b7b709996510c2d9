//! `ashta game`: lists the games, shows one with its board and rules, or checks a sheet.

use anyhow::{Result, bail};
use ashta_agents::protocol::{describe, describe_sheet};
use ashta_env::{
    chance::random_decisions,
    game::{Game, Outcome, Seat},
    notation::{Ground, RuleTopic},
    race::{Race, board::Square},
    sheet::{NamedOdds, Odds, SCHEMA, Sheets, Throws, builtin},
};
use serde_json::{Value, json};

use crate::{
    cli::ShowGameArgs,
    run::{
        games,
        output::{columns, in_line, paragraphs, print, print_json, wrapped},
    },
};

/// Runs the command.
///
/// # Errors
/// When the game does not exist. If its sheet is not valid, the error lists every problem.
pub fn run(args: &ShowGameArgs) -> Result<()> {
    let known = Sheets::default();
    let Some(game) = &args.game else {
        if args.schema {
            return print_json(&*SCHEMA);
        }
        if args.json {
            let games = known
                .all()
                .map(describe_sheet)
                .collect::<Result<Vec<Value>, _>>()?;
            return print_json(&json!({"games": games}));
        }
        return list(&known);
    };
    if args.sheet
        && let Some(text) = builtin::text(game)
    {
        return print(text.trim_end());
    }
    let ruleset = games::ruleset(&known, game, None)?;
    if args.sheet {
        bail!("--sheet prints only built-in games without house rules: {game} is not one of them");
    }
    let race = Race::new(ruleset);
    if args.json {
        return print_json(&describe(&race));
    }
    print(text(&race))
}

fn list(known: &Sheets) -> Result<()> {
    let rows: Vec<[String; 2]> = known
        .all()
        .map(|sheet| [sheet.name.clone(), sheet.title.clone()])
        .collect();
    let wide = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (name_wide, title_wide) = (wide(0), wide(1));
    for (sheet, [name, title]) in known.all().zip(&rows) {
        print(hanging(
            &format!("{name:name_wide$}  {title:title_wide$}  "),
            &sheet.summary,
        ))?;
    }
    print(
        "\n`ashta game NAME` shows the rules of a game, `ashta game FILE.toml` checks your own sheet.",
    )
}

/// `text` after `head`, in lines of at most 79 characters; all lines of `text` begin in the same
/// column.
fn hanging(head: &str, text: &str) -> String {
    format!("{head}{}", wrapped(text, head.chars().count()).trim_start())
}

/// Everything about a game, as plain text.
fn text(race: &Race) -> String {
    let sheet = race.ruleset().base();
    let first = race.spec().seats.iter().next().unwrap_or(Seat::SOUTH);
    let mut parts = vec![
        format!("{} ({})", in_line(&sheet.title), race.ruleset().game_text()),
        wrapped(&sheet.summary, 0),
        facts(race),
        format!(
            "The board at the beginning\n\n{}",
            race.draw(&race.initial_state(first))
        ),
        format!("South's course\n\n{}", course(race)),
        format!("Throws\n\n{}", throws(race, first)),
        format!(
            "The rules as the program understands them\n\n{}",
            understood(race)
        ),
    ];
    if !sheet.flags.is_empty() {
        parts.push(format!("House rules\n\n{}", house_rules(race)));
    }
    if !sheet.rules.trim().is_empty() {
        parts.push(format!(
            "Rules\n\n{}",
            paragraphs(&sheet.rules).join("\n\n")
        ));
    }
    if !sheet.sources.is_empty() {
        let sources: Vec<String> = sheet
            .sources
            .iter()
            .map(|source| hanging("* ", source))
            .collect();
        parts.push(format!("Sources\n\n{}", sources.join("\n")));
    }
    parts.join("\n\n")
}

/// The program looks for a choice in this many random games.
pub const TRIED_GAMES: u64 = 100;

/// Whether no player had a choice in any of the random games.
fn is_pure_chance(race: &Race) -> bool {
    (0..TRIED_GAMES)
        .flat_map(|game| random_decisions(race, game))
        .all(|state| race.legal_actions(&state).len() == 1)
}

/// The seats and pieces of a game, and a line if the game has no choices.
fn facts(race: &Race) -> String {
    let sheet = race.ruleset().sheet();
    let seats = sheet.seats.allowed.join(", ");
    let other: Vec<String> = sheet.pieces.allowed.iter().map(u8::to_string).collect();
    let choices = match is_pure_chance(race) {
        true => format!(
            "\nChoices: none; in {TRIED_GAMES} random games the throws decided every move (pure chance)"
        ),
        false => String::new(),
    };
    format!(
        "Seats:   {seats}\nPieces:  {} for each seat (can be: {}){choices}",
        sheet.pieces.count,
        other.join(", ")
    )
}

/// The board with the numbers of South's course, and below it the second numbers of squares that
/// the course visits twice.
fn course(race: &Race) -> String {
    let sheet = race.ruleset().sheet();
    let (rows, columns) = (race.board().rows(), race.board().columns());
    let course = race.board().course(Seat::SOUTH);
    let number = |at: usize| (at + usize::from(sheet.board.first_number)).to_string();
    let width = number(course.len() - 1).len();
    let cell = |square: Square| {
        let ground = race.ground(square);
        let text = match (course.iter().position(|&other| other == square), ground) {
            (Some(at), _) => number(at),
            (None, Ground::Outside) => String::new(),
            (None, Ground::Home) => "#".repeat(width),
            (None, Ground::Plain | Ground::Marked | Ground::End(_) | Ground::Belly) => {
                ".".to_owned()
            }
        };
        let mark = if ground == Ground::Marked { 'x' } else { ' ' };
        format!(" {text:>width$}{mark}")
    };
    let line = |label: &str, cells: String| format!("{label:>2} {cells}").trim_end().to_owned();
    let row = |row: usize| {
        let squares = (0..columns).map(|column| {
            cell(Square {
                row: row as u8,
                column: column as u8,
            })
        });
        line(&(row + 1).to_string(), squares.collect())
    };
    let mut lines: Vec<String> = (0..rows).rev().map(row).collect();
    let letters =
        (0..columns).map(|column| format!(" {:>width$} ", char::from(b'A' + column as u8)));
    lines.push(line("", letters.collect()));
    let is_marked = race.squares().any(|(_, ground)| ground == Ground::Marked);
    let mark = if is_marked {
        format!("x {}   ", sheet.words.mark)
    } else {
        String::new()
    };
    lines.extend([
        String::new(),
        format!("{mark}{} {}", number(course.len() - 1), sheet.words.finish),
    ]);
    let again = |at: &usize| course[..*at].contains(&course[*at]);
    let second: Vec<String> = (1..course.len())
        .filter(again)
        .map(|at| format!("{} {}", number(at), course[at]))
        .collect();
    if !second.is_empty() {
        lines.push(wrapped(
            &format!("Squares with a second number: {}", second.join(", ")),
            0,
        ));
    }
    lines.join("\n")
}

/// Every throw with its probability, as a fraction and as a decimal number.
fn throws(race: &Race, first: Seat) -> String {
    // A chance node throws one die or two.
    let dice = race.throw_values(Outcome(0)).len() as u32;
    let cases = cases(&race.ruleset().sheet().throws).saturating_pow(dice);
    let mut rows = vec![["throw", "in", "of", "probability"].map(str::to_owned)];
    for (outcome, &probability) in race
        .chance_outcomes(&race.initial_state(first))
        .iter()
        .enumerate()
        .filter(|&(_, &probability)| probability > 0.0)
    {
        let values: Vec<String> = race
            .throw_values(Outcome(outcome as u8))
            .iter()
            .map(u8::to_string)
            .collect();
        let favourable = (probability * cases as f64).round();
        let share = format!("{:.4}", favourable / cases as f64);
        rows.push([
            values.join(","),
            favourable.to_string(),
            cases.to_string(),
            share,
        ]);
    }
    columns(&rows, |column| column > 0).trim_end().to_owned()
}

/// The number of equally likely cases of a throw of one die.
fn cases(throws: &Throws) -> u64 {
    let one: u64 = match &throws.odds {
        Odds::Named(NamedOdds::Cowries) => 1 << throws.values.len().saturating_sub(1).min(32),
        Odds::Named(NamedOdds::Equal) => throws.values.len() as u64,
        Odds::Weights(weights) => weights.iter().map(|&weight| u64::from(weight)).sum(),
    };
    one.max(1)
}

/// The rules as the program understands them: each topic with its sentences.
fn understood(race: &Race) -> String {
    let mut lines = Vec::new();
    for RuleTopic { topic, sentences } in race.understood() {
        lines.push(topic.to_owned());
        lines.extend(sentences.iter().map(|sentence| hanging("  * ", sentence)));
    }
    lines.join("\n")
}

/// Every flag with its values; `*` marks the value of this game.
fn house_rules(race: &Race) -> String {
    let (base, played) = (race.ruleset().base(), race.ruleset().flags());
    let mut lines = Vec::new();
    for ((name, flag), played) in base.flags.iter().zip(&played) {
        lines.push(hanging(&format!("{name}: "), &flag.about));
        let wide = flag
            .values
            .keys()
            .map(|value| value.chars().count())
            .max()
            .unwrap_or(0);
        for (value, meaning) in &flag.values {
            let mark = if *value == played.value { '*' } else { ' ' };
            lines.push(
                hanging(&format!("  {mark} {value:wide$}  "), &meaning.about)
                    .trim_end()
                    .to_owned(),
            );
        }
    }
    lines.push(
        "\n* marks the values of this game; `name?flag=value&flag=value` changes them.".to_owned(),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use ashta_env::sheet::builtin;

    use super::*;

    #[test]
    fn the_cases_of_throws_add_up() {
        for name in builtin::names() {
            let race =
                Race::new(games::ruleset(&Sheets::default(), name, None).expect("a built-in game"));
            let first = race.spec().seats.iter().next().expect("a seat");
            let table = throws(&race, first);
            let numbers = |line: &str| {
                line.split_whitespace()
                    .skip(1)
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let rows: Vec<Vec<String>> = table.lines().skip(1).map(numbers).collect();
            let favourable: u64 = rows
                .iter()
                .map(|row| row[0].parse::<u64>().expect("a count"))
                .sum();
            assert!(
                rows.iter().all(|row| row[1] == favourable.to_string()),
                "{name}\n{table}"
            );
        }
    }

    #[test]
    fn courses_have_every_number_once() {
        for name in builtin::names() {
            let race =
                Race::new(games::ruleset(&Sheets::default(), name, None).expect("a built-in game"));
            let text = course(&race).replace([',', 'x'], " ");
            let words: Vec<&str> = text.split_whitespace().collect();
            for number in 10..race.board().course(Seat::SOUTH).len() {
                let number = (number + usize::from(race.ruleset().sheet().board.first_number) - 1)
                    .to_string();
                assert!(words.contains(&number.as_str()), "{name}: {number}\n{text}");
            }
        }
    }

    #[test]
    fn words_are_wrapped() {
        let text = wrapped(&"word ".repeat(40), 4);
        assert!(
            text.lines()
                .all(|line| line.len() <= 79 && line.starts_with("    word")),
            "{text}"
        );
        assert_eq!(paragraphs("one\ntwo\n\nthree\n"), ["one two", "three"]);
    }
}
