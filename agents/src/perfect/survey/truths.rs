//! Truths about a solved game that surprise its players, each with the position that shows it.
//!
//! They are found while a survey is played: where the natural move is worst, where a capture is, how far behind a seat
//! can be that is still more likely to win, what one throw can change, and what it is worth to begin.

use ashta_env::game::{Game, Node, RaceGame};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::Serialize;

use super::facts::TurnEffect;
use super::positions::SurveyedPosition;
use crate::arena::{TurnAnalysis, WatchedTurn};

/// A truth.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Truth {
    /// The position that shows it.
    pub position: String,
    /// It as a sentence, with values of perfect play in percent.
    pub text: String,
    /// It as a drawing; lines are separated by `\n`.
    pub board: String,
}

/// The largest of its kind, and the truth that it shows.
type Extreme = Option<(f64, Truth)>;

/// The extremes of the turns of a survey; they do not depend on the order of the turns.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    /// By steps behind: a seat that is to throw and more likely to win.
    behind: Extreme,
    /// By the luck of throws that leave a choice and cannot end the game.
    swing: Extreme,
}

impl Extremes {
    /// Notes a turn.
    pub(super) fn note(&mut self, race: &Race, turn: &WatchedTurn<'_, State>, analysis: &TurnAnalysis<State>) {
        let (seat, letter) = (turn.seat, turn.seat.letter());
        let (before, after) = (f64::from(analysis.before[seat]), f64::from(analysis.after_throw()[seat]));
        let enemy = race.spec().seats.iter().find(|&other| other != seat).unwrap_or(seat);
        let steps =
            |seat| race.steps(turn.start, seat)[..race.pieces()].iter().map(|&step| f64::from(step)).sum::<f64>();
        let behind = steps(enemy) - steps(seat);
        let is_end = |state: &State| race.node(state) == Node::Terminal;
        if before > 0.5 && behind > 0.0 {
            keep(&mut self.behind, behind + before, race, turn.start, || {
                format!("{letter} is {behind} steps behind, is to throw, and wins {} of the games.", percent(before))
            });
        }
        if analysis.is_choice() && !analysis.results.states().iter().any(is_end) {
            keep(&mut self.swing, (after - before).abs(), race, turn.start, || {
                let throws: Vec<String> = race.pending_throws(turn.thrown).iter().map(u8::to_string).collect();
                let (throws, before, after) = (throws.join(","), percent(before), percent(after));
                format!("{letter} throws {throws}, and its chance of winning goes from {before} to {after}.")
            });
        }
    }
}

/// Keeps the larger, and of equal ones the first by their positions and texts.
fn keep(kept: &mut Extreme, size: f64, race: &Race, state: &State, text: impl FnOnce() -> String) {
    if kept.as_ref().is_some_and(|(most, _)| size < *most) {
        return;
    }
    let truth = Truth { position: race.print(state), text: text(), board: race.draw(state) };
    if kept.as_ref().is_none_or(|(most, old)| size > *most || truth < *old) {
        *kept = Some((size, truth));
    }
}

/// The truths of a game in which the seat that throws first wins `start` of the games: up to five, fewer where play
/// leaves nothing to choose. `positions` are those in which the natural move is wrong, the worst first.
pub(super) fn truths(race: &Race, start: f64, positions: &[SurveyedPosition], extremes: Extremes) -> Vec<Truth> {
    let wrong = |found: &SurveyedPosition, what: &str| {
        let (natural, best) = (&found.natural, &found.best);
        let [low, high] = [natural, best].map(|way| percent(way.value));
        let text = format!("{what}: “{}” wins {low} of the games, “{}” {high}.", natural.turn, best.turn);
        Truth { position: found.position.clone(), text, board: found.board.clone() }
    };
    let captures = |kind: TurnEffect| matches!(kind, TurnEffect::Capture | TurnEffect::CaptureInFront);
    let spared = positions.iter().find(|found| captures(found.natural.kind) && !captures(found.best.kind));
    let worst = positions.iter().find(|&found| Some(found) != spared);
    let first = race.spec().seats.iter().next().map(|first| {
        let (state, percent, points) = (race.initial_state(first), 100.0 * start, 100.0 * (start - 0.5));
        let text = format!("Who throws first wins {percent:.2} % of the games: that is worth {points:+.2} points.");
        Truth { position: race.print(&state), text, board: race.draw(&state) }
    });
    let found = [
        worst.map(|found| wrong(found, "The move with the largest lead can be the worst")),
        spared.map(|found| wrong(found, "A capture can be a mistake")),
        extremes.behind.map(|(_, truth)| truth),
        extremes.swing.map(|(_, truth)| truth),
        first,
    ];
    found.into_iter().flatten().collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
