//! Errors of reading, writing and using bots.

use std::path::{Path, PathBuf};

use ashta_env::game::SeatLettersError;
use ashta_env::ruleset::RulesetError;
use ashta_env::sheet::SheetError;

use super::FORMAT;
use crate::network::portable::NetError;
use crate::network::tensor_file::TensorFileError;

/// Errors of reading, writing and using bots.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// Something is wrong with this file.
    #[error("bot file {}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: Box<BotError>,
    },
    /// The file cannot be read or written, or is not one of tensors as described.
    #[error(transparent)]
    File(#[from] TensorFileError),
    /// Another version of this program wrote the file.
    #[error("the bot has format {found}, this program reads format {FORMAT}")]
    Format {
        /// The version of the file's format.
        found: u32,
    },
    /// The manifest is not as described.
    #[error("the manifest is not valid")]
    Manifest(#[from] serde_json::Error),
    /// A fact in the manifest cannot be true.
    #[error("{what} in the manifest is {found}, not {expected}")]
    Fact {
        /// Which fact.
        what: &'static str,
        /// The expected value.
        expected: String,
        /// The value found.
        found: String,
    },
    /// The weights are not those that were written.
    #[error("the file is damaged: its data have the checksum {found:08x}, not {expected:08x}")]
    Checksum {
        /// The checksum in the manifest.
        expected: u32,
        /// CRC-32 of the data.
        found: u32,
    },
    /// There is no network of that shape or with those weights.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The network does not answer as it did when it was exported.
    #[error("probe {index}: {what} is {found}, not {expected}")]
    Probe {
        /// Place of the probe in the manifest.
        index: usize,
        /// Which answer.
        what: String,
        /// The answer at export.
        expected: f32,
        /// The answer now.
        found: f32,
    },
    /// The seats of the bot are not known.
    #[error("the seats of the bot")]
    Seats(#[from] SeatLettersError),
    /// The game of the bot is not known.
    #[error("the ruleset of the bot")]
    Rules(#[from] RulesetError),
    /// The sheet that comes with the bot is broken.
    #[error("the game of the bot")]
    Sheet(#[from] SheetError),
    /// The bot was made for another game, or another version of it.
    #[error("the bot was made for {what} {found}, not {expected}")]
    Ruleset {
        /// The fact that differs.
        what: &'static str,
        /// That of the game.
        expected: String,
        /// That of the bot.
        found: String,
    },
}

impl BotError {
    pub(super) fn in_file(path: &Path, cause: BotError) -> BotError {
        BotError::InFile { path: path.to_owned(), cause: Box::new(cause) }
    }
}
