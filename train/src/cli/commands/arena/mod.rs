//! `ashta arena`: a tournament of agents and engines, with differences in strength and confidence
//! intervals.

pub mod check;
mod engine;
mod engine_group;
mod entrant;
mod games_file;
mod print;

use std::{
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};
use ashta_agents::{
    arena::{
        GameFacts, Sprt, Summary,
        game_record::{GameLine, Swing},
        tournament::Tournament,
    },
    play::stop::{Stop, stop_if},
};
use ashta_env::{
    game::{Game, Seat},
    race::Race,
};
use indicatif::ProgressBar;

use super::terminal;
use crate::{
    cli::ArenaArgs,
    report::page::{BoardPicture, Contents, LengthChart, ShownGame, page},
    run::{
        files::{cannot_write, check_writable, write_whole},
        games,
        output::{print_json, remark},
    },
};
use engine::Limits;
use entrant::{Entrants, ErrorFiles, enter};
use games_file::{FORMAT, GamesFile, Named, NumberedGame, Settings};

/// Number of games in a report. They are the games with the largest swings; see [`Swing`].
const SHOWN_GAMES: usize = 8;

/// The arena checks the luck of about this number of games of a file, in addition to the games with
/// the largest swings.
const MEASURED_AGAIN: usize = 200;

/// Runs the command.
///
/// # Errors
/// When an agent does not exist or plays another game, or a file cannot be read or written.
pub fn run(args: &ArenaArgs) -> Result<()> {
    if let (Some(path), false) = (&args.games_file, args.merge.is_empty()) {
        return games_file::merge(&args.merge, path);
    }
    let limits = Limits {
        patience: Duration::from_secs_f64(args.move_seconds),
        stop: terminal::stop(),
    };
    let mut errors = ErrorFiles::new(args.engine_errors.as_deref());
    let (race, entrants) = enter(&args.agents, &args.game, &limits, &mut errors)?;
    let arena = Arena::new(args, &race, entrants)?;
    if let Some(folder) = &args.report {
        std::fs::create_dir_all(folder).with_context(|| cannot_write(folder))?;
        check_writable(&folder.join("index.html"))?;
    }
    let stop = terminal::on_interrupt("stopping (press Ctrl-C again to stop now)")?;
    let (facts, swings) = arena.play(&stop)?;
    drop(errors);
    let summary = arena.tournament.summary(&facts);
    if args.json {
        print_json(&summary)?;
    } else {
        print::summary(&summary)?;
    }
    if let Some(folder) = &args.report {
        arena.report(folder, &summary, &facts, &swings)?;
    }
    if stop.is_set() {
        match &args.games_file {
            Some(path) => remark(format_args!(
                "interrupted; the same command continues {}",
                path.display()
            )),
            None => remark("interrupted"),
        }
        bail!(terminal::Interrupted);
    }
    Ok(())
}

/// An arena: the options, the tournament and the entrants.
struct Arena<'a> {
    args: &'a ArenaArgs,
    tournament: Tournament<'a>,
    /// Name and version of each entrant.
    agents: Vec<Named>,
}

/// The facts of all games, and the games with the largest swings.
type Played = (Vec<GameFacts>, Vec<GameLine>);

