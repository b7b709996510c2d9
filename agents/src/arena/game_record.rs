//! Game records: lines of JSON, one for each game, which any program can write, read and replay. A
//! record can also be read from the positions of one game.
//!
//! A line of JSON has the start of a game, its throws and choices, and its result. Throws and
//! choices are written as in the engine protocol: a throw is a list of values, a choice is the
//! number of an action.

use std::sync::Arc;

use ashta_env::{
    game::{Action, Game, Node, Outcome, Seat},
    race::{Race, state::State},
    sheet::{Sheet, Sheets},
    turn::{TurnResults, turn_results_within},
};
use serde::{Deserialize, Serialize};

use crate::{
    arena::{Ending, Move, PlayedGame},
    play::error::Error,
};

/// The record of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GameLine {
    /// Its block in an arena, from 0.
    #[serde(default)]
    pub block: u64,
    /// Its number in the block, from 0.
    #[serde(default)]
    pub leg: usize,
    /// The names of the players, in the seat order of `start`.
    pub players: Vec<String>,
    /// The sheet of a game that is not built in, as TOML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The first position, in the text notation.
    pub start: String,
    /// All throws and choices, in order.
    pub moves: Vec<MoveText>,
    /// Its ending.
    #[serde(default)]
    pub ending: Ending,
    /// The return of each seat, 0 to 1, in the seat order of `start`; can be missing if the game
    /// did not end.
    #[serde(default)]
    pub returns: Vec<f32>,
    /// Number of turns of all seats.
    #[serde(default)]
    pub turns: u32,
    /// The luck of each seat, in units of winning chance; only if a [`Reference`](super::Reference)
    /// (a table or a bot) measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<Vec<f64>>,
    /// The turn with the largest change of the winning chances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swing: Option<Swing>,
}

/// A throw or a choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MoveText {
    /// The values of one throw, of two dice, or of a whole series.
    Throw(Vec<u8>),
    /// The number of the chosen action.
    Choice(u8),
}

/// A turn that changed the winning chances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Swing {
    /// Its number, from 0.
    pub turn: usize,
    /// The change of the winning chance of the seat on turn, by the throw or by the choice,
    /// whichever is larger.
    pub size: f64,
}

impl GameLine {
    /// Reads one game from a text; the first game has `number` 1. Either each line is a game in
    /// JSON, or the lines are the positions of one game of `sheets`: the start, and the positions
    /// after each throw and each turn. The sheet of a game in JSON is in the line of the game or in
    /// the first line of the text, the header of an arena.
    ///
    /// # Errors
    /// When there is no such game. Moves in JSON are not checked; [`GameLine::replay`] checks them.
    pub fn read(sheets: &Sheets, text: &str, number: usize) -> Result<GameLine, Error> {
        let too_few = || Error::new(format!("it contains fewer than {number} games"));
        if !text.trim_start().starts_with('{') {
            return if number == 1 {
                GameLine::from_positions(sheets, text)
            } else {
                Err(too_few())
            };
        }
        let is_header = |line: &str| line.starts_with("{\"arena\"");
        let mut games = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty() && !is_header(line));
        let game = number.checked_sub(1).and_then(|before| games.nth(before));
        let (line, game) = game.ok_or_else(too_few)?;
        let not_a_game =
            |line: usize| Error::because(format!("line {line}: not the record of a game"));
        let mut game: GameLine = serde_json::from_str(game).map_err(not_a_game(line))?;
        if let Some(header) = text
            .lines()
            .next()
            .filter(|line| game.sheet.is_none() && is_header(line))
        {
            let header: serde_json::Value = serde_json::from_str(header).map_err(not_a_game(1))?;
            game.sheet = header["sheet"].as_str().map(str::to_owned);
        }
        Ok(game)
    }

    fn from_positions(sheets: &Sheets, text: &str) -> Result<GameLine, Error> {
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty());
        let (line, start) = lines
            .next()
            .ok_or_else(|| Error::new("it contains no game"))?;
        let in_line = |line: usize| Error::because(format!("line {line}"));
        let (race, mut state) = Race::parse_in(sheets, start.trim()).map_err(in_line(line))?;
        let mut moves = Vec::new();
        for (line, text) in lines {
            let next = race.parse_state(text.trim()).map_err(in_line(line))?;
            moves.extend(step(&race, &state, &next, line)?);
            state = next;
        }
        let is_over = race.node(&state) == Node::Terminal;
        let seats = race.spec().seats;
        Ok(GameLine {
            players: seats.iter().map(|seat| seat.name().to_owned()).collect(),
            sheet: (!race.ruleset().is_builtin()).then(|| race.ruleset().base().text()),
            start: start.trim().to_owned(),
            moves,
            ending: if is_over {
                Ending::Finished
            } else {
                Ending::Open
            },
            returns: seats
                .iter()
                .map(|seat| race.returns(&state)[seat])
                .collect(),
            ..GameLine::default()
        })
    }

    /// The record of a game. `players` are the names of the agents in the order of their numbers.
    /// The sheet of a game that is not built in is not in the record, but in the header of the
    /// file.
    pub fn new(race: &Race, game: &PlayedGame, players: &[String]) -> GameLine {
        let seats = race.spec().seats;
        let name = |seat| {
            game.seating
                .agent(seat)
                .and_then(|agent| players.get(agent))
                .cloned()
                .unwrap_or_default()
        };
        GameLine {
            block: game.block,
            leg: game.leg,
            players: seats.iter().map(name).collect(),
            start: race.print(&race.initial_state(game.first)),
            moves: move_texts(race, game.first, &game.moves),
            ending: game.ending.clone(),
            returns: seats.iter().map(|seat| game.returns[seat]).collect(),
            turns: game.turns,
            ..GameLine::default()
        }
    }

    /// Reads the game and the first position.
    ///
    /// # Errors
    /// When the sheet or the position cannot be read, or the number of players is not the number of
    /// seats.
    pub fn read_start(&self) -> Result<(Race, State), Error> {
        let mut sheets = Sheets::default();
        if let Some(text) = &self.sheet {
            let sheet = Sheet::read_saved(text, "sheet").map_err(Error::because("`sheet`"))?;
            sheets
                .add(Arc::new(sheet))
                .map_err(Error::because("`sheet`"))?;
        }
        self.read_start_in(&sheets)
    }

    /// As [`GameLine::read_start`], for a game of these sheets.
    ///
    /// # Errors
    /// As [`GameLine::read_start`].
    pub fn read_start_in(&self, sheets: &Sheets) -> Result<(Race, State), Error> {
        let start = &self.start;
        let (race, state) =
            Race::parse_in(sheets, start).map_err(Error::because(format!("`start`: `{start}`")))?;
        let (seats, players) = (race.spec().seats.len(), self.players.len());
        let is_right = players == seats;
        Error::unless(is_right, || {
            format!("`players` has {players} names, but `{start}` has {seats} seats")
        })?;
        Ok((race, state))
    }

    /// Replays the moves from `state`. Returns the throws and choices, and the last position.
    ///
    /// # Errors
    /// When a move is not possible in its position; the error names the first such move.
    pub fn replay(&self, race: &Race, mut state: State) -> Result<(Vec<Move>, State), Error> {
        let mut moves = Vec::new();
        for (number, made) in (1..).zip(&self.moves) {
            let place =
                |state: &State| format!("`moves`, number {number} at `{}`", race.print(state));
            match made {
                MoveText::Throw(values) => {
                    let before = state;
                    race.throw(&mut state, values)
                        .map_err(|cause| Error::caused(place(&before), cause))?;
                    moves.extend(outcomes(race, before, values).into_iter().map(Move::Throw));
                }
                &MoveText::Choice(number) => {
                    let (action, legal) = (Action(number), race.legal_actions(&state));
                    if !legal.contains(action) {
                        let wrong =
                            format!("action {number} is not legal; legal actions are {legal:?}");
                        return Err(Error::new(format!("{}: {wrong}", place(&state))));
                    }
                    race.apply_action(&mut state, action);
                    moves.push(Move::Choice(action));
                }
            }
        }
        Ok((moves, state))
    }
}

