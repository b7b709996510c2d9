//! Why something cannot be learned, saved or loaded.

use std::path::PathBuf;

use super::net::DeviceError;
use crate::network::portable::NetError;
use crate::network::tensor_file::TensorFileError;

/// Why there is no such learner, replay buffer or trainer, or no network of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The shape of a network is out of range.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The device is not available.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] TensorFileError),
    /// What was saved belongs to something else.
    #[error("the saved {of} has {what} {found}, not {expected}")]
    Mismatch {
        /// A learner or a replay.
        of: &'static str,
        /// The fact that differs.
        what: &'static str,
        /// The expected one.
        expected: String,
        /// The saved one.
        found: String,
    },
    /// The manifest of what was saved is not valid.
    #[error("the saved {of} has no valid manifest")]
    Manifest {
        /// A learner or a replay.
        of: &'static str,
        /// The cause.
        source: serde_json::Error,
    },
    /// The numbers do not add up to samples.
    #[error("the saved replay is damaged: {0}")]
    Damaged(&'static str),
    /// A part of a saved trainer cannot be loaded.
    #[error("the {part} of the {network} network of checkpoint {}", folder.display())]
    Saved {
        /// Its learner or its replay.
        part: &'static str,
        /// The network.
        network: &'static str,
        /// The folder of the trainer.
        folder: PathBuf,
        /// The cause.
        source: Box<LearnError>,
    },
    /// Some weights are no numbers any more, or too large.
    #[error("learning has diverged; a smaller learning_rate may help")]
    Diverged(#[source] NetError),
}
