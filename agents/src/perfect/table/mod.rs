//! A table of the values of perfect play (as an endgame tablebase), and an exact evaluator by it.
//!
//! A table has a value for each position at the start of a turn. Everything else follows from these: the value of a
//! decision is that of its best afterstate, and the value of a throw within a series is the expectation over the throws
//! that may follow.

mod file;

use std::path::Path;

use ashta_env::game::{Action, BySeat, Game, Node, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::ruleset::Ruleset;
use ashta_env::turn::{TurnResults, turn_results};
use ashta_env::turn_index::Sides;
use ashta_env::turn_index::TurnIndex;

use crate::perfect::solve::{Facts, Solution, Unfinished};
use crate::play::evaluator::{Evaluation, Evaluator, first_best};
use crate::search::Expectimax;

pub use file::{TableError, TableHeader};

/// Branches of a series of throws that are rarer than this get the value of the series before it began.
const MIN_PROBABILITY: f32 = 1e-6;

/// How many bits a value has.
#[derive(Clone, PartialEq, Debug)]
enum TableValues {
    /// Fractions of 2¹⁶ − 1.
    Short(Vec<u16>),
    /// Fractions of 2³² − 1.
    Long(Vec<u32>),
}

impl TableValues {
    fn len(&self) -> usize {
        match self {
            TableValues::Short(values) => values.len(),
            TableValues::Long(values) => values.len(),
        }
    }

    fn get(&self, at: usize) -> f64 {
        match self {
            TableValues::Short(values) => f64::from(values[at]) / f64::from(u16::MAX),
            TableValues::Long(values) => f64::from(values[at]) / f64::from(u32::MAX),
        }
    }
}

/// A value of 32 bits in 16.
fn short(value: u32) -> u16 {
    // 2³² − 1 is 2¹⁶ − 1 times 2¹⁶ + 1.
    ((u64::from(value) + 32_768) / 65_537) as u16
}

/// The values of perfect play of one game.
#[derive(Clone, Debug)]
pub struct Table {
    starts: TurnIndex,
    values: TableValues,
    facts: Facts,
}

impl Table {
    /// The table of a solution, with 16 bits a value or 32.
    ///
    /// # Panics
    /// When the solution is not of `starts`.
    pub fn new(starts: TurnIndex, solution: Solution, is_short: bool) -> Table {
        let Solution { values, facts } = solution;
        let values = if is_short {
            TableValues::Short(values.into_iter().map(short).collect())
        } else {
            TableValues::Long(values)
        };
        let table = Table { starts, values, facts };
        assert_eq!(table.values.len(), table.expected(), "a value for each position");
        table
    }

    /// Reads a table.
    ///
    /// # Errors
    /// When the file is no table or damaged, or it is not finished.
    pub fn read(path: &Path) -> Result<Table, TableError> {
        file::read(path)
    }

    /// Whether the content of a file begins as that of a table does.
    pub fn is_table(content: &[u8]) -> bool {
        content.starts_with(file::MAGIC)
    }

    /// The table whose file has this content.
    ///
    /// # Errors
    /// The defect of the content; any bytes are accepted without a panic.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Table, TableError> {
        file::decode(&mut bytes)
    }

    /// Writes the table; nothing is left behind when that fails.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), TableError> {
        file::write(path, &self.starts, self.numbers(), file::SolveProgress::Facts(self.facts))
    }

    /// The content of the table's file: the same bytes for the same table.
    ///
    /// # Errors
    /// When a fact cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, TableError> {
        let mut bytes = Vec::new();
        file::encode(&mut bytes, &self.starts, self.numbers(), file::SolveProgress::Facts(self.facts))?;
        Ok(bytes)
    }

    fn numbers(&self) -> file::Numbers<'_> {
        match &self.values {
            TableValues::Short(values) => file::Numbers::Short(values),
            TableValues::Long(values) => file::Numbers::Long(values),
        }
    }

    /// The ruleset that was solved.
    pub fn ruleset(&self) -> &Ruleset {
        self.starts.race().ruleset()
    }

    /// Accuracy and cost of the values.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The positions.
    pub fn starts(&self) -> &TurnIndex {
        &self.starts
    }

    /// Bits of a value: 16 or 32.
    pub fn bits(&self) -> u8 {
        match self.values {
            TableValues::Short(_) => 16,
            TableValues::Long(_) => 32,
        }
    }

    /// All values as fractions of 2³² − 1, in the order of the positions' numbers.
    pub fn values(&self) -> Vec<u32> {
        match &self.values {
            TableValues::Short(values) => values.iter().map(|&value| u32::from(value) * 65_537).collect(),
            TableValues::Long(values) => values.clone(),
        }
    }

    fn expected(&self) -> usize {
        value_count(&self.starts)
    }

    /// The values of the seats in a position at the start of a turn, by seat.
    fn at_start(&self, mover: Seat, sides: Sides) -> BySeat<f32> {
        let seats = self.starts.seats();
        let number = self.starts.number(mover, sides);
        let mut values = BySeat([0.0; 4]);
        for (at, seat) in self.starts.in_turn(mover).enumerate() {
            values[seat] = match (seats, at) {
                (2, 0) => self.values.get(number) as f32,
                (2, _) => (1.0 - self.values.get(number)) as f32,
                _ => self.values.get(number * seats + at) as f32,
            };
        }
        values
    }

    /// The values of a position at the start of a turn or of a finished game; `None` for any other.
    pub fn known(&self, state: &State) -> Option<BySeat<f32>> {
        if self.starts.race().node(state) == Node::Terminal {
            return Some(self.starts.race().returns(state));
        }
        self.starts.locate(state).map(|(mover, sides)| self.at_start(mover, sides))
    }
}

