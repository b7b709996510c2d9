//! Instructive positions: those met in play in which the natural move is wrong.
//!
//! Natural is what `greedy` plays: the result that is furthest ahead in the race. Among equals it draws; here the one
//! with the least regret is taken, a lower bound for whatever it draws. The list does not depend on the order in which
//! positions are met.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ashta_env::game::{BySeat, Game, MAX_PIECES, RaceGame, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use serde::Serialize;

use super::facts::{TurnEffect, TurnFacts};
use super::truths::{Extremes, Truth, truths};
use crate::arena::{TurnAnalysis, WatchedTurn};
use crate::play::agent::about_best;
use crate::play::baseline::PipEvaluator;
use crate::play::evaluator::{Evaluator, first_best};

/// Candidates that are kept of each kind: many more than are asked for, since pieces may stand alike.
const KEPT: usize = 100;
/// Positions stand alike where every piece is at most so many squares away from its counterpart.
const NEAR: u8 = 6;

/// The places of the own and of the enemy's pieces, as each seat counts them.
type PieceSteps = [[u8; MAX_PIECES]; 2];
/// The worst position of each area: the places of its pieces in parts of the course of [`NEAR`] squares.
type KeptPositions = BTreeMap<PieceSteps, (PieceSteps, SurveyedPosition)>;

/// One of the ways to play a turn.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Way {
    /// The turn in words.
    pub turn: String,
    /// The position after it.
    pub position: String,
    /// Its value for the seat to choose.
    pub value: f64,
    /// Its main effect.
    pub kind: TurnEffect,
}

/// A position in which the natural result is not the best.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SurveyedPosition {
    /// The position, all thrown.
    pub position: String,
    /// It as a drawing; lines are separated by `\n`.
    pub board: String,
    /// The throws to be used.
    pub throws: Vec<u8>,
    /// The choice of `greedy`.
    pub natural: Way,
    /// The choice of perfect play.
    pub best: Way,
    /// The regret of the natural result.
    pub regret: f64,
    /// Effects of the natural turn that the best one lacks.
    pub only_natural: Vec<String>,
    /// Effects of the best turn that the natural one lacks.
    pub only_best: Vec<String>,
}

impl SurveyedPosition {
    /// The larger regret first, and among equals any order that is always the same.
    fn order(&self, other: &SurveyedPosition) -> Ordering {
        other.regret.total_cmp(&self.regret).then_with(|| self.position.cmp(&other.position))
    }
}

/// Positions that are kept for [`Shortlist::truths`].
const CANDIDATES: usize = 36;

/// The worst natural moves of each kind: of each area the worst; and the extremes of all turns.
#[derive(Debug, Default)]
pub struct Shortlist {
    kinds: Mutex<BTreeMap<TurnEffect, KeptPositions>>,
    extremes: Mutex<Extremes>,
}

impl Shortlist {
    /// Shows it a turn.
    pub fn note(&self, race: &Race, turn: &WatchedTurn<'_, State>, analysis: &TurnAnalysis<State>) {
        self.extremes.lock().unwrap_or_else(PoisonError::into_inner).note(race, turn, analysis);
        let values = analysis.own_values();
        let Some((natural, best)) = ways(race, analysis.results.states(), &values, turn.seat) else { return };
        let regret = values[best] - values[natural];
        if regret <= 0.0 {
            return;
        }
        let kind = facts(race, turn, analysis, natural).kind();
        let enemy = race.spec().seats.iter().find(|&other| other != turn.seat).unwrap_or(turn.seat);
        let pieces = [turn.seat, enemy].map(|seat| race.steps(turn.thrown, seat));
        let area = pieces.map(|places| places.map(|place| place / NEAR));
        let is_worse = |(_, kept): &(PieceSteps, SurveyedPosition)| regret >= kept.regret;
        let has_room = |kept: &KeptPositions| match kept.get(&area) {
            Some(same) => is_worse(same),
            None => kept.len() < KEPT || kept.values().any(is_worse),
        };
        let is_wanted = self.kinds.lock().unwrap_or_else(PoisonError::into_inner).get(&kind).is_none_or(has_room);
        if !is_wanted {
            return;
        }
        let position = describe(race, turn, analysis, natural, best);
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kinds.entry(kind).or_default();
        if kept.get(&area).is_none_or(|(_, same)| position.order(same).is_lt()) {
            kept.insert(area, (pieces, position));
        }
        if kept.len() > KEPT {
            let last = kept.iter().max_by(|(_, a), (_, b)| a.1.order(&b.1)).map(|(&area, _)| area);
            last.and_then(|area| kept.remove(&area));
        }
    }

