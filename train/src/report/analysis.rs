//! Analysis of a played game, turn by turn: the luck of the throws and the regret of the choices
//! (the value that they lose).

use anyhow::{Result, ensure};
use ashta_agents::{
    arena::{Ending, Move, Reference, TurnAnalysis, analyze_game, game_record::GameLine},
    protocol::by_seat,
};
use ashta_env::{
    game::{Action, Game, Node, Seat},
    race::{Race, state::State},
    sheet::Sheets,
    turn::{TurnResults, turn_results_within},
};
use serde::Serialize;

/// Throws and series of throws with a smaller probability are rare; see [`analyze_game`].
const SERIES_PROBABILITY: f32 = 0.003;
/// A choice whose regret is at most this number counts as equal to the best choice.
const EQUAL: f64 = 1e-6;

/// The error classes of a choice. The number is the smallest regret of the class.
const ERROR_CLASSES: [(&str, f64); 3] = [("doubtful", 0.02), ("error", 0.04), ("blunder", 0.08)];

/// An analyzed turn. The chances are the expected returns of the seats, from 0 to 1, in the order
/// of the seats in the position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AnalyzedTurn {
    /// Number of the turn, from 1.
    pub number: usize,
    /// Seat of the turn.
    pub seat: char,
    /// Position before the throw.
    pub position: String,
    /// Chances before the throw.
    pub before: Vec<f32>,
    /// The throw.
    pub throw: Vec<u8>,
    /// The chances after the throw, if the player chooses the best afterstate (possible position
    /// after the turn).
    pub thrown: Vec<f32>,
    /// The luck of the throw for the seat.
    pub luck: f64,
    /// Number of different afterstates to choose from.
    pub results: usize,
    /// The choice, in words.
    pub played: String,
    /// Number of pieces that the choice captured.
    pub captured: usize,
    /// The chances after the choice.
    pub after: Vec<f32>,
    /// The regret of the choice.
    pub regret: f64,
    /// The error class of the choice, if it is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
    /// The best choice, if the player made a worse choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}

/// The regret and the luck of a player in a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerAnalysis {
    /// The seat.
    pub seat: char,
    /// Name of the player.
    pub name: String,
    /// Number of turns with more than one afterstate.
    pub choices: usize,
    /// The sum of the regrets of all choices.
    pub regret: f64,
    /// The regret per choice.
    pub regret_per_choice: f64,
    /// The luck of all throws of the game for the seat, including the throws of other seats.
    pub luck: f64,
    /// Numbers of doubtful choices, errors and blunders.
    pub marks: [usize; 3],
    /// The level of play with about the same regret per choice.
    pub verdict: Option<&'static str>,
}

/// The analysis of a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Analysis {
    /// The game with its house rules.
    pub game: String,
    /// Name of the evaluator.
    pub by: String,
    /// The version of the evaluator: the checksum of its bot or table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_version: Option<String>,
    /// The players, in the order of the seats in the position.
    pub players: Vec<PlayerAnalysis>,
    /// The turns.
    pub turns: Vec<AnalyzedTurn>,
    /// The last position.
    pub end: String,
    /// Whether the game was truncated at the turn limit.
    pub truncated: bool,
    /// The return of each seat, if the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<Vec<f32>>,
}

/// Whether the turn of a position has few enough afterstates to search. Positions from untrusted
/// sources need this check.
pub fn is_bounded(race: &Race, state: &State) -> bool {
    turn_results_within(
        race,
        state,
        race.most_results(state),
        &mut TurnResults::new(),
    )
}

