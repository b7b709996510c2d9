//! Allocation test: stepping a `VecEnv` allocates nothing.
//!
//! This is a separate program because it replaces the global allocator by one that counts, which
//! needs unsafe code.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::Arc,
};

use ashta_env::{
    chance::{self, below},
    game::{Action, Game},
    gym::{Caller, VecEnv},
    race::Race,
    ruleset::Ruleset,
    sheet::{Hop, Must, builtin},
};
use ashta_rule_tests::buffers::Buffers;

/// The allocator of the system, counting the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call is handed on to `System` unchanged; counting touches a thread-local number
// that is never dropped and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: the pointer came from `System` with this layout, and the caller keeps the
        // contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// Allocations of 10,000 steps of four games that were played before: buffers of the rules have
/// grown then.
fn step(game: &str, seats: usize) -> u64 {
    let race = Arc::new(Race::new(
        Ruleset::seated(game, Some(seats)).expect("a valid ruleset"),
    ));
    let mut envs = VecEnv::new(&race, 4, Caller::All);
    let mut out = Buffers::new(race.spec(), 4);
    let mut actions = [Action(0); 4];
    let mut step_often = || {
        let mut rng = chance::stream(1, 1);
        envs.reset(1, &mut out.view());
        for _ in 0..10_000 {
            for (at, action) in actions.iter_mut().enumerate() {
                let legal = out.legal(at);
                *action = legal.nth(below(legal.len(), &mut rng)).unwrap_or(Action(0));
            }
            envs.step(&actions, &mut out.view()).expect("legal actions");
        }
    };
    step_often();
    allocations(step_often)
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn a_step_allocates_nothing() {
    for (game, seats) in [
        ("ashtapada?pieces=4&must_use=greedy&twins=bell", 4),
        ("pagade?teams=true", 4),
        ("siga?divide=none", 2),
        ("main-pacheh?max_throws=3", 2),
        ("ashta-kashte-1892?grace=separate&doubles=pair", 2),
    ] {
        assert_eq!(step(game, seats), 0, "{game} for {seats}");
    }
    // If throws are played one by one (`hop = "each"`) and a turn must use as many as possible, the
    // engine searches every order with a transposition table on the heap.
    for sheet in builtin::all() {
        assert!(
            sheet.turn.hop == Hop::Sum || sheet.turn.must != Must::Most,
            "{} as it is written",
            sheet.name
        );
        for seats in [2, 4]
            .into_iter()
            .filter(|&seats| Ruleset::seated(&sheet.name, Some(seats)).is_ok())
        {
            assert_eq!(step(&sheet.name, seats), 0, "{} for {seats}", sheet.name);
        }
    }
}
