//! Seeds as arguments.

use ashta_agents::play::{error::shortened, throws::random_seed};
use pyo3::{exceptions::PyValueError, prelude::*};

/// A seed; other values raise `ValueError`.
#[derive(Clone, Copy)]
pub struct Seed(pub(crate) u64);

impl Seed {
    /// The seed, or a random seed.
    pub fn or_random(seed: Option<Seed>) -> u64 {
        seed.map_or_else(random_seed, |Seed(seed)| seed)
    }
}

impl FromPyObject<'_, '_> for Seed {
    type Error = PyErr;

    fn extract(seed: Borrowed<'_, '_, PyAny>) -> PyResult<Seed> {
        let found = shortened(&format!("{seed:?}"));
        let wrong = |_| {
            PyValueError::new_err(format!(
                "a seed must be a number from 0 to 2**64 - 1, not {found}"
            ))
        };
        seed.extract().map(Seed).map_err(wrong)
    }
}

/// The value of an argument that has a default.
pub fn given(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(seed.extract::<Seed>()?.0)
}

/// Checks a seed; draws a seed if it is `None`.
#[pyfunction]
#[pyo3(signature = (seed = None))]
pub fn seed_of(seed: Option<Seed>) -> u64 {
    Seed::or_random(seed)
}