    /// Up to five truths about the game, in which the seat that throws first wins `start` of the games, 0 to 1.
    pub fn truths(mut self, race: &Race, start: f64) -> Vec<Truth> {
        let extremes = std::mem::take(self.extremes.get_mut().unwrap_or_else(PoisonError::into_inner));
        truths(race, start, &self.positions(CANDIDATES), extremes)
    }

    /// Up to `count` positions, the worst first: at most a third of them of each kind of natural move, and no two of
    /// them alike.
    pub fn positions(self, count: usize) -> Vec<SurveyedPosition> {
        let kinds = self.kinds.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut candidates: Vec<_> = kinds.into_values().flat_map(BTreeMap::into_values).collect();
        candidates.sort_by(|(_, a), (_, b)| a.order(b));
        let mut chosen: Vec<(PieceSteps, SurveyedPosition)> = Vec::new();
        for (pieces, position) in candidates {
            let of_kind = chosen.iter().filter(|(_, other)| other.natural.kind == position.natural.kind).count();
            let is_new = chosen.iter().all(|(other, _)| !are_alike(other, &pieces));
            if chosen.len() < count && of_kind < count.div_ceil(3) && is_new {
                chosen.push((pieces, position));
            }
        }
        chosen.into_iter().map(|(_, position)| position).collect()
    }
}

/// The natural result and the best one, by number; `None` where there is only one.
fn ways(race: &Race, states: &[State], values: &[f64], seat: Seat) -> Option<(usize, usize)> {
    if states.len() < 2 {
        return None;
    }
    let mut pips: Vec<BySeat<f32>> = Vec::new();
    Evaluator::<Race>::values(&mut PipEvaluator, race, states, &mut pips);
    let natural: Vec<usize> = about_best(pips.iter().map(|pips| pips[seat])).collect();
    let least = first_best(natural.iter().map(|&result| values[result] as f32))?;
    Some((natural[least], first_best(values.iter().map(|&value| value as f32))?))
}

fn are_alike(a: &PieceSteps, b: &PieceSteps) -> bool {
    a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| a.abs_diff(*b) <= NEAR)
}

/// The effects of one of the results.
fn facts(race: &Race, turn: &WatchedTurn<'_, State>, analysis: &TurnAnalysis<State>, result: usize) -> TurnFacts {
    let results = &analysis.results;
    TurnFacts::new(race, turn.thrown, results.actions(result), results.state(result), turn.seat)
}

