//! The program `ashta`.

use std::process::ExitCode;

/// Training allocates many short lists; with mimalloc it takes 4 % less time on a CPU, and burn allocates much more.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ashta_train::program::run(std::env::args_os()).into()
}
