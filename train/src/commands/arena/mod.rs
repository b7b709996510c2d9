//! `ashta arena`: who plays better, by how much, and how sure that is.

mod engine;
mod entrant;
mod games_file;
mod print;
mod summary;

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ashta_agents::arena::{
    Appraiser, MakeContestant, MatchConfig, Meeting, PlayedGame, Seating, Sprt, TurnValues, Verdict, lineups, luck,
    play_blocks, rotations, sides,
};
use ashta_agents::evaluator::Evaluator;
use ashta_agents::record::{EndingText, GameLine, Swing};
use ashta_env::game::{Game, Node, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::ArenaArgs;
use crate::files::{cannot_write, check_writable, write_whole};
use crate::games::{self, Judge};
use crate::output::{print as say, remark};
use crate::page::{Board, Contents, Lengths, ShownGame, page};
use engine::Limits;
use entrant::{Entrant, enter};
use games_file::{FORMAT, GamesFile, Named, Settings};
use summary::{GameFacts, Schedule, Summary, summarise};

/// Series of throws whose beginning is less likely than this count as luckless.
const SERIES_PROBABILITY: f32 = 0.01;
/// Luck is written with so many digits, so that an arena which was interrupted says the same as one that was not.
const LUCK_DIGITS: f64 = 1e6;
/// Games with large swings that a report shows.
const SHOWN_GAMES: usize = 8;
/// Games that a thread plays side by side.
const BATCH: usize = 64;

/// Runs the command.
///
/// # Errors
/// When an agent does not exist or plays another game, or a file cannot be read or written.
pub fn run(args: &ArenaArgs) -> Result<()> {
    let stops = Arc::new(AtomicBool::new(false));
    let limits = Limits { patience: Duration::from_secs_f64(args.move_seconds), stops: Arc::clone(&stops) };
    let (race, entrants) = enter(&args.agents, &args.game, &limits)?;
    let arena = Arena::new(args, &race, &entrants)?;
    if let Some(folder) = &args.report {
        std::fs::create_dir_all(folder).with_context(|| cannot_write(folder))?;
        check_writable(&folder.join("index.html"))?;
    }
    let asked = Arc::clone(&stops);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        remark("stopping (again: at once)");
    })
    .context("cannot listen for Ctrl-C")?;
    let outcome = arena.play(&stops)?;
    if args.json {
        say(serde_json::to_string_pretty(&outcome.summary)?)?;
    } else {
        print::summary(&outcome.summary)?;
    }
    if let Some(folder) = &args.report {
        arena.report(folder, &outcome)?;
    }
    if stops.load(Ordering::Relaxed) {
        match &args.games_file {
            Some(path) => remark(format_args!("interrupted; the same command goes on with {}", path.display())),
            None => remark("interrupted"),
        }
        std::process::exit(130);
    }
    Ok(())
}

/// What an arena found.
struct Outcome {
    summary: Summary,
    /// How long its games were.
    turns: Vec<u32>,
    /// The games in which a turn moved the chances most.
    swings: Vec<GameLine>,
}

/// An arena before its first game.
struct Arena<'a> {
    args: &'a ArenaArgs,
    race: &'a Race,
    entrants: &'a [Entrant],
    sides: Vec<SeatSet>,
    /// The seatings of each lineup.
    lineups: Vec<Vec<Seating>>,
    /// By whose values luck is measured.
    judge: Option<Judge>,
    anchor: Option<usize>,
    sprt: Option<Sprt>,
}

