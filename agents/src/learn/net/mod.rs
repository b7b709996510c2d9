//! Networks that learn. burn lives here and nowhere else; whoever acts uses [`crate::network::portable`].

mod batch;
mod device;
mod learner;
mod loss;
mod model;
mod sparse;

pub use batch::{Batch, Sample};
pub use device::{DeviceError, LearnerDevice};
pub use learner::{Learner, LearnerConfig, LearnerError};
pub use loss::Losses;
pub use model::initial_parameters;

/// The version of burn that learns.
pub const BURN: &str = "0.22.1";