impl<'a> Arena<'a> {
    fn new(
        args: &'a ArenaArgs,
        race: &'a Race,
        (entrants, agents): Entrants<'a>,
    ) -> Result<Arena<'a>> {
        let luck = args.luck.as_deref().unwrap_or("auto");
        let reference = games::reference(luck, race).with_context(|| format!("--luck {luck}"))?;
        if reference.is_none() && luck == "auto" {
            remark("no agent can measure the luck of this game; --luck AGENT names one");
        }
        // The message begins with the name of the option, without its dashes.
        let of_option = |error| anyhow!("--{error}");
        let mut tournament = Tournament::new(race, entrants, reference)?;
        if let Some(name) = &args.anchor {
            tournament = tournament.with_anchor(name).map_err(of_option)?;
        }
        if let Some((elo0, elo1)) = args.sprt {
            let sprt = Sprt {
                elo0,
                elo1,
                alpha: args.alpha,
                beta: args.beta,
            };
            tournament = tournament.with_sprt(sprt).map_err(of_option)?;
            let [ends, halfway] = sprt.expected_games();
            remark(format_args!(
                "against each agent, the test needs about {ends:.0} games if {elo0} or {elo1} is true and {halfway:.0} if \
                 the truth is halfway, and fewer games if luck is removed"
            ));
        }
        let all = tournament.remaining_blocks(args.games.pairs, &[]).end;
        if let Some(Range { start, end }) = args.blocks
            && end > all
        {
            bail!("--blocks {start}..{end}: with this --pairs, the arena has the blocks 0..{all}");
        }
        Ok(Arena {
            args,
            tournament,
            agents,
        })
    }

    fn settings(&self) -> Settings {
        let luck = self.tournament.reference();
        let (spec, ruleset) = (
            self.tournament.race().spec(),
            self.tournament.race().ruleset(),
        );
        Settings {
            arena: FORMAT,
            game: spec.name.clone(),
            seats: spec.seats.iter().map(Seat::letter).collect(),
            sheet: (!ruleset.is_builtin()).then(|| ruleset.base().text()),
            agents: self.agents.clone(),
            seed: self.args.games.seed,
            luck: luck.map(|luck| Named {
                name: luck.name.clone(),
                version: luck.version.clone(),
            }),
        }
    }

    /// Plays the remaining games until `stop` is set or the sequential test has decided. Returns
    /// all games, and the games with the largest swings.
    fn play(&self, stop: &Stop) -> Result<Played> {
        let tournament = &self.tournament;
        let (mut file, games) = self
            .args
            .games_file
            .as_deref()
            .map(|path| self.resume(path))
            .transpose()?
            .unzip();
        let (mut facts, mut swings) = games.unwrap_or_default();
        let mut left = tournament.remaining_blocks(self.args.games.pairs, &facts);
        if let Some(blocks) = &self.args.blocks {
            left = left.start.max(blocks.start)..blocks.end;
        }
        if !left.is_empty() {
            let bar = terminal::bar(left.end, "blocks")?;
            bar.set_position(left.start);
            bar.reset_eta();
            let mut written = Ok(());
            let mut reported = vec![false; tournament.entrants().len()];
            let mut take = |block: u64, lines: Vec<GameLine>, new: &[GameFacts]| {
                new.iter()
                    .for_each(|game| self.report_forfeit(game, &mut reported, &bar));
                bar.set_position(block + 1);
                written = file.as_mut().map_or(Ok(()), |file| file.add(&lines));
                keep_largest(&mut swings, lines);
                stop_if(written.is_err())
            };
            let begun = Instant::now();
            let clock = || begun.elapsed().as_nanos() as u64;
            tournament.play(
                left,
                &self.args.games.config(),
                &clock,
                &|| stop.is_set(),
                &mut facts,
                &mut take,
            );
            bar.finish_and_clear();
            written?;
        }
        Ok((facts, swings))
    }

    /// Opens the games file and checks its games. Returns the facts of the games, and the games
    /// with the largest swings. With `--luck`, measures the luck of all games again; otherwise
    /// checks the luck of a sample and of these games.
    fn resume(&self, path: &Path) -> Result<(GamesFile, Played)> {
        let (tournament, settings, threads) = (
            &self.tournament,
            self.settings(),
            self.args.games.config().threads,
        );
        let measures_all = self.args.luck.is_some();
        let legs = |block| tournament.legs(block);
        let first = self.args.blocks.as_ref().map_or(0, |blocks| blocks.start);
        let (mut file, mut games) = GamesFile::open(path, &settings, measures_all, first, &legs)?;
        let location = |number: usize| format!("{}: line {number}", path.display());
        if measures_all {
            let lines: Vec<&GameLine> = games.iter().map(|(_, line)| line).collect();
            let found = tournament
                .measure_luck(&lines, threads)
                .with_context(|| path.display().to_string())?;
            games
                .iter_mut()
                .zip(found)
                .for_each(|((_, line), found)| *line = found);
        }
        let facts = |(number, line): &NumberedGame| {
            tournament
                .verified_facts(line)
                .with_context(|| location(*number))
        };
        let facts = games.iter().map(facts).collect::<Result<Vec<_>>>()?;
        let mut swings = Vec::new();
        keep_largest(
            &mut swings,
            games.iter().map(|(_, line)| line.clone()).collect(),
        );
        if measures_all {
            file.rewrite(&settings, games.iter().map(|(_, line)| line))?;
        } else if tournament.reference().is_some() {
            let every = games.len().div_ceil(MEASURED_AGAIN).max(1);
            let is_measured =
                |(at, (_, line)): &(usize, &NumberedGame)| at % every == 0 || swings.contains(line);
            let sample: Vec<_> = games
                .iter()
                .enumerate()
                .filter(is_measured)
                .map(|(_, game)| game)
                .collect();
            let lines: Vec<&GameLine> = sample.iter().map(|(_, line)| line).collect();
            for ((number, line), found) in
                sample.iter().zip(tournament.measure_luck(&lines, threads)?)
            {
                let again = || {
                    format!(
                        "{}: --luck measures the luck of all games again",
                        location(*number)
                    )
                };
                tournament.check_luck(line, &found).with_context(again)?;
            }
        }
        Ok((file, (facts, swings)))
    }

    /// Prints the first game that an agent forfeits (loses by a fault), with the reason.
    fn report_forfeit(&self, game: &GameFacts, reported: &mut [bool], bar: &ProgressBar) {
        let Some((side, reason)) = &game.forfeited else {
            return;
        };
        let agent = game.agents[*side];
        if !std::mem::replace(&mut reported[agent], true) {
            let name = &self.tournament.entrants()[agent].name;
            bar.suspend(|| remark(format_args!("{name} forfeits a game: {reason}")));
        }
    }

    /// Writes `report.json` and `index.html`.
    fn report(
        &self,
        folder: &Path,
        summary: &Summary,
        facts: &[GameFacts],
        swings: &[GameLine],
    ) -> Result<()> {
        let race = self.tournament.race();
        let (verdicts, summary) = (print::verdicts(summary), serde_json::to_value(summary)?);
        write_whole(
            &folder.join("report.json"),
            format!("{}\n", serde_json::to_string_pretty(&summary)?),
        )?;
        let mut games = Vec::new();
        if let Some(reference) = self.tournament.reference() {
            for line in swings {
                let Some(Swing { turn, size }) = line.swing else {
                    continue;
                };
                let title = format!(
                    "{:.0} % in turn {} of game {} of block {}:",
                    100.0 * size,
                    turn + 1,
                    line.leg,
                    line.block
                );
                games.push(ShownGame::new(race, line, reference, title, turn + 1)?);
            }
        }
        let turns: Vec<u32> = facts.iter().map(|game| game.turns).collect();
        let (lengths, board) = (Some(LengthChart::new(&turns)), BoardPicture::new(race));
        let contents = Contents {
            summary: Some(summary),
            verdicts,
            lengths,
            board,
            games,
        };
        write_whole(
            &folder.join("index.html"),
            &page(&race.spec().name, &contents)?,
        )
    }
}

/// Adds `lines` to `swings`, and keeps the games with the largest swings.
fn keep_largest(swings: &mut Vec<GameLine>, lines: Vec<GameLine>) {
    let size = |line: &GameLine| line.swing.map_or(0.0, |swing| swing.size);
    swings.extend(lines.into_iter().filter(|line| size(line) > 0.0));
    // The sort is stable: of games with equal swings, the earlier ones stay.
    swings.sort_by(|a, b| size(b).total_cmp(&size(a)));
    swings.truncate(SHOWN_GAMES);
}
