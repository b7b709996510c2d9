//! Threads that can be had: the system may allow fewer than are asked for, and a sentence at the beginning is better
//! than a panic in the middle.

use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};

/// Checks that so many threads can run beside each other.
///
/// # Errors
/// When the system refuses one.
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
    .with_context(|| format!("{count} threads cannot be had"))
}

/// The number of threads of an option.
///
/// # Errors
/// When it is none from 1 to 256, or cannot be had.
pub fn option(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| (1..=256).contains(count));
    let count: u16 = count.ok_or_else(|| format!("{text} is not in 1..=256"))?;
    check(count.into()).map_err(|error| format!("{error:#}"))?;
    Ok(count)
}
