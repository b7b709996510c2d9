//! The memory that solvers need, and whether the system has so much.

use std::fmt;
use std::hint::black_box;

use ashta_env::turn_index::TurnIndex;

use super::{SolveError, value_count};

/// What a solver needs besides the arrays of values, and each thread.
const REST: usize = 32 << 20;
const THREAD: usize = 4 << 20;

/// A number of bytes, printed in GB or MB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1_000_000_000.. => write!(f, "{:.1} GB", self.0 as f64 / 1e9),
            bytes => write!(f, "{} MB", bytes.div_ceil(1_000_000)),
        }
    }
}

/// The memory that [`solve`](super::solve) needs, about: its tables of moves come on top.
///
/// # Errors
/// When the system has less, or its limits allow less.
pub fn check_memory(starts: &TurnIndex, certify: bool, threads: usize) -> Result<Bytes, SolveError> {
    check(value_count(starts), solve_arrays(starts, certify), threads)
}

/// The largest number of arrays with four bytes for each value that [`solve`](super::solve) has at once: values,
/// changes, and those of the proof; or the order of more seats.
pub(super) fn solve_arrays(starts: &TurnIndex, certify: bool) -> usize {
    let is_pair = starts.seats() == 2;
    // The last is written as a table at the end.
    2.max(1 + usize::from(is_pair && certify) + usize::from(is_pair && !starts.may_wait()))
}

/// Checks that there is memory for so many arrays of so many values.
pub(crate) fn check(values: usize, arrays: usize, threads: usize) -> Result<Bytes, SolveError> {
    let needed = needed(values, arrays, threads);
    match available() {
        Some(available) if available < needed.0 => {
            Err(SolveError::Memory { needed, available: Some(Bytes(available)) })
        }
        _ => reserve(values, arrays, threads).map(|()| needed),
    }
}

fn needed(values: usize, arrays: usize, threads: usize) -> Bytes {
    Bytes((4 * values * arrays + REST + threads * THREAD) as u64)
}

/// Checks that the limits of the process allow as much.
pub(crate) fn reserve(values: usize, arrays: usize, threads: usize) -> Result<(), SolveError> {
    let sizes = std::iter::repeat_n(4 * values, arrays).chain([REST + threads * THREAD]);
    let blocks = sizes.map(|bytes| {
        let mut block: Vec<u8> = Vec::new();
        block.try_reserve_exact(bytes).map(|()| block)
    });
    // Without the black box the compiler leaves out allocations that nothing uses.
    match blocks.collect::<Result<Vec<_>, _>>() {
        Ok(blocks) => Ok(drop(black_box(blocks))),
        Err(_) => Err(SolveError::Memory { needed: needed(values, arrays, threads), available: None }),
    }
}

/// The memory that a process can still take, where the system says so.
fn available() -> Option<u64> {
    let facts = std::fs::read_to_string("/proc/meminfo").ok()?;
    let is_free = |line: &&str| line.starts_with("MemAvailable:") || line.starts_with("SwapFree:");
    let kilobytes =
        facts.lines().filter(is_free).filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|limit| limit.trim().parse().ok());
    Some((kilobytes.sum::<u64>() << 10).min(limit.unwrap_or(u64::MAX))).filter(|&bytes| bytes > 0)
}
