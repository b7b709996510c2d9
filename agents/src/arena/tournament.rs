//! Round-robin tournaments: several agents meet in an arena, every game becomes a record that can be replayed, and all
//! games are summarised.
//!
//! The caller supplies the entrants and the clock, stores the lines and shows the progress; nothing here knows of
//! files, clocks or terminals.

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ashta_env::game::{Action, BySeat, Game, Node, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::sheet::Sheets;

use crate::arena::game_record::{GameLine, Swing};
use crate::arena::luck::SERIES_PROBABILITY;
use crate::arena::{
    Contestant, Ending, Fault, GameFacts, MAX_AGENTS, MakeContestant, MatchConfig, MatchSetup, Move, PlayedGame,
    Reference, Schedule, Seating, Sprt, Summary, TurnAnalysis, Verdict, analyze_game, lineups, luck, play_blocks,
    rotations, sides, sprt_summary, summarise,
};
use crate::play::agent::GameRng;
use crate::play::error::Error;
use crate::play::evaluator::Evaluator;
use crate::play::throws::TurnClock;

/// Luck is written with so many digits, so that games from a file give the same statistics as games that are played.
const LUCK_DIGITS: f64 = 1e6;

/// The luck of a game and the size of a swing that were measured twice may differ by so much, as machines round.
const LUCK_TOLERANCE: f64 = 1e-3;

/// Makes a contestant, for one thread.
type MakeEntrant<'a> = Box<dyn Fn() -> Box<dyn Contestant<Race> + 'a> + Send + Sync + 'a>;

/// A participant of a tournament.
pub struct Entrant<'a> {
    /// Its name.
    pub name: String,
    make: MakeEntrant<'a>,
    thought: Thought,
}

/// The thinking time of an entrant, in all threads.
#[derive(Debug, Default)]
struct Thought {
    choices: AtomicU64,
    nanoseconds: AtomicU64,
}

impl<'a> Entrant<'a> {
    /// An entrant with this name; `make` makes its contestants, one for each thread.
    pub fn new(name: String, make: impl Fn() -> Box<dyn Contestant<Race> + 'a> + Send + Sync + 'a) -> Entrant<'a> {
        Entrant { name, make: Box::new(make), thought: Thought::default() }
    }

    /// Milliseconds that it took for each choice; `None` when it was not asked.
    pub fn milliseconds(&self) -> Option<f64> {
        let [choices, nanoseconds] =
            [&self.thought.choices, &self.thought.nanoseconds].map(|of| of.load(Relaxed) as f64);
        (choices > 0.0).then(|| nanoseconds / choices / 1e6)
    }
}

impl fmt::Debug for Entrant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant").field("name", &self.name).field("thought", &self.thought).finish_non_exhaustive()
    }
}

/// The names of entrants: those of `specs`, with a number behind the second of two equal ones.
pub fn distinct_names(specs: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for spec in specs {
        let numbered = format!("{spec} (");
        let same = names.iter().filter(|other| *other == spec || other.starts_with(&numbered)).count();
        names.push(if same == 0 { spec.clone() } else { format!("{spec} ({})", same + 1) });
    }
    names
}

/// Nanoseconds since any fixed moment.
pub type Clock<'a> = &'a (dyn Fn() -> u64 + Sync);

/// A contestant that is timed.
struct TimedContestant<'a> {
    contestant: Box<dyn Contestant<Race> + 'a>,
    thought: &'a Thought,
    clock: Clock<'a>,
}

impl Contestant<Race> for TimedContestant<'_> {
    fn try_act(&mut self, race: &Race, states: &[State], rngs: &mut [GameRng]) -> Vec<Result<Action, Fault>> {
        let begun = (self.clock)();
        let choices = self.contestant.try_act(race, states, rngs);
        let taken = (self.clock)().saturating_sub(begun);
        self.thought.nanoseconds.fetch_add(taken, Relaxed);
        self.thought.choices.fetch_add(states.len() as u64, Relaxed);
        choices
    }
}

