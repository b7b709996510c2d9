//! `Table`: the values of perfect play.

use std::{
    path::{self, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use ashta_agents::{perfect::table::Table as Values, roster::NamedAgent};
use ashta_env::race::Race;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::{
    Reduced, Result,
    agent::{Agent, absolute, folders_or_default},
    game::Game,
    to_python, wrong_type,
};

/// The values of perfect play in all positions of one game. A pickled table does not contain the
/// values: unpickling reads the file again.
#[pyclass(frozen, module = "ashta")]
pub struct Table {
    pub table: Arc<Values>,
    pub agent: Agent,
    /// The solved game.
    #[pyo3(get)]
    pub game: Game,
    /// The file; `None` if the table was found by its game.
    path: Option<PathBuf>,
}

#[pymethods]
impl Table {
    /// Reads a table from a file, or looks it up by name or game in `folders`, by default
    /// `ashta.folders()`.
    ///
    /// Raises `ValueError` if there is no such table, or if the table is damaged or unfinished.
    #[staticmethod]
    #[pyo3(signature = (table, folders = None))]
    pub fn load(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        folders: Option<Vec<PathBuf>>,
    ) -> Result<Table> {
        let folders = folders_or_default(py, folders)?;
        let (agent, path) = if let Ok(game) = table.cast::<Game>() {
            let game = game.get();
            (
                py.detach(|| Agent::of(&folders.agent("perfect")?, game, folders))?,
                None,
            )
        } else {
            let wrong = |_| wrong_type("`table` must be a file, the name of a table, or a `Game`");
            let path: PathBuf = table.extract().map_err(wrong)?;
            let path = folders
                .table(&path.to_string_lossy())
                .filter(|_| !path.is_file())
                .unwrap_or(path);
            let table = Arc::new(py.detach(|| Values::read(&path))?);
            let game = Race::new(table.ruleset().clone()).into();
            (
                Agent::of(
                    &NamedAgent::Table {
                        path: path.clone(),
                        table,
                    },
                    &game,
                    folders,
                )?,
                Some(path),
            )
        };
        let table = agent
            .mind
            .player()?
            .table()
            .map(Arc::clone)
            .context("the agent `perfect` has no table")?;
        Ok(Table {
            game: Race::new(table.ruleset().clone()).into(),
            table,
            agent,
            path,
        })
    }

    /// The number of bits of a value in the file: 16 or 32.
    #[getter]
    fn bits(&self) -> u8 {
        self.table.bits()
    }

    /// Facts from the header of the file: `positions`, `sweeps`, `cut_off`, `residual`, and
    /// `certificate` (the proven error bounds; `None` without a proof).
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        to_python(py, self.table.facts())
    }

    /// The largest possible error of a value: the proven bound plus the rounding to `bits`; `None`
    /// without a proof.
    #[getter]
    fn error(&self) -> Option<f64> {
        self.table
            .facts()
            .certificate
            .map(|certificate| certificate.error + self.table.rounding())
    }

    /// The value of each state for each player, `float32[states, num_players]`, 0 to 1.
    fn values<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyArray2<f32>>> {
        self.agent.values(py, states)
    }

    /// Pickles only the path or the game, because tables are large; unpickling reads the file
    /// again.
    fn __reduce__<'py>(
        slf: &Bound<'py, Table>,
    ) -> PyResult<Reduced<'py, (Bound<'py, PyAny>, Vec<PathBuf>)>> {
        let (
            py,
            Table {
                path, game, agent, ..
            },
        ) = (slf.py(), slf.get());
        let file = match path {
            Some(path) => path::absolute(path)?.into_pyobject(py)?.into_any(),
            None => game.clone().into_pyobject(py)?.into_any(),
        };
        Ok((slf.getattr("load")?, (file, absolute(&agent.folders)?)))
    }

    fn __repr__(&self) -> String {
        format!("Table({:?}, {:?})", self.game.name(), self.game.seats())
    }
}
