//! The Python module `ashta._ashta`: games, vectorized games, agents, bots, tables and arenas.
//! Users import it through the package `ashta`.

#![allow(
    clippy::too_many_arguments,
    missing_debug_implementations,
    reason = "functions of Python have keywords, and types are not public in Rust"
)]

/// Returns an error with a message if the condition is false. Like `anyhow::ensure`, but for any
/// error type.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(anyhow::anyhow!($($message)+).into());
        }
    };
}

mod actors;
mod agent;
mod arena;
mod game;
mod interrupt;
mod judge;
mod packed;
mod policy;
mod seed;
mod state;
mod states;
mod table;
mod training;
mod vec_env;

/// burn allocates memory in every operation, so this crate uses the fast allocator of the program,
/// too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use ashta_agents::play::error::shortened;
use pyo3::{
    PyClass,
    exceptions::{PyOverflowError, PyTypeError, PyValueError},
    prelude::*,
};
use serde::Serialize;

/// The error of every function in this crate. A Python exception is raised unchanged. Any other
/// error becomes a `ValueError`; the message includes the causes.
#[derive(Debug)]
pub struct Failure(anyhow::Error);

/// The result of every function in this crate.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// A function and its arguments, which unpickle an object.
pub type Reduced<'py, A> = (Bound<'py, PyAny>, A);

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(Failure(error): Failure) -> PyErr {
        error
            .downcast()
            .unwrap_or_else(|error| PyValueError::new_err(shortened(&format!("{error:#}"))))
    }
}

fn wrong_type(message: impl Into<String>) -> Failure {
    PyTypeError::new_err(message.into()).into()
}

/// A Python integer. Numbers outside the range of `i64` become the nearest `i64`.
#[derive(Clone, Copy)]
pub struct Whole(i64);

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

/// Converts a value to Python objects, through JSON. serde writes infinite numbers as `null`, so
/// they become `None`.
fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> Result<Bound<'py, PyAny>> {
    Ok(py
        .import("json")?
        .call_method1("loads", (serde_json::to_string(value)?,))?)
}

/// Adds a class whose objects never change: a copy is the object itself.
fn add_frozen<T: PyClass>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (py, class) = (module.py(), module.py().get_type::<T>());
    class.setattr("__copy__", py.eval(c"lambda self: self", None, None)?)?;
    class.setattr(
        "__deepcopy__",
        py.eval(c"lambda self, memo: self", None, None)?,
    )?;
    add::<T>(module)
}

/// Adds a class to the module. Python aligns objects to 16 bytes, so a class with a larger
/// alignment does not compile.
fn add<T: PyClass>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    const {
        assert!(
            align_of::<T>() <= 16,
            "box the field with the large alignment"
        )
    };
    module.add_class::<T>()
}

/// The compiled part of the package.
#[pymodule]
fn _ashta(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    add::<actors::SelfPlay>(module)?;
    add_frozen::<agent::Agent>(module)?;
    add_frozen::<agent::Bot>(module)?;
    add_frozen::<game::Game>(module)?;
    add_frozen::<judge::Positions>(module)?;
    add::<state::State>(module)?;
    add_frozen::<states::States>(module)?;
    add_frozen::<table::Table>(module)?;
    add::<vec_env::VectorGame>(module)?;
    module.add_function(wrap_pyfunction!(agent::data_folders, module)?)?;
    module.add_function(wrap_pyfunction!(arena::analyze, module)?)?;
    module.add_function(wrap_pyfunction!(arena::arena, module)?)?;
    module.add_function(wrap_pyfunction!(arena::arena_data, module)?)?;
    module.add_function(wrap_pyfunction!(judge::exploitability, module)?)?;
    module.add_function(wrap_pyfunction!(judge::positions, module)?)?;
    module.add_function(wrap_pyfunction!(judge::regret, module)?)?;
    module.add_function(wrap_pyfunction!(judge::rollout, module)?)?;
    module.add_function(wrap_pyfunction!(judge::verify_result, module)?)?;
    module.add_function(wrap_pyfunction!(seed::seed_of, module)?)?;
    module.add_function(wrap_pyfunction!(training::export, module)?)?;
    module.add_function(wrap_pyfunction!(training::run_program, module)?)?;
    module.add_function(wrap_pyfunction!(training::solve, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)
}
