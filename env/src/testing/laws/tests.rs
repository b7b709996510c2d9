//! Tests of the laws: the toy game keeps all of them, and each law finds a toy game that breaks it.

use std::sync::LazyLock;

use super::*;
use crate::game::{ActionMask, BySeat, Chances, MAX_PIECES, RaceGame, Spec};
use crate::testing::toy::{Toy, ToyPieces, ToyState, ToyTable, ToyThrows};

/// The fault of a spoiled toy game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    Teams,
    SecondSeatFirst,
    ThrowsWithoutEnd,
    Probabilities,
    NoAction,
    ActionOutOfRange,
    EarlyReturns,
    Returns,
    EntryTwice,
    EntryOutOfRange,
    Blind,
    StartsUnmarked,
    ThrowPassesTheTurn,
    ThrowMoves,
    MoveBack,
    HelpsOthers,
    GoalIsLeft,
    BeyondTheGoal,
}

struct Spoiled {
    toy: Toy,
    spec: Spec,
    fault: Fault,
}

impl Spoiled {
    fn new(fault: Fault) -> Arc<Spoiled> {
        let toy = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Series);
        let mut spec = toy.spec().clone();
        if fault == Fault::Teams {
            spec.teams.0[0] = spec.seats;
        }
        if fault == Fault::ActionOutOfRange {
            spec.actions = 3;
        }
        if fault == Fault::StartsUnmarked {
            spec.start_observation = spec.observation;
        }
        Arc::new(Spoiled { toy, spec, fault })
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
        &self.spec
    }

    fn initial_state(&self, first: Seat) -> ToyState {
        self.toy.initial_state(if self.fault == Fault::SecondSeatFirst { first.rotated(2) } else { first })
    }

    fn node(&self, state: &ToyState) -> Node {
        self.toy.node(state)
    }

    fn chance_outcomes(&self, state: &ToyState) -> &Chances {
        static RIGHT: LazyLock<Chances> = LazyLock::new(|| vec![0.5, 0.5].into());
        static WRONG: LazyLock<Chances> = LazyLock::new(|| vec![0.5, 0.4].into());
        match self.fault {
            Fault::ThrowsWithoutEnd => &RIGHT,
            Fault::Probabilities if !self.toy.chance_outcomes(state).is_empty() => &WRONG,
            _ => self.toy.chance_outcomes(state),
        }
    }

    fn legal_actions(&self, state: &ToyState) -> ActionMask {
        let legal = self.toy.legal_actions(state);
        if self.fault == Fault::NoAction && legal.len() > 2 { ActionMask::EMPTY } else { legal }
    }

    fn apply_chance(&self, state: &mut ToyState, outcome: Outcome) {
        let Node::Chance(seat) = self.toy.node(state) else { return };
        let rows = self.rows(state);
        match self.fault {
            Fault::ThrowPassesTheTurn if outcome.0 == 1 => *state = self.toy.position(seat.rotated(2), rows),
            Fault::ThrowMoves if outcome.0 == 1 => {
                *state = self.toy.position(seat, BySeat(rows.0.map(|[a, b]| [a, b.max(1)])))
            }
            _ => self.toy.apply_chance(state, outcome),
        }
    }

    fn apply_action(&self, state: &mut ToyState, action: Action) {
        let before = self.rows(state);
        let mover = self.toy.node(state);
        self.toy.apply_action(state, action);
        let Node::Chance(seat) = self.toy.node(state) else { return };
        let Node::Decision(mover) = mover else { return };
        let mut rows = self.rows(state);
        match self.fault {
            Fault::MoveBack if before[mover][1] == 3 => rows[mover][1] = 1,
            Fault::HelpsOthers if rows[mover.rotated(2)][1] == 3 => rows[mover.rotated(2)][1] = 4,
            _ => return,
        }
        *state = self.toy.position(seat, rows);
    }

    fn returns(&self, state: &ToyState) -> BySeat<f32> {
        let mut returns = self.toy.returns(state);
        match (self.fault, self.toy.node(state)) {
            (Fault::EarlyReturns, Node::Decision(seat)) => returns[seat] = 0.5,
            (Fault::Returns, Node::Terminal) => returns = BySeat([1.0; MAX_SEATS]),
            _ => {}
        }
        returns
    }

    fn observe_active(&self, state: &ToyState, seat: Seat, active: &mut Vec<u16>) {
        let start = active.len();
        self.toy.observe_active(state, seat, active);
        match self.fault {
            Fault::EntryTwice => active.push(active[start]),
            Fault::EntryOutOfRange => active.push(self.spec.observation as u16),
            // The entries that count the throws of 2.
            Fault::Blind => {
                let seen = active.split_off(start);
                let counts = self.spec.observation - 5..self.spec.observation - 2;
                active.extend(seen.into_iter().filter(|&entry| !counts.contains(&usize::from(entry))));
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
        match self.fault {
            Fault::GoalIsLeft => steps.map(|steps| if steps == 4 { 5 } else { steps }),
            Fault::BeyondTheGoal => steps.map(|steps| if steps == 5 { 6 } else { steps }),
            _ => steps,
        }
    }
}

fn play(games: usize) -> LawConfig {
    LawConfig { seed: 3, games }
}

#[test]
fn the_toy_game_keeps_every_law() {
    for table in [ToyTable::Two, ToyTable::Three, ToyTable::Four, ToyTable::Teams, ToyTable::Placings] {
        for throws in [ToyThrows::Again, ToyThrows::Series] {
            for pieces in [ToyPieces::One, ToyPieces::Two] {
                let game = Arc::new(Toy::new(table, pieces, throws));
                let tally = check_race(&game, &play(8), Course::Forward).expect("the toy game keeps the laws");
                assert_eq!((tally.terminated, tally.truncated), (8, 0));
                assert!(tally.nodes > 100, "{tally:?}");
            }
        }
    }
}

#[test]
fn a_broken_law_is_named() {
    assert_eq!(check_race(&Spoiled::new(Fault::None), &play(8), Course::Forward).map(|tally| tally.terminated), Ok(8));
    for (fault, law) in [
        (Fault::Teams, "the spec describes the game"),
        (Fault::SecondSeatFirst, "the first seat throws first"),
        (Fault::ThrowsWithoutEnd, "throws belong to chance nodes and actions to decisions"),
        (Fault::Probabilities, "probabilities sum to one"),
        (Fault::NoAction, "throws belong to chance nodes and actions to decisions"),
        (Fault::ActionOutOfRange, "actions are in range"),
        (Fault::EarlyReturns, "returns are zero before the end"),
        (Fault::Returns, "returns fit the payoff"),
        (Fault::EntryTwice, "an observation is a set of entries"),
        (Fault::EntryOutOfRange, "an observation is a set of entries"),
        (Fault::Blind, "equal observations mean equal futures"),
        (Fault::StartsUnmarked, "the first entries mark the start of a turn"),
        (Fault::ThrowPassesTheTurn, "a throw leaves the turn to its seat"),
        (Fault::ThrowMoves, "a throw moves nothing"),
        (Fault::MoveBack, "moves run forward"),
        (Fault::HelpsOthers, "others are captured or left alone"),
        (Fault::GoalIsLeft, "the goal is final"),
        (Fault::BeyondTheGoal, "steps ascend up to the goal"),
    ] {
        let found = check_race(&Spoiled::new(fault), &play(20), Course::Forward);
        assert_eq!(found.as_ref().map_err(|broken| broken.law), Err(law), "{fault:?}: {found:?}");
    }
}

#[test]
fn a_broken_law_reads_as_a_sentence() {
    let state = Spoiled::new(Fault::None).initial_state(Seat::SOUTH);
    let text = broken("actions are in range", &state, "{7}").to_string();
    assert!(text.starts_with("actions are in range: {7}; in ToyState"), "{text}");
}
