//! Ctrl-C during long computations without the interpreter lock.
//!
//! Python handles signals only between its own instructions, and only in the main thread. So a long
//! computation checks an [`Interrupt`] every few milliseconds, and the interrupt lets Python handle
//! its signals from time to time. A check takes a few nanoseconds, so short calls stay fast. If a
//! computation starts other threads, the calling thread handles the signals
//! ([`Interrupt::watch_thread`]). When the call returns, the computation has always ended.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use ashta_agents::play::stop::Stop;
use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// The time between two checks for Ctrl-C.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Ends a computation early. Several computations can use the same interrupt, one after the other.
pub struct Interrupt {
    /// The time of the next check for signals.
    due: Mutex<Instant>,
    is_set: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Interrupt {
    pub fn new() -> Arc<Interrupt> {
        let due = Mutex::new(Instant::now());
        Arc::new(Interrupt {
            due,
            is_set: AtomicBool::new(false),
            error: Mutex::default(),
        })
    }

    /// Returns this interrupt in the form that agents and evaluators take.
    pub fn stop(self: &Arc<Interrupt>) -> Stop {
        let interrupt = Arc::clone(self);
        Stop::when(move || interrupt.is_set())
    }

    /// Whether the computation must stop; checks for signals if a check is due. Works with and
    /// without the interpreter lock.
    pub fn is_set(&self) -> bool {
        let now = Instant::now();
        // If several threads ask, one of them checks.
        if !self.was_set()
            && let Ok(mut due) = self.due.try_lock()
            && now >= *due
        {
            *due = now + CHECK_INTERVAL;
            drop(due);
            self.check_signals();
        }
        self.was_set()
    }

    /// Whether the computation must stop. Unlike [`Interrupt::is_set`], this never checks for
    /// signals. After a stop, the answers of agents have no meaning.
    pub fn was_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    fn check_signals(&self) {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            self.set(error);
        }
    }

    /// Ends the computation with this error, unless an earlier error has ended it.
    pub fn set(&self, error: PyErr) {
        let mut first = lock(&self.error);
        let late = if first.is_none() {
            first.replace(error)
        } else {
            Some(error)
        };
        // Dropping an error can run Python code, which must not wait for this lock.
        drop(first);
        drop(late);
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// Runs `work` in this thread without the interpreter lock. `work` must check
    /// [`Interrupt::is_set`]. After an interrupt, returns the error instead of the result.
    pub fn watch<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.is_set.store(false, Ordering::Relaxed);
        let found = py.detach(work);
        let error = if self.was_set() {
            lock(&self.error).take()
        } else {
            None
        };
        error.map_or(Ok(found), Err)
    }

    /// Like [`Interrupt::watch`], for work with several threads: runs `work` in another thread
    /// while this thread handles signals.
    pub fn watch_thread<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> T + Send,
    ) -> PyResult<T> {
        let (sender, end) = mpsc::channel::<()>();
        self.watch(py, move || {
            std::thread::scope(|scope| {
                let worker = scope.spawn(move || {
                    // The sender is dropped when the work ends or panics; then the loop below ends.
                    let _sender = sender;
                    work()
                });
                while let Err(mpsc::RecvTimeoutError::Timeout) = end.recv_timeout(CHECK_INTERVAL) {
                    self.check_signals();
                }
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }
}

/// Locks a mutex, even if a thread has panicked while it held the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks the games for this thread. Returns an error if another call uses them.
pub fn alone<T>(games: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match games.try_lock() {
        Ok(games) => Ok(games),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
            "another call is stepping these games: use them from one thread at a time, and not from their own opponent",
        )),
    }
}
