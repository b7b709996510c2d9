//! `Table`: the values of perfect play.

use std::path::{self, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use ashta_agents::perfect::table::Table as Values;
use ashta_agents::roster::NamedAgent;
use ashta_env::race::Race;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::agent::{Agent, absolute, folders_or_default};
use crate::game::Game;
use crate::state::State;
use crate::{Result, to_python, wrong_type};

/// The values of perfect play of one game, position by position. What is pickled finds its file again by its path.
#[pyclass(frozen, module = "ashta")]
#[expect(missing_debug_implementations, reason = "it holds an agent")]
pub struct Table {
    table: Arc<Values>,
    /// Who plays by it.
    agent: Agent,
    /// The game that was solved.
    #[pyo3(get)]
    game: Game,
    /// Its file, unless it was looked for in the folders.
    path: Option<PathBuf>,
}

#[pymethods]
impl Table {
    /// Reads a table: a file, or the name or the game of one in `folders`, by default `ashta.folders()`.
    ///
    /// `ValueError` when there is none, or it is damaged or not finished.
    #[staticmethod]
    #[pyo3(signature = (table, folders = None))]
    pub(crate) fn load(py: Python<'_>, table: &Bound<'_, PyAny>, folders: Option<Vec<PathBuf>>) -> Result<Table> {
        let folders = folders_or_default(py, folders)?;
        let (agent, path) = if let Ok(game) = table.cast::<Game>() {
            let game = game.get();
            (py.detach(|| Agent::of(&folders.agent("perfect")?, game, folders))?, None)
        } else {
            let wrong = |_| wrong_type("`table` is a file, the name of one, or a `Game`");
            let path: PathBuf = table.extract().map_err(wrong)?;
            let named = folders.table(&path.to_string_lossy()).filter(|_| !path.is_file());
            let path = named.unwrap_or(path);
            let table = Arc::new(py.detach(|| Values::read(&path))?);
            let game = Race::new(table.ruleset().clone()).into();
            (Agent::of(&NamedAgent::Table { path: path.clone(), table }, &game, folders)?, Some(path))
        };
        let table = agent.player.table().map(Arc::clone).context("perfect play has a table")?;
        Ok(Table { game: Race::new(table.ruleset().clone()).into(), table, agent, path })
    }

    /// Bits of a value in the file: 16 or 32.
    #[getter]
    fn bits(&self) -> u8 {
        self.table.bits()
    }

    /// What is known of the values, as in the header of the file: `positions`, `sweeps`, `cut_off`, `residual` and
    /// `certificate`, the proof of how exact they are, or `None`.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(to_python(py, &serde_json::to_string(self.table.facts())?)?)
    }

    /// How far any value may be from perfect play by the proof and by rounding to `bits`; `None` without a proof.
    #[getter]
    fn error(&self) -> Option<f64> {
        self.table.facts().certificate.map(|certificate| certificate.error + self.table.rounding())
    }

    /// Values of the states for each player, `float32[states, num_players]`, 0 to 1.
    fn values<'py>(&self, py: Python<'py>, states: Vec<PyRef<'py, State>>) -> Result<Bound<'py, PyArray2<f32>>> {
        self.agent.values(py, states)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// Tables are large: it is read again, from its file or from the folders.
    fn __reduce__<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, table) = (slf.py(), slf.get());
        let file = match &table.path {
            Some(path) => path::absolute(path)?.into_pyobject(py)?.into_any(),
            None => table.game.clone().into_pyobject(py)?.into_any(),
        };
        (slf.getattr("load")?, (file, absolute(&table.agent.folders)?)).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        format!("Table({:?}, {:?})", self.game.name(), self.game.seats())
    }
}