impl Analysis {
    /// Analyzes a game with the values of `reference`.
    pub fn new(race: &Race, line: &GameLine, reference: &Reference<Race>) -> Result<Analysis> {
        let (_, start) = line.read_start_in(&Sheets::with(race.ruleset().base()))?;
        let (moves, end) = line.replay(race, start)?;
        let mut state = start;
        for made in &moves {
            match *made {
                Move::Throw(outcome) => race.apply_chance(&mut state, outcome),
                Move::Choice(action) => race.apply_action(&mut state, action),
            }
            let is_thrown = matches!(made, Move::Throw(_));
            ensure!(
                !is_thrown || is_bounded(race, &state),
                "the turn at `{}` is too large",
                race.print(&state)
            );
        }
        let values = analyze_game(
            race,
            &mut reference.evaluator(),
            start,
            &moves,
            0,
            SERIES_PROBABILITY,
        );
        let next = |number: usize| values.get(number + 1).map_or(&end, |next| &next.start);
        let turn = |(number, values): (usize, &TurnAnalysis<State>)| {
            let better = values.best().filter(|_| values.regret() > EQUAL);
            let better =
                better.map(|best| race.turn_text(&values.thrown, values.results.actions(best)));
            let thrown = values.after_throw();
            let made = || moves[values.moves.clone()].iter();
            let actions = made().filter_map(|made| {
                if let Move::Choice(action) = *made {
                    Some(action)
                } else {
                    None
                }
            });
            let outcomes = made().filter_map(|made| {
                if let Move::Throw(outcome) = *made {
                    Some(outcome)
                } else {
                    None
                }
            });
            let regret = if values.regret() > EQUAL {
                values.regret()
            } else {
                0.0
            };
            AnalyzedTurn {
                number: number + 1,
                seat: values.seat.letter(),
                position: race.print(&values.start),
                before: by_seat(race, &values.before),
                throw: outcomes
                    .flat_map(|outcome| race.throw_values(outcome))
                    .collect(),
                thrown: by_seat(race, &thrown),
                luck: values.luck(values.seat),
                results: values.results.len(),
                played: race.turn_text(&values.thrown, &actions.collect::<Vec<Action>>()),
                captured: race
                    .captured(&values.start, next(number), race.colour(&values.start))
                    .len(),
                after: by_seat(race, &values.played().unwrap_or(thrown)),
                regret,
                mark: ERROR_CLASSES
                    .into_iter()
                    .rfind(|&(_, least)| regret >= least)
                    .map(|(mark, _)| mark),
                better,
            }
        };
        let turns: Vec<AnalyzedTurn> = values.iter().enumerate().map(turn).collect();
        let players = race
            .spec()
            .seats
            .iter()
            .zip(&line.players)
            .map(|(seat, name)| player(seat, name, &turns, &values, reference))
            .collect();
        Ok(Analysis {
            game: race.spec().name.clone(),
            by: reference.name.clone(),
            by_version: reference.version.clone(),
            players,
            turns,
            end: race.print(&end),
            truncated: line.ending == Ending::Truncated,
            returns: (race.node(&end) == Node::Terminal)
                .then(|| by_seat(race, &race.returns(&end))),
        })
    }
}

fn player(
    seat: Seat,
    name: &str,
    turns: &[AnalyzedTurn],
    values: &[TurnAnalysis<State>],
    reference: &Reference<Race>,
) -> PlayerAnalysis {
    let own: Vec<&AnalyzedTurn> = turns
        .iter()
        .filter(|turn| turn.seat == seat.letter())
        .collect();
    let choices = own.iter().filter(|turn| turn.results > 1).count();
    // Without `+ 0.0`, the sum of an empty list would be -0.
    let regret = own.iter().map(|turn| turn.regret).sum::<f64>() + 0.0;
    let regret_per_choice = regret / choices.max(1) as f64;
    let marked = |(mark, _)| own.iter().filter(|turn| turn.mark == Some(mark)).count();
    let band = reference
        .bands
        .iter()
        .find(|&&(_, most)| choices > 0 && regret_per_choice <= most);
    PlayerAnalysis {
        seat: seat.letter(),
        name: name.to_owned(),
        choices,
        regret,
        regret_per_choice,
        luck: values.iter().map(|turn| turn.luck(seat)).sum(),
        marks: ERROR_CLASSES.map(marked),
        verdict: band.map(|&(name, _)| name),
    }
}
