//! Ctrl-C in what computes for long without the interpreter lock.
//!
//! Python sees to signals between its own instructions only, in the main thread. Here a computation does it itself: it
//! asks an [`Interrupt`] every few milliseconds whether to stop, and the interrupt has Python look at its signals from
//! time to time. Such a question costs some nanoseconds, so short calls cost what they did. What computes in threads of
//! its own is watched by the calling thread instead ([`Interrupt::beside`]). Either way what was abandoned is over when
//! the call returns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};
use std::time::{Duration, Instant};

use ashta_agents::play::stop::Stop;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often it is seen whether Ctrl-C was pressed.
const LOOKS_UP: Duration = Duration::from_millis(50);

/// What ends a computation before its time, one computation after the other.
#[derive(Debug)]
pub struct Interrupt {
    /// When signals are looked at next.
    due: Mutex<Instant>,
    is_set: AtomicBool,
    why: Mutex<Option<PyErr>>,
}

impl Interrupt {
    pub fn new() -> Arc<Interrupt> {
        let due = Mutex::new(Instant::now());
        Arc::new(Interrupt { due, is_set: AtomicBool::new(false), why: Mutex::default() })
    }

    /// The same for agents and evaluators.
    pub fn stop(self: &Arc<Interrupt>) -> Stop {
        let interrupt = Arc::clone(self);
        Stop::when(move || interrupt.is_set())
    }

    /// Whether the computation is to stop. Needs no interpreter lock, and may be called with it.
    pub fn is_set(&self) -> bool {
        let now = Instant::now();
        // One thread looks for all.
        if !self.was_set()
            && let Ok(mut due) = self.due.try_lock()
            && now >= *due
        {
            *due = now + LOOKS_UP;
            drop(due);
            self.look();
        }
        self.was_set()
    }

    /// Whether it is known that the computation is to stop: what an agent answered then means nothing.
    pub fn was_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// Has Python see to its signals, which it does in its main thread alone.
    fn look(&self) {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            self.set(error);
        }
    }

    /// Ends the computation, because of the first error.
    pub fn set(&self, error: PyErr) {
        lock(&self.why).get_or_insert(error);
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// Computes in this thread without the interpreter lock. `work` asks [`Interrupt::is_set`]; what it returns then is
    /// dropped, and the error raised.
    pub fn watch<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.is_set.store(false, Ordering::Relaxed);
        let found = py.detach(work);
        let why = if self.was_set() { lock(&self.why).take() } else { None };
        why.map_or(Ok(found), Err)
    }

    /// As [`Interrupt::watch`], for work in several threads: it is done in another thread, and this one sees to signals
    /// meanwhile.
    pub fn beside<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let (over, waits) = mpsc::channel::<()>();
        self.watch(py, move || {
            std::thread::scope(|scope| {
                let worker = scope.spawn(move || {
                    // Dropped at the end, however that comes.
                    let _over = over;
                    work()
                });
                while let Err(mpsc::RecvTimeoutError::Timeout) = waits.recv_timeout(LOOKS_UP) {
                    self.look();
                }
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }
}

/// Waits for what one thread at a time uses; what a panic has left there is used on.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Games that one thread at a time may use: for this thread, or an error that says so.
pub fn alone<T>(games: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match games.try_lock() {
        Ok(games) => Ok(games),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
            "these games are being stepped already: one thread at a time can use them, and no opponent its own games",
        )),
    }
}
