//! Game records: lines of JSON, which any program can write, read and replay; or the positions of a game.
//!
//! A line has the start of a game, its throws and choices, and its result. Throws and choices are written as in the
//! engine protocol: a list of what was thrown, the number of an action.

use std::sync::Arc;

use ashta_env::game::{Action, ActionMask, Game, Node, Outcome, Seat};
use ashta_env::notation::NotationError;
use ashta_env::race::state::State;
use ashta_env::race::{Race, ThrowError};
use ashta_env::sheet::{NameTaken, Sheet, SheetError, Sheets};
use ashta_env::turn::{TurnResults, turn_results_within};
use serde::{Deserialize, Serialize};

use crate::arena::{Ending, Fault, Move, PlayedGame};

/// Why a text is no game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The text has not so many games.
    #[error("it has fewer than {number} games")]
    Fewer {
        /// The number of the game that was asked for, from 1.
        number: usize,
    },
    /// A line is no JSON object of a game.
    #[error("line {line}: no game")]
    Json {
        /// Its number, from 1.
        line: usize,
        /// The cause.
        source: serde_json::Error,
    },
    /// The text is empty.
    #[error("there is no game in it")]
    Empty,
    /// A line is no position.
    #[error("line {line}")]
    Position {
        /// Its number, from 1.
        line: usize,
        /// The cause.
        source: NotationError,
    },
    /// A line is not reached by a turn.
    #[error("line {line}: no turn leads there from the line before")]
    Turn {
        /// Its number, from 1.
        line: usize,
    },
    /// A line comes after a turn that is too long to be searched.
    #[error("line {line}: the turn before leads through more than {most} positions")]
    Long {
        /// Its number, from 1.
        line: usize,
        /// So many positions are searched.
        most: usize,
    },
    /// The sheet of the game is broken.
    #[error("`sheet`")]
    Sheet(#[from] SheetError),
    /// The sheet of the game has the name of another one.
    #[error("`sheet`")]
    Name(#[from] NameTaken),
    /// The beginning is no position.
    #[error("`start`: `{start}`")]
    Start {
        /// The text of the beginning.
        start: String,
        /// The cause.
        source: NotationError,
    },
    /// There are more or fewer names than seats.
    #[error("`players` names {players}, and {seats} sit at `{start}`")]
    Players {
        /// Names.
        players: usize,
        /// Seats.
        seats: usize,
        /// The position at the beginning.
        start: String,
    },
    /// Something cannot be thrown where it is.
    #[error("`moves`, number {number} at `{position}`")]
    Throw {
        /// The number of the move, from 1.
        number: usize,
        /// Where it is made.
        position: String,
        /// The cause.
        source: ThrowError,
    },
    /// Something cannot be chosen where it is.
    #[error("`moves`, number {number} at `{position}`: action {action} is not legal; legal are {legal:?}")]
    Choice {
        /// The number of the move, from 1.
        number: usize,
        /// Where it is made.
        position: String,
        /// The number of the action.
        action: u8,
        /// The legal actions.
        legal: ActionMask,
    },
}

/// A game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameLine {
    /// The block of an arena that it belongs to.
    #[serde(default)]
    pub block: u64,
    /// Its number in the block.
    #[serde(default)]
    pub leg: usize,
    /// The players, by seat in the order of the position.
    pub players: Vec<String>,
    /// The sheet of a game that does not come with the program, as TOML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The position at the beginning, in the notation.
    pub start: String,
    /// Everything that was thrown and chosen, in order.
    pub moves: Vec<MoveText>,
    /// Its ending.
    #[serde(default)]
    pub ending: EndingText,
    /// The return of each seat, 0 to 1, in the order of the position; left out where the game did not end.
    #[serde(default)]
    pub returns: Vec<f32>,
    /// Turns of all seats.
    #[serde(default)]
    pub turns: u32,
    /// The luck of each seat, in winning chances, where there is a reference to measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<Vec<f64>>,
    /// The turn that moved the winning chances most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swing: Option<Swing>,
}

/// A throw or a choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MoveText {
    /// A throw: one throw, two dice, or a whole series.
    Throw(Vec<u8>),
    /// The number of the action that was chosen.
    Choice(u8),
}

/// The ending of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndingText {
    /// By the rules.
    Finished,
    /// It reached the turn limit.
    Truncated,
    /// The player of this seat failed.
    Forfeited {
        /// The letter of the seat.
        seat: char,
        /// The reason.
        reason: String,
    },
    /// It was not played to its end.
    #[default]
    Open,
}

impl EndingText {
    fn of(ending: &Ending) -> EndingText {
        match ending {
            Ending::Finished => EndingText::Finished,
            Ending::Truncated => EndingText::Truncated,
            Ending::Forfeited(seat, Fault(reason)) => {
                EndingText::Forfeited { seat: seat.letter(), reason: reason.clone() }
            }
        }
    }

