//! A table of the values of perfect play, like an endgame tablebase, and an exact evaluator that
//! uses it.
//!
//! A table has the values of each turn-start state. All other values follow from these values. The
//! value of a decision is the value of its best afterstate. The value of a chance node within a
//! series is the expectation over the throws that can follow.

mod file;

use std::{path::Path, sync::Arc};

use ashta_env::{
    game::{Action, BySeat, Game, Node, Seat},
    race::{Race, state::State},
    ruleset::Ruleset,
    turn::{TurnResults, turn_results},
    turn_index::{Sides, TurnIndex},
};

use crate::{
    network::tensor_file::checksum,
    perfect::solve::{Facts, Solution, value_count},
    play::{
        agent::{Agent, OnePly},
        error::Error,
        evaluator::{Evaluation, Evaluator, first_best},
    },
    search::Expectimax,
};

pub use file::{TableHeader, read_unfinished, write_unfinished};

/// Within a series, throws with a smaller probability are rare; see [`Expectimax`].
const MIN_PROBABILITY: f32 = 1e-6;

/// The factor from fractions of 2¹⁶ − 1 to fractions of 2³² − 1.
const SHORT: u32 = (1 << 16) + 1;

/// The values of perfect play in one game.
#[derive(Clone, Debug)]
pub struct Table {
    starts: TurnIndex,
    /// Fractions of 2³² − 1, rounded to `bits` bits.
    values: Vec<u32>,
    bits: u8,
    facts: Facts,
}

impl Table {
    /// The table of a solution. Values have 16 bits if `is_short`, otherwise 32.
    ///
    /// # Panics
    /// When the solution and `starts` have different numbers of values.
    pub fn new(starts: TurnIndex, solution: Solution, is_short: bool) -> Table {
        let Solution { mut values, facts } = solution;
        assert_eq!(
            values.len(),
            value_count(&starts),
            "a value for each position"
        );
        if is_short {
            values
                .iter_mut()
                .for_each(|value| *value = value.saturating_add(SHORT / 2) / SHORT * SHORT);
        }
        Table {
            starts,
            values,
            bits: if is_short { 16 } else { 32 },
            facts,
        }
    }

    /// Reads a table.
    ///
    /// # Errors
    /// When the file cannot be read, is not a table, is damaged or is not finished.
    pub fn read(path: &Path) -> Result<Table, Error> {
        file::read(path)
    }

    /// Whether the first bytes of a file show that it is a table, finished or not.
    pub fn is_table(content: &[u8]) -> bool {
        content.starts_with(file::MAGIC)
    }

    /// Reads a table from the content of its file. No content causes a panic.
    ///
    /// # Errors
    /// When the content is not a table, is damaged or is not finished.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Table, Error> {
        file::decode(&mut bytes)
    }

    /// Writes the table to a file.
    ///
    /// # Errors
    /// When the file cannot be written. Then no partial file remains.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        file::write(path, &self.header(), |at| self.values[at])
    }

    /// The content of the table's file. Equal tables have the same bytes.
    ///
    /// # Errors
    /// When the header cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        file::encode(&mut bytes, &self.header(), |at| self.values[at])?;
        Ok(bytes)
    }

    fn header(&self) -> TableHeader {
        TableHeader::new(
            &self.starts,
            self.values.len(),
            self.bits,
            Some(self.facts),
            None,
        )
    }

    /// The ruleset that was solved.
    pub fn ruleset(&self) -> &Ruleset {
        self.starts.race().ruleset()
    }

    /// Accuracy and cost of the values.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The numbering of the positions.
    pub fn index(&self) -> &TurnIndex {
        &self.starts
    }

    /// The number of bits of each value: 16 or 32.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// The checksum of the values.
    pub fn checksum(&self) -> u32 {
        self.values.chunks(1 << 16).fold(0, |sum, chunk| {
            let bytes: Vec<u8> = chunk.iter().flat_map(|value| value.to_le_bytes()).collect();
            checksum(&[&u32::to_le_bytes(sum), &bytes])
        })
    }

    /// The memory that the values use, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice())
    }

    /// The largest error of a value from rounding to [`Table::bits`].
    pub fn rounding(&self) -> f64 {
        0.5 / (f64::from(self.bits).exp2() - 1.0)
    }

    fn value(&self, number: usize) -> f64 {
        f64::from(self.values[number]) / f64::from(u32::MAX)
    }

    /// The values of a turn-start state, by seat.
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

    /// The values of a turn-start state, or the returns of a finished game, by seat; `None` for any
    /// other position.
    pub fn values_of(&self, state: &State) -> Option<BySeat<f32>> {
        if self.starts.race().node(state) == Node::Terminal {
            return Some(self.starts.race().returns(state));
        }
        self.starts
            .locate(state)
            .map(|(mover, sides)| self.at_start(mover, sides))
    }
}

/// The evaluator of perfect play: returns the values of a table.
#[derive(Clone, Debug)]
pub struct Perfect {
    table: Arc<Table>,
    results: TurnResults<State>,
}

impl Perfect {
    /// An evaluator for the game of `table`.
    pub fn new(table: Arc<Table>) -> Perfect {
        Perfect {
            table,
            results: TurnResults::new(),
        }
    }

    /// An agent that plays perfectly, with the values of `table`.
    pub fn agent(table: &Arc<Table>) -> Box<dyn Agent<Race> + Send> {
        Box::new(OnePly::new(Perfect::new(Arc::clone(table))))
    }

    /// The values of a position within a turn. At a decision node, the policy gives probability 1
    /// to the first action that leads to the best afterstate.
    fn within_turn(&mut self, race: &Race, state: &State) -> Evaluation {
        let Node::Decision(seat) = race.node(state) else {
            let mut series =
                Expectimax::new(StartValues(&self.table), 1).with_min_probability(MIN_PROBABILITY);
            return series.evaluate(race, &[*state]).pop().unwrap_or_default();
        };
        turn_results(race, state, &mut self.results);
        let values: Vec<BySeat<f32>> = self
            .results
            .states()
            .iter()
            .map(|result| self.table.values_of(result).unwrap_or_default())
            .collect();
        let Some(best) = first_best(values.iter().map(|values| values[seat])) else {
            return Evaluation::default();
        };
        let first = self.results.actions(best)[0];
        let chance = |action: Action| (action, if action == first { 1.0 } else { 0.0 });
        Evaluation {
            values: values[best],
            policy: race.legal_actions(state).iter().map(chance).collect(),
        }
    }
}

impl Evaluator<Race> for Perfect {
    fn evaluate(&mut self, race: &Race, states: &[State]) -> Vec<Evaluation> {
        let answer = |state: &State| match self.table.values_of(state) {
            Some(values) => values.into(),
            None => self.within_turn(race, state),
        };
        states.iter().map(answer).collect()
    }
}

/// Evaluates turn-start states. A position within a series of throws gets the values of its
/// turn-start state.
struct StartValues<'a>(&'a Table);

impl Evaluator<Race> for StartValues<'_> {
    fn evaluate(&mut self, _race: &Race, states: &[State]) -> Vec<Evaluation> {
        let answer = |state: &State| {
            self.0
                .values_of(&self.0.starts.start_of_turn(state))
                .unwrap_or_default()
                .into()
        };
        states.iter().map(answer).collect()
    }
}
