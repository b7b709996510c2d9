//! The program `ashta`.

use std::{
    io::{Write, stderr},
    process::ExitCode,
};

use ashta_agents::play::processor::{UNSUPPORTED, is_supported};

/// Training and the library burn allocate many short lists. On a CPU, the allocator mimalloc saves
/// 4 % of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if !is_supported() {
        for text in [UNSUPPORTED.to_bytes(), b"\n"] {
            let _ = stderr().write_all(text);
        }
        return ExitCode::FAILURE;
    }
    ashta_train::program::run(std::env::args_os(), None).into()
}