    /// The ending; `None` for a game that was not played to its end or was forfeited by no seat.
    pub(super) fn ending(&self) -> Option<Ending> {
        Some(match self {
            EndingText::Finished => Ending::Finished,
            EndingText::Truncated => Ending::Truncated,
            EndingText::Forfeited { seat, reason } => {
                Ending::Forfeited(Seat::from_letter(*seat)?, Fault(reason.clone()))
            }
            EndingText::Open => return None,
        })
    }
}

/// A turn that moved the winning chances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Swing {
    /// Its number, from 0.
    pub turn: usize,
    /// By how much its throw or its choice moved the chance of the seat whose turn it was.
    pub size: f64,
}

impl GameLine {
    /// Game number `number`, from 1, of a text: of its lines of JSON, or what all its lines together are, the
    /// positions that a game went through from its beginning, with one for each throw and one for each choice.
    ///
    /// # Errors
    /// When there is no such game; moves of a line of JSON are not checked, [`GameLine::replay`] does that.
    pub fn read(text: &str, number: usize) -> Result<GameLine, RecordError> {
        GameLine::read_in(&Sheets::default(), text, number)
    }

    /// The same where positions are of games of these sheets. A line of JSON brings its sheet itself, or the first line
    /// of the file does.
    ///
    /// # Errors
    /// As [`GameLine::read`].
    pub fn read_in(sheets: &Sheets, text: &str, number: usize) -> Result<GameLine, RecordError> {
        if !text.trim_start().starts_with('{') {
            return if number == 1 {
                GameLine::from_positions(sheets, text)
            } else {
                Err(RecordError::Fewer { number })
            };
        }
        let is_header = |line: &str| line.starts_with("{\"arena\"");
        let lines = (1..).zip(text.lines());
        let mut games = lines.filter(|(_, line)| !line.trim().is_empty() && !is_header(line));
        let game = number.checked_sub(1).and_then(|before| games.nth(before));
        let (line, game) = game.ok_or(RecordError::Fewer { number })?;
        let mut game: GameLine = serde_json::from_str(game).map_err(|source| RecordError::Json { line, source })?;
        if let Some(header) = text.lines().next().filter(|line| game.sheet.is_none() && is_header(line)) {
            let header: serde_json::Value =
                serde_json::from_str(header).map_err(|source| RecordError::Json { line: 1, source })?;
            game.sheet = header["sheet"].as_str().map(str::to_owned);
        }
        Ok(game)
    }

    fn from_positions(sheets: &Sheets, text: &str) -> Result<GameLine, RecordError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (line, start) = lines.next().ok_or(RecordError::Empty)?;
        let begin = Race::parse_in(sheets, start.trim());
        let (race, mut state) = begin.map_err(|source| RecordError::Position { line, source })?;
        let mut moves = Vec::new();
        for (line, text) in lines {
            let next = race.parse_state(text.trim()).map_err(|source| RecordError::Position { line, source })?;
            let made = step(&race, &state, &next).map_err(|TooLong { most }| RecordError::Long { line, most })?;
            moves.extend(made.ok_or(RecordError::Turn { line })?);
            state = next;
        }
        let is_over = race.node(&state) == Node::Terminal;
        let seats = race.spec().seats;
        Ok(GameLine {
            block: 0,
            leg: 0,
            players: seats.iter().map(|seat| seat.name().to_owned()).collect(),
            sheet: (!race.ruleset().is_builtin()).then(|| race.ruleset().base().text()),
            start: start.trim().to_owned(),
            moves,
            ending: if is_over { EndingText::Finished } else { EndingText::Open },
            returns: seats.iter().map(|seat| race.returns(&state)[seat]).collect(),
            turns: 0,
            luck: None,
            swing: None,
        })
    }

    /// The line of a game that was played by `players`, by number; the sheet of a game that is not built in is left to
    /// the first line of the file.
    pub fn new(race: &Race, game: &PlayedGame<State>, players: &[String]) -> GameLine {
        let seats = race.spec().seats;
        let name = |seat| game.seating.agent(seat).and_then(|agent| players.get(agent)).cloned().unwrap_or_default();
        GameLine {
            block: game.block,
            leg: game.leg,
            players: seats.iter().map(name).collect(),
            sheet: None,
            start: race.print(&race.initial_state(game.first)),
            moves: texts(race, game.first, &game.moves),
            ending: EndingText::of(&game.ending),
            returns: seats.iter().map(|seat| game.returns[seat]).collect(),
            turns: game.turns_begun,
            luck: None,
            swing: None,
        }
    }

    /// The game that is played, and where this one begins.
    ///
    /// # Errors
    /// When the position cannot be read, or not everybody has a name.
    pub fn begin(&self) -> Result<(Race, State), RecordError> {
        let mut sheets = Sheets::default();
        if let Some(text) = &self.sheet {
            sheets.add(Arc::new(Sheet::read(text, "sheet")?))?;
        }
        self.begin_in(&sheets)
    }

    /// The same, of a game of these sheets.
    ///
    /// # Errors
    /// As [`GameLine::begin`].
    pub fn begin_in(&self, sheets: &Sheets) -> Result<(Race, State), RecordError> {
        let start = self.start.clone();
        let (race, state) =
            Race::parse_in(sheets, &self.start).map_err(|source| RecordError::Start { start, source })?;
        let (seats, players) = (race.spec().seats.len(), self.players.len());
        match players == seats {
            true => Ok((race, state)),
            false => Err(RecordError::Players { players, seats, start: self.start.clone() }),
        }
    }

    /// Everything that was thrown and chosen from `state`, and the position that it led to.
    ///
    /// # Errors
    /// The first move that is not possible where it is made.
    pub fn replay(&self, race: &Race, mut state: State) -> Result<(Vec<Move>, State), RecordError> {
        let mut moves = Vec::new();
        for (number, made) in (1..).zip(&self.moves) {
            match made {
                MoveText::Throw(values) => {
                    let before = state;
                    let thrown = race.throw(&mut state, values);
                    thrown.map_err(|source| RecordError::Throw { number, position: race.print(&before), source })?;
                    moves.extend(outcomes(race, before, values).into_iter().map(Move::Throw));
                }
                &MoveText::Choice(action) => {
                    let legal = race.legal_actions(&state);
                    if !legal.iter().any(|possible| possible.0 == action) {
                        return Err(RecordError::Choice { number, position: race.print(&state), action, legal });
                    }
                    let action = Action(action);
                    race.apply_action(&mut state, action);
                    moves.push(Move::Choice(action));
                }
            }
        }
        Ok((moves, state))
    }
}

