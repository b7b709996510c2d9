//! Round-robin tournaments: several agents play against each other, every game becomes a record
//! that can be replayed, and all games are summarised.
//!
//! The caller provides the entrants and the clock, stores the records and shows the progress. This
//! module does not use files, clocks or terminals.

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use ashta_env::{
    game::{Action, BySeat, Game, Node, SeatSet, Spec},
    race::{Race, state::State},
    sheet::Sheets,
};

use crate::{
    arena::{
        Contestant, Ending, Fault, GameFacts, MAX_AGENTS, MatchConfig, MatchSetup, Move,
        PlayedGame, Reference, Seating, Sprt, SprtSummary, TurnAnalysis, Verdict, analyze_game,
        game_loop::forfeit_returns,
        game_record::{GameLine, Swing},
        lineups, luck,
        luck::{SERIES_PROBABILITY, balanced},
        play_blocks, rotations, sides,
        summary::sprt_summaries,
    },
    play::{agent::GameRng, error::Error, evaluator::Evaluator, throws::TurnClock},
};

/// Luck is rounded to multiples of 1 / `LUCK_DIGITS`, so that games from a file give the same
/// statistics as games that were just played.
const LUCK_DIGITS: f64 = 1e6;

/// The largest allowed difference between two measurements of luck or of the size of a swing.
/// Machines round differently.
const LUCK_TOLERANCE: f64 = 1e-3;

type MakeEntrant<'a> = Box<dyn Fn() -> Box<dyn Contestant<Race> + 'a> + Send + Sync + 'a>;

/// A participant of a tournament.
#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Entrant<'a> {
    /// Its name.
    pub name: String,
    make: MakeEntrant<'a>,
    /// Its choices on all threads, and the nanoseconds that they took.
    thinking: [AtomicU64; 2],
}

impl<'a> Entrant<'a> {
    /// An entrant with this name; `make` creates its contestants, one for each thread.
    pub fn new(
        name: String,
        make: impl Fn() -> Box<dyn Contestant<Race> + 'a> + Send + Sync + 'a,
    ) -> Entrant<'a> {
        Entrant {
            name,
            make: Box::new(make),
            thinking: Default::default(),
        }
    }

    /// Creates a contestant whose thinking time is measured.
    fn timed<'b>(&'b self, clock: Clock<'b>) -> Box<dyn Contestant<Race> + 'b> {
        Box::new(TimedContestant {
            contestant: (self.make)(),
            thinking: &self.thinking,
            clock,
        })
    }

    /// Mean time of a choice in milliseconds; `None` if the entrant made no choice.
    pub fn milliseconds(&self) -> Option<f64> {
        let [choices, nanoseconds] = self
            .thinking
            .each_ref()
            .map(|count| count.load(Relaxed) as f64);
        (choices > 0.0).then(|| nanoseconds / choices / 1e6)
    }
}

/// Distinct names of entrants: the second of two equal `specs` gets ` (2)` at its end, the third
/// ` (3)`.
pub fn distinct_names(specs: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for spec in specs {
        let numbered = format!("{spec} (");
        let same = names
            .iter()
            .filter(|other| *other == spec || other.starts_with(&numbered))
            .count();
        names.push(if same == 0 {
            spec.clone()
        } else {
            format!("{spec} ({})", same + 1)
        });
    }
    names
}

/// Returns the nanoseconds since a fixed moment, which can be any moment.
pub type Clock<'a> = &'a (dyn Fn() -> u64 + Sync);

struct TimedContestant<'a> {
    contestant: Box<dyn Contestant<Race> + 'a>,
    thinking: &'a [AtomicU64; 2],
    clock: Clock<'a>,
}

impl Contestant<Race> for TimedContestant<'_> {
    fn try_act(
        &mut self,
        race: &Race,
        states: &[State],
        rngs: &mut [GameRng],
    ) -> Vec<Result<Action, Fault>> {
        let start = (self.clock)();
        let choices = self.contestant.try_act(race, states, rngs);
        self.thinking[0].fetch_add(states.len() as u64, Relaxed);
        self.thinking[1].fetch_add((self.clock)().saturating_sub(start), Relaxed);
        choices
    }
}