/// Takes the games of a block, as lines and by sides.
pub type TakeBlock<'a> = &'a mut (dyn FnMut(u64, Vec<GameLine>, &[GameFacts]) -> ControlFlow<()> + Send);

/// Several agents that meet in one game.
#[derive(Debug)]
pub struct Tournament<'a> {
    race: &'a Race,
    entrants: Vec<Entrant<'a>>,
    sides: Vec<SeatSet>,
    /// The seatings of each lineup.
    lineups: Vec<Vec<Seating>>,
    /// The reference whose values measure the luck.
    reference: Option<Reference<Race>>,
    anchor: Option<usize>,
    sprt: Option<Sprt>,
}

impl<'a> Tournament<'a> {
    /// One in which `entrants` meet in all lineups, and luck is measured by the values of `reference`.
    ///
    /// # Errors
    /// When too few or too many take part.
    pub fn new(
        race: &'a Race,
        entrants: Vec<Entrant<'a>>,
        reference: Option<Reference<Race>>,
    ) -> Result<Tournament<'a>, Error> {
        let count = entrants.len();
        let is_right = (2..=MAX_AGENTS).contains(&count);
        Error::unless(is_right, || format!("an arena takes 2 to {MAX_AGENTS} agents, not {count}"))?;
        let sides = sides(race.spec());
        let lineups = lineups(count, sides.len()).iter().map(|lineup| rotations(&sides, lineup)).collect();
        Ok(Tournament { race, entrants, sides, lineups, reference, anchor: None, sprt: None })
    }

    /// The same with the entrant `name` rated 0, the anchor.
    ///
    /// # Errors
    /// When no entrant has this name.
    pub fn with_anchor(mut self, name: &str) -> Result<Tournament<'a>, Error> {
        let anchor = self.entrants.iter().position(|entrant| entrant.name == name);
        let none = || Error::new(format!("anchor {name}: it is not among those who meet"));
        self.anchor = Some(anchor.ok_or_else(none)?);
        Ok(self)
    }

    /// The same with an SPRT, which ends the tournament when it has decided.
    ///
    /// # Errors
    /// When the test does not fit the agents or its hypotheses or error rates are invalid.
    pub fn with_sprt(mut self, sprt: Sprt) -> Result<Tournament<'a>, Error> {
        let (agents, sides) = (self.entrants.len(), self.sides.len());
        Error::unless(agents == 2 && sides == 2, || {
            format!("sprt compares two agents in a game of two sides, not {agents} with {sides}")
        })?;
        let Sprt { elo0, elo1, alpha, beta } = sprt;
        Error::unless(elo0 < elo1, || format!("sprt {elo0},{elo1}: {elo0} is not less than {elo1}"))?;
        Error::unless(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0, || {
            format!("alpha {alpha} and beta {beta}: each must be above 0, and together they must be below 1")
        })?;
        self.sprt = Some(sprt);
        Ok(self)
    }

    /// The game.
    pub fn race(&self) -> &'a Race {
        self.race
    }

    /// The seats that take part.
    pub fn entrants(&self) -> &[Entrant<'a>] {
        &self.entrants
    }

    /// The reference whose values measure the luck.
    pub fn reference(&self) -> Option<&Reference<Race>> {
        self.reference.as_ref()
    }

    fn seatings(&self, block: u64) -> &[Seating] {
        &self.lineups[(block % self.lineups.len() as u64) as usize]
    }

    /// The games of a block.
    pub fn legs(&self, block: u64) -> usize {
        self.seatings(block).len()
    }

    /// The blocks that are left to play when `facts`, whole blocks from the first on, are there and each lineup plays
    /// `pairs` blocks: none where the sequential test has decided.
    pub fn left(&self, pairs: u64, facts: &[GameFacts]) -> Range<u64> {
        let begins = facts.last().map_or(0, |game| game.block + 1);
        let blocks = pairs.saturating_mul(self.lineups.len() as u64);
        let is_over = begins > 0 && self.is_decided(begins - 1, facts);
        begins..if is_over { begins } else { blocks.max(begins) }
    }

    /// Plays `blocks` and appends their games to `facts`, which must have all blocks before them. Each block goes to
    /// `take`, too; play stops when that breaks, when `is_stopped`, or when the SPRT has decided. `config` is used but
    /// for its number of blocks.
    ///
    /// # Panics
    /// As [`play_blocks`].
    pub fn play(
        &self,
        blocks: Range<u64>,
        config: &MatchConfig,
        clock: Clock<'_>,
        is_stopped: &(dyn Fn() -> bool + Sync),
        facts: &mut Vec<GameFacts>,
        take: TakeBlock<'_>,
    ) {
        let names: Vec<String> = self.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let makers: Vec<_> = self
            .entrants
            .iter()
            .map(|entrant| {
                || {
                    let (contestant, thought) = ((entrant.make)(), &entrant.thought);
                    Box::new(TimedContestant { contestant, thought, clock }) as Box<dyn Contestant<Race> + '_>
                }
            })
            .collect();
        let contestants: Vec<MakeContestant<'_, Race>> =
            makers.iter().map(|make| make as MakeContestant<'_, Race>).collect();
        let seatings = |block: u64| self.seatings(block).to_vec();
        let meeting = MatchSetup { game: self.race, contestants: &contestants, seatings: &seatings, is_stopped };
        let study = || {
            let mut evaluator = self.reference.as_ref().map(Reference::evaluator);
            let names = &names;
            move |game: PlayedGame<State>| self.study(evaluator.as_mut(), &game, names)
        };
        play_blocks(&meeting, blocks, config, study, &mut |block, games: Vec<(GameLine, GameFacts)>| {
            let (lines, new): (Vec<_>, Vec<_>) = games.into_iter().unzip();
            let known = facts.len();
            facts.extend(new);
            let taken = take(block, lines, &facts[known..]);
            if is_stopped() || self.is_decided(block, facts) { ControlFlow::Break(()) } else { taken }
        });
    }

    /// Whether the sequential test has decided after `block`. It costs as much as there are blocks, so it is made
    /// after every block at first, and then more seldom.
    fn is_decided(&self, block: u64, facts: &[GameFacts]) -> bool {
        let every = (block / 50).next_power_of_two();
        let is_due = (block + 1).is_multiple_of(every);
        self.sprt.is_some_and(|sprt| is_due && sprt_summary(sprt, facts).verdict != Verdict::Open)
    }

    /// The line of a game, with its luck where there is a reference.
    fn study(
        &self,
        evaluator: Option<&mut Box<dyn Evaluator<Race> + Send>>,
        game: &PlayedGame<State>,
        names: &[String],
    ) -> (GameLine, GameFacts) {
        let line = GameLine::new(self.race, game, names);
        let line = self.with_luck(evaluator, line, self.race.initial_state(game.first), &game.moves);
        let facts = self.facts_of(&line, game);
        (line, facts)
    }

    /// A line with the luck and the swing of its `moves` from `start`, or without them if luck is not measured.
    fn with_luck(
        &self,
        evaluator: Option<&mut Box<dyn Evaluator<Race> + Send>>,
        line: GameLine,
        start: State,
        moves: &[Move],
    ) -> GameLine {
        let Some(evaluator) = evaluator else { return GameLine { luck: None, swing: None, ..line } };
        let turns = analyze_game(self.race, evaluator, start, moves, line.block, SERIES_PROBABILITY);
        let (luck, seats) = (luck(&turns), self.race.spec().seats);
        let luck = Some(seats.iter().map(|seat| rounded(luck[seat])).collect());
        let size = |turn: &TurnAnalysis<State>| turn.luck(turn.seat).abs().max(turn.regret());
        let largest = turns.iter().enumerate().max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
        let swing = largest.map(|(turn, values)| Swing { turn, size: rounded(size(values)) });
        GameLine { luck, swing, ..line }
    }

    /// The lines with their luck and swings measured anew, on so many threads.
    ///
    /// # Errors
    /// When moves of a line are not possible.
    pub fn measured(&self, lines: &[&GameLine], threads: usize) -> Result<Vec<GameLine>, Error> {
        let part = |lines: &[&GameLine]| {
            let mut evaluator = self.reference.as_ref().map(Reference::evaluator);
            let measure = |line: &&GameLine| {
                let (_, start) = line.begin_in(&Sheets::with(self.race.ruleset().base()))?;
                let (moves, _) = line.replay(self.race, start)?;
                Ok(self.with_luck(evaluator.as_mut(), GameLine::clone(line), start, &moves))
            };
            lines.iter().map(measure).collect::<Result<Vec<_>, Error>>()
        };
        std::thread::scope(|scope| {
            let parts = lines.chunks(lines.len().div_ceil(threads.max(1)).max(1));
            let workers: Vec<_> = parts.map(|lines| scope.spawn(move || part(lines))).collect();
            let joined = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            Ok(joined.collect::<Result<Vec<_>, _>>()?.concat())
        })
    }

    /// Checks the luck and the swing of a line against those that were `measured`.
    ///
    /// # Errors
    /// When they differ by more than machines round.
    pub fn check_luck(&self, line: &GameLine, measured: &GameLine) -> Result<(), Error> {
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= LUCK_TOLERANCE;
        let has_luck = line.luck.iter().flatten().zip(measured.luck.iter().flatten()).all(is_near);
        Error::unless(has_luck, || {
            let [stated, found] = [line, measured].map(|line| line.luck.clone().unwrap_or_default());
            format!("its `luck` is {stated:?}, but its moves give {found:?}")
        })?;
        let swings = [line, measured].map(|line| line.swing.map_or((0, 0.0), |swing| (swing.turn, swing.size)));
        let [(turn, size), (found_turn, found_size)] = swings;
        Error::unless(turn == found_turn && is_near((&size, &found_size)), || {
            format!("its `swing` is {size} in turn {turn}, but its moves give {found_size} in turn {found_turn}")
        })
    }

    /// The facts of a game by sides, with the luck that its line has.
    fn facts_of(&self, line: &GameLine, game: &PlayedGame<State>) -> GameFacts {
        let seats = self.race.spec().seats;
        let place = |side: &SeatSet| seats.iter().position(|seat| side.contains(seat)).unwrap_or(0);
        let by_side = |luck: &Vec<f64>| balanced(self.sides.iter().map(|side| luck[place(side)]).collect());
        GameFacts { luck: line.luck.as_ref().map(by_side), ..GameFacts::new(&self.sides, game) }
    }

    /// The facts of a line from elsewhere, verified by replaying its moves.
    ///
    /// # Errors
    /// When it is not whole, or is not a game of this tournament.
    pub fn facts(&self, line: &GameLine) -> Result<GameFacts, Error> {
        self.checked(line).map_err(Error::because(format!("game {} of block {}", line.leg, line.block)))
    }

    fn checked(&self, line: &GameLine) -> Result<GameFacts, Error> {
        let (spec, count) = (self.race.spec(), self.race.spec().seats.len());
        let has_all = line.returns.len() == count && line.luck.as_ref().is_none_or(|luck| luck.len() == count);
        let has_all = has_all && line.luck.is_some() == self.reference.is_some() && line.ending != Ending::Open;
        let has_all = has_all && (line.swing.is_none() || self.reference.is_some());
        let seating =
            self.seatings(line.block).get(line.leg).filter(|_| has_all).ok_or_else(|| Error::new("it is not whole"))?;
        let name = |seat| seating.agent(seat).map_or("", |agent| self.entrants[agent].name.as_str());
        let sat_so = spec.seats.iter().map(name).eq(line.players.iter().map(String::as_str));
        Error::unless(sat_so, || "its `players` sat otherwise")?;
        let are_returns = line.returns.iter().all(|own| (0.0..=1.0).contains(own));
        Error::unless(are_returns, || "its `returns` are not between 0 and 1")?;
        let (race, start) = line.begin_in(&Sheets::with(self.race.ruleset().base()))?;
        let is_ours = race.spec().ruleset_hash == spec.ruleset_hash;
        let first = spec.seats.iter().find(|&first| is_ours && self.race.initial_state(first) == start);
        let first = first.ok_or_else(|| {
            Error::new(format!("`{}` is no beginning of {} for {:?}", line.start, spec.name, spec.seats))
        })?;
        let (moves, end) = line.replay(&race, start)?;
        let turns = turns_of(&race, start, &moves);
        let has_turns = line.turns == turns;
        Error::unless(has_turns, || format!("its `turns` are {}, but its moves have {turns}", line.turns))?;
        // A turn moves a value between 0 and 1.
        let most = f64::from(turns) + LUCK_TOLERANCE;
        for &luck in line.luck.iter().flatten() {
            let is_possible = luck.abs() <= most;
            Error::unless(is_possible, || format!("its `luck` of {luck} is impossible in {turns} turns"))?;
        }
        let is_finished = self.race.node(&end) == Node::Terminal;
        let got = self.race.returns(&end);
        let is_true = !is_finished || spec.seats.iter().map(|seat| got[seat]).eq(line.returns.iter().copied());
        let is_by_nobody = matches!(line.ending, Ending::Forfeited { seat, .. } if Seat::from_letter(seat).is_none());
        let is_true = is_true && (line.ending != Ending::Truncated || turns == spec.turn_limit);
        let is_so = is_true && !is_by_nobody && is_finished == (line.ending == Ending::Finished);
        Error::unless(is_so, || "its moves do not lead to its `ending` and `returns`")?;
        let mut returns = BySeat::default();
        spec.seats.iter().zip(&line.returns).for_each(|(seat, &own)| returns[seat] = own);
        let game = PlayedGame {
            block: line.block,
            leg: line.leg,
            seating: *seating,
            first,
            moves,
            turns: Vec::new(),
            turns_begun: line.turns,
            ending: line.ending.clone(),
            returns,
        };
        Ok(self.facts_of(line, &game))
    }

    /// The summary of `facts`, in ascending order of their blocks.
    pub fn summary(&self, facts: &[GameFacts]) -> Summary {
        let agents: Vec<_> =
            self.entrants.iter().map(|entrant| (entrant.name.clone(), entrant.milliseconds())).collect();
        let luck_by = self.reference.as_ref().map(|reference| reference.name.clone());
        let schedule = Schedule {
            spec: self.race.spec(),
            sides: &self.sides,
            lineups: self.lineups.len() as u64,
            anchor: self.anchor,
        };
        let summary = summarise(&schedule, &agents, luck_by, facts);
        Summary { sprt: self.sprt.map(|sprt| sprt_summary(sprt, facts)), ..summary }
    }
}

/// The turns that `moves` from `state` begin.
fn turns_of(race: &Race, mut state: State, moves: &[Move]) -> u32 {
    let mut clock = TurnClock::default();
    for &made in moves {
        match race.node(&state) {
            Node::Chance(seat) => _ = clock.throw(seat),
            _ => clock.action(),
        }
        match made {
            Move::Throw(outcome) => race.apply_chance(&mut state, outcome),
            Move::Choice(action) => race.apply_action(&mut state, action),
        }
    }
    clock.turns()
}

/// Makes the luck of two sides sum to exactly 0, so that an agent scores even against itself.
fn balanced(luck: Vec<f64>) -> Vec<f64> {
    match luck[..] {
        [a, b] => vec![(a - b) / 2.0, (b - a) / 2.0],
        _ => luck,
    }
}

fn rounded(value: f64) -> f64 {
    (value * LUCK_DIGITS).round() / LUCK_DIGITS
}
