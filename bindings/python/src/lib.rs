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

/// As in the program: burn allocates for every operation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use ashta_agents::play::error::shortened;
use pyo3::PyClass;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
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
        error.downcast().unwrap_or_else(|error| PyValueError::new_err(shortened(&format!("{error:#}"))))
    }
}

/// A `TypeError` with this message.
fn wrong_type(message: impl Into<String>) -> Failure {
    PyTypeError::new_err(message.into()).into()
}

/// A whole number of Python's; the nearest one of 64 bits where it has more.
#[derive(Clone, Copy)]
struct Whole(i64);

impl FromPyObject<'_, '_> for Whole {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, '_, PyAny>) -> PyResult<Whole> {
        match number.extract::<i64>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
                Ok(Whole(if number.lt(0)? { i64::MIN } else { i64::MAX }))
            }
            found => found.map(Whole),
        }
    }
}

/// What serde wrote as JSON, as Python's own types; numbers that JSON does not know are `None`.
fn to_python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// Adds a class. It fails to compile for what Python would align too little: its objects have 16 bytes, whatever they
/// hold.
fn add<T: PyClass>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    const { assert!(align_of::<T>() <= 16, "put it into a box") };
    module.add_class::<T>()
}

/// The compiled part of the package.
#[pymodule]
fn _ashta(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    add::<agent::Agent>(module)?;
    add::<agent::Bot>(module)?;
    add::<arena::Arena>(module)?;
    add::<cluster::RunEvaluator>(module)?;
    add::<cluster::SelfPlay>(module)?;
    add::<cluster::Trainer>(module)?;
    add::<cluster::TrainingRun>(module)?;
    add::<game::Game>(module)?;
    add::<state::State>(module)?;
    add::<table::Table>(module)?;
    add::<vec_env::VectorGame>(module)?;
    module.add_function(wrap_pyfunction!(agent::data_folders, module)?)?;
    module.add_function(wrap_pyfunction!(arena::analyze, module)?)?;
    module.add_function(wrap_pyfunction!(arena::arena, module)?)?;
    module.add_function(wrap_pyfunction!(cluster::numerics, module)?)?;
    module.add_function(wrap_pyfunction!(training::check_settings, module)?)?;
    module.add_function(wrap_pyfunction!(training::export, module)?)?;
    module.add_function(wrap_pyfunction!(training::run_program, module)?)?;
    module.add_function(wrap_pyfunction!(training::solve, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)
}
