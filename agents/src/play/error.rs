//! The error type of this package: a message for people, and its cause.

use std::fmt::{Display, Write};

/// A problem with a file, a text or a setting: a message for people, and the error that caused it,
/// if any.
///
/// Errors that callers must distinguish have separate types.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a cause.
    pub(crate) fn new(message: impl Display) -> Error {
        Error {
            message: message.to_string(),
            source: None,
        }
    }

    /// An error with a cause.
    pub(crate) fn caused(
        message: impl Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error {
            message: message.to_string(),
            source: Some(source.into()),
        }
    }

    /// Returns an error with this message unless `holds` is true.
    pub(crate) fn unless<M: Display>(
        holds: bool,
        message: impl FnOnce() -> M,
    ) -> Result<(), Error> {
        if holds {
            Ok(())
        } else {
            Err(Error::new(message()))
        }
    }

    /// For `map_err`: makes an error with this message and the old error as its cause.
    pub(crate) fn because<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        message: impl Display,
    ) -> impl FnOnce(E) -> Error {
        move |source| Error::caused(message, source)
    }
}

/// Parts of a message are shortened if they have more than `[0]` characters between two backticks,
/// or more than `[1]` characters in one line outside of backticks.
const LONGEST: [usize; 2] = [400, 2000];
/// A shortened part keeps this many characters at its beginning and at its end.
const SHOWN: usize = 60;

/// Returns `message` without the middle of overlong parts. Such parts repeat an overlong input.
pub fn shortened(message: &str) -> String {
    let mut text = String::new();
    let mut is_quoted = false;
    for part in message.split_inclusive(['`', '\n']) {
        let (count, longest) = (part.chars().count(), LONGEST[usize::from(!is_quoted)]);
        is_quoted ^= part.ends_with('`');
        if count <= longest {
            text += part;
            continue;
        }
        let edge = |skipped| {
            part.char_indices()
                .nth(skipped)
                .map_or(0, |(place, _)| place)
        };
        let (start, end) = (&part[..edge(SHOWN)], &part[edge(count - SHOWN)..]);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{start} … ({} characters left out) … {end}",
            count - 2 * SHOWN
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, shortened};

    #[test]
    fn only_overlong_parts_lose_their_middle() {
        let whole = format!(
            "seat `{}` and\n{}",
            "ä".repeat(LONGEST[0] - 1),
            "b".repeat(LONGEST[1])
        );
        assert_eq!(shortened(&whole), whole);
        for long in ["ä".repeat(1 << 20), "a b ".repeat(1 << 20)] {
            let text = shortened(&format!("seat `{long}`: write less"));
            assert!(
                text.starts_with("seat `") && text.ends_with("`: write less"),
                "{text}"
            );
            assert!(
                text.contains("characters left out") && text.chars().count() < 200,
                "{text}"
            );
        }
    }
}
