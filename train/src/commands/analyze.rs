//! `ashta analyze`: a played game, turn by turn: luck, errors, and a verdict on each player.

use anyhow::{Context, Result, bail};
use ashta_env::game::{Game, Node};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::turn::{TurnResults, turn_results};

use crate::analysis::{Analysis, PlayerAnalysis, TurnAnalysis};
use crate::cli::AnalyzeArgs;
use crate::files::write_whole;
use crate::games;
use crate::output::{columns, print};
use crate::page::{Board, Contents, ShownGame, page};
use crate::record::{EndingText, GameLine, MoveText};

/// Runs the command.
///
/// # Errors
/// When the game cannot be read, or nobody can judge it.
pub fn run(args: &AnalyzeArgs) -> Result<()> {
    let there = || args.game.display().to_string();
    let text = std::fs::read_to_string(&args.game).with_context(there)?;
    let line = read(&text, args.number as usize).with_context(there)?;
    let (race, _) = line.begin().with_context(there)?;
    let judge = games::judge(&args.by, &race).with_context(|| format!("--by {}", args.by))?;
    let Some(judge) = judge else {
        bail!("nobody who comes with the program plays {}: name an agent with --by", race.ruleset());
    };
    let analysis = Analysis::new(&race, &line, &judge).with_context(there)?;
    if let Some(path) = &args.html {
        let game = ShownGame::new(&race, &line, &judge, String::new(), 0)?;
        let (verdicts, board) = (Vec::new(), Board::new(&race));
        let contents = Contents { summary: None, verdicts, lengths: None, board, games: vec![game] };
        write_whole(path, &page(&race.spec().name, &contents)?)?;
    }
    if args.json {
        return print(serde_json::to_string_pretty(&analysis)?);
    }
    tell(&race, &analysis)
}

/// The game that is meant: of lines of JSON number `number`, or all of the positions.
fn read(text: &str, number: usize) -> Result<GameLine> {
    if !text.trim_start().starts_with('{') {
        return from_positions(text);
    }
    let mut games =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with("{\"arena\""));
    let (at, line) = games.nth(number - 1).with_context(|| format!("it has fewer than {number} games"))?;
    serde_json::from_str(line).with_context(|| format!("line {}: no game", at + 1))
}

/// The game whose positions, with a line for each choice, `ashta play --record` writes.
fn from_positions(text: &str) -> Result<GameLine> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (_, start) = lines.next().context("there is no game in it")?;
    let (race, mut state) = Race::parse(start.trim()).context("line 1")?;
    let mut moves = Vec::new();
    for (number, line) in lines {
        let next = race.parse_state(line.trim()).with_context(|| format!("line {number}"))?;
        let step = step(&race, &state, &next);
        moves.extend(step.with_context(|| format!("line {number}: no turn leads there from the line before"))?);
        state = next;
    }
    let is_over = race.node(&state) == Node::Terminal;
    let seats = race.spec().seats;
    Ok(GameLine {
        block: 0,
        leg: 0,
        players: seats.iter().map(|seat| seat.name().to_owned()).collect(),
        start: start.trim().to_owned(),
        moves,
        ending: if is_over { EndingText::Finished } else { EndingText::Open },
        returns: seats.iter().map(|seat| race.returns(&state)[seat]).collect(),
        turns: 0,
        luck: None,
        swing: None,
    })
}

/// What leads from one recorded position to the next: the rest of a turn, a throw, or both.
fn step(race: &Race, state: &State, next: &State) -> Option<Vec<MoveText>> {
    let thrown = |from: &State| {
        let throw = race.pending_throws(next);
        let mut reached = *from;
        (race.throw(&mut reached, &throw).is_ok() && reached == *next).then_some(MoveText::Throw(throw))
    };
    if let Node::Chance(_) = race.node(state) {
        return thrown(state).map(|throw| vec![throw]);
    }
    let mut results = TurnResults::new();
    turn_results(race, state, &mut results);
    (0..results.len()).find_map(|index| {
        let end = results.state(index);
        let throw = if end == next { None } else { Some(thrown(end)?) };
        let choices = results.actions(index).iter().map(|action| MoveText::Choice(action.0));
        Some(choices.chain(throw).collect())
    })
}

fn tell(race: &Race, analysis: &Analysis) -> Result<()> {
    let Analysis { game, by, players, turns, end, returns } = analysis;
    let names: Vec<String> = players.iter().map(|player| format!("{} is {}", player.seat, player.name)).collect();
    print(format_args!("{game}: {}; by the values of {by}\n", names.join(", ")))?;
    let place = |seat: char| race.spec().seats.iter().position(|other| other.letter() == seat).unwrap_or(0);
    let head = ["turn", "", "before", "throw", "luck", "after", "gives away", "", "played"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let mut betters = vec![None];
    for turn in turns {
        let TurnAnalysis { number, seat, before, throw, luck, after, given_away, .. } = turn;
        let throws: Vec<String> = throw.iter().map(u8::to_string).collect();
        rows.push(vec![
            number.to_string(),
            seat.to_string(),
            percent(f64::from(before[place(*seat)])),
            throws.join(","),
            signed(*luck),
            percent(f64::from(after[place(*seat)])),
            if *given_away > 0.0 { percent(*given_away) } else { String::new() },
            turn.mark.map_or("", |mark| mark.word()).to_owned(),
            turn.played.clone(),
        ]);
        betters.push(turn.better.as_ref());
    }
    let table = columns(&rows, |column| [0, 2, 4, 5, 6].contains(&column));
    for (line, better) in table.lines().zip(betters) {
        print(line)?;
        if let Some(better) = better {
            print(format_args!("        better: {better}"))?;
        }
    }
    print(format_args!("\n{end}"))?;
    if let Some(returns) = returns {
        let got: Vec<String> = players
            .iter()
            .zip(returns)
            .map(|(player, own)| format!("{} {}", player.seat, percent(f64::from(*own))))
            .collect();
        print(format_args!("The game is over: {}.", got.join(", ")))?;
    }
    print("")?;
    let head = ["", "", "choices", "gives away", "a choice", "doubtful", "errors", "blunders", "luck", "plays"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for player in players {
        let PlayerAnalysis { seat, name, choices, given_away, given_away_per_choice, luck, marks, verdict } = player;
        let mut row = vec![seat.to_string(), name.clone(), choices.to_string(), percent(*given_away)];
        row.push(format!("{:.2} %", 100.0 * given_away_per_choice));
        row.extend(marks.iter().map(usize::to_string));
        row.extend([signed(*luck), verdict.unwrap_or("-").to_owned()]);
        rows.push(row);
    }
    print(columns(&rows, |column| (2..9).contains(&column)).trim_end())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}
