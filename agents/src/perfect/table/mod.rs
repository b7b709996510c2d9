//! A table of the values of perfect play (as an endgame tablebase), and an exact evaluator by it.
//!
//! A table has a value for each position at the start of a turn. Everything else follows from these: the value of a
//! decision is that of its best afterstate, and the value of a throw within a series is the expectation over the throws
//! that may follow.

mod file;

use std::path::Path;
use std::sync::Arc;

use ashta_env::game::{Action, BySeat, Game, Node, Seat};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use ashta_env::ruleset::Ruleset;
use ashta_env::turn::{TurnResults, turn_results};
use ashta_env::turn_index::{Sides, TurnIndex};

use crate::perfect::solve::{Facts, Solution, value_count};
use crate::play::agent::{Agent, OnePly};
use crate::play::error::Error;
use crate::play::evaluator::{Evaluation, Evaluator, first_best};
use crate::search::Expectimax;

pub use file::{TableHeader, read_unfinished, write_unfinished};

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

    fn get(&self, at: usize) -> u32 {
        match self {
            TableValues::Short(values) => values[at].into(),
            TableValues::Long(values) => values[at],
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
        assert_eq!(table.values.len(), value_count(&table.starts), "a value for each position");
        table
    }

    /// Reads a table.
    ///
    /// # Errors
    /// When the file is no table or damaged, or it is not finished.
    pub fn read(path: &Path) -> Result<Table, Error> {
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
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Table, Error> {
        file::decode(&mut bytes)
    }

    /// Writes the table; nothing is left behind when that fails.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        file::write(path, &self.header(), |at| self.values.get(at))
    }

    /// The content of the table's file: the same bytes for the same table.
    ///
    /// # Errors
    /// When a fact cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        file::encode(&mut bytes, &self.header(), |at| self.values.get(at))?;
        Ok(bytes)
    }

    fn header(&self) -> TableHeader {
        TableHeader::new(&self.starts, self.values.len(), self.bits(), Some(self.facts), None)
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
    pub fn index(&self) -> &TurnIndex {
        &self.starts
    }

    /// Bits of a value: 16 or 32.
    pub fn bits(&self) -> u8 {
        if matches!(self.values, TableValues::Short(_)) { 16 } else { 32 }
    }

    /// The memory of its values, in bytes.
    pub fn bytes(&self) -> usize {
        self.values.len() * usize::from(self.bits() / 8)
    }

    /// How far rounding to [`Table::bits`] may move a value.
    pub fn rounding(&self) -> f64 {
        0.5 / (f64::from(self.bits()).exp2() - 1.0)
    }

    fn value(&self, number: usize) -> f64 {
        let most = if self.bits() == 16 { u32::from(u16::MAX) } else { u32::MAX };
        f64::from(self.values.get(number)) / f64::from(most)
    }

    /// The values of the seats in a position at the start of a turn, by seat.
    fn at_start(&self, mover: Seat, sides: Sides) -> BySeat<f32> {
        let seats = self.starts.seats();
        let number = self.starts.number(mover, sides);
        let mut values = BySeat([0.0; 4]);
        for (at, seat) in self.starts.in_turn(mover).enumerate() {
            values[seat] = match (seats, at) {
                (2, 0) => self.value(number) as f32,
                (2, _) => (1.0 - self.value(number)) as f32,
                _ => self.value(number * seats + at) as f32,
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

/// Evaluates by a table: perfect play.
#[derive(Clone, Debug)]
pub struct Perfect {
    table: Arc<Table>,
    results: TurnResults<State>,
}

impl Perfect {
    /// Evaluates by `table`, which must be of the game that is evaluated.
    pub fn new(table: Arc<Table>) -> Perfect {
        Perfect { table, results: TurnResults::new() }
    }

    /// An agent that plays by `table`.
    pub fn agent(table: &Arc<Table>) -> Box<dyn Agent<Race> + Send> {
        Box::new(OnePly::new(Perfect::new(Arc::clone(table))))
    }

    /// The values of a position within a turn, and the first action of the best result where there is a choice.
    fn within(&mut self, race: &Race, state: &State) -> Evaluation {
        let Node::Decision(seat) = race.node(state) else {
            let mut series = Expectimax::new(Starts(&self.table), 1).with_min_probability(MIN_PROBABILITY);
            return series.evaluate(race, &[*state]).pop().unwrap_or_default();
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
        let answer = |state: &State| match self.table.known(state) {
            Some(values) => values.into(),
            None => self.within(race, state),
        };
        states.iter().map(answer).collect()
    }
}

/// Evaluates turn-start states; within a series of throws as at its beginning.
struct Starts<'a>(&'a Table);

impl Evaluator<Race> for Starts<'_> {
    fn evaluate(&mut self, _race: &Race, states: &[State]) -> Vec<Evaluation> {
        let answer = |state: &State| self.0.known(&self.0.starts.start_of_turn(state)).unwrap_or_default().into();
        states.iter().map(answer).collect()
    }
}
