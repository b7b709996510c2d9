//! Small games solved exactly, for tests.

use std::{ops::ControlFlow, sync::Arc};

use ashta_agents::{
    perfect::{
        solve::{
            Memory, PlayerPolicy, Response, Solution, SolveConfig, Solved, UNIT, evaluate_policies,
            solve,
        },
        table::Table,
    },
    play::{baseline::PipEvaluator, evaluator::Evaluator},
};
use ashta_env::{
    game::{Game, Seat, SeatSet},
    race::{Race, state::State},
    ruleset::Ruleset,
    turn_index::{
        Continuation, RaceTurns, Side, Sides, TurnEnd, TurnIndex, TurnModel, TurnVisitor, in_lane,
        lanes_of,
    },
};

/// One thread, the smallest tolerance, with the certificate.
pub const CONFIG: SolveConfig = SolveConfig {
    threads: 1,
    tolerance: 2e-9,
    certify: true,
};

/// The game of a ruleset, with these seats.
///
/// # Panics
/// If the ruleset or the seats do not exist.
pub fn race(text: &str, seats: &str) -> Race {
    let seats = SeatSet::from_letters(seats).expect("seats");
    Race::new(Ruleset::parse(text, seats).expect("valid"))
}

/// The turns of a ruleset, with these seats.
///
/// # Panics
/// If the game does not exist or is too large.
pub fn turns(text: &str, seats: &str) -> RaceTurns {
    RaceTurns::new(TurnIndex::new(&race(text, seats)).expect("few enough"))
}

/// The side positions before the first throw.
///
/// # Panics
/// If the first position is not the start of a turn.
pub fn start(turns: &RaceTurns) -> Sides {
    let state = turns
        .index()
        .race()
        .initial_state(turns.index().movers()[0]);
    turns.index().locate(&state).expect("a start").1
}

/// Perfect play.
///
/// # Panics
/// If the values do not settle.
pub fn solved(turns: &RaceTurns, config: &SolveConfig) -> Solution {
    match solve(turns, start(turns), None, config, &|_| {
        ControlFlow::Continue(())
    }) {
        Ok(Solved::Solution(solution)) => solution,
        other => panic!("{other:?}"),
    }
}

/// Every position with its number.
pub fn positions(turns: &RaceTurns) -> Vec<(usize, Seat, Sides)> {
    let count = turns.index().sides().len();
    let seats = turns.index().seats();
    let all = (0..turns.index().numbers()).map(|number| {
        let (mut rest, mut sides) = (number, Sides::default());
        for side in sides[..seats].iter_mut().rev() {
            *side = (rest % count) as Side;
            rest /= count;
        }
        (number, turns.index().movers()[rest], sides)
    });
    all.filter(|&(_, mover, sides)| turns.is_position(mover, sides))
        .collect()
}

/// The values of an agent for each turn-start state, by number, for the seat that throws.
pub fn values_by(turns: &RaceTurns, value: impl Fn(&State, Seat) -> f32) -> Vec<u32> {
    let mut values = vec![0; turns.index().numbers()];
    for (number, mover, sides) in positions(turns) {
        let value = value(&turns.index().state(mover, sides), mover);
        values[number] = (f64::from(value) / UNIT) as u32;
    }
    values
}

/// The values of an agent that counts steps.
pub fn values_by_steps(turns: &RaceTurns) -> Vec<u32> {
    let race = turns.index().race();
    values_by(turns, |state, mover| {
        PipEvaluator.evaluate(race, &[*state])[0].values[mover]
    })
}

/// The scores of two policies.
///
/// # Panics
/// If the scores do not settle.
pub fn response(
    turns: &impl TurnModel,
    start: Sides,
    policies: [PlayerPolicy<'_>; 2],
    config: &SolveConfig,
) -> Response {
    let go_on = |_: &_| ControlFlow::Continue(());
    evaluate_policies(
        turns,
        start,
        policies,
        &mut Memory::default(),
        config,
        &go_on,
    )
    .expect("settles")
    .expect("not stopped")
}

/// A table of perfect play: 16 bits a value if `is_short`, otherwise 32.
///
/// # Panics
/// If the game cannot be solved.
pub fn table(text: &str, seats: &str, is_short: bool) -> Arc<Table> {
    let turns = turns(text, seats);
    let solution = solved(&turns, &CONFIG);
    Arc::new(Table::new(turns.index().clone(), solution, is_short))
}

/// A game whose turns are visited one position after the other.
#[derive(Debug)]
pub struct OneByOne<'a>(pub &'a RaceTurns);

impl TurnModel for OneByOne<'_> {
    fn index(&self) -> &TurnIndex {
        self.0.index()
    }

    fn is_position(&self, mover: Seat, sides: Sides) -> bool {
        self.0.is_position(mover, sides)
    }

    fn visit(&self, mover: Seat, sides: Sides, lanes: u16, visitor: &mut impl TurnVisitor) {
        let mut lane_visitor = OneLane {
            visitor,
            lane: 0,
            first: 0,
            count: 0,
        };
        for lane in lanes_of(lanes) {
            (lane_visitor.lane, lane_visitor.first) = (lane, lane_visitor.count);
            self.0
                .visit(mover, in_lane(sides, lane), 1, &mut lane_visitor);
        }
    }

    fn cut_off(&self) -> f64 {
        self.0.cut_off()
    }
}

/// Passes the visits of lane 0 on as visits of another lane.
struct OneLane<'a, V> {
    visitor: &'a mut V,
    lane: usize,
    /// Afterstates of the lanes before, and those visited so far.
    first: usize,
    count: usize,
}

impl<V: TurnVisitor> TurnVisitor for OneLane<'_, V> {
    fn end(&mut self, lanes: u16, own: Side, then: Continuation) {
        self.count += 1;
        self.visitor.end(lanes << self.lane, own, then);
    }

    fn replace_end(&mut self, _: usize, end: TurnEnd) {
        self.visitor.replace_end(self.lane, end);
    }

    fn throws(&mut self, lanes: u16, probability: f64, ends: impl Iterator<Item = usize> + Clone) {
        self.visitor.throws(
            lanes << self.lane,
            probability,
            ends.map(|end| self.first + end),
        );
    }
}
