//! A [`Stop`] ends a computation early. Searches check it every few milliseconds.
//!
//! The creator of a stop decides when it is set, for example by a flag, a clock or a signal. A
//! stopped computation soon returns a meaningless result, which the caller must discard.

use std::{fmt, ops::ControlFlow, sync::Arc};

/// A condition that ends a computation early. Clones share the condition.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// A stop that is set once `is_set` returns true. From then on `is_set` must return true until
    /// the computation has ended. The computing threads call it often: it should take less than a
    /// microsecond.
    pub fn when(is_set: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(is_set))
    }

    /// Whether the computation should end now.
    pub fn is_set(&self) -> bool {
        (self.0)()
    }
}

impl Default for Stop {
    /// A stop that is never set.
    fn default() -> Stop {
        Stop::when(|| false)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").finish_non_exhaustive()
    }
}

/// Breaks a computation if `is_stopped`.
pub fn stop_if(is_stopped: bool) -> ControlFlow<()> {
    if is_stopped {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