/// Moves from the beginning of a game as they are written; the throws of a series together.
fn texts(race: &Race, first: Seat, moves: &[Move]) -> Vec<MoveText> {
    let mut state = race.initial_state(first);
    let mut texts: Vec<MoveText> = Vec::new();
    // Whether the last text is a series that goes on.
    let mut is_series = false;
    for made in moves {
        match *made {
            Move::Throw(outcome) => {
                let values = race.throw_values(outcome);
                match texts.last_mut() {
                    Some(MoveText::Throw(series)) if is_series => series.extend(values),
                    _ => texts.push(MoveText::Throw(values)),
                }
                race.apply_chance(&mut state, outcome);
                is_series = matches!(race.node(&state), Node::Chance(_));
            }
            Move::Choice(action) => {
                texts.push(MoveText::Choice(action.0));
                race.apply_action(&mut state, action);
                is_series = false;
            }
        }
    }
    texts
}

/// The outcomes that `values`, which can be thrown in `state`, stand for: one for each throw of a series.
fn outcomes(race: &Race, mut state: State, values: &[u8]) -> Vec<Outcome> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let of = |state: &State, values: &[u8]| {
        let count = race.chance_outcomes(state).len() as u8;
        (0..count).map(Outcome).find(|&outcome| race.throw_values(outcome) == values)
    };
    if let Some(outcome) = of(&state, &sorted) {
        return vec![outcome];
    }
    let mut outcomes = Vec::new();
    for &value in values {
        let Some(outcome) = of(&state, &[value]) else { break };
        race.apply_chance(&mut state, outcome);
        outcomes.push(outcome);
    }
    outcomes
}

/// A turn leads through more positions than are searched.
struct TooLong {
    most: usize,
}

/// The moves from one recorded position to the next: the rest of a turn, a throw, or both.
fn step(race: &Race, state: &State, next: &State) -> Result<Option<Vec<MoveText>>, TooLong> {
    let thrown = |from: &State| {
        let throw = race.pending_throws(next);
        let mut reached = *from;
        (race.throw(&mut reached, &throw).is_ok() && reached == *next).then_some(MoveText::Throw(throw))
    };
    if let Node::Chance(_) = race.node(state) {
        return Ok(thrown(state).map(|throw| vec![throw]));
    }
    let mut results = TurnResults::new();
    let most = race.most_results(state);
    if !turn_results_within(race, state, most, &mut results) {
        return Err(TooLong { most });
    }
    Ok((0..results.len()).find_map(|index| {
        let end = results.state(index);
        let throw = if end == next { None } else { Some(thrown(end)?) };
        let choices = results.actions(index).iter().map(|action| MoveText::Choice(action.0));
        Some(choices.chain(throw).collect())
    }))
}
