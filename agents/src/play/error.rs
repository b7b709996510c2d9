//! The error of this package: a sentence for people, and its cause.

use std::fmt::Display;

/// What is wrong with a file, a text or a setting, as a sentence for people, and what that came from.
///
/// Errors that a caller has to tell apart have types of their own.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a cause.
    pub(crate) fn new(message: impl Display) -> Error {
        Error { message: message.to_string(), source: None }
    }

    /// An error that came from another.
    pub(crate) fn caused(message: impl Display, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error { message: message.to_string(), source: Some(source.into()) }
    }

    /// An error with this message, unless something holds.
    pub(crate) fn unless<M: Display>(holds: bool, message: impl FnOnce() -> M) -> Result<(), Error> {
        if holds { Ok(()) } else { Err(Error::new(message())) }
    }

    /// Puts a message before the cause, for `map_err`.
    pub(crate) fn because<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        message: impl Display,
    ) -> impl FnOnce(E) -> Error {
        move |source| Error::caused(message, source)
    }
}