/// Number of values of a table.
fn value_count(starts: &TurnIndex) -> usize {
    crate::perfect::solve::value_count(starts.numbers(), starts.seats())
}

/// Writes the values of a game that is not solved yet, with where to go on.
///
/// # Errors
/// When the file cannot be written.
pub fn write_unfinished(path: &Path, starts: &TurnIndex, unfinished: &Unfinished) -> Result<(), TableError> {
    file::write(path, starts, file::Numbers::Long(&unfinished.values), file::SolveProgress::Cursor(unfinished.place))
}

/// Reads the values of a game that is not solved yet.
///
/// # Errors
/// When the file is none of these or damaged, or belongs to another game.
pub fn read_unfinished(path: &Path, starts: &TurnIndex) -> Result<Unfinished, TableError> {
    file::read_unfinished(path, starts)
}

/// Evaluates by a table: perfect play.
#[derive(Clone, Debug)]
pub struct Perfect {
    table: std::sync::Arc<Table>,
    results: TurnResults<State>,
}

impl Perfect {
    /// Evaluates by `table`, which must be of the game that is evaluated.
    pub fn new(table: std::sync::Arc<Table>) -> Perfect {
        Perfect { table, results: TurnResults::new() }
    }

    /// The values of a position within a turn, and the first action of the best result where there is a choice.
    fn within(&mut self, race: &Race, state: &State) -> Evaluation {
        let Node::Decision(seat) = race.node(state) else {
            let mut values = Vec::new();
            let starts = Starts { table: &self.table };
            Expectimax::new(starts, 1).with_min_probability(MIN_PROBABILITY).values(race, &[*state], &mut values);
            return values.pop().unwrap_or_default().into();
        };
        turn_results(race, state, &mut self.results);
        let values: Vec<BySeat<f32>> =
            self.results.states().iter().map(|result| self.table.known(result).unwrap_or_default()).collect();
        let Some(best) = first_best(values.iter().map(|values| values[seat])) else { return Evaluation::default() };
        let first = self.results.actions(best)[0];
        let chance = |action: Action| (action, if action == first { 1.0 } else { 0.0 });
        Evaluation { values: values[best], policy: race.legal_actions(state).iter().map(chance).collect() }
    }
}

impl Evaluator<Race> for Perfect {
    fn evaluate(&mut self, race: &Race, states: &[State]) -> Vec<Evaluation> {
        let mut answer = |state: &State| match self.table.known(state) {
            Some(values) => values.into(),
            None => self.within(race, state),
        };
        states.iter().map(&mut answer).collect()
    }
}

/// Evaluates turn-start states; within a series of throws as at its beginning.
struct Starts<'a> {
    table: &'a Table,
}

impl Evaluator<Race> for Starts<'_> {
    fn evaluate(&mut self, _race: &Race, states: &[State]) -> Vec<Evaluation> {
        let answer =
            |state: &State| self.table.known(&self.table.starts.start_of_turn(state)).unwrap_or_default().into();
        states.iter().map(answer).collect()
    }
}
