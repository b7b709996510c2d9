//! Training: the network, its losses and Adam, with burn or on the CPU. Only this module uses burn; agents use
//! [`crate::network::portable`].

mod batch;
mod dense;
mod device;
mod learner;
mod loss;
mod model;
mod sparse;

pub use batch::{Batch, Sample};
pub use device::LearnerDevice;
pub use learner::Learner;
pub use loss::Losses;
pub use model::initial_parameters;

/// The version of burn.
pub const BURN: &str = "0.22.1";
