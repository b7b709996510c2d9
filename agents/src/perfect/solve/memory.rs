//! The memory that solvers need, and a check that it is available.

use std::hint::black_box;

use ashta_env::turn_index::TurnIndex;

use super::{SolveError, value_count};

/// The memory that a solver needs besides the arrays of values, in bytes.
const REST: usize = 32 << 20;
/// The memory that each thread needs, in bytes.
const THREAD: usize = 4 << 20;

/// Returns the approximate memory that [`solve`](super::solve) needs, without its tables of moves,
/// in GB.
///
/// # Errors
/// When less memory is free, or the limits of the process allow less.
pub fn check_memory(starts: &TurnIndex, certify: bool, threads: usize) -> Result<f64, SolveError> {
    let is_pair = starts.seats() == 2;
    // There are arrays for the values, the lengths of games in the proof, and the changes to
    // extrapolate. At least two are needed: one for the values, and one for the order of the
    // positions or for the table to write.
    let arrays = 1 + usize::from(is_pair && certify) + usize::from(is_pair && !starts.may_wait());
    check(value_count(starts), arrays.max(2), threads)
}

/// Checks that there is memory for `arrays` arrays of `values` values of four bytes each. Returns
/// the memory in GB.
pub fn check(values: usize, arrays: usize, threads: usize) -> Result<f64, SolveError> {
    let rest = REST + threads * THREAD;
    let bytes = (4 * values * arrays + rest) as u64;
    let reserve = |bytes| {
        let mut block: Vec<u8> = Vec::new();
        block.try_reserve_exact(bytes).map(|()| block)
    };
    let blocks: Result<Vec<_>, _> = std::iter::repeat_n(4 * values, arrays)
        .chain([rest])
        .map(reserve)
        .collect();
    // Without the black box, the compiler removes allocations that nothing uses.
    let is_granted =
        black_box(blocks).is_ok() && available().is_none_or(|available| bytes <= available);
    let gigabytes = bytes as f64 / 1e9;
    if is_granted {
        Ok(gigabytes)
    } else {
        Err(SolveError::Memory { gigabytes })
    }
}

/// The memory that a process can still allocate, in bytes; `None` if the system does not report it.
fn available() -> Option<u64> {
    let facts = std::fs::read_to_string("/proc/meminfo").ok()?;
    let is_free = |line: &&str| line.starts_with("MemAvailable:") || line.starts_with("SwapFree:");
    let kilobytes = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let free = facts
        .lines()
        .filter(is_free)
        .filter_map(kilobytes)
        .sum::<u64>()
        << 10;
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|limit| limit.trim().parse().ok());
    Some(limit.map_or(free, |limit: u64| limit.min(free))).filter(|&bytes| bytes > 0)
}
