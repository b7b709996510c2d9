//! `ashta analyze`: analyzes a game turn by turn: luck, errors and a verdict for each player.

use std::fs::File;

use anyhow::{Context, Result, bail};
use ashta_agents::{arena::game_record::GameLine, play::files::read_text};
use ashta_env::{game::Game, race::Race, sheet::Sheets};

use crate::{
    cli::AnalyzeArgs,
    report::{
        analysis::{Analysis, AnalyzedTurn, PlayerAnalysis},
        page::{BoardPicture, Contents, ShownGame, page},
    },
    run::{
        files::write_whole,
        games,
        output::{columns, in_line, print, print_json},
        progress::percent,
    },
};

/// The longest file that the command reads, in bytes.
const LONGEST_FILE: u64 = 1 << 30;

/// Runs the command.
///
/// # Errors
/// When the game cannot be read, or no agent can evaluate it.
pub fn run(args: &AnalyzeArgs) -> Result<()> {
    let path = || args.game.display().to_string();
    let text = File::open(&args.game)
        .and_then(|file| read_text(LONGEST_FILE, file))
        .with_context(path)?;
    // An agent that does not exist is reported below, by `games::reference`.
    let by = games::agent(&args.by).ok();
    let mut sheets = games::sheets_of(&by.iter().collect::<Vec<_>>());
    if let Some(game) = &args.of {
        sheets = Sheets::with(
            games::ruleset(&sheets, game, None)
                .context("--game")?
                .base(),
        );
    }
    let line = GameLine::read(&sheets, &text, args.number as usize).with_context(path)?;
    let (race, _) = line.read_start().with_context(path)?;
    let reference =
        games::reference(&args.by, &race).with_context(|| format!("--by {}", args.by))?;
    let Some(reference) = reference else {
        bail!(
            "no built-in agent evaluates {}: name an agent with --by",
            race.ruleset()
        );
    };
    let analysis = Analysis::new(&race, &line, &reference).with_context(path)?;
    if let Some(path) = &args.html {
        let game = ShownGame::new(&race, &line, &reference, String::new(), 0)?;
        let (verdicts, board) = (Vec::new(), BoardPicture::new(&race));
        let contents = Contents {
            summary: None,
            verdicts,
            lengths: None,
            board,
            games: vec![game],
        };
        write_whole(path, &page(&race.spec().name, &contents)?)?;
    }
    if args.json {
        return print_json(&analysis);
    }
    print_analysis(&race, &analysis)
}

fn print_analysis(race: &Race, analysis: &Analysis) -> Result<()> {
    let Analysis {
        game,
        by,
        by_version,
        players,
        turns,
        end,
        truncated,
        returns,
    } = analysis;
    let names: Vec<String> = players
        .iter()
        .map(|player| format!("{} is {}", player.seat, in_line(&player.name)))
        .collect();
    let version = by_version
        .as_ref()
        .map_or(String::new(), |version| format!(" ({version})"));
    print(format_args!(
        "{game}: {}; evaluated by {by}{version}\n",
        names.join(", ")
    ))?;
    let place = |seat: char| {
        race.spec()
            .seats
            .iter()
            .position(|other| other.letter() == seat)
            .unwrap_or(0)
    };
    let head = [
        "turn", "", "before", "throw", "luck", "after", "lost", "", "played",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for AnalyzedTurn {
        number,
        seat,
        before,
        throw,
        luck,
        after,
        regret,
        mark,
        played,
        ..
    } in turns
    {
        let throws: Vec<String> = throw.iter().map(u8::to_string).collect();
        rows.push(vec![
            number.to_string(),
            seat.to_string(),
            percent(f64::from(before[place(*seat)])),
            throws.join(","),
            signed(*luck),
            percent(f64::from(after[place(*seat)])),
            if *regret > 0.0 {
                percent(*regret)
            } else {
                String::new()
            },
            mark.unwrap_or_default().to_owned(),
            played.clone(),
        ]);
    }
    let table = columns(&rows, |column| [0, 2, 4, 5, 6].contains(&column));
    let betters = std::iter::once(None).chain(turns.iter().map(|turn| turn.better.as_ref()));
    for (line, better) in table.lines().zip(betters) {
        print(line)?;
        if let Some(better) = better {
            print(format_args!("        better: {better}"))?;
        }
    }
    print(format_args!("\n{end}"))?;
    if let Some(returns) = returns {
        let got = |(player, own): (&PlayerAnalysis, &f32)| {
            format!("{} {}", player.seat, percent(f64::from(*own)))
        };
        let got: Vec<String> = players.iter().zip(returns).map(got).collect();
        print(format_args!("The game is over: {}.", got.join(", ")))?;
    }
    if *truncated {
        print("The game was truncated at the turn limit, so it has no result.")?;
    }
    print("")?;
    let head = [
        "",
        "",
        "choices",
        "lost",
        "lost per choice",
        "doubtful",
        "errors",
        "blunders",
        "luck",
        "verdict",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for PlayerAnalysis {
        seat,
        name,
        choices,
        regret,
        regret_per_choice,
        luck,
        marks,
        verdict,
    } in players
    {
        let mut row = vec![
            seat.to_string(),
            name.clone(),
            choices.to_string(),
            percent(*regret),
        ];
        row.push(format!("{:.2} %", 100.0 * regret_per_choice));
        row.extend(marks.iter().map(usize::to_string));
        row.extend([signed(*luck), verdict.unwrap_or("-").to_owned()]);
        rows.push(row);
    }
    print(columns(&rows, |column| (2..9).contains(&column)).trim_end())
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}
