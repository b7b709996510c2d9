//! A way to end a computation early: searches ask a [`Stop`] every few milliseconds whether their answer is still
//! wanted.
//!
//! Who makes a stop decides what it depends on: a flag, a clock, a signal. What is stopped answers at once, and what it
//! answers means nothing; the one who stopped it drops the answer.

use std::fmt;
use std::sync::Arc;

/// Whether a computation is to end early. Clones are the same stop.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// One that is set when `is_set` says so, which goes on to say so until the computation has ended. That is called
    /// from the threads that compute, often: it should take less than a microsecond.
    pub fn when(is_set: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(is_set))
    }

    /// Whether the computation is to end now.
    pub fn is_set(&self) -> bool {
        (self.0)()
    }
}

impl Default for Stop {
    /// One that is never set.
    fn default() -> Stop {
        Stop::when(|| false)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").finish_non_exhaustive()
    }
}
