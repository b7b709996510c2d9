//! The Python module `ashta._ashta`: games, many games at once, agents, bots, tables and the arena. What users see is
//! the package `ashta` around it.

mod agent;
mod arena;
mod game;
mod state;
mod table;
mod vec_env;
mod versus;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An error of this program as one of Python, with all that led to it.
fn refused(error: impl std::error::Error) -> PyErr {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    PyValueError::new_err(message)
}

/// What serde wrote as JSON, as Python's own types; numbers that JSON does not know are `None`.
fn to_python(py: Python<'_>, json: serde_json::Result<String>) -> PyResult<Bound<'_, PyAny>> {
    py.import("json")?.call_method1("loads", (json.map_err(refused)?,))
}

/// The compiled part of the package.
#[pymodule]
mod _ashta {
    #[pymodule_export]
    use super::agent::{Agent, Bot};
    #[pymodule_export]
    use super::arena::{ArenaResult, arena};
    #[pymodule_export]
    use super::game::Game;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::vec_env::VectorGame;
    #[pymodule_export]
    use super::versus::VersusGame;
}
