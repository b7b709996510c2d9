//! Training in burn: the network, its losses and its optimizer. Only this module uses burn; agents
//! use [`crate::network::portable`].

mod bag;
mod batch;
mod device;
mod learner;
mod loss;
mod model;
mod optimizer;

pub use batch::{Batch, Sample};
pub use device::LearnerDevice;
pub use learner::Learner;
pub use loss::Losses;
pub use model::initial_parameters;

/// The version of burn.
pub const BURN: &str = "0.22.1";