/// The moves of a game as text, with one entry for all throws of a series.
pub(crate) fn move_texts(race: &Race, first: Seat, moves: &[Move]) -> Vec<MoveText> {
    let mut state = race.initial_state(first);
    let mut texts: Vec<MoveText> = Vec::new();
    // Whether the last text is a series that is not complete.
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

/// The outcomes of the throw `values`, which is possible in `state`: one outcome for each throw of
/// a series.
fn outcomes(race: &Race, mut state: State, values: &[u8]) -> Vec<Outcome> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let outcome_of = |state: &State, values: &[u8]| {
        let count = race.chance_outcomes(state).len() as u8;
        (0..count)
            .map(Outcome)
            .find(|&outcome| race.throw_values(outcome) == values)
    };
    if let Some(outcome) = outcome_of(&state, &sorted) {
        return vec![outcome];
    }
    let mut outcomes = Vec::new();
    for &value in values {
        let Some(outcome) = outcome_of(&state, &[value]) else {
            break;
        };
        race.apply_chance(&mut state, outcome);
        outcomes.push(outcome);
    }
    outcomes
}

/// The moves from the recorded position `state` to the position `next`: the rest of a turn, a
/// throw, or both. `line` is the line number of `next`.
fn step(race: &Race, state: &State, next: &State, line: usize) -> Result<Vec<MoveText>, Error> {
    let none = || {
        Error::new(format!(
            "line {line}: no turn leads to this position from the position on the previous line"
        ))
    };
    let thrown = |from: &State| {
        let throw = race.pending_throws(next);
        let mut reached = *from;
        (race.throw(&mut reached, &throw).is_ok() && reached == *next)
            .then_some(MoveText::Throw(throw))
    };
    if let Node::Chance(_) = race.node(state) {
        return Ok(vec![thrown(state).ok_or_else(none)?]);
    }
    let mut results = TurnResults::new();
    let most = race.most_results(state);
    Error::unless(turn_results_within(race, state, most, &mut results), || {
        format!(
            "line {line}: cannot find the turn to this position: there are more than {most} positions to search"
        )
    })?;
    (0..results.len())
        .find_map(|index| {
            let end = results.state(index);
            let throw = if end == next {
                None
            } else {
                Some(thrown(end)?)
            };
            Some(
                results
                    .actions(index)
                    .iter()
                    .map(|action| MoveText::Choice(action.0))
                    .chain(throw)
                    .collect(),
            )
        })
        .ok_or_else(none)
}
