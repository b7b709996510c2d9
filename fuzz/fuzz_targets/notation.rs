//! Gives arbitrary bytes to `notation` of tests/src/fuzz.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ashta_fuzz::notation(data));
