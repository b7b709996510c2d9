//! Tests of the laws: the toy game keeps all of them, and each law detects a toy game that breaks
//! it.

use std::sync::LazyLock;

use super::*;
use crate::{
    game::{Action, ActionMask, BySeat, Chances, MAX_PIECES, RaceGame, Spec},
    testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    Probabilities,
    NoAction,
    Returns,
    EntryTwice,
    Blind,
    ThrowMoves,
    MoveBack,
    BeyondTheGoal,
}

struct Spoiled {
    toy: Toy,
    fault: Fault,
}

impl Spoiled {
    fn new(fault: Fault) -> Spoiled {
        Spoiled {
            toy: Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series),
            fault,
        }
    }

    fn rows(&self, state: &ToyState) -> BySeat<[u8; 2]> {
        BySeat(Seat::ALL.map(|seat| {
            let [first, second, ..] = self.toy.steps(state, seat);
            [first, second]
        }))
    }
}

impl Game for Spoiled {
    type State = ToyState;

    fn spec(&self) -> &Spec {
        self.toy.spec()
    }

    fn initial_state(&self, first: Seat) -> ToyState {
        self.toy.initial_state(first)
    }

    fn node(&self, state: &ToyState) -> Node {
        self.toy.node(state)
    }

    fn chance_outcomes(&self, state: &ToyState) -> &Chances {
        static WRONG: LazyLock<Chances> = LazyLock::new(|| vec![0.5, 0.4].into());
        let right = self.toy.chance_outcomes(state);
        if self.fault == Fault::Probabilities && !right.is_empty() {
            &WRONG
        } else {
            right
        }
    }

    fn legal_actions(&self, state: &ToyState) -> ActionMask {
        let legal = self.toy.legal_actions(state);
        if self.fault == Fault::NoAction && legal.len() > 2 {
            ActionMask::EMPTY
        } else {
            legal
        }
    }

    fn apply_chance(&self, state: &mut ToyState, outcome: Outcome) {
        let Node::Chance(seat) = self.toy.node(state) else {
            return;
        };
        if self.fault == Fault::ThrowMoves && outcome.0 == 1 {
            *state = self
                .toy
                .position(seat, BySeat(self.rows(state).0.map(|[a, b]| [a, b.max(1)])));
        } else {
            self.toy.apply_chance(state, outcome);
        }
    }

    fn apply_action(&self, state: &mut ToyState, action: Action) {
        let before = self.rows(state);
        let mover = self.toy.node(state);
        self.toy.apply_action(state, action);
        let Node::Chance(seat) = self.toy.node(state) else {
            return;
        };
        let Node::Decision(mover) = mover else { return };
        if self.fault == Fault::MoveBack && before[mover][1] == 3 {
            let mut rows = self.rows(state);
            rows[mover][1] = 1;
            *state = self.toy.position(seat, rows);
        }
    }

    fn returns(&self, state: &ToyState) -> BySeat<f32> {
        let is_wrong = self.fault == Fault::Returns && self.toy.node(state) == Node::Terminal;
        if is_wrong {
            BySeat([1.0; MAX_SEATS])
        } else {
            self.toy.returns(state)
        }
    }

    fn observe_active(&self, state: &ToyState, seat: Seat, active: &mut Vec<u16>) {
        let start = active.len();
        self.toy.observe_active(state, seat, active);
        match self.fault {
            Fault::EntryTwice => active.push(active[start]),
            // The entries that count the throws of 2.
            Fault::Blind => {
                let seen = active.split_off(start);
                let counts = self.spec().observation - 5..self.spec().observation - 2;
                active.extend(
                    seen.into_iter()
                        .filter(|&entry| !counts.contains(&usize::from(entry))),
                );
            }
            _ => {}
        }
    }
}

impl RaceGame for Spoiled {
    fn pieces(&self) -> usize {
        self.toy.pieces()
    }

    fn goal(&self) -> u8 {
        self.toy.goal()
    }

    fn steps(&self, state: &ToyState, seat: Seat) -> [u8; MAX_PIECES] {
        let steps = self.toy.steps(state, seat);
        let is_wrong = self.fault == Fault::BeyondTheGoal;
        steps.map(|steps| if is_wrong && steps == 5 { 6 } else { steps })
    }
}

fn play(games: usize) -> LawConfig {
    LawConfig { seed: 3, games }
}

#[test]
fn the_toy_game_keeps_every_law() {
    for table in [
        ToyTable::Two,
        ToyTable::Three,
        ToyTable::Four,
        ToyTable::Teams,
        ToyTable::Placings,
    ] {
        for throws in [ToyThrows::Again, ToyThrows::Series] {
            for pieces in [ToyPieces::One, ToyPieces::Two] {
                let game = Toy::new(table, pieces, throws);
                let tally = check_race(&game, &play(8), Course::Forward)
                    .expect("the toy game keeps the laws");
                assert_eq!((tally.terminated, tally.truncated), (8, 0));
                assert!(tally.nodes > 100, "{tally:?}");
            }
        }
    }
}

#[test]
fn a_broken_law_is_named() {
    assert_eq!(
        check_race(&Spoiled::new(Fault::None), &play(8), Course::Forward)
            .map(|tally| tally.terminated),
        Ok(8)
    );
    for (fault, law) in [
        (Fault::Probabilities, "probabilities sum to one"),
        (
            Fault::NoAction,
            "throws belong to chance nodes and actions to decisions",
        ),
        (Fault::Returns, "returns fit the payoff"),
        (Fault::EntryTwice, "an observation is a set of entries"),
        (Fault::Blind, "equal observations mean equal futures"),
        (Fault::ThrowMoves, "a throw moves nothing"),
        (Fault::MoveBack, "moves run forward"),
        (Fault::BeyondTheGoal, "steps ascend up to the goal"),
    ] {
        let found = check_race(&Spoiled::new(fault), &play(20), Course::Forward);
        assert_eq!(
            found.as_ref().map_err(|broken| broken.law),
            Err(law),
            "{fault:?}: {found:?}"
        );
    }
}

#[test]
fn a_broken_law_reads_as_a_sentence() {
    let state = Spoiled::new(Fault::None).initial_state(Seat::SOUTH);
    let text = broken("actions are in range", &state, "{7}").to_string();
    assert!(
        text.starts_with("actions are in range: {7}; in ToyState"),
        "{text}"
    );
}
