//! Small games solved exactly, for tests.

use std::ops::ControlFlow;
use std::sync::Arc;

use ashta_agents::perfect::solve::{Solution, SolveConfig, Solved, solve};
use ashta_agents::perfect::table::Table;
use ashta_env::game::{Game, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::turn_index::{RaceTurns, TurnIndex};
use ashta_env::turn_index::{Side, Sides, TurnModel, TurnVisitor};

/// One thread, the smallest tolerance, with the certificate.
pub const CONFIG: SolveConfig = SolveConfig { threads: 1, tolerance: 2e-9, certify: true };

/// The game of a ruleset, with these seats.
///
/// # Panics
/// When there is none.
pub fn race(text: &str, seats: &str) -> Race {
    let seats = SeatSet::from_letters(seats).expect("seats");
    Race::new(Ruleset::parse(text, seats).expect("valid"))
}

/// Its turns.
///
/// # Panics
/// When there is none.
pub fn turns(text: &str, seats: &str) -> RaceTurns {
    RaceTurns::new(TurnIndex::new(&race(text, seats)).expect("few enough"))
}

/// The side positions before the first throw.
///
/// # Panics
/// When there is none.
pub fn start(turns: &RaceTurns) -> Sides {
    let state = turns.index().race().initial_state(turns.index().movers()[0]);
    turns.index().locate(&state).expect("a start").1
}

/// Perfect play.
///
/// # Panics
/// When there is none.
pub fn solved(turns: &RaceTurns, config: &SolveConfig) -> Solution {
    match solve(turns, start(turns), None, config, &|_| ControlFlow::Continue(())) {
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
    all.filter(|&(_, mover, sides)| turns.is_position(mover, sides)).collect()
}

/// A table of perfect play, of 16 or of 32 bits.
///
/// # Panics
/// When there is none.
pub fn table(text: &str, seats: &str, is_short: bool) -> Arc<Table> {
    let turns = turns(text, seats);
    let solution = solved(&turns, &CONFIG);
    Arc::new(Table::new(turns.index().clone(), solution, is_short))
}

/// A game without [`TurnModel::visit_row`] and [`TurnModel::visit_lanes`].
#[derive(Debug)]
pub struct OneByOne<'a>(pub &'a RaceTurns);

impl TurnModel for OneByOne<'_> {
    fn index(&self) -> &TurnIndex {
        self.0.index()
    }

    fn is_position(&self, mover: Seat, sides: Sides) -> bool {
        self.0.is_position(mover, sides)
    }

    fn visit(&self, mover: Seat, sides: Sides, visitor: &mut impl TurnVisitor) {
        self.0.visit(mover, sides, visitor);
    }

    fn cut_off(&self) -> f64 {
        self.0.cut_off()
    }
}
