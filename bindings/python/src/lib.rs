//! The Python module `ashta._ashta`: games, many games at once, agents, bots, tables and the arena. What users see is
//! the package `ashta` around it.

/// Fails with a message unless a condition holds, as `anyhow::ensure` does, in any function that returns a `Result`.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(anyhow::anyhow!($($message)+).into());
        }
    };
}

mod agent;
mod arena;
mod arrays;
mod cluster;
mod game;
mod interrupt;
mod state;
mod table;
mod training;
mod vec_env;
mod versus;

/// As in the program: burn allocates for every operation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What went wrong. Python gets its own errors as they were raised, and any other as a `ValueError` with all that led
/// to it.
#[derive(Debug)]
struct Failure(anyhow::Error);

type Result<T, E = Failure> = std::result::Result<T, E>;

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(Failure(error): Failure) -> PyErr {
        error.downcast().unwrap_or_else(|error| PyValueError::new_err(format!("{error:#}")))
    }
}

/// What serde wrote as JSON, as Python's own types; numbers that JSON does not know are `None`.
fn to_python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// Fails to compile for what Python would align too little: it gives its objects 16 bytes, whatever they hold.
const fn is_aligned_by_python<T>() {
    assert!(align_of::<T>() <= 16, "put it into a box");
}

const _: () = {
    is_aligned_by_python::<agent::Agent>();
    is_aligned_by_python::<agent::Bot>();
    is_aligned_by_python::<arena::Arena>();
    is_aligned_by_python::<cluster::Plan>();
    is_aligned_by_python::<cluster::RunEvaluator>();
    is_aligned_by_python::<cluster::SelfPlay>();
    is_aligned_by_python::<cluster::Trainer>();
    is_aligned_by_python::<cluster::TrainingRun>();
    is_aligned_by_python::<game::Game>();
    is_aligned_by_python::<state::State>();
    is_aligned_by_python::<table::Table>();
    is_aligned_by_python::<vec_env::VectorGame>();
    is_aligned_by_python::<versus::VersusGame>();
};

/// The compiled part of the package.
#[pymodule]
mod _ashta {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::agent::{Agent, Bot, data_folders};
    #[pymodule_export]
    use super::arena::{Arena, arena};
    #[pymodule_export]
    use super::cluster::{Plan, RunEvaluator, SelfPlay, Trainer, TrainingRun, numerics};
    #[pymodule_export]
    use super::game::Game;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::training::{check_settings, export, run_program, solve, train};
    #[pymodule_export]
    use super::vec_env::VectorGame;
    #[pymodule_export]
    use super::versus::VersusGame;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