impl<'a> Arena<'a> {
    fn new(args: &'a ArenaArgs, race: &'a Race, entrants: &'a [Entrant]) -> Result<Arena<'a>> {
        let sides = sides(race.spec());
        let lineups: Vec<Vec<Seating>> =
            lineups(entrants.len(), sides.len()).iter().map(|lineup| rotations(&sides, lineup)).collect();
        let anchor = match &args.anchor {
            None => None,
            Some(name) => {
                let found = entrants.iter().position(|entrant| entrant.name == *name);
                Some(found.with_context(|| format!("--anchor {name}: it is not among those who meet"))?)
            }
        };
        let sprt = args.sprt.map(|(elo0, elo1)| Sprt { elo0, elo1, alpha: args.alpha, beta: args.beta });
        if sprt.is_some() && (entrants.len() != 2 || sides.len() != 2) {
            bail!("--sprt compares two agents in a game of two sides, not {} with {}", entrants.len(), sides.len());
        }
        if args.alpha + args.beta >= 1.0 {
            bail!("--alpha {} and --beta {}: together they must be below 1", args.alpha, args.beta);
        }
        let judge = games::judge(&args.luck, race).with_context(|| format!("--luck {}", args.luck))?;
        if judge.is_none() && args.luck == "auto" {
            remark("nobody can say what positions are worth, so luck is not measured; --luck AGENT names somebody");
        }
        Ok(Arena { args, race, entrants, lineups, judge, anchor, sprt, sides })
    }

    fn seatings(&self, block: u64) -> &[Seating] {
        &self.lineups[(block % self.lineups.len() as u64) as usize]
    }

    fn settings(&self) -> Settings {
        let of = |entrant: &Entrant| Named { name: entrant.name.clone(), version: entrant.version.clone() };
        let spec = self.race.spec();
        Settings {
            arena: FORMAT,
            game: spec.name.clone(),
            seats: spec.seats.iter().map(Seat::letter).collect(),
            agents: self.entrants.iter().map(of).collect(),
            seed: self.args.games.seed,
            luck: self.judge.as_ref().map(|judge| Named { name: judge.name.clone(), version: judge.version.clone() }),
        }
    }

    /// Plays what is left to play, until `stops` is set or the test has decided.
    fn play(&self, stops: &AtomicBool) -> Result<Outcome> {
        let legs = |block: u64| self.seatings(block).len();
        let (mut file, played) = match &self.args.games_file {
            Some(path) => {
                let (file, games) = GamesFile::open(path, &self.settings(), &legs)?;
                (Some(file), games)
            }
            None => (None, Vec::new()),
        };
        let mut facts = played.iter().map(|line| self.facts(line)).collect::<Result<Vec<_>>>()?;
        let mut swings = Vec::new();
        keep_largest(&mut swings, played);
        let begins = facts.last().map_or(0, |game: &GameFacts| game.block + 1);
        let blocks = self.args.games.pairs * self.lineups.len() as u64;
        if begins < blocks && !(begins > 0 && self.is_decided(begins - 1, &facts)) {
            let bar = self.progress(begins, blocks)?;
            let mut failed = None;
            let mut told = vec![false; self.entrants.len()];
            let mut take = |block: u64, games: Vec<(GameLine, GameFacts)>| {
                let (lines, new): (Vec<_>, Vec<_>) = games.into_iter().unzip();
                new.iter().for_each(|game| self.tell_forfeit(game, &mut told, &bar));
                facts.extend(new);
                bar.set_position(block + 1);
                if let Some(Err(error)) = file.as_mut().map(|file| file.add(&lines)) {
                    failed = Some(error);
                }
                keep_largest(&mut swings, lines);
                let is_over = failed.is_some() || stops.load(Ordering::Relaxed) || self.is_decided(block, &facts);
                if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            self.play_blocks(begins..blocks, stops, &mut take);
            bar.finish_and_clear();
            if let Some(error) = failed {
                return Err(error);
            }
        }
        let turns = facts.iter().map(|game| game.turns).collect();
        Ok(Outcome { summary: self.summary(&facts), turns, swings })
    }

    fn play_blocks(&self, blocks: Range<u64>, stops: &AtomicBool, take: TakeBlock<'_>) {
        let names: Vec<String> = self.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let makers: Vec<_> = self.entrants.iter().map(|entrant| || entrant.contestant()).collect();
        let contestants: Vec<MakeContestant<'_, Race>> =
            makers.iter().map(|make| make as MakeContestant<'_, Race>).collect();
        let seatings = |block: u64| self.seatings(block).to_vec();
        let is_stopped = || stops.load(Ordering::Relaxed);
        let meeting =
            Meeting { game: self.race, contestants: &contestants, seatings: &seatings, is_stopped: &is_stopped };
        let study = || {
            let mut appraiser =
                self.judge.as_ref().map(|judge| Appraiser::new(judge.player.evaluator(), SERIES_PROBABILITY));
            let names = &names;
            Box::new(move |game: PlayedGame<State>| self.study(appraiser.as_mut(), &game, names))
                as Box<dyn FnMut(PlayedGame<State>) -> (GameLine, GameFacts)>
        };
        let config = MatchConfig { batch: BATCH, ..self.args.games.config() };
        play_blocks(&meeting, blocks, &config, &study, take);
    }

    /// Says why an agent forfeits, the first time that it does.
    fn tell_forfeit(&self, game: &GameFacts, told: &mut [bool], bar: &ProgressBar) {
        let Some((side, reason)) = &game.forfeited else { return };
        let agent = game.agents[*side];
        if !std::mem::replace(&mut told[agent], true) {
            bar.suspend(|| remark(format_args!("{} forfeits a game: {reason}", self.entrants[agent].name)));
        }
    }

    /// Whether the sequential test has decided after `block`. It costs as much as there are blocks, so it is made
    /// after every block at first, and then more seldom.
    fn is_decided(&self, block: u64, facts: &[GameFacts]) -> bool {
        let every = (block / 50).next_power_of_two();
        let is_due = (block + 1).is_multiple_of(every);
        self.sprt.is_some_and(|sprt| is_due && summary::sprt(sprt, facts).verdict != Verdict::Open)
    }

    /// The line of a game, with its luck where somebody can tell.
    fn study(
        &self,
        appraiser: Option<&mut Appraiser<Race, Box<dyn Evaluator<Race> + Send>>>,
        game: &PlayedGame<State>,
        names: &[String],
    ) -> (GameLine, GameFacts) {
        let mut line = GameLine::new(self.race, game, names);
        if let Some(appraiser) = appraiser {
            let turns = appraiser.turns(self.race, self.race.initial_state(game.first), &game.moves);
            let (luck, seats) = (luck(&turns), self.race.spec().seats);
            line.luck = Some(seats.iter().map(|seat| rounded(luck[seat])).collect());
            // Also of a series that is left out of the mean, and counts as luckless.
            let moved = |turn: &TurnValues| f64::from(turn.thrown[turn.seat]) - f64::from(turn.before[turn.seat]);
            let size = |turn: &TurnValues| moved(turn).abs().max(turn.given_away());
            let largest = turns.iter().enumerate().max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
            line.swing = largest.map(|(turn, values)| Swing { turn, size: rounded(size(values)) });
        }
        let agents: Vec<usize> = self.sides.iter().map(|side| agent_of(&game.seating, *side)).collect();
        let facts = self.facts_of(&line, agents);
        (line, facts)
    }

    /// What a line says by sides.
    fn facts_of(&self, line: &GameLine, agents: Vec<usize>) -> GameFacts {
        let place = |side: &SeatSet| {
            let seats = self.race.spec().seats;
            seats.iter().position(|seat| side.contains(seat)).unwrap_or(0)
        };
        let by_side = |values: &[f64]| self.sides.iter().map(|side| values[place(side)]).collect::<Vec<f64>>();
        let returns: Vec<f64> = line.returns.iter().map(|&own| f64::from(own)).collect();
        let forfeited = match &line.ending {
            EndingText::Forfeited { seat, reason } => {
                let seat = Seat::from_letter(*seat);
                let side = seat.and_then(|seat| self.sides.iter().position(|side| side.contains(seat)));
                side.map(|side| (side, reason.clone()))
            }
            _ => None,
        };
        GameFacts {
            block: line.block,
            agents,
            returns: (line.ending != EndingText::Truncated).then(|| by_side(&returns)),
            luck: line.luck.as_ref().map(|luck| balanced(by_side(luck))),
            turns: line.turns,
            forfeited,
        }
    }

    /// What a line from a file says, once it is known to be true: its moves are played again.
    ///
    /// # Errors
    /// When it is not whole, or is not a game of this arena.
    fn facts(&self, line: &GameLine) -> Result<GameFacts> {
        let at = || format!("game {} of block {}", line.leg, line.block);
        let (spec, count) = (self.race.spec(), self.race.spec().seats.len());
        let has_all = line.returns.len() == count && line.luck.as_ref().is_none_or(|luck| luck.len() == count);
        let has_all = has_all && line.luck.is_some() == self.judge.is_some() && line.ending != EndingText::Open;
        let seating = self.seatings(line.block).get(line.leg).filter(|_| has_all);
        let seating = seating.with_context(|| format!("{} is not whole", at()))?;
        let name = |seat| seating.agent(seat).map_or("", |agent| self.entrants[agent].name.as_str());
        if !spec.seats.iter().map(name).eq(line.players.iter().map(String::as_str)) {
            bail!("{}: its `players` sat otherwise", at());
        }
        if !line.returns.iter().all(|own| (0.0..=1.0).contains(own)) {
            bail!("{}: its `returns` are not between 0 and 1", at());
        }
        let (race, start) = line.begin().with_context(at)?;
        let is_ours = race.spec().ruleset_hash == spec.ruleset_hash;
        if !is_ours || !spec.seats.iter().any(|first| self.race.initial_state(first) == start) {
            bail!("{}: `{}` is no beginning of {} for {:?}", at(), line.start, spec.name, spec.seats);
        }
        let (_, end) = line.replay(&race, start).with_context(at)?;
        let is_finished = self.race.node(&end) == Node::Terminal;
        let got = self.race.returns(&end);
        let is_true = !is_finished || spec.seats.iter().map(|seat| got[seat]).eq(line.returns.iter().copied());
        if is_finished != (line.ending == EndingText::Finished) || !is_true {
            bail!("{}: its moves do not lead to its `ending` and `returns`", at());
        }
        let agents = self.sides.iter().map(|side| agent_of(seating, *side)).collect();
        Ok(self.facts_of(line, agents))
    }

    fn progress(&self, begins: u64, blocks: u64) -> Result<ProgressBar> {
        let bar = ProgressBar::new(blocks);
        bar.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} blocks, {eta} left")?);
        bar.set_position(begins);
        bar.reset_eta();
        Ok(bar)
    }

    /// Writes the report.
    fn report(&self, folder: &Path, outcome: &Outcome) -> Result<()> {
        let summary = serde_json::to_value(&outcome.summary)?;
        write_whole(&folder.join("report.json"), format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
        let mut games = Vec::new();
        if let Some(judge) = &self.judge {
            for line in &outcome.swings {
                let Some(Swing { turn, size }) = line.swing else { continue };
                let title =
                    format!("{:.0} % in turn {} of game {} of block {}:", 100.0 * size, turn + 1, line.leg, line.block);
                games.push(ShownGame::new(self.race, line, judge, title, turn + 1)?);
            }
        }
        let contents = Contents {
            summary: Some(summary),
            verdicts: print::verdicts(&outcome.summary),
            lengths: Some(Lengths::new(&outcome.turns)),
            board: Board::new(self.race),
            games,
        };
        write_whole(&folder.join("index.html"), &page(&self.race.spec().name, &contents)?)
    }

    fn summary(&self, facts: &[GameFacts]) -> Summary {
        let agents: Vec<_> =
            self.entrants.iter().map(|entrant| (entrant.name.clone(), entrant.milliseconds())).collect();
        let luck_by = self.judge.as_ref().map(|judge| judge.name.clone());
        let schedule = Schedule {
            spec: self.race.spec(),
            sides: &self.sides,
            lineups: self.lineups.len() as u64,
            anchor: self.anchor,
        };
        let summary = summarise(&schedule, &agents, luck_by, facts);
        Summary { sprt: self.sprt.map(|sprt| summary::sprt(sprt, facts)), ..summary }
    }
}

/// Adds `lines` to the games with the largest swings.
fn keep_largest(swings: &mut Vec<GameLine>, lines: Vec<GameLine>) {
    let size = |line: &GameLine| line.swing.map_or(0.0, |swing| swing.size);
    let least = if swings.len() < SHOWN_GAMES { 0.0 } else { swings.last().map_or(0.0, size) };
    let before = swings.len();
    swings.extend(lines.into_iter().filter(|line| size(line) > least));
    if swings.len() > before {
        swings.sort_by(|a, b| size(b).total_cmp(&size(a)));
        swings.truncate(SHOWN_GAMES);
    }
}

/// What takes the games of a block.
type TakeBlock<'a> = &'a mut (dyn FnMut(u64, Vec<(GameLine, GameFacts)>) -> ControlFlow<()> + Send);

/// The agent that plays a side.
fn agent_of(seating: &Seating, side: SeatSet) -> usize {
    side.iter().find_map(|seat| seating.agent(seat)).unwrap_or(0)
}

/// What one of two sides gains by luck the other loses, to the last digit: so an agent scores even against itself.
fn balanced(luck: Vec<f64>) -> Vec<f64> {
    match luck[..] {
        [a, b] => vec![(a - b) / 2.0, (b - a) / 2.0],
        _ => luck,
    }
}

fn rounded(value: f64) -> f64 {
    (value * LUCK_DIGITS).round() / LUCK_DIGITS
}
