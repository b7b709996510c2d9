//! `Table`: the values of perfect play.

use std::path::PathBuf;
use std::sync::Arc;

use ashta_agents::perfect::table::{Perfect, Table as Values};
use ashta_agents::play::evaluator::Evaluator;
use ashta_agents::roster::AgentSpec;
use ashta_env::game::Game as _;
use ashta_env::race::Race;
use numpy::PyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::agent::{by_player, folders_or_default};
use crate::game::{Game, State, positions};
use crate::{refused, to_python};

/// The values of perfect play of one game, position by position.
#[pyclass(frozen, module = "ashta")]
#[derive(Debug)]
pub struct Table {
    table: Arc<Values>,
    race: Arc<Race>,
}

#[pymethods]
impl Table {
    /// Reads a table: a file, the name of one in `folders`, or that of a game, which is looked for there.
    #[staticmethod]
    #[pyo3(signature = (table, folders = None))]
    fn load(py: Python<'_>, table: &Bound<'_, PyAny>, folders: Option<Vec<PathBuf>>) -> PyResult<Table> {
        let folders = folders_or_default(py, folders)?;
        let found = match (table.cast::<Game>(), table.extract::<PathBuf>()) {
            (Ok(game), _) => {
                let race = Arc::clone(&game.get().race);
                py.detach(|| {
                    let player = AgentSpec::Perfect.load(&folders.folders).and_then(|agent| agent.player(&race));
                    player.map(|player| player.table().map(Arc::clone)).map_err(refused)
                })?
            }
            (_, Ok(path)) => {
                let named = folders.table(&path.to_string_lossy()).filter(|_| !path.is_file());
                let path = named.unwrap_or(path);
                Some(Arc::new(py.detach(|| Values::read(&path)).map_err(refused)?))
            }
            _ => None,
        };
        let table = found.ok_or_else(|| PyTypeError::new_err("`table` is a file, the name of one, or a `Game`"))?;
        Ok(Table { race: Arc::new(Race::new(table.ruleset().clone())), table })
    }

    /// The game that was solved.
    #[getter]
    fn game(&self) -> Game {
        Game { race: Arc::clone(&self.race) }
    }

    /// Bits of a value in the file: 16 or 32.
    #[getter]
    fn bits(&self) -> u8 {
        self.table.bits()
    }

    /// What is known of the values: how many there are, how they were found, and the proof of how exact they are.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, serde_json::to_string(self.table.facts()))
    }

    /// How far any value may be from perfect play by the proof and by rounding to `bits`; `None` without a proof.
    #[getter]
    fn error(&self) -> Option<f64> {
        let rounding = 0.5 / (f64::from(self.table.bits()).exp2() - 1.0);
        self.table.facts().certificate.map(|certificate| certificate.error + rounding)
    }

    /// Values of the states for each player, `float32[states, num_players]`, 0 to 1.
    fn values<'py>(&self, py: Python<'py>, states: Vec<PyRef<'py, State>>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let positions = positions(&self.race, &states)?;
        drop(states);
        let mut values = Vec::new();
        py.detach(|| Perfect::new(Arc::clone(&self.table)).values(&self.race, &positions, &mut values));
        by_player(py, &self.race, &values)
    }

    fn __repr__(&self) -> String {
        format!("Table({:?}, {:?})", self.race.spec().name, Game::letters(&self.race))
    }
}