/// Receives the games of a block, as records and as facts.
pub type TakeBlock<'a> =
    &'a mut (dyn FnMut(u64, Vec<GameLine>, &[GameFacts]) -> ControlFlow<()> + Send);

/// A tournament of several agents in one game.
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct Tournament<'a> {
    race: &'a Race,
    pub(super) entrants: Vec<Entrant<'a>>,
    pub(super) sides: Vec<SeatSet>,
    /// The seatings of each lineup. Consecutive blocks play consecutive lineups.
    pub(super) lineups: Vec<Vec<Seating>>,
    pub(super) reference: Option<Reference<Race>>,
    /// The agent with rating 0.
    pub(super) anchor: Option<usize>,
    sprt: Option<Sprt>,
    tests: Mutex<Verdicts>,
}

/// The number of blocks in which the tests were looked at, and the tests that have a verdict, by
/// the other agent.
type Verdicts = (u64, BTreeMap<usize, SprtSummary>);

/// Whether tests are looked at after a block. Their cost grows with the number of blocks, so this
/// happens after every block at first, then less often.
fn is_due(block: u64) -> bool {
    (block + 1).is_multiple_of((block / 50).next_power_of_two())
}

impl<'a> Tournament<'a> {
    /// A tournament in which `entrants` play in all lineups. If there is a `reference`, its values
    /// measure the luck.
    ///
    /// # Errors
    /// When there are too few or too many entrants.
    pub fn new(
        race: &'a Race,
        entrants: Vec<Entrant<'a>>,
        reference: Option<Reference<Race>>,
    ) -> Result<Tournament<'a>, Error> {
        let count = entrants.len();
        let is_right = (2..=MAX_AGENTS).contains(&count);
        Error::unless(is_right, || {
            format!("an arena needs 2 to {MAX_AGENTS} agents (got {count})")
        })?;
        let sides = sides(race.spec());
        let lineups = lineups(count, sides.len())
            .iter()
            .map(|lineup| rotations(&sides, lineup))
            .collect();
        Ok(Tournament {
            race,
            entrants,
            sides,
            lineups,
            reference,
            anchor: None,
            sprt: None,
            tests: Mutex::default(),
        })
    }

    /// Makes the entrant `name` the anchor, which has rating 0.
    ///
    /// # Errors
    /// When no entrant has this name.
    pub fn with_anchor(mut self, name: &str) -> Result<Tournament<'a>, Error> {
        let anchor = self
            .entrants
            .iter()
            .position(|entrant| entrant.name == name);
        let unknown = || {
            let names: Vec<&str> = self
                .entrants
                .iter()
                .map(|entrant| entrant.name.as_str())
                .collect();
            Error::new(format!(
                "anchor {name}: must be one of the agents {}",
                names.join(", ")
            ))
        };
        self.anchor = Some(anchor.ok_or_else(unknown)?);
        Ok(self)
    }

    /// Adds an SPRT of the first entrant against each of the others; the tournament ends when all
    /// tests have a verdict.
    ///
    /// # Errors
    /// When the hypotheses or error rates are invalid.
    pub fn with_sprt(mut self, sprt: Sprt) -> Result<Tournament<'a>, Error> {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        } = sprt;
        Error::unless(elo0 < elo1, || {
            format!("sprt {elo0},{elo1}: {elo0} is not less than {elo1}")
        })?;
        Error::unless(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0, || {
            format!("alpha {alpha} and beta {beta}: both must be above 0, and their sum below 1")
        })?;
        self.sprt = Some(sprt);
        Ok(self)
    }

    /// The game.
    pub fn race(&self) -> &'a Race {
        self.race
    }

    pub(super) fn spec(&self) -> &'a Spec {
        self.race.spec()
    }

    /// The entrants.
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

    /// The number of games of a block.
    pub fn legs(&self, block: u64) -> usize {
        self.seatings(block).len()
    }

    /// The blocks that are left to play; empty if the SPRT has all verdicts. `facts` are all games
    /// so far: the games of whole blocks, beginning with block 0. Each lineup plays `pairs` blocks.
    pub fn remaining_blocks(&self, pairs: u64, facts: &[GameFacts]) -> Range<u64> {
        let next = facts.last().map_or(0, |game| game.block + 1);
        let blocks = pairs.saturating_mul(self.lineups.len() as u64);
        let is_over = next > 0 && self.is_decided(next - 1, facts);
        next..if is_over { next } else { blocks.max(next) }
    }

    /// Plays `blocks` and appends their games to `facts`, which must have the games of all earlier
    /// blocks. `take` also receives each block. Play stops when `take` breaks, when `is_stopped`
    /// returns true, or when the SPRT has all verdicts. `config.blocks` is ignored.
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
        let names: Vec<String> = self
            .entrants
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect();
        let contestants = || {
            self.entrants
                .iter()
                .map(|entrant| entrant.timed(clock))
                .collect()
        };
        let seatings = |block: u64| self.seatings(block).to_vec();
        let setup = MatchSetup {
            game: self.race,
            contestants: &contestants,
            seatings: &seatings,
            is_stopped,
        };
        let study = || {
            let mut evaluator = self.reference.as_ref().map(Reference::evaluator);
            let names = &names;
            move |game: PlayedGame| {
                let line = GameLine::new(self.race, &game, names);
                let line = self.with_luck(
                    evaluator.as_mut(),
                    line,
                    self.race.initial_state(game.first),
                    &game.moves,
                );
                let facts = self.facts_of(&line, &game);
                (line, facts)
            }
        };
        play_blocks(&setup, blocks, config, study, &mut |block,
                                                         games: Vec<(
            GameLine,
            GameFacts,
        )>| {
            let (lines, new): (Vec<_>, Vec<_>) = games.into_iter().unzip();
            let known = facts.len();
            facts.extend(new);
            let taken = take(block, lines, &facts[known..]);
            if is_stopped() || self.is_decided(block, facts) {
                ControlFlow::Break(())
            } else {
                taken
            }
        });
    }

    /// Whether the SPRT has all verdicts after `block`.
    fn is_decided(&self, block: u64, facts: &[GameFacts]) -> bool {
        self.sprt.is_some_and(|sprt| {
            is_due(block) && self.verdicts(sprt, facts).1.len() + 1 == self.entrants.len()
        })
    }

    /// Looks at the tests in all blocks that are due and were not looked at before. Each test keeps
    /// its first verdict.
    fn verdicts(&self, sprt: Sprt, facts: &[GameFacts]) -> MutexGuard<'_, Verdicts> {
        let mut tests = self.tests.lock().unwrap_or_else(PoisonError::into_inner);
        let end = facts.last().map_or(0, |game| game.block + 1);
        for block in (tests.0..end).filter(|&block| is_due(block)) {
            let games = facts.partition_point(|game| game.block <= block);
            for test in sprt_summaries(sprt, self.entrants.len(), &facts[..games]) {
                if test.verdict != Verdict::Open {
                    tests.1.entry(test.other).or_insert(test);
                }
            }
        }
        tests.0 = tests.0.max(end);
        tests
    }

    /// The states of the SPRT: of a test with a verdict, the state that it had then. Empty without
    /// an SPRT.
    pub(super) fn sprt_summaries(&self, facts: &[GameFacts]) -> Vec<SprtSummary> {
        let Some(sprt) = self.sprt else {
            return Vec::new();
        };
        let (tests, now) = (
            self.verdicts(sprt, facts),
            sprt_summaries(sprt, self.entrants.len(), facts),
        );
        now.into_iter()
            .map(|test| tests.1.get(&test.other).cloned().unwrap_or(test))
            .collect()
    }

    /// Returns `line` with the luck and the swing of its `moves`, which begin at `start`. Without
    /// an evaluator, `line` gets no luck and no swing.
    fn with_luck(
        &self,
        evaluator: Option<&mut Box<dyn Evaluator<Race> + Send>>,
        line: GameLine,
        start: State,
        moves: &[Move],
    ) -> GameLine {
        let Some(evaluator) = evaluator else {
            return GameLine {
                luck: None,
                swing: None,
                ..line
            };
        };
        let turns = analyze_game(
            self.race,
            evaluator,
            start,
            moves,
            line.block,
            SERIES_PROBABILITY,
        );
        let (luck, seats) = (luck(&turns), self.race.spec().seats);
        let luck = Some(seats.iter().map(|seat| rounded(luck[seat])).collect());
        let size = |turn: &TurnAnalysis<State>| turn.luck(turn.seat).abs().max(turn.regret());
        let swing = turns
            .iter()
            .enumerate()
            .max_by(|a, b| size(a.1).total_cmp(&size(b.1)))
            .map(|(turn, values)| Swing {
                turn,
                size: rounded(size(values)),
            });
        GameLine {
            luck,
            swing,
            ..line
        }
    }

    /// Measures the luck and the swings of `lines` again, on `threads` threads.
    ///
    /// # Errors
    /// When the start or a move of a line is not possible.
    pub fn measure_luck(
        &self,
        lines: &[&GameLine],
        threads: usize,
    ) -> Result<Vec<GameLine>, Error> {
        let part = |lines: &[&GameLine]| {
            let mut evaluator = self.reference.as_ref().map(Reference::evaluator);
            let measure = |line: &&GameLine| {
                let (_, start) = line.read_start_in(&Sheets::with(self.race.ruleset().base()))?;
                let (moves, _) = line.replay(self.race, start)?;
                Ok(self.with_luck(evaluator.as_mut(), GameLine::clone(line), start, &moves))
            };
            lines.iter().map(measure).collect::<Result<Vec<_>, Error>>()
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = lines
                .chunks(lines.len().div_ceil(threads.max(1)).max(1))
                .map(|lines| scope.spawn(move || part(lines)))
                .collect();
            Ok(workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect::<Result<Vec<_>, _>>()?
                .concat())
        })
    }

    /// Compares the luck and the swing of a line with the line `measured`.
    ///
    /// # Errors
    /// When the difference is larger than rounding can explain.
    pub fn check_luck(&self, line: &GameLine, measured: &GameLine) -> Result<(), Error> {
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= LUCK_TOLERANCE;
        let has_luck = line
            .luck
            .iter()
            .flatten()
            .zip(measured.luck.iter().flatten())
            .all(is_near);
        Error::unless(has_luck, || {
            let [stated, found] =
                [line, measured].map(|line| line.luck.clone().unwrap_or_default());
            format!("its `luck` is {stated:?}, but its moves give {found:?}")
        })?;
        let swings = [line, measured].map(|line| {
            line.swing
                .map_or((0, 0.0), |swing| (swing.turn, swing.size))
        });
        let [(turn, size), (found_turn, found_size)] = swings;
        Error::unless(turn == found_turn && is_near((&size, &found_size)), || {
            format!(
                "its `swing` is {size} in turn {turn}, but its moves give {found_size} in turn {found_turn}"
            )
        })
    }

    /// The facts of a game, with the luck of its line.
    fn facts_of(&self, line: &GameLine, game: &PlayedGame) -> GameFacts {
        let seats = self.race.spec().seats;
        let index = |side: &SeatSet| {
            seats
                .iter()
                .position(|seat| side.contains(seat))
                .unwrap_or(0)
        };
        let by_side =
            |luck: &Vec<f64>| balanced(self.sides.iter().map(|side| luck[index(side)]).collect());
        GameFacts {
            luck: line.luck.as_ref().map(by_side),
            ..GameFacts::new(&self.sides, game)
        }
    }

    /// The facts of a record from a file, verified by replaying its moves.
    ///
    /// # Errors
    /// When the record is not complete, or is not a game of this tournament.
    pub fn verified_facts(&self, line: &GameLine) -> Result<GameFacts, Error> {
        Ok(self.facts_of(line, &self.verified_game(line)?))
    }

    /// The game of a record, verified by replaying its moves.
    ///
    /// # Errors
    /// As [`Tournament::verified_facts`].
    pub fn verified_game(&self, line: &GameLine) -> Result<PlayedGame, Error> {
        self.verify(line).map_err(Error::because(format!(
            "game {} of block {}",
            line.leg, line.block
        )))
    }

    fn verify(&self, line: &GameLine) -> Result<PlayedGame, Error> {
        let (spec, count) = (self.race.spec(), self.race.spec().seats.len());
        let has_reference = self.reference.is_some();
        let seating = self
            .seatings(line.block)
            .get(line.leg)
            .ok_or_else(|| Error::new("the block has no such game"))?;
        for (key, is_right) in [
            ("returns", line.returns.len() == count),
            (
                "luck",
                line.luck.as_ref().map(Vec::len) == has_reference.then_some(count),
            ),
            ("swing", line.swing.is_none() || has_reference),
            ("ending", line.ending != Ending::Open),
        ] {
            Error::unless(is_right, || {
                format!("its `{key}` is missing, incomplete or not expected here")
            })?;
        }
        let name = |seat| {
            seating
                .agent(seat)
                .map_or("", |agent| self.entrants[agent].name.as_str())
        };
        let players: Vec<&str> = spec.seats.iter().map(name).collect();
        Error::unless(line.players == players, || {
            format!(
                "its `players` are {:?}, but this arena seats {players:?}",
                line.players
            )
        })?;
        let are_returns = line.returns.iter().all(|own| (0.0..=1.0).contains(own));
        Error::unless(are_returns, || {
            format!("its `returns` {:?} are not between 0 and 1", line.returns)
        })?;
        let (race, start) = line.read_start_in(&Sheets::with(self.race.ruleset().base()))?;
        let is_ours = race.spec().ruleset_hash == spec.ruleset_hash;
        let first = spec
            .seats
            .iter()
            .find(|&first| is_ours && self.race.initial_state(first) == start);
        let first = first.ok_or_else(|| {
            let (start, name, seats) = (&line.start, &spec.name, spec.seats);
            Error::new(format!(
                "its `start` `{start}` is not a first position of {name} for the seats {seats:?}"
            ))
        })?;
        let (moves, end) = line.replay(&race, start)?;
        let turns = turns_of(&race, start, &moves);
        let has_turns = line.turns == turns;
        Error::unless(has_turns, || {
            format!(
                "its `turns` are {}, but its moves have {turns} turns",
                line.turns
            )
        })?;
        // The luck of a turn is at most 1.
        let most = f64::from(turns) + LUCK_TOLERANCE;
        for &luck in line.luck.iter().flatten() {
            let is_possible = luck.abs() <= most;
            Error::unless(is_possible, || {
                format!("its `luck` of {luck} is impossible in {turns} turns")
            })?;
        }
        let (is_terminal, expected) = (
            self.race.node(&end) == Node::Terminal,
            self.race.returns(&end),
        );
        let gives = |returns: BySeat<f32>| {
            spec.seats
                .iter()
                .map(|seat| returns[seat])
                .eq(line.returns.iter().copied())
        };
        let is_right = match line.ending {
            Ending::Finished => is_terminal && gives(expected),
            Ending::Truncated => !is_terminal && turns == spec.turn_limit,
            Ending::Forfeited { seat: letter, .. } => {
                matches!(self.race.node(&end), Node::Decision(seat)
                if seat.letter() == letter && gives(forfeit_returns(spec, seat)))
            }
            Ending::Open => false,
        };
        Error::unless(
            is_right,
            || "its moves do not lead to its `ending` and `returns`",
        )?;
        let mut returns = BySeat::default();
        spec.seats
            .iter()
            .zip(&line.returns)
            .for_each(|(seat, &own)| returns[seat] = own);
        let (block, leg, ending) = (line.block, line.leg, line.ending.clone());
        Ok(PlayedGame {
            block,
            leg,
            seating: *seating,
            first,
            moves,
            turns,
            ending,
            returns,
        })
    }
}

/// Counts the turns that `moves` from `state` begin.
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

fn rounded(value: f64) -> f64 {
    (value * LUCK_DIGITS).round() / LUCK_DIGITS
}
