//! `ashta new` and `ashta` alone: asks for a goal and prints the command for it.

use std::io::BufRead;

use anyhow::{Context, Result};
use ashta_agents::{play::files::read_line, roster::BUILT_IN};
use ashta_env::sheet::builtin;

use crate::run::{
    config::usual_game,
    embedded, games,
    output::{columns, print, prompt},
};

/// Goals, and an example of a command for each goal. NAME becomes the name of a game; its bot has
/// the same name.
const GOALS: [(&str, &str); 6] = [
    ("play in the browser", "ashta serve"),
    ("play in the terminal", "ashta play NAME+novice"),
    ("train a bot", "ashta train NAME"),
    ("compare agents", "ashta arena NAME greedy+2ply"),
    (
        "make a game of my own",
        "ashta game NAME --sheet > my-game.toml",
    ),
    (
        "solve a game, for perfect play",
        "ashta solve NAME -o NAME.table",
    ),
];
/// Levels of difficulty, as they are written after the name of a bot and `+`.
const LEVELS: [&str; 6] = [
    "beginner",
    "novice",
    "intermediate",
    "advanced",
    "expert",
    "2ply",
];

/// A question, the possible answers, and the answer by default.
type Question<'a> = (&'a str, &'a [&'a str], Option<&'a str>);

/// Asks on standard output and reads the answers from standard input. If an answer is empty, ends
/// or uses a default.
///
/// # Errors
/// When standard input or output fails.
pub fn run() -> Result<()> {
    let mut input = std::io::stdin().lock();
    let number = |at: usize| (at + 1).to_string();
    let usual = usual_game();
    let row = |(at, (what, how)): (usize, &(&str, &str))| {
        [number(at), (*what).to_owned(), how.replace("NAME", &usual)]
    };
    let rows: Vec<[String; 3]> = GOALS.iter().enumerate().map(row).collect();
    print("What do you want to do?\n")?;
    print(columns(&rows, |column| column == 0))?;
    print("`ashta help` lists all commands, `ashta help COMMAND` describes one.\n")?;
    let numbers: Vec<String> = (0..GOALS.len()).map(number).collect();
    let Some(goal) = ask(&mut input, "Number:", &numbers)? else {
        return Ok(());
    };
    let (bots, configs) = (games::folders().bots(), embedded::CONFIGS);
    let bots: Vec<&str> = bots.iter().map(|(name, _)| name.as_str()).collect();
    let configs: Vec<&str> = configs.iter().map(|(name, _)| *name).collect();
    let sheets: Vec<&str> = builtin::names().collect();
    let agents = [&bots, BUILT_IN.as_slice()].concat();
    // A template of the command, with a question for each of its gaps.
    let (template, questions): (&str, &[Question<'_>]) = match goal {
        "2" => (
            "ashta play {1}+{2}",
            &[
                ("Which bot is your opponent?", &bots, None),
                ("How strong?", &LEVELS, Some(LEVELS[1])),
            ],
        ),
        "3" => (
            "ashta train {1}",
            &[("Which configuration?", &configs, None)],
        ),
        "4" => (
            "ashta arena {1} {2}",
            &[
                ("Which bot? (Name your own bot by its file.)", &bots, None),
                ("Against whom?", &agents, Some("greedy+2ply")),
            ],
        ),
        "5" => (
            "ashta game {1} --sheet > my-game.toml      # change it as you like\n\
             ashta game my-game.toml                   # checks and draws it\n\
             ashta train my-game.toml                  # trains a bot for it",
            &[("Which game do you want to change?", &sheets, None)],
        ),
        "6" => (
            "ashta solve {1} -o {1}.table",
            &[("Which game?", &configs, None)],
        ),
        _ => (GOALS[0].1, &[]),
    };
    let mut command = template.to_owned();
    for (gap, &(question, options, usual)) in ["{1}", "{2}"].into_iter().zip(questions) {
        let Some(answer) = ask(&mut input, question, options)?.or(usual) else {
            return Ok(());
        };
        command = command.replace(gap, answer);
    }
    if goal == "3" {
        let minutes = line(
            &mut input,
            "Minutes of training, at most (empty: no limit):",
        )?;
        let minutes = minutes.and_then(|minutes| minutes.parse::<f64>().ok());
        command.extend(minutes.map(|minutes| format!(" --set run.time_limit_minutes={minutes}")));
    }
    print(format_args!("\n{command}"))
}

/// Asks a question and returns the trimmed answer; `None` if it is empty or the input has ended.
fn line(input: &mut impl BufRead, question: &str) -> Result<Option<String>> {
    prompt(question)?;
    let line = read_line(input).context("cannot read standard input")?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}

/// Asks until the answer is one of `options` or its number, from 1. `None` if the answer is empty
/// or the input has ended.
fn ask<'a, T: AsRef<str>>(
    input: &mut impl BufRead,
    question: &str,
    options: &'a [T],
) -> Result<Option<&'a str>> {
    let numbered = |(at, option): (usize, &T)| [(at + 1).to_string(), option.as_ref().to_owned()];
    let rows: Vec<[String; 2]> = options.iter().enumerate().map(numbered).collect();
    if rows.iter().any(|[number, option]| number != option) {
        print(format_args!(
            "\n{}",
            columns(&rows, |column| column == 0).trim_end()
        ))?;
    }
    loop {
        let Some(answer) = line(input, question)? else {
            return Ok(None);
        };
        let by_number = answer
            .parse::<usize>()
            .ok()
            .and_then(|number| options.get(number.checked_sub(1)?));
        match options
            .iter()
            .find(|option| option.as_ref() == answer)
            .or(by_number)
        {
            Some(option) => return Ok(Some(option.as_ref())),
            None => print(format_args!("`{answer}` is not in the list."))?,
        }
    }
}
