//! Checks the number of threads. The system can allow fewer threads, and an error at the beginning
//! is better than a panic later.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context, Result};

/// Checks that `count` threads can run at the same time.
///
/// # Errors
/// When the system refuses a thread.
pub fn check(count: usize) -> Result<()> {
    let gate = Mutex::new(());
    let pass = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
    thread::scope(|scope| {
        let _closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..count {
            thread::Builder::new().spawn_scoped(scope, pass)?;
        }
        Ok::<(), std::io::Error>(())
    })
    .with_context(|| format!("cannot start {count} threads"))
}

/// Parses the number of threads of an option.
///
/// # Errors
/// When the number is not between 1 and 256, or the system refuses the threads.
pub fn option(text: &str) -> Result<u16, String> {
    let count: u16 = text
        .parse()
        .ok()
        .filter(|count| (1..=256).contains(count))
        .ok_or_else(|| format!("{text} is not a whole number from 1 to 256"))?;
    check(count.into()).map_err(|error| format!("{error:#}"))?;
    Ok(count)
}
