//! The check that the processor has the instructions of this build. Front ends call it before
//! anything else.

use std::{ffi::CStr, sync::LazyLock};

/// The error for processors without [`is_supported`].
pub const UNSUPPORTED: &CStr = c"ashta needs a processor with AVX2 and FMA";

/// Whether the processor has the instructions of this build.
#[inline(never)]
pub fn is_supported() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(ask_processor);
    *FOUND
}

/// Asks the processor itself: the macros of Rust assume that it has the instructions of the build.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn ask_processor() -> bool {
    use std::arch::x86_64::__cpuid;
    // The bits of FMA and of AVX2. Processors with both have the other instructions of x86-64-v3,
    // too.
    __cpuid(0).eax >= 7 && __cpuid(1).ecx >> 12 & 1 == 1 && __cpuid(7).ebx >> 5 & 1 == 1
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
fn ask_processor() -> bool {
    true
}
