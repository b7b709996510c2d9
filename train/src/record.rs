//! Games as lines of JSON, which any program can write, read and play again.
//!
//! A line says where a game began, what was thrown and chosen, and how it ended. Throws and choices are written as
//! the engine protocol takes them: a list of what was thrown, the number of an action.

use anyhow::{Context, Result, bail};
use ashta_agents::arena::{Ending, Fault, Move, PlayedGame};
use ashta_env::game::{Action, Game, Node, Outcome, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::{Deserialize, Serialize};

/// A game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameLine {
    /// The block of an arena that it belongs to.
    #[serde(default)]
    pub block: u64,
    /// Its number in the block.
    #[serde(default)]
    pub leg: usize,
    /// Who played, by seat in the order of the position.
    pub players: Vec<String>,
    /// The position at the beginning, in the notation.
    pub start: String,
    /// Everything that was thrown and chosen, in order.
    pub moves: Vec<MoveText>,
    /// How it ended.
    #[serde(default)]
    pub ending: EndingText,
    /// What each seat got, 0 to 1, in the order of the position; left out where it did not end.
    #[serde(default)]
    pub returns: Vec<f32>,
    /// Turns of all seats.
    #[serde(default)]
    pub turns: u32,
    /// What the throws gave to each seat, in winning chances, where somebody could tell.
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
    /// What was thrown: one throw, two dice, or a whole series.
    Throw(Vec<u8>),
    /// The number of the action that was chosen.
    Choice(u8),
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndingText {
    /// By the rules.
    Finished,
    /// It came to the cap of turns.
    Truncated,
    /// Who plays this seat failed.
    Forfeited {
        /// The letter of the seat.
        seat: char,
        /// What happened.
        reason: String,
    },
    /// It was not played to its end.
    #[default]
    Open,
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
    /// The line of a game that was played by `players`, by number.
    pub fn new(race: &Race, game: &PlayedGame<State>, players: &[String]) -> GameLine {
        let seats = race.spec().seats;
        let name = |seat| game.seating.agent(seat).and_then(|agent| players.get(agent)).cloned().unwrap_or_default();
        GameLine {
            block: game.block,
            leg: game.leg,
            players: seats.iter().map(name).collect(),
            start: race.print(&race.initial_state(game.first)),
            moves: texts(race, game.first, &game.moves),
            ending: match &game.ending {
                Ending::Finished => EndingText::Finished,
                Ending::Truncated => EndingText::Truncated,
                Ending::Forfeited(seat, Fault(reason)) => {
                    EndingText::Forfeited { seat: seat.letter(), reason: reason.clone() }
                }
            },
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
    pub fn begin(&self) -> Result<(Race, State)> {
        let (race, state) = Race::parse(&self.start).with_context(|| format!("`start`: `{}`", self.start))?;
        let (seats, players) = (race.spec().seats.len(), self.players.len());
        if players != seats {
            bail!("`players` names {players}, and {seats} sit at `{}`", self.start);
        }
        Ok((race, state))
    }

    /// Everything that was thrown and chosen from `state`, and the position that it led to.
    ///
    /// # Errors
    /// The first move that is not possible where it is made.
    pub fn replay(&self, race: &Race, mut state: State) -> Result<(Vec<Move>, State)> {
        let mut moves = Vec::new();
        for (number, made) in self.moves.iter().enumerate() {
            match made {
                MoveText::Throw(values) => {
                    let before = state;
                    race.throw(&mut state, values).with_context(|| wrong(race, &before, number))?;
                    moves.extend(outcomes(race, before, values).into_iter().map(Move::Throw));
                }
                MoveText::Choice(number_of_action) => {
                    let action = Action(*number_of_action);
                    let legal = race.legal_actions(&state);
                    if *number_of_action >= 32 || !legal.contains(action) {
                        let what = format!("action {number_of_action} is not legal; legal are {legal:?}");
                        bail!("{}: {what}", wrong(race, &state, number));
                    }
                    race.apply_action(&mut state, action);
                    moves.push(Move::Choice(action));
                }
            }
        }
        Ok((moves, state))
    }
}

fn wrong(race: &Race, state: &State, number: usize) -> String {
    format!("`moves`, number {} at `{}`", number + 1, race.print(state))
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
