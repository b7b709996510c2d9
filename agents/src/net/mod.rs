//! Networks that learn. burn lives here and nowhere else; whoever acts uses [`crate::portable`].

mod batch;
mod device;
mod learner;
mod loss;
mod model;
mod ppo;
mod sparse;

pub use batch::{Batch, Sample};
pub use device::{DeviceError, LearnerDevice};
pub use learner::{Learner, LearnerConfig, LearnerError};
pub use loss::Losses;
pub use model::initial_parameters;
pub(crate) use ppo::log_probabilities;
pub use ppo::{Decision, PpoLoss};