fn describe(
    race: &Race,
    turn: &WatchedTurn<'_, State>,
    analysis: &TurnAnalysis<State>,
    natural: usize,
    best: usize,
) -> SurveyedPosition {
    let values = analysis.own_values();
    let of = |result: usize| facts(race, turn, analysis, result);
    let way = |result: usize| Way {
        turn: race.turn_text(turn.thrown, analysis.results.actions(result)),
        position: race.print(analysis.results.state(result)),
        value: values[result],
        kind: of(result).kind(),
    };
    let (of_natural, of_best) = (of(natural).words(race), of(best).words(race));
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|phrase| !others.contains(phrase)).cloned().collect()
    };
    SurveyedPosition {
        position: race.print(turn.thrown),
        board: race.draw(turn.thrown),
        throws: race.pending_throws(turn.thrown),
        natural: way(natural),
        best: way(best),
        regret: values[best] - values[natural],
        only_natural: only(&of_natural, &of_best),
        only_best: only(&of_best, &of_natural),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::game::{Node, SeatSet};
    use ashta_env::turn::{TurnResults, turn_results};

    /// A turn from `position` in which the results have the values `worth` of their numbers.
    fn note(shortlist: &Shortlist, position: &str, worth: impl Fn(usize) -> f64) {
        let (race, state) = Race::parse_position(position).expect("a position");
        let Node::Decision(seat) = race.node(&state) else { panic!("{position} is no decision") };
        let mut results = TurnResults::new();
        turn_results(&race, &state, &mut results);
        let values = |result: usize| BySeat([worth(result) as f32; 4]);
        let values: Vec<BySeat<f32>> = (0..results.len()).map(values).collect();
        let end = *results.state(0);
        let turn = WatchedTurn { block: 0, side: SeatSet::of(&[seat]), seat, start: &state, thrown: &state, end: &end };
        let (before, played) = (BySeat([0.5; 4]), Some(values[0]));
        let (start, thrown) = (state, state);
        let analysis = TurnAnalysis { seat, start, thrown, moves: 0..0, results, values, before, played };
        shortlist.note(&race, &turn, &analysis);
    }

    /// South has a 2 and can capture with one piece or run with another.
    fn capture(rear: u8) -> String {
        format!("ashtapada?pieces=3 S:{rear},34,50/N:off,off,46 S 2")
    }

    fn number_of(position: &str, turn: &str) -> usize {
        let (race, state) = Race::parse_position(position).expect("a position");
        let mut results = TurnResults::new();
        turn_results(&race, &state, &mut results);
        let texts: Vec<String> =
            (0..results.len()).map(|index| race.turn_text(&state, results.actions(index))).collect();
        texts.iter().position(|text| text.contains(turn)).unwrap_or_else(|| panic!("{turn}: {texts:?}"))
    }

    #[test]
    fn the_natural_move_captures() {
        let shortlist = Shortlist::default();
        let capturing = number_of(&capture(1), "captures");
        note(&shortlist, &capture(1), |result| if result == capturing { 0.25 } else { 0.5 + result as f64 / 100.0 });
        let found = shortlist.positions(12);
        assert_eq!(found.len(), 1);
        let position = &found[0];
        assert_eq!((position.natural.kind, position.natural.value), (TurnEffect::Capture, 0.25));
        assert!(position.natural.turn.contains("captures N"), "{position:?}");
        assert!((position.regret - (position.best.value - 0.25)).abs() < 1e-12);
        assert!(position.only_natural.contains(&"captures one piece".to_owned()), "{position:?}");
        assert!(position.board.lines().count() > 8 && position.position == capture(1));
        assert_eq!(position.throws, [2]);
    }

    #[test]
    fn of_equal_races_the_natural_move_is_the_one_with_the_least_regret() {
        let shortlist = Shortlist::default();
        // No enemy is near, so every result is as far ahead as any other.
        note(&shortlist, "ashtapada?pieces=3 S:1,34,50/N:off,off,off S 2", |result| result as f64 / 10.0);
        assert!(shortlist.positions(12).is_empty());
    }

    #[test]
    fn positions_differ_in_pieces_and_in_kind() {
        let shortlist = Shortlist::default();
        for rear in [1, 2, 8, 9, 16, 17, 24, 25, 31, 32] {
            let capturing = number_of(&capture(rear), "captures");
            let worth = |result| if result == capturing { 0.5 - f64::from(rear) / 100.0 } else { 0.5 };
            note(&shortlist, &capture(rear), worth);
            note(&shortlist, &capture(rear), worth);
        }
        let found = shortlist.positions(12);
        assert_eq!(found.len(), 4, "one kind has a third of the places");
        let regrets: Vec<f64> = found.iter().map(|position| (position.regret * 100.0).round()).collect();
        assert_eq!(regrets, [32.0, 25.0, 17.0, 9.0], "the worst of those that stand alike");
    }
}
